//===- PostTraining.h - A program on int8 -*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_QUANTIZE_POSTTRAINING_H
#define WEIR_LIB_QUANTIZE_POSTTRAINING_H

#include "lib/Support/Messages.h"
#include "mlir/IR/BuiltinOps.h"

namespace weir {

struct PostTrainingOptions {
  /// A checkpoint that variables become constants of; empty for none.
  std::string checkpoint;
  /// A .npz file with sample feeds; empty for no quantization.
  std::string samples;
  /// How much of the elements the range of a value has, in percent: above 50,
  /// up to 100.
  double percentile = 100;
  /// Whether to say what it costs.
  bool report = false;
};

/// Runs what the options ask for on a module of graphs, in place: variables
/// become constants, `import` and `simplify` run, ranges are found, graphs are
/// rewritten. What passes report goes to the handler of the context. Appends
/// the report, if it was asked for.
bool runPostTraining(mlir::ModuleOp module, const PostTrainingOptions &options,
                     std::string &report, Messages &messages);

} // namespace weir

#endif // WEIR_LIB_QUANTIZE_POSTTRAINING_H

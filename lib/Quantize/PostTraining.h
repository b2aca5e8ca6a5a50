//===- PostTraining.h - A program on int8 -*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_QUANTIZE_POSTTRAINING_H
#define WEIR_LIB_QUANTIZE_POSTTRAINING_H

#include "lib/Quantize/Samples.h"
#include "lib/Support/Messages.h"
#include "mlir/IR/BuiltinOps.h"

namespace weir {

struct PostTrainingOptions {
  /// A checkpoint that variables become constants of; empty for none.
  std::string checkpoint;
  /// Values that variables become constants of, where there is no checkpoint.
  std::optional<NamedTensors> variables;
  /// A .npz file with sample feeds; empty for no quantization.
  std::string samples;
  /// Sample feeds instead of a file.
  std::optional<NamedTensors> arrays;
  /// How much of the elements the range of a value has, in percent: above 50,
  /// up to 100.
  double percentile = 100;
  /// Whether to measure what it costs.
  bool report = false;

  bool hasSamples() const { return arrays || !samples.empty(); }
};

/// What quantization made of a program.
struct QuantizationReport {
  /// A product on int8, with what follows it.
  struct Node {
    std::string entry, name;
    float inputScale, scale;
    int32_t inputZero, zero;
    /// Signal to noise, where it was measured.
    double decibels;
  };
  /// A product, or a graph with all of its own, that stays as it was.
  struct Float {
    std::string entry;
    /// "'name': why".
    std::string reason;
    /// Where in the source; line 0 is nowhere.
    std::string file;
    unsigned line;
  };
  std::vector<Node> nodes;
  std::vector<Float> floats;

  /// A table of the nodes, by entry points.
  std::string text() const;
};

/// Runs what the options ask for on a module of graphs, in place: variables
/// become constants, `import` and `simplify` run, ranges are found, graphs are
/// rewritten. What passes report goes to the handler of the context; what stays
/// float is a remark, too. An error [WEIR0264] for the percentile.
bool runPostTraining(mlir::ModuleOp module, const PostTrainingOptions &options,
                     QuantizationReport &report, Messages &messages);

} // namespace weir

#endif // WEIR_LIB_QUANTIZE_POSTTRAINING_H

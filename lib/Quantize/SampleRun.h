//===- SampleRun.h - Inner values of a graph for samples -*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_QUANTIZE_SAMPLERUN_H
#define WEIR_LIB_QUANTIZE_SAMPLERUN_H

#include "lib/Interpreter/Interpreter.h"
#include "lib/Quantize/Samples.h"

namespace weir {

/// Interprets a copy of a graph that fetches some of its values, a few rows of
/// the samples at a time. Values are pure functions of the feeds, or of state
/// that was never written.
class SampleRun {
public:
  /// `samples` outlives it; `graph` need not. Null after an error [WEIR0261].
  static std::unique_ptr<SampleRun> create(GraphOp graph,
                                           llvm::ArrayRef<mlir::Value> values,
                                           Samples &samples,
                                           Messages &messages);

  int64_t steps() const { return stepCount; }
  /// The values in step `step`; false after an error [WEIR0262].
  bool run(int64_t step, std::vector<Tensor> &values, Messages &messages);
  /// "rows 64 to 127 of the samples" for messages.
  std::string describe(int64_t step) const;

private:
  struct Feed {
    const Tensor *array;
    /// False: the whole array is the feed of each step.
    bool inRows;
  };
  bool addFeeds(Samples &samples, Messages &messages);

  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::string entry;
  std::vector<Feed> feeds;
  int64_t rows = 1, step = 1, stepCount = 1;
  std::unique_ptr<Interpreter> interpreter;
};

} // namespace weir

#endif // WEIR_LIB_QUANTIZE_SAMPLERUN_H

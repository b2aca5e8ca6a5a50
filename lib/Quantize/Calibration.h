//===- Calibration.h - Ranges of values -*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_QUANTIZE_CALIBRATION_H
#define WEIR_LIB_QUANTIZE_CALIBRATION_H

#include "lib/Quantize/SampleRun.h"

namespace weir {

/// Runs `graph` over the samples and notes the range of each of `values`, which
/// are of f32, as rule P1 of docs/spec/quantization.md has it with
/// `percentile`. False after an error, be it that a value is not finite
/// [WEIR0262].
bool calibrate(GraphOp graph, llvm::ArrayRef<mlir::Value> values,
               Samples &samples, double percentile, Messages &messages);

} // namespace weir

#endif // WEIR_LIB_QUANTIZE_CALIBRATION_H

//===- Passes.td - Passes of quantization -*- tablegen -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_PASSES_QUANTIZE_PASSES_TD
#define WEIR_PASSES_QUANTIZE_PASSES_TD

include "mlir/Pass/PassBase.td"

def QuantizePostTraining : Pass<"weir-quantize-post-training", "::mlir::ModuleOp"> {
  let summary = "Do products with constant weights on int8";
  let description = [{
    A `weir.matmul` or `weir.conv2d` of f32 with constant weights, the addition
    of a constant bias and the ReLU behind it become one node on int8. What only
    moves elements between such nodes, and max pools, are done on int8 as well;
    `weir.quantize` and `weir.dequantize` stand where such a chain begins and
    ends. The rules are those of docs/spec/quantization.md.

    The range of values comes from the attribute `rt.range` of nodes and feeds,
    [low, high], which calibration writes; it goes with the pass. Graphs with
    branches, loops or `weir.gradients` are left alone.
  }];
}

#endif // WEIR_PASSES_QUANTIZE_PASSES_TD

//===- Passes.td - What expands gradients -*- tablegen -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_PASSES_AUTODIFF_PASSES_TD
#define WEIR_PASSES_AUTODIFF_PASSES_TD

include "mlir/Pass/PassBase.td"

def ExpandGradients : Pass<"weir-autodiff-expand-gradients", "::weir::GraphOp"> {
  let summary = "Expand weir.gradients into backward nodes";
  let description = [{
    Reverse accumulation over the nodes that lie between what a gradient is
    taken of and what it is taken with respect to; each is asked for its
    gradient through `GradientInterface`. Requests whose inputs are themselves
    gradients come after those. docs/spec/gradients.md has the rules.
  }];
}

def VerifyAutodiff : Pass<"weir-autodiff-verify", "::weir::GraphOp"> {
  let summary = "Check that no weir.gradients is left";
}

#endif // WEIR_PASSES_AUTODIFF_PASSES_TD

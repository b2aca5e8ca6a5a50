//===- Gradients.h - Gradients that are more than a row ---------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An op's def has its gradient as a row of one expression. Where that takes
// more (scatters, products, gradients of gradients of images), the gradient is
// a function in Gradients.cpp, which the dialect attaches to the op.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_DIALECTS_WEIR_GRADIENTS_H
#define WEIR_DIALECTS_WEIR_GRADIENTS_H

namespace mlir {
class MLIRContext;
} // namespace mlir

namespace weir {

/// Gives the ops their GradientInterface. The dialect's ops have to be
/// registered, and none of these may declare one in its def.
void attachGradients(mlir::MLIRContext &context);

} // namespace weir

#endif // WEIR_DIALECTS_WEIR_GRADIENTS_H

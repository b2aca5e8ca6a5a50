//===- Register.h - All dialects and passes of Weir -*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_PIPELINE_REGISTER_H
#define WEIR_LIB_PIPELINE_REGISTER_H

namespace mlir {
class DialectRegistry;
}

namespace weir {

/// Weir's dialects, the upstream ones, and the interfaces they need on the way
/// to native code.
void registerAllDialects(mlir::DialectRegistry &registry);

/// Weir's passes and the upstream ones, by their flags. Call it once.
void registerAllPasses();

} // namespace weir

#endif // WEIR_LIB_PIPELINE_REGISTER_H

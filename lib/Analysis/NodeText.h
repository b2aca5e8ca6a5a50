//===- NodeText.h - A node in messages at run time ------------ -*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_ANALYSIS_NODETEXT_H
#define WEIR_LIB_ANALYSIS_NODETEXT_H

#include "mlir/IR/Operation.h"

#include <string>

namespace weir {

/// "'name' at file:line": the user's name of a node, that of a group's kernel.
std::string nodeText(mlir::Operation *op);

} // namespace weir

#endif // WEIR_LIB_ANALYSIS_NODETEXT_H

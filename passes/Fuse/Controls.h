//===- Controls.h - Where a pure node's wait goes -------------------*- C++ -*-
//===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_PASSES_FUSE_CONTROLS_H
#define WEIR_PASSES_FUSE_CONTROLS_H

#include "dialects/Weir/Weir.h"

namespace weir {

/// Moves the control operands of a pure node to `weir.identity` nodes on its
/// data operands, or on its results where it has none but constants. The node
/// itself has no control operands afterwards, and what reads it still waits.
///
/// Of a node in a loop, constants wait too: it is in the loop through what it
/// waits for. One without operands is left as it is.
void hoistControls(NodeInterface node, bool isInLoop);

} // namespace weir

#endif // WEIR_PASSES_FUSE_CONTROLS_H

//===- TableCheck.h - Is this table of nodes in order? ----------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_EXECUTOR_TABLECHECK_H
#define WEIR_RUNTIME_EXECUTOR_TABLECHECK_H

#include "runtime/base/Status.h"
#include "runtime/core/Tensor.h"
#include "weir-c/dataflow.h"

namespace weir::rt {

/// Checks that every index and count of the entry's table is in range, that the
/// frames are a tree, that a node's inputs are of its frame, that each kind of
/// node has what belongs to it, and that nothing but the root frame begins by
/// itself. WEIR_INTERNAL names the node and what is wrong.
Status checkTable(const WeirEntryDesc &entry);

/// A tensor of its own with the elements of `view`, which is in order.
Status copyTensor(const WeirView &view, TensorRef &result);

} // namespace weir::rt

#endif // WEIR_RUNTIME_EXECUTOR_TABLECHECK_H

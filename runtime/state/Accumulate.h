//===- Accumulate.h - Sums of tensors, in place -----------------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The arithmetic of what gathers values at run time. Floats are rounded to the
// element type after each operation, integers wrap. No state.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_STATE_ACCUMULATE_H
#define WEIR_RUNTIME_STATE_ACCUMULATE_H

#include "weir-c/types.h"

namespace weir::rt {

/// Can elements of the type be added?
bool isAddable(int32_t dtype);

/// Adds to the elements of `sum`, of a type that can be added, those at `from`.
void addElements(const WeirView &sum, const void *from);

/// Divides the elements of `sum`, which are floats, by a count rounded to the
/// element type.
void divideElements(const WeirView &sum, int64_t count);

} // namespace weir::rt

#endif // WEIR_RUNTIME_STATE_ACCUMULATE_H

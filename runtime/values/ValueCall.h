//===- ValueCall.h - Nodes that are functions of their inputs ---*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the executor's nodes of values whose extents depend on elements, of
// strings and of lists do. The interpreter calls the same functions: TensorFlow
// and NumPy judge them. docs/spec/values.md has the rules.
//
// A function reads its inputs, which nobody changes, and sets its outputs; it
// never waits. The caller checks that outputs have the types that the node
// declares. Functions may be called from any thread.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_VALUES_VALUECALL_H
#define WEIR_RUNTIME_VALUES_VALUECALL_H

#include "runtime/base/Status.h"
#include "runtime/core/Tensor.h"
#include "weir-c/dataflow.h"

#include <string_view>
#include <vector>

namespace weir::rt {

struct ValueCall {
  const WeirNodeDesc &node;
  /// node.input_count tensors.
  const TensorRef *inputs;
  /// node.output_count places to fill in.
  TensorRef *outputs;

  int64_t number(int32_t i, int64_t absent) const {
    return i < node.number_count ? node.numbers[i] : absent;
  }
};

using ValueFunction = Status (*)(ValueCall &call);

// Each is named as its node (include/weir-c/dataflow.h).
Status topK(ValueCall &call);
Status dynamicPartition(ValueCall &call);
Status unique(ValueCall &call);
Status listDifference(ValueCall &call);
Status nonzero(ValueCall &call);
Status selectN(ValueCall &call);
Status takeStrings(ValueCall &call);
Status compareStrings(ValueCall &call);
Status tensorList(ValueCall &call);
Status tensorListPush(ValueCall &call);
Status tensorListPop(ValueCall &call);
Status tensorListGet(ValueCall &call);
Status tensorListSet(ValueCall &call);
Status tensorListStack(ValueCall &call);
Status tensorListGather(ValueCall &call);
Status tensorListFromTensor(ValueCall &call);
Status tensorListScatter(ValueCall &call);
Status tensorListConcat(ValueCall &call);
Status tensorListSplit(ValueCall &call);
Status tensorListSize(ValueCall &call);
Status tensorListResize(ValueCall &call);
Status tensorListElementShape(ValueCall &call);
Status tensorListAdd(ValueCall &call);
Status tensorListZeros(ValueCall &call);
Status optionalFromValues(ValueCall &call);
Status optionalNone(ValueCall &call);
Status optionalHasValues(ValueCall &call);
Status optionalGetValues(ValueCall &call);

// ---- What they share.

/// The number of elements of a tensor.
int64_t elementsOf(const WeirView &view);

/// Input `i`, a scalar of i32 or i64, called `what` in messages.
/// INVALID_ARGUMENT [WEIR0339] for anything else.
Status scalarInput(const ValueCall &call, int32_t i, const char *what,
                   int64_t &value);

/// The elements of a tensor of i32 or i64. INVALID_ARGUMENT [WEIR0339] for
/// another.
Status integersOf(const WeirView &view, const char *what,
                  std::vector<int64_t> &values);

/// A tensor of i32 or i64, as `dtype` says, with such elements.
Status makeIntegers(int32_t dtype, const std::vector<int64_t> &values,
                    int32_t rank, const int64_t *dims, TensorRef &result);
inline Status makeVector(int32_t dtype, const std::vector<int64_t> &values,
                         TensorRef &result) {
  int64_t count = static_cast<int64_t>(values.size());
  return makeIntegers(dtype, values, 1, &count, result);
}

/// A tensor of the extents given, whose slices of `size` elements are those of
/// `from` (seen as such slices, one after the other) at `places`, all of which
/// are there.
Status takeSlices(const WeirView &from, int64_t size,
                  const std::vector<int64_t> &places,
                  const std::vector<int64_t> &dims, TensorRef &result);

/// A tensor of zeros; of empty strings.
Status makeZeros(int32_t dtype, const std::vector<int64_t> &dims,
                 TensorRef &result);

} // namespace weir::rt

#endif // WEIR_RUNTIME_VALUES_VALUECALL_H

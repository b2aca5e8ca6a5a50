//===- TensorList.h - Lists of tensors, optional values ---------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What gradients of functional control flow keep intermediate values in. A list
// is a value: what changes one gives another, and nobody sees a change. Lists
// that come from each other by pushes and pops share their elements, so that
// both take constant time. docs/spec/values.md has the rules.
//
// All functions may be called from any thread.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_STATE_TENSORLIST_H
#define WEIR_RUNTIME_STATE_TENSORLIST_H

#include "runtime/state/TensorArray.h"

namespace weir::rt {

class TensorList final : public Resource {
public:
  /// Of elements of `dtype` (WEIR_RESOURCE: lists and other handles), of which
  /// `shape` is known. A null element is not set.
  TensorList(int32_t dtype, PartialShape shape,
             std::vector<TensorRef> elements);

  std::string describe() const override { return "tensor list"; }

  const int32_t dtype;
  const PartialShape shape;
  int64_t size() const { return count; }

  /// Element `index`, which is one; null where it is not set.
  TensorRef get(int64_t index) const;
  /// All of them.
  std::vector<TensorRef> elements() const;

  /// The list with an element more, or without the last, which it has.
  std::shared_ptr<TensorList> push(TensorRef element) const;
  std::shared_ptr<TensorList> pop() const;

private:
  /// Shared by lists of which each has the first `count` of the elements.
  struct Storage {
    std::mutex mutex;
    std::vector<TensorRef> elements;
  };
  TensorList(const TensorList &list, std::shared_ptr<Storage> storage,
             int64_t count)
      : dtype(list.dtype), shape(list.shape), storage(std::move(storage)),
        count(count) {}

  const std::shared_ptr<Storage> storage;
  const int64_t count;
};

class Optional final : public Resource {
public:
  Optional() = default;
  explicit Optional(std::vector<TensorRef> values)
      : hasValues(true), values(std::move(values)) {}

  std::string describe() const override { return "optional"; }

  const bool hasValues = false;
  const std::vector<TensorRef> values;
};

} // namespace weir::rt

#endif // WEIR_RUNTIME_STATE_TENSORLIST_H

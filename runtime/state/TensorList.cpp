//===- TensorList.cpp - Lists of tensors, optional values -----------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/state/TensorList.h"

using namespace weir::rt;

TensorList::TensorList(int32_t dtype, PartialShape shape,
                       std::vector<TensorRef> elements)
    : dtype(dtype), shape(std::move(shape)),
      storage(std::make_shared<Storage>()),
      count(static_cast<int64_t>(elements.size())) {
  storage->elements = std::move(elements);
}

TensorRef TensorList::get(int64_t index) const {
  std::lock_guard<std::mutex> lock(storage->mutex);
  return storage->elements[static_cast<size_t>(index)];
}

std::vector<TensorRef> TensorList::elements() const {
  std::lock_guard<std::mutex> lock(storage->mutex);
  return {storage->elements.begin(), storage->elements.begin() + count};
}

std::shared_ptr<TensorList> TensorList::push(TensorRef element) const {
  {
    std::lock_guard<std::mutex> lock(storage->mutex);
    // Nobody else has gone on from here.
    if (static_cast<int64_t>(storage->elements.size()) == count) {
      storage->elements.push_back(std::move(element));
      return std::shared_ptr<TensorList>(
          new TensorList(*this, storage, count + 1));
    }
  }
  std::vector<TensorRef> copy = elements();
  copy.push_back(std::move(element));
  return std::make_shared<TensorList>(dtype, shape, std::move(copy));
}

std::shared_ptr<TensorList> TensorList::pop() const {
  return std::shared_ptr<TensorList>(new TensorList(*this, storage, count - 1));
}

//===- Tensor.h - Reference-counted tensors ---------------------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A WeirTensor, its extents and (when it owns them) its elements lie in one
// block of the pool, so making one is one allocation. The elements of a tensor
// on a device with its own memory lie there, and go back to it with the last
// reference. The count may be changed from any thread; the elements are not
// guarded.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_CORE_TENSOR_H
#define WEIR_RUNTIME_CORE_TENSOR_H

#include "runtime/base/Status.h"
#include "runtime/core/Allocator.h"
#include "weir-c/session.h"

#include <atomic>
#include <new>

namespace weir::rt {
class Device;
} // namespace weir::rt

/// The tensor of the C interface.
struct WeirTensor {
  std::atomic<int32_t> references;
  int32_t rank;
  int32_t dtype;
  void *data;
  /// For adopted data: gives it back. Null when the block holds the elements.
  void (*release)(void *data, void *arg);
  void *arg;
  /// For WEIR_STRING: the bytes that the elements point into, or null.
  void *text;
  /// Whose memory the elements are; null for the host's.
  weir::rt::Device *device;

  int64_t *dims() { return reinterpret_cast<int64_t *>(this + 1); }
  const int64_t *dims() const {
    return reinterpret_cast<const int64_t *>(this + 1);
  }
};

namespace weir::rt {

/// Owns one reference.
class TensorRef {
public:
  TensorRef() = default;
  /// Takes over the caller's reference.
  explicit TensorRef(WeirTensor *tensor) : tensor(tensor) {}
  TensorRef(TensorRef &&other) noexcept : tensor(other.take()) {}
  TensorRef(const TensorRef &other) : tensor(other.tensor) {
    if (tensor)
      weir_tensor_retain(tensor);
  }
  TensorRef &operator=(TensorRef other) noexcept {
    std::swap(tensor, other.tensor);
    return *this;
  }
  ~TensorRef() {
    if (tensor)
      weir_tensor_release(tensor);
  }

  explicit operator bool() const { return tensor; }
  WeirTensor *get() const { return tensor; }
  WeirTensor *take() { return std::exchange(tensor, nullptr); }
  WeirView view() const { return weir_tensor_view(tensor); }

private:
  WeirTensor *tensor = nullptr;
};

/// A tensor of uninitialized elements (empty strings for WEIR_STRING).
Status createTensor(int32_t dtype, int32_t rank, const int64_t *dims,
                    TensorRef &result);

/// A string tensor with copies of the elements of `strings`, in order.
Status createStringTensor(int32_t rank, const int64_t *dims,
                          const WeirString *strings, TensorRef &result);

/// As createTensor for arguments already known to be sane: null means that the
/// memory is not there. The fast path of weir_rt_output.
WeirTensor *allocateTensor(int32_t dtype, int32_t rank, const int64_t *dims,
                           int64_t bytes);

/// A scalar of up to 16 bytes in a block of kScalarClass.
inline WeirTensor *makeScalarIn(Block *block, int32_t dtype) {
  WeirTensor *tensor = new (block->payload()) WeirTensor;
  tensor->references.store(1, std::memory_order_relaxed);
  tensor->rank = 0;
  tensor->dtype = dtype;
  tensor->data = reinterpret_cast<char *>(tensor) + 64;
  tensor->release = nullptr;
  tensor->arg = nullptr;
  tensor->text = nullptr;
  tensor->device = nullptr;
  return tensor;
}

/// A tensor in the memory of `device` (null: the host's). INVALID_ARGUMENT for
/// strings and handles on a device with its own memory.
Status createTensorOn(Device *device, int32_t dtype, int32_t rank,
                      const int64_t *dims, TensorRef &result);

/// A tensor of its own in the memory of `to` with the elements of `tensor`,
/// wherever they are.
Status copyTensorTo(Device *to, const WeirTensor &tensor, TensorRef &result);

/// Checks rank, dtype, extents and the data pointer of a view that a caller
/// made. `what` starts the message.
Status checkView(const WeirView &view, const char *what);

/// The bytes of the elements of a view that checkView accepts.
int64_t viewBytes(const WeirView &view);

} // namespace weir::rt

#endif // WEIR_RUNTIME_CORE_TENSOR_H

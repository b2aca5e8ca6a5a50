//===- HandleCache.h - A handle that is made once ---------------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Steps ask for the same handle again and again; a session keeps it. All
// functions may be called from any thread.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_STATE_HANDLECACHE_H
#define WEIR_RUNTIME_STATE_HANDLECACHE_H

#include "runtime/core/Tensor.h"

#include <atomic>

namespace weir::rt {

class HandleCache {
public:
  HandleCache() = default;
  HandleCache(const HandleCache &) = delete;
  HandleCache &operator=(const HandleCache &) = delete;
  ~HandleCache() {
    if (WeirTensor *tensor = handle.load(std::memory_order_acquire))
      weir_tensor_release(tensor);
  }

  /// The handle, or null when none is kept yet.
  TensorRef get() const {
    WeirTensor *tensor = handle.load(std::memory_order_acquire);
    if (tensor)
      weir_tensor_retain(tensor);
    return TensorRef(tensor);
  }

  /// Keeps `made` unless another thread was first; the handle that is kept.
  TensorRef keep(TensorRef made) {
    WeirTensor *none = nullptr;
    if (handle.compare_exchange_strong(none, made.get(),
                                       std::memory_order_acq_rel))
      made.take();
    return get();
  }

private:
  std::atomic<WeirTensor *> handle{nullptr};
};

} // namespace weir::rt

#endif // WEIR_RUNTIME_STATE_HANDLECACHE_H

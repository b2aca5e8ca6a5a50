//===- Stack.h - Tensors, last in first out ---------------------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a loop's gradient keeps its intermediate values in. A stack belongs to a
// step; it lives as long as a handle of it. docs/spec/resources.md has the
// rules.
//
// All functions may be called from any thread.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_STATE_STACK_H
#define WEIR_RUNTIME_STATE_STACK_H

#include "runtime/state/Resource.h"

#include <mutex>
#include <string>
#include <vector>

namespace weir::rt {

class Stack final : public Resource {
public:
  /// A stack of at most `limit` tensors (any number for a negative limit) of
  /// elements of `dtype`. `node` stands for it in messages.
  Stack(std::string node, int32_t dtype, int64_t limit)
      : node(std::move(node)), dtype(dtype), limit(limit) {}

  std::string describe() const override;

  /// INVALID_ARGUMENT: [WEIR0354] for another element type, [WEIR0352] when it
  /// is full, [WEIR0353] when it is closed.
  Status push(const TensorRef &value);
  /// INVALID_ARGUMENT: [WEIR0351] when it is empty, [WEIR0353] when it is
  /// closed.
  Status pop(TensorRef &value);
  /// Drops what is in it; push and pop fail from now on. May be repeated.
  void close();

private:
  Status checkOpen() const;

  const std::string node;
  const int32_t dtype;
  const int64_t limit;
  mutable std::mutex mutex;
  bool closed = false;
  std::vector<TensorRef> values;
};

} // namespace weir::rt

#endif // WEIR_RUNTIME_STATE_STACK_H

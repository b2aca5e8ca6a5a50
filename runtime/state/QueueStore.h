//===- QueueStore.h - The elements of a queue, by kind ----------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where a queue keeps its elements: the one part in which the kinds differ.
// Not guarded: the queue's lock is held around every call.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_STATE_QUEUESTORE_H
#define WEIR_RUNTIME_STATE_QUEUESTORE_H

#include "runtime/state/QueueSpec.h"

#include <memory>

namespace weir::rt {

/// An element, and its place in the order of arrival.
struct QueueItem {
  QueueTuple tuple;
  uint64_t arrival = 0;
};

class QueueStore {
public:
  virtual ~QueueStore() = default;

  virtual int64_t size() const = 0;
  /// Takes in a new element.
  virtual void push(QueueItem &&item) = 0;
  /// Hands out the next element; size() is not 0.
  virtual QueueItem pop() = 0;
  /// Takes back what pop() handed out last and was not taken back yet, so that
  /// it is the next again (random-shuffle: among those that may be next).
  virtual void putBack(QueueItem item) = 0;

  /// FIFO and padding FIFO: order of arrival. Random-shuffle: as TensorFlow
  /// does for the same seeds; see docs/spec/queues.md. Priority: the smallest
  /// first component first, order of arrival among equals.
  static std::unique_ptr<QueueStore> create(const QueueSpec &spec);
};

} // namespace weir::rt

#endif // WEIR_RUNTIME_STATE_QUEUESTORE_H

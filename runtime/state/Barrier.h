//===- Barrier.h - Elements put together by key -----------------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A barrier collects the components of elements that arrive at different times
// under a key; an element of which all components are there can be taken, in
// the order in which the keys came. Rules as for queues (runtime/state/Queue.h
// and docs/spec/queues.md); inserting never waits.
//
// All functions may be called from any thread.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_STATE_BARRIER_H
#define WEIR_RUNTIME_STATE_BARRIER_H

#include "runtime/state/Queue.h"

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace weir::rt {

class Barrier final : public Resource {
public:
  /// A barrier for elements of `components`; WEIR0346 for those that cannot be.
  static Status create(std::string name, std::vector<QueueComponent> components,
                       std::shared_ptr<Barrier> &result);
  Barrier(const Barrier &) = delete;
  Barrier &operator=(const Barrier &) = delete;

  /// Gives component `component` of the elements of `keys` (a vector of
  /// strings) the values of a batch, one for each key. All or nothing:
  /// INVALID_ARGUMENT [WEIR0350] when that does not fit or a key has this
  /// component already, CANCELLED [WEIR0340] when the barrier is closed and
  /// does not take them any more.
  Status insertMany(const TensorRef &keys, int32_t component,
                    const TensorRef &values);

  /// Takes `count` complete elements as one batch, those whose keys came first
  /// before others. The result: the order numbers of the keys (i64, from -2^63
  /// on, the same for keys that were new in one insert), the keys, and the
  /// components. Waits as Queue::dequeueMany does. From a closed barrier:
  /// OUT_OF_RANGE [WEIR0341] when too few can ever be complete; with
  /// `allowSmall` what is complete now, at least one.
  /// With `waitForIncomplete` too, it waits for those that are incomplete.
  void takeMany(int64_t count, bool allowSmall, QueueDone done,
                CancellationToken *token = nullptr,
                bool waitForIncomplete = false);

  /// No new keys any more; those that are incomplete may still be completed.
  /// With `cancelPending` they are dropped. CANCELLED [WEIR0340] the second
  /// time, unless only the second has `cancelPending`.
  Status close(bool cancelPending);

  /// The complete elements that nobody has taken.
  int64_t readySize() const { return ready->size(); }
  /// The keys that lack a component.
  int64_t incompleteSize() const;

  std::string describe() const override;
  void abandon() override { ready->abandon(); }
  /// The components of an element.
  size_t componentCount() const { return ready->spec().components.size() - 2; }

private:
  /// An element: order number, key and components, of which some are missing.
  struct Element {
    QueueTuple tuple;
    size_t missing;
  };

  explicit Barrier(std::shared_ptr<Queue> ready) : ready(std::move(ready)) {}

  const std::string &name() const { return ready->spec().name; }
  /// With the lock held.
  Status checkKeys(const std::vector<std::string> &keys,
                   int32_t component) const;
  /// Closes the queue when nothing can come any more; without the lock.
  void closeIfDone();

  /// The complete elements: a priority queue.
  const std::shared_ptr<Queue> ready;
  mutable std::mutex mutex;
  std::unordered_map<std::string, Element> incomplete;
  int64_t nextNumber = INT64_MIN;
  /// Inserts that are about to enqueue what they have completed.
  int64_t entering = 0;
  bool closed = false, cancelled = false, queueClosed = false;
};

} // namespace weir::rt

#endif // WEIR_RUNTIME_STATE_BARRIER_H

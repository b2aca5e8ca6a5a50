//===- QueueSpec.h - What a queue is declared to be -------------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The declaration of a queue, its checks, and the element that it holds.
// Declarations and checks have no state; a QueueTuple belongs to one thread.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_STATE_QUEUESPEC_H
#define WEIR_RUNTIME_STATE_QUEUESPEC_H

#include "runtime/base/Status.h"
#include "runtime/core/Tensor.h"
#include "weir-c/program.h"

#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace weir::rt {

/// An element of a queue (or the batch made of several): one tensor for each
/// component. Up to three lie in the tuple itself.
class QueueTuple {
public:
  QueueTuple() = default;
  explicit QueueTuple(int32_t size)
      : count(size),
        more(size > kInline ? new TensorRef[size - kInline] : nullptr) {}
  QueueTuple(std::initializer_list<TensorRef> parts);
  QueueTuple(QueueTuple &&other) noexcept
      : count(std::exchange(other.count, 0)),
        few{std::move(other.few[0]), std::move(other.few[1]),
            std::move(other.few[2])},
        more(std::move(other.more)) {}
  QueueTuple &operator=(QueueTuple &&other) noexcept {
    count = std::exchange(other.count, 0);
    for (int i = 0; i < kInline; ++i)
      few[i] = std::move(other.few[i]);
    more = std::move(other.more);
    return *this;
  }

  int32_t size() const { return count; }
  bool empty() const { return count == 0; }
  TensorRef &operator[](int32_t i) {
    return i < kInline ? few[i] : more[i - kInline];
  }
  const TensorRef &operator[](int32_t i) const {
    return i < kInline ? few[i] : more[i - kInline];
  }

private:
  static constexpr int kInline = 3;
  int32_t count = 0;
  TensorRef few[kInline];
  std::unique_ptr<TensorRef[]> more;
};

enum class QueueKind : uint8_t { Fifo, RandomShuffle, PaddingFifo, Priority };

/// "FIFO queue", "random-shuffle queue", …
const char *queueKindName(QueueKind kind);

struct QueueComponent {
  WeirDType dtype;
  /// False: elements of any rank and shape.
  bool hasShape = false;
  /// Extents; -1 is one that may differ from element to element.
  std::vector<int64_t> dims;

  /// True when every extent is known.
  bool isStatic() const;
};

/// The component that a descriptor declares; rank -1 is no shape.
QueueComponent queueComponentOf(const WeirTensorDesc &desc);

struct QueueSpec {
  std::string name;
  QueueKind kind = QueueKind::Fifo;
  std::vector<QueueComponent> components;
  /// The most elements it holds; -1 is no bound.
  int64_t capacity = -1;
  /// Random-shuffle only: the elements that stay while the queue is open.
  int64_t minAfterDequeue = 0;
  /// Random-shuffle only: both 0 means another order in each run.
  uint64_t seed = 0, seed2 = 0;
};

/// Is this a queue that can be? WEIR_INVALID_ARGUMENT [WEIR0346] otherwise.
Status checkQueueSpec(const QueueSpec &spec);

/// Does a second declaration mean the queue that exists? INVALID_ARGUMENT
/// [WEIR0347] states the first property that differs, with both values. Seeds
/// that are both 0 agree with all seeds.
Status checkSameQueue(const QueueSpec &existing, const QueueSpec &wanted);

/// Is `tuple` an element of the queue? INVALID_ARGUMENT [WEIR0344] otherwise.
Status checkQueueElement(const QueueSpec &spec, const QueueTuple &tuple);

/// Is `tuple` a batch of elements of the queue, one behind the other in
/// dimension 0? Sets their number; INVALID_ARGUMENT [WEIR0344] otherwise.
Status checkQueueBatch(const QueueSpec &spec, const QueueTuple &tuple,
                       int64_t &count);

/// Can `count` elements of the queue be made one batch? INVALID_ARGUMENT
/// [WEIR0345] otherwise.
Status checkBatchRequest(const QueueSpec &spec, int64_t count);

} // namespace weir::rt

#endif // WEIR_RUNTIME_STATE_QUEUESPEC_H

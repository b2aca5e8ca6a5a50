//===- QueueTestUtil.h - What tests of queues share -------------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makers of tensors and queues, and a recorder of how an operation ended.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_TEST_UNIT_RUNTIME_STATE_QUEUETESTUTIL_H
#define WEIR_TEST_UNIT_RUNTIME_STATE_QUEUETESTUTIL_H

#include "runtime/state/Queue.h"

#include <cstring>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace weir::rt::test {

inline TensorRef ints(const std::vector<int64_t> &dims,
                      const std::vector<int64_t> &values) {
  TensorRef tensor;
  EXPECT_TRUE(createTensor(WEIR_I64, static_cast<int32_t>(dims.size()),
                           dims.data(), tensor)
                  .ok());
  if (!values.empty())
    std::memcpy(tensor.get()->data, values.data(),
                values.size() * sizeof(int64_t));
  return tensor;
}

inline TensorRef scalar(int64_t value) { return ints({}, {value}); }

inline TensorRef vector(const std::vector<int64_t> &values) {
  return ints({static_cast<int64_t>(values.size())}, values);
}

inline TensorRef strings(const std::vector<int64_t> &dims,
                         const std::vector<std::string> &values) {
  std::vector<WeirString> parts;
  for (const std::string &value : values)
    parts.push_back({value.data(), static_cast<int64_t>(value.size())});
  TensorRef tensor;
  EXPECT_TRUE(createStringTensor(static_cast<int32_t>(dims.size()), dims.data(),
                                 parts.data(), tensor)
                  .ok());
  return tensor;
}

inline std::vector<int64_t> valuesOf(const TensorRef &tensor) {
  WeirView view = tensor.view();
  EXPECT_EQ(view.dtype, WEIR_I64);
  const int64_t *data = static_cast<const int64_t *>(view.data);
  return std::vector<int64_t>(data, data + viewBytes(view) / 8);
}

inline std::vector<int64_t> dimsOf(const TensorRef &tensor) {
  WeirView view = tensor.view();
  return std::vector<int64_t>(view.dims, view.dims + view.rank);
}

inline std::vector<std::string> textsOf(const TensorRef &tensor) {
  WeirView view = tensor.view();
  EXPECT_EQ(view.dtype, WEIR_STRING);
  const WeirString *data = static_cast<const WeirString *>(view.data);
  std::vector<std::string> texts;
  for (int64_t i = 0; i < viewBytes(view) / 16; ++i)
    texts.emplace_back(data[i].data ? data[i].data : "",
                       static_cast<size_t>(data[i].size));
  return texts;
}

/// Records how one operation ended; outlives it.
class Outcome {
public:
  QueueDone done() {
    return [this](Status newStatus, QueueTuple newTuple) {
      ++calls;
      status = std::move(newStatus);
      tuple = std::move(newTuple);
    };
  }
  bool waits() const { return calls == 0; }
  bool ok() const { return calls == 1 && status.ok(); }
  /// The message, after a check of how it ended.
  std::string error(WeirCode code) const {
    EXPECT_EQ(calls, 1);
    EXPECT_EQ(status.code(), code) << status.message();
    EXPECT_TRUE(tuple.empty());
    return status.message();
  }
  std::vector<int64_t> values(int32_t component = 0) const {
    EXPECT_TRUE(ok()) << calls << " " << status.message();
    return tuple.size() > component ? valuesOf(tuple[component])
                                    : std::vector<int64_t>();
  }

  int calls = 0;
  Status status;
  QueueTuple tuple;
};

using Values = std::vector<int64_t>;

inline QueueSpec scalarQueue(int64_t capacity,
                             QueueKind kind = QueueKind::Fifo) {
  QueueSpec spec;
  spec.name = "q";
  spec.kind = kind;
  spec.capacity = capacity;
  spec.components = {{WEIR_I64, true, {}}};
  return spec;
}

inline std::shared_ptr<Queue> makeQueue(QueueSpec spec) {
  std::shared_ptr<Queue> queue;
  Status status = Queue::create(std::move(spec), queue);
  EXPECT_TRUE(status.ok()) << status.message();
  return queue;
}

/// Enqueues scalars; there is room for them.
inline void fill(Queue &queue, const Values &values) {
  for (int64_t value : values) {
    Outcome outcome;
    queue.enqueue({scalar(value)}, outcome.done());
    ASSERT_TRUE(outcome.ok());
  }
}

/// Dequeues one scalar that is there.
inline int64_t take(Queue &queue) {
  Outcome outcome;
  queue.dequeue(outcome.done());
  Values values = outcome.values();
  return values.empty() ? -1 : values[0];
}

} // namespace weir::rt::test

#endif // WEIR_TEST_UNIT_RUNTIME_STATE_QUEUETESTUTIL_H

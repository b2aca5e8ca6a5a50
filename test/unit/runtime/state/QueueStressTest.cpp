//===- QueueStressTest.cpp - Queues under many threads --------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/state/QueueWaiter.h"
#include "test/unit/runtime/state/QueueTestUtil.h"

#include <algorithm>
#include <random>
#include <thread>

using namespace weir::rt;
using namespace weir::rt::test;

namespace {

/// Who has seen which element how often.
class Ledger {
public:
  explicit Ledger(size_t elements) : seen(elements) {}
  void add(const TensorRef &values) {
    WeirView view = values.view();
    const int64_t *data = static_cast<const int64_t *>(view.data);
    for (int64_t i = 0; i < viewBytes(view) / 8; ++i)
      seen[static_cast<size_t>(data[i])].fetch_add(1);
  }
  /// How many elements were not seen exactly once.
  int64_t wrong() const {
    return std::count_if(seen.begin(), seen.end(),
                         [](const auto &n) { return n != 1; });
  }
  int seenTimes(size_t element) const { return seen[element]; }

private:
  std::vector<std::atomic<int>> seen;
};

} // namespace

class QueueStress : public testing::TestWithParam<QueueKind> {};

INSTANTIATE_TEST_SUITE_P(Kinds, QueueStress,
                         testing::Values(QueueKind::Fifo,
                                         QueueKind::RandomShuffle,
                                         QueueKind::PaddingFifo,
                                         QueueKind::Priority));

// 4 producers and 4 consumers, 1,000,000 operations: nothing lost or doubled.
TEST_P(QueueStress, MillionOperations) {
  constexpr int64_t kEach = 125000, kThreads = 4;
  auto queue = makeQueue(scalarQueue(64, GetParam()));
  Ledger ledger(kEach * kThreads);
  std::atomic<int64_t> failures{0};
  std::vector<std::thread> threads;
  for (int64_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int64_t i = 0; i < kEach; ++i) {
        QueueWaiter waiter;
        QueueTuple none;
        queue->enqueue({scalar(t * kEach + i)}, waiter.done());
        if (!waiter.wait(none).ok())
          ++failures;
      }
    });
    threads.emplace_back([&] {
      for (int64_t i = 0; i < kEach; ++i) {
        QueueWaiter waiter;
        QueueTuple tuple;
        queue->dequeue(waiter.done());
        if (waiter.wait(tuple).ok())
          ledger.add(tuple[0]);
        else
          ++failures;
      }
    });
  }
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(queue->size(), 0);
  EXPECT_EQ(ledger.wrong(), 0);
}

// Operations of all sorts, many of them cancelled or late at any moment; then
// the queue closes and the rest is drained. An element whose enqueue succeeded
// is seen once; one whose enqueue failed, never; of a batch that was cut short
// the first ones, as many as the message says.
TEST_P(QueueStress, RandomCancelling) {
  constexpr int64_t kEach = 3000, kThreads = 4, kBatch = 5;
  for (uint32_t seed = 1; seed <= 3; ++seed) {
    auto queue = makeQueue(scalarQueue(8, GetParam()));
    Ledger ledger(kEach * kThreads * kBatch);
    std::vector<std::atomic<bool>> entered(kEach * kThreads * kBatch);
    std::atomic<int64_t> strange{0};
    std::atomic<int> producing{kThreads};
    std::vector<std::thread> threads;
    auto time = [](std::mt19937 &random) {
      return std::chrono::microseconds(random() % 60);
    };
    for (int64_t t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        std::mt19937 random(seed * 100 + static_cast<uint32_t>(t));
        for (int64_t i = 0; i < kEach; ++i) {
          int64_t base = (t * kEach + i) * kBatch;
          int64_t count = random() % 2 ? 1 : kBatch, in = count;
          Values values;
          for (int64_t k = 0; k < count; ++k)
            values.push_back(base + k);
          QueueWaiter waiter;
          QueueTuple none;
          if (count == 1)
            queue->enqueue({scalar(base)}, waiter.done(), waiter.token());
          else
            queue->enqueueMany({vector(values)}, waiter.done(), waiter.token());
          Status status = waiter.wait(time(random), none);
          if (!status.ok()) {
            std::string message = status.message();
            size_t of = message.find(" of 5 elements were");
            in = of == std::string::npos ? 0 : message[of - 1] - '0';
            if (status.code() != WEIR_DEADLINE_EXCEEDED)
              ++strange;
          }
          for (int64_t k = 0; k < in; ++k)
            entered[static_cast<size_t>(base + k)] = true;
        }
        if (--producing == 0)
          queue->close(false, [](Status, QueueTuple) {});
      });
      threads.emplace_back([&, t] {
        std::mt19937 random(seed * 100 + 50 + static_cast<uint32_t>(t));
        for (;;) {
          QueueWaiter waiter;
          QueueTuple tuple;
          uint32_t choice = random() % 3;
          if (choice == 0)
            queue->dequeue(waiter.done(), waiter.token());
          else if (choice == 1)
            queue->dequeueMany(4, waiter.done(), waiter.token());
          else
            queue->dequeueUpTo(6, waiter.done(), waiter.token());
          Status status = waiter.wait(time(random), tuple);
          if (status.ok())
            ledger.add(tuple[0]);
          else if (status.code() == WEIR_OUT_OF_RANGE) {
            if (queue->size() == 0)
              return;
          } else if (status.code() != WEIR_DEADLINE_EXCEEDED)
            ++strange;
        }
      });
    }
    for (std::thread &thread : threads)
      thread.join();
    EXPECT_EQ(strange, 0);
    EXPECT_TRUE(queue->isClosed());
    // A dequeueMany that failed last may have given elements back.
    while (queue->size() > 0) {
      Outcome out;
      queue->dequeue(out.done());
      ASSERT_TRUE(out.ok());
      ledger.add(out.tuple[0]);
    }
    int64_t wrong = 0;
    for (size_t i = 0; i < entered.size(); ++i)
      wrong += ledger.seenTimes(i) != (entered[i] ? 1 : 0);
    EXPECT_EQ(wrong, 0) << "seed " << seed;
  }
}

// Steps that are cancelled as a whole, and queues that close with or without
// their pending enqueues, while others use them.
TEST_P(QueueStress, RandomClosing) {
  for (uint32_t seed = 1; seed <= 200; ++seed) {
    auto queue = makeQueue(scalarQueue(3, GetParam()));
    CancellationToken step;
    Ledger ledger(4 * 20);
    std::atomic<int64_t> ended{0}, in{0};
    std::vector<std::thread> threads;
    for (int64_t t = 0; t < 4; ++t)
      threads.emplace_back([&, t] {
        std::mt19937 random(seed * 10 + static_cast<uint32_t>(t));
        for (int64_t i = 0; i < 20; ++i) {
          CancellationToken *token = random() % 2 ? &step : nullptr;
          queue->enqueue(
              {scalar(t * 20 + i)},
              [&](Status status, QueueTuple) {
                in += status.ok();
                ++ended;
              },
              token);
          queue->dequeueMany(
              1 + random() % 3,
              [&](Status status, QueueTuple tuple) {
                if (status.ok())
                  ledger.add(tuple[0]);
                ++ended;
              },
              token);
        }
      });
    threads.emplace_back([&] { step.cancel("enough"); });
    threads.emplace_back([&] {
      queue->close(seed % 2 == 0, [&](Status, QueueTuple) { ++ended; });
    });
    for (std::thread &thread : threads)
      thread.join();
    // What still waits ends here.
    queue->close(true, [&](Status, QueueTuple) { ++ended; });
    int64_t left = queue->size();
    while (queue->size() > 0) {
      Outcome out;
      queue->dequeue(out.done());
      ASSERT_TRUE(out.ok());
      ledger.add(out.tuple[0]);
    }
    EXPECT_EQ(ended, 4 * 20 * 2 + 2);
    int64_t seen = 0;
    for (size_t i = 0; i < 80; ++i) {
      EXPECT_LE(ledger.seenTimes(i), 1);
      seen += ledger.seenTimes(i);
    }
    EXPECT_EQ(seen, in) << "seed " << seed << ", " << left << " were left";
  }
}

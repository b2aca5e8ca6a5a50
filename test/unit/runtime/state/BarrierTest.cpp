//===- BarrierTest.cpp - Tests of barriers --------------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/state/Barrier.h"
#include "runtime/base/Format.h"
#include "runtime/state/QueueWaiter.h"
#include "test/unit/runtime/state/QueueTestUtil.h"

#include <algorithm>
#include <thread>

using namespace weir::rt;
using namespace weir::rt::test;

using Texts = std::vector<std::string>;

static std::shared_ptr<Barrier> make(size_t components = 2) {
  std::shared_ptr<Barrier> barrier;
  Status status = Barrier::create(
      "b", std::vector<QueueComponent>(components, {WEIR_I64, true, {}}),
      barrier);
  EXPECT_TRUE(status.ok()) << status.message();
  return barrier;
}

static TensorRef keys(const Texts &texts) {
  return strings({static_cast<int64_t>(texts.size())}, texts);
}

static std::string failure(Status status, WeirCode code) {
  EXPECT_EQ(status.code(), code);
  return status.message();
}

TEST(Barrier, ChecksItsDeclaration) {
  std::shared_ptr<Barrier> barrier;
  failure(Barrier::create("b", {}, barrier), WEIR_INVALID_ARGUMENT);
  failure(Barrier::create("b", {{WEIR_F32, true, {-5}}}, barrier),
          WEIR_INVALID_ARGUMENT);
  EXPECT_FALSE(barrier);
}

TEST(Barrier, PutsElementsTogether) {
  auto barrier = make();
  EXPECT_TRUE(
      barrier->insertMany(keys({"a", "b", "c"}), 0, vector({1, 2, 3})).ok());
  EXPECT_EQ(barrier->readySize(), 0);
  EXPECT_EQ(barrier->incompleteSize(), 3);
  EXPECT_TRUE(barrier->insertMany(keys({"c", "a"}), 1, vector({30, 10})).ok());
  EXPECT_EQ(barrier->readySize(), 2);
  EXPECT_EQ(barrier->incompleteSize(), 1);
  Outcome out;
  barrier->takeMany(2, false, out.done());
  ASSERT_TRUE(out.ok());
  ASSERT_EQ(out.tuple.size(), 4);
  EXPECT_EQ(out.values(0), (Values{INT64_MIN, INT64_MIN}));
  EXPECT_EQ(textsOf(out.tuple[1]), (Texts{"c", "a"}));
  EXPECT_EQ(out.values(2), (Values{3, 1}));
  EXPECT_EQ(out.values(3), (Values{30, 10}));
  EXPECT_TRUE(barrier->insertMany(keys({"b"}), 1, vector({20})).ok());
  EXPECT_EQ(barrier->incompleteSize(), 0);
  // A key that was taken may come again, as a new one.
  EXPECT_TRUE(barrier->insertMany(keys({"a"}), 0, vector({5})).ok());
  EXPECT_EQ(barrier->incompleteSize(), 1);
}

// Elements are taken in the order in which their keys came, not in that in
// which they were completed; each insert with new keys counts on.
TEST(Barrier, OrderOfTheKeys) {
  auto barrier = make();
  for (int64_t i = 0; i < 3; ++i)
    EXPECT_TRUE(barrier->insertMany(keys({str("k", i)}), 0, vector({i})).ok());
  for (int64_t i = 2; i >= 0; --i)
    EXPECT_TRUE(barrier->insertMany(keys({str("k", i)}), 1, vector({i})).ok());
  Outcome out;
  barrier->takeMany(3, false, out.done());
  EXPECT_EQ(out.values(0), (Values{INT64_MIN, INT64_MIN + 1, INT64_MIN + 2}));
  EXPECT_EQ(textsOf(out.tuple[1]), (Texts{"k0", "k1", "k2"}));
}

TEST(Barrier, TakersWait) {
  auto barrier = make(1);
  Outcome out, small;
  barrier->takeMany(2, false, out.done());
  barrier->takeMany(1, true, small.done());
  EXPECT_TRUE(barrier->insertMany(keys({"a"}), 0, vector({1})).ok());
  EXPECT_TRUE(out.waits());
  EXPECT_TRUE(barrier->insertMany(keys({"", "c"}), 0, vector({2, 3})).ok());
  EXPECT_EQ(out.values(2), (Values{1, 2}));
  EXPECT_EQ(small.values(2), Values{3});
  CancellationToken token;
  Outcome cancelled;
  barrier->takeMany(2, false, cancelled.done(), &token);
  EXPECT_TRUE(barrier->insertMany(keys({"d"}), 0, vector({4})).ok());
  token.cancel("");
  cancelled.error(WEIR_CANCELLED);
  EXPECT_EQ(barrier->readySize(), 1);
}

// What does not fit changes nothing, also not for the keys before it.
TEST(Barrier, InsertsAllOrNothing) {
  auto barrier = make();
  EXPECT_TRUE(barrier->insertMany(keys({"a"}), 0, vector({1})).ok());
  EXPECT_EQ(failure(barrier->insertMany(keys({"x", "a"}), 0, vector({2, 3})),
                    WEIR_INVALID_ARGUMENT),
            "[WEIR0350] barrier 'b': key 'a' already has a value for component "
            "0");
  failure(barrier->insertMany(keys({"x", "x"}), 0, vector({2, 3})),
          WEIR_INVALID_ARGUMENT);
  EXPECT_EQ(failure(barrier->insertMany(keys({"x"}), 0, vector({2, 3})),
                    WEIR_INVALID_ARGUMENT),
            "[WEIR0350] barrier 'b': there are 1 keys, but 2 values");
  failure(barrier->insertMany(keys({"x"}), 2, vector({2})),
          WEIR_INVALID_ARGUMENT);
  failure(barrier->insertMany(keys({"x"}), -1, vector({2})),
          WEIR_INVALID_ARGUMENT);
  failure(barrier->insertMany(vector({1}), 0, vector({2})),
          WEIR_INVALID_ARGUMENT);
  failure(barrier->insertMany(keys({"x"}), 0, ints({1, 1}, {2})),
          WEIR_INVALID_ARGUMENT);
  failure(barrier->insertMany(keys({"x"}), 0, scalar(2)),
          WEIR_INVALID_ARGUMENT);
  failure(barrier->insertMany(TensorRef(), 0, vector({2})),
          WEIR_INVALID_ARGUMENT);
  std::shared_ptr<Barrier> open;
  ASSERT_TRUE(Barrier::create("o", {{WEIR_I64, false, {}}}, open).ok());
  EXPECT_EQ(failure(open->insertMany(keys({"x"}), 0, ints({1, 0}, {})),
                    WEIR_INVALID_ARGUMENT),
            "[WEIR0350] barrier 'o': tensors with no elements are not "
            "supported; the values are tensor<1x0xi64>");
  EXPECT_EQ(barrier->incompleteSize(), 1);
  EXPECT_TRUE(barrier->insertMany(keys({}), 0, vector({})).ok());
  Outcome negative;
  barrier->takeMany(-1, false, negative.done());
  negative.error(WEIR_INVALID_ARGUMENT);
}

// A closed barrier takes no new keys, but lets those that it has be completed.
TEST(Barrier, Close) {
  auto barrier = make();
  EXPECT_TRUE(barrier->insertMany(keys({"a", "b"}), 0, vector({1, 2})).ok());
  EXPECT_TRUE(barrier->insertMany(keys({"a"}), 1, vector({10})).ok());
  EXPECT_TRUE(barrier->close(false).ok());
  EXPECT_EQ(failure(barrier->close(false), WEIR_CANCELLED),
            "[WEIR0340] barrier 'b' is already closed");
  EXPECT_EQ(
      failure(barrier->insertMany(keys({"c"}), 0, vector({3})), WEIR_CANCELLED),
      "[WEIR0340] barrier 'b' is closed, but 'c' is a new key; only the "
      "1 incomplete ones can be completed");
  Outcome many, pair, small, one;
  barrier->takeMany(3, false, many.done());
  EXPECT_EQ(many.error(WEIR_OUT_OF_RANGE),
            "[WEIR0341] barrier 'b' is closed and has insufficient elements "
            "(requested 3, total size 2)");
  barrier->takeMany(2, false, pair.done());
  EXPECT_TRUE(pair.waits());
  EXPECT_TRUE(barrier->insertMany(keys({"b"}), 1, vector({20})).ok());
  EXPECT_EQ(pair.values(3), (Values{10, 20}));
  failure(barrier->insertMany(keys({"b"}), 0, vector({20})), WEIR_CANCELLED);
  barrier->takeMany(2, true, small.done());
  EXPECT_EQ(small.error(WEIR_OUT_OF_RANGE),
            "[WEIR0341] barrier 'b' is closed and has insufficient elements "
            "(requested 1, total size 0)");
  barrier->takeMany(1, false, one.done());
  one.error(WEIR_OUT_OF_RANGE);
}

TEST(Barrier, CloseGivesSmallBatches) {
  auto barrier = make();
  Outcome small, none;
  EXPECT_TRUE(
      barrier->insertMany(keys({"a", "b", "c"}), 0, vector({1, 2, 3})).ok());
  EXPECT_TRUE(barrier->insertMany(keys({"a", "b"}), 1, vector({4, 5})).ok());
  EXPECT_TRUE(barrier->close(false).ok());
  // What is complete now, although another could be.
  barrier->takeMany(9, true, small.done());
  EXPECT_EQ(small.values(3), (Values{4, 5}));
  barrier->takeMany(9, true, none.done());
  none.error(WEIR_OUT_OF_RANGE);
}

TEST(Barrier, CloseWithCancel) {
  auto barrier = make();
  EXPECT_TRUE(barrier->insertMany(keys({"a", "b"}), 0, vector({1, 2})).ok());
  EXPECT_TRUE(barrier->insertMany(keys({"a"}), 1, vector({10})).ok());
  Outcome waiting, out;
  barrier->takeMany(2, false, waiting.done());
  EXPECT_TRUE(barrier->close(false).ok());
  EXPECT_TRUE(waiting.waits());
  EXPECT_TRUE(barrier->close(true).ok());
  waiting.error(WEIR_OUT_OF_RANGE);
  EXPECT_EQ(barrier->incompleteSize(), 0);
  failure(barrier->close(true), WEIR_CANCELLED);
  failure(barrier->insertMany(keys({"b"}), 1, vector({20})), WEIR_CANCELLED);
  failure(barrier->insertMany(keys({}), 1, vector({})), WEIR_CANCELLED);
  // The complete one can be taken still.
  barrier->takeMany(1, false, out.done());
  EXPECT_EQ(out.values(3), Values{10});
}

// Components of one element from several threads, and several takers.
TEST(Barrier, ManyThreads) {
  constexpr int64_t kKeys = 2000;
  auto barrier = make(2);
  std::vector<std::thread> threads;
  std::mutex mutex;
  Values seen;
  std::atomic<int> inserting{2};
  for (int32_t component = 0; component < 2; ++component)
    threads.emplace_back([&, component] {
      for (int64_t i = 0; i < kKeys; ++i) {
        int64_t k = component ? kKeys - 1 - i : i;
        EXPECT_TRUE(
            barrier->insertMany(keys({str(k)}), component, vector({k})).ok());
      }
      if (--inserting == 0)
        EXPECT_TRUE(barrier->close(false).ok());
    });
  for (int t = 0; t < 3; ++t)
    threads.emplace_back([&] {
      for (;;) {
        QueueWaiter waiter;
        QueueTuple batch;
        barrier->takeMany(3, true, waiter.done(), waiter.token());
        if (!waiter.wait(batch).ok())
          return;
        EXPECT_EQ(valuesOf(batch[2]), valuesOf(batch[3]));
        std::lock_guard<std::mutex> lock(mutex);
        for (int64_t value : valuesOf(batch[2]))
          seen.push_back(value);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  std::sort(seen.begin(), seen.end());
  ASSERT_EQ(seen.size(), static_cast<size_t>(kKeys));
  for (int64_t i = 0; i < kKeys; ++i)
    ASSERT_EQ(seen[static_cast<size_t>(i)], i);
  EXPECT_EQ(barrier->readySize(), 0);
}

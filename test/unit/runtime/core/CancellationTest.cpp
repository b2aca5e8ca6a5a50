//===- CancellationTest.cpp - Tests of stopping a step --------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/core/Cancellation.h"

#include <gtest/gtest.h>
#include <memory>
#include <vector>

using namespace weir::rt;

TEST(Cancellation, RunsCallbacksOnceInOrder) {
  CancellationToken token;
  std::vector<int> order;
  EXPECT_NE(token.onCancel([&] { order.push_back(1); }), 0u);
  EXPECT_NE(token.onCancel([&] { order.push_back(2); }), 0u);
  EXPECT_FALSE(token.isCancelled());
  EXPECT_EQ(token.code(), WEIR_OK);
  EXPECT_EQ(token.reason(), "");
  EXPECT_TRUE(token.cancel("first"));
  EXPECT_FALSE(token.cancel("second", WEIR_DEADLINE_EXCEEDED));
  EXPECT_EQ(order, (std::vector<int>{1, 2}));
  EXPECT_EQ(token.code(), WEIR_CANCELLED);
  EXPECT_EQ(token.reason(), "first");
}

TEST(Cancellation, BeforeRegistering) {
  CancellationToken token;
  token.cancel("early", WEIR_DEADLINE_EXCEEDED);
  auto held = std::make_shared<int>(0);
  EXPECT_EQ(token.onCancel([held] { ++*held; }), 0u);
  EXPECT_EQ(*held, 0);
  EXPECT_EQ(held.use_count(), 1);
  EXPECT_EQ(token.code(), WEIR_DEADLINE_EXCEEDED);
}

TEST(Cancellation, RemovedCallbacksDoNotRun) {
  CancellationToken token;
  auto held = std::make_shared<int>(0);
  CancellationToken::Id first = token.onCancel([held] { ++*held; });
  CancellationToken::Id second = token.onCancel([held] { *held += 10; });
  EXPECT_TRUE(token.tryRemove(first));
  EXPECT_FALSE(token.tryRemove(first));
  EXPECT_TRUE(token.remove(second));
  EXPECT_FALSE(token.remove(second));
  EXPECT_FALSE(token.remove(0));
  EXPECT_EQ(held.use_count(), 1);
  token.cancel("");
  EXPECT_EQ(*held, 0);
}

// What has not begun when a callback runs can still be taken back by it, and
// it may remove itself without waiting for itself.
TEST(Cancellation, CallbacksMayRemove) {
  CancellationToken token;
  CancellationToken::Id first = 0, second = 0;
  bool selfRemoved = true, otherRemoved = false, secondRan = false;
  first = token.onCancel([&] {
    selfRemoved = token.remove(first);
    otherRemoved = token.remove(second);
    EXPECT_EQ(token.onCancel([] {}), 0u);
  });
  second = token.onCancel([&] { secondRan = true; });
  token.cancel("");
  EXPECT_FALSE(selfRemoved);
  EXPECT_TRUE(otherRemoved);
  EXPECT_FALSE(secondRan);
}

// remove() on another thread returns after the running callback has ended.
TEST(Cancellation, RemoveWaitsForARunningCallback) {
  CancellationToken token;
  std::atomic<bool> entered{false}, leave{false}, ended{false};
  CancellationToken::Id id = token.onCancel([&] {
    entered = true;
    while (!leave)
      std::this_thread::yield();
    ended = true;
  });
  std::thread canceller([&] { token.cancel(""); });
  while (!entered)
    std::this_thread::yield();
  EXPECT_FALSE(token.tryRemove(id));
  EXPECT_FALSE(ended);
  std::thread releaser([&] { leave = true; });
  EXPECT_FALSE(token.remove(id));
  EXPECT_TRUE(ended);
  canceller.join();
  releaser.join();
}

TEST(Cancellation, ChildrenFollowTheirParent) {
  CancellationToken parent;
  int ran = 0;
  {
    CancellationToken gone(&parent);
    gone.onCancel([&] { ran += 100; });
  }
  CancellationToken child(&parent), grandchild(&child), alone(&parent);
  grandchild.onCancel([&] { ++ran; });
  alone.cancel("itself");
  EXPECT_FALSE(parent.isCancelled());
  parent.cancel("the step ended", WEIR_DEADLINE_EXCEEDED);
  EXPECT_EQ(ran, 1);
  EXPECT_EQ(grandchild.code(), WEIR_DEADLINE_EXCEEDED);
  EXPECT_EQ(grandchild.reason(), "the step ended");
  EXPECT_EQ(alone.reason(), "itself");
  CancellationToken late(&parent), orphan(nullptr);
  EXPECT_TRUE(late.isCancelled());
  EXPECT_EQ(late.reason(), "the step ended");
  EXPECT_FALSE(orphan.isCancelled());
}

// Of callbacks that are registered, taken back and cancelled at the same time
// each runs or is taken back, never both and never neither.
TEST(Cancellation, RacesLeaveNothingUndecided) {
  for (int round = 0; round < 200; ++round) {
    CancellationToken token;
    std::atomic<int> decided{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 3; ++t)
      threads.emplace_back([&] {
        for (int i = 0; i < 50; ++i) {
          CancellationToken::Id id = token.onCancel([&] { ++decided; });
          if (id == 0 || token.remove(id))
            ++decided;
        }
      });
    threads.emplace_back([&] { token.cancel(""); });
    for (std::thread &thread : threads)
      thread.join();
    EXPECT_EQ(decided, 150);
  }
}

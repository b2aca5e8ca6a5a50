//===- LocalRendezvousTest.cpp - Where the parts of a step meet -----------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/rendezvous/Rendezvous.h"

#include <atomic>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

using namespace weir::rt;

static const char *const kFirst =
    "/job:localhost/replica:0/task:0/device:CPU:0";
static const char *const kSecond =
    "/job:localhost/replica:0/task:0/device:CPU:1";

static RendezvousKey key(const std::string &tensor, uint64_t incarnation = 0) {
  return {tensor, kFirst, kSecond, incarnation};
}

static TensorRef number(int32_t value) {
  TensorRef tensor;
  EXPECT_TRUE(createTensor(WEIR_I32, 0, nullptr, tensor).ok());
  *static_cast<int32_t *>(tensor.get()->data) = value;
  return tensor;
}

namespace {
/// What a receiver was told.
struct Received {
  int32_t calls = 0;
  WeirCode code = WEIR_OK;
  std::string message;
  int32_t value = -1;
  bool isDead = false;

  Rendezvous::Receiver receiver() {
    return [this](Status status, TensorRef tensor, bool dead) {
      ++calls;
      code = status.code();
      message = status.message();
      isDead = dead;
      if (tensor)
        value = *static_cast<int32_t *>(tensor.get()->data);
    };
  }
};
} // namespace

TEST(RendezvousKey, Text) {
  RendezvousKey sent = {"h;1:0", kFirst, kSecond, 0xabc123};
  EXPECT_EQ(sent.text(), std::string(kFirst) + ";abc123;" + kSecond + ";h;1:0");
  RendezvousKey read;
  ASSERT_TRUE(RendezvousKey::parse(sent.text(), read).ok());
  EXPECT_EQ(read.tensor, "h;1:0");
  EXPECT_EQ(read.source, kFirst);
  EXPECT_EQ(read.destination, kSecond);
  EXPECT_EQ(read.incarnation, 0xabc123u);
}

TEST(RendezvousKey, RefusesWhatIsNone) {
  const char *const cases[][2] = {
      {"", "it has 1 parts"},
      {"a;1;b", "it has 3 parts"},
      {";1;b;t", "a part is empty"},
      {"a;1;;t", "a part is empty"},
      {"a;1;b;", "a part is empty"},
      {"a;;b;t", "no number of 64 bits"},
      {"a;12345678901234567;b;t", "no number of 64 bits"},
      {"a;xyz;b;t", "not hexadecimal"},
      {"a;-1;b;t", "not hexadecimal"},
  };
  for (const auto &each : cases) {
    RendezvousKey read;
    Status status = RendezvousKey::parse(each[0], read);
    EXPECT_EQ(status.code(), WEIR_INVALID_ARGUMENT) << each[0];
    EXPECT_NE(std::string(status.message()).find("[WEIR0370]"),
              std::string::npos);
    EXPECT_NE(std::string(status.message()).find(each[1]), std::string::npos)
        << status.message();
  }
}

TEST(LocalRendezvous, MeetsInEitherOrder) {
  auto meeting = makeLocalRendezvous();
  Received early, late;
  meeting->receive(key("early"), early.receiver());
  EXPECT_EQ(early.calls, 0);
  ASSERT_TRUE(meeting->send(key("early"), number(1), false).ok());
  ASSERT_TRUE(meeting->send(key("late"), number(2), false).ok());
  meeting->receive(key("late"), late.receiver());
  EXPECT_EQ(early.calls, 1);
  EXPECT_EQ(early.value, 1);
  EXPECT_EQ(late.calls, 1);
  EXPECT_EQ(late.value, 2);
  EXPECT_FALSE(late.isDead);
}

TEST(LocalRendezvous, TellsKeysApart) {
  auto meeting = makeLocalRendezvous();
  ASSERT_TRUE(meeting->send({"t", kFirst, kSecond}, number(1), false).ok());
  ASSERT_TRUE(meeting->send({"t", kSecond, kFirst}, number(2), false).ok());
  ASSERT_TRUE(meeting->send({"t", kFirst, kFirst}, number(3), false).ok());
  Received received;
  meeting->receive({"t", kSecond, kFirst}, received.receiver());
  EXPECT_EQ(received.value, 2);
}

TEST(LocalRendezvous, CarriesDeadValues) {
  auto meeting = makeLocalRendezvous();
  Received before, after;
  meeting->receive(key("a"), before.receiver());
  ASSERT_TRUE(meeting->send(key("a"), TensorRef(), true).ok());
  ASSERT_TRUE(meeting->send(key("b"), TensorRef(), true).ok());
  meeting->receive(key("b"), after.receiver());
  for (const Received &each : {before, after}) {
    EXPECT_EQ(each.calls, 1);
    EXPECT_EQ(each.code, WEIR_OK);
    EXPECT_TRUE(each.isDead);
    EXPECT_EQ(each.value, -1);
  }
}

TEST(LocalRendezvous, RefusesASecondSendAndASecondReceive) {
  auto meeting = makeLocalRendezvous();
  Received first, second, third;
  ASSERT_TRUE(meeting->send(key("t"), number(1), false).ok());
  Status again = meeting->send(key("t"), number(2), false);
  EXPECT_EQ(again.code(), WEIR_INTERNAL);
  EXPECT_NE(std::string(again.message())
                .find("[WEIR0371] tensor 't' from /job:localhost"),
            std::string::npos);
  meeting->receive(key("t"), first.receiver());
  EXPECT_EQ(first.value, 1);
  // Also when both have met.
  meeting->receive(key("t"), second.receiver());
  EXPECT_EQ(second.code, WEIR_INTERNAL);
  EXPECT_NE(second.message.find("received twice"), std::string::npos);
  EXPECT_EQ(meeting->send(key("t"), number(3), false).code(), WEIR_INTERNAL);
  // The one that waits goes on waiting.
  meeting->receive(key("u"), second.receiver());
  meeting->receive(key("u"), third.receiver());
  EXPECT_EQ(third.code, WEIR_INTERNAL);
  ASSERT_TRUE(meeting->send(key("u"), number(4), false).ok());
  EXPECT_EQ(second.value, 4);
}

TEST(LocalRendezvous, ChecksTheIncarnation) {
  auto meeting = makeLocalRendezvous();
  Received same, other, early, any;
  ASSERT_TRUE(meeting->send(key("a", 7), number(1), false).ok());
  meeting->receive(key("a", 7), same.receiver());
  EXPECT_EQ(same.value, 1);
  ASSERT_TRUE(meeting->send(key("b", 7), number(1), false).ok());
  meeting->receive(key("b", 8), other.receiver());
  meeting->receive(key("c", 8), early.receiver());
  ASSERT_TRUE(meeting->send(key("c", 7), number(1), false).ok());
  for (const Received &each : {other, early}) {
    EXPECT_EQ(each.calls, 1);
    EXPECT_EQ(each.code, WEIR_ABORTED);
    EXPECT_EQ(each.value, -1);
    EXPECT_NE(each.message.find("[WEIR0372]"), std::string::npos);
  }
  // Who does not ask gets what is there.
  ASSERT_TRUE(meeting->send(key("d", 7), number(5), false).ok());
  meeting->receive(key("d"), any.receiver());
  EXPECT_EQ(any.value, 5);
}

TEST(LocalRendezvous, AbortEndsWhatWaitsAndWhatComesLater) {
  auto meeting = makeLocalRendezvous();
  Received waiting, later;
  meeting->receive(key("a"), waiting.receiver());
  ASSERT_TRUE(meeting->send(key("b"), number(1), false).ok());
  meeting->abort(Status(WEIR_UNAVAILABLE, "[WEIR0381] the task is gone"));
  // The first one counts.
  meeting->abort(Status(WEIR_INTERNAL, "too late"));
  EXPECT_EQ(waiting.calls, 1);
  EXPECT_EQ(waiting.code, WEIR_UNAVAILABLE);
  EXPECT_EQ(waiting.message, "[WEIR0381] the task is gone");
  EXPECT_EQ(meeting->send(key("a"), number(1), false).code(), WEIR_UNAVAILABLE);
  // Also where the value had been there.
  meeting->receive(key("b"), later.receiver());
  EXPECT_EQ(later.code, WEIR_UNAVAILABLE);
  EXPECT_EQ(later.value, -1);
}

TEST(LocalRendezvous, WhatIsNeverSentIsNotWaitedFor) {
  auto meeting = makeLocalRendezvous();
  Received waiting, sent, late, other;
  meeting->receive(key("a"), waiting.receiver());
  ASSERT_TRUE(meeting->send(key("b"), number(1), false).ok());
  meeting->receive({"c", kSecond, kFirst}, other.receiver());
  meeting->sourceEnded(kFirst);
  EXPECT_EQ(waiting.calls, 1);
  EXPECT_EQ(waiting.code, WEIR_FAILED_PRECONDITION);
  EXPECT_NE(waiting.message.find("[WEIR0375] tensor 'a' is never sent"),
            std::string::npos);
  // What was sent is there, also later.
  meeting->receive(key("b"), sent.receiver());
  EXPECT_EQ(sent.value, 1);
  meeting->receive(key("d"), late.receiver());
  EXPECT_EQ(late.code, WEIR_FAILED_PRECONDITION);
  EXPECT_EQ(other.calls, 0);
}

TEST(LocalRendezvous, GivesBackWhatNobodyTook) {
  TensorRef value = number(1);
  {
    auto meeting = makeLocalRendezvous();
    ASSERT_TRUE(meeting->send(key("a"), value, false).ok());
    EXPECT_EQ(value.get()->references.load(), 2);
    meeting->abort(Status(WEIR_CANCELLED, "over"));
    EXPECT_EQ(value.get()->references.load(), 1);
  }
  {
    auto meeting = makeLocalRendezvous();
    ASSERT_TRUE(meeting->send(key("a"), value, false).ok());
  }
  EXPECT_EQ(value.get()->references.load(), 1);
}

TEST(LocalRendezvous, AReceiverMayUseIt) {
  auto meeting = makeLocalRendezvous();
  Received second;
  meeting->receive(key("a"), [&](Status status, TensorRef value, bool) {
    EXPECT_TRUE(status.ok());
    EXPECT_TRUE(meeting->send(key("b"), std::move(value), false).ok());
  });
  meeting->receive(key("b"), second.receiver());
  ASSERT_TRUE(meeting->send(key("a"), number(9), false).ok());
  EXPECT_EQ(second.value, 9);
}

TEST(LocalRendezvous, FromManyThreads) {
  constexpr int kThreads = 8, kKeys = 2000;
  auto meeting = makeLocalRendezvous();
  std::atomic<int64_t> sum{0};
  std::atomic<int32_t> received{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < kKeys; ++i) {
        // Half of the threads send, and each key has one of both.
        const RendezvousKey name =
            key(std::to_string(t / 2) + "." + std::to_string(i));
        if (t % 2 == 0)
          EXPECT_TRUE(meeting->send(name, number(i), false).ok());
        else
          meeting->receive(name, [&](Status status, TensorRef value, bool) {
            EXPECT_TRUE(status.ok());
            sum += *static_cast<int32_t *>(value.get()->data);
            ++received;
          });
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(received, kThreads / 2 * kKeys);
  EXPECT_EQ(sum, int64_t(kThreads / 2) * kKeys * (kKeys - 1) / 2);
}

TEST(LocalRendezvous, AbortWhileOthersMeet) {
  for (int round = 0; round < 50; ++round) {
    auto meeting = makeLocalRendezvous();
    std::atomic<int32_t> told{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; ++t)
      threads.emplace_back([&, t] {
        if (t == 7)
          return meeting->abort(Status(WEIR_CANCELLED, "enough"));
        for (int i = 0; i < 50; ++i) {
          const RendezvousKey name =
              key(std::to_string(t / 2) + "." + std::to_string(i));
          if (t % 2 == 0)
            (void)meeting->send(name, number(i), false).ok();
          else
            meeting->receive(name, [&](Status status, TensorRef value, bool) {
              EXPECT_TRUE(status.ok() ? bool(value)
                                      : status.code() == WEIR_CANCELLED);
              ++told;
            });
        }
      });
    for (std::thread &thread : threads)
      thread.join();
    // Every receiver was told, once.
    EXPECT_EQ(told, 3 * 50);
  }
}

//===- StepRunTest.cpp - Steps that nobody waits for ----------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/executor/StepRun.h"
#include "runtime/core/Session.h"
#include "test/unit/runtime/executor/FakeCalls.h"
#include "test/unit/runtime/executor/TableBuilder.h"

#include <chrono>
#include <future>
#include <gtest/gtest.h>
#include <thread>

using namespace weir::rt;
using namespace weir::rt::test;

static std::string cpu(int32_t number) { return TableBuilder::device(number); }

static TensorRef scalar(float value) {
  TensorRef tensor;
  EXPECT_TRUE(createTensor(WEIR_F32, 0, nullptr, tensor).ok());
  *static_cast<float *>(tensor.get()->data) = value;
  return tensor;
}

namespace {
/// What a step has told.
class Outcome {
public:
  StepDone done() {
    return [this](Status ended, std::vector<TensorRef> made) {
      status = std::move(ended);
      fetches = std::move(made);
      promise.set_value();
    };
  }
  bool wait() {
    return told.wait_for(std::chrono::minutes(2)) == std::future_status::ready;
  }
  bool isThere() {
    return told.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  }
  float number(size_t i = 0) const {
    return *static_cast<float *>(fetches[i].get()->data);
  }
  bool says(const std::string &part) const {
    return std::string(status.message()).find(part) != std::string::npos;
  }

  Status status;
  std::vector<TensorRef> fetches;

private:
  std::promise<void> promise;
  std::future<void> told = promise.get_future();
};

/// Counts those that live.
class CountedRendezvous final : public Rendezvous {
public:
  static std::atomic<int32_t> alive;
  CountedRendezvous() { ++alive; }
  ~CountedRendezvous() override { --alive; }
  Status send(const RendezvousKey &key, TensorRef value, bool isDead) override {
    return table->send(key, std::move(value), isDead);
  }
  void receive(const RendezvousKey &key, Receiver receiver) override {
    table->receive(key, std::move(receiver));
  }
  void abort(Status status) override { table->abort(std::move(status)); }

private:
  std::shared_ptr<Rendezvous> table = makeLocalRendezvous();
};
std::atomic<int32_t> CountedRendezvous::alive{0};
} // namespace

static RendezvousKey key(const std::string &tensor, int32_t from, int32_t to) {
  return {tensor, cpu(from), cpu(to)};
}

/// One part: sends x + 1, and fetches what it gets back.
static void sendAndWait(TableBuilder &builder) {
  auto x = builder.feed("x");
  builder.send("out",
               {builder.kernel("add", addKernel, {x, builder.constant(1.0f)})},
               0, 1);
  builder.fetch(builder.receive("back", 1, 0), "y");
}

TEST(StepRun, RunsAnEntry) {
  TableBuilder builder;
  builder.fetch(
      builder.kernel("add", addKernel, {builder.feed("a"), builder.feed("b")}),
      "y");
  TestSession session(builder);
  for (int i = 0; i < 200; ++i) {
    Outcome outcome;
    startStep(*session.session, 0, {scalar(1), scalar(2)}, {}, outcome.done());
    ASSERT_TRUE(outcome.wait());
    ASSERT_TRUE(outcome.status.ok()) << outcome.status.message();
    ASSERT_EQ(outcome.fetches.size(), 1u);
    EXPECT_EQ(outcome.number(), 3);
  }
}

TEST(StepRun, RunsParts) {
  SpreadBuilder spread;
  TableBuilder &here = spread.part(cpu(0)), &there = spread.part(cpu(1));
  sendAndWait(here);
  there.send("back", {there.receive("out", 0, 1)}, 1, 0);
  TestSession session(spread);
  for (int i = 0; i < 200; ++i) {
    Outcome outcome;
    startStep(*session.session, 0, {scalar(static_cast<float>(i))}, {},
              outcome.done());
    ASSERT_TRUE(outcome.wait());
    ASSERT_TRUE(outcome.status.ok()) << outcome.status.message();
    EXPECT_EQ(outcome.number(), static_cast<float>(i) + 1);
  }
}

TEST(StepRun, FetchesAreTheCallersOwn) {
  TableBuilder builder;
  auto x = builder.feed("x");
  builder.fetch(x, "a");
  builder.fetch(x, "b");
  TestSession session(builder);
  TensorRef given = scalar(4);
  Outcome outcome;
  startStep(*session.session, 0, {given}, {}, outcome.done());
  ASSERT_TRUE(outcome.wait());
  *static_cast<float *>(outcome.fetches[0].get()->data) = 5;
  EXPECT_EQ(outcome.number(1), 4);
  EXPECT_EQ(*static_cast<float *>(given.get()->data), 4);
}

TEST(StepRun, MeetsInAnOutsideRendezvous) {
  TableBuilder builder;
  sendAndWait(builder);
  TestSession session(builder);
  StepOptions options;
  options.rendezvous = makeLocalRendezvous();
  Outcome outcome;
  startStep(*session.session, 0, {scalar(1)}, options, outcome.done());
  std::promise<float> sent;
  options.rendezvous->receive(
      key("out", 0, 1), [&](Status, TensorRef value, bool) {
        sent.set_value(*static_cast<float *>(value.get()->data));
      });
  EXPECT_EQ(sent.get_future().get(), 2);
  // No thread waits with it; nothing happens before the value comes.
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_FALSE(outcome.isThere());
  EXPECT_TRUE(
      options.rendezvous->send(key("back", 1, 0), scalar(9), false).ok());
  ASSERT_TRUE(outcome.wait());
  ASSERT_TRUE(outcome.status.ok()) << outcome.status.message();
  EXPECT_EQ(outcome.number(), 9);
}

/// More steps wait than the pool has threads.
TEST(StepRun, ManyWaitAtATime) {
  TableBuilder builder;
  sendAndWait(builder);
  TestSession session(builder);
  constexpr size_t kSteps = 400;
  std::vector<std::unique_ptr<Outcome>> outcomes;
  std::vector<std::shared_ptr<Rendezvous>> meetings;
  for (size_t i = 0; i < kSteps; ++i) {
    outcomes.push_back(std::make_unique<Outcome>());
    meetings.push_back(makeLocalRendezvous());
    StepOptions options;
    options.rendezvous = meetings[i];
    startStep(*session.session, 0, {scalar(1)}, options, outcomes[i]->done());
  }
  for (size_t i = kSteps; i-- > 0;)
    EXPECT_TRUE(
        meetings[i]
            ->send(key("back", 1, 0), scalar(static_cast<float>(i)), false)
            .ok());
  for (size_t i = 0; i < kSteps; ++i) {
    ASSERT_TRUE(outcomes[i]->wait());
    EXPECT_EQ(outcomes[i]->number(), static_cast<float>(i));
  }
}

TEST(StepRun, AnAbortFromOutsideEndsWhatWaits) {
  TableBuilder builder;
  sendAndWait(builder);
  TestSession session(builder);
  StepOptions options;
  options.rendezvous = makeLocalRendezvous();
  Outcome outcome;
  startStep(*session.session, 0, {scalar(1)}, options, outcome.done());
  options.rendezvous->abort(
      Status(WEIR_UNAVAILABLE, "[WEIR0381] task 3 is gone"));
  ASSERT_TRUE(outcome.wait());
  EXPECT_EQ(outcome.status.code(), WEIR_UNAVAILABLE);
  EXPECT_TRUE(outcome.says("task 3 is gone")) << outcome.status.message();
  EXPECT_TRUE(outcome.fetches.empty());
}

TEST(StepRun, AnErrorAbortsTheRendezvous) {
  TableBuilder builder;
  builder.fetch(builder.kernel("broken", failingKernel, {builder.feed("x")}),
                "y");
  builder.receive("never", 1, 0);
  TestSession session(builder);
  StepOptions options;
  options.rendezvous = makeLocalRendezvous();
  std::promise<WeirCode> other;
  options.rendezvous->receive(
      key("mine", 0, 1),
      [&](Status status, TensorRef, bool) { other.set_value(status.code()); });
  Outcome outcome;
  startStep(*session.session, 0, {scalar(1)}, options, outcome.done());
  ASSERT_TRUE(outcome.wait());
  EXPECT_EQ(outcome.status.code(), WEIR_INVALID_ARGUMENT);
  EXPECT_EQ(other.get_future().get(), WEIR_INVALID_ARGUMENT);
}

TEST(StepRun, IsCancelled) {
  TableBuilder builder;
  sendAndWait(builder);
  TestSession session(builder);
  StepOptions options;
  options.cancellation = std::make_shared<CancellationToken>();
  Outcome outcome;
  startStep(*session.session, 0, {scalar(1)}, options, outcome.done());
  options.cancellation->cancel("the client went away");
  ASSERT_TRUE(outcome.wait());
  EXPECT_EQ(outcome.status.code(), WEIR_CANCELLED);
  EXPECT_TRUE(outcome.says("the client went away")) << outcome.status.message();
}

TEST(StepRun, HasADeadline) {
  TableBuilder builder;
  sendAndWait(builder);
  TestSession session(builder);
  StepOptions options;
  options.stepId = 17;
  EXPECT_TRUE(withLongerDeadlines([&](int32_t time) {
    options.timeoutMs = time;
    Outcome outcome;
    startStep(*session.session, 0, {scalar(1)}, options, outcome.done());
    EXPECT_TRUE(outcome.wait());
    EXPECT_EQ(outcome.status.code(), WEIR_DEADLINE_EXCEEDED);
    EXPECT_TRUE(outcome.says("step 17 of entry 'step' has not ended within " +
                             std::to_string(time) + " ms"))
        << outcome.status.message();
    return outcome.says("waits for tensor 'back'");
  }));
}

TEST(StepRun, EndsWithItsSession) {
  TableBuilder builder;
  sendAndWait(builder);
  auto session = std::make_unique<TestSession>(builder);
  Outcome outcome;
  startStep(*session->session, 0, {scalar(1)}, {}, outcome.done());
  session.reset();
  ASSERT_TRUE(outcome.wait());
  EXPECT_EQ(outcome.status.code(), WEIR_CANCELLED);
}

TEST(StepRun, MayEndItsSession) {
  TableBuilder builder;
  builder.fetch(builder.feed("x"), "y");
  auto session = std::make_unique<TestSession>(builder);
  std::promise<bool> gone;
  startStep(*session->session, 0, {scalar(1)}, {},
            [&](Status status, std::vector<TensorRef>) {
              session.reset();
              gone.set_value(status.ok());
            });
  EXPECT_TRUE(gone.get_future().get());
}

/// Each step starts the next one when it ends; the stack does not grow.
TEST(StepRun, ManyInARow) {
  TableBuilder builder;
  builder.fetch(builder.feed("x"), "y");
  TestSession session(builder);
  std::promise<int> last;
  std::function<void(int)> start = [&](int left) {
    startStep(*session.session, 0, {scalar(1)}, {},
              [&, left](Status status, std::vector<TensorRef>) {
                if (left == 0 || !status.ok())
                  last.set_value(left);
                else
                  start(left - 1);
              });
  };
  start(100000);
  EXPECT_EQ(last.get_future().get(), 0);
}

TEST(StepRun, ChecksWhatItIsGiven) {
  TableBuilder builder;
  sendAndWait(builder);
  TestSession session(builder);
  TensorRef wrong;
  ASSERT_TRUE(createTensor(WEIR_I32, 0, nullptr, wrong).ok());
  const struct {
    int32_t entry;
    std::vector<TensorRef> feeds;
    const char *message;
  } cases[] = {
      {7, {}, "[WEIR0303]"},
      {0, {}, "[WEIR0301] entry 'step' has 1 feeds; the call gives 0"},
      {0, {TensorRef()}, "no value for feed 'x'"},
      {0, {wrong}, "[WEIR0302] feed 'x'"},
  };
  for (const auto &each : cases) {
    Outcome outcome;
    startStep(*session.session, each.entry, each.feeds, {}, outcome.done());
    ASSERT_TRUE(outcome.isThere());
    EXPECT_TRUE(outcome.says(each.message)) << outcome.status.message();
  }
}

TEST(StepRun, AbortedStepsLeaveNothing) {
  SpreadBuilder spread;
  TableBuilder &here = spread.part(cpu(0)), &there = spread.part(cpu(1));
  sendAndWait(here);
  there.fetch(there.receive("never", 0, 1), "z");
  TestSession session(spread);
  for (int i = 0; i < 1000; ++i) {
    StepOptions options;
    options.rendezvous = std::make_shared<CountedRendezvous>();
    options.cancellation = std::make_shared<CancellationToken>();
    std::weak_ptr<CancellationToken> token = options.cancellation;
    Outcome outcome;
    startStep(*session.session, 0, {scalar(1)}, options, outcome.done());
    if (i % 2)
      options.rendezvous->abort(Status(WEIR_ABORTED, "aborted"));
    else
      options.cancellation->cancel("cancelled");
    ASSERT_TRUE(outcome.wait());
    EXPECT_FALSE(outcome.status.ok());
  }
  // The last one may still be on its way out of a thread of the pool.
  for (int i = 0; i < 60000 && CountedRendezvous::alive > 0; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_EQ(CountedRendezvous::alive, 0);
}

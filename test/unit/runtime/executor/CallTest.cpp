//===- CallTest.cpp - Nodes that wait, errors, deadlines, cancellation ----===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/runtime/executor/FakeCalls.h"
#include "test/unit/runtime/executor/TableBuilder.h"

#include <gtest/gtest.h>
#include <thread>

using namespace weir::rt;
using namespace weir::rt::test;
using Ref = TableBuilder::Ref;

TEST(Call, EndsAtOnce) {
  TableBuilder b;
  Ref x = b.feed("x");
  b.fetch(b.call("pass", passCall, {x}, {WEIR_F32}), "y");
  TestSession session(b);
  ASSERT_EQ(session.run({3}), WEIR_OK) << session.message();
  EXPECT_EQ(session.number(), 3);
}

TEST(Call, EndsOnAnotherThread) {
  TableBuilder b;
  Ref x = b.feed("x");
  Ref y = b.call("wait", Gate::call, {x}, {WEIR_F32});
  b.fetch(b.kernel("sum", addKernel, {y, x}), "y");
  TestSession session(b);
  for (int i = 0; i < 20; ++i) {
    std::thread other([] {
      Gate::get().waitFor(1);
      Gate::get().open();
    });
    ASSERT_EQ(session.run({3}), WEIR_OK) << session.message();
    EXPECT_EQ(session.number(), 6);
    other.join();
  }
}

// The calls that wait do not hold up the others, and end in any order.
TEST(Call, SeveralWaitAtATime) {
  TableBuilder b;
  Ref x = b.feed("x"), sum = x;
  for (int i = 0; i < 10; ++i)
    sum = b.kernel("sum", addKernel,
                   {sum, b.call("wait", Gate::call, {x}, {WEIR_F32})});
  b.fetch(sum, "y");
  TestSession session(b);
  std::thread other([] {
    Gate::get().waitFor(10);
    Gate::get().openAll();
  });
  ASSERT_EQ(session.run({1}), WEIR_OK) << session.message();
  EXPECT_EQ(session.number(), 11);
  other.join();
}

TEST(Call, ErrorsNameTheNode) {
  TableBuilder b;
  b.fetch(b.call("bad", failCall, {}, {WEIR_F32}), "y");
  TestSession session(b);
  EXPECT_EQ(session.run({}), WEIR_FAILED_PRECONDITION);
  EXPECT_EQ(session.message(), "[WEIR0341] 'bad': not today");
}

TEST(Call, OutputsAreChecked) {
  {
    TableBuilder b;
    b.fetch(b.call("bad", wrongTypeCall, {}, {WEIR_F32}), "y");
    TestSession session(b);
    EXPECT_EQ(session.run({}), WEIR_INVALID_ARGUMENT);
    EXPECT_TRUE(session.says("[WEIR0326] 'bad': output 0 is tensor<i32>, the "
                             "graph says tensor<f32>"))
        << session.message();
  }
  TableBuilder b;
  b.fetch(b.call("bad", noOutputCall, {}, {WEIR_F32}), "y");
  TestSession session(b);
  EXPECT_EQ(session.run({}), WEIR_INTERNAL);
  EXPECT_TRUE(session.says("'bad': output 0 was left")) << session.message();
}

// An error ends the calls that wait; the step returns when they have ended.
TEST(Call, AnErrorEndsTheOthers) {
  TableBuilder b;
  Ref x = b.feed("x");
  Ref waiting = b.call("wait", Gate::call, {x}, {WEIR_F32});
  Ref bad = b.kernel("bad", failingKernel,
                     {b.call("first", Gate::call, {x}, {WEIR_F32})});
  b.fetch(b.kernel("sum", addKernel, {waiting, bad}), "y");
  TestSession session(b);
  std::thread other([] {
    Gate::get().waitFor(2);
    // One of the two, whichever it is, and the other after it.
    Gate::get().open();
    Gate::get().open();
  });
  EXPECT_EQ(session.run({1}), WEIR_INVALID_ARGUMENT);
  EXPECT_EQ(session.message(), "[WEIR0330] 'bad': no luck");
  other.join();
  EXPECT_EQ(Gate::get().waiting(), 0u);
}

// A value that a call keeps is its own, not the caller's memory.
TEST(Call, KeepsNoBorrowedMemory) {
  makeTestQueue(10);
  TableBuilder b;
  b.call("enqueue", enqueueCall, {b.feed("x")}, {});
  {
    TestSession session(b);
    ASSERT_EQ(session.run({5}), WEIR_OK) << session.message();
    ASSERT_EQ(session.run({6}), WEIR_OK) << session.message();
  }
  for (float expected : {5.0f, 6.0f}) {
    float got = 0;
    testQueue->dequeue([&](Status status, QueueTuple result) {
      ASSERT_TRUE(status.ok());
      got = *static_cast<const float *>(result[0].view().data);
    });
    EXPECT_EQ(got, expected);
  }
}

// One step's dequeue waits for another's enqueue.
TEST(Call, StepsWaitForEachOther) {
  makeTestQueue(2);
  TableBuilder in, out;
  in.call("enqueue", enqueueCall, {in.feed("x")}, {});
  out.fetch(out.call("dequeue", dequeueCall, {}, {WEIR_F32}), "y");
  TestSession producer(in), consumer(out);
  constexpr int kCount = 500;
  std::thread other([&] {
    for (int i = 0; i < kCount; ++i)
      ASSERT_EQ(producer.run({static_cast<float>(i)}), WEIR_OK)
          << producer.message();
  });
  for (int i = 0; i < kCount; ++i) {
    ASSERT_EQ(consumer.run({}), WEIR_OK) << consumer.message();
    EXPECT_EQ(consumer.number(), static_cast<float>(i));
  }
  other.join();
}

/// A step in which a producer loop and a consumer loop meet in the queue.
static void producerAndConsumer(TableBuilder &b, int32_t count) {
  for (bool producing : {true, false}) {
    const char *name = producing ? "producer" : "consumer";
    int32_t loop = b.frame(name, 0, 4);
    Ref i0 = b.enter("i", b.constant(0), loop);
    Ref i = b.merge("merge", {i0, i0}, loop);
    Ref goOn =
        b.kernel("less", lessKernel, {i, b.constant(count)}, WEIR_BOOL, loop);
    Ref gate = b.switchOn("switch", i, goOn, loop);
    Ref done = producing ? b.call("enqueue", enqueueCall, {b.constant(1.0f)},
                                  {}, {gate.at(1)}, loop)
                         : b.call("dequeue", dequeueCall, {}, {WEIR_F32},
                                  {gate.at(1)}, loop);
    Ref more = b.kernel("inc", incrementKernel, {gate.at(1)}, WEIR_I32, loop,
                        {b.ran(done)});
    b.setInput(i, 1, b.next("next", more, loop));
    b.fetch(b.exit("exit", gate.at(0), loop), name);
  }
}

// Continuations run neither nested nor lost, however many there are.
TEST(Call, TwoLoopsMeetInAQueue) {
  for (int32_t threads : {1, 2, 4}) {
    makeTestQueue(1);
    TableBuilder b;
    producerAndConsumer(b, 3000);
    TestSession session(b);
    WeirRunOptions options = WEIR_RUN_OPTIONS_INIT;
    options.threads = threads;
    ASSERT_EQ(session.run({}, &options), WEIR_OK) << session.message();
    EXPECT_EQ(session.integer(0), 3000);
    EXPECT_EQ(session.integer(1), 3000);
    EXPECT_EQ(testQueue->size(), 0);
  }
}

TEST(Call, DeadlineListsWhatWaits) {
  TableBuilder b;
  Ref q = b.call("handle", handleCall, {}, {WEIR_RESOURCE});
  Ref y = b.call("dequeue", Gate::call, {q}, {WEIR_RESOURCE});
  Ref x = b.feed("x");
  b.fetch(b.kernel("sum", addKernel, {x, x}, WEIR_F32, 0, {b.ran(y)}), "y");
  TestSession session(b);
  WeirRunOptions options = WEIR_RUN_OPTIONS_INIT;
  for (int i = 0; i < 2; ++i)
    EXPECT_TRUE(withLongerDeadlines([&](int32_t time) {
      options.timeout_ms = time;
      EXPECT_EQ(session.run({1}, &options), WEIR_DEADLINE_EXCEEDED);
      EXPECT_TRUE(session.says("[WEIR0323]")) << session.message();
      return session.says("'dequeue' on FIFO queue 'q'") &&
             session.says("'sum' waits for 'dequeue'");
    })) << session.message();
}

TEST(Call, StallsAreReported) {
  TableBuilder b;
  Ref q = b.call("handle", handleCall, {}, {WEIR_RESOURCE});
  Ref y = b.call("dequeue", Gate::call, {q}, {WEIR_RESOURCE});
  b.fetch(b.identity("after", y), "y");
  TestSession session(b);
  WeirRunOptions options = WEIR_RUN_OPTIONS_INIT;
  options.stall_report_ms = 10;
  ErrorOutput output;
  std::thread other([&] {
    Gate::get().waitFor(1);
    output.waitFor("FIFO queue 'q'");
    Gate::get().open();
  });
  EXPECT_EQ(session.run({}, &options), WEIR_OK) << session.message();
  other.join();
  std::string text = output.finish();
  EXPECT_NE(text.find("[WEIR0327] nothing has run for 10 ms in entry 'step'"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("'dequeue' on FIFO queue 'q'"), std::string::npos)
      << text;
  // Once only.
  EXPECT_EQ(text.find("WEIR0327"), text.rfind("WEIR0327")) << text;
}

TEST(Call, CancelledByTheCaller) {
  TableBuilder b;
  b.fetch(b.call("wait", Gate::call, {b.feed("x")}, {WEIR_F32}), "y");
  TestSession session(b);
  WeirCancellation *cancellation = weir_cancellation_create();
  WeirRunOptions options = WEIR_RUN_OPTIONS_INIT;
  options.cancellation = cancellation;
  std::thread other([&] {
    Gate::get().waitFor(1);
    weir_cancellation_cancel(cancellation, "enough");
    weir_cancellation_cancel(cancellation, "again");
  });
  EXPECT_EQ(session.run({1}, &options), WEIR_CANCELLED);
  EXPECT_EQ(session.message(),
            "[WEIR0323] the step of entry 'step' was cancelled: enough");
  other.join();
  // It stays cancelled, for steps that come later too.
  EXPECT_EQ(session.run({1}, &options), WEIR_CANCELLED);
  weir_cancellation_destroy(cancellation);
}

// A session that goes ends the steps that wait.
TEST(Call, DestroyedSessionCancels) {
  TableBuilder b;
  b.fetch(b.call("wait", Gate::call, {b.feed("x")}, {WEIR_F32}), "y");
  const WeirProgram &program = b.program();
  WeirStatus status = WEIR_STATUS_INIT;
  WeirSession *session = weir_session_create(&program, &status);
  ASSERT_NE(session, nullptr);
  std::thread other([&] {
    float x = 1;
    WeirView view = {&x, nullptr, 0, WEIR_F32};
    WeirTensor *fetch = nullptr;
    WeirStatus result = WEIR_STATUS_INIT;
    EXPECT_EQ(weir_session_run(session, 0, &view, &fetch, &result),
              WEIR_CANCELLED);
    EXPECT_NE(std::string(result.message).find("session was destroyed"),
              std::string::npos);
    weir_status_clear(&result);
  });
  Gate::get().waitFor(1);
  weir_session_destroy(session);
  other.join();
}

// A call that ends while the step is being cancelled, again and again.
TEST(Call, CancelAtRandom) {
  TableBuilder b;
  Ref x = b.feed("x"), sum = x;
  for (int i = 0; i < 6; ++i)
    sum = b.kernel("sum", addKernel,
                   {sum, b.call("wait", Gate::call, {sum}, {WEIR_F32})});
  for (int i = 0; i < 4; ++i)
    sum = b.kernel("sum", addKernel,
                   {sum, b.call("wait", Gate::call, {x}, {WEIR_F32})});
  b.fetch(sum, "y");
  TestSession session(b);
  uint64_t random = 1;
  for (int i = 0; i < 150; ++i) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    WeirCancellation *cancellation = weir_cancellation_create();
    WeirRunOptions options = WEIR_RUN_OPTIONS_INIT;
    options.cancellation = cancellation;
    options.threads = i % 3;
    std::atomic<bool> isOver{false};
    std::thread opener([&] {
      while (!isOver)
        Gate::get().open();
    });
    std::thread canceller([&] {
      std::this_thread::sleep_for(
          std::chrono::microseconds((random >> 33) % 300));
      weir_cancellation_cancel(cancellation, "chance");
    });
    int32_t code = session.run({1}, &options);
    EXPECT_TRUE(code == WEIR_OK || code == WEIR_CANCELLED) << session.message();
    if (code == WEIR_OK) {
      EXPECT_EQ(session.number(), 68);
    }
    isOver = true;
    opener.join();
    canceller.join();
    weir_cancellation_destroy(cancellation);
    EXPECT_EQ(Gate::get().waiting(), 0u);
  }
}

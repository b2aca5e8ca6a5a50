//===- InterpreterTest.cpp - Tests of lib/Interpreter ---------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What test/interpret cannot reach: partial runs, shared state, deadlines, the
// classes of errors, what a failed step leaves behind, and that long loops stay
// cheap.
//
//===----------------------------------------------------------------------===//

#include "lib/Interpreter/Interpreter.h"
#include "mlir/Parser/Parser.h"
#include <algorithm>
#include <ctime>
#include <gtest/gtest.h>
#include <thread>

using namespace weir;

namespace {
class InterpreterTest : public testing::Test {
protected:
  InterpreterTest() { context.loadDialect<WeirDialect>(); }

  mlir::ModuleOp parse(const std::string &source) {
    modules.push_back(mlir::parseSourceString<mlir::ModuleOp>(
        source, mlir::ParserConfig(&context)));
    EXPECT_TRUE(modules.back());
    return *modules.back();
  }

  mlir::MLIRContext context;
  std::vector<mlir::OwningOpRef<mlir::ModuleOp>> modules;
};
} // namespace

static Tensor f32(float value) { return Tensor::scalar(WEIR_F32, value); }
static Tensor i32(int32_t value) { return Tensor::scalar(WEIR_I32, value); }

/// The first result, which has to be there, as a number.
static double first(llvm::Expected<std::vector<Tensor>> results) {
  if (results)
    return results->front().getDouble(0);
  ADD_FAILURE() << llvm::toString(results.takeError());
  return 0;
}

static double value(llvm::Expected<Tensor> result) {
  if (result)
    return result->getDouble(0);
  ADD_FAILURE() << llvm::toString(result.takeError());
  return 0;
}

/// The error of a result that should not be there.
template <typename T> static rt::Status errorOf(llvm::Expected<T> result) {
  EXPECT_FALSE(static_cast<bool>(result));
  return result ? rt::Status() : toStatus(result.takeError());
}

static bool startsWith(const rt::Status &status, llvm::StringRef text) {
  return llvm::StringRef(status.message()).starts_with(text);
}

//===----------------------------------------------------------------------===//
// Partial runs
//===----------------------------------------------------------------------===//

static const char kPartial[] = R"(
  weir.variable @w : tensor<f32>
  weir.graph @f(%a: tensor<f32> {weir.name = "a"}, %b: tensor<f32> {weir.name = "b"})
      -> (tensor<f32> {weir.name = "x"}, tensor<f32> {weir.name = "y"}) {
    %c = weir.assign @w, %a : tensor<f32>
    %x = weir.neg %a after(%c) : (tensor<f32>) -> tensor<f32>
    %y = weir.add %x, %b : (tensor<f32>, tensor<f32>) -> tensor<f32>
    weir.fetch %x, %y : tensor<f32>, tensor<f32>
  })";

TEST_F(InterpreterTest, PartialRunGoesAsFarAsItsFeeds) {
  Interpreter interpreter(parse(kPartial));
  auto run = llvm::cantFail(interpreter.begin("f"));
  // Nothing has come: the message names what is missing.
  rt::Status early = errorOf(run->fetch(0));
  EXPECT_EQ(early.code(), WEIR_FAILED_PRECONDITION);
  EXPECT_NE(std::string(early.message()).find("'a', 'b'"), std::string::npos);
  ASSERT_FALSE(run->feed(0, f32(3)));
  EXPECT_EQ(value(run->fetch(0)), -3);
  EXPECT_EQ(value(interpreter.getVariable("w")), 3);
  // A fetch goes once, a feed comes once.
  EXPECT_EQ(errorOf(run->fetch(0)).code(), WEIR_FAILED_PRECONDITION);
  EXPECT_EQ(toStatus(run->feed(0, f32(4))).code(), WEIR_FAILED_PRECONDITION);
  EXPECT_EQ(errorOf(run->fetch(1)).code(), WEIR_FAILED_PRECONDITION);
  ASSERT_FALSE(run->feed(1, f32(10)));
  EXPECT_EQ(value(run->fetch(1)), 7);
  EXPECT_TRUE(toStatus(run->end()).ok());
}

TEST_F(InterpreterTest, PartialRunsOfOneSessionMeetInQueues) {
  Interpreter interpreter(parse(R"(
    weir.queue @q capacity 1 of tensor<f32>
    weir.graph @take(%p: tensor<i1> {weir.name = "p"}) -> (tensor<f32> {weir.name = "x"}) {
      %q = weir.handle @q
      %x, %c = weir.dequeue %q : (!weir.resource) -> (tensor<f32>, !weir.control)
      %f, %t, %cs = weir.switch %x, %p : (tensor<f32>, tensor<i1>) -> (tensor<f32>, tensor<f32>, !weir.control)
      weir.fetch %t : tensor<f32>
    }
    weir.graph @put(%x: tensor<f32> {weir.name = "x"}) {
      %q = weir.handle @q
      %c = weir.enqueue %q, %x : (!weir.resource, tensor<f32>) -> !weir.control
      weir.fetch after(%c)
    })"));
  auto waiting = llvm::cantFail(interpreter.begin("take"));
  // It waits in the queue from now on, so it is the one that is served.
  EXPECT_EQ(errorOf(waiting->fetch(0)).code(), WEIR_FAILED_PRECONDITION);
  ASSERT_TRUE(static_cast<bool>(interpreter.run("put", {f32(5)})));
  ASSERT_FALSE(waiting->feed(0, Tensor::scalar(WEIR_BOOL, true)));
  EXPECT_EQ(value(waiting->fetch(0)), 5);
  {
    // A run that goes away while it waits leaves the queue.
    auto abandoned = llvm::cantFail(interpreter.begin("take"));
    EXPECT_EQ(errorOf(abandoned->fetch(0)).code(), WEIR_FAILED_PRECONDITION);
  }
  ASSERT_TRUE(static_cast<bool>(interpreter.run("put", {f32(6)})));
  EXPECT_EQ(first(interpreter.run("take", {Tensor::scalar(WEIR_BOOL, true)})),
            6);
}

//===----------------------------------------------------------------------===//
// State
//===----------------------------------------------------------------------===//

TEST_F(InterpreterTest, InterpretersOfAFamilyShareState) {
  Interpreter writer(parse(R"(
    weir.variable @w : tensor<f32>
    weir.queue @q capacity 1 of tensor<f32>
    weir.graph @put(%x: tensor<f32>) {
      %q = weir.handle @q
      %a = weir.assign @w, %x : tensor<f32>
      %c = weir.enqueue %q, %x : (!weir.resource, tensor<f32>) -> !weir.control
      weir.fetch after(%a, %c)
    })"));
  // What is attached to a declaration is no part of it.
  Interpreter reader(parse(R"(
    weir.queue @q capacity 1 of tensor<f32> {weir.device = "/cpu:0"}
    weir.variable @w : tensor<f32>
    weir.graph @take() -> (tensor<f32>) {
      %q = weir.handle @q
      %x, %c = weir.dequeue %q : (!weir.resource) -> (tensor<f32>, !weir.control)
      weir.fetch %x : tensor<f32>
    })"),
                     writer.getState());
  ASSERT_TRUE(static_cast<bool>(writer.run("put", {f32(2)})));
  EXPECT_EQ(first(reader.run("take", {})), 2);
  EXPECT_EQ(value(reader.getVariable("w")), 2);
  // Another declaration of the name is an error.
  Interpreter other(parse(R"(
    weir.variable @w : tensor<2xf32>
    weir.graph @f() {
      weir.fetch
    })"),
                    writer.getState());
  rt::Status status = errorOf(other.getVariable("w"));
  EXPECT_EQ(status.code(), WEIR_FAILED_PRECONDITION);
  EXPECT_TRUE(startsWith(status, "[WEIR0347]")) << status.message();
}

TEST_F(InterpreterTest, OnlyAStraightLineTakesItsAssignmentsBack) {
  Interpreter interpreter(parse(R"(
    weir.variable @w : tensor<f32>
    weir.graph @line(%x: tensor<f32>) {
      %a = weir.assign @w, %x : tensor<f32>
      %y, %c = weir.check_numerics %x "bad" after(%a) : tensor<f32>
      weir.fetch after(%c)
    }
    weir.graph @dataflow(%x: tensor<f32>) {
      %h = weir.handle @w
      %a = weir.assign_resource %h, %x : (!weir.resource, tensor<f32>) -> !weir.control
      %y, %c = weir.check_numerics %x "bad" after(%a) : tensor<f32>
      weir.fetch after(%c)
    })"));
  ASSERT_FALSE(interpreter.setVariable("w", f32(1)));
  Tensor bad = f32(INFINITY);
  EXPECT_TRUE(
      startsWith(errorOf(interpreter.run("line", {bad})), "[WEIR0333]"));
  EXPECT_EQ(value(interpreter.getVariable("w")), 1);
  EXPECT_TRUE(
      startsWith(errorOf(interpreter.run("dataflow", {bad})), "[WEIR0333]"));
  EXPECT_EQ(value(interpreter.getVariable("w")), INFINITY);
}

TEST_F(InterpreterTest, AFailedStepLosesNoElement) {
  Interpreter interpreter(parse(R"(
    weir.queue @q capacity 9 of tensor<f32>
    weir.graph @put(%x: tensor<2xf32>) {
      %q = weir.handle @q
      %c = weir.enqueue_many %q, %x : (!weir.resource, tensor<2xf32>) -> !weir.control
      weir.fetch after(%c)
    }
    weir.graph @many(%n: tensor<i32>) -> (tensor<?xf32>) {
      %q = weir.handle @q
      %x, %c = weir.dequeue_many %q, %n : (!weir.resource, tensor<i32>) -> (tensor<?xf32>, !weir.control)
      weir.fetch %x : tensor<?xf32>
    })"));
  Tensor two(WEIR_F32, {2});
  two.write<float>()[0] = 8;
  ASSERT_TRUE(static_cast<bool>(interpreter.run("put", {two})));
  EXPECT_EQ(errorOf(interpreter.run("many", {i32(3)})).code(),
            WEIR_DEADLINE_EXCEEDED);
  EXPECT_EQ(first(interpreter.run("many", {i32(2)})), 8);
}

//===----------------------------------------------------------------------===//
// Errors, deadlines
//===----------------------------------------------------------------------===//

TEST_F(InterpreterTest, ErrorsHaveAClass) {
  Interpreter interpreter(parse(R"(
    weir.variable @w : tensor<f32>
    weir.queue @q capacity 1 of tensor<f32>
    weir.graph @closed() -> (tensor<f32>) {
      %q = weir.handle @q
      %c = weir.queue_close %q : (!weir.resource) -> !weir.control
      %x, %d = weir.dequeue %q after(%c) : (!weir.resource) -> (tensor<f32>, !weir.control)
      weir.fetch %x : tensor<f32>
    }
    weir.graph @index(%i: tensor<i32>) -> (tensor<f32>) {
      %t = weir.constant dense<1.0> : tensor<2xf32>
      %x = weir.gather %t, %i {axis = 0 : i64} : (tensor<2xf32>, tensor<i32>) -> tensor<f32>
      weir.fetch %x : tensor<f32>
    }
    weir.graph @foreign() {
      %c = weir.foreign {op = "X", reason = ""} : () -> !weir.control
      weir.fetch after(%c)
    })"));
  EXPECT_EQ(errorOf(interpreter.run("closed", {})).code(), WEIR_OUT_OF_RANGE);
  // Not OUT_OF_RANGE, which would look like the end of the data.
  EXPECT_EQ(errorOf(interpreter.run("index", {i32(5)})).code(),
            WEIR_INVALID_ARGUMENT);
  EXPECT_EQ(errorOf(interpreter.run("foreign", {})).code(), WEIR_UNIMPLEMENTED);
  EXPECT_EQ(errorOf(interpreter.run("none", {})).code(), WEIR_NOT_FOUND);
  EXPECT_EQ(errorOf(interpreter.run("index", {f32(5)})).code(),
            WEIR_INVALID_ARGUMENT);
  EXPECT_EQ(errorOf(interpreter.getVariable("w")).code(),
            WEIR_FAILED_PRECONDITION);
}

/// A loop that counts to %n; its body has some more nodes on the way.
static std::string loop(int more) {
  std::string body = "    %y0 = weir.add %t, %one : (tensor<i32>, "
                     "tensor<i32>) -> tensor<i32>\n";
  for (int i = 0; i < more; ++i)
    body += "    %y" + std::to_string(i + 1) + " = weir.identity %y" +
            std::to_string(i) + " : (tensor<i32>) -> tensor<i32>\n";
  return R"(
  weir.graph @count(%n: tensor<i32>) -> (tensor<i32>) {
    %zero = weir.constant dense<0> : tensor<i32>
    %one = weir.constant dense<1> : tensor<i32>
    %i0, %c0 = weir.enter %zero {frame = "f"} : (tensor<i32>) -> (tensor<i32>, !weir.control)
    %limit, %c1 = weir.enter %n {frame = "f", is_constant} : (tensor<i32>) -> (tensor<i32>, !weir.control)
    %i, %ii, %c2 = weir.merge %i0, %next : (tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>, !weir.control)
    %p = weir.compare %i, %limit {predicate = #weir.compare<ne>} : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %go, %c3 = weir.loop_cond %p : (tensor<i1>) -> (tensor<i1>, !weir.control)
    %f, %t, %c4 = weir.switch %i, %go : (tensor<i32>, tensor<i1>) -> (tensor<i32>, tensor<i32>, !weir.control)
)" + body +
         "    %next, %c5 = weir.next_iteration %y" + std::to_string(more) +
         R"( : (tensor<i32>) -> (tensor<i32>, !weir.control)
    %out, %c6 = weir.exit %f : (tensor<i32>) -> (tensor<i32>, !weir.control)
    weir.fetch %out : tensor<i32>
  })";
}

TEST_F(InterpreterTest, AnEndlessLoopEndsAtTheDeadline) {
  Interpreter interpreter(parse(loop(0)));
  rt::Status status = errorOf(interpreter.run(
      "count", {i32(-1)},
      Interruption(std::chrono::milliseconds(20), nullptr, {})));
  EXPECT_EQ(status.code(), WEIR_DEADLINE_EXCEEDED);
  EXPECT_TRUE(startsWith(status, "[WEIR0323]"));
}

TEST_F(InterpreterTest, AnEndlessLoopEndsWhenItIsCancelled) {
  Interpreter interpreter(parse(loop(0)));
  rt::CancellationToken token;
  std::thread other([&] { token.cancel("enough"); });
  rt::Status status = errorOf(interpreter.run(
      "count", {i32(-1)}, Interruption(std::nullopt, &token, {})));
  other.join();
  EXPECT_EQ(status.code(), WEIR_CANCELLED);
  EXPECT_TRUE(startsWith(status, "[WEIR0323]"));
  EXPECT_NE(std::string(status.message()).find("was cancelled: enough"),
            std::string::npos);
  // The interpreter goes on.
  EXPECT_EQ(first(interpreter.run("count", {i32(5)})), 5);
}

TEST_F(InterpreterTest, AnEndlessLoopEndsWhenItsCallerSaysSo) {
  Interpreter interpreter(parse(loop(0)));
  int asked = 0;
  rt::Status status = errorOf(interpreter.run(
      "count", {i32(-1)},
      Interruption(std::nullopt, nullptr, [&] { return ++asked == 2; })));
  EXPECT_EQ(status.code(), WEIR_CANCELLED);
  EXPECT_EQ(asked, 2);
}

/// The time that this thread has worked: what others do does not count.
static double workTime() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) +
         1e-9 * static_cast<double>(time.tv_nsec);
}

// Twenty times the iterations, not four hundred times the time.
TEST_F(InterpreterTest, LongLoopsTakeTimeInProportion) {
  Interpreter interpreter(parse(loop(13)));
  auto count = [&](int32_t to) {
    const double begin = workTime();
    EXPECT_EQ(first(interpreter.run("count", {i32(to)})), to);
    return workTime() - begin;
  };
  count(500);
  const double few = std::min({count(500), count(500), count(500)});
  EXPECT_LT(count(10000), 100 * few);
}

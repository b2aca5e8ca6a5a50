//===- DamageTest.cpp - Tables that are not in order ----------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/runtime/executor/FakeCalls.h"
#include "test/unit/runtime/executor/TableBuilder.h"

#include <functional>
#include <gtest/gtest.h>

using namespace weir::rt::test;
using Ref = TableBuilder::Ref;

// All values are of one kind here, so that a damaged edge that is in range is
// no error of its own: the kernels look at what they are given.
static int32_t carefulKernel(WeirStep *step) {
  int32_t total = 0;
  const WeirView &view = step->feeds[0];
  if (view.rank == 0 && view.dtype == WEIR_I32)
    total = *static_cast<const int32_t *>(view.data);
  int32_t *out = static_cast<int32_t *>(weir_rt_output(step, 0, nullptr));
  if (!out)
    return WEIR_RESOURCE_EXHAUSTED;
  *out = total + 1;
  return WEIR_OK;
}

static int32_t belowFive(WeirStep *step) {
  const WeirView &view = step->feeds[0];
  int32_t *out = static_cast<int32_t *>(weir_rt_output(step, 0, nullptr));
  if (!out)
    return WEIR_RESOURCE_EXHAUSTED;
  *out = view.rank == 0 && view.dtype == WEIR_I32 &&
         *static_cast<const int32_t *>(view.data) < 5;
  return WEIR_OK;
}

/// A bit of everything.
static void everything(TableBuilder &b) {
  Ref x = b.feed("x", WEIR_I32);
  Ref y = b.kernel("y", carefulKernel, {x}, WEIR_I32);
  Ref which = b.kernel("which", belowFive, {y}, WEIR_I32);
  Ref gate = b.switchOn("gate", y, which);
  Ref left = b.call("left", passCall, {gate.at(0)}, {WEIR_I32});
  Ref right = b.identity("right", gate.at(1), 0, {b.ran(y)});
  Ref merged = b.merge("merged", {left, right});
  int32_t loop = b.frame("loop", 0, 2);
  Ref i0 = b.enter("i0", merged, loop);
  Ref bound = b.enter("bound", x, loop, true);
  Ref i = b.merge("i", {i0, i0}, loop);
  Ref goOn = b.kernel("goOn", belowFive, {i, bound}, WEIR_I32, loop);
  Ref iGate = b.switchOn("iGate", i, goOn, loop);
  int32_t inner = b.frame("inner", loop, 1);
  Ref j0 = b.enter("j0", iGate.at(1), inner);
  Ref j = b.merge("j", {j0, j0}, inner);
  Ref jGate = b.switchOn("jGate", j, b.constant(0), inner);
  Ref j1 = b.kernel("j1", carefulKernel, {jGate.at(1)}, WEIR_I32, inner);
  b.setInput(j, 1, b.next("jNext", j1, inner));
  Ref jExit = b.exit("jExit", jGate.at(0), inner);
  Ref i1 = b.kernel("i1", carefulKernel, {iGate.at(1)}, WEIR_I32, loop,
                    {b.ran(jExit)});
  b.setInput(i, 1, b.next("iNext", i1, loop));
  Ref out = b.exit("iExit", iGate.at(0), loop);
  Ref after = b.noOp("after", {b.ran(out), merged});
  b.fetch(out, "out", {b.ran(b.trigger("trigger", {b.ran(after)}))});
  b.fetch(b.identity("k", b.constant(7)), "seven");
}

static int32_t runInt(WeirSession *session, WeirStatus &status,
                      const WeirRunOptions *options) {
  int32_t x = 1;
  WeirView view = {&x, nullptr, 0, WEIR_I32};
  WeirTensor *fetches[2] = {};
  int32_t code =
      weir_session_run_with(session, 0, &view, fetches, options, &status);
  for (WeirTensor *fetch : fetches)
    weir_tensor_release(fetch);
  return code;
}

namespace {

struct Case {
  const char *message;
  std::function<void(TableBuilder &)> damage;
};

} // namespace

/// Each damage to the table that `make` makes is an error with the message.
template <size_t N>
static void expectNamed(void (*make)(TableBuilder &), const Case (&cases)[N]) {
  for (const Case &each : cases) {
    TableBuilder b;
    make(b);
    const WeirProgram &program = b.program();
    each.damage(b);
    WeirStatus status = WEIR_STATUS_INIT;
    WeirSession *session = weir_session_create(&program, &status);
    ASSERT_NE(session, nullptr);
    EXPECT_EQ(runInt(session, status, nullptr), WEIR_INTERNAL);
    std::string message = status.message ? status.message : "";
    EXPECT_NE(message.find("[WEIR0321]"), std::string::npos) << message;
    EXPECT_NE(message.find(each.message), std::string::npos)
        << each.message << ": " << message;
    weir_status_clear(&status);
    weir_session_destroy(session);
  }
}

TEST(Damage, TheTableItselfIsInOrder) {
  TableBuilder b;
  everything(b);
  const WeirProgram &program = b.program();
  WeirStatus status = WEIR_STATUS_INIT;
  WeirSession *session = weir_session_create(&program, &status);
  ASSERT_NE(session, nullptr);
  EXPECT_EQ(runInt(session, status, nullptr), WEIR_OK) << status.message;
  weir_session_destroy(session);
}

TEST(Damage, IsNamed) {
  const Case cases[] = {
      {"is of kind 99", [](TableBuilder &b) { b.table()[3].kind = 99; }},
      {"is in frame 7", [](TableBuilder &b) { b.table()[3].frame = 7; }},
      {"is in frame -1", [](TableBuilder &b) { b.table()[3].frame = -1; }},
      {"has -1 inputs", [](TableBuilder &b) { b.table()[3].input_count = -1; }},
      {"has 2 control edges",
       [](TableBuilder &b) {
         b.table()[1].control_count = 2;
         b.table()[1].controls = nullptr;
       }},
      {"has no name", [](TableBuilder &b) { b.table()[1].name = nullptr; }},
      {"has no code", [](TableBuilder &b) { b.table()[1].kernel = nullptr; }},
      {"is feed 4", [](TableBuilder &b) { b.table()[0].index = 4; }},
      {"it has -5 nodes",
       [](TableBuilder &b) { b.dataflow().node_count = -5; }},
      {"it has 0 frames",
       [](TableBuilder &b) { b.dataflow().frame_count = 0; }},
      {"has no node", [](TableBuilder &b) { b.dataflow().node_count -= 1; }},
      {"frame 2 is inside itself",
       [](TableBuilder &b) { b.frames[2].parent = 2; }},
      {"frame 1 allows 0 iterations",
       [](TableBuilder &b) { b.frames[1].parallel_iterations = 0; }},
  };
  expectNamed(everything, cases);
}

/// Nodes 0 to 3: a feed, a send, a receive, a fetch.
static void transfers(TableBuilder &b) {
  Ref x = b.feed("x", WEIR_I32);
  b.send("t", {x}, 0, 1);
  b.fetch(b.receive("u", 1, 0, WEIR_I32), "y");
}

TEST(Damage, OfTransfersIsNamed) {
  const Case cases[] = {
      {"'send t') sends to another device in a loop; each tensor can cross "
       "once",
       [](TableBuilder &b) {
         b.frames.push_back({"loop", 0, 1});
         b.dataflow().frames = b.frames.data();
         b.dataflow().frame_count = 2;
         b.table()[1].frame = 1;
       }},
      {"receives and has 2 texts",
       [](TableBuilder &b) { b.table()[2].text_count = 2; }},
      {"receives and does not say which tensor",
       [](TableBuilder &b) {
         const_cast<WeirString *>(b.table()[2].texts)[0].size = 0;
       }},
      {"sends to another device and does not say to where",
       [](TableBuilder &b) {
         const_cast<WeirString *>(b.table()[1].texts)[2].data = nullptr;
       }},
      {"'send t') has 1 inputs and 1 outputs",
       [](TableBuilder &b) {
         b.table()[1].output_count = 1;
         b.table()[1].outputs = b.table()[0].outputs;
       }},
      {"'receive u') has 1 inputs and 1 outputs",
       [](TableBuilder &b) {
         b.table()[2].input_count = 1;
         b.table()[2].inputs = b.table()[1].inputs;
       }},
  };
  expectNamed(transfers, cases);
}

// Whatever number of a table is changed: the step ends, with an error or
// without one, and with all memory given back (the sanitizers tell).
TEST(Damage, RandomDamageNeverCrashes) {
  uint64_t state = 7;
  auto random = [&](int32_t bound) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<int32_t>((state >> 33) % static_cast<uint64_t>(bound));
  };
  int failures = 0;
  for (int round = 0; round < 3000; ++round) {
    TableBuilder b;
    everything(b);
    const WeirProgram &program = b.program();
    const int32_t count = b.dataflow().node_count;
    for (int change = 0; change <= round % 3; ++change) {
      WeirNodeDesc &node = b.table()[random(count)];
      const int32_t value = random(4) == 0 ? random(5) - 2 : random(count);
      switch (random(9)) {
      case 0:
        node.kind = random(15) - 1;
        break;
      case 1:
        node.index = value;
        break;
      case 2:
        node.frame = random(5) - 1;
        break;
      case 3:
        // No more than the arrays hold: lengths are not in the table.
        node.input_count = random(node.input_count + 1);
        break;
      case 4:
        node.control_count = random(node.control_count + 1);
        break;
      case 5:
        if (node.input_count > 0)
          const_cast<WeirEdge *>(node.inputs)[random(node.input_count)].node =
              value;
        break;
      case 6:
        if (node.input_count > 0)
          const_cast<WeirEdge *>(node.inputs)[random(node.input_count)].output =
              random(4) - 1;
        break;
      case 7:
        if (node.control_count > 0)
          const_cast<WeirEdge *>(node.controls)[0].node = value;
        break;
      case 8:
        b.frames[static_cast<size_t>(random(3))].parent = random(5) - 1;
        break;
      }
    }
    WeirStatus status = WEIR_STATUS_INIT;
    WeirSession *session = weir_session_create(&program, &status);
    ASSERT_NE(session, nullptr);
    WeirRunOptions options = WEIR_RUN_OPTIONS_INIT;
    // A loop may have become endless.
    options.timeout_ms = 20;
    options.threads = 1 + round % 2;
    for (int i = 0; i < 2; ++i)
      failures += runInt(session, status, &options) != WEIR_OK;
    weir_status_clear(&status);
    weir_session_destroy(session);
  }
  EXPECT_GT(failures, 100);
}

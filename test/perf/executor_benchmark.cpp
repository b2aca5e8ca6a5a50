//===- executor_benchmark.cpp - What a node costs in the executor ---------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints a JSON line for each workload, as the peers' programs do, or for those
// whose name holds the argument. Run it on one core (taskset -c 0) to compare.
//
//===----------------------------------------------------------------------===//

#include "runtime/executor/NodeCall.h"
#include "runtime/state/Queue.h"
#include "test/unit/runtime/executor/TableBuilder.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace weir::rt;
using namespace weir::rt::test;
using Ref = TableBuilder::Ref;

/// What the names of the workloads to run hold.
static const char *chosen = "";

static double microseconds() {
  return std::chrono::duration<double, std::micro>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// Times steps in batches for about half a second; gives the median.
template <typename Builder>
static double measure(const char *workload, Builder &builder,
                      const std::vector<float> &feeds, double operations,
                      const WeirRunOptions *options = nullptr) {
  if (!std::strstr(workload, chosen))
    return 0;
  TestSession session(builder);
  auto runOnce = [&] {
    if (session.run(feeds, options) != WEIR_OK) {
      std::fprintf(stderr, "error: %s: %s\n", workload,
                   session.message().c_str());
      std::exit(1);
    }
  };
  double begin = microseconds();
  for (int i = 0; i < 3; ++i)
    runOnce();
  const double once = (microseconds() - begin) / 3;
  const int batch = std::max(1, static_cast<int>(5000 / once));
  std::vector<double> times;
  for (double end = microseconds() + 500000; microseconds() < end;) {
    begin = microseconds();
    for (int i = 0; i < batch; ++i)
      runOnce();
    times.push_back((microseconds() - begin) / batch);
  }
  std::sort(times.begin(), times.end());
  const double median = times[times.size() / 2];
  std::printf("{\"system\": \"weir\", \"workload\": \"%s\", \"median_us\": "
              "%.3f, \"min_us\": %.3f, \"ns_per_op\": %.2f, "
              "\"ops_per_second\": %.3g}\n",
              workload, median, times[0], median * 1000 / operations,
              operations / median * 1e6);
  std::fflush(stdout);
  return median;
}

static void noOpGrid(int width, int depth) {
  TableBuilder b;
  std::vector<Ref> layer;
  for (int i = 0; i < width; ++i)
    layer.push_back(b.noOp("n", {}));
  for (int d = 1; d < depth; ++d)
    for (Ref &node : layer)
      node = b.noOp("n", {b.ran(node)});
  for (Ref &node : layer)
    node = b.ran(node);
  b.noOp("last", layer);
  measure(("no-op chains " + std::to_string(width) + " wide " +
           std::to_string(depth) + " deep")
              .c_str(),
          b, {}, width * depth);
}

static void addGrid(int width, int depth) {
  TableBuilder b;
  Ref one = b.feed("one");
  std::vector<Ref> layer;
  for (int i = 0; i < width; ++i)
    layer.push_back(
        b.kernel("add", addKernel, {one, b.constant(static_cast<float>(i))}));
  for (int d = 1; d < depth; ++d)
    for (Ref &node : layer)
      node = b.kernel("add", addKernel, {node, one});
  for (Ref &node : layer)
    node = b.ran(node);
  b.noOp("last", layer);
  measure(("scalar-add chains " + std::to_string(width) + " wide " +
           std::to_string(depth) + " deep")
              .c_str(),
          b, {1}, width * depth);
}

/// i < 10000 ? (i + 1, a * 0.999 + 1), each operation a node.
static void whileLoop() {
  constexpr int32_t kIterations = 10000;
  TableBuilder b;
  int32_t loop = b.frame("loop", 0, 10);
  Ref i0 = b.enter("i", b.constant(0), loop);
  Ref a0 = b.enter("a", b.constant(1.0f), loop);
  Ref i = b.merge("i/merge", {i0, i0}, loop);
  Ref a = b.merge("a/merge", {a0, a0}, loop);
  Ref less = b.kernel("less", lessKernel, {i, b.constant(kIterations)},
                      WEIR_BOOL, loop);
  Ref goOn = b.identity("condition", less, loop);
  Ref iGate = b.switchOn("i/switch", i, goOn, loop);
  Ref aGate = b.switchOn("a/switch", a, goOn, loop);
  Ref iBody = b.identity("i/body", iGate.at(1), loop);
  Ref aBody = b.identity("a/body", aGate.at(1), loop);
  Ref i1 = b.kernel("increment", incrementKernel, {iBody}, WEIR_I32, loop);
  Ref product =
      b.kernel("mul", mulKernel, {aBody, b.constant(0.999f)}, WEIR_F32, loop);
  Ref a1 =
      b.kernel("add", addKernel, {product, b.constant(1.0f)}, WEIR_F32, loop);
  b.setInput(i, 1, b.next("i/next", i1, loop));
  b.setInput(a, 1, b.next("a/next", a1, loop));
  b.exit("i/exit", iGate.at(0), loop);
  b.fetch(b.exit("a/exit", aGate.at(0), loop), "a");
  measure("V1 while (Switch/Merge), 10,000 iterations", b, {}, kIterations);
}

/// Some microseconds of work that does not end early: y = x, a little larger.
template <int Rounds> static int32_t longKernel(WeirStep *step) {
  float y = *static_cast<const float *>(step->feeds[0].data);
  for (int i = 0; i < Rounds; ++i)
    y = y * 0.999f + 1.0f;
  *static_cast<float *>(weir_rt_output(step, 0, nullptr)) = y;
  return WEIR_OK;
}

/// Kernels that wait for nothing, or for the one before in their chain, run by
/// one thread and by two.
template <int Rounds>
static void parallelKernels(const char *size, int width, int depth) {
  double times[3] = {};
  for (int32_t threads : {1, 2}) {
    TableBuilder b;
    std::vector<Ref> chains(static_cast<size_t>(width), b.feed("x"));
    for (int d = 0; d < depth; ++d)
      for (Ref &node : chains)
        node = b.kernel("long", longKernel<Rounds>, {node});
    for (Ref &node : chains)
      node = b.ran(node);
    b.noOp("last", chains);
    WeirRunOptions options = WEIR_RUN_OPTIONS_INIT;
    options.threads = threads;
    times[threads] = measure((std::to_string(width) + " chains of " +
                              std::to_string(depth) + " kernels of " + size +
                              ", threads: " + std::to_string(threads))
                                 .c_str(),
                             b, {1}, width * depth, &options);
  }
  if (times[1] > 0)
    std::printf("{\"system\": \"weir\", \"workload\": \"the same, two "
                "threads beside one\", \"speed_up\": %.2f}\n",
                times[1] / times[2]);
}

static std::shared_ptr<Queue> queue;

static void enqueueCall(WeirNodeCall *call) {
  queue->enqueue(
      QueueTuple{call->inputs[0]},
      [call](Status status, QueueTuple) { call->finish(std::move(status)); },
      call->token());
}

static void dequeueCall(WeirNodeCall *call) {
  queue->dequeue(
      [call](Status status, QueueTuple result) {
        if (status.ok())
          call->outputs[0] = result[0];
        call->finish(std::move(status));
      },
      call->token());
}

static void queueStep() {
  QueueSpec spec;
  spec.name = "q";
  spec.capacity = 100;
  spec.components.push_back({WEIR_F32, true, {}});
  if (!Queue::create(spec, queue).ok())
    std::exit(1);
  TableBuilder b;
  Ref in = b.call("enqueue", enqueueCall, {b.constant(1.0f)}, {});
  b.call("dequeue", dequeueCall, {}, {WEIR_F32}, {b.ran(in)});
  measure("queue enqueue+dequeue in one step", b, {}, 1);
}

/// A tensor goes over `parts` devices and comes back, one after the other.
static void transfers(int32_t parts) {
  SpreadBuilder spread;
  std::vector<TableBuilder *> list;
  for (int32_t i = 0; i < parts; ++i)
    list.push_back(&spread.part(TableBuilder::device(i)));
  list[0]->send("x", {list[0]->feed("x")}, 0, 1);
  for (int32_t i = 1; i < parts; ++i)
    list[static_cast<size_t>(i)]->send(
        "x", {list[static_cast<size_t>(i)]->receive("x", i - 1, i)}, i,
        (i + 1) % parts);
  list[0]->fetch(list[0]->receive("x", parts - 1, 0), "y");
  measure(("a scalar around " + std::to_string(parts) + " devices").c_str(),
          spread, {1}, parts);
}

int main(int argc, char **argv) {
  if (argc > 1)
    chosen = argv[1];
  {
    TableBuilder b;
    b.noOp("no", {});
    measure("null step, no-op", b, {}, 1);
  }
  {
    TableBuilder b;
    b.fetch(b.kernel("add", addKernel, {b.feed("x"), b.constant(1.0f)}), "y");
    measure("null step, x + 1", b, {1}, 1);
  }
  noOpGrid(16, 1024);
  noOpGrid(1024, 64);
  addGrid(16, 1024);
  addGrid(1024, 64);
  whileLoop();
  queueStep();
  // Needs two cores.
  parallelKernels<600>("1 us", 64, 8);
  parallelKernels<1300>("2.5 us", 64, 8);
  parallelKernels<2600>("5 us", 64, 8);
  parallelKernels<10000>("20 us", 64, 8);
  parallelKernels<10000>("20 us", 2, 64);
  transfers(2);
  transfers(5);
  return 0;
}

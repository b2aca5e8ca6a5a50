//===- ConditionalAccumulatorTest.cpp - Tests of accumulators -------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/state/ConditionalAccumulator.h"
#include "runtime/base/Half.h"
#include "runtime/state/QueueWaiter.h"
#include "test/unit/runtime/state/QueueTestUtil.h"

#include <thread>

using namespace weir::rt;
using namespace weir::rt::test;

static TensorRef floats(const std::vector<int64_t> &dims,
                        const std::vector<float> &values) {
  TensorRef tensor;
  EXPECT_TRUE(createTensor(WEIR_F32, static_cast<int32_t>(dims.size()),
                           dims.data(), tensor)
                  .ok());
  if (!values.empty())
    std::memcpy(tensor.get()->data, values.data(), values.size() * 4);
  return tensor;
}

static std::vector<float> floatsOf(const Outcome &outcome) {
  EXPECT_TRUE(outcome.ok()) << outcome.status.message();
  if (outcome.tuple.size() != 1)
    return {};
  WeirView view = outcome.tuple[0].view();
  const float *data = static_cast<const float *>(view.data);
  return std::vector<float>(data, data + viewBytes(view) / 4);
}

static std::shared_ptr<ConditionalAccumulator> make(AccumulatorSpec spec) {
  spec.name = "acc";
  std::shared_ptr<ConditionalAccumulator> accumulator;
  Status status = ConditionalAccumulator::create(spec, accumulator);
  EXPECT_TRUE(status.ok()) << status.message();
  return accumulator;
}

static AccumulatorSpec pairs() {
  AccumulatorSpec spec;
  spec.hasShape = true;
  spec.dims = {2};
  return spec;
}

using Floats = std::vector<float>;

TEST(ConditionalAccumulator, ChecksItsDeclaration) {
  std::shared_ptr<ConditionalAccumulator> accumulator;
  AccumulatorSpec spec = pairs();
  spec.name = "acc";
  spec.dtype = WEIR_I32;
  Status status = ConditionalAccumulator::create(spec, accumulator);
  EXPECT_EQ(status.code(), WEIR_INVALID_ARGUMENT);
  EXPECT_STREQ(status.message(),
               "[WEIR0348] accumulator 'acc' has element type i32; it must be "
               "f32, f64, f16 or bf16");
  spec = pairs();
  spec.dims = {-2};
  EXPECT_EQ(ConditionalAccumulator::create(spec, accumulator).code(),
            WEIR_INVALID_ARGUMENT);
  EXPECT_FALSE(accumulator);
}

// The mean is that of all gradients that are in, also beyond the number asked
// for; then it starts anew.
TEST(ConditionalAccumulator, TakesTheMean) {
  auto accumulator = make(pairs());
  TensorRef first = floats({2}, {1, 2});
  ASSERT_TRUE(accumulator->apply(0, first).ok());
  ASSERT_TRUE(accumulator->apply(0, floats({2}, {3, 5})).ok());
  ASSERT_TRUE(accumulator->apply(0, floats({2}, {5, 2})).ok());
  EXPECT_EQ(accumulator->accumulated(), 3);
  Outcome out;
  accumulator->take(2, out.done());
  EXPECT_EQ(floatsOf(out), (Floats{3, 3}));
  EXPECT_EQ(accumulator->accumulated(), 0);
  EXPECT_EQ(accumulator->step(), 1);
  // The callers' tensors are as they were.
  EXPECT_EQ(static_cast<float *>(first.view().data)[1], 2);
}

TEST(ConditionalAccumulator, TakesTheSum) {
  AccumulatorSpec spec = pairs();
  spec.reduction = Reduction::Sum;
  auto accumulator = make(spec);
  for (int i = 0; i < 3; ++i)
    ASSERT_TRUE(accumulator->apply(0, floats({2}, {1, 2.5})).ok());
  Outcome out;
  accumulator->take(3, out.done());
  EXPECT_EQ(floatsOf(out), (Floats{3, 7.5}));
}

// The values that TensorFlow 2.21 gives: sums rounded each time, then divided.
TEST(ConditionalAccumulator, RoundsAsTensorFlow) {
  const double factors[] = {1, 3, 7}, gradients[] = {1.1, 2.3, 5.7};
  auto mean = [&](WeirDType dtype, auto store) {
    AccumulatorSpec spec = pairs();
    spec.dtype = dtype;
    spec.dims = {3};
    auto accumulator = make(spec);
    for (double gradient : gradients) {
      TensorRef tensor;
      const int64_t dims[] = {3};
      EXPECT_TRUE(createTensor(dtype, 1, dims, tensor).ok());
      for (int i = 0; i < 3; ++i)
        store(tensor.view().data, i, gradient * factors[i]);
      EXPECT_TRUE(accumulator->apply(0, tensor).ok());
    }
    Outcome out;
    accumulator->take(1, out.done());
    EXPECT_TRUE(out.ok());
    return out.tuple[0];
  };
  TensorRef single = mean(WEIR_F32, [](void *data, int i, double value) {
    static_cast<float *>(data)[i] = static_cast<float>(value);
  });
  const float singles[] = {0x1.844446p+1f, 0x1.233332p+3f, 0x1.53bbbcp+4f};
  EXPECT_EQ(std::memcmp(single.view().data, singles, sizeof(singles)), 0);
  TensorRef wide = mean(WEIR_F64, [](void *data, int i, double value) {
    static_cast<double *>(data)[i] = value;
  });
  const double doubles[] = {0x1.8444444444444p+1, 0x1.2333333333333p+3,
                            0x1.53bbbbbbbbbbbp+4};
  EXPECT_EQ(std::memcmp(wide.view().data, doubles, sizeof(doubles)), 0);
  TensorRef half = mean(WEIR_F16, [](void *data, int i, double value) {
    static_cast<uint16_t *>(data)[i] = floatToF16(static_cast<float>(value));
  });
  const uint16_t halves[] = {floatToF16(0x1.844p+1f), floatToF16(0x1.234p+3f),
                             floatToF16(0x1.53cp+4f)};
  EXPECT_EQ(std::memcmp(half.view().data, halves, sizeof(halves)), 0);
  TensorRef brain = mean(WEIR_BF16, [](void *data, int i, double value) {
    static_cast<uint16_t *>(data)[i] = floatToBf16(static_cast<float>(value));
  });
  const uint16_t *brains = static_cast<const uint16_t *>(brain.view().data);
  for (int i = 0; i < 3; ++i)
    EXPECT_NEAR(bf16ToFloat(brains[i]), 9.1 / 3 * factors[i],
                9.1 / 3 * factors[i] / 128);
}

TEST(ConditionalAccumulator, DropsStaleGradients) {
  auto accumulator = make(pairs());
  accumulator->setStep(3);
  EXPECT_TRUE(accumulator->apply(2, floats({2}, {100, 100})).ok());
  // Dropped before anybody looks at the shape.
  EXPECT_TRUE(accumulator->apply(2, floats({3}, {1, 1, 1})).ok());
  EXPECT_EQ(accumulator->accumulated(), 0);
  EXPECT_TRUE(accumulator->apply(3, floats({2}, {1, 2})).ok());
  EXPECT_TRUE(accumulator->apply(9, floats({2}, {3, 4})).ok());
  Outcome out;
  accumulator->take(2, out.done());
  EXPECT_EQ(floatsOf(out), (Floats{2, 3}));
  // A take goes to the next step, so what was fresh is stale now.
  EXPECT_EQ(accumulator->step(), 4);
  EXPECT_TRUE(accumulator->apply(3, floats({2}, {1, 2})).ok());
  EXPECT_EQ(accumulator->accumulated(), 0);
}

TEST(ConditionalAccumulator, StepsMayBeSetBack) {
  auto accumulator = make(pairs());
  accumulator->setStep(5);
  EXPECT_TRUE(accumulator->apply(5, floats({2}, {1, 2})).ok());
  accumulator->setStep(2);
  EXPECT_EQ(accumulator->step(), 2);
  EXPECT_TRUE(accumulator->apply(3, floats({2}, {1, 2})).ok());
  EXPECT_EQ(accumulator->accumulated(), 2);
}

TEST(ConditionalAccumulator, TakersWaitInOrder) {
  auto accumulator = make(pairs());
  Outcome two, one;
  accumulator->take(2, two.done());
  accumulator->take(1, one.done());
  EXPECT_TRUE(accumulator->apply(0, floats({2}, {1, 1})).ok());
  EXPECT_TRUE(two.waits());
  EXPECT_TRUE(one.waits());
  EXPECT_TRUE(accumulator->apply(0, floats({2}, {3, 3})).ok());
  EXPECT_EQ(floatsOf(two), (Floats{2, 2}));
  EXPECT_TRUE(one.waits());
  EXPECT_TRUE(accumulator->apply(1, floats({2}, {7, 7})).ok());
  EXPECT_EQ(floatsOf(one), (Floats{7, 7}));
}

TEST(ConditionalAccumulator, ChecksGradients) {
  auto accumulator = make(pairs());
  Status status = accumulator->apply(0, floats({3}, {1, 2, 3}));
  EXPECT_EQ(status.code(), WEIR_INVALID_ARGUMENT);
  EXPECT_STREQ(status.message(), "[WEIR0349] accumulator 'acc': shape "
                                 "mismatch; expected tensor<2xf32>, got "
                                 "tensor<3xf32>");
  EXPECT_EQ(accumulator->apply(0, floats({}, {1})).code(),
            WEIR_INVALID_ARGUMENT);
  status = accumulator->apply(0, vector({1, 2}));
  EXPECT_STREQ(status.message(), "[WEIR0349] accumulator 'acc': type "
                                 "mismatch; expected f32, got tensor<2xi64>");
  status = accumulator->apply(0, TensorRef());
  EXPECT_EQ(status.code(), WEIR_INVALID_ARGUMENT);
  EXPECT_EQ(accumulator->accumulated(), 0);
  Outcome zero;
  accumulator->take(0, zero.done());
  EXPECT_EQ(zero.error(WEIR_INVALID_ARGUMENT),
            "[WEIR0349] accumulator 'acc': the number of gradients to take "
            "must be positive, but was 0");
}

// Without a declared shape the first gradient after a take decides.
TEST(ConditionalAccumulator, OpenShapes) {
  AccumulatorSpec spec;
  auto accumulator = make(spec);
  EXPECT_TRUE(accumulator->apply(0, floats({2}, {1, 2})).ok());
  Status status = accumulator->apply(0, floats({3}, {1, 2, 3}));
  EXPECT_STREQ(status.message(),
               "[WEIR0349] accumulator 'acc': shape mismatch; expected "
               "tensor<2xf32> as the gradients before it, got tensor<3xf32>");
  Outcome first, second;
  accumulator->take(1, first.done());
  EXPECT_EQ(floatsOf(first), (Floats{1, 2}));
  EXPECT_TRUE(accumulator->apply(1, floats({1, 1}, {4})).ok());
  accumulator->take(1, second.done());
  EXPECT_EQ(floatsOf(second), Floats{4});
  spec.hasShape = true;
  spec.dims = {-1, 2};
  accumulator = make(spec);
  EXPECT_FALSE(accumulator->apply(0, floats({1, 3}, {1, 2, 3})).ok());
  EXPECT_TRUE(accumulator->apply(0, floats({0, 2}, {})).ok());
  EXPECT_FALSE(accumulator->apply(0, floats({1, 2}, {1, 2})).ok());
}

TEST(ConditionalAccumulator, CancelledTakersTakeNothing) {
  auto accumulator = make(pairs());
  CancellationToken token;
  Outcome cancelled, next, late;
  accumulator->take(3, cancelled.done(), &token);
  accumulator->take(1, next.done());
  EXPECT_TRUE(accumulator->apply(0, floats({2}, {1, 2})).ok());
  EXPECT_TRUE(next.waits());
  token.cancel("the step was stopped");
  EXPECT_EQ(cancelled.error(WEIR_CANCELLED),
            "[WEIR0342] take from accumulator 'acc' was cancelled: the step "
            "was stopped");
  EXPECT_EQ(floatsOf(next), (Floats{1, 2}));
  accumulator->take(1, late.done(), &token);
  late.error(WEIR_CANCELLED);
  QueueWaiter waiter;
  QueueTuple none;
  accumulator->take(1, waiter.done(), waiter.token());
  Status status = waiter.wait(std::chrono::milliseconds(1), none);
  EXPECT_EQ(status.code(), WEIR_DEADLINE_EXCEEDED);
  EXPECT_NE(std::strstr(status.message(), "[WEIR0343]"), nullptr);
  Outcome last;
  accumulator->take(1, last.done());
  accumulator.reset();
  last.error(WEIR_CANCELLED);
}

// Synchronous training by many threads: each take sees as many gradients as it
// asks for or more, and each gradient is in one mean, or dropped.
TEST(ConditionalAccumulator, ManyWorkers) {
  AccumulatorSpec spec = pairs();
  spec.reduction = Reduction::Sum;
  auto accumulator = make(spec);
  constexpr int kWorkers = 4, kEach = 2000;
  double total = 0;
  std::atomic<bool> working{true};
  std::thread chief([&] {
    for (;;) {
      QueueWaiter waiter;
      QueueTuple tuple;
      accumulator->take(3, waiter.done(), waiter.token());
      Status status =
          waiter.wait(std::chrono::milliseconds(working ? 1000 : 1), tuple);
      if (status.ok()) {
        EXPECT_GE(static_cast<float *>(tuple[0].view().data)[0], 3);
        total +=
            static_cast<double>(static_cast<float *>(tuple[0].view().data)[0]);
      } else if (!working) {
        return;
      }
    }
  });
  std::vector<std::thread> workers;
  for (int t = 0; t < kWorkers; ++t)
    workers.emplace_back([&] {
      // Far ahead, so that none is stale.
      for (int i = 0; i < kEach; ++i)
        EXPECT_TRUE(accumulator->apply(1 << 30, floats({2}, {1, 0})).ok());
    });
  for (std::thread &worker : workers)
    worker.join();
  working = false;
  chief.join();
  EXPECT_EQ(total + static_cast<double>(accumulator->accumulated()),
            kWorkers * kEach);
}

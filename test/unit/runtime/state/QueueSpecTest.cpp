//===- QueueSpecTest.cpp - Tests of declarations of queues ----------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/runtime/state/QueueTestUtil.h"

using namespace weir::rt;
using namespace weir::rt::test;

/// The message of an INVALID_ARGUMENT.
static std::string refusal(Status status) {
  EXPECT_EQ(status.code(), WEIR_INVALID_ARGUMENT);
  return status.message();
}

TEST(QueueSpec, ChecksCapacity) {
  EXPECT_TRUE(checkQueueSpec(scalarQueue(-1)).ok());
  EXPECT_TRUE(checkQueueSpec(scalarQueue(1)).ok());
  EXPECT_EQ(refusal(checkQueueSpec(scalarQueue(-2))),
            "[WEIR0346] FIFO queue 'q' has capacity -2; give at least 1, or -1 "
            "for no bound");
  refusal(checkQueueSpec(scalarQueue(0)));
  std::shared_ptr<Queue> queue;
  refusal(Queue::create(scalarQueue(-2), queue));
  EXPECT_FALSE(queue);
}

TEST(QueueSpec, ChecksComponents) {
  QueueSpec spec = scalarQueue(1);
  spec.components[0].dims = {2, -1};
  EXPECT_TRUE(checkQueueSpec(spec).ok());
  spec.components[0].dims = {-2};
  EXPECT_EQ(refusal(checkQueueSpec(spec)),
            "[WEIR0346] FIFO queue 'q' has component 0 with extent -2; an "
            "extent is -1 (not known) or at least 0");
  spec.components[0].dims.assign(32, 1);
  EXPECT_NE(refusal(checkQueueSpec(spec)).find("rank 32"), std::string::npos);
  spec.components[0].dims.assign(31, 1);
  EXPECT_TRUE(checkQueueSpec(spec).ok());
  spec.components.push_back({static_cast<WeirDType>(8), true, {}});
  EXPECT_NE(refusal(checkQueueSpec(spec)).find("component 1 of element type 8"),
            std::string::npos);
  spec.components.clear();
  EXPECT_NE(refusal(checkQueueSpec(spec)).find("has no components"),
            std::string::npos);
}

TEST(QueueSpec, ChecksMinAfterDequeue) {
  QueueSpec spec = scalarQueue(5, QueueKind::RandomShuffle);
  spec.minAfterDequeue = 4;
  EXPECT_TRUE(checkQueueSpec(spec).ok());
  spec.minAfterDequeue = 5;
  EXPECT_NE(
      refusal(checkQueueSpec(spec)).find("min_after_dequeue 5 and capacity 5"),
      std::string::npos);
  spec.capacity = -1;
  EXPECT_TRUE(checkQueueSpec(spec).ok());
  spec.minAfterDequeue = -1;
  EXPECT_NE(refusal(checkQueueSpec(spec)).find("must be at least 0"),
            std::string::npos);
}

TEST(QueueSpec, PaddingNeedsRanks) {
  QueueSpec spec = scalarQueue(5, QueueKind::PaddingFifo);
  spec.components[0].dims = {-1};
  EXPECT_TRUE(checkQueueSpec(spec).ok());
  spec.components[0] = {WEIR_I64, false, {}};
  EXPECT_NE(refusal(checkQueueSpec(spec)).find("without a shape"),
            std::string::npos);
}

TEST(QueueSpec, PriorityIsAnI64Scalar) {
  QueueSpec spec = scalarQueue(5, QueueKind::Priority);
  spec.components[0].dtype = WEIR_I32;
  EXPECT_NE(refusal(checkQueueSpec(spec))
                .find("first component tensor<i32>; it is the priority and "
                      "must be tensor<i64>"),
            std::string::npos);
  spec.components[0] = {WEIR_I64, true, {1}};
  refusal(checkQueueSpec(spec));
  spec.components[0] = {WEIR_I64, false, {}};
  EXPECT_NE(refusal(checkQueueSpec(spec)).find("tensor<*xi64>"),
            std::string::npos);
}

// Opening a queue that exists under another declaration states both values.
TEST(QueueSpec, SameQueue) {
  QueueSpec spec = scalarQueue(5, QueueKind::RandomShuffle);
  spec.seed = 1;
  EXPECT_TRUE(checkSameQueue(spec, spec).ok());
  QueueSpec other = spec;
  other.capacity = 6;
  EXPECT_EQ(refusal(checkSameQueue(spec, other)),
            "[WEIR0347] shared queue 'q' has capacity 5 but requested was 6; "
            "use the same declaration, or another name");
  other = spec;
  other.kind = QueueKind::Fifo;
  EXPECT_NE(refusal(checkSameQueue(spec, other))
                .find("kind random-shuffle queue but requested was FIFO queue"),
            std::string::npos);
  other = spec;
  other.minAfterDequeue = 2;
  EXPECT_NE(refusal(checkSameQueue(spec, other))
                .find("min_after_dequeue 0 but requested was 2"),
            std::string::npos);
  other = spec;
  other.seed2 = 9;
  EXPECT_NE(refusal(checkSameQueue(spec, other))
                .find("random seeds (1, 0) but requested was (1, 9)"),
            std::string::npos);
  other.seed = other.seed2 = 0;
  EXPECT_TRUE(checkSameQueue(spec, other).ok());
  other = spec;
  other.components[0].dims = {3};
  EXPECT_NE(refusal(checkSameQueue(spec, other))
                .find("component 0 of type tensor<i64> but requested was "
                      "tensor<3xi64>"),
            std::string::npos);
  other.components[0] = {WEIR_F32, true, {}};
  refusal(checkSameQueue(spec, other));
  other.components[0] = {WEIR_I64, false, {}};
  refusal(checkSameQueue(spec, other));
  other.components.clear();
  refusal(checkSameQueue(spec, other));
}

TEST(QueueSpec, ChecksElements) {
  QueueSpec spec = scalarQueue(5);
  spec.components.push_back({WEIR_I64, true, {2, -1}});
  EXPECT_TRUE(checkQueueElement(spec, {scalar(1), ints({2, 1}, {1, 2})}).ok());
  EXPECT_TRUE(checkQueueElement(spec, {scalar(1), ints({2, 0}, {})}).ok());
  EXPECT_EQ(refusal(checkQueueElement(spec, {scalar(1)})),
            "[WEIR0344] queue 'q': wrong number of components; an element has "
            "2, the value has 1");
  EXPECT_EQ(refusal(checkQueueElement(spec, {scalar(1), vector({1, 2})})),
            "[WEIR0344] queue 'q': shape mismatch in component 1; expected "
            "tensor<2x?xi64>, got tensor<2xi64>");
  refusal(checkQueueElement(spec, {scalar(1), ints({1, 2}, {1, 2})}));
  EXPECT_EQ(
      refusal(checkQueueElement(spec, {strings({}, {"a"}), ints({2, 0}, {})})),
      "[WEIR0344] queue 'q': type mismatch in component 0; expected "
      "tensor<i64>, got tensor<!weir.string>");
  EXPECT_EQ(refusal(checkQueueElement(spec, QueueTuple(2))),
            "[WEIR0344] queue 'q': component 0 has no value");
}

TEST(QueueSpec, ChecksBatches) {
  QueueSpec spec = scalarQueue(5);
  spec.components.push_back({WEIR_I64, true, {2}});
  int64_t count = 0;
  EXPECT_TRUE(
      checkQueueBatch(spec, {vector({1, 2, 3}), ints({3, 2}, Values(6))}, count)
          .ok());
  EXPECT_EQ(count, 3);
  EXPECT_EQ(refusal(checkQueueBatch(
                spec, {vector({1, 2, 3}), ints({2, 2}, Values(4))}, count)),
            "[WEIR0344] queue 'q': all components must have the same size in "
            "dimension 0; component 1 has 2, component 0 has 3");
  EXPECT_EQ(
      refusal(
          checkQueueBatch(spec, {scalar(1), ints({2, 2}, Values(4))}, count)),
      "[WEIR0344] queue 'q': shape mismatch in component 0; expected a batch "
      "of tensor<i64>, got tensor<i64>");
  refusal(checkQueueBatch(spec, {vector({1, 2}), vector({1, 2})}, count));
}

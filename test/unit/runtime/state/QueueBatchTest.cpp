//===- QueueBatchTest.cpp - Tests of batches and of padding ---------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/runtime/state/QueueTestUtil.h"

using namespace weir::rt;
using namespace weir::rt::test;

static QueueSpec padding(std::vector<int64_t> dims,
                         WeirDType dtype = WEIR_I64) {
  QueueSpec spec = scalarQueue(-1, QueueKind::PaddingFifo);
  spec.components = {{dtype, true, std::move(dims)}};
  return spec;
}

static void add(Queue &queue, TensorRef tensor) {
  Outcome outcome;
  queue.enqueue({std::move(tensor)}, outcome.done());
  ASSERT_TRUE(outcome.ok()) << outcome.status.message();
}

TEST(PaddingFifoQueue, PadsToTheLargest) {
  auto queue = makeQueue(padding({-1}));
  add(*queue, vector({1}));
  add(*queue, vector({2, 3, 4}));
  add(*queue, vector({}));
  Outcome out;
  queue->dequeueMany(3, out.done());
  EXPECT_EQ(out.values(), (Values{1, 0, 0, 2, 3, 4, 0, 0, 0}));
  EXPECT_EQ(dimsOf(out.tuple[0]), (Values{3, 3}));
}

// Each open extent has its own largest, perhaps of different elements.
TEST(PaddingFifoQueue, PadsSeveralExtents) {
  auto queue = makeQueue(padding({-1, 2, -1}));
  add(*queue, ints({1, 2, 3}, {1, 2, 3, 4, 5, 6}));
  add(*queue, ints({2, 2, 1}, {7, 8, 9, 10}));
  Outcome out;
  queue->dequeueMany(2, out.done());
  EXPECT_EQ(dimsOf(out.tuple[0]), (Values{2, 2, 2, 3}));
  EXPECT_EQ(out.values(), (Values{1, 2, 3, 4, 5, 6, 0, 0, 0, 0,  0, 0, //
                                  7, 0, 0, 8, 0, 0, 9, 0, 0, 10, 0, 0}));
}

// The largest of those that are in the batch, not of all.
TEST(PaddingFifoQueue, EachBatchHasItsOwnExtents) {
  auto queue = makeQueue(padding({-1}));
  add(*queue, vector({1}));
  add(*queue, vector({2}));
  add(*queue, vector({3, 4}));
  Outcome first, rest, closing, single;
  queue->dequeueMany(2, first.done());
  EXPECT_EQ(dimsOf(first.tuple[0]), (Values{2, 1}));
  queue->dequeueUpTo(9, rest.done());
  queue->close(false, closing.done());
  EXPECT_EQ(dimsOf(rest.tuple[0]), (Values{1, 2}));
  EXPECT_EQ(rest.values(), (Values{3, 4}));
}

TEST(PaddingFifoQueue, SingleElementsAreNotPadded) {
  auto queue = makeQueue(padding({-1, -1}));
  Outcome in, out, none;
  queue->enqueueMany({ints({2, 1, 2}, {1, 2, 3, 4})}, in.done());
  add(*queue, ints({2, 2}, {5, 6, 7, 8}));
  queue->dequeue(out.done());
  EXPECT_EQ(dimsOf(out.tuple[0]), (Values{1, 2}));
  queue->dequeueMany(0, none.done());
  ASSERT_TRUE(none.ok());
  EXPECT_EQ(dimsOf(none.tuple[0]), (Values{0, 0, 0}));
}

TEST(PaddingFifoQueue, RefusesOtherShapes) {
  auto queue = makeQueue(padding({-1, 3}));
  Outcome rank, extent, batch;
  queue->enqueue({vector({1})}, rank.done());
  rank.error(WEIR_INVALID_ARGUMENT);
  queue->enqueue({ints({1, 2}, {1, 2})}, extent.done());
  EXPECT_EQ(extent.error(WEIR_INVALID_ARGUMENT),
            "[WEIR0344] queue 'q': shape mismatch in component 0; expected "
            "tensor<?x3xi64>, got tensor<1x2xi64>");
  queue->enqueueMany({ints({1, 3}, {1, 2, 3})}, batch.done());
  batch.error(WEIR_INVALID_ARGUMENT);
}

TEST(PaddingFifoQueue, PadsStringsWithEmptyOnes) {
  auto queue = makeQueue(padding({-1}, WEIR_STRING));
  add(*queue, strings({1}, {"one"}));
  add(*queue, strings({3}, {"", "two", std::string("a\0b", 3)}));
  Outcome out;
  queue->dequeueMany(2, out.done());
  ASSERT_TRUE(out.ok());
  EXPECT_EQ(dimsOf(out.tuple[0]), (Values{2, 3}));
  EXPECT_EQ(textsOf(out.tuple[0]),
            (std::vector<std::string>{"one", "", "", "", "two",
                                      std::string("a\0b", 3)}));
}

// The batch owns its strings: the elements may go.
TEST(QueueBatch, StringsBothWays) {
  QueueSpec spec = scalarQueue(-1);
  spec.components = {{WEIR_STRING, true, {2}}};
  auto queue = makeQueue(spec);
  Outcome in, out;
  queue->enqueueMany({strings({2, 2}, {"a", "bc", "", "defg"})}, in.done());
  ASSERT_TRUE(in.ok());
  queue->dequeueMany(2, out.done());
  queue.reset();
  ASSERT_TRUE(out.ok());
  EXPECT_EQ(textsOf(out.tuple[0]),
            (std::vector<std::string>{"a", "bc", "", "defg"}));
}

TEST(QueueBatch, ElementsWithoutData) {
  QueueSpec spec = scalarQueue(-1);
  spec.components[0].dims = {0, 4};
  auto queue = makeQueue(spec);
  Outcome in, out;
  queue->enqueueMany({ints({3, 0, 4}, {})}, in.done());
  EXPECT_EQ(queue->size(), 3);
  queue->dequeueMany(3, out.done());
  ASSERT_TRUE(out.ok());
  EXPECT_EQ(dimsOf(out.tuple[0]), (Values{3, 0, 4}));
}

TEST(QueueBatch, AllElementTypes) {
  for (WeirDType dtype :
       {WEIR_F32, WEIR_F64, WEIR_F16, WEIR_BF16, WEIR_BOOL, WEIR_I8, WEIR_U8,
        WEIR_I16, WEIR_U16, WEIR_I32, WEIR_U32, WEIR_I64, WEIR_U64}) {
    QueueSpec spec = scalarQueue(-1);
    spec.components = {{dtype, true, {5}}};
    auto queue = makeQueue(spec);
    const int64_t dims[] = {3, 5};
    TensorRef batch;
    ASSERT_TRUE(createTensor(dtype, 2, dims, batch).ok());
    size_t bytes = static_cast<size_t>(viewBytes(batch.view()));
    for (size_t i = 0; i < bytes; ++i)
      static_cast<unsigned char *>(batch.get()->data)[i] =
          static_cast<unsigned char>(i * 7 + 1);
    Outcome in, out;
    queue->enqueueMany({batch}, in.done());
    queue->dequeueMany(3, out.done());
    ASSERT_TRUE(out.ok());
    EXPECT_EQ(std::memcmp(out.tuple[0].view().data, batch.view().data, bytes),
              0);
  }
}

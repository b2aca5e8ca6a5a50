//===- TensorArrayGradientTest.cpp - Tests of arrays of gradients ---------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is expected was observed in TensorFlow 2.21, case by case, but where it
// is said.
//
//===----------------------------------------------------------------------===//

#include "test/unit/runtime/calls/ArrayTest.h"

using namespace weir::rt;
using namespace weir::rt::test;

namespace {
class TensorArrayGradients : public ArrayTest {
protected:
  /// An array with [1, 2] at index 0.
  TensorRef one(int32_t size = 3, const ArrayOptions &options = {}) {
    TensorRef h = array(size, options);
    run(write(h, 0, f32s({2}, {1, 2})));
    return h;
  }
};
} // namespace

// Zeros of the shape that the forward array has there.
TEST_F(TensorArrayGradients, ReadsAsZeros) {
  TensorRef h = one(), g = run(gradient(h));
  EXPECT_EQ(run(gradient(h), 1).get(), flow.get());
  EXPECT_EQ(intsOf(run(size(g))), Ints{3});
  EXPECT_EQ(floatsOf(run(read(g, 0))), (Floats{0, 0}));
  EXPECT_EQ(fail(read(g, 1)),
            "[WEIR0358] gradient 'g' of tensor array 'node' at t:1: could not "
            "read from index 1: it has not been written to, and the element "
            "shape is not fully defined (of unknown rank), so that there are "
            "no zeros in its place; write it, or declare the shape of the "
            "elements");
  EXPECT_EQ(floatsOf(run(read(run(gradient(one(3, shaped({2})))), 1))),
            (Floats{0, 0}));
  EXPECT_EQ(floatsOf(run(read(run(gradient(one(3, identical()))), 1))),
            (Floats{0, 0}));
  // Also where the forward element was read and cleared.
  TensorRef read0 = one();
  run(read(read0, 0));
  EXPECT_EQ(floatsOf(run(read(run(gradient(read0)), 0))), (Floats{0, 0}));
}

TEST_F(TensorArrayGradients, Aggregates) {
  TensorRef g = run(gradient(one()));
  TensorRef first = f32s({2}, {1, 1});
  run(write(g, 0, first));
  run(write(g, 0, f32s({2}, {2, 3})));
  run(write(g, 0, f32s({2}, {2, 3})));
  EXPECT_EQ(floatsOf(run(read(g, 0))), (Floats{5, 7}));
  // The first value belongs to somebody else and stays.
  EXPECT_EQ(floatsOf(first), (Floats{1, 1}));
  TensorRef scattered = run(gradient(one(3)));
  run(scatter(scattered, {0, 0}, f32s({2, 2}, {1, 2, 3, 4})));
  EXPECT_EQ(floatsOf(run(read(scattered, 0))), (Floats{4, 6}));
}

TEST_F(TensorArrayGradients, AggregateErrors) {
  TensorRef g = run(gradient(one()));
  EXPECT_EQ(fail(write(g, 0, f32s({1}, {1}))),
            "[WEIR0357] gradient 'g' of tensor array 'node' at t:1: could not "
            "aggregate to index 0 because the existing shape is [2], but the "
            "new one is [1]");
  run(write(g, 1, f32s({1}, {1})));
  fail(write(g, 1, f32s({2}, {1, 2})));
  EXPECT_EQ(floatsOf(run(read(g, 1))), Floats{1});
  fail(write(g, 3, f32(1)));
  fail(write(run(gradient(array(3, shaped({2})))), 0, f32s({1}, {1})));
  TensorRef same = run(gradient(array(3, identical())));
  run(write(same, 0, f32s({1}, {1})));
  fail(write(same, 1, f32s({2}, {1, 2})));
  TensorRef strings = array(1, of(WEIR_STRING));
  run(write(strings, 0, texts({1}, {"a"})));
  TensorRef s = run(gradient(strings));
  run(write(s, 0, texts({1}, {"b"})));
  EXPECT_EQ(fail(write(s, 0, texts({1}, {"c"}))),
            "[WEIR0354] gradient 'g' of tensor array 'node' at t:1: could not "
            "aggregate to index 0; values of dtype !weir.string cannot be "
            "added");
  TensorRef zeros = array(1, of(WEIR_STRING));
  run(write(zeros, 0, texts({1}, {"a"})));
  fail(read(run(gradient(zeros)), 0, WEIR_STRING));
}

// Integers wrap, as they do in the graph.
TEST_F(TensorArrayGradients, AggregatesIntegers) {
  TensorRef h = array(1, of(WEIR_I32));
  run(write(h, 0, i32s({1}, {1})));
  TensorRef g = run(gradient(h));
  run(write(g, 0, i32s({1}, {1})));
  run(write(g, 0, i32s({1}, {INT32_MAX})));
  EXPECT_EQ(intsOf(run(read(g, 0, WEIR_I32))), Ints{INT32_MIN});
  for (int32_t dtype : {WEIR_U8, WEIR_I8, WEIR_U16, WEIR_I16, WEIR_U32,
                        WEIR_I64, WEIR_U64, WEIR_F16, WEIR_BF16, WEIR_F64}) {
    TensorRef sums = run(gradient(array(1, of(dtype))));
    TensorRef zero;
    ASSERT_TRUE(createTensor(dtype, 0, nullptr, zero).ok());
    std::memset(zero.get()->data, 0,
                static_cast<size_t>(viewBytes(zero.view())));
    for (int i = 0; i < 3; ++i)
      run(write(sums, 0, zero));
    EXPECT_EQ(std::memcmp(run(read(sums, 0, dtype)).get()->data,
                          zero.get()->data,
                          static_cast<size_t>(viewBytes(zero.view()))),
              0);
  }
}

TEST_F(TensorArrayGradients, BySource) {
  TensorRef h = one();
  run(write(run(gradient(h, "x")), 0, f32s({2}, {5, 6})));
  EXPECT_EQ(floatsOf(run(read(run(gradient(h, "x")), 0))), (Floats{5, 6}));
  EXPECT_EQ(floatsOf(run(read(run(gradient(h, "y")), 0))), (Floats{0, 0}));
  EXPECT_EQ(fail(gradient(run(gradient(h, "x")))),
            "[WEIR0359] gradient 'x' of tensor array 'node' at t:1; it has no "
            "gradients of its own");
  EXPECT_TRUE(start(close(run(gradient(h, "y"))))->ok());
  fail(read(run(gradient(h, "y")), 0));
}

// A gradient is read once, and written until it is read.
TEST_F(TensorArrayGradients, ClearsAfterRead) {
  TensorRef g = run(gradient(one(3, kept())));
  run(write(g, 0, f32s({2}, {1, 1})));
  run(read(g, 0));
  fail(read(g, 0));
  fail(write(g, 0, f32s({2}, {1, 1})));
}

// From the first gradient on, the forward array keeps its size; what is written
// to it later is not known to the gradient.
TEST_F(TensorArrayGradients, FixesTheSize) {
  TensorRef h = one(3, dynamic());
  TensorRef g = run(gradient(h));
  fail(write(h, 4, f32(1)));
  run(write(h, 1, f32s({3}, {7, 8, 9})));
  fail(read(g, 1));
  TensorRef d = array(0, dynamic());
  run(write(d, 2, f32(1)));
  EXPECT_EQ(intsOf(run(size(run(gradient(d))))), Ints{3});
}

TEST_F(TensorArrayGradients, GatherAndSplit) {
  TensorRef h = one(2);
  run(write(h, 1, f32s({2}, {3, 4})));
  EXPECT_EQ(floatsOf(run(gather(run(gradient(h)), {0, 1}))),
            (Floats{0, 0, 0, 0}));
  fail(gather(run(gradient(one(2))), {0, 1}));
  TensorRef uneven = one(2);
  run(write(uneven, 1, f32s({1}, {3})));
  TensorRef g = run(gradient(uneven));
  for (int i = 0; i < 2; ++i)
    run(split(g, f32s({3}, {1, 2, 3}), {2, 1}));
  EXPECT_EQ(floatsOf(run(gather(g, {0}))), (Floats{2, 4}));
  fail(split(run(gradient(uneven, "other")), f32s({3}, {1, 2, 3}), {1, 2}));
}

// The gradient of a split is made of as many elements as the split wrote.
TEST_F(TensorArrayGradients, ConcatAfterSplit) {
  TensorRef h = array(0, dynamic());
  run(split(h, f32s({3}, {1, 2, 3}), {2, 1}));
  run(write(h, 4, f32s({1}, {9})));
  TensorRef g = run(gradient(h));
  EXPECT_EQ(intsOf(run(size(g))), Ints{5});
  run(write(g, 1, f32s({1}, {5})));
  auto result = start(concat(g));
  EXPECT_EQ(floatsOf(result->output(0)), (Floats{0, 0, 5}));
  EXPECT_EQ(intsOf(result->output(1)), (Ints{2, 1}));
  EXPECT_EQ(floatsOf(run(gather(g, {4}))), Floats{0});
}

// Without a split TensorFlow ends the process here; Weir takes all elements.
TEST_F(TensorArrayGradients, ConcatWithoutSplit) {
  TensorRef h = one(2);
  run(write(h, 1, f32s({1}, {3})));
  auto result = start(concat(run(gradient(h))));
  EXPECT_EQ(floatsOf(result->output(0)), (Floats{0, 0, 0}));
  EXPECT_EQ(intsOf(result->output(1)), (Ints{2, 1}));
}

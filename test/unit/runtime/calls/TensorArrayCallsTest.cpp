//===- TensorArrayCallsTest.cpp - Tests of tensor arrays ------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is expected was observed in TensorFlow 2.21, case by case.
//
//===----------------------------------------------------------------------===//

#include "test/unit/runtime/calls/ArrayTest.h"

#include <thread>

using namespace weir::rt;
using namespace weir::rt::test;

namespace {
class TensorArrays : public ArrayTest {};
} // namespace

TEST_F(TensorArrays, WriteAndRead) {
  TensorRef h = array(3);
  EXPECT_EQ(run(write(h, 1, f32s({2}, {1, 2}))).get(), flow.get());
  EXPECT_EQ(floatsOf(run(read(h, 1))), (Floats{1, 2}));
  EXPECT_EQ(intsOf(run(size(h))), Ints{3});
}

TEST_F(TensorArrays, Sizes) {
  EXPECT_EQ(fail(make(i32(-1))),
            "[WEIR0359] tensor array 'node' at t:1 was to be made with size "
            "-1; the size should be >= 0");
  EXPECT_EQ(fail(make(i32s({2}, {1, 2}))),
            "[WEIR0339] the size of a tensor array (operand 0) must be a "
            "scalar of i32 or i64, but is tensor<2xi32>");
  // A large array of which nothing is used takes no memory.
  EXPECT_EQ(intsOf(run(size(array(INT32_MAX)))), Ints{INT32_MAX});
  TensorRef h = array(1000);
  run(write(h, 999, f32(1)));
  EXPECT_EQ(floatsOf(run(read(h, 999))), Floats{1});
}

TEST_F(TensorArrays, WriteOnce) {
  TensorRef h = array(3, kept());
  run(write(h, 1, f32(1)));
  EXPECT_EQ(fail(write(h, 1, f32(2))),
            "[WEIR0356] tensor array 'node' at t:1: could not write to index 1 "
            "because it has already been written to");
  run(read(h, 1));
  EXPECT_EQ(fail(write(h, 1, f32(2))),
            "[WEIR0356] tensor array 'node' at t:1: could not write to index 1 "
            "because it has already been read");
}

TEST_F(TensorArrays, Bounds) {
  TensorRef h = array(3), d = array(3, dynamic());
  EXPECT_EQ(fail(write(h, 3, f32(1))),
            "[WEIR0355] tensor array 'node' at t:1: tried to write to index 3, "
            "but the array is not resizeable and its size is 3");
  EXPECT_EQ(fail(write(h, -1, f32(1))),
            "[WEIR0355] tensor array 'node' at t:1: tried to write to index "
            "-1; an index is not negative (the size is 3)");
  fail(write(d, -1, f32(1)));
  EXPECT_EQ(fail(read(h, 3)),
            "[WEIR0355] tensor array 'node' at t:1: tried to read from index "
            "3, but the array size is 3");
  fail(read(h, -1));
  fail(read(d, 7));
  EXPECT_EQ(fail(Node(weir_node_tensor_array_read)
                     .in(h)
                     .in(i32s({1}, {0}))
                     .in(flow)
                     .out(WEIR_F32)),
            "[WEIR0339] the index (operand 1) must be a scalar of i32 or i64, "
            "but is tensor<1xi32>");
}

TEST_F(TensorArrays, Dynamic) {
  TensorRef h = array(0, dynamic());
  run(write(h, 5, f32(1)));
  EXPECT_EQ(intsOf(run(size(h))), Ints{6});
  run(scatter(h, {7, 3}, f32s({2}, {2, 3})));
  EXPECT_EQ(intsOf(run(size(h))), Ints{8});
  EXPECT_EQ(floatsOf(run(gather(h, {3, 5, 7}))), (Floats{3, 1, 2}));
  // The size grows even if what is written does not fit.
  TensorRef s = array(0, dynamic(shaped({2})));
  fail(write(s, 4, f32(1)));
  EXPECT_EQ(intsOf(run(size(s))), Ints{5});
}

// An element that was never written reads as zeros where its shape is known.
TEST_F(TensorArrays, ReadUnwritten) {
  EXPECT_EQ(fail(read(array(3), 0)),
            "[WEIR0358] tensor array 'node' at t:1: could not read from index "
            "0: it has not been written to, and the element shape is not fully "
            "defined (of unknown rank), so that there are no zeros in its "
            "place; write it, or declare the shape of the elements");
  fail(read(array(3, shaped({-1})), 0));
  TensorRef zeros = run(read(array(3, shaped({2})), 0));
  EXPECT_EQ(floatsOf(zeros), (Floats{0, 0}));
  TensorRef h = array(3, identical());
  run(write(h, 1, f32s({2}, {1, 2})));
  EXPECT_EQ(floatsOf(run(read(h, 0))), (Floats{0, 0}));
  TensorRef d = array(0, dynamic(shaped({})));
  run(write(d, 5, f32(1)));
  EXPECT_EQ(floatsOf(run(read(d, 2))), Floats{0});
  EXPECT_EQ(
      intsOf(run(read(array(1, of(WEIR_BOOL, shaped({2}))), 0, WEIR_BOOL))),
      (Ints{0, 0}));
  EXPECT_EQ(fail(read(array(1, of(WEIR_STRING, shaped({2}))), 0, WEIR_STRING)),
            "[WEIR0358] tensor array 'node' at t:1: could not read from index "
            "0: it has not been written to, and there are no zeros of strings "
            "in its place");
}

// Reading what was not written counts as a read.
TEST_F(TensorArrays, ReadUnwrittenThenWrite) {
  for (const ArrayOptions &options : {shaped({2}), kept(shaped({2}))}) {
    TensorRef h = array(3, options);
    run(read(h, 0));
    fail(write(h, 0, f32s({2}, {1, 2})));
  }
  TensorRef h = array(3, shaped({2}));
  run(read(h, 0));
  fail(read(h, 0));
}

TEST_F(TensorArrays, ClearAfterRead) {
  TensorRef h = array(3);
  run(write(h, 0, f32(1)));
  run(read(h, 0));
  EXPECT_EQ(fail(read(h, 0)),
            "[WEIR0356] tensor array 'node' at t:1: could not read index 0 "
            "twice because it was cleared after a previous read (perhaps "
            "clear_after_read should be false)");
  fail(write(h, 0, f32(1)));
  TensorRef k = array(3, kept());
  run(write(k, 0, f32(1)));
  EXPECT_EQ(floatsOf(run(read(k, 0))), Floats{1});
  EXPECT_EQ(floatsOf(run(read(k, 0))), Floats{1});
}

TEST_F(TensorArrays, ElementShapes) {
  EXPECT_EQ(fail(write(array(3, shaped({2})), 0, f32s({3}, {1, 2, 3}))),
            "[WEIR0357] tensor array 'node' at t:1: could not write to index 0 "
            "because the value's shape is [3], which is incompatible with the "
            "array's element shape [2]");
  TensorRef partial = array(3, shaped({-1}));
  run(write(partial, 0, f32s({3}, {1, 2, 3})));
  run(write(partial, 1, f32s({1}, {1})));
  fail(write(partial, 2, f32(1)));
  TensorRef any = array(3);
  run(write(any, 0, f32(1)));
  run(write(any, 1, f32s({1}, {1})));
  for (const ArrayOptions &options : {identical(), identical(shaped({-1}))}) {
    TensorRef h = array(3, options);
    run(write(h, 0, f32s({3}, {1, 2, 3})));
    EXPECT_EQ(fail(write(h, 1, f32s({1}, {1}))),
              "[WEIR0357] tensor array 'node' at t:1: could not write to index "
              "1 because the value's shape is [1], which is incompatible with "
              "the array's element shape [3]");
  }
}

TEST_F(TensorArrays, DTypes) {
  TensorRef h = array(3);
  EXPECT_EQ(fail(write(h, 0, i32(1))),
            "[WEIR0354] tensor array 'node' at t:1: its dtype is f32, but what "
            "is to be written is tensor<i32>");
  fail(scatter(h, {0}, i32s({1}, {1})));
  fail(split(h, i32s({3}, {1, 2, 3}), {1, 1, 1}));
  run(write(h, 0, f32(1)));
}

TEST_F(TensorArrays, Gather) {
  TensorRef h = array(3, kept());
  run(write(h, 0, f32s({2}, {1, 2})));
  run(write(h, 2, f32s({2}, {3, 4})));
  TensorRef both = run(gather(h, {2, 0}));
  EXPECT_EQ(dimsOf(both), (Dims{2, 2}));
  EXPECT_EQ(floatsOf(both), (Floats{3, 4, 1, 2}));
  EXPECT_EQ(floatsOf(run(gather(h, {0, 0}))), (Floats{1, 2, 1, 2}));
  fail(gather(h, {0, 3}));
  fail(gather(h, {-1}));
  fail(gather(h, {0, 1}));
  TensorRef cleared = array(3);
  run(write(cleared, 0, f32(1)));
  fail(gather(cleared, {0, 0}));
  for (TensorRef bad : {i32s({1, 1}, {0}), i32(0), i64s({1}, {0})})
    fail(Node(weir_node_tensor_array_gather)
             .in(h)
             .in(bad)
             .in(flow)
             .out(WEIR_F32));
}

TEST_F(TensorArrays, GatherShapes) {
  TensorRef h = array(3, kept());
  run(write(h, 0, f32s({2}, {1, 2})));
  run(write(h, 1, f32(1)));
  EXPECT_EQ(fail(gather(h, {0, 1})),
            "[WEIR0357] tensor array 'node' at t:1 has inconsistent shapes; "
            "index 0 has shape [2], but index 1 has shape []");
  EXPECT_EQ(fail(gather(h, {}), WEIR_UNIMPLEMENTED),
            "[WEIR0358] tensor array 'node' at t:1: gathering nothing needs an "
            "element shape that is fully defined, but it is of unknown rank");
}

// What the node knows of the elements becomes the shape of the array's.
TEST_F(TensorArrays, GatherDeclaresShapes) {
  TensorRef h = array(3, kept());
  run(write(h, 0, f32s({2}, {1, 2})));
  TensorRef none = run(gatherAs(h, {}, {0, 2}));
  EXPECT_EQ(dimsOf(none), (Dims{0, 2}));
  EXPECT_EQ(floatsOf(run(gatherAs(h, {0, 1}, {2, 2}))), (Floats{1, 2, 0, 0}));
  EXPECT_EQ(floatsOf(run(read(h, 2))), (Floats{0, 0}));
  EXPECT_EQ(fail(gatherAs(h, {0}, {1, 3})),
            "[WEIR0357] tensor array 'node' at t:1: its elements have the "
            "shape [2], but those to gather [3]; the two are incompatible");
  TensorRef other = array(1);
  run(write(other, 0, f32s({2}, {1, 2})));
  EXPECT_EQ(fail(gatherAs(other, {0}, {1, 3})),
            "[WEIR0357] tensor array 'node' at t:1: element shape [3] does not "
            "match the element at index 0: [2]");
  TensorRef matrix = array(1);
  run(write(matrix, 0, f32s({1, 2}, {1, 2})));
  run(gatherAs(matrix, {0}, {1, -1, 2}));
  // A shape that the array was declared with is not enough for nothing.
  EXPECT_EQ(start(gather(array(3, shaped({2})), {}))
                ->error(WEIR_UNIMPLEMENTED)
                .substr(0, 10),
            "[WEIR0358]");
}

TEST_F(TensorArrays, Scatter) {
  TensorRef h = array(3);
  run(scatter(h, {2, 0}, f32s({2, 2}, {1, 2, 3, 4})));
  EXPECT_EQ(floatsOf(run(gather(h, {0, 2}))), (Floats{3, 4, 1, 2}));
  fail(scatter(array(3), {0, 0}, f32s({2}, {1, 2})));
  EXPECT_EQ(fail(scatter(array(3), {0, 1, 2}, f32s({2}, {1, 2}))),
            "[WEIR0359] tensor array 'node' at t:1: expected len(indices) == "
            "value.shape[0], but saw 3 and 2");
  fail(scatter(array(3), {0}, f32s({2}, {1, 2})));
  EXPECT_EQ(fail(scatter(array(3), {0}, f32(1))),
            "[WEIR0359] tensor array 'node' at t:1: a value to scatter must be "
            "at least a vector, but is tensor<f32>");
  EXPECT_EQ(fail(scatter(array(3), {0, 7}, f32s({2}, {1, 2}))),
            "[WEIR0355] tensor array 'node' at t:1: the largest index to "
            "scatter to must be less than the array size (7 and 3)");
  fail(scatter(array(3), {0, -1}, f32s({2}, {1, 2})));
  fail(scatter(array(3, dynamic()), {0, -1}, f32s({2}, {1, 2})));
  TensorRef none = array(3);
  run(scatter(none, std::vector<int32_t>(), f32s({0, 2}, {})));
  EXPECT_EQ(intsOf(run(size(none))), Ints{3});
  fail(scatter(array(3, shaped({3})), {0}, f32s({1, 2}, {1, 2})));
  fail(scatter(array(3), i32s({1, 1}, {0}), f32s({1, 2}, {1, 2})));
  TensorRef strings = array(2, of(WEIR_STRING));
  run(scatter(strings, {1, 0}, texts({2}, {"a", "bc"})));
  EXPECT_EQ(textsOf(run(gather(strings, {0, 1}, WEIR_STRING))),
            (Texts{"bc", "a"}));
}

TEST_F(TensorArrays, Concat) {
  TensorRef h = array(2, kept());
  run(write(h, 0, f32s({1, 2}, {1, 2})));
  run(write(h, 1, f32s({2, 2}, {3, 4, 5, 6})));
  auto result = start(concat(h));
  EXPECT_EQ(dimsOf(result->output(0)), (Dims{3, 2}));
  EXPECT_EQ(floatsOf(result->output(0)), (Floats{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(intsOf(result->output(1)), (Ints{1, 2}));
  EXPECT_EQ(fail(concatAs(h, {-1, 3})),
            "[WEIR0357] tensor array 'node' at t:1: element shape [3] does not "
            "match index 0, which has (excepting dimension 0) shape [2]");
  TensorRef empty = array(2);
  run(write(empty, 0, f32s({0}, {})));
  run(write(empty, 1, f32s({1}, {1})));
  auto lengths = start(concat(empty));
  EXPECT_EQ(floatsOf(lengths->output(0)), Floats{1});
  EXPECT_EQ(intsOf(lengths->output(1)), (Ints{0, 1}));
  TensorRef strings = array(2, of(WEIR_STRING));
  run(write(strings, 0, texts({1}, {"a"})));
  run(write(strings, 1, texts({2}, {"b", "c"})));
  EXPECT_EQ(textsOf(run(concat(strings, WEIR_STRING))), (Texts{"a", "b", "c"}));
}

TEST_F(TensorArrays, ConcatErrors) {
  TensorRef scalars = array(2);
  run(write(scalars, 0, f32(1)));
  EXPECT_EQ(fail(concat(scalars)),
            "[WEIR0357] tensor array 'node' at t:1: concatenating saw a scalar "
            "at index 0, but requires at least vectors; did you mean to "
            "gather?");
  for (TensorRef second : {f32s({1, 1}, {1}), f32s({1}, {1})}) {
    TensorRef h = array(2);
    run(write(h, 0, f32s({1, 2}, {1, 2})));
    run(write(h, 1, second));
    fail(concat(h));
  }
  TensorRef half = array(2);
  run(write(half, 0, f32s({1, 2}, {1, 2})));
  fail(concat(half));
  // Zeros where the shape is known.
  TensorRef known = array(2, shaped({1, 2}));
  run(write(known, 0, f32s({1, 2}, {1, 2})));
  EXPECT_EQ(floatsOf(run(concat(known))), (Floats{1, 2, 0, 0}));
  EXPECT_EQ(fail(concat(array(0)), WEIR_UNIMPLEMENTED),
            "[WEIR0358] tensor array 'node' at t:1: concatenating nothing "
            "needs an element shape that is fully defined, but it is of "
            "unknown rank");
  fail(concat(array(0, shaped({2, 3}))), WEIR_UNIMPLEMENTED);
  auto nothing = start(concatAs(array(0), {-1, 3}));
  EXPECT_EQ(dimsOf(nothing->output(0)), (Dims{0, 3}));
  EXPECT_EQ(dimsOf(nothing->output(1)), (Dims{0}));
}

TEST_F(TensorArrays, Split) {
  TensorRef h = array(2);
  run(split(h, f32s({3}, {1, 2, 3}), {2, 1}));
  EXPECT_EQ(floatsOf(run(read(h, 0))), (Floats{1, 2}));
  EXPECT_EQ(floatsOf(run(read(h, 1))), Floats{3});
  TensorRef zero = array(2);
  run(split(zero, f32s({2, 2}, {1, 2, 3, 4}), {0, 2}));
  EXPECT_EQ(dimsOf(run(read(zero, 0))), (Dims{0, 2}));
  TensorRef d = array(0, dynamic());
  run(split(d, f32s({3}, {1, 2, 3}), {1, 2}));
  EXPECT_EQ(intsOf(run(size(d))), Ints{2});
  run(split(array(0), f32s({0}, {}), Ints()));
  TensorRef strings = array(2, of(WEIR_STRING));
  run(split(strings, texts({3}, {"a", "b", "c"}), {1, 2}));
  EXPECT_EQ(textsOf(run(read(strings, 1, WEIR_STRING))), (Texts{"b", "c"}));
}

TEST_F(TensorArrays, SplitErrors) {
  TensorRef three = f32s({3}, {1, 2, 3});
  EXPECT_EQ(fail(split(array(2), three, {2, 2})),
            "[WEIR0359] tensor array 'node' at t:1: expected the sum of "
            "lengths to be equal to value.shape[0], but it is 4 and the value "
            "is tensor<3xf32>");
  fail(split(array(2), three, {1, 1}));
  EXPECT_EQ(fail(split(array(2), three, {1, 1, 1})),
            "[WEIR0359] tensor array 'node' at t:1: its size is not equal to "
            "the number of lengths (2 and 3), and it is not marked as "
            "dynamically resizeable");
  fail(split(array(4), three, {1, 2}));
  fail(split(array(4, dynamic()), three, {1, 2}));
  EXPECT_EQ(fail(split(array(2), three, {-1, 4})),
            "[WEIR0359] tensor array 'node' at t:1: length 0 to split by is "
            "-1; lengths are not negative, and their sum is an extent");
  fail(split(array(2), three, {INT64_MAX, INT64_MAX}));
  fail(split(array(2), f32(3), {1, 2}));
  fail(split(array(2), three, i64s({1, 2}, {1, 2})));
  fail(split(array(2), three, i32s({2}, {1, 2})));
  fail(split(array(0), f32s({1}, {1}), Ints()));
  fail(split(array(2, identical()), three, {1, 2}));
  fail(split(array(2, shaped({2})), three, {1, 2}));
  TensorRef twice = array(2);
  run(split(twice, three, {1, 2}));
  fail(split(twice, three, {1, 2}));
  TensorRef even = array(2, identical());
  run(split(even, f32s({4}, {1, 2, 3, 4}), {2, 2}));
}

TEST_F(TensorArrays, Close) {
  TensorRef h = array(1);
  run(write(h, 0, f32(1)));
  EXPECT_TRUE(start(close(h))->ok());
  EXPECT_EQ(fail(read(h, 0)),
            "[WEIR0353] tensor array 'node' at t:1 has already been closed");
  fail(write(h, 0, f32(1)));
  fail(size(h));
  fail(gather(h, {0}));
  fail(scatter(h, {0}, f32s({1}, {1})));
  fail(concat(h));
  fail(split(h, f32s({1}, {1}), {1}));
  fail(gradient(h));
  EXPECT_TRUE(start(close(h))->ok());
}

TEST_F(TensorArrays, WrongHandles) {
  EXPECT_EQ(fail(size(handle(kFifo))),
            "[WEIR0338] the handle names FIFO queue 'q', where a tensor array "
            "is needed");
  EXPECT_EQ(fail(read(f32(1), 0)),
            "[WEIR0338] operand 0 is no handle but tensor<f32>");
}

TEST_F(TensorArrays, ManyThreads) {
  constexpr int kThreads = 8, kEach = 300;
  TensorRef h = array(0, dynamic());
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < kEach; ++i) {
        int32_t index = i * kThreads + t;
        run(write(h, index, f32(static_cast<float>(index))));
        EXPECT_EQ(floatsOf(run(read(h, index))),
                  Floats{static_cast<float>(index)});
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(intsOf(run(size(h))), Ints{kThreads * kEach});
}

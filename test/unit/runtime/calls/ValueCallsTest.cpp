//===- ValueCallsTest.cpp - Tests of nodes of values and strings ----------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/runtime/calls/CallTest.h"

using namespace weir::rt;
using namespace weir::rt::test;

namespace {
class ValueCalls : public CallTest {};
} // namespace

TEST_F(ValueCalls, TopK) {
  auto call = [&](TensorRef x, int32_t k) {
    return Node(weir_node_top_k)
        .in(std::move(x))
        .in(i32(k))
        .out(WEIR_F32)
        .out(WEIR_I32);
  };
  auto result = start(call(f32s({2, 3}, {1, 3, 3, -1, 0, -2}), 2));
  ASSERT_TRUE(result->ok());
  EXPECT_EQ(floatsOf(result->output(0)), (Floats{3, 3, 0, -1}));
  EXPECT_EQ(intsOf(result->output(1)), (Ints{1, 2, 1, 0}));
  EXPECT_EQ(dimsOf(result->output(1)), (Dims{2, 2}));
  EXPECT_EQ(fail(call(f32s({2}, {1, 2}), 3)),
            "[WEIR0452] the 3 largest elements of each row are wanted, but the "
            "operand is tensor<2xf32>");
  fail(call(f32(1), 0));
  fail(call(f32s({2}, {1, 2}), -1));
}

TEST_F(ValueCalls, DynamicPartition) {
  auto call = [&](TensorRef data, TensorRef partitions) {
    return Node(weir_node_dynamic_partition)
        .in(std::move(data))
        .in(std::move(partitions))
        .out(WEIR_STRING)
        .out(WEIR_STRING);
  };
  auto result = start(call(texts({3}, {"a", "b", "c"}), i32s({3}, {1, 0, 1})));
  ASSERT_TRUE(result->ok());
  EXPECT_EQ(textsOf(result->output(0)), Texts{"b"});
  EXPECT_EQ(textsOf(result->output(1)), (Texts{"a", "c"}));
  EXPECT_EQ(fail(call(texts({1}, {"a"}), i32s({1}, {2}))),
            "[WEIR0453] partition 2 is outside of 0 <= p < 2");
  EXPECT_EQ(fail(call(texts({1}, {"a"}), i32s({2}, {0, 1}))),
            "[WEIR0453] the data are tensor<1x!weir.string>, which does not "
            "begin with the shape of the partitions, tensor<2xi32>");
  // One slice, the whole.
  result = start(call(texts({2}, {"a", "b"}), i32(1)));
  ASSERT_TRUE(result->ok());
  EXPECT_EQ(dimsOf(result->output(0)), (Dims{0, 2}));
  EXPECT_EQ(dimsOf(result->output(1)), (Dims{1, 2}));
}

TEST_F(ValueCalls, UniqueAndDifference) {
  auto result = start(Node(weir_node_unique)
                          .in(texts({4}, {"b", "a", "b", ""}))
                          .out(WEIR_STRING)
                          .out(WEIR_I32)
                          .out(WEIR_I64));
  ASSERT_TRUE(result->ok());
  EXPECT_EQ(textsOf(result->output(0)), (Texts{"b", "a", ""}));
  EXPECT_EQ(intsOf(result->output(1)), (Ints{0, 1, 0, 2}));
  EXPECT_EQ(intsOf(result->output(2)), (Ints{2, 1, 1}));
  auto difference = [&](TensorRef x, TensorRef y) {
    return Node(weir_node_list_difference)
        .in(std::move(x))
        .in(std::move(y))
        .out(WEIR_I32)
        .out(WEIR_I64);
  };
  result = start(difference(i32s({4}, {3, 1, 3, 2}), i32s({1}, {1})));
  ASSERT_TRUE(result->ok());
  EXPECT_EQ(intsOf(result->output(0)), (Ints{3, 3, 2}));
  EXPECT_EQ(intsOf(result->output(1)), (Ints{0, 2, 3}));
  EXPECT_EQ(fail(difference(i32s({1}, {1}), i64s({1}, {1}))),
            "[WEIR0454] the operands are of one element type, but are "
            "tensor<1xi32> and tensor<1xi64>");
  EXPECT_EQ(fail(difference(i32(1), i32s({1}, {1}))),
            "[WEIR0454] a vector is needed, the operand is tensor<i32>");
}

TEST_F(ValueCalls, NonzeroAndSelect) {
  TensorRef places = run(
      Node(weir_node_nonzero).in(f32s({2, 2}, {0, 1, -0.0f, 2})).out(WEIR_I64));
  EXPECT_EQ(dimsOf(places), (Dims{2, 2}));
  EXPECT_EQ(intsOf(places), (Ints{0, 1, 1, 1}));
  auto select = [&](int32_t i) {
    return Node(weir_node_select_n)
        .in(i32(i))
        .in(f32(1))
        .in(f32(2))
        .out(WEIR_F32);
  };
  EXPECT_EQ(floatsOf(run(select(1))), Floats{2});
  EXPECT_EQ(fail(select(-1)), "[WEIR0455] index -1 is outside of 0 <= i < 2");
}

TEST_F(ValueCalls, Strings) {
  auto take = [&](TensorRef places) {
    return Node(weir_node_take_strings)
        .in(std::move(places))
        .in(texts({2}, {"a", "b"}))
        .in(text("c"))
        .out(WEIR_STRING);
  };
  EXPECT_EQ(textsOf(run(take(i64s({2, 2}, {2, 0, 0, 1})))),
            (Texts{"c", "a", "a", "b"}));
  EXPECT_EQ(textsOf(run(take(i64s({0}, {})))), Texts{});
  EXPECT_EQ(fail(take(i64s({1}, {3}))),
            "[WEIR0456] place 3 is outside of 0 <= i < 3");
  EXPECT_EQ(
      fail(Node(weir_node_take_strings).in(i64(0)).in(f32(1)).out(WEIR_STRING)),
      "[WEIR0456] strings are needed, operand 1 is tensor<f32>");
  auto compare = [&](TensorRef x, TensorRef y, int64_t predicate) {
    return Node(weir_node_compare_strings)
        .in(std::move(x))
        .in(std::move(y))
        .number(predicate)
        .out(WEIR_BOOL);
  };
  // Bytes are unsigned; what begins another is less.
  TensorRef x = texts({3}, {"ab", "a", "\xff"});
  const Ints expected[] = {{1, 0, 0}, {0, 1, 1}, {0, 1, 0},
                           {1, 1, 0}, {0, 0, 1}, {1, 0, 1}};
  for (int64_t predicate = 0; predicate < 6; ++predicate)
    EXPECT_EQ(intsOf(run(compare(x, text("ab"), predicate))),
              expected[predicate]);
  TensorRef all =
      run(compare(texts({2, 1}, {"a", "b"}), texts({2}, {"a", "b"}), 0));
  EXPECT_EQ(dimsOf(all), (Dims{2, 2}));
  EXPECT_EQ(intsOf(all), (Ints{1, 0, 0, 1}));
  EXPECT_EQ(fail(compare(x, texts({2}, {"a", "b"}), 0)),
            "[WEIR0456] strings are compared with strings of a shape that "
            "broadcasts, but the operands are tensor<3x!weir.string> and "
            "tensor<2x!weir.string>");
}

//===----------------------------------------------------------------------===//
// Lists
//===----------------------------------------------------------------------===//

namespace {
class ListCalls : public CallTest {
protected:
  /// A list of f32 vectors of two.
  TensorRef list(int32_t size) {
    return run(Node(weir_node_tensor_list)
                   .in(i32(size))
                   .number(WEIR_F32)
                   .number(1)
                   .number(2)
                   .out(WEIR_RESOURCE, {}));
  }
  Node push(const TensorRef &list, TensorRef value) {
    return Node(weir_node_tensor_list_push)
        .in(list)
        .in(std::move(value))
        .out(WEIR_RESOURCE, {});
  }
  Node set(const TensorRef &list, int32_t i, TensorRef value, bool grows) {
    return Node(weir_node_tensor_list_set)
        .in(list)
        .in(i32(i))
        .in(std::move(value))
        .number(grows)
        .out(WEIR_RESOURCE, {});
  }
  Node get(const TensorRef &list, int32_t i) {
    return Node(weir_node_tensor_list_get).in(list).in(i32(i)).out(WEIR_F32);
  }
  Node stack(const TensorRef &list) {
    return Node(weir_node_tensor_list_stack).in(list).out(WEIR_F32);
  }
  int64_t sizeOf(const TensorRef &list) {
    return intsOf(
        run(Node(weir_node_tensor_list_size).in(list).out(WEIR_I32)))[0];
  }
};
} // namespace

TEST_F(ListCalls, AreValues) {
  TensorRef empty = list(0), a = run(push(empty, f32s({2}, {1, 2}))),
            b = run(push(a, f32s({2}, {3, 4}))),
            c = run(push(a, f32s({2}, {5, 6}))),
            d = run(set(b, 0, f32s({2}, {7, 8}), false));
  EXPECT_EQ(sizeOf(empty), 0);
  EXPECT_EQ(sizeOf(a), 1);
  EXPECT_EQ(floatsOf(run(stack(b))), (Floats{1, 2, 3, 4}));
  EXPECT_EQ(floatsOf(run(stack(c))), (Floats{1, 2, 5, 6}));
  EXPECT_EQ(floatsOf(run(stack(d))), (Floats{7, 8, 3, 4}));
  auto popped = start(Node(weir_node_tensor_list_pop)
                          .in(c)
                          .out(WEIR_RESOURCE, {})
                          .out(WEIR_F32));
  ASSERT_TRUE(popped->ok());
  EXPECT_EQ(floatsOf(popped->output(1)), (Floats{5, 6}));
  EXPECT_EQ(sizeOf(popped->output(0)), 1);
  // It goes on from there, and c is as it was.
  TensorRef e = run(push(popped->output(0), f32s({2}, {9, 9})));
  EXPECT_EQ(floatsOf(run(stack(e))), (Floats{1, 2, 9, 9}));
  EXPECT_EQ(floatsOf(run(stack(c))), (Floats{1, 2, 5, 6}));
}

TEST_F(ListCalls, WhatIsWrong) {
  TensorRef l = run(push(list(0), f32s({2}, {1, 2})));
  EXPECT_EQ(fail(get(l, 1)), "[WEIR0457] index 1 is outside of 0 <= i < 1");
  fail(get(l, -1));
  fail(set(l, 1, f32s({2}, {1, 2}), false));
  EXPECT_EQ(sizeOf(run(set(l, 3, f32s({2}, {1, 2}), true))), 4);
  EXPECT_EQ(fail(push(l, f32s({3}, {1, 2, 3}))),
            "[WEIR0458] the list has elements of f32 [2], the value is "
            "tensor<3xf32>");
  EXPECT_EQ(fail(push(l, i32s({2}, {1, 2}))),
            "[WEIR0458] the list has elements of f32 [2], the value is "
            "tensor<2xi32>");
  EXPECT_EQ(fail(get(f32(1), 0)),
            "[WEIR0338] operand 0 has to be a tensor list, but is tensor<f32>");
  EXPECT_EQ(fail(Node(weir_node_tensor_list)
                     .in(i32(-1))
                     .number(WEIR_F32)
                     .number(-1)
                     .out(WEIR_RESOURCE, {})),
            "[WEIR0457] a list has 0 <= n <= 268435456 elements, not -1");
  EXPECT_EQ(fail(Node(weir_node_tensor_list_pop)
                     .in(list(0))
                     .out(WEIR_RESOURCE, {})
                     .out(WEIR_F32)),
            "[WEIR0457] the list has no element to take");
}

TEST_F(ListCalls, WhatIsNotSet) {
  TensorRef l = run(set(list(2), 1, f32s({2}, {1, 2}), false));
  EXPECT_EQ(floatsOf(run(stack(l))), (Floats{0, 0, 1, 2}));
  // The shape is that of another element, or nobody's.
  TensorRef open = run(Node(weir_node_tensor_list)
                           .in(i32(2))
                           .number(WEIR_F32)
                           .number(-1)
                           .out(WEIR_RESOURCE, {}));
  fail(get(open, 0));
  TensorRef one = run(set(open, 0, f32s({3}, {1, 2, 3}), false));
  EXPECT_EQ(floatsOf(run(get(one, 1))), (Floats{0, 0, 0}));
  // The type of the result may know it.
  EXPECT_EQ(floatsOf(run(Node(weir_node_tensor_list_get)
                             .in(open)
                             .in(i32(0))
                             .out(WEIR_F32, {1}))),
            (Floats{0}));
  TensorRef both = run(set(one, 1, f32s({2}, {1, 2}), false));
  EXPECT_EQ(fail(stack(both)),
            "[WEIR0458] the elements are of different shapes: tensor<3xf32> "
            "and tensor<2xf32>");
}

TEST_F(ListCalls, SlicesAndPieces) {
  TensorRef l = run(Node(weir_node_tensor_list_from_tensor)
                        .in(texts({2, 2}, {"a", "b", "c", "d"}))
                        .out(WEIR_RESOURCE, {}));
  EXPECT_EQ(textsOf(run(Node(weir_node_tensor_list_gather)
                            .in(l)
                            .in(i32s({2}, {1, 1}))
                            .out(WEIR_STRING))),
            (Texts{"c", "d", "c", "d"}));
  auto joined = start(
      Node(weir_node_tensor_list_concat).in(l).out(WEIR_STRING).out(WEIR_I64));
  ASSERT_TRUE(joined->ok());
  EXPECT_EQ(textsOf(joined->output(0)), (Texts{"a", "b", "c", "d"}));
  EXPECT_EQ(intsOf(joined->output(1)), (Ints{2, 2}));
  auto split = [&](const Ints &lengths) {
    return Node(weir_node_tensor_list_split)
        .in(f32s({3}, {1, 2, 3}))
        .in(i64s({static_cast<int64_t>(lengths.size())}, lengths))
        .out(WEIR_RESOURCE, {});
  };
  EXPECT_EQ(sizeOf(run(split({1, 0, 2}))), 3);
  EXPECT_EQ(fail(split({1, 1})),
            "[WEIR0458] the pieces have 2 slices, the tensor 3");
  fail(split({1, 3}));
  fail(split({4, -1}));
  EXPECT_EQ(intsOf(run(Node(weir_node_tensor_list_element_shape)
                           .in(run(split({3})))
                           .out(WEIR_I32))),
            Ints{-1});
  TensorRef scattered = run(Node(weir_node_tensor_list_scatter)
                                .in(list(0))
                                .in(i32s({1}, {2}))
                                .in(f32s({1, 2}, {1, 2}))
                                .out(WEIR_RESOURCE, {}));
  EXPECT_EQ(floatsOf(run(stack(scattered))), (Floats{0, 0, 0, 0, 1, 2}));
}

TEST_F(ListCalls, Sums) {
  auto add = [&](const TensorRef &a, const TensorRef &b) {
    return Node(weir_node_tensor_list_add).in(a).in(b).out(WEIR_RESOURCE, {});
  };
  TensorRef a = run(set(list(2), 0, f32s({2}, {1, 2}), false)),
            b = run(set(list(2), 1, f32s({2}, {3, 4}), false)),
            sum = run(add(run(add(a, b)), a));
  EXPECT_EQ(floatsOf(run(stack(sum))), (Floats{2, 4, 3, 4}));
  EXPECT_EQ(floatsOf(run(stack(a))), (Floats{1, 2, 0, 0}));
  EXPECT_EQ(fail(add(a, list(1))),
            "[WEIR0458] lists of 2 and 1 elements are added: they are of one "
            "length and of one type of numbers");
  TensorRef zeros =
      run(Node(weir_node_tensor_list_zeros).in(sum).out(WEIR_RESOURCE, {}));
  EXPECT_EQ(floatsOf(run(stack(zeros))), (Floats{0, 0, 0, 0}));
}

TEST_F(ListCalls, Optionals) {
  TensorRef some = run(Node(weir_node_optional_from_values)
                           .in(f32(2))
                           .in(text("x"))
                           .out(WEIR_RESOURCE, {})),
            none = run(Node(weir_node_optional_none).out(WEIR_RESOURCE, {}));
  auto has = [&](const TensorRef &optional) {
    return intsOf(run(
        Node(weir_node_optional_has_values).in(optional).out(WEIR_BOOL)))[0];
  };
  EXPECT_EQ(has(some), 1);
  EXPECT_EQ(has(none), 0);
  auto get = [&](const TensorRef &optional) {
    return Node(weir_node_optional_get_values)
        .in(optional)
        .out(WEIR_F32)
        .out(WEIR_STRING);
  };
  auto values = start(get(some));
  ASSERT_TRUE(values->ok());
  EXPECT_EQ(textsOf(values->output(1)), Texts{"x"});
  EXPECT_EQ(fail(get(none)),
            "[WEIR0459] 2 values are wanted of an optional that has none");
  EXPECT_EQ(fail(Node(weir_node_optional_get_values).in(some).out(WEIR_F32)),
            "[WEIR0459] 1 values are wanted of an optional that has 2");
}

//===----------------------------------------------------------------------===//
// Variables without a buffer; those of the step
//===----------------------------------------------------------------------===//

TEST_F(ValueCalls, TemporaryVariables) {
  auto made = [&](int32_t dtype, const Ints &shape) {
    Node node(weir_node_temporary_variable);
    node.number(dtype);
    for (int64_t number : shape)
      node.number(number);
    return run(node.out(WEIR_RESOURCE, {}));
  };
  auto assign = [&](const TensorRef &h, TensorRef value) {
    return Node(weir_node_assign_resource).in(h).in(std::move(value));
  };
  auto read = [&](const TensorRef &h, int32_t dtype) {
    return Node(weir_node_read_resource).in(h).out(dtype);
  };
  TensorRef strings = made(WEIR_STRING, {1, 2}), any = made(WEIR_F32, {-1}),
            numbers = made(WEIR_F32, {1, 2});
  start(read(strings, WEIR_STRING))->error(WEIR_FAILED_PRECONDITION);
  EXPECT_TRUE(start(assign(strings, texts({2}, {"a", ""})))->ok());
  EXPECT_EQ(textsOf(run(read(strings, WEIR_STRING))), (Texts{"a", ""}));
  fail(assign(strings, texts({1}, {"a"})));
  EXPECT_TRUE(start(assign(any, f32(1)))->ok());
  EXPECT_TRUE(start(assign(any, f32s({1, 2}, {3, 4})))->ok());
  EXPECT_EQ(dimsOf(run(read(any, WEIR_F32))), (Dims{1, 2}));
  fail(assign(any, i32(1)));
  EXPECT_TRUE(start(assign(numbers, f32s({2}, {1, 2})))->ok());
  for (const TensorRef &h : {strings, any, numbers}) {
    EXPECT_TRUE(start(Node(weir_node_variable_destroy).in(h))->ok());
    EXPECT_EQ(
        intsOf(
            run(Node(weir_node_is_initialized_resource).in(h).out(WEIR_BOOL))),
        Ints{0});
    start(read(h, WEIR_F32))->error(WEIR_FAILED_PRECONDITION);
  }
  EXPECT_TRUE(start(assign(numbers, f32s({2}, {5, 6})))->ok());
  EXPECT_EQ(floatsOf(run(read(numbers, WEIR_F32))), (Floats{5, 6}));
}

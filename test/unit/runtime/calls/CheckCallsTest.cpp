//===- CheckCallsTest.cpp - Tests of the nodes that check values ----------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/base/Half.h"
#include "test/unit/runtime/calls/CallTest.h"

#include <cmath>

using namespace weir::rt;
using namespace weir::rt::test;

namespace {
class CheckCalls : public CallTest {};
} // namespace

TEST_F(CheckCalls, CheckNumerics) {
  TensorRef good = f32s({2}, {1, 2});
  Node check =
      Node(weir_node_check_numerics).text("the loss").in(good).out(WEIR_F32);
  EXPECT_EQ(run(check).get(), good.get());
  auto bad = [&](TensorRef value) {
    int32_t dtype = value.view().dtype;
    return fail(Node(weir_node_check_numerics)
                    .text("the loss")
                    .in(std::move(value))
                    .out(dtype));
  };
  EXPECT_EQ(bad(f32s({2}, {1, NAN})),
            "[WEIR0333] the loss: the value holds a NaN or an infinity "
            "(element 1 is nan)");
  EXPECT_EQ(bad(f32s({2}, {-INFINITY, 0})),
            "[WEIR0333] the loss: the value holds a NaN or an infinity "
            "(element 0 is -inf)");
  TensorRef half;
  for (int32_t dtype : {WEIR_F16, WEIR_BF16}) {
    ASSERT_TRUE(createTensor(dtype, 0, nullptr, half).ok());
    *static_cast<uint16_t *>(half.get()->data) =
        dtype == WEIR_F16 ? floatToF16(INFINITY) : floatToBf16(NAN);
    bad(half);
    *static_cast<uint16_t *>(half.get()->data) = 0;
    run(Node(weir_node_check_numerics).in(half).out(dtype));
  }
  EXPECT_EQ(bad(i64(1)), "[WEIR0339] the value to check must be floats, but is "
                         "tensor<i64>");
}

TEST_F(CheckCalls, EnsureShape) {
  TensorRef value = f32s({2, 1}, {1, 2});
  for (const Dims &dims : {Dims{2, 1}, Dims{-1, 1}, Dims{-1, -1}})
    EXPECT_EQ(
        run(Node(weir_node_ensure_shape).in(value).out(WEIR_F32, dims)).get(),
        value.get());
  run(Node(weir_node_ensure_shape).in(value).out(WEIR_F32));
  EXPECT_EQ(
      fail(Node(weir_node_ensure_shape).in(value).out(WEIR_F32, {-1, 2})),
      "[WEIR0335] the shape of the value is not the expected one; expected "
      "tensor<?x2xf32>, got tensor<2x1xf32>");
  fail(Node(weir_node_ensure_shape).in(value).out(WEIR_F32, {2}));
  fail(Node(weir_node_ensure_shape).in(value).out(WEIR_I32, {2, 1}));
}

TEST_F(CheckCalls, Assert) {
  Node check = Node(weir_node_assert).text("x is small");
  EXPECT_TRUE(start(Node(check).in(bools({}, {1})))->ok());
  EXPECT_TRUE(start(Node(check).in(bools({2}, {1, 1})).in(f32(1)))->ok());
  EXPECT_TRUE(start(Node(check).in(bools({0}, {})))->ok());
  EXPECT_EQ(fail(Node(check)
                     .in(bools({2}, {1, 0}))
                     .in(f32s({4}, {1.5f, 2, 3, 4}))
                     .in(i32s({}, {-7}))
                     .in(texts({2}, {"a", "b"}))
                     .in(bools({2}, {1, 0}))),
            "[WEIR0336] assertion failed: x is small [1.5 2 3...] [-7] [a b] "
            "[true false]");
  TensorRef number;
  for (int32_t dtype : {WEIR_U8, WEIR_I8, WEIR_U16, WEIR_I16, WEIR_U32,
                        WEIR_I64, WEIR_U64, WEIR_F64}) {
    ASSERT_TRUE(createTensor(dtype, 0, nullptr, number).ok());
    std::memset(number.get()->data, 0,
                static_cast<size_t>(viewBytes(number.view())));
    EXPECT_EQ(fail(Node(check).in(bools({}, {0})).in(number)),
              "[WEIR0336] assertion failed: x is small [0]");
  }
  fail(Node(check).in(bools({}, {0})).in(handle(kFifo)));
  EXPECT_EQ(fail(Node(check).in(i32(1))),
            "[WEIR0339] the condition must be of i1, but is tensor<i32>");
}

TEST_F(CheckCalls, Foreign) {
  EXPECT_EQ(fail(Node(weir_node_foreign)
                     .text("FFT2D")
                     .text("there is no such op")
                     .in(f32(1))
                     .out(WEIR_F32),
                 WEIR_UNIMPLEMENTED),
            "[WEIR0337] this version of Weir cannot run op 'FFT2D': there is "
            "no such op");
  EXPECT_EQ(fail(Node(weir_node_foreign).text("Batch"), WEIR_UNIMPLEMENTED),
            "[WEIR0337] this version of Weir cannot run op 'Batch'");
}

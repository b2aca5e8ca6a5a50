//===- CheckpointCallsTest.cpp - Tests of nodes that save and restore -----===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/runtime/calls/CallTest.h"
#include "test/unit/runtime/checkpoint/TempDirectory.h"

using namespace weir::rt;
using namespace weir::rt::test;

namespace {
class CheckpointCalls : public CallTest {
protected:
  TempDirectory directory;
  TensorRef path(const char *name = "model") {
    return text(directory.file(name));
  }
  void save() {
    ASSERT_TRUE(start(Node(weir_node_save)
                          .in(path())
                          .in(f32s({2}, {1, 2}))
                          .in(i64(7))
                          .in(texts({2}, {"a", ""}))
                          .text("w")
                          .text("n")
                          .text("names"))
                    ->ok());
  }
};
} // namespace

TEST_F(CheckpointCalls, RoundTrip) {
  save();
  auto restored = start(Node(weir_node_restore)
                            .in(path())
                            .text("n")
                            .text("w")
                            .text("names")
                            .out(WEIR_I64, {})
                            .out(WEIR_F32)
                            .out(WEIR_STRING, {-1}));
  EXPECT_EQ(intsOf(restored->output(0)), Ints{7});
  EXPECT_EQ(floatsOf(restored->output(1)), (Floats{1, 2}));
  EXPECT_EQ(textsOf(restored->output(2)), (Texts{"a", ""}));
}

TEST_F(CheckpointCalls, Errors) {
  save();
  Node restore = Node(weir_node_restore).in(path()).text("w");
  std::string message = fail(Node(restore).out(WEIR_F32, {3}));
  EXPECT_NE(message.find("[WEIR0406] tensor 'w' is tensor<2xf32>"),
            std::string::npos)
      << message;
  EXPECT_NE(message.find("tensor<3xf32> in the program"), std::string::npos);
  fail(Node(restore).out(WEIR_F64, {2}));
  EXPECT_EQ(
      fail(Node(restore).text("w2").out(WEIR_F32).out(WEIR_F32), WEIR_NOT_FOUND)
          .substr(0, 10),
      "[WEIR0405]");
  fail(Node(weir_node_restore).in(path("other")).text("w").out(WEIR_F32),
       WEIR_NOT_FOUND);
  EXPECT_EQ(fail(Node(weir_node_restore).in(i64(1)).text("w").out(WEIR_F32)),
            "[WEIR0339] the path (operand 0) must be a string scalar, but is "
            "tensor<i64>");
  fail(Node(weir_node_save).in(text("")).in(i64(1)).text("n"));
  fail(Node(weir_node_save).in(path()).in(i64(1)), WEIR_INTERNAL);
  fail(Node(weir_node_restore).in(path()).out(WEIR_F32), WEIR_INTERNAL);
}

TEST_F(CheckpointCalls, ShardsAndSlices) {
  auto shard = [&](int64_t number, TensorRef rows, const char *slice) {
    return start(Node(weir_node_save_shard)
                     .in(path())
                     .in(rows)
                     .number(number)
                     .number(2)
                     .text("w")
                     .text(slice)
                     .out(WEIR_STRING, {}));
  };
  auto first = shard(0, f32s({2}, {1, 2}), "3 0,2");
  auto second = shard(1, f32s({1}, {3}), "3 2,1");
  ASSERT_TRUE(start(Node(weir_node_save_commit)
                        .in(path())
                        .in(first->output(0))
                        .in(second->output(0)))
                  ->ok());
  Node restore = Node(weir_node_restore).in(path()).text("w");
  auto whole = start(Node(restore).out(WEIR_F32, {3}));
  EXPECT_EQ(floatsOf(whole->output(0)), (Floats{1, 2, 3}));
  auto part = start(Node(restore).text("3 1,2").out(WEIR_F32, {2}));
  EXPECT_EQ(floatsOf(part->output(0)), (Floats{2, 3}));
  EXPECT_EQ(fail(Node(restore).text("4 1,2").out(WEIR_F32, {2})).substr(0, 10),
            "[WEIR0411]");
  // A receipt serves once.
  EXPECT_EQ(fail(Node(weir_node_save_commit)
                     .in(path())
                     .in(first->output(0))
                     .in(second->output(0)),
                 WEIR_DATA_LOSS)
                .substr(0, 10),
            "[WEIR0415]");
}

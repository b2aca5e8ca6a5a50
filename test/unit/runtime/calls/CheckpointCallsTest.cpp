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

//===- AnalysisTest.cpp - Tests of lib/Analysis ---------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Weir/Weir.h"
#include "lib/Analysis/Cycles.h"
#include "lib/Analysis/DeviceName.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include <gtest/gtest.h>

using namespace weir;

/// The canonical text, or "error: " and why there is none.
static std::string canonical(llvm::StringRef text) {
  std::string why;
  auto name = DeviceName::parse(text, &why);
  return name ? name->text() : "error: " + why;
}

TEST(DeviceName, ParsesWhatTensorFlowWrites) {
  EXPECT_EQ(canonical("/job:worker/replica:0/task:17/device:GPU:3"),
            "/job:worker/replica:0/task:17/device:GPU:3");
  // Parts may be left out, left open, and come in any order.
  EXPECT_EQ(canonical(""), "");
  EXPECT_EQ(canonical("/"), "");
  EXPECT_EQ(canonical("/task:1/job:ps"), "/job:ps/task:1");
  EXPECT_EQ(canonical("/job:*/task:*/device:CPU:*"), "/device:CPU");
  EXPECT_EQ(canonical("/device:*:2"), "/device:*:2");
  // The type of a device has no case; the name of a job has.
  EXPECT_EQ(canonical("/job:Worker/device:gpu:3"), "/job:Worker/device:GPU:3");
  EXPECT_EQ(canonical("/cpu:0"), "/device:CPU:0");
  EXPECT_EQ(canonical("/GPU:*"), "/device:GPU");
}

TEST(DeviceName, SaysWhatIsWrong) {
  EXPECT_EQ(canonical("gpu:1"), "/device:GPU:1");
  EXPECT_EQ(canonical("MXU"), "/device:MXU");
  EXPECT_EQ(canonical("/mxu:0"), "/device:MXU:0");
  EXPECT_EQ(canonical("tpu:0"),
            "error: it starts with '/', or is short as GPU:0");
  EXPECT_EQ(canonical("/JOB:a"), "error: there is no part 'JOB'; the parts are "
                                 "job, replica, task and device");
  EXPECT_EQ(canonical("/job:a/job:a"), "error: the part 'job' comes twice");
  EXPECT_EQ(canonical("/cpu:0/device:CPU:0"),
            "error: the part 'device' comes twice");
  EXPECT_EQ(canonical("/job:1a"),
            "error: '1a' is no name: a letter, then letters, digits and '_'");
  EXPECT_EQ(canonical("/job"),
            "error: '' is no name: a letter, then letters, digits and '_'");
  EXPECT_EQ(canonical("/task:-1"), "error: '-1' is no number");
  EXPECT_EQ(canonical("/task:99999999999999999999"),
            "error: '99999999999999999999' is no number");
  EXPECT_EQ(canonical("/task:2147483648"), "error: '2147483648' is no number");
  EXPECT_EQ(canonical("/device:CPU:"),
            "error: the device 'CPU:' ends with a colon");
  EXPECT_EQ(canonical("/device:CPU:0:1"), "error: '0:1' is no number");
  EXPECT_EQ(canonical("//"), "error: there is no part ''; the parts are job, "
                             "replica, task and device");
}

TEST(DeviceName, ConstraintsMeetPartByPart) {
  DeviceName task = *DeviceName::parse("/job:w/task:1"),
             cpu = *DeviceName::parse("/device:CPU:0");
  auto joined = DeviceName::both(task, cpu);
  ASSERT_TRUE(joined);
  EXPECT_EQ(joined->text(), "/job:w/task:1/device:CPU:0");
  EXPECT_FALSE(joined->isFull());
  EXPECT_FALSE(DeviceName::both(*joined, *DeviceName::parse("/task:2")));
  DeviceName device =
      *DeviceName::parse("/job:w/replica:0/task:1/device:CPU:0");
  EXPECT_TRUE(device.isFull());
  EXPECT_TRUE(joined->admits(device));
  EXPECT_TRUE(DeviceName().admits(device));
  EXPECT_FALSE(DeviceName::parse("/device:GPU")->admits(device));
}

namespace {
class Cycles : public testing::Test {
protected:
  /// The names of the nodes on the cycle of the first graph in `text`.
  std::vector<std::string> cycleIn(const std::string &text) {
    context.loadDialect<WeirDialect>();
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    if (!module)
      return {"no module"};
    std::vector<std::string> names;
    for (mlir::Operation *op :
         findCycle((*module->getOps<GraphOp>().begin()).getBody().front()))
      names.push_back(WeirDialect::describe(op));
    return names;
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};
} // namespace

TEST_F(Cycles, NoneInAGraphAgainstTheOrderOfTheText) {
  EXPECT_TRUE(cycleIn(R"(weir.graph @f(%x: tensor<f32>) -> tensor<f32> {
    %b = weir.neg %a : (tensor<f32>) -> tensor<f32>
    %a = weir.exp %x : (tensor<f32>) -> tensor<f32>
    weir.fetch %b : tensor<f32>
  })")
                  .empty());
}

TEST_F(Cycles, OnlyTheNodesOnIt) {
  // `in` leads to the cycle and `out` away from it.
  std::vector<std::string> expected{"a", "b"};
  EXPECT_EQ(cycleIn(R"(weir.graph @f(%x: tensor<f32>) -> tensor<f32> {
    %out = weir.neg %b {weir.name = "out"} : (tensor<f32>) -> tensor<f32>
    %in = weir.neg %x {weir.name = "in"} : (tensor<f32>) -> tensor<f32>
    %a = weir.add %in, %b {weir.name = "a"} : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %b = weir.exp %a {weir.name = "b"} : (tensor<f32>) -> tensor<f32>
    weir.fetch %out : tensor<f32>
  })"),
            expected);
}

TEST_F(Cycles, ThroughTheBodyOfAGroup) {
  std::vector<std::string> expected{"group", "a"};
  EXPECT_EQ(cycleIn(R"(weir.graph @f() -> tensor<f32> {
    %g = weir.group "k" -> tensor<f32> {
      %n = weir.neg %a : (tensor<f32>) -> tensor<f32>
      weir.yield %n : tensor<f32>
    } {weir.name = "group"}
    %a = weir.exp %g {weir.name = "a"} : (tensor<f32>) -> tensor<f32>
    weir.fetch %a : tensor<f32>
  })"),
            expected);
}

TEST_F(Cycles, AMillionNodesAreNoProblem) {
  context.loadDialect<WeirDialect>();
  mlir::OpBuilder builder(&context);
  mlir::Location loc = builder.getUnknownLoc();
  mlir::Block block;
  builder.setInsertionPointToStart(&block);
  auto type = mlir::RankedTensorType::get({}, builder.getF32Type());
  mlir::Value value = ConstantOp::create(builder, loc, type, 0.0)->getResult(0);
  // Each node comes before the one it waits for, so that the search is deep.
  for (int i = 0; i < 1000000; ++i) {
    mlir::OperationState state(loc, NegOp::getOperationName(), value, type);
    builder.setInsertionPointToStart(&block);
    value = builder.create(state)->getResult(0);
  }
  EXPECT_TRUE(findCycle(block).empty());
  block.dropAllReferences();
}

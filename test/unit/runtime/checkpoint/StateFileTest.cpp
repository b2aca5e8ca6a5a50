//===- StateFileTest.cpp - Tests of the `checkpoint` file -----------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/checkpoint/StateFile.h"

#include <gtest/gtest.h>

using namespace weir::rt;

TEST(StateFile, RoundTrip) {
  CheckpointState state;
  state.newest = "a \"b\"\\\n\xc3\xbc";
  state.all = {"old", state.newest};
  CheckpointState parsed = parseState(printState(state));
  EXPECT_EQ(parsed.newest, state.newest);
  EXPECT_EQ(parsed.all, state.all);
}

TEST(StateFile, WritesWhatTensorFlowReads) {
  CheckpointState state;
  state.newest = "model-2";
  state.all = {"model-1", "model-2"};
  EXPECT_EQ(printState(state), "model_checkpoint_path: \"model-2\"\n"
                               "all_model_checkpoint_paths: \"model-1\"\n"
                               "all_model_checkpoint_paths: \"model-2\"\n");
}

TEST(StateFile, PassesOverNonsense) {
  CheckpointState state = parseState(
      "model_checkpoint_path\n: \"x\"\nall_model_checkpoint_paths: \"a\n"
      "all_model_checkpoint_paths: b\nother: \"c\"\n\\\"\n"
      "all_model_checkpoint_paths: 'kept'\nall_model_checkpoint_paths: \"\\");
  EXPECT_EQ(state.newest, "");
  EXPECT_EQ(state.all, std::vector<std::string>{"kept"});
}

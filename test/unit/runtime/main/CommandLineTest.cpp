//===- CommandLineTest.cpp - Tests of the commands of a compiled program --===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/main/CommandLine.h"
#include "runtime/cli/Npy.h"
#include "runtime/device/Device.h"
#include "test/unit/runtime/FakeProgram.h"
#include "test/unit/runtime/checkpoint/TempDirectory.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace weir::rt;
using weir::rt::test::TempDirectory;

namespace {

class CommandLineTest : public testing::Test {
protected:
  void SetUp() override {
    writeRows("x.npy", 0.5f, 10);
    std::vector<int32_t> labels(10);
    for (int i = 0; i < 10; ++i)
      labels[static_cast<size_t>(i)] = i < 8 ? i % 2 : 5;
    const int64_t dims[] = {10};
    ASSERT_TRUE(
        writeNpy(directory.file("y.npy"), {labels.data(), dims, 1, WEIR_I32})
            .ok());
    data = "x=" + directory.file("x.npy") + ",y=" + directory.file("y.npy");
    prefix = directory.file("model");
  }

  void writeRows(const std::string &name, float value, int64_t rows) {
    std::vector<float> values(static_cast<size_t>(rows) * 4, value);
    const int64_t dims[] = {rows, 4};
    ASSERT_TRUE(
        writeNpy(directory.file(name), {values.data(), dims, 2, WEIR_F32})
            .ok());
  }

  /// Runs the program; returns the exit code and keeps what it printed.
  int run(std::vector<std::string> arguments) {
    std::vector<const char *> argv = {"/somewhere/fake"};
    for (const std::string &argument : arguments)
      argv.push_back(argument.c_str());
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    int code = runCommandLine(test::fakeProgram, static_cast<int>(argv.size()),
                              argv.data());
    out = testing::internal::GetCapturedStdout();
    err = testing::internal::GetCapturedStderr();
    return code;
  }

  /// Runs what must fail with one line of error that holds `part`.
  void fails(std::vector<std::string> arguments, const std::string &part) {
    EXPECT_EQ(run(arguments), 1) << part;
    size_t start = err.find("error: [WEIR");
    ASSERT_NE(start, std::string::npos) << err;
    EXPECT_NE(err.find(part, start), std::string::npos) << err;
    EXPECT_EQ(err.find('\n', start), err.size() - 1) << err;
  }

  TempDirectory directory;
  std::string data, prefix, out, err;
};

Status noDevice(const std::string &, int32_t, std::string_view,
                std::unique_ptr<Device> &) {
  return Status(WEIR_UNIMPLEMENTED, "no device");
}

} // namespace

TEST_F(CommandLineTest, Help) {
  for (std::vector<std::string> arguments :
       {std::vector<std::string>{"--help"}, {"help"}, {"train", "--help"}}) {
    EXPECT_EQ(run(arguments), 0);
    EXPECT_EQ(out.find("Program 'fake', compiled by Weir."), 0u);
    EXPECT_NE(out.find("  fake run ENTRY"), std::string::npos);
    EXPECT_NE(out.find("--epochs N"), std::string::npos);
    EXPECT_EQ(out.find("WEIR_DEVICES"), std::string::npos);
  }
}

// Who gets a program with other devices is told how these are made.
TEST(CommandLine, HelpOfDevices) {
  const WeirDeviceKind kind = {"TEST", noDevice};
  const WeirDeviceKind *kinds[] = {&kind};
  WeirProgram program = test::fakeProgram;
  program.device_kinds = kinds;
  program.device_kind_count = 1;
  const char *argv[] = {"fake", "--help"};
  testing::internal::CaptureStdout();
  EXPECT_EQ(runCommandLine(program, 2, argv), 0);
  EXPECT_NE(
      testing::internal::GetCapturedStdout().find("WEIR_DEVICES=TYPE=HOW,..."),
      std::string::npos);
}

TEST_F(CommandLineTest, Describe) {
  EXPECT_EQ(run({"describe"}), 0);
  EXPECT_NE(out.find("train(x: tensor<?x4xf32>, y: tensor<?xi32>) -> (loss: "
                     "tensor<f32>)"),
            std::string::npos)
      << out;
  EXPECT_NE(out.find("w: tensor<4xf32>"), std::string::npos);
}

TEST_F(CommandLineTest, Slips) {
  fails({}, "no command was given");
  fails({"trian"}, "did you mean 'train'?");
  fails({"describe", "x"}, "takes no operand");
  fails({"run"}, "run wants one entry");
  fails({"run", "nul"}, "did you mean 'null'?");
  fails({"run", "null"}, "needs feed 'x' (tensor<f32>)");
  fails({"run", "null", "--feed", "xx=1"},
        "has no feed 'xx'; did you mean 'x'");
  fails({"run", "null", "--feed", "x=[1,2]"}, "expected tensor<f32>, got "
                                              "tensor<2xf32>");
  fails({"run", "null", "--feed", "x=one"}, "expected a number");
  fails({"run", "null", "--feed", "x=1", "--output", "z=f.npy"},
        "has no fetch 'z'");
  fails({"run", "null", "--feed", "x=1", "--steps", "0"}, "--steps wants");
  fails({"run", "null", "--feeds", "x=1"}, "did you mean '--feed'");
  fails({"run", "null", "--feed", "x=none.npy"}, "none.npy");
  fails({"run", "null", "--feed", "x=1", "--restore", prefix},
        "there is no checkpoint");
  fails({"run", "null", "--feed", "x=1", "--profile", "/no/such/dir/t.json"},
        "cannot write the trace");
}

TEST_F(CommandLineTest, RunPrintsAndWritesFetches) {
  EXPECT_EQ(run({"run", "null", "--feed", "x=1.5"}), 0) << err;
  EXPECT_EQ(out, "y = 1.5\n");
  std::string file = directory.file("y_out.npy");
  EXPECT_EQ(run({"run", "null", "--feed", "x=2", "--output", "y=" + file}), 0);
  EXPECT_EQ(out, "");
  TensorRef tensor;
  ASSERT_TRUE(readNpy(file, tensor).ok());
  EXPECT_EQ(*static_cast<float *>(tensor.view().data), 2.0f);
}

TEST_F(CommandLineTest, RunBenchmarksAndProfiles) {
  EXPECT_EQ(run({"run", "null", "--feed", "x=1", "--benchmark", "--steps", "50",
                 "--profile", directory.file("t.json")}),
            0)
      << err;
  EXPECT_NE(out.find("steps    50\n"), std::string::npos) << out;
  EXPECT_NE(out.find("p99 "), std::string::npos);
  EXPECT_NE(directory.read("t.json").find("\"name\":\"null\""),
            std::string::npos);
}

TEST_F(CommandLineTest, StateGoesThroughCheckpoints) {
  std::string feedX = "x=[[1,1,1,1]]", feedY = "y=[0]";
  fails({"run", "train", "--feed", feedX, "--feed", feedY},
        "variable 'w' (tensor<4xf32>) is read before it has a value");
  EXPECT_EQ(run({"run", "train", "--feed", feedX, "--feed", feedY, "--init",
                 "--steps", "2", "--save", prefix}),
            0)
      << err;
  EXPECT_EQ(out, "loss = 5.19999981\n");
  EXPECT_EQ(run({"run", "train", "--feed", feedX, "--feed", feedY, "--restore",
                 prefix}),
            0);
  EXPECT_EQ(out, "loss = 4.80000019\n");
}

// Ten examples in batches of four: the last batch has two.
TEST_F(CommandLineTest, Trains) {
  EXPECT_EQ(run({"train", "--data", data, "--test", data, "--epochs", "2",
                 "--batch", "4", "--save", prefix, "--benchmark"}),
            0)
      << err;
  EXPECT_NE(err.find("epoch 1/2  loss "), std::string::npos) << err;
  EXPECT_NE(err.find("epoch 2/2  loss "), std::string::npos);
  EXPECT_NE(out.find("test accuracy 0.8\n"), std::string::npos) << out;
  EXPECT_NE(out.find("saved " + prefix + "\n"), std::string::npos);
  EXPECT_NE(out.find("steps    6\n"), std::string::npos) << out;
  EXPECT_EQ(run({"train", "--data", data, "--restore", prefix}), 0) << err;
}

TEST_F(CommandLineTest, TrainingErrors) {
  fails({"train"}, "--data wants name=file.npy");
  fails({"train", "--data", "x=" + directory.file("x.npy")},
        "feed 'y' of entry 'train' has no data; --data gives 'x'");
  fails({"train", "--data", data, "--epochs", "x"}, "--epochs wants");
  fails({"train", "--data", data, "--save", directory.file("none/model")},
        "cannot save checkpoint");
  fails({"train", "--data", data, "--restore", prefix}, "no checkpoint");
}

// Training that diverges says where, and does not replace the checkpoint.
TEST_F(CommandLineTest, NanLossIsReported) {
  ASSERT_EQ(run({"train", "--data", data, "--save", prefix}), 0) << err;
  std::string before = directory.read("model.data-00000-of-00001");
  writeRows("x.npy", NAN, 10);
  fails({"train", "--data", data, "--batch", "4", "--save", prefix},
        "[WEIR0318] the loss is nan at step 1 (epoch 1)");
  EXPECT_EQ(directory.read("model.data-00000-of-00001"), before);
}

TEST_F(CommandLineTest, Predicts) {
  ASSERT_EQ(run({"train", "--data", data, "--save", prefix}), 0) << err;
  EXPECT_EQ(run({"predict", "--restore", prefix, "--data", data}), 0) << err;
  EXPECT_EQ(out, "accuracy 0.8 (8 of 10)\n");
  std::string x = "x=" + directory.file("x.npy");
  EXPECT_EQ(run({"predict", "--restore", prefix, "--data", x}), 0);
  EXPECT_EQ(out, "0\n1\n0\n1\n0\n1\n0\n1\n0\n1\n");
  std::string file = directory.file("classes.npy");
  EXPECT_EQ(
      run({"predict", "--restore", prefix, "--data", x, "--output", file}), 0);
  TensorRef tensor;
  ASSERT_TRUE(readNpy(file, tensor).ok());
  EXPECT_EQ(tensor.view().dims[0], 10);
  fails({"predict", "--restore", prefix + "2", "--data", x},
        "did you mean 'model'?");
}

// A program for another format or machine is refused before anything else.
TEST(CommandLine, UnfitProgram) {
  WeirProgram program = test::fakeProgram;
  program.abi = 99;
  const char *argv[] = {"fake", "--help"};
  testing::internal::CaptureStderr();
  EXPECT_EQ(runCommandLine(program, 2, argv), 1);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("[WEIR0309]"),
            std::string::npos);
}

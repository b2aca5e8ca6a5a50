//===- SeriesTest.cpp - Tests of the newest checkpoint --------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/checkpoint/Series.h"
#include "test/unit/runtime/checkpoint/TempDirectory.h"

#include <gtest/gtest.h>

using namespace weir::rt;
using weir::rt::test::TempDirectory;

namespace {

class Series : public testing::Test {
protected:
  void save(const std::string &name, int keep = 5) {
    float value = 1.5f;
    WeirView view = {&value, nullptr, 0, WEIR_F32};
    SaveOptions options;
    options.keep = keep;
    Status status =
        saveCheckpoint(env, directory.file(name), {{"w", view}}, options);
    ASSERT_TRUE(status.ok()) << status.message();
  }

  /// Changes the first byte of the only tensor.
  void damage(const std::string &name) {
    std::string file = name + ".data-00000-of-00001";
    std::string bytes = directory.read(file);
    ASSERT_FALSE(bytes.empty());
    bytes[0] ^= 1;
    directory.write(file, bytes);
  }

  Status find(NewestCheckpoint &newest) {
    return findNewestCheckpoint(env, directory.file("run"), newest);
  }

  Env &env = Env::posix();
  TempDirectory directory;
};

} // namespace

TEST_F(Series, NoneIsNotFound) {
  save("other-3");
  save("run-x");
  save("run-007");
  save("run");
  NewestCheckpoint newest;
  Status status = find(newest);
  EXPECT_EQ(status.code(), WEIR_NOT_FOUND);
  EXPECT_NE(std::string(status.message()).find("[WEIR0266]"),
            std::string::npos);
}

TEST_F(Series, TheStateFileKnowsTheNewest) {
  // A run that began anew has fewer steps than what an earlier one left.
  save("run-900");
  save("run-1000");
  save("run-20");
  NewestCheckpoint newest;
  ASSERT_TRUE(find(newest).ok());
  EXPECT_EQ(newest.prefix, directory.file("run-20"));
  EXPECT_EQ(newest.step, 20);
  EXPECT_TRUE(newest.damaged.empty());
}

TEST_F(Series, WithoutAStateFileMostStepsAreNewest) {
  save("run-1000");
  save("run-900");
  std::filesystem::remove(directory.file("checkpoint"));
  NewestCheckpoint newest;
  ASSERT_TRUE(find(newest).ok());
  EXPECT_EQ(newest.step, 1000);
}

TEST_F(Series, AStateFileOfAnotherRunDoesNotHide) {
  save("run-10");
  std::string state = directory.read("checkpoint");
  save("run-20");
  // As after a crash between the index and the state file, the state file of
  // which names a checkpoint that is no longer there.
  std::filesystem::remove(directory.file("run-10.index"));
  directory.write("checkpoint", state);
  NewestCheckpoint newest;
  ASSERT_TRUE(find(newest).ok());
  EXPECT_EQ(newest.step, 20);
}

TEST_F(Series, PassesOverDamagedOnes) {
  save("run-10");
  save("run-20");
  save("run-30");
  damage("run-30");
  std::filesystem::remove(directory.file("run-20.data-00000-of-00001"));
  NewestCheckpoint newest;
  ASSERT_TRUE(find(newest).ok());
  EXPECT_EQ(newest.step, 10);
  ASSERT_EQ(newest.damaged.size(), 2u);
  EXPECT_NE(std::string(newest.damaged[0].message()).find("[WEIR0403]"),
            std::string::npos);
  EXPECT_NE(std::string(newest.damaged[1].message()).find("[WEIR0404]"),
            std::string::npos);
}

TEST_F(Series, OnlyDamagedOnesAreAnError) {
  save("run-10");
  damage("run-10");
  NewestCheckpoint newest;
  Status status = find(newest);
  EXPECT_EQ(status.code(), WEIR_DATA_LOSS);
  EXPECT_NE(std::string(status.message()).find("[WEIR0265]"),
            std::string::npos);
  EXPECT_NE(std::string(status.message()).find("run-10"), std::string::npos);
}

TEST_F(Series, VerifyReadsStringsToo) {
  WeirString text = {"weir", 4};
  WeirView view = {&text, nullptr, 0, WEIR_STRING};
  ASSERT_TRUE(saveCheckpoint(env, directory.file("s"), {{"t", view}}).ok());
  EXPECT_TRUE(verifyCheckpoint(env, directory.file("s")).ok());
  damage("s");
  EXPECT_EQ(verifyCheckpoint(env, directory.file("s")).code(), WEIR_DATA_LOSS);
}

TEST_F(Series, TheEnvironmentSaysHowManyStay) {
  EXPECT_EQ(keptCheckpoints(), 5);
  setKeptCheckpoints(7);
  EXPECT_EQ(SaveOptions().keep, 7);
  ::setenv("WEIR_KEEP_CHECKPOINTS", "many", 1);
  EXPECT_EQ(keptCheckpoints(), 5);
  ::unsetenv("WEIR_KEEP_CHECKPOINTS");
}

//===- CommitTest.cpp - Saves that fail lose nothing ----------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A file system that fails at its n-th call, for every n, under saves of the
// same and of a new prefix.
//
//===----------------------------------------------------------------------===//

#include "runtime/checkpoint/Checkpoint.h"
#include "runtime/checkpoint/StateFile.h"
#include "test/unit/runtime/checkpoint/TempDirectory.h"

#include <gtest/gtest.h>
#include <thread>

using namespace weir::rt;
using weir::rt::test::TempDirectory;

namespace {

/// Passes calls on until the n-th; that one fails (a write does half of its
/// work first), and, if the disk stays full, every later write and create too.
class FaultyEnv final : public Env {
public:
  FaultyEnv(int failAt, bool staysFull)
      : failAt(failAt), staysFull(staysFull) {}

  int calls() const { return count; }

  Status create(const std::string &path,
                std::unique_ptr<WritableFile> &file) override {
    if (fails(true))
      return full(path);
    std::unique_ptr<WritableFile> inner;
    WEIR_RETURN_IF_ERROR(Env::posix().create(path, inner));
    file = std::make_unique<File>(*this, std::move(inner), path);
    return Status();
  }
  Status open(const std::string &path,
              std::unique_ptr<ReadableFile> &file) override {
    return Env::posix().open(path, file);
  }
  Status rename(const std::string &from, const std::string &to) override {
    return fails(false) ? full(to) : Env::posix().rename(from, to);
  }
  Status remove(const std::string &path) override {
    return Env::posix().remove(path);
  }
  Status syncDirectory(const std::string &path) override {
    return fails(false) ? full(path) : Env::posix().syncDirectory(path);
  }
  Status list(const std::string &path,
              std::vector<std::string> &names) override {
    return Env::posix().list(path, names);
  }
  bool exists(const std::string &path) override {
    return Env::posix().exists(path);
  }

private:
  class File final : public WritableFile {
  public:
    File(FaultyEnv &env, std::unique_ptr<WritableFile> inner, std::string path)
        : env(env), inner(std::move(inner)), path(std::move(path)) {}
    Status append(const void *data, int64_t size) override {
      if (!env.fails(true))
        return inner->append(data, size);
      WEIR_RETURN_IF_ERROR(inner->append(data, size / 2));
      return full(path);
    }
    Status sync() override {
      return env.fails(true) ? full(path) : inner->sync();
    }
    Status close() override {
      return env.fails(true) ? full(path) : inner->close();
    }

  private:
    FaultyEnv &env;
    std::unique_ptr<WritableFile> inner;
    std::string path;
  };

  static Status full(const std::string &path) {
    return Status(WEIR_RESOURCE_EXHAUSTED,
                  "cannot write '" + path + "': No space left on device");
  }

  bool fails(bool writes) {
    ++count;
    return count == failAt || (staysFull && writes && count > failAt);
  }

  int failAt;
  bool staysFull;
  int count = 0;
};

class CommitTest : public testing::Test {
protected:
  Status save(Env &env, const std::string &name, float value) {
    float w[40];
    std::fill(std::begin(w), std::end(w), value);
    int64_t n = static_cast<int64_t>(value);
    return saveCheckpoint(
        env, directory.file(name),
        {{"w", {w, dims, 1, WEIR_F32}}, {"n", {&n, nullptr, 0, WEIR_I64}}});
  }

  /// The value in a checkpoint, or -1 when it does not restore. A mix of two
  /// saves fails the test.
  float load(const std::string &name) {
    float w[40];
    int64_t n;
    if (!restoreCheckpoint(
             Env::posix(), directory.file(name),
             {{"w", {w, dims, 1, WEIR_F32}}, {"n", {&n, nullptr, 0, WEIR_I64}}})
             .ok())
      return -1;
    for (float each : w)
      EXPECT_EQ(each, static_cast<float>(n));
    return static_cast<float>(n);
  }

  /// Files that are part of no checkpoint.
  std::vector<std::string> strays() {
    std::vector<std::string> found;
    for (const std::string &name : directory.list())
      if (name.find(".tempstate") != std::string::npos)
        found.push_back(name);
    return found;
  }

  size_t countOf(const std::string &part) {
    size_t count = 0;
    for (const std::string &name : directory.list())
      count += name.find(part) != std::string::npos;
    return count;
  }

  const int64_t dims[1] = {40};
  TempDirectory directory;
};

} // namespace

// Whatever call fails, the older checkpoint of another prefix is untouched, and
// the new one is whole or not there.
TEST_F(CommitTest, NewPrefix) {
  ASSERT_TRUE(save(Env::posix(), "m-1", 1).ok());
  for (bool staysFull : {false, true})
    for (int n = 1;; ++n) {
      ASSERT_LT(n, 100);
      FaultyEnv env(n, staysFull);
      Status status = save(env, "m-2", 2);
      EXPECT_EQ(load("m-1"), 1) << n;
      EXPECT_TRUE(strays().empty()) << n << strays()[0];
      if (status.ok()) {
        EXPECT_LT(env.calls(), n) << "a failed call went unnoticed";
        EXPECT_EQ(load("m-2"), 2);
        break;
      }
      EXPECT_EQ(status.code(), WEIR_RESOURCE_EXHAUSTED) << n;
      EXPECT_NE(std::string(status.message()).find("[WEIR0407] "),
                std::string::npos);
      float value = load("m-2");
      EXPECT_TRUE(value == -1 || value == 2) << n;
      if (value == -1)
        EXPECT_EQ(countOf("m-2"), 0u) << n;
      // Start again from the older one alone.
      for (const std::string &name : directory.list())
        if (name.find("m-2") == 0)
          std::remove(directory.file(name).c_str());
    }
}

// The same prefix again and again: at every failure the old or the new values
// are there, never a mix, never none.
TEST_F(CommitTest, SamePrefix) {
  float value = 1;
  ASSERT_TRUE(save(Env::posix(), "m", value).ok());
  for (bool staysFull : {false, true})
    for (int n = 1;; ++n) {
      ASSERT_LT(n, 100);
      FaultyEnv env(n, staysFull);
      Status status = save(env, "m", value + 1);
      float found = load("m");
      EXPECT_TRUE(found == value || found == value + 1) << n << " " << found;
      EXPECT_TRUE(strays().empty()) << n;
      value = found;
      if (status.ok()) {
        EXPECT_LT(env.calls(), n);
        break;
      }
    }
  // What the failures left behind goes with the next good save.
  ASSERT_TRUE(save(Env::posix(), "m", 50).ok());
  EXPECT_EQ(load("m"), 50);
  EXPECT_EQ(countOf("m.data-"), 1u);
}

TEST_F(CommitTest, KeepsTheNewestOfAStem) {
  ASSERT_TRUE(save(Env::posix(), "best", 7).ok());
  ASSERT_TRUE(save(Env::posix(), "other-1", 8).ok());
  for (int i = 1; i <= 8; ++i)
    ASSERT_TRUE(
        save(Env::posix(), "m-" + std::to_string(i), static_cast<float>(i))
            .ok());
  for (int i = 1; i <= 8; ++i)
    EXPECT_EQ(load("m-" + std::to_string(i)), i <= 3 ? -1 : i);
  EXPECT_EQ(countOf("m-3"), 0u);
  EXPECT_EQ(load("best"), 7);
  EXPECT_EQ(load("other-1"), 8);
  CheckpointState state = readState(Env::posix(), directory.path);
  EXPECT_EQ(state.newest, "m-8");
  EXPECT_EQ(state.all, (std::vector<std::string>{"best", "other-1", "m-4",
                                                 "m-5", "m-6", "m-7", "m-8"}));
}

// Two stay whatever the caller asks for.
TEST_F(CommitTest, NeverKeepsFewerThanTwo) {
  float value = 0;
  for (const char *name : {"m-1", "m-2", "m-3"})
    ASSERT_TRUE(saveCheckpoint(Env::posix(), directory.file(name),
                               {{"v", {&value, nullptr, 0, WEIR_F32}}}, {0})
                    .ok());
  EXPECT_EQ(countOf(".index"), 2u);
}

// A state file that somebody else wrote does not stop a save.
TEST_F(CommitTest, DamagedStateFile) {
  directory.write("checkpoint", std::string("\x00\xff nonsense \"", 13));
  ASSERT_TRUE(save(Env::posix(), "m", 1).ok());
  EXPECT_EQ(
      directory.read("checkpoint"),
      "model_checkpoint_path: \"m\"\nall_model_checkpoint_paths: \"m\"\n");
}

TEST_F(CommitTest, ThreadsSaveOneAfterAnother) {
  std::vector<std::thread> threads;
  for (int t = 1; t <= 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 5; ++i)
        EXPECT_TRUE(save(Env::posix(), "m", static_cast<float>(t)).ok());
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_GE(load("m"), 1);
  EXPECT_TRUE(strays().empty());
  EXPECT_EQ(countOf("m.data-"), 1u);
}

//===- CorruptionTest.cpp - Damaged checkpoints never restore -------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every byte of a small checkpoint is changed in turn, and the files are cut at
// every length: the result is an error, or the right values where the byte is
// one that nothing depends on.
//
//===----------------------------------------------------------------------===//

#include "runtime/checkpoint/Checkpoint.h"
#include "runtime/checkpoint/IndexTable.h"
#include "test/unit/runtime/checkpoint/TempDirectory.h"

#include <cstring>
#include <gtest/gtest.h>
#include <random>

using namespace weir::rt;
using weir::rt::test::TempDirectory;

namespace {

const char kIndex[] = "m.index";
const char kData[] = "m.data-00000-of-00001";
const int64_t kDims[] = {2, 3};

class CorruptionTest : public testing::Test {
protected:
  void SetUp() override {
    WeirString strings[] = {{"hello", 5}, {"", 0}, {"wörld", 6}};
    const int64_t three[] = {3};
    Status saved =
        saveCheckpoint(Env::posix(), directory.file("m"),
                       {{"layer/weights", {values, kDims, 2, WEIR_F32}},
                        {"layer/bias", {&bias, nullptr, 0, WEIR_I64}},
                        {"names", {strings, three, 1, WEIR_STRING}}});
    ASSERT_TRUE(saved.ok()) << saved.message();
    index = directory.read(kIndex);
    data = directory.read(kData);
  }

  /// Restores everything; true when the values are right, false on an error.
  /// Wrong values fail the test.
  bool restores(const std::string &what) {
    float w[6] = {-1, -1, -1, -1, -1, -1};
    int64_t b = -1;
    std::unique_ptr<CheckpointReader> reader;
    Status status =
        restoreCheckpoint(Env::posix(), directory.file("m"),
                          {{"layer/weights", {w, kDims, 2, WEIR_F32}},
                           {"layer/bias", {&b, nullptr, 0, WEIR_I64}}});
    if (!status.ok()) {
      EXPECT_EQ(w[0], -1) << what;
      EXPECT_EQ(b, -1) << what;
      EXPECT_EQ(std::strncmp(status.message(), "[WEIR04", 7), 0)
          << status.message();
      return false;
    }
    EXPECT_EQ(std::memcmp(w, values, sizeof(w)), 0) << what;
    EXPECT_EQ(b, bias) << what;
    const BundleEntry *entry;
    std::vector<std::string> names;
    status = CheckpointReader::open(Env::posix(), directory.file("m"), reader);
    if (status.ok())
      status = reader->find("names", entry);
    if (status.ok())
      status = reader->readStrings("names", *entry, names);
    if (!status.ok())
      return false;
    EXPECT_EQ(names, (std::vector<std::string>{"hello", "", "wörld"})) << what;
    return true;
  }

  TempDirectory directory;
  float values[6] = {1, 2, 3, 4, 5, 6};
  int64_t bias = 77;
  std::string index, data;
};

} // namespace

TEST_F(CorruptionTest, SoundOneRestores) { EXPECT_TRUE(restores("sound")); }

TEST_F(CorruptionTest, EveryByteOfTheIndex) {
  int unnoticed = 0;
  for (size_t i = 0; i < index.size(); ++i)
    for (unsigned char change : {0x01, 0x80, 0xff}) {
      std::string damaged = index;
      damaged[i] = static_cast<char>(damaged[i] ^ change);
      directory.write(kIndex, damaged);
      unnoticed += restores("index byte " + std::to_string(i));
    }
  // The footer has 40 bytes for two handles, which take four here: 36 bytes of
  // padding. And the last handle's last byte may run on into a padding of zero,
  // which is the same number written longer.
  EXPECT_EQ(unnoticed, 36 * 3 + 1);
}

TEST_F(CorruptionTest, EveryByteOfTheData) {
  int unnoticed = 0;
  for (size_t i = 0; i < data.size(); ++i)
    for (unsigned char change : {0x01, 0x80, 0xff}) {
      std::string damaged = data;
      damaged[i] = static_cast<char>(damaged[i] ^ change);
      directory.write(kData, damaged);
      unnoticed += restores("data byte " + std::to_string(i));
    }
  // The gaps before the 64-byte boundaries: 56 bytes after the bias, 40 after
  // the weights. Every other byte is under a checksum.
  EXPECT_EQ(unnoticed, (56 + 40) * 3);
}

TEST_F(CorruptionTest, EveryLength) {
  for (size_t size = 0; size < index.size(); ++size) {
    directory.write(kIndex, index.substr(0, size));
    EXPECT_FALSE(restores("index of " + std::to_string(size)));
  }
  directory.write(kIndex, index);
  for (size_t size = 0; size < data.size(); ++size) {
    directory.write(kData, data.substr(0, size));
    EXPECT_FALSE(restores("data of " + std::to_string(size)));
  }
}

TEST_F(CorruptionTest, MissingData) {
  std::remove(directory.file(kData).c_str());
  EXPECT_FALSE(restores("missing data"));
}

TEST_F(CorruptionTest, NotAFile) {
  std::remove(directory.file(kIndex).c_str());
  std::filesystem::create_directory(directory.file(kIndex));
  EXPECT_FALSE(restores("index is a directory"));
}

// Two, three or many bytes at a time: what a checksum of one block might miss.
TEST_F(CorruptionTest, ManyBytes) {
  std::mt19937 random(7);
  for (int round = 0; round < 3000; ++round) {
    std::string damaged = index;
    for (unsigned n = 1 + random() % 8; n > 0; --n)
      damaged[random() % damaged.size()] = static_cast<char>(random());
    directory.write(kIndex, damaged);
    restores("round " + std::to_string(round));
  }
}

// Tables that are sound as tables, with entries that may be anything.
TEST_F(CorruptionTest, NoiseUnderAValidChecksum) {
  TableEntries entries;
  ASSERT_TRUE(readTable(index, entries).ok());
  std::mt19937 random(9);
  for (int round = 0; round < 3000; ++round) {
    TableEntries damaged = entries;
    std::string &value = damaged[random() % damaged.size()].second;
    for (unsigned n = 1 + random() % 3; n > 0; --n)
      value[random() % value.size()] = static_cast<char>(random());
    std::string table;
    ASSERT_TRUE(buildTable(damaged, table).ok());
    directory.write(kIndex, table);
    float w[6];
    int64_t b;
    // Some changes make another valid entry, so the values are not compared.
    Status status =
        restoreCheckpoint(Env::posix(), directory.file("m"),
                          {{"layer/weights", {w, kDims, 2, WEIR_F32}},
                           {"layer/bias", {&b, nullptr, 0, WEIR_I64}}});
    (void)status;
    std::unique_ptr<CheckpointReader> reader;
    const BundleEntry *entry;
    std::vector<std::string> names;
    if (CheckpointReader::open(Env::posix(), directory.file("m"), reader)
            .ok() &&
        reader->find("names", entry).ok())
      (void)reader->readStrings("names", *entry, names).ok();
  }
}

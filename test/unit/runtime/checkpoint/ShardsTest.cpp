//===- ShardsTest.cpp - Checkpoints that several tasks write --------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/checkpoint/Shards.h"
#include "runtime/base/Format.h"
#include "runtime/checkpoint/IndexTable.h"
#include "runtime/checkpoint/Slices.h"
#include "runtime/checkpoint/StateFile.h"
#include "test/unit/runtime/checkpoint/TempDirectory.h"

#include <gtest/gtest.h>

using namespace weir::rt;
using weir::rt::test::TempDirectory;

namespace {

using Floats = std::vector<float>;

class Shards : public testing::Test {
protected:
  struct Value {
    std::string name;
    std::vector<int64_t> dims;
    Floats data;
    std::string slice = "";
  };

  Status write(int64_t shard, int64_t count, const std::vector<Value> &values,
               std::string &receipt, const char *name = "m-1") {
    std::vector<ShardTensor> tensors;
    for (const Value &value : values)
      tensors.push_back(
          {value.name,
           {const_cast<float *>(value.data.data()), value.dims.data(),
            static_cast<int32_t>(value.dims.size()), WEIR_F32},
           value.slice});
    return writeShard(Env::posix(), directory.file(name), shard, count, tensors,
                      receipt);
  }

  std::string receiptOf(int64_t shard, int64_t count,
                        const std::vector<Value> &values,
                        const char *name = "m-1") {
    std::string receipt;
    Status status = write(shard, count, values, receipt, name);
    EXPECT_TRUE(status.ok()) << status.message();
    return receipt;
  }

  Status commit(const std::vector<std::string> &receipts,
                const char *name = "m-1") {
    return commitShards(Env::posix(), directory.file(name),
                        {receipts.begin(), receipts.end()});
  }

  Status read(const std::string &name, std::vector<int64_t> dims, Floats &data,
              const char *prefix = "m-1") {
    int64_t count = 1;
    for (int64_t extent : dims)
      count *= extent;
    data.assign(static_cast<size_t>(count), -1);
    return restoreCheckpoint(Env::posix(), directory.file(prefix),
                             {{name,
                               {data.data(), dims.data(),
                                static_cast<int32_t>(dims.size()), WEIR_F32}}});
  }

  void expect(const std::string &name, std::vector<int64_t> dims,
              const Floats &expected, const char *prefix = "m-1") {
    Floats data;
    Status status = read(name, std::move(dims), data, prefix);
    EXPECT_TRUE(status.ok()) << status.message();
    EXPECT_EQ(data, expected);
  }

  static void expectError(const Status &status, const char *number,
                          const std::string &part) {
    const std::string message = status.message();
    EXPECT_EQ(message.substr(0, 10), number) << message;
    EXPECT_NE(message.find(part), std::string::npos) << message;
  }

  TempDirectory directory;
};

} // namespace

TEST_F(Shards, MakeOneCheckpoint) {
  std::string first = receiptOf(0, 2, {{"a", {2}, {1, 2}}, {"c", {}, {3}}});
  std::string second = receiptOf(1, 2, {{"b", {1, 2}, {4, 5}}});
  // Nothing is there before the commit.
  Floats data;
  expectError(read("a", {2}, data), "[WEIR0401]", "there is no checkpoint");
  Status status = commit({second, first});
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(directory.list(),
            (std::vector<std::string>{"checkpoint", "m-1.data-00000-of-00002",
                                      "m-1.data-00001-of-00002", "m-1.index"}));
  expect("a", {2}, {1, 2});
  expect("b", {1, 2}, {4, 5});
  expect("c", {}, {3});
  EXPECT_EQ(readState(Env::posix(), directory.path).newest, "m-1");
}

TEST_F(Shards, ASaveOverAnOldOneTakesFreeNames) {
  ASSERT_TRUE(commit({receiptOf(0, 2, {{"a", {}, {1}}}),
                      receiptOf(1, 2, {{"b", {}, {2}}})})
                  .ok());
  ASSERT_TRUE(commit({receiptOf(0, 2, {{"a", {}, {3}}}),
                      receiptOf(1, 2, {{"b", {}, {4}}})})
                  .ok());
  expect("a", {}, {3});
  expect("b", {}, {4});
  EXPECT_EQ(directory.list(),
            (std::vector<std::string>{"checkpoint", "m-1.data-00001-of-00003",
                                      "m-1.data-00002-of-00003", "m-1.index"}));
  // And one of one file over it.
  ASSERT_TRUE(commit({receiptOf(0, 1, {{"a", {}, {5}}})}).ok());
  expect("a", {}, {5});
  EXPECT_EQ(directory.list().size(), 3u);
}

TEST_F(Shards, PutsSlicesTogether) {
  std::string first =
      receiptOf(0, 2, {{"w", {1, 3}, {1, 2, 3}, "3 3 0,1:-"}, {"v", {}, {9}}});
  std::string second =
      receiptOf(1, 2, {{"w", {2, 3}, {4, 5, 6, 7, 8, 9}, "3 3 1,2:-"}});
  Status status = commit({first, second});
  ASSERT_TRUE(status.ok()) << status.message();
  expect("w", {3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9});
  expect("v", {}, {9});

  // A part of it, as a task of another number of tasks has it.
  std::unique_ptr<CheckpointReader> reader;
  ASSERT_TRUE(
      CheckpointReader::open(Env::posix(), directory.file("m-1"), reader).ok());
  const BundleEntry *entry;
  ASSERT_TRUE(reader->find("w", entry).ok());
  Floats middle(4);
  status = reader->readSlice("w", *entry, {{0, 2}, {1, 2}}, middle.data());
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(middle, (Floats{2, 3, 5, 6}));
  Floats row(3);
  ASSERT_TRUE(
      reader->readSlice("w", *entry, {{0, 1}, {0, 3}}, row.data()).ok());
  EXPECT_EQ(row, (Floats{1, 2, 3}));
}

TEST_F(Shards, SlicesOfWhatIsStoredWhole) {
  ASSERT_TRUE(commit({receiptOf(0, 1, {{"w", {2, 2}, {1, 2, 3, 4}}})}).ok());
  std::unique_ptr<CheckpointReader> reader;
  ASSERT_TRUE(
      CheckpointReader::open(Env::posix(), directory.file("m-1"), reader).ok());
  const BundleEntry *entry;
  ASSERT_TRUE(reader->find("w", entry).ok());
  Floats column(2);
  ASSERT_TRUE(
      reader->readSlice("w", *entry, {{0, 2}, {1, 1}}, column.data()).ok());
  EXPECT_EQ(column, (Floats{2, 4}));
}

TEST_F(Shards, RefusesWhatIsNoSlice) {
  std::string receipt;
  expectError(write(0, 1, {{"w", {2}, {1, 2}, "3 0,3"}}, receipt), "[WEIR0411]",
              "is tensor<3xf32>, the value is tensor<2xf32>");
  expectError(write(0, 1, {{"w", {2}, {1, 2}, "3 2,2"}}, receipt), "[WEIR0411]",
              "tensor 'w': '3 2,2' is no slice");
  expectError(write(2, 2, {}, receipt), "[WEIR0413]", "no shard 2 of 2");
  expectError(write(0, 100000, {}, receipt), "[WEIR0413]", "at most 99999");
  expectError(write(0, 1, {{"", {}, {1}}}, receipt), "[WEIR0408]",
              "has no name");
  expectError(write(0, 1, {{"a", {}, {1}}, {"a", {}, {1}}}, receipt),
              "[WEIR0408]", "two tensors");
  expectError(write(0, 1, {{"a", {}, {1}}}, receipt, "no/such/m"), "[WEIR0407]",
              "cannot save checkpoint");
  EXPECT_TRUE(directory.list().empty());
}

TEST_F(Shards, RefusesReceiptsThatAreNotOfOneSave) {
  auto a = [&](int64_t shard, int64_t count) {
    return receiptOf(shard, count, {{str("t", shard), {}, {1}}});
  };
  expectError(commit({a(0, 2)}), "[WEIR0413]",
              "one is of 2 shards, there are 1 receipts");
  expectError(commit({a(0, 2), a(0, 2)}), "[WEIR0413]",
              "shard 0 is there twice");
  expectError(commit({}), "[WEIR0413]", "there is none");
  std::string other = receiptOf(1, 2, {{"b", {}, {1}}}, "m-2");
  expectError(commit({a(0, 2), other}), "[WEIR0413]", "one is of checkpoint '");
  // What the errors spoke of is gone, but for that of the other checkpoint.
  std::vector<std::string> left = directory.list();
  ASSERT_EQ(left.size(), 1u);
  EXPECT_EQ(left[0].substr(0, 10), "m-2.shard-");
}

/// Every byte of a receipt counts.
TEST_F(Shards, RefusesDamagedReceipts) {
  const std::string good = receiptOf(0, 1, {{"a", {3}, {1, 2, 3}}});
  for (size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 0x10);
    expectError(commit({bad}), "[WEIR0412]", "is damaged");
  }
  for (const std::string &bad :
       {std::string(), std::string("receipt"), good.substr(1), good + "x"})
    expectError(commit({bad}), "[WEIR0412]", "is damaged");
}

TEST_F(Shards, RefusesAMissingShard) {
  std::string first = receiptOf(0, 2, {{"a", {}, {1}}});
  std::string second = receiptOf(1, 2, {{"b", {}, {2}}});
  for (const std::string &name : directory.list())
    if (name.find("shard-1-of-2") != std::string::npos)
      std::filesystem::remove(directory.file(name));
  expectError(commit({first, second}), "[WEIR0415]", "shard 1 of checkpoint");
  EXPECT_TRUE(directory.list().empty());
  first = receiptOf(0, 1, {{"a", {}, {1}}});
  directory.write(directory.list()[0], "short");
  expectError(commit({first}), "[WEIR0415]", "it has 5 bytes, not 4");
}

TEST_F(Shards, RefusesTensorsThatDoNotGoTogether) {
  auto both = [&](Value a, Value b) {
    return commit({receiptOf(0, 2, {a}), receiptOf(1, 2, {b})});
  };
  expectError(both({"a", {}, {1}}, {"a", {}, {1}}), "[WEIR0414]",
              "have tensor 'a'");
  expectError(both({"a", {1}, {1}, "2 0,1"}, {"a", {1}, {1}, "3 1,1"}),
              "[WEIR0414]", "with other types");
  expectError(both({"a", {1}, {1}, "2 0,1"}, {"a", {1}, {1}, "2 0,1"}),
              "[WEIR0414]", "the same slice");
  expectError(both({"a", {2}, {1, 2}, "3 0,2"}, {"a", {2}, {1, 2}, "3 1,2"}),
              "[WEIR0414]", "overlap");
  expectError(both({"a", {1}, {1}, "3 0,1"}, {"a", {1}, {1}, "3 1,1"}),
              "[WEIR0414]", "have 2 elements, the tensor has 3");
  EXPECT_TRUE(directory.list().empty());
}

TEST_F(Shards, ReaderMissesAShard) {
  ASSERT_TRUE(commit({receiptOf(0, 2, {{"a", {}, {1}}}),
                      receiptOf(1, 2, {{"b", {}, {2}}})})
                  .ok());
  std::filesystem::remove(directory.file("m-1.data-00001-of-00002"));
  expect("a", {}, {1});
  Floats data;
  expectError(read("b", {}, data), "[WEIR0404]", "m-1.data-00001-of-00002");
}

/// Indices that speak of slices that are not so.
TEST_F(Shards, ReaderChecksSlices) {
  BundleHeader header;
  header.shardCount = 1;
  BundleEntry whole, piece;
  whole.dtype = piece.dtype = WEIR_F32;
  whole.shape = {2};
  piece.shape = {1};
  piece.size = 4;
  directory.write("m-1.data-00000-of-00001", std::string(64, '\0'));
  auto attempt = [&](std::vector<TensorSlice> slices, BundleEntry data) {
    whole.slices = slices;
    TableEntries entries = {{"", serializeHeader(header)},
                            {sliceKey("w", {{0, 1}}), serializeEntry(data)},
                            {"w", serializeEntry(whole)}};
    std::string table;
    EXPECT_TRUE(buildTable(entries, table).ok());
    directory.write("m-1.index", table);
    Floats values;
    return read("w", {2}, values);
  };
  expectError(attempt({{{0, 3}}}, piece), "[WEIR0402]", "is not inside of it");
  expectError(attempt({{}}, piece), "[WEIR0402]", "is not inside of it");
  expectError(attempt({{{1, 1}}}, piece), "[WEIR0402]", "'2 1,1' is missing");
  expectError(attempt({{{0, 1}}, {{0, 1}}}, piece), "[WEIR0402]",
              "overlaps another");
  BundleEntry other = piece;
  other.shape = {2};
  other.size = 8;
  expectError(attempt({{{0, 1}}}, other), "[WEIR0402]", "has another type");
  other = piece;
  other.shard = 5;
  expectError(attempt({{{0, 1}}}, other), "[WEIR0402]", "data file 5 of 1");
  // What is right but for its checksum.
  expectError(attempt({{{0, 1}}}, piece), "[WEIR0403]", "tensor 'w'");
}

TEST_F(Shards, ReaderWantsAllOfATensor) {
  // Made by hand: our own commits refuse it.
  ASSERT_TRUE(commit({receiptOf(0, 1, {{"p", {1}, {1}}})}).ok());
  std::unique_ptr<CheckpointReader> reader;
  ASSERT_TRUE(
      CheckpointReader::open(Env::posix(), directory.file("m-1"), reader).ok());
  BundleEntry piece = reader->entries().at("p"), whole = piece;
  whole.shape = {2};
  whole.slices = {{{0, 1}}};
  BundleHeader header;
  header.shardCount = 1;
  std::string table;
  ASSERT_TRUE(buildTable({{"", serializeHeader(header)},
                          {sliceKey("w", {{0, 1}}), serializeEntry(piece)},
                          {"w", serializeEntry(whole)}},
                         table)
                  .ok());
  directory.write("m-1.index", table);
  Floats data;
  expectError(read("w", {2}, data), "[WEIR0416]", "of 2 elements there are 1");
}

//===- BundleProtoTest.cpp - Tests of the messages in an index ------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/checkpoint/BundleProto.h"
#include "weir-c/types.h"

#include <gtest/gtest.h>
#include <random>

using namespace weir::rt;

static BundleEntry sample() {
  BundleEntry entry;
  entry.dtype = WEIR_F32;
  entry.shape = {3, 0, int64_t(1) << 40};
  entry.shard = 2;
  entry.offset = 300;
  entry.size = 12;
  entry.crc = 0xdeadbeef;
  return entry;
}

TEST(BundleProto, EntryRoundTrip) {
  BundleEntry entry;
  ASSERT_TRUE(parseEntry(serializeEntry(sample()), entry));
  EXPECT_EQ(entry.dtype, WEIR_F32);
  EXPECT_EQ(entry.shape, sample().shape);
  EXPECT_EQ(entry.shard, 2);
  EXPECT_EQ(entry.offset, 300);
  EXPECT_EQ(entry.size, 12);
  EXPECT_EQ(entry.crc, 0xdeadbeef);
  EXPECT_TRUE(entry.slices.empty());
}

// The bytes that protobuf writes for dtype 1, shape [3], offset 64, size 12,
// crc 0x04030201.
TEST(BundleProto, EntryBytes) {
  BundleEntry entry;
  entry.dtype = 1;
  entry.shape = {3};
  entry.offset = 64;
  entry.size = 12;
  entry.crc = 0x04030201;
  EXPECT_EQ(serializeEntry(entry),
            std::string("\x08\x01\x12\x04\x12\x02\x08\x03\x20\x40\x28\x0c\x35"
                        "\x01\x02\x03\x04",
                        17));
}

// One data file, little-endian, written by version 1.
TEST(BundleProto, HeaderBytes) {
  BundleHeader header;
  header.shardCount = 1;
  header.producer = 1;
  EXPECT_EQ(serializeHeader(header), std::string("\x08\x01\x1a\x02\x08\x01"));
  BundleHeader parsed;
  ASSERT_TRUE(parseHeader(serializeHeader(header), parsed));
  EXPECT_EQ(parsed.shardCount, 1);
  EXPECT_EQ(parsed.producer, 1);
}

TEST(BundleProto, SkipsUnknownFieldsAndSeesSlices) {
  BundleEntry entry;
  std::string bytes = serializeEntry(sample());
  bytes += std::string("\xa0\x06\x05", 3); // 100: varint
  bytes += std::string("\xa1\x06"
                       "12345678",
                       10);                  // 100: fixed64
  bytes += std::string("\xa2\x06\x02xy", 5); // 100: bytes
  // 7: a slice, rows 2 and 3 and all columns
  bytes += std::string("\x3a\x08\x0a\x04\x08\x02\x10\x02\x0a\x00", 10);
  ASSERT_TRUE(parseEntry(bytes, entry));
  ASSERT_EQ(entry.slices.size(), 1u);
  ASSERT_EQ(entry.slices[0].size(), 2u);
  EXPECT_EQ(entry.slices[0][0].start, 2);
  EXPECT_EQ(entry.slices[0][0].length, 2);
  EXPECT_EQ(entry.slices[0][1].start, 0);
  EXPECT_EQ(entry.slices[0][1].length, -1);
  BundleEntry again;
  ASSERT_TRUE(parseEntry(serializeEntry(entry), again));
  ASSERT_EQ(again.slices.size(), 1u);
  EXPECT_EQ(again.slices[0][0].length, 2);
  EXPECT_EQ(again.slices[0][1].length, -1);
  EXPECT_EQ(entry.size, 12);
}

TEST(BundleProto, RefusesMalformedBytes) {
  BundleEntry entry;
  const std::string cases[] = {
      std::string("\x08", 1),         // a varint without its value
      std::string("\x08\xff", 2),     // a varint that does not end
      std::string(11, '\xff'),        // a varint that is too long
      std::string("\x0b", 1),         // a group
      std::string("\x00\x01", 2),     // field 0
      std::string("\x12\x05\x12", 3), // a length beyond the end
      std::string("\x35\x01\x02", 3), // a fixed32 that is cut short
      std::string("\x10\x01", 2),     // a shape that is a number
      std::string("\x0a\x01x", 3),    // a dtype that is a string
  };
  for (const std::string &bytes : cases)
    EXPECT_FALSE(parseEntry(bytes, entry));
}

// Any bytes are refused or read, never a reason to stop.
TEST(BundleProto, SurvivesNoise) {
  std::mt19937 random(1);
  for (int i = 0; i < 20000; ++i) {
    std::string bytes(random() % 40, '\0');
    for (char &c : bytes)
      c = static_cast<char>(random() % 4 ? random() % 64 : random());
    BundleEntry entry;
    BundleHeader header;
    parseEntry(bytes, entry);
    parseHeader(bytes, header);
    EXPECT_LE(entry.shape.size(), 254u);
  }
}

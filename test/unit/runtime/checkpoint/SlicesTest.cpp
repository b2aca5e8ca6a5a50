//===- SlicesTest.cpp - Parts of tensors in checkpoints -------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/checkpoint/Slices.h"

#include <gtest/gtest.h>
#include <numeric>
#include <random>

using namespace weir::rt;

static std::string hex(const std::string &bytes) {
  std::string out;
  for (unsigned char c : bytes) {
    char text[3];
    snprintf(text, sizeof(text), "%02x", c);
    out += text;
  }
  return out;
}

// The keys that TensorFlow makes. The name is "w"; 00 is the number 0, 7700 01
// the name and its end, 01 02 the rank.
TEST(Slices, KeysAreTensorFlows) {
  EXPECT_EQ(hex(sliceKey("w", {{0, 2}, {0, -1}})), "0077000101028082807f");
  // From 64 on a number takes two bytes, and below -64.
  EXPECT_EQ(hex(sliceKey("w", {{64, 8192}})), "0077000101"
                                              "01c040e02000");
  EXPECT_EQ(hex(sliceKey("w", {{-65, -64}})), "0077000101"
                                              "013fbf40");
  EXPECT_EQ(hex(sliceKey("w", {{INT64_MIN, INT64_MAX}})),
            "007700010101003f8000000000000000ffc07fffffffffffffff");
  EXPECT_EQ(hex(sliceKey(std::string("a\0b\xff", 4), {})),
            "006100ff62ff00000100");
}

TEST(Slices, AreReadAndPrinted) {
  std::vector<int64_t> shape;
  TensorSlice slice;
  for (const char *text : {"10 20 0,5:-", "4 1,2", "3 4 5 -:-:-", "7 7,0"}) {
    Status status = parseShapeAndSlice(text, shape, slice);
    ASSERT_TRUE(status.ok()) << status.message();
    EXPECT_EQ(printShapeAndSlice(shape, slice), text);
  }
  for (const char *text :
       {"", "10", "10 0,11", "10 6,5", "10 0,5:-", "10 20 0,5", "x -", "10 a,1",
        "10 -1,2", "10 0,-2", "10 0", "10 9223372036854775807,2",
        "1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 "
        "-"}) {
    Status status = parseShapeAndSlice(text, shape, slice);
    EXPECT_EQ(status.code(), WEIR_INVALID_ARGUMENT) << text;
    EXPECT_EQ(std::string(status.message()).substr(0, 10), "[WEIR0411]")
        << text;
  }
}

// Against a copy of one element at a time.
TEST(Slices, CopiesWhatIsCommon) {
  std::mt19937 random(7);
  for (int round = 0; round < 2000; ++round) {
    const size_t rank = random() % 5;
    std::vector<int64_t> shape;
    TensorSlice from, to;
    auto range = [&](int64_t extent) {
      int64_t start = random() % (extent + 1);
      if (random() % 3 == 0)
        return SliceExtent{0, extent};
      return SliceExtent{start,
                         static_cast<int64_t>(random() % (extent - start + 1))};
    };
    for (size_t i = 0; i < rank; ++i) {
      shape.push_back(1 + random() % 5);
      from.push_back(range(shape.back()));
      to.push_back(range(shape.back()));
    }
    auto count = [](const TensorSlice &slice) {
      return std::accumulate(slice.begin(), slice.end(), int64_t(1),
                             [](int64_t product, const SliceExtent &extent) {
                               return product * extent.length;
                             });
    };
    std::vector<int32_t> source(static_cast<size_t>(count(from)));
    std::iota(source.begin(), source.end(), 1);
    std::vector<int32_t> result(static_cast<size_t>(count(to)), 0);
    std::vector<int32_t> expected = result;
    int64_t common = 0;
    for (size_t k = 0; k < source.size(); ++k) {
      // Where element k of `from` is in `to`.
      int64_t rest = static_cast<int64_t>(k), place = 0, step = 1;
      bool isInside = true;
      for (size_t i = rank; i-- > 0;) {
        int64_t at = rest % from[i].length + from[i].start - to[i].start;
        rest /= from[i].length;
        isInside &= at >= 0 && at < to[i].length;
        place += at * step;
        step *= to[i].length;
      }
      if (!isInside)
        continue;
      expected[static_cast<size_t>(place)] = source[k];
      ++common;
    }
    EXPECT_EQ(copySlice(to, result.data(), from, source.data(), 4), common);
    EXPECT_EQ(result, expected);
    EXPECT_EQ(slicesMeet(to, from), common > 0);
  }
}

//===- SharedTest.cpp - The decoders in a shared library ------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// The libraries that decode images are made for executables; programs may be
// compiled to shared libraries too. That the library that this calls can be
// linked is half of the test.
//
//===----------------------------------------------------------------------===//

#include <cstdint>
#include <gtest/gtest.h>
#include <string_view>
#include <vector>

extern "C" int64_t weir_test_sum_of_pixels(const char *bytes, int64_t size);

namespace {

struct ImageCase {
  const char *name;
  std::string_view bytes;
  int64_t channels;
  std::vector<int64_t> dims;
  std::string_view pixels;
};

#include "test/unit/runtime/input/ImageData.inc"

TEST(SharedTest, DecodesImages) {
  for (const ImageCase &test : kImageCases) {
    if (test.channels != 0)
      continue;
    int64_t sum = 0, size = static_cast<int64_t>(test.bytes.size());
    for (char pixel : test.pixels)
      sum += static_cast<unsigned char>(pixel);
    EXPECT_EQ(weir_test_sum_of_pixels(test.bytes.data(), size), sum)
        << test.name;
    EXPECT_EQ(weir_test_sum_of_pixels(test.bytes.data(), size - 20), -1)
        << test.name;
  }
}

} // namespace

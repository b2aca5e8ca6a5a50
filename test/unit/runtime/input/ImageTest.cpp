//===- ImageTest.cpp - PNG and JPEG images --------------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/runtime/input/InputTestUtil.h"

using namespace weir::rt;
using namespace weir::rt::test;

namespace {

/// An image and what TensorFlow decodes it to; without extents, it refuses.
struct ImageCase {
  const char *name;
  std::string_view bytes;
  int64_t channels;
  std::vector<int64_t> dims;
  std::string_view pixels;
};

#include "test/unit/runtime/input/ImageData.inc"

TEST(ImageTest, DecodesToTensorFlowsPixels) {
  for (const ImageCase &test : kImageCases) {
    SCOPED_TRACE(std::string(test.name) + " to " +
                 std::to_string(test.channels) + " channels");
    TensorRef image;
    Status status = decodeImage(test.bytes, test.channels, image);
    if (test.dims.empty()) {
      EXPECT_EQ(status.code(), WEIR_INVALID_ARGUMENT);
      EXPECT_NE(std::string(status.message()).find("[WEIR0363]"),
                std::string::npos);
      continue;
    }
    ASSERT_TRUE(status.ok()) << status.message();
    EXPECT_EQ(dimsOf(image), test.dims);
    EXPECT_TRUE(bytesOf(image) == test.pixels);
  }
}

TEST(ImageTest, TakesAnyBytes) {
  // The channels 0, 1, 3 and 4 take different ways through the libraries.
  for (const ImageCase &test : kImageCases)
    damageEveryWay(test.bytes, [&](std::string_view bytes) {
      TensorRef image;
      Status status = decodeImage(bytes, test.channels, image);
      if (status.ok())
        EXPECT_EQ(image.view().rank, 3);
      else
        EXPECT_FALSE(image);
    });
}

TEST(ImageTest, CutShortIsAnError) {
  for (const ImageCase &test : kImageCases) {
    if (test.dims.empty())
      continue;
    for (size_t size = 0; size + 12 < test.bytes.size(); ++size) {
      TensorRef image;
      EXPECT_FALSE(
          decodeImage(test.bytes.substr(0, size), test.channels, image).ok())
          << test.name << " with " << size << " bytes";
    }
  }
}

TEST(ImageTest, BelievesNoHeader) {
  // The width and height of a PNG, in its checked header, as 0x7fffffff: the
  // checksum is not looked at before the size is.
  std::string bytes(kGrayPng);
  TensorRef image;
  bytes.replace(16, 8, "\x00\x0f\x00\x00\x00\x0f\x00\x00", 8);
  EXPECT_FALSE(decodeImage(bytes, 0, image).ok());
  // A JPEG of 65500 x 65500.
  std::string jpeg(kRgbJpeg);
  size_t frame = jpeg.find("\xff\xc0");
  ASSERT_NE(frame, std::string::npos);
  jpeg.replace(frame + 5, 4, "\xff\xdc\xff\xdc");
  Status status = decodeImage(jpeg, 0, image);
  EXPECT_EQ(status.code(), WEIR_INVALID_ARGUMENT);
  EXPECT_NE(std::string(status.message()).find("65500 x 65500 x 3"),
            std::string::npos)
      << status.message();
}

TEST(ImageTest, ScansAreBounded) {
  // Each scan of a progressive image goes over all of it.
  std::string_view bytes = kProgressiveJpeg;
  size_t begin = bytes.find("\xff\xda"), end = begin + 2;
  // To the next marker; a zero byte behind 0xff makes it one of the data.
  while (bytes[end] != '\xff' || bytes[end + 1] == 0)
    ++end;
  auto decode = [&](int copies) {
    std::string repeated(bytes.substr(0, end));
    for (int i = 0; i < copies; ++i)
      repeated += bytes.substr(begin, end - begin);
    TensorRef image;
    return decodeImage(repeated + std::string(bytes.substr(end)), 0, image);
  };
  EXPECT_TRUE(decode(100).ok()) << decode(100).message();
  EXPECT_EQ(decode(1000).code(), WEIR_INVALID_ARGUMENT);
}

TEST(ImageTest, NamesWhatItIsNot) {
  TensorRef image;
  Status status = decodeImage("GIF89a", 0, image);
  EXPECT_STREQ(status.message(),
               "[WEIR0363] 6 bytes do not begin as a PNG or JPEG image");
}

} // namespace

//===- MxuImage.h - Programs of the accelerator as bytes --------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The sections of an image (docs/spec/mxu.md). All numbers are little-endian.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_MXUIMAGE_H
#define WEIR_MXUIMAGE_H

#include "weir/MxuIsa.h"

#include <cstddef>
#include <cstring>
#include <vector>

namespace weir::mxu {

constexpr char imageMagic[8] = {'W', 'E', 'I', 'R', 'M', 'X', 'U', 0};
constexpr uint32_t imageVersion = 1;
constexpr size_t sectionAlignment = 64;

/// The sections follow in this order, each from a multiple of 64 bytes on:
/// entries, windows, instructions, weights. What lies between is 0.
struct Header {
  char magic[8];
  uint32_t version;
  uint32_t array;
  uint32_t entryCount;
  uint32_t windowCount;
  uint32_t instructionCount;
  uint32_t reserved;
  uint64_t weightBytes;
  uint64_t scratchBytes;
  /// Of the whole image.
  uint64_t totalBytes;
  /// FNV-1a over the whole image, with 0 in this place.
  uint64_t checksum;
};
static_assert(sizeof(Header) == 64);

constexpr int64_t dynamicRows = -1;

/// An input or an output: tensors of the host's program, in their order, all
/// inputs first.
struct Entry {
  uint8_t isOutput;
  /// 1 for i8, 4 for i32.
  uint8_t elementBytes;
  /// Rows are those of the batch, which `loop` counts; else there is one row.
  uint8_t isBatched;
  uint8_t reserved[5];
  uint64_t rowBytes;
  /// dynamicRows where only the run knows.
  int64_t rows;
  uint64_t reserved2;
};
static_assert(sizeof(Entry) == 32);

/// How windows slide over images that lie in the unified buffer.
struct Window {
  uint32_t images, height, width, channels;
  uint32_t outHeight, outWidth;
  uint32_t kernelHeight, kernelWidth;
  uint32_t strideHeight, strideWidth;
  uint32_t dilationHeight, dilationWidth;
  uint32_t padTop, padLeft;
  uint32_t reserved[2];

  /// Rows of the buffer that hold one block of channels of all images.
  int64_t plane() const { return int64_t(images) * height * width; }
  int64_t positions() const { return int64_t(images) * outHeight * outWidth; }
  /// What one position reads.
  int64_t depth() const {
    return int64_t(kernelHeight) * kernelWidth * channels;
  }
};
static_assert(sizeof(Window) == 64);

/// The places of `field`s of a Window, by their name in text.
inline constexpr struct {
  const char *name;
  uint32_t Window::*field;
} windowFields[] = {{"images", &Window::images},
                    {"height", &Window::height},
                    {"width", &Window::width},
                    {"channels", &Window::channels},
                    {"out_height", &Window::outHeight},
                    {"out_width", &Window::outWidth},
                    {"kernel_height", &Window::kernelHeight},
                    {"kernel_width", &Window::kernelWidth},
                    {"stride_height", &Window::strideHeight},
                    {"stride_width", &Window::strideWidth},
                    {"dilation_height", &Window::dilationHeight},
                    {"dilation_width", &Window::dilationWidth},
                    {"pad_top", &Window::padTop},
                    {"pad_left", &Window::padLeft}};

struct Span {
  int64_t begin, end;
};

/// The rows of a plane that positions `first` to `first + rows` may read: all
/// of their images, or of one image the lines that the windows reach.
inline Span windowSpan(const Window &w, int64_t first, int64_t rows) {
  int64_t perImage = int64_t(w.outHeight) * w.outWidth,
          size = int64_t(w.height) * w.width, last = first + rows - 1;
  int64_t image = first / perImage, lastImage = last / perImage;
  if (image != lastImage)
    return {image * size, (lastImage + 1) * size};
  int64_t top = first % perImage / w.outWidth * w.strideHeight -
                int64_t(w.padTop),
          bottom = last % perImage / w.outWidth * w.strideHeight -
                   int64_t(w.padTop) +
                   int64_t(w.kernelHeight - 1) * w.dilationHeight;
  auto clamp = [&](int64_t line) {
    return line < 0 ? 0 : line > w.height ? int64_t(w.height) : line;
  };
  return {image * size + clamp(top) * w.width,
          image * size + clamp(bottom + 1) * w.width};
}

/// Which memory of DRAM an instruction means: the weights, the scratch, or from
/// 2 on an entry of the table.
constexpr int64_t weightsSpace = 0, scratchSpace = 1, firstEntrySpace = 2;
/// What the offset of an instruction reaches.
constexpr uint64_t maxScratch = uint64_t(1) << 32;
constexpr int64_t maxEntries = 254, maxWindows = 256, maxExtent = 65535;

constexpr size_t alignSection(size_t bytes) {
  return (bytes + sectionAlignment - 1) / sectionAlignment * sectionAlignment;
}

/// Where the sections of an image begin. The counts have to be within their
/// limits.
struct Layout {
  uint64_t entries, windows, instructions, weights, total;
};
inline Layout layoutOf(const Header &header) {
  Layout layout;
  layout.entries = sizeof(Header);
  layout.windows =
      alignSection(layout.entries + header.entryCount * sizeof(Entry));
  layout.instructions =
      alignSection(layout.windows + header.windowCount * sizeof(Window));
  layout.weights =
      alignSection(layout.instructions +
                   uint64_t(header.instructionCount) * sizeof(Instruction));
  layout.total = layout.weights + header.weightBytes;
  return layout;
}

/// The checksum of an image of at least a header's size.
inline uint64_t imageChecksum(const void *image, size_t size) {
  const auto *bytes = static_cast<const uint8_t *>(image);
  uint64_t hash = 0xcbf29ce484222325u;
  constexpr size_t at = offsetof(Header, checksum);
  for (size_t i = 0; i < size; ++i) {
    hash ^= i >= at && i < at + 8 ? 0 : bytes[i];
    hash *= 0x100000001b3u;
  }
  return hash;
}

/// The parts of an image before they are put together.
struct ImageParts {
  int64_t array = defaultArray, scratchBytes = 0;
  std::vector<Entry> entries;
  std::vector<Window> windows;
  std::vector<Instruction> instructions;
  std::vector<uint8_t> weights;
};

/// The image. The counts have to be within their limits; whether what they
/// count makes sense is for weir_mxu_check.
inline std::vector<uint8_t> buildImage(const ImageParts &parts) {
  Header header = {};
  std::memcpy(header.magic, imageMagic, sizeof(imageMagic));
  header.version = imageVersion;
  header.array = static_cast<uint32_t>(parts.array);
  header.entryCount = static_cast<uint32_t>(parts.entries.size());
  header.windowCount = static_cast<uint32_t>(parts.windows.size());
  header.instructionCount = static_cast<uint32_t>(parts.instructions.size());
  header.weightBytes = parts.weights.size();
  header.scratchBytes = static_cast<uint64_t>(parts.scratchBytes);
  Layout layout = layoutOf(header);
  header.totalBytes = layout.total;
  std::vector<uint8_t> image(layout.total);
  auto put = [&](uint64_t at, const void *items, size_t bytes) {
    if (bytes)
      std::memcpy(image.data() + at, items, bytes);
  };
  put(0, &header, sizeof(header));
  put(layout.entries, parts.entries.data(),
      parts.entries.size() * sizeof(Entry));
  put(layout.windows, parts.windows.data(),
      parts.windows.size() * sizeof(Window));
  put(layout.instructions, parts.instructions.data(),
      parts.instructions.size() * sizeof(Instruction));
  put(layout.weights, parts.weights.data(), parts.weights.size());
  header.checksum = imageChecksum(image.data(), image.size());
  put(0, &header, sizeof(header));
  return image;
}

} // namespace weir::mxu

#endif // WEIR_MXUIMAGE_H

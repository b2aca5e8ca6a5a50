//===- FuzzTest.cpp - Programs that somebody has damaged ------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whatever the bytes are, a run either is refused or stays within its buffers.
// Those of this test have exactly the size that the program may touch, with
// guards around; address sanitizers see the rest.
//
//===----------------------------------------------------------------------===//

#include "runtime/device/mxu/MxuDevice.h"

#include "test/unit/runtime/device/mxu/Assemble.h"
#include "gtest/gtest.h"

#include <algorithm>

using namespace weir::mxu;
using namespace weir::mxu::test;

namespace {

constexpr size_t guard = 256;
constexpr uint8_t guardByte = 0xa5;

/// Puts a sum over the damage where it belongs, so that the checks behind it
/// are reached.
void seal(std::vector<uint8_t> &image) {
  if (image.size() < sizeof(Header))
    return;
  uint64_t size = image.size(), checksum = 0;
  std::memcpy(image.data() + offsetof(Header, totalBytes), &size, 8);
  checksum = imageChecksum(image.data(), image.size());
  std::memcpy(image.data() + offsetof(Header, checksum), &checksum, 8);
}

TEST(FuzzTest, DamagedProgramsStayWithinTheirBuffers) {
  Random random(7);
  MxuDevice device("mxu", &machines[0]);
  int refused = 0, ran = 0;
  for (int round = 0; round < 8000; ++round) {
    Convolution convolution = Convolution::random(random, 32);
    const Window &w = convolution.window;
    auto k = random.bytes(w.depth() * convolution.outputs);
    ImageParts parts =
        convolution.program(32, k, random.requantize(convolution.outputs));
    parts.scratchBytes = random.in(0, 1) * 5000;
    std::vector<uint8_t> image = buildImage(parts);
    int64_t rows = w.images;
    size_t inBytes =
               static_cast<size_t>(rows * w.height * w.width * w.channels),
           outBytes = static_cast<size_t>(w.positions() * convolution.outputs);
    size_t code = layoutOf(*reinterpret_cast<const Header *>(image.data()))
                      .instructions,
           codeEnd = code + parts.instructions.size() * 16;
    for (int64_t i = random.in(1, 3); i > 0; --i) {
      // Most of the damage to the instructions, some anywhere.
      bool inCode = random.in(0, 3) != 0;
      auto at = static_cast<size_t>(
          inCode ? random.in(int64_t(code), int64_t(codeEnd) - 1)
                 : random.in(0, int64_t(image.size()) - 1));
      image[at] = random.in(0, 1) ? uint8_t(random.in(0, 255))
                                  : uint8_t(image[at] ^ 1u << random.in(0, 7));
    }
    if (random.in(0, 19) == 0)
      image.resize(static_cast<size_t>(random.in(0, int64_t(image.size()))));
    if (random.in(0, 9) != 0)
      seal(image);
    std::vector<uint8_t> in(inBytes + 2 * guard, guardByte),
        out(outBytes + 2 * guard, guardByte);
    int64_t inDims[] = {rows, w.height, w.width, w.channels},
            outDims[] = {rows, w.outHeight, w.outWidth, convolution.outputs};
    WeirMxuFigures figures;
    // Where the image lies tells programs apart.
    weir::rt::Status status = device.run(
        image.data(), int64_t(image.size()),
        {{in.data() + guard, inDims, 4, WEIR_I8}},
        {{out.data() + guard, outDims, 4, WEIR_I8}}, [] { return true; },
        figures);
    status.ok() ? ++ran : ++refused;
    if (!status.ok())
      EXPECT_EQ(std::string(status.message()).substr(0, 7), "[WEIR04");
    auto isGuard = [](uint8_t byte) { return byte == guardByte; };
    EXPECT_TRUE(std::all_of(in.begin(), in.end(), isGuard));
    EXPECT_TRUE(std::all_of(out.begin(), out.begin() + guard, isGuard));
    EXPECT_TRUE(std::all_of(out.end() - guard, out.end(), isGuard));
  }
  // Both ways were taken.
  EXPECT_GT(refused, 400);
  EXPECT_GT(ran, 400);
}

} // namespace

//===- ProgramTest.cpp - What is no program -------------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/device/mxu/Program.h"

#include "test/unit/runtime/device/mxu/Assemble.h"
#include "gtest/gtest.h"

#include <functional>

using namespace weir::mxu;
using namespace weir::mxu::test;

namespace {

std::string error(const std::vector<uint8_t> &image,
                  int64_t *faulty = nullptr) {
  Program program;
  return readProgram(image.data(), static_cast<int64_t>(image.size()), program,
                     faulty)
      .message();
}

/// The error of a program on an array of 32 with one input and one output of
/// rows of 64 bytes, one whole input of 40 bytes, a window of 2 images of 4x4x3
/// and 100 bytes of weights.
std::string errorOf(std::vector<Instruction> code, int64_t *faulty = nullptr) {
  ImageParts parts;
  parts.array = 32;
  parts.entries = {tensor(false, 1, 64, true, dynamicRows),
                   tensor(false, 4, 40, false, 1),
                   tensor(true, 1, 64, true, dynamicRows)};
  parts.windows.push_back({2, 4, 4, 3, 2, 2, 3, 3, 1, 1, 1, 1, 0, 0, {}});
  parts.weights.resize(100);
  parts.scratchBytes = 256;
  code.push_back(make(Opcode::halt));
  parts.instructions = std::move(code);
  return error(buildImage(parts), faulty);
}

void expectError(const std::string &got, const char *expected) {
  EXPECT_NE(got.find(expected), std::string::npos)
      << "got: " << got << "\nexpected: " << expected;
}

Instruction tokens(Instruction instruction, unsigned waits, unsigned signals) {
  instruction.setTokens(waits, signals);
  return instruction;
}
constexpr unsigned ld = 1, mx = 2, vx = 4;

TEST(ProgramTest, TheEmptyProgramIsOne) { EXPECT_EQ(errorOf({}), ""); }

TEST(ProgramTest, DamagedHeaders) {
  ImageParts parts;
  parts.instructions = {make(Opcode::halt)};
  const std::vector<uint8_t> good = buildImage(parts);
  EXPECT_EQ(error(good), "");
  expectError(error({}), "[WEIR0440] no program of the accelerator: it has 0 "
                         "bytes");
  auto after = [&](const std::function<void(Header &)> &change, bool seals) {
    std::vector<uint8_t> image = good;
    Header header;
    std::memcpy(&header, image.data(), sizeof(header));
    change(header);
    std::memcpy(image.data(), &header, sizeof(header));
    if (seals) {
      header.checksum = imageChecksum(image.data(), image.size());
      std::memcpy(image.data(), &header, sizeof(header));
    }
    return error(image);
  };
  expectError(after([](Header &h) { h.magic[0] = 'w'; }, true),
              "[WEIR0440] no program of the accelerator: it does not begin");
  expectError(after([](Header &h) { h.version = 2; }, true), "has version 2");
  expectError(after([](Header &h) { h.totalBytes += 1; }, true), "but there "
                                                                 "are");
  expectError(after([](Header &h) { h.entryCount = 1000; }, true),
              "its sections (1000 entries");
  expectError(after([](Header &h) { h.instructionCount = 0xffffffff; }, true),
              "its sections");
  expectError(after([](Header &h) { h.weightBytes = ~uint64_t(0); }, true),
              "its sections");
  expectError(after([](Header &h) { h.checksum ^= 1; }, false), "its checksum "
                                                                "is wrong");
  expectError(after([](Header &h) { h.array = 48; }, true),
              "there is no array of 48");
  expectError(after([](Header &h) { h.scratchBytes = maxScratch + 1; }, true),
              "bytes of scratch");
  for (size_t size = 0; size < good.size(); ++size) {
    std::vector<uint8_t> cut(good.begin(), good.begin() + long(size));
    expectError(error(cut), "[WEIR0440]");
  }
}

TEST(ProgramTest, EntriesAndWindowsAreWellFormed) {
  ImageParts parts;
  parts.instructions = {make(Opcode::halt)};
  parts.entries = {tensor(false, 2, 64, true, 4)};
  expectError(error(buildImage(parts)), "[WEIR0440] no program of the "
                                        "accelerator: entry 0 is not well "
                                        "formed");
  parts.entries = {tensor(true, 1, 64, true, 4), tensor(false, 1, 64, true, 4)};
  expectError(error(buildImage(parts)), "entry 1 is not well formed");
  parts.entries = {tensor(false, 1, 64, false, 4)};
  expectError(error(buildImage(parts)), "entry 0 is not well formed");
  parts.entries.clear();
  parts.windows.push_back({1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 1, 0, 0, {}});
  expectError(error(buildImage(parts)), "window 0 is not well formed");
  parts.windows[0] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 70000, 0, {}};
  expectError(error(buildImage(parts)), "window 0 is not well formed");
  parts.windows.clear();
  parts.instructions = {make(Opcode::mxw)};
  expectError(error(buildImage(parts)), "it does not end with halt");
}

TEST(ProgramTest, FieldsAndAddresses) {
  Instruction unknown;
  unknown.bytes[0] = 0x99;
  expectError(errorOf({unknown}), "[WEIR0442] instruction 0: there is no such "
                                  "opcode");
  Instruction dirty = make(Opcode::mxw);
  dirty.bytes[9] = 1;
  expectError(errorOf({dirty}), "bits that no field has are not 0");
  expectError(
      errorOf(
          {tokens(make(Opcode::loop, {{"images", 1}, {"length", 1}}), 0, ld),
           make(Opcode::mxw)}),
      "no queue runs it that tokens could reach");
  expectError(errorOf({make(Opcode::halt)}), "is not the last instruction");
  expectError(errorOf({make(Opcode::mm)}), "(mm): has no rows");
  expectError(errorOf({make(Opcode::lda, {{"lanes", 33}, {"rows", 1}})}),
              "has 33 lanes, more than the array's 32");
  expectError(
      errorOf({make(Opcode::lda, {{"lanes", 1}, {"rows", 9}, {"ub", 32760}})}),
      "uses rows 32760 to 32768 of the unified buffer, which has "
      "32768");
  expectError(errorOf({make(Opcode::mm, {{"rows", 9}, {"acc", 4090}})}),
              "of the accumulators, which has 4096");
  expectError(errorOf({make(Opcode::act, {{"rows", 1}, {"param", 4094}})}),
              "rows 4094 to 4096 of the parameters");
  expectError(errorOf({make(Opcode::act, {{"rows", 1}, {"min", 1}})}),
              "clamps to 1 at least and 0 at most");
  expectError(errorOf({make(Opcode::ldw, {{"lanes", 1}, {"rows", 33}})}),
              "of the weight tile, which has 32");
  // Spaces.
  auto load = [](int64_t space, int64_t offset, int64_t rows) {
    return make(Opcode::lda, {{"space", space},
                              {"offset", offset},
                              {"stride", 10},
                              {"lanes", 10},
                              {"rows", rows}});
  };
  EXPECT_EQ(errorOf({load(0, 0, 10)}), "");
  expectError(errorOf({load(0, 1, 10)}), "reaches byte 100 of a space of 100");
  expectError(errorOf({load(1, 250, 1)}), "reaches byte 259 of a space of 256");
  EXPECT_EQ(errorOf({load(3, 30, 1)}), "");
  expectError(errorOf({load(3, 31, 1)}), "reaches byte 40 of a space of 40");
  expectError(errorOf({load(2, 0, 1)}), "reaches the rows of the batch, and is "
                                        "in no loop");
  expectError(errorOf({load(4, 0, 1)}), "reads an output");
  expectError(errorOf({load(5, 0, 1)}), "there is no space 5 that it may read");
  expectError(
      errorOf({make(Opcode::sta, {{"space", 0}, {"lanes", 1}, {"rows", 1}})}),
      "there is no space 0 that it may write");
  expectError(
      errorOf({make(Opcode::loop, {{"images", 2}, {"length", 1}}),
               make(Opcode::sta, {{"space", 2}, {"lanes", 1}, {"rows", 1}})}),
      "writes an input");
  auto loop = make(Opcode::loop, {{"images", 2}, {"length", 1}});
  EXPECT_EQ(errorOf({loop, load(2, 118, 1)}), "");
  expectError(errorOf({loop, load(2, 119, 1)}), "reaches byte 128 of a space "
                                                "of 128");
  // Loops.
  expectError(errorOf({make(Opcode::loop, {{"images", 1}, {"length", 2}}),
                       make(Opcode::mxw)}),
              "repeats 2 instructions for 1 rows, and 2 follow");
  expectError(errorOf({make(Opcode::loop, {{"length", 1}}), make(Opcode::mxw)}),
              "for 0 rows");
  expectError(errorOf({make(Opcode::loop, {{"images", 1}, {"length", 2}}), loop,
                       make(Opcode::mxw), make(Opcode::mxw)}),
              "is in another loop");
  // Windows.
  expectError(errorOf({make(Opcode::mmc, {{"rows", 1}, {"window", 1}})}),
              "there is no window 1; there are 1");
  expectError(errorOf({make(Opcode::mmc, {{"rows", 8}, {"first", 1}})}),
              "reads positions 1 to 8 of a window that has 8");
  expectError(errorOf({make(Opcode::mmc, {{"rows", 1}, {"tile", 1}})}),
              "tile 1 begins at 32, and a position reads 27");
  expectError(errorOf({make(Opcode::mmc, {{"rows", 1}, {"ub", 32740}})}),
              "uses rows 32740 to 32771 of the unified buffer");
  expectError(errorOf({make(Opcode::pool,
                            {{"rows", 1}, {"source", 32737}, {"ub", 1}})}),
              "uses rows 32737 to 32768 of the unified buffer");
  expectError(errorOf({make(Opcode::actp, {{"rows", 9}})}),
              "reads positions 0 to 8 of a window that has 8");
  expectError(errorOf({make(Opcode::actp, {{"rows", 1}, {"acc", 4065}})}),
              "uses rows 4065 to 4096 of the accumulators");
  expectError(errorOf({make(Opcode::actp, {{"rows", 1}, {"param", 4094}})}),
              "uses rows 4094 to 4096 of the parameters");
  expectError(errorOf({make(Opcode::actp, {{"rows", 8}, {"ub", 32761}})}),
              "uses rows 32761 to 32768 of the unified buffer");
  expectError(errorOf({make(Opcode::actp, {{"rows", 1}, {"min", 1}})}),
              "clamps to 1 at least and 0 at most");
}

TEST(ProgramTest, TokensAndTiles) {
  auto nop = [](Queue queue, unsigned waits, unsigned signals) {
    return tokens(make(Opcode::nop, {{"queue", int64_t(queue)}}), waits,
                  signals);
  };
  EXPECT_EQ(errorOf({nop(Queue::ld, 0, mx), nop(Queue::mx, ld, 0)}), "");
  int64_t faulty = -2;
  expectError(errorOf({nop(Queue::mx, ld, 0), nop(Queue::ld, 0, mx)}, &faulty),
              "[WEIR0443] instruction 0 (nop) waits for a token from ld that "
              "no instruction before it gives");
  EXPECT_EQ(faulty, 0);
  auto loop = make(Opcode::loop, {{"images", 1}, {"length", 1}});
  expectError(errorOf({loop, nop(Queue::ld, 0, mx)}),
              "[WEIR0443] instruction 0 (loop) leaves other tokens or tiles "
              "behind than it found");
  auto tile = make(Opcode::ldw, {{"lanes", 1}, {"rows", 1}});
  auto shift = make(Opcode::mxw),
       swap = make(Opcode::mm, {{"rows", 1}, {"swap", 1}});
  EXPECT_EQ(errorOf({tile, shift, swap, tile, tile, tile, tile}), "");
  expectError(errorOf({tile, tile, tile, tile, tile}),
              "loads a tile where 4 wait already");
  expectError(errorOf({shift}), "shifts a tile in, and none was loaded");
  expectError(errorOf({tile, tile, shift, shift}),
              "shifts a tile in where one waits for its swap");
  expectError(errorOf({swap}), "swaps weights, and no tile was shifted in");
}

TEST(ProgramTest, UnorderedAccesses) {
  auto load = make(Opcode::lda, {{"lanes", 1}, {"rows", 4}, {"ub", 10}});
  auto multiply = make(Opcode::mm, {{"rows", 4}, {"ub", 13}});
  int64_t faulty = -2;
  expectError(errorOf({load, multiply}, &faulty),
              "[WEIR0444] instruction 1 (mm) reads row 13 of the unified "
              "buffer while an instruction of queue ld may still write it");
  EXPECT_EQ(faulty, 1);
  EXPECT_EQ(errorOf({tokens(load, 0, mx), tokens(multiply, ld, 0)}), "");
  // A write behind a read, through a third queue.
  EXPECT_EQ(errorOf({tokens(load, 0, mx), tokens(multiply, ld, vx),
                     tokens(make(Opcode::nop, {{"queue", 2}}), mx, ld),
                     tokens(load, vx, 0)}),
            "");
  expectError(errorOf({tokens(load, 0, mx), tokens(multiply, ld, 0), load}),
              "writes row 13 of the unified buffer while an instruction of "
              "queue mx may still read it");
  // The second round of a loop meets the first.
  auto loop = make(Opcode::loop, {{"images", 1}, {"length", 2}});
  expectError(errorOf({loop, tokens(load, 0, mx), tokens(multiply, ld, 0)}),
              "[WEIR0444] instruction 1 (lda) writes");
  auto sums = make(Opcode::act, {{"rows", 1}, {"ub", 100}});
  expectError(errorOf({tokens(load, 0, mx), tokens(multiply, ld, 0), sums}),
              "reads row 0 of the accumulators");
  auto store = make(Opcode::sta, {{"space", 1}, {"lanes", 1}, {"rows", 1}}),
       reload = make(Opcode::lda,
                     {{"space", 1}, {"lanes", 1}, {"rows", 1}, {"ub", 1}});
  expectError(errorOf({store, reload}), "reads row 0 of the scratch");
}

} // namespace

//===- Assemble.h - Small programs of the accelerator -----------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs for tests, one instruction after the other: each waits for the one
// before it. And the arithmetic that they have to do, number by number.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_TEST_MXU_ASSEMBLE_H
#define WEIR_TEST_MXU_ASSEMBLE_H

#include "weir/MxuAccess.h"

#include <cstdint>
#include <initializer_list>
#include <random>
#include <utility>
#include <vector>

namespace weir::mxu::test {

using Fields = std::initializer_list<std::pair<const char *, int64_t>>;

inline Instruction make(Opcode opcode, Fields fields = {}) {
  Instruction instruction(opcode);
  for (auto [name, value] : fields)
    instruction.set(name, value);
  return instruction;
}

/// Puts tokens between neighbours of different queues.
inline void serialize(std::vector<Instruction> &code) {
  for (size_t i = 1; i < code.size(); ++i) {
    Queue from = queueOf(code[i - 1]), to = queueOf(code[i]);
    if (from == to)
      continue;
    code[i - 1].setTokens(code[i - 1].waits(),
                          code[i - 1].signals() | 1u << int(to));
    code[i].setTokens(code[i].waits() | 1u << int(from), code[i].signals());
  }
}

/// `body`, for each `images` rows of the batch, then the end. A loop begins and
/// ends in one queue, so that its rounds are in order too.
inline std::vector<Instruction> inLoop(int64_t images,
                                       std::vector<Instruction> body) {
  body.insert(body.begin(), make(Opcode::nop, {{"queue", 0}}));
  body.push_back(make(Opcode::nop, {{"queue", 0}}));
  serialize(body);
  std::vector<Instruction> code{make(
      Opcode::loop, {{"images", images}, {"length", int64_t(body.size())}})};
  code.insert(code.end(), body.begin(), body.end());
  code.push_back(make(Opcode::halt));
  return code;
}

inline Entry tensor(bool isOutput, int64_t elementBytes, int64_t rowBytes,
                    bool isBatched, int64_t rows) {
  Entry entry = {};
  entry.isOutput = isOutput;
  entry.elementBytes = static_cast<uint8_t>(elementBytes);
  entry.isBatched = isBatched;
  entry.rowBytes = static_cast<uint64_t>(rowBytes);
  entry.rows = rows;
  return entry;
}

struct Requantize {
  int64_t inputZero, outputZero, min, max;
  std::vector<int32_t> bias, multipliers, shifts;

  int8_t operator()(uint32_t sum, size_t lane) const {
    int64_t product =
        int64_t(int32_t(sum + uint32_t(bias[lane]))) * multipliers[lane];
    int64_t t = (product + (int64_t(1) << (shifts[lane] - 1))) >> shifts[lane];
    t += outputZero;
    return static_cast<int8_t>(t < min ? min : t > max ? max : t);
  }
};

class Random {
public:
  explicit Random(unsigned seed) : engine(seed) {}
  int64_t in(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(engine);
  }
  std::vector<int8_t> bytes(int64_t count) {
    std::vector<int8_t> all(static_cast<size_t>(count));
    for (int8_t &byte : all)
      byte = static_cast<int8_t>(in(-128, 127));
    return all;
  }
  Requantize requantize(int64_t lanes) {
    Requantize r{
        in(-128, 127), in(-128, 127), in(-128, 0), in(1, 127), {}, {}, {}};
    for (int64_t i = 0; i < lanes; ++i) {
      // Some sums wrap around.
      r.bias.push_back(static_cast<int32_t>(
          in(0, 9) ? in(-50000, 50000) : in(INT32_MIN, INT32_MAX)));
      r.multipliers.push_back(static_cast<int32_t>(in(0, INT32_MAX)));
      r.shifts.push_back(
          static_cast<int32_t>(in(0, 4) ? in(36, 44) : in(1, 62)));
    }
    return r;
  }

private:
  std::mt19937_64 engine;
};

/// A convolution over images, or with a kernel as large as the image a matrix
/// product. How it lies in memory: NHWC, HWIO.
struct Convolution {
  Window window;
  int64_t outputs;

  std::vector<int8_t> compute(const std::vector<int8_t> &x, int64_t images,
                              const std::vector<int8_t> &k,
                              const Requantize &r) const {
    const Window &w = window;
    std::vector<int8_t> y;
    for (int64_t n = 0; n < images; ++n)
      for (int64_t i = 0; i < w.outHeight; ++i)
        for (int64_t j = 0; j < w.outWidth; ++j)
          for (int64_t o = 0; o < outputs; ++o) {
            uint32_t sum = 0;
            for (int64_t a = 0; a < w.kernelHeight; ++a)
              for (int64_t b = 0; b < w.kernelWidth; ++b)
                for (int64_t c = 0; c < w.channels; ++c) {
                  int64_t line = i * w.strideHeight + a * w.dilationHeight -
                                 w.padTop,
                          column = j * w.strideWidth + b * w.dilationWidth -
                                   w.padLeft;
                  if (line < 0 || line >= w.height || column < 0 ||
                      column >= w.width)
                    continue;
                  int64_t value = x[static_cast<size_t>(
                      ((n * w.height + line) * w.width + column) * w.channels +
                      c)];
                  int64_t weight = k[static_cast<size_t>(
                      ((a * w.kernelWidth + b) * w.channels + c) * outputs +
                      o)];
                  sum += static_cast<uint32_t>((value - r.inputZero) * weight);
                }
            y.push_back(r(sum, static_cast<size_t>(o)));
          }
    return y;
  }

  /// Input 0, output 1; `window.images` images in a round. The weights hold
  /// the kernel, then bias, multipliers and shifts.
  ImageParts program(int64_t array, const std::vector<int8_t> &k,
                     const Requantize &r) const {
    const Window &w = window;
    ImageParts parts;
    parts.array = array;
    parts.windows.push_back(w);
    int64_t positions = int64_t(w.outHeight) * w.outWidth;
    parts.entries = {tensor(false, 1, int64_t(w.height) * w.width * w.channels,
                            true, dynamicRows),
                     tensor(true, 1, positions * outputs, true, dynamicRows)};
    parts.weights.assign(k.begin(), k.end());
    while (parts.weights.size() % 4)
      parts.weights.push_back(0);
    std::vector<int64_t> places;
    for (const auto *list : {&r.bias, &r.multipliers, &r.shifts}) {
      places.push_back(static_cast<int64_t>(parts.weights.size()));
      const auto *bytes = reinterpret_cast<const uint8_t *>(list->data());
      parts.weights.insert(parts.weights.end(), bytes,
                           bytes + list->size() * 4);
    }
    std::vector<Instruction> body;
    int64_t planes = (w.channels + array - 1) / array;
    for (int64_t p = 0; p < planes; ++p)
      body.push_back(
          make(Opcode::lda,
               {{"space", 2},
                {"offset", p * array},
                {"stride", w.channels},
                {"lanes", std::min<int64_t>(array, w.channels - p * array)},
                {"rows", w.plane()},
                {"ub", p * w.plane()}}));
    int64_t out = planes * w.plane(), depth = w.depth();
    for (int64_t first = 0; first < w.positions(); first += 4096)
      for (int64_t n = 0; n < outputs; n += array) {
        int64_t rows = std::min<int64_t>(4096, w.positions() - first),
                lanes = std::min(array, outputs - n);
        for (int64_t i = 0; i < 3; ++i)
          body.push_back(make(
              Opcode::ldp, {{"space", 0},
                            {"offset", places[static_cast<size_t>(i)] + n * 4},
                            {"lanes", lanes},
                            {"param", 5 + i}}));
        for (int64_t tile = 0; tile * array < depth; ++tile) {
          body.push_back(make(
              Opcode::ldw, {{"space", 0},
                            {"offset", tile * array * outputs + n},
                            {"stride", outputs},
                            {"lanes", lanes},
                            {"rows", std::min(array, depth - tile * array)}}));
          body.push_back(make(Opcode::mxw));
          body.push_back(make(Opcode::mmc, {{"ub", 0},
                                            {"acc", 0},
                                            {"rows", rows},
                                            {"zero", r.inputZero},
                                            {"swap", 1},
                                            {"accumulate", tile > 0},
                                            {"window", 0},
                                            {"first", first},
                                            {"tile", tile}}));
        }
        body.push_back(make(Opcode::act, {{"acc", 0},
                                          {"ub", out},
                                          {"rows", rows},
                                          {"param", 5},
                                          {"zero", r.outputZero},
                                          {"min", r.min},
                                          {"max", r.max}}));
        body.push_back(make(Opcode::sta, {{"space", 3},
                                          {"offset", first * outputs + n},
                                          {"stride", outputs},
                                          {"lanes", lanes},
                                          {"rows", rows},
                                          {"ub", out}}));
      }
    parts.instructions = inLoop(w.images, body);
    return parts;
  }

  static Convolution random(Random &random, int64_t array) {
    Window w = {};
    auto set = [&](uint32_t &field, int64_t low, int64_t high) {
      field = static_cast<uint32_t>(random.in(low, high));
    };
    set(w.images, 1, 3);
    set(w.height, 1, 9);
    set(w.width, 1, 9);
    set(w.channels, 1, random.in(0, 2) ? 7 : array + 5);
    set(w.kernelHeight, 1, 3);
    set(w.kernelWidth, 1, 3);
    set(w.strideHeight, 1, 2);
    set(w.strideWidth, 1, 2);
    set(w.dilationHeight, 1, 2);
    set(w.dilationWidth, 1, 2);
    set(w.padTop, 0, 2);
    set(w.padLeft, 0, 2);
    set(w.outHeight, 1, 8);
    set(w.outWidth, 1, 8);
    return {w, random.in(1, random.in(0, 2) ? 20 : array + 9)};
  }

  static Convolution matrix(int64_t rows, int64_t depth, int64_t columns) {
    Window w = {};
    w.images = static_cast<uint32_t>(rows);
    w.channels = static_cast<uint32_t>(depth);
    w.height = w.width = w.outHeight = w.outWidth = w.kernelHeight = 1;
    w.kernelWidth = w.strideHeight = w.strideWidth = 1;
    w.dilationHeight = w.dilationWidth = 1;
    return {w, columns};
  }
};

} // namespace weir::mxu::test

#endif // WEIR_TEST_MXU_ASSEMBLE_H

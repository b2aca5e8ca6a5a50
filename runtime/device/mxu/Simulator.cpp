//===- Simulator.cpp - What a program computes ----------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/device/mxu/Simulator.h"

#include <algorithm>
#include <cstring>

namespace weir::mxu {

/// Rows of mm that are gathered at once.
constexpr int64_t gatherRows = 64;

/// Operations on numbers between two questions whether to go on, and what an
/// instruction counts for at least: well below a millisecond, and well above
/// what asking takes.
constexpr int64_t operationsToAsk = 1 << 20, instructionOperations = 256;

Simulator::Simulator(const Machine &machine)
    : array(machine.array), ub(static_cast<size_t>(machine.ubRows * array)),
      acc(static_cast<size_t>(machine.accRows * array)),
      params(static_cast<size_t>(machine.paramRows * array)),
      fifo(static_cast<size_t>(machine.fifoTiles)),
      numbers(static_cast<size_t>(gatherRows * array)) {
  for (Tile &tile : fifo)
    tile.pairs.resize(static_cast<size_t>(array * array));
  shadow = weights = fifo.front();
}

bool Simulator::mayGoOn(int64_t operations) {
  unasked += operations;
  if (unasked < operationsToAsk)
    return true;
  unasked = 0;
  return (*goesOn)();
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

void Simulator::load(const Decoded &op, const uint8_t *from) {
  if (op.opcode == Opcode::lda) {
    for (int64_t i = 0; i < op.rows; ++i) {
      int8_t *row = ub.data() + (op.ub + i) * array;
      std::memcpy(row, from + i * op.stride, static_cast<size_t>(op.lanes));
      std::memset(row + op.lanes, 0, static_cast<size_t>(array - op.lanes));
    }
    return;
  }
  if (op.opcode == Opcode::ldp) {
    int32_t *row = params.data() + op.param * array;
    std::memcpy(row, from, static_cast<size_t>(op.lanes) * 4);
    std::memset(row + op.lanes, 0, static_cast<size_t>(array - op.lanes) * 4);
    return;
  }
  Tile &tile = fifo[(fifoFront + fifoSize++) % fifo.size()];
  tile.rows = op.rows;
  tile.lanes = op.lanes;
  // Lanes that a block of multiplyAdd reaches are 0, and so is an odd last row.
  int64_t lanes = std::min(array, (op.lanes + 15) / 16 * 16);
  for (int64_t k = 0; k < op.rows; k += 2) {
    const auto *even = reinterpret_cast<const int8_t *>(from + k * op.stride),
               *odd = even + op.stride;
    int16_t *to = tile.pairs.data() + k * array;
    bool hasOdd = k + 1 < op.rows;
    for (int64_t j = 0; j < op.lanes; ++j) {
      to[2 * j] = even[j];
      to[2 * j + 1] = hasOdd ? odd[j] : 0;
    }
    std::fill(to + 2 * op.lanes, to + 2 * lanes, int16_t(0));
  }
}

//===----------------------------------------------------------------------===//
// The array
//===----------------------------------------------------------------------===//

void Simulator::gather(const Decoded &op, const Window *windows, int64_t first,
                       int64_t count) {
  int64_t rows = weights.rows, width = (rows + 1) / 2 * 2;
  auto zero = static_cast<int16_t>(op.zero);
  if (op.opcode == Opcode::mm) {
    for (int64_t i = 0; i < count; ++i) {
      const int8_t *from = ub.data() + (op.ub + first + i) * array;
      int16_t *to = numbers.data() + i * width;
      for (int64_t k = 0; k < rows; ++k)
        to[k] = static_cast<int16_t>(from[k] - zero);
      if (width > rows)
        to[rows] = 0;
    }
    return;
  }
  const Window &w = windows[op.window];
  int64_t channels = w.channels, plane = w.plane(), begin = op.tile * array,
          end = std::min(begin + rows, w.depth());
  for (int64_t i = 0; i < count; ++i) {
    int64_t position = op.first + first + i, x = position % w.outWidth,
            y = position / w.outWidth % w.outHeight,
            image = position / (int64_t(w.outHeight) * w.outWidth);
    int16_t *to = numbers.data() + i * width;
    std::fill(to, to + width, int16_t(0));
    // Runs of channels of one place of the kernel, cut where a plane ends.
    for (int64_t k = begin; k < end;) {
      int64_t place = k / channels, c = k % channels,
              run = std::min({channels - c, array - c % array, end - k});
      int64_t line = y * w.strideHeight - w.padTop +
                     place / w.kernelWidth * w.dilationHeight,
              column = x * w.strideWidth - w.padLeft +
                       place % w.kernelWidth * w.dilationWidth;
      if (line >= 0 && line < w.height && column >= 0 && column < w.width) {
        const int8_t *from = ub.data() +
                             (op.ub + c / array * plane +
                              (image * w.height + line) * w.width + column) *
                                 array +
                             c % array;
        for (int64_t j = 0; j < run; ++j)
          to[k - begin + j] = static_cast<int16_t>(from[j] - zero);
      }
      k += run;
    }
  }
}

bool Simulator::multiply(const Decoded &op, const Window *windows) {
  if (op.swap)
    std::swap(weights, shadow);
  for (int64_t first = 0; first < op.rows; first += gatherRows) {
    int64_t count = std::min(gatherRows, op.rows - first);
    gather(op, windows, first, count);
    int32_t *sums = acc.data() + (op.acc + first) * array;
    int64_t lanes = std::min(array, (weights.lanes + 15) / 16 * 16);
    multiplyAdd(sums, array, numbers.data(), weights.pairs.data(), array, count,
                (weights.rows + 1) / 2, lanes, op.accumulate);
    for (int64_t i = 0; i < count && !op.accumulate; ++i)
      std::fill(sums + i * array + lanes, sums + (i + 1) * array, 0);
    if (!mayGoOn(count * weights.rows * lanes))
      return false;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// The vector unit
//===----------------------------------------------------------------------===//

/// The array's lanes of `from` on their way to the unified buffer; `param` is
/// where the three rows of parameters begin.
static void requantize(const Decoded &op, const int32_t *from,
                       const int32_t *param, int64_t array, int8_t *to) {
  const int32_t *bias = param, *multiplier = bias + array,
                *shifts = multiplier + array;
  for (int64_t j = 0; j < array; ++j) {
    auto sum = static_cast<int32_t>(static_cast<uint32_t>(from[j]) +
                                    static_cast<uint32_t>(bias[j]));
    int shift = shifts[j] & 63;
    // Unsigned: the largest product and the largest half meet 2^63.
    uint64_t product = static_cast<uint64_t>(static_cast<int64_t>(sum) *
                                             multiplier[j]),
             half = shift ? uint64_t(1) << (shift - 1) : 0;
    int64_t t = static_cast<int64_t>(product + half) >> shift;
    to[j] = static_cast<int8_t>(std::clamp(t + op.zero, op.min, op.max));
  }
}

void Simulator::activate(const Decoded &op) {
  const int32_t *param = params.data() + op.param * array;
  for (int64_t i = 0; i < op.rows; ++i)
    requantize(op, acc.data() + (op.acc + i) * array, param, array,
               ub.data() + (op.ub + i) * array);
}

/// The numbers i < `count` for which `begin + i * step` is in 0 to `end`.
static Span inside(int64_t begin, int64_t step, int64_t count, int64_t end) {
  auto firstFrom = [&](int64_t place) {
    return std::clamp<int64_t>((place - begin + step - 1) / step, 0, count);
  };
  return {begin < 0 ? firstFrom(0) : 0, begin < end ? firstFrom(end) : 0};
}

template <typename Read>
bool Simulator::largest(const Decoded &op, const Window &w, Read read) {
  for (int64_t i = 0; i < op.rows; ++i) {
    int64_t position = op.first + i, x = position % w.outWidth,
            y = position / w.outWidth % w.outHeight,
            image = position / (int64_t(w.outHeight) * w.outWidth),
            line = y * w.strideHeight - w.padTop,
            column = x * w.strideWidth - w.padLeft;
    // A kernel may be much larger than the image.
    Span lines = inside(line, w.dilationHeight, w.kernelHeight, w.height),
         columns = inside(column, w.dilationWidth, w.kernelWidth, w.width);
    // The row may be one that the window reads.
    int8_t most[256];
    std::fill(most, most + array, int8_t(-128));
    for (int64_t a = lines.begin; a < lines.end; ++a)
      for (int64_t b = columns.begin; b < columns.end; ++b) {
        const int8_t *from =
            read((image * w.height + line + a * w.dilationHeight) * w.width +
                 column + b * w.dilationWidth);
        for (int64_t j = 0; j < array; ++j)
          most[j] = std::max(most[j], from[j]);
      }
    std::memcpy(ub.data() + (op.ub + i) * array, most,
                static_cast<size_t>(array));
    if (!mayGoOn((lines.end - lines.begin) * (columns.end - columns.begin) *
                 array))
      return false;
  }
  return true;
}

bool Simulator::pool(const Decoded &op, const Window &w) {
  return largest(op, w, [&](int64_t row) {
    return ub.data() + (op.source + row) * array;
  });
}

bool Simulator::activatePooled(const Decoded &op, const Window &w) {
  const int32_t *param = params.data() + op.param * array;
  int8_t numbers[256];
  return largest(op, w, [&](int64_t row) {
    requantize(op, acc.data() + (op.acc + row) * array, param, array, numbers);
    return numbers;
  });
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

bool Simulator::execute(const Program &program, const Decoded &op,
                        uint8_t *memory) {
  switch (op.opcode) {
  case Opcode::lda:
  case Opcode::ldw:
  case Opcode::ldp:
    load(op, op.space == weightsSpace ? program.weights.data() + op.offset
                                      : memory);
    break;
  case Opcode::mxw:
    std::swap(shadow, fifo[fifoFront]);
    fifoFront = (fifoFront + 1) % fifo.size();
    --fifoSize;
    break;
  case Opcode::mm:
  case Opcode::mmc:
    return multiply(op, program.windows.data());
  case Opcode::act:
    activate(op);
    break;
  case Opcode::pool:
    return pool(op, program.windows[static_cast<size_t>(op.window)]);
  case Opcode::actp:
    return activatePooled(op, program.windows[static_cast<size_t>(op.window)]);
  case Opcode::sta:
    for (int64_t i = 0; i < op.rows; ++i)
      std::memcpy(memory + i * op.stride, ub.data() + (op.ub + i) * array,
                  static_cast<size_t>(op.lanes));
    break;
  case Opcode::nop:
  case Opcode::halt:
  case Opcode::loop:
    break;
  }
  return true;
}

bool Simulator::run(const Program &program, const std::vector<uint8_t *> &data,
                    uint8_t *scratch, int64_t rows,
                    const std::function<bool()> &goesOnWith) {
  fifoFront = fifoSize = 0;
  weights.rows = weights.lanes = 0;
  goesOn = &goesOnWith;
  unasked = 0;
  return program.forEachRun(rows, [&](const Decoded &op, size_t, int64_t first,
                                      int64_t) {
    uint8_t *memory = nullptr;
    if (op.space >= firstEntrySpace) {
      auto entry = static_cast<size_t>(op.space - firstEntrySpace);
      memory = data[entry] + op.offset;
      if (program.entries[entry].isBatched)
        memory += first * static_cast<int64_t>(program.entries[entry].rowBytes);
    } else if (op.space == scratchSpace) {
      memory = scratch + op.offset;
    }
    return execute(program, op, memory) &&
           mayGoOn(instructionOperations + op.rows * array);
  }) >= 0;
}

} // namespace weir::mxu

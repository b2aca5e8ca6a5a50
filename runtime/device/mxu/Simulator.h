//===- Simulator.h - What a program computes --------------------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs instructions in the order of the text: the tokens of a checked program
// allow it, and every order that they allow gives the same.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_DEVICE_MXU_SIMULATOR_H
#define WEIR_RUNTIME_DEVICE_MXU_SIMULATOR_H

#include "runtime/device/mxu/Program.h"

#include <functional>

namespace weir::mxu {

/// The memories of one machine. Not safe to use from several threads.
class Simulator {
public:
  explicit Simulator(const Machine &machine);

  /// Runs `program`, which is for this machine. `data[i]` is the memory of
  /// entry i, as large as the entry says for a batch of `rows`; `scratch` has
  /// the bytes that the program wants. `goesOn` is asked every few milliseconds
  /// of work; false ends the run. Returns whether it came to its end.
  bool run(const Program &program, const std::vector<uint8_t *> &data,
           uint8_t *scratch, int64_t rows, const std::function<bool()> &goesOn);

private:
  /// Weights of the array, ready for multiplyAdd.
  struct Tile {
    int64_t rows = 0, lanes = 0;
    std::vector<int16_t> pairs;
  };

  /// One instruction; `memory` is where what it transfers lies. False where it
  /// was ended in the middle.
  bool execute(const Program &program, const Decoded &op, uint8_t *memory);
  void load(const Decoded &op, const uint8_t *from);
  bool multiply(const Decoded &op, const Window *windows);
  void activate(const Decoded &op);
  bool pool(const Decoded &op, const Window &window);
  bool activatePooled(const Decoded &op, const Window &window);
  /// Row i of the result becomes the largest of the rows that position i of the
  /// window reads, lane by lane: read(row) is where the numbers of one are.
  template <typename Read>
  bool largest(const Decoded &op, const Window &window, Read read);
  /// Asks whether the run goes on, once enough operations on numbers have been
  /// done since it last did.
  bool mayGoOn(int64_t operations);
  /// The numbers that rows `first` to `first + count` of mm or mmc take, less
  /// the zero point, for the rows of the weights in use.
  void gather(const Decoded &op, const Window *windows, int64_t first,
              int64_t count);

  const int64_t array;
  /// Of the run, and the operations since it was asked.
  const std::function<bool()> *goesOn = nullptr;
  int64_t unasked = 0;
  std::vector<int8_t> ub;
  std::vector<int32_t> acc, params;
  /// The queue of tiles, round; then the tile behind the array, and the one in
  /// it.
  std::vector<Tile> fifo;
  size_t fifoFront = 0, fifoSize = 0;
  Tile shadow, weights;
  std::vector<int16_t> numbers;
};

/// sums[i][j] (= or +=) the sum over k of x[i][k] * w[k][j] for i < rows,
/// j < lanes, in i32 that wraps. x has 2 * pairs numbers in a row; `w` holds
/// for each two rows of the weights the pairs of their lanes, `stride` of them.
/// x is in -255 to 255 and w in -128 to 127. Memory for lanes up to the next
/// multiple of 16 has to be there, and is written.
void multiplyAdd(int32_t *sums, int64_t sumStride, const int16_t *x,
                 const int16_t *w, int64_t stride, int64_t rows, int64_t pairs,
                 int64_t lanes, bool accumulate);

} // namespace weir::mxu

#endif // WEIR_RUNTIME_DEVICE_MXU_SIMULATOR_H

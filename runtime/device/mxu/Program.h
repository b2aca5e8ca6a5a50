//===- Program.h - A checked program of the accelerator ---------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An image is read once, and all of it is checked: nothing that a checked
// program does on inputs and outputs of the sizes that its entries say is
// outside of the machine's memories. docs/spec/mxu.md has the rules.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_DEVICE_MXU_PROGRAM_H
#define WEIR_RUNTIME_DEVICE_MXU_PROGRAM_H

#include "runtime/base/Status.h"
#include "weir/MxuAccess.h"

#include <functional>
#include <vector>

namespace weir::mxu {

/// Not changed once it is made; any number of threads may read it.
struct Program {
  const Machine *machine = nullptr;
  std::vector<Entry> entries;
  std::vector<Window> windows;
  std::vector<Decoded> ops;
  /// Of the image, or a copy of what is there.
  std::vector<uint8_t> weights;
  uint64_t scratchBytes = 0;
  uint64_t checksum = 0;

  /// Calls run(op, index, first, images) in the order in which a batch of
  /// `rows` runs: `first` is the first of the `images` rows of the batch that
  /// the op works on, 0 and 0 outside of loops. Returns the rows that are left
  /// at the end; stops early where `run` returns false, and returns -1.
  int64_t forEachRun(int64_t rows,
                     const std::function<bool(const Decoded &, size_t, int64_t,
                                              int64_t)> &run) const;
};

/// Reads and checks an image. `faulty`, where it is given, becomes the number
/// of the instruction that an error is about, or -1. Errors: WEIR0440 (no
/// image, or a damaged one), WEIR0442 (an instruction), WEIR0443 (tokens),
/// WEIR0444 (order). `goesOn`, where it is given, is asked now and then; false
/// ends the check with CANCELLED and no text.
rt::Status readProgram(const void *image, int64_t size, Program &program,
                       int64_t *faulty = nullptr,
                       const std::function<bool()> &goesOn = {});

/// How messages name an instruction: "instruction 3 (mm)".
std::string instructionText(const Program &program, size_t index);

// The steps of readProgram.

/// Fields and addresses of one instruction; `images` is that of the loop around
/// it, or 0.
rt::Status checkInstruction(const Program &program, size_t index,
                            int64_t images);
/// In the order of the text each wait finds a token, each mxw a tile, and each
/// loop leaves what it found.
rt::Status checkTokens(const Program &program, int64_t *faulty);
/// Two instructions of different queues that touch the same memory, one of them
/// writing, are ordered by tokens.
rt::Status checkOrder(const Program &program, int64_t *faulty,
                      const std::function<bool()> &goesOn);

} // namespace weir::mxu

#endif // WEIR_RUNTIME_DEVICE_MXU_PROGRAM_H

//===- MxuAccess.h - What an instruction reads and writes -------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One account of what instructions touch, for who puts the tokens in and for
// who checks that they are enough.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_MXUACCESS_H
#define WEIR_MXUACCESS_H

#include "weir/MxuImage.h"

namespace weir::mxu {

/// The fields of an instruction, read once. Fields that its format does not
/// have are 0.
struct Decoded {
  Opcode opcode;
  Queue queue;
  uint8_t waits, signals;
  int64_t space, offset, stride, lanes, rows;
  int64_t ub, source, acc, param;
  int64_t zero, min, max;
  int64_t swap, accumulate;
  int64_t window, first, tile;
  int64_t images, length;
};

/// Its fields by the names that the formats have.
inline constexpr struct {
  const char *name;
  int64_t Decoded::*field;
} decodedFields[] = {
    {"space", &Decoded::space},   {"offset", &Decoded::offset},
    {"stride", &Decoded::stride}, {"lanes", &Decoded::lanes},
    {"rows", &Decoded::rows},     {"ub", &Decoded::ub},
    {"source", &Decoded::source}, {"acc", &Decoded::acc},
    {"param", &Decoded::param},   {"zero", &Decoded::zero},
    {"min", &Decoded::min},       {"max", &Decoded::max},
    {"swap", &Decoded::swap},     {"accumulate", &Decoded::accumulate},
    {"window", &Decoded::window}, {"first", &Decoded::first},
    {"tile", &Decoded::tile},     {"images", &Decoded::images},
    {"length", &Decoded::length}};

/// The format of the instruction has to exist.
inline Decoded decode(const Instruction &in) {
  Decoded op = {};
  op.opcode = in.opcode();
  op.queue = queueOf(in);
  op.waits = in.waits();
  op.signals = in.signals();
  const Format &format = formatOf(op.opcode);
  for (const auto &field : decodedFields)
    if (const Field *place = format.find(field.name))
      op.*field.field = in.get(*place);
  return op;
}

/// Memories in which order matters. Weight tiles are not among them: their
/// queue orders them by itself. Outputs are written by one queue and read by
/// none.
enum class Memory : uint8_t { ub, acc, param, scratch };
constexpr int memoryCount = 4;
inline constexpr const char *memoryNames[memoryCount] = {
    "unified buffer", "accumulators", "parameters", "scratch"};

/// Scratch is watched in pieces of so many bytes.
constexpr int64_t scratchPiece = 4096;

/// Bytes from the first to behind the last of what lda, ldw, ldp or sta moves.
inline int64_t transferExtent(const Decoded &op) {
  if (op.opcode == Opcode::ldp)
    return op.lanes * 4;
  return (op.rows - 1) * op.stride + op.lanes;
}

/// Calls touch(memory, begin, end, isWrite) for all rows that `op` touches.
/// `windows` holds those of the program.
template <typename Touch>
void forEachAccess(const Decoded &op, const Window *windows, int64_t array,
                   Touch touch) {
  auto scratch = [&](bool isWrite) {
    if (op.space == scratchSpace)
      touch(Memory::scratch, op.offset / scratchPiece,
            (op.offset + transferExtent(op) + scratchPiece - 1) / scratchPiece,
            isWrite);
  };
  switch (op.opcode) {
  case Opcode::lda:
    scratch(false);
    touch(Memory::ub, op.ub, op.ub + op.rows, true);
    break;
  case Opcode::ldw:
    scratch(false);
    break;
  case Opcode::ldp:
    scratch(false);
    touch(Memory::param, op.param, op.param + 1, true);
    break;
  case Opcode::mm:
    touch(Memory::ub, op.ub, op.ub + op.rows, false);
    touch(Memory::acc, op.acc, op.acc + op.rows, true);
    break;
  case Opcode::mmc: {
    const Window &w = windows[op.window];
    Span span = windowSpan(w, op.first, op.rows);
    int64_t begin = op.tile * array, end = begin + array,
            first = begin % w.channels, last = first + array - 1,
            planes = (int64_t(w.channels) + array - 1) / array;
    if (end > w.depth())
      last -= end - w.depth();
    if (last >= w.channels) // comes to another place of the kernel
      first = 0, last = int64_t(w.channels) - 1;
    for (int64_t plane = first / array; plane <= last / array; ++plane)
      if (plane < planes)
        touch(Memory::ub, op.ub + plane * w.plane() + span.begin,
              op.ub + plane * w.plane() + span.end, false);
    touch(Memory::acc, op.acc, op.acc + op.rows, true);
    break;
  }
  case Opcode::act:
    touch(Memory::acc, op.acc, op.acc + op.rows, false);
    touch(Memory::param, op.param, op.param + 3, false);
    touch(Memory::ub, op.ub, op.ub + op.rows, true);
    break;
  case Opcode::pool: {
    Span span = windowSpan(windows[op.window], op.first, op.rows);
    touch(Memory::ub, op.source + span.begin, op.source + span.end, false);
    touch(Memory::ub, op.ub, op.ub + op.rows, true);
    break;
  }
  case Opcode::actp: {
    Span span = windowSpan(windows[op.window], 0, op.rows);
    touch(Memory::acc, op.acc + span.begin, op.acc + span.end, false);
    touch(Memory::param, op.param, op.param + 3, false);
    touch(Memory::ub, op.ub, op.ub + op.rows, true);
    break;
  }
  case Opcode::sta:
    touch(Memory::ub, op.ub, op.ub + op.rows, false);
    scratch(true);
    break;
  case Opcode::nop:
  case Opcode::halt:
  case Opcode::loop:
  case Opcode::mxw:
    break;
  }
}

} // namespace weir::mxu

#endif // WEIR_MXUACCESS_H

//===- CycleModel.cpp - How long a program takes --------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/device/mxu/CycleModel.h"

#include "runtime/base/Format.h"

#include <algorithm>
#include <deque>

namespace weir::mxu {

using rt::str;

namespace {
struct Tile {
  int64_t rows = 0, lanes = 0;
  /// When it is there.
  int64_t ready = 0;
};

class Clockwork {
public:
  Clockwork(const Program &program)
      : program(program), machine(*program.machine), array(machine.array) {}

  void run(const Decoded &op);
  WeirMxuFigures finish();

private:
  int64_t transferCycles(int64_t bytes) const {
    return (bytes * 10 + machine.dramRate - 1) / machine.dramRate;
  }
  /// Time from when the queue of `op` may start it.
  int64_t arrival(const Decoded &op);
  void runMatrix(const Decoded &op, int64_t start);
  /// The instruction is over at `end`, and with it all before it of its queue.
  void complete(const Decoded &op, int64_t end);

  const Program &program;
  const Machine &machine;
  const int64_t array;
  WeirMxuFigures figures = {};

  int64_t dispatched = 0;
  /// When a queue can start its next instruction, and when its last one is
  /// over.
  int64_t free[queueCount] = {}, done[queueCount] = {};
  std::deque<int64_t> tokens[queueCount][queueCount];
  /// When the tokens arrived that the matrix queue has taken since it last sent
  /// rows into the array.
  int64_t arrived[queueCount] = {};

  std::deque<Tile> fifo;
  /// When the places of the queue of tiles become free, round.
  std::vector<int64_t> places =
      std::vector<int64_t>(static_cast<size_t>(program.machine->fifoTiles));
  size_t loads = 0, shifts = 0;
  Tile shadow, weights;
  int64_t shadowFree = 0, shiftFree = 0, arrayFree = 0;
};
} // namespace

int64_t Clockwork::arrival(const Decoded &op) {
  int queue = static_cast<int>(op.queue);
  int64_t start = std::max(free[queue], dispatched++);
  for (int from = 0; from < queueCount; ++from) {
    if (!(op.waits >> from & 1))
      continue;
    int64_t token = tokens[from][queue].front();
    tokens[from][queue].pop_front();
    start = std::max(start, token);
    if (op.queue == Queue::mx)
      arrived[from] = std::max(arrived[from], token);
  }
  return start;
}

void Clockwork::complete(const Decoded &op, int64_t end) {
  int queue = static_cast<int>(op.queue);
  done[queue] = std::max(done[queue], end);
  for (int to = 0; to < queueCount; ++to)
    if (op.signals >> to & 1)
      tokens[queue][to].push_back(done[queue]);
}

void Clockwork::runMatrix(const Decoded &op, int64_t start) {
  if (op.opcode == Opcode::mxw) {
    Tile tile = fifo.front();
    fifo.pop_front();
    start = std::max({start, tile.ready, shadowFree, shiftFree});
    shiftFree = start + array;
    tile.ready = shiftFree;
    shadow = tile;
    places[shifts++ % places.size()] = shiftFree;
    free[1] = start;
    figures.serial_systolic_cycles += array;
    return complete(op, shiftFree);
  }
  // What the array waits for is what comes last.
  int64_t ready = op.swap ? shadow.ready : 0, begin = std::max(start, ready);
  begin = std::max(begin, arrayFree);
  int64_t waited = begin - arrayFree;
  int64_t *cause = begin == ready        ? &figures.wait_weights
                   : begin == arrived[0] ? &figures.wait_load
                   : begin == arrived[2] ? &figures.wait_vector
                   : begin == arrived[3] ? &figures.wait_store
                                         : &figures.wait_issue;
  *cause += waited;
  std::fill(arrived, arrived + queueCount, 0);
  if (op.swap) {
    weights = shadow;
    shadowFree = begin;
  }
  arrayFree = begin + op.rows;
  free[1] = begin;
  figures.matrix_cycles += op.rows;
  figures.queue_cycles[1] += op.rows;
  figures.serial_systolic_cycles += op.rows + 2 * array - 2;
  figures.macs += op.rows * weights.rows * weights.lanes;
  complete(op, arrayFree + 2 * array - 2);
}

void Clockwork::run(const Decoded &op) {
  int queue = static_cast<int>(op.queue);
  int64_t start = arrival(op), busy = 0, latency = 0;
  ++figures.instructions;
  switch (op.opcode) {
  case Opcode::halt:
  case Opcode::loop:
    return;
  case Opcode::nop:
    free[queue] = start;
    return complete(op, start);
  case Opcode::mxw:
  case Opcode::mm:
  case Opcode::mmc:
    return runMatrix(op, start);
  case Opcode::lda:
  case Opcode::sta: {
    int64_t bytes = op.rows * op.lanes;
    busy = std::max(transferCycles(bytes), op.rows);
    latency = machine.dramLatency;
    (op.opcode == Opcode::lda ? figures.bytes_read : figures.bytes_written) +=
        bytes;
    break;
  }
  case Opcode::ldp:
    busy = transferCycles(op.lanes * 4);
    latency = machine.dramLatency;
    figures.bytes_read += op.lanes * 4;
    break;
  case Opcode::ldw:
    start = std::max(start, places[loads++ % places.size()]);
    busy = transferCycles(op.rows * op.lanes);
    latency = machine.dramLatency;
    figures.bytes_read += op.rows * op.lanes;
    fifo.push_back({op.rows, op.lanes, start + busy + latency});
    break;
  case Opcode::act:
    busy = op.rows;
    latency = machine.vectorLatency;
    break;
  case Opcode::pool:
  case Opcode::actp: {
    const Window &w = program.windows[static_cast<size_t>(op.window)];
    busy = op.rows * w.kernelHeight * w.kernelWidth;
    latency = machine.vectorLatency;
    break;
  }
  }
  // The vector unit starts when the last result is there; transfers overlap.
  free[queue] = start + busy + (op.queue == Queue::vx ? latency : 0);
  figures.queue_cycles[queue] += busy;
  figures.serial_cycles += busy + latency;
  complete(op, start + busy + latency);
}

WeirMxuFigures Clockwork::finish() {
  figures.array = array;
  figures.cycles = *std::max_element(done, done + queueCount);
  figures.drain = figures.cycles - arrayFree;
  if (figures.serial_systolic_cycles > 0)
    --figures.serial_systolic_cycles; // the number of the last cycle
  figures.serial_cycles += figures.serial_systolic_cycles;
  return figures;
}

bool countCycles(const Program &program, int64_t rows, WeirMxuFigures &figures,
                 const std::function<bool()> &goesOn) {
  constexpr size_t pollEvery = 4096;
  Clockwork clockwork(program);
  size_t count = 0;
  int64_t left = program.forEachRun(
      rows, [&](const Decoded &op, size_t, int64_t, int64_t) {
        clockwork.run(op);
        return ++count % pollEvery != 0 || !goesOn || goesOn();
      });
  figures = clockwork.finish();
  return left >= 0;
}

std::string figuresText(const WeirMxuFigures &f) {
  auto percent = [&](int64_t part, int64_t whole) {
    return str(rt::numberText(whole ? 100.0 * static_cast<double>(part) /
                                          static_cast<double>(whole)
                                    : 0.0,
                              3),
               " %");
  };
  int64_t peak = f.cycles * f.array * f.array;
  return str(
      "mxu ", f.array, "x", f.array, ": ", f.cycles, " cycles (",
      rt::numberText(static_cast<double>(f.cycles) * 1e6 /
                         static_cast<double>(clockHertz),
                     4),
      " us at 700 MHz), ", f.instructions, " instructions\n  utilisation ",
      percent(f.macs, peak), " of ", peak, " MACs; rows in the array ",
      percent(f.matrix_cycles, f.cycles), " of the time\n  waits: weights ",
      percent(f.wait_weights, f.cycles), ", load ",
      percent(f.wait_load, f.cycles), ", vector ",
      percent(f.wait_vector, f.cycles), ", store ",
      percent(f.wait_store, f.cycles), ", issue ",
      percent(f.wait_issue, f.cycles), ", drain ", percent(f.drain, f.cycles),
      "\n  DRAM: ", f.bytes_read, " bytes read, ", f.bytes_written,
      " written; serial ", f.serial_cycles, " cycles, systolic part ",
      f.serial_systolic_cycles, "\n");
}

} // namespace weir::mxu

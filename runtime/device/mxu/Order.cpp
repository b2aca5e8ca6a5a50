//===- Order.cpp - Tokens, and what they order ----------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/base/Format.h"
#include "runtime/device/mxu/Program.h"

#include <algorithm>
#include <array>
#include <deque>

namespace weir::mxu {

using rt::Status;
using rt::str;

//===----------------------------------------------------------------------===//
// Tokens
//===----------------------------------------------------------------------===//

namespace {
/// What waits at one point of the text. In that order every wait has to find
/// its token: then no queue ever waits for ever, whatever their speeds.
struct Pending {
  /// From queue, to queue.
  int64_t tokens[queueCount][queueCount] = {};
  int64_t tiles = 0;
  bool hasShadow = false;

  bool operator==(const Pending &other) const {
    return std::equal(&tokens[0][0], &tokens[0][0] + queueCount * queueCount,
                      &other.tokens[0][0]) &&
           tiles == other.tiles && hasShadow == other.hasShadow;
  }
};
} // namespace

static Status unbalanced(const Program &program, size_t index,
                         std::string text) {
  return Status(WEIR_INVALID_ARGUMENT,
                str("[WEIR0443] ", instructionText(program, index), " ",
                    std::move(text)));
}

static Status advance(const Program &program, size_t index, Pending &pending) {
  const Decoded &op = program.ops[index];
  for (int from = 0; from < queueCount; ++from) {
    if (!(op.waits >> from & 1))
      continue;
    int64_t &tokens = pending.tokens[from][static_cast<int>(op.queue)];
    if (tokens == 0)
      return unbalanced(program, index,
                        str("waits for a token from ", queueNames[from],
                            " that no instruction before it gives"));
    --tokens;
  }
  if (op.opcode == Opcode::ldw && ++pending.tiles > program.machine->fifoTiles)
    return unbalanced(program, index,
                      str("loads a tile where ", program.machine->fifoTiles,
                          " wait already"));
  if (op.opcode == Opcode::mxw) {
    if (pending.tiles == 0 || pending.hasShadow)
      return unbalanced(program, index,
                        pending.hasShadow
                            ? "shifts a tile in where one waits for its swap"
                            : "shifts a tile in, and none was loaded");
    --pending.tiles;
    pending.hasShadow = true;
  }
  if (op.swap) {
    if (!pending.hasShadow)
      return unbalanced(program, index,
                        "swaps weights, and no tile was shifted in");
    pending.hasShadow = false;
  }
  for (int to = 0; to < queueCount; ++to)
    if (op.signals >> to & 1)
      ++pending.tokens[static_cast<int>(op.queue)][to];
  return Status();
}

Status checkTokens(const Program &program, int64_t *faulty) {
  Pending pending, atLoop;
  size_t loop = 0, loopEnd = 0;
  for (size_t i = 0; i < program.ops.size(); ++i) {
    *faulty = static_cast<int64_t>(i);
    if (program.ops[i].opcode == Opcode::loop) {
      loop = i;
      loopEnd = i + static_cast<size_t>(program.ops[i].length);
      atLoop = pending;
      continue;
    }
    WEIR_RETURN_IF_ERROR(advance(program, i, pending));
    if (i != loopEnd || loopEnd == 0)
      continue;
    *faulty = static_cast<int64_t>(loop);
    if (!(pending == atLoop))
      return unbalanced(program, loop,
                        "leaves other tokens or tiles behind than it found");
  }
  *faulty = -1;
  return Status();
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

namespace {
/// For each queue, how many of its instructions are known to be over.
using Clock = std::array<int32_t, queueCount>;

/// Who touched a row last. Numbers count the instructions of a queue from 1.
struct Row {
  int32_t written = 0;
  int32_t read[queueCount] = {};
  uint8_t writer = 0;
};

class OrderCheck {
public:
  OrderCheck(const Program &program) : program(program) {
    const Machine &machine = *program.machine;
    rows[0].resize(static_cast<size_t>(machine.ubRows));
    rows[1].resize(static_cast<size_t>(machine.accRows));
    rows[2].resize(static_cast<size_t>(machine.paramRows));
    rows[3].resize(static_cast<size_t>(
        (static_cast<int64_t>(program.scratchBytes) + scratchPiece - 1) /
        scratchPiece));
  }

  /// False when `op` meets an instruction that may still run.
  bool run(const Decoded &op, size_t index);

  std::string conflict;
  size_t faulty = 0;

private:
  const Program &program;
  std::vector<Row> rows[memoryCount];
  Clock clocks[queueCount] = {};
  std::deque<Clock> tokens[queueCount][queueCount];
};
} // namespace

bool OrderCheck::run(const Decoded &op, size_t index) {
  int queue = static_cast<int>(op.queue);
  if (formatOf(op.opcode).isDispatch())
    return true;
  Clock &clock = clocks[queue];
  for (int from = 0; from < queueCount; ++from) {
    if (!(op.waits >> from & 1))
      continue;
    const Clock &sent = tokens[from][queue].front();
    for (int q = 0; q < queueCount; ++q)
      clock[static_cast<size_t>(q)] =
          std::max(clock[static_cast<size_t>(q)], sent[static_cast<size_t>(q)]);
    tokens[from][queue].pop_front();
  }
  int32_t number = ++clock[static_cast<size_t>(queue)];
  bool ordered = true;
  forEachAccess(op, program.windows.data(), program.machine->array,
                [&](Memory memory, int64_t begin, int64_t end, bool isWrite) {
                  auto &all = rows[static_cast<int>(memory)];
                  for (int64_t i = begin; i < end; ++i) {
                    Row &row = all[static_cast<size_t>(i)];
                    int other = -1;
                    if (row.written > clock[row.writer])
                      other = row.writer;
                    for (int q = 0; isWrite && q < queueCount; ++q)
                      if (row.read[q] > clock[static_cast<size_t>(q)])
                        other = q;
                    if (other >= 0 && ordered) {
                      ordered = false;
                      faulty = index;
                      conflict = str(
                          instructionText(program, index),
                          isWrite ? " writes" : " reads", " row ", i,
                          " of the ", memoryNames[static_cast<int>(memory)],
                          " while an instruction of queue ", queueNames[other],
                          " may still ",
                          row.written > clock[row.writer] ? "write" : "read",
                          " it; no token orders the two");
                    }
                    if (isWrite) {
                      row.written = number;
                      row.writer = static_cast<uint8_t>(queue);
                    } else {
                      row.read[queue] = number;
                    }
                  }
                });
  for (int to = 0; to < queueCount; ++to)
    if (op.signals >> to & 1)
      tokens[queue][to].push_back(clock);
  return ordered;
}

/// Runs the program with `counts[l]` rounds of its loop number l.
static Status checkRounds(const Program &program,
                          const std::vector<int> &counts, int64_t *faulty,
                          const std::function<bool()> &goesOn) {
  constexpr size_t pollEvery = 64;
  OrderCheck check(program);
  size_t loop = 0, count = 0;
  bool ordered = true, stopped = false;
  auto run = [&](const Decoded &op, size_t index) {
    stopped = goesOn && ++count % pollEvery == 0 && !goesOn();
    return !stopped && check.run(op, index);
  };
  for (size_t i = 0; i < program.ops.size() && ordered; ++i) {
    const Decoded &op = program.ops[i];
    if (op.opcode != Opcode::loop) {
      ordered = run(op, i);
      continue;
    }
    size_t end = i + static_cast<size_t>(op.length);
    for (int round = 0; round < counts[loop] && ordered; ++round)
      for (size_t k = i + 1; k <= end && ordered; ++k)
        ordered = run(program.ops[k], k);
    ++loop;
    i = end;
  }
  if (ordered)
    return Status();
  if (stopped)
    return Status(WEIR_CANCELLED, "");
  *faulty = static_cast<int64_t>(check.faulty);
  return Status(WEIR_INVALID_ARGUMENT, "[WEIR0444] " + check.conflict);
}

Status checkOrder(const Program &program, int64_t *faulty,
                  const std::function<bool()> &goesOn) {
  // A batch whose rows are known says how often loops run.
  int64_t left = dynamicRows;
  for (const Entry &entry : program.entries)
    if (entry.isBatched)
      left = entry.rows;
  // Two rounds of a loop meet each other and what is around it. One that does
  // not run lets those meet that are around it.
  std::vector<int> counts;
  for (const Decoded &op : program.ops) {
    if (op.opcode != Opcode::loop)
      continue;
    counts.push_back(left == dynamicRows ? 2
                                         : static_cast<int>(std::min<int64_t>(
                                               left / op.images, 2)));
    if (left != dynamicRows)
      left %= op.images;
  }
  WEIR_RETURN_IF_ERROR(checkRounds(program, counts, faulty, goesOn));
  if (left != dynamicRows)
    return Status();
  for (int &count : counts) {
    count = 0;
    WEIR_RETURN_IF_ERROR(checkRounds(program, counts, faulty, goesOn));
    count = 2;
  }
  return Status();
}

} // namespace weir::mxu

//===- Tokens.cpp - What lets the queues run side by side -----------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rounds of a loop are walked in the order of the text, with for each queue
// how far it knows the others to be. Where an instruction touches memory that
// one of another queue has touched, and does not know it to be over, it waits
// for a token of that one. Sources of tokens between two queues come in order,
// so that the first token is for the first wait. From some round on the rounds
// are alike: their tokens are those of the body.
//
//===----------------------------------------------------------------------===//

#include "passes/Codegen/MXU/Emit.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

using namespace weir;
using mxu::Decoded;
using mxu::queueCount;

namespace {

/// For each queue, how many of its instructions are known to be over.
using Clock = std::array<int64_t, queueCount>;

/// An instruction that waits, the one it waits for, and how many rounds ago
/// that was.
using Edge = std::array<size_t, 3>;

struct Row {
  int64_t written = 0;
  int writer = 0;
  int64_t read[queueCount] = {};
};

class Walk {
public:
  Walk(const MxuCode &body, const std::vector<mxu::Window> &windows,
       const mxu::Machine &machine, int64_t scratch)
      : body(body), windows(windows), machine(machine) {
    const int64_t sizes[] = {machine.ubRows, machine.accRows, machine.paramRows,
                             (scratch + mxu::scratchPiece - 1) /
                                 mxu::scratchPiece};
    for (int m = 0; m < mxu::memoryCount; ++m)
      rows[m].resize(static_cast<size_t>(sizes[m]));
  }

  /// The edges that end in one more round.
  std::set<Edge> round();

private:
  void wait(size_t index, std::set<Edge> &edges);

  const MxuCode &body;
  const std::vector<mxu::Window> &windows;
  const mxu::Machine &machine;
  std::vector<Row> rows[mxu::memoryCount];
  /// What each queue knows before its next instruction.
  Clock clocks[queueCount] = {};
  /// For each instruction of a queue so far: where it is in the body, its
  /// round, and what its queue knew with it.
  struct Past {
    size_t index, round;
    Clock clock;
  };
  std::vector<Past> past[queueCount];
  size_t rounds = 0;
};

} // namespace

void Walk::wait(size_t index, std::set<Edge> &edges) {
  const Decoded &op = body[index];
  auto queue = static_cast<size_t>(op.queue);
  Clock needed = {};
  auto need = [&](size_t from, int64_t number) {
    if (from != queue)
      needed[from] = std::max(needed[from], number);
  };
  mxu::forEachAccess(
      op, windows.data(), machine.array,
      [&](mxu::Memory memory, int64_t begin, int64_t end, bool isWrite) {
        for (int64_t i = begin; i < end; ++i) {
          Row &row = rows[static_cast<size_t>(memory)][static_cast<size_t>(i)];
          need(static_cast<size_t>(row.writer), row.written);
          for (size_t q = 0; isWrite && q < queueCount; ++q)
            need(q, row.read[q]);
          // A number of this instruction itself, which has not run before.
          int64_t number = clocks[queue][queue] + 1;
          if (isWrite) {
            row.written = number;
            row.writer = static_cast<int>(queue);
          } else {
            row.read[queue] = number;
          }
        }
      });
  Clock &clock = clocks[queue];
  for (size_t from = 0; from < queueCount; ++from) {
    if (needed[from] <= clock[from])
      continue;
    const Past &source = past[from][static_cast<size_t>(needed[from]) - 1];
    edges.insert({index, source.index, rounds - source.round});
    for (size_t q = 0; q < queueCount; ++q)
      clock[q] = std::max(clock[q], source.clock[q]);
  }
}

std::set<Edge> Walk::round() {
  std::set<Edge> edges;
  for (size_t i = 0; i < body.size(); ++i) {
    auto queue = static_cast<size_t>(body[i].queue);
    wait(i, edges);
    ++clocks[queue][queue];
    past[queue].push_back({i, rounds, clocks[queue]});
  }
  ++rounds;
  return edges;
}

/// Tokens of one instruction of `queue` each.
static void addNops(MxuCode &code, size_t queue, unsigned waits,
                    unsigned signals, size_t count) {
  Decoded op = {};
  op.opcode = mxu::Opcode::nop;
  op.queue = static_cast<mxu::Queue>(queue);
  op.waits = static_cast<uint8_t>(waits);
  op.signals = static_cast<uint8_t>(signals);
  code.insert(code.end(), count, op);
}

MxuLoop weir::addMxuTokens(MxuCode body,
                           const std::vector<mxu::Window> &windows,
                           const mxu::Machine &machine, int64_t scratch,
                           bool repeats) {
  Walk walk(body, windows, machine, scratch);
  std::set<Edge> edges = walk.round();
  bool isSteady = !repeats;
  for (int i = 0; !isSteady && i < 8; ++i) {
    std::set<Edge> next = walk.round();
    isSteady = next == edges;
    edges = std::move(next);
  }
  MxuLoop loop;
  if (!isSteady) {
    // Rounds that are never alike do not overlap.
    edges = Walk(body, windows, machine, scratch).round();
    MxuCode barrier = mxuBarrier();
    loop.body = std::move(body);
    loop.body.insert(loop.body.end(), barrier.begin(), barrier.end());
  } else {
    loop.body = std::move(body);
  }
  size_t carried[queueCount][queueCount] = {};
  for (auto [to, from, distance] : edges) {
    Decoded &source = loop.body[from], &target = loop.body[to];
    source.signals |= 1u << static_cast<unsigned>(target.queue);
    target.waits |= 1u << static_cast<unsigned>(source.queue);
    carried[static_cast<size_t>(source.queue)]
           [static_cast<size_t>(target.queue)] += distance;
  }
  for (size_t from = 0; from < queueCount; ++from)
    for (size_t to = 0; to < queueCount; ++to) {
      addNops(loop.before, from, 0, 1u << to, carried[from][to]);
      addNops(loop.behind, to, 1u << from, 0, carried[from][to]);
    }
  return loop;
}

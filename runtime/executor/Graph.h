//===- Graph.h - The table of an entry, ready to be run ---------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The compact form of a WeirDataflow. A node has a *slot* for each input that a
// node computes (a merge has one for all), a *count* of what it still waits
// for, and one array of *edges*: those of its outputs in order, then the
// control edges. Slots and counts are numbered within the node's frame, so that
// an iteration is two arrays.
//
// An IDENTITY that waits for nothing but its input is no work: what uses it
// uses its input.
//
// Counts. Of an ordinary node: the arrivals that are missing, and kDead once
// one of them was dead. Of a merge three words: twice the control edges that
// are missing, plus 1 while no live value has come; the dead data inputs so
// far; the number of the input that was taken.
//
// A Graph is constant once built; any number of steps share it. It refers to
// the table, which outlives it.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_EXECUTOR_GRAPH_H
#define WEIR_RUNTIME_EXECUTOR_GRAPH_H

#include "runtime/base/Status.h"
#include "runtime/core/Tensor.h"
#include "runtime/rendezvous/Rendezvous.h"
#include "weir-c/dataflow.h"

#include <algorithm>
#include <atomic>
#include <deque>
#include <memory>
#include <string>
#include <vector>

struct WeirSession;

namespace weir::rt {

/// Where something that a node produces goes.
struct Edge {
  /// The node, and what it is.
  uint32_t target;
  /// The slot of the value; kControl: none goes.
  int32_t slot;
  /// The count of the node.
  int32_t count;
  /// For a merge, the number of the input.
  int32_t input;

  static constexpr uint32_t kMerge = 1u << 31;
  /// The node waits for nothing else.
  static constexpr uint32_t kSole = 1u << 30;
  static constexpr uint32_t kNode = kSole - 1;
  static constexpr int32_t kControl = -1;

  uint32_t node() const { return target & kNode; }
};

/// The edges of one output end here (and begin where those before it end); that
/// many of them take the value.
struct OutputEdges {
  uint32_t end;
  int32_t uses;
};

struct GraphNode {
  uint8_t kind;
  /// ENTER: every iteration sees the value.
  bool isInvariant;
  /// It waits for nothing that runs: begins with the step.
  bool isStart;
  /// It is never run (sourceOf).
  bool isPassedBy;
  int32_t frame;
  /// FEED, FETCH: their number. ENTER: the child frame. KERNEL: of kernels.
  /// SWITCH, MERGE: of outcomes. SEND, RECEIVE: of keys.
  int32_t index;
  int32_t count;
  int32_t inputCount;
  /// The first of its inputs in operands.
  int32_t operands;
  int32_t outputCount;
  /// The first of its outputs in outputs.
  int32_t outputs;
  /// Its edges in edges: of outputs, of control, and their end.
  uint32_t edges, controlEdges, edgesEnd;
  /// What outputs says of output 0.
  OutputEdges first;
};

struct GraphFrame {
  int32_t parent;
  /// Its place among the children of the parent.
  int32_t place;
  int32_t childCount = 0;
  int32_t parallelIterations;
  /// The ENTERs into it.
  int32_t enterCount = 0;
  int32_t slotCount = 0;
  /// What the counts of a new iteration are.
  std::vector<uint32_t> counts;
};

class Graph {
public:
  static constexpr uint32_t kDead = 1u << 31;

  /// The graph of `entry`, whose dataflow is set. WEIR_INTERNAL tells how a
  /// table is damaged. Constants that are handles name the session's state.
  static Status build(WeirSession &session, const WeirEntryDesc &entry,
                      std::unique_ptr<Graph> &graph);

  /// `operand` of a node: a slot, or ~ the number of a constant.
  static bool isConstant(int32_t operand) { return operand < 0; }

  const WeirNodeDesc &desc(uint32_t node) const {
    return table.nodes[order[node]];
  }
  /// The number of the node that the table calls `number`.
  uint32_t nodeOf(int32_t number) const {
    return places[static_cast<size_t>(number)];
  }
  const char *name(uint32_t node) const { return desc(node).name; }
  const Edge *outputBegin(const GraphNode &node, int32_t output) const {
    return edges.data() +
           (output == 0 ? node.edges : outputs[node.outputs + output - 1].end);
  }
  /// Where a value really comes from: an IDENTITY without control inputs is
  /// passed by, and never run.
  WeirEdge sourceOf(WeirEdge edge) const;

  const WeirEntryDesc &entry;
  const WeirDataflow &table;
  /// In the order in which one thread runs them, so that what is used together
  /// lies together.
  std::vector<GraphNode> nodes;
  std::vector<Edge> edges;
  std::vector<OutputEdges> outputs;
  std::vector<int32_t> operands;
  std::vector<GraphFrame> frames;
  /// Compiled code, as entries. Their outputs have names; kernels whose outputs
  /// are the same share them.
  std::vector<WeirEntryDesc> kernels;
  /// What a run of each node took lately, in nanoseconds; kUnknownCost before
  /// the first. Of kernels and calls, and only where several threads run them.
  static constexpr uint32_t kUnknownCost = UINT32_MAX;
  /// Mixes a new measurement into a cost. One in which the thread had to let
  /// others run says little: it counts as twice the cost at most.
  static void recordCost(std::atomic<uint32_t> &cost, int64_t time) {
    const uint32_t known = cost.load(std::memory_order_relaxed);
    const bool isFirst = known == kUnknownCost;
    const int64_t most = isFirst ? kUnknownCost - 1
                                 : std::min(2 * int64_t(known) + 1000,
                                            int64_t(kUnknownCost) - 1);
    const uint32_t now = static_cast<uint32_t>(std::min(time, most));
    cost.store(isFirst ? now : known / 4 * 3 + now / 4,
               std::memory_order_relaxed);
  }
  std::unique_ptr<std::atomic<uint32_t>[]> costs;
  /// How many more nodes of unknown cost count as long.
  mutable std::atomic<int32_t> probes{kProbes};
  static constexpr int32_t kProbes = 64;
  /// For parts of steps: what a thread does for a step before it has to wait,
  /// in nanoseconds; kUnknownCost before the first.
  mutable std::atomic<uint32_t> turnCost{kUnknownCost};
  bool hasShortTurns(uint32_t limit) const {
    return turnCost.load(std::memory_order_relaxed) < limit;
  }
  std::vector<TensorRef> constants;
  /// Whose memory kernels are given; null for the host's.
  Device *device = nullptr;
  /// Where the events of its steps belong.
  int32_t track = 0;
  /// Then: what kernels are given for each constant that one of them takes.
  std::vector<TensorRef> deviceConstants;
  std::vector<RendezvousKey> keys;
  /// The nodes that begin, FEEDs apart, the first one last.
  std::vector<uint32_t> starts;
  /// The FEED node of each feed, or -1 where nothing needs it, and the FETCH
  /// node of each fetch.
  std::vector<int32_t> feedNodes, fetchNodes;
  int32_t outcomeCount = 0;
  int32_t maxInputs = 0, maxOutputs = 0;
  /// Without frames, switches, merges and what comes from other devices nothing
  /// is ever dead.
  bool isPlain = true;

private:
  friend class GraphBuilder;
  /// The table's number of each node, and the reverse.
  std::vector<int32_t> order;
  std::vector<uint32_t> places;
  /// By the table's number: a node that is passed by.
  std::vector<bool> passedBy;
  std::deque<std::string> outputNames;
  std::deque<std::vector<WeirTensorDesc>> outputDescs;
  Graph(const WeirEntryDesc &entry) : entry(entry), table(*entry.dataflow) {}
};

} // namespace weir::rt

#endif // WEIR_RUNTIME_EXECUTOR_GRAPH_H

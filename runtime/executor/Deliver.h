//===- Deliver.h - Where the values of nodes go -----------------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The inner part of Machine, in a header because every node goes through it.
// `Plain` is for graphs without switches, merges and frames: nothing is dead.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_EXECUTOR_DELIVER_H
#define WEIR_RUNTIME_EXECUTOR_DELIVER_H

#include "runtime/executor/Machine.h"
#include "runtime/executor/Values.h"

namespace weir::rt {

template <bool Plain>
inline void Machine::arriveLive(const Edge &edge, Iteration *it,
                                WeirTensor *value) {
  const uint32_t n = edge.node();
  if (!Plain && (edge.target & Edge::kMerge)) {
    uint32_t *words = it->counts + edge.count;
    // Only the first live value counts.
    if (!(words[0] & 1))
      return releaseValue(value);
    words[0] &= ~1u;
    words[2] = static_cast<uint32_t>(edge.input);
    it->slots[edge.slot] = value;
    if (words[0] == 0)
      push<Plain>(n, it, false);
    return;
  }
  it->slots[edge.slot] = value;
  if (edge.target & Edge::kSole)
    return push<Plain>(n, it, false);
  const uint32_t count = --it->counts[edge.count];
  if (Plain ? count == 0 : (count & ~Graph::kDead) == 0)
    push<Plain>(n, it, count != 0);
}

template <bool Plain>
inline void Machine::arriveControl(const Edge &edge, Iteration *it,
                                   bool isDead) {
  const uint32_t n = edge.node();
  if (!Plain && (edge.target & Edge::kMerge)) {
    // Whether a control input of a merge is dead does not matter.
    uint32_t *words = it->counts + edge.count;
    words[0] -= 2;
    if (words[0] == 0) {
      push<Plain>(n, it, false);
    } else if (words[0] == 1 &&
               words[1] == static_cast<uint32_t>(nodes[n].inputCount)) {
      words[0] = 0;
      push<Plain>(n, it, true);
    }
    return;
  }
  if (edge.target & Edge::kSole)
    return push<Plain>(n, it, isDead);
  uint32_t count = it->counts[edge.count] - 1;
  if (!Plain && isDead)
    count |= Graph::kDead;
  it->counts[edge.count] = count;
  if (Plain ? count == 0 : (count & ~Graph::kDead) == 0)
    push<Plain>(n, it, count != 0);
}

template <bool Plain>
inline void Machine::deliverAlong(const Edge *edge, const Edge *end,
                                  int32_t uses, Iteration *it,
                                  WeirTensor *value) {
  if (uses == 0)
    releaseValue(value);
  else if (uses > 1)
    addReferences(value, uses - 1);
  for (; edge != end; ++edge)
    if (edge->slot >= 0)
      arriveLive<Plain>(*edge, it, value);
    else
      arriveControl<Plain>(*edge, it, false);
}

template <bool Plain>
inline void Machine::deliverFirst(const GraphNode &node, Iteration *it,
                                  WeirTensor *value) {
  deliverAlong<Plain>(edges + node.edges, edges + node.first.end,
                      node.first.uses, it, value);
}

template <bool Plain>
inline void Machine::deliver(const GraphNode &node, int32_t output,
                             Iteration *it, WeirTensor *value) {
  const OutputEdges &out = graph.outputs[node.outputs + output];
  deliverAlong<Plain>(graph.outputBegin(node, output), edges + out.end,
                      out.uses, it, value);
}

template <bool Plain>
inline void Machine::deliverControl(const GraphNode &node, Iteration *it,
                                    bool isDead) {
  const Edge *end = edges + node.edgesEnd;
  for (const Edge *edge = edges + node.controlEdges; edge != end; ++edge)
    arriveControl<Plain>(*edge, it, isDead);
}

/// The value of a constant, or the one that has come; with its reference.
inline WeirTensor *Machine::takeInput(int32_t operand, Iteration *it) {
  if (Graph::isConstant(operand)) {
    WeirTensor *constant = graph.constants[~operand].get();
    weir_tensor_retain(constant);
    return constant;
  }
  return std::exchange(it->slots[operand], nullptr);
}

} // namespace weir::rt

#endif // WEIR_RUNTIME_EXECUTOR_DELIVER_H

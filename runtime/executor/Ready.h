//===- Ready.h - The nodes that can run ------------------------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_EXECUTOR_READY_H
#define WEIR_RUNTIME_EXECUTOR_READY_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace weir::rt {

struct Iteration;

struct ReadyNode {
  uint32_t node;
  uint32_t isDead;
  Iteration *iteration;
};

/// Last in, first out, for what was made last is still in the cache; takeOldest
/// from time to time keeps a loop that never ends from starving the others.
class ReadyNodes {
public:
  bool empty() const { return top == bottom; }

  void push(ReadyNode node) {
    if (top == limit)
      makeRoom();
    *top++ = node;
  }
  ReadyNode takeNewest() { return *--top; }
  ReadyNode takeOldest() { return *bottom++; }
  void clear() { top = bottom = nodes.data(); }

private:
  [[gnu::noinline]] void makeRoom() {
    const size_t count = static_cast<size_t>(top - bottom);
    // The oldest ones leave room in front.
    for (size_t i = 0; i < count; ++i)
      nodes[i] = bottom[i];
    if (count >= nodes.size() / 2)
      nodes.resize(nodes.empty() ? 64 : nodes.size() * 2);
    bottom = nodes.data();
    top = bottom + count;
    limit = bottom + nodes.size();
  }

  std::vector<ReadyNode> nodes;
  ReadyNode *bottom = nullptr, *top = nullptr, *limit = nullptr;
};

} // namespace weir::rt

#endif // WEIR_RUNTIME_EXECUTOR_READY_H

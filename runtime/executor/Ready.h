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
  bool empty() const { return size == first; }

  void push(ReadyNode node) {
    if (size == nodes.size())
      makeRoom();
    nodes[size++] = node;
  }
  ReadyNode takeNewest() { return nodes[--size]; }
  ReadyNode takeOldest() { return nodes[first++]; }
  void clear() { size = first = 0; }

private:
  [[gnu::noinline]] void makeRoom() {
    if (first > 0) {
      for (size_t i = first; i < size; ++i)
        nodes[i - first] = nodes[i];
      size -= first;
      first = 0;
      if (size < nodes.size() / 2)
        return;
    }
    nodes.resize(nodes.empty() ? 64 : nodes.size() * 2);
  }

  std::vector<ReadyNode> nodes;
  size_t first = 0, size = 0;
};

} // namespace weir::rt

#endif // WEIR_RUNTIME_EXECUTOR_READY_H

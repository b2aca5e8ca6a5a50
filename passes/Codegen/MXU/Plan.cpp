//===- Plan.cpp - What goes where in the unified buffer -------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Codegen/MXU/Plan.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace llvm;
using namespace weir;

/// More images gain nothing: weights are loaded for that many rows at least.
static constexpr int64_t maxImages = 2048;
/// So that programs stay small beside what they work on.
static constexpr int64_t maxInstructions = 20000;
/// How much smaller each next block is, where the batch is only known at run
/// time.
static constexpr int64_t blockRatio = 8;

//===----------------------------------------------------------------------===//
// Items
//===----------------------------------------------------------------------===//

namespace {
class Planner {
public:
  Planner(const MxuNetwork &network, bool spills)
      : network(network), spills(spills), inBuffer(network.tensors.size()),
        inScratch(network.tensors.size(), -1) {}

  MxuPlan run();

private:
  int64_t now() const { return static_cast<int64_t>(plan.items.size()); }
  int64_t newBuffer(const MxuShape &shape) {
    plan.buffers.push_back({shape, now(), now()});
    return static_cast<int64_t>(plan.buffers.size()) - 1;
  }
  void add(const MxuItem &item) {
    plan.buffers[static_cast<size_t>(item.buffer)].end = now();
    plan.items.push_back(item);
  }
  void spill(int64_t tensor);
  /// A buffer with the tensor in the shape that the layer reads.
  int64_t read(int64_t tensor, const MxuLayer &layer);
  int64_t read(int64_t tensor, const MxuShape &shape);

  const MxuNetwork &network;
  const bool spills;
  MxuPlan plan;
  /// For each tensor the buffers that hold it, and its place in scratch.
  std::vector<SmallVector<int64_t>> inBuffer;
  std::vector<int64_t> inScratch;
};
} // namespace

void Planner::spill(int64_t tensor) {
  if (inScratch[static_cast<size_t>(tensor)] >= 0)
    return;
  inScratch[static_cast<size_t>(tensor)] = plan.scratch;
  int64_t buffer = inBuffer[static_cast<size_t>(tensor)].front();
  add({MxuItem::store, -1, -1, buffer, mxu::scratchSpace, plan.scratch});
  plan.scratch += network.tensors[static_cast<size_t>(tensor)].bytes();
}

int64_t Planner::read(int64_t tensor, const MxuShape &shape) {
  auto &held = inBuffer[static_cast<size_t>(tensor)];
  if (!spills)
    for (int64_t buffer : held)
      if (plan.buffers[static_cast<size_t>(buffer)].shape == shape)
        return buffer;
  MxuItem load{MxuItem::load, -1, -1, -1, mxu::firstEntrySpace, 0};
  if (tensor != 0) {
    spill(tensor);
    load.space = mxu::scratchSpace;
    load.offset = inScratch[static_cast<size_t>(tensor)];
  }
  load.buffer = newBuffer(shape);
  add(load);
  held.push_back(load.buffer);
  return load.buffer;
}

int64_t Planner::read(int64_t tensor, const MxuLayer &layer) {
  if (!layer.isRow)
    return read(tensor, layer.inputShape);
  // A row may lie in any shape that a window can cover.
  if (!spills)
    for (int64_t buffer : inBuffer[static_cast<size_t>(tensor)]) {
      const MxuShape &shape = plan.buffers[static_cast<size_t>(buffer)].shape;
      if (shape.places == 1 ||
          (shape.places <= mxu::maxExtent && shape.channels <= mxu::maxExtent))
        return buffer;
    }
  return read(tensor,
              {1, network.tensors[static_cast<size_t>(tensor)].bytes()});
}

MxuPlan Planner::run() {
  auto storeAll = [&](int64_t tensor) {
    for (const MxuStore &store : network.stores)
      if (store.tensor == tensor) {
        int64_t buffer = tensor == 0
                             ? read(0, network.tensors[0])
                             : inBuffer[static_cast<size_t>(tensor)].front();
        add({MxuItem::store, -1, -1, buffer, store.space, 0});
      }
  };
  storeAll(0);
  for (size_t i = 0; i < network.layers.size(); ++i) {
    const MxuLayer &layer = network.layers[i];
    int64_t input = read(layer.input, layer);
    int64_t output =
        newBuffer(network.tensors[static_cast<size_t>(layer.output)]);
    inBuffer[static_cast<size_t>(layer.output)].push_back(output);
    add({MxuItem::compute, static_cast<int64_t>(i), output, input});
    storeAll(layer.output);
    bool isRead = llvm::any_of(network.layers, [&](const MxuLayer &other) {
      return other.input == layer.output;
    });
    if (spills && isRead)
      spill(layer.output);
  }
  return std::move(plan);
}

MxuPlan weir::planMxu(const MxuNetwork &network, bool spills) {
  return Planner(network, spills).run();
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

std::vector<int64_t> MxuPlan::place(const mxu::Machine &machine,
                                    int64_t images) const {
  auto rowsOf = [&](const MxuBuffer &buffer) {
    return buffer.shape.planes(machine.array) * buffer.shape.places * images;
  };
  std::vector<int64_t> begins(buffers.size());
  // Buffers of their own let a block begin while the one before it runs.
  int64_t all = 0;
  for (auto [begin, buffer] : llvm::zip_equal(begins, buffers)) {
    begin = all;
    all += rowsOf(buffer);
  }
  if (all <= machine.ubRows)
    return begins;
  // Else the first place that nothing needs at the same time.
  for (size_t i = 0; i < buffers.size(); ++i) {
    SmallVector<std::pair<int64_t, int64_t>> taken;
    for (size_t k = 0; k < i; ++k)
      if (buffers[k].begin <= buffers[i].end &&
          buffers[i].begin <= buffers[k].end)
        taken.push_back({begins[k], begins[k] + rowsOf(buffers[k])});
    llvm::sort(taken);
    int64_t at = 0, rows = rowsOf(buffers[i]);
    for (auto [begin, end] : taken)
      if (at + rows > begin)
        at = std::max(at, end);
    if (at + rows > machine.ubRows)
      return {};
    begins[i] = at;
  }
  return begins;
}

/// About as many as a block of `images` has.
static int64_t instructionsOf(const MxuNetwork &network,
                              const mxu::Machine &machine, int64_t images) {
  int64_t count = 0, array = machine.array, half = machine.accRows / 4;
  for (const MxuLayer &layer : network.layers) {
    int64_t pieces = divideCeil(layer.window.positions() * images, half);
    if (layer.kind == MxuLayer::pool)
      count += pieces * divideCeil(int64_t(layer.window.channels), array);
    else
      count += pieces * divideCeil(layer.columns, array) *
               (3 * divideCeil(layer.window.depth(), array) + 5);
  }
  return count;
}

/// Whether the numbers of a block fit their fields.
static bool isAddressable(const MxuNetwork &network, const MxuPlan &plan,
                          int64_t images) {
  constexpr int64_t offsets = int64_t(1) << 32, positions = 1 << 24;
  auto scratch = static_cast<int64_t>(
      alignTo(static_cast<uint64_t>(plan.scratch * images), 4096));
  for (const mxu::Entry &entry : network.entries)
    if (static_cast<int64_t>(entry.rowBytes) >= offsets / images)
      return false;
  for (const MxuLayer &layer : network.layers)
    if (layer.window.positions() * images >= positions)
      return false;
  return scratch + 4096 * static_cast<int64_t>(plan.items.size()) < offsets;
}

std::vector<int64_t> weir::chooseMxuBlocks(const MxuNetwork &network,
                                           const MxuPlan &plan,
                                           const mxu::Machine &machine) {
  auto fits = [&](int64_t images) {
    return isAddressable(network, plan, images) &&
           !plan.place(machine, images).empty();
  };
  if (!fits(1))
    return {};
  int64_t largest = network.rows == mxu::dynamicRows
                        ? maxImages
                        : std::clamp<int64_t>(network.rows, 1, maxImages);
  auto isGood = [&](int64_t images) {
    return images <= largest && fits(images) &&
           instructionsOf(network, machine, images) <= maxInstructions;
  };
  int64_t images = 1;
  while (isGood(images * 2))
    images *= 2;
  if (isGood(largest))
    images = largest;
  if (network.rows == mxu::dynamicRows) {
    std::vector<int64_t> sizes{images};
    while (sizes.back() > 1)
      sizes.push_back(std::max<int64_t>(sizes.back() / blockRatio, 1));
    return sizes;
  }
  if (network.rows == 0)
    return {1};
  // Blocks of one size, as near as that goes.
  int64_t rounds = divideCeil(network.rows, images);
  int64_t size = divideCeil(network.rows, rounds);
  if (!fits(size))
    size = images;
  std::vector<int64_t> sizes{size};
  if (int64_t rest = network.rows % size)
    sizes.push_back(rest);
  return sizes;
}

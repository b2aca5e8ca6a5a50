//===- QueueStore.cpp - The elements of a queue, by kind ------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/state/QueueStore.h"

#include <algorithm>
#include <random>

using namespace weir::rt;

namespace {

/// A ring that doubles when it is full.
class FifoStore final : public QueueStore {
public:
  int64_t size() const override { return static_cast<int64_t>(count); }
  void push(QueueItem &&item) override {
    grow();
    ring[(first + count++) & (ring.size() - 1)] = std::move(item);
  }
  QueueItem pop() override {
    QueueItem item = std::move(ring[first]);
    first = (first + 1) & (ring.size() - 1);
    --count;
    return item;
  }
  void putBack(QueueItem item) override {
    grow();
    first = (first - 1) & (ring.size() - 1);
    ++count;
    ring[first] = std::move(item);
  }

private:
  /// Makes room for one more.
  void grow() {
    if (count < ring.size())
      return;
    std::vector<QueueItem> larger(std::max<size_t>(16, 2 * ring.size()));
    for (size_t i = 0; i < count; ++i)
      larger[i] = std::move(ring[(first + i) & (ring.size() - 1)]);
    ring = std::move(larger);
    first = 0;
  }

  std::vector<QueueItem> ring;
  size_t first = 0, count = 0;
};

/// Philox 4x32 with 10 rounds, keyed by `seed`, counting from `seed2` in the
/// upper half of the counter; one word after the other.
class Philox {
public:
  Philox(uint64_t seed, uint64_t seed2)
      : key{static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)},
        counter{0, 0, static_cast<uint32_t>(seed2),
                static_cast<uint32_t>(seed2 >> 32)} {}

  uint32_t next() {
    if (used == 4) {
      generate();
      used = 0;
    }
    return words[used++];
  }

private:
  void generate() {
    uint32_t x[4] = {counter[0], counter[1], counter[2], counter[3]};
    uint32_t k[2] = {key[0], key[1]};
    for (int round = 0; round < 10; ++round) {
      uint64_t a = uint64_t(0xD2511F53u) * x[0];
      uint64_t b = uint64_t(0xCD9E8D57u) * x[2];
      uint32_t y[4] = {static_cast<uint32_t>(b >> 32) ^ x[1] ^ k[0],
                       static_cast<uint32_t>(b),
                       static_cast<uint32_t>(a >> 32) ^ x[3] ^ k[1],
                       static_cast<uint32_t>(a)};
      std::copy(y, y + 4, x);
      k[0] += 0x9E3779B9u;
      k[1] += 0xBB67AE85u;
    }
    std::copy(x, x + 4, words);
    for (uint32_t &word : counter)
      if (++word != 0)
        break;
  }

  uint32_t key[2], counter[4], words[4];
  int used = 4;
};

class ShuffleStore final : public QueueStore {
public:
  ShuffleStore(uint64_t seed, uint64_t seed2) : random(seed, seed2) {}
  int64_t size() const override { return static_cast<int64_t>(items.size()); }
  void push(QueueItem &&item) override { items.push_back(std::move(item)); }
  QueueItem pop() override {
    QueueItem &chosen = items[random.next() % items.size()];
    std::swap(chosen, items.back());
    QueueItem item = std::move(items.back());
    items.pop_back();
    return item;
  }
  void putBack(QueueItem item) override { push(std::move(item)); }

private:
  std::vector<QueueItem> items;
  Philox random;
};

/// A heap of the priorities. Arrival numbers stay with the elements, so one
/// that is put back finds its place again.
class PriorityStore final : public QueueStore {
public:
  int64_t size() const override { return static_cast<int64_t>(heap.size()); }
  void push(QueueItem &&item) override {
    int64_t priority = *static_cast<const int64_t *>(item.tuple[0].view().data);
    heap.push_back({priority, std::move(item)});
    std::push_heap(heap.begin(), heap.end(), later);
  }
  QueueItem pop() override {
    std::pop_heap(heap.begin(), heap.end(), later);
    QueueItem item = std::move(heap.back().item);
    heap.pop_back();
    return item;
  }
  void putBack(QueueItem item) override { push(std::move(item)); }

private:
  struct Entry {
    int64_t priority;
    QueueItem item;
  };
  static bool later(const Entry &a, const Entry &b) {
    return a.priority != b.priority ? a.priority > b.priority
                                    : a.item.arrival > b.item.arrival;
  }
  std::vector<Entry> heap;
};

} // namespace

std::unique_ptr<QueueStore> QueueStore::create(const QueueSpec &spec) {
  if (spec.kind == QueueKind::Priority)
    return std::make_unique<PriorityStore>();
  if (spec.kind != QueueKind::RandomShuffle)
    return std::make_unique<FifoStore>();
  uint64_t seed = spec.seed, seed2 = spec.seed2;
  if (seed == 0 && seed2 == 0) {
    std::random_device device;
    seed = uint64_t(device()) << 32 | device();
    seed2 = uint64_t(device()) << 32 | device();
  }
  return std::make_unique<ShuffleStore>(seed, seed2);
}

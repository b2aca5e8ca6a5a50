//===- EmulatedGpu.cpp - A GPU on the CPU
//----------------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/base/Format.h"
#include "runtime/device/gpu/Arena.h"
#include "runtime/device/gpu/GpuDevice.h"
#include "runtime/trace/Trace.h"

#include <cstring>
#include <deque>
#include <memory>
#include <mutex>
#include <new>

using namespace weir::rt;

namespace {

/// Where shared memory of a block begins.
constexpr size_t sharedAlignment = 128;

struct AlignedDelete {
  void operator()(char *memory) const {
    ::operator delete(memory, std::align_val_t(sharedAlignment));
  }
};

/// Null where there is no room; not null for 0 bytes.
char *allocateAligned(int64_t bytes) {
  return static_cast<char *>(::operator new(static_cast<size_t>(bytes) + 1,
                                            std::align_val_t(sharedAlignment),
                                            std::nothrow));
}

class EmulatedGpu final : public GpuDevice {
public:
  EmulatedGpu(const std::string &name, int64_t bytes)
      : GpuDevice(name), arena(bytes) {}

  bool ok() const { return arena.ok(); }

  Status allocate(int64_t bytes, void *&memory) override {
    memory = arena.allocate(bytes);
    if (memory)
      return Status();
    return Status(WEIR_RESOURCE_EXHAUSTED,
                  str("[WEIR0432] ", name(), " has no room for ", bytes,
                      " bytes; ", arena.freeBytes(), " are free"));
  }
  void release(void *memory) override { arena.release(memory); }

  Status copyToDevice(void *memory, const void *host, int64_t bytes) override {
    WEIR_RETURN_IF_ERROR(check(memory, bytes));
    return copy(memory, host, bytes);
  }
  Status copyInside(void *to, const void *from, int64_t bytes) override {
    WEIR_RETURN_IF_ERROR(check(to, bytes));
    WEIR_RETURN_IF_ERROR(check(from, bytes));
    return copy(to, from, bytes);
  }

  Status enqueueToHost(int32_t stream, void *host, const void *memory,
                       int64_t bytes) override {
    WEIR_RETURN_IF_ERROR(check(memory, bytes));
    if (stream == WEIR_STREAM_COMPUTE)
      return copy(host, memory, bytes);
    std::lock_guard<std::mutex> lock(mutex);
    transfers.push_back({++lastEvent, host, memory, bytes});
    return Status();
  }
  Status enqueueToDevice(int32_t, void *memory, const void *host,
                         int64_t bytes) override {
    return copyToDevice(memory, host, bytes);
  }
  Status enqueueWrite(void *memory, uint64_t value, int64_t bytes) override {
    return copyToDevice(memory, &value, bytes);
  }
  Status record(int32_t, Event &event) override {
    std::lock_guard<std::mutex> lock(mutex);
    event = ++lastEvent;
    return Status();
  }
  Status wait(Event event, int32_t stream) override {
    return stream == WEIR_STREAM_COMPUTE ? waitFor(event) : Status();
  }
  Status hostAllocate(int64_t bytes, void *&memory) override {
    memory = allocateAligned(bytes);
    if (memory)
      return Status();
    return Status(WEIR_RESOURCE_EXHAUSTED,
                  str("[WEIR0432] the host has no room for ", bytes,
                      " bytes for copies from ", name()));
  }
  void hostRelease(void *memory) override {
    AlignedDelete()(static_cast<char *>(memory));
  }

protected:
  Status launch(const GpuLaunch &launch) override;
  Status waitFor(Event event) override;

private:
  static Status copy(void *to, const void *from, int64_t bytes) {
    if (bytes > 0)
      std::memmove(to, from, static_cast<size_t>(bytes));
    return Status();
  }
  /// A real GPU would fault on other memory.
  Status check(const void *memory, int64_t bytes) const {
    if (bytes == 0 || arena.holds(memory, bytes))
      return Status();
    return Status(WEIR_INTERNAL,
                  str("[WEIR0434] a copy of ", bytes,
                      " bytes reaches outside of the memory of ", name()));
  }

  Arena arena;
  /// Copies to the host that nothing has waited for yet, in their order.
  struct Transfer {
    Event number;
    void *host;
    const void *memory;
    int64_t bytes;
  };
  std::mutex mutex;
  std::deque<Transfer> transfers;
  Event lastEvent = 0;
};

} // namespace

Status EmulatedGpu::waitFor(Event event) {
  std::lock_guard<std::mutex> lock(mutex);
  while (!transfers.empty() && transfers.front().number <= event) {
    const Transfer next = transfers.front();
    transfers.pop_front();
    // By now it may have been given back, which would be a race.
    WEIR_RETURN_IF_ERROR(check(next.memory, next.bytes));
    WEIR_RETURN_IF_ERROR(copy(next.host, next.memory, next.bytes));
  }
  return Status();
}

Status EmulatedGpu::launch(const GpuLaunch &launch) {
  WeirGpuEmulatedFn run = launch.desc().emulated;
  if (!run)
    return Status(WEIR_FAILED_PRECONDITION,
                  str("[WEIR0431] ", launch.node,
                      ": the program was compiled for GPUs only; compile it "
                      "with --emulate-gpu to run it on this emulated one"));
  std::unique_ptr<char, AlignedDelete> shared(
      allocateAligned(launch.sharedBytes));
  if (!shared)
    return Status(WEIR_RESOURCE_EXHAUSTED,
                  str("[WEIR0432] ", launch.node, ": no ", launch.sharedBytes,
                      " bytes of shared memory for a block"));
  const int64_t mark = traceBegin();
  WeirGpuBlock block;
  for (int i = 0; i < 3; ++i) {
    block.grid[i] = launch.grid[i];
    block.block[i] = launch.block[i];
  }
  block.shared = shared.get();
  for (block.index[2] = 0; block.index[2] < block.grid[2]; ++block.index[2])
    for (block.index[1] = 0; block.index[1] < block.grid[1]; ++block.index[1])
      for (block.index[0] = 0; block.index[0] < block.grid[0]; ++block.index[0])
        run(&block, launch.arguments);
  if (mark)
    traceOnLane(mark, traceNow(), launch.node, TraceKind::Kernel, launch.track,
                traceLane(launch.track, "kernels"));
  return Status();
}

Status weir::rt::makeEmulatedGpu(const std::string &name, int64_t bytes,
                                 std::unique_ptr<Device> &device) {
  auto made = std::make_unique<EmulatedGpu>(name, bytes);
  if (!made->ok())
    return Status(WEIR_RESOURCE_EXHAUSTED,
                  str("[WEIR0432] no ", bytes, " bytes of addresses for ", name,
                      "; write a smaller size, as in GPU=emulate:512"));
  device = std::move(made);
  return Status();
}

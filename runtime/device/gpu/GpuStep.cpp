//===- GpuStep.cpp - What a GPU keeps for a step --------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/device/gpu/GpuStep.h"

#include "runtime/base/Format.h"
#include "runtime/core/CheckMessage.h"
#include "runtime/device/gpu/GpuDevice.h"

#include <algorithm>

using namespace weir::rt;

using Lock = std::lock_guard<std::mutex>;

GpuStep::~GpuStep() {
  for (void *block : hostMemory)
    device.hostRelease(block);
  if (memory)
    device.release(memory);
}

GpuStep *GpuStep::ofThread(GpuDevice &device) {
  StepOnDevice *step = StepOnDevice::current();
  if (!step || step->device != &device)
    return nullptr;
  StepOnDevice::Part *part = step->part();
  if (!part)
    part = &step->keep(std::make_unique<GpuStep>(device));
  return static_cast<GpuStep *>(part);
}

void GpuStep::begin() {
  for (void *block : hostMemory)
    device.hostRelease(block);
  hostMemory.clear();
  sites.clear();
  announced.clear();
  // A step that ended early may have left something there.
  mustClear |= launchedChecks != settledChecks || !error.ok();
  launchedChecks = settledChecks = 0;
  error = Status();
}

bool GpuStep::hasOpenChecks() const {
  Lock lock(mutex);
  return launchedChecks != settledChecks;
}

Status GpuStep::failure() const {
  Lock lock(mutex);
  return error.copy();
}

Status GpuStep::hostAllocate(int64_t bytes, void *&block) {
  WEIR_RETURN_IF_ERROR(device.hostAllocate(bytes, block));
  Lock lock(mutex);
  hostMemory.push_back(block);
  return Status();
}

void GpuStep::hostRelease(void *block) {
  {
    Lock lock(mutex);
    hostMemory.erase(std::find(hostMemory.begin(), hostMemory.end(), block));
  }
  device.hostRelease(block);
}

Status GpuStep::record(void *&address) {
  Lock lock(mutex);
  if (!memory)
    WEIR_RETURN_IF_ERROR(device.allocate(recordBytes, memory));
  if (mustClear)
    for (int64_t i = 0; i < recordWords; ++i)
      WEIR_RETURN_IF_ERROR(device.enqueueWrite(
          static_cast<char *>(memory) + 8 * i, /*value=*/0, /*bytes=*/8));
  mustClear = false;
  address = memory;
  return Status();
}

int64_t GpuStep::site(const WeirStep *call, int32_t code, const char *node,
                      const char *format) {
  Lock lock(mutex);
  announced.push_back(call);
  auto known = std::find_if(sites.begin(), sites.end(), [&](const Site &site) {
    return site.node == node && site.format == format && site.code == code;
  });
  if (known == sites.end())
    known = sites.insert(known, {code, node, format});
  return known - sites.begin() + 1;
}

void GpuStep::launched(const WeirStep *call) {
  Lock lock(mutex);
  auto rest = std::remove(announced.begin(), announced.end(), call);
  launchedChecks += static_cast<uint64_t>(announced.end() - rest);
  announced.erase(rest, announced.end());
}

void GpuStep::settle(const int64_t *values, uint64_t upTo) {
  Lock lock(mutex);
  settledChecks = std::max(settledChecks, upTo);
  if (values[0] == 0 || !error.ok())
    return;
  const size_t number = static_cast<size_t>(values[0]) - 1;
  if (number >= sites.size()) {
    error = Status(WEIR_INTERNAL, str("[WEIR0434] the record of checks on ",
                                      device.name(), " has been overwritten"));
    return;
  }
  const Site &site = sites[number];
  error = checkFailed(site.code, site.node, site.format, values[1], values[2]);
}

//===----------------------------------------------------------------------===//
// Looks
//===----------------------------------------------------------------------===//

GpuStep::Look::Look(GpuDevice &device, GpuStep *step)
    : device(device), step(step) {
  if (!step)
    return;
  {
    Lock lock(step->mutex);
    upTo = step->launchedChecks;
    if (upTo == step->settledChecks)
      return;
  }
  void *place = nullptr;
  status = device.hostAllocate(recordBytes, place);
  if (!status.ok())
    return;
  values = static_cast<int64_t *>(place);
  // What the copy is to see was launched before upTo was read.
  status = device.orderTransfer();
  if (status.ok())
    status = device.enqueueToHost(WEIR_STREAM_TRANSFER, values, step->memory,
                                  recordBytes);
}

GpuStep::Look::~Look() {
  // Where nobody has waited, the copy may come yet, so that it stays.
  if (values && isThere)
    device.hostRelease(values);
}

Status GpuStep::Look::result() {
  isThere = status.ok();
  if (!isThere)
    return std::move(status);
  if (values)
    step->settle(values, upTo);
  return step ? step->failure() : Status();
}

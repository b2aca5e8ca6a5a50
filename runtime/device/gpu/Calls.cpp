//===- Calls.cpp - What code for GPUs calls
//--------------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/base/Format.h"
#include "runtime/core/Session.h"
#include "runtime/device/gpu/GpuDevice.h"
#include "runtime/device/gpu/GpuStep.h"

#include <cstring>

using namespace weir::rt;

const WeirDeviceKind weir_device_kind_gpu = {"GPU", makeGpu};

namespace {
/// A call of host code: its step, and the GPU that it is on.
struct HostCode {
  explicit HostCode(WeirStep *handle)
      : step(Step::of(handle)),
        device(dynamic_cast<GpuDevice *>(step.device())),
        kept(device ? GpuStep::ofThread(*device) : nullptr) {}

  int32_t done(Status status) {
    return status.ok() ? WEIR_OK : step.fail(std::move(status));
  }
  int32_t noGpu(const char *what) {
    return step.fail(
        Status(WEIR_INTERNAL, str("[WEIR0434] ", what, ": entry '",
                                  step.entry.name, "' is on no GPU")));
  }

  Step &step;
  GpuDevice *const device;
  GpuStep *const kept;
};
} // namespace

int32_t weir_rt_gpu_launch(WeirStep *handle, const WeirGpuModule *module,
                           int32_t kernel, const int64_t grid[3],
                           const int64_t block[3], int64_t shared,
                           void *const *arguments, const char *node) {
  HostCode code(handle);
  if (!code.device)
    return code.noGpu(node);
  const int32_t result =
      code.done(code.device->run({*module, kernel, grid, block, shared,
                                  arguments, node, code.step.track}));
  if (code.kept)
    code.kept->launched(handle);
  return result;
}

//===----------------------------------------------------------------------===//
// Streams and events
//===----------------------------------------------------------------------===//

void *weir_rt_host_alloc(WeirStep *handle, int64_t bytes) {
  HostCode code(handle);
  void *memory = nullptr;
  if (!code.kept)
    code.noGpu("memory for copies");
  else
    code.done(code.kept->hostAllocate(bytes, memory));
  return memory;
}

void weir_rt_host_free(WeirStep *handle, void *memory) {
  if (GpuStep *kept = HostCode(handle).kept; kept && memory)
    kept->hostRelease(memory);
}

int32_t weir_rt_enqueue_to_host(WeirStep *handle, int32_t stream, void *host,
                                const void *memory, int64_t bytes) {
  HostCode code(handle);
  if (!code.device)
    return code.noGpu("a copy to the host");
  return code.done(code.device->enqueueToHost(stream, host, memory, bytes));
}

int32_t weir_rt_enqueue_to_device(WeirStep *handle, int32_t stream,
                                  void *memory, const void *host,
                                  int64_t bytes) {
  HostCode code(handle);
  if (!code.device)
    return code.noGpu("a copy to the device");
  return code.done(code.device->enqueueToDevice(stream, memory, host, bytes));
}

int32_t weir_rt_enqueue_write(WeirStep *handle, void *memory, const void *value,
                              int64_t bytes) {
  HostCode code(handle);
  if (!code.device)
    return code.noGpu("a write");
  uint64_t bits = 0;
  std::memcpy(&bits, value, static_cast<size_t>(bytes));
  return code.done(code.device->enqueueWrite(memory, bits, bytes));
}

int32_t weir_rt_event_record(WeirStep *handle, int32_t stream, int64_t *event) {
  HostCode code(handle);
  if (!code.device)
    return code.noGpu("an event");
  return code.done(code.device->record(stream, *event));
}

int32_t weir_rt_event_wait(WeirStep *handle, int64_t event, int32_t stream) {
  HostCode code(handle);
  if (!code.device)
    return code.noGpu("an event");
  return code.done(code.device->wait(event, stream));
}

int32_t weir_rt_event_synchronize(WeirStep *handle, int64_t event) {
  HostCode code(handle);
  if (!code.device)
    return code.noGpu("an event");
  return code.done(code.device->synchronize(event));
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

void *weir_rt_check_record(WeirStep *handle) {
  HostCode code(handle);
  void *memory = nullptr;
  if (!code.kept)
    code.noGpu("a check");
  else if (code.done(code.kept->record(memory)) != WEIR_OK)
    memory = nullptr;
  return memory;
}

int64_t weir_rt_check_site(WeirStep *handle, int32_t code, const char *node,
                           const char *format) {
  GpuStep *kept = HostCode(handle).kept;
  return kept ? kept->site(handle, code, node, format) : 0;
}

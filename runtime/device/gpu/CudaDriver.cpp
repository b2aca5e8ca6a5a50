//===- CudaDriver.cpp - The driver, opened on demand
//-----------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/device/gpu/CudaDriver.h"

#include "runtime/base/Format.h"

#include <dlfcn.h>

using namespace weir::rt;
using namespace weir::rt::cuda;

static Status noDriver(const std::string &why) {
  return Status(WEIR_FAILED_PRECONDITION,
                "[WEIR0430] no GPU here: " + why +
                    "; to run GPU code on the CPU, compile with --emulate-gpu "
                    "and configure GPU=emulate");
}

/// Fills in `field` by the name that the library has.
template <typename F>
static void find(void *library, F &field, const char *name,
                 const char *&missing) {
  field = reinterpret_cast<F>(dlsym(library, name));
  if (!field && !missing)
    missing = name;
}

static Status load(Driver &d) {
  void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return noDriver(str("NVIDIA's driver is not there (", dlerror(), ")"));
  const char *missing = nullptr;
  find(library, d.init, "cuInit", missing);
  find(library, d.deviceCount, "cuDeviceGetCount", missing);
  find(library, d.deviceGet, "cuDeviceGet", missing);
  find(library, d.deviceAttribute, "cuDeviceGetAttribute", missing);
  find(library, d.contextRetain, "cuDevicePrimaryCtxRetain", missing);
  find(library, d.contextSet, "cuCtxSetCurrent", missing);
  find(library, d.moduleLoad, "cuModuleLoadDataEx", missing);
  find(library, d.moduleFunction, "cuModuleGetFunction", missing);
  find(library, d.functionAttribute, "cuFuncSetAttribute", missing);
  find(library, d.launch, "cuLaunchKernel", missing);
  find(library, d.streamCreate, "cuStreamCreate", missing);
  find(library, d.streamWaitEvent, "cuStreamWaitEvent", missing);
  find(library, d.eventCreate, "cuEventCreate", missing);
  find(library, d.eventRecord, "cuEventRecord", missing);
  find(library, d.eventQuery, "cuEventQuery", missing);
  find(library, d.eventSynchronize, "cuEventSynchronize", missing);
  find(library, d.eventElapsed, "cuEventElapsedTime", missing);
  find(library, d.hostAllocate, "cuMemHostAlloc", missing);
  find(library, d.defaultPool, "cuDeviceGetDefaultMemPool", missing);
  find(library, d.poolAttribute, "cuMemPoolSetAttribute", missing);
  find(library, d.allocate, "cuMemAllocAsync", missing);
  find(library, d.release, "cuMemFreeAsync", missing);
  find(library, d.memoryInfo, "cuMemGetInfo_v2", missing);
  find(library, d.copyToDevice, "cuMemcpyHtoDAsync_v2", missing);
  find(library, d.copyToHost, "cuMemcpyDtoHAsync_v2", missing);
  find(library, d.copyInside, "cuMemcpyDtoDAsync_v2", missing);
  find(library, d.fill8, "cuMemsetD8Async", missing);
  find(library, d.fill16, "cuMemsetD16Async", missing);
  find(library, d.fill32, "cuMemsetD32Async", missing);
  find(library, d.errorName, "cuGetErrorName", missing);
  if (missing)
    return noDriver(str("NVIDIA's driver is too old, it has no ", missing));
  if (Result result = d.init(0)) {
    const char *name = nullptr;
    d.errorName(result, &name);
    return noDriver(str("the driver does not start (", name ? name : "?", ")"));
  }
  int count = 0;
  if (d.deviceCount(&count) != 0 || count == 0)
    return noDriver("the driver finds none");
  return Status();
}

Status Driver::open(const Driver *&driver) {
  struct State {
    Driver driver;
    Status status;
    State() : status(load(driver)) {}
  };
  // Never closed: devices stay until the process ends.
  static State *state = new State;
  driver = &state->driver;
  return state->status.copy();
}

Status Driver::check(Result result, std::string_view device,
                     std::string_view call) const {
  if (result == 0)
    return Status();
  const char *text = nullptr;
  errorName(result, &text);
  return Status(WEIR_INTERNAL, str("[WEIR0433] ", device, ": ", call,
                                   " failed (", text ? text : "?", ")"));
}

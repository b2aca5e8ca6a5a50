//===- CudaDriver.h - The driver, opened on demand ---------------*- C++
//-*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// What is used of NVIDIA's driver API (libcuda.so.1), by its own names and
// types, so that a program starts where there is none.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_DEVICE_GPU_CUDADRIVER_H
#define WEIR_RUNTIME_DEVICE_GPU_CUDADRIVER_H

#include "runtime/base/Status.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace weir::rt::cuda {

using Result = int;
using DeviceNumber = int;
using Address = unsigned long long;
struct ContextObject;
struct ModuleObject;
struct FunctionObject;
struct StreamObject;
struct EventObject;
struct PoolObject;
using Context = ContextObject *;
using Module = ModuleObject *;
using Function = FunctionObject *;
using Stream = StreamObject *;
using Event = EventObject *;
using Pool = PoolObject *;

constexpr int computeCapabilityMajor = 75, computeCapabilityMinor = 76;
constexpr int maxDynamicSharedBytes = 8; // attribute of a function
constexpr int poolReleaseThreshold = 4;  // attribute of a pool
constexpr unsigned eventDisableTiming = 2;
constexpr unsigned hostAllocPortable = 1;
constexpr Result notReady = 600;

struct Driver {
  Result (*init)(unsigned flags);
  Result (*deviceCount)(int *count);
  Result (*deviceGet)(DeviceNumber *device, int ordinal);
  Result (*deviceAttribute)(int *value, int attribute, DeviceNumber device);
  Result (*contextRetain)(Context *context, DeviceNumber device);
  Result (*contextSet)(Context context);
  Result (*moduleLoad)(Module *module, const void *image, unsigned options,
                       int *names, void **values);
  Result (*moduleFunction)(Function *function, Module module, const char *name);
  Result (*functionAttribute)(Function function, int attribute, int value);
  Result (*launch)(Function function, unsigned gridX, unsigned gridY,
                   unsigned gridZ, unsigned blockX, unsigned blockY,
                   unsigned blockZ, unsigned sharedBytes, Stream stream,
                   void **arguments, void **extra);
  Result (*streamCreate)(Stream *stream, unsigned flags);
  Result (*streamWaitEvent)(Stream stream, Event event, unsigned flags);
  Result (*eventCreate)(Event *event, unsigned flags);
  Result (*eventRecord)(Event event, Stream stream);
  Result (*eventQuery)(Event event);
  Result (*eventSynchronize)(Event event);
  Result (*eventElapsed)(float *milliseconds, Event from, Event to);
  Result (*hostAllocate)(void **memory, size_t bytes, unsigned flags);
  Result (*defaultPool)(Pool *pool, DeviceNumber device);
  Result (*poolAttribute)(Pool pool, int attribute, void *value);
  Result (*allocate)(Address *memory, size_t bytes, Stream stream);
  Result (*release)(Address memory, Stream stream);
  Result (*memoryInfo)(size_t *free, size_t *total);
  Result (*copyToDevice)(Address to, const void *from, size_t bytes,
                         Stream stream);
  Result (*copyToHost)(void *to, Address from, size_t bytes, Stream stream);
  Result (*copyInside)(Address to, Address from, size_t bytes, Stream stream);
  Result (*fill8)(Address to, unsigned char value, size_t count, Stream stream);
  Result (*fill16)(Address to, unsigned short value, size_t count,
                   Stream stream);
  Result (*fill32)(Address to, unsigned value, size_t count, Stream stream);
  Result (*errorName)(Result result, const char **name);

  /// Opens the driver once for the process. WEIR0430 where it is not there, is
  /// too old, or finds no GPU.
  static Status open(const Driver *&driver);

  /// The error of a call that `device` made, WEIR0433; OK for success.
  Status check(Result result, std::string_view device,
               std::string_view call) const;
};

} // namespace weir::rt::cuda

#endif // WEIR_RUNTIME_DEVICE_GPU_CUDADRIVER_H

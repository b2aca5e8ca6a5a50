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

namespace weir::rt::cuda {

using Result = int;
using DeviceNumber = int;
using Address = unsigned long long;
struct ContextObject;
struct ModuleObject;
struct FunctionObject;
struct StreamObject;
struct PoolObject;
using Context = ContextObject *;
using Module = ModuleObject *;
using Function = FunctionObject *;
using Stream = StreamObject *;
using Pool = PoolObject *;

constexpr int computeCapabilityMajor = 75, computeCapabilityMinor = 76;
constexpr int maxDynamicSharedBytes = 8; // attribute of a function
constexpr int poolReleaseThreshold = 4;  // attribute of a pool

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
  Result (*streamSynchronize)(Stream stream);
  Result (*defaultPool)(Pool *pool, DeviceNumber device);
  Result (*poolAttribute)(Pool pool, int attribute, void *value);
  Result (*allocate)(Address *memory, size_t bytes, Stream stream);
  Result (*release)(Address memory, Stream stream);
  Result (*memoryInfo)(size_t *free, size_t *total);
  Result (*copyToDevice)(Address to, const void *from, size_t bytes,
                         Stream stream);
  Result (*copyToHost)(void *to, Address from, size_t bytes, Stream stream);
  Result (*copyInside)(Address to, Address from, size_t bytes, Stream stream);
  Result (*errorName)(Result result, const char **name);

  /// Opens the driver once for the process. WEIR0430 where it is not there, is
  /// too old, or finds no GPU.
  static Status open(const Driver *&driver);
};

} // namespace weir::rt::cuda

#endif // WEIR_RUNTIME_DEVICE_GPU_CUDADRIVER_H

//===- HostMemory.h - Page-locked memory ------------------------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_DEVICE_GPU_HOSTMEMORY_H
#define WEIR_RUNTIME_DEVICE_GPU_HOSTMEMORY_H

#include "runtime/device/gpu/CudaDriver.h"

#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace weir::rt::cuda {

/// Page-locked memory in blocks of powers of two, from 64 bytes on. To lock and
/// unlock pages is slow and waits for the GPU, so that blocks stay with the
/// process. Safe to use from several threads, which have made the GPU's context
/// theirs.
class HostMemory {
public:
  HostMemory(const std::string &device, const Driver &driver)
      : device(device), driver(driver) {}

  /// RESOURCE_EXHAUSTED where there is none. Not null for 0 bytes.
  Status allocate(int64_t bytes, void *&memory);
  void release(void *memory);

private:
  const std::string &device;
  const Driver &driver;
  std::mutex mutex;
  std::map<void *, int> sizeClasses;
  std::map<int, std::vector<void *>> unused; // by size class
};

} // namespace weir::rt::cuda

#endif // WEIR_RUNTIME_DEVICE_GPU_HOSTMEMORY_H

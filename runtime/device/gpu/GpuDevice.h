//===- GpuDevice.h - GPUs, real and emulated ---------------------*- C++
//-*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_DEVICE_GPU_GPUDEVICE_H
#define WEIR_RUNTIME_DEVICE_GPU_GPUDEVICE_H

#include "runtime/device/Device.h"

namespace weir::rt {

/// One launch; pointers are the caller's, for the time of the call.
struct GpuLaunch {
  const WeirGpuModule &module;
  int32_t kernel;
  const int64_t *grid;
  const int64_t *block;
  int64_t sharedBytes;
  void *const *arguments;
  const char *node;

  const WeirGpuKernelDesc &desc() const { return module.kernels[kernel]; }
};

class GpuDevice : public Device {
public:
  using Device::Device;
  /// Starts a kernel behind the work so far. With no block in the grid nothing
  /// happens; with more than a GPU takes it is an error.
  Status run(const GpuLaunch &launch);

protected:
  /// The same for a grid that a GPU takes.
  virtual Status launch(const GpuLaunch &launch) = 0;
};

/// A GPU whose kernels run on the CPU, in the thread that launches them. It has
/// memory of its own, of `bytes` at most, and refuses copies from and to
/// anything else.
Status makeEmulatedGpu(const std::string &name, int64_t bytes,
                       std::unique_ptr<Device> &device);

/// The device that `options` ask for: "", "cuda", "emulate", "emulate:512".
Status makeGpu(const std::string &name, int32_t number,
               std::string_view options, std::unique_ptr<Device> &device);

/// GPU `number` of this machine. WEIR0430 where there is no driver.
Status makeCudaGpu(const std::string &name, int32_t number,
                   std::unique_ptr<Device> &device);

} // namespace weir::rt

#endif // WEIR_RUNTIME_DEVICE_GPU_GPUDEVICE_H

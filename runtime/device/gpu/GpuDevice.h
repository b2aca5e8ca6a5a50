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
#include "weir-c/gpu.h"

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
  /// Where it belongs in the trace.
  int32_t track = 0;

  const WeirGpuKernelDesc &desc() const { return module.kernels[kernel]; }
};

class GpuStep;

/// Kernels, memory and copies within the GPU are of WEIR_STREAM_COMPUTE; what
/// the host is to have goes through WEIR_STREAM_TRANSFER, so that later kernels
/// do not stand behind it. Waits are for events, and so for no more than what
/// was given before.
class GpuDevice : public Device {
public:
  using Device::Device;
  /// A point in the work of a stream.
  using Event = int64_t;

  /// Starts a kernel behind the work so far. With no block in the grid nothing
  /// happens; with more than a GPU takes it is an error.
  Status run(const GpuLaunch &launch);

  // These do not wait; see weir-c/gpu.h.
  virtual Status enqueueToHost(int32_t stream, void *host, const void *memory,
                               int64_t bytes) = 0;
  virtual Status enqueueToDevice(int32_t stream, void *memory, const void *host,
                                 int64_t bytes) = 0;
  virtual Status enqueueWrite(void *memory, uint64_t value, int64_t bytes) = 0;
  virtual Status record(int32_t stream, Event &event) = 0;
  virtual Status wait(Event event, int32_t stream) = 0;
  /// What transfers are given from here on sees all computed so far.
  Status orderTransfer();

  /// Page-locked memory of the host, aligned to 64.
  virtual Status hostAllocate(int64_t bytes, void *&memory) = 0;
  /// No work that was given before still uses it.
  virtual void hostRelease(void *memory) = 0;

  // These wait, and then tell of the first check of the thread's step that has
  // failed (StepOnDevice.h).
  Status synchronize(Event event);
  Status synchronize() final;
  Status copyToHost(void *host, const void *memory, int64_t bytes) final;

protected:
  /// The same for a grid that a GPU takes.
  virtual Status launch(const GpuLaunch &launch) = 0;
  /// Waits for an event; errors of the work before it may come out here.
  virtual Status waitFor(Event event) = 0;
};

/// A GPU whose kernels run on the CPU, in the thread that launches them. It has
/// memory of its own, of `bytes` at most, and refuses copies from and to
/// anything else. What its transfers copy comes as late as it may: when
/// something waits for it.
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

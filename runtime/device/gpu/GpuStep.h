//===- GpuStep.h - What a GPU keeps for a step -------------------*- C++
//-*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_DEVICE_GPU_GPUSTEP_H
#define WEIR_RUNTIME_DEVICE_GPU_GPUSTEP_H

#include "runtime/device/StepOnDevice.h"
#include "weir-c/gpu.h"

#include <mutex>
#include <vector>

namespace weir::rt {

class GpuDevice;

/// The record of checks (weir_rt_check_record), the sites that kernels may
/// write there, and page-locked memory. Safe to use from several threads, but
/// for begin().
class GpuStep final : public StepOnDevice::Part {
public:
  static constexpr int64_t recordWords = 3;
  static constexpr int64_t recordBytes = 8 * recordWords;

  explicit GpuStep(GpuDevice &device) : device(device) {}
  ~GpuStep() override;

  /// What this thread's step keeps for `device`, made where it is not there.
  /// Null where the thread works for no step on that device.
  static GpuStep *ofThread(GpuDevice &device);

  void begin() override;
  bool hasOpenChecks() const override;
  Status failure() const override;

  Status hostAllocate(int64_t bytes, void *&memory);
  void hostRelease(void *memory);

  /// The record in memory of the device.
  Status record(void *&memory);
  /// The number of a site. `call`, the call of a kernel's host code, will
  /// launch the check next.
  int64_t site(const WeirStep *call, int32_t code, const char *node,
               const char *format);
  /// `call` has launched a kernel: its check, if it has asked for a site.
  void launched(const WeirStep *call);

  /// A look at the record, for a host that waits anyway.
  class Look {
  public:
    /// Where checks are open, begins a copy of the record, behind all work so
    /// far. `step` may be null.
    Look(GpuDevice &device, GpuStep *step);
    ~Look();
    Look(const Look &) = delete;
    Look &operator=(const Look &) = delete;

    /// Whether there is a copy to wait for, on WEIR_STREAM_TRANSFER.
    bool isOpen() const { return values; }
    /// Its error once the copy is there: the first check that failed.
    Status result();

  private:
    GpuDevice &device;
    GpuStep *const step;
    int64_t *values = nullptr;
    bool isThere = false;
    uint64_t upTo = 0;
    Status status;
  };

private:
  struct Site {
    int32_t code;
    const char *node, *format;
  };

  void settle(const int64_t *values, uint64_t upTo);

  GpuDevice &device;
  mutable std::mutex mutex;
  void *memory = nullptr;
  /// The record may hold something.
  bool mustClear = true;
  std::vector<Site> sites;
  /// Calls that are about to launch a check.
  std::vector<const WeirStep *> announced;
  /// Checks that were launched, and those of which it is known how they went.
  uint64_t launchedChecks = 0, settledChecks = 0;
  std::vector<void *> hostMemory;
  Status error;
};

} // namespace weir::rt

#endif // WEIR_RUNTIME_DEVICE_GPU_GPUSTEP_H

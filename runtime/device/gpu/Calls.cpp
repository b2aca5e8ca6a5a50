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

using namespace weir::rt;

const WeirDeviceKind weir_device_kind_gpu = {"GPU", makeGpu};

int32_t weir_rt_gpu_launch(WeirStep *handle, const WeirGpuModule *module,
                           int32_t kernel, const int64_t grid[3],
                           const int64_t block[3], int64_t shared,
                           void *const *arguments, const char *node) {
  Step &step = Step::of(handle);
  auto *device = dynamic_cast<GpuDevice *>(step.device());
  if (!device)
    return step.fail(
        Status(WEIR_INTERNAL, str("[WEIR0434] ", node, ": entry '",
                                  step.entry.name, "' is on no GPU")));
  Status status =
      device->run({*module, kernel, grid, block, shared, arguments, node});
  return status.ok() ? WEIR_OK : step.fail(std::move(status));
}

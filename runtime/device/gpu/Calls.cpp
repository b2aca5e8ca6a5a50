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

#include <charconv>

using namespace weir::rt;

/// Addresses of an emulated GPU, in MiB, where nobody says how many.
static constexpr int64_t usualMegabytes = 16 * 1024;

/// The size in "emulate:512".
static bool parseSize(std::string_view text, int64_t &megabytes) {
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), megabytes);
  return error == std::errc() && end == text.data() + text.size() &&
         megabytes > 0 && megabytes <= int64_t(1) << 24;
}

static Status createGpu(const std::string &name, int32_t number,
                        std::string_view options,
                        std::unique_ptr<Device> &device) {
  if (options.empty() || options == "cuda")
    return makeCudaGpu(name, number, device);
  int64_t megabytes = usualMegabytes;
  constexpr std::string_view emulate = "emulate";
  std::string_view rest = options;
  if (rest.substr(0, emulate.size()) == emulate) {
    rest.remove_prefix(emulate.size());
    if (rest.empty() ||
        (rest.front() == ':' && parseSize(rest.substr(1), megabytes)))
      return makeEmulatedGpu(name, megabytes << 20, device);
  }
  return Status(WEIR_INVALID_ARGUMENT,
                str("[WEIR0436] 'GPU=", options.substr(0, 100),
                    "' is not understood; write GPU=cuda, GPU=emulate, or "
                    "GPU=emulate:512 for one of 512 MiB"));
}

const WeirDeviceKind weir_device_kind_gpu = {"GPU", createGpu};

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
  for (int i = 0; i < 3; ++i) {
    if (grid[i] == 0)
      return WEIR_OK;
    if (grid[i] < 0 || grid[i] > INT32_MAX || (i != 0 && grid[i] > 65535))
      return step.fail(
          Status(WEIR_RESOURCE_EXHAUSTED,
                 str("[WEIR0432] ", node, ": its result needs ", grid[i],
                     " blocks of threads, more than a GPU takes at once")));
  }
  Status status =
      device->launch({*module, kernel, grid, block, shared, arguments, node});
  return status.ok() ? WEIR_OK : step.fail(std::move(status));
}

//===- GpuDevice.cpp - GPUs, real and emulated ----------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/device/gpu/GpuDevice.h"

#include "runtime/base/Format.h"

#include <charconv>

using namespace weir::rt;

Status GpuDevice::run(const GpuLaunch &request) {
  for (int i = 0; i < 3; ++i) {
    const int64_t extent = request.grid[i];
    if (extent == 0)
      return Status();
    if (extent < 0 || extent > INT32_MAX || (i != 0 && extent > UINT16_MAX))
      return Status(WEIR_RESOURCE_EXHAUSTED,
                    str("[WEIR0432] ", request.node, ": its result needs ",
                        extent,
                        " blocks of threads, more than a GPU takes at once"));
  }
  return launch(request);
}

/// Addresses of an emulated GPU, in MiB, where nobody says how many.
static constexpr int64_t usualMegabytes = 16 * 1024;

/// The size in "emulate:512".
static bool parseSize(std::string_view text, int64_t &megabytes) {
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), megabytes);
  return error == std::errc() && end == text.data() + text.size() &&
         megabytes > 0 && megabytes <= int64_t(1) << 24;
}

Status weir::rt::makeGpu(const std::string &name, int32_t number,
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

//===- GpuDevice.cpp - GPUs, real and emulated ----------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/device/gpu/GpuDevice.h"

#include "runtime/base/Format.h"
#include "runtime/device/gpu/GpuStep.h"

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

Status GpuDevice::orderTransfer() {
  Event computed = 0;
  WEIR_RETURN_IF_ERROR(record(WEIR_STREAM_COMPUTE, computed));
  return wait(computed, WEIR_STREAM_TRANSFER);
}

Status GpuDevice::synchronize(Event event) {
  GpuStep::Look look(*this, GpuStep::ofThread(*this));
  Event looked = 0;
  if (look.isOpen()) {
    WEIR_RETURN_IF_ERROR(record(WEIR_STREAM_TRANSFER, looked));
    WEIR_RETURN_IF_ERROR(waitFor(looked));
  }
  WEIR_RETURN_IF_ERROR(waitFor(event));
  return look.result();
}

Status GpuDevice::synchronize() {
  Event event = 0;
  WEIR_RETURN_IF_ERROR(record(WEIR_STREAM_COMPUTE, event));
  return synchronize(event);
}

Status GpuDevice::copyToHost(void *host, const void *memory, int64_t bytes) {
  // The record first: the copy itself waits where `host` is not page-locked.
  GpuStep::Look look(*this, GpuStep::ofThread(*this));
  if (!look.isOpen())
    WEIR_RETURN_IF_ERROR(orderTransfer());
  WEIR_RETURN_IF_ERROR(
      enqueueToHost(WEIR_STREAM_TRANSFER, host, memory, bytes));
  Event event = 0;
  WEIR_RETURN_IF_ERROR(record(WEIR_STREAM_TRANSFER, event));
  WEIR_RETURN_IF_ERROR(waitFor(event));
  return look.result();
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

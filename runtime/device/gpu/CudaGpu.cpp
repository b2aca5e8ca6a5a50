//===- CudaGpu.cpp - A GPU by NVIDIA's driver
//-------------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// All work goes to one stream, in whose order memory is given back too
// (cuMemFreeAsync). Code is loaded when a kernel of it is first launched.
//
//===----------------------------------------------------------------------===//

#include "runtime/base/Format.h"
#include "runtime/device/gpu/CudaDriver.h"
#include "runtime/device/gpu/GpuDevice.h"

#include <map>
#include <mutex>
#include <vector>

using namespace weir::rt;
using namespace weir::rt::cuda;

namespace {

/// Shared memory that every kernel may have without asking.
constexpr int64_t freeSharedBytes = 48 * 1024;

class CudaGpu final : public GpuDevice {
public:
  CudaGpu(const std::string &name, const Driver &driver)
      : GpuDevice(name), driver(driver) {}
  /// Its context and stream live as long as the process.
  Status start(int32_t number);

  Status allocate(int64_t bytes, void *&memory) override;
  void release(void *memory) override {
    if (enter().ok())
      driver.release(addressOf(memory), stream);
  }
  Status copyToHost(void *host, const void *memory, int64_t bytes) override;
  Status copyToDevice(void *memory, const void *host, int64_t bytes) override;
  Status copyInside(void *to, const void *from, int64_t bytes) override;
  Status synchronize() override;
  Status launch(const GpuLaunch &launch) override;

private:
  static Address addressOf(const void *memory) {
    return reinterpret_cast<uintptr_t>(memory);
  }
  /// Makes the device that of the calling thread.
  Status enter() {
    return check(driver.contextSet(context), "cuCtxSetCurrent");
  }
  Status check(Result result, std::string_view call) const {
    if (result == 0)
      return Status();
    const char *text = nullptr;
    driver.errorName(result, &text);
    return Status(WEIR_INTERNAL, str("[WEIR0433] ", name(), ": ", call,
                                     " failed (", text ? text : "?", ")"));
  }
  Status functionOf(const GpuLaunch &launch, Function &function);
  Status load(const WeirGpuModule &code, Module &module);

  const Driver &driver;
  Context context = nullptr;
  Stream stream = nullptr;
  /// Compute capability times ten.
  int32_t architecture = 0;
  std::mutex mutex;
  struct Loaded {
    Module module;
    std::vector<Function> functions;
  };
  std::map<const WeirGpuModule *, Loaded> loaded;
};

} // namespace

Status CudaGpu::start(int32_t number) {
  int count = 0;
  WEIR_RETURN_IF_ERROR(check(driver.deviceCount(&count), "cuDeviceGetCount"));
  if (number >= count)
    return Status(WEIR_NOT_FOUND,
                  str("[WEIR0430] ", name(), " is not there: this machine has ",
                      count, " GPUs, numbered from 0"));
  DeviceNumber device = 0;
  int major = 0, minor = 0;
  WEIR_RETURN_IF_ERROR(check(driver.deviceGet(&device, number), "cuDeviceGet"));
  WEIR_RETURN_IF_ERROR(
      check(driver.deviceAttribute(&major, computeCapabilityMajor, device),
            "cuDeviceGetAttribute"));
  WEIR_RETURN_IF_ERROR(
      check(driver.deviceAttribute(&minor, computeCapabilityMinor, device),
            "cuDeviceGetAttribute"));
  architecture = major * 10 + minor;
  WEIR_RETURN_IF_ERROR(check(driver.contextRetain(&context, device),
                             "cuDevicePrimaryCtxRetain"));
  WEIR_RETURN_IF_ERROR(enter());
  const unsigned nonBlocking = 1;
  WEIR_RETURN_IF_ERROR(
      check(driver.streamCreate(&stream, nonBlocking), "cuStreamCreate"));
  // Memory that is given back stays with the process, for the next step.
  Pool pool = nullptr;
  WEIR_RETURN_IF_ERROR(
      check(driver.defaultPool(&pool, device), "cuDeviceGetDefaultMemPool"));
  uint64_t all = UINT64_MAX;
  return check(driver.poolAttribute(pool, poolReleaseThreshold, &all),
               "cuMemPoolSetAttribute");
}

Status CudaGpu::allocate(int64_t bytes, void *&memory) {
  WEIR_RETURN_IF_ERROR(enter());
  Address address = 0;
  const size_t size = bytes > 0 ? static_cast<size_t>(bytes) : 1;
  if (bytes < 0 || driver.allocate(&address, size, stream) != 0) {
    size_t free = 0, total = 0;
    driver.memoryInfo(&free, &total);
    return Status(WEIR_RESOURCE_EXHAUSTED,
                  str("[WEIR0432] ", name(), " has no room for ", bytes,
                      " bytes; ", free, " of ", total, " are free"));
  }
  memory = reinterpret_cast<void *>(static_cast<uintptr_t>(address));
  return Status();
}

Status CudaGpu::copyToHost(void *host, const void *memory, int64_t bytes) {
  WEIR_RETURN_IF_ERROR(enter());
  if (bytes > 0)
    WEIR_RETURN_IF_ERROR(
        check(driver.copyToHost(host, addressOf(memory),
                                static_cast<size_t>(bytes), stream),
              "cuMemcpyDtoHAsync"));
  return synchronize();
}

Status CudaGpu::copyToDevice(void *memory, const void *host, int64_t bytes) {
  WEIR_RETURN_IF_ERROR(enter());
  if (bytes > 0)
    WEIR_RETURN_IF_ERROR(
        check(driver.copyToDevice(addressOf(memory), host,
                                  static_cast<size_t>(bytes), stream),
              "cuMemcpyHtoDAsync"));
  return synchronize();
}

Status CudaGpu::copyInside(void *to, const void *from, int64_t bytes) {
  WEIR_RETURN_IF_ERROR(enter());
  if (bytes == 0)
    return Status();
  return check(driver.copyInside(addressOf(to), addressOf(from),
                                 static_cast<size_t>(bytes), stream),
               "cuMemcpyDtoDAsync");
}

Status CudaGpu::synchronize() {
  WEIR_RETURN_IF_ERROR(enter());
  return check(driver.streamSynchronize(stream), "work on it");
}

/// The image that `architecture` runs: its own, or the newest of its
/// generation.
static const WeirGpuImage *imageFor(const WeirGpuModule &code,
                                    int32_t architecture) {
  const WeirGpuImage *best = nullptr;
  for (int32_t i = 0; i < code.image_count; ++i) {
    const WeirGpuImage &image = code.images[i];
    const bool runs = image.is_specific
                          ? image.architecture == architecture
                          : image.architecture <= architecture &&
                                image.architecture / 10 == architecture / 10;
    if (runs && (!best || image.architecture > best->architecture))
      best = &image;
  }
  return best;
}

Status CudaGpu::load(const WeirGpuModule &code, Module &module) {
  const WeirGpuImage *image = imageFor(code, architecture);
  const void *data = image ? image->data : code.ptx;
  if (!data)
    return Status(WEIR_FAILED_PRECONDITION,
                  str("[WEIR0435] the program has no code for ", name(),
                      ", whose architecture is sm_", architecture,
                      "; compile it for that one"));
  return check(driver.moduleLoad(&module, data, 0, nullptr, nullptr),
               "cuModuleLoadDataEx");
}

Status CudaGpu::functionOf(const GpuLaunch &launch, Function &function) {
  std::lock_guard<std::mutex> lock(mutex);
  auto [place, isNew] = loaded.try_emplace(&launch.module);
  Loaded &entry = place->second;
  if (isNew) {
    Status status = load(launch.module, entry.module);
    if (!status.ok()) {
      loaded.erase(place);
      return status;
    }
    entry.functions.resize(static_cast<size_t>(launch.module.kernel_count));
  }
  Function &known = entry.functions[static_cast<size_t>(launch.kernel)];
  if (!known) {
    WEIR_RETURN_IF_ERROR(
        check(driver.moduleFunction(&known, entry.module, launch.desc().name),
              "cuModuleGetFunction"));
    if (launch.sharedBytes > freeSharedBytes)
      WEIR_RETURN_IF_ERROR(
          check(driver.functionAttribute(known, maxDynamicSharedBytes,
                                         static_cast<int>(launch.sharedBytes)),
                "cuFuncSetAttribute"));
  }
  function = known;
  return Status();
}

Status CudaGpu::launch(const GpuLaunch &launch) {
  WEIR_RETURN_IF_ERROR(enter());
  Function function = nullptr;
  WEIR_RETURN_IF_ERROR(functionOf(launch, function));
  auto size = [](int64_t extent) { return static_cast<unsigned>(extent); };
  Result result = driver.launch(
      function, size(launch.grid[0]), size(launch.grid[1]),
      size(launch.grid[2]), size(launch.block[0]), size(launch.block[1]),
      size(launch.block[2]), size(launch.sharedBytes), stream,
      const_cast<void **>(launch.arguments), nullptr);
  return check(result, "cuLaunchKernel").withContext(str(launch.node, ": "));
}

Status weir::rt::makeCudaGpu(const std::string &name, int32_t number,
                             std::unique_ptr<Device> &device) {
  const Driver *driver = nullptr;
  WEIR_RETURN_IF_ERROR(Driver::open(driver));
  auto made = std::make_unique<CudaGpu>(name, *driver);
  WEIR_RETURN_IF_ERROR(made->start(number));
  device = std::move(made);
  return Status();
}

//===- CudaGpu.cpp - A GPU by NVIDIA's driver
//-------------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Memory is given back in the order of the stream of kernels (cuMemFreeAsync).
// What comes from the host goes through page-locked memory, so that the host
// does not wait for the GPU. Code is loaded when a kernel of it is first
// launched.
//
//===----------------------------------------------------------------------===//

#include "runtime/base/Format.h"
#include "runtime/device/gpu/CudaDriver.h"
#include "runtime/device/gpu/GpuDevice.h"
#include "runtime/device/gpu/HostMemory.h"
#include "runtime/device/gpu/KernelTimes.h"
#include "runtime/device/gpu/Timeline.h"

#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <vector>

using namespace weir::rt;
using namespace weir::rt::cuda;

namespace {

/// Shared memory that every kernel may have without asking.
constexpr int64_t freeSharedBytes = 48 * 1024;
/// What comes from the host in larger pieces is waited for: page-locked memory
/// of that size is hard to come by.
constexpr int64_t mostStagedBytes = 8 * 1024 * 1024;

class CudaGpu final : public GpuDevice {
public:
  CudaGpu(const std::string &name, const Driver &driver)
      : GpuDevice(name), driver(driver), compute(this->name(), driver),
        transfer(this->name(), driver), hostMemory(this->name(), driver),
        times(driver) {}
  /// Its context and streams live as long as the process.
  Status start(int32_t number);

  Status allocate(int64_t bytes, void *&memory) override;
  void release(void *memory) override {
    if (enter().ok())
      driver.release(addressOf(memory), compute.stream());
  }
  Status copyToDevice(void *memory, const void *host, int64_t bytes) override;
  Status copyInside(void *to, const void *from, int64_t bytes) override;
  Status enqueueToHost(int32_t stream, void *host, const void *memory,
                       int64_t bytes) override;
  Status enqueueToDevice(int32_t stream, void *memory, const void *host,
                         int64_t bytes) override;
  Status enqueueWrite(void *memory, uint64_t value, int64_t bytes) override;
  Status record(int32_t stream, Event &event) override;
  Status wait(Event event, int32_t stream) override;
  Status hostAllocate(int64_t bytes, void *&memory) override;
  void hostRelease(void *memory) override { hostMemory.release(memory); }

protected:
  Status launch(const GpuLaunch &launch) override;
  Status waitFor(Event event) override;

private:
  static Address addressOf(const void *memory) {
    return reinterpret_cast<uintptr_t>(memory);
  }
  /// Makes the device that of the calling thread.
  Status enter() {
    return check(driver.contextSet(context), "cuCtxSetCurrent");
  }
  Status check(Result result, std::string_view call) const {
    return driver.check(result, name(), call);
  }
  Timeline &timeline(int32_t stream) {
    return stream == WEIR_STREAM_TRANSFER ? transfer : compute;
  }
  /// Gives staging memory back whose copies are over.
  void dropStaged();
  Status functionOf(const GpuLaunch &launch, Function &function);
  Status load(const WeirGpuModule &code, Module &module);

  const Driver &driver;
  Context context = nullptr;
  Timeline compute, transfer;
  HostMemory hostMemory;
  KernelTimes times;
  /// Compute capability times ten.
  int32_t architecture = 0;
  std::mutex mutex;
  struct Loaded {
    Module module;
    std::vector<Function> functions;
  };
  std::map<const WeirGpuModule *, Loaded> loaded;
  /// Page-locked memory that copies to the GPU still read, until an event.
  std::mutex stagingMutex;
  std::deque<std::pair<int64_t, void *>> staged;
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
  WEIR_RETURN_IF_ERROR(compute.start());
  WEIR_RETURN_IF_ERROR(transfer.start());
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
  if (bytes < 0 || driver.allocate(&address, size, compute.stream()) != 0) {
    size_t free = 0, total = 0;
    driver.memoryInfo(&free, &total);
    return Status(WEIR_RESOURCE_EXHAUSTED,
                  str("[WEIR0432] ", name(), " has no room for ", bytes,
                      " bytes; ", free, " of ", total, " are free"));
  }
  memory = reinterpret_cast<void *>(static_cast<uintptr_t>(address));
  return Status();
}

//===----------------------------------------------------------------------===//
// Streams and events
//===----------------------------------------------------------------------===//

Status CudaGpu::enqueueToHost(int32_t stream, void *host, const void *memory,
                              int64_t bytes) {
  WEIR_RETURN_IF_ERROR(enter());
  if (bytes == 0)
    return Status();
  return check(driver.copyToHost(host, addressOf(memory),
                                 static_cast<size_t>(bytes),
                                 timeline(stream).stream()),
               "cuMemcpyDtoHAsync");
}

Status CudaGpu::enqueueToDevice(int32_t stream, void *memory, const void *host,
                                int64_t bytes) {
  WEIR_RETURN_IF_ERROR(enter());
  if (bytes == 0)
    return Status();
  return check(driver.copyToDevice(addressOf(memory), host,
                                   static_cast<size_t>(bytes),
                                   timeline(stream).stream()),
               "cuMemcpyHtoDAsync");
}

Status CudaGpu::enqueueWrite(void *memory, uint64_t value, int64_t bytes) {
  WEIR_RETURN_IF_ERROR(enter());
  const Address to = addressOf(memory);
  const Stream stream = compute.stream();
  const auto word = static_cast<unsigned>(value);
  switch (bytes) {
  case 1:
    return check(driver.fill8(to, static_cast<unsigned char>(word), 1, stream),
                 "cuMemsetD8Async");
  case 2:
    return check(
        driver.fill16(to, static_cast<unsigned short>(word), 1, stream),
        "cuMemsetD16Async");
  case 8:
    WEIR_RETURN_IF_ERROR(check(
        driver.fill32(to + 4, static_cast<unsigned>(value >> 32), 1, stream),
        "cuMemsetD32Async"));
    [[fallthrough]];
  default:
    return check(driver.fill32(to, word, 1, stream), "cuMemsetD32Async");
  }
}

/// Events of both streams in one row of numbers: the lowest bit is the stream.
Status CudaGpu::record(int32_t stream, Event &event) {
  WEIR_RETURN_IF_ERROR(enter());
  int64_t number = 0;
  WEIR_RETURN_IF_ERROR(timeline(stream).record(number));
  event = number * 2 + stream;
  return Status();
}

Status CudaGpu::wait(Event event, int32_t stream) {
  WEIR_RETURN_IF_ERROR(enter());
  return timeline(event & 1).holdBack(timeline(stream), event / 2);
}

Status CudaGpu::waitFor(Event event) {
  WEIR_RETURN_IF_ERROR(enter());
  WEIR_RETURN_IF_ERROR(timeline(event & 1).synchronize(event / 2));
  times.collect();
  return Status();
}

Status CudaGpu::hostAllocate(int64_t bytes, void *&memory) {
  WEIR_RETURN_IF_ERROR(enter());
  return hostMemory.allocate(bytes, memory);
}

void CudaGpu::dropStaged() {
  std::lock_guard<std::mutex> lock(stagingMutex);
  while (!staged.empty() && compute.isOver(staged.front().first)) {
    hostMemory.release(staged.front().second);
    staged.pop_front();
  }
}

Status CudaGpu::copyToDevice(void *memory, const void *host, int64_t bytes) {
  WEIR_RETURN_IF_ERROR(enter());
  dropStaged();
  void *staging = nullptr;
  if (bytes > mostStagedBytes || !hostMemory.allocate(bytes, staging).ok()) {
    Event copied = 0;
    WEIR_RETURN_IF_ERROR(
        enqueueToDevice(WEIR_STREAM_COMPUTE, memory, host, bytes));
    WEIR_RETURN_IF_ERROR(record(WEIR_STREAM_COMPUTE, copied));
    return waitFor(copied);
  }
  std::memcpy(staging, host, static_cast<size_t>(bytes));
  Status status = enqueueToDevice(WEIR_STREAM_COMPUTE, memory, staging, bytes);
  // Events of one stream are pushed in their order.
  std::lock_guard<std::mutex> lock(stagingMutex);
  int64_t copied = 0;
  if (status.ok())
    status = compute.record(copied);
  if (status.ok())
    staged.emplace_back(copied, staging);
  else
    hostMemory.release(staging);
  return status;
}

Status CudaGpu::copyInside(void *to, const void *from, int64_t bytes) {
  WEIR_RETURN_IF_ERROR(enter());
  if (bytes == 0)
    return Status();
  return check(driver.copyInside(addressOf(to), addressOf(from),
                                 static_cast<size_t>(bytes), compute.stream()),
               "cuMemcpyDtoDAsync");
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

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
  const KernelTimes::Span span = times.begin(compute.stream());
  Result result = driver.launch(
      function, size(launch.grid[0]), size(launch.grid[1]),
      size(launch.grid[2]), size(launch.block[0]), size(launch.block[1]),
      size(launch.block[2]), size(launch.sharedBytes), compute.stream(),
      const_cast<void **>(launch.arguments), nullptr);
  if (result == 0)
    times.end(span, compute.stream(), launch.node, launch.track);
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

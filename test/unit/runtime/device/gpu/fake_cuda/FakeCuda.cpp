//===- FakeCuda.cpp - A driver of GPUs that are not there -----------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/runtime/device/gpu/fake_cuda/FakeCuda.h"

#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace {

using Address = unsigned long long;

/// A piece of work gives a code of the driver.
using Work = std::function<int()>;

struct Stream {
  std::deque<Work> work;
  /// Pieces that were given, and those that are done.
  int64_t given = 0, done = 0;
  /// When each of those was done, in milliseconds.
  std::vector<double> doneAt;
};

struct Event {
  Stream *stream = nullptr;
  int64_t behind = 0;
};

using Kernel = std::function<int(void *const *)>;
struct KernelInfo {
  /// Of each argument.
  std::vector<size_t> sizes;
  Kernel run;
};

struct Module {
  std::set<std::string> kernels;
};

/// The device, of which there is one.
struct State {
  std::mutex mutex;
  std::map<std::string, int64_t> calls;
  std::map<std::string, int> failures;
  /// Each piece of work takes a millisecond.
  double clock = 0;
  /// What work has failed with: every call does from then on.
  int broken = 0;
  int architecture = 80;
  std::map<Address, size_t> memory;
  /// Page-locked memory of the host.
  std::map<Address, size_t> locked;
  std::vector<std::unique_ptr<Stream>> streams;
  std::vector<std::unique_ptr<Event>> events;
  std::vector<std::unique_ptr<Module>> modules;

  static State &get() {
    static State *state = new State;
    return *state;
  }
};

constexpr size_t totalBytes = size_t(1) << 30;

/// One call of the driver's.
struct Call {
  explicit Call(const char *name, bool needsContext = true);

  State &state = State::get();
  std::lock_guard<std::mutex> lock{state.mutex};
  /// What it returns; 0 to go on.
  int result = 0;
};

thread_local bool hasContext = false;

} // namespace

Call::Call(const char *name, bool needsContext) {
  ++state.calls[name];
  auto failure = state.failures.find(name);
  if (failure != state.failures.end()) {
    result = failure->second;
    state.failures.erase(failure);
  } else if (needsContext && !hasContext) {
    result = fakeInvalidContext;
  } else {
    result = state.broken;
  }
}

static bool holds(const std::map<Address, size_t> &blocks, Address from,
                  size_t bytes) {
  auto after = blocks.upper_bound(from);
  if (after == blocks.begin())
    return false;
  auto block = std::prev(after);
  return from + bytes <= block->first + block->second;
}

static bool onDevice(const void *memory, size_t bytes) {
  return holds(State::get().memory, reinterpret_cast<Address>(memory), bytes);
}

static void give(Stream *stream, Work work) {
  stream->work.push_back(std::move(work));
  ++stream->given;
}

/// Does the work of `stream` up to piece number `end`.
static int finish(Stream *stream, int64_t end) {
  while (stream->done < end && !stream->work.empty()) {
    Work next = std::move(stream->work.front());
    stream->work.pop_front();
    if (int result = next()) {
      State::get().broken = result;
      return result;
    }
    ++stream->done;
    stream->doneAt.push_back(State::get().clock += 1);
  }
  return State::get().broken;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

template <typename T> static T argument(void *const *arguments, int index) {
  T value;
  std::memcpy(&value, arguments[index], sizeof(value));
  return value;
}

static int runTwice(void *const *arguments) {
  // Of memory that was not written yet anything may come.
  auto *data = argument<uint32_t *>(arguments, 0);
  const auto count = argument<int64_t>(arguments, 1);
  if (!onDevice(data, 4 * static_cast<size_t>(count)))
    return fakeIllegalAddress;
  for (int64_t i = 0; i < count; ++i)
    data[i] = 2 * data[i] + static_cast<uint32_t>(i);
  return 0;
}

static int incrementFrom(float *to, const float *from) {
  if (!onDevice(to, 4) || !onDevice(from, 4))
    return fakeIllegalAddress;
  *to = *from + 1;
  return 0;
}

static int runIncrement(void *const *arguments) {
  return incrementFrom(argument<float *>(arguments, 0),
                       argument<const float *>(arguments, 1));
}

static int runCheck(void *const *arguments) {
  auto *record = argument<int64_t *>(arguments, 0);
  const auto *value = argument<const float *>(arguments, 2);
  if (!onDevice(record, 24) || !onDevice(value, 4))
    return fakeIllegalAddress;
  if (*value < 0 && record[0] == 0) {
    record[0] = argument<int64_t>(arguments, 1);
    record[1] = 10;
    record[2] = 20;
  }
  return 0;
}

static int runGuarded(void *const *arguments) {
  const auto *record = argument<const int64_t *>(arguments, 0);
  if (!onDevice(record, 24))
    return fakeIllegalAddress;
  return record[0] != 0 ? 0
                        : incrementFrom(argument<float *>(arguments, 1),
                                        argument<const float *>(arguments, 2));
}

static int runFault(void *const *) { return fakeIllegalAddress; }

static const std::map<std::string, KernelInfo> &kernels() {
  static const std::map<std::string, KernelInfo> known = {
      {"twice", {{8, 8}, runTwice}},
      {"increment", {{8, 8}, runIncrement}},
      {"check", {{8, 8, 8}, runCheck}},
      {"guarded", {{8, 8, 8}, runGuarded}},
      {"fault", {{}, runFault}}};
  return known;
}

//===----------------------------------------------------------------------===//
// What tests call
//===----------------------------------------------------------------------===//

extern "C" {

void fakeCudaFail(const char *function, int result) {
  State &state = State::get();
  std::lock_guard<std::mutex> lock(state.mutex);
  state.failures[function] = result;
}

int64_t fakeCudaCalls(const char *function) {
  State &state = State::get();
  std::lock_guard<std::mutex> lock(state.mutex);
  return state.calls[function];
}

int64_t fakeCudaOpenWork() {
  State &state = State::get();
  std::lock_guard<std::mutex> lock(state.mutex);
  int64_t open = 0;
  for (const auto &stream : state.streams)
    open += stream->given - stream->done;
  return open;
}

int64_t fakeCudaUsedBytes() {
  State &state = State::get();
  std::lock_guard<std::mutex> lock(state.mutex);
  int64_t used = 0;
  for (const auto &[address, bytes] : state.memory)
    used += static_cast<int64_t>(bytes);
  return used;
}

void fakeCudaReset() {
  State &state = State::get();
  std::lock_guard<std::mutex> lock(state.mutex);
  state.calls.clear();
  state.failures.clear();
  state.broken = 0;
}

void fakeCudaSetArchitecture(int architecture) {
  State &state = State::get();
  std::lock_guard<std::mutex> lock(state.mutex);
  state.architecture = architecture;
}

//===----------------------------------------------------------------------===//
// The driver's functions
//===----------------------------------------------------------------------===//

int cuInit(unsigned) { return Call("cuInit", false).result; }

int cuDeviceGetCount(int *count) {
  Call call("cuDeviceGetCount", false);
  *count = 1;
  return call.result;
}

int cuDeviceGet(int *device, int ordinal) {
  Call call("cuDeviceGet", false);
  *device = ordinal;
  return call.result;
}

int cuDeviceGetAttribute(int *value, int attribute, int) {
  Call call("cuDeviceGetAttribute", false);
  const int major = 75;
  *value = attribute == major ? call.state.architecture / 10
                              : call.state.architecture % 10;
  return call.result;
}

int cuDevicePrimaryCtxRetain(void **context, int) {
  Call call("cuDevicePrimaryCtxRetain", false);
  *context = &call.state;
  return call.result;
}

int cuCtxSetCurrent(void *context) {
  Call call("cuCtxSetCurrent", false);
  hasContext = context == &call.state;
  return call.result;
}

int cuModuleLoadDataEx(void **module, const void *image, unsigned, int *,
                       void **) {
  Call call("cuModuleLoadDataEx");
  if (call.result)
    return call.result;
  std::istringstream text(static_cast<const char *>(image));
  std::string word;
  text >> word;
  if (word == ".version")
    text >> word;
  else if (word != "fake")
    return fakeInvalidImage;
  auto made = std::make_unique<Module>();
  while (text >> word)
    made->kernels.insert(word);
  *module = made.get();
  call.state.modules.push_back(std::move(made));
  return 0;
}

int cuModuleGetFunction(void **function, void *module, const char *name) {
  Call call("cuModuleGetFunction");
  if (call.result)
    return call.result;
  auto known = kernels().find(name);
  if (known == kernels().end() ||
      !static_cast<Module *>(module)->kernels.count(name))
    return fakeNotFound;
  *function = const_cast<KernelInfo *>(&known->second);
  return 0;
}

int cuFuncSetAttribute(void *, int, int) {
  return Call("cuFuncSetAttribute").result;
}

int cuLaunchKernel(void *function, unsigned, unsigned, unsigned, unsigned,
                   unsigned, unsigned, unsigned, void *stream, void **given,
                   void **) {
  Call call("cuLaunchKernel");
  if (call.result)
    return call.result;
  const auto *kernel = static_cast<const KernelInfo *>(function);
  // The driver reads arguments before it returns.
  auto values = std::make_shared<std::vector<std::vector<char>>>();
  for (size_t i = 0; i < kernel->sizes.size(); ++i) {
    const char *value = static_cast<const char *>(given[i]);
    values->emplace_back(value, value + kernel->sizes[i]);
  }
  give(static_cast<Stream *>(stream), [kernel, values] {
    std::vector<void *> places;
    for (std::vector<char> &value : *values)
      places.push_back(value.data());
    return kernel->run(places.data());
  });
  return 0;
}

int cuStreamCreate(void **stream, unsigned) {
  Call call("cuStreamCreate");
  if (call.result)
    return call.result;
  call.state.streams.push_back(std::make_unique<Stream>());
  *stream = call.state.streams.back().get();
  return 0;
}

int cuEventCreate(void **event, unsigned) {
  Call call("cuEventCreate");
  if (call.result)
    return call.result;
  call.state.events.push_back(std::make_unique<Event>());
  *event = call.state.events.back().get();
  return 0;
}

int cuEventRecord(void *event, void *given) {
  Call call("cuEventRecord");
  if (call.result)
    return call.result;
  auto *stream = static_cast<Stream *>(given);
  *static_cast<Event *>(event) = {stream, stream->given};
  return 0;
}

int cuEventQuery(void *given) {
  Call call("cuEventQuery");
  if (call.result)
    return call.result;
  const Event &event = *static_cast<Event *>(given);
  return event.stream->done >= event.behind ? 0 : fakeNotReady;
}

int cuEventSynchronize(void *given) {
  Call call("cuEventSynchronize");
  if (call.result)
    return call.result;
  const Event &event = *static_cast<Event *>(given);
  return finish(event.stream, event.behind);
}

int cuEventElapsedTime(float *milliseconds, void *from, void *to) {
  Call call("cuEventElapsedTime");
  if (call.result)
    return call.result;
  auto at = [](void *given) {
    const Event &event = *static_cast<Event *>(given);
    return event.behind == 0
               ? 0
               : event.stream->doneAt.at(static_cast<size_t>(event.behind) - 1);
  };
  for (void *given : {from, to})
    if (static_cast<Event *>(given)->stream->done <
        static_cast<Event *>(given)->behind)
      return fakeNotReady;
  *milliseconds = static_cast<float>(at(to) - at(from));
  return 0;
}

int cuStreamWaitEvent(void *stream, void *given, unsigned) {
  Call call("cuStreamWaitEvent");
  if (call.result)
    return call.result;
  const Event event = *static_cast<Event *>(given);
  give(static_cast<Stream *>(stream),
       [event] { return finish(event.stream, event.behind); });
  return 0;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

int cuDeviceGetDefaultMemPool(void **pool, int) {
  Call call("cuDeviceGetDefaultMemPool");
  *pool = &call.state;
  return call.result;
}

int cuMemPoolSetAttribute(void *, int, void *) {
  return Call("cuMemPoolSetAttribute").result;
}

int cuMemAllocAsync(Address *address, size_t bytes, void *) {
  Call call("cuMemAllocAsync");
  if (call.result)
    return call.result;
  if (bytes > totalBytes)
    return fakeOutOfMemory;
  // What is there at first is anything but zero.
  void *memory = std::malloc(bytes);
  std::memset(memory, 0xa5, bytes);
  *address = reinterpret_cast<Address>(memory);
  call.state.memory[*address] = bytes;
  return 0;
}

int cuMemFreeAsync(Address address, void *stream) {
  Call call("cuMemFreeAsync");
  if (call.result)
    return call.result;
  give(static_cast<Stream *>(stream), [address] {
    if (State::get().memory.erase(address) == 0)
      return fakeInvalidValue;
    std::free(reinterpret_cast<void *>(address));
    return 0;
  });
  return 0;
}

int cuMemGetInfo_v2(size_t *free, size_t *total) {
  Call call("cuMemGetInfo_v2");
  *free = *total = totalBytes;
  return call.result;
}

int cuMemHostAlloc(void **memory, size_t bytes, unsigned) {
  Call call("cuMemHostAlloc");
  if (call.result)
    return call.result;
  *memory = std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
  call.state.locked[reinterpret_cast<Address>(*memory)] = bytes;
  return 0;
}

int cuMemcpyHtoDAsync_v2(Address to, const void *from, size_t bytes,
                         void *stream) {
  Call call("cuMemcpyHtoDAsync_v2");
  if (call.result)
    return call.result;
  auto *target = reinterpret_cast<void *>(to);
  // Memory that is not page-locked is read before the call returns.
  const bool isLocked =
      holds(call.state.locked, reinterpret_cast<Address>(from), bytes);
  std::vector<char> kept;
  if (!isLocked)
    kept.assign(static_cast<const char *>(from),
                static_cast<const char *>(from) + bytes);
  give(static_cast<Stream *>(stream), [=] {
    if (!onDevice(target, bytes))
      return fakeIllegalAddress;
    std::memcpy(target, isLocked ? from : kept.data(), bytes);
    return 0;
  });
  return 0;
}

int cuMemcpyDtoHAsync_v2(void *to, Address from, size_t bytes, void *given) {
  Call call("cuMemcpyDtoHAsync_v2");
  if (call.result)
    return call.result;
  const auto *source = reinterpret_cast<const void *>(from);
  auto *stream = static_cast<Stream *>(given);
  give(stream, [=] {
    if (!onDevice(source, bytes))
      return fakeIllegalAddress;
    std::memcpy(to, source, bytes);
    return 0;
  });
  // Such memory the driver waits for.
  return holds(call.state.locked, reinterpret_cast<Address>(to), bytes)
             ? 0
             : finish(stream, stream->given);
}

int cuMemcpyDtoDAsync_v2(Address to, Address from, size_t bytes, void *stream) {
  Call call("cuMemcpyDtoDAsync_v2");
  if (call.result)
    return call.result;
  give(static_cast<Stream *>(stream), [=] {
    auto *target = reinterpret_cast<void *>(to);
    const auto *source = reinterpret_cast<const void *>(from);
    if (!onDevice(target, bytes) || !onDevice(source, bytes))
      return fakeIllegalAddress;
    std::memmove(target, source, bytes);
    return 0;
  });
  return 0;
}
}

template <typename T>
static int fill(const char *name, Address to, T value, size_t count,
                void *stream) {
  Call call(name);
  if (call.result)
    return call.result;
  give(static_cast<Stream *>(stream), [=] {
    auto *target = reinterpret_cast<T *>(to);
    if (!onDevice(target, count * sizeof(T)))
      return fakeIllegalAddress;
    for (size_t i = 0; i < count; ++i)
      target[i] = value;
    return 0;
  });
  return 0;
}

extern "C" {

int cuMemsetD8Async(Address to, unsigned char value, size_t count,
                    void *stream) {
  return fill("cuMemsetD8Async", to, value, count, stream);
}

int cuMemsetD16Async(Address to, unsigned short value, size_t count,
                     void *stream) {
  return fill("cuMemsetD16Async", to, value, count, stream);
}

int cuMemsetD32Async(Address to, unsigned value, size_t count, void *stream) {
  return fill("cuMemsetD32Async", to, value, count, stream);
}

int cuGetErrorName(int result, const char **name) {
  static const std::map<int, const char *> names = {
      {fakeInvalidValue, "CUDA_ERROR_INVALID_VALUE"},
      {fakeOutOfMemory, "CUDA_ERROR_OUT_OF_MEMORY"},
      {fakeNoDevice, "CUDA_ERROR_NO_DEVICE"},
      {fakeInvalidImage, "CUDA_ERROR_INVALID_IMAGE"},
      {fakeInvalidContext, "CUDA_ERROR_INVALID_CONTEXT"},
      {fakeNotFound, "CUDA_ERROR_NOT_FOUND"},
      {fakeIllegalAddress, "CUDA_ERROR_ILLEGAL_ADDRESS"}};
  auto known = names.find(result);
  *name = known == names.end() ? nullptr : known->second;
  return known == names.end() ? fakeInvalidValue : 0;
}
}

//===- GuardedDevice.cpp - A device whose memory nobody may touch ---------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/runtime/device/GuardedDevice.h"
#include "runtime/base/Format.h"
#include "test/unit/runtime/executor/TableBuilder.h"

#include <cstring>
#include <gtest/gtest.h>
#include <sys/mman.h>

using namespace weir::rt;
using namespace weir::rt::test;

static constexpr int64_t kArenaBytes = int64_t(16) << 20;

GuardedDevice::GuardedDevice(const std::string &name) : Device(name) {
  arena = static_cast<char *>(mmap(nullptr, kArenaBytes, PROT_NONE,
                                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  unused[arena] = kArenaBytes;
}

GuardedDevice::~GuardedDevice() { munmap(arena, kArenaBytes); }

Status GuardedDevice::allocate(int64_t bytes, void *&memory) {
  std::lock_guard<std::mutex> lock(mutex);
  const int64_t size = std::max<int64_t>((bytes + 63) & ~int64_t(63), 64);
  for (auto &[address, free] : unused) {
    if (isFull || free < size)
      continue;
    char *place = address;
    const int64_t left = free - size;
    unused.erase(place);
    if (left > 0)
      unused[place + size] = left;
    used[place] = size;
    memory = place;
    return Status();
  }
  return Status(WEIR_RESOURCE_EXHAUSTED,
                str("[WEIR0311] ", name(), " has no ", bytes, " bytes"));
}

void GuardedDevice::release(void *memory) {
  std::lock_guard<std::mutex> lock(mutex);
  auto found = used.find(static_cast<char *>(memory));
  ASSERT_NE(found, used.end()) << "released what is not its own";
  unused[found->first] = found->second;
  used.erase(found);
}

Status GuardedDevice::copy(void *to, const void *from, int64_t bytes) {
  std::lock_guard<std::mutex> lock(mutex);
  ++copies;
  mprotect(arena, kArenaBytes, PROT_READ | PROT_WRITE);
  std::memcpy(to, from, static_cast<size_t>(bytes));
  mprotect(arena, kArenaBytes, PROT_NONE);
  return Status();
}
Status GuardedDevice::copyToHost(void *host, const void *memory,
                                 int64_t bytes) {
  return copy(host, memory, bytes);
}
Status GuardedDevice::copyToDevice(void *memory, const void *host,
                                   int64_t bytes) {
  return copy(memory, host, bytes);
}
Status GuardedDevice::copyInside(void *to, const void *from, int64_t bytes) {
  return copy(to, from, bytes);
}

size_t GuardedDevice::liveCount() {
  std::lock_guard<std::mutex> lock(mutex);
  return used.size();
}
int32_t GuardedDevice::takeCopyCount() {
  std::lock_guard<std::mutex> lock(mutex);
  return std::exchange(copies, 0);
}
void GuardedDevice::setFull(bool full) {
  std::lock_guard<std::mutex> lock(mutex);
  isFull = full;
}

void GuardedDevice::setError(Status status) {
  std::lock_guard<std::mutex> lock(mutex);
  error = std::move(status);
}
Status GuardedDevice::synchronize() {
  std::lock_guard<std::mutex> lock(mutex);
  return std::exchange(error, Status());
}

static Status make(const std::string &name, int32_t, std::string_view,
                   std::unique_ptr<Device> &device) {
  device = std::make_unique<GuardedDevice>(name);
  return Status();
}
const WeirDeviceKind weir::rt::test::guardedKind = {"TEST", make};

static Status refuse(const std::string &name, int32_t number,
                     std::string_view options, std::unique_ptr<Device> &) {
  return Status(WEIR_UNAVAILABLE, str("no driver for ", name, " (", number,
                                      ", '", options, "')"));
}
const WeirDeviceKind weir::rt::test::brokenKind = {"BROKEN", refuse};

GuardedDevice &GuardedDevice::get(int32_t number) {
  static const WeirDeviceKind *const kinds[] = {&guardedKind};
  WeirProgram program = {};
  program.name = "test";
  program.device_kinds = kinds;
  program.device_kind_count = 1;
  Device *device = nullptr;
  Status found =
      findDevice(TableBuilder::device(number, "TEST"), program, device);
  EXPECT_TRUE(found.ok()) << found.message();
  return *static_cast<GuardedDevice *>(device);
}

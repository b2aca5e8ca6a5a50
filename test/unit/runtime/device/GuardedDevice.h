//===- GuardedDevice.h - A device whose memory nobody may touch -*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A device for tests. Its memory can be reached during its own copies only:
// code of the host that looks at it ends the process.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_TEST_UNIT_RUNTIME_DEVICE_GUARDEDDEVICE_H
#define WEIR_TEST_UNIT_RUNTIME_DEVICE_GUARDEDDEVICE_H

#include "runtime/device/Device.h"

#include <map>
#include <mutex>

namespace weir::rt::test {

class GuardedDevice final : public Device {
public:
  explicit GuardedDevice(const std::string &name);
  ~GuardedDevice() override;

  Status allocate(int64_t bytes, void *&memory) override;
  void release(void *memory) override;
  Status copyToHost(void *host, const void *memory, int64_t bytes) override;
  Status copyToDevice(void *memory, const void *host, int64_t bytes) override;
  Status copyInside(void *to, const void *from, int64_t bytes) override;
  Status synchronize() override;

  /// Buffers that have not been released.
  size_t liveCount();
  /// Copies across, and within, since the last call.
  int32_t takeCopyCount();
  /// The next allocations fail.
  void setFull(bool full);
  /// What work that was given has failed with: comes out once.
  void setError(Status status);

  /// The one that sessions use, made for them if need be.
  static GuardedDevice &get(int32_t number);

private:
  Status copy(void *to, const void *from, int64_t bytes);

  std::mutex mutex;
  char *arena;
  /// Free places by address, and those in use.
  std::map<char *, int64_t> unused, used;
  int32_t copies = 0;
  bool isFull = false;
  Status error;
};

/// Of type "TEST".
extern const WeirDeviceKind guardedKind;
/// Of type "BROKEN": makes none.
extern const WeirDeviceKind brokenKind;

} // namespace weir::rt::test

#endif // WEIR_TEST_UNIT_RUNTIME_DEVICE_GUARDEDDEVICE_H

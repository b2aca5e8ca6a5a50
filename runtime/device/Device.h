//===- Device.h - What a step runs on ---------------------------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A device has memory and an order of its work. CPUs have the host's memory;
// other kinds come with the program that uses them (weir-c/device.h). The
// devices of a process are made on first use and stay until it ends.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_DEVICE_DEVICE_H
#define WEIR_RUNTIME_DEVICE_DEVICE_H

#include "runtime/base/Status.h"
#include "weir-c/device.h"

#include <memory>
#include <string>
#include <string_view>

namespace weir::rt {

/// The parts of a full name.
struct FullDeviceName {
  std::string job, type;
  int32_t replica = 0, task = 0, number = 0;

  /// INVALID_ARGUMENT for what is no full name.
  static Status parse(std::string_view text, FullDeviceName &name);
  /// "/job:worker/replica:0/task:1".
  std::string taskText() const;
};

/// Safe to use from several threads.
class Device {
public:
  explicit Device(std::string name) : deviceName(std::move(name)) {}
  virtual ~Device() = default;

  /// The full name, "/job:localhost/replica:0/task:0/device:GPU:0".
  const std::string &name() const { return deviceName; }
  /// False for a device whose memory is the host's.
  virtual bool hasOwnMemory() const { return true; }

  /// `bytes` of the device's memory, aligned to 64; not null for 0 bytes.
  /// RESOURCE_EXHAUSTED names the device, what was asked for and what is free.
  virtual Status allocate(int64_t bytes, void *&memory) = 0;
  /// Memory may be released while work that was given before still uses it; it
  /// is reused only behind that work.
  virtual void release(void *memory) = 0;

  /// Both wait until the copy has happened, behind the device's work so far.
  virtual Status copyToHost(void *host, const void *memory, int64_t bytes) = 0;
  virtual Status copyToDevice(void *memory, const void *host,
                              int64_t bytes) = 0;
  /// On the device, in the order of its work; does not wait.
  virtual Status copyInside(void *to, const void *from, int64_t bytes) = 0;
  /// Waits for all work so far; errors of that work come out here.
  virtual Status synchronize() = 0;

private:
  const std::string deviceName;
};

} // namespace weir::rt

/// How the devices of one kind are made.
struct WeirDeviceKind {
  /// As in device names: "GPU".
  const char *type;
  /// `options`: what weir_devices_configure said of the kind, or "".
  weir::rt::Status (*create)(const std::string &name, int32_t number,
                             std::string_view options,
                             std::unique_ptr<weir::rt::Device> &device);
};

namespace weir::rt {

/// The device of a full name. `program` has the kinds other than CPU.
/// NOT_FOUND names the kinds there are.
Status findDevice(std::string_view name, const WeirProgram &program,
                  Device *&device);

/// Copies from memory of one device to that of another; null is the host. What
/// stays on a device happens in the order of its work, without waiting.
Status copyBetween(void *to, Device *toDevice, const void *from,
                   Device *fromDevice, int64_t bytes);

} // namespace weir::rt

#endif // WEIR_RUNTIME_DEVICE_DEVICE_H

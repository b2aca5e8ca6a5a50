//===- DeviceName.h - Names of devices as TensorFlow writes them -*- C++
//-*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A DeviceName is up to five parts:
// `/job:worker/replica:0/task:1/device:CPU:0`. One that lacks parts is a
// constraint that every device with the parts given meets; one that has all is
// full and names a device.
//
// Text: parts in any order, each at most once; `*` leaves a part open; the type
// of a device is written in either case and kept in upper case; `/gpu:0` and
// `gpu:0` are short for `/device:GPU:0`, as for CPU and MXU. Names of parts and
// jobs have their case.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_ANALYSIS_DEVICENAME_H
#define WEIR_LIB_ANALYSIS_DEVICENAME_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>
#include <string>

namespace weir {

/// A kind of device that there is: CPU, GPU or MXU, in either case.
bool isDeviceType(llvm::StringRef text);

struct DeviceName {
  std::optional<std::string> job;
  std::optional<int64_t> replica;
  std::optional<int64_t> task;
  std::optional<std::string> type;
  std::optional<int64_t> id;

  /// Parses, or returns nothing and says in `*why` which part is wrong.
  static std::optional<DeviceName> parse(llvm::StringRef text,
                                         std::string *why = nullptr);

  /// The parts that are there, in the order above; "" where there is none.
  std::string text() const;

  bool isFull() const { return job && replica && task && type && id; }

  /// True when `device`, a full name, has all the parts of this one.
  bool admits(const DeviceName &device) const;

  /// What meets both, or nothing where a part differs.
  static std::optional<DeviceName> both(const DeviceName &a,
                                        const DeviceName &b);

  bool operator==(const DeviceName &) const = default;
};

} // namespace weir

#endif // WEIR_LIB_ANALYSIS_DEVICENAME_H

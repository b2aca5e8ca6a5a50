//===- RegistryTest.cpp - The devices of a process ------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/runtime/device/GuardedDevice.h"
#include "weir-c/session.h"

#include <cstring>
#include <gtest/gtest.h>

using namespace weir::rt;
using namespace weir::rt::test;

static WeirProgram program() {
  static const WeirDeviceKind *const kinds[] = {&guardedKind, &brokenKind};
  WeirProgram program = {};
  program.name = "p";
  program.device_kinds = kinds;
  program.device_kind_count = 2;
  return program;
}

TEST(Registry, KnowsDevicesByName) {
  const char *const name = "/job:worker/replica:0/task:3/device:TEST:11";
  Device *first = nullptr, *second = nullptr, *cpu = nullptr;
  ASSERT_TRUE(findDevice(name, program(), first).ok());
  ASSERT_TRUE(findDevice(name, program(), second).ok());
  EXPECT_EQ(first, second);
  EXPECT_EQ(first->name(), name);
  EXPECT_TRUE(first->hasOwnMemory());
  // CPUs need no kind.
  WeirProgram none = {};
  none.name = "p";
  ASSERT_TRUE(
      findDevice("/job:worker/replica:0/task:3/device:CPU:1", none, cpu).ok());
  EXPECT_FALSE(cpu->hasOwnMemory());
}

TEST(Registry, SaysWhatThereIsNot) {
  Device *device = nullptr;
  Status status = findDevice("/job:localhost/replica:0/task:0/device:TPU:0",
                             program(), device);
  EXPECT_EQ(status.code(), WEIR_NOT_FOUND);
  EXPECT_EQ(std::string(status.message()),
            "[WEIR0373] program 'p' has nothing that makes the device "
            "/job:localhost/replica:0/task:0/device:TPU:0; it has 'CPU', "
            "'TEST', 'BROKEN'");
  status = findDevice("/job:localhost/replica:0/task:0/device:BROKEN:2",
                      program(), device);
  EXPECT_EQ(status.code(), WEIR_UNAVAILABLE);
}

TEST(Registry, RefusesOtherNames) {
  for (const char *name :
       {"", "CPU:0", "/device:CPU:0", "/job:a/task:0/device:CPU:0",
        "/job:/replica:0/task:0/device:CPU:0",
        "/job:a/replica:0/task:0/device:CPU:",
        "/job:a/replica:x/task:0/device:CPU:0",
        "/job:a/replica:0/task:-1/device:CPU:0",
        "/job:a/replica:0/task:0/device:CPU:0/more",
        "/job:a/replica:0/task:0/device:CPU:9999999999"}) {
    FullDeviceName parsed;
    Status status = FullDeviceName::parse(name, parsed);
    EXPECT_EQ(status.code(), WEIR_INVALID_ARGUMENT) << name;
    EXPECT_NE(std::strstr(status.message(), "[WEIR0373]"), nullptr);
  }
  FullDeviceName parsed;
  ASSERT_TRUE(
      FullDeviceName::parse("/job:ps/replica:1/task:2/device:GPU:3", parsed)
          .ok());
  EXPECT_EQ(parsed.job, "ps");
  EXPECT_EQ(parsed.type, "GPU");
  EXPECT_EQ(parsed.replica, 1);
  EXPECT_EQ(parsed.task, 2);
  EXPECT_EQ(parsed.number, 3);
  EXPECT_EQ(parsed.taskText(), "/job:ps/replica:1/task:2");
}

TEST(Registry, IsConfiguredBeforehand) {
  WeirStatus status = WEIR_STATUS_INIT;
  ASSERT_EQ(weir_devices_configure("BROKEN=fast,OTHER=8x8", &status), WEIR_OK);
  Device *device = nullptr;
  Status made = findDevice("/job:localhost/replica:0/task:0/device:BROKEN:5",
                           program(), device);
  EXPECT_NE(std::strstr(made.message(), "(5, 'fast')"), nullptr);
  // Nothing was made, so it may still be changed.
  EXPECT_EQ(weir_devices_configure("BROKEN=slow", &status), WEIR_OK);
  GuardedDevice::get(0);
  EXPECT_EQ(weir_devices_configure("TEST=1", &status),
            WEIR_FAILED_PRECONDITION);
  EXPECT_NE(std::strstr(status.message, "[WEIR0374] TEST=1 comes too late"),
            nullptr)
      << status.message;
  for (const char *text : {"TEST", "=1", "TEST=", "CPU=2", "OTHER=1,TEST"}) {
    EXPECT_EQ(weir_devices_configure(text, &status), WEIR_INVALID_ARGUMENT);
    EXPECT_NE(std::strstr(status.message, "[WEIR0374]"), nullptr);
  }
  EXPECT_EQ(weir_devices_configure("", &status), WEIR_OK);
  weir_status_clear(&status);
}

TEST(Registry, CopiesBetweenMemories) {
  GuardedDevice &first = GuardedDevice::get(0), &second = GuardedDevice::get(1);
  const size_t live = first.liveCount();
  void *a = nullptr, *b = nullptr, *c = nullptr;
  ASSERT_TRUE(first.allocate(8, a).ok());
  ASSERT_TRUE(first.allocate(8, b).ok());
  ASSERT_TRUE(second.allocate(8, c).ok());
  int64_t from = 42, to = 0, host = 0;
  EXPECT_TRUE(copyBetween(&host, nullptr, &from, nullptr, 8).ok());
  EXPECT_TRUE(copyBetween(a, &first, &host, nullptr, 8).ok());
  EXPECT_TRUE(copyBetween(b, &first, a, &first, 8).ok());
  EXPECT_TRUE(copyBetween(c, &second, b, &first, 8).ok());
  EXPECT_TRUE(copyBetween(&to, nullptr, c, &second, 8).ok());
  EXPECT_EQ(to, 42);
  first.release(a);
  first.release(b);
  second.release(c);
  EXPECT_EQ(first.liveCount(), live);
}

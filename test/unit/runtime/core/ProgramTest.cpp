//===- ProgramTest.cpp - Tests of the checks of a program -----------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/core/Program.h"
#include "runtime/core/CpuFeatures.h"
#include "runtime/device/Device.h"
#include "test/unit/runtime/FakeProgram.h"

#include <cstring>
#include <gtest/gtest.h>

using namespace weir::rt;
using weir::rt::test::fakeProgram;

static std::string failure(const WeirProgram &program, WeirCode code) {
  Status status = checkProgram(&program);
  EXPECT_EQ(status.code(), code) << status.message();
  return status.message();
}

static bool contains(const std::string &text, const char *part) {
  return text.find(part) != std::string::npos;
}

TEST(Program, AcceptsASoundOne) {
  EXPECT_TRUE(checkProgram(&fakeProgram).ok());
}

TEST(Program, RefusesAnotherFormat) {
  EXPECT_EQ(checkProgram(nullptr).code(), WEIR_INVALID_ARGUMENT);
  WeirProgram program = fakeProgram;
  program.abi = 7;
  EXPECT_TRUE(contains(failure(program, WEIR_FAILED_PRECONDITION),
                       "version 7 of the program format"));
}

TEST(Program, RefusesMalformedTables) {
  WeirProgram program = fakeProgram;
  program.name = nullptr;
  failure(program, WEIR_INVALID_ARGUMENT);
  program = fakeProgram;
  program.entries = nullptr;
  failure(program, WEIR_INVALID_ARGUMENT);
  program = fakeProgram;
  program.variable_count = -1;
  failure(program, WEIR_INVALID_ARGUMENT);
  program = fakeProgram;
  WeirEntryDesc entry = {"e", nullptr, nullptr, nullptr, 0,
                         0,   nullptr, nullptr, nullptr, 0};
  program.entries = &entry;
  program.entry_count = 1;
  EXPECT_TRUE(contains(failure(program, WEIR_INVALID_ARGUMENT),
                       "entry point 0 has no code"));
}

TEST(Program, RefusesMalformedVariables) {
  const int64_t unknown[] = {-1}, huge[] = {int64_t(1) << 62, 8};
  const struct {
    WeirTensorDesc desc;
    const char *message;
  } cases[] = {
      {{nullptr, nullptr, 0, WEIR_F32},
       "variable 0 of the program has no name"},
      {{"v", nullptr, 2, WEIR_F32}, "has rank 2 and no extents"},
      {{"v", unknown, 99, WEIR_F32}, "has rank 99"},
      {{"v", unknown, 1, WEIR_F32}, "has extent -1"},
      {{"v", huge, 2, WEIR_F32}, "larger than any tensor"},
      {{"v", nullptr, 0, 8}, "unknown element type 8"},
      {{"v", nullptr, -2, WEIR_F32}, "has rank -2"},
      {{"v", nullptr, 0, WEIR_RESOURCE}, "is a handle"},
  };
  for (const auto &each : cases) {
    WeirProgram program = fakeProgram;
    program.variables = &each.desc;
    program.variable_count = 1;
    EXPECT_TRUE(contains(failure(program, WEIR_INVALID_ARGUMENT), each.message))
        << each.message;
  }
}

TEST(Program, VariablesOfStringsAndOfAnyShape) {
  for (WeirTensorDesc desc : {WeirTensorDesc{"v", nullptr, 0, WEIR_STRING},
                              WeirTensorDesc{"v", nullptr, -1, WEIR_F32}}) {
    WeirProgram program = fakeProgram;
    program.variables = &desc;
    program.variable_count = 1;
    EXPECT_TRUE(checkProgram(&program).ok());
  }
}

// Feeds and fetches may leave their rank open; handles only come out.
TEST(Program, OpenRanksAndHandles) {
  WeirTensorDesc open = {"x", nullptr, -1, WEIR_F32},
                 handle = {"h", nullptr, 0, WEIR_RESOURCE};
  WeirEntryDesc entry = fakeProgram.entries[0];
  WeirProgram program = fakeProgram;
  program.entries = &entry;
  program.entry_count = 1;
  entry.feeds = &open;
  entry.fetches = &handle;
  EXPECT_TRUE(checkProgram(&program).ok());
  entry.feeds = &handle;
  EXPECT_TRUE(contains(failure(program, WEIR_INVALID_ARGUMENT),
                       "feed 'h' of entry 'null' is a handle"));
  const int64_t dims[] = {2, 3};
  handle = {"h", dims, 2, WEIR_RESOURCE};
  entry.feeds = &open;
  EXPECT_TRUE(contains(failure(program, WEIR_INVALID_ARGUMENT),
                       "fetch 'h' of entry 'null' is a handle that is no "
                       "scalar"));
  WeirView view = {nullptr, dims, 2, WEIR_F32};
  EXPECT_TRUE(matches(open, view));
  view.dtype = WEIR_I32;
  EXPECT_FALSE(matches(open, view));
}

/// "whole" is spread over entries 1 and 2, which are "null".
namespace {
struct SpreadProgram {
  const int32_t places[2] = {0, 0};
  const WeirTensorDesc feeds[1] = {{"x", nullptr, 0, WEIR_F32}};
  const WeirTensorDesc fetches[2] = {{"a", nullptr, 0, WEIR_F32},
                                     {"b", nullptr, 0, WEIR_F32}};
  const int32_t second = 1;
  WeirPartDesc parts[2] = {{1, places, places}, {2, places, &second}};
  WeirEntryDesc entries[3] = {{"whole", fakeProgram.entries[0].fn, feeds,
                               fetches, 1, 2, nullptr, nullptr, parts, 2},
                              fakeProgram.entries[0],
                              fakeProgram.entries[0]};
  const WeirDeviceKind *kinds[1] = {nullptr};
  WeirProgram program = fakeProgram;

  SpreadProgram() {
    program.entries = entries;
    program.entry_count = 3;
    for (int32_t i : {1, 2})
      entries[i].device = "/job:localhost/replica:0/task:0/device:CPU:1";
  }
};
} // namespace

TEST(Program, AcceptsParts) {
  SpreadProgram spread;
  EXPECT_TRUE(checkProgram(&spread.program).ok());
  EXPECT_EQ(entryNames(spread.program),
            std::vector<std::string_view>({"whole"}));
}

TEST(Program, RefusesMalformedPartsAndDevices) {
  static const int64_t kFour[] = {4};
  static const WeirTensorDesc kOther[] = {{"x", kFour, 1, WEIR_F32}};
  static const int32_t kNegative = -1, kTwo = 2, kZero = 0;
  static const WeirDeviceKind kEmpty = {"GPU", nullptr};
  struct Case {
    const char *message;
    void (*damage)(SpreadProgram &);
  };
  const Case cases[] = {
      {"entry 'whole' has 0 parts",
       [](SpreadProgram &p) { p.entries[0].part_count = 0; }},
      {"has -3 parts", [](SpreadProgram &p) { p.entries[0].part_count = -3; }},
      {"has 2 parts and no table of them",
       [](SpreadProgram &p) { p.entries[0].parts = nullptr; }},
      {"has parts, and a device of its own",
       [](SpreadProgram &p) { p.entries[0].device = p.entries[1].device; }},
      {"part 1 of entry 'whole' is entry 3 of 3",
       [](SpreadProgram &p) { p.parts[1].entry = 3; }},
      {"part 0 of entry 'whole' is entry -1",
       [](SpreadProgram &p) { p.parts[0].entry = -1; }},
      {"part 'whole' of entry 'whole' has parts itself",
       [](SpreadProgram &p) { p.parts[0].entry = 0; }},
      {"does not say which feeds of the whole it has",
       [](SpreadProgram &p) { p.parts[0].feeds = nullptr; }},
      {"has feed -1 of the whole, which has 1",
       [](SpreadProgram &p) { p.parts[0].feeds = &kNegative; }},
      {"has fetch 2 of the whole, which has 2",
       [](SpreadProgram &p) { p.parts[1].fetches = &kTwo; }},
      {"fetch 'a' of entry 'whole' is of 2 parts, not of one",
       [](SpreadProgram &p) { p.parts[1].fetches = &kZero; }},
      {"feed 'x' is tensor<4xf32>, and in part 'null' of entry 'whole' "
       "tensor<f32>",
       [](SpreadProgram &p) { p.entries[0].feeds = kOther; }},
      {"runs on 'CPU:0', which is no full name of a device",
       [](SpreadProgram &p) { p.entries[1].device = "CPU:0"; }},
      {"runs on /job:a/replica:0/task:0/device:GPU:0 and has no table of nodes",
       [](SpreadProgram &p) {
         p.entries[1].device = "/job:a/replica:0/task:0/device:GPU:0";
       }},
      {"no table of device kinds",
       [](SpreadProgram &p) { p.program.device_kind_count = 1; }},
      {"device kind 0 makes nothing",
       [](SpreadProgram &p) {
         p.kinds[0] = &kEmpty;
         p.program.device_kinds = p.kinds;
         p.program.device_kind_count = 1;
       }},
  };
  for (const Case &each : cases) {
    SpreadProgram spread;
    each.damage(spread);
    std::string message = failure(spread.program, WEIR_INVALID_ARGUMENT);
    EXPECT_TRUE(contains(message, each.message)) << each.message << "\n"
                                                 << message;
    EXPECT_TRUE(contains(message, "[WEIR0309]")) << message;
  }
}

TEST(Program, FindsEntries) {
  int32_t index = -1;
  EXPECT_TRUE(findEntry(fakeProgram, "train", index).ok());
  EXPECT_EQ(index, 2);
  Status status = findEntry(fakeProgram, "trian", index);
  EXPECT_EQ(status.code(), WEIR_NOT_FOUND);
  EXPECT_TRUE(contains(status.message(), "did you mean 'train'?"));
}

TEST(CpuFeatures, IgnoresWhatItDoesNotKnow) {
  EXPECT_EQ(missingCpuFeatures(""), "");
  EXPECT_EQ(missingCpuFeatures("no-such-feature,,+another,-avx512f"), "");
}

#if defined(__x86_64__)
// The compiler's own answer is the reference.
TEST(CpuFeatures, AgreesWithTheCompiler) {
  __builtin_cpu_init();
  EXPECT_TRUE(hasCpuFeature("sse2"));
  EXPECT_EQ(hasCpuFeature("sse4.2"), !!__builtin_cpu_supports("sse4.2"));
  EXPECT_EQ(hasCpuFeature("avx"), !!__builtin_cpu_supports("avx"));
  EXPECT_EQ(hasCpuFeature("avx2"), !!__builtin_cpu_supports("avx2"));
  EXPECT_EQ(hasCpuFeature("fma"), !!__builtin_cpu_supports("fma"));
  EXPECT_EQ(hasCpuFeature("bmi"), !!__builtin_cpu_supports("bmi"));
  EXPECT_EQ(hasCpuFeature("bmi2"), !!__builtin_cpu_supports("bmi2"));
  EXPECT_EQ(hasCpuFeature("popcnt"), !!__builtin_cpu_supports("popcnt"));
  EXPECT_EQ(hasCpuFeature("avx512f"), !!__builtin_cpu_supports("avx512f"));
  EXPECT_EQ(hasCpuFeature("avx512bw"), !!__builtin_cpu_supports("avx512bw"));
  EXPECT_EQ(hasCpuFeature("avx512vl"), !!__builtin_cpu_supports("avx512vl"));
  EXPECT_EQ(hasCpuFeature("avx512dq"), !!__builtin_cpu_supports("avx512dq"));
}

// A program for another processor is refused by name, before it can trap.
TEST(CpuFeatures, ReportsWhatIsMissing) {
  for (const char *name : {"amx-tile", "avx512fp16", "avxvnni", "sse4a"}) {
    if (hasCpuFeature(name))
      continue;
    std::string list = std::string("+sse2,+") + name;
    EXPECT_EQ(missingCpuFeatures(list), name);
    WeirProgram program = fakeProgram;
    program.cpu_features = list.c_str();
    EXPECT_TRUE(contains(failure(program, WEIR_FAILED_PRECONDITION), name));
  }
}
#endif

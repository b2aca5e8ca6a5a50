//===- TraceTest.cpp - Tests of traces ------------------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/trace/TraceFile.h"
#include "test/unit/runtime/FakeProgram.h"
#include "weir-c/session.h"

#include <cstdio>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <thread>
#include <vector>

using namespace weir::rt;

static std::string readAll(const std::string &path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

static size_t countOf(const std::string &text, const std::string &part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos;
       at = text.find(part, at + 1))
    ++count;
  return count;
}

TEST(Trace, EscapesJson) {
  EXPECT_EQ(escapeJson("a\"b\\c\n\x01"), "a\\\"b\\\\c\\u000a\\u0001");
  EXPECT_EQ(escapeJson("gr\xc3\xbc\xc3\x9f"), "gr\xc3\xbc\xc3\x9f");
  EXPECT_EQ(escapeJson("\xff\xc3"), "\\ufffd\\ufffd");
  EXPECT_EQ(escapeJson("\xe0\x80\x80"), "\\ufffd\\ufffd\\ufffd");
}

TEST(Trace, RecordsKernelsAndStepsOfAllThreads) {
  std::string path = testing::TempDir() + "weir_trace.json";
  startTrace();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([] {
      for (int i = 0; i < 100; ++i)
        traceEnd(traceBegin(), "kernel \"k\"", TraceKind::Kernel);
    });
  for (std::thread &thread : threads)
    thread.join();
  WeirStatus status = WEIR_STATUS_INIT;
  WeirSession *session = weir_session_create(&test::fakeProgram, &status);
  weir_session_run(session, weir_session_entry(session, "init", &status),
                   nullptr, nullptr, &status);
  weir_session_destroy(session);
  ASSERT_EQ(weir_trace_stop(path.c_str(), &status), WEIR_OK);
  std::string text = readAll(path);
  EXPECT_EQ(countOf(text, "\"name\":\"kernel \\\"k\\\"\""), 400u);
  EXPECT_EQ(countOf(text, "\"cat\":\"step\",\"name\":\"init\""), 1u);
  EXPECT_EQ(text.find("{\"displayTimeUnit\""), 0u);
  EXPECT_EQ(text.substr(text.size() - 3), "]}\n");
  // A second trace starts empty.
  startTrace();
  ASSERT_TRUE(stopTrace(path.c_str()).ok());
  EXPECT_EQ(countOf(readAll(path), "\"ph\":\"X\""), 0u);
  std::remove(path.c_str());
}

TEST(Trace, HasATrackForEachDevice) {
  std::string path = testing::TempDir() + "weir_trace_devices.json";
  const int32_t gpu = traceTrack("/job:a/replica:0/task:0/device:GPU:0"),
                unused = traceTrack("/job:a/replica:0/task:0/device:GPU:1");
  EXPECT_GT(gpu, 0);
  EXPECT_NE(gpu, unused);
  EXPECT_EQ(traceTrack("/job:a/replica:0/task:0/device:GPU:0"), gpu);
  const int32_t dma = traceLane(gpu, "DMA \"0\""),
                unit = traceLane(gpu, "unit");
  EXPECT_NE(dma, unit);
  EXPECT_EQ(traceLane(gpu, "DMA \"0\""), dma);
  startTrace();
  const int64_t now = traceNow();
  traceOnLane(now, now + 5500, "load", TraceKind::Kernel, gpu, dma);
  traceTransfer(now, "w:0", TraceKind::Receive, gpu, 4096);
  traceTransfer(now, "y:0", TraceKind::Send, gpu, 8);
  traceEnd(now, "here", TraceKind::Kernel);
  ASSERT_TRUE(stopTrace(path.c_str()).ok());
  std::string text = readAll(path);
  EXPECT_EQ(countOf(text, "\"args\":{\"name\":\"/job:a/replica:0/task:0/device:"
                          "GPU:0\"}"),
            1u);
  EXPECT_EQ(countOf(text, "device:GPU:1"), 0u);
  EXPECT_EQ(countOf(text, "\"thread_name\",\"args\":{\"name\":\"DMA "
                          "\\\"0\\\"\"}"),
            1u);
  EXPECT_EQ(countOf(text, "\"dur\":5.500,\"cat\":\"kernel\",\"name\":\"load\""),
            1u);
  // What waits is shown apart, from when to when.
  EXPECT_EQ(countOf(text, "\"cat\":\"receive\",\"name\":\"w:0\",\"args\":{"
                          "\"bytes\":4096}"),
            2u);
  EXPECT_EQ(countOf(text, "\"ph\":\"b\""), 1u);
  EXPECT_EQ(countOf(text, "\"ph\":\"e\""), 1u);
  EXPECT_EQ(countOf(text, "\"cat\":\"send\",\"name\":\"y:0\""), 1u);
  std::remove(path.c_str());
}

/// A trace of one kernel from 1000 to 3000 ns, and of a receive.
static TraceData oneKernel(const std::string &process,
                           const std::string &name) {
  TraceData data;
  data.process = process;
  data.pid = 77;
  data.start = 1000000;
  data.dropped = 3;
  data.tracks = {"d0", "d1"};
  data.lanes = {{2, 1, "stream"}};
  data.events.push_back({1001000, 1003000, 0, 1, 2, TraceKind::Kernel, name});
  data.events.push_back(
      {1000000, 1009000, 512, 5, 0, TraceKind::Receive, "w:0"});
  return data;
}

TEST(Trace, GoesFromOneProcessToAnother) {
  const TraceData sent = oneKernel("/job:ps/replica:0/task:0", "matmul");
  const std::string bytes = encodeTrace(sent);
  TraceData got;
  ASSERT_TRUE(decodeTrace(bytes, got).ok());
  EXPECT_EQ(got.process, sent.process);
  EXPECT_EQ(got.pid, 77);
  EXPECT_EQ(got.start, sent.start);
  EXPECT_EQ(got.dropped, 3);
  EXPECT_EQ(got.tracks, sent.tracks);
  ASSERT_EQ(got.lanes.size(), 1u);
  EXPECT_EQ(got.lanes[0].name, "stream");
  ASSERT_EQ(got.events.size(), 2u);
  EXPECT_EQ(got.events[0].begin, 1001000);
  EXPECT_EQ(got.events[0].end, 1003000);
  EXPECT_EQ(got.events[0].track, 2);
  EXPECT_EQ(got.events[0].name, "matmul");
  EXPECT_EQ(got.events[1].bytes, 512);
  EXPECT_EQ(got.events[1].kind, TraceKind::Receive);
  // What is cut off, or changed in any byte, is an error or another trace.
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_EQ(decodeTrace(std::string_view(bytes).substr(0, size), got).code(),
              WEIR_DATA_LOSS);
  for (size_t i = 0; i < bytes.size(); ++i)
    for (int value : {0, 0x7f, 0x80, 0xff}) {
      std::string damaged = bytes;
      damaged[i] = static_cast<char>(value);
      if (decodeTrace(damaged, got).ok())
        for (const TraceEvent &event : got.events)
          EXPECT_LE(static_cast<size_t>(event.track), got.tracks.size());
    }
}

TEST(Trace, IsOneOverAllProcesses) {
  std::string path = testing::TempDir() + "weir_trace_merged.json";
  // The clock of the second is behind by 4 us, and it began 1 us before.
  std::vector<TracePart> parts = {{oneKernel("/task:0", "first"), 0},
                                  {oneKernel("/task:1", "second"), 4000}};
  parts[1].data.start -= 5000;
  ASSERT_TRUE(writeTrace(path.c_str(), parts).ok());
  std::string text = readAll(path);
  EXPECT_NE(text.find("\"dropped_events\":6}"), std::string::npos);
  for (const char *part :
       {"\"name\":\"/task:0\"", "\"name\":\"/task:1\"",
        "\"ts\":2.000,\"dur\":2.000,\"cat\":\"kernel\",\"name\":\"first\"",
        "\"ts\":6.000,\"dur\":2.000,\"cat\":\"kernel\",\"name\":"
        "\"second\""})
    EXPECT_EQ(countOf(text, part), 1u) << part << "\n" << text;
  // The device has a place of its own for each process.
  EXPECT_EQ(countOf(text, "\"pid\":10000002,\"tid\":1,\"ts\""), 1u);
  EXPECT_EQ(countOf(text, "\"pid\":20000002,\"tid\":1,\"ts\""), 1u);
  std::remove(path.c_str());
}

TEST(Trace, SaysWhereTheTimeWent) {
  std::vector<TracePart> parts = {{oneKernel("/task:0", "first"), 0},
                                  {oneKernel("/task:1", "second"), 0}};
  parts[1].data.events.push_back(
      {1000000, 1005000, 0, 9, 0, TraceKind::Kernel, "first"});
  parts[1].data.events.push_back(
      {1000000, 1000500, 512, 9, 1, TraceKind::Send, "w:0"});
  const TraceSummary summary = summarizeTrace(parts);
  ASSERT_EQ(summary.devices.size(), 2u);
  EXPECT_EQ(summary.devices[0].name, "/task:1");
  EXPECT_EQ(summary.devices[0].time, 5000);
  EXPECT_EQ(summary.devices[1].name, "d1");
  EXPECT_EQ(summary.devices[1].time, 4000);
  EXPECT_EQ(summary.devices[1].count, 2);
  ASSERT_EQ(summary.kernels.size(), 2u);
  EXPECT_EQ(summary.kernels[0].name, "first");
  EXPECT_EQ(summary.kernels[0].time, 7000);
  EXPECT_EQ(summary.kernels[0].count, 2);
  ASSERT_EQ(summary.sends.size(), 1u);
  EXPECT_EQ(summary.sends[0].bytes, 512);
  // A device that records its kernels itself: the calls of the host do not
  // count, nor do the units.
  parts[0].data.events.push_back({1000000, 1900000, 0, kFirstTraceLane, 2,
                                  TraceKind::Kernel, "on the device"});
  parts[0].data.events.push_back(
      {1000000, 1900000, 0, kFirstTraceLane + 1, 2, TraceKind::Unit, "load"});
  const TraceSummary own = summarizeTrace(parts);
  ASSERT_EQ(own.kernels.size(), 3u);
  EXPECT_EQ(own.kernels[0].name, "on the device");
  EXPECT_EQ(own.devices[0].name, "d1");
  EXPECT_EQ(own.devices[0].time, 900000 + 2000);
  ASSERT_EQ(summary.receives.size(), 1u);
  EXPECT_EQ(summary.receives[0].time, 18000);
  EXPECT_EQ(summary.receives[0].count, 2);
}

TEST(Trace, IsBounded) {
  std::string path = testing::TempDir() + "weir_trace_full.json";
  startTrace();
  for (int i = 0; i < (1 << 18) + 10; ++i)
    traceEnd(traceBegin(), "k", TraceKind::Kernel);
  ASSERT_TRUE(stopTrace(path.c_str()).ok());
  EXPECT_NE(readAll(path).find("\"dropped_events\":10}"), std::string::npos);
  std::remove(path.c_str());
}

TEST(Trace, ReportsErrors) {
  EXPECT_EQ(stopTrace("unused").code(), WEIR_FAILED_PRECONDITION);
  startTrace();
  Status status = stopTrace("/no/such/directory/trace.json");
  EXPECT_FALSE(status.ok());
  EXPECT_NE(std::string(status.message()).find("/no/such/directory"),
            std::string::npos);
  EXPECT_EQ(traceBegin(), 0);
}

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

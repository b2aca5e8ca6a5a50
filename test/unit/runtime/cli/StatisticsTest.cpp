//===- StatisticsTest.cpp - Tests of times and progress -------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/cli/Statistics.h"
#include "runtime/cli/Progress.h"

#include <cstdio>
#include <gtest/gtest.h>

using namespace weir::rt;

TEST(Statistics, NearestRank) {
  std::vector<int64_t> times;
  for (int64_t i = 100; i > 0; --i)
    times.push_back(i);
  TimeSummary summary = summarizeTimes(times);
  EXPECT_EQ(summary.count, 100);
  EXPECT_EQ(summary.p50, 50);
  EXPECT_EQ(summary.p90, 90);
  EXPECT_EQ(summary.p99, 99);
  EXPECT_EQ(summary.min, 1);
  EXPECT_EQ(summary.max, 100);
  EXPECT_EQ(summary.mean, 50.5);
  summary = summarizeTimes({7});
  EXPECT_EQ(summary.p50, 7);
  EXPECT_EQ(summary.p99, 7);
  EXPECT_EQ(summarizeTimes({}).count, 0);
}

TEST(Statistics, WritesDurations) {
  EXPECT_EQ(durationText(0), "0 ns");
  EXPECT_EQ(durationText(999), "999 ns");
  EXPECT_EQ(durationText(1500), "1.5 us");
  EXPECT_EQ(durationText(2.346e6), "2.35 ms");
  EXPECT_EQ(durationText(3e9), "3 s");
}

static std::string output(bool isTerminal) {
  char *text = nullptr;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  {
    Progress progress(out, isTerminal);
    progress.update("epoch 1/1", 1, 4, "loss 2");
    progress.finish("epoch 1/1", "loss 1");
    progress.update("epoch 2/2", 0, 0, "");
  }
  fclose(out);
  std::string result(text, size);
  free(text);
  return result;
}

TEST(Progress, OneLineAStageInALog) {
  EXPECT_EQ(output(false), "epoch 1/1  loss 1\n");
}

// The bar is redrawn in place, and what follows it starts on a new line.
TEST(Progress, BarOnATerminal) {
  std::string text = output(true);
  EXPECT_EQ(text.find("\repoch 1/1  [======="), 0u) << text;
  EXPECT_NE(text.find("25%  loss 2\x1b[K\repoch 1/1  loss 1\x1b[K\n"),
            std::string::npos);
  EXPECT_EQ(text.back(), '\n');
}

//===- Statistics.cpp - Times of repeated steps ---------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/cli/Statistics.h"
#include "runtime/base/Format.h"

#include <algorithm>
#include <cstdio>

using namespace weir::rt;

// Only programs with parallel kernels are linked with OpenMP.
extern "C" {
__attribute__((weak)) int omp_get_max_threads(void);
__attribute__((weak)) void omp_set_num_threads(int count);
}

TimeSummary weir::rt::summarizeTimes(std::vector<int64_t> times) {
  TimeSummary summary;
  if (times.empty())
    return summary;
  std::sort(times.begin(), times.end());
  for (int64_t time : times)
    summary.total += static_cast<double>(time);
  size_t count = times.size();
  auto percentile = [&](size_t percent) {
    return static_cast<double>(times[(count * percent + 99) / 100 - 1]);
  };
  summary.count = static_cast<int64_t>(count);
  summary.mean = summary.total / static_cast<double>(count);
  summary.min = static_cast<double>(times.front());
  summary.p50 = percentile(50);
  summary.p90 = percentile(90);
  summary.p99 = percentile(99);
  summary.max = static_cast<double>(times.back());
  return summary;
}

std::string weir::rt::durationText(double nanoseconds) {
  static const struct {
    double scale;
    const char *unit;
  } units[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}, {1, "ns"}};
  for (const auto &unit : units)
    if (nanoseconds >= unit.scale || unit.scale == 1)
      return str(numberText(nanoseconds / unit.scale, 3), " ", unit.unit);
  return "";
}

std::string weir::rt::benchmarkText(const TimeSummary &summary, int threads) {
  double perSecond = summary.mean > 0 ? 1e9 / summary.mean : 0;
  char rate[32];
  snprintf(rate, sizeof(rate), "%.1f", perSecond);
  return str("steps    ", static_cast<long long>(summary.count), "\nthreads  ",
             threads, "\np50      ", durationText(summary.p50), "\np90      ",
             durationText(summary.p90), "\np99      ",
             durationText(summary.p99), "\nmean     ",
             durationText(summary.mean), "\nmin      ",
             durationText(summary.min), "\nmax      ",
             durationText(summary.max), "\nsteps/s  ", rate, "\n");
}

int weir::rt::kernelThreads() {
  return omp_get_max_threads ? omp_get_max_threads() : 1;
}

void weir::rt::setKernelThreads(int count) {
  if (omp_set_num_threads)
    omp_set_num_threads(count);
}

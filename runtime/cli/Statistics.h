//===- Statistics.h - Times of repeated steps -------------------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_CLI_STATISTICS_H
#define WEIR_RUNTIME_CLI_STATISTICS_H

#include <cstdint>
#include <string>
#include <vector>

namespace weir::rt {

/// Of a number of times in nanoseconds.
struct TimeSummary {
  int64_t count = 0;
  double total = 0;
  double mean = 0;
  double min = 0, p50 = 0, p90 = 0, p99 = 0, max = 0;
};

/// Percentiles are of the nearest rank: p50 of n sorted times is number
/// ceil(n / 2).
TimeSummary summarizeTimes(std::vector<int64_t> nanoseconds);

/// "12.3 us"; three significant digits and the unit that fits.
std::string durationText(double nanoseconds);

/// The lines that --benchmark prints.
std::string benchmarkText(const TimeSummary &summary, int threads);

/// Threads that parallel kernels use: what OpenMP says where it is linked, else
/// 1.
int kernelThreads();

/// Asks for `count` threads in parallel kernels; call before the first step.
void setKernelThreads(int count);

} // namespace weir::rt

#endif // WEIR_RUNTIME_CLI_STATISTICS_H

//===- Profile.cpp - What a run of steps took -----------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Driver/Profile.h"

#include "runtime/base/Format.h"

#include <algorithm>
#include <cstdio>

using namespace weir;

rt::Status Profile::start() {
  if (!isWanted())
    return rt::Status();
  if (engine)
    return engine->startTrace();
  rt::startTrace();
  return rt::Status();
}

rt::Status Profile::finish() {
  if (!isWanted())
    return rt::Status();
  std::vector<rt::TracePart> parts(1);
  WEIR_RETURN_IF_ERROR(engine ? engine->stopTrace(parts)
                              : rt::stopTrace(parts.front().data));
  if (request.profileSummary)
    fputs(profileText(rt::summarizeTrace(parts)).c_str(), stdout);
  return request.profile.empty()
             ? rt::Status()
             : rt::writeTrace(request.profile.c_str(), parts);
}

/// Rows of one kind, the longest first; what is left of many is one row.
static std::string section(const char *title, const char *what,
                           const std::vector<rt::TraceSummary::Row> &rows,
                           bool showBytes) {
  constexpr size_t shown = 20;
  if (rows.empty())
    return "";
  char line[160];
  std::snprintf(line, sizeof(line), "\n%-48s %12s %10s%s\n", title, "ms", what,
                showBytes ? "          KiB" : "");
  std::string text = line;
  auto add = [&](const std::string &name, int64_t time, int64_t count,
                 int64_t bytes) {
    std::snprintf(line, sizeof(line), "  %-46.46s %12.3f %10lld", name.c_str(),
                  static_cast<double>(time) / 1e6,
                  static_cast<long long>(count));
    text += line;
    if (showBytes) {
      std::snprintf(line, sizeof(line), " %12.1f",
                    static_cast<double>(bytes) / 1024);
      text += line;
    }
    text += "\n";
  };
  for (size_t i = 0; i < std::min(rows.size(), shown); ++i)
    add(rows[i].name, rows[i].time, rows[i].count, rows[i].bytes);
  if (rows.size() > shown) {
    rt::TraceSummary::Row rest;
    for (size_t i = shown; i < rows.size(); ++i) {
      rest.time += rows[i].time;
      rest.count += rows[i].count;
      rest.bytes += rows[i].bytes;
    }
    add(rt::str(rows.size() - shown, " others"), rest.time, rest.count,
        rest.bytes);
  }
  return text;
}

std::string weir::profileText(const rt::TraceSummary &summary) {
  return section("time by device", "kernels", summary.devices, false) +
         section("time by kernel", "runs", summary.kernels, false) +
         section("sent", "tensors", summary.sends, true) +
         section("waited for what was received", "tensors", summary.receives,
                 true);
}

//===- Progress.cpp - How far a long job is -------------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/cli/Progress.h"
#include "runtime/base/Format.h"
#include "runtime/trace/Trace.h"

#include <unistd.h>

using namespace weir::rt;

Progress::Progress(FILE *out) : Progress(out, isatty(fileno(out)) == 1) {}

// A message that follows must not land in the middle of the bar.
Progress::~Progress() {
  if (open)
    fputc('\n', out);
}

void Progress::draw(const std::string &line) {
  // Return, the line, and erase what a longer line left.
  fprintf(out, "\r%s\x1b[K", line.c_str());
  fflush(out);
}

void Progress::update(const std::string &label, int64_t done, int64_t total,
                      const std::string &detail) {
  if (!isTerminal)
    return;
  int64_t now = traceNow();
  if (open && now - lastDraw < 50 * 1000 * 1000)
    return;
  lastDraw = now;
  open = true;
  constexpr int64_t width = 30;
  int64_t filled = total > 0 ? width * done / total : width;
  std::string bar(static_cast<size_t>(filled), '=');
  bar.resize(width, ' ');
  draw(str(label, "  [", bar, "] ",
           static_cast<long long>(total > 0 ? 100 * done / total : 100), "%  ",
           detail));
}

void Progress::finish(const std::string &label, const std::string &detail) {
  if (isTerminal)
    draw(str(label, "  ", detail));
  else
    fputs(str(label, "  ", detail).c_str(), out);
  fputc('\n', out);
  fflush(out);
  open = false;
}

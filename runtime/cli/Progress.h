//===- Progress.h - How far a long job is -----------------------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// On a terminal a bar that redraws itself; else one line for each stage, so
// that a log stays readable.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_CLI_PROGRESS_H
#define WEIR_RUNTIME_CLI_PROGRESS_H

#include <cstdint>
#include <cstdio>
#include <string>

namespace weir::rt {

class Progress {
public:
  /// Writes to `out`, as to a terminal if `isTerminal`.
  Progress(FILE *out, bool isTerminal) : out(out), isTerminal(isTerminal) {}
  /// As a terminal if `out` is one.
  explicit Progress(FILE *out);
  ~Progress();
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;

  /// `done` of `total` of the stage `label` are through; redraws at most 20
  /// times a second.
  void update(const std::string &label, int64_t done, int64_t total,
              const std::string &detail);
  /// The stage is through: prints its line for good.
  void finish(const std::string &label, const std::string &detail);

private:
  void draw(const std::string &line);

  FILE *out;
  bool isTerminal;
  int64_t lastDraw = 0;
  bool open = false;
};

} // namespace weir::rt

#endif // WEIR_RUNTIME_CLI_PROGRESS_H

//===- RunnerArguments.cpp - What --runner asks for -----------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/main/RunnerArguments.h"
#include "runtime/base/Format.h"

#include <algorithm>
#include <charconv>

using namespace weir::rt;

Status weir::rt::parseRunners(const std::vector<std::string> &texts,
                              std::vector<RunnerOptions> &runners) {
  std::vector<std::string> seen;
  for (const std::string &text : texts) {
    auto known = std::find(seen.begin(), seen.end(), text);
    if (known != seen.end()) {
      ++runners[static_cast<size_t>(known - seen.begin())].threads;
      continue;
    }
    seen.push_back(text);
    RunnerOptions runner;
    size_t equals = text.find('=');
    runner.entry = text.substr(0, equals);
    if (equals != std::string::npos)
      runner.closingEntry = text.substr(equals + 1);
    size_t colon = runner.entry.find(':');
    if (colon != std::string::npos) {
      const char *end = runner.entry.data() + runner.entry.size();
      auto parsed =
          std::from_chars(runner.entry.data() + colon + 1, end, runner.steps);
      if (parsed.ec != std::errc() || parsed.ptr != end || runner.steps < 1)
        return Status(WEIR_INVALID_ARGUMENT,
                      str("[WEIR0319] --runner ", text,
                          " does not say how often to run the entry; write "
                          "ENTRY, ENTRY:N, ENTRY=CLOSE or ENTRY:N=CLOSE"));
      runner.entry.resize(colon);
    }
    runners.push_back(std::move(runner));
  }
  return Status();
}

Status weir::rt::runBeside(
    Coordinator &coordinator, std::vector<RunnerOptions> runners,
    const std::function<Status(const WeirRunOptions &options)> &steps) {
  for (RunnerOptions &options : runners)
    WEIR_RETURN_IF_ERROR(coordinator.start(std::move(options)));
  // The entry does not wait for a runner that has failed.
  WeirRunOptions options = WEIR_RUN_OPTIONS_INIT;
  options.cancellation = coordinator.cancellation();
  Status stepped = steps(options);
  coordinator.requestStop("the run has ended");
  Status joined = coordinator.join();
  // A runner's error is why the entry was cancelled or found no data.
  bool isConsequence = stepped.ok() || stepped.code() == WEIR_CANCELLED ||
                       stepped.code() == WEIR_OUT_OF_RANGE;
  return isConsequence && !joined.ok() ? std::move(joined) : std::move(stepped);
}

//===- Coordinator.cpp - Entry points that run beside others --------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/input/Coordinator.h"
#include "runtime/base/Format.h"
#include "runtime/core/Program.h"
#include "runtime/core/Session.h"

#include <system_error>

using namespace weir::rt;

static Status invalid(const std::string &entry, const std::string &what) {
  return Status(WEIR_INVALID_ARGUMENT,
                str("[WEIR0368] runner '", entry, "' ", what));
}

static Status toStatus(WeirStatus &status) {
  if (status.code == WEIR_OK)
    return Status();
  Status result(static_cast<WeirCode>(status.code),
                status.message ? status.message : "out of memory");
  weir_status_clear(&status);
  return result;
}

static Status runInSession(WeirSession &session, int32_t entry,
                           const WeirView *feeds,
                           const WeirRunOptions &options) {
  std::vector<WeirTensor *> fetches(
      static_cast<size_t>(session.program.entries[entry].fetch_count));
  WeirStatus status = WEIR_STATUS_INIT;
  weir_session_run_with(&session, entry, feeds, fetches.data(), &options,
                        &status);
  if (status.code == WEIR_OK)
    for (WeirTensor *fetch : fetches)
      weir_tensor_release(fetch);
  return toStatus(status);
}

Coordinator::Coordinator(WeirSession &session)
    : Coordinator(session.program,
                  [&session](int32_t entry, const WeirView *feeds,
                             const WeirRunOptions &options) {
                    return runInSession(session, entry, feeds, options);
                  }) {}

Coordinator::Coordinator(const WeirProgram &program, RunnerStep step)
    : program(program), step(std::move(step)),
      token(weir_cancellation_create(), weir_cancellation_destroy) {}

Coordinator::~Coordinator() {
  requestStop();
  Status ignored = join();
  (void)ignored;
}

Status Coordinator::checkRunner(const RunnerOptions &options,
                                Runner &runner) const {
  WEIR_RETURN_IF_ERROR(findEntry(program, options.entry.c_str(), runner.entry));
  if (!options.closingEntry.empty()) {
    WEIR_RETURN_IF_ERROR(
        findEntry(program, options.closingEntry.c_str(), runner.closingEntry));
    if (program.entries[runner.closingEntry].feed_count > 0)
      return invalid(options.entry,
                     str("is closed by entry '", options.closingEntry,
                         "', which has feeds; a closing entry has none"));
  }
  if (options.threads < 1)
    return invalid(options.entry,
                   str("is to have ", options.threads, " threads"));
  const WeirEntryDesc &entry = program.entries[runner.entry];
  if (static_cast<size_t>(entry.feed_count) != options.feeds.size())
    return invalid(options.entry,
                   str("has ", entry.feed_count, " feeds, ",
                       options.feeds.size(), " values are given"));
  return Status();
}

Status Coordinator::start(RunnerOptions options) {
  auto runner = std::make_unique<Runner>();
  WEIR_RETURN_IF_ERROR(checkRunner(options, *runner));
  runner->stepsLeft = options.steps;
  runner->options = std::move(options);
  for (const TensorRef &feed : runner->options.feeds)
    runner->feeds.push_back(feed.view());
  std::lock_guard<std::mutex> lock(mutex);
  if (stopping)
    return Status(WEIR_FAILED_PRECONDITION,
                  str("[WEIR0368] runner '", runner->options.entry,
                      "' is started after the runners were told to stop"));
  Runner &started = *runner;
  runners.push_back(std::move(runner));
  for (int32_t i = 0; i < started.options.threads; ++i) {
    try {
      threads.emplace_back([this, &started] { runThread(started); });
    } catch (const std::system_error &) {
      // Those that run end with the coordinator.
      stopLocked(Status());
      return Status(WEIR_RESOURCE_EXHAUSTED,
                    str("[WEIR0368] the system has no thread for runner '",
                        started.options.entry, "'"));
    }
    ++started.running;
  }
  return Status();
}

void Coordinator::runThread(Runner &runner) {
  Status status;
  while (status.ok() && takeStep(runner)) {
    status = runEntry(runner.entry, runner.feeds.data(), token.get());
    if (status.ok()) {
      std::lock_guard<std::mutex> lock(mutex);
      ++steps;
    }
  }
  finishThread(runner, std::move(status));
}

Status Coordinator::runEntry(int32_t entry, const WeirView *feeds,
                             WeirCancellation *cancellation) {
  WeirRunOptions options = WEIR_RUN_OPTIONS_INIT;
  options.cancellation = cancellation;
  // The runners are what is parallel here.
  options.threads = 1;
  return step(entry, feeds, options);
}

bool Coordinator::takeStep(Runner &runner) {
  std::lock_guard<std::mutex> lock(mutex);
  if (stopping || runner.stepsLeft == 0)
    return false;
  if (runner.stepsLeft > 0)
    --runner.stepsLeft;
  return true;
}

void Coordinator::stopLocked(Status error) {
  if (!error.ok() && firstCode == WEIR_OK) {
    firstCode = error.code();
    firstMessage = error.message();
  }
  stopping = true;
}

void Coordinator::finishThread(Runner &runner, Status status) {
  bool last, failed;
  {
    std::lock_guard<std::mutex> lock(mutex);
    failed = !status.ok() && status.code() != WEIR_OUT_OF_RANGE &&
             !(stopping && status.code() == WEIR_CANCELLED);
    if (failed)
      stopLocked(std::move(status).withContext(
          str("runner '", runner.options.entry, "': ")));
    last = runner.running == 1;
    // The last one is counted when the closing entry has run.
    runner.running -= !last;
  }
  // Outside the lock: this runs the callbacks of the steps that wait.
  if (failed)
    weir_cancellation_cancel(token.get(), "another runner failed");
  if (!last)
    return;
  Status closed;
  if (runner.closingEntry >= 0)
    closed = runEntry(runner.closingEntry, nullptr, nullptr);
  {
    std::lock_guard<std::mutex> lock(mutex);
    // CANCELLED: somebody closed the queue before.
    failed = !closed.ok() && closed.code() != WEIR_CANCELLED;
    if (failed)
      stopLocked(std::move(closed).withContext(
          str("closing entry '", runner.options.closingEntry, "': ")));
    runner.running = 0;
  }
  ended.notify_all();
  if (failed)
    weir_cancellation_cancel(token.get(), "a closing entry failed");
}

void Coordinator::requestStop(const std::string &reason) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    stopLocked(Status());
  }
  weir_cancellation_cancel(token.get(), reason.c_str());
}

bool Coordinator::shouldStop() const {
  std::lock_guard<std::mutex> lock(mutex);
  return stopping;
}

int64_t Coordinator::stepCount() const {
  std::lock_guard<std::mutex> lock(mutex);
  return steps;
}

std::string Coordinator::runningNames() const {
  std::vector<std::string_view> names;
  for (const auto &runner : runners)
    if (runner->running > 0)
      names.push_back(runner->options.entry);
  return names.empty() ? std::string() : listNames(names);
}

Status Coordinator::join(std::chrono::milliseconds timeout) {
  auto allEnded = [this] { return runningNames().empty(); };
  std::vector<std::thread> finished;
  std::string late;
  {
    std::unique_lock<std::mutex> lock(mutex);
    if (timeout.count() < 0)
      ended.wait(lock, allEnded);
    else if (!ended.wait_for(lock, timeout, allEnded))
      late = runningNames();
    if (late.empty())
      finished.swap(threads);
  }
  if (!late.empty()) {
    requestStop("the runners did not end in time");
    return Status(WEIR_DEADLINE_EXCEEDED,
                  str("[WEIR0368] after ", timeout.count(),
                      " ms these runners still ran: ", late));
  }
  for (std::thread &thread : finished)
    thread.join();
  std::lock_guard<std::mutex> lock(mutex);
  return firstCode == WEIR_OK ? Status() : Status(firstCode, firstMessage);
}

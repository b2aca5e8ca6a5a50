//===- Coordinator.h - Entry points that run beside others ------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// A program's input is often made by entry points of its own: one that names
// the files, one that reads them, each putting what it makes in a queue. A
// Coordinator runs such *runners* over and over, each in threads of its own,
// and stops all of them together.
//
// A thread of a runner ends when a step ends with OUT_OF_RANGE (there are no
// data any more), with another error, or when all are to stop. When the last
// thread of a runner has ended, its closing entry runs, which closes the queue
// that it filled: what waits there goes on, and sees OUT_OF_RANGE in its turn.
// An error stops all runners; the first one is kept. CANCELLED is no error once
// they are to stop.
//
// All functions may be called from any thread, except where said otherwise. The
// session outlives the coordinator.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_INPUT_COORDINATOR_H
#define WEIR_RUNTIME_INPUT_COORDINATOR_H

#include "runtime/base/Status.h"
#include "runtime/core/Tensor.h"
#include "weir-c/session.h"

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace weir::rt {

struct RunnerOptions {
  /// The entry point that it runs, and the values of its feeds.
  std::string entry;
  std::vector<TensorRef> feeds;
  /// Run once when all threads of the runner have ended; may be empty. It has
  /// no feeds.
  std::string closingEntry;
  /// How many threads run the entry at the same time.
  int32_t threads = 1;
  /// How many steps they run together; -1 is no bound.
  int64_t steps = -1;
};

/// Runs one step of an entry; what it fetches is dropped. Called by several
/// threads at a time.
using RunnerStep = std::function<Status(int32_t entry, const WeirView *feeds,
                                        const WeirRunOptions &options)>;

class Coordinator {
public:
  explicit Coordinator(WeirSession &session);
  /// For entries that something else than a session of this process runs.
  /// `program` describes them and outlives the coordinator.
  Coordinator(const WeirProgram &program, RunnerStep step);
  /// Stops the runners and waits for them.
  ~Coordinator();
  Coordinator(const Coordinator &) = delete;
  Coordinator &operator=(const Coordinator &) = delete;

  /// Starts a runner. Fails without starting any thread: NOT_FOUND where there
  /// is no such entry, INVALID_ARGUMENT [WEIR0368] where its feeds or options
  /// are wrong, FAILED_PRECONDITION when the runners are to stop already.
  Status start(RunnerOptions options);

  /// All runners are to stop: steps that wait end, others are the last ones.
  void requestStop(const std::string &reason = "the program stops");
  bool shouldStop() const;

  /// For steps that are to end with the runners, on any thread.
  WeirCancellation *cancellation() { return token.get(); }

  /// Waits until all runners have ended, of themselves or because they are to
  /// stop; at most `timeout` (a negative one: for ever). The first error, or
  /// DEADLINE_EXCEEDED [WEIR0368] that names those still running: they are to
  /// stop then, and another call waits for them.
  Status
  join(std::chrono::milliseconds timeout = std::chrono::milliseconds(-1));

  /// The steps that have ended without an error.
  int64_t stepCount() const;

private:
  struct Runner {
    RunnerOptions options;
    int32_t entry = -1, closingEntry = -1;
    std::vector<WeirView> feeds;
    /// Threads that have not ended.
    int32_t running = 0;
    int64_t stepsLeft = -1;
  };

  void runThread(Runner &runner);
  Status runEntry(int32_t entry, const WeirView *feeds,
                  WeirCancellation *cancellation);
  bool takeStep(Runner &runner);
  void finishThread(Runner &runner, Status status);
  void stopLocked(Status error);
  Status checkRunner(const RunnerOptions &options, Runner &runner) const;
  std::string runningNames() const;

  const WeirProgram &program;
  const RunnerStep step;
  std::unique_ptr<WeirCancellation, void (*)(WeirCancellation *)> token;

  mutable std::mutex mutex;
  std::condition_variable ended;
  /// Runners do not move once started.
  std::vector<std::unique_ptr<Runner>> runners;
  std::vector<std::thread> threads;
  bool stopping = false;
  int64_t steps = 0;
  WeirCode firstCode = WEIR_OK;
  std::string firstMessage;
};

} // namespace weir::rt

#endif // WEIR_RUNTIME_INPUT_COORDINATOR_H

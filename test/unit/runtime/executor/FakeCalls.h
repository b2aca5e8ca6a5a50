//===- FakeCalls.h - Calls for tests ----------------------------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Nodes that the runtime carries out, under the control of a test.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_TEST_UNIT_RUNTIME_EXECUTOR_FAKECALLS_H
#define WEIR_TEST_UNIT_RUNTIME_EXECUTOR_FAKECALLS_H

#include "runtime/executor/NodeCall.h"
#include "runtime/state/Queue.h"

#include <condition_variable>
#include <functional>
#include <string>
#include <thread>

namespace weir::rt::test {

/// Calls `attempt` with a deadline, then with longer ones until it is true:
/// what is said of a step that met its deadline depends on how far it came, and
/// that on the machine. False where the longest, half a minute, was too short.
bool withLongerDeadlines(
    const std::function<bool(int32_t milliseconds)> &attempt);

/// Reads what the process writes to its standard error output, while it lives.
class ErrorOutput {
public:
  ErrorOutput();
  ~ErrorOutput() { finish(); }
  /// Waits until `part` has been written; false after a minute without it.
  bool waitFor(const std::string &part);
  /// All that was written; the output is what it was before.
  std::string finish();

private:
  void read();

  int saved, pipeEnds[2];
  std::mutex mutex;
  std::condition_variable changed;
  std::string text;
  std::thread reader;
};

/// Calls of the gate wait until the test opens it, or until they are cancelled.
/// Output 0, where there is one, is input 0.
class Gate {
public:
  /// Waits until `count` calls wait.
  void waitFor(size_t count);
  /// Ends the oldest call that waits; on this thread.
  void open(Status status = Status());
  void openAll();
  size_t waiting();

  static void call(WeirNodeCall *call);
  static Gate &get();

private:
  struct Waiting {
    WeirNodeCall *call;
    CancellationToken::Id id;
  };
  void cancel(WeirNodeCall *call);
  static void end(Waiting ended, Status status);

  std::mutex mutex;
  std::condition_variable changed;
  std::vector<Waiting> calls;
};

/// The queue that the next calls use: f32 scalars.
extern std::shared_ptr<Queue> testQueue;
void makeTestQueue(int64_t capacity);
void enqueueCall(WeirNodeCall *call);
void dequeueCall(WeirNodeCall *call);
/// A handle of testQueue, whose name is "q".
void handleCall(WeirNodeCall *call);

/// Output 0 is input 0, at once.
void passCall(WeirNodeCall *call);
/// Fails with FAILED_PRECONDITION "not today".
void failCall(WeirNodeCall *call);
/// Gives an i32 for what should be an f32, or nothing at all.
void wrongTypeCall(WeirNodeCall *call);
void noOutputCall(WeirNodeCall *call);

} // namespace weir::rt::test

#endif // WEIR_TEST_UNIT_RUNTIME_EXECUTOR_FAKECALLS_H

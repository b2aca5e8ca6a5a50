//===- Timer.h - What happens at a time -------------------------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One thread for all deadlines of the process, begun at the first one. All
// functions are safe from any thread but the timer's own.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_EXECUTOR_TIMER_H
#define WEIR_RUNTIME_EXECUTOR_TIMER_H

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>

namespace weir::rt {

class Timer {
public:
  using Clock = std::chrono::steady_clock;
  /// Names an alarm; 0 names none.
  using Id = uint64_t;

  static Timer &get();

  /// Runs `alarm` on the timer's thread at `time`: it must be short. 0 where
  /// the system gives no thread for it.
  Id add(Clock::time_point time, std::function<void()> alarm);
  /// Takes an alarm back; one that is running has ended when this returns.
  void remove(Id id);

private:
  void work();

  std::mutex mutex;
  std::condition_variable changed, ended;
  std::map<std::pair<Clock::time_point, Id>, std::function<void()>> alarms;
  std::map<Id, Clock::time_point> times;
  Id lastId = 0, running = 0;
  bool hasThread = false;
};

} // namespace weir::rt

#endif // WEIR_RUNTIME_EXECUTOR_TIMER_H

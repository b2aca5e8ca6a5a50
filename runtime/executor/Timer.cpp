//===- Timer.cpp - What happens at a time ---------------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/executor/Timer.h"

#include <system_error>
#include <thread>

using namespace weir::rt;

Timer &Timer::get() {
  // Never destroyed: its thread uses it until the process ends.
  static Timer *timer = new Timer;
  return *timer;
}

Timer::Id Timer::add(Clock::time_point time, std::function<void()> alarm) {
  std::lock_guard<std::mutex> lock(mutex);
  if (!hasThread) {
    try {
      std::thread([this] { work(); }).detach();
    } catch (const std::system_error &) {
      return 0;
    }
    hasThread = true;
  }
  alarms.emplace(std::make_pair(time, ++lastId), std::move(alarm));
  times.emplace(lastId, time);
  if (alarms.begin()->first.second == lastId)
    changed.notify_one();
  return lastId;
}

void Timer::remove(Id id) {
  std::unique_lock<std::mutex> lock(mutex);
  if (auto found = times.find(id); found != times.end()) {
    alarms.erase({found->second, id});
    times.erase(found);
    return;
  }
  ended.wait(lock, [&] { return running != id || id == 0; });
}

void Timer::work() {
  std::unique_lock<std::mutex> lock(mutex);
  for (;;) {
    if (alarms.empty()) {
      changed.wait(lock);
      continue;
    }
    auto first = alarms.begin();
    if (Clock::now() < first->first.first) {
      // A copy: the alarm may be taken back meanwhile.
      Clock::time_point time = first->first.first;
      changed.wait_until(lock, time);
      continue;
    }
    running = first->first.second;
    std::function<void()> alarm = std::move(first->second);
    times.erase(running);
    alarms.erase(first);
    lock.unlock();
    alarm();
    alarm = nullptr;
    lock.lock();
    running = 0;
    ended.notify_all();
  }
}

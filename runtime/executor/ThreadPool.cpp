//===- ThreadPool.cpp - The threads that steps share ----------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/executor/ThreadPool.h"

#include <algorithm>
#include <sched.h>
#include <system_error>
#include <thread>

using namespace weir::rt;

ThreadPool &ThreadPool::get() {
  // Never destroyed: its threads use it until the process ends.
  static ThreadPool *pool = new ThreadPool;
  return *pool;
}

int32_t ThreadPool::coreCount() {
  static const int32_t count = [] {
    cpu_set_t cores;
    int32_t found =
        sched_getaffinity(0, sizeof(cores), &cores) == 0
            ? CPU_COUNT(&cores)
            : static_cast<int32_t>(std::thread::hardware_concurrency());
    return std::max(found, 1);
  }();
  return count;
}

bool ThreadPool::submit(PoolTask &task, int32_t threads) {
  std::lock_guard<std::mutex> lock(mutex);
  // A system that gives no further thread: those there do all the work.
  try {
    for (threads = std::min(threads, 256); threadCount < threads; ++threadCount)
      std::thread([this] { work(); }).detach();
  } catch (const std::system_error &) {
    if (threadCount == 0)
      return false;
  }
  link(tasks, task);
  submitted.notify_one();
  return true;
}

void ThreadPool::link(PoolQueue &queue, PoolTask &task) {
  task.queue = &queue;
  task.next = nullptr;
  task.prev = queue.last;
  (queue.last ? queue.last->next : queue.first) = &task;
  queue.last = &task;
}

void ThreadPool::unlink(PoolTask &task) {
  (task.prev ? task.prev->next : task.queue->first) = task.next;
  (task.next ? task.next->prev : task.queue->last) = task.prev;
  task.next = task.prev = nullptr;
  task.queue = nullptr;
}

bool ThreadPool::remove(PoolTask &task) {
  std::lock_guard<std::mutex> lock(mutex);
  if (!task.queue)
    return false;
  unlink(task);
  return true;
}

void ThreadPool::work() {
  std::unique_lock<std::mutex> lock(mutex);
  for (;;) {
    submitted.wait(lock, [&] { return tasks.first; });
    PoolTask &task = *tasks.first;
    unlink(task);
    lock.unlock();
    task.run(task);
    lock.lock();
  }
}

// ---- OwnTurns.

/// Of this thread.
static thread_local PoolQueue *ownTurns = nullptr;

OwnTurns::OwnTurns() : isOuter(!ownTurns) {
  if (isOuter)
    ownTurns = &tasks;
}

bool OwnTurns::keep(PoolTask &task) {
  if (!ownTurns)
    return false;
  std::lock_guard<std::mutex> lock(ThreadPool::get().mutex);
  ThreadPool::link(*ownTurns, task);
  return true;
}

OwnTurns::~OwnTurns() {
  if (!isOuter)
    return;
  // Short turns may make others; the pool gets what is left after so many.
  constexpr int kMostTurns = 64;
  ThreadPool &pool = ThreadPool::get();
  for (int turn = 0;; ++turn) {
    PoolTask *task;
    {
      std::lock_guard<std::mutex> lock(pool.mutex);
      task = tasks.first;
      if (task)
        ThreadPool::unlink(*task);
      else
        ownTurns = nullptr;
    }
    if (!task)
      return;
    if (turn < kMostTurns || !pool.submit(*task, ThreadPool::coreCount()))
      task->run(*task);
  }
}

//===- ThreadPool.h - The threads that steps share --------------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One pool for the process. Its threads begin when they are first needed and
// stay until the process ends. All functions are safe from any thread.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_EXECUTOR_THREADPOOL_H
#define WEIR_RUNTIME_EXECUTOR_THREADPOOL_H

#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace weir::rt {

struct PoolQueue;

/// Work for the pool; owned by who submits it, in one queue at a time.
struct PoolTask {
  void (*run)(PoolTask &task) = nullptr;
  PoolTask *next = nullptr, *prev = nullptr;
  PoolQueue *queue = nullptr;
};

struct PoolQueue {
  PoolTask *first = nullptr, *last = nullptr;
};

class ThreadPool {
public:
  static ThreadPool &get();

  /// The cores that this process may use.
  static int32_t coreCount();

  /// Queues `task`; there will be at least `threads` threads (of 256 at most).
  /// False where the system gives no thread at all: the task is not queued.
  bool submit(PoolTask &task, int32_t threads);
  /// Takes a task back: false where it has begun.
  bool remove(PoolTask &task);

private:
  friend class OwnTurns;
  void work();
  static void link(PoolQueue &queue, PoolTask &task);
  static void unlink(PoolTask &task);

  std::mutex mutex;
  std::condition_variable submitted;
  PoolQueue tasks;
  int32_t threadCount = 0;
};

/// While it lives, this thread keeps for itself what is short and would go to
/// the pool, and does it at the end: waking another thread takes longer. For
/// threads that bring tensors to many small steps. An inner one does nothing.
class OwnTurns {
public:
  OwnTurns();
  ~OwnTurns();
  OwnTurns(const OwnTurns &) = delete;
  OwnTurns &operator=(const OwnTurns &) = delete;

  /// False where this thread keeps nothing.
  static bool keep(PoolTask &task);

private:
  PoolQueue tasks;
  bool isOuter;
};

} // namespace weir::rt

#endif // WEIR_RUNTIME_EXECUTOR_THREADPOOL_H

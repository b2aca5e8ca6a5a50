//===- Queue.h - Queues with attempts that wait -----------------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A queue of the graph. Every operation is an *attempt*: it is tried at once,
// and when it cannot complete it waits in one of two lists, that of enqueues
// (and closes) or that of dequeues. Each list is served strictly in order of
// arrival: an attempt that cannot go on holds up those behind it. After each
// change both lists are served until nothing changes any more. Waiting holds no
// thread.
//
// An operation's `done` is called exactly once, outside the queue's lock: on
// the calling thread when the operation completes at once, otherwise on the
// thread whose operation, close or cancellation let it complete. It may use the
// queue again; it then runs nested, so one that goes on without end hands over
// to an executor. It must not wait for another operation of the queue.
//
// A cancelled attempt loses no element: what a dequeue had collected returns to
// the front, in its order. What an enqueueMany had put in stays in, and the
// error tells how much. docs/spec/queues.md has all rules.
//
// All functions may be called from any thread. The caller keeps the queue alive
// during a call, and a token until `done` is called. A queue that is destroyed
// ends the attempts that wait in it with WEIR_CANCELLED; those with a token
// keep it alive.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_STATE_QUEUE_H
#define WEIR_RUNTIME_STATE_QUEUE_H

#include "runtime/core/Cancellation.h"
#include "runtime/state/QueueBatch.h"
#include "runtime/state/Resource.h"

#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

namespace weir::rt {

/// Gets the result of an operation: the element or batch of a dequeue, an empty
/// tuple for the others and with an error.
using QueueDone = std::function<void(Status &&status, QueueTuple &&result)>;

class Queue final : public Resource,
                    public std::enable_shared_from_this<Queue> {
public:
  /// A queue as declared, or the error of checkQueueSpec.
  static Status create(QueueSpec spec, std::shared_ptr<Queue> &result);
  ~Queue() override;
  Queue(const Queue &) = delete;
  Queue &operator=(const Queue &) = delete;

  /// Adds one element, whose tensors nobody changes any more; waits while the
  /// queue is full. INVALID_ARGUMENT for what
  /// is no element of this queue, CANCELLED when the queue is closed.
  void enqueue(QueueTuple element, QueueDone done,
               CancellationToken *token = nullptr);

  /// Adds the elements of a batch in order, as many at a time as there is room
  /// for. A batch without elements completes at once, even when closed.
  void enqueueMany(QueueTuple batch, QueueDone done,
                   CancellationToken *token = nullptr);

  /// Takes one element; waits while there is none. OUT_OF_RANGE when the queue
  /// is closed and has none.
  void dequeue(QueueDone done, CancellationToken *token = nullptr);

  /// Takes `count` elements as one batch, collecting them as they come.
  /// OUT_OF_RANGE when the queue is closed with too few, which stay in it.
  void dequeueMany(int64_t count, QueueDone done,
                   CancellationToken *token = nullptr);

  /// As dequeueMany; but a closed queue gives what is left, at least one.
  void dequeueUpTo(int64_t count, QueueDone done,
                   CancellationToken *token = nullptr);

  /// Closes the queue, in its turn among the enqueues: those that came earlier
  /// still complete, later ones fail. CANCELLED when it is closed already. With
  /// `cancelPending` it closes at once and ends all enqueues and closes that
  /// wait with CANCELLED; then it never fails. A close that is cancelled while
  /// it waits does not close.
  void close(bool cancelPending, QueueDone done,
             CancellationToken *token = nullptr);

  /// Takes all elements out; enqueues that wait go on.
  void clear();

  /// The elements in it, without those that a waiting dequeue has collected.
  int64_t size() const;
  /// True once a close had its turn.
  bool isClosed() const;

  const QueueSpec &spec() const { return declaration; }

  std::string describe() const override;
  /// Ends all attempts with CANCELLED [WEIR0342], and closes the queue.
  void abandon() override;

private:
  enum class Kind : uint8_t {
    Enqueue,
    EnqueueMany,
    Close,
    Dequeue,
    DequeueMany,
    DequeueUpTo
  };
  enum class Result : uint8_t { NoProgress, Progress, Complete };

  /// What is asked for, and how far it is.
  struct Request {
    Request() = default;
    Request(Kind kind, QueueDone done, CancellationToken *token = nullptr)
        : kind(kind), done(std::move(done)), token(token) {}

    Kind kind = Kind::Enqueue;
    QueueDone done;
    CancellationToken *token = nullptr;
    /// Enqueue: the element. Dequeues: the result.
    QueueTuple tuple;
    /// EnqueueMany: the elements. DequeueMany, UpTo: those collected.
    std::vector<QueueItem> items;
    /// EnqueueMany: how many of the items are in the queue.
    size_t moved = 0;
    /// DequeueMany, UpTo: how many to collect.
    int64_t requested = 1;
    Status status;
  };

  /// A request that waits, or that has ended and is about to be told.
  struct Attempt {
    Request request;
    CancellationToken::Id id = 0;
    /// Counts the uses of the object: a cancellation that comes too late finds
    /// another number.
    uint64_t use = 0;
    Attempt *next = nullptr, *prev = nullptr;
  };

  /// Doubly linked through the attempts.
  struct List {
    Attempt *first = nullptr, *last = nullptr;
    bool empty() const { return !first; }
    void push(Attempt *attempt);
    void remove(Attempt *attempt);
  };

  explicit Queue(QueueSpec spec);

  void submit(Request &request);
  void dequeueBatch(Kind kind, int64_t count, QueueDone done,
                    CancellationToken *token);
  /// A token was cancelled: ends `attempt` when this is still that use of it.
  void cancel(Attempt *attempt, uint64_t use);

  // With the lock held:
  Result run(Request &request);
  Result runEnqueue(Request &request);
  Result runDequeue(Request &request);
  void push(QueueTuple &&tuple);
  void putBack(Request &request);
  void withdraw(Request &request);
  Attempt *wait(List &list, Request &request);
  void finish(List &list, Attempt *attempt, List &finished);
  bool serve(List &list, List &finished);
  void serveAll(List &finished);

  // Without it:
  static void complete(Request &request);
  void deliver(List &finished);

  Status closedError(const Request &request) const;
  Status cancelledError(const Request &request, int64_t returned) const;
  List &listOf(Kind kind) { return kind <= Kind::Close ? enqueues : dequeues; }

  const QueueSpec declaration;
  const int64_t limit;
  mutable std::mutex mutex;
  std::unique_ptr<QueueStore> store;
  uint64_t arrivals = 0;
  bool closed = false;
  List enqueues, dequeues;
  /// Attempts not in use, linked by `next`; all of them live in `attempts`.
  Attempt *unused = nullptr;
  std::deque<Attempt> attempts;
};

} // namespace weir::rt

#endif // WEIR_RUNTIME_STATE_QUEUE_H

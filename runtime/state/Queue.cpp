//===- Queue.cpp - Queues with attempts that wait -------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/state/Queue.h"
#include "runtime/base/Format.h"

#include <cstdint>
#include <utility>

using namespace weir::rt;

Status Queue::create(QueueSpec spec, std::shared_ptr<Queue> &result) {
  WEIR_RETURN_IF_ERROR(checkQueueSpec(spec));
  result.reset(new Queue(std::move(spec)));
  return Status();
}

Queue::Queue(QueueSpec spec)
    : declaration(std::move(spec)),
      limit(declaration.capacity < 0 ? INT64_MAX : declaration.capacity),
      store(QueueStore::create(declaration)) {}

// An attempt with a token holds a reference until it ends, so those that wait
// now have none.
Queue::~Queue() { abandon(); }

std::string Queue::describe() const {
  return str(queueKindName(declaration.kind), " '", declaration.name, "'");
}

void Queue::abandon() {
  List finished;
  {
    std::lock_guard<std::mutex> lock(mutex);
    closed = true;
    for (List *list : {&enqueues, &dequeues})
      while (Attempt *attempt = list->first) {
        if (attempt->request.kind > Kind::Close)
          putBack(attempt->request);
        attempt->request.status =
            Status(WEIR_CANCELLED,
                   str("[WEIR0342] queue '", declaration.name,
                       "' was destroyed while an operation waited in it"));
        finish(*list, attempt, finished);
      }
  }
  deliver(finished);
}

//===----------------------------------------------------------------------===//
// Lists
//===----------------------------------------------------------------------===//

void Queue::List::push(Attempt *attempt) {
  attempt->next = nullptr;
  attempt->prev = last;
  (last ? last->next : first) = attempt;
  last = attempt;
}

void Queue::List::remove(Attempt *attempt) {
  (attempt->prev ? attempt->prev->next : first) = attempt->next;
  (attempt->next ? attempt->next->prev : last) = attempt->prev;
}

Queue::Attempt *Queue::wait(List &list, Request &request) {
  Attempt *attempt = unused;
  if (attempt)
    unused = attempt->next;
  else
    attempt = &attempts.emplace_back();
  attempt->request = std::move(request);
  list.push(attempt);
  return attempt;
}

void Queue::finish(List &list, Attempt *attempt, List &finished) {
  list.remove(attempt);
  ++attempt->use;
  finished.push(attempt);
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

void Queue::enqueue(QueueTuple element, QueueDone done,
                    CancellationToken *token) {
  Request request(Kind::Enqueue, std::move(done), token);
  request.tuple = std::move(element);
  request.status = checkQueueElement(declaration, request.tuple);
  submit(request);
}

void Queue::enqueueMany(QueueTuple batch, QueueDone done,
                        CancellationToken *token) {
  Request request(Kind::EnqueueMany, std::move(done), token);
  int64_t count = 0;
  request.status = checkQueueBatch(declaration, batch, count);
  if (request.status.ok())
    request.status = splitBatch(batch, count, request.items);
  if (count == 0)
    return complete(request);
  submit(request);
}

void Queue::dequeue(QueueDone done, CancellationToken *token) {
  Request request(Kind::Dequeue, std::move(done), token);
  submit(request);
}

void Queue::dequeueMany(int64_t count, QueueDone done,
                        CancellationToken *token) {
  dequeueBatch(Kind::DequeueMany, count, std::move(done), token);
}

void Queue::dequeueUpTo(int64_t count, QueueDone done,
                        CancellationToken *token) {
  dequeueBatch(Kind::DequeueUpTo, count, std::move(done), token);
}

void Queue::dequeueBatch(Kind kind, int64_t count, QueueDone done,
                         CancellationToken *token) {
  Request request(kind, std::move(done), token);
  request.requested = count;
  request.status = checkBatchRequest(declaration, count);
  if (request.status.ok() && count == 0) {
    request.status = allocateBatch(declaration, request.items, request.tuple);
    return complete(request);
  }
  submit(request);
}

void Queue::close(bool cancelPending, QueueDone done,
                  CancellationToken *token) {
  if (!cancelPending) {
    Request request(Kind::Close, std::move(done), token);
    return submit(request);
  }
  List finished;
  {
    std::lock_guard<std::mutex> lock(mutex);
    closed = true;
    // All that waits in the list of enqueues finds the queue closed.
    serveAll(finished);
  }
  deliver(finished);
  done(Status(), QueueTuple());
}

void Queue::clear() {
  List finished;
  {
    std::lock_guard<std::mutex> lock(mutex);
    while (store->size() > 0)
      store->pop();
    serveAll(finished);
  }
  deliver(finished);
}

int64_t Queue::size() const {
  std::lock_guard<std::mutex> lock(mutex);
  return store->size();
}

bool Queue::isClosed() const {
  std::lock_guard<std::mutex> lock(mutex);
  return closed;
}

void Queue::submit(Request &request) {
  if (!request.status.ok())
    return complete(request);
  if (request.token && request.token->isCancelled()) {
    request.status = cancelledError(request, 0);
    return complete(request);
  }
  List finished;
  bool ended = false;
  {
    std::lock_guard<std::mutex> lock(mutex);
    List &list = listOf(request.kind);
    // Nobody before it: tried where it is, which is the common case.
    Result result = list.empty() ? run(request) : Result::NoProgress;
    ended = result == Result::Complete;
    if (!ended) {
      CancellationToken *token = request.token;
      Attempt *attempt = wait(list, request);
      if (token) {
        attempt->id = token->onCancel(
            [self = shared_from_this(), attempt, use = attempt->use] {
              self->cancel(attempt, use);
            });
        if (attempt->id == 0) {
          withdraw(attempt->request);
          finish(list, attempt, finished);
          result = Result::Progress;
        }
      }
    }
    if (result != Result::NoProgress)
      serveAll(finished);
  }
  if (ended)
    complete(request);
  deliver(finished);
}

void Queue::cancel(Attempt *attempt, uint64_t use) {
  List finished;
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (attempt->use != use)
      return;
    withdraw(attempt->request);
    finish(listOf(attempt->request.kind), attempt, finished);
    serveAll(finished);
  }
  deliver(finished);
}

//===----------------------------------------------------------------------===//
// Serving
//===----------------------------------------------------------------------===//

bool Queue::serve(List &list, List &finished) {
  bool changed = false;
  while (Attempt *attempt = list.first) {
    Result result = run(attempt->request);
    if (result != Result::NoProgress)
      changed = true;
    if (result != Result::Complete)
      break;
    finish(list, attempt, finished);
  }
  return changed;
}

void Queue::serveAll(List &finished) {
  bool changed = !enqueues.empty() || !dequeues.empty();
  while (changed) {
    changed = serve(enqueues, finished);
    changed |= serve(dequeues, finished);
  }
}

Queue::Result Queue::run(Request &request) {
  switch (request.kind) {
  case Kind::Enqueue:
  case Kind::EnqueueMany:
    return runEnqueue(request);
  case Kind::Close:
    if (closed)
      request.status = closedError(request);
    closed = true;
    return Result::Complete;
  case Kind::Dequeue:
  case Kind::DequeueMany:
  case Kind::DequeueUpTo:
    return runDequeue(request);
  }
  return Result::NoProgress;
}

void Queue::push(QueueTuple &&tuple) {
  store->push({std::move(tuple), arrivals++});
}

Queue::Result Queue::runEnqueue(Request &request) {
  if (closed) {
    request.status = closedError(request);
    return Result::Complete;
  }
  int64_t room = limit - store->size();
  if (request.kind == Kind::Enqueue) {
    if (room <= 0)
      return Result::NoProgress;
    push(std::move(request.tuple));
    return Result::Complete;
  }
  size_t before = request.moved;
  for (; room > 0 && request.moved < request.items.size(); --room)
    push(std::move(request.items[request.moved++].tuple));
  if (request.moved == request.items.size())
    return Result::Complete;
  return request.moved > before ? Result::Progress : Result::NoProgress;
}

Queue::Result Queue::runDequeue(Request &request) {
  int64_t collected = static_cast<int64_t>(request.items.size());
  int64_t available =
      store->size() - (closed ? 0 : declaration.minAfterDequeue);
  if (closed && available < request.requested - collected) {
    int64_t left = collected + available;
    if (request.kind == Kind::DequeueUpTo && left > 0) {
      request.requested = left;
    } else {
      putBack(request);
      request.status =
          Status(WEIR_OUT_OF_RANGE,
                 str("[WEIR0341] queue '", declaration.name,
                     "' is closed and has insufficient elements (requested ",
                     request.requested, ", current size ", left, ")"));
      return Result::Complete;
    }
  }
  if (request.kind == Kind::Dequeue) {
    if (available <= 0)
      return Result::NoProgress;
    request.tuple = store->pop().tuple;
    return Result::Complete;
  }
  int64_t before = collected;
  for (; available > 0 && collected < request.requested; --available) {
    request.items.push_back(store->pop());
    ++collected;
  }
  if (collected < request.requested)
    return collected > before ? Result::Progress : Result::NoProgress;
  // Only the memory is taken here; the elements are copied outside the lock.
  request.status = allocateBatch(declaration, request.items, request.tuple);
  if (!request.status.ok())
    putBack(request);
  return Result::Complete;
}

void Queue::putBack(Request &request) {
  // Only the first of the dequeues collects, so nothing was taken after these.
  while (!request.items.empty()) {
    store->putBack(std::move(request.items.back()));
    request.items.pop_back();
  }
}

void Queue::withdraw(Request &request) {
  int64_t returned = 0;
  if (request.kind > Kind::Close) {
    returned = static_cast<int64_t>(request.items.size());
    putBack(request);
  }
  request.status = cancelledError(request, returned);
}

//===----------------------------------------------------------------------===//
// Telling
//===----------------------------------------------------------------------===//

void Queue::complete(Request &request) {
  if (!request.status.ok())
    request.tuple = QueueTuple();
  else if (request.kind > Kind::Dequeue)
    fillBatch(request.items, request.tuple);
  request.items.clear();
  request.done(std::move(request.status), std::move(request.tuple));
}

void Queue::deliver(List &finished) {
  if (finished.empty())
    return;
  for (Attempt *attempt = finished.first; attempt; attempt = attempt->next) {
    if (attempt->id != 0)
      attempt->request.token->tryRemove(attempt->id);
    attempt->id = 0;
    // Given up before the object is used again, and with it what `done` holds.
    Request request = std::move(attempt->request);
    complete(request);
  }
  std::lock_guard<std::mutex> lock(mutex);
  finished.last->next = unused;
  unused = finished.first;
}

Status Queue::closedError(const Request &request) const {
  if (request.kind == Kind::Close)
    return Status(WEIR_CANCELLED, str("[WEIR0340] queue '", declaration.name,
                                      "' is already closed"));
  std::string text = str("[WEIR0340] queue '", declaration.name,
                         "' is closed; nothing more can be enqueued");
  if (request.moved > 0)
    text += str(" (", request.moved, " of ", request.items.size(),
                " elements were)");
  return Status(WEIR_CANCELLED, std::move(text));
}

Status Queue::cancelledError(const Request &request, int64_t returned) const {
  bool late = request.token->code() == WEIR_DEADLINE_EXCEEDED;
  std::string text = str(late ? "[WEIR0343] " : "[WEIR0342] ",
                         request.kind == Kind::Close  ? "close of"
                         : request.kind < Kind::Close ? "enqueue to"
                                                      : "dequeue from",
                         " queue '", declaration.name, "' ",
                         late ? "ran out of time" : "was cancelled");
  if (std::string reason = request.token->reason(); !reason.empty())
    text += str(": ", reason);
  if (request.kind == Kind::EnqueueMany && request.items.size() > 0)
    text += str("; ", request.moved, " of ", request.items.size(),
                " elements were enqueued");
  if (returned > 0)
    text += str("; the ", returned, returned == 1 ? " element" : " elements",
                " that it had collected are in the queue again");
  return Status(request.token->code(), std::move(text));
}

//===- Reader.cpp - Records of files that a queue names -------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/input/Reader.h"
#include "runtime/base/Format.h"

#include <charconv>

using namespace weir::rt;

std::string Reader::describe() const {
  return str(format->name(), " '", name, "'");
}

Status Reader::cancelled(const CancellationToken *token) const {
  if (token && token->code() == WEIR_DEADLINE_EXCEEDED)
    return Status(
        WEIR_DEADLINE_EXCEEDED,
        str("[WEIR0362] the deadline passed while this waited for its "
            "turn at ",
            describe(), ": ", token->reason()));
  return Status(WEIR_CANCELLED,
                str("[WEIR0362] cancelled while this waited for its turn at ",
                    describe(), token ? ": " : "",
                    token ? token->reason() : std::string()));
}

void Reader::read(std::shared_ptr<Queue> queue, CancellationToken *token,
                  ReadDone done) {
  submit({Request::Read, std::move(queue), 1, token, std::move(done)});
}

void Reader::readUpTo(std::shared_ptr<Queue> queue, int64_t limit,
                      CancellationToken *token, ReadDone done) {
  if (limit < 1)
    return done(Status(WEIR_INVALID_ARGUMENT,
                       str("[WEIR0362] ", describe(), " was asked for ", limit,
                           " records; ask for at least 1")),
                TensorRef(), TensorRef());
  submit({Request::ReadUpTo, std::move(queue), limit, token, std::move(done)});
}

void Reader::reset(CancellationToken *token, ReadDone done) {
  submit({Request::Reset, nullptr, 0, token, std::move(done)});
}

void Reader::submit(Request request) {
  {
    std::unique_lock<std::mutex> lock(mutex);
    if (busy || abandoned) {
      request.number = ++lastNumber;
      CancellationToken *token = request.token;
      if (token && !abandoned)
        // A token runs its callbacks outside its lock, so this order of locks
        // is the only one.
        request.callback =
            token->onCancel([self = shared_from_this(), number = request.number,
                             token] { self->withdraw(number, token); });
      if (!abandoned && (!token || request.callback)) {
        waiting.push_back(std::move(request));
        return;
      }
      lock.unlock();
      request.done(cancelled(token), TensorRef(), TensorRef());
      return;
    }
    busy = true;
    current = std::move(request);
  }
  serve();
}

void Reader::withdraw(uint64_t number, CancellationToken *token) {
  std::list<Request> withdrawn;
  {
    std::lock_guard<std::mutex> lock(mutex);
    for (auto it = waiting.begin(); it != waiting.end(); ++it)
      if (it->number == number) {
        withdrawn.splice(withdrawn.end(), waiting, it);
        break;
      }
  }
  for (Request &request : withdrawn)
    request.done(cancelled(token), TensorRef(), TensorRef());
}

void Reader::abandon() {
  std::list<Request> withdrawn;
  {
    std::lock_guard<std::mutex> lock(mutex);
    abandoned = true;
    withdrawn.swap(waiting);
    for (Request &request : withdrawn)
      if (request.token)
        request.token->tryRemove(request.callback);
  }
  for (Request &request : withdrawn)
    request.done(cancelled(nullptr), TensorRef(), TensorRef());
}

void Reader::serve() {
  // The last request may be what keeps the reader.
  std::shared_ptr<Reader> self = shared_from_this();
  for (bool more = true; more;) {
    Status status;
    TensorRef keys, values;
    if (!advance(status, keys, values))
      return;
    ReadDone done = std::move(current.done);
    {
      std::lock_guard<std::mutex> lock(mutex);
      more = !waiting.empty();
      busy = more;
      current = more ? std::move(waiting.front()) : Request();
      if (more) {
        waiting.pop_front();
        if (current.token)
          // One that runs already finds nothing to withdraw; the queue, or the
          // executor, sees that the token is cancelled.
          current.token->tryRemove(current.callback);
      }
    }
    done(std::move(status), std::move(keys), std::move(values));
  }
}

bool Reader::advance(Status &status, TensorRef &keys, TensorRef &values) {
  if (current.kind == Request::Reset) {
    format->close();
    inProgress = false;
    produced = completed = 0;
    return true;
  }
  for (bool enough = false; !enough && status.ok();) {
    if (!inProgress) {
      if (!hasAnswer && !takeWork())
        return false;
      hasAnswer = false;
      status = startWork();
    } else {
      status = readRecords(enough);
    }
  }
  if (status.ok())
    status = current.kind == Request::Read ? keyStrings.finish(0, nullptr, keys)
                                           : keyStrings.finish(keys);
  if (status.ok())
    status = current.kind == Request::Read
                 ? valueStrings.finish(0, nullptr, values)
                 : valueStrings.finish(values);
  if (!status.ok()) {
    keyStrings.clear();
    valueStrings.clear();
  }
  return true;
}

bool Reader::takeWork() {
  firstIsThere.store(false, std::memory_order_relaxed);
  std::shared_ptr<Reader> self = shared_from_this();
  // The request may be over before the queue's function returns.
  std::shared_ptr<Queue> queue = current.queue;
  queue->dequeue(
      [self](Status status, QueueTuple tuple) {
        self->workStatus = std::move(status);
        self->workTuple = std::move(tuple);
        self->hasAnswer = true;
        if (self->firstIsThere.exchange(true, std::memory_order_acq_rel))
          self->serve();
      },
      current.token);
  return firstIsThere.exchange(true, std::memory_order_acq_rel);
}

Status Reader::startWork() {
  QueueTuple tuple = std::move(workTuple);
  WEIR_RETURN_IF_ERROR(std::move(workStatus));
  if (tuple.size() != 1)
    return Status(WEIR_INVALID_ARGUMENT,
                  str("[WEIR0362] ", describe(), " takes names from queue '",
                      current.queue->spec().name, "', whose elements have ",
                      tuple.size(), " components; it needs one string"));
  WeirView view = tuple[0].view();
  int64_t count = 1;
  for (int32_t i = 0; i < view.rank; ++i)
    count = view.dims[i] == 1 ? count : 0;
  if (view.dtype != WEIR_STRING || count != 1)
    return Status(WEIR_INVALID_ARGUMENT,
                  str("[WEIR0362] ", describe(), " takes names from queue '",
                      current.queue->spec().name, "', which gave ",
                      typeText(view.dtype, view.dims, view.rank),
                      "; it needs one string"));
  work = textOf(*static_cast<const WeirString *>(view.data));
  WEIR_RETURN_IF_ERROR(format->open(work));
  inProgress = true;
  return Status();
}

static void appendPlace(std::string &key, int64_t place) {
  char digits[24] = ":";
  auto end = std::to_chars(digits + 1, digits + sizeof(digits), place).ptr;
  key.append(digits, static_cast<size_t>(end - digits));
}

Status Reader::readRecords(bool &enough) {
  while (!enough) {
    Record record;
    WEIR_RETURN_IF_ERROR(format->next(record));
    if (record.found) {
      key = work;
      if (record.place >= 0)
        appendPlace(key, record.place);
      WEIR_RETURN_IF_ERROR(keyStrings.add(key));
      WEIR_RETURN_IF_ERROR(valueStrings.add(record.value));
      ++produced;
      enough = keyStrings.count() == current.limit;
    }
    if (record.atEnd) {
      inProgress = false;
      ++completed;
      format->close();
      enough = keyStrings.count() > 0;
      return Status();
    }
  }
  return Status();
}

std::shared_ptr<Resource> weir::rt::makeReader(const WeirResourceDesc &desc,
                                               Status &status) {
  std::unique_ptr<RecordFormat> format = makeRecordFormat(desc, status);
  if (!format)
    return nullptr;
  return std::make_shared<Reader>(desc.name, std::move(format));
}

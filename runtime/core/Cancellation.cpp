//===- Cancellation.cpp - Stopping what a step started --------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/core/Cancellation.h"

#include <utility>

using namespace weir::rt;

CancellationToken::CancellationToken(CancellationToken *parent)
    : parent(parent) {
  if (!parent)
    return;
  idAtParent = parent->onCancel(
      [this] { cancel(this->parent->reason(), this->parent->code()); });
  if (idAtParent == 0)
    cancel(parent->reason(), parent->code());
}

CancellationToken::~CancellationToken() {
  if (parent)
    parent->remove(idAtParent);
}

CancellationToken::Id CancellationToken::onCancel(Callback callback) {
  std::lock_guard<std::mutex> lock(mutex);
  if (isCancelled())
    return 0;
  callbacks.emplace(++lastId, std::move(callback));
  return lastId;
}

bool CancellationToken::tryRemove(Id id) {
  // What a callback holds is given up outside the lock: it may be the last
  // reference to something that uses this token.
  Callback removed;
  std::lock_guard<std::mutex> lock(mutex);
  auto found = callbacks.find(id);
  if (found == callbacks.end())
    return false;
  removed = std::move(found->second);
  callbacks.erase(found);
  return true;
}

bool CancellationToken::remove(Id id) {
  if (tryRemove(id))
    return true;
  std::unique_lock<std::mutex> lock(mutex);
  if (runningThread != std::this_thread::get_id())
    callbackEnded.wait(lock, [&] { return running != id || id == 0; });
  return false;
}

bool CancellationToken::cancel(std::string reason, WeirCode code) {
  std::unique_lock<std::mutex> lock(mutex);
  if (isCancelled())
    return false;
  reasonCode =
      code == WEIR_DEADLINE_EXCEEDED ? WEIR_DEADLINE_EXCEEDED : WEIR_CANCELLED;
  reasonText = std::move(reason);
  cancelled.store(true, std::memory_order_release);
  runningThread = std::this_thread::get_id();
  // One at a time, so that one not begun yet can still be taken back.
  while (!callbacks.empty()) {
    auto first = callbacks.begin();
    running = first->first;
    Callback callback = std::move(first->second);
    callbacks.erase(first);
    lock.unlock();
    callback();
    callback = nullptr;
    lock.lock();
    running = 0;
    callbackEnded.notify_all();
  }
  runningThread = std::thread::id();
  return true;
}

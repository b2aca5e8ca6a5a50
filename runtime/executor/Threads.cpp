//===- Threads.cpp - The threads of a step --------------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/base/Format.h"
#include "runtime/executor/Report.h"
#include "runtime/executor/Worker.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <thread>

using namespace weir::rt;

/// Lets the other thread of the core work.
static void pauseBriefly() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

void WeirNodeCall::finish(Status status) {
  Call *call = static_cast<Call *>(this);
  call->status = std::move(status);
  call->machine.ended(call);
}

void Machine::ended(Call *call) {
  if (current && &current->machine == this)
    return current->add(call);
  std::lock_guard<std::mutex> ringing(bell);
  call->nextEnded = nullptr;
  *lastEnded = call;
  lastEnded = &call->nextEnded;
  signals.fetch_or(kCallEnded, std::memory_order_relaxed);
  wakeSleepers();
  // Those who work for the step may be in long kernels, or none may be there.
  if (sleepers.load(std::memory_order_relaxed) == 0 &&
      (attending == 0 || running.load(std::memory_order_relaxed) > 0))
    askForHelper();
}

void Machine::interrupt(WeirCode code, std::string reason) {
  std::lock_guard<std::mutex> ringing(bell);
  if (interruption == WEIR_OK) {
    interruption = code;
    interruptionReason = std::move(reason);
  }
  signals.fetch_or(kInterrupted, std::memory_order_relaxed);
  stopRequested.store(true, std::memory_order_relaxed);
  wakeSleepers();
  if (attending == 0)
    askForHelper();
}

void Machine::wakeSleepers() {
  ++rings;
  bellRung.notify_all();
}

void Machine::handleSignals(Worker &worker, Lock &lock) {
  Call *calls;
  WeirCode code;
  std::string reason;
  {
    std::lock_guard<std::mutex> ringing(bell);
    calls = endedCalls;
    endedCalls = nullptr;
    lastEnded = &endedCalls;
    code = interruption;
    interruption = WEIR_OK;
    reason = std::move(interruptionReason);
    signals.store(0, std::memory_order_relaxed);
  }
  while (Call *call = calls) {
    calls = call->nextEnded;
    finishCall(call, lock);
  }
  if (code != WEIR_OK && !stopped)
    stop(lock, MachineReport(*this).interrupted(code, reason));
  drainEnded(worker, lock);
}

void Machine::lookAround(Worker &worker, Lock &lock) {
  if (signals.load(std::memory_order_relaxed))
    handleSignals(worker, lock);
  if (contenders.load(std::memory_order_relaxed) > 0)
    giveWay(lock);
  // Steps that never sleep are not watched.
  if (!isWatched)
    stopIfCancelled(lock);
  drainEnded(worker, lock);
}

void Machine::stopIfCancelled(Lock &lock) {
  const CancellationToken *tokens[] = {
      &session.stopping,
      options.cancellation ? &options.cancellation->token : nullptr};
  for (const CancellationToken *each : tokens)
    if (each && each->isCancelled() && !stopped)
      stop(lock,
           MachineReport(*this).interrupted(each->code(), each->reason()));
}

void Machine::stopInterrupted(uint32_t n, Worker &worker, Lock &lock) {
  longNodes.push_back(n);
  handleSignals(worker, lock);
  // What a token tells may still be on its way.
  stopIfCancelled(lock);
  longNodes.erase(std::find(longNodes.begin(), longNodes.end(), n));
}

void Machine::giveWay(Lock &lock) {
  lock.unlock();
  // The lock is not fair: wait until the others had their turn.
  for (int i = 0; i < 1000 && contenders.load(std::memory_order_relaxed) > 0;
       ++i)
    std::this_thread::yield();
  lock.lock();
}

void Machine::lockAgain(Lock &lock) {
  // The others hold it for a node or two most of the time: sleeping and being
  // woken would take longer.
  constexpr int kSpins = 200;
  for (int i = 0; i < kSpins && !lock.try_lock(); ++i)
    pauseBriefly();
  if (!lock.owns_lock()) {
    contenders.fetch_add(1, std::memory_order_relaxed);
    lock.lock();
    contenders.fetch_sub(1, std::memory_order_relaxed);
  }
  running.fetch_sub(1, std::memory_order_relaxed);
}

void Machine::watch() {
  isWatched = true;
  auto watchToken = [&](CancellationToken &watched) {
    CancellationToken::Id id = watched.onCancel(
        [this, &watched] { interrupt(watched.code(), watched.reason()); });
    if (id == 0)
      interrupt(watched.code(), watched.reason());
    return id;
  };
  sessionWatch = watchToken(session.stopping);
  if (options.cancellation)
    callerWatch = watchToken(options.cancellation->token);
}

void Machine::unwatch() {
  // Most often nobody was given the bell, and nothing has rung.
  if (!isWatched && deadline == 0 &&
      signals.load(std::memory_order_relaxed) == 0 &&
      !stopRequested.load(std::memory_order_relaxed))
    return;
  if (isWatched) {
    session.stopping.remove(sessionWatch);
    if (options.cancellation)
      options.cancellation->token.remove(callerWatch);
    sessionWatch = callerWatch = 0;
    isWatched = false;
  }
  if (deadline != 0)
    Timer::get().remove(std::exchange(deadline, 0));
  // What comes too late is not for the next step.
  std::lock_guard<std::mutex> ringing(bell);
  signals.store(0, std::memory_order_relaxed);
  stopRequested.store(false, std::memory_order_relaxed);
  interruption = WEIR_OK;
  interruptionReason.clear();
}

void Machine::sleep(Lock &lock) {
  if (!isWatched)
    watch();
  const bool mayStall = options.stall_report_ms > 0 && !hasReportedStall &&
                        running.load(std::memory_order_relaxed) == 0;
  std::unique_lock<std::mutex> ringing(bell);
  if (signals.load(std::memory_order_relaxed))
    return;
  sleepers.fetch_add(1, std::memory_order_relaxed);
  const uint64_t before = rings;
  auto isRung = [&] {
    return rings != before || signals.load(std::memory_order_relaxed);
  };
  lock.unlock();
  bool rung = true;
  if (mayStall)
    rung = bellRung.wait_for(
        ringing, std::chrono::milliseconds(options.stall_report_ms), isRung);
  else
    bellRung.wait(ringing, isRung);
  sleepers.fetch_sub(1, std::memory_order_relaxed);
  ringing.unlock();
  lock.lock();
  if (!rung && !hasReportedStall && inFlightCount > 0)
    reportStall();
}

void Machine::reportStall() {
  if (request.parts && request.parts->othersWork(*this))
    return;
  hasReportedStall = true;
  std::string text = str(
      "[WEIR0327] nothing has run for ", options.stall_report_ms,
      " ms in entry '", graph.entry.name, "'; these nodes wait",
      MachineReport(*this).waiting(50, "\n  "),
      request.parts ? request.parts->othersWait(*this, 50, "\n  ") : "", "\n");
  std::fputs(text.c_str(), stderr);
}

void Machine::wantHelp() {
  std::lock_guard<std::mutex> ringing(bell);
  if (sleepers.load(std::memory_order_relaxed) > 0)
    wakeSleepers();
  else
    askForHelper();
}

void Machine::askForHelper() {
  if (helpers >= helperLimit)
    return;
  Ticket *ticket;
  if (!unusedTickets.empty()) {
    ticket = unusedTickets.back();
    unusedTickets.pop_back();
  } else {
    ticket = &tickets.emplace_back();
    ticket->machine = this;
    ticket->run = [](PoolTask &task) {
      Ticket &ticket = static_cast<Ticket &>(task);
      ticket.machine->help(ticket);
    };
  }
  ++helpers;
  if (!takenOver && request.isDetached && request.parts->takesOver(*this)) {
    takenOver = ticket;
    return;
  }
  ticket->isQueued = true;
  // Sending to another process is part of a turn, and takes as long as waking.
  constexpr uint32_t kShort = 100000;
  if (request.isDetached && graph.hasShortTurns(kShort) &&
      OwnTurns::keep(*ticket))
    return;
  if (!ThreadPool::get().submit(*ticket, helperLimit)) {
    // There is no thread to be had: the caller's do everything.
    --helpers;
    ticket->isQueued = false;
    unusedTickets.push_back(ticket);
  }
}

/// What a thread of the pool does for the step: all that is ready. It does not
/// sleep here.
bool Machine::beginTakenOver(void *&turn) {
  std::lock_guard<std::mutex> ringing(bell);
  turn = std::exchange(takenOver, nullptr);
  return turn;
}

void Machine::runTakenOver(void *turn) { help(*static_cast<Ticket *>(turn)); }

void Machine::help(Ticket &ticket) {
  StepParts *const parts = helpOut(ticket) ? request.parts : nullptr;
  if (parts)
    parts->quiet(*this);
}

bool Machine::helpOut(Ticket &ticket) {
  contenders.fetch_add(1, std::memory_order_relaxed);
  Lock held = lock();
  contenders.fetch_sub(1, std::memory_order_relaxed);
  Worker worker(*this);
  const int64_t begin = request.parts ? nanoseconds() : 0;
  for (;;) {
    runReady(worker, held, -1);
    drainEnded(worker, held);
    if (!ready.empty())
      continue;
    if (signals.load(std::memory_order_relaxed)) {
      handleSignals(worker, held);
      continue;
    }
    std::lock_guard<std::mutex> ringing(bell);
    if (signals.load(std::memory_order_relaxed))
      continue;
    if (request.parts)
      Graph::recordCost(graph.turnCost, nanoseconds() - begin);
    return leave(ticket);
  }
}

bool Machine::leave(Ticket &ticket) {
  --helpers;
  ticket.isQueued = false;
  unusedTickets.push_back(&ticket);
  wakeSleepers();
  const bool tells = request.isDetached && !hasToldQuiet && isQuiet();
  hasToldQuiet |= tells;
  return tells;
}

/// Returns when no thread of the pool works for the step or is about to.
void Machine::dismissHelpers(Lock &lock) {
  if (helperLimit == 0)
    return;
  std::unique_lock<std::mutex> ringing(bell);
  // What rings from here on gets no more threads.
  ++attending;
  if (Ticket *ticket = std::exchange(takenOver, nullptr)) {
    unusedTickets.push_back(ticket);
    --helpers;
  }
  for (Ticket &ticket : tickets)
    if (ticket.isQueued && ThreadPool::get().remove(ticket)) {
      ticket.isQueued = false;
      unusedTickets.push_back(&ticket);
      --helpers;
    }
  while (helpers > 0) {
    lock.unlock();
    bellRung.wait(ringing);
    ringing.unlock();
    lock.lock();
    ringing.lock();
  }
}

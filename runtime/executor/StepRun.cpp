//===- StepRun.cpp - Steps whose parts run side by side ------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/executor/StepRun.h"
#include "runtime/base/Format.h"
#include "runtime/core/Program.h"
#include "runtime/core/Session.h"
#include "runtime/executor/Prepared.h"
#include "runtime/executor/Report.h"
#include "runtime/trace/Trace.h"

#include <cstdio>
#include <thread>

using namespace weir::rt;

namespace {

/// One step. A part with a table is a machine, a straight line one task; the
/// whole of a step without parts is its only one.
class StepRun final : public StepParts {
public:
  StepRun(WeirSession &session, const WeirEntryDesc &entry,
          const WeirRunOptions *given, CancellationToken *cancellation,
          std::shared_ptr<Rendezvous> rendezvous, uint64_t stepId = 0);

  /// Finds what is to be run. An error before anything runs.
  Status prepare();

  /// Runs all parts; one of them on this thread. `feeds` and `fetches` are the
  /// whole's.
  Status runHere(const WeirView *feeds, WeirTensor **fetches);
  /// Runs them on the pool, and deletes this.
  void runAway(std::vector<TensorRef> feeds, StallReport report, StepDone done);

  void stopped(const Status &status) override;
  void quiet(Machine &machine) override;
  std::string othersWait(const Machine &asking, size_t limit,
                         const char *prefix) override {
    return waiting(&asking, limit, prefix);
  }
  bool othersWork(const Machine &asking) override { return isWorking(&asking); }
  bool takesOver(const Machine &machine) override;
  bool hasTakenOver() override { return tookOver; }
  void runTakenOver() override;

private:
  struct Part : PoolTask {
    StepRun *owner = nullptr;
    const WeirEntryDesc *entry = nullptr;
    /// Null for the only part, whose feeds and fetches are the whole's.
    const WeirPartDesc *places = nullptr;
    PreparedGraph *prepared = nullptr;
    /// Changed with the lock. Null for a straight line, and when it has ended.
    std::unique_ptr<Machine> machine;
    bool hasEnded = false;
    bool hasDeadline = false;
    std::vector<WeirView> feeds;
    std::vector<TensorRef> feedTensors;
    std::vector<WeirTensor *> fetches;

    int32_t place(const int32_t *list, int32_t i) const {
      return places ? list[i] : i;
    }
  };

  Machine::Request request(Part &part, bool isDetached);
  void launch(Part &part);
  /// The first machine looks at the clock, and straight lines do. This is for
  /// when those have ended and others have not.
  void setDeadline();
  /// With the lock, or before the step is started.
  void watchForStall();
  Status runStraight(Part &part);
  /// A part has ended: the last one ends the step, where nobody waits.
  void ended(Part &part, Status status);
  /// One of those that keep the step; the last one ends it.
  void leave();
  void waitForAll();
  void reportStall();
  /// Of the parts but the one that asks, which may be null.
  std::string waiting(const Machine *asking, size_t limit, const char *prefix);
  bool isWorking(const Machine *asking);
  /// Puts the fetches together, or gives them back.
  Status collect(WeirTensor **all);

  WeirSession &session;
  const WeirEntryDesc &entry;
  WeirRunOptions options = WEIR_RUN_OPTIONS_INIT;
  /// Of the caller, and cancelled when a part fails.
  WeirCancellation stop;
  std::vector<std::unique_ptr<Part>> parts;
  StepDone done;

  std::mutex mutex;
  std::condition_variable allEnded;
  size_t running = 0;
  /// The thread that takes over what is short: of who waits for the step, or of
  /// who starts it, until it has started it.
  std::atomic<std::thread::id> caller{std::thread::id()};
  /// Of the caller: it has taken over something since it last looked.
  bool tookOver = false;
  /// What the caller itself runs, or null.
  const Graph *callersGraph = nullptr;
  bool hasReportedStall = false;
  Timer::Id deadline = 0;
  /// Of who does not wait for the step.
  StallReport onStall;
  Timer::Id stallAlarm = 0;
  /// The first one.
  Status error;
};

} // namespace

StepRun::StepRun(WeirSession &session, const WeirEntryDesc &entry,
                 const WeirRunOptions *given, CancellationToken *cancellation,
                 std::shared_ptr<Rendezvous> rendezvous, uint64_t stepId)
    : StepParts(std::move(rendezvous), entry.name, stepId), session(session),
      entry(entry), stop{CancellationToken(cancellation)} {
  if (given)
    options = *given;
  options.cancellation = &stop;
  const size_t count =
      entry.parts ? static_cast<size_t>(entry.part_count) : size_t(1);
  for (size_t i = 0; i < count; ++i) {
    parts.push_back(std::make_unique<Part>());
    Part &part = *parts.back();
    part.owner = this;
    part.places = entry.parts ? entry.parts + i : nullptr;
    part.entry =
        part.places ? session.program.entries + part.places->entry : &entry;
  }
}

Status StepRun::prepare() {
  for (auto &part : parts)
    if (part->entry->dataflow)
      WEIR_RETURN_IF_ERROR(
          PreparedGraph::find(session, *part->entry, part->prepared));
  // From here on every one of them is given back.
  for (auto &part : parts) {
    if (part->prepared)
      part->machine = part->prepared->take();
    part->fetches.assign(static_cast<size_t>(part->entry->fetch_count),
                         nullptr);
  }
  running = parts.size();
  for (auto &part : parts)
    if (part->machine) {
      part->hasDeadline = true;
      break;
    }
  return Status();
}

Machine::Request StepRun::request(Part &part, bool isDetached) {
  Machine::Request request;
  request.feeds = part.feeds.data();
  request.feedTensors = part.feedTensors.data();
  request.fetches = part.fetches.data();
  request.options = &options;
  request.isDetached = isDetached;
  request.hasDeadline = part.hasDeadline;
  request.parts = this;
  return request;
}

Status StepRun::runStraight(Part &part) {
  return runStep(session,
                 static_cast<int32_t>(part.entry - session.program.entries),
                 part.feeds.data(), part.fetches.data(), &options);
}

void StepRun::setDeadline() {
  constexpr std::chrono::milliseconds kGrace(20);
  if (options.timeout_ms > 0)
    deadline = Timer::get().add(
        Timer::Clock::now() + std::chrono::milliseconds(options.timeout_ms) +
            kGrace,
        [this] { stop.token.cancel("", WEIR_DEADLINE_EXCEEDED); });
}

void StepRun::watchForStall() {
  stallAlarm = Timer::get().add(
      Timer::Clock::now() + std::chrono::milliseconds(options.stall_report_ms),
      [this] {
        const bool works = isWorking(nullptr);
        std::string text = works ? "" : waiting(nullptr, 50, "\n  ");
        if (!text.empty())
          onStall(text);
        std::lock_guard<std::mutex> lock(mutex);
        if (running > 0)
          watchForStall();
      });
}

void StepRun::launch(Part &part) {
  if (Machine *machine = part.machine.get())
    return machine->start(request(part, /*isDetached=*/true));
  part.run = [](PoolTask &task) {
    Part &part = static_cast<Part &>(task);
    part.owner->ended(part, part.owner->runStraight(part));
  };
  if (!ThreadPool::get().submit(part, ThreadPool::coreCount()))
    part.run(part);
}

/// The parts of a step are told of its end by what they wait for and by its
/// token.
void StepRun::stopped(const Status &status) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (!error.ok())
      return;
    error = status.copy();
  }
  rendezvous->abort(status.copy());
  stop.token.cancel("another part of the step has failed", WEIR_CANCELLED);
}

void StepRun::quiet(Machine &machine) {
  Part *ending = nullptr;
  {
    std::lock_guard<std::mutex> lock(mutex);
    for (auto &part : parts)
      if (part->machine.get() == &machine)
        ending = part.get();
  }
  Machine::Lock lock = machine.lock();
  Status status = machine.finish(lock);
  lock.unlock();
  ended(*ending, std::move(status));
}

void StepRun::ended(Part &part, Status status) {
  if (!status.ok())
    stopped(status);
  else if (part.places && part.entry->device)
    rendezvous->sourceEnded(part.entry->device);
  std::unique_ptr<Machine> machine;
  {
    std::lock_guard<std::mutex> lock(mutex);
    machine = std::move(part.machine);
    part.hasEnded = true;
  }
  if (machine)
    part.prepared->giveBack(std::move(machine));
  leave();
}

void StepRun::leave() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (--running > 0)
      return;
    // Who waits goes on with the lock, and may delete this.
    if (!done)
      return allEnded.notify_all();
  }
  // Nothing begins another alarm.
  Timer::get().remove(deadline);
  Timer::get().remove(stallAlarm);
  std::vector<WeirTensor *> all(static_cast<size_t>(entry.fetch_count));
  Status result = collect(all.data());
  std::vector<TensorRef> fetches;
  for (WeirTensor *fetch : all)
    if (result.ok())
      fetches.emplace_back(fetch);
  StepDone tell = std::move(done);
  WeirSession &home = session;
  delete this;
  // The session may go from here on.
  home.running.fetch_sub(1, std::memory_order_release);
  tell(std::move(result), std::move(fetches));
}

Status StepRun::collect(WeirTensor **all) {
  for (auto &part : parts)
    for (int32_t i = 0; i < part->entry->fetch_count; ++i) {
      WeirTensor *fetch = part->fetches[static_cast<size_t>(i)];
      if (error.ok())
        all[part->place(part->places ? part->places->fetches : nullptr, i)] =
            fetch;
      else if (fetch)
        weir_tensor_release(fetch);
    }
  return std::move(error);
}

Status StepRun::runHere(const WeirView *feeds, WeirTensor **fetches) {
  for (auto &part : parts)
    for (int32_t i = 0; i < part->entry->feed_count; ++i)
      part->feeds.push_back(
          feeds[part->place(part->places ? part->places->feeds : nullptr, i)]);
  Part &first = *parts[0];
  // A straight line takes as long as it takes.
  if (first.machine) {
    callersGraph = &first.machine->graph;
    caller = std::this_thread::get_id();
  }
  setDeadline();
  for (size_t i = 1; i < parts.size(); ++i)
    launch(*parts[i]);
  ended(first, first.machine ? first.machine->run(request(first, false))
                             : runStraight(first));
  waitForAll();
  if (deadline != 0)
    Timer::get().remove(deadline);
  return collect(fetches);
}

/// Waking another thread takes longer than most parts of a small step do for
/// it: those whose turns are short wait for this one.
bool StepRun::takesOver(const Machine &machine) {
  constexpr uint32_t kShort = 20000;
  if (std::this_thread::get_id() != caller.load() ||
      !machine.graph.hasShortTurns(kShort) ||
      (callersGraph && !callersGraph->hasShortTurns(kShort)))
    return false;
  tookOver = true;
  return true;
}

void StepRun::runTakenOver() {
  tookOver = false;
  for (auto &part : parts) {
    void *turn = nullptr;
    Machine *machine;
    {
      // With a turn that is begun the machine stays until it is over.
      std::lock_guard<std::mutex> lock(mutex);
      machine = part->machine.get();
      if (!machine || !machine->beginTakenOver(turn))
        continue;
    }
    machine->runTakenOver(turn);
  }
}

void StepRun::waitForAll() {
  while (hasTakenOver())
    runTakenOver();
  std::unique_lock<std::mutex> lock(mutex);
  auto areAll = [&] { return running == 0; };
  while (options.stall_report_ms > 0 && !hasReportedStall && !areAll()) {
    if (allEnded.wait_for(
            lock, std::chrono::milliseconds(options.stall_report_ms), areAll))
      return;
    lock.unlock();
    reportStall();
    lock.lock();
  }
  allEnded.wait(lock, areAll);
}

void StepRun::reportStall() {
  if (isWorking(nullptr))
    return;
  std::string text = waiting(nullptr, 50, "\n  ");
  if (text.empty())
    return;
  hasReportedStall = true;
  text = str("[WEIR0327] nothing has run for ", options.stall_report_ms,
             " ms in entry '", entry.name, "'; these nodes wait", text, "\n");
  std::fputs(text.c_str(), stderr);
}

bool StepRun::isWorking(const Machine *asking) {
  std::lock_guard<std::mutex> lock(mutex);
  for (auto &part : parts) {
    if (part->hasEnded || part->machine.get() == asking)
      continue;
    if (!part->machine)
      return true;
    Machine::Lock held = part->machine->tryLock();
    if (!held.owns_lock() || part->machine->isBusy())
      return true;
  }
  return false;
}

std::string StepRun::waiting(const Machine *asking, size_t limit,
                             const char *prefix) {
  std::string text;
  std::lock_guard<std::mutex> lock(mutex);
  for (auto &part : parts) {
    if (!part->machine || part->machine.get() == asking)
      continue;
    // One that works now is not what the others wait for.
    Machine::Lock held = part->machine->tryLock();
    if (held.owns_lock())
      text += MachineReport(*part->machine).waiting(limit, prefix);
  }
  return text;
}

void StepRun::runAway(std::vector<TensorRef> feeds, StallReport report,
                      StepDone tell) {
  onStall = std::move(report);
  done = std::move(tell);
  for (auto &part : parts)
    for (int32_t i = 0; i < part->entry->feed_count; ++i) {
      const int32_t place =
          part->place(part->places ? part->places->feeds : nullptr, i);
      part->feedTensors.push_back(feeds[static_cast<size_t>(place)]);
      part->feeds.push_back(part->feedTensors.back().view());
    }
  // This thread keeps the step, too, until it is started. Who starts a step
  // when another has ended does not nest them.
  static thread_local bool isStarting = false;
  ++running;
  setDeadline();
  if (options.stall_report_ms > 0)
    watchForStall();
  const bool takesOver = !std::exchange(isStarting, true);
  if (takesOver)
    caller = std::this_thread::get_id();
  for (auto &part : parts)
    launch(*part);
  if (takesOver) {
    while (hasTakenOver())
      runTakenOver();
    caller = std::thread::id();
  }
  leave();
  if (takesOver)
    isStarting = false;
}

int32_t weir_rt_run_parts(WeirStep *handle) {
  Step &step = Step::of(handle);
  const WeirRunOptions *options = step.options;
  StepRun run(step.session, step.entry, options,
              options && options->cancellation ? &options->cancellation->token
                                               : nullptr,
              makeLocalRendezvous());
  Status status = run.prepare();
  if (status.ok())
    status = run.runHere(step.feeds, step.fetches);
  return status.ok() ? WEIR_OK : step.fail(std::move(status));
}

/// The feeds of a step are what the entry declares.
static Status checkFeeds(WeirSession &session, int32_t entryIndex,
                         const std::vector<TensorRef> &feeds) {
  const WeirProgram &program = session.program;
  if (entryIndex < 0 || entryIndex >= program.entry_count)
    return Status(WEIR_NOT_FOUND,
                  str("[WEIR0303] program '", program.name,
                      "' has no entry with index ", entryIndex, " (it has ",
                      program.entry_count, " entries)"));
  const WeirEntryDesc &entry = program.entries[entryIndex];
  if (feeds.size() != static_cast<size_t>(entry.feed_count))
    return Status(WEIR_INVALID_ARGUMENT,
                  str("[WEIR0301] entry '", entry.name, "' has ",
                      entry.feed_count, " feeds; the call gives ",
                      feeds.size()));
  for (int32_t i = 0; i < entry.feed_count; ++i) {
    const TensorRef &feed = feeds[static_cast<size_t>(i)];
    if (!feed)
      return Status(WEIR_INVALID_ARGUMENT,
                    str("[WEIR0301] entry '", entry.name,
                        "' was given no value for feed '", entry.feeds[i].name,
                        "'"));
    WEIR_RETURN_IF_ERROR(checkFeed(entry, entry.feeds[i], feed.view()));
  }
  return Status();
}

void weir::rt::startStep(WeirSession &session, int32_t entryIndex,
                         std::vector<TensorRef> feeds, StepOptions options,
                         StepDone done) {
  session.running.fetch_add(1, std::memory_order_relaxed);
  auto refuse = [&](Status status) {
    session.running.fetch_sub(1, std::memory_order_release);
    done(std::move(status), {});
  };
  if (Status checked = checkFeeds(session, entryIndex, feeds); !checked.ok())
    return refuse(std::move(checked));
  WeirRunOptions given = WEIR_RUN_OPTIONS_INIT;
  given.timeout_ms = options.timeoutMs;
  given.threads = options.threads;
  given.stall_report_ms = options.onStall ? options.stallReportMs : 0;
  auto run = std::make_unique<StepRun>(
      session, session.program.entries[entryIndex], &given,
      options.cancellation.get(),
      options.rendezvous ? options.rendezvous : makeLocalRendezvous(),
      options.stepId);
  if (Status prepared = run->prepare(); !prepared.ok())
    return refuse(std::move(prepared));
  // The token lives as long as the step.
  run.release()->runAway(std::move(feeds), std::move(options.onStall),
                         [token = options.cancellation, done = std::move(done)](
                             Status status, std::vector<TensorRef> fetches) {
                           done(std::move(status), std::move(fetches));
                         });
}

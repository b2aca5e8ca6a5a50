//===- Machine.h - One step of a dataflow graph -----------------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A machine is a monitor. Counts, slots, frames and ready nodes are plain data
// that belong to whoever holds its lock; a thread that works for the step holds
// it all the while, but for kernels that are worth another thread and for its
// sleep. So a step on one thread costs one lock in all.
//
// Other threads reach the step through its *bell*, which has a lock of its own:
// calls that have ended lie there, interruptions (cancellation, deadlines) and
// requests for threads. Order of the locks: machine, bell, pool.
//
// A machine is used for one step after the other: begin, work, end. One that is
// started without a caller (a part of a step, StepRun.h) is worked for by
// threads of the pool only, and tells when it is quiet.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_EXECUTOR_MACHINE_H
#define WEIR_RUNTIME_EXECUTOR_MACHINE_H

#include "runtime/core/Session.h"
#include "runtime/device/StepOnDevice.h"
#include "runtime/executor/Call.h"
#include "runtime/executor/Frames.h"
#include "runtime/executor/Graph.h"
#include "runtime/executor/Ready.h"
#include "runtime/executor/ThreadPool.h"
#include "runtime/executor/Timer.h"

#include <atomic>
#include <condition_variable>
#include <deque>
#include <optional>

namespace weir::rt {

/// The step that a machine runs a part of. From any thread, without locks.
class StepParts {
public:
  StepParts(std::shared_ptr<Rendezvous> rendezvous, const char *entryName,
            uint64_t stepId)
      : rendezvous(std::move(rendezvous)), entryName(entryName),
        stepId(stepId) {}

  /// Where the parts send and receive.
  const std::shared_ptr<Rendezvous> rendezvous;
  /// For messages: the name of the whole entry, which those of its parts come
  /// from.
  const char *const entryName;
  /// For messages; 0 for a step that has no number.
  const uint64_t stepId;

  /// The machine has an error; the others need not go on.
  virtual void stopped(const Status &status) = 0;
  /// The machine that was started is quiet: it is to be ended now. The last
  /// that this thread does with it.
  virtual void quiet(Machine &machine) = 0;
  /// What the other parts wait for, as MachineReport::waiting. With the lock of
  /// the machine that asks.
  virtual std::string othersWait(const Machine &asking, size_t limit,
                                 const char *prefix) = 0;
  /// Another part works, or is about to. With the lock of the machine that
  /// asks.
  virtual bool othersWork(const Machine &asking) = 0;
  /// The caller's thread, which is this one, will do what `machine` has to be
  /// done when it has nothing else to do. With the machine's bell.
  virtual bool takesOver(const Machine &machine) = 0;
  /// On the caller's thread: whether it has taken over anything, and doing it.
  virtual bool hasTakenOver() = 0;
  virtual void runTakenOver() = 0;

protected:
  ~StepParts() = default;
};

class Machine {
public:
  Machine(WeirSession &session, const Graph &graph);
  ~Machine();
  Machine(const Machine &) = delete;
  Machine &operator=(const Machine &) = delete;

  /// How a step is run; the feeds may be absent (partial runs).
  struct Request {
    const WeirView *feeds = nullptr;
    /// Where feeds come as tensors: the same ones, which outlive the step.
    const TensorRef *feedTensors = nullptr;
    WeirTensor **fetches = nullptr;
    const WeirRunOptions *options = nullptr;
    bool isPartial = false;
    /// Nobody waits for it but `parts`.
    bool isDetached = false;
    /// It looks at the clock itself: of the parts of a step one does, which
    /// tells what all wait for.
    bool hasDeadline = true;
    /// Null for a step that is no part: it has a rendezvous of its own.
    StepParts *parts = nullptr;
  };

  /// Runs a whole step on this thread and those of the pool.
  Status run(const Request &request);

  // ---- In parts. `Lock` is the machine's.
  using Lock = std::unique_lock<std::mutex>;
  Lock lock() { return Lock(mutex); }
  Lock tryLock() { return Lock(mutex, std::try_to_lock); }
  void begin(const Request &request);
  /// Begins a step on the threads of the pool (Request::isDetached).
  void start(const Request &request);
  /// Gives a feed its value.
  void feed(int32_t index, TensorRef value);
  /// Works, and sleeps while only others do, until fetch `until` is there (none
  /// for -1), or nothing runs any more and nothing can come.
  void work(Lock &lock, int32_t until = -1);
  /// Works while there is something to run.
  void workWithoutWaiting(Lock &lock);
  /// Hands out a fetch that is there, as a tensor that nobody else sees.
  Status takeFetch(int32_t index, TensorRef &value);
  /// Ends a step that is quiet or stopped, as end(); without all fetches that
  /// is an error.
  Status finish(Lock &lock);
  /// Ends the step: no call is in flight, no thread works for it. Gives its
  /// error.
  Status end(Lock &lock);
  /// The first error wins. Nothing new begins from here on.
  void stop(Lock &lock, Status status);

  bool isStopped() const { return stopped; }
  bool hasFetch(int32_t index) const { return request.fetches[index]; }
  bool isFed(int32_t index) const { return fed[static_cast<size_t>(index)]; }
  const WeirEntryDesc &entry() const { return graph.entry; }
  /// Nothing runs, and nothing will without another feed.
  bool isQuiet() const { return inFlightCount == 0 && !isBusy(); }
  /// Something runs, or is about to.
  bool isBusy() const {
    return !ready.empty() || running.load(std::memory_order_relaxed) != 0;
  }
  const Status &error() const { return status; }

  // ---- From any thread.
  void ended(Call *call);
  /// Does what a caller has taken over (StepParts); false where it was not, or
  /// is done already.
  bool beginTakenOver(void *&turn);
  void runTakenOver(void *turn);
  void interrupt(WeirCode code, std::string reason);

  const Graph &graph;
  WeirSession &session;

private:
  friend class MachineReport;
  /// A thread's place in a step.
  struct Worker;
  struct Ticket : PoolTask {
    Machine *machine = nullptr;
    bool isQueued = false;
  };

  /// The innermost one of this thread.
  static thread_local Worker *current;

  Status prepareFeed(TensorRef &value) const;
  void synchronize(Lock &lock);
  void workUntil(Lock &lock, int32_t until, bool mayWait);

  // Running nodes.
  void runReady(Worker &worker, Lock &lock, int32_t until);
  template <bool Plain> void runLoop(Worker &worker, Lock &lock, int32_t until);
  template <bool Plain>
  [[gnu::always_inline]] void runNode(ReadyNode next, Worker &worker,
                                      Lock &lock);
  template <bool Plain>
  void runKernel(uint32_t n, Iteration *it, Worker &worker, Lock &lock);
  /// Whether to let go of the lock for node `n`, and whether to take its time.
  struct Sharing {
    bool share = false, measure = false;
    int64_t start = 0;
  };
  Sharing beginLong(uint32_t n, Lock &lock);
  void endLong(const Sharing &sharing, uint32_t n, Lock &lock);
  int32_t runOnDevice(const GraphNode &node, Step &step, WeirView *views,
                      WeirTensor **tensors);
  void runCall(uint32_t n, Iteration *it, Worker &worker, Lock &lock);
  /// A call whose inputs are empty yet; an error ends the step, and gives null.
  Call *beginCall(uint32_t n, Iteration *it, Lock &lock);
  /// Such a call waits by itself for checks on the device before it writes.
  static bool isAboutVariable(const Call &call);
  Status fillInputs(Call &call);
  template <bool Plain>
  void runSend(uint32_t n, Iteration *it, bool isDead, Lock &lock);
  void runReceive(uint32_t n, Iteration *it, Worker &worker, Lock &lock);
  Rendezvous &rendezvous();
  void finishCall(Call *call, Lock &lock);
  Status checkOutputs(const Call &call) const;
  void runDead(uint32_t n, Iteration *it, Lock &lock);
  void runSwitch(uint32_t n, Iteration *it, Lock &lock);
  void runMerge(uint32_t n, Iteration *it, bool isDead, Lock &lock);
  void runFetch(uint32_t n, Iteration *it);
  void fail(uint32_t n, Status error, Lock &lock);
  /// Now and then, and when there are signals.
  void lookAround(Worker &worker, Lock &lock);

  // Giving values back. Blocks of scalars stay at hand.
  void releaseValue(WeirTensor *tensor) {
    if (tensor->references.load(std::memory_order_acquire) != 1 ||
        tensor->release || tensor->text)
      return weir_tensor_release(tensor);
    Block *block = Block::of(tensor);
    if (block->sizeClass != kScalarClass || scalars.count >= kMaxScalars)
      return releaseBlock(block);
    block->next = scalars.first;
    scalars.first = block;
    ++scalars.count;
  }

  // Delivering what nodes make. Values come with their reference.
  WeirTensor *takeInput(int32_t operand, Iteration *it);
  template <bool Plain>
  void deliver(const GraphNode &node, int32_t output, Iteration *it,
               WeirTensor *value);
  template <bool Plain>
  void deliverControl(const GraphNode &node, Iteration *it, bool isDead);
  void deliverDead(const GraphNode &node, int32_t output, Iteration *it);
  /// The value of an ENTER or NEXT_ITERATION, null for dead.
  void deliverInto(uint32_t n, Iteration *it, WeirTensor *value);
  template <bool Plain>
  void deliverFirst(const GraphNode &node, Iteration *it, WeirTensor *value);
  template <bool Plain>
  void deliverAlong(const Edge *edge, const Edge *end, int32_t uses,
                    Iteration *it, WeirTensor *value);
  template <bool Plain>
  void arriveLive(const Edge &edge, Iteration *it, WeirTensor *value);
  template <bool Plain>
  void arriveControl(const Edge &edge, Iteration *it, bool isDead);
  void arriveDead(const Edge &edge, Iteration *it, bool fromEnter);
  template <bool Plain> void push(uint32_t n, Iteration *it, bool isDead) {
    ready.push({n, isDead, it});
    if (!Plain)
      ++it->outstanding;
  }
  /// `n` has run or was dead: what it waited for in `it` is over.
  void nodeDone(Iteration *it) {
    if (--it->outstanding == 0 && it->frame->parent && !stopped)
      settle(it->frame);
  }

  // Frames.
  void runEnter(uint32_t n, Iteration *it, bool isDead);
  void runExit(uint32_t n, Iteration *it, bool isDead, Lock &lock);
  void runNextIteration(uint32_t n, Iteration *it, bool isDead);
  Iteration *startIteration(FrameInstance &frame);
  /// Lets go of the iterations that are over, and of the frame with the last.
  void settle(FrameInstance *frame);
  void deliverDeadExits(FrameInstance &frame);
  Iteration *makeIteration(FrameInstance &frame, int64_t number);
  void release(Iteration *it);
  FrameInstance *makeFrame(int32_t id, Iteration *parent);
  void release(FrameInstance *frame);
  void clearSlots(Iteration &it);
  void cleanUp();

  // Threads.
  bool mayShare() const { return helperLimit > 0; }
  void handleSignals(Worker &worker, Lock &lock);
  void stopIfCancelled(Lock &lock);
  /// The kernel of `n` has ended early since the step is to stop.
  void stopInterrupted(uint32_t n, Worker &worker, Lock &lock);
  void drainEnded(Worker &worker, Lock &lock);
  /// Lets threads in that wait for the lock.
  void giveWay(Lock &lock);
  void lockAgain(Lock &lock);
  void sleep(Lock &lock);
  /// There is work for another thread.
  void wantHelp();
  /// With the bell's lock.
  void askForHelper();
  void wakeSleepers();
  void help(Ticket &ticket);
  bool helpOut(Ticket &ticket);
  void dismissHelpers(Lock &lock);
  /// A thread of the pool that goes; true where it is to tell that all is over.
  bool leave(Ticket &ticket);
  void watch();
  void unwatch();
  void reportStall();

  /// What the device knows of the step.
  StepOnDevice onDevice;

  // Of the graph, at hand.
  const GraphNode *const nodes;
  const Edge *const edges;
  const int32_t *const operands;
  const WeirEntryDesc *const kernels;

  std::mutex mutex;
  Request request;
  WeirRunOptions options = WEIR_RUN_OPTIONS_INIT;
  ReadyNodes ready;
  static constexpr int32_t kMaxScalars = 512;
  ScalarBlocks scalars;
  FrameInstance *root = nullptr;
  Iteration *rootIteration = nullptr;
  Call *inFlight = nullptr;
  int32_t inFlightCount = 0;
  int32_t openFrameCount = 0;
  bool stopped = false;
  /// That it is, or will be soon: for kernels, which run without the lock.
  std::atomic<bool> stopRequested{false};
  /// Whose kernels run without the lock. For messages.
  std::vector<uint32_t> longNodes;
  Status status;
  /// Nodes until the next look around.
  uint32_t untilLook = 0;
  /// Of each switch: the output that it took last; of each merge: 1 where it
  /// was live. kDeadOutcome, or kNoOutcome before it runs. For messages.
  static constexpr int32_t kNoOutcome = -1, kDeadOutcome = -2;
  std::vector<int32_t> outcomes;
  std::vector<bool> fed;
  std::optional<CancellationToken> token;
  std::optional<StepResources> resources;
  /// Made where none was given.
  std::shared_ptr<Rendezvous> ownRendezvous;
  /// StepParts::quiet has been called, or is about to be.
  bool hasToldQuiet = false;

  // Pools of this machine: all there are, and those not in use (iterations by
  // frame).
  std::vector<std::unique_ptr<Iteration>> iterations;
  std::vector<Iteration *> unusedIterations;
  std::vector<std::unique_ptr<FrameInstance>> instances;
  FrameInstance *unusedFrames = nullptr;

  /// How many threads may come beside the caller's.
  int32_t helperLimit = 0;
  /// Threads that wait for the lock to go on.
  std::atomic<int32_t> contenders{0};
  /// Workers in a kernel or a call without the lock; changed with it.
  std::atomic<int32_t> running{0};
  /// Threads that sleep in work(); changed with the lock.
  std::atomic<int32_t> sleepers{0};

  // The bell.
  static constexpr uint32_t kCallEnded = 1, kInterrupted = 2;
  std::mutex bell;
  std::condition_variable bellRung;
  /// What a worker has to look at; may be read without the bell's lock.
  std::atomic<uint32_t> signals{0};
  Call *endedCalls = nullptr;
  Call **lastEnded = &endedCalls;
  WeirCode interruption = WEIR_OK;
  std::string interruptionReason;
  uint64_t rings = 0;
  /// Threads of callers that are in work().
  int32_t attending = 0;
  int32_t helpers = 0;
  std::deque<Ticket> tickets;
  /// Counts as a helper; not queued.
  Ticket *takenOver = nullptr;
  std::vector<Ticket *> unusedTickets;

  // What may end the step from outside. With the machine's lock.
  bool isWatched = false;
  CancellationToken::Id sessionWatch = 0, callerWatch = 0;
  Timer::Id deadline = 0;
  bool hasReportedStall = false;
};

} // namespace weir::rt

#endif // WEIR_RUNTIME_EXECUTOR_MACHINE_H

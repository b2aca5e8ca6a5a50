//===- Step.h - One run of one graph -------------------------- -*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tagged-token machine. What a node gives belongs to an iteration of an
// instance of a frame (the graph itself is an instance with one iteration), and
// so does the state of a node: what has arrived for it there. An instance of a
// frame is made by the first enter that leads into it from an iteration around,
// and goes when nothing in it can happen any more.
//
// Of the nodes that are ready, one of the oldest iteration runs, there the
// first in the text. So a step is the same each time.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_INTERPRETER_STEP_H
#define WEIR_LIB_INTERPRETER_STEP_H

#include "lib/Interpreter/Plan.h"
#include <deque>
#include <map>
#include <queue>

namespace weir {

class Step {
public:
  /// Plan and symbols outlive the step.
  Step(const Plan &plan, Symbols &symbols, Interruption interruption = {});
  /// Cancels what waits.
  ~Step();
  Step(const Step &) = delete;
  Step &operator=(const Step &) = delete;

  /// Gives feed `i` its value, which has been checked, once.
  llvm::Error feed(unsigned i, Tensor value);
  /// Runs what can run. Nodes may still wait afterwards.
  llvm::Error advance();
  /// Fetch `i`: null where it is not there yet. A dead one ends the step.
  const Tensor *fetch(unsigned i) const {
    return fetched[i] ? fetched[i]->tensor() : nullptr;
  }
  /// After advance() with all feeds: an error unless all that the step is for
  /// has happened and nothing waits any more. Fails nodes that wait with a
  /// time-out: nothing can let them end before.
  llvm::Error finish();

private:
  struct Frame;

  /// What has arrived for a node in an iteration.
  struct NodeState {
    /// Inputs and controls that are missing.
    unsigned inputs, controls;
    /// A merge: whether it was given a live value, and which operand's.
    int taken = -1;
    /// Whether something arrived that makes the node dead, and whose fault
    /// that is.
    bool isDead = false;
    mlir::Operation *killer = nullptr;
    /// It is ready, or has run.
    bool hasBegun = false;
  };

  struct Iteration {
    Frame *frame;
    int64_t number;
    /// Counts the iterations of the step.
    uint64_t age;
    /// Nodes that are ready or wait, and frames inside.
    unsigned outstanding = 0;
    std::vector<NodeState> nodes;
    std::vector<Datum> slots;
    std::map<int, std::unique_ptr<Frame>> frames;
  };

  using Results = llvm::SmallVector<Datum, 4>;

  struct Frame {
    int number;
    /// Where it was entered from; null for the graph itself.
    Iteration *parent;
    /// Those that are not done, in order.
    std::deque<std::unique_ptr<Iteration>> iterations;
    int64_t begun = 0;
    /// Enters that have not come.
    unsigned missingEnters;
    /// What every iteration is given.
    std::vector<std::pair<const Plan::Node *, Results>> invariants;
    /// Exits that were dead in the last iteration, and that were live in any.
    std::vector<std::pair<const Plan::Node *, mlir::Operation *>> deadExits;
    llvm::DenseSet<const Plan::Node *> liveExits;
  };

  struct Ready {
    uint64_t age;
    unsigned node;
    Iteration *iteration;
    bool operator>(const Ready &other) const {
      return std::tie(age, node) > std::tie(other.age, other.node);
    }
  };

  /// A node that waits.
  struct Waiting {
    unsigned node;
    Iteration *iteration;
    std::shared_ptr<Wait> wait;
  };

  // Arrival.
  Iteration &addIteration(Frame &frame);
  llvm::Error deliver(Iteration &iteration, Plan::Use use, const Datum &datum);
  llvm::Error deliverAll(Iteration &iteration, const Plan::Node &node,
                         llvm::ArrayRef<Datum> results);
  llvm::Error arriveAtMerge(Iteration &iteration, unsigned number,
                            NodeState &state, int input, const Datum &datum);
  llvm::Error arriveAtFetch(Plan::Use use, const Datum &datum);
  void makeReady(Iteration &iteration, unsigned number, NodeState &state);

  // Running.
  llvm::Error start();
  llvm::Error run(Iteration &iteration, unsigned number);
  llvm::Error runLive(Iteration &iteration, unsigned number, NodeState &state,
                      Results &results, bool &waits);
  llvm::Error finishNode(Iteration &iteration, unsigned number,
                         llvm::ArrayRef<Datum> results);
  llvm::Error finishWaiting();
  llvm::Error checkInterruption();

  // Leaving.
  llvm::Error send(Iteration &iteration, const Plan::Node &node,
                   llvm::ArrayRef<Datum> results);
  llvm::Error sendIntoFrame(Iteration &iteration, const Plan::Node &node,
                            llvm::ArrayRef<Datum> results);
  llvm::Error sendOutOfFrame(Iteration &iteration, const Plan::Node &node,
                             llvm::ArrayRef<Datum> results);
  llvm::Error sendToNext(Iteration &iteration, const Plan::Node &node,
                         llvm::ArrayRef<Datum> results);
  llvm::Error settle(Frame &frame);

  // Errors.
  llvm::Error deadError(unsigned fetch, mlir::Operation *killer) const;
  llvm::Error stallError() const;
  llvm::Error cannotFinish() const;

  const Plan &plan;
  Symbols &symbols;
  Interruption interruption;
  bool hasStarted = false;
  uint64_t iterationCount = 0, nodeCount = 0;
  Frame root;
  std::priority_queue<Ready, std::vector<Ready>, std::greater<>> ready;
  /// Numbered, so that the end of a wait finds its node.
  std::map<uint64_t, Waiting> waiting;
  uint64_t lastWait = 0;
  /// The numbers of waits that have ended.
  std::deque<uint64_t> ended;
  std::vector<std::optional<Datum>> fetched;
  unsigned missingTargets;
  /// Which nodes have run, or were dead, in any iteration.
  std::vector<bool> hasRun;
};

} // namespace weir

#endif // WEIR_LIB_INTERPRETER_STEP_H

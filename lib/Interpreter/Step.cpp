//===- Step.cpp - One run of one graph ------------------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Interpreter/Step.h"

using namespace mlir;

namespace weir {

using Role = Plan::Role;

Step::Step(const Plan &plan, Symbols &symbols, Interruption interruption)
    : plan(plan), symbols(symbols), interruption(std::move(interruption)),
      fetched(plan.nodes.back().inputs.size()),
      missingTargets(plan.nodes.back().controls), hasRun(plan.nodes.size()) {
  root.number = 0;
  root.parent = nullptr;
  root.missingEnters = 0;
  addIteration(root);
}

Step::~Step() {
  // What waits leaves its queue; it loses nothing there.
  for (auto &[number, node] : waiting)
    node.wait->onEnd = nullptr;
  for (auto &[number, node] : waiting)
    node.wait->token.cancel("the step has ended");
}

//===----------------------------------------------------------------------===//
// Arrival
//===----------------------------------------------------------------------===//

Step::Iteration &Step::addIteration(Frame &frame) {
  const Plan::Frame &info = plan.frames[frame.number];
  auto &iteration =
      frame.iterations.emplace_back(std::make_unique<Iteration>());
  iteration->frame = &frame;
  iteration->number = frame.begun++;
  iteration->age = iterationCount++;
  iteration->nodes.resize(info.nodes.size());
  iteration->slots.resize(info.slots);
  for (const Plan::Node *node : info.nodes) {
    iteration->nodes[node->place].inputs = node->arriving;
    iteration->nodes[node->place].controls = node->controls;
  }
  return *iteration;
}

void Step::makeReady(Iteration &iteration, unsigned number, NodeState &state) {
  state.hasBegun = true;
  ++iteration.outstanding;
  ready.push({iteration.age, number, &iteration});
}

llvm::Error Step::deliver(Iteration &iteration, Plan::Use use,
                          const Datum &datum) {
  const Plan::Node &node = plan.nodes[use.node];
  if (node.role == Role::Fetch)
    return arriveAtFetch(use, datum);
  NodeState &state = iteration.nodes[node.place];
  if (node.role == Role::Merge)
    return arriveAtMerge(iteration, use.node, state, use.input, datum);
  if (state.hasBegun)
    return nodeError(node.op, code::secondValue,
                     "the node is given something a second time in one "
                     "iteration; an exit may be live in one iteration only");
  if (datum.isDead() && !state.isDead) {
    state.isDead = true;
    state.killer = datum.killer();
  }
  if (use.input == Plan::Use::control) {
    --state.controls;
  } else {
    --state.inputs;
    iteration.slots[node.slot + use.input] = datum;
  }
  if (state.inputs == 0 && state.controls == 0)
    makeReady(iteration, use.node, state);
  return llvm::Error::success();
}

llvm::Error Step::arriveAtMerge(Iteration &iteration, unsigned number,
                                NodeState &state, int input,
                                const Datum &datum) {
  const Plan::Node &node = plan.nodes[number];
  // What comes after the first live value is ignored.
  if (state.hasBegun)
    return llvm::Error::success();
  if (input == Plan::Use::control) {
    --state.controls;
  } else if (!datum.isDead()) {
    if (state.taken == -1) {
      state.taken = input;
      iteration.slots[node.slot + input] = datum;
    }
  } else {
    if (!state.killer)
      state.killer = datum.killer();
    // Of a loop that is not taken the back edge never comes: a dead enter is
    // enough.
    std::optional<unsigned> source = plan.producer(node.inputs[input]);
    bool isEnter = source && plan.nodes[*source].role == Role::Enter;
    state.isDead |= --state.inputs == 0 || isEnter;
  }
  if (state.controls == 0 && (state.taken != -1 || state.isDead))
    makeReady(iteration, number, state);
  return llvm::Error::success();
}

llvm::Error Step::arriveAtFetch(Plan::Use use, const Datum &datum) {
  if (use.input == Plan::Use::control) {
    // A target may be dead: then it had nothing to do.
    missingTargets -= missingTargets > 0;
    return llvm::Error::success();
  }
  std::optional<Datum> &fetch = fetched[use.input];
  if (fetch)
    return nodeError(plan.nodes[use.node].op, code::secondValue,
                     "fetch '" + GraphOp(plan.graph).getFetchName(use.input) +
                         "' is given a value a second time; an exit may be "
                         "live in one iteration only");
  if (datum.isDead())
    return deadError(use.input, datum.killer());
  fetch = datum;
  return llvm::Error::success();
}

llvm::Error Step::deliverAll(Iteration &iteration, const Plan::Node &node,
                             ArrayRef<Datum> results) {
  for (auto [uses, datum] : llvm::zip_equal(node.uses, results))
    for (Plan::Use use : uses)
      if (llvm::Error error = deliver(iteration, use, datum))
        return error;
  return llvm::Error::success();
}

llvm::Error Step::feed(unsigned i, Tensor value) {
  // Constants come before all feeds.
  if (!hasStarted)
    if (llvm::Error error = start())
      return error;
  Datum datum(std::move(value));
  for (Plan::Use use : plan.feedUses[i])
    if (llvm::Error error = deliver(*root.iterations.front(), use, datum))
      return error;
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

/// Nodes that wait for nothing begin, and constants arrive where a node is
/// looking for the first one.
llvm::Error Step::start() {
  hasStarted = true;
  Iteration &iteration = *root.iterations.front();
  for (auto [i, node] : llvm::enumerate(plan.nodes)) {
    if (node.frame != 0)
      continue;
    unsigned number = static_cast<unsigned>(i);
    for (auto [input, constant] : llvm::enumerate(node.constants))
      if (constant != -1 &&
          (node.role == Role::Merge || node.role == Role::Fetch))
        if (llvm::Error error =
                deliver(iteration, {number, static_cast<int>(input)},
                        plan.constants[constant]))
          return error;
    if (node.arriving + node.controls == 0 && node.role != Role::Fetch &&
        node.role != Role::Merge)
      makeReady(iteration, number, iteration.nodes[node.place]);
  }
  return llvm::Error::success();
}

llvm::Error Step::checkInterruption() {
  // Asking for the time costs more than a small node.
  return nodeCount++ % 64 == 0
             ? interruption.check(plan.nodes[ready.top().node].op)
             : llvm::Error::success();
}

llvm::Error Step::advance() {
  if (!hasStarted)
    if (llvm::Error error = start())
      return error;
  for (;;) {
    if (!ended.empty()) {
      if (llvm::Error error = finishWaiting())
        return error;
      continue;
    }
    if (ready.empty())
      return llvm::Error::success();
    if (llvm::Error error = checkInterruption())
      return error;
    Ready next = ready.top();
    ready.pop();
    if (llvm::Error error = run(*next.iteration, next.node))
      return error;
  }
}

llvm::Error Step::runLive(Iteration &iteration, unsigned number,
                          NodeState &state, Results &results, bool &waits) {
  const Plan::Node &node = plan.nodes[number];
  MutableArrayRef<Datum> slots =
      MutableArrayRef(iteration.slots).slice(node.slot, node.inputs.size());
  if (node.role == Role::Trigger)
    return llvm::Error::success();
  if (node.role == Role::Merge) {
    results[0] = std::move(slots[state.taken]);
    results[1] = Tensor::scalar(WEIR_I32, state.taken);
    return checkResults(node.op, results);
  }
  for (auto [constant, slot] : llvm::zip_equal(node.constants, slots))
    if (constant != -1)
      slot = plan.constants[constant];
  NodeRun run(node.op, node.inputs, slots, symbols);
  run.interruption = &interruption;
  if (llvm::Error error = runNode(run, node.function))
    return error;
  waits = run.wait != nullptr;
  if (waits) {
    uint64_t id = ++lastWait;
    run.wait->onEnd = [this, id] { ended.push_back(id); };
    waiting[id] = {number, &iteration, std::move(run.wait)};
  }
  results = std::move(run.results);
  return llvm::Error::success();
}

llvm::Error Step::run(Iteration &iteration, unsigned number) {
  const Plan::Node &node = plan.nodes[number];
  NodeState &state = iteration.nodes[node.place];
  Results results(node.op->getNumResults());
  bool isDead = state.isDead && state.taken == -1 && node.role != Role::Trigger;
  bool waits = false;
  if (isDead)
    results.assign(results.size(), Datum::dead(state.killer));
  else if (llvm::Error error =
               runLive(iteration, number, state, results, waits))
    return error;
  return waits ? llvm::Error::success()
               : finishNode(iteration, number, results);
}

llvm::Error Step::finishWaiting() {
  Waiting node = std::move(waiting.extract(ended.front()).mapped());
  ended.pop_front();
  NodeRun run(plan.nodes[node.node].op, {}, {}, symbols);
  run.wait = std::move(node.wait);
  if (llvm::Error error = finishWait(run))
    return error;
  return finishNode(*node.iteration, node.node, run.results);
}

llvm::Error Step::finishNode(Iteration &iteration, unsigned number,
                             ArrayRef<Datum> results) {
  hasRun[number] = true;
  if (llvm::Error error = send(iteration, plan.nodes[number], results))
    return error;
  --iteration.outstanding;
  return settle(*iteration.frame);
}

//===----------------------------------------------------------------------===//
// Leaving
//===----------------------------------------------------------------------===//

llvm::Error Step::send(Iteration &iteration, const Plan::Node &node,
                       ArrayRef<Datum> results) {
  switch (node.role) {
  case Role::Enter:
    return sendIntoFrame(iteration, node, results);
  case Role::Exit:
    return sendOutOfFrame(iteration, node, results);
  case Role::NextIteration:
    return sendToNext(iteration, node, results);
  default:
    return deliverAll(iteration, node, results);
  }
}

llvm::Error Step::sendIntoFrame(Iteration &iteration, const Plan::Node &node,
                                ArrayRef<Datum> results) {
  std::unique_ptr<Frame> &frame = iteration.frames[node.resultFrame];
  if (!frame) {
    frame = std::make_unique<Frame>();
    frame->number = node.resultFrame;
    frame->parent = &iteration;
    frame->missingEnters = plan.frames[node.resultFrame].enters;
    addIteration(*frame);
    ++iteration.outstanding;
  }
  --frame->missingEnters;
  if (!cast<EnterOp>(node.op).getIsConstant()) {
    if (llvm::Error error =
            deliverAll(*frame->iterations.front(), node, results))
      return error;
    return settle(*frame);
  }
  frame->invariants.emplace_back(&node, results);
  for (auto &running : frame->iterations)
    if (llvm::Error error = deliverAll(*running, node, results))
      return error;
  return settle(*frame);
}

llvm::Error Step::sendOutOfFrame(Iteration &iteration, const Plan::Node &node,
                                 ArrayRef<Datum> results) {
  Frame &frame = *iteration.frame;
  if (!results[0].isDead()) {
    frame.liveExits.insert(&node);
    return deliverAll(*frame.parent, node, results);
  }
  // Remembered for the end of the frame, should this be the last iteration.
  if (iteration.number == frame.begun - 1)
    frame.deadExits.emplace_back(&node, results[0].killer());
  return llvm::Error::success();
}

llvm::Error Step::sendToNext(Iteration &iteration, const Plan::Node &node,
                             ArrayRef<Datum> results) {
  if (results[0].isDead())
    return llvm::Error::success();
  Frame &frame = *iteration.frame;
  bool isFirst = iteration.number == frame.begun - 1;
  if (isFirst) {
    addIteration(frame);
    frame.deadExits.clear();
  }
  int64_t index = iteration.number + 1 - frame.iterations.front()->number;
  Iteration &next = *frame.iterations[index];
  if (llvm::Error error = deliverAll(next, node, results))
    return error;
  if (isFirst)
    for (auto &[enter, data] : frame.invariants)
      if (llvm::Error error = deliverAll(next, *enter, data))
        return error;
  return llvm::Error::success();
}

/// Takes the iterations of a frame that are over out of it, and the frame out
/// of the one around it when that was all. An iteration is over when no node of
/// it is ready or waits, no frame inside of it is left, and nothing comes from
/// outside any more: from the iteration before it or, for the first one, from
/// enters.
llvm::Error Step::settle(Frame &frame) {
  if (!frame.parent)
    return llvm::Error::success();
  while (!frame.iterations.empty()) {
    Iteration &first = *frame.iterations.front();
    if (first.outstanding > 0 || (first.number == 0 && frame.missingEnters > 0))
      return llvm::Error::success();
    frame.iterations.pop_front();
  }
  Iteration &parent = *frame.parent;
  std::unique_ptr<Frame> last =
      std::move(parent.frames.extract(frame.number).mapped());
  for (auto [node, killer] : last->deadExits) {
    Results dead(node->op->getNumResults(), Datum::dead(killer));
    if (!last->liveExits.contains(node))
      if (llvm::Error error = deliverAll(parent, *node, dead))
        return error;
  }
  --parent.outstanding;
  return settle(*parent.frame);
}

} // namespace weir

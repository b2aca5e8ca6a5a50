//===- RunFrames.cpp - Dead values and loops ------------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/executor/Deliver.h"

#include <algorithm>
#include <cstring>

using namespace weir::rt;

void Machine::arriveDead(const Edge &edge, Iteration *it, bool fromEnter) {
  const uint32_t n = edge.node();
  if (edge.target & Edge::kSole) {
    // These do nothing but take note.
    if (nodes[n].kind == WEIR_NODE_EXIT) {
      if (it->number == it->frame->newest)
        it->frame->deadExits.push_back(n);
      return;
    }
    if (nodes[n].kind == WEIR_NODE_NEXT_ITERATION)
      return;
  }
  if (!(edge.target & Edge::kMerge))
    return arriveControl<false>(edge, it, true);
  uint32_t *words = it->counts + edge.count;
  ++words[1];
  // A loop that is not begun gets no back edge: its dead ENTER is enough.
  if (words[0] == 1 &&
      (fromEnter || words[1] == static_cast<uint32_t>(nodes[n].inputCount))) {
    words[0] = 0;
    push<false>(n, it, true);
  }
}

void Machine::deliverDead(const GraphNode &node, int32_t output,
                          Iteration *it) {
  const bool fromEnter = node.kind == WEIR_NODE_ENTER;
  const Edge *end = edges + graph.outputs[node.outputs + output].end;
  for (const Edge *edge = graph.outputBegin(node, output); edge != end; ++edge)
    if (edge->slot >= 0)
      arriveDead(*edge, it, fromEnter);
    else
      arriveControl<false>(*edge, it, true);
}

void Machine::deliverInto(uint32_t n, Iteration *it, WeirTensor *value) {
  const GraphNode &node = nodes[n];
  if (value)
    deliverFirst<false>(node, it, value);
  else
    deliverDead(node, 0, it);
  deliverControl<false>(node, it, !value);
}

void Machine::runEnter(uint32_t n, Iteration *it, bool isDead) {
  const GraphNode &node = nodes[n];
  const int32_t operand = operands[node.operands];
  // A dead control edge leaves a value behind.
  WeirTensor *value = takeInput(operand, it);
  if (isDead && value) {
    weir_tensor_release(value);
    value = nullptr;
  }
  FrameInstance *&place =
      it->children[graph.frames[static_cast<size_t>(node.index)].place];
  if (!place)
    place = makeFrame(node.index, it);
  FrameInstance *frame = place;
  if (node.isInvariant) {
    frame->invariants.push_back({n, TensorRef(value)});
    for (Iteration *each = frame->first; each; each = each->next) {
      if (value)
        weir_tensor_retain(value);
      deliverInto(n, each, value);
    }
  } else {
    deliverInto(n, frame->first, value);
  }
  if (--frame->missingEnters == 0)
    settle(frame);
}

void Machine::runExit(uint32_t n, Iteration *it, bool isDead, Lock &lock) {
  WeirTensor *value = takeInput(operands[nodes[n].operands], it);
  FrameInstance *frame = it->frame;
  if (!isDead) {
    std::vector<uint32_t> &exits = frame->liveExits;
    if (std::find(exits.begin(), exits.end(), n) != exits.end()) {
      weir_tensor_release(value);
      fail(n,
           Status(WEIR_FAILED_PRECONDITION,
                  "[WEIR0139] the exit of a loop has a value a second time; an "
                  "exit may be live in one iteration only"),
           lock);
      return;
    }
    exits.push_back(n);
    deliverInto(n, frame->parentIteration, value);
    return;
  }
  if (value)
    weir_tensor_release(value);
  // Only if no later iteration exits live is the exit dead.
  if (it->number == frame->newest)
    frame->deadExits.push_back(n);
}

void Machine::runNextIteration(uint32_t n, Iteration *it, bool isDead) {
  WeirTensor *value = takeInput(operands[nodes[n].operands], it);
  FrameInstance *frame = it->frame;
  if (isDead) {
    // Deadness does not cross iterations: the loop ends here.
    if (value)
      weir_tensor_release(value);
    return;
  }
  if (it->number != frame->newest)
    return deliverInto(n, it->next, value);
  const GraphFrame &kind = graph.frames[static_cast<size_t>(frame->id)];
  if (frame->inFlight >= kind.parallelIterations)
    frame->deferred.push_back({n, TensorRef(value)});
  else
    deliverInto(n, startIteration(*frame), value);
}

Iteration *Machine::startIteration(FrameInstance &frame) {
  Iteration *it = makeIteration(frame, ++frame.newest);
  (frame.last ? frame.last->next : frame.first) = it;
  frame.last = it;
  ++frame.inFlight;
  frame.deadExits.clear();
  for (FrameInstance::Held &held : frame.deferred)
    deliverInto(held.node, it, held.value.take());
  frame.deferred.clear();
  for (const FrameInstance::Held &held : frame.invariants)
    deliverInto(held.node, it, TensorRef(held.value).take());
  return it;
}

/// An iteration is over when nothing in it runs or is open and those before it
/// are over; the first one waits for all ENTERs, too.
void Machine::settle(FrameInstance *frame) {
  for (;;) {
    while (Iteration *it = frame->first) {
      if (it->outstanding > 0 || it->openFrames > 0 ||
          (it->number == 0 && frame->missingEnters > 0))
        return;
      frame->first = it->next;
      if (!frame->first)
        frame->last = nullptr;
      release(it);
      --frame->inFlight;
      if (!frame->deferred.empty())
        startIteration(*frame);
    }
    if (frame->missingEnters > 0)
      return;
    FrameInstance *parent = frame->parent;
    Iteration *parentIteration = frame->parentIteration;
    deliverDeadExits(*frame);
    parentIteration
        ->children[graph.frames[static_cast<size_t>(frame->id)].place] =
        nullptr;
    release(frame);
    // What the end of this frame made ready is outstanding there already.
    if (--parentIteration->openFrames > 0 || parentIteration->outstanding > 0 ||
        !parent->parent)
      return;
    frame = parent;
  }
}

void Machine::deliverDeadExits(FrameInstance &frame) {
  const std::vector<uint32_t> &live = frame.liveExits;
  for (uint32_t n : frame.deadExits)
    if (std::find(live.begin(), live.end(), n) == live.end())
      deliverInto(n, frame.parentIteration, nullptr);
}

Iteration *Machine::makeIteration(FrameInstance &frame, int64_t number) {
  const size_t id = static_cast<size_t>(frame.id);
  const GraphFrame &kind = graph.frames[id];
  Iteration *it = unusedIterations[id];
  if (it) {
    unusedIterations[id] = it->next;
  } else {
    const size_t slots = static_cast<size_t>(kind.slotCount),
                 children = static_cast<size_t>(kind.childCount),
                 counts = kind.counts.size();
    iterations.push_back(std::make_unique<Iteration>());
    it = iterations.back().get();
    it->frameId = frame.id;
    it->slotCount = kind.slotCount;
    it->memory.reset(new uint64_t[slots + children + (counts + 1) / 2 + 1]());
    it->slots = reinterpret_cast<WeirTensor **>(it->memory.get());
    it->children = reinterpret_cast<FrameInstance **>(it->slots + slots);
    it->counts = reinterpret_cast<uint32_t *>(it->children + children);
  }
  if (!kind.counts.empty())
    std::memcpy(it->counts, kind.counts.data(),
                kind.counts.size() * sizeof(uint32_t));
  it->frame = &frame;
  it->next = nullptr;
  it->number = number;
  it->outstanding = 0;
  it->openFrames = 0;
  return it;
}

void Machine::release(Iteration *it) {
  clearSlots(*it);
  it->next = unusedIterations[static_cast<size_t>(it->frameId)];
  unusedIterations[static_cast<size_t>(it->frameId)] = it;
}

FrameInstance *Machine::makeFrame(int32_t id, Iteration *parentIteration) {
  FrameInstance *frame = unusedFrames;
  if (frame) {
    unusedFrames = frame->nextUnused;
  } else {
    instances.push_back(std::make_unique<FrameInstance>());
    frame = instances.back().get();
  }
  frame->id = id;
  frame->parentIteration = parentIteration;
  frame->newest = 0;
  frame->missingEnters = graph.frames[static_cast<size_t>(id)].enterCount;
  if (!parentIteration)
    return frame;
  frame->parent = parentIteration->frame;
  ++parentIteration->openFrames;
  ++openFrameCount;
  frame->first = frame->last = makeIteration(*frame, 0);
  frame->inFlight = 1;
  return frame;
}

void Machine::release(FrameInstance *frame) {
  frame->parent = nullptr;
  frame->parentIteration = nullptr;
  frame->first = frame->last = nullptr;
  frame->deferred.clear();
  frame->invariants.clear();
  frame->deadExits.clear();
  frame->liveExits.clear();
  frame->nextUnused = unusedFrames;
  unusedFrames = frame;
  --openFrameCount;
}

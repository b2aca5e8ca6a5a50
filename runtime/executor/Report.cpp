//===- Report.cpp - What a step waits for, in words -----------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/executor/Report.h"
#include "runtime/base/Format.h"

#include <unordered_set>
#include <vector>

using namespace weir::rt;

/// True where node `n` of the graph itself has run, or was dead.
bool MachineReport::hasRun(uint32_t n) const {
  // A node that waits for one thing alone keeps no count: it is where the node
  // before it is.
  for (size_t steps = 0; steps <= graph.nodes.size(); ++steps) {
    const GraphNode &node = graph.nodes[n];
    if (node.kind == WEIR_NODE_FEED)
      return machine.fed.empty() ||
             machine.fed[static_cast<size_t>(node.index)];
    if (isInFlight(n))
      return false;
    if (node.frame != 0 || node.isStart)
      return node.isStart;
    const uint32_t count = machine.rootIteration->counts[node.count];
    if (node.kind == WEIR_NODE_MERGE)
      return count == 0;
    if (graph.frames[0].counts[node.count] != 1)
      return (count & ~Graph::kDead) == 0;
    const WeirNodeDesc &desc = graph.desc(n);
    const WeirEdge *only = desc.controls;
    for (int32_t i = 0; i < desc.input_count; ++i)
      if (desc.inputs[i].node >= 0)
        only = desc.inputs + i;
    n = graph.nodeOf(graph.sourceOf(*only).node);
  }
  return false;
}

bool MachineReport::isInFlight(uint32_t n) const {
  for (const Call *call = machine.inFlight; call; call = call->next)
    if (call->nodeNumber == n)
      return true;
  return false;
}

/// A call, and what it is about, as far as that can be told from its handle.
std::string MachineReport::call(const Call &call) const {
  if (call.key)
    return str(call.node.name, " waits for tensor '", call.key->tensor,
               "' from ", call.key->source);
  for (int32_t i = 0; i < call.node.input_count; ++i)
    if (Resource *resource = peekResource(call.inputs[i].get()))
      return str(call.node.name, " on ", resource->describe());
  return call.node.name;
}

/// What node `n`, some of whose inputs have come, waits for.
std::string MachineReport::missing(uint32_t n) const {
  const WeirNodeDesc &desc = graph.desc(n);
  std::string text;
  auto add = [&](const WeirEdge &wanted) {
    const WeirEdge edge = graph.sourceOf(wanted);
    if (edge.node < 0 || hasRun(graph.nodeOf(edge.node)))
      return;
    text += str(text.empty() ? "" : ", ", graph.name(graph.nodeOf(edge.node)));
  };
  for (int32_t i = 0; i < desc.input_count; ++i)
    add(desc.inputs[i]);
  for (int32_t i = 0; i < desc.control_count; ++i)
    add(desc.controls[i]);
  return str(desc.name, " waits for ", text.empty() ? "nothing known" : text);
}

std::string MachineReport::waiting(size_t limit, const char *prefix) const {
  std::string text;
  size_t found = 0;
  auto add = [&](const std::string &what) {
    if (found++ < limit)
      text += str(prefix, what);
  };
  for (const Call *each = machine.inFlight; each; each = each->next)
    add(call(*each));
  for (uint32_t n = 0; n < graph.nodes.size(); ++n) {
    const GraphNode &node = graph.nodes[n];
    if (node.frame == 0 && node.kind != WEIR_NODE_FEED && !node.isPassedBy &&
        !isInFlight(n) && !hasRun(n)) {
      if (found < limit)
        add(missing(n));
      else
        ++found;
    }
  }
  if (found > limit)
    text += str(prefix, found - limit, " more");
  return text;
}

std::string MachineReport::missingFeeds(int32_t index) const {
  std::vector<uint32_t> todo = {
      static_cast<uint32_t>(graph.fetchNodes[static_cast<size_t>(index)])};
  std::unordered_set<uint32_t> seen(todo.begin(), todo.end());
  std::vector<std::string_view> names;
  while (!todo.empty()) {
    const uint32_t n = todo.back();
    todo.pop_back();
    const WeirNodeDesc &desc = graph.desc(n);
    if (desc.kind == WEIR_NODE_FEED && !hasRun(n))
      names.push_back(graph.entry.feeds[desc.index].name);
    auto visit = [&](const WeirEdge &edge) {
      if (edge.node >= 0 && seen.insert(graph.nodeOf(edge.node)).second)
        todo.push_back(graph.nodeOf(edge.node));
    };
    for (int32_t i = 0; i < desc.input_count; ++i)
      visit(desc.inputs[i]);
    for (int32_t i = 0; i < desc.control_count; ++i)
      visit(desc.controls[i]);
  }
  return names.empty() ? std::string() : listNames(names);
}

const char *MachineReport::fetchName(int32_t index) const {
  return graph.entry.fetches[index].name;
}

Status MachineReport::stuck() const {
  return Status(WEIR_FAILED_PRECONDITION,
                str("[WEIR0324] entry '", entryName(),
                    "' can not go on: nothing runs any more and fetches are "
                    "missing; these nodes wait",
                    waiting(10, "\n  ")));
}

int64_t MachineReport::killer(uint32_t start, int32_t &output) const {
  std::vector<uint32_t> todo = {start};
  std::unordered_set<uint32_t> seen(todo.begin(), todo.end());
  while (!todo.empty()) {
    const uint32_t n = todo.back();
    todo.pop_back();
    const WeirNodeDesc &desc = graph.desc(n);
    int64_t found = -1;
    auto visit = [&](const WeirEdge &wanted) {
      const WeirEdge edge = graph.sourceOf(wanted);
      if (edge.node < 0 || found >= 0)
        return;
      const uint32_t source = graph.nodeOf(edge.node);
      const GraphNode &node = graph.nodes[source];
      if (node.kind == WEIR_NODE_SWITCH || node.kind == WEIR_NODE_MERGE) {
        const int32_t outcome =
            machine.outcomes[static_cast<size_t>(node.index)];
        if (node.kind == WEIR_NODE_SWITCH && outcome >= 0 && edge.output >= 0 &&
            outcome != edge.output) {
          found = source;
          output = edge.output;
          return;
        }
        // It was live: look elsewhere.
        if (outcome != Machine::kDeadOutcome)
          return;
      }
      if (seen.insert(source).second)
        todo.push_back(source);
    };
    for (int32_t i = 0; i < desc.input_count; ++i)
      visit(desc.inputs[i]);
    for (int32_t i = 0; i < desc.control_count; ++i)
      visit(desc.controls[i]);
    if (found >= 0)
      return found;
  }
  return -1;
}

Status MachineReport::deadFetch(uint32_t n) const {
  const WeirNodeDesc &desc = graph.desc(n);
  std::string why;
  int32_t output = 0;
  if (int64_t found = killer(n, output); found >= 0) {
    const uint32_t node = static_cast<uint32_t>(found);
    const WeirNodeDesc &gate = graph.desc(node);
    const int32_t taken =
        machine.outcomes[static_cast<size_t>(graph.nodes[node].index)];
    const WeirEdge &predicate = gate.inputs[1];
    why = str(": the value comes from output ", output, " of the switch ",
              gate.name, ", which took output ", taken);
    if (predicate.node >= 0)
      why += str(" as its predicate ", graph.name(graph.nodeOf(predicate.node)),
                 " said");
  }
  const WeirEdge &source = desc.inputs[0];
  return Status(WEIR_INVALID_ARGUMENT,
                str("[WEIR0334] fetch '", fetchName(graph.nodes[n].index),
                    "' of entry '", entryName(), "' has no value",
                    source.node >= 0 ? unmade(graph.nodeOf(source.node)) : "",
                    why, "; merge the branches before the fetch"));
}

/// Names a node that was not run. What comes from another device is named by
/// what that device calls it.
std::string MachineReport::unmade(uint32_t n) const {
  const WeirNodeDesc &desc = graph.desc(n);
  if (desc.kind != WEIR_NODE_RECEIVE || desc.text_count < 2)
    return str(": it is ", graph.name(n), ", which was not run");
  auto text = [&](int32_t i) {
    return std::string_view(desc.texts[i].data,
                            static_cast<size_t>(desc.texts[i].size));
  };
  return str(": it is '", text(0), "' of ", text(1),
             ", which was not run there, on the branch of a condition that was "
             "not taken");
}

const char *MachineReport::entryName() const {
  const StepParts *parts = machine.request.parts;
  return parts ? parts->entryName : graph.entry.name;
}

std::string MachineReport::step() const {
  const StepParts *parts = machine.request.parts;
  return parts && parts->stepId != 0
             ? str("step ", parts->stepId, " of entry '", entryName(), "'")
             : str("the step of entry '", entryName(), "'");
}

std::string MachineReport::running() const {
  std::string text;
  for (uint32_t n : machine.longNodes)
    text += str(text.empty() ? "; " : ", ", graph.name(n));
  if (!text.empty())
    text += machine.longNodes.size() == 1 ? " was running" : " were running";
  return text;
}

Status MachineReport::interrupted(WeirCode code,
                                  const std::string &reason) const {
  if (code != WEIR_DEADLINE_EXCEEDED)
    return Status(WEIR_CANCELLED, str("[WEIR0323] ", step(),
                                      " was cancelled: ", reason, running()));
  std::string list = waiting(5, "\n  "), active = running();
  if (machine.request.parts)
    list += machine.request.parts->othersWait(machine, 5, "\n  ");
  return Status(WEIR_DEADLINE_EXCEEDED,
                str("[WEIR0323] ", step(), " has not ended within ",
                    machine.options.timeout_ms, " ms", active,
                    !list.empty()    ? "; these nodes wait"
                    : active.empty() ? "; its nodes were still running"
                                     : "",
                    list));
}

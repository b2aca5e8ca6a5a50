//===- FunctionalControlFlow.cpp - If, Case and While as dataflow -------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// As TensorFlow lowers them for its executor: a conditional becomes a Switch
// for each input and a Merge for each result; a loop becomes Enter, Merge,
// LoopCond, Switch, NextIteration and Exit for each variable.

#include "lib/Frontend/GraphDef/Functions.h"

#include "lib/Frontend/GraphDef/OpTable.h"
#include "runtime/base/Format.h"
#include "llvm/ADT/STLExtras.h"

using namespace weir;
using namespace weir::graphdef;

Edge Inliner::toBool(int caller, Edge value) {
  return {addLike(caller, graph[caller].name + "/to_bool", "ToBool", {value}),
          0};
}

bool Inliner::expandIf(int i) {
  std::string prefix = graph[i].name + "/";
  if (graph[i].inputs.empty())
    return error(i, "it has no condition");
  Edge predicate = toBool(i, graph[i].inputs.front());
  if (!graph[i].controls.empty())
    predicate = {
        addLike(i, prefix + "pred", "Identity", {predicate}, graph[i].controls),
        0};
  int pivot = addLike(i, prefix + "pivot", "Switch", {predicate, predicate});
  const char *attrs[] = {"else_branch", "then_branch"};
  const char *sides[] = {"else", "then"};
  std::vector<Edge> arguments(graph[i].inputs.begin() + 1,
                              graph[i].inputs.end());
  std::vector<int> switches;
  for (auto [k, argument] : llvm::enumerate(arguments))
    switches.push_back(addLike(i, rt::str(prefix, "switch_", k), "Switch",
                               {argument, predicate}));
  InstanceResult results[2];
  int done[2];
  for (int side : {0, 1}) {
    std::optional<Instance> instance =
        instanceOf(i, funcAttr(graph[i], attrs[side]), attrs[side]);
    if (!instance)
      return false;
    int sidePivot = addLike(i, rt::str(prefix, "pivot_", sides[side]),
                            "Identity", {{pivot, side}});
    instance->prefix = rt::str(prefix, sides[side], "/");
    instance->pivots = {sidePivot};
    for (int node : switches)
      instance->arguments.push_back({node, side});
    std::optional<InstanceResult> result = instantiate(*instance);
    if (!result)
      return false;
    results[side] = std::move(*result);
    done[side] = addLike(i, rt::str(prefix, "done_", sides[side]), "Identity",
                         {{pivot, side}}, results[side].gates);
  }
  if (results[0].outputs.size() != results[1].outputs.size())
    return error(i, rt::str("one branch has ", results[1].outputs.size(),
                            " results, the other ", results[0].outputs.size()));
  std::vector<Edge> outputs;
  for (size_t k = 0; k < results[0].outputs.size(); ++k)
    outputs.push_back({addLike(i, rt::str(prefix, "merge_", k), "Merge",
                               {results[0].outputs[k], results[1].outputs[k]}),
                       0});
  std::vector<int> controls;
  if (outputs.empty() || !results[0].gates.empty() || !results[1].gates.empty())
    controls.push_back(
        addLike(i, prefix + "done", "Merge", {{done[0], 0}, {done[1], 0}}));
  finish(i, std::move(outputs), std::move(controls));
  return true;
}

bool Inliner::expandCase(int i) {
  std::string prefix = graph[i].name + "/";
  const pb::AttrValue::ListValue *branches = listAttr(graph[i], "branches");
  if (graph[i].inputs.empty())
    return error(i, "it has no branch index");
  Edge index = graph[i].inputs.front();
  if (!graph[i].controls.empty())
    index = {
        addLike(i, prefix + "index", "Identity", {index}, graph[i].controls),
        0};
  int64_t count = branches->func_size();
  auto addSwitch = [&](std::string name, Edge value) {
    int node = addLike(i, std::move(name), "_SwitchN", {value, index});
    setAttr(node, "num_outs", count);
    return node;
  };
  int pivot = addSwitch(prefix + "pivot", index);
  std::vector<int> switches;
  for (size_t k = 1; k < graph[i].inputs.size(); ++k)
    switches.push_back(
        addSwitch(rt::str(prefix, "switch_", k - 1), graph[i].inputs[k]));
  std::vector<InstanceResult> results;
  std::vector<Edge> done;
  for (int branch = 0; branch < count; ++branch) {
    std::optional<Instance> instance =
        instanceOf(i, &branches->func(branch), "branches");
    int branchPivot = addLike(i, rt::str(prefix, "pivot_", branch), "Identity",
                              {{pivot, branch}});
    instance->prefix = rt::str(prefix, "branch_", branch, "/");
    instance->pivots = {branchPivot};
    for (int node : switches)
      instance->arguments.push_back({node, branch});
    std::optional<InstanceResult> result = instantiate(*instance);
    if (!result)
      return false;
    done.push_back({addLike(i, rt::str(prefix, "done_", branch), "Identity",
                            {{pivot, branch}}, result->gates),
                    0});
    results.push_back(std::move(*result));
    if (results.front().outputs.size() != results.back().outputs.size())
      return error(i, rt::str("branch 0 has ", results.front().outputs.size(),
                              " results, branch ", branch, " has ",
                              results.back().outputs.size()));
  }
  std::vector<Edge> outputs;
  for (size_t k = 0; k < results.front().outputs.size(); ++k) {
    std::vector<Edge> values;
    for (const InstanceResult &result : results)
      values.push_back(result.outputs[k]);
    outputs.push_back(
        {addLike(i, rt::str(prefix, "merge_", k), "Merge", values), 0});
  }
  std::vector<int> controls;
  if (outputs.empty() ||
      llvm::any_of(results, [](const InstanceResult &result) {
        return !result.gates.empty();
      }))
    controls.push_back(addLike(i, prefix + "done", "Merge", done));
  finish(i, std::move(outputs), std::move(controls));
  return true;
}

/// True for a loop variable that the body only hands on, of a kind that has no
/// value of its own: a handle.
static bool isInvariantHandle(const Graph &graph, const Node &loop, size_t k) {
  const pb::NameAttrList *body = funcAttr(loop, "body");
  const pb::FunctionDef *function = graph.findFunction(body->name());
  const pb::OpDef &signature = function->signature();
  int index = static_cast<int>(k);
  if (index >= signature.input_arg_size() ||
      index >= signature.output_arg_size() ||
      signature.input_arg(index).type() != pb::DT_RESOURCE)
    return false;
  // Through identities, as traced functions end in them.
  auto it = function->ret().find(signature.output_arg(index).name());
  if (it == function->ret().end())
    return false;
  llvm::StringRef value = it->second;
  for (int steps = 0; steps < 16; ++steps) {
    llvm::StringRef name = value.split(':').first;
    if (name == signature.input_arg(index).name())
      return true;
    auto node =
        llvm::find_if(function->node_def(), [&](const pb::NodeDef &def) {
          return def.name() == name;
        });
    if (node == function->node_def().end() || node->op() != "Identity" ||
        node->input_size() == 0)
      return false;
    value = node->input(0);
  }
  return false;
}

bool Inliner::expandWhile(int i) {
  std::string prefix = graph[i].name + "/";
  size_t count = graph[i].inputs.size();
  if (count == 0)
    return error(i, "it has no loop variables");
  std::vector<bool> invariant;
  for (size_t k = 0; k < count; ++k)
    invariant.push_back(isInvariantHandle(graph, graph[i], k));
  if (llvm::all_of(invariant, [](bool b) { return b; }))
    invariant[0] = false;
  size_t varying = llvm::find(invariant, false) - invariant.begin();

  int64_t parallel = intAttr(graph[i], "parallel_iterations").value_or(10);
  std::vector<int> enters, merges(count), switches(count);
  std::vector<Edge> inCondition, inBody(count);
  for (size_t k = 0; k < count; ++k) {
    int enter = addLike(i, rt::str(prefix, "enter_", k), "Enter",
                        {graph[i].inputs[k]}, graph[i].controls);
    setAttr(enter, "frame_name", graph[i].name);
    setAttr(enter, "is_constant", bool(invariant[k]));
    setAttr(enter, "parallel_iterations", parallel);
    enters.push_back(enter);
    // The second input follows when there is a body.
    if (!invariant[k])
      merges[k] =
          addLike(i, rt::str(prefix, "merge_", k), "Merge", {{enter, 0}});
    inCondition.push_back({invariant[k] ? enter : merges[k], 0});
  }

  std::optional<Instance> condition =
      instanceOf(i, funcAttr(graph[i], "cond"), "cond");
  condition->prefix = prefix + "cond/";
  condition->arguments = inCondition;
  condition->pivots = {merges[varying]};
  std::optional<InstanceResult> goesOn = instantiate(*condition);
  if (!goesOn)
    return false;
  if (goesOn->outputs.size() != 1)
    return error(i, rt::str("its condition has ", goesOn->outputs.size(),
                            " results; one is wanted"));
  int loopCond = addLike(i, prefix + "loop_cond", "LoopCond",
                         {toBool(i, goesOn->outputs[0])}, goesOn->gates);
  for (size_t k = 0; k < count; ++k) {
    if (!invariant[k])
      switches[k] = addLike(i, rt::str(prefix, "switch_", k), "Switch",
                            {{merges[k], 0}, {loopCond, 0}});
    inBody[k] = invariant[k] ? Edge{enters[k], 0} : Edge{switches[k], 1};
  }

  std::optional<Instance> body =
      instanceOf(i, funcAttr(graph[i], "body"), "body");
  body->prefix = prefix + "body/";
  body->arguments = inBody;
  body->pivots = {
      addLike(i, prefix + "pivot", "Identity", {{switches[varying], 1}})};
  std::optional<InstanceResult> next = instantiate(*body);
  if (!next)
    return false;
  if (next->outputs.size() != count)
    return error(i,
                 rt::str("its body has ", next->outputs.size(),
                         " results, but there are ", count, " loop variables"));
  std::vector<Edge> outputs;
  for (size_t k = 0; k < count; ++k) {
    if (invariant[k]) {
      outputs.push_back(graph[i].inputs[k]);
      continue;
    }
    int back = addLike(i, rt::str(prefix, "next_", k), "NextIteration",
                       {next->outputs[k]}, next->gates);
    graph[merges[k]].inputs.push_back({back, 0});
    outputs.push_back(
        {addLike(i, rt::str(prefix, "exit_", k), "Exit", {{switches[k], 0}}),
         0});
  }
  // Who waits for the loop waits for all that varies.
  std::vector<int> controls;
  for (Edge output : outputs)
    if (graph[output.node].op == "Exit")
      controls.push_back(output.node);
  if (llvm::is_contained(invariant, true))
    finish(i, std::move(outputs), std::move(controls));
  else
    finish(i, std::move(outputs), {});
  return true;
}

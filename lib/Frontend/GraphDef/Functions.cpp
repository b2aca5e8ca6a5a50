//===- Functions.cpp - Bodies of functions put into a graph -------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Frontend/GraphDef/Functions.h"

#include "lib/Frontend/GraphDef/OpTable.h"
#include "runtime/base/Format.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

using namespace weir;
using namespace weir::graphdef;

// Functions that call others twice each can make graphs of any size.
static constexpr int kLargestGraph = 1 << 20;
static constexpr int kDeepestChain = 64;

static bool isConstant(const Node &node) {
  return node.op == "Const" && node.controls.empty();
}

static bool isCallOf(const Node &node, const char *a, const char *b) {
  return node.op == a || node.op == b;
}

bool Inliner::isExpandable(const Node &node) const {
  auto isDefined = [&](const char *attr) {
    const pb::NameAttrList *func = funcAttr(node, attr);
    return func && graph.findFunction(func->name());
  };
  if (isCallOf(node, "PartitionedCall", "StatefulPartitionedCall"))
    return isDefined("f");
  if (isCallOf(node, "If", "StatelessIf"))
    return isDefined("then_branch") && isDefined("else_branch");
  if (isCallOf(node, "While", "StatelessWhile"))
    return isDefined("cond") && isDefined("body");
  if (isCallOf(node, "Case", "StatelessCase")) {
    const pb::AttrValue::ListValue *branches = listAttr(node, "branches");
    return branches && branches->func_size() &&
           llvm::all_of(branches->func(), [&](const pb::NameAttrList &func) {
             return graph.findFunction(func.name());
           });
  }
  return graph.findFunction(node.op);
}

bool Inliner::expand(int i) {
  if (graph.size() > kLargestGraph)
    return error(i, rt::str("inlining functions makes more than ",
                            kLargestGraph, " nodes"));
  const Node &node = graph[i];
  if (isCallOf(node, "If", "StatelessIf"))
    return expandIf(i);
  if (isCallOf(node, "While", "StatelessWhile"))
    return expandWhile(i);
  if (isCallOf(node, "Case", "StatelessCase"))
    return expandCase(i);
  return expandCall(i);
}

bool Inliner::error(int node, const std::string &what) {
  return messages.error(
      rt::str("[WEIR0225] node ", describe(graph[node]), ": ", what));
}

int Inliner::addLike(int caller, std::string name, const char *op,
                     std::vector<Edge> inputs, std::vector<int> controls) {
  int node = graph.add(std::move(name), op, std::move(inputs),
                       std::move(controls), graph[caller].device);
  graph[node].trace = graph[caller].trace;
  return node;
}

void Inliner::setAttr(int node, const char *name, int64_t value) {
  pb::AttrValue *attr = graph.newAttr();
  attr->set_i(value);
  graph[node].attrs[name] = attr;
}

void Inliner::setAttr(int node, const char *name, bool value) {
  pb::AttrValue *attr = graph.newAttr();
  attr->set_b(value);
  graph[node].attrs[name] = attr;
}

void Inliner::setAttr(int node, const char *name, const std::string &value) {
  pb::AttrValue *attr = graph.newAttr();
  attr->set_s(value);
  graph[node].attrs[name] = attr;
}

void Inliner::finish(int i, std::vector<Edge> outputs,
                     std::vector<int> controls) {
  Node &node = graph[i];
  node.op = outputs.empty() ? "NoOp" : "IdentityN";
  node.inputs = std::move(outputs);
  node.controls = std::move(controls);
  node.attrs.clear();
}

std::optional<Instance> Inliner::instanceOf(int caller,
                                            const pb::NameAttrList *func,
                                            const char *attr) {
  Instance instance;
  instance.caller = caller;
  instance.prefix = graph[caller].name + "/";
  if (!func) {
    error(caller, rt::str("attribute '", attr, "' has to be a function"));
    return std::nullopt;
  }
  instance.name = func->name();
  for (const auto &[name, value] : func->attr())
    instance.attrs[name] = &value;
  return instance;
}

bool Inliner::expandCall(int i) {
  Node &node = graph[i];
  std::optional<Instance> instance;
  if (isCallOf(node, "PartitionedCall", "StatefulPartitionedCall")) {
    instance = instanceOf(i, funcAttr(node, "f"), "f");
    if (!instance)
      return false;
  } else {
    instance.emplace();
    instance->caller = i;
    instance->prefix = node.name + "/";
    instance->name = node.op;
    instance->attrs = node.attrs;
  }
  instance->arguments = node.inputs;
  instance->controls = node.controls;
  std::optional<InstanceResult> result = instantiate(*instance);
  if (!result)
    return false;
  finish(i, std::move(result->outputs), std::move(result->gates));
  return true;
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

std::optional<InstanceResult> Inliner::instantiate(const Instance &instance) {
  const pb::FunctionDef *function = graph.findFunction(instance.name);
  if (!function) {
    error(instance.caller,
          rt::str("the library has no function '", instance.name, "'"));
    return std::nullopt;
  }
  const Chain *outer = chainOf.lookup(instance.caller);
  for (const Chain *chain = outer; chain; chain = chain->outer)
    if (chain->function == instance.name) {
      error(instance.caller, rt::str("function '", instance.name,
                                     "' calls itself; recursion cannot be "
                                     "imported"));
      return std::nullopt;
    }
  if (outer && outer->depth >= kDeepestChain) {
    error(instance.caller, rt::str("functions call each other more than ",
                                   kDeepestChain, " deep"));
    return std::nullopt;
  }
  const Chain *chain = &chains.emplace_back(
      Chain{instance.name, outer, outer ? outer->depth + 1 : 1});

  // A body that waits as a whole does so behind one node, and so do its
  // arguments.
  Instance body = instance;
  int firstNew = graph.size();
  if (!body.controls.empty()) {
    int wait = addLike(instance.caller, instance.prefix + "input_control",
                       "NoOp", {}, body.controls);
    body.controls = body.pivots = {wait};
    for (auto [k, argument] : llvm::enumerate(body.arguments))
      argument = {addLike(instance.caller,
                          rt::str(instance.prefix, "input_", k), "Identity",
                          {argument}, {wait}),
                  0};
  }

  std::map<std::string, Edge, std::less<>> arguments;
  size_t used = 0;
  bool fits = true;
  for (const pb::OpDef::ArgDef &arg : function->signature().input_arg()) {
    int64_t count = countValues(arg, body.attrs);
    fits = count >= 0 && used + count <= body.arguments.size();
    if (!fits)
      break;
    for (int64_t k = 0; k < count; ++k)
      arguments[rt::str(arg.name(), ":", k)] = body.arguments[used++];
    if (count)
      arguments[arg.name()] = arguments[arg.name() + ":0"];
  }
  if (!fits || used != body.arguments.size()) {
    error(instance.caller,
          rt::str("function '", instance.name, "' takes ",
                  function->signature().input_arg_size(), " arguments, but ",
                  body.arguments.size(), " values are given"));
    return std::nullopt;
  }
  InstanceResult result;
  if (!addBody(*function, body, arguments, result))
    return std::nullopt;
  for (int k = firstNew; k < graph.size(); ++k)
    chainOf[k] = chain;
  return result;
}

/// Copies the attributes of a node of a body, with the attributes of the call
/// in the places that are left for them.
static void takeAttrs(Node &node, const pb::NodeDef &def,
                      const Attributes &call, const pb::FunctionDef &function) {
  for (const auto &[name, value] : def.attr()) {
    node.attrs[name] = &value;
    if (value.value_case() != pb::AttrValue::kPlaceholder)
      continue;
    if (auto it = call.find(value.placeholder()); it != call.end()) {
      node.attrs[name] = it->second;
      continue;
    }
    for (const pb::OpDef::AttrDef &attr : function.signature().attr())
      if (attr.name() == value.placeholder() && attr.has_default_value())
        node.attrs[name] = &attr.default_value();
  }
}

namespace {
/// Resolves what stands for values and nodes in the body of a function.
class BodyNames {
public:
  BodyNames(const Graph &graph,
            const std::map<std::string, Edge, std::less<>> &arguments)
      : graph(graph), arguments(arguments) {}

  llvm::StringMap<int> nodes;

  int findNode(llvm::StringRef name) const {
    auto it = nodes.find(name);
    return it == nodes.end() ? -1 : it->second;
  }

  /// "argument", "argument:index", "node:output", "node:output:index": the
  /// values that it names, none where it names nothing.
  std::vector<Edge> find(llvm::StringRef text) const {
    if (auto it = arguments.find(text); it != arguments.end())
      return {it->second};
    auto [name, rest] = text.split(':');
    auto [output, index] = rest.split(':');
    int node = findNode(name);
    if (node < 0)
      return {};
    unsigned port = 0;
    // Also "node:2", which TensorFlow writes nowhere but reads.
    if (!output.empty() && !output.getAsInteger(10, port))
      return {Edge{node, static_cast<int>(port & 0xffff)}};
    std::optional<OutputRange> range = rangeOf(graph[node], output);
    if (!range)
      return {};
    std::vector<Edge> edges;
    if (index.empty()) {
      for (int k = 0; k < range->count; ++k)
        edges.push_back({node, range->first + k});
    } else if (!index.getAsInteger(10, port) && port < 65536) {
      edges.push_back({node, range->first + static_cast<int>(port)});
    }
    return edges;
  }

private:
  std::optional<OutputRange> rangeOf(const Node &node,
                                     llvm::StringRef output) const {
    const pb::FunctionDef *callee = graph.findFunction(node.op);
    if (!callee)
      return findOutput(node, output);
    OutputRange range{0, 1};
    for (const pb::OpDef::ArgDef &arg : callee->signature().output_arg()) {
      range.count =
          static_cast<int>(std::max<int64_t>(countValues(arg, node.attrs), 0));
      if (arg.name() == output)
        return range;
      range.first += range.count;
    }
    return std::nullopt;
  }

  const Graph &graph;
  const std::map<std::string, Edge, std::less<>> &arguments;
};
} // namespace

bool Inliner::addBody(const pb::FunctionDef &function, const Instance &instance,
                      const std::map<std::string, Edge, std::less<>> &arguments,
                      InstanceResult &result) {
  auto bodyError = [&](const std::string &what) {
    return error(instance.caller,
                 rt::str("in function '", instance.name, "': ", what));
  };
  BodyNames names(graph, arguments);
  int first = graph.size();
  for (const pb::NodeDef &def : function.node_def()) {
    if (def.name().empty() || def.op().empty())
      return bodyError("a node has no name or no op");
    const std::string &device =
        def.device().empty() ? graph[instance.caller].device : def.device();
    int node = graph.add(instance.prefix + def.name(), def.op(), device);
    if (!names.nodes.try_emplace(def.name(), node).second)
      return bodyError(rt::str("two nodes have the name '", def.name(), "'"));
    takeAttrs(graph[node], def, instance.attrs, function);
    graph[node].trace = graph.findTrace(def.name(), instance.name);
    if (!graph[node].trace)
      graph[node].trace = graph[instance.caller].trace;
  }
  for (auto [k, def] : llvm::enumerate(function.node_def())) {
    Node &node = graph[first + static_cast<int>(k)];
    for (llvm::StringRef input : def.input()) {
      if (input.consume_front("^")) {
        // Arguments are there before the body runs.
        int control = names.findNode(input);
        if (control >= 0)
          node.controls.push_back(control);
        else if (!arguments.count(input))
          return bodyError(rt::str("a control input of node '", def.name(),
                                   "' is '", input.str(),
                                   "', but there is no such node"));
        continue;
      }
      std::vector<Edge> edges = names.find(input);
      if (edges.empty())
        return bodyError(rt::str("an input of node '", def.name(), "' is '",
                                 input.str(), "', but there is no such value"));
      llvm::append_range(node.inputs, edges);
    }
  }
  // What takes no argument waits for the pivots.
  for (int k = first, end = graph.size(); k < end; ++k) {
    Node &node = graph[k];
    if (instance.pivots.empty() || isConstant(node))
      continue;
    // A constant has no frame of its own; what enters one needs its place.
    bool needsPlace =
        isExpandable(node) || node.op == "Enter" || node.op == "Merge";
    for (size_t input = 0; needsPlace && input < node.inputs.size(); ++input)
      if (Edge edge = node.inputs[input]; isConstant(graph[edge.node]))
        node.inputs[input] = {addLike(instance.caller,
                                      rt::str(node.name, "/constant_", input),
                                      "Identity", {edge}, instance.pivots),
                              0};
    bool waits = llvm::any_of(node.inputs, [&](Edge input) {
      return !isConstant(graph[input.node]);
    });
    waits |= llvm::any_of(node.controls, [&](int control) {
      return !isConstant(graph[control]);
    });
    if (!waits)
      llvm::append_range(node.controls, instance.pivots);
  }

  for (const pb::OpDef::ArgDef &arg : function.signature().output_arg()) {
    auto it = function.ret().find(arg.name());
    std::vector<Edge> edges;
    if (it != function.ret().end())
      edges = names.find(it->second);
    int64_t count = countValues(arg, instance.attrs);
    if (edges.empty() ? count != 0
                      : count >= 0 && count != int64_t(edges.size()))
      return bodyError(rt::str("result '", arg.name(), "' is '",
                               it == function.ret().end() ? "" : it->second,
                               "', which is no value of the function"));
    for (Edge edge : edges) {
      if (isConstant(graph[edge.node]) && !instance.pivots.empty())
        edge = {addLike(instance.caller,
                        rt::str(instance.prefix, arg.name(), "/output"),
                        "Identity", {edge}, instance.pivots),
                0};
      result.outputs.push_back(edge);
    }
  }
  std::vector<int> gates;
  for (const std::string &name : function.signature().control_output()) {
    auto it = function.control_ret().find(name);
    int node =
        it == function.control_ret().end() ? -1 : names.findNode(it->second);
    if (node < 0)
      return bodyError(
          rt::str("control result '", name, "' is no node of the function"));
    gates.push_back(node);
  }
  for (int k = first; k < first + function.node_def_size(); ++k)
    if (hasEffects(graph[k]) || (graph.findFunction(graph[k].op)))
      gates.push_back(k);
  std::vector<int> outputs;
  for (Edge output : result.outputs)
    outputs.push_back(output.node);
  std::vector<bool> reached = findAncestors(graph, outputs, first);
  llvm::sort(gates);
  gates.erase(llvm::unique(gates), gates.end());
  for (int gate : gates)
    if (!reached[gate - first])
      result.gates.push_back(gate);
  // A body that gives nothing at all has run when it could have begun.
  if (result.outputs.empty() && result.gates.empty())
    result.gates = instance.pivots;
  return true;
}

bool weir::graphdef::inlineFunctions(Graph &graph, Roots &roots,
                                     Messages &messages) {
  Inliner inliner(graph, messages);
  for (bool changed = true; changed;) {
    changed = false;
    std::vector<bool> needed = findNeeded(graph, roots);
    for (int i = 0; i < static_cast<int>(needed.size()); ++i) {
      if (!needed[i] || !inliner.isExpandable(graph[i]))
        continue;
      if (!inliner.expand(i))
        return false;
      changed = true;
    }
  }
  return true;
}

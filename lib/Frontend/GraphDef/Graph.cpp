//===- Graph.cpp - A GraphDef as a graph of nodes -----------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Frontend/GraphDef/Graph.h"

#include "runtime/base/Format.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace weir;
using namespace weir::graphdef;

std::string weir::graphdef::describe(const Node &node) {
  return rt::str("'", node.name, "' (", node.op, ")");
}

/// Splits "name:12" into name and port; a name without a port has port 0.
/// Nothing where the port is no number that a tensor may have.
static std::optional<std::pair<std::string_view, int>>
splitTensorName(std::string_view text) {
  size_t colon = text.rfind(':');
  if (colon == std::string_view::npos)
    return std::pair(text, 0);
  llvm::StringRef digits(text.substr(colon + 1));
  unsigned port = 0;
  if (digits.empty() || !llvm::all_of(digits, llvm::isDigit) ||
      digits.getAsInteger(10, port) || port > 65535)
    return std::nullopt;
  return std::pair(text.substr(0, colon), static_cast<int>(port));
}

int Graph::find(std::string_view name) const {
  auto it = byName.find(name);
  return it == byName.end() ? -1 : it->second;
}

std::optional<Edge> Graph::resolve(std::string_view text, std::string_view what,
                                   Messages &messages) const {
  Edge edge;
  std::string_view name = text;
  if (text.starts_with('^')) {
    name.remove_prefix(1);
    edge.port = -1;
  } else {
    auto split = splitTensorName(text);
    if (!split) {
      messages.error(rt::str("[WEIR0223] ", what, " is '", text,
                             "': what follows ':' has to be a number from 0 "
                             "to 65535"));
      return std::nullopt;
    }
    name = split->first;
    edge.port = split->second;
  }
  edge.node = find(name);
  if (edge.node >= 0)
    return edge;
  std::vector<std::string_view> known;
  for (const Node &node : nodes)
    known.push_back(node.name);
  messages.error(rt::str("[WEIR0223] ", what, " is '", text,
                         "', but the graph has no node '", name, "'",
                         rt::didYouMean(name, known)));
  return std::nullopt;
}

int Graph::add(std::string name, std::string op, std::string device) {
  std::string unique = name;
  for (int i = 1; byName.count(unique); ++i)
    unique = rt::str(name, "_", i);
  int index = size();
  byName[unique] = index;
  Node &node = nodes.emplace_back();
  node.name = std::move(unique);
  node.op = std::move(op);
  node.device = std::move(device);
  return index;
}

int Graph::add(std::string name, std::string op, std::vector<Edge> inputs,
               std::vector<int> controls, std::string device) {
  int index = add(std::move(name), std::move(op), std::move(device));
  nodes[index].inputs = std::move(inputs);
  nodes[index].controls = std::move(controls);
  return index;
}

const pb::FunctionDef *Graph::findFunction(std::string_view name) const {
  if (functions.empty())
    for (const pb::FunctionDef &function : def.library().function())
      functions.try_emplace(function.signature().name(), &function);
  return functions.lookup(name);
}

const pb::GraphDebugInfo::StackTrace *
Graph::findTrace(std::string_view node, std::string_view function) const {
  const pb::GraphDebugInfo &info = def.debug_info();
  if (info.files().empty())
    return nullptr;
  std::string key = rt::str(node, "@", function);
  if (auto it = info.traces().find(key); it != info.traces().end())
    return &it->second;
  auto id = info.name_to_trace_id().find(key);
  if (id == info.name_to_trace_id().end())
    return nullptr;
  auto it = info.traces_by_id().find(id->second);
  return it == info.traces_by_id().end() ? nullptr : &it->second;
}

static bool addEdge(Node &node, Edge edge, Messages &messages) {
  if (edge.port < 0) {
    node.controls.push_back(edge.node);
    return true;
  }
  if (!node.controls.empty())
    return messages.error(rt::str("[WEIR0223] node ", describe(node),
                                  " has an input behind its control inputs"));
  node.inputs.push_back(edge);
  return true;
}

bool Graph::build(Messages &messages) {
  for (const pb::NodeDef &nodeDef : def.node()) {
    if (nodeDef.name().empty() || nodeDef.op().empty())
      return messages.error(
          rt::str("[WEIR0222] node number ", size(), " has no ",
                  nodeDef.name().empty() ? "name" : "op", ": its name is '",
                  nodeDef.name(), "', its op is '", nodeDef.op(), "'"));
    if (byName.count(nodeDef.name()))
      return messages.error(
          rt::str("[WEIR0222] two nodes have the name '", nodeDef.name(), "'"));
    Node &node = nodes[add(nodeDef.name(), nodeDef.op(), nodeDef.device())];
    for (const auto &[name, value] : nodeDef.attr()) {
      if (name.empty())
        return messages.error(rt::str("[WEIR0222] node ", describe(node),
                                      " has an attribute without a name"));
      node.attrs[name] = &value;
    }
    node.trace = findTrace(nodeDef.name(), "");
  }
  for (auto [i, nodeDef] : llvm::enumerate(def.node()))
    for (const std::string &input : nodeDef.input()) {
      std::optional<Edge> edge =
          resolve(input, "an input of node " + describe(nodes[i]), messages);
      if (!edge || !addEdge(nodes[i], *edge, messages))
        return false;
    }
  return true;
}

int weir::graphdef::feedTensor(Graph &graph, Edge tensor, int64_t index,
                               Roots &roots) {
  bool isPlaceholder =
      llvm::StringRef(graph[tensor.node].op).starts_with("Placeholder");
  for (int i = 0; i < graph.size(); ++i) {
    llvm::replace(graph[i].inputs, tensor, Edge{graph.size(), 0});
    // Who waits for a placeholder waits for nothing when it is fed.
    if (isPlaceholder)
      llvm::erase(graph[i].controls, tensor.node);
  }
  llvm::replace(roots.fetches, tensor, Edge{graph.size(), 0});
  int feed = graph.add(rt::str(graph[tensor.node].name, ":", tensor.port),
                       kFeedOp, graph[tensor.node].device);
  pb::AttrValue *number = graph.newAttr();
  number->set_i(index);
  graph[feed].attrs["index"] = number;
  return feed;
}

std::vector<bool> weir::graphdef::findAncestors(const Graph &graph,
                                                llvm::ArrayRef<int> nodes,
                                                int first) {
  std::vector<bool> reached(graph.size() - first, false);
  std::vector<int> stack;
  auto visit = [&](int node) {
    if (node < first || reached[node - first])
      return;
    reached[node - first] = true;
    stack.push_back(node);
  };
  for (int node : nodes)
    visit(node);
  while (!stack.empty()) {
    const Node &node = graph[stack.back()];
    stack.pop_back();
    for (Edge input : node.inputs)
      visit(input.node);
    for (int control : node.controls)
      visit(control);
  }
  return reached;
}

std::vector<bool> weir::graphdef::findNeeded(const Graph &graph,
                                             const Roots &roots) {
  std::vector<int> nodes(roots.targets);
  for (Edge fetch : roots.fetches)
    nodes.push_back(fetch.node);
  return findAncestors(graph, nodes);
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

const pb::AttrValue *weir::graphdef::findAttr(const Node &node,
                                              std::string_view name) {
  auto it = node.attrs.find(name);
  return it == node.attrs.end() ? nullptr : it->second;
}

static const pb::AttrValue *findKind(const Node &node, std::string_view name,
                                     pb::AttrValue::ValueCase kind) {
  const pb::AttrValue *value = findAttr(node, name);
  return value && value->value_case() == kind ? value : nullptr;
}

std::optional<int64_t> weir::graphdef::intAttr(const Node &node,
                                               std::string_view name) {
  const pb::AttrValue *value = findKind(node, name, pb::AttrValue::kI);
  return value ? std::optional(value->i()) : std::nullopt;
}

std::optional<bool> weir::graphdef::boolAttr(const Node &node,
                                             std::string_view name) {
  const pb::AttrValue *value = findKind(node, name, pb::AttrValue::kB);
  return value ? std::optional(value->b()) : std::nullopt;
}

std::optional<float> weir::graphdef::floatAttr(const Node &node,
                                               std::string_view name) {
  const pb::AttrValue *value = findKind(node, name, pb::AttrValue::kF);
  return value ? std::optional(value->f()) : std::nullopt;
}

std::optional<std::string> weir::graphdef::stringAttr(const Node &node,
                                                      std::string_view name) {
  const pb::AttrValue *value = findKind(node, name, pb::AttrValue::kS);
  return value ? std::optional(value->s()) : std::nullopt;
}

std::optional<pb::DataType> weir::graphdef::typeAttr(const Node &node,
                                                     std::string_view name) {
  const pb::AttrValue *value = findKind(node, name, pb::AttrValue::kType);
  return value ? std::optional(value->type()) : std::nullopt;
}

const pb::TensorShapeProto *weir::graphdef::shapeAttr(const Node &node,
                                                      std::string_view name) {
  const pb::AttrValue *value = findKind(node, name, pb::AttrValue::kShape);
  return value ? &value->shape() : nullptr;
}

const pb::TensorProto *weir::graphdef::tensorAttr(const Node &node,
                                                  std::string_view name) {
  const pb::AttrValue *value = findKind(node, name, pb::AttrValue::kTensor);
  return value ? &value->tensor() : nullptr;
}

const pb::NameAttrList *weir::graphdef::funcAttr(const Node &node,
                                                 std::string_view name) {
  const pb::AttrValue *value = findKind(node, name, pb::AttrValue::kFunc);
  return value ? &value->func() : nullptr;
}

const pb::AttrValue::ListValue *
weir::graphdef::listAttr(const Node &node, std::string_view name) {
  const pb::AttrValue *value = findKind(node, name, pb::AttrValue::kList);
  return value ? &value->list() : nullptr;
}

std::optional<std::vector<int64_t>>
weir::graphdef::intsAttr(const Node &node, std::string_view name) {
  const pb::AttrValue::ListValue *list = listAttr(node, name);
  if (!list)
    return std::nullopt;
  return std::vector<int64_t>(list->i().begin(), list->i().end());
}

//===- Results.cpp - What the imported graph takes and gives --------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Frontend/GraphDef/NodeConversion.h"
#include "runtime/base/Format.h"

using namespace weir;
using namespace weir::graphdef;
using mlir::Operation;
using mlir::Type;
using mlir::Value;

Value Converter::fetchable(Edge edge) {
  const Converted &node = converted[edge.node];
  if (edge.port >= static_cast<int>(node.outputs.size()))
    return {};
  const Output &output = node.outputs[edge.port];
  if (!output.isRef)
    return output.value;
  NodeConversion conversion(*this, edge.node);
  Value value = conversion.read(output);
  if (value)
    settle(edge.node, conversion.created, {});
  return value;
}

bool Converter::fetchAll(llvm::SmallVectorImpl<Value> &values,
                         std::vector<std::string> &names,
                         llvm::SmallVectorImpl<Value> &controls) {
  auto control = [&](int node) {
    if (Value value = controlOf(node))
      controls.push_back(value);
  };
  if (!plan.wholeGraph) {
    for (auto [edge, name] : llvm::zip(plan.roots.fetches, plan.fetchNames)) {
      Value value = fetchable(edge);
      if (!value)
        return messages.error(rt::str(
            "[WEIR0224] '", name, "' cannot be fetched: node ",
            describe(graph[edge.node]), " has ",
            converted[edge.node].outputs.size(), " outputs",
            converted[edge.node].outputs.empty() ? "; name it as a target"
                                                 : ""));
      if (!llvm::isa<mlir::TensorType>(value.getType()))
        return messages.error(
            rt::str("[WEIR0224] '", name, "' cannot be fetched: node ",
                    describe(graph[edge.node]), " gives a handle, no tensor"));
      values.push_back(value);
      names.push_back(name);
    }
    for (int target : plan.roots.targets)
      control(target);
    return true;
  }
  for (int target : plan.roots.targets) {
    const Converted &node = converted[target];
    // Declared state is there, and a variable may have no value yet.
    if (llvm::any_of(node.outputs, [](const Output &output) {
          return output.isRef ||
                 !llvm::isa<mlir::TensorType>(output.value.getType());
        })) {
      control(target);
      continue;
    }
    if (node.outputs.empty())
      control(target);
    for (auto [port, output] : llvm::enumerate(node.outputs)) {
      values.push_back(output.value);
      names.push_back(rt::str(graph[target].name, ":", port));
    }
  }
  return true;
}

bool Converter::finishGraph() {
  llvm::SmallVector<Value> values, controls;
  std::vector<std::string> names;
  builder.setInsertionPointToEnd(body);
  if (!fetchAll(values, names, controls))
    return false;
  llvm::SmallVector<Value> unique;
  for (Value value : controls)
    if (!llvm::is_contained(unique, value))
      unique.push_back(value);
  FetchOp::create(builder, graphOp.getLoc(), values, unique);
  removeUnused();

  auto named = [&](llvm::StringRef name) {
    return builder.getDictionaryAttr(builder.getNamedAttr(
        WeirDialect::getNameAttrName(), builder.getStringAttr(name)));
  };
  llvm::SmallVector<Type> argumentTypes, resultTypes;
  llvm::SmallVector<mlir::Attribute> argumentAttrs, resultAttrs;
  for (const Plan::Feed &feed : plan.feeds)
    argumentAttrs.push_back(named(feed.name));
  for (int node : placeholders)
    argumentAttrs.push_back(named(graph[node].name + ":0"));
  llvm::append_range(argumentTypes, body->getArgumentTypes());
  for (auto [value, name] : llvm::zip(values, names)) {
    resultTypes.push_back(value.getType());
    resultAttrs.push_back(named(name));
  }
  graphOp.setFunctionType(builder.getFunctionType(argumentTypes, resultTypes));
  if (!argumentAttrs.empty())
    graphOp.setArgAttrsAttr(builder.getArrayAttr(argumentAttrs));
  if (!resultAttrs.empty())
    graphOp.setResAttrsAttr(builder.getArrayAttr(resultAttrs));
  return true;
}

void Converter::removeUnused() {
  for (bool changed = true; changed;) {
    changed = false;
    std::vector<Operation *> nodes;
    for (Operation &op : body->without_terminator())
      nodes.push_back(&op);
    for (Operation *op : llvm::reverse(nodes)) {
      bool isPure = llvm::isa<CompletedOp>(op) || mlir::isMemoryEffectFree(op);
      if (!isPure || !op->use_empty())
        continue;
      op->erase();
      changed = true;
    }
  }
}

//===- Converter.cpp - From graph nodes to weir nodes -------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Frontend/GraphDef/Converter.h"

#include "dialects/Weir/DTypes.h"
#include "lib/Frontend/GraphDef/Convert/Converters.h"
#include "lib/Frontend/GraphDef/OpTable.h"
#include "mlir/IR/Verifier.h"
#include "runtime/base/Format.h"
#include "llvm/ADT/StringExtras.h"

using namespace weir;
using namespace weir::graphdef;
using mlir::Operation;
using mlir::Type;
using mlir::Value;

// Each round generalizes the type of a loop variable, or learns what a stack
// holds; nested loops take a few.
static constexpr int kMostRounds = 24;

Converter::Converter(const Graph &graph, const Plan &plan,
                     mlir::ModuleOp module, Messages &messages)
    : graph(graph), plan(plan), module(module), context(module.getContext()),
      messages(messages), builder(context), uses(graph.size(), 0) {
  auto use = [&](Edge edge) {
    uses[edge.node] = std::max(uses[edge.node], edge.port + 1);
  };
  for (int i = 0; i < graph.size(); ++i)
    for (Edge input : graph[i].inputs)
      use(input);
  for (Edge fetch : plan.roots.fetches)
    use(fetch);
}

static bool isNextIteration(const Node &node) {
  return node.op == "NextIteration" || node.op == "RefNextIteration";
}

static bool isMerge(const Node &node) {
  return node.op == "Merge" || node.op == "RefMerge";
}

static std::string typeText(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

Type weir::graphdef::joinTypes(Type a, Type b) {
  auto x = llvm::dyn_cast<mlir::TensorType>(a);
  auto y = llvm::dyn_cast<mlir::TensorType>(b);
  if (a == b)
    return a;
  if (!x || !y || x.getElementType() != y.getElementType())
    return {};
  if (!x.hasRank() || !y.hasRank() || x.getRank() != y.getRank())
    return mlir::UnrankedTensorType::get(x.getElementType());
  llvm::SmallVector<int64_t> shape(x.getShape());
  for (auto [extent, other] : llvm::zip(shape, y.getShape()))
    if (extent != other)
      extent = mlir::ShapedType::kDynamic;
  return mlir::RankedTensorType::get(shape, x.getElementType());
}

//===----------------------------------------------------------------------===//
// Rounds
//===----------------------------------------------------------------------===//

bool Converter::run() {
  for (int round = 0;; ++round) {
    module.getBody()->clear();
    symbols.clear();
    converted.assign(graph.size(), Converted());
    facts.clear();
    conditionIds.clear();
    frames.clear();
    declarations.clear();
    nextId = 0;
    backEdges.clear();
    remarks.clear();
    placeholders.clear();
    newContents.clear();
    std::map<int, Type> mergesBefore = mergeTypes;
    size_t brokenBefore = brokenMerges.size();
    if (!convertAll())
      return false;
    // What a stack holds may make loop variables better known, so that comes
    // first.
    bool last = round >= kMostRounds;
    if (newContents != contents && !last) {
      contents = newContents;
      mergeTypes = std::move(mergesBefore);
      continue;
    }
    // A merge that has no type has to go, even in the last round.
    if (brokenMerges.size() != brokenBefore ||
        (mergeTypes != mergesBefore && !last))
      continue;
    break;
  }
  if (!finishGraph())
    return false;
  for (Message &remark : remarks)
    messages.add(std::move(remark));
  return true;
}

/// Puts what the roots need into an order in which all but back edges go
/// forward.
bool Converter::sortNodes(std::vector<int> &order) {
  enum State : char { New, Open, Done };
  std::vector<State> states(graph.size(), New);
  std::vector<std::pair<int, size_t>> stack;
  std::vector<int> pending;
  auto predecessor = [&](const Node &node, size_t k) {
    return k < node.inputs.size() ? node.inputs[k].node
                                  : node.controls[k - node.inputs.size()];
  };
  auto visit = [&](int root) {
    if (states[root] != New)
      return true;
    stack.push_back({root, 0});
    states[root] = Open;
    while (!stack.empty()) {
      auto &[i, next] = stack.back();
      const Node &node = graph[i];
      if (next == node.inputs.size() + node.controls.size()) {
        states[i] = Done;
        order.push_back(i);
        stack.pop_back();
        continue;
      }
      int before = predecessor(node, next++);
      if (isMerge(node) && isNextIteration(graph[before])) {
        pending.push_back(before);
        continue;
      }
      if (states[before] == Open)
        return messages.error(
            rt::str("[WEIR0226] node ", describe(graph[before]),
                    " waits for itself, by way of node ", describe(node),
                    "; only NextIteration into Merge closes a cycle"));
      if (states[before] == New) {
        states[before] = Open;
        stack.push_back({before, 0});
      }
    }
    return true;
  };
  for (Edge fetch : plan.roots.fetches)
    if (!visit(fetch.node))
      return false;
  for (int target : plan.roots.targets)
    if (!visit(target))
      return false;
  while (!pending.empty()) {
    int node = pending.back();
    pending.pop_back();
    if (!visit(node))
      return false;
  }
  return true;
}

bool Converter::convertAll() {
  mlir::Location loc = mlir::FileLineColLoc::get(context, plan.file, 0, 0);
  builder.setInsertionPointToEnd(module.getBody());
  graphOp =
      GraphOp::create(builder, loc, plan.entry, builder.getFunctionType({}, {}),
                      mlir::StringAttr(), mlir::ArrayAttr(), mlir::ArrayAttr());
  body = new mlir::Block();
  graphOp.getBody().push_back(body);
  builder.setInsertionPointToEnd(body);
  std::vector<int> order;
  if (!sortNodes(order))
    return false;
  for (size_t i = 0; i < plan.feeds.size(); ++i)
    body->addArgument(mlir::UnrankedTensorType::get(builder.getF32Type()), loc);
  for (const Plan::Feed &feed : plan.feeds)
    if (!llvm::is_contained(order, feed.node))
      convertNode(feed.node);
  for (int i : order)
    convertNode(i);
  return connectBackEdges();
}

void Converter::convertNode(int i) {
  const Node &node = graph[i];
  NodeConversion conversion(*this, i);
  std::string problems;
  mlir::ScopedDiagnosticHandler handler(context,
                                        [&](mlir::Diagnostic &diagnostic) {
                                          if (problems.empty())
                                            problems = diagnostic.str();
                                          return mlir::success();
                                        });
  auto row = converters().find(node.op);
  if (row == converters().end()) {
    (void)conversion.fail(rt::str("Weir has no op '", node.op, "'"));
  } else if (mlir::succeeded(row->second(conversion))) {
    bool isValid = llvm::all_of(conversion.created, [](Operation *op) {
      return mlir::succeeded(mlir::verify(op, /*verifyRecursively=*/false));
    });
    if (isValid) {
      Converted &result = converted[i];
      result.done = true;
      llvm::SmallVector<Value> controls;
      for (int control : node.controls)
        if (Value value = controlOf(control);
            value && !llvm::is_contained(controls, value))
          controls.push_back(value);
      result.outputs = conversion.outputs;
      result.control = conversion.control;
      result.hasControl = conversion.control != nullptr;
      for (Operation *op : conversion.created)
        attachAttributes(node, op);
      settle(i, conversion.created, controls);
      // A constant that waits is an identity by then.
      for (Output &output : result.outputs)
        if (auto identity = output.value.getDefiningOp<IdentityOp>())
          if (!identity->hasAttr(WeirDialect::getNameAttrName()))
            attachAttributes(node, identity);
      return;
    }
  }
  for (Operation *op : llvm::reverse(conversion.created)) {
    op->dropAllUses();
    for (Value result : op->getResults())
      facts.erase(result);
    op->erase();
  }
  // The verifiers' codes say what contradicts itself; other messages of theirs
  // say what there is no op for.
  bool isInvalid = conversion.reason.empty()
                       ? problems.find("[WEIR00") != std::string::npos
                       : conversion.isInvalid;
  makeForeign(i, !conversion.reason.empty() ? conversion.reason : problems,
              conversion.cascade, isInvalid);
}

/// A node that contradicts itself fails as a wrong argument does, before it
/// could fail as one that Weir does not have.
static Value failAsInvalid(NodeConversion &n, const std::string &why) {
  mlir::Type flag = n.builder.getI1Type();
  Operation *check = n.makeStateful<AssertOp>(
      n.constantInts({0}, n.scalarType(flag)), {}, n.text("message", why));
  return check->getResults().back();
}

void Converter::makeForeign(int i, const std::string &reason, bool cascade,
                            bool isInvalid) {
  const Node &node = graph[i];
  NodeConversion conversion(*this, i);
  llvm::SmallVector<Value> inputs;
  for (unsigned k = 0; k < conversion.inputCount(); ++k)
    if (Value input = conversion.input(k))
      inputs.push_back(input);
  llvm::SmallVector<Type> types;
  for (int port = 0; port < std::max(uses[i], 0); ++port) {
    pb::DataType type = guessOutputType(node, port);
    if (type > pb::DataType(100))
      type = pb::DataType(type - 100);
    Type element = elementTypeOf(context, type);
    if (type == pb::DT_INVALID)
      element = builder.getF32Type();
    types.push_back(element ? Type(mlir::UnrankedTensorType::get(element))
                            : Type(ResourceType::get(context)));
  }
  std::string why = reason.empty() ? "it cannot be converted" : reason;
  llvm::SmallVector<mlir::NamedAttribute> attrs{
      builder.getNamedAttr("op", builder.getStringAttr(node.op)),
      builder.getNamedAttr("reason", builder.getStringAttr(why))};
  Operation *op = conversion.makeStateful<ForeignOp>(inputs, types, attrs);
  if (isInvalid)
    llvm::cast<NodeInterface>(op).getControlInputsMutable().append(
        failAsInvalid(conversion, why));
  Converted &result = converted[i];
  result.done = true;
  for (Value value : op->getResults().drop_back())
    result.outputs.push_back({value});
  result.control = op->getResults().back();
  result.hasControl = true;
  llvm::SmallVector<Value> controls;
  for (int control : node.controls)
    if (Value value = controlOf(control))
      controls.push_back(value);
  settle(i, conversion.created, controls);
  for (Value value : op->getResults())
    facts[value].foreign = true;
  for (Operation *each : conversion.created)
    attachAttributes(node, each);
  if (cascade)
    return;
  Message remark;
  remark.severity = Message::Severity::Remark;
  remark.code = "WEIR0230";
  remark.text =
      rt::str("[WEIR0230] node ", describe(node), " is not converted: ", why,
              "; running it would be an error");
  remark.file = plan.file;
  remark.rendered = rt::str("remark: ", remark.text, "\n");
  remarks.push_back(std::move(remark));
}

bool Converter::connectBackEdges() {
  for (int i : backEdges) {
    auto merge = converted[i].outputs.empty()
                     ? MergeOp()
                     : converted[i].outputs[0].value.getDefiningOp<MergeOp>();
    if (!merge)
      continue;
    for (auto [k, input] : llvm::enumerate(graph[i].inputs)) {
      if (!isNextIteration(graph[input.node]))
        continue;
      const Converted &next = converted[input.node];
      if (!next.done || static_cast<int>(next.outputs.size()) <= input.port)
        return messages.error(rt::str("[WEIR0226] node ", describe(graph[i]),
                                      " takes output ", input.port, " of node ",
                                      describe(graph[input.node]),
                                      ", which it does not have"));
      Value value = next.outputs[input.port].value;
      Type before = merge.getValue().getType();
      Type joined = joinTypes(before, value.getType());
      if (!joined) {
        brokenMerges[i] =
            rt::str("the loop variable changes its element type: "
                    "it begins as ",
                    typeText(before), ", and the next iteration gives ",
                    typeText(value.getType()));
        continue;
      }
      merge->setOperand(static_cast<unsigned>(k), value);
      // What an unconverted node would give is no reason to know less.
      auto back = value.getDefiningOp<NextIterationOp>();
      if (joined != before && back && facts.lookup(value).foreign) {
        auto sure = EnsureShapeOp::create(
            builder, back.getLoc(),
            mlir::TypeRange{before, ControlType::get(context)}, back.getInput(),
            mlir::ValueRange());
        attachAttributes(graph[input.node], sure);
        back.getInputMutable().assign(sure.getResult());
        back.getResult().setType(before);
      } else if (joined != before) {
        Type &type = mergeTypes[i];
        type = type ? joinTypes(type, joined) : joined;
      }
    }
  }
  return true;
}

//===----------------------------------------------------------------------===//
// What nodes are told apart by
//===----------------------------------------------------------------------===//

Type Converter::elementType(pb::DataType type) const {
  return elementTypeOf(context, type > pb::DataType(100) ? type - 100 : type);
}

mlir::Location Converter::locationOf(const Node &node) const {
  auto name = mlir::StringAttr::get(context, node.name);
  const pb::GraphDebugInfo &info = graph.getDef().debug_info();
  auto placed =
      [&](const pb::GraphDebugInfo::FileLineCol &place) -> mlir::Location {
    return mlir::NameLoc::get(
        name, mlir::FileLineColLoc::get(context, info.files(place.file_index()),
                                        std::max(place.line(), 0),
                                        std::max(place.col(), 0)));
  };
  auto isPlace = [&](const pb::GraphDebugInfo::FileLineCol &place) {
    return place.file_index() >= 0 && place.file_index() < info.files_size();
  };
  if (node.trace) {
    for (const auto &place : node.trace->file_line_cols())
      if (isPlace(place))
        return placed(place);
    for (uint64_t frame : node.trace->frame_id())
      if (auto it = info.frames_by_id().find(frame);
          it != info.frames_by_id().end() && isPlace(it->second))
        return placed(it->second);
  }
  if (plan.lines)
    if (int line = plan.lines->lookup(node.name))
      return mlir::NameLoc::get(
          name, mlir::FileLineColLoc::get(context, plan.file, line, 1));
  return mlir::NameLoc::get(name);
}

void Converter::attachAttributes(const Node &node, Operation *op) const {
  if (llvm::isa<ConstantOp>(op) && node.op != "Const")
    return;
  auto set = [&](llvm::StringRef name, llvm::StringRef value) {
    if (!value.empty())
      op->setAttr(name, mlir::StringAttr::get(context, value));
  };
  set(WeirDialect::getNameAttrName(), node.name);
  set(WeirDialect::getDeviceAttrName(), node.device);
  if (const pb::AttrValue::ListValue *groups = listAttr(node, "_class"))
    for (llvm::StringRef group : groups->s())
      if (group.consume_front("loc:@"))
        return set(WeirDialect::getColocateAttrName(), group);
}

//===- BuildDataflow.cpp - Graphs that no straight line can run -----------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Weir/DTypes.h"
#include "lib/Analysis/CarriedTypes.h"
#include "lib/Analysis/Cycles.h"
#include "lib/Analysis/DeviceName.h"
#include "lib/Analysis/Order.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "passes/Schedule/DataflowBuilder.h"
#include "passes/Schedule/Passes.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

namespace weir {
#define GEN_PASS_DEF_SCHEDULEBUILDDATAFLOW
#include "passes/Schedule/Passes.h.inc"
} // namespace weir

using namespace mlir;
using namespace weir;

static bool holdsStrings(Type type) {
  return isa<StringType>(getElementTypeOrSelf(type));
}

/// True where a straight line has no place for the node.
static bool needsExecutor(Operation *op) {
  if (isNonStrict(op) || isa<RuntimeCallInterface, SendOp, ReceiveOp>(op))
    return true;
  // Compiled code has no strings, but for the path of a checkpoint that is fed.
  if (isa<FetchOp, IdentityOp>(op) &&
      llvm::any_of(op->getOperandTypes(), holdsStrings))
    return true;
  if (isa<SaveOp, RestoreOp>(op) &&
      !isa<BlockArgument>(cast<NodeInterface>(op).getDataInputs().front()))
    return true;
  // Values of such types go from node to node only.
  return !isa<HandleOp>(op) &&
         llvm::any_of(op->getResultTypes(), [](Type type) {
           return isa<UnrankedTensorType, ResourceType>(type);
         });
}

/// True for what a device other than a CPU runs: the host has its table, and
/// the device its kernels.
static bool isOfDevice(GraphOp graph) {
  auto device = graph->getAttrOfType<StringAttr>(rt::deviceAttrName);
  auto name = device ? DeviceName::parse(device.getValue()) : std::nullopt;
  return name && name->type != "CPU";
}

/// Kernels trust the types of what they are given, so a node that hands values
/// on must not promise more than it was promised.
static LogicalResult verifyCarried(Operation *op) {
  SmallVector<Type> known;
  if (auto identity = dyn_cast<IdentityOp>(op))
    known.push_back(identity.getInput().getType());
  else if (!carriedTypes(op, [](OpOperand &) { return true; }, known))
    return success();
  for (auto [declared, type] : llvm::zip_equal(op->getResultTypes(), known))
    if (claimsMore(declared, type))
      return op->emitError() << "[WEIR0102] node '" << WeirDialect::describe(op)
                             << "' is declared to give " << declared
                             << ", but its operands say only " << type
                             << "; weir.ensure_shape checks them at run time";
  return success();
}

namespace {

/// Builds the table of one graph.
class TableBuilder {
public:
  TableBuilder(GraphOp graph, ArrayRef<Operation *> nodes, Frames frames,
               bool keepAll)
      : graph(graph), nodes(nodes), frames(std::move(frames)), keepAll(keepAll),
        builder(graph), kernels(graph), symbols(graph->getParentOp()) {}

  LogicalResult run();

private:
  /// What the node of an op waits for, once all nodes are there.
  struct Pending {
    rt::NodeOp node;
    SmallVector<Value> inputs, controls;
  };

  rt::NodeOp add(Operation *op, rt::NodeKind kind, ValueRange inputs,
                 ValueRange controls, ValueRange outputs,
                 ArrayRef<NamedAttribute> attributes = {});
  LogicalResult addNode(Operation *op);
  void addCall(Operation *op, StringRef call, ValueRange inputs,
               ArrayRef<int64_t> numbers, ArrayRef<std::string> texts,
               ArrayRef<NamedAttribute> more = {});
  LogicalResult addUpdate(Operation *op, StringRef call, ValueRange inputs,
                          ValueRange operands, RankedTensorType old,
                          ArrayRef<NamedAttribute> more,
                          ArrayRef<int64_t> numbers = {});
  LogicalResult addKernel(Operation *op);
  LogicalResult addStateNode(Operation *op);
  LogicalResult addUpdateByHandle(Operation *op);

  bool isAlias(Operation *op) const;
  Value edgeOf(Value value);
  void addWaits(Value control, llvm::SetVector<Value> &waits);
  NamedAttribute indexOf(int64_t index) {
    return builder.getNamedAttr("index", builder.getI64IntegerAttr(index));
  }
  NamedAttribute symbolOf(FlatSymbolRefAttr symbol) {
    return builder.getNamedAttr("symbol", symbol);
  }
  ArrayAttr describe(ArrayRef<Type> types,
                     function_ref<std::string(unsigned)> name);
  ArrayAttr describeFrames();

  GraphOp graph;
  ArrayRef<Operation *> nodes;
  Frames frames;
  /// Leave every node in the table, so that running nodes can be measured.
  bool keepAll;
  OpBuilder builder;
  KernelBuilder kernels;
  SymbolTable symbols;
  Block *body = nullptr;
  llvm::DenseMap<Value, Value> edges;
  std::vector<Pending> pending;
};

} // namespace

//===----------------------------------------------------------------------===//
// Edges
//===----------------------------------------------------------------------===//

/// True for a node that hands its operand on, alive exactly when it is.
bool TableBuilder::isAlias(Operation *op) const {
  auto identity = dyn_cast<IdentityOp>(op);
  return identity && !keepAll && identity.getControls().empty() &&
         identity.getInput().getDefiningOp() != op;
}

/// What a value of the graph is in the table.
Value TableBuilder::edgeOf(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isAlias(op))
      break;
    value = cast<IdentityOp>(op).getInput();
  }
  Value &edge = edges[value];
  if (edge)
    return edge;
  Operation *op = value.getDefiningOp();
  Attribute immediate;
  if (auto constant = dyn_cast<ConstantOp>(op))
    immediate = constant.getValue();
  else
    immediate = cast<HandleOp>(op).getSymbolAttr();
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(body);
  auto made = rt::ImmediateOp::create(
      builder, op->getLoc(),
      rt::EdgeType::get(builder.getContext(), value.getType()), immediate);
  return edges[value] = made.getResult();
}

/// Adds what a control value stands for. A node that joins others is dead
/// exactly when one of them is, and has run when they all have; so to wait for
/// it, or for each of them, is the same.
void TableBuilder::addWaits(Value control, llvm::SetVector<Value> &waits) {
  SmallVector<Value> work{control};
  while (!work.empty()) {
    Value next = work.pop_back_val();
    Operation *op = next.getDefiningOp();
    if (auto found = edges.find(next); found != edges.end()) {
      waits.insert(found->second);
    } else if (auto completed = dyn_cast<CompletedOp>(op)) {
      Value edge = edgeOf(completed.getValue());
      // What is there always need not be waited for.
      if (!edge.getDefiningOp<rt::ImmediateOp>())
        waits.insert(edge);
    } else {
      llvm::append_range(work, cast<NoOpOp>(op).getControls());
    }
  }
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

rt::NodeOp TableBuilder::add(Operation *op, rt::NodeKind kind,
                             ValueRange inputs, ValueRange controls,
                             ValueRange outputs,
                             ArrayRef<NamedAttribute> attributes) {
  SmallVector<Type> types;
  for (Value output : outputs)
    types.push_back(rt::EdgeType::get(builder.getContext(), output.getType()));
  auto node = rt::NodeOp::create(
      builder, op->getLoc(), types, builder.getType<rt::DoneType>(),
      rt::NodeKindAttr::get(builder.getContext(), kind),
      builder.getStringAttr(nodeText(op)), ValueRange(), ValueRange(),
      builder.getI64IntegerAttr(frames.of(op)), nullptr, nullptr, nullptr,
      nullptr, nullptr, nullptr);
  for (NamedAttribute attribute : attributes)
    node->setAttr(attribute.getName(), attribute.getValue());
  for (auto [output, edge] : llvm::zip_equal(outputs, node.getOutputs()))
    edges[output] = edge;
  for (Value result : op->getResults())
    if (isa<ControlType>(result.getType()))
      edges[result] = node.getDone();
  pending.push_back({node, llvm::to_vector(inputs), llvm::to_vector(controls)});
  return node;
}

/// The data results of an op.
static SmallVector<Value> outputsOf(Operation *op) {
  SmallVector<Value> outputs;
  for (Value result : op->getResults())
    if (!isa<ControlType>(result.getType()))
      outputs.push_back(result);
  return outputs;
}

void TableBuilder::addCall(Operation *op, StringRef call, ValueRange inputs,
                           ArrayRef<int64_t> numbers,
                           ArrayRef<std::string> texts,
                           ArrayRef<NamedAttribute> more) {
  rt::NodeOp node =
      add(op, rt::NodeKind::call, inputs,
          cast<NodeInterface>(op).getControlInputs(), outputsOf(op), more);
  node.setCall(("weir_node_" + call).str());
  if (!numbers.empty())
    node.setNumbers(numbers);
  if (!texts.empty()) {
    SmallVector<StringRef> list(texts.begin(), texts.end());
    node.setTextsAttr(builder.getStrArrayAttr(list));
  }
}

LogicalResult TableBuilder::addUpdate(Operation *op, StringRef call,
                                      ValueRange inputs, ValueRange operands,
                                      RankedTensorType old,
                                      ArrayRef<NamedAttribute> more,
                                      ArrayRef<int64_t> numbers) {
  auto kernel = kernels.updateOf(op, operands, old);
  if (failed(kernel))
    return failure();
  SmallVector<NamedAttribute> attributes(more);
  attributes.push_back(builder.getNamedAttr("kernel", *kernel));
  addCall(op, call, inputs, numbers, {}, attributes);
  return success();
}

/// Updates of a variable that is known at run time only. The numbers tell what
/// the kernel takes for the old value: dtype, rank, extents.
LogicalResult TableBuilder::addUpdateByHandle(Operation *op) {
  auto node = cast<NodeInterface>(op);
  ValueRange inputs = node.getDataInputs();
  RankedTensorType old;
  if (auto handle = inputs.front().getDefiningOp<HandleOp>()) {
    if (auto variable = symbols.lookup<VariableOp>(handle.getSymbol()))
      old = dyn_cast<RankedTensorType>(variable.getType());
  }
  // One of values of any shape says nothing.
  if (auto scatter = dyn_cast<AssignScatterResourceOp>(op); scatter && !old)
    old = cast<RankedTensorType>(scatter.getType());
  if (!old)
    old = dyn_cast<RankedTensorType>(inputs.back().getType());
  // A handle of something else, or a value of unknown rank, is an error of the
  // kernel's operands or of the call; any type does.
  if (!old)
    old = RankedTensorType::get({},
                                getElementTypeOrSelf(inputs.back().getType()));
  SmallVector<int64_t> numbers{dtypeOf(old.getElementType()), old.getRank()};
  for (int64_t extent : old.getShape())
    numbers.push_back(ShapedType::isDynamic(extent) ? -1 : extent);
  return addUpdate(op, "update_resource", inputs, inputs.drop_front(), old, {},
                   numbers);
}

LogicalResult TableBuilder::addKernel(Operation *op) {
  SmallVector<Value> inputs, controls;
  auto kernel = kernels.kernelOf(op, inputs, controls);
  if (failed(kernel))
    return failure();
  add(op, rt::NodeKind::kernel, inputs, controls, outputsOf(op),
      builder.getNamedAttr("kernel", *kernel));
  return success();
}

/// Nodes of variables by name, checks and checkpoints: they have a place in
/// straight lines too.
LogicalResult TableBuilder::addStateNode(Operation *op) {
  auto texts = [](ArrayAttr names) {
    SmallVector<std::string> list;
    for (StringRef name : names.getAsValueRange<StringAttr>())
      list.push_back(name.str());
    return list;
  };
  auto update = [&](FlatSymbolRefAttr variable,
                    ValueRange operands) -> LogicalResult {
    auto type = cast<RankedTensorType>(
        symbols.lookup<VariableOp>(variable.getValue()).getType());
    return addUpdate(op, "update", operands, operands, type,
                     symbolOf(variable));
  };
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](ReadOp node) {
        addCall(op, "read", {}, {}, {}, symbolOf(node.getVariableAttr()));
        return success();
      })
      .Case([&](AssignOp node) {
        addCall(op, "assign", node.getValue(), {}, {},
                symbolOf(node.getVariableAttr()));
        return success();
      })
      .Case<AssignAddOp, AssignSubOp>([&](auto node) {
        return update(node.getVariableAttr(), node.getValue());
      })
      .Case([&](AssignScatterOp node) {
        return update(node.getVariableAttr(),
                      {node.getIndices(), node.getUpdates()});
      })
      .Case([&](IsInitializedOp node) {
        addCall(op, "is_initialized", {}, {}, {},
                symbolOf(node.getVariableAttr()));
        return success();
      })
      .Case([&](CheckNumericsOp node) {
        addCall(op, "check_numerics", node.getInput(), {},
                {node.getMessage().str()});
        return success();
      })
      .Case([&](SaveOp node) {
        addCall(op, "save", node.getDataInputs(), {}, texts(node.getNames()));
        return success();
      })
      .Case([&](RestoreOp node) {
        addCall(op, "restore", node.getDataInputs(), {},
                texts(node.getNames()));
        return success();
      })
      .Default([](Operation *op) {
        return op->emitError()
               << "[WEIR0110] node '" << WeirDialect::describe(op)
               << "' cannot be part of a program that runs";
      });
}

LogicalResult TableBuilder::addNode(Operation *op) {
  // The condition of a conditional is a part of its kernel.
  if (isa<ConstantOp, HandleOp, tensor::ExtractOp>(op) || isAlias(op))
    return success();
  if (auto fetch = dyn_cast<FetchOp>(op)) {
    for (auto [i, value] : llvm::enumerate(fetch.getValues())) {
      rt::NodeOp node = add(op, rt::NodeKind::fetch, value, {}, {}, indexOf(i));
      node.setNode("fetch '" + graph.getFetchName(i) + "'");
    }
    return success();
  }
  if (op->getNumRegions() != 0)
    return addKernel(op);
  auto node = dyn_cast<NodeInterface>(op);
  if (!node)
    return op->emitError() << "[WEIR0110] '" << op->getName()
                           << "' cannot be part of a program that runs";
  // Joins have no node unless somebody waits for more through them than
  // through what they join.
  if (isa<NoOpOp, CompletedOp>(op)) {
    size_t waits = node.getControlInputs().size() + isa<CompletedOp>(op);
    bool isFlat = waits <= 1 || (isa<NoOpOp>(op) && op->hasOneUse());
    if (isFlat && !keepAll)
      return success();
    SmallVector<Value> controls(node.getControlInputs());
    if (auto completed = dyn_cast<CompletedOp>(op))
      controls.push_back(completed.getValue());
    add(op, rt::NodeKind::no_op, {}, controls, {});
    return success();
  }
  using Kind = rt::NodeKind;
  auto plain = [&](Kind kind, ArrayRef<NamedAttribute> attributes = {}) {
    return add(op, kind, node.getDataInputs(), node.getControlInputs(),
               outputsOf(op), attributes);
  };
  if (auto enter = dyn_cast<EnterOp>(op)) {
    plain(Kind::enter, indexOf(frames.of(enter.getResult())))
        .setNumbers(ArrayRef<int64_t>{enter.getIsConstant()});
    return success();
  }
  if (isNonStrict(op)) {
    plain(llvm::TypeSwitch<Operation *, Kind>(op)
              .Case<SwitchOp, SwitchNOp>([](auto) { return Kind::switch_op; })
              .Case([](MergeOp) { return Kind::merge; })
              .Case([](ExitOp) { return Kind::exit; })
              .Case([](NextIterationOp) { return Kind::next_iteration; })
              .Case([](ControlTriggerOp) { return Kind::control_trigger; })
              .Default([](Operation *) { return Kind::identity; }));
    return success();
  }
  if (isa<IdentityOp>(op)) {
    plain(Kind::identity);
    return success();
  }
  auto meet = [&](auto meeting, Kind kind) {
    plain(kind).setTextsAttr(builder.getStrArrayAttr(
        {meeting.getTensor(), meeting.getSource(), meeting.getDestination()}));
    return success();
  };
  if (auto send = dyn_cast<SendOp>(op))
    return meet(send, Kind::send);
  if (auto receive = dyn_cast<ReceiveOp>(op))
    return meet(receive, Kind::receive);
  if (isa<AssignAddResourceOp, AssignSubResourceOp, AssignScatterResourceOp>(
          op))
    return addUpdateByHandle(op);
  if (auto call = dyn_cast<RuntimeCallInterface>(op)) {
    addCall(op, op->getName().stripDialect(), node.getDataInputs(),
            call.getCallNumbers(), call.getCallTexts());
    return success();
  }
  if (isMemoryEffectFree(op) && !isa<GradientsOp>(op))
    return addKernel(op);
  return addStateNode(op);
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

ArrayAttr TableBuilder::describe(ArrayRef<Type> types,
                                 function_ref<std::string(unsigned)> name) {
  SmallVector<Attribute> list;
  for (auto [i, type] : llvm::enumerate(types))
    list.push_back(builder.getDictionaryAttr(
        {builder.getNamedAttr("name", builder.getStringAttr(name(i))),
         builder.getNamedAttr("type", TypeAttr::get(type))}));
  return builder.getArrayAttr(list);
}

ArrayAttr TableBuilder::describeFrames() {
  SmallVector<Attribute> list;
  for (const Frame &frame : ArrayRef(frames.all()).drop_front())
    list.push_back(builder.getDictionaryAttr(
        {builder.getNamedAttr("name", builder.getStringAttr(frame.name)),
         builder.getNamedAttr("parent",
                              builder.getI64IntegerAttr(frame.parent)),
         builder.getNamedAttr(
             "parallel_iterations",
             builder.getI64IntegerAttr(frame.parallelIterations))}));
  return builder.getArrayAttr(list);
}

LogicalResult TableBuilder::run() {
  Location loc = graph.getLoc();
  auto table = rt::DataflowOp::create(
      builder, loc, graph.getSymNameAttr(),
      describe(graph.getArgumentTypes(),
               [&](unsigned i) { return graph.getFeedName(i); }),
      describe(graph.getResultTypes(),
               [&](unsigned i) { return graph.getFetchName(i); }),
      describeFrames(), /*sym_visibility=*/nullptr);
  if (Attribute device = graph->getAttr(rt::deviceAttrName))
    table->setAttr(rt::deviceAttrName, device);
  body = &table.getBody().emplaceBlock();
  builder.setInsertionPointToEnd(body);

  for (BlockArgument feed : graph.getBody().getArguments()) {
    if (feed.use_empty())
      continue;
    unsigned index = feed.getArgNumber();
    auto node = rt::NodeOp::create(
        builder, loc,
        Type(rt::EdgeType::get(builder.getContext(), feed.getType())),
        builder.getType<rt::DoneType>(),
        rt::NodeKindAttr::get(builder.getContext(), rt::NodeKind::feed),
        builder.getStringAttr("feed '" + graph.getFeedName(index) + "'"),
        ValueRange(), ValueRange(), builder.getI64IntegerAttr(0),
        builder.getI64IntegerAttr(index), nullptr, nullptr, nullptr, nullptr,
        nullptr);
    edges[feed] = node.getOutputs().front();
  }
  for (Operation *op : nodes)
    if (failed(verifyCarried(op)) || failed(addNode(op)))
      return failure();
  for (Pending &waiting : pending) {
    SmallVector<Value> inputs;
    for (Value input : waiting.inputs)
      inputs.push_back(edgeOf(input));
    waiting.node.getInputsMutable().assign(inputs);
    llvm::SetVector<Value> waits;
    for (Value control : waiting.controls) {
      if (isa<ControlType>(control.getType()))
        addWaits(control, waits);
      else if (Value edge = edgeOf(control);
               !edge.getDefiningOp<rt::ImmediateOp>())
        waits.insert(edge);
    }
    waiting.node.getControlsMutable().assign(waits.getArrayRef());
  }
  graph.erase();
  return success();
}

namespace {
class BuildDataflow
    : public weir::impl::ScheduleBuildDataflowBase<BuildDataflow> {
public:
  using Base = weir::impl::ScheduleBuildDataflowBase<BuildDataflow>;
  using Base::Base;

private:
  void runOnOperation() override {
    auto mode = getOperation()->getAttrOfType<StringAttr>(rt::executorAttrName);
    bool keepAll = mode && mode.getValue() == "tasks";
    bool all = executor || keepAll || (mode && mode.getValue() == "all");
    for (GraphOp graph :
         llvm::make_early_inc_range(getOperation().getOps<GraphOp>())) {
      Block &block = graph.getBody().front();
      SmallVector<Operation *> nodes = neededNodes(block);
      if (!all && !isOfDevice(graph) && llvm::none_of(nodes, needsExecutor))
        continue;
      SmallVector<Operation *> cycle = findCycle(block);
      if (!cycle.empty()) {
        cycle.front()->emitError()
            << "[WEIR0103] node '" << WeirDialect::describe(cycle.front())
            << "' waits for itself: its edges form a cycle";
        return signalPassFailure();
      }
      FailureOr<Frames> frames = Frames::compute(block);
      if (failed(frames) ||
          failed(TableBuilder(graph, nodes, std::move(*frames), keepAll).run()))
        return signalPassFailure();
    }
  }
};
} // namespace

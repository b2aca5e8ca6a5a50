//===- Queue.cpp - Queues, barriers, accumulators, staging areas --------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Frontend/GraphDef/Convert/Converters.h"

#include "runtime/base/Format.h"

using namespace weir;
using namespace weir::graphdef;
using mlir::Type;

/// The types of an element's components, which attributes `types` and `shapes`
/// give; no shapes leave them open.
static std::optional<llvm::SmallVector<Type>>
componentTypes(NodeConversion &n, const char *types, const char *shapes) {
  const pb::AttrValue::ListValue *elements = listAttr(n.node, types);
  const pb::AttrValue::ListValue *extents = listAttr(n.node, shapes);
  if (!elements || elements->type_size() == 0) {
    (void)n.fail(rt::str("it has no attribute '", types, "'"));
    return std::nullopt;
  }
  llvm::SmallVector<Type> result;
  for (int i = 0; i < elements->type_size(); ++i) {
    Type element = n.elementType(static_cast<pb::DataType>(elements->type(i)));
    bool hasShape = extents && i < extents->shape_size();
    mlir::TensorType type =
        n.tensorType(hasShape ? &extents->shape(i) : nullptr, element);
    if (!type)
      return std::nullopt;
    result.push_back(type);
  }
  return result;
}

static mlir::OperationState declarationState(NodeConversion &n,
                                             llvm::StringRef op,
                                             const std::string &kind) {
  mlir::OperationState state(n.loc, op);
  state.addAttribute("sym_name", n.builder.getStringAttr(n.stateSymbol(kind)));
  return state;
}

static LogicalResult declareState(NodeConversion &n,
                                  mlir::OperationState &state) {
  mlir::OpBuilder at = n.declarationBuilder();
  return mlir::success(n.declare(at.create(state)) != nullptr);
}

static LogicalResult declareQueue(NodeConversion &n, QueueKind kind,
                                  llvm::ArrayRef<Type> components,
                                  int64_t capacity) {
  mlir::OperationState state =
      declarationState(n, QueueOp::getOperationName(), "queue");
  auto number = [&](const char *name, int64_t value) {
    if (value)
      state.addAttribute(name, n.builder.getI64IntegerAttr(value));
  };
  state.addAttribute("capacity", n.builder.getI64IntegerAttr(capacity));
  state.addAttribute("components", n.builder.getTypeArrayAttr(components));
  if (kind != QueueKind::fifo)
    state.addAttribute("kind",
                       QueueKindAttr::get(n.builder.getContext(), kind));
  if (kind == QueueKind::random_shuffle) {
    number("min_after_dequeue",
           intAttr(n.node, "min_after_dequeue").value_or(0));
    number("seed", intAttr(n.node, "seed").value_or(0));
    number("seed2", intAttr(n.node, "seed2").value_or(0));
  }
  return declareState(n, state);
}

template <QueueKind kind> static LogicalResult convertQueue(NodeConversion &n) {
  bool isPriority = kind == QueueKind::priority;
  llvm::SmallVector<Type> components;
  if (isPriority)
    components.push_back(n.scalarType(n.builder.getI64Type()));
  const pb::AttrValue::ListValue *types = listAttr(n.node, "component_types");
  if (!isPriority || (types && types->type_size())) {
    auto declared = componentTypes(n, "component_types", "shapes");
    if (!declared)
      return mlir::failure();
    llvm::append_range(components, *declared);
  }
  // Any negative number is no bound.
  int64_t capacity = intAttr(n.node, "capacity").value_or(-1);
  return declareQueue(n, kind, components, capacity < 0 ? -1 : capacity);
}

static mlir::NamedAttribute timeout(NodeConversion &n) {
  int64_t ms = intAttr(n.node, "timeout_ms").value_or(-1);
  return n.i64("timeout_ms", ms < 0 ? -1 : ms);
}

/// The handle and all other inputs.
static std::optional<llvm::SmallVector<Value>> withHandle(NodeConversion &n) {
  llvm::SmallVector<Value> operands{n.handle(0)};
  for (unsigned i = 1; i < n.inputCount() && operands.back(); ++i)
    operands.push_back(n.anyTensor(i));
  if (!operands.back())
    return std::nullopt;
  return operands;
}

template <typename OpT> static LogicalResult convertEnqueue(NodeConversion &n) {
  auto operands = withHandle(n);
  if (!operands)
    return mlir::failure();
  return n.outputsOf(n.makeStateful<OpT>(*operands, {}, timeout(n)));
}

/// The components that a node gives: those of the declaration where it is
/// known, and open shapes else.
static std::optional<llvm::SmallVector<Type>>
givenTypes(NodeConversion &n, Value handle, const char *attr) {
  const pb::AttrValue::ListValue *types = listAttr(n.node, attr);
  if (!types) {
    (void)n.fail(rt::str("it has no attribute '", attr, "'"));
    return std::nullopt;
  }
  mlir::ArrayAttr declared;
  if (auto queue = llvm::dyn_cast_or_null<QueueOp>(n.declarationOf(handle)))
    declared = queue.getComponents();
  if (auto barrier = llvm::dyn_cast_or_null<BarrierOp>(n.declarationOf(handle)))
    declared = barrier.getComponents();
  llvm::SmallVector<Type> result;
  for (int i = 0; i < types->type_size(); ++i) {
    Type element = n.elementType(static_cast<pb::DataType>(types->type(i)));
    if (!element)
      return std::nullopt;
    Type type = mlir::UnrankedTensorType::get(element);
    if (declared && declared.size() == size_t(types->type_size())) {
      Type known = llvm::cast<mlir::TypeAttr>(declared[i]).getValue();
      if (llvm::cast<mlir::TensorType>(known).getElementType() == element)
        type = known;
    }
    result.push_back(type);
  }
  return result;
}

Type weir::graphdef::batchOf(Type type, int64_t count) {
  auto ranked = llvm::dyn_cast<mlir::RankedTensorType>(type);
  if (!ranked)
    return type;
  llvm::SmallVector<int64_t> shape{count};
  llvm::append_range(shape, ranked.getShape());
  return mlir::RankedTensorType::get(shape, ranked.getElementType());
}

static LogicalResult convertDequeue(NodeConversion &n) {
  Value handle = n.handle(0);
  if (!handle)
    return mlir::failure();
  auto types = givenTypes(n, handle, "component_types");
  if (!types)
    return mlir::failure();
  return n.outputsOf(n.makeStateful<DequeueOp>(handle, *types, timeout(n)));
}

template <typename OpT>
static LogicalResult convertDequeueBatch(NodeConversion &n) {
  Value handle = n.handle(0), count = n.anyTensor(1);
  if (!handle || !count)
    return mlir::failure();
  auto types = givenTypes(n, handle, "component_types");
  if (!types)
    return mlir::failure();
  int64_t extent = mlir::ShapedType::kDynamic;
  if (std::is_same_v<OpT, DequeueManyOp> && n.isConstant(1))
    if (std::optional<int64_t> known = n.integer(1); known && *known >= 0)
      extent = *known;
  for (Type &type : *types)
    type = batchOf(type, extent);
  return n.outputsOf(n.makeStateful<OpT>({handle, count}, *types, timeout(n)));
}

template <typename OpT, typename ElementT>
static LogicalResult convertAsk(NodeConversion &n) {
  Value handle = n.handle(0);
  if (!handle)
    return mlir::failure();
  Type element =
      mlir::IntegerType::get(n.builder.getContext(), ElementT::value);
  return n.outputsOf(n.makeStateful<OpT>(handle, n.scalarType(element)));
}
using Int32 = std::integral_constant<unsigned, 32>;
using Bool = std::integral_constant<unsigned, 1>;

template <typename OpT> static LogicalResult convertClose(NodeConversion &n) {
  Value handle = n.handle(0);
  if (!handle)
    return mlir::failure();
  llvm::SmallVector<mlir::NamedAttribute> attrs;
  if (boolAttr(n.node, "cancel_pending_enqueues").value_or(false))
    attrs.push_back(n.unit("cancel_pending"));
  return n.outputsOf(n.makeStateful<OpT>(handle, {}, attrs));
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

static LogicalResult convertBarrier(NodeConversion &n) {
  auto components = componentTypes(n, "component_types", "shapes");
  if (!components)
    return mlir::failure();
  mlir::OperationState state =
      declarationState(n, BarrierOp::getOperationName(), "barrier");
  state.addAttribute("components", n.builder.getTypeArrayAttr(*components));
  return declareState(n, state);
}

static LogicalResult convertInsertMany(NodeConversion &n) {
  auto operands = withHandle(n);
  if (!operands)
    return mlir::failure();
  return n.outputsOf(n.makeStateful<BarrierInsertManyOp>(
      *operands, {},
      n.i64("component", intAttr(n.node, "component_index").value_or(0))));
}

static LogicalResult convertTakeMany(NodeConversion &n) {
  Value handle = n.handle(0), count = n.anyTensor(1);
  if (!handle || !count)
    return mlir::failure();
  auto components = givenTypes(n, handle, "component_types");
  if (!components)
    return mlir::failure();
  mlir::MLIRContext *context = n.builder.getContext();
  constexpr int64_t open = mlir::ShapedType::kDynamic;
  llvm::SmallVector<Type> types{
      mlir::RankedTensorType::get({open}, n.builder.getI64Type()),
      mlir::RankedTensorType::get({open}, StringType::get(context))};
  for (Type type : *components)
    types.push_back(batchOf(type, open));
  llvm::SmallVector<mlir::NamedAttribute> attrs{timeout(n)};
  for (const char *flag : {"allow_small_batch", "wait_for_incomplete"})
    if (boolAttr(n.node, flag).value_or(false))
      attrs.push_back(n.unit(flag));
  return n.outputsOf(
      n.makeStateful<BarrierTakeManyOp>({handle, count}, types, attrs));
}

//===----------------------------------------------------------------------===//
// Accumulators
//===----------------------------------------------------------------------===//

static LogicalResult convertAccumulator(NodeConversion &n) {
  Type element = n.elementTypeAttr("dtype");
  if (!element)
    return mlir::failure();
  std::string reduction = stringAttr(n.node, "reduction_type").value_or("MEAN");
  if (reduction != "MEAN" && reduction != "SUM")
    return n.fail(rt::str("there is no reduction '", reduction, "'"));
  mlir::OperationState state =
      declarationState(n, AccumulatorOp::getOperationName(), "accumulator");
  state.addAttribute("type", mlir::TypeAttr::get(n.tensorType(
                                 shapeAttr(n.node, "shape"), element)));
  if (reduction == "SUM")
    state.addAttribute("reduction", ReductionAttr::get(n.builder.getContext(),
                                                       Reduction::sum));
  return declareState(n, state);
}

template <typename OpT>
static LogicalResult convertWithHandle(NodeConversion &n) {
  auto operands = withHandle(n);
  if (!operands)
    return mlir::failure();
  return n.outputsOf(n.makeStateful<OpT>(*operands, {}));
}

static LogicalResult convertTakeGradient(NodeConversion &n) {
  Value handle = n.handle(0), count = n.anyTensor(1);
  Type element = n.elementTypeAttr("dtype");
  if (!handle || !count || !element)
    return mlir::failure();
  Type type = mlir::UnrankedTensorType::get(element);
  if (auto declared =
          llvm::dyn_cast_or_null<AccumulatorOp>(n.declarationOf(handle)))
    type = declared.getType();
  return n.outputsOf(n.makeStateful<AccumulatorTakeOp>({handle, count}, type));
}

//===----------------------------------------------------------------------===//
// Staging areas: queues of a name, without a node that makes them
//===----------------------------------------------------------------------===//

static Value stagingArea(NodeConversion &n) {
  auto types = componentTypes(n, "dtypes", "shapes");
  if (!types)
    return {};
  // The capacity is that of the node that stages.
  std::optional<int64_t> capacity = n.stagingCapacity();
  if (mlir::failed(declareQueue(n, QueueKind::fifo, *types,
                                capacity.value_or(0) > 0 ? *capacity : -1)))
    return {};
  return n.takeOutput();
}

static LogicalResult convertStage(NodeConversion &n) {
  llvm::SmallVector<Value> operands{stagingArea(n)};
  if (!operands[0])
    return mlir::failure();
  for (unsigned i = 0; i < n.inputCount(); ++i) {
    operands.push_back(n.anyTensor(i));
    if (!operands.back())
      return mlir::failure();
  }
  return n.outputsOf(n.makeStateful<EnqueueOp>(operands, {}));
}

static LogicalResult convertUnstage(NodeConversion &n) {
  Value queue = stagingArea(n);
  if (!queue)
    return mlir::failure();
  auto types = componentTypes(n, "dtypes", "shapes");
  return n.outputsOf(n.makeStateful<DequeueOp>(queue, *types));
}

static LogicalResult convertStageSize(NodeConversion &n) {
  Value queue = stagingArea(n);
  if (!queue)
    return mlir::failure();
  return n.outputsOf(
      n.makeStateful<QueueSizeOp>(queue, n.scalarType(n.builder.getI32Type())));
}

static LogicalResult convertStageClear(NodeConversion &n) {
  Value queue = stagingArea(n);
  if (!queue)
    return mlir::failure();
  return n.outputsOf(n.makeStateful<QueueClearOp>(queue, {}));
}

void weir::graphdef::addQueueConverters(ConverterTable &table) {
  for (const char *version : {"", "V2"}) {
    auto row = [&](const char *op, OpConverter converter) {
      table[rt::str(op, version)] = converter;
    };
    row("FIFOQueue", convertQueue<QueueKind::fifo>);
    row("RandomShuffleQueue", convertQueue<QueueKind::random_shuffle>);
    row("PaddingFIFOQueue", convertQueue<QueueKind::padding_fifo>);
    row("PriorityQueue", convertQueue<QueueKind::priority>);
    row("QueueEnqueue", convertEnqueue<EnqueueOp>);
    row("QueueEnqueueMany", convertEnqueue<EnqueueManyOp>);
    row("QueueDequeue", convertDequeue);
    row("QueueDequeueMany", convertDequeueBatch<DequeueManyOp>);
    row("QueueDequeueUpTo", convertDequeueBatch<DequeueUpToOp>);
    row("QueueSize", convertAsk<QueueSizeOp, Int32>);
    row("QueueIsClosed", convertAsk<QueueIsClosedOp, Bool>);
    row("QueueClose", convertClose<QueueCloseOp>);
  }
  table["Barrier"] = convertBarrier;
  table["BarrierInsertMany"] = convertInsertMany;
  table["BarrierTakeMany"] = convertTakeMany;
  table["BarrierClose"] = convertClose<BarrierCloseOp>;
  table["BarrierReadySize"] = convertAsk<BarrierReadySizeOp, Int32>;
  table["BarrierIncompleteSize"] = convertAsk<BarrierIncompleteSizeOp, Int32>;
  for (const char *prefix : {"", "Resource"}) {
    auto row = [&](const char *op, OpConverter converter) {
      table[rt::str(prefix, op)] = converter;
    };
    row("ConditionalAccumulator", convertAccumulator);
    row("AccumulatorApplyGradient", convertWithHandle<AccumulatorApplyOp>);
    row("AccumulatorSetGlobalStep", convertWithHandle<AccumulatorSetStepOp>);
    row("AccumulatorNumAccumulated", convertAsk<AccumulatorSizeOp, Int32>);
    row("AccumulatorTakeGradient", convertTakeGradient);
  }
  table["Stage"] = convertStage;
  table["Unstage"] = convertUnstage;
  table["StageSize"] = convertStageSize;
  table["StageClear"] = convertStageClear;
}

//===- QuantizePostTraining.cpp - Products on int8 ------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Interpreter/Tensor.h"
#include "mlir/Analysis/TopologicalSortUtils.h"
#include "passes/Quantize/Layers.h"
#include "passes/Quantize/Passes.h"
#include "passes/Quantize/Scales.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include <cmath>

namespace weir {
#define GEN_PASS_DEF_QUANTIZEPOSTTRAINING
#include "passes/Quantize/Passes.h.inc"
} // namespace weir

using namespace mlir;

namespace weir {

//===----------------------------------------------------------------------===//
// Ranges
//===----------------------------------------------------------------------===//

static DenseF64ArrayAttr rangeAttr(Value value) {
  if (Operation *op = value.getDefiningOp())
    return op->getAttrOfType<DenseF64ArrayAttr>(rangeAttrName);
  auto argument = cast<BlockArgument>(value);
  auto graph = cast<GraphOp>(argument.getOwner()->getParentOp());
  return graph.getArgAttrOfType<DenseF64ArrayAttr>(argument.getArgNumber(),
                                                   rangeAttrName);
}

std::optional<std::pair<double, double>> rangeOf(Value value) {
  DenseF64ArrayAttr range = rangeAttr(value);
  if (!range || range.size() != 2)
    return std::nullopt;
  return std::pair(range[0], range[1]);
}

void setRange(Value value, double low, double high) {
  auto range = DenseF64ArrayAttr::get(value.getContext(), {low, high});
  if (Operation *op = value.getDefiningOp())
    return op->setAttr(rangeAttrName, range);
  auto argument = cast<BlockArgument>(value);
  cast<GraphOp>(argument.getOwner()->getParentOp())
      .setArgAttr(argument.getArgNumber(), rangeAttrName, range);
}

static void dropRanges(GraphOp graph) {
  for (Operation &op : graph.getBody().front())
    op.removeAttr(rangeAttrName);
  for (unsigned i = 0; i < graph.getNumArguments(); ++i)
    graph.removeArgAttr(i, StringAttr::get(graph.getContext(), rangeAttrName));
}

static llvm::SetVector<Value> valuesOf(const Layers &layers) {
  llvm::SetVector<Value> values;
  for (const Layer &layer : layers.layers) {
    values.insert(layer.input());
    values.insert(layer.outcome());
  }
  return values;
}

/// Why a graph is left alone; empty where it is not.
static std::string whyNotGraph(GraphOp graph) {
  for (Operation &op : graph.getBody().front()) {
    if (isa<GradientsOp>(op))
      return "it has gradients to be expanded";
    if (op.getNumRegions() != 0 ||
        isa<SwitchOp, SwitchNOp, MergeOp, EnterOp>(op))
      return "it has branches or loops";
  }
  return "";
}

SmallVector<Value> valuesToCalibrate(GraphOp graph) {
  if (!whyNotGraph(graph).empty())
    return {};
  return SmallVector<Value>(valuesOf(findLayers(graph)).takeVector());
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

namespace {

/// A float value on int8.
struct Stored {
  Value value;
  Storage storage;
};

class Quantizer {
public:
  explicit Quantizer(GraphOp graph)
      : graph(graph), block(graph.getBody().front()),
        builder(graph.getContext()) {}

  LogicalResult run(Layers layers, std::vector<QuantizedNode> &nodes);

private:
  FailureOr<Storage> storageFor(Value value, Operation *user);
  FailureOr<Stored> store(Value value, Operation *user);
  LogicalResult rewrite(const Layer &layer);
  void rewriteKept(Operation *op);
  void leave();

  Value constant(Location loc, RankedTensorType type, auto numbers) {
    return ConstantOp::create(
        builder, loc,
        cast<ElementsAttr>(DenseElementsAttr::get(type, numbers)));
  }
  static RankedTensorType int8Type(Value value) {
    auto type = cast<RankedTensorType>(value.getType());
    return type.clone(IntegerType::get(type.getContext(), 8));
  }

  GraphOp graph;
  Block &block;
  OpBuilder builder;
  /// What is stored because it was computed so, and because it was quantized.
  llvm::MapVector<Value, Stored> computed;
  DenseMap<Value, Stored> entered;
  /// Layers by the value that they wait to be computed for.
  llvm::SetVector<Operation *> replaced;
};

} // namespace

/// The discardable attributes of a node, without its range.
static void keepAttributes(Operation *from, Operation *to) {
  for (NamedAttribute attribute : from->getDiscardableAttrs())
    if (attribute.getName() != rangeAttrName)
      to->setDiscardableAttr(attribute.getName(), attribute.getValue());
}

FailureOr<Storage> Quantizer::storageFor(Value value, Operation *user) {
  auto range = rangeOf(value);
  auto name = [&] {
    if (Operation *op = value.getDefiningOp())
      return "the value of '" + WeirDialect::describe(op) + "'";
    return "feed '" +
           graph.getFeedName(cast<BlockArgument>(value).getArgNumber()) + "'";
  };
  if (!range)
    return user->emitError()
           << "[WEIR0167] " << name()
           << " has no range; --quantize=samples.npz finds ranges by running "
              "the graph";
  auto [low, high] = *range;
  if (!std::isfinite(low) || !std::isfinite(high) || low > high)
    return user->emitError()
           << "[WEIR0167] " << name() << " has the range "
           << std::to_string(low) << " to " << std::to_string(high)
           << "; a range has two finite ends, in order";
  return storageOf(low, high);
}

/// A value on int8, by a weir.quantize where need be.
FailureOr<Stored> Quantizer::store(Value value, Operation *user) {
  if (auto found = computed.find(value); found != computed.end())
    return found->second;
  if (auto found = entered.find(value); found != entered.end())
    return found->second;
  FailureOr<Storage> storage = storageFor(value, user);
  if (failed(storage))
    return failure();
  builder.setInsertionPoint(user);
  Value quantized =
      QuantizeOp::create(builder, user->getLoc(), int8Type(value), value,
                         builder.getDenseF32ArrayAttr(storage->scale),
                         builder.getDenseI32ArrayAttr(storage->zero),
                         builder.getI64IntegerAttr(-1), ValueRange());
  return entered[value] = Stored{quantized, *storage};
}

/// The numbers of a constant, as f32; an error where one is not finite.
static FailureOr<std::vector<float>> numbersOf(Value value, const char *what,
                                               Operation *user) {
  auto constant = value.getDefiningOp<ConstantOp>();
  llvm::Expected<Tensor> tensor = Tensor::fromAttribute(constant.getValue());
  if (!tensor)
    return user->emitError() << "[WEIR0168] its " << what << ": "
                             << llvm::toString(tensor.takeError());
  const auto *data = tensor->read<float>();
  std::vector<float> numbers(data, data + tensor->size());
  for (float number : numbers)
    if (!std::isfinite(number))
      return user->emitError()
             << "[WEIR0168] its " << what << " have the element "
             << std::to_string(number) << "; int8 stands for finite numbers";
  return numbers;
}

/// Rows and columns change places.
static std::vector<float> transposed(const std::vector<float> &numbers,
                                     size_t rows) {
  size_t columns = numbers.size() / rows;
  std::vector<float> result(numbers.size());
  for (size_t i = 0; i < rows; ++i)
    for (size_t j = 0; j < columns; ++j)
      result[j * rows + i] = numbers[i * columns + j];
  return result;
}

LogicalResult Quantizer::rewrite(const Layer &layer) {
  Operation *product = layer.product;
  FailureOr<Stored> input = store(layer.input(), product);
  FailureOr<Storage> output = storageFor(layer.outcome(), product);
  if (failed(input) || failed(output))
    return failure();
  if (layer.cutsNegative) {
    auto [low, high] = *rangeOf(layer.outcome());
    output = storageOf(0, std::max(high, 0.0));
  }
  auto columns = static_cast<size_t>(layer.columns());
  FailureOr<std::vector<float>> weights =
      numbersOf(layer.weights(), "weights", product);
  if (failed(weights))
    return failure();
  auto weightsShape =
      cast<RankedTensorType>(layer.weights().getType()).getShape();
  SmallVector<int64_t> shape(weightsShape);
  if (auto matmul = dyn_cast<MatmulOp>(product);
      matmul && matmul.getTransposeRhs()) {
    *weights = transposed(*weights, columns);
    std::swap(shape[0], shape[1]);
  }
  std::vector<float> bias(columns, 0.0f);
  if (layer.bias) {
    FailureOr<std::vector<float>> numbers =
        numbersOf(layer.biasValue(), "bias", product);
    if (failed(numbers))
      return failure();
    bias = numbers->size() == 1 ? std::vector<float>(columns, numbers->front())
                                : std::move(*numbers);
  }

  float inputScale = input->storage.scale;
  std::optional<QuantizedWeights> stored =
      quantizeWeights(*weights, bias, inputScale);
  if (!stored)
    return product->emitError()
           << "[WEIR0168] its bias is so large beside its input that no sum of "
              "32 bits holds it";
  SmallVector<int32_t> multipliers, shifts;
  for (float scale : stored->scales) {
    Multiplier m = multiplierOf(double(inputScale) * scale / output->scale);
    multipliers.push_back(m.multiplier);
    shifts.push_back(m.shift);
  }

  builder.setInsertionPoint(layer.last());
  Location loc = product->getLoc();
  Value w = constant(loc, RankedTensorType::get(shape, builder.getI8Type()),
                     ArrayRef<int8_t>(stored->weights));
  Value b = constant(loc,
                     RankedTensorType::get({static_cast<int64_t>(columns)},
                                           builder.getI32Type()),
                     ArrayRef<int32_t>(stored->bias));
  Type type = int8Type(layer.result());
  IntegerAttr inputZero = builder.getI32IntegerAttr(input->storage.zero),
              outputZero = builder.getI32IntegerAttr(output->zero),
              low = builder.getI32IntegerAttr(layer.cutsNegative ? output->zero
                                                                 : -128),
              high = builder.getI32IntegerAttr(127);
  auto m = builder.getDenseI32ArrayAttr(multipliers),
       s = builder.getDenseI32ArrayAttr(shifts);
  Operation *node;
  if (auto conv = dyn_cast<Conv2dOp>(product))
    node = QuantizedConv2dOp::create(
        builder, loc, type, input->value, w, b, inputZero, m, s, outputZero,
        low, high, conv.getStridesAttr(), conv.getDilationsAttr(),
        conv.getPaddingAttr(), conv.getPadsAttr(), ValueRange());
  else
    node = QuantizedMatmulOp::create(builder, loc, type, input->value, w, b,
                                     inputZero, m, s, outputZero, low, high,
                                     ValueRange());
  keepAttributes(product, node);
  computed[layer.result()] = {node->getResult(0), *output};
  for (Operation *op : {product, layer.bias, layer.relu})
    if (op)
      replaced.insert(op);
  return success();
}

/// What only moves elements, or takes the largest, of a stored value.
void Quantizer::rewriteKept(Operation *op) {
  Stored input = computed.find(op->getOperand(0))->second;
  builder.setInsertionPoint(op);
  Operation *node;
  if (auto pool = dyn_cast<MaxPoolOp>(op)) {
    node = QuantizedMaxPoolOp::create(
        builder, op->getLoc(), int8Type(pool.getResult()), input.value,
        pool.getWindowAttr(), pool.getStridesAttr(), pool.getPaddingAttr(),
        pool.getPadsAttr(), ValueRange());
    keepAttributes(op, node);
  } else {
    node = builder.clone(*op);
    node->removeAttr(rangeAttrName);
    node->setOperand(0, input.value);
    node->getResult(0).setType(int8Type(op->getResult(0)));
  }
  computed[op->getResult(0)] = {node->getResult(0), input.storage};
  replaced.insert(op);
}

/// Gives back floats to who still reads them, and drops what is replaced.
void Quantizer::leave() {
  for (auto &[value, stored] : computed) {
    auto isRead = [&](OpOperand &use) {
      return !replaced.contains(use.getOwner());
    };
    if (llvm::none_of(value.getUses(), isRead))
      continue;
    builder.setInsertionPointAfterValue(stored.value);
    Value real = DequantizeOp::create(
        builder, value.getLoc(), value.getType(), stored.value,
        builder.getDenseF32ArrayAttr(stored.storage.scale),
        builder.getDenseI32ArrayAttr(stored.storage.zero),
        builder.getI64IntegerAttr(-1), ValueRange());
    value.replaceUsesWithIf(real, isRead);
  }
  // A graph may have its nodes in any order, and replaced ones use each other.
  for (Operation *op : replaced)
    op->dropAllUses();
  for (Operation *op : replaced)
    op->erase();
}

LogicalResult Quantizer::run(Layers layers, std::vector<QuantizedNode> &nodes) {
  SmallVector<Operation *> order;
  for (Operation &op : block)
    order.push_back(&op);
  computeTopologicalSorting(order);
  DenseMap<Operation *, const Layer *> layerOf;
  llvm::SmallPtrSet<Operation *, 8> laterRelus;
  for (const Layer &layer : layers.layers) {
    layerOf[layer.last()] = &layer;
    if (layer.laterRelu)
      laterRelus.insert(layer.laterRelu);
  }
  for (Operation *op : order) {
    if (const Layer *layer = layerOf.lookup(op)) {
      if (failed(rewrite(*layer)))
        return failure();
      continue;
    }
    bool isStored =
        op->getNumOperands() != 0 && computed.contains(op->getOperand(0));
    if (isStored && laterRelus.contains(op)) {
      computed[op->getResult(0)] =
          Stored(computed.find(op->getOperand(0))->second);
      replaced.insert(op);
    } else if (isStored && keepsStorage(op)) {
      rewriteKept(op);
    }
  }

  llvm::SetVector<Value> values = valuesOf(layers);
  for (const Layer &layer : layers.layers) {
    const Stored &outcome = computed.find(layer.outcome())->second;
    Value input = layer.input();
    auto found = computed.find(input);
    const Storage &from = found == computed.end()
                              ? entered.find(input)->second.storage
                              : found->second.storage;
    auto at = llvm::find(values, layer.outcome()) - values.begin();
    nodes.push_back({WeirDialect::describe(layer.product),
                     static_cast<size_t>(at), outcome.value, from.scale,
                     outcome.storage.scale, from.zero, outcome.storage.zero});
  }
  leave();
  return success();
}

FailureOr<std::vector<QuantizedNode>>
quantizeGraph(GraphOp graph,
              std::vector<std::pair<Location, std::string>> &reasons) {
  std::vector<QuantizedNode> nodes;
  Layers layers = findLayers(graph);
  if (std::string why = whyNotGraph(graph); !why.empty()) {
    if (!layers.layers.empty() || !layers.reasons.empty())
      reasons.emplace_back(graph.getLoc(),
                           "graph '@" + graph.getSymName().str() + "': " + why);
    dropRanges(graph);
    return nodes;
  }
  reasons.insert(reasons.end(), layers.reasons.begin(), layers.reasons.end());
  if (failed(Quantizer(graph).run(std::move(layers), nodes)))
    return failure();
  dropRanges(graph);
  return nodes;
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct QuantizePostTraining
    : impl::QuantizePostTrainingBase<QuantizePostTraining> {
  void runOnOperation() override {
    std::vector<std::pair<Location, std::string>> reasons;
    size_t count = 0;
    for (GraphOp graph : getOperation().getOps<GraphOp>()) {
      auto nodes = quantizeGraph(graph, reasons);
      if (failed(nodes))
        return signalPassFailure();
      count += nodes->size();
    }
    if (count != 0) {
      for (const auto &[location, why] : reasons)
        emitRemark(location) << "stays float: " << why;
      return;
    }
    reportNothing(getOperation(), reasons);
    signalPassFailure();
  }
};
} // namespace

void reportNothing(ModuleOp module,
                   ArrayRef<std::pair<Location, std::string>> reasons) {
  InFlightDiagnostic error =
      module.emitError()
      << "[WEIR0166] nothing here can be done on int8; that takes weir.matmul "
         "or weir.conv2d of f32 with constant weights";
  for (const auto &[location, why] : reasons)
    error.attachNote(location) << why;
}

} // namespace weir

//===- Network.cpp - What a program of the accelerator computes -----------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Codegen/MXU/Network.h"

#include "dialects/Rt/Rt.h"
#include "dialects/Weir/Weir.h"
#include "lib/Analysis/MxuFeasible.h"
#include "lib/Analysis/NodeText.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace weir;

namespace {

/// What a value of the kernel is: elements, or a tensor of the network of a
/// feed (0 is the feed itself).
struct Known {
  ElementsAttr constant;
  int64_t feed = -1, tensor = -1;
};

/// A network with its entries apart, as inputs come first.
struct Draft {
  MxuNetwork network;
  SmallVector<std::pair<mxu::Entry, int64_t>> inputs, outputs;
  llvm::DenseMap<Attribute, int64_t> constants;
  llvm::MapVector<int64_t, int64_t> weightFeeds;
};

class Reader {
public:
  explicit Reader(func::FuncOp kernel) : kernel(kernel) {}
  FailureOr<std::vector<MxuNetwork>> run();

private:
  LogicalResult readBlock(Block &block);
  LogicalResult readLayer(Operation *op);
  LogicalResult readFetch(rt::FetchOp fetch);
  LogicalResult refuse(Operation *op, const std::string &why) {
    return op->emitError() << "[WEIR0160] the accelerator cannot run node '"
                           << WeirDialect::describe(op) << "': it " << why;
  }
  Draft &draftOf(int64_t feed);
  /// Where the elements of a weight or bias are.
  FailureOr<MxuSource> sourceOf(Operation *op, Value value, Draft &draft);
  int64_t addWeights(Draft &draft, ArrayRef<char> bytes);
  MxuSource addNumbers(Draft &draft, ArrayRef<int32_t> numbers,
                       int64_t columns);

  func::FuncOp kernel;
  llvm::DenseMap<Value, Known> values;
  llvm::DenseMap<int64_t, RankedTensorType> feeds;
  llvm::MapVector<int64_t, Draft> drafts;
  /// The group that is being read, for messages.
  Operation *group = nullptr;
};

int64_t bytesOf(RankedTensorType type) {
  return type.getNumElements() * type.getElementTypeBitWidth() / 8;
}

} // namespace

Draft &Reader::draftOf(int64_t feed) {
  auto [place, isNew] = drafts.try_emplace(feed);
  Draft &draft = place->second;
  if (!isNew)
    return draft;
  RankedTensorType type = feeds.lookup(feed);
  MxuNetwork &network = draft.network;
  network.feed = feed;
  network.rows = type.isDynamicDim(0) ? mxu::dynamicRows : type.getDimSize(0);
  network.feedElementBytes = type.getElementTypeBitWidth() / 8;
  network.tensors.push_back({1, rowElements(type) * network.feedElementBytes});
  mxu::Entry entry = {};
  entry.elementBytes = static_cast<uint8_t>(network.feedElementBytes);
  entry.isBatched = 1;
  entry.rowBytes = static_cast<uint64_t>(network.tensors[0].bytes());
  entry.rows = network.rows;
  draft.inputs.push_back({entry, feed});
  network.node = nodeText(group ? group : kernel.getOperation());
  return draft;
}

//===----------------------------------------------------------------------===//
// Weights
//===----------------------------------------------------------------------===//

int64_t Reader::addWeights(Draft &draft, ArrayRef<char> bytes) {
  auto &weights = draft.network.weights;
  weights.resize(llvm::alignTo(weights.size(), 64));
  auto offset = static_cast<int64_t>(weights.size());
  weights.insert(weights.end(), bytes.begin(), bytes.end());
  return offset;
}

MxuSource Reader::addNumbers(Draft &draft, ArrayRef<int32_t> numbers,
                             int64_t columns) {
  SmallVector<int32_t> all(numbers);
  if (all.size() == 1)
    all.resize(static_cast<size_t>(columns), all.front());
  return {mxu::weightsSpace,
          addWeights(draft, ArrayRef(reinterpret_cast<char *>(all.data()),
                                     all.size() * sizeof(int32_t)))};
}

FailureOr<MxuSource> Reader::sourceOf(Operation *op, Value value,
                                      Draft &draft) {
  Known known = values.lookup(value);
  auto type = cast<RankedTensorType>(value.getType());
  if (!known.constant) {
    if (known.feed < 0 || known.tensor != 0)
      return refuse(op, "takes weights that another node of the accelerator "
                        "computes");
    auto number = static_cast<int64_t>(draft.weightFeeds.size());
    auto [place, isNew] = draft.weightFeeds.try_emplace(known.feed, number);
    if (isNew) {
      mxu::Entry entry = {};
      entry.elementBytes =
          static_cast<uint8_t>(type.getElementTypeBitWidth() / 8);
      entry.rowBytes = static_cast<uint64_t>(bytesOf(type));
      entry.rows = 1;
      draft.inputs.push_back({entry, known.feed});
    }
    return MxuSource{mxu::firstEntrySpace + 1 + place->second, 0};
  }
  auto [place, isNew] = draft.constants.try_emplace(known.constant);
  if (isNew) {
    auto elements = dyn_cast<DenseElementsAttr>(known.constant);
    if (!elements)
      return refuse(op, "takes a constant whose elements are not in the text");
    ArrayRef<char> raw = elements.getRawData();
    SmallVector<char> bytes(raw);
    if (elements.isSplat())
      for (int64_t i = 1; i < elements.getNumElements(); ++i)
        bytes.append(raw.begin(), raw.end());
    place->second = addWeights(draft, bytes);
  }
  return MxuSource{mxu::weightsSpace, place->second};
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

template <typename ProductOp>
static void readRequantize(ProductOp op, MxuLayer &layer) {
  layer.inputZero = static_cast<int32_t>(op.getInputZero());
  layer.outputZero = static_cast<int32_t>(op.getOutputZero());
  layer.min = static_cast<int32_t>(op.getMin());
  layer.max = static_cast<int32_t>(op.getMax());
}

LogicalResult Reader::readLayer(Operation *op) {
  if (auto why = whyNotOnMxu(op))
    return refuse(op, *why);
  Known input = values.lookup(op->getOperand(0));
  if (input.feed < 0)
    return refuse(op, "works on the rows of a constant, which are there "
                      "without it");
  Draft &draft = draftOf(input.feed);
  MxuNetwork &network = draft.network;
  auto inputType = cast<RankedTensorType>(op->getOperand(0).getType()),
       type = cast<RankedTensorType>(op->getResult(0).getType());
  if (rowElements(inputType) != network.tensors[input.tensor].bytes())
    return refuse(op, "works on other rows than those of the feed");
  MxuLayer layer = {};
  layer.kind = isa<QuantizedMaxPoolOp>(op) ? MxuLayer::pool : MxuLayer::product;
  layer.input = input.tensor;
  layer.output = static_cast<int64_t>(network.tensors.size());
  layer.window = *mxuWindowOf(op);
  layer.isRow = isa<QuantizedMatmulOp>(op);
  layer.inputShape = {layer.window.plane(), layer.window.channels};
  network.tensors.push_back({layer.window.positions(), type.getShape().back()});
  if (layer.kind == MxuLayer::product) {
    layer.columns = type.getShape().back();
    auto weights = sourceOf(op, op->getOperand(1), draft),
         bias = sourceOf(op, op->getOperand(2), draft);
    if (failed(weights) || failed(bias))
      return failure();
    layer.weights = *weights;
    layer.bias = *bias;
    auto read = [&](auto product) {
      readRequantize(product, layer);
      layer.multipliers =
          addNumbers(draft, product.getMultipliers(), layer.columns);
      layer.shifts = addNumbers(draft, product.getShifts(), layer.columns);
    };
    if (auto matmul = dyn_cast<QuantizedMatmulOp>(op))
      read(matmul);
    else
      read(cast<QuantizedConv2dOp>(op));
  }
  network.layers.push_back(layer);
  values[op->getResult(0)] = {nullptr, input.feed, layer.output};
  return success();
}

LogicalResult Reader::readFetch(rt::FetchOp fetch) {
  Known known = values.lookup(fetch.getValue());
  auto type = cast<RankedTensorType>(fetch.getValue().getType());
  if (known.feed < 0)
    return refuse(fetch, "hands out a constant");
  RankedTensorType feed = feeds.lookup(known.feed);
  int64_t bytes = type.getElementTypeBitWidth() / 8;
  if (type.getRank() == 0 || rowElements(type) < 1 ||
      (bytes != 1 && bytes != 4) || feed.getRank() == 0 ||
      rowElements(feed) < 1)
    return refuse(fetch, "hands out a tensor without rows of a known size");
  Draft &draft = draftOf(known.feed);
  if (rowElements(type) * bytes != draft.network.tensors[known.tensor].bytes())
    return refuse(fetch, "hands out other rows than those of the feed");
  mxu::Entry entry = {};
  entry.isOutput = 1;
  entry.elementBytes = static_cast<uint8_t>(bytes);
  entry.isBatched = 1;
  entry.rowBytes = static_cast<uint64_t>(rowElements(type) * bytes);
  entry.rows = draft.network.rows;
  draft.network.stores.push_back(
      {known.tensor, static_cast<int64_t>(draft.outputs.size())});
  draft.outputs.push_back({entry, fetch.getIndex()});
  return success();
}

LogicalResult Reader::readBlock(Block &block) {
  for (Operation &op : block) {
    if (auto feed = dyn_cast<rt::FeedOp>(op)) {
      auto type = cast<RankedTensorType>(feed.getType());
      auto number = static_cast<int64_t>(feed.getIndex());
      feeds[number] = type;
      values[feed.getResult()] = {nullptr, number, 0};
    } else if (auto constant = dyn_cast<ConstantOp>(op)) {
      values[constant.getResult()].constant = constant.getValue();
    } else if (isa<IdentityOp, ReshapeOp>(op)) {
      Known known = values.lookup(op.getOperand(0));
      // Weights may change their shape as they like; rows may not.
      if (!known.constant && isa<ReshapeOp>(op))
        if (auto why = whyNotOnMxu(&op))
          return refuse(&op, *why);
      values[op.getResult(0)] = known;
    } else if (auto inner = dyn_cast<GroupOp>(op)) {
      group = inner;
      if (failed(readBlock(inner.getBody().front())))
        return failure();
      Operation *yield = inner.getBody().front().getTerminator();
      for (auto [result, value] :
           llvm::zip_equal(inner.getResults(), yield->getOperands()))
        values[result] = values.lookup(value);
    } else if (isa<QuantizedMatmulOp, QuantizedConv2dOp, QuantizedMaxPoolOp>(
                   op)) {
      if (failed(readLayer(&op)))
        return failure();
    } else if (auto fetch = dyn_cast<rt::FetchOp>(op)) {
      if (failed(readFetch(fetch)))
        return failure();
    } else if (!isa<YieldOp, func::ReturnOp, arith::ConstantOp>(op)) {
      return refuse(&op, "is none of the nodes that it has instructions for");
    }
  }
  return success();
}

FailureOr<std::vector<MxuNetwork>> Reader::run() {
  if (failed(readBlock(kernel.getBody().front())))
    return failure();
  std::vector<MxuNetwork> networks;
  for (auto &[feed, draft] : drafts) {
    MxuNetwork &network = draft.network;
    for (const auto *list : {&draft.inputs, &draft.outputs})
      for (const auto &[entry, place] : *list) {
        network.entries.push_back(entry);
        network.places.push_back(place);
      }
    for (MxuStore &store : network.stores)
      store.space +=
          mxu::firstEntrySpace + static_cast<int64_t>(draft.inputs.size());
    networks.push_back(std::move(network));
  }
  return networks;
}

FailureOr<std::vector<MxuNetwork>> weir::readMxuNetworks(func::FuncOp kernel) {
  return Reader(kernel).run();
}

/// Whether the accumulators hold sums enough for some of what the pooling
/// makes: those of an image, or of the lines that a line of the result is made
/// of, where no other line is made of them too.
static bool fitsAccumulators(const mxu::Window &pool,
                             const mxu::Machine &machine) {
  int64_t half = machine.accRows / 2, lines = pool.kernelHeight;
  return pool.plane() <= half ||
         (pool.padTop == 0 && pool.dilationHeight == 1 &&
          pool.strideHeight >= lines && lines * pool.width <= half &&
          int64_t(pool.outHeight - 1) * pool.strideHeight < pool.height);
}

void weir::fuseMxuPools(MxuNetwork &network, const mxu::Machine &machine) {
  std::vector<MxuLayer> &layers = network.layers;
  for (size_t i = 0; i < layers.size();) {
    const MxuLayer &pool = layers[i];
    auto product = llvm::find_if(layers, [&](const MxuLayer &layer) {
      return layer.output == pool.input;
    });
    bool isAlone = llvm::count_if(layers,
                                  [&](const MxuLayer &layer) {
                                    return layer.input == pool.input;
                                  }) == 1 &&
                   llvm::none_of(network.stores, [&](const MxuStore &store) {
                     return store.tensor == pool.input;
                   });
    if (pool.kind != MxuLayer::pool || product == layers.end() ||
        product->kind != MxuLayer::product || product->pooling || !isAlone ||
        !(pool.inputShape ==
          network.tensors[static_cast<size_t>(pool.input)]) ||
        !fitsAccumulators(pool.window, machine)) {
      ++i;
      continue;
    }
    product->pooling = pool.window;
    product->output = pool.output;
    layers.erase(layers.begin() + static_cast<ptrdiff_t>(i));
  }
}

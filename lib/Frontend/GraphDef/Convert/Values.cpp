//===- Values.cpp - Ops whose extents depend on elements ----------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Frontend/GraphDef/Convert/Slice.h"

#include "llvm/ADT/STLExtras.h"
#include <set>

using namespace weir;
using namespace weir::graphdef;
using mlir::RankedTensorType;
using mlir::Type;

static constexpr int64_t kOpen = mlir::ShapedType::kDynamic;

static Value concat(NodeConversion &n, llvm::ArrayRef<Value> values) {
  return n.make<ConcatOp>(values, n.i64("axis", 0));
}

/// The extents of `x` from dimension `first` on, as a vector of i64.
static Value extentsFrom(NodeConversion &n, Value x, int64_t first) {
  if (!x)
    return {};
  return n.make<SliceOp>(n.make<ShapeOfOp>(x),
                         {n.array("begin", first),
                          n.array("size", n.typeOf(x).getRank() - first),
                          n.array("strides", 1)});
}

/// A tensor of zeros of the extents that a vector says.
static Value zeros(NodeConversion &n, Value like, Value extents) {
  if (!like || !extents)
    return {};
  Value result = n.make<DynamicBroadcastOp>({n.scalarLike(like, 0), extents});
  auto known = knownInPart(n, extents);
  return known ? withExtents(n, result, *known) : result;
}

static mlir::NamedAttribute kindAttr(NodeConversion &n, ScatterKind kind) {
  return n.attr("kind", ScatterKindAttr::get(n.builder.getContext(), kind));
}

/// Gives the first results of a node of values, as many as the op has outputs.
static LogicalResult give(NodeConversion &n, mlir::Operation *op,
                          unsigned count) {
  if (!op)
    return mlir::failure();
  for (unsigned i = 0; i < count; ++i)
    if (mlir::failed(n.output(op->getResult(i))))
      return mlir::failure();
  n.setControl(op->getResults().back());
  return mlir::success();
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

static LogicalResult convertTopK(NodeConversion &n) {
  Value x = n.tensor(0), k;
  if (n.node.op == "TopK")
    k = n.constantInts(intAttr(n.node, "k").value_or(0),
                       n.scalarType(n.builder.getI32Type()));
  else if ((k = n.tensor(1)))
    k = n.cast(k, n.builder.getI32Type());
  if (!x || !k)
    return mlir::failure();
  RankedTensorType type = n.typeOf(x);
  if (type.getRank() == 0)
    return n.failInvalid("its input has no dimension");
  llvm::SmallVector<int64_t> shape(type.getShape());
  shape.back() = kOpen;
  if (auto known = knownInPart(n, k);
      known && known->size() == 1 && known->front() >= 0)
    shape.back() = known->front();
  return give(
      n,
      n.makeStateful<TopKOp>(
          {x, k}, {RankedTensorType::get(shape, type.getElementType()),
                   RankedTensorType::get(shape, n.builder.getI32Type())}),
      2);
}

template <typename OpT>
static LogicalResult convertCumulative(NodeConversion &n) {
  Value x = n.tensor(0);
  std::optional<int64_t> named = n.integer(1);
  if (!x || !named)
    return mlir::failure();
  std::optional<int64_t> axis = n.axis(*named, n.typeOf(x).getRank());
  if (!axis)
    return mlir::failure();
  llvm::SmallVector<mlir::NamedAttribute> attrs{n.i64("axis", *axis)};
  for (const char *name : {"exclusive", "reverse"})
    if (boolAttr(n.node, name).value_or(false))
      attrs.push_back(n.unit(name));
  return n.emit<OpT>(x, attrs);
}

static LogicalResult convertPartition(NodeConversion &n) {
  Value data = n.tensor(0), partitions = n.tensor(1);
  std::optional<int64_t> count = intAttr(n.node, "num_partitions");
  if (!data || !partitions)
    return mlir::failure();
  if (!count || *count < 1 || *count > 65536)
    return n.failInvalid("attribute 'num_partitions' has to be in 1 <= n <= "
                         "65536");
  RankedTensorType type = n.typeOf(data);
  int64_t rank = n.typeOf(partitions).getRank();
  if (type.getRank() < rank)
    return n.failInvalid("its data do not begin with the shape of the "
                         "partitions");
  llvm::SmallVector<int64_t> shape{kOpen};
  llvm::append_range(shape, type.getShape().drop_front(rank));
  llvm::SmallVector<Type> types(
      static_cast<size_t>(*count),
      RankedTensorType::get(shape, type.getElementType()));
  return n.outputsOf(
      n.makeStateful<DynamicPartitionOp>({data, partitions}, types));
}

/// Places as one vector, and data with a row for each.
static std::pair<Value, Value> rowsOf(NodeConversion &n, Value places,
                                      Value data) {
  int64_t rank = n.typeOf(places).getRank();
  if (rank == 1)
    return {places, data};
  Value all =
      n.constantInts(-1, RankedTensorType::get({1}, n.builder.getI64Type()));
  Value shape = concat(n, {all, extentsFrom(n, data, rank)});
  Value rows = n.make<DynamicReshapeOp>({data, shape});
  if (auto known = knownInPart(n, shape))
    rows = withExtents(n, rows, *known);
  return {n.reshape(places, {-1}), rows};
}

LogicalResult weir::graphdef::convertComputedStitch(NodeConversion &n) {
  unsigned lists = n.inputCount() / 2;
  llvm::SmallVector<Value> places, rows;
  Value rest;
  for (unsigned i = 0; i < lists; ++i) {
    Value index = n.tensor(i), data = n.tensor(lists + i);
    if (!index || !data)
      return mlir::failure();
    if (n.typeOf(data).getRank() < n.typeOf(index).getRank())
      return n.failInvalid("its data do not fit its indices");
    if (!rest)
      rest = extentsFrom(n, data, n.typeOf(index).getRank());
    auto [at, row] = rowsOf(n, index, data);
    places.push_back(at);
    rows.push_back(row);
  }
  if (places.empty())
    return n.fail("it has no inputs");
  Value all = concat(n, places), data = concat(n, rows);
  if (!all || !data)
    return mlir::failure();
  // One row more than the last place; none without places.
  Value none = n.constantInts(-1, RankedTensorType::get({1}, n.elementOf(all)));
  Value last = n.make<ReduceMaxOp>(concat(n, {none, all}), n.array("axes", 0));
  Value count = n.make<AddOp>({last, n.scalarLike(last, 1)});
  Value extents =
      concat(n, {n.cast(n.reshape(count, {1}), n.builder.getI64Type()), rest});
  return n.emit<ScatterOp>({zeros(n, data, extents), all, data},
                           kindAttr(n, ScatterKind::assign));
}

LogicalResult weir::graphdef::convertComputedSegmentSum(NodeConversion &n) {
  Value data = n.tensor(0), segments = n.tensor(1), count = n.tensor(2);
  if (!data || !segments || !count)
    return mlir::failure();
  int64_t rank = n.typeOf(segments).getRank();
  if (n.typeOf(data).getRank() < rank || n.typeOf(count).getRank() != 0)
    return n.failInvalid("its data do not fit its segments");
  Value extents =
      concat(n, {n.cast(n.reshape(count, {1}), n.builder.getI64Type()),
                 extentsFrom(n, data, rank)});
  return n.emit<ScatterOp>({zeros(n, data, extents), segments, data},
                           kindAttr(n, ScatterKind::add));
}

//===----------------------------------------------------------------------===//
// Distinct elements
//===----------------------------------------------------------------------===//

/// A vector of a type of elements, and of integers of that of an attribute.
template <typename OpT>
static LogicalResult convertDistinct(NodeConversion &n, unsigned inputs,
                                     bool hasCounts, unsigned outputs) {
  Value x = n.tensor(0);
  Type index =
      n.elementType(typeAttr(n.node, "out_idx").value_or(pb::DT_INT32));
  if (!x || !index)
    return mlir::failure();
  llvm::SmallVector<Value> operands{x};
  if (inputs > 1)
    operands.push_back(n.tensor(1));
  for (Value operand : operands)
    if (!operand || n.typeOf(operand).getRank() != 1)
      return n.failInvalid("its inputs have to be vectors");
  auto vector = [&](Type element) -> Type {
    return RankedTensorType::get({kOpen}, element);
  };
  llvm::SmallVector<Type> types{vector(n.elementOf(x)), vector(index)};
  // There is an index for each element, or for each that is left.
  if (hasCounts) {
    types[1] = RankedTensorType::get(n.typeOf(x).getShape(), index);
    types.push_back(vector(index));
  }
  return give(n, n.makeStateful<OpT>(operands, types), outputs);
}

template <unsigned outputs>
static LogicalResult convertUnique(NodeConversion &n) {
  // An axis may be given as a vector of at most one; a vector has only one.
  if (n.inputCount() > 1 && n.input(1)) {
    auto axis = n.integers(1);
    if (!axis)
      return mlir::failure();
    if (!axis->empty() && axis->front() != 0 && axis->front() != -1)
      return n.fail("unique along another axis than the first is not "
                    "supported");
  }
  return convertDistinct<UniqueOp>(n, 1, /*hasCounts=*/true, outputs);
}

static LogicalResult convertListDifference(NodeConversion &n) {
  if (!n.isConstant(0) || !n.isConstant(1))
    return convertDistinct<ListDifferenceOp>(n, 2, /*hasCounts=*/false, 2);
  // What is known stays known: permutations are made of it.
  auto x = n.constant(0), y = n.constant(1);
  Type index =
      n.elementType(typeAttr(n.node, "out_idx").value_or(pb::DT_INT32));
  if (!x || !y || !index || x->isString() ||
      !llvm::isa<mlir::IntegerType>(n.elementOf(n.input(0))))
    return convertDistinct<ListDifferenceOp>(n, 2, /*hasCounts=*/false, 2);
  std::set<int64_t> without;
  for (int64_t i = 0; i < y->size(); ++i)
    without.insert(y->getInteger(i));
  llvm::SmallVector<int64_t> values, indices;
  for (int64_t i = 0; i < x->size(); ++i)
    if (!without.count(x->getInteger(i))) {
      values.push_back(x->getInteger(i));
      indices.push_back(i);
    }
  auto count = static_cast<int64_t>(values.size());
  if (mlir::failed(n.output(n.constantInts(
          values, RankedTensorType::get({count}, n.elementOf(n.input(0)))))))
    return mlir::failure();
  return n.output(
      n.constantInts(indices, RankedTensorType::get({count}, index)));
}

static LogicalResult convertWhere(NodeConversion &n) {
  Value x = n.tensor(0);
  if (!x)
    return mlir::failure();
  return n.outputsOf(n.makeStateful<NonzeroOp>(
      x, RankedTensorType::get({kOpen, n.typeOf(x).getRank()},
                               n.builder.getI64Type())));
}

//===----------------------------------------------------------------------===//
// Places of several dimensions
//===----------------------------------------------------------------------===//

static LogicalResult convertGatherNd(NodeConversion &n) {
  if (intAttr(n.node, "batch_dims").value_or(0) != 0)
    return n.fail("batch_dims has to be 0");
  return n.emit<GatherNdOp>({n.tensor(0), n.tensor(1)});
}

static LogicalResult convertScatterNd(NodeConversion &n) {
  Value indices = n.tensor(0), updates = n.tensor(1), extents = n.tensor(2);
  if (!indices || !updates || !extents)
    return mlir::failure();
  return n.emit<ScatterNdOp>({zeros(n, updates, extents), indices, updates},
                             kindAttr(n, ScatterKind::add));
}

template <ScatterKind kind>
static LogicalResult convertTensorScatter(NodeConversion &n) {
  return n.emit<ScatterNdOp>({n.tensor(0), n.tensor(1), n.tensor(2)},
                             kindAttr(n, kind));
}

void weir::graphdef::addValueConverters(ConverterTable &table) {
  table["TopK"] = table["TopKV2"] = convertTopK;
  table["Cumsum"] = convertCumulative<CumulativeSumOp>;
  table["Cumprod"] = convertCumulative<CumulativeProdOp>;
  table["DynamicPartition"] = convertPartition;
  table["Unique"] = table["UniqueV2"] = convertUnique<2>;
  table["UniqueWithCounts"] = table["UniqueWithCountsV2"] = convertUnique<3>;
  table["ListDiff"] = convertListDifference;
  table["Where"] = convertWhere;
  table["GatherNd"] = convertGatherNd;
  table["ScatterNd"] = convertScatterNd;
  table["TensorScatterUpdate"] = convertTensorScatter<ScatterKind::assign>;
  table["TensorScatterAdd"] = convertTensorScatter<ScatterKind::add>;
  table["TensorScatterSub"] = convertTensorScatter<ScatterKind::sub>;
  table["TensorScatterMin"] = convertTensorScatter<ScatterKind::min>;
  table["TensorScatterMax"] = convertTensorScatter<ScatterKind::max>;
}

//===- Array.cpp - Ops that join, cut and index tensors -----------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Weir/Shape.h"
#include "lib/Frontend/GraphDef/Convert/Converters.h"

using namespace weir;
using namespace weir::graphdef;
using mlir::RankedTensorType;
using mlir::Type;

static Value concat(NodeConversion &n, llvm::ArrayRef<Value> values,
                    int64_t axis) {
  return n.make<ConcatOp>(values, n.i64("axis", axis));
}

static Value slice(NodeConversion &n, Value x, llvm::ArrayRef<int64_t> begin,
                   llvm::ArrayRef<int64_t> size,
                   llvm::ArrayRef<int64_t> strides) {
  return n.make<SliceOp>(x, {n.array("begin", begin), n.array("size", size),
                             n.array("strides", strides)});
}

/// `count` places of one axis, from `begin` on.
static Value sliceAxis(NodeConversion &n, Value x, int64_t axis, int64_t begin,
                       int64_t count) {
  if (!x)
    return {};
  int64_t rank = n.typeOf(x).getRank();
  llvm::SmallVector<int64_t> begins(rank, 0), sizes(rank, -1), ones(rank, 1);
  begins[axis] = begin;
  sizes[axis] = count;
  return slice(n, x, begins, sizes, ones);
}

/// ConcatV2 has the axis last, Concat first.
template <bool axisLast> static LogicalResult convertConcat(NodeConversion &n) {
  unsigned count = n.inputCount();
  if (count < 2)
    return n.fail("it has nothing to join");
  llvm::SmallVector<Value> values =
      axisLast ? n.tensors(0, count - 1) : n.tensors(1, count);
  std::optional<int64_t> named = n.integer(axisLast ? count - 1 : 0);
  if (!named || llvm::is_contained(values, Value()))
    return mlir::failure();
  std::optional<int64_t> axis = n.axis(*named, n.typeOf(values[0]).getRank());
  return axis ? n.output(concat(n, values, *axis)) : mlir::failure();
}

static LogicalResult convertPack(NodeConversion &n) {
  if (takesHandle(n))
    return packHandles(n);
  llvm::SmallVector<Value> values = n.tensors(0, n.inputCount());
  if (values.empty() || llvm::is_contained(values, Value()))
    return n.fail("it has no inputs");
  std::optional<int64_t> axis = n.axis(intAttr(n.node, "axis").value_or(0),
                                       n.typeOf(values[0]).getRank() + 1);
  if (!axis)
    return mlir::failure();
  for (Value &value : values)
    value = n.make<ExpandDimsOp>(value, n.array("axes", *axis));
  return n.output(concat(n, values, *axis));
}

static LogicalResult convertUnpack(NodeConversion &n) {
  Value x = n.tensor(0);
  std::optional<int64_t> count = intAttr(n.node, "num");
  if (!x || !count)
    return n.fail("it has no attribute 'num'");
  std::optional<int64_t> axis =
      n.axis(intAttr(n.node, "axis").value_or(0), n.typeOf(x).getRank());
  if (!axis)
    return mlir::failure();
  if (*count < 0 || *count > 65536 || n.typeOf(x).getDimSize(*axis) != *count)
    return n.fail("attribute 'num' is not the extent of its axis");
  for (int64_t i = 0; i < *count; ++i)
    if (mlir::failed(n.emit<SqueezeOp>(sliceAxis(n, x, *axis, i, 1),
                                       n.array("axes", *axis))))
      return mlir::failure();
  return mlir::success();
}

static LogicalResult split(NodeConversion &n, Value x, int64_t named,
                           llvm::ArrayRef<int64_t> sizes) {
  if (!x)
    return mlir::failure();
  std::optional<int64_t> axis = n.axis(named, n.typeOf(x).getRank());
  if (!axis)
    return mlir::failure();
  int64_t begin = 0;
  for (int64_t size : sizes) {
    if (mlir::failed(n.output(sliceAxis(n, x, *axis, begin, size))))
      return mlir::failure();
    begin += size;
  }
  return mlir::success();
}

static LogicalResult convertSplit(NodeConversion &n) {
  std::optional<int64_t> named = n.integer(0);
  Value x = n.tensor(1);
  std::optional<int64_t> count = intAttr(n.node, "num_split");
  if (!named || !x || !count)
    return mlir::failure();
  std::optional<int64_t> axis = n.axis(*named, n.typeOf(x).getRank());
  if (!axis)
    return mlir::failure();
  int64_t extent = n.typeOf(x).getDimSize(*axis);
  if (isDynamic(extent) || *count < 1 || *count > 65536 || extent % *count)
    return n.fail("the extent of its axis is no known multiple of num_split");
  return split(n, x, *axis,
               llvm::SmallVector<int64_t>(*count, extent / *count));
}

static LogicalResult convertSplitV(NodeConversion &n) {
  Value x = n.tensor(0);
  auto sizes = n.integers(1);
  std::optional<int64_t> named = n.integer(2);
  if (!x || !sizes || !named)
    return mlir::failure();
  std::optional<int64_t> axis = n.axis(*named, n.typeOf(x).getRank());
  if (!axis)
    return mlir::failure();
  int64_t left = n.typeOf(x).getDimSize(*axis);
  if (isDynamic(left))
    return n.fail("the extent of its axis is not known");
  for (int64_t size : *sizes) {
    if (size < -1 || size > left)
      return n.fail("its sizes are not those of a split");
    left -= size >= 0 ? size : 0;
  }
  for (int64_t &size : *sizes)
    if (size < 0)
      size = left;
  return split(n, x, *axis, *sizes);
}

static LogicalResult convertTile(NodeConversion &n) {
  Value x = n.tensor(0);
  // One element, repeated over the shape of another tensor: gradients of sums.
  if (Value like = shapedLike(n.input(1)); like && x && !n.isConstant(1)) {
    RankedTensorType type = n.typeOf(x);
    if (llvm::isa<RankedTensorType>(like.getType()) &&
        type.getRank() == n.typeOf(like).getRank() &&
        llvm::all_of(type.getShape(), [](int64_t e) { return e == 1; }))
      return n.emit<BroadcastLikeOp>({x, like});
  }
  auto multiples = n.integers(1);
  if (!x || !multiples)
    return mlir::failure();
  if (static_cast<int64_t>(multiples->size()) != n.typeOf(x).getRank())
    return n.fail("there is not one multiple for each dimension");
  Value result = x;
  for (auto [axis, count] : llvm::enumerate(*multiples)) {
    auto at = static_cast<int64_t>(axis);
    if (count < 0 || count > 4096)
      return n.fail("its multiples have to be in 0 <= n <= 4096");
    if (count == 0)
      result = sliceAxis(n, result, at, 0, 0);
    else if (count > 1)
      result = concat(n, llvm::SmallVector<Value>(count, result), at);
  }
  return result == x ? n.emit<IdentityOp>(x) : n.output(result);
}

static LogicalResult convertPad(NodeConversion &n) {
  Value x = n.tensor(0);
  auto pads = n.integers(1);
  double value = 0;
  if (n.node.op == "PadV2") {
    std::optional<double> given = n.number(2);
    if (!given)
      return mlir::failure();
    value = *given;
  }
  if (!x || !pads)
    return mlir::failure();
  size_t rank = static_cast<size_t>(n.typeOf(x).getRank());
  if (pads->size() != 2 * rank)
    return n.fail("there are not two paddings for each dimension");
  llvm::SmallVector<int64_t> low, high, interior(rank, 0);
  for (size_t axis = 0; axis < rank; ++axis) {
    low.push_back((*pads)[2 * axis]);
    high.push_back((*pads)[2 * axis + 1]);
  }
  return n.emit<PadOp>(x, {n.array("low", low), n.array("high", high),
                           n.array("interior", interior),
                           n.attr("value", n.builder.getF64FloatAttr(value))});
}

static LogicalResult convertReverse(NodeConversion &n) {
  Value x = n.tensor(0);
  auto axes = n.integers(1);
  if (!x || !axes)
    return mlir::failure();
  for (int64_t &each : *axes) {
    std::optional<int64_t> axis = n.axis(each, n.typeOf(x).getRank());
    if (!axis)
      return mlir::failure();
    each = *axis;
  }
  llvm::sort(*axes);
  return n.emit<ReverseOp>(x, n.array("axes", *axes));
}

//===----------------------------------------------------------------------===//
// Indices
//===----------------------------------------------------------------------===//

static LogicalResult convertGather(NodeConversion &n) {
  if (takesHandle(n))
    return gatherHandle(n);
  Value x = n.tensor(0), indices = n.tensor(1);
  int64_t named = 0;
  if (n.node.op == "GatherV2") {
    std::optional<int64_t> given = n.integer(2);
    if (!given)
      return mlir::failure();
    named = *given;
  }
  if (!x || !indices)
    return mlir::failure();
  if (intAttr(n.node, "batch_dims").value_or(0) != 0)
    return n.fail("batch_dims has to be 0");
  std::optional<int64_t> axis = n.axis(named, n.typeOf(x).getRank());
  if (!axis)
    return mlir::failure();
  return n.emit<GatherOp>({x, indices}, n.i64("axis", *axis));
}

static LogicalResult convertOneHot(NodeConversion &n) {
  Value indices = n.tensor(0), on = n.tensor(2), off = n.tensor(3);
  std::optional<int64_t> depth = n.integer(1);
  if (!indices || !on || !off || !depth)
    return mlir::failure();
  int64_t rank = n.typeOf(indices).getRank();
  std::optional<int64_t> axis =
      n.axis(intAttr(n.node, "axis").value_or(-1), rank + 1);
  if (!axis)
    return mlir::failure();
  if (n.elementOf(indices).isUnsignedInteger())
    indices = n.cast(indices, n.builder.getI32Type());
  Type flag = n.builder.getI32Type();
  Value row =
      n.make<OneHotOp>(indices, {n.i64("depth", *depth), n.type("to", flag)});
  if (*axis != rank) {
    llvm::SmallVector<int64_t> permutation;
    for (int64_t i = 0; i < rank; ++i)
      permutation.push_back(i);
    permutation.insert(permutation.begin() + *axis, rank);
    row = n.make<TransposeOp>(row, n.array("permutation", permutation));
  }
  return n.emit<SelectOp>(
      {n.compare(row, n.scalarLike(row, 0), ComparePredicate::ne), on, off});
}

static LogicalResult convertSegmentSum(NodeConversion &n) {
  if (!n.isConstant(2))
    return convertComputedSegmentSum(n);
  std::optional<int64_t> count = n.integer(2);
  if (!count)
    return mlir::failure();
  return n.emit<UnsortedSegmentSumOp>({n.tensor(0), n.tensor(1)},
                                      n.i64("segment_count", *count));
}

/// Rows put to places that are known.
static LogicalResult convertStitch(NodeConversion &n) {
  unsigned lists = n.inputCount() / 2;
  for (unsigned i = 0; i < lists; ++i)
    if (!n.isConstant(i))
      return convertComputedStitch(n);
  llvm::SmallVector<Value> rows;
  std::map<int64_t, int64_t> from;
  int64_t next = 0;
  for (unsigned i = 0; i < lists; ++i) {
    auto places = n.integers(i);
    Value data = n.tensor(lists + i), index = n.tensor(i);
    if (!places || !data || !index)
      return mlir::failure();
    RankedTensorType type = n.typeOf(data);
    int64_t rank = n.typeOf(index).getRank();
    if (type.getRank() < rank)
      return n.fail("its data do not fit its indices");
    llvm::SmallVector<int64_t> shape{static_cast<int64_t>(places->size())};
    for (int64_t extent : type.getShape().drop_front(rank))
      shape.push_back(isDynamic(extent) ? -1 : extent);
    rows.push_back(n.reshape(data, shape));
    for (int64_t place : *places)
      from[place] = next++;
  }
  llvm::SmallVector<int64_t> order;
  for (auto [place, row] : from) {
    if (place != static_cast<int64_t>(order.size()))
      return n.fail("its indices leave a place out");
    order.push_back(row);
  }
  if (rows.empty())
    return n.fail("it has no inputs");
  Value indices = n.constantInts(
      order, RankedTensorType::get({static_cast<int64_t>(order.size())},
                                   n.builder.getI64Type()));
  return n.emit<GatherOp>({concat(n, rows, 0), indices}, n.i64("axis", 0));
}

static LogicalResult convertConcatOffset(NodeConversion &n) {
  std::optional<int64_t> axis = n.integer(0);
  if (!axis)
    return mlir::failure();
  int64_t offset = 0;
  for (unsigned i = 1; i < n.inputCount(); ++i) {
    auto shape = n.integers(i);
    if (!shape)
      return mlir::failure();
    std::optional<int64_t> at =
        n.axis(*axis, static_cast<int64_t>(shape->size()));
    if (!at)
      return mlir::failure();
    llvm::SmallVector<int64_t> offsets(shape->size(), 0);
    offsets[*at] = offset;
    offset += (*shape)[*at];
    if (mlir::failed(n.output(n.constantInts(offsets, n.typeOf(n.input(i))))))
      return mlir::failure();
  }
  return mlir::success();
}

void weir::graphdef::addArrayConverters(ConverterTable &table) {
  table["ConcatV2"] = convertConcat<true>;
  table["Concat"] = convertConcat<false>;
  table["Pack"] = convertPack;
  table["Unpack"] = convertUnpack;
  table["Split"] = convertSplit;
  table["SplitV"] = convertSplitV;
  table["Tile"] = convertTile;
  table["Pad"] = table["PadV2"] = convertPad;
  table["ReverseV2"] = convertReverse;
  table["Gather"] = table["GatherV2"] = convertGather;
  table["OneHot"] = convertOneHot;
  table["UnsortedSegmentSum"] = convertSegmentSum;
  table["DynamicStitch"] = table["ParallelDynamicStitch"] = convertStitch;
  table["ConcatOffset"] = convertConcatOffset;
}

//===- Shape.cpp - Ops about shapes -------------------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Weir/Shape.h"
#include "lib/Frontend/GraphDef/Convert/Slice.h"

using namespace weir;
using namespace weir::graphdef;
using mlir::RankedTensorType;
using mlir::Type;

/// Scalars and vectors of integers that are known in part: -1 is not known.
std::optional<llvm::SmallVector<int64_t>>
weir::graphdef::knownInPart(NodeConversion &n, Value value, int depth) {
  using Known = std::optional<llvm::SmallVector<int64_t>>;
  if (!value || depth > 32)
    return std::nullopt;
  if (mlir::ElementsAttr constant = n.constantOf(value)) {
    llvm::Expected<Tensor> tensor = Tensor::fromAttribute(constant);
    if (!tensor) {
      llvm::consumeError(tensor.takeError());
      return std::nullopt;
    }
    llvm::SmallVector<int64_t> result;
    if (tensor->isString() || tensor->size() > WEIR_MAX_RANK)
      return std::nullopt;
    for (int64_t i = 0; i < tensor->size(); ++i)
      result.push_back(tensor->getInteger(i));
    return result;
  }
  mlir::Operation *op = value.getDefiningOp();
  auto type = llvm::dyn_cast<RankedTensorType>(value.getType());
  if (!type || type.getRank() > 1 || !type.hasStaticShape() ||
      type.getNumElements() > WEIR_MAX_RANK)
    return std::nullopt;
  Known open = llvm::SmallVector<int64_t>(type.getNumElements(), -1);
  if (!op)
    return open;
  if (llvm::isa<CastOp, IdentityOp, ReshapeOp, ExpandDimsOp, SqueezeOp>(op))
    return knownInPart(n, op->getOperand(0), depth + 1);
  if (auto shape = llvm::dyn_cast<ShapeOfOp>(op)) {
    Known result = llvm::SmallVector<int64_t>();
    for (int64_t extent : n.typeOf(shape.getInput()).getShape())
      result->push_back(isDynamic(extent) ? -1 : extent);
    return result;
  }
  if (auto concat = llvm::dyn_cast<ConcatOp>(op)) {
    Known result = llvm::SmallVector<int64_t>();
    for (Value input : concat.getInputs()) {
      Known part = knownInPart(n, input, depth + 1);
      if (!part)
        part = llvm::SmallVector<int64_t>(n.typeOf(input).getNumElements(), -1);
      llvm::append_range(*result, *part);
    }
    return result;
  }
  if (auto slice = llvm::dyn_cast<SliceOp>(op)) {
    Known whole = knownInPart(n, slice.getInput(), depth + 1);
    if (!whole || slice.getBegin().size() != 1)
      return open;
    Known result = llvm::SmallVector<int64_t>();
    int64_t at = slice.getBegin()[0];
    for (int64_t i = 0; i < type.getNumElements(); ++i) {
      if (at >= static_cast<int64_t>(whole->size()))
        return open;
      result->push_back((*whole)[at]);
      at += slice.getStrides()[0];
    }
    return result;
  }
  return open;
}

/// The tensor whose shape `value` is, or null.
Value weir::graphdef::shapedLike(Value value) {
  while (value) {
    mlir::Operation *op = value.getDefiningOp();
    if (auto shape = llvm::dyn_cast_or_null<ShapeOfOp>(op))
      return shape.getInput();
    if (!llvm::isa_and_present<CastOp, IdentityOp>(op))
      return {};
    value = op->getOperand(0);
  }
  return {};
}

/// The shape that input `i` says, and what a node made after it has to wait
/// for.
static std::optional<llvm::SmallVector<int64_t>> shapeInput(NodeConversion &n,
                                                            unsigned i) {
  Value value = n.tensor(i);
  if (!value)
    return std::nullopt;
  auto shape = knownInPart(n, value, 0);
  if (!shape || n.typeOf(value).getRank() > 1) {
    (void)n.fail("the length of its shape is not known");
    return std::nullopt;
  }
  for (int64_t extent : *shape)
    if (extent < -1 || extent >= (int64_t(1) << 40)) {
      (void)n.fail("its shape has an extent that no tensor has");
      return std::nullopt;
    }
  return shape;
}

static LogicalResult convertReshape(NodeConversion &n) {
  Value x = n.tensor(0);
  auto shape = shapeInput(n, 1);
  if (!x || !shape)
    return mlir::failure();
  if (llvm::count(*shape, -1) <= 1)
    return n.output(n.reshape(x, *shape));
  if (Value like = shapedLike(n.input(1)))
    return n.emit<ReshapeLikeOp>({x, like});
  Value result = n.make<DynamicReshapeOp>({x, n.tensor(1)});
  return n.output(withExtents(n, result, *shape));
}

static LogicalResult fill(NodeConversion &n, Value value, unsigned shapeAt) {
  auto shape = shapeInput(n, shapeAt);
  if (!value || !shape)
    return mlir::failure();
  if (!llvm::is_contained(*shape, -1))
    return n.emit<BroadcastToOp>(value, n.array("shape", *shape));
  if (Value like = shapedLike(n.input(shapeAt)))
    return n.emit<BroadcastLikeOp>({value, like});
  Value result = n.make<DynamicBroadcastOp>({value, n.tensor(shapeAt)});
  return n.output(withExtents(n, result, *shape));
}

static LogicalResult convertFill(NodeConversion &n) {
  return fill(n, n.tensor(1), 0);
}

static LogicalResult convertBroadcastTo(NodeConversion &n) {
  return fill(n, n.tensor(0), 1);
}

template <int value> static LogicalResult convertLike(NodeConversion &n) {
  if (value == 0 && takesHandle(n))
    return zerosLikeList(n);
  Value x = n.tensor(0);
  if (!x)
    return mlir::failure();
  RankedTensorType type = n.typeOf(x);
  if (!type.getElementType().isIntOrFloat())
    return n.fail("its input is no number");
  Value scalar = n.scalarLike(x, value);
  if (type.hasStaticShape())
    return n.emit<BroadcastToOp>(scalar, n.array("shape", type.getShape()));
  return n.emit<BroadcastLikeOp>({scalar, x});
}

Value weir::graphdef::extentsOf(NodeConversion &n, Value x) {
  if (!x)
    return {};
  auto type = llvm::cast<RankedTensorType>(x.getType());
  if (!llvm::isa<StringType>(type.getElementType()) || type.hasStaticShape())
    return n.make<ShapeOfOp>(x);
  // Compiled code has no strings; what a comparison gives has their extents.
  mlir::Operation *same = n.makeStateful<CompareStringsOp>(
      {x, x}, type.clone(n.builder.getI1Type()),
      n.attr("predicate", ComparePredicateAttr::get(n.builder.getContext(),
                                                    ComparePredicate::eq)));
  return n.make<ShapeOfOp>(same->getResult(0));
}

static Value shapeOf(NodeConversion &n, Value x) {
  Type element =
      n.elementType(typeAttr(n.node, "out_type").value_or(pb::DT_INT32));
  return element ? n.cast(extentsOf(n, x), element) : Value();
}

static LogicalResult convertShape(NodeConversion &n) {
  for (unsigned i = 0; i < n.inputCount(); ++i)
    if (mlir::failed(n.output(shapeOf(n, n.tensor(i)))))
      return mlir::failure();
  return mlir::success();
}

static LogicalResult convertSize(NodeConversion &n) {
  return n.emit<ReduceProdOp>(shapeOf(n, n.tensor(0)), n.array("axes", {0}));
}

/// The extent of the shape, so that it waits for its input.
static LogicalResult convertRank(NodeConversion &n) {
  Value rank = n.make<ShapeOfOp>(n.make<ShapeOfOp>(n.tensor(0)));
  return n.output(n.reshape(n.cast(rank, n.builder.getI32Type()), {}));
}

static LogicalResult convertExpandDims(NodeConversion &n) {
  Value x = n.tensor(0);
  std::optional<int64_t> named = n.integer(1);
  if (!x || !named)
    return mlir::failure();
  std::optional<int64_t> axis = n.axis(*named, n.typeOf(x).getRank() + 1);
  if (!axis)
    return mlir::failure();
  return n.emit<ExpandDimsOp>(x, n.array("axes", *axis));
}

static LogicalResult convertSqueeze(NodeConversion &n) {
  Value x = n.tensor(0);
  if (!x)
    return mlir::failure();
  RankedTensorType type = n.typeOf(x);
  auto named = intsAttr(n.node, "squeeze_dims");
  if (!named || named->empty())
    named = intsAttr(n.node, "axis");
  llvm::SmallVector<int64_t> axes;
  if (named && !named->empty()) {
    for (int64_t each : *named) {
      std::optional<int64_t> axis = n.axis(each, type.getRank());
      if (!axis)
        return mlir::failure();
      if (!llvm::is_contained(axes, *axis))
        axes.push_back(*axis);
    }
    llvm::sort(axes);
  } else {
    if (!type.hasStaticShape())
      return n.fail("which extents are 1 is not known");
    for (int64_t axis = 0; axis < type.getRank(); ++axis)
      if (type.getDimSize(axis) == 1)
        axes.push_back(axis);
  }
  // An open extent has to be 1 when the node runs.
  llvm::SmallVector<int64_t> shape;
  bool isOpen = false;
  for (auto [axis, extent] : llvm::enumerate(type.getShape())) {
    bool goes = llvm::is_contained(axes, static_cast<int64_t>(axis));
    isOpen |= goes && isDynamic(extent);
    if (!goes)
      shape.push_back(isDynamic(extent) ? -1 : extent);
  }
  if (isOpen && llvm::count(shape, -1) <= 1)
    return n.output(n.reshape(x, shape));
  return n.emit<SqueezeOp>(x, n.array("axes", axes));
}

static LogicalResult convertTranspose(NodeConversion &n) {
  Value x = n.tensor(0);
  auto permutation = n.integers(1);
  if (!x || !permutation)
    return mlir::failure();
  return n.emit<TransposeOp>(x, n.array("permutation", *permutation));
}

static LogicalResult convertInvertPermutation(NodeConversion &n) {
  auto permutation = n.integers(0);
  if (!permutation)
    return mlir::failure();
  llvm::SmallVector<int64_t> inverse(permutation->size(), -1);
  for (auto [i, place] : llvm::enumerate(*permutation)) {
    if (place < 0 || place >= static_cast<int64_t>(inverse.size()) ||
        inverse[place] >= 0)
      return n.fail("its input is no permutation");
    inverse[place] = static_cast<int64_t>(i);
  }
  return n.output(n.constantInts(inverse, n.typeOf(n.input(0))));
}

/// The axes over which the gradients of two operands are summed.
static LogicalResult convertBroadcastGradient(NodeConversion &n) {
  auto a = shapeInput(n, 0), b = shapeInput(n, 1);
  if (!a || !b)
    return mlir::failure();
  auto type = [&](size_t count) {
    return RankedTensorType::get({static_cast<int64_t>(count)},
                                 n.elementOf(n.input(0)));
  };
  size_t rank = std::max(a->size(), b->size());
  // Only what is known to be 1 is repeated: an open extent never is.
  auto extent = [&](const llvm::SmallVector<int64_t> &shape, size_t axis) {
    size_t missing = rank - shape.size();
    return axis < missing ? int64_t(1) : shape[axis - missing];
  };
  llvm::SmallVector<int64_t> sums[2];
  for (size_t axis = 0; axis < rank; ++axis) {
    int64_t x = extent(*a, axis), y = extent(*b, axis);
    if (x == 1)
      sums[0].push_back(static_cast<int64_t>(axis));
    if (y == 1)
      sums[1].push_back(static_cast<int64_t>(axis));
  }
  for (const auto &axes : sums)
    if (mlir::failed(n.output(n.constantInts(axes, type(axes.size())))))
      return mlir::failure();
  return mlir::success();
}

/// The shape that two shapes broadcast to.
static LogicalResult convertBroadcastArgs(NodeConversion &n) {
  auto a = n.integers(0), b = n.integers(1);
  if (!a || !b)
    return mlir::failure();
  auto shape = broadcast(*a, *b);
  if (!shape)
    return n.fail("its shapes do not broadcast");
  return n.output(n.constantInts(
      *shape, RankedTensorType::get({static_cast<int64_t>(shape->size())},
                                    n.elementOf(n.input(0)))));
}

static LogicalResult convertRange(NodeConversion &n) {
  if (!n.isConstant(0) || !n.isConstant(1) || !n.isConstant(2))
    return n.emit<RangeOp>({n.tensor(0), n.tensor(1), n.tensor(2)});
  std::optional<Tensor> bounds[3];
  for (unsigned i : {0, 1, 2}) {
    bounds[i] = n.constant(i);
    if (!bounds[i])
      return mlir::failure();
    if (bounds[i]->size() != 1 || bounds[i]->isString())
      return n.fail("its bounds have to be numbers");
  }
  Type element = n.elementOf(n.input(0));
  bool isFloat = llvm::isa<mlir::FloatType>(element);
  double first = bounds[0]->getDouble(0), end = bounds[1]->getDouble(0);
  double step = bounds[2]->getDouble(0);
  if (!(step != 0))
    return n.fail("its step is 0");
  double count = std::ceil((end - first) / step);
  if (!(count <= 1 << 20))
    return n.fail("it gives more than 2^20 elements");
  auto size = static_cast<int64_t>(std::max(count, 0.0));
  auto type = RankedTensorType::get({size}, element);
  Tensor tensor(dtypeOf(element), {size});
  dispatch(tensor.getDType(), [&](auto zero) {
    using Element = decltype(zero);
    for (int64_t i = 0; i < size; ++i)
      tensor.write<Element>()[i] =
          isFloat ? convertTo<Element>(first + static_cast<double>(i) * step)
                  : convertTo<Element>(bounds[0]->getInteger(0) +
                                       i * bounds[2]->getInteger(0));
  });
  return n.output(n.constant(tensor.toAttribute(type)));
}

void weir::graphdef::addShapeConverters(ConverterTable &table) {
  table["Reshape"] = convertReshape;
  table["Fill"] = convertFill;
  table["BroadcastTo"] = convertBroadcastTo;
  table["ZerosLike"] = convertLike<0>;
  table["OnesLike"] = convertLike<1>;
  table["Shape"] = table["ShapeN"] = convertShape;
  table["Size"] = convertSize;
  table["Rank"] = convertRank;
  table["ExpandDims"] = convertExpandDims;
  table["Squeeze"] = convertSqueeze;
  table["Transpose"] = convertTranspose;
  table["InvertPermutation"] = convertInvertPermutation;
  table["BroadcastGradientArgs"] = convertBroadcastGradient;
  table["BroadcastArgs"] = convertBroadcastArgs;
  table["Range"] = convertRange;
}

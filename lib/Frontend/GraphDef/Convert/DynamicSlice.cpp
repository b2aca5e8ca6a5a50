//===- DynamicSlice.cpp - Slices whose bounds are values ----------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// TensorFlow's bounds may lie outside of a dimension and count from its end.
// They become begin and size of a box by arithmetic in the graph.
//
//===----------------------------------------------------------------------===//

#include "lib/Frontend/GraphDef/Convert/Slice.h"

#include "dialects/Weir/Shape.h"

using namespace weir;
using namespace weir::graphdef;
using mlir::RankedTensorType;

Value weir::graphdef::withExtents(NodeConversion &n, Value value,
                                  llvm::ArrayRef<int64_t> shape) {
  if (!value)
    return {};
  RankedTensorType type = n.typeOf(value);
  llvm::SmallVector<int64_t> extents(type.getShape());
  if (extents.size() != shape.size())
    return value;
  for (auto [extent, known] : llvm::zip(extents, shape))
    if (known >= 0)
      extent = known;
  value.setType(RankedTensorType::get(extents, type.getElementType()));
  return value;
}

Value weir::graphdef::computedSlice(NodeConversion &n, Value x, Value begin,
                                    Value size,
                                    llvm::ArrayRef<int64_t> strides) {
  if (!x || !begin || !size)
    return {};
  Value result =
      n.make<DynamicSliceOp>({x, begin, size}, n.array("strides", strides));
  auto known = knownInPart(n, size);
  return known ? withExtents(n, result, *known) : result;
}

namespace {
/// Bounds as vectors of one entry, and what they make of each dimension.
class Bounds {
public:
  /// `extents` are those of what is sliced, a vector.
  Bounds(NodeConversion &n, Value begins, Value ends, Value extents)
      : n(n), begins(begins), ends(ends), extents(extents) {}

  /// Adds dimension `axis`, whose extent is `known` (or dynamic).
  void add(const Part &part, int64_t axis, int64_t known);

  Value begin() { return join(begin_); }
  Value size() { return join(size_); }

  llvm::SmallVector<int64_t> strides, shape, reversed, gone, added;

private:
  Value entry(Value vector, int64_t i) {
    return n.make<SliceOp>(vector, {n.array("begin", i), n.array("size", 1),
                                    n.array("strides", 1)});
  }
  Value number(int64_t value) {
    return n.constantInts(value,
                          RankedTensorType::get({1}, n.elementOf(extents)));
  }
  Value join(llvm::ArrayRef<Value> values) {
    if (values.empty())
      return n.constantInts({},
                            RankedTensorType::get({0}, n.elementOf(extents)));
    return n.make<ConcatOp>(values, n.i64("axis", 0));
  }
  /// Counted from the beginning.
  Value absolute(Value bound, Value extent) {
    Value isBehind = n.compare(bound, number(0), ComparePredicate::lt);
    return n.make<SelectOp>({isBehind, n.make<AddOp>({bound, extent}), bound});
  }
  Value clamped(Value bound, Value extent) {
    return n.make<MinimumOp>({n.make<MaximumOp>({bound, number(0)}), extent});
  }

  NodeConversion &n;
  Value begins, ends, extents;
  llvm::SmallVector<Value> begin_, size_;
  int64_t place = 0;
};
} // namespace

void Bounds::add(const Part &part, int64_t axis, int64_t known) {
  if (part.kind == Part::NewAxis) {
    added.push_back(place++);
    return;
  }
  Value extent = entry(extents, axis);
  strides.push_back(1);
  shape.push_back(-1);
  if (part.kind == Part::Index) {
    begin_.push_back(absolute(entry(begins, part.entry), extent));
    size_.push_back(number(1));
    shape.back() = 1;
    gone.push_back(axis);
    return;
  }
  ++place;
  if (part.kind == Part::Whole ||
      (part.fromStart && part.toEnd && part.stride == 1)) {
    begin_.push_back(number(0));
    size_.push_back(extent);
    shape.back() = isDynamic(known) ? -1 : known;
    return;
  }
  // With a negative stride, the same of the dimension turned around.
  bool isUp = part.stride > 0;
  if (!isUp)
    reversed.push_back(axis);
  auto bound = [&](Value list, bool isOpen, Value otherwise) -> Value {
    if (isOpen)
      return otherwise;
    Value at = absolute(entry(list, part.entry), extent);
    if (!isUp)
      at = n.make<SubOp>({n.make<SubOp>({extent, number(1)}), at});
    return clamped(at, extent);
  };
  Value first = bound(begins, part.fromStart, number(0));
  Value end = bound(ends, part.toEnd, extent);
  int64_t stride = isUp ? part.stride : -part.stride;
  Value width = n.make<MaximumOp>({n.make<SubOp>({end, first}), number(0)});
  if (stride != 1) {
    // Exact: no extent has more bits than a double.
    mlir::Type wide = n.builder.getF64Type();
    Value steps =
        n.make<DivOp>({n.cast(width, wide), n.cast(number(stride), wide)});
    width = n.cast(n.make<CeilOp>(steps), n.elementOf(extents));
  }
  strides.back() = stride;
  begin_.push_back(first);
  size_.push_back(width);
}

/// The bounds that inputs `first` and the two behind it say of a tensor whose
/// extents are `extents`, and of which `shape` is known.
static std::optional<Bounds> readBounds(NodeConversion &n, unsigned first,
                                        Value extents,
                                        llvm::ArrayRef<int64_t> shape) {
  Value begins = n.tensor(first), ends = n.tensor(first + 1);
  auto strides = n.integers(first + 2);
  if (!begins || !ends || !strides || !extents)
    return std::nullopt;
  for (Value list : {begins, ends})
    if (n.typeOf(list).getRank() != 1 ||
        n.typeOf(list).getDimSize(0) != static_cast<int64_t>(strides->size())) {
      (void)n.fail("begin, end and strides are not of one length");
      return std::nullopt;
    }
  llvm::SmallVector<int64_t> open(strides->size(), 0);
  auto parts = readParts(n, n.node, static_cast<int64_t>(shape.size()), open,
                         open, *strides);
  if (!parts)
    return std::nullopt;
  Bounds bounds(n, begins, ends, n.cast(extents, n.elementOf(begins)));
  int64_t axis = 0;
  for (const Part &part : *parts) {
    bounds.add(part, axis, part.kind == Part::NewAxis ? 1 : shape[axis]);
    axis += part.kind != Part::NewAxis;
  }
  return bounds;
}

Value weir::graphdef::computedStridedSlice(NodeConversion &n, Value x) {
  auto bounds = readBounds(n, 1, n.make<ShapeOfOp>(x), n.typeOf(x).getShape());
  if (!bounds)
    return {};
  if (!bounds->reversed.empty())
    x = n.make<ReverseOp>(x, n.array("axes", bounds->reversed));
  Value result = n.make<DynamicSliceOp>({x, bounds->begin(), bounds->size()},
                                        n.array("strides", bounds->strides));
  result = withExtents(n, result, bounds->shape);
  if (!bounds->gone.empty())
    result = n.make<SqueezeOp>(result, n.array("axes", bounds->gone));
  if (!bounds->added.empty())
    result = n.make<ExpandDimsOp>(result, n.array("axes", bounds->added));
  return result;
}

Value weir::graphdef::computedStridedSliceGradient(NodeConversion &n) {
  Value extents = n.tensor(0), dy = n.tensor(4);
  auto shape = knownInPart(n, extents);
  if (!extents || !dy)
    return {};
  if (!shape || n.typeOf(extents).getRank() != 1) {
    (void)n.fail("the rank of what was sliced is not known");
    return {};
  }
  for (int64_t &extent : *shape)
    extent = extent < 0 ? mlir::ShapedType::kDynamic : extent;
  auto bounds = readBounds(n, 1, extents, *shape);
  if (!bounds)
    return {};
  Value zeros = n.make<DynamicBroadcastOp>({n.scalarLike(dy, 0), extents});
  zeros = withExtents(n, zeros, *shape);
  if (!bounds->added.empty())
    dy = n.make<SqueezeOp>(dy, n.array("axes", bounds->added));
  if (!bounds->gone.empty())
    dy = n.make<ExpandDimsOp>(dy, n.array("axes", bounds->gone));
  Value result = n.make<DynamicUpdateSliceOp>(
      {zeros, dy, bounds->begin()}, n.array("strides", bounds->strides));
  if (!bounds->reversed.empty())
    result = n.make<ReverseOp>(result, n.array("axes", bounds->reversed));
  return result;
}

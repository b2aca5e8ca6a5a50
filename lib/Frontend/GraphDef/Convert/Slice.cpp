//===- Slice.cpp - Boxes of elements ------------------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Frontend/GraphDef/Convert/Slice.h"
#include "dialects/Weir/Shape.h"

#include "runtime/base/Format.h"

using namespace weir;
using namespace weir::graphdef;
using mlir::RankedTensorType;
using mlir::Type;

static LogicalResult convertSlice(NodeConversion &n) {
  Value x = n.tensor(0);
  if (!x)
    return mlir::failure();
  auto rank = static_cast<size_t>(n.typeOf(x).getRank());
  if (!n.isConstant(1) || !n.isConstant(2))
    return n.output(computedSlice(n, x, n.tensor(1), n.tensor(2),
                                  llvm::SmallVector<int64_t>(rank, 1)));
  auto begins = n.integers(1), sizes = n.integers(2);
  if (!begins || !sizes)
    return mlir::failure();
  if (sizes->size() != rank)
    return n.fail("there is not one size for each dimension");
  if (begins->size() != rank)
    return n.fail("there is not one begin for each dimension");
  return n.emit<SliceOp>(
      x, {n.array("begin", *begins), n.array("size", *sizes),
          n.array("strides", llvm::SmallVector<int64_t>(rank, 1))});
}

std::optional<std::vector<Part>>
weir::graphdef::readParts(NodeConversion &n, const Node &node, int64_t rank,
                          llvm::ArrayRef<int64_t> begins,
                          llvm::ArrayRef<int64_t> ends,
                          llvm::ArrayRef<int64_t> strides) {
  auto mask = [&](const char *name) {
    return static_cast<uint64_t>(intAttr(node, name).value_or(0));
  };
  uint64_t beginMask = mask("begin_mask"), endMask = mask("end_mask");
  uint64_t ellipsis = mask("ellipsis_mask"), newAxis = mask("new_axis_mask");
  uint64_t shrink = mask("shrink_axis_mask");
  size_t count = begins.size();
  if (ends.size() != count || strides.size() != count || count > 63) {
    (void)n.fail("begin, end and strides are not of one length");
    return std::nullopt;
  }
  bool hasEllipsis = false;
  int64_t taken = 0;
  for (size_t i = 0; i < count; ++i) {
    uint64_t bit = uint64_t(1) << i;
    if (ellipsis & bit) {
      if (hasEllipsis) {
        (void)n.fail("it has more than one ellipsis");
        return std::nullopt;
      }
      hasEllipsis = true;
    } else if (!(newAxis & bit)) {
      ++taken;
    }
  }
  if (taken > rank) {
    (void)n.fail(rt::str("it slices ", taken, " dimensions of ", rank));
    return std::nullopt;
  }
  std::vector<Part> parts;
  for (size_t i = 0; i < count; ++i) {
    uint64_t bit = uint64_t(1) << i;
    if (ellipsis & bit) {
      parts.insert(parts.end(), static_cast<size_t>(rank - taken), Part());
      continue;
    }
    Part &part = parts.emplace_back();
    if (newAxis & bit) {
      part.kind = Part::NewAxis;
      continue;
    }
    part = {shrink & bit ? Part::Index : Part::Range,
            begins[i],
            ends[i],
            strides[i],
            (beginMask & bit) != 0,
            (endMask & bit) != 0,
            static_cast<int64_t>(i)};
    if (part.stride == 0) {
      (void)n.fail("a stride is 0");
      return std::nullopt;
    }
  }
  if (!hasEllipsis)
    parts.insert(parts.end(), static_cast<size_t>(rank - taken), Part());
  return parts;
}

/// An index that is computed, into the first dimension, x[i]; false where it is
/// something else.
static bool isComputedIndex(NodeConversion &n) {
  auto isMask = [&](const char *name, int64_t value) {
    return intAttr(n.node, name).value_or(0) == value;
  };
  Value begin = n.tensor(1);
  return begin && isMask("shrink_axis_mask", 1) && isMask("begin_mask", 0) &&
         isMask("ellipsis_mask", 0) && isMask("new_axis_mask", 0) &&
         n.typeOf(begin).getRank() == 1 && n.typeOf(begin).getDimSize(0) == 1;
}

static LogicalResult convertComputedIndex(NodeConversion &n, Value x) {
  Value begin = n.tensor(1), index = n.reshape(begin, {});
  Value extent =
      n.cast(n.make<DimSizeOp>(x, n.i64("axis", 0)), n.elementOf(begin));
  Value fromEnd =
      n.compare(index, n.scalarLike(index, 0), ComparePredicate::lt);
  index = n.make<SelectOp>({fromEnd, n.make<AddOp>({index, extent}), index});
  return n.emit<GatherOp>({x, index}, n.i64("axis", 0));
}

/// Bounds that count from the end of an extent that is not known are taken off
/// from behind; the parts then count from the beginning.
static Value cutFromEnd(NodeConversion &n, Value x, std::vector<Part> &parts) {
  int64_t axis = 0;
  for (Part &part : parts) {
    if (part.kind == Part::NewAxis)
      continue;
    int64_t at = axis++;
    if (!x || !isDynamic(n.typeOf(x).getDimSize(at)) || part.stride < 0 ||
        part.kind == Part::Whole)
      continue;
    int64_t rank = n.typeOf(x).getRank();
    auto fromBehind = [&](int64_t begin, int64_t count) {
      llvm::SmallVector<int64_t> begins(rank, 0), sizes(rank, -1),
          ones(rank, 1);
      begins[at] = begin;
      sizes[at] = count;
      Value turned = n.make<ReverseOp>(x, n.array("axes", at));
      Value cut = n.make<SliceOp>(turned, {n.array("begin", begins),
                                           n.array("size", sizes),
                                           n.array("strides", ones)});
      return n.make<ReverseOp>(cut, n.array("axes", at));
    };
    if (part.kind == Part::Index && part.begin < 0) {
      x = fromBehind(-part.begin - 1, 1);
      part.begin = 0;
      continue;
    }
    if (part.kind == Part::Index)
      continue;
    int64_t behind = !part.toEnd && part.end < 0 ? -part.end : 0;
    if (behind) {
      x = fromBehind(behind, -1);
      part.toEnd = true;
    }
    if (!part.fromStart && part.begin < 0 && part.toEnd) {
      x = fromBehind(0, std::max<int64_t>(-part.begin - behind, 0));
      part.fromStart = true;
    }
  }
  return x;
}

namespace {

/// The elements that a range takes, in ascending order.
struct Taken {
  int64_t first, count, step;
};

} // namespace

/// Those of a dimension of known extent, as a loop from begin to end would take
/// them; nothing, with a reason, where the stride is out of range.
static std::optional<Taken> takeRange(NodeConversion &n, const Part &part,
                                      int64_t extent) {
  bool up = part.stride > 0;
  auto clamp = [&](int64_t bound) {
    bound = bound < 0 ? bound + extent : bound;
    return std::clamp<int64_t>(bound, up ? 0 : -1, up ? extent : extent - 1);
  };
  int64_t from = part.fromStart ? (up ? 0 : extent - 1) : clamp(part.begin);
  int64_t to = part.toEnd ? (up ? extent : -1) : clamp(part.end);
  int64_t width = up ? to - from : from - to;
  int64_t step = up ? part.stride : -part.stride;
  if (step < 0) {
    (void)n.fail("a stride is out of range");
    return std::nullopt;
  }
  int64_t count = width <= 0 ? 0 : (width - 1) / step + 1;
  int64_t first = up || count == 0 ? from : from - (count - 1) * step;
  return Taken{std::clamp<int64_t>(first, 0, extent), count, step};
}

static LogicalResult convertStridedSlice(NodeConversion &n) {
  Value x = n.tensor(0);
  if (!x)
    return mlir::failure();
  RankedTensorType type = n.typeOf(x);
  if (!n.isConstant(1) && type.getRank() > 0 && isComputedIndex(n))
    return convertComputedIndex(n, x);
  if (!n.isConstant(1) || !n.isConstant(2))
    return n.output(computedStridedSlice(n, x));
  auto begins = n.integers(1), ends = n.integers(2), strides = n.integers(3);
  if (!begins || !ends || !strides)
    return mlir::failure();
  auto parts = readParts(n, n.node, type.getRank(), *begins, *ends, *strides);
  if (!parts)
    return mlir::failure();
  x = cutFromEnd(n, x, *parts);
  if (!x)
    return mlir::failure();
  type = n.typeOf(x);
  llvm::SmallVector<int64_t> begin, size, steps, reversed, gone, added;
  int64_t axis = 0, place = 0;
  for (const Part &part : *parts) {
    if (part.kind == Part::NewAxis) {
      added.push_back(place++);
      continue;
    }
    int64_t extent = type.getDimSize(axis);
    int64_t first = 0, count = -1, step = 1;
    if (part.kind == Part::Index) {
      if (isDynamic(extent) && part.begin < 0)
        return n.fail("it counts from the end of an extent that is not known");
      first = part.begin < 0 ? part.begin + extent : part.begin;
      if (first < 0 || (!isDynamic(extent) && first >= extent))
        return n.fail(rt::str("index ", part.begin, " is outside of dimension ",
                              axis, " of extent ", extent));
      count = 1;
      gone.push_back(axis);
    } else if (part.kind == Part::Range && isDynamic(extent)) {
      bool isWhole = part.fromStart && part.toEnd;
      if (part.stride == -1 && isWhole) {
        reversed.push_back(axis);
      } else if (part.stride < 0 || (!part.fromStart && part.begin < 0) ||
                 (!part.toEnd && part.end < 0)) {
        return n.fail("it counts from the end of an extent that is not known");
      } else {
        first = part.fromStart ? 0 : part.begin;
        step = part.stride;
        if (!part.toEnd)
          count = part.end <= first ? 0 : (part.end - first + step - 1) / step;
      }
    } else if (part.kind == Part::Range) {
      auto taken = takeRange(n, part, extent);
      if (!taken)
        return mlir::failure();
      first = taken->first;
      count = taken->count;
      step = taken->step;
      if (part.stride < 0)
        reversed.push_back(axis);
    }
    begin.push_back(first);
    size.push_back(count);
    steps.push_back(step);
    place += part.kind != Part::Index;
    ++axis;
  }
  Value result =
      n.make<SliceOp>(x, {n.array("begin", begin), n.array("size", size),
                          n.array("strides", steps)});
  if (!reversed.empty())
    result = n.make<ReverseOp>(result, n.array("axes", reversed));
  if (!gone.empty())
    result = n.make<SqueezeOp>(result, n.array("axes", gone));
  if (!added.empty())
    result = n.make<ExpandDimsOp>(result, n.array("axes", added));
  return n.output(result);
}

/// The gradient of a strided slice: zeros around what it took.
static LogicalResult convertStridedSliceGrad(NodeConversion &n) {
  if (!n.isConstant(0) || !n.isConstant(1) || !n.isConstant(2))
    return n.output(computedStridedSliceGradient(n));
  auto shape = n.integers(0), begins = n.integers(1), ends = n.integers(2);
  auto strides = n.integers(3);
  Value dy = n.tensor(4);
  if (!shape || !begins || !ends || !strides || !dy)
    return mlir::failure();
  auto rank = static_cast<int64_t>(shape->size());
  auto parts = readParts(n, n.node, rank, *begins, *ends, *strides);
  if (!parts)
    return mlir::failure();
  llvm::SmallVector<int64_t> low, high, interior, box, reversed;
  int64_t axis = 0;
  for (const Part &part : *parts) {
    if (part.kind == Part::NewAxis)
      continue;
    int64_t extent = (*shape)[axis], first = 0, count = extent, step = 1;
    if (part.kind == Part::Index) {
      first = part.begin < 0 ? part.begin + extent : part.begin;
      count = 1;
    } else if (part.kind == Part::Range) {
      auto taken = takeRange(n, part, extent);
      if (!taken)
        return mlir::failure();
      first = taken->first;
      count = taken->count;
      step = taken->step;
      if (part.stride < 0)
        reversed.push_back(axis);
    }
    int64_t last = first + (count - 1) * step;
    if (count == 0 || first < 0 || last >= extent)
      return n.fail("it is the gradient of an empty slice");
    low.push_back(first);
    high.push_back(extent - 1 - last);
    interior.push_back(step - 1);
    box.push_back(count);
    ++axis;
  }
  Value result = n.reshape(dy, box);
  if (!reversed.empty())
    result = n.make<ReverseOp>(result, n.array("axes", reversed));
  return n.emit<PadOp>(result, {n.array("low", low), n.array("high", high),
                                n.array("interior", interior)});
}

void weir::graphdef::addIndexConverters(ConverterTable &table) {
  table["Slice"] = convertSlice;
  table["StridedSlice"] = convertStridedSlice;
  table["StridedSliceGrad"] = convertStridedSliceGrad;
}

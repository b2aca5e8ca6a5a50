//===- ReshapeLowerings.cpp - Shapes, transposes, broadcasts
//----------------------- ===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "passes/Codegen/Linalg/Lowering.h"

using namespace mlir;

namespace weir {

//===----------------------------------------------------------------------===//
// Reshapes. Extents are codes here (see Extents.h), so that the number of
// elements can be compared although it is only known at run time.
//===----------------------------------------------------------------------===//

namespace {
/// A product of extents: a number and the names of dynamic extents, sorted.
struct Count {
  int64_t factor = 1;
  SmallVector<int64_t> names;

  void multiply(int64_t code) {
    if (code >= 0)
      factor *= code;
    else
      names.insert(llvm::upper_bound(names, code), code);
  }
  bool operator==(const Count &other) const {
    return factor == other.factor && names == other.names;
  }
};

/// Dimensions of the operand and of the result with the same product.
struct Groups {
  SmallVector<ReassociationIndices> from, to;
};
} // namespace

/// The finest groups whose products are known to be equal, or nothing where
/// the number of elements is not known to be. No extent is 0.
static std::optional<Groups> matchGroups(ArrayRef<int64_t> from,
                                         ArrayRef<int64_t> to) {
  auto prefixes = [](ArrayRef<int64_t> codes) {
    SmallVector<Count> result(1);
    for (int64_t code : codes) {
      result.push_back(result.back());
      result.back().multiply(code);
    }
    return result;
  };
  SmallVector<Count> a = prefixes(from), b = prefixes(to);
  if (!(a.back() == b.back()))
    return std::nullopt;
  Groups groups;
  size_t i0 = 0, j0 = 0;
  auto close = [&](size_t i, size_t j) {
    groups.from.push_back(dimensions(i0, i));
    groups.to.push_back(dimensions(j0, j));
    i0 = i;
    j0 = j;
  };
  for (size_t i = 1; i < from.size(); ++i)
    for (size_t j = j0 + 1; j < to.size(); ++j)
      if (a[i] == b[j]) {
        close(i, j);
        break;
      }
  close(from.size(), to.size());
  return groups;
}

static bool isTrivial(ArrayRef<ReassociationIndices> groups) {
  return llvm::all_of(groups, [](const ReassociationIndices &group) {
    return group.size() == 1;
  });
}

static Value collapse(Emitter &e, Value tensor,
                      ArrayRef<ReassociationIndices> groups) {
  if (Emitter::typeOf(tensor).getRank() == 0 || isTrivial(groups))
    return tensor;
  // A group of everything into no dimension is a group of nothing.
  return tensor::CollapseShapeOp::create(e, tensor, groups);
}

static Value cast(Emitter &e, Value tensor, ArrayRef<int64_t> shape) {
  auto type =
      RankedTensorType::get(shape, Emitter::typeOf(tensor).getElementType());
  return type == tensor.getType()
             ? tensor
             : tensor::CastOp::create(e, type, tensor).getResult();
}

static SmallVector<int64_t> shapeOf(ArrayRef<int64_t> codes) {
  return llvm::map_to_vector(codes, [](int64_t code) {
    return code >= 0 ? code : ShapedType::kDynamic;
  });
}

/// `dims` are the extents of the result; `from` and `to` the codes of both,
/// kDynamic for what has no name.
static Value reshape(Emitter &e, Value input, ArrayRef<int64_t> from,
                     ArrayRef<int64_t> to, ArrayRef<OpFoldResult> dims) {
  Type element = Emitter::typeOf(input).getElementType();
  SmallVector<int64_t> shape = shapeOf(to);
  auto resultType = RankedTensorType::get(shape, element);
  bool nothing = llvm::is_contained(to, 0);
  bool named = !llvm::is_contained(to, ShapedType::kDynamic);
  std::optional<Groups> groups;
  if (named && !nothing && !llvm::is_contained(from, 0))
    groups = matchGroups(from, to);
  if (!groups) {
    OpFoldResult have = e.product(e.dims(input)), want = e.product(dims);
    auto a = getConstantIntValue(have), b = getConstantIntValue(want);
    if (!a || !b || *a != *b)
      e.require(e.compare(arith::CmpIPredicate::eq, have, want),
                WEIR_INVALID_ARGUMENT,
                "[WEIR0332] {0} elements do not fit a shape of {1}", have,
                want);
    if (nothing)
      return e.empty(dims, element);
    groups.emplace();
    groups->from.push_back(dimensions(0, from.size()));
    groups->to.push_back(dimensions(0, to.size()));
  } else {
    input = cast(e, input, shapeOf(from));
  }
  if (to.empty())
    return tensor::CollapseShapeOp::create(
        e, resultType, cast(e, input, SmallVector<int64_t>(from.size(), 1)),
        ArrayRef<ReassociationIndices>());
  Value collapsed = collapse(e, input, groups->from);
  if (from.empty())
    return tensor::ExpandShapeOp::create(
        e, resultType, collapsed, ArrayRef<ReassociationIndices>(), dims);
  // What is expanded is static exactly where all it becomes is.
  SmallVector<int64_t> middle;
  for (const ReassociationIndices &group : groups->to) {
    int64_t extent = 1;
    for (int64_t i : group)
      extent = isDynamic(extent) || isDynamic(shape[i]) ? ShapedType::kDynamic
                                                        : extent * shape[i];
    middle.push_back(extent);
  }
  collapsed = cast(e, collapsed, middle);
  if (isTrivial(groups->to))
    return collapsed;
  // Upstream expands a dimension into one of unknown extent, not into two.
  bool several =
      llvm::any_of(groups->to, [&](const ReassociationIndices &group) {
        return llvm::count_if(
                   group, [&](int64_t i) { return isDynamic(shape[i]); }) > 1;
      });
  if (!several)
    return tensor::ExpandShapeOp::create(e, resultType, collapsed, groups->to,
                                         dims);
  SmallVector<Value> extents;
  for (OpFoldResult dim : dims)
    extents.push_back(arith::IndexCastOp::create(
        e, e.getI64Type(),
        getValueOrCreateConstantIndexOp(e, e.getLoc(), dim)));
  return tensor::ReshapeOp::create(e, resultType, collapsed,
                                   tensor::FromElementsOp::create(e, extents));
}

static Value lowerReshape(ReshapeOp op, ReshapeOp::Adaptor adaptor,
                          Emitter &e) {
  Value input = adaptor.getInput();
  ArrayRef<int64_t> from = e.getExtents()[op.getInput()];
  SmallVector<int64_t> to(op.getShape());
  SmallVector<OpFoldResult> dims;
  Count known;
  for (int64_t extent : to)
    if (extent >= 0)
      known.multiply(extent);
  for (int64_t &extent : to) {
    if (extent >= 0) {
      dims.push_back(e.index(extent));
      continue;
    }
    // The rest: the operand's one dynamic extent, or what a division gives.
    int64_t name = e.getExtents()[op.getResult()][dims.size()];
    const int64_t *found = name < 0 ? llvm::find(from, name) : from.end();
    OpFoldResult count = e.product(e.dims(input));
    if (found != from.end()) {
      extent = name;
      dims.push_back(e.dim(input, found - from.begin()));
    } else if (auto fixed = getConstantIntValue(count)) {
      extent = *fixed / known.factor;
      dims.push_back(e.index(extent));
    } else if (known.factor == 0) {
      extent = ShapedType::kDynamic;
      dims.push_back(e.index(1)); // Fits nothing but 0 elements.
    } else {
      extent = ShapedType::kDynamic;
      dims.push_back(arith::DivUIOp::create(e, e.toValue(count),
                                            e.toValue(e.index(known.factor)))
                         .getResult());
    }
  }
  return reshape(e, input, from, to, dims);
}

static Value lowerReshapeLike(ReshapeLikeOp op, ReshapeLikeOp::Adaptor adaptor,
                              Emitter &e) {
  return reshape(e, adaptor.getInput(), e.getExtents()[op.getInput()],
                 e.getExtents()[op.getLike()], e.dims(adaptor.getLike()));
}

static Value lowerExpandDims(ExpandDimsOp op, ExpandDimsOp::Adaptor adaptor,
                             Emitter &e) {
  return e.addUnits(adaptor.getInput(), op.getAxes());
}

static Value lowerSqueeze(SqueezeOp op, SqueezeOp::Adaptor adaptor,
                          Emitter &e) {
  return e.dropUnits(adaptor.getInput(), op.getAxes());
}

//===----------------------------------------------------------------------===//
// Copies through a map: fusion takes them into what reads them.
//===----------------------------------------------------------------------===//

static Value copy(Emitter &e, Value input, AffineMap map,
                  ArrayRef<OpFoldResult> dims) {
  return e.parallel(
      input, map, e.empty(dims, Emitter::typeOf(input).getElementType()),
      [](ImplicitLocOpBuilder &, ValueRange args) -> SmallVector<Value> {
        return {args[0]};
      });
}

static Value lowerTranspose(TransposeOp op, TransposeOp::Adaptor adaptor,
                            Emitter &e) {
  Value input = adaptor.getInput();
  ArrayRef<int64_t> permutation = op.getPermutation();
  SmallVector<AffineExpr> exprs(permutation.size());
  SmallVector<OpFoldResult> dims;
  for (auto [i, from] : llvm::enumerate(permutation)) {
    exprs[from] = e.getAffineDimExpr(i);
    dims.push_back(e.dim(input, from));
  }
  return copy(e, input,
              AffineMap::get(permutation.size(), 0, exprs, e.getContext()),
              dims);
}

static Value broadcastTo(Emitter &e, Value input, ArrayRef<OpFoldResult> dims) {
  SmallVector<int64_t> shape;
  for (OpFoldResult dim : dims)
    shape.push_back(getConstantIntValue(dim).value_or(ShapedType::kDynamic));
  auto [value, map] = e.broadcastOperand(input, shape);
  return copy(e, value, map, dims);
}

static Value lowerBroadcastTo(BroadcastToOp op, BroadcastToOp::Adaptor adaptor,
                              Emitter &e) {
  Value input = adaptor.getInput();
  RankedTensorType type = Emitter::typeOf(input);
  int64_t shift = static_cast<int64_t>(op.getShape().size()) - type.getRank();
  ArrayRef<int64_t> codes = e.getExtents()[op.getInput()];
  SmallVector<OpFoldResult> dims;
  for (auto [i, extent] : llvm::enumerate(op.getShape())) {
    int64_t axis = static_cast<int64_t>(i) - shift;
    if (extent == -1) {
      dims.push_back(e.dim(input, axis));
      continue;
    }
    dims.push_back(e.index(extent));
    if (axis < 0 || !type.isDynamicDim(axis) || codes[axis] == extent)
      continue;
    OpFoldResult actual = e.dim(input, axis);
    e.require(e.compare(arith::CmpIPredicate::eq, actual, dims.back()),
              WEIR_INVALID_ARGUMENT,
              "[WEIR0331] an extent of its operand is {0}, where {1} is needed",
              actual, dims.back());
  }
  return broadcastTo(e, input, dims);
}

static Value lowerBroadcastLike(BroadcastLikeOp op,
                                BroadcastLikeOp::Adaptor adaptor, Emitter &e) {
  Value input = adaptor.getInput(), like = adaptor.getLike();
  RankedTensorType type = Emitter::typeOf(input);
  int64_t shift = Emitter::typeOf(like).getRank() - type.getRank();
  for (int64_t i = 0; i < type.getRank(); ++i)
    if (type.getDimSize(i) != 1)
      e.requireEqual(0, i, 1, i + shift);
  return broadcastTo(e, input, e.dims(like));
}

//===----------------------------------------------------------------------===//
// Values without data
//===----------------------------------------------------------------------===//

static Value lowerIota(IotaOp op, IotaOp::Adaptor, Emitter &e) {
  auto type = llvm::cast<RankedTensorType>(op.getResult().getType());
  Type element = storedElement(type.getElementType());
  SmallVector<OpFoldResult> dims;
  for (int64_t extent : llvm::cast<RankedTensorType>(op.getType()).getShape())
    dims.push_back(e.index(extent));
  return e.parallel(
      {}, {}, e.empty(dims, element),
      [&](ImplicitLocOpBuilder &b, ValueRange) -> SmallVector<Value> {
        Value place =
            linalg::IndexOp::create(b, static_cast<int64_t>(op.getAxis()));
        if (!isa<FloatType>(element))
          return {arith::IndexCastOp::create(b, element, place)};
        place = arith::IndexCastOp::create(b, b.getI64Type(), place);
        return {arith::SIToFPOp::create(b, element, place)};
      });
}

static Value lowerShapeOf(ShapeOfOp op, ShapeOfOp::Adaptor adaptor,
                          Emitter &e) {
  SmallVector<Value> extents;
  for (OpFoldResult extent : e.dims(adaptor.getInput()))
    extents.push_back(
        arith::IndexCastOp::create(e, e.getI64Type(), e.toValue(extent)));
  int64_t rank = extents.size();
  return tensor::FromElementsOp::create(
      e, RankedTensorType::get(rank, e.getI64Type()), extents);
}

static Value lowerDimSize(DimSizeOp op, DimSizeOp::Adaptor adaptor,
                          Emitter &e) {
  OpFoldResult extent = e.dim(adaptor.getInput(), op.getAxis());
  Value number =
      arith::IndexCastOp::create(e, e.getI64Type(), e.toValue(extent));
  return tensor::FromElementsOp::create(
      e, RankedTensorType::get({}, e.getI64Type()), number);
}

static Value lowerIdentity(IdentityOp, IdentityOp::Adaptor adaptor, Emitter &) {
  return adaptor.getInput();
}
static Value lowerStopGradient(StopGradientOp, StopGradientOp::Adaptor adaptor,
                               Emitter &) {
  return adaptor.getInput();
}

void addReshapeLowerings(Lowerings &lowerings) {
  lowerings.add<ReshapeOp>(lowerReshape);
  lowerings.add<ReshapeLikeOp>(lowerReshapeLike);
  lowerings.add<ExpandDimsOp>(lowerExpandDims);
  lowerings.add<SqueezeOp>(lowerSqueeze);
  lowerings.add<TransposeOp>(lowerTranspose);
  lowerings.add<BroadcastToOp>(lowerBroadcastTo);
  lowerings.add<BroadcastLikeOp>(lowerBroadcastLike);
  lowerings.add<IotaOp>(lowerIota);
  lowerings.add<ShapeOfOp>(lowerShapeOf);
  lowerings.add<DimSizeOp>(lowerDimSize);
  lowerings.add<IdentityOp>(lowerIdentity);
  lowerings.add<StopGradientOp>(lowerStopGradient);
}

} // namespace weir

//===- Nest.cpp - A linalg op on buffers as strides over loops ------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Codegen/Kernels/Nest.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace weir;
using namespace weir::kernels;

Value kernels::constantIndex(OpBuilder &b, Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(b, loc, value);
}

Value kernels::addIndex(OpBuilder &b, Location loc, Value lhs, Value rhs) {
  if (matchPattern(lhs, m_Zero()))
    return rhs;
  if (matchPattern(rhs, m_Zero()))
    return lhs;
  return b.createOrFold<arith::AddIOp>(loc, lhs, rhs);
}

Value kernels::mulIndex(OpBuilder &b, Location loc, Value lhs, Value rhs) {
  if (matchPattern(lhs, m_One()))
    return rhs;
  if (matchPattern(rhs, m_One()))
    return lhs;
  return b.createOrFold<arith::MulIOp>(loc, lhs, rhs);
}

Stride Stride::times(int64_t number) const {
  if (scale == 0 || number == 0)
    return {};
  return {scale * number, factors};
}

Stride Stride::times(Value factor) const {
  if (std::optional<int64_t> number = getConstantIntValue(factor))
    return times(*number);
  if (scale == 0)
    return {};
  Stride result = *this;
  result.factors.push_back(factor);
  llvm::sort(result.factors, [](Value a, Value b) {
    return a.getAsOpaquePointer() < b.getAsOpaquePointer();
  });
  return result;
}

Stride Stride::times(const Stride &other) const {
  Stride result = times(other.scale);
  for (Value factor : other.factors)
    result = result.times(factor);
  return result;
}

Value Stride::materialize(OpBuilder &b, Location loc) const {
  Value result = constantIndex(b, loc, scale);
  if (scale != 0)
    for (Value factor : factors)
      result = mulIndex(b, loc, result, factor);
  return result;
}

Value NestDim::materialize(OpBuilder &b, Location loc) const {
  return extent().materialize(b, loc);
}

/// The coefficient of each dim in `expr` and the constant term; fails when
/// `expr` is not linear.
static LogicalResult linearize(AffineExpr expr, int64_t factor,
                               SmallVectorImpl<int64_t> &coefficients,
                               int64_t &constant) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    coefficients[dim.getPosition()] += factor;
    return success();
  }
  if (auto number = dyn_cast<AffineConstantExpr>(expr)) {
    constant += factor * number.getValue();
    return success();
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return failure();
  if (expr.getKind() == AffineExprKind::Add)
    return success(
        succeeded(linearize(binary.getLHS(), factor, coefficients, constant)) &&
        succeeded(linearize(binary.getRHS(), factor, coefficients, constant)));
  if (expr.getKind() == AffineExprKind::Mul) {
    if (auto number = dyn_cast<AffineConstantExpr>(binary.getRHS()))
      return linearize(binary.getLHS(), factor * number.getValue(),
                       coefficients, constant);
    if (auto number = dyn_cast<AffineConstantExpr>(binary.getLHS()))
      return linearize(binary.getRHS(), factor * number.getValue(),
                       coefficients, constant);
  }
  return failure();
}

/// The sum of two strides; a sum of unlike products becomes one opaque factor.
static Stride sum(OpBuilder &b, Location loc, const Stride &lhs,
                  const Stride &rhs) {
  if (lhs.isZero())
    return rhs;
  if (rhs.isZero())
    return lhs;
  if (lhs.factors == rhs.factors)
    return {lhs.scale + rhs.scale, lhs.factors};
  Value total =
      addIndex(b, loc, lhs.materialize(b, loc), rhs.materialize(b, loc));
  return Stride{1, {total}};
}

/// The strides of a buffer, in the extents of the loops where they are known.
static SmallVector<Stride>
stridesOf(OpBuilder &b, Location loc, Value memref,
          ArrayRef<OpFoldResult> sizes,
          memref::ExtractStridedMetadataOp metadata) {
  auto type = cast<MemRefType>(memref.getType());
  int64_t rank = type.getRank();
  SmallVector<Stride> strides(rank);
  if (type.getLayout().isIdentity()) {
    Stride running = Stride::constant(1);
    for (int64_t i = rank - 1; i >= 0; --i) {
      strides[i] = running;
      if (auto number = getConstantIntValue(sizes[i]))
        running = running.times(*number);
      else
        running = running.times(cast<Value>(sizes[i]));
    }
    return strides;
  }
  auto [numbers, offset] = type.getStridesAndOffset();
  for (int64_t i = 0; i < rank; ++i)
    strides[i] = ShapedType::isDynamic(numbers[i])
                     ? Stride{1, {metadata.getStrides()[i]}}
                     : Stride::constant(numbers[i]);
  return strides;
}

/// A one-dimensional view of `memref` with unit stride that reaches all of it.
static Value flatten(OpBuilder &b, Location loc, Value memref,
                     ArrayRef<OpFoldResult> sizes, ArrayRef<Stride> strides,
                     memref::ExtractStridedMetadataOp metadata) {
  auto type = cast<MemRefType>(memref.getType());
  bool identity = type.getLayout().isIdentity();
  if (type.getRank() == 1 && identity)
    return memref;
  // The span: one past the last element that the strides reach.
  Value span = constantIndex(b, loc, 1);
  int64_t staticSpan = 1;
  for (auto [size, stride] : llvm::zip_equal(sizes, strides)) {
    auto number = getConstantIntValue(size);
    if (number && stride.isStatic() && staticSpan >= 0) {
      if (*number > 0)
        staticSpan += (*number - 1) * stride.scale;
      continue;
    }
    staticSpan = -1;
  }
  if (staticSpan < 0) {
    Value one = constantIndex(b, loc, 1);
    for (auto [size, stride] : llvm::zip_equal(sizes, strides)) {
      Value last = b.createOrFold<arith::SubIOp>(
          loc, getValueOrCreateConstantIndexOp(b, loc, size), one);
      span = addIndex(b, loc, span,
                      mulIndex(b, loc, last, stride.materialize(b, loc)));
    }
  }
  OpFoldResult offset = b.getIndexAttr(0);
  int64_t staticOffset = 0;
  if (!identity) {
    staticOffset = type.getStridesAndOffset().second;
    if (ShapedType::isDynamic(staticOffset))
      offset = metadata.getOffset();
    else
      offset = b.getIndexAttr(staticOffset);
  }
  MemRefLayoutAttrInterface layout;
  if (staticOffset != 0)
    layout = StridedLayoutAttr::get(b.getContext(), staticOffset, {1});
  int64_t staticSize = staticSpan < 0 ? ShapedType::kDynamic : staticSpan;
  auto flatType = MemRefType::get({staticSize}, type.getElementType(), layout,
                                  type.getMemorySpace());
  OpFoldResult size = staticSpan < 0 ? OpFoldResult(span)
                                     : OpFoldResult(b.getIndexAttr(staticSpan));
  return memref::ReinterpretCastOp::create(
      b, loc, flatType, memref, offset, ArrayRef<OpFoldResult>{size},
      ArrayRef<OpFoldResult>{b.getIndexAttr(1)});
}

/// How `operand` is reached through a linear `map` from `numLoops` loops.
static Access makeAccess(OpBuilder &b, Location loc, Value operand,
                         AffineMap map, unsigned numLoops,
                         ArrayRef<OpFoldResult> sizes) {
  Access access;
  access.source = operand;
  access.strides.resize(numLoops);
  auto type = dyn_cast<MemRefType>(operand.getType());
  if (!type) {
    access.element = operand.getType();
    access.scalar = operand;
    return access;
  }
  access.element = type.getElementType();
  memref::ExtractStridedMetadataOp metadata;
  if (!type.getLayout().isIdentity())
    metadata = memref::ExtractStridedMetadataOp::create(b, loc, operand);
  SmallVector<Stride> strides = stridesOf(b, loc, operand, sizes, metadata);
  access.flat = flatten(b, loc, operand, sizes, strides, metadata);
  Stride start;
  for (auto [expr, stride] : llvm::zip_equal(map.getResults(), strides)) {
    SmallVector<int64_t> coefficients(numLoops, 0);
    int64_t constant = 0;
    (void)linearize(expr, 1, coefficients, constant);
    start = sum(b, loc, start, stride.times(constant));
    for (unsigned d = 0; d < numLoops; ++d)
      access.strides[d] =
          sum(b, loc, access.strides[d], stride.times(coefficients[d]));
  }
  access.start = start.materialize(b, loc);
  return access;
}

FailureOr<Nest> Nest::build(OpBuilder &b, linalg::LinalgOp op) {
  Location loc = op.getLoc();
  Nest nest(loc);
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  unsigned numLoops = op.getNumLoops();
  for (AffineMap map : maps)
    for (AffineExpr expr : map.getResults()) {
      SmallVector<int64_t> coefficients(numLoops, 0);
      int64_t constant = 0;
      if (map.getNumSymbols() != 0 ||
          failed(linearize(expr, 1, coefficients, constant)))
        return failure();
    }
  nest.numInputs = op.getNumDpsInputs();
  nest.body = op.getBlock();
  for (utils::IteratorType kind : op.getIteratorTypesArray()) {
    NestDim dim;
    dim.reduction = kind == utils::IteratorType::reduction;
    nest.dims.push_back(dim);
    nest.dimOfLoop.push_back(nest.dimOfLoop.size());
  }

  // Extents: any operand that a loop indexes alone tells; a static one wins.
  SmallVector<SmallVector<OpFoldResult>> sizes;
  for (OpOperand &operand : op->getOpOperands()) {
    SmallVector<OpFoldResult> &mine = sizes.emplace_back();
    auto type = dyn_cast<MemRefType>(operand.get().getType());
    if (!type)
      continue;
    AffineMap map = maps[operand.getOperandNumber()];
    for (auto [i, expr] : llvm::enumerate(map.getResults())) {
      auto loop = dyn_cast<AffineDimExpr>(expr);
      NestDim *dim = loop ? &nest.dims[loop.getPosition()] : nullptr;
      mine.push_back(memref::getMixedSize(b, loc, operand.get(), i));
      auto number = getConstantIntValue(mine.back());
      if (!dim)
        continue;
      if (number)
        dim->size = *number;
      else if (dim->product.isZero())
        dim->product = Stride{1, {cast<Value>(mine.back())}};
    }
  }
  for (auto [i, map] : llvm::enumerate(maps))
    for (auto [j, expr] : llvm::enumerate(map.getResults()))
      if (auto loop = dyn_cast<AffineDimExpr>(expr);
          loop && !sizes[i].empty()) {
        NestDim &dim = nest.dims[loop.getPosition()];
        sizes[i][j] = dim.isStatic() ? OpFoldResult(b.getIndexAttr(dim.size))
                                     : OpFoldResult(dim.product.factors[0]);
      }
  for (NestDim &dim : nest.dims)
    if (!dim.isStatic() && dim.product.isZero()) {
      SmallVector<Range, 4> ranges = op.createLoopRanges(b, loc);
      OpFoldResult size = ranges[&dim - nest.dims.begin()].size;
      if (auto number = getConstantIntValue(size))
        dim.size = *number;
      else
        dim.product = Stride{1, {cast<Value>(size)}};
    }

  for (OpOperand &operand : op->getOpOperands()) {
    unsigned index = operand.getOperandNumber();
    nest.accesses.push_back(
        makeAccess(b, loc, operand.get(), maps[index], numLoops, sizes[index]));
  }
  nest.numOutputs = op.getNumDpsInits();
  return nest;
}

LogicalResult Nest::addEpilogue(OpBuilder &b, linalg::LinalgOp op,
                                AffineMap outputMap) {
  unsigned numLoops = dims.size();
  const Access &output = accesses[numInputs];
  const Stride *unit = llvm::find_if(
      output.strides, [](const Stride &stride) { return stride.isOne(); });
  if (unit == output.strides.end())
    return failure();
  unsigned columns = unit - output.strides.begin();
  // The loops of `op` are the dimensions of the output.
  SmallVector<Access> added;
  Epilogue epilogue;
  epilogue.body = op.getBlock();
  epilogue.numInputs = op.getNumDpsInputs();
  for (auto [operand, map] :
       llvm::zip_equal(op->getOpOperands(), op.getIndexingMapsArray())) {
    if (operand.get() == output.source && !op.isDpsInit(&operand)) {
      epilogue.operands.push_back(-1);
      continue;
    }
    AffineMap composed = map.compose(outputMap);
    SmallVector<OpFoldResult> sizes;
    if (isa<MemRefType>(operand.get().getType()))
      for (auto [i, expr] : llvm::enumerate(composed.getResults())) {
        auto loop = dyn_cast<AffineDimExpr>(expr);
        const NestDim *dim = loop ? &dims[loop.getPosition()] : nullptr;
        if (dim && dim->isStatic())
          sizes.push_back(b.getIndexAttr(dim->size));
        else if (dim && dim->product.factors.size() == 1)
          sizes.push_back(dim->product.factors[0]);
        else
          sizes.push_back(memref::getMixedSize(b, loc, operand.get(), i));
      }
    Access access =
        makeAccess(b, loc, operand.get(), composed, numLoops, sizes);
    const Stride &stride = access.strides[columns];
    bool read = stride.isZero() && !op.isDpsInit(&operand);
    if (!read && !stride.isOne())
      return failure();
    epilogue.operands.push_back(accesses.size() + added.size());
    added.push_back(access);
  }
  accesses.append(added);
  epilogues.push_back(epilogue);
  return success();
}

bool Nest::usesIndex(unsigned dim) const {
  auto result = body->walk([&](linalg::IndexOp index) {
    return dimOfLoop[index.getDim()] == static_cast<int>(dim)
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  return result.wasInterrupted();
}

void Nest::simplify() {
  auto erase = [&](unsigned dim) {
    dims.erase(dims.begin() + dim);
    for (Access &access : accesses)
      access.strides.erase(access.strides.begin() + dim);
    for (int &loop : dimOfLoop) {
      if (loop == static_cast<int>(dim))
        loop = -1;
      else if (loop > static_cast<int>(dim))
        --loop;
    }
  };
  for (unsigned d = dims.size(); d-- > 0;)
    if (dims[d].size == 1)
      erase(d);

  auto merges = [&](unsigned outer, unsigned inner) {
    if (dims[outer].reduction != dims[inner].reduction || usesIndex(outer) ||
        usesIndex(inner))
      return false;
    return llvm::all_of(accesses, [&](const Access &access) {
      const Stride &stride = access.strides[inner];
      return access.strides[outer] == stride.times(dims[inner].extent());
    });
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (unsigned outer = 0; outer < dims.size() && !changed; ++outer)
      for (unsigned inner = 0; inner < dims.size() && !changed; ++inner) {
        if (outer == inner || !merges(outer, inner))
          continue;
        NestDim &kept = dims[inner];
        if (kept.isStatic() && dims[outer].isStatic()) {
          kept.size *= dims[outer].size;
        } else {
          kept.product = kept.extent().times(dims[outer].extent());
          kept.size = ShapedType::kDynamic;
        }
        erase(outer);
        changed = true;
      }
  }
}

int64_t Nest::estimateIterations() const {
  int64_t total = 1;
  for (const NestDim &dim : dims)
    total *= std::max<int64_t>(1, dim.estimate());
  return total;
}

Cursor Nest::begin(OpBuilder &b) const {
  Cursor cursor;
  for (const Access &access : accesses)
    cursor.offsets.push_back(access.start);
  cursor.ivs.resize(dims.size());
  return cursor;
}

Cursor Nest::enter(OpBuilder &b, const Cursor &at, unsigned dim,
                   Value iv) const {
  Cursor result = at;
  result.ivs[dim] = iv;
  for (auto [access, offset] : llvm::zip_equal(accesses, result.offsets)) {
    const Stride &stride = access.strides[dim];
    if (!offset || stride.isZero())
      continue;
    offset = addIndex(b, loc, offset,
                      mulIndex(b, loc, iv, stride.materialize(b, loc)));
  }
  return result;
}

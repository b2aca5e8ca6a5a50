//===- Body.cpp - The body of a linalg op on vectors ----------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Codegen/Kernels/Vectorize.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace weir;
using namespace weir::kernels;

int64_t kernels::bytesOf(Type type) {
  if (type.isIndex())
    return 8;
  return std::max<int64_t>(1, type.getIntOrFloatBitWidth() / 8);
}

/// Whether `op` divides integers, which traps on lanes that hold no data.
static bool dividesIntegers(Operation *op) {
  return isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp,
             arith::CeilDivSIOp, arith::CeilDivUIOp, arith::FloorDivSIOp>(op);
}

static bool isScalarNumber(Type type) { return type.isIntOrIndexOrFloat(); }

BodyTraits kernels::analyzeBody(const Nest &nest) {
  BodyTraits traits;
  for (const Access &access : nest.accesses) {
    if (!isScalarNumber(access.element))
      traits.vectorizable = false;
    else if (access.flat)
      traits.widestBytes =
          std::max(traits.widestBytes, bytesOf(access.element));
  }
  for (Operation &op : nest.body->without_terminator()) {
    traits.cost += isa<math::MathDialect>(op.getDialect()) ? 20 : 1;
    if (isa<arith::ConstantOp, linalg::IndexOp>(op))
      continue;
    if (isa<memref::LoadOp>(op)) {
      traits.hazardous = true;
      continue;
    }
    if (!OpTrait::hasElementwiseMappableTraits(&op) ||
        !llvm::all_of(op.getOperandTypes(), isScalarNumber) ||
        !llvm::all_of(op.getResultTypes(), isScalarNumber))
      traits.vectorizable = false;
    if (dividesIntegers(&op))
      traits.hazardous = true;
    for (Type type : op.getResultTypes())
      if (type.isIntOrFloat())
        traits.widestBytes = std::max(traits.widestBytes, bytesOf(type));
  }
  return traits;
}

Value kernels::broadcast(OpBuilder &b, Location loc, Value value,
                         int64_t width) {
  if (width == 1 || isa<VectorType>(value.getType()))
    return value;
  return vector::BroadcastOp::create(
      b, loc, VectorType::get({width}, value.getType()), value);
}

Value kernels::multiplyAdd(OpBuilder &b, Location loc, Value lhs, Value rhs,
                           Value acc, bool fuse) {
  if (isa<FloatType>(getElementTypeOrSelf(acc.getType()))) {
    if (fuse && isa<VectorType>(acc.getType()))
      return vector::FMAOp::create(b, loc, lhs, rhs, acc);
    if (fuse)
      return math::FmaOp::create(b, loc, lhs, rhs, acc);
    return arith::AddFOp::create(b, loc,
                                 arith::MulFOp::create(b, loc, lhs, rhs), acc);
  }
  return arith::AddIOp::create(b, loc, arith::MulIOp::create(b, loc, lhs, rhs),
                               acc);
}

namespace {
/// A value of the body: one for all lanes, an index that grows by one from lane
/// to lane, or a vector.
struct Lanes {
  enum Kind { Uniform, Linear, Vector } kind = Uniform;
  /// For Linear: the index of lane 0.
  Value value;
};

class BodyEmitter {
public:
  BodyEmitter(OpBuilder &b, const Nest &nest, int64_t width, int vectorDim,
              const Cursor &at, bool fuse)
      : b(b), nest(nest), width(width), vectorDim(vectorDim), at(at),
        fuse(fuse) {}

  SmallVector<Value> run(ArrayRef<Value> inputs);

private:
  Lanes lookup(Value value) {
    auto it = values.find(value);
    return it == values.end() ? Lanes{Lanes::Uniform, value} : it->second;
  }
  Value vectorOf(Lanes lanes);
  Lanes emitIndex(linalg::IndexOp op);
  Lanes emitLoad(memref::LoadOp op);
  std::optional<Lanes> emitLinear(Operation &op);
  void emitElementwise(Operation &op);

  OpBuilder &b;
  const Nest &nest;
  int64_t width;
  int vectorDim;
  const Cursor &at;
  bool fuse;
  llvm::DenseMap<Value, Lanes> values;
};
} // namespace

Value BodyEmitter::vectorOf(Lanes lanes) {
  if (lanes.kind == Lanes::Vector || width == 1)
    return lanes.value;
  Value result = broadcast(b, nest.loc, lanes.value, width);
  if (lanes.kind == Lanes::Linear)
    result = arith::AddIOp::create(
        b, nest.loc, result,
        vector::StepOp::create(b, nest.loc,
                               cast<VectorType>(result.getType())));
  return result;
}

Lanes BodyEmitter::emitIndex(linalg::IndexOp op) {
  int dim = nest.dimOfLoop[op.getDim()];
  if (dim < 0)
    return {Lanes::Uniform, constantIndex(b, nest.loc, 0)};
  if (dim == vectorDim && width > 1)
    return {Lanes::Linear, at.ivs[dim]};
  return {Lanes::Uniform, at.ivs[dim]};
}

Lanes BodyEmitter::emitLoad(memref::LoadOp op) {
  SmallVector<Lanes> indices;
  for (Value index : op.getIndices())
    indices.push_back(lookup(index));
  auto uniform = [](const Lanes &lanes) {
    return lanes.kind == Lanes::Uniform;
  };
  SmallVector<Value> scalars;
  for (const Lanes &lanes : indices)
    scalars.push_back(lanes.value);
  if (llvm::all_of(indices, uniform))
    return {Lanes::Uniform,
            memref::LoadOp::create(b, nest.loc, op.getMemRef(), scalars)};

  auto type = VectorType::get({width}, op.getType());
  if (indices.back().kind == Lanes::Linear &&
      llvm::all_of(ArrayRef(indices).drop_back(), uniform) &&
      op.getMemRefType().isLastDimUnitStride())
    return {Lanes::Vector,
            vector::LoadOp::create(b, nest.loc, type, op.getMemRef(), scalars)};
  // A gather: each lane by itself.
  SmallVector<Value> elements;
  SmallVector<Value> vectors;
  for (const Lanes &lanes : indices)
    vectors.push_back(uniform(lanes) ? lanes.value : vectorOf(lanes));
  for (int64_t lane = 0; lane < width; ++lane) {
    SmallVector<Value> position;
    for (Value index : vectors)
      position.push_back(
          isa<VectorType>(index.getType())
              ? vector::ExtractOp::create(b, nest.loc, index, lane)
              : index);
    elements.push_back(
        memref::LoadOp::create(b, nest.loc, op.getMemRef(), position));
  }
  return {Lanes::Vector,
          vector::FromElementsOp::create(b, nest.loc, type, elements)};
}

/// An index plus or minus what all lanes share still grows by one.
std::optional<Lanes> BodyEmitter::emitLinear(Operation &op) {
  if (!isa<arith::AddIOp, arith::SubIOp>(op) ||
      !op.getResult(0).getType().isIndex())
    return std::nullopt;
  Lanes lhs = lookup(op.getOperand(0));
  Lanes rhs = lookup(op.getOperand(1));
  bool linearLhs = lhs.kind == Lanes::Linear && rhs.kind == Lanes::Uniform;
  bool linearRhs = lhs.kind == Lanes::Uniform && rhs.kind == Lanes::Linear &&
                   isa<arith::AddIOp>(op);
  if (!linearLhs && !linearRhs)
    return std::nullopt;
  Operation *copy = b.create(op.getLoc(), op.getName().getIdentifier(),
                             ValueRange{lhs.value, rhs.value},
                             op.getResultTypes(), op.getAttrs());
  return Lanes{Lanes::Linear, copy->getResult(0)};
}

void BodyEmitter::emitElementwise(Operation &op) {
  if (fuse && isa<arith::AddFOp>(op) && width > 1) {
    for (unsigned side : {0u, 1u}) {
      auto product = op.getOperand(side).getDefiningOp<arith::MulFOp>();
      if (!product || !product->hasOneUse())
        continue;
      values[op.getResult(0)] = {
          Lanes::Vector, vector::FMAOp::create(
                             b, op.getLoc(), vectorOf(lookup(product.getLhs())),
                             vectorOf(lookup(product.getRhs())),
                             vectorOf(lookup(op.getOperand(1 - side))))};
      return;
    }
  }
  SmallVector<Value> operands;
  for (Value operand : op.getOperands())
    operands.push_back(vectorOf(lookup(operand)));
  SmallVector<Type> types;
  for (Type type : op.getResultTypes())
    types.push_back(VectorType::get({width}, type));
  Operation *copy = b.create(op.getLoc(), op.getName().getIdentifier(),
                             operands, types, op.getAttrs());
  for (auto [from, to] : llvm::zip_equal(op.getResults(), copy->getResults()))
    values[from] = {Lanes::Vector, to};
}

SmallVector<Value> BodyEmitter::run(ArrayRef<Value> inputs) {
  for (auto [argument, value] :
       llvm::zip_equal(nest.body->getArguments(), inputs))
    if (value)
      values[argument] = {isa<VectorType>(value.getType()) ? Lanes::Vector
                                                           : Lanes::Uniform,
                          value};
  for (Operation &op : nest.body->without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(op)) {
      values[index] = emitIndex(index);
      continue;
    }
    bool uniform = llvm::all_of(op.getOperands(), [&](Value operand) {
      return lookup(operand).kind == Lanes::Uniform;
    });
    if (uniform || width == 1) {
      IRMapping mapping;
      // Regions of the op may use any value of the body.
      for (const auto &entry : values)
        mapping.map(entry.first, entry.second.value);
      Operation *copy = b.clone(op, mapping);
      for (auto [from, to] :
           llvm::zip_equal(op.getResults(), copy->getResults()))
        values[from] = {Lanes::Uniform, to};
      continue;
    }
    if (auto load = dyn_cast<memref::LoadOp>(op)) {
      values[load] = emitLoad(load);
      continue;
    }
    if (std::optional<Lanes> linear = emitLinear(op)) {
      values[op.getResult(0)] = *linear;
      continue;
    }
    emitElementwise(op);
  }
  SmallVector<Value> results;
  for (Value yielded : nest.body->getTerminator()->getOperands())
    results.push_back(vectorOf(lookup(yielded)));
  return results;
}

SmallVector<Value> kernels::emitBody(OpBuilder &b, const Nest &nest,
                                     int64_t width, int vectorDim,
                                     const Cursor &at, ArrayRef<Value> inputs,
                                     bool fuse) {
  return BodyEmitter(b, nest, width, vectorDim, at, fuse).run(inputs);
}

//===- Launch.cpp - Kernels as launches -----------------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Codegen/GPU/Launch.h"

#include "dialects/Rt/Rt.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace weir;
using namespace weir::gpus;

LaunchName LaunchName::of(Operation *op) {
  LaunchName name;
  if (auto function = op->getParentOfType<func::FuncOp>())
    name.kernel = function.getName().str();
  Operation *inBlock = op;
  while (inBlock && !isa_and_present<func::FuncOp>(inBlock->getParentOp()))
    inBlock = inBlock->getParentOp();
  for (; inBlock; inBlock = inBlock->getNextNode())
    if (auto end = dyn_cast<rt::TraceEndOp>(inBlock)) {
      name.kernel = end.getKernel().str();
      break;
    }
  name.node = "'" + name.kernel + "'";
  if (auto place = op->getLoc()->findInstanceOf<FileLineColLoc>())
    name.node +=
        (" at " + place.getFilename().getValue() + ":" + Twine(place.getLine()))
            .str();
  return name;
}

void gpus::emitLaunch(OpBuilder &b, Location loc, const LaunchName &name,
                      Value blocks, int64_t threads, int64_t sharedBytes,
                      function_ref<void(OpBuilder &, Value, Value)> body) {
  Value one = constantIndex(b, loc, 1);
  Value shared;
  if (sharedBytes != 0)
    shared = arith::ConstantIntOp::create(b, loc, sharedBytes, 32);
  auto launch =
      gpu::LaunchOp::create(b, loc, blocks, one, one,
                            constantIndex(b, loc, threads), one, one, shared);
  launch->setAttr(nodeAttrName, b.getStringAttr(name.node));
  launch->setAttr(kernelAttrName, b.getStringAttr(name.kernel));
  OpBuilder inside = OpBuilder::atBlockEnd(&launch.getBody().front());
  body(inside, launch.getBlockIds().x, launch.getThreadIds().x);
  gpu::TerminatorOp::create(inside, loc);
}

Value gpus::sharedBuffer(OpBuilder &b, Location loc, int64_t offset,
                         ArrayRef<int64_t> shape, Type element) {
  auto space =
      gpu::AddressSpaceAttr::get(b.getContext(), gpu::AddressSpace::Workgroup);
  auto bytes = MemRefType::get({ShapedType::kDynamic}, b.getI8Type(),
                               MemRefLayoutAttrInterface(), space);
  Value all = gpu::DynamicSharedMemoryOp::create(b, loc, bytes);
  return memref::ViewOp::create(
      b, loc,
      MemRefType::get(shape, element, MemRefLayoutAttrInterface(), space), all,
      constantIndex(b, loc, offset), ValueRange());
}

Value gpus::add(OpBuilder &b, Location loc, Value lhs, Value rhs) {
  return kernels::addIndex(b, loc, lhs, rhs);
}

Value gpus::mul(OpBuilder &b, Location loc, Value lhs, int64_t rhs) {
  return kernels::mulIndex(b, loc, lhs, constantIndex(b, loc, rhs));
}

/// A division in 32 bits where that is enough: in 64 it is a loop.
template <typename OpT>
static Value divideAs(OpBuilder &b, Location loc, Value lhs, Value rhs,
                      bool narrow) {
  if (!narrow)
    return b.createOrFold<OpT>(loc, lhs, rhs);
  auto cast = [&](Value value) {
    return b.createOrFold<arith::IndexCastUIOp>(loc, b.getI32Type(), value);
  };
  Value result = b.createOrFold<OpT>(loc, cast(lhs), cast(rhs));
  return b.createOrFold<arith::IndexCastUIOp>(loc, b.getIndexType(), result);
}

Value gpus::divide(OpBuilder &b, Location loc, Value lhs, Value rhs,
                   bool narrow) {
  if (matchPattern(rhs, m_One()))
    return lhs;
  return divideAs<arith::DivUIOp>(b, loc, lhs, rhs, narrow);
}

Value gpus::remainder(OpBuilder &b, Location loc, Value lhs, Value rhs,
                      bool narrow) {
  if (matchPattern(rhs, m_One()))
    return constantIndex(b, loc, 0);
  return divideAs<arith::RemUIOp>(b, loc, lhs, rhs, narrow);
}

Value gpus::lessThan(OpBuilder &b, Location loc, Value lhs, Value rhs) {
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, lhs, rhs);
}

Value gpus::product(OpBuilder &b, const Nest &nest, ArrayRef<unsigned> dims) {
  Stride total = Stride::constant(1);
  for (unsigned dim : dims)
    total = total.times(nest.dims[dim].extent());
  return total.materialize(b, nest.loc);
}

int64_t gpus::staticProduct(const Nest &nest, ArrayRef<unsigned> dims) {
  int64_t total = 1;
  for (unsigned dim : dims)
    if (!nest.dims[dim].isStatic() ||
        llvm::MulOverflow(total, nest.dims[dim].size, total))
      return ShapedType::kDynamic;
  return total;
}

bool gpus::isNarrow(const Nest &nest, ArrayRef<unsigned> dims) {
  int64_t total = staticProduct(nest, dims);
  return !ShapedType::isDynamic(total) &&
         total < std::numeric_limits<int32_t>::max() / 2;
}

Cursor gpus::enterAll(OpBuilder &b, const Nest &nest, const Cursor &at,
                      ArrayRef<unsigned> dims, Value number) {
  Cursor cursor = at;
  bool narrow = isNarrow(nest, dims);
  for (size_t i = dims.size(); i-- > 0;) {
    Value place = number;
    if (i != 0) {
      Value extent = nest.dims[dims[i]].materialize(b, nest.loc);
      place = remainder(b, nest.loc, number, extent, narrow);
      number = divide(b, nest.loc, number, extent, narrow);
    }
    cursor = nest.enter(b, cursor, dims[i], place);
  }
  return cursor;
}

SmallVector<Value> gpus::loadOperands(OpBuilder &b, const Nest &nest,
                                      const Cursor &at, ValueRange carried) {
  SmallVector<Value> operands(nest.accesses.size());
  for (auto [i, access] : llvm::enumerate(nest.accesses)) {
    if (!nest.bodyUses(i))
      continue;
    if (i >= nest.numInputs && !carried.empty())
      operands[i] = carried[i - nest.numInputs];
    else
      operands[i] =
          kernels::loadLanes(b, nest.loc, access, at.offsets[i], Stride(), 1);
  }
  return operands;
}

void gpus::storeResults(OpBuilder &b, const Nest &nest, const Cursor &at,
                        ValueRange results) {
  for (auto [i, result] : llvm::enumerate(results)) {
    unsigned output = nest.numInputs + i;
    kernels::storeLanes(b, nest.loc, nest.accesses[output], at.offsets[output],
                        Stride(), 1, result);
  }
}

static SmallVector<unsigned> dimsOf(const Nest &nest, bool reduction) {
  SmallVector<unsigned> dims;
  for (auto [i, dim] : llvm::enumerate(nest.dims))
    if (dim.reduction == reduction)
      dims.push_back(i);
  return dims;
}

SmallVector<unsigned> gpus::parallelDims(const Nest &nest) {
  return dimsOf(nest, false);
}

SmallVector<unsigned> gpus::reductionDims(const Nest &nest) {
  return dimsOf(nest, true);
}

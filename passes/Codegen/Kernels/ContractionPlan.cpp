//===- ContractionPlan.cpp - How a contraction is tiled -------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Codegen/Kernels/Contraction.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace weir;
using namespace weir::kernels;

/// A panel of b stays in the first-level cache beside the rows of a that stream
/// past it.
static constexpr int64_t panelBytes = 24 * 1024;
/// The rows of a in one cache block, times the depth of the panel, stay in the
/// second-level cache.
static constexpr int64_t rowBlockBytes = 192 * 1024;

/// Follows casts from `value` to an argument of the body; the argument's
/// number, or -1 for anything else. `casts` come out first to last.
static int traceArgument(Value value, Block *body,
                         SmallVectorImpl<Operation *> &casts) {
  casts.clear();
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<arith::ExtFOp, arith::ExtSIOp, arith::ExtUIOp, arith::SIToFPOp,
             arith::UIToFPOp, arith::TruncFOp>(op))
      return -1;
    casts.insert(casts.begin(), op);
    value = op->getOperand(0);
  }
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || argument.getOwner() != body)
    return -1;
  return argument.getArgNumber();
}

/// Matches `yield(acc + cast(in) * cast(in))`.
static LogicalResult matchBody(const Nest &nest, ContractionPlan &plan) {
  if (nest.numInputs != 2 || nest.numOutputs != 1)
    return failure();
  Value acc = nest.body->getArgument(2);
  Operation *sum = nest.body->getTerminator()->getOperand(0).getDefiningOp();
  if (!sum || !isa<arith::AddFOp, arith::AddIOp>(sum) || !acc.hasOneUse() ||
      *acc.user_begin() != sum)
    return failure();
  Operation *product =
      sum->getOperand(sum->getOperand(0) == acc ? 1 : 0).getDefiningOp();
  if (!product || !isa<arith::MulFOp, arith::MulIOp>(product))
    return failure();
  SmallVector<Operation *> first, second;
  int lhs = traceArgument(product->getOperand(0), nest.body, first);
  int rhs = traceArgument(product->getOperand(1), nest.body, second);
  if (lhs > rhs) {
    std::swap(lhs, rhs);
    std::swap(first, second);
  }
  if (lhs != 0 || rhs != 1)
    return failure();
  plan.castsA = first;
  plan.castsB = second;
  plan.accumulator = acc.getType();
  if (plan.accumulator.isF16() || plan.accumulator.isBF16())
    plan.accumulator = Float32Type::get(acc.getContext());
  return success();
}

/// Chooses the column dim and which input is `b`.
static LogicalResult chooseColumns(const Nest &nest, ContractionPlan &plan) {
  for (auto [d, dim] : llvm::enumerate(nest.dims)) {
    if (dim.reduction || !nest.accesses[2].strides[d].isOne())
      continue;
    bool inFirst = !nest.accesses[0].strides[d].isZero();
    bool inSecond = !nest.accesses[1].strides[d].isZero();
    if (inFirst == inSecond)
      continue;
    plan.n = d;
    if (inFirst) {
      std::swap(plan.a, plan.b);
      std::swap(plan.castsA, plan.castsB);
    }
    return success();
  }
  return failure();
}

static void chooseRows(const Nest &nest, ContractionPlan &plan) {
  const Access &a = nest.accesses[plan.a];
  const Access &right = nest.accesses[plan.b];
  SmallVector<unsigned> rows;
  for (auto [d, dim] : llvm::enumerate(nest.dims)) {
    if (dim.reduction || d == plan.n)
      continue;
    if (!a.strides[d].isZero() && right.strides[d].isZero())
      rows.push_back(d);
    else
      plan.batch.push_back(d);
  }
  sortByStride(rows, a);
  sortByStride(plan.batch, nest.accesses[plan.c]);
  // The rows that lie closest together, if they fill tiles; else the most.
  int64_t best = 0;
  for (unsigned d : llvm::reverse(rows)) {
    int64_t size = nest.dims[d].estimate();
    if (plan.m < 0 || (best < 8 && size > best)) {
      plan.m = d;
      best = size;
    }
  }
  for (unsigned d : rows)
    if (static_cast<int>(d) != plan.m)
      plan.outerRows.push_back(d);
}

static void chooseTile(const Nest &nest, ContractionPlan &plan,
                       const CpuTarget &target) {
  int64_t bytes = bytesOf(plan.accumulator);
  plan.lanes = std::max<int64_t>(2, target.vectorBytes / bytes);
  const NestDim &columns = nest.dims[plan.n];
  const NestDim *rows = plan.m >= 0 ? &nest.dims[plan.m] : nullptr;
  bool narrow = columns.isStatic() && columns.size <= plan.lanes;
  plan.vectors = narrow ? 1 : 2;
  int64_t registers = target.vectorRegisters;
  // Accumulators, a row of b, and one operand of a (two without a fused
  // multiply-add, which needs the product).
  int64_t spare = target.hasFma() ? 2 : 4;
  plan.rows = (registers - plan.vectors - spare) / plan.vectors;
  plan.rows = std::clamp<int64_t>(plan.rows, 1, registers >= 32 ? 12 : 8);
  int64_t count = rows ? rows->size : 1;
  if (!ShapedType::isDynamic(count) && count < plan.rows) {
    // Few rows: more columns keep the multipliers busy.
    plan.rows = count;
    int64_t budget = (registers - spare) / (count + 1);
    while (!narrow && plan.vectors * 2 <= budget && plan.vectors < 8 &&
           columns.estimate() >= plan.vectors * 2 * plan.lanes)
      plan.vectors *= 2;
  }
  plan.rowSteps = {plan.rows};
  if (!ShapedType::isDynamic(count)) {
    if (count % plan.rows)
      plan.rowSteps.push_back(count % plan.rows);
    return;
  }
  for (int64_t step = llvm::bit_floor<uint64_t>(plan.rows - 1); step > 0;
       step /= 2)
    plan.rowSteps.push_back(step);
}

/// Decides how many of the reductions a panel holds.
static void chooseDepth(const Nest &nest, ContractionPlan &plan) {
  for (auto [d, dim] : llvm::enumerate(nest.dims))
    if (dim.reduction)
      plan.reductions.push_back(d);
  sortByStride(plan.reductions, nest.accesses[plan.a]);
  int64_t budget =
      panelBytes / (plan.tileColumns() * bytesOf(plan.accumulator));
  int64_t depth = 1;
  plan.firstInner = plan.reductions.size();
  while (plan.firstInner > 0) {
    const NestDim &dim = nest.dims[plan.reductions[plan.firstInner - 1]];
    if (dim.isStatic() && depth * dim.size <= budget + budget / 2) {
      depth *= std::max<int64_t>(1, dim.size);
      --plan.firstInner;
      continue;
    }
    int64_t share = budget / depth;
    // A block of one or two iterations is not worth cutting.
    if (share < 3 && plan.firstInner < plan.reductions.size())
      break;
    --plan.firstInner;
    plan.blockSize = std::max<int64_t>(share, 1);
    if (dim.isStatic())
      plan.blockSize = llvm::divideCeil(
          dim.size, llvm::divideCeil(dim.size, plan.blockSize));
    depth *= plan.blockSize;
    break;
  }
  int64_t rowBytes = depth * bytesOf(nest.accesses[plan.a].element);
  plan.rowBlock =
      std::max<int64_t>(4, rowBlockBytes / rowBytes / plan.rows) * plan.rows;
}

/// LLVM's intrinsic that multiplies pairs of i16 and adds them in `lanes` sums
/// of i32, or nothing.
static StringRef findPairIntrinsic(int64_t lanes, const CpuTarget &target) {
  if (lanes == 16 && target.hasFeature("avx512bw"))
    return "llvm.x86.avx512.pmaddw.d.512";
  if (lanes == 8 && target.hasFeature("avx2"))
    return "llvm.x86.avx2.pmadd.wd";
  if (lanes == 4 && target.hasFeature("sse2"))
    return "llvm.x86.sse2.pmadd.wd";
  return {};
}

/// Whether the last reduction can be done in pairs: its elements are int8, and
/// those of a pair are neighbours in a.
static bool comesInPairs(const Nest &nest, const ContractionPlan &plan) {
  auto isWidenedInt8 = [](ArrayRef<Operation *> casts) {
    return casts.size() == 1 && isa<arith::ExtSIOp>(casts[0]) &&
           casts[0]->getOperand(0).getType().isInteger(8);
  };
  if (!plan.accumulator.isInteger(32) || !isWidenedInt8(plan.castsA) ||
      !isWidenedInt8(plan.castsB))
    return false;
  unsigned last = plan.reductions.back();
  const NestDim &dim = nest.dims[last];
  return dim.isStatic() && dim.size > 0 && dim.size % 2 == 0 &&
         nest.accesses[plan.a].strides[last].isOne();
}

Nest ContractionPlan::halved(const Nest &nest) const {
  Nest result = nest;
  unsigned last = reductions.back();
  NestDim &dim = result.dims[last];
  if (dim.isStatic()) {
    dim.size /= 2;
  } else {
    // What is left of a block, which is even as the block and the whole are.
    Value extent = dim.product.factors.front();
    OpBuilder b(extent.getContext());
    b.setInsertionPointAfterValue(extent);
    extent = arith::DivUIOp::create(
        b, nest.loc, extent, arith::ConstantIndexOp::create(b, nest.loc, 2));
    dim.product = Stride{1, {extent}};
  }
  for (Access &access : result.accesses)
    if (access.flat)
      access.strides[last] = access.strides[last].times(2);
  return result;
}

FailureOr<ContractionPlan> ContractionPlan::make(const Nest &nest,
                                                 const CpuTarget &target) {
  ContractionPlan plan;
  if (failed(matchBody(nest, plan)) ||
      llvm::any_of(ArrayRef<Access>(nest.accesses).take_front(3),
                   [](const Access &access) {
                     return !access.flat || !access.element.isIntOrFloat();
                   }))
    return failure();
  if (failed(chooseColumns(nest, plan)))
    return failure();
  chooseRows(nest, plan);
  bool reduces =
      llvm::any_of(nest.dims, [](const NestDim &dim) { return dim.reduction; });
  const Access &right = nest.accesses[plan.b];
  if (!reduces)
    return failure();
  // A vector times a matrix that lies along the reduction: dot products read it
  // as it is.
  if (plan.m < 0 && !right.strides[plan.n].isOne())
    return failure();
  chooseTile(nest, plan, target);
  chooseDepth(nest, plan);

  int64_t rows = plan.m >= 0 ? nest.dims[plan.m].estimate() : 1;
  for (unsigned d : plan.outerRows)
    rows *= nest.dims[d].estimate();
  const NestDim &columns = nest.dims[plan.n];
  bool fits = columns.isStatic() && columns.size <= plan.tileColumns() &&
              columns.size % plan.lanes == 0;
  plan.pack =
      !right.strides[plan.n].isOne() || (rows >= 3 * plan.rows && !fits);
  if (rows >= 3 * plan.rows && comesInPairs(nest, plan)) {
    plan.pairIntrinsic = findPairIntrinsic(plan.lanes, target);
    if (!plan.pairIntrinsic.empty()) {
      plan.pack = true;
      plan.blockSize += plan.blockSize % 2;
    }
  }
  return plan;
}

Value kernels::applyCasts(OpBuilder &b, Location loc, Value value,
                          ArrayRef<Operation *> casts, Type accumulator) {
  auto shaped = [&](Type element) -> Type {
    if (auto type = dyn_cast<VectorType>(value.getType()))
      return type.clone(element);
    return element;
  };
  for (Operation *cast : casts)
    value = b.create(loc, cast->getName().getIdentifier(), ValueRange{value},
                     TypeRange{shaped(cast->getResult(0).getType())},
                     cast->getAttrs())
                ->getResult(0);
  // Half precision is summed in single precision.
  if (isa<FloatType>(accumulator) &&
      getElementTypeOrSelf(value.getType()) != accumulator)
    value = arith::ExtFOp::create(b, loc, shaped(accumulator), value);
  return value;
}

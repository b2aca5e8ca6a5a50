//===- Contraction.cpp - Matrix products and convolutions -----------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loops, outermost first: batch; reductions that do not fit a panel; blocks of
// the reduction (pack b); outer rows; blocks of rows; panels of columns; tiles
// of rows; the reduction inside a panel, which carries the tile in registers.
//
//===----------------------------------------------------------------------===//

#include "passes/Codegen/Kernels/Contraction.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace weir;
using namespace weir::kernels;

/// A fork and join cost some microseconds; a core does this much in ten.
static constexpr int64_t flopsWorthAFork = 1000000;

namespace {
class Contraction {
public:
  Contraction(const Nest &nest, const ContractionPlan &plan,
              const CpuTarget &target, bool zeroInit)
      : nest(nest), plan(plan), target(target), zeroInit(zeroInit),
        loc(nest.loc) {}

  void emit(OpBuilder &b);
  static bool hasOneBlock(const Nest &nest, const ContractionPlan &plan);

private:
  /// What the threads share out: the panels, once around everything; or, where
  /// there are too few, the rows inside each block of the reduction.
  enum class Share { None, Columns, OuterRows, Rows };

  int64_t work() const;
  void chooseShare();
  Value allocateScratch(OpBuilder &b);
  Stride depth() const;

  void emitColumns(OpBuilder &b, const Cursor &at, const StripRange &columns);
  void emitBlock(OpBuilder &b, const Cursor &at, Value extent,
                 const StripRange &columns);
  void emitRows(OpBuilder &b, const Nest &inner, const Cursor &at,
                const StripRange &columns);
  void emitRowBlocks(OpBuilder &b, const Nest &inner, const Cursor &at,
                     const StripRange &rows, const StripRange &columns);
  void emitTiles(OpBuilder &b, const Nest &inner, const Cursor &at,
                 const StripRange &rows, Value column, Value left);
  void emitTile(OpBuilder &b, const Nest &inner, const Cursor &at, int64_t rows,
                Value left);
  void emitEpilogues(OpBuilder &b, const Nest &inner, const Cursor &tile,
                     int64_t row, int64_t v, Value result, Value mask);
  SmallVector<Value> columnMasks(OpBuilder &b, Value left);
  Value loadPair(OpBuilder &b, const Access &a, Value offset);
  Value multiplyAddPairs(OpBuilder &b, Value pair, Value columns, Value sum);

  const Nest &nest;
  const ContractionPlan &plan;
  const CpuTarget &target;
  bool zeroInit;
  Location loc;
  Share share = Share::None;
  Value scratch;
  /// Whether the block being emitted completes the sums; null for surely.
  Value last;
};
} // namespace

/// Flops.
int64_t Contraction::work() const { return 2 * nest.estimateIterations(); }

void Contraction::chooseShare() {
  int64_t threads = target.threads;
  int64_t panels = nest.dims[plan.n].estimate() / plan.tileColumns();
  if (panels >= threads && (panels % threads == 0 || panels >= 4 * threads)) {
    share = Share::Columns;
    return;
  }
  int64_t outer = 1;
  for (unsigned d : plan.outerRows)
    outer *= nest.dims[d].estimate();
  if (outer >= 2 * threads)
    share = Share::OuterRows;
  else if (plan.m >= 0 &&
           nest.dims[plan.m].estimate() >= 2 * plan.rows * threads)
    share = Share::Rows;
  else if (panels >= threads)
    share = Share::Columns;
}

/// The elements of one column in a panel.
Stride Contraction::depth() const {
  Stride result = Stride::constant(1);
  for (unsigned i = plan.firstInner; i < plan.reductions.size(); ++i) {
    const NestDim &dim = nest.dims[plan.reductions[i]];
    bool cut = i == plan.firstInner && plan.blockSize > 0;
    Stride extent = cut ? Stride::constant(plan.blockSize) : dim.extent();
    if (!plan.pairIntrinsic.empty() && i + 1 == plan.reductions.size())
      extent = Stride::constant((cut ? plan.blockSize : dim.size) / 2);
    result = result.times(extent);
  }
  return result;
}

Value Contraction::allocateScratch(OpBuilder &b) {
  Value panels = ceilDiv(b, loc, nest.dims[plan.n].materialize(b, loc),
                         plan.tileColumns());
  Value size = mulIndex(b, loc, panels,
                        depth().times(plan.tileColumns()).materialize(b, loc));
  auto type = MemRefType::get({ShapedType::kDynamic}, plan.accumulator);
  return memref::AllocOp::create(b, loc, type, ValueRange{size},
                                 b.getI64IntegerAttr(64));
}

/// Whether all of the reduction happens in one visit of each tile.
bool Contraction::hasOneBlock(const Nest &nest, const ContractionPlan &plan) {
  return plan.firstInner == 0 && plan.blockSize == 0;
}

void Contraction::emit(OpBuilder &b) {
  int64_t batches = 1;
  for (unsigned d : plan.batch)
    batches *= nest.dims[d].estimate();
  // Packed panels are one scratch buffer for all batches, so that batches with
  // it come one after the other, and threads share the panels of each.
  unsigned parallelBatch = 0;
  if (!plan.pack && batches >= 2 * target.threads && work() >= flopsWorthAFork)
    parallelBatch = countParallel(nest, plan.batch, work(), target);
  if (parallelBatch == 0 && target.threads > 1 &&
      work() / std::max<int64_t>(1, batches) >= flopsWorthAFork)
    chooseShare();

  if (plan.pack)
    scratch = allocateScratch(b);
  emitLoops(b, nest, plan.batch, parallelBatch, nest.begin(b),
            [&](OpBuilder &b, const Cursor &at) {
              auto columns = [&](OpBuilder &b, const StripRange &range) {
                emitColumns(b, at, range);
              };
              if (share == Share::Columns)
                emitChunks(b, loc, nest.dims[plan.n], plan.tileColumns(),
                           target.threads, columns);
              else
                columns(b, StripRange::all(b, loc, nest.dims[plan.n]));
            });
  if (plan.pack)
    memref::DeallocOp::create(b, loc, scratch);
}

/// All of the reduction for some panels.
void Contraction::emitColumns(OpBuilder &b, const Cursor &batch,
                              const StripRange &columns) {
  ArrayRef<unsigned> outside =
      ArrayRef<unsigned>(plan.reductions).take_front(plan.firstInner);
  emitLoops(b, nest, outside, 0, batch, [&](OpBuilder &b, const Cursor &at) {
    last = Value();
    auto require = [&](OpBuilder &b, Value position, Value end) {
      Value here = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::uge,
                                         position, end);
      last = last ? arith::AndIOp::create(b, loc, last, here) : here;
    };
    for (unsigned d : outside)
      require(b, addIndex(b, loc, at.ivs[d], constantIndex(b, loc, 1)),
              nest.dims[d].materialize(b, loc));
    if (plan.blockSize == 0)
      return emitBlock(b, at, Value(), columns);
    unsigned cut = plan.reductions[plan.firstInner];
    Value total = nest.dims[cut].materialize(b, loc);
    Value step = constantIndex(b, loc, plan.blockSize);
    scf::ForOp::create(
        b, loc, constantIndex(b, loc, 0), total, step, ValueRange(),
        [&](OpBuilder &b, Location loc, Value iv, ValueRange) {
          Value left = arith::SubIOp::create(b, loc, total, iv);
          Value extent = arith::MinUIOp::create(b, loc, left, step);
          require(b, addIndex(b, loc, iv, step), total);
          emitBlock(b, nest.enter(b, at, cut, iv), extent, columns);
          scf::YieldOp::create(b, loc);
        });
  });
}

/// One block of the reduction, `extent` iterations of the dim that is cut.
void Contraction::emitBlock(OpBuilder &b, const Cursor &outer, Value extent,
                            const StripRange &columns) {
  Nest inner = nest;
  if (extent) {
    NestDim &dim = inner.dims[plan.reductions[plan.firstInner]];
    if (!dim.isStatic() || dim.size % plan.blockSize != 0) {
      dim.size = ShapedType::kDynamic;
      dim.product = Stride{1, {extent}};
    } else {
      dim.size = plan.blockSize;
    }
  }
  if (!plan.pairIntrinsic.empty())
    inner = plan.halved(inner);
  Cursor at = outer;
  if (plan.pack) {
    Access packed;
    packed.flat = scratch;
    packed.element = plan.accumulator;
    packed.strides.resize(nest.dims.size());
    Stride running = Stride::constant(plan.tileColumns());
    for (unsigned i = plan.reductions.size(); i-- > plan.firstInner;) {
      unsigned d = plan.reductions[i];
      packed.strides[d] = running;
      running = running.times(inner.dims[d].extent());
    }
    packed.strides[plan.n] = depth();
    auto pack = [&](OpBuilder &b, const StripRange &range) {
      packPanels(b, inner, plan, at, packed, target.hasMaskedMemory(), range);
    };
    bool parallel =
        (share == Share::OuterRows || share == Share::Rows) &&
        nest.dims[plan.n].estimate() >= plan.tileColumns() * target.threads;
    if (parallel)
      emitChunks(b, loc, nest.dims[plan.n], plan.tileColumns(), target.threads,
                 pack);
    else
      pack(b, columns);
    inner.accesses[plan.b] = packed;
    at.offsets[plan.b] = constantIndex(b, loc, 0);
  }
  emitRows(b, inner, at, columns);
}

void Contraction::emitRows(OpBuilder &b, const Nest &inner, const Cursor &at,
                           const StripRange &columns) {
  NestDim one;
  one.size = 1;
  const NestDim &rows = plan.m >= 0 ? nest.dims[plan.m] : one;
  unsigned parallel = share == Share::OuterRows
                          ? countParallel(nest, plan.outerRows, work(), target)
                          : 0;
  emitLoops(b, inner, plan.outerRows, parallel, at,
            [&](OpBuilder &b, const Cursor &row) {
              auto blocks = [&](OpBuilder &b, const StripRange &range) {
                emitRowBlocks(b, inner, row, range, columns);
              };
              if (share == Share::Rows)
                emitChunks(b, loc, rows, plan.rows, target.threads, blocks);
              else
                blocks(b, StripRange::all(b, loc, rows));
            });
}

/// Cuts the rows so that those of a in one block stay in the cache while all
/// panels pass.
void Contraction::emitRowBlocks(OpBuilder &b, const Nest &inner,
                                const Cursor &at, const StripRange &rows,
                                const StripRange &columns) {
  auto panels = [&](OpBuilder &b, const StripRange &block) {
    emitPanels(b, loc, columns, plan.tileColumns(),
               [&](OpBuilder &b, Value column, Value left) {
                 emitTiles(b, inner, at, block, column, left);
               });
  };
  bool few = plan.m < 0 || (nest.dims[plan.m].isStatic() &&
                            nest.dims[plan.m].size <= plan.rowBlock * 3 / 2);
  if (few)
    return panels(b, rows);
  Value step = constantIndex(b, loc, plan.rowBlock);
  scf::ForOp::create(b, loc, rows.lower, rows.upper, step, ValueRange(),
                     [&](OpBuilder &b, Location loc, Value iv, ValueRange) {
                       Value end = arith::AddIOp::create(b, loc, iv, step);
                       end = arith::MinUIOp::create(b, loc, end, rows.upper);
                       panels(b, StripRange{iv, end, ShapedType::kDynamic});
                       scf::YieldOp::create(b, loc);
                     });
}

void Contraction::emitTiles(OpBuilder &b, const Nest &inner,
                            const Cursor &outer, const StripRange &rows,
                            Value column, Value left) {
  Cursor at = inner.enter(b, outer, plan.n, column);
  StripPlan strips{plan.rowSteps, false};
  emitStrip(b, loc, rows, strips, {},
            [&](OpBuilder &b, Value iv, int64_t count, Value, ValueRange) {
              Cursor tile = plan.m < 0 ? at : inner.enter(b, at, plan.m, iv);
              emitTile(b, inner, tile, count, left);
              return SmallVector<Value>();
            });
}

/// A mask for each vector of a row when only `left` columns are there; null for
/// a vector that is surely full.
SmallVector<Value> Contraction::columnMasks(OpBuilder &b, Value left) {
  SmallVector<Value> masks(plan.vectors);
  if (!left)
    return masks;
  std::optional<int64_t> number = getConstantIntValue(left);
  auto type = VectorType::get({plan.lanes}, b.getI1Type());
  for (auto [v, mask] : llvm::enumerate(masks)) {
    int64_t first = v * plan.lanes;
    if (number && *number >= first + plan.lanes)
      continue;
    if (number)
      mask = vector::ConstantMaskOp::create(
          b, loc, type,
          ArrayRef<int64_t>{std::max<int64_t>(0, *number - first)});
    else
      mask = vector::CreateMaskOp::create(
          b, loc, type,
          b.createOrFold<arith::SubIOp>(loc, left,
                                        constantIndex(b, loc, first)));
  }
  return masks;
}

/// Two neighbours of a, widened to i16, again and again.
Value Contraction::loadPair(OpBuilder &b, const Access &a, Value offset) {
  auto vectorOf = [](int64_t count, Type element) {
    return VectorType::get({count}, element);
  };
  Value pair = loadLanes(b, loc, a, offset, Stride::constant(1), 2);
  pair = vector::BitCastOp::create(b, loc, vectorOf(1, b.getI16Type()), pair);
  pair = vector::ExtractOp::create(b, loc, pair, 0);
  pair = vector::BroadcastOp::create(
      b, loc, vectorOf(plan.lanes, b.getI16Type()), pair);
  pair = vector::BitCastOp::create(
      b, loc, vectorOf(2 * plan.lanes, b.getI8Type()), pair);
  return arith::ExtSIOp::create(b, loc,
                                vectorOf(2 * plan.lanes, b.getI16Type()), pair);
}

/// `columns` are of a panel: pairs of i16 in i32.
Value Contraction::multiplyAddPairs(OpBuilder &b, Value pair, Value columns,
                                    Value sum) {
  columns = vector::BitCastOp::create(b, loc, pair.getType(), columns);
  auto products = LLVM::CallIntrinsicOp::create(
      b, loc, sum.getType(), b.getStringAttr(plan.pairIntrinsic),
      ValueRange{pair, columns});
  return arith::AddIOp::create(b, loc, sum, products.getResult(0));
}

void Contraction::emitTile(OpBuilder &b, const Nest &inner, const Cursor &start,
                           int64_t rows, Value left) {
  const Access &a = inner.accesses[plan.a];
  const Access &right = inner.accesses[plan.b];
  const Access &c = inner.accesses[plan.c];
  Stride unit = Stride::constant(1);
  SmallVector<Value> masks = columnMasks(b, left);
  // Vectors that lie past the last column altogether.
  int64_t vectors = plan.vectors;
  if (left)
    if (std::optional<int64_t> number = getConstantIntValue(left))
      vectors = (*number + plan.lanes - 1) / plan.lanes;

  auto accumulatorType = VectorType::get({plan.lanes}, plan.accumulator);
  auto place = [&](int64_t row, int64_t v) {
    Value offset = start.offsets[plan.c];
    if (plan.m >= 0)
      offset = addIndex(b, loc, offset,
                        c.strides[plan.m].times(row).materialize(b, loc));
    return addIndex(b, loc, offset, constantIndex(b, loc, v * plan.lanes));
  };
  SmallVector<Value> sums;
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t v = 0; v < vectors; ++v) {
      if (zeroInit) {
        sums.push_back(
            arith::ConstantOp::create(b, loc, b.getZeroAttr(accumulatorType)));
        continue;
      }
      Value old =
          loadLanes(b, loc, c, place(row, v), unit, plan.lanes, masks[v]);
      sums.push_back(applyCasts(b, loc, old, {}, plan.accumulator));
    }

  ArrayRef<unsigned> reductions =
      ArrayRef<unsigned>(plan.reductions).drop_front(plan.firstInner);
  sums = emitCarryingLoops(
      b, inner, reductions, start, sums,
      [&](OpBuilder &b, const Cursor &at, ValueRange carried) {
        SmallVector<Value> columns;
        for (int64_t v = 0; v < vectors; ++v) {
          Value offset = addIndex(b, loc, at.offsets[plan.b],
                                  constantIndex(b, loc, v * plan.lanes));
          Value vector = loadLanes(b, loc, right, offset, unit, plan.lanes,
                                   plan.pack ? Value() : masks[v]);
          columns.push_back(plan.pack ? vector
                                      : applyCasts(b, loc, vector, plan.castsB,
                                                   plan.accumulator));
        }
        SmallVector<Value> next;
        for (int64_t row = 0; row < rows; ++row) {
          Value offset = at.offsets[plan.a];
          if (plan.m >= 0)
            offset = addIndex(b, loc, offset,
                              a.strides[plan.m].times(row).materialize(b, loc));
          if (!plan.pairIntrinsic.empty()) {
            Value pair = loadPair(b, a, offset);
            for (int64_t v = 0; v < vectors; ++v)
              next.push_back(multiplyAddPairs(b, pair, columns[v],
                                              carried[row * vectors + v]));
            continue;
          }
          Value element = memref::LoadOp::create(b, loc, a.flat, offset);
          element = applyCasts(b, loc, element, plan.castsA, plan.accumulator);
          Value lanes =
              vector::BroadcastOp::create(b, loc, accumulatorType, element);
          for (int64_t v = 0; v < vectors; ++v)
            next.push_back(multiplyAdd(b, loc, lanes, columns[v],
                                       carried[row * vectors + v],
                                       target.hasFma()));
        }
        return next;
      });
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t v = 0; v < vectors; ++v) {
      Value &result = sums[row * vectors + v];
      if (plan.accumulator != c.element)
        result = arith::TruncFOp::create(
            b, loc, VectorType::get({plan.lanes}, c.element), result);
      storeLanes(b, loc, c, place(row, v), unit, plan.lanes, result, masks[v]);
    }
  auto epilogues = [&](OpBuilder &b) {
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t v = 0; v < vectors; ++v)
        emitEpilogues(b, inner, start, row, v, sums[row * vectors + v],
                      masks[v]);
  };
  if (nest.epilogues.empty())
    return;
  if (!last)
    return epilogues(b);
  scf::IfOp::create(b, loc, last, [&](OpBuilder &b, Location loc) {
    epilogues(b);
    scf::YieldOp::create(b, loc);
  });
}

/// Runs the epilogues on vector `v` of row `row`, whose final value is
/// `result`.
void Contraction::emitEpilogues(OpBuilder &b, const Nest &inner,
                                const Cursor &tile, int64_t row, int64_t v,
                                Value result, Value mask) {
  auto place = [&](int operand) {
    const Access &access = inner.accesses[operand];
    Value offset = tile.offsets[operand];
    if (plan.m >= 0)
      offset = addIndex(b, loc, offset,
                        access.strides[plan.m].times(row).materialize(b, loc));
    return addIndex(
        b, loc, offset,
        access.strides[plan.n].times(v * plan.lanes).materialize(b, loc));
  };
  for (const Epilogue &epilogue : inner.epilogues) {
    SmallVector<Value> inputs;
    for (auto [argument, operand] :
         llvm::zip_equal(epilogue.body->getArguments(), epilogue.operands)) {
      if (argument.use_empty())
        inputs.push_back(Value());
      else if (operand < 0)
        inputs.push_back(result);
      else if (const Access &access = inner.accesses[operand]; access.scalar)
        inputs.push_back(access.scalar);
      else
        inputs.push_back(loadLanes(b, loc, access, place(operand),
                                   access.strides[plan.n], plan.lanes, mask));
    }
    Nest view(loc);
    view.body = epilogue.body;
    SmallVector<Value> results =
        emitBody(b, view, plan.lanes, -1, Cursor(), inputs);
    for (auto [value, operand] : llvm::zip_equal(
             results,
             ArrayRef<int>(epilogue.operands).drop_front(epilogue.numInputs))) {
      const Access &access = inner.accesses[operand];
      storeLanes(b, loc, access, place(operand), Stride::constant(1),
                 plan.lanes, value, mask);
      // In place: the next ones see this value.
      if (access.source == inner.accesses[plan.c].source)
        result = value;
    }
  }
}

bool kernels::isContraction(const Nest &nest, const CpuTarget &target) {
  return succeeded(ContractionPlan::make(nest, target));
}

LogicalResult kernels::emitContraction(OpBuilder &b, Nest &nest,
                                       const CpuTarget &target,
                                       bool &zeroInit) {
  FailureOr<ContractionPlan> plan = ContractionPlan::make(nest, target);
  if (failed(plan))
    return failure();
  zeroInit = zeroInit && Contraction::hasOneBlock(nest, *plan);
  Contraction(nest, *plan, target, zeroInit).emit(b);
  return success();
}

//===- Scalarize.cpp - Scalars of conditionals and loops become numbers ---===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"
#include "passes/Codegen/Linalg/Passes.h"

namespace weir {
#define GEN_PASS_DEF_CODEGENLINALGSCALARIZE
#include "passes/Codegen/Linalg/Passes.h.inc"
} // namespace weir

using namespace mlir;

namespace weir {

static bool isScalar(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.getRank() == 0 &&
         tensor.getElementType().isIntOrFloat();
}

static Type elementOf(Type type) {
  return isScalar(type) ? cast<RankedTensorType>(type).getElementType() : type;
}

/// The number in a tensor of rank 0; other values as they are.
static Value unpack(OpBuilder &b, Location loc, Value value) {
  return isScalar(value.getType())
             ? tensor::ExtractOp::create(b, loc, value, ValueRange())
                   .getResult()
             : value;
}

/// `value` as something of type `type` again.
static Value pack(OpBuilder &b, Location loc, Value value, Type type) {
  return isScalar(type)
             ? tensor::FromElementsOp::create(b, loc, type, value).getResult()
             : value;
}

static SmallVector<Value> unpackAll(OpBuilder &b, Location loc,
                                    ValueRange values) {
  return llvm::map_to_vector(
      values, [&](Value value) { return unpack(b, loc, value); });
}

static bool holdsScalars(TypeRange types) {
  return llvm::any_of(types, isScalar);
}

/// An element-wise op on tensors of rank 0 as its body.
static void inlineScalar(linalg::GenericOp op) {
  if (op.getNumLoops() != 0 || op.hasIndexSemantics() ||
      !llvm::all_of(op->getOperandTypes(), isScalar))
    return;
  OpBuilder b(op);
  Location loc = op.getLoc();
  Block &body = op.getRegion().front();
  IRMapping mapping;
  for (auto [operand, argument] :
       llvm::zip_equal(op->getOperands(), body.getArguments()))
    if (!argument.use_empty())
      mapping.map(argument, unpack(b, loc, operand));
  for (Operation &inner : body.without_terminator())
    b.clone(inner, mapping);
  for (auto [result, value] :
       llvm::zip_equal(op.getResults(), body.getTerminator()->getOperands()))
    result.replaceAllUsesWith(
        pack(b, loc, mapping.lookupOrDefault(value), result.getType()));
  op.erase();
}

static void inlineScalar(linalg::FillOp op) {
  if (op->getNumResults() != 1 || !isScalar(op->getResult(0).getType()))
    return;
  OpBuilder b(op);
  op->getResult(0).replaceAllUsesWith(
      pack(b, op.getLoc(), op.getInputs()[0], op->getResult(0).getType()));
  op.erase();
}

static void scalarize(scf::IfOp op) {
  if (!holdsScalars(op.getResultTypes()))
    return;
  Location loc = op.getLoc();
  OpBuilder b(op);
  SmallVector<Type> types = llvm::map_to_vector(op.getResultTypes(), elementOf);
  auto copy = scf::IfOp::create(b, loc, types, op.getCondition(),
                                /*addThenBlock=*/false,
                                /*addElseBlock=*/false);
  copy->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  copy.getThenRegion().takeBody(op.getThenRegion());
  copy.getElseRegion().takeBody(op.getElseRegion());
  for (Region *region : {&copy.getThenRegion(), &copy.getElseRegion()}) {
    Operation *yield = region->front().getTerminator();
    OpBuilder inside(yield);
    yield->setOperands(unpackAll(inside, loc, yield->getOperands()));
  }
  for (auto [from, to] : llvm::zip_equal(op.getResults(), copy.getResults()))
    from.replaceAllUsesWith(pack(b, loc, to, from.getType()));
  op.erase();
}

/// Gives the block arguments that are numbers, and the old ones made of them.
static void retype(Block &block, Location loc) {
  OpBuilder b = OpBuilder::atBlockBegin(&block);
  for (BlockArgument argument : block.getArguments()) {
    Type type = argument.getType();
    if (!isScalar(type))
      continue;
    argument.setType(elementOf(type));
    Value packed = pack(b, loc, argument, type);
    argument.replaceAllUsesExcept(packed, packed.getDefiningOp());
  }
}

static void scalarize(scf::WhileOp op) {
  if (!holdsScalars(op.getResultTypes()) &&
      !holdsScalars(op.getInits().getTypes()))
    return;
  Location loc = op.getLoc();
  OpBuilder b(op);
  SmallVector<Type> types = llvm::map_to_vector(op.getResultTypes(), elementOf);
  auto copy =
      scf::WhileOp::create(b, loc, types, unpackAll(b, loc, op.getInits()));
  copy->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  copy.getBefore().takeBody(op.getBefore());
  copy.getAfter().takeBody(op.getAfter());
  for (Region *region : {&copy.getBefore(), &copy.getAfter()})
    retype(region->front(), loc);
  scf::ConditionOp condition = copy.getConditionOp();
  OpBuilder before(condition);
  condition.getArgsMutable().assign(
      unpackAll(before, loc, condition.getArgs()));
  scf::YieldOp yield = copy.getYieldOp();
  OpBuilder after(yield);
  yield->setOperands(unpackAll(after, loc, yield.getOperands()));
  for (auto [from, to] : llvm::zip_equal(op.getResults(), copy.getResults()))
    from.replaceAllUsesWith(pack(b, loc, to, from.getType()));
  op.erase();
}

namespace {
struct Scalarize : impl::CodegenLinalgScalarizeBase<Scalarize> {
  void runOnOperation() override;
};
} // namespace

void Scalarize::runOnOperation() {
  func::FuncOp function = getOperation();
  MLIRContext *context = &getContext();
  SmallVector<Operation *> structures, elementwise;
  // From the inside out.
  function.walk([&](Operation *op) {
    if (isa<scf::IfOp, scf::WhileOp>(op))
      structures.push_back(op);
    else if (isa<linalg::GenericOp, linalg::FillOp>(op) &&
             (op->getParentOfType<scf::IfOp>() ||
              op->getParentOfType<scf::WhileOp>()))
      elementwise.push_back(op);
  });
  if (structures.empty())
    return;
  for (Operation *op : elementwise) {
    if (auto generic = dyn_cast<linalg::GenericOp>(op))
      inlineScalar(generic);
    else
      inlineScalar(cast<linalg::FillOp>(op));
  }
  for (Operation *op : structures) {
    if (auto branch = dyn_cast<scf::IfOp>(op))
      scalarize(branch);
    else
      scalarize(cast<scf::WhileOp>(op));
  }
  // Numbers that are put into a tensor and taken out again. Not the patterns
  // of scf: a variable's write stays in a conditional of its own.
  RewritePatternSet patterns(context);
  for (StringRef name : {"tensor", "arith"})
    context->getLoadedDialect(name)->getCanonicalizationPatterns(patterns);
  for (RegisteredOperationName op : context->getRegisteredOperations())
    if (isa<tensor::TensorDialect, arith::ArithDialect>(op.getDialect()))
      op.getCanonicalizationPatterns(patterns, context);
  if (failed(applyPatternsGreedily(function, std::move(patterns))))
    return signalPassFailure();
  function.walk([](scf::WhileOp loop) { moveLoopInvariantCode(loop); });
}

} // namespace weir

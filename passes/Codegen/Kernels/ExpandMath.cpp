//===- ExpandMath.cpp - Elementary functions as arithmetic ----------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Target/CpuTarget.h"
#include "passes/Codegen/Kernels/FloatMath.h"
#include "passes/Codegen/Kernels/Passes.h"

#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/DialectConversion.h"

namespace weir {
#define GEN_PASS_DEF_CODEGENEXPANDMATH
#include "passes/Codegen/Kernels/Passes.h.inc"
} // namespace weir

using namespace mlir;
using namespace weir;
using namespace weir::kernels;

namespace {
class ExpandMath : public weir::impl::CodegenExpandMathBase<ExpandMath> {
public:
  using CodegenExpandMathBase::CodegenExpandMathBase;
  void runOnOperation() override;

private:
  void widenHalf(Operation *op);
  void expand(Operation *op, bool fma);
  LogicalResult emulateBFloat16();
};
} // namespace

static bool isHalf(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isF16() || element.isBF16();
}

/// Computes a function of half-precision values in single precision.
void ExpandMath::widenHalf(Operation *op) {
  OpBuilder b(op);
  auto single = [&](Type type) -> Type {
    if (!isHalf(type))
      return type;
    if (auto shaped = dyn_cast<VectorType>(type))
      return shaped.clone(b.getF32Type());
    return b.getF32Type();
  };
  for (OpOperand &operand : op->getOpOperands())
    if (isHalf(operand.get().getType()))
      operand.set(arith::ExtFOp::create(
          b, op->getLoc(), single(operand.get().getType()), operand.get()));
  b.setInsertionPointAfter(op);
  for (OpResult result : op->getResults()) {
    if (!isHalf(result.getType()))
      continue;
    Type half = result.getType();
    result.setType(single(half));
    auto narrow = arith::TruncFOp::create(b, op->getLoc(), half, result);
    result.replaceAllUsesExcept(narrow, narrow);
  }
}

/// `op`, a sine or cosine, by the C library where an angle is so large that the
/// short reduction loses digits; `expanded` elsewhere.
static Value guardAngle(OpBuilder &b, Operation *op, Value x,
                        llvm::function_ref<Value(OpBuilder &)> expanded) {
  Location loc = op->getLoc();
  Type type = x.getType();
  TypedAttr bound = b.getF32FloatAttr(FloatMath::largestAngle);
  if (auto shaped = dyn_cast<VectorType>(type))
    bound = DenseElementsAttr::get(shaped, Attribute(bound));
  // Unordered: NaN, too, is left to the library.
  Value large = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UGT,
                                      math::AbsFOp::create(b, loc, x),
                                      arith::ConstantOp::create(b, loc, bound));
  if (isa<VectorType>(type))
    large =
        vector::ReductionOp::create(b, loc, vector::CombiningKind::OR, large);
  auto branch = scf::IfOp::create(
      b, loc, large,
      [&](OpBuilder &b, Location loc) {
        scf::YieldOp::create(b, loc, b.clone(*op)->getResult(0));
      },
      [&](OpBuilder &b, Location loc) {
        scf::YieldOp::create(b, loc, expanded(b));
      });
  return branch.getResult(0);
}

void ExpandMath::expand(Operation *op, bool fma) {
  if (op->getNumResults() != 1 ||
      !getElementTypeOrSelf(op->getResult(0).getType()).isF32())
    return;
  // Multi-dimensional vectors are not what the kernels make.
  if (auto type = dyn_cast<VectorType>(op->getResult(0).getType()))
    if (type.getRank() > 1 || type.isScalable())
      return;
  OpBuilder b(op);
  FloatMath emit(b, op->getLoc(), fma);
  Value x = op->getOperand(0);
  Value result;
  if (isa<math::ExpOp>(op))
    result = emit.exp(x);
  else if (isa<math::Exp2Op>(op))
    result = emit.exp2(x);
  else if (isa<math::ExpM1Op>(op))
    result = emit.expm1(x);
  else if (isa<math::LogOp>(op))
    result = emit.log(x);
  else if (isa<math::Log2Op>(op))
    result = emit.log2(x);
  else if (isa<math::Log1pOp>(op))
    result = emit.log1p(x);
  else if (isa<math::TanhOp>(op))
    result = emit.tanh(x);
  else if (isa<math::ErfOp>(op))
    result = emit.erf(x);
  else if (isa<math::RsqrtOp>(op))
    result = emit.rsqrt(x);
  else if (isa<math::SinOp>(op))
    result = guardAngle(b, op, x, [&](OpBuilder &inner) {
      return FloatMath(inner, op->getLoc(), fma).sin(x);
    });
  else if (isa<math::CosOp>(op))
    result = guardAngle(b, op, x, [&](OpBuilder &inner) {
      return FloatMath(inner, op->getLoc(), fma).cos(x);
    });
  if (!result)
    return;
  op->getResult(0).replaceAllUsesWith(result);
  op->erase();
}

/// Arithmetic on bf16 is done in f32, and the rounding to bf16 with integers:
/// not every C library has the function that LLVM would call for it.
LogicalResult ExpandMath::emulateBFloat16() {
  MLIRContext *context = &getContext();
  TypeConverter converter;
  arith::populateEmulateUnsupportedFloatsConversions(
      converter, {BFloat16Type::get(context)}, Float32Type::get(context));
  RewritePatternSet patterns(context);
  arith::populateEmulateUnsupportedFloatsPatterns(patterns, converter);
  ConversionTarget target(*context);
  target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
  arith::populateEmulateUnsupportedFloatsLegality(target, converter);
  if (failed(
          applyPartialConversion(getOperation(), target, std::move(patterns))))
    return failure();

  RewritePatternSet rounding(context);
  arith::populateExpandBFloat16Patterns(rounding);
  ConversionTarget rounded(*context);
  rounded.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
  rounded.addDynamicallyLegalOp<arith::TruncFOp, arith::ExtFOp>(
      [](Operation *op) {
        auto isBF16 = [](Type type) {
          return getElementTypeOrSelf(type).isBF16();
        };
        auto isF32 = [](Type type) {
          return getElementTypeOrSelf(type).isF32();
        };
        Type from = op->getOperand(0).getType(),
             to = op->getResult(0).getType();
        return !((isBF16(from) && isF32(to)) || (isF32(from) && isBF16(to)));
      });
  return applyPartialConversion(getOperation(), rounded, std::move(rounding));
}

void ExpandMath::runOnOperation() {
  FunctionOpInterface function = getOperation();
  bool forGpu = isa<gpu::GPUFuncOp>(function.getOperation());
  auto module = function->getParentOfType<ModuleOp>();
  FailureOr<CpuTarget> target =
      module ? CpuTarget::fromModule(module) : CpuTarget();
  if (failed(target))
    return signalPassFailure();
  SmallVector<Operation *> ops;
  function.walk([&](Operation *op) {
    if (isa<math::MathDialect>(op->getDialect()))
      ops.push_back(op);
  });
  for (Operation *op : ops) {
    if (llvm::any_of(op->getResultTypes(), isHalf) ||
        llvm::any_of(op->getOperandTypes(), isHalf))
      widenHalf(op);
    expand(op, forGpu || target->hasFma());
  }
  if (forGpu)
    return;
  bool usesBFloat16 =
      function
          .walk([](Operation *op) {
            return llvm::any_of(op->getResultTypes(),
                                [](Type type) {
                                  return getElementTypeOrSelf(type).isBF16();
                                })
                       ? WalkResult::interrupt()
                       : WalkResult::advance();
          })
          .wasInterrupted();
  if (usesBFloat16 && failed(emulateBFloat16()))
    signalPassFailure();
}

//===- LowerToLinalg.cpp - Nodes become linalg on tensors
//--------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Rt/Rt.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Func/Transforms/FuncConversions.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "passes/Codegen/Linalg/Lowering.h"
#include "passes/Codegen/Linalg/Passes.h"

namespace weir {
#define GEN_PASS_DEF_CODEGENLINALGLOWERTOLINALG
#include "passes/Codegen/Linalg/Passes.h.inc"
} // namespace weir

using namespace mlir;

namespace weir {
namespace {

/// Tensors as memory has them.
struct StoredTypes : TypeConverter {
  StoredTypes() {
    addConversion([](Type type) { return type; });
    addConversion([](RankedTensorType type) -> Type {
      return RankedTensorType::get(type.getShape(),
                                   storedElement(type.getElementType()),
                                   type.getEncoding());
    });
  }
};

bool holdsStrings(Type type) {
  return isa<StringType>(getElementTypeOrSelf(type));
}

struct ConstantPattern : OpConversionPattern<ConstantOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(ConstantOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type =
        cast<RankedTensorType>(getTypeConverter()->convertType(op.getType()));
    Type element = cast<RankedTensorType>(op.getType()).getElementType();
    auto value = cast<DenseElementsAttr>(op.getValue());
    if (element != type.getElementType()) {
      unsigned width = type.getElementTypeBitWidth();
      value = cast<DenseIntElementsAttr>(value).mapValues(
          type.getElementType(),
          [&](const APInt &bits) { return bits.zextOrTrunc(width); });
    }
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(op, value);
    return success();
  }
};

/// A cast between a tensor and what memory has for it is no cast any more.
struct CastPattern : OpConversionPattern<UnrealizedConversionCastOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(UnrealizedConversionCastOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (op->getNumResults() != 1 || adaptor.getInputs().size() != 1 ||
        adaptor.getInputs().front().getType() !=
            getTypeConverter()->convertType(op.getResult(0).getType()))
      return failure();
    rewriter.replaceOp(op, adaptor.getInputs());
    return success();
  }
};

/// A node whose results have no elements computes nothing. Checks are not
/// needed either: it reads nothing.
struct EmptyPattern : ConversionPattern {
  EmptyPattern(const TypeConverter &types, MLIRContext *context)
      : ConversionPattern(types, MatchAnyOpTypeTag(), /*benefit=*/10, context) {
  }
  LogicalResult
  matchAndRewrite(Operation *op, ArrayRef<Value>,
                  ConversionPatternRewriter &rewriter) const override {
    if (!isa<NodeInterface>(op) || op->getNumResults() == 0)
      return failure();
    SmallVector<Value> nothing;
    for (Type type : op->getResultTypes()) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      if (!tensor || !llvm::is_contained(tensor.getShape(), 0) ||
          !tensor.hasStaticShape() || holdsStrings(tensor))
        return failure();
      auto stored =
          cast<RankedTensorType>(getTypeConverter()->convertType(tensor));
      nothing.push_back(tensor::EmptyOp::create(
          rewriter, op->getLoc(), stored.getShape(), stored.getElementType()));
    }
    rewriter.replaceOp(op, nothing);
    return success();
  }
};

/// Any other op stays, with types converted.
struct TypesPattern : ConversionPattern {
  TypesPattern(const TypeConverter &types, MLIRContext *context)
      : ConversionPattern(types, MatchAnyOpTypeTag(), /*benefit=*/0, context) {}
  LogicalResult
  matchAndRewrite(Operation *op, ArrayRef<Value> operands,
                  ConversionPatternRewriter &rewriter) const override {
    if (isa<NodeInterface>(op) || isa<FunctionOpInterface>(op))
      return failure();
    OperationState state(op->getLoc(), op->getName());
    state.addOperands(operands);
    state.addAttributes(op->getAttrs());
    state.addSuccessors(op->getSuccessors());
    if (failed(getTypeConverter()->convertTypes(op->getResultTypes(),
                                                state.types)))
      return failure();
    for (unsigned i = 0; i < op->getNumRegions(); ++i)
      state.addRegion();
    Operation *copy = rewriter.create(state);
    for (auto [from, to] : llvm::zip(op->getRegions(), copy->getRegions()))
      rewriter.inlineRegionBefore(from, to, to.end());
    rewriter.replaceOp(op, copy->getResults());
    return success();
  }
};

struct LowerToLinalg : impl::CodegenLinalgLowerToLinalgBase<LowerToLinalg> {
  void runOnOperation() override;
};
} // namespace

/// An error for each node that has no lowering.
static LogicalResult checkSupported(Operation *root,
                                    const Lowerings &lowerings) {
  bool fine = true;
  root->walk([&](Operation *op) {
    if (!isa<NodeInterface>(op) || isa<ElementwiseInterface, ConstantOp>(op) ||
        lowerings.supported.contains(op->getName().getTypeID()))
      return;
    fine = false;
    InFlightDiagnostic error = op->emitError()
                               << "[WEIR0120] no CPU lowering for '"
                               << op->getName() << "'";
    if (op->getName().getStringRef() != WeirDialect::describe(op))
      error << " (node '" << WeirDialect::describe(op) << "')";
    if (isa<DecomposeInterface>(op))
      error << ": run weir-fuse-decompose-ops before";
    else if (!isMemoryEffectFree(op))
      error
          << ": nodes with effects are lowered by weir-schedule-order-program";
  });
  return success(fine);
}

void LowerToLinalg::runOnOperation() {
  func::FuncOp function = getOperation();
  MLIRContext *context = &getContext();
  StoredTypes types;
  Extents extents(function);
  RewritePatternSet patterns(context);
  Lowerings lowerings{patterns, types, extents, {}};
  addElementwiseLowerings(lowerings);
  addLinearAlgebraLowerings(lowerings);
  addConvolutionLowerings(lowerings);
  addPoolingLowerings(lowerings);
  addQuantizedLowerings(lowerings);
  addReductionLowerings(lowerings);
  addReshapeLowerings(lowerings);
  addPlacementLowerings(lowerings);
  addGatherLowerings(lowerings);
  addRandomLowerings(lowerings);
  addScatterLowering(lowerings);
  addDynamicShapeLowerings(lowerings);
  if (failed(checkSupported(function, lowerings)))
    return signalPassFailure();
  patterns.add<ConstantPattern, CastPattern, EmptyPattern, TypesPattern>(
      types, context);
  populateFunctionOpInterfaceTypeConversionPattern<func::FuncOp>(patterns,
                                                                 types);
  scf::populateSCFStructuralTypeConversions(types, patterns);

  ConversionTarget target(*context);
  target.addDynamicallyLegalOp<ConstantOp>(
      [](ConstantOp op) { return holdsStrings(op.getType()); });
  target.addDynamicallyLegalOp<func::FuncOp>([&](func::FuncOp op) {
    return types.isSignatureLegal(op.getFunctionType());
  });
  target.markUnknownOpDynamicallyLegal([&](Operation *op) {
    return !isa<NodeInterface>(op) && types.isLegal(op);
  });
  ConversionConfig config;
  config.foldingMode = DialectConversionFoldingMode::Never;
  if (failed(
          applyFullConversion(function, target, std::move(patterns), config)))
    signalPassFailure();
}

} // namespace weir

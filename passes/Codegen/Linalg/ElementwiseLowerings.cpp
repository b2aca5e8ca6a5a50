//===- ElementwiseLowerings.cpp - Element-wise nodes
//-------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Weir/Builders.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "passes/Codegen/Linalg/Lowering.h"

using namespace mlir;

namespace weir {

namespace {
/// One pattern for all of them: the op's own scalar body inside a generic.
class ElementwisePattern
    : public OpInterfaceConversionPattern<ElementwiseInterface> {
public:
  ElementwisePattern(const TypeConverter &types, MLIRContext *context,
                     const Extents &extents)
      : OpInterfaceConversionPattern(types, context), extents(extents) {}

  LogicalResult
  matchAndRewrite(ElementwiseInterface op, ArrayRef<Value> operands,
                  ConversionPatternRewriter &rewriter) const override;

private:
  const Extents &extents;
};
} // namespace

LogicalResult
ElementwisePattern::matchAndRewrite(ElementwiseInterface op,
                                    ArrayRef<Value> operands,
                                    ConversionPatternRewriter &rewriter) const {
  Emitter e(rewriter, op, operands, extents);
  OperandRange inputs = cast<NodeInterface>(op.getOperation()).getDataInputs();
  auto result = cast<RankedTensorType>(op->getResult(0).getType());
  SmallVector<OpFoldResult> dims = e.broadcastDims(0, inputs.size());
  Value out = e.empty(dims, storedElement(result.getElementType()));
  ArrayRef<int64_t> shape = Emitter::typeOf(out).getShape();

  SmallVector<Value> values;
  SmallVector<AffineMap> maps;
  for (Value operand : operands.take_front(inputs.size())) {
    auto [value, map] = e.broadcastOperand(operand, shape);
    values.push_back(value);
    maps.push_back(map);
  }
  Value lowered = e.parallel(
      values, maps, out,
      [&](ImplicitLocOpBuilder &b, ValueRange args) -> SmallVector<Value> {
        // Bodies see booleans as i1.
        SmallVector<Value> scalars;
        for (auto [input, arg] : llvm::zip(inputs, args)) {
          bool boolean = Emitter::typeOf(input).getElementType().isInteger(1);
          scalars.push_back(
              boolean
                  ? arith::TruncIOp::create(b, b.getI1Type(), arg).getResult()
                  : arg);
        }
        Type element = Emitter::typeOf(inputs.front()).getElementType();
        ScalarBuilder builder(b, b.getLoc(), scalars.front().getType(),
                              element.isUnsignedInteger());
        Value scalar = op.buildScalar(builder, scalars);
        if (scalar.getType().isInteger(1))
          scalar = arith::ExtUIOp::create(b, b.getI8Type(), scalar);
        return {scalar};
      });
  rewriter.replaceOp(op, e.finish(lowered));
  return success();
}

void addElementwiseLowerings(Lowerings &lowerings) {
  lowerings.patterns.add<ElementwisePattern>(
      lowerings.types, lowerings.patterns.getContext(), lowerings.extents);
}

} // namespace weir

//===- Builders.h - Building nodes, gradients and scalar bodies ------------*-
// C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Three builders that op definitions speak to, so that a gradient or a scalar
// body is one expression in the op's `def`:
//   GraphBuilder     makes weir nodes, types inferred;
//   GradientBuilder  adds what only gradients need;
//   ScalarBuilder    makes arith and math ops on elements or vectors of them.
//
// Builders own nothing and insert at the builder's insertion point. Values
// given and returned may be null only where said.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_DIALECTS_WEIR_BUILDERS_H
#define WEIR_DIALECTS_WEIR_BUILDERS_H

#include "dialects/Weir/Weir.h"
#include "mlir/IR/Builders.h"

namespace weir {

class GraphBuilder {
public:
  GraphBuilder(mlir::OpBuilder &builder, mlir::Location loc)
      : builder(builder), loc(loc) {}

  mlir::OpBuilder &getBuilder() { return builder; }
  mlir::Location getLoc() const { return loc; }

  /// Makes any pure node with inferred result types. The operands must be
  /// such that inference succeeds: a failure is a bug of the caller.
  template <typename OpT, typename... Args> mlir::Value make(Args &&...args) {
    return OpT::create(builder, loc, std::forward<Args>(args)...)->getResult(0);
  }

  // A scalar constant of the element type of `like`.
  mlir::Value scalarLike(mlir::Value like, double value);
  mlir::Value zerosLike(mlir::Value like) { return fillLike(like, 0.0); }
  mlir::Value onesLike(mlir::Value like) { return fillLike(like, 1.0); }
  /// A tensor of the shape and type of `like`, dynamic extents too.
  mlir::Value fillLike(mlir::Value like, double value);

  mlir::Value add(mlir::Value a, mlir::Value b);
  mlir::Value sub(mlir::Value a, mlir::Value b);
  mlir::Value mul(mlir::Value a, mlir::Value b);
  mlir::Value div(mlir::Value a, mlir::Value b);
  mlir::Value pow(mlir::Value a, mlir::Value b);
  mlir::Value neg(mlir::Value x);
  mlir::Value exp(mlir::Value x);
  mlir::Value log(mlir::Value x);
  mlir::Value sin(mlir::Value x);
  mlir::Value cos(mlir::Value x);
  mlir::Value sign(mlir::Value x);
  mlir::Value square(mlir::Value x);
  mlir::Value scale(mlir::Value x, double factor);
  mlir::Value addScalar(mlir::Value x, double term);
  mlir::Value oneMinus(mlir::Value x);
  mlir::Value compare(mlir::Value a, mlir::Value b, ComparePredicate predicate);
  mlir::Value logicalNot(mlir::Value x);
  mlir::Value select(mlir::Value condition, mlir::Value a, mlir::Value b);
  mlir::Value cast(mlir::Value x, mlir::Type elementType);
  mlir::Value castLike(mlir::Value x, mlir::Value like);

  mlir::Value matmul(mlir::Value a, mlir::Value b, bool transposeA,
                     bool transposeB);
  mlir::Value reshape(mlir::Value x, llvm::ArrayRef<int64_t> shape);
  mlir::Value reshapeLike(mlir::Value x, mlir::Value like);
  mlir::Value expandDims(mlir::Value x, llvm::ArrayRef<int64_t> axes);
  mlir::Value squeeze(mlir::Value x, llvm::ArrayRef<int64_t> axes);
  mlir::Value transpose(mlir::Value x, llvm::ArrayRef<int64_t> permutation);
  mlir::Value reverse(mlir::Value x, llvm::ArrayRef<int64_t> axes);
  mlir::Value broadcastLike(mlir::Value x, mlir::Value like);
  mlir::Value gather(mlir::Value params, mlir::Value indices, int64_t axis);
  mlir::Value reduceSum(mlir::Value x, llvm::ArrayRef<int64_t> axes,
                        bool keepDims);
  mlir::Value reduceMax(mlir::Value x, llvm::ArrayRef<int64_t> axes,
                        bool keepDims);
  mlir::Value iota(mlir::RankedTensorType type, int64_t axis);
  /// The number of elements of `x` along `axes`, as a scalar of its element
  /// type; a constant where the extents are static.
  mlir::Value countLike(mlir::Value x, llvm::ArrayRef<int64_t> axes);

  static mlir::RankedTensorType typeOf(mlir::Value x) {
    return llvm::cast<mlir::RankedTensorType>(x.getType());
  }
  static llvm::SmallVector<int64_t>
  inverse(llvm::ArrayRef<int64_t> permutation);

protected:
  mlir::OpBuilder &builder;
  mlir::Location loc;
};

class GradientBuilder : public GraphBuilder {
public:
  using GraphBuilder::GraphBuilder;

  /// Sums `dy` over what broadcasting repeated, so that it has the shape of
  /// `operand` again.
  mlir::Value reduceTo(mlir::Value dy, mlir::Value operand);
  /// `dy` where the condition holds, else 0.
  mlir::Value where(mlir::Value condition, mlir::Value dy);
  /// log(x) where x > 0, else 0.
  mlir::Value logOrZero(mlir::Value x);
  /// A reduced gradient repeated over the shape of `input`.
  mlir::Value expandReduced(mlir::Value dy, mlir::Value input,
                            llvm::ArrayRef<int64_t> axes, bool keepDims);

  mlir::Value matmulGradientLhs(MatmulOp op, mlir::Value dy);
  mlir::Value matmulGradientRhs(MatmulOp op, mlir::Value dy);
  mlir::Value conv2dGradientInput(Conv2dOp op, mlir::Value dy);
  mlir::Value conv2dGradientFilter(Conv2dOp op, mlir::Value dy);
  mlir::Value maxPoolGradient(MaxPoolOp op, mlir::Value dy);
  mlir::Value avgPoolGradient(AvgPoolOp op, mlir::Value dy);
  mlir::Value softmaxGradient(mlir::Value y, mlir::Value dy);
  mlir::Value logSoftmaxGradient(mlir::Value y, mlir::Value dy);
  mlir::Value crossEntropyGradient(SparseSoftmaxCrossEntropyOp op,
                                   mlir::ValueRange dys);
  mlir::Value reduceMeanGradient(ReduceMeanOp op, mlir::Value dy);
  mlir::Value reduceExtremeGradient(mlir::Operation *op, mlir::Value input,
                                    mlir::Value result,
                                    llvm::ArrayRef<int64_t> axes, bool keepDims,
                                    mlir::Value dy);
  mlir::Value sliceGradient(SliceOp op, mlir::Value dy);
  mlir::Value padGradient(PadOp op, mlir::Value dy);
  mlir::Value gatherGradient(GatherOp op, mlir::Value dy);
  mlir::Value takeAlongGradient(TakeAlongOp op, mlir::Value dy);
  mlir::Value dynamicSliceGradient(DynamicSliceOp op, mlir::Value dy);
  mlir::Value gatherNdGradient(GatherNdOp op, mlir::Value dy);
  mlir::Value cumulativeSum(mlir::Value x, int64_t axis, bool exclusive,
                            bool reverse);

  /// Says that there is a gradient, but that it cannot be built, and why: "it
  /// ...". Returns null, which alone would mean that none flows back.
  mlir::Value cannotBuild(llvm::StringLiteral why) {
    failure = why;
    return {};
  }
  /// Why a gradient could not be built; empty when all could.
  llvm::StringRef getFailure() const { return failure; }

private:
  llvm::StringRef failure;
};

/// Signedness is that of the node's operand: scalars are signless, as arith
/// wants them, and `isUnsigned` says how to read them.
class ScalarBuilder {
public:
  /// `type` is the type of bodies' constants: an element type or a vector.
  ScalarBuilder(mlir::OpBuilder &builder, mlir::Location loc, mlir::Type type,
                bool isUnsigned)
      : builder(builder), loc(loc), type(type), isUnsigned(isUnsigned) {}

  mlir::Value constant(double value);
  mlir::Value add(mlir::Value a, mlir::Value b);
  mlir::Value sub(mlir::Value a, mlir::Value b);
  mlir::Value mul(mlir::Value a, mlir::Value b);
  mlir::Value div(mlir::Value a, mlir::Value b);
  mlir::Value pow(mlir::Value a, mlir::Value b);
  mlir::Value maximum(mlir::Value a, mlir::Value b);
  mlir::Value minimum(mlir::Value a, mlir::Value b);
  mlir::Value neg(mlir::Value x);
  mlir::Value abs(mlir::Value x);
  mlir::Value sign(mlir::Value x);
  mlir::Value exp(mlir::Value x);
  mlir::Value expm1(mlir::Value x);
  mlir::Value log(mlir::Value x);
  mlir::Value log1p(mlir::Value x);
  mlir::Value sqrt(mlir::Value x);
  mlir::Value rsqrt(mlir::Value x);
  mlir::Value sin(mlir::Value x);
  mlir::Value cos(mlir::Value x);
  mlir::Value tanh(mlir::Value x);
  mlir::Value erf(mlir::Value x);
  mlir::Value sigmoid(mlir::Value x);
  mlir::Value relu(mlir::Value x);
  mlir::Value floor(mlir::Value x);
  mlir::Value ceil(mlir::Value x);
  mlir::Value roundEven(mlir::Value x);
  mlir::Value isFinite(mlir::Value x);
  mlir::Value logicalNot(mlir::Value x);
  mlir::Value logicalAnd(mlir::Value a, mlir::Value b);
  mlir::Value logicalOr(mlir::Value a, mlir::Value b);
  mlir::Value logicalXor(mlir::Value a, mlir::Value b);
  mlir::Value compare(mlir::Value a, mlir::Value b, ComparePredicate predicate);
  mlir::Value select(mlir::Value condition, mlir::Value a, mlir::Value b);
  mlir::Value cast(mlir::Value x, mlir::Type from, mlir::Type to,
                   OutOfRange outOfRange);

private:
  mlir::Value constantOf(mlir::Type type, double value);
  bool isFloat(mlir::Value x) const;

  mlir::OpBuilder &builder;
  mlir::Location loc;
  mlir::Type type;
  bool isUnsigned;
};

} // namespace weir

#endif // WEIR_DIALECTS_WEIR_BUILDERS_H

//===- Lowering.h - What lowerings of nodes build with ---------------*- C++
//-*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A lowering is a function from a node and its converted operands to the value
// of its result. It builds with an `Emitter`, which also knows which extents
// are equal and how a run-time check names the node.
//
// Tensors are stored as memory has them: booleans as bytes 0 and 1, unsigned
// integers without a sign.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_PASSES_CODEGEN_LINALG_LOWERING_H
#define WEIR_PASSES_CODEGEN_LINALG_LOWERING_H

#include "dialects/Weir/Shape.h"
#include "dialects/Weir/Weir.h"
#include "lib/Analysis/NodeText.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Transforms/DialectConversion.h"
#include "passes/Codegen/Linalg/Extents.h"
#include "weir-c/types.h"
#include "llvm/ADT/DenseSet.h"

namespace weir {

/// The type of an element in memory.
mlir::Type storedElement(mlir::Type element);

class Emitter : public mlir::ImplicitLocOpBuilder {
public:
  using Body = llvm::function_ref<llvm::SmallVector<mlir::Value>(
      mlir::ImplicitLocOpBuilder &, mlir::ValueRange)>;
  using Dims = llvm::SmallVector<mlir::OpFoldResult>;

  /// `node` is the op that is lowered and `operands` its converted operands;
  /// `extents` outlives the emitter.
  Emitter(mlir::OpBuilder &builder, mlir::Operation *node,
          mlir::ValueRange operands, const Extents &extents)
      : ImplicitLocOpBuilder(node->getLoc(), builder), node(node),
        operands(operands.begin(), operands.end()), extents(extents) {}

  // Extents and their arithmetic; constants fold.
  mlir::OpFoldResult index(int64_t value) { return getIndexAttr(value); }
  mlir::OpFoldResult dim(mlir::Value tensor, int64_t axis);
  Dims dims(mlir::Value tensor);
  mlir::Value toValue(mlir::OpFoldResult extent);
  llvm::SmallVector<mlir::Value>
  toValues(llvm::ArrayRef<mlir::OpFoldResult> extents);
  mlir::OpFoldResult add(mlir::OpFoldResult a, mlir::OpFoldResult b);
  mlir::OpFoldResult sub(mlir::OpFoldResult a, mlir::OpFoldResult b);
  mlir::OpFoldResult mul(mlir::OpFoldResult a, mlir::OpFoldResult b);
  mlir::OpFoldResult product(llvm::ArrayRef<mlir::OpFoldResult> extents);
  mlir::Value compare(mlir::arith::CmpIPredicate predicate,
                      mlir::OpFoldResult a, mlir::OpFoldResult b);

  /// A number of any element type (in memory or in a body).
  mlir::Value scalar(mlir::Type element, double value);

  // Tensors.
  mlir::Value empty(llvm::ArrayRef<mlir::OpFoldResult> dims,
                    mlir::Type element);
  mlir::Value filled(llvm::ArrayRef<mlir::OpFoldResult> dims,
                     mlir::Value scalar);
  /// A generic over `out`; `maps` are those of `inputs`, the map of `out` is
  /// the identity and every loop parallel.
  mlir::Value parallel(mlir::ValueRange inputs,
                       llvm::ArrayRef<mlir::AffineMap> maps, mlir::Value out,
                       Body body);
  /// A generic with as many results as `outs`; `maps` are of inputs and outs.
  llvm::SmallVector<mlir::Value>
  generic(mlir::ValueRange inputs, mlir::ValueRange outs,
          llvm::ArrayRef<mlir::AffineMap> maps,
          llvm::ArrayRef<mlir::utils::IteratorType> iterators, Body body);
  /// `tensor` with the unit dimensions `axes` taken away.
  mlir::Value dropUnits(mlir::Value tensor, llvm::ArrayRef<int64_t> axes);
  /// `tensor` with unit dimensions at the places `axes` of the result.
  mlir::Value addUnits(mlir::Value tensor, llvm::ArrayRef<int64_t> axes);
  /// `tensor` with its first `count` dimensions as one.
  mlir::Value flattened(mlir::Value tensor, int64_t count);
  /// `tensor` in the middle of `value`: `low` and `high` around, `interior`
  /// between its elements, for each dimension.
  mlir::Value padded(mlir::Value tensor, llvm::ArrayRef<int64_t> low,
                     llvm::ArrayRef<int64_t> high,
                     llvm::ArrayRef<int64_t> interior, mlir::Value value);
  /// The elements of `tensor` in another element type.
  mlir::Value converted(mlir::Value tensor, mlir::Type element);
  /// An operand that is repeated up to the shape `to`: without its dimensions
  /// of 1, and the map that says which of the dimensions of `to` are left.
  std::pair<mlir::Value, mlir::AffineMap>
  broadcastOperand(mlir::Value tensor, llvm::ArrayRef<int64_t> to);

  // Run-time checks. `format` holds {0} and {1}.
  void require(mlir::Value condition, WeirCode code, llvm::StringRef format,
               mlir::OpFoldResult a, mlir::OpFoldResult b);
  /// The extents of two operands of the node (by their numbers) are equal;
  /// nothing is built where that is known.
  void requireEqual(unsigned i, int64_t axis, unsigned j, int64_t otherAxis);
  /// Checks that all operands from `first` on fit each other as element-wise
  /// operands do, and gives what they broadcast to. `drop` last dimensions of
  /// each are left out.
  Dims broadcastDims(unsigned first, unsigned count, int64_t drop = 0);
  /// All elements of the operand satisfy 0 <= i < bound.
  void requireIndices(mlir::Value indices, mlir::OpFoldResult bound);

  /// `value` as the node's result has to be typed, with a check of what the
  /// declared type knows better.
  mlir::Value finish(mlir::Value value);

  mlir::Operation *getNode() const { return node; }
  const Extents &getExtents() const { return extents; }

  static mlir::RankedTensorType typeOf(mlir::Value tensor) {
    return llvm::cast<mlir::RankedTensorType>(tensor.getType());
  }

private:
  mlir::Operation *node;
  llvm::SmallVector<mlir::Value> operands;
  const Extents &extents;
};

/// The element type in which sums of `element` are kept: f32 for the halves.
mlir::Type accumulator(mlir::Type element);
/// The dimensions begin <= d < end, as a group of a reshape.
mlir::ReassociationIndices dimensions(int64_t begin, int64_t end);
/// `sum` and `x`, which is widened to the type of the sum first.
mlir::Value addTo(mlir::ImplicitLocOpBuilder &b, mlir::Value sum,
                  mlir::Value x);
/// A multiply and an add to the last argument, as contractions have it.
llvm::SmallVector<mlir::Value> multiplyAdd(mlir::ImplicitLocOpBuilder &b,
                                           mlir::ValueRange args);

/// Checks that the last dimension of `indices` holds places in the first
/// dimensions of `tensor`.
void requirePlaces(Emitter &e, mlir::Value indices, mlir::Value tensor);

/// The set of patterns, and which ops they are for.
struct Lowerings {
  mlir::RewritePatternSet &patterns;
  const mlir::TypeConverter &types;
  const Extents &extents;
  llvm::DenseSet<mlir::TypeID> supported;

  /// Adds the lowering of one op.
  template <typename OpT>
  void add(mlir::Value (*lower)(OpT, typename OpT::Adaptor, Emitter &));
};

template <typename OpT>
class NodePattern : public mlir::OpConversionPattern<OpT> {
public:
  using Lower = mlir::Value (*)(OpT, typename OpT::Adaptor, Emitter &);
  NodePattern(const mlir::TypeConverter &types, mlir::MLIRContext *context,
              const Extents &extents, Lower lower)
      : mlir::OpConversionPattern<OpT>(types, context), extents(extents),
        lower(lower) {}

  llvm::LogicalResult
  matchAndRewrite(OpT op, typename OpT::Adaptor adaptor,
                  mlir::ConversionPatternRewriter &rewriter) const override {
    Emitter emitter(rewriter, op, adaptor.getOperands(), extents);
    rewriter.replaceOp(op, emitter.finish(lower(op, adaptor, emitter)));
    return llvm::success();
  }

private:
  const Extents &extents;
  Lower lower;
};

template <typename OpT>
void Lowerings::add(mlir::Value (*lower)(OpT, typename OpT::Adaptor,
                                         Emitter &)) {
  patterns.add<NodePattern<OpT>>(types, patterns.getContext(), extents, lower);
  supported.insert(mlir::TypeID::get<OpT>());
}

// The families, one file each.
void addElementwiseLowerings(Lowerings &lowerings);
void addLinearAlgebraLowerings(Lowerings &lowerings);
void addConvolutionLowerings(Lowerings &lowerings);
void addPoolingLowerings(Lowerings &lowerings);
void addQuantizedLowerings(Lowerings &lowerings);
void addReductionLowerings(Lowerings &lowerings);
void addReshapeLowerings(Lowerings &lowerings);
void addPlacementLowerings(Lowerings &lowerings);
void addGatherLowerings(Lowerings &lowerings);
void addRandomLowerings(Lowerings &lowerings);
void addScatterLowering(Lowerings &lowerings);
void addDynamicShapeLowerings(Lowerings &lowerings);

} // namespace weir

#endif // WEIR_PASSES_CODEGEN_LINALG_LOWERING_H

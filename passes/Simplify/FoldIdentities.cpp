//===- FoldIdentities.cpp - Nodes that give their operand back ------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every pattern holds for all values: floats keep their bits. A node that waits
// for something by a control edge is neither removed nor looked through.
//
//===----------------------------------------------------------------------===//

#include "passes/Simplify/Passes.h"

#include "dialects/Weir/Builders.h"
#include "lib/Analysis/Deadness.h"
#include "lib/Analysis/Frames.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace weir {

#define GEN_PASS_DEF_FOLDIDENTITIES
#include "passes/Simplify/Passes.h.inc"

namespace {

RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// The node of kind Op that makes `value`, unless it waits for something.
template <typename Op> Op producer(Value value) {
  auto op = value.getDefiningOp<Op>();
  return op && op.getControls().empty() ? op : Op();
}

/// Whether a node can be replaced by a value: nothing waits at it, and the
/// value has its type. In a graph a node may be its own operand.
bool stands(Operation *op, Value value) {
  return cast<NodeInterface>(op).getControlInputs().empty() &&
         value.getType() == op->getResult(0).getType() &&
         value.getDefiningOp() != op;
}

/// f(f(x)) is x.
template <typename Op> struct Involution : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const final {
    auto inner = producer<Op>(op->getOperand(0));
    if (!inner || !stands(op, inner->getOperand(0)) ||
        op.getProperties() != inner.getProperties())
      return failure();
    rewriter.replaceOp(op, inner->getOperand(0));
    return success();
  }
};

/// Outer(Inner(x)) is x where both have the same axes.
template <typename Outer, typename Inner>
struct Inverse : OpRewritePattern<Outer> {
  using OpRewritePattern<Outer>::OpRewritePattern;
  LogicalResult matchAndRewrite(Outer op,
                                PatternRewriter &rewriter) const final {
    auto inner = producer<Inner>(op.getInput());
    if (!inner || op.getAxes() != inner.getAxes() ||
        !stands(op, inner.getInput()))
      return failure();
    rewriter.replaceOp(op, inner.getInput());
    return success();
  }
};

struct MergeTransposes : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(TransposeOp op,
                                PatternRewriter &rewriter) const final {
    auto inner = producer<TransposeOp>(op.getInput());
    if (!inner || inner == op)
      return failure();
    SmallVector<int64_t> permutation;
    for (int64_t from : op.getPermutation())
      permutation.push_back(inner.getPermutation()[from]);
    rewriter.modifyOpInPlace(op, [&] {
      op.getInputMutable().assign(inner.getInput());
      op.setPermutation(permutation);
    });
    return success();
  }
};

/// Elements keep their order through any number of reshapes. Only those whose
/// extents are known are left out: the others are checks.
struct MergeReshapes : OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReshapeOp op,
                                PatternRewriter &rewriter) const final {
    Value input;
    if (auto reshape = producer<ReshapeOp>(op.getInput()))
      input = reshape.getInput();
    else if (auto expand = producer<ExpandDimsOp>(op.getInput()))
      input = expand.getInput();
    else if (auto squeeze = producer<SqueezeOp>(op.getInput()))
      input = squeeze.getInput();
    if (!input || input == op.getResult() || !typeOf(input).hasStaticShape() ||
        !typeOf(op.getInput()).hasStaticShape())
      return failure();
    rewriter.modifyOpInPlace(op, [&] { op.getInputMutable().assign(input); });
    return success();
  }
};

struct StaticReshapeLike : OpRewritePattern<ReshapeLikeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReshapeLikeOp op,
                                PatternRewriter &rewriter) const final {
    if (!typeOf(op.getLike()).hasStaticShape())
      return failure();
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), op.getInput(),
                                           typeOf(op.getLike()).getShape(),
                                           op.getControls());
    return success();
  }
};

struct StaticBroadcastLike : OpRewritePattern<BroadcastLikeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(BroadcastLikeOp op,
                                PatternRewriter &rewriter) const final {
    if (!typeOf(op.getLike()).hasStaticShape())
      return failure();
    rewriter.replaceOpWithNewOp<BroadcastToOp>(op, op.getType(), op.getInput(),
                                               typeOf(op.getLike()).getShape(),
                                               op.getControls());
    return success();
  }
};

/// Nodes whose result of the operand's static type can only be the operand.
template <typename Op> struct SameShape : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const final {
    Value input = op->getOperand(0);
    if (!stands(op, input) || !typeOf(input).hasStaticShape())
      return failure();
    rewriter.replaceOp(op, input);
    return success();
  }
};

struct StopGradient : OpRewritePattern<StopGradientOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(StopGradientOp op,
                                PatternRewriter &rewriter) const final {
    // No gradient is asked for any more, so there is none to stop.
    if (!stands(op, op.getInput()))
      return failure();
    rewriter.replaceOp(op, op.getInput());
    return success();
  }
};

struct ConcatOfOne : OpRewritePattern<ConcatOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ConcatOp op,
                                PatternRewriter &rewriter) const final {
    if (op.getInputs().size() != 1 || !stands(op, op.getInputs().front()))
      return failure();
    rewriter.replaceOp(op, op.getInputs().front());
    return success();
  }
};

struct SimplifySelect : OpRewritePattern<SelectOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(SelectOp op,
                                PatternRewriter &rewriter) const final {
    Value condition = op.getCondition(), a = op.getOnTrue(),
          b = op.getOnFalse();
    // What is chosen does not matter; the shapes of all are that of the result.
    if (a == b && stands(op, a) && typeOf(a).hasStaticShape()) {
      rewriter.replaceOp(op, a);
      return success();
    }
    if (auto negation = producer<LogicalNotOp>(condition)) {
      rewriter.modifyOpInPlace(op, [&] {
        op.getConditionMutable().assign(negation.getInput());
        op.getOnTrueMutable().assign(b);
        op.getOnFalseMutable().assign(a);
      });
      return success();
    }
    // A choice that the same condition has made already.
    auto chosen = [&](Value value, bool onTrue) -> Value {
      auto inner = producer<SelectOp>(value);
      if (!inner || inner == op || inner.getCondition() != condition)
        return {};
      Value choice = onTrue ? inner.getOnTrue() : inner.getOnFalse();
      bool fits = typeOf(inner.getResult()).hasStaticShape() &&
                  choice.getType() == value.getType();
      return fits ? choice : Value();
    };
    if (Value choice = chosen(a, true)) {
      rewriter.modifyOpInPlace(op,
                               [&] { op.getOnTrueMutable().assign(choice); });
      return success();
    }
    if (Value choice = chosen(b, false)) {
      rewriter.modifyOpInPlace(op,
                               [&] { op.getOnFalseMutable().assign(choice); });
      return success();
    }
    return failure();
  }
};

/// A check of extents that the operand's type answers.
struct EnsuredShape : OpRewritePattern<EnsureShapeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(EnsureShapeOp op,
                                PatternRewriter &rewriter) const final {
    auto type = dyn_cast<RankedTensorType>(op.getInput().getType());
    if (!type || type != op.getResult().getType() ||
        op.getInput().getDefiningOp() == op)
      return failure();
    Value value = op.getInput();
    if (!op.getControls().empty())
      value =
          IdentityOp::create(rewriter, op.getLoc(), value, op.getControls());
    auto done = CompletedOp::create(rewriter, op.getLoc(), value, ValueRange());
    rewriter.replaceOp(op, {value, done.getControl()});
    return success();
  }
};

/// True for nodes of which a fold may drop an operand that is no constant.
bool dropsOperands(Operation *op) {
  return isa<ReshapeLikeOp, BroadcastLikeOp, SelectOp, ShapeOfOp, DimSizeOp>(
      op);
}

/// The nodes that may be folded in a graph of which parts can be dead, or be
/// there in a loop only. A result hangs on all operands of its node; one that
/// is dropped has to be there always.
FailureOr<SmallVector<Operation *>> foldable(Block &block) {
  SmallVector<Operation *> ops;
  FailureOr<Frames> frames = Frames::compute(block);
  if (failed(frames))
    return failure();
  Deadness deadness(block, *frames);
  for (Operation &op : block)
    if (!dropsOperands(&op) ||
        (frames->of(&op) == 0 && deadness.of(&op) == Deadness::always))
      ops.push_back(&op);
  return ops;
}

struct FoldIdentities : impl::FoldIdentitiesBase<FoldIdentities> {
  void runOnOperation() override {
    if (hasGradientRequests(getOperation()) || keepsNodes(getOperation()))
      return;
    RewritePatternSet patterns(&getContext());
    patterns.add<Involution<NegOp>, Involution<LogicalNotOp>,
                 Involution<ReverseOp>, Inverse<SqueezeOp, ExpandDimsOp>,
                 Inverse<ExpandDimsOp, SqueezeOp>, MergeTransposes,
                 MergeReshapes, StaticReshapeLike, StaticBroadcastLike,
                 SameShape<BroadcastToOp>, SameShape<SliceOp>, SameShape<PadOp>,
                 StopGradient, ConcatOfOne, SimplifySelect, EnsuredShape>(
        &getContext());
    GreedyRewriteConfig config;
    config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
    Block &block = getOperation().getBody().front();
    LogicalResult result = success();
    if (llvm::any_of(block, [](Operation &op) { return isNonStrict(&op); })) {
      auto ops = foldable(block);
      if (failed(ops))
        return signalPassFailure();
      config.setStrictness(GreedyRewriteStrictness::ExistingAndNewOps);
      result = applyOpPatternsGreedily(*ops, std::move(patterns), config);
    } else {
      result =
          applyPatternsGreedily(getOperation(), std::move(patterns), config);
    }
    if (failed(result))
      getOperation().emitWarning()
          << "[WEIR0134] the graph still changes after many rounds of folding";
  }
};

} // namespace
} // namespace weir

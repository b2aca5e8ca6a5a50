//===- Verify.cpp - The form that later phases start from -----------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Weir/Shape.h"
#include "dialects/Weir/Weir.h"
#include "lib/Analysis/CarriedTypes.h"
#include "lib/Analysis/Cycles.h"
#include "lib/Analysis/Frames.h"
#include "passes/Import/Passes.h"

namespace weir {
#define GEN_PASS_DEF_IMPORTVERIFY
#include "passes/Import/Passes.h.inc"
} // namespace weir

using namespace mlir;
using namespace weir;

static bool isPlainName(StringRef name) {
  return !name.empty() && name.front() != '-' && llvm::all_of(name, [](char c) {
    return llvm::isAlnum(c) || StringRef("_.-/:").contains(c);
  });
}

static LogicalResult verifyNames(GraphOp graph) {
  auto check = [&](StringRef what, StringRef name) -> LogicalResult {
    if (isPlainName(name))
      return success();
    return graph.emitError()
           << "[WEIR0101] the name of " << what << " '" << name
           << "' has to be made of letters, digits and _ . - / : without - in "
              "front";
  };
  if (failed(check("entry point", graph.getSymName())))
    return failure();
  for (unsigned i = 0, e = graph.getNumArguments(); i < e; ++i)
    if (failed(check("feed", graph.getFeedName(i))))
      return failure();
  for (unsigned i = 0, e = graph.getFunctionType().getNumResults(); i < e; ++i)
    if (failed(check("fetch", graph.getFetchName(i))))
      return failure();
  return success();
}

static LogicalResult verifyCycles(GraphOp graph) {
  SmallVector<Operation *> cycle = findCycle(graph.getBody().front());
  if (cycle.empty())
    return success();
  InFlightDiagnostic error =
      cycle.front()->emitError()
      << "[WEIR0103] node '" << WeirDialect::describe(cycle.front())
      << "' waits for itself: its edges form a cycle of " << cycle.size()
      << (cycle.size() == 1 ? " node" : " nodes");
  constexpr size_t shown = 8;
  for (auto [i, op] : llvm::enumerate(cycle)) {
    Operation *before = cycle[i == 0 ? cycle.size() - 1 : i - 1];
    if (i < shown)
      error.attachNote(op->getLoc())
          << "'" << WeirDialect::describe(op) << "' waits for '"
          << WeirDialect::describe(before) << "'";
  }
  if (cycle.size() > shown)
    error.attachNote(graph.getLoc())
        << "and so on through " << cycle.size() - shown << " more";
  return error;
}

static LogicalResult verifyClaims(Operation *op) {
  // Their extents are values, which they compare with what is declared.
  if (isa<RangeOp, DynamicReshapeOp, DynamicBroadcastOp, DynamicSliceOp>(op))
    return success();
  auto inference = dyn_cast<InferTypeOpInterface>(op);
  SmallVector<Type> known;
  bool isCarried = carriedTypes(op, [](OpOperand &) { return true; }, known);
  if (!isCarried && !inference)
    return success();
  if (!isCarried && failed(inference.inferReturnTypes(
                        op->getContext(), op->getLoc(), op->getOperands(),
                        op->getRawDictionaryAttrs(), op->getPropertiesStorage(),
                        op->getRegions(), known)))
    return failure();
  for (auto [declared, type] : llvm::zip_equal(op->getResultTypes(), known))
    if (claimsMore(declared, type))
      return op->emitError() << "[WEIR0102] node '" << WeirDialect::describe(op)
                             << "' is declared to give " << declared
                             << ", but its operands say only " << type
                             << (isa<RankedTensorType>(type)
                                     ? "; weir.reshape checks extents at run "
                                       "time"
                                     : "; weir.ensure_shape checks them at "
                                       "run time");
  return success();
}

/// What an object file can hold, and what is evaluated while compiling.
static LogicalResult verifySize(ConstantOp op) {
  constexpr int64_t kMost = (int64_t(1) << 31) - 1;
  auto type = cast<RankedTensorType>(op.getType());
  // A string has 8 bytes at least. No type has 2^48 [WEIR0017].
  const int64_t elementBytes = type.getElementType().isIntOrFloat()
                                   ? (type.getElementTypeBitWidth() + 7) / 8
                                   : 8;
  if (type.getNumElements() * elementBytes <= kMost)
    return success();
  return op.emitError()
         << "[WEIR0123] node '" << WeirDialect::describe(op)
         << "' is a constant of type " << type
         << ", which takes more than the 2 GiB that a program can hold of one; "
            "make it with weir.broadcast_to, feed it, or keep it in a variable";
}

namespace {
class Verify : public weir::impl::ImportVerifyBase<Verify> {
  void runOnOperation() override {
    GraphOp graph = getOperation();
    for (Operation &op : graph.getBody().front()) {
      if (!isa_and_present<WeirDialect>(op.getDialect())) {
        op.emitError() << "[WEIR0100] op '" << op.getName()
                       << "' is no node of weir; the body of graph '@"
                       << graph.getSymName() << "' is made of weir ops alone";
        return signalPassFailure();
      }
    }
    // Cycles first: the types of nodes on one are anybody's guess.
    if (failed(verifyNames(graph)) || failed(verifyCycles(graph)) ||
        failed(Frames::compute(graph.getBody().front(), /*remarks=*/true)))
      return signalPassFailure();
    for (Operation &op : graph.getBody().front()) {
      auto constant = dyn_cast<ConstantOp>(op);
      if (failed(verifyClaims(&op)) ||
          (constant && failed(verifySize(constant))))
        return signalPassFailure();
    }
    markAllAnalysesPreserved();
  }
};
} // namespace

//===- DecomposeOps.cpp - Compositions in place of what they compose ----------
//===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Rt/Rt.h"
#include "dialects/Weir/Builders.h"
#include "lib/Analysis/Frames.h"
#include "passes/Fuse/Controls.h"
#include "passes/Fuse/Passes.h"

namespace weir {
#define GEN_PASS_DEF_FUSEDECOMPOSEOPS
#include "passes/Fuse/Passes.h.inc"
} // namespace weir

using namespace mlir;

namespace weir {

/// Puts the composition in the node's place. Its nodes speak for the node:
/// they carry its name and place, and run where it runs.
static void decompose(DecomposeInterface op,
                      SmallVectorImpl<Operation *> &made) {
  OpBuilder builder(op);
  struct Collect : OpBuilder::Listener {
    explicit Collect(SmallVectorImpl<Operation *> &made) : made(made) {}
    void notifyOperationInserted(Operation *inserted,
                                 OpBuilder::InsertPoint) override {
      made.push_back(inserted);
    }
    SmallVectorImpl<Operation *> &made;
  } collect(made);
  builder.setListener(&collect);
  GraphBuilder nodes(builder, op.getLoc());
  SmallVector<Value> values = op.decompose(nodes);
  for (Operation *node : made)
    for (StringRef name :
         {WeirDialect::getNameAttrName(), WeirDialect::getDeviceAttrName(),
          WeirDialect::getColocateAttrName(), rt::hopAttrName})
      if (Attribute attribute = op->getDiscardableAttr(name))
        node->setDiscardableAttr(name, attribute);
  op->replaceAllUsesWith(values);
  op->erase();
}

namespace {
struct DecomposeOps : impl::FuseDecomposeOpsBase<DecomposeOps> {
  void runOnOperation() override {
    FailureOr<Frames> frames =
        Frames::compute(getOperation().getBody().front());
    if (failed(frames))
      return signalPassFailure();
    SmallVector<Operation *> worklist;
    getOperation()->walk(
        [&](DecomposeInterface op) { worklist.push_back(op); });
    while (!worklist.empty()) {
      Operation *op = worklist.pop_back_val();
      auto composed = dyn_cast<DecomposeInterface>(op);
      if (!composed)
        continue;
      hoistControls(cast<NodeInterface>(op), frames->of(op) != 0);
      decompose(composed, worklist);
    }
  }
};
} // namespace

} // namespace weir

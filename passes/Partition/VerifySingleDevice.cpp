//===- VerifySingleDevice.cpp - Nothing to cut ----------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Weir/Weir.h"
#include "mlir/IR/BuiltinOps.h"
#include "passes/Partition/Passes.h"

namespace weir {
#define GEN_PASS_DEF_PARTITIONVERIFYSINGLEDEVICE
#include "passes/Partition/Passes.h.inc"
} // namespace weir

using namespace mlir;
using namespace weir;

static std::string describe(Operation *op) {
  if (auto symbol = dyn_cast<SymbolOpInterface>(op))
    return "'@" + symbol.getName().str() + "'";
  return "'" + WeirDialect::describe(op) + "'";
}

namespace {
class VerifySingleDevice
    : public weir::impl::PartitionVerifySingleDeviceBase<VerifySingleDevice> {
  void runOnOperation() override {
    SmallVector<Operation *> placed;
    for (Operation &op : *getOperation().getBody())
      if (isa<VariableOp, QueueOp, BarrierOp, AccumulatorOp, ReaderOp>(op))
        placed.push_back(&op);
    for (GraphOp graph : getOperation().getOps<GraphOp>())
      for (Operation &op : graph.getBody().front())
        if (!isa<FetchOp>(op))
          placed.push_back(&op);
    if (failed(verifyPlaced(placed)) || failed(verifyOne(placed)))
      return signalPassFailure();
    markAllAnalysesPreserved();
  }

  static StringAttr deviceOf(Operation *op) {
    return op->getAttrOfType<StringAttr>(WeirDialect::getDeviceAttrName());
  }

  static LogicalResult verifyPlaced(ArrayRef<Operation *> ops) {
    SmallVector<Operation *> without(llvm::make_filter_range(
        ops, [](Operation *op) { return !deviceOf(op); }));
    if (without.empty())
      return success();
    InFlightDiagnostic error =
        without.front()->emitError()
        << "[WEIR0108] " << without.size()
        << (without.size() == 1 ? " node has" : " nodes have")
        << " no device: ";
    constexpr size_t shown = 5;
    llvm::interleaveComma(ArrayRef(without).take_front(shown), error,
                          [&](Operation *op) { error << describe(op); });
    if (without.size() > shown)
      error << " and " << without.size() - shown << " more";
    return error << "; run the phase place first";
  }

  static LogicalResult verifyOne(ArrayRef<Operation *> ops) {
    for (Operation *op : ops) {
      if (deviceOf(op) == deviceOf(ops.front()))
        continue;
      InFlightDiagnostic error =
          op->emitError()
          << "[WEIR0107] " << describe(op) << " is on device '"
          << deviceOf(op).getValue() << "' and " << describe(ops.front())
          << " on '" << deviceOf(ops.front()).getValue()
          << "': a program of more than one device is not supported yet";
      error.attachNote(ops.front()->getLoc())
          << describe(ops.front()) << " is here";
      return error;
    }
    return success();
  }
};
} // namespace

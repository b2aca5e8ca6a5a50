//===- JoinDevices.cpp - Host functions of other devices come back --------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/SymbolTable.h"
#include "passes/Codegen/Devices/Passes.h"

namespace weir {
#define GEN_PASS_DEF_CODEGENJOINDEVICES
#include "passes/Codegen/Devices/Passes.h.inc"
} // namespace weir

using namespace mlir;
using namespace weir;

namespace {
struct JoinDevices : weir::impl::CodegenJoinDevicesBase<JoinDevices> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    SymbolTable outer(module);
    SmallVector<ModuleOp> nested;
    for (auto inner : module.getOps<ModuleOp>())
      if (inner->hasAttr(deviceTypeAttrName))
        nested.push_back(inner);
    for (ModuleOp inner : nested) {
      SymbolTable table(inner);
      for (Operation &op : llvm::make_early_inc_range(*inner.getBody())) {
        auto symbol = dyn_cast<SymbolOpInterface>(&op);
        if (symbol && outer.lookup(symbol.getName()) &&
            failed(table.renameToUnique(&op, {&outer})))
          return signalPassFailure();
        if (symbol)
          table.remove(&op);
        op.remove();
        if (symbol)
          outer.insert(&op, module.getBody()->end());
        else
          module.push_back(&op);
      }
      outer.erase(inner);
    }
  }
};
} // namespace

//===- SeparateMemory.cpp - The host's accesses become copies -------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Rt/Rt.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "passes/Codegen/GPU/Passes.h"

namespace weir {
#define GEN_PASS_DEF_GPUSEPARATEMEMORY
#include "passes/Codegen/GPU/Passes.h.inc"
} // namespace weir

using namespace mlir;
using namespace weir;

namespace {
struct SeparateMemory : weir::impl::GpuSeparateMemoryBase<SeparateMemory> {
  void runOnOperation() override;
};
} // namespace

/// A constant on the device. It goes there where the function begins, which
/// may be before a loop that uses it.
static Value copyOf(OpBuilder &b, memref::GetGlobalOp global) {
  Location loc = global.getLoc();
  auto host = memref::GetGlobalOp::create(b, loc, global.getType(),
                                          global.getNameAttr());
  Value device =
      rt::DeviceAllocOp::create(b, loc, global.getType(), ValueRange());
  rt::CopyToDeviceOp::create(b, loc, host, device);
  return device;
}

void SeparateMemory::runOnOperation() {
  func::FuncOp function = getOperation();
  if (!function->hasAttr(rt::entryAttrName))
    return;
  OpBuilder start = OpBuilder::atBlockBegin(&function.getBody().front());
  llvm::StringMap<Value> constants;
  SmallVector<Operation *> work;
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<gpu::LaunchOp>(op))
      return WalkResult::skip();
    work.push_back(op);
    return WalkResult::advance();
  });
  for (Operation *op : work) {
    OpBuilder b(op);
    Location loc = op->getLoc();
    if (auto alloc = dyn_cast<memref::AllocOp>(op)) {
      alloc.replaceAllUsesWith(
          rt::DeviceAllocOp::create(b, loc, alloc.getType(),
                                    alloc.getDynamicSizes())
              .getResult());
    } else if (auto dealloc = dyn_cast<memref::DeallocOp>(op)) {
      rt::DeviceFreeOp::create(b, loc, dealloc.getMemref());
    } else if (auto load = dyn_cast<memref::LoadOp>(op)) {
      // The host has its own copy of a constant.
      if (load.getMemRef().getDefiningOp<memref::GetGlobalOp>())
        continue;
      load.replaceAllUsesWith(rt::DeviceReadOp::create(b, loc, load.getType(),
                                                       load.getMemRef(),
                                                       load.getIndices())
                                  .getResult());
    } else if (auto store = dyn_cast<memref::StoreOp>(op)) {
      rt::DeviceWriteOp::create(b, loc, store.getValue(), store.getMemRef(),
                                store.getIndices());
    } else if (auto global = dyn_cast<memref::GetGlobalOp>(op)) {
      Value &device = constants[global.getName()];
      auto onHost = [](OpOperand &use) {
        return isa<memref::LoadOp>(use.getOwner()) &&
               !use.getOwner()->getParentOfType<gpu::LaunchOp>();
      };
      if (llvm::all_of(global->getUses(), onHost))
        continue;
      if (!device)
        device = copyOf(start, global);
      global.getResult().replaceUsesWithIf(
          device, [&](OpOperand &use) { return !onHost(use); });
      if (!global->use_empty())
        continue;
    } else {
      continue;
    }
    op->erase();
  }
}

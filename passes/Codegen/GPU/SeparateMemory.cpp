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
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "mlir/Transforms/RegionUtils.h"
#include "passes/Codegen/GPU/Passes.h"
#include "llvm/ADT/SetVector.h"

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

/// Constants up to here are part of a kernel's code, in bytes.
static constexpr int64_t smallConstant = 4096;

/// The ops that make `value` of a small constant, the constant first; nothing
/// where it is something else.
static SmallVector<Operation *> chainOf(Value value) {
  SmallVector<Operation *> chain;
  while (Operation *op = value.getDefiningOp()) {
    chain.push_back(op);
    if (auto global = dyn_cast<memref::GetGlobalOp>(op)) {
      MemRefType type = global.getType();
      int64_t bytes = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
      if (type.getNumElements() > smallConstant / bytes)
        return {};
      std::reverse(chain.begin(), chain.end());
      return chain;
    }
    if (!isa<ViewLikeOpInterface>(op) || op->getNumOperands() != 1)
      return {};
    value = op->getOperand(0);
  }
  return {};
}

/// Gives a launch its own small constants.
static void takeConstants(gpu::LaunchOp launch) {
  llvm::SetVector<Value> used;
  getUsedValuesDefinedAbove(launch.getBody(), used);
  OpBuilder b = OpBuilder::atBlockBegin(&launch.getBody().front());
  for (Value value : used) {
    SmallVector<Operation *> chain = chainOf(value);
    IRMapping mapping;
    for (Operation *op : chain)
      b.clone(*op, mapping);
    if (!chain.empty())
      replaceAllUsesInRegionWith(value, mapping.lookup(value),
                                 launch.getBody());
  }
}

void SeparateMemory::runOnOperation() {
  func::FuncOp function = getOperation();
  if (!function->hasAttr(rt::entryAttrName))
    return;
  function.walk(takeConstants);
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

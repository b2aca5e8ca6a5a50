//===- SeparateMemory.cpp - The host's accesses become copies -------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "mlir/Transforms/RegionUtils.h"
#include "passes/Codegen/GPU/HostCode.h"
#include "passes/Codegen/GPU/Passes.h"
#include "llvm/ADT/SetVector.h"

namespace weir {
#define GEN_PASS_DEF_GPUSEPARATEMEMORY
#include "passes/Codegen/GPU/Passes.h.inc"
} // namespace weir

using namespace mlir;
using namespace weir;
using namespace weir::gpus;

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
  rt::CopyToDeviceOp::create(b, loc, host, device, rt::Stream::compute);
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

namespace {
/// Reads of the host for which it waits once.
struct Reads {
  SmallVector<memref::LoadOp> loads;
  /// A check has come since the first one: what follows may rely on it.
  bool isBehindCheck = false;

  bool takes(memref::LoadOp load, DominanceInfo &dominance) const;
  void emit();
};
} // namespace

/// Whether the element is there for any contents of memory.
static bool isAlwaysInside(memref::LoadOp load) {
  for (auto [extent, index] :
       llvm::zip_equal(load.getMemRefType().getShape(), load.getIndices())) {
    std::optional<int64_t> known = getConstantIntValue(index);
    if (!known || ShapedType::isDynamic(extent) || *known < 0 ||
        *known >= extent)
      return false;
  }
  return true;
}

bool Reads::takes(memref::LoadOp load, DominanceInfo &dominance) const {
  return !loads.empty() && (!isBehindCheck || isAlwaysInside(load)) &&
         llvm::all_of(load->getOperands(), [&](Value operand) {
           return dominance.properlyDominates(operand, loads.front());
         });
}

/// Copies behind the kernels so far, on a stream of their own, to page-locked
/// memory, and one wait for all of them.
void Reads::emit() {
  OpBuilder b(loads.front());
  Location loc = loads.front().getLoc();
  Type event = rt::EventType::get(b.getContext());
  Value computed =
      rt::EventRecordOp::create(b, loc, event, rt::Stream::compute);
  rt::EventWaitOp::create(b, loc, computed, rt::Stream::transfer);
  SmallVector<Value> places;
  for (memref::LoadOp load : loads) {
    SmallVector<OpFoldResult> offsets(load.getIndices()),
        ones(offsets.size(), b.getIndexAttr(1));
    auto type = MemRefType::get({}, load.getType());
    Value element = load.getMemRef();
    if (!offsets.empty())
      element = memref::SubViewOp::create(
          b, loc,
          cast<MemRefType>(memref::SubViewOp::inferRankReducedResultType(
              {}, load.getMemRefType(), offsets, ones, ones)),
          element, offsets, ones, ones);
    places.push_back(rt::HostAllocOp::create(b, loc, type));
    rt::CopyToHostOp::create(b, loc, element, places.back(),
                             rt::Stream::transfer);
  }
  Value copied = rt::EventRecordOp::create(b, loc, event, rt::Stream::transfer);
  rt::EventSynchronizeOp::create(b, loc, copied);
  for (auto [load, place] : llvm::zip_equal(loads, places)) {
    Value read = memref::LoadOp::create(b, loc, place);
    rt::HostFreeOp::create(b, loc, place);
    load.replaceAllUsesWith(read);
  }
  for (memref::LoadOp load : loads)
    load.erase();
}

/// Turns the host's reads into copies, as few waits as there can be.
static void copyReads(func::FuncOp function) {
  DominanceInfo dominance(function);
  SmallVector<Reads> all;
  auto collect = [&](Block &block) {
    Reads open;
    auto close = [&] {
      if (!open.loads.empty())
        all.push_back(std::exchange(open, Reads()));
    };
    for (Operation &op : block) {
      auto load = dyn_cast<memref::LoadOp>(op);
      if (load && readsDevice(load)) {
        if (!open.takes(load, dominance))
          close();
        open.loads.push_back(load);
      }
      if (!leavesMemory(&op))
        close();
      open.isBehindCheck |= isa<rt::AssertOp>(op);
    }
    close();
  };
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<gpu::LaunchOp>(op))
      return WalkResult::skip();
    for (Region &region : op->getRegions())
      for (Block &block : region)
        collect(block);
    return WalkResult::advance();
  });
  for (Reads &reads : all)
    reads.emit();
}

void SeparateMemory::runOnOperation() {
  func::FuncOp function = getOperation();
  if (!function->hasAttr(rt::entryAttrName))
    return;
  function.walk(takeConstants);
  copyReads(function);
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

//===- PlanMemory.cpp - One arena for the buffers of a step ---===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Rt/Rt.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/Transforms/BufferViewFlowAnalysis.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/Codegen/CPU/Passes.h"
#include "llvm/Support/CheckedArithmetic.h"
#include "llvm/Support/MathExtras.h"

namespace weir {
#define GEN_PASS_DEF_CPUPLANMEMORY
#include "passes/Codegen/CPU/Passes.h.inc"
} // namespace weir

using namespace mlir;
using namespace weir;

/// Where buffers begin, in bytes: a cache line, and the widest vector.
static constexpr int64_t alignment = 64;

namespace {

/// A buffer, the ops between which it is alive, and where it lies.
struct Buffer {
  memref::AllocOp op;
  unsigned first, last; // places of ops in the block
  int64_t size;         // in bytes, a multiple of the alignment
  int64_t offset = 0;
};

struct PlanMemory : weir::impl::CpuPlanMemoryBase<PlanMemory> {
  void runOnOperation() override;
};

} // namespace

/// The size of a buffer of static extents in bytes, or nothing where it is
/// dynamic or does not fit.
static std::optional<int64_t> sizeOf(MemRefType type) {
  if (!type.hasStaticShape() || !type.getLayout().isIdentity())
    return std::nullopt;
  std::optional<int64_t> size =
      llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  for (int64_t extent : type.getShape())
    if (size = llvm::checkedMul(*size, extent); !size)
      return std::nullopt;
  if (*size > std::numeric_limits<int64_t>::max() - alignment)
    return std::nullopt;
  return llvm::alignTo(*size, alignment);
}

/// Gives each buffer the lowest offset at which it meets no other that is
/// alive at the same time, largest first. Returns the arena's size.
static int64_t layOut(std::vector<Buffer> &buffers) {
  llvm::sort(buffers, [](const Buffer &a, const Buffer &b) {
    return std::tie(b.size, a.first) < std::tie(a.size, b.first);
  });
  int64_t total = 0;
  for (size_t i = 0; i < buffers.size(); ++i) {
    Buffer &buffer = buffers[i];
    SmallVector<const Buffer *> others;
    for (const Buffer &other : ArrayRef(buffers).take_front(i))
      if (other.first <= buffer.last && buffer.first <= other.last)
        others.push_back(&other);
    llvm::sort(others, [](const Buffer *a, const Buffer *b) {
      return a->offset < b->offset;
    });
    for (const Buffer *other : others) {
      if (buffer.offset + buffer.size <= other->offset)
        break;
      buffer.offset = std::max(buffer.offset, other->offset + other->size);
    }
    total = std::max(total, buffer.offset + buffer.size);
  }
  return total;
}

/// True where each iteration of a loop around needs its own buffer, since the
/// next one still has that of this one: it goes around as one of its arguments.
static bool goesAround(Operation *alloc,
                       const BufferViewFlowAnalysis &aliases) {
  for (Value alias : aliases.resolve(alloc->getResult(0))) {
    auto argument = dyn_cast<BlockArgument>(alias);
    Operation *owner = argument ? argument.getOwner()->getParentOp() : nullptr;
    if (!isa_and_present<LoopLikeOpInterface>(owner) ||
        !owner->isProperAncestor(alloc))
      continue;
    auto loop = dyn_cast<scf::WhileOp>(owner);
    if (!loop || argument.getOwner() == loop.getBeforeBody())
      return true;
  }
  return false;
}

/// True where only conditionals and sequential loops are around.
static bool isSequential(Operation *op, func::FuncOp function) {
  for (op = op->getParentOp(); op != function; op = op->getParentOp())
    if (!isa<scf::IfOp, scf::WhileOp, scf::ForOp>(op))
      return false;
  return true;
}

/// Takes buffers of static size out of conditionals and loops, and frees others
/// there at the end of the block where they are made.
static void hoist(func::FuncOp function, Block &block) {
  BufferViewFlowAnalysis aliases(function);
  SmallVector<Operation *> nested;
  function.walk([&](Operation *op) {
    if (isa<memref::AllocOp, memref::AllocaOp>(op) &&
        op->getBlock() != &block && isSequential(op, function))
      nested.push_back(op);
  });
  for (Operation *op : nested) {
    auto type = cast<MemRefType>(op->getResult(0).getType());
    if (sizeOf(type)) {
      if (!goesAround(op, aliases))
        op->moveBefore(block.findAncestorOpInBlock(*op));
      continue;
    }
    auto alloc = dyn_cast<memref::AllocOp>(op);
    Operation *last = op;
    bool stays = alloc != nullptr;
    for (Value alias : aliases.resolve(op->getResult(0)))
      for (Operation *user : alias.getUsers()) {
        Operation *ancestor = op->getBlock()->findAncestorOpInBlock(*user);
        stays &= ancestor && !isa<memref::DeallocOp>(user) &&
                 !ancestor->hasTrait<OpTrait::IsTerminator>();
        if (stays && last->isBeforeInBlock(ancestor))
          last = ancestor;
      }
    if (stays) {
      OpBuilder builder(op->getContext());
      builder.setInsertionPointAfter(last);
      memref::DeallocOp::create(builder, op->getLoc(), alloc);
    }
  }
}

void PlanMemory::runOnOperation() {
  func::FuncOp function = getOperation();
  if (!function->hasAttr(rt::entryAttrName))
    return;
  Block &block = function.getBody().front();
  hoist(function, block);
  DenseMap<Operation *, unsigned> place;
  SmallVector<Operation *> ops;
  for (Operation &op : block) {
    place[&op] = ops.size();
    ops.push_back(&op);
  }

  BufferViewFlowAnalysis aliases(function);
  std::vector<Buffer> fixed;
  for (auto alloc :
       llvm::make_early_inc_range(block.getOps<memref::AllocOp>())) {
    Buffer buffer{alloc, place[alloc], place[alloc], 0};
    SmallVector<Operation *> frees;
    for (Value alias : aliases.resolve(alloc.getResult()))
      for (Operation *user : alias.getUsers()) {
        if (isa<memref::DeallocOp>(user))
          frees.push_back(user);
        else if (Operation *ancestor = block.findAncestorOpInBlock(*user))
          buffer.last = std::max(buffer.last, place[ancestor]);
      }
    if (auto size = sizeOf(alloc.getType())) {
      for (Operation *free : frees)
        free->erase();
      buffer.size = *size;
      fixed.push_back(buffer);
    } else if (frees.empty() &&
               !ops[buffer.last]->hasTrait<OpTrait::IsTerminator>()) {
      OpBuilder builder(&getContext());
      builder.setInsertionPointAfter(ops[buffer.last]);
      memref::DeallocOp::create(builder, alloc.getLoc(), alloc.getResult());
    }
  }
  if (fixed.empty())
    return;

  int64_t total = layOut(fixed);
  OpBuilder builder(&block, block.begin());
  Location loc = function.getLoc();
  Value arena = memref::AllocOp::create(
      builder, loc, MemRefType::get({total}, builder.getI8Type()));
  for (Buffer &buffer : fixed) {
    builder.setInsertionPoint(buffer.op);
    Value offset = arith::ConstantIndexOp::create(builder, loc, buffer.offset);
    Value view =
        memref::ViewOp::create(builder, buffer.op.getLoc(), buffer.op.getType(),
                               arena, offset, ValueRange());
    buffer.op.replaceAllUsesWith(view);
    buffer.op.erase();
  }
}

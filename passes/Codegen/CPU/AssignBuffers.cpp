//===- AssignBuffers.cpp - Memory of feeds, variables and fetches ---===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Rt/Rt.h"
#include "dialects/Weir/Weir.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "passes/Codegen/CPU/Passes.h"
#include "llvm/ADT/SetVector.h"

namespace weir {
#define GEN_PASS_DEF_CPUASSIGNBUFFERS
#include "passes/Codegen/CPU/Passes.h.inc"
} // namespace weir

using namespace mlir;
using namespace weir;

static MemRefType bufferOf(Type tensor) {
  auto type = cast<RankedTensorType>(tensor);
  return MemRefType::get(type.getShape(), type.getElementType());
}

/// Hands on the user's types of what a checkpoint holds.
static void keepTypes(Operation *from, Operation *to) {
  if (Attribute types = from->getAttr(rt::typesAttrName))
    to->setAttr(rt::typesAttrName, types);
}

/// The conditional that says whether a variable is written; null for a write
/// that always happens.
static scf::IfOp guardOf(rt::WriteVariableOp write) {
  return dyn_cast<scf::IfOp>(write->getParentOp());
}

/// Collects the reads whose memory `value` may be, through conditionals and
/// loops. Returns false where it can only be the one that it is.
static bool collectSources(Value value, llvm::SetVector<Value> &seen,
                           SmallVectorImpl<rt::ReadVariableOp> &reads) {
  bool chooses = false;
  seen.insert(value);
  for (size_t i = 0; i < seen.size(); ++i) {
    Value at = seen[i];
    if (auto argument = dyn_cast<BlockArgument>(at)) {
      auto loop =
          dyn_cast_or_null<scf::WhileOp>(argument.getOwner()->getParentOp());
      if (!loop)
        continue;
      chooses = true;
      unsigned number = argument.getArgNumber();
      if (argument.getOwner() == loop.getBeforeBody()) {
        seen.insert(loop.getInits()[number]);
        seen.insert(loop.getYieldOp()->getOperand(number));
      } else {
        seen.insert(loop.getConditionOp().getArgs()[number]);
      }
      continue;
    }
    auto result = cast<OpResult>(at);
    Operation *op = result.getOwner();
    unsigned number = result.getResultNumber();
    if (auto branch = dyn_cast<scf::IfOp>(op)) {
      chooses = true;
      seen.insert(branch.thenYield()->getOperand(number));
      seen.insert(branch.elseYield()->getOperand(number));
    } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
      chooses = true;
      seen.insert(loop.getConditionOp().getArgs()[number]);
    } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
      seen.insert(loop.getInits()[number]);
    } else if (auto cast = dyn_cast<tensor::CastOp>(op)) {
      seen.insert(cast.getSource());
    } else if (auto read = dyn_cast<rt::ReadVariableOp>(op)) {
      reads.push_back(read);
    }
  }
  return chooses;
}

/// Keeps what a variable is given apart from the memory of others: when it is
/// written, they may have their new values.
static void separate(rt::WriteVariableOp write,
                     const llvm::StringMap<bool> &written) {
  llvm::SetVector<Value> seen;
  SmallVector<rt::ReadVariableOp> sources;
  bool chooses = collectSources(write.getValue(), seen, sources);
  scf::IfOp guard = guardOf(write);
  bool mixes = llvm::any_of(sources, [&](rt::ReadVariableOp read) {
    return read.getVariable() != write.getVariable() &&
           written.contains(read.getVariable());
  });
  // Plain exchanges are settled on buffers.
  if (!mixes || (!chooses && !guard))
    return;
  Operation *place = guard ? guard.getOperation() : write.getOperation();
  OpBuilder builder(place);
  write.getValueMutable().assign(bufferization::AllocTensorOp::create(
      builder, write.getLoc(),
      cast<RankedTensorType>(write.getValue().getType()), ValueRange(),
      write.getValue()));
}

static bool isString(Type tensor) {
  return isa<StringType>(cast<RankedTensorType>(tensor).getElementType());
}

namespace {

struct AssignBuffers : weir::impl::CpuAssignBuffersBase<AssignBuffers> {
  void runOnOperation() override;

private:
  /// `memory` as a tensor that nothing else in the function aliases.
  Value tensorOf(OpBuilder &builder, Location loc, Type type, Value memory,
                 bool writable) {
    return bufferization::ToTensorOp::create(builder, loc, type, memory,
                                             /*restrict=*/true, writable);
  }

  /// `restrict`: nothing else in the function reads that memory.
  void store(OpBuilder &builder, Location loc, Value tensor, Value memory,
             bool restrict) {
    auto op = bufferization::MaterializeInDestinationOp::create(builder, loc,
                                                                tensor, memory);
    op.setRestrict(restrict);
    op.setWritable(true);
  }

  SmallVector<Value> buffersOf(OpBuilder &builder, Location loc,
                               ValueRange tensors) {
    SmallVector<Value> buffers;
    for (Value tensor : tensors)
      buffers.push_back(bufferization::ToBufferOp::create(
          builder, loc, bufferOf(tensor.getType()), tensor,
          /*read_only=*/true));
    return buffers;
  }

  /// The index of the feed that a checkpoint's path is, or an error.
  FailureOr<int64_t> pathOf(Operation *op, Value path) {
    if (auto feed = path.getDefiningOp<rt::FeedOp>())
      return static_cast<int64_t>(feed.getIndex());
    return op->emitError() << "[WEIR0121] the path of a checkpoint has to be a "
                              "feed of the entry point";
  }
};

} // namespace

void AssignBuffers::runOnOperation() {
  func::FuncOp function = getOperation();
  if (!function->hasAttr(rt::entryAttrName))
    return;
  Block &block = function.getBody().front();
  OpBuilder start(&block, block.begin()), end(block.getTerminator());
  llvm::StringMap<Value>
      reads; // the memory of variables that are read, by name
  llvm::StringMap<bool> written;
  SmallVector<rt::WriteVariableOp> guarded;
  function.walk([&](rt::WriteVariableOp op) {
    written[op.getVariable()] = true;
    if (guardOf(op))
      guarded.push_back(op);
  });
  function.walk([&](rt::WriteVariableOp op) { separate(op, written); });

  SmallVector<Operation *> done;
  auto result = function.walk([&](Operation *op) -> WalkResult {
    Location loc = op->getLoc();
    OpBuilder builder(op);
    if (auto feed = dyn_cast<rt::FeedOp>(op)) {
      if (!isString(feed.getType())) {
        Value memory = rt::FeedBufferOp::create(
            builder, loc, bufferOf(feed.getType()), feed.getIndex());
        feed.replaceAllUsesWith(
            tensorOf(builder, loc, feed.getType(), memory, /*writable=*/false));
      }
      done.push_back(op);
    } else if (auto read = dyn_cast<rt::ReadVariableOp>(op)) {
      // Without a node nobody may need a value: whoever does checks that there
      // is one.
      StringAttr node =
          read.getNode().empty() ? StringAttr() : read.getNodeAttr();
      Value memory = rt::VariableBufferOp::create(
          builder, loc, bufferOf(read.getType()), read.getVariableAttr(), node);
      reads[read.getVariable()] = memory;
      read.replaceAllUsesWith(tensorOf(builder, loc, read.getType(), memory,
                                       written.contains(read.getVariable())));
      done.push_back(op);
    } else if (auto write = dyn_cast<rt::WriteVariableOp>(op)) {
      if (guardOf(write))
        return WalkResult::advance(); // below, when all reads are known
      // Memory takes the new value at the end, when no old one is read any
      // more. Only where none is read at all may it be made there at once.
      Value memory = reads.lookup(write.getVariable());
      bool onlyWritten = !memory;
      if (onlyWritten)
        memory = rt::VariableBufferOp::create(
            start, loc, bufferOf(write.getValue().getType()),
            write.getVariableAttr(), StringAttr());
      store(end, loc, write.getValue(), memory, /*restrict=*/onlyWritten);
      rt::VariableWrittenOp::create(end, loc, write.getVariableAttr());
      done.push_back(op);
    } else if (auto fetch = dyn_cast<rt::FetchOp>(op)) {
      auto type = cast<RankedTensorType>(fetch.getValue().getType());
      if (isString(type))
        return fetch.emitError() << "[WEIR0122] compiled programs cannot fetch "
                                    "strings; fetch what is a number";
      SmallVector<Value> extents;
      for (auto [i, extent] : llvm::enumerate(type.getShape()))
        if (ShapedType::isDynamic(extent))
          extents.push_back(
              tensor::DimOp::create(builder, loc, fetch.getValue(), i));
      // A buffer of static size can be there from the start, so that the
      // result is made in it.
      OpBuilder &place = extents.empty() ? start : builder;
      store(builder, loc, fetch.getValue(),
            rt::OutputBufferOp::create(place, loc, bufferOf(type),
                                       fetch.getIndex(), extents),
            /*restrict=*/true);
      done.push_back(op);
    } else if (auto save = dyn_cast<rt::SaveOp>(op)) {
      auto path = pathOf(op, save.getPath());
      if (failed(path))
        return WalkResult::interrupt();
      auto buffers = rt::SaveBuffersOp::create(
          builder, loc, save.getNodeAttr(), builder.getI64IntegerAttr(*path),
          save.getNamesAttr(), buffersOf(builder, loc, save.getValues()));
      keepTypes(op, buffers);
      done.push_back(op);
    } else if (auto restore = dyn_cast<rt::RestoreOp>(op)) {
      auto path = pathOf(op, restore.getPath());
      if (failed(path))
        return WalkResult::interrupt();
      SmallVector<Value> buffers;
      for (Type type : restore.getValues().getTypes())
        buffers.push_back(
            memref::AllocOp::create(builder, loc, bufferOf(type)));
      auto restored = rt::RestoreBuffersOp::create(
          builder, loc, restore.getNodeAttr(), builder.getI64IntegerAttr(*path),
          restore.getNamesAttr(), buffers);
      keepTypes(op, restored);
      for (auto [value, buffer] : llvm::zip(restore.getValues(), buffers))
        value.replaceAllUsesWith(
            tensorOf(builder, loc, value.getType(), buffer, /*writable=*/true));
      done.push_back(op);
    }
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return signalPassFailure();
  // Writes that depend come last: what they write lies in no other variable.
  for (rt::WriteVariableOp write : guarded) {
    Location loc = write.getLoc();
    guardOf(write)->moveBefore(block.getTerminator());
    OpBuilder builder(write);
    Value memory = reads.lookup(write.getVariable());
    if (!memory)
      memory = rt::VariableBufferOp::create(
          start, loc, bufferOf(write.getValue().getType()),
          write.getVariableAttr(), StringAttr());
    store(builder, loc, write.getValue(), memory, /*restrict=*/false);
    rt::VariableWrittenOp::create(builder, loc, write.getVariableAttr());
    done.push_back(write);
  }
  // Users first: a checkpoint's path is a feed.
  for (Operation *op : llvm::reverse(done))
    op->erase();
}

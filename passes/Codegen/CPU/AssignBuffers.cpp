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
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "passes/Codegen/CPU/Passes.h"

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
  function.walk(
      [&](rt::WriteVariableOp op) { written[op.getVariable()] = true; });

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
      Value memory = rt::VariableBufferOp::create(
          builder, loc, bufferOf(read.getType()), read.getVariableAttr(),
          read.getNodeAttr());
      reads[read.getVariable()] = memory;
      read.replaceAllUsesWith(tensorOf(builder, loc, read.getType(), memory,
                                       written.contains(read.getVariable())));
      done.push_back(op);
    } else if (auto write = dyn_cast<rt::WriteVariableOp>(op)) {
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
  // Users first: a checkpoint's path is a feed.
  for (Operation *op : llvm::reverse(done))
    op->erase();
}

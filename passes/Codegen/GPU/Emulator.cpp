//===- Emulator.cpp - A GPU kernel as a function of the host --------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Codegen/GPU/Emulator.h"

#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "passes/Codegen/GPU/KernelArguments.h"
#include "passes/Codegen/GPU/Launch.h"
#include "weir-c/device.h"

#include <cstddef>

using namespace mlir;
using namespace weir;
using namespace weir::gpus;

LogicalResult gpus::emulate(OpBuilder &b, gpu::GPUFuncOp kernel) {
  return Emulator(b, kernel).run();
}

//===----------------------------------------------------------------------===//
// Kinds of values
//===----------------------------------------------------------------------===//

bool Emulator::meets(Operation *op) {
  return op
      ->walk([](Operation *inner) {
        return isa<gpu::BarrierOp, gpu::ShuffleOp, nvgpu::MmaSyncOp>(inner)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

bool Emulator::isUniform(Operation *op) {
  if (isa<gpu::ThreadIdOp, gpu::LaneIdOp>(op))
    return false;
  if (isa<gpu::BlockIdOp, gpu::GridDimOp, gpu::BlockDimOp,
          gpu::DynamicSharedMemoryOp>(op))
    return true;
  return op->getNumRegions() == 0 &&
         (isMemoryEffectFree(op) || op->hasAttr(uniformAttrName)) &&
         llvm::all_of(op->getOperands(),
                      [&](Value operand) { return isUniform(operand); });
}

bool Emulator::isUniform(Value value) {
  auto known = uniformity.find(value);
  if (known != uniformity.end())
    return known->second;
  bool result;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    // Of a loop in which threads meet all run the same iterations.
    Operation *owner = argument.getOwner()->getParentOp();
    auto loop = dyn_cast<scf::ForOp>(owner);
    result = isa<gpu::GPUFuncOp>(owner) ||
             (loop && meets(loop) && argument == loop.getInductionVar());
  } else {
    result = isUniform(value.getDefiningOp());
  }
  uniformity[value] = result;
  return result;
}

Type Emulator::hostType(Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref || !memref.getMemorySpace())
    return type;
  return MemRefType::get(memref.getShape(), memref.getElementType(),
                         memref.getLayout());
}

void Emulator::toHostTypes(Operation *op) {
  op->walk([](Operation *inner) {
    for (OpResult result : inner->getResults())
      result.setType(hostType(result.getType()));
  });
}

Value Emulator::constant(OpBuilder &b, int64_t number) {
  return arith::ConstantIndexOp::create(b, loc, number);
}

//===----------------------------------------------------------------------===//
// Memory of threads
//===----------------------------------------------------------------------===//

Value Emulator::bufferOf(Value value) {
  Value &buffer = buffers[value];
  if (!buffer) {
    OpBuilder top = OpBuilder::atBlockBegin(&function.getBody().front());
    buffer = memref::AllocaOp::create(
        top, loc, MemRefType::get({threads}, value.getType()));
  }
  return buffer;
}

Value Emulator::inThread(OpBuilder &b, Value value, Value thread) {
  if (value.getDefiningOp<gpu::ThreadIdOp>())
    return thread;
  if (isUniform(value))
    return uniform.lookup(value);
  return memref::LoadOp::create(b, loc, bufferOf(value), thread);
}

void Emulator::setInThread(OpBuilder &b, Value value, Value thread, Value to) {
  memref::StoreOp::create(b, loc, to, bufferOf(value), thread);
}

void Emulator::forThreads(function_ref<void(OpBuilder &, Value)> body) {
  scf::ForOp::create(
      b, loc, constant(b, 0), constant(b, threads), constant(b, 1),
      ValueRange(), [&](OpBuilder &inside, Location, Value thread, ValueRange) {
        body(inside, thread);
        scf::YieldOp::create(inside, loc);
      });
}

void Emulator::assign(ValueRange from, ValueRange to) {
  if (from.empty())
    return;
  // All are read before one is written: they may exchange places.
  forThreads([&](OpBuilder &b, Value thread) {
    SmallVector<Value> values;
    for (Value value : from)
      values.push_back(inThread(b, value, thread));
    for (auto [value, target] : llvm::zip_equal(values, to))
      setInThread(b, target, thread, value);
  });
}

//===----------------------------------------------------------------------===//
// Pieces
//===----------------------------------------------------------------------===//

void Emulator::emitUniform(Operation *op) {
  Value result;
  if (isa<gpu::BlockIdOp>(op))
    result = blockIndex;
  else if (isa<gpu::GridDimOp>(op))
    result = gridSize;
  else if (isa<gpu::BlockDimOp>(op))
    result = constant(b, threads);
  else if (isa<gpu::DynamicSharedMemoryOp>(op))
    result = shared;
  if (result) {
    uniform.map(op->getResult(0), result);
    return;
  }
  toHostTypes(b.clone(*op, uniform));
}

void Emulator::emitPiece(ArrayRef<Operation *> piece) {
  if (piece.empty())
    return;
  llvm::SmallPtrSet<Operation *, 32> inside(piece.begin(), piece.end());
  Block *block = piece.front()->getBlock();
  auto isInside = [&](Operation *op) {
    Operation *ancestor = block->findAncestorOpInBlock(*op);
    return ancestor && inside.contains(ancestor);
  };
  forThreads([&](OpBuilder &b, Value thread) {
    IRMapping mapping(uniform);
    auto bring = [&](Value value) {
      if (mapping.contains(value) || isUniform(value))
        return;
      Operation *owner = value.getDefiningOp();
      if (!owner)
        owner = cast<BlockArgument>(value).getOwner()->getParentOp();
      if (!isInside(owner))
        mapping.map(value, inThread(b, value, thread));
    };
    for (Operation *op : piece) {
      op->walk([&](Operation *inner) {
        llvm::for_each(inner->getOperands(), bring);
      });
      toHostTypes(b.clone(*op, mapping));
      for (Value result : op->getResults())
        if (llvm::any_of(result.getUsers(),
                         [&](Operation *user) { return !isInside(user); }))
          setInThread(b, result, thread, mapping.lookup(result));
    }
  });
}

LogicalResult Emulator::emitBlock(Block &block) {
  SmallVector<Operation *> piece;
  for (Operation &op : block.without_terminator()) {
    if (isa<gpu::ThreadIdOp>(op))
      continue;
    if (meets(&op)) {
      emitPiece(piece);
      piece.clear();
      if (failed(emitMeeting(&op)))
        return failure();
    } else if (op.getNumResults() != 0 && isUniform(&op)) {
      emitUniform(&op);
    } else {
      piece.push_back(&op);
    }
  }
  emitPiece(piece);
  return success();
}

//===----------------------------------------------------------------------===//
// Where threads meet
//===----------------------------------------------------------------------===//

LogicalResult Emulator::emitMeeting(Operation *op) {
  if (isa<gpu::BarrierOp>(op))
    return success();
  if (auto shuffle = dyn_cast<gpu::ShuffleOp>(op)) {
    emitShuffle(shuffle);
    return success();
  }
  if (auto multiply = dyn_cast<nvgpu::MmaSyncOp>(op)) {
    emitMatrixMultiply(multiply);
    return success();
  }
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return emitFor(loop);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return emitIf(branch);
  return op->emitError() << "[WEIR0156] internal: threads of GPU kernel '"
                         << kernel.getName() << "' meet inside of '"
                         << op->getName() << "'";
}

LogicalResult Emulator::emitFor(scf::ForOp loop) {
  for (Value bound :
       {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()})
    if (!isUniform(bound))
      return loop.emitError()
             << "[WEIR0156] internal: threads of GPU kernel '"
             << kernel.getName() << "' meet in a loop of different lengths";
  assign(loop.getInitArgs(), loop.getRegionIterArgs());
  auto copy = scf::ForOp::create(b, loc, uniform.lookup(loop.getLowerBound()),
                                 uniform.lookup(loop.getUpperBound()),
                                 uniform.lookup(loop.getStep()));
  uniform.map(loop.getInductionVar(), copy.getInductionVar());
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(copy.getBody()->getTerminator());
    if (failed(emitBlock(*loop.getBody())))
      return failure();
    assign(loop.getYieldedValues(), loop.getRegionIterArgs());
  }
  assign(loop.getRegionIterArgs(), loop.getResults());
  return success();
}

LogicalResult Emulator::emitIf(scf::IfOp branch) {
  if (!isUniform(branch.getCondition()))
    return branch.emitError()
           << "[WEIR0156] internal: threads of GPU kernel '" << kernel.getName()
           << "' meet where only some of them go";
  auto copy =
      scf::IfOp::create(b, loc, uniform.lookup(branch.getCondition()),
                        /*withElseRegion=*/branch.elseBlock() != nullptr);
  for (auto [from, to] :
       llvm::zip_equal(branch->getRegions(), copy->getRegions())) {
    if (from.empty())
      continue;
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(to.front().getTerminator());
    if (failed(emitBlock(from.front())))
      return failure();
    assign(from.front().getTerminator()->getOperands(), branch.getResults());
  }
  return success();
}

/// The lane that a shuffle reads, and whether it is one of its group.
static std::pair<Value, Value> sourceLane(OpBuilder &b, Location loc,
                                          gpu::ShuffleMode mode, Value lane,
                                          Value offset, Value width) {
  // Groups of `width` lanes begin at its multiples.
  Value place = arith::RemUIOp::create(b, loc, lane, width);
  Value first = arith::SubIOp::create(b, loc, lane, place);
  Value source;
  switch (mode) {
  case gpu::ShuffleMode::XOR:
    source = arith::XOrIOp::create(b, loc, place, offset);
    break;
  case gpu::ShuffleMode::DOWN:
    source = arith::AddIOp::create(b, loc, place, offset);
    break;
  case gpu::ShuffleMode::UP:
    source = arith::SubIOp::create(b, loc, place, offset);
    break;
  case gpu::ShuffleMode::IDX:
    source = offset;
    break;
  }
  // As an unsigned number, what is below 0 is large.
  Value valid =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, source, width);
  source = arith::SelectOp::create(b, loc, valid, source, place);
  return {arith::AddIOp::create(b, loc, first, source), valid};
}

void Emulator::emitShuffle(gpu::ShuffleOp shuffle) {
  forThreads([&](OpBuilder &b, Value thread) {
    auto asIndex = [&](Value number) {
      return arith::IndexCastUIOp::create(b, loc, b.getIndexType(),
                                          inThread(b, number, thread));
    };
    Value lanes = constant(b, 32);
    Value lane = arith::RemUIOp::create(b, loc, thread, lanes);
    Value warp = arith::SubIOp::create(b, loc, thread, lane);
    auto [source, valid] =
        sourceLane(b, loc, shuffle.getMode(), lane,
                   asIndex(shuffle.getOffset()), asIndex(shuffle.getWidth()));
    Value other = inThread(b, shuffle.getValue(),
                           arith::AddIOp::create(b, loc, warp, source));
    setInThread(b, shuffle.getShuffleResult(), thread, other);
    setInThread(b, shuffle.getValid(), thread, valid);
  });
}

//===----------------------------------------------------------------------===//
// The function
//===----------------------------------------------------------------------===//

LogicalResult Emulator::run() {
  auto size = kernel.getKnownBlockSize();
  if (!size || (*size)[1] != 1 || (*size)[2] != 1)
    return kernel.emitError()
           << "[WEIR0156] internal: GPU kernel '" << kernel.getName()
           << "' has no known block of one dimension";
  threads = (*size)[0];
  MLIRContext *context = kernel.getContext();
  auto pointer = LLVM::LLVMPointerType::get(context);
  Type i64 = b.getI64Type();
  function =
      func::FuncOp::create(b, loc, (kernel.getName() + ".emulated").str(),
                           b.getFunctionType({pointer, pointer}, {}));
  OpBuilder::InsertionGuard guard(b);
  Block *entry = function.addEntryBlock();
  b.setInsertionPointToEnd(entry);
  func::ReturnOp::create(b, loc);
  b.setInsertionPoint(entry->getTerminator());
  Value block = entry->getArgument(0), arguments = entry->getArgument(1);
  auto load = [&](Type type, Value base, int64_t offset) -> Value {
    Value address = LLVM::GEPOp::create(
        b, loc, pointer, b.getI8Type(), base,
        ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(offset)});
    return LLVM::LoadOp::create(b, loc, type, address);
  };
  auto index = [&](int64_t offset) {
    return arith::IndexCastOp::create(b, loc, b.getIndexType(),
                                      load(i64, block, offset));
  };
  gridSize = index(offsetof(WeirGpuBlock, grid));
  blockIndex = index(offsetof(WeirGpuBlock, index));

  LLVMTypeConverter converter(context);
  size_t next = 0;
  for (BlockArgument argument : kernel.getBody().front().getArguments()) {
    SmallVector<Value> flat;
    for (Type type : flatTypes(argument.getType()))
      flat.push_back(load(type, load(pointer, arguments, 8 * next++), 0));
    uniform.map(argument,
                rebuildArgument(b, loc, converter, argument.getType(), flat));
  }
  auto bytes = MemRefType::get({ShapedType::kDynamic}, b.getI8Type());
  shared = rebuildArgument(
      b, loc, converter, bytes,
      {load(pointer, block, offsetof(WeirGpuBlock, shared)),
       LLVM::ConstantOp::create(b, loc, i64, b.getI64IntegerAttr(0))});
  return emitBlock(kernel.getBody().front());
}

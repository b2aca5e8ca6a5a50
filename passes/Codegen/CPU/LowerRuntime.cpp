//===- LowerRuntime.cpp - Runtime ops and allocations become calls ---===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Codegen/CPU/LowerRuntime.h"

#include "dialects/Weir/DTypes.h"
#include "dialects/Weir/Weir.h"
#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "passes/Codegen/CPU/Passes.h"

namespace weir {
#define GEN_PASS_DEF_CPULOWERRUNTIME
#include "passes/Codegen/CPU/Passes.h.inc"
} // namespace weir

using namespace mlir;
using namespace weir;

namespace {
struct LowerRuntime : weir::impl::CpuLowerRuntimeBase<LowerRuntime> {
  void runOnOperation() override;
};

} // namespace

Value RuntimeLowering::text(Location loc, StringRef string) {
  auto module = function->getParentOfType<ModuleOp>();
  std::string bytes = string.str() + '\0';
  std::string name =
      ("weir.text." + Twine::utohexstr(llvm::hash_value(string))).str();
  for (int i = 0;; ++i) {
    std::string unique = i == 0 ? name : name + "." + std::to_string(i);
    auto global = module.lookupSymbol<LLVM::GlobalOp>(unique);
    if (global && cast<StringAttr>(global.getValueAttr()).getValue() != bytes)
      continue;
    if (!global) {
      OpBuilder top(module.getBodyRegion());
      auto type = LLVM::LLVMArrayType::get(b.getI8Type(), bytes.size());
      global = LLVM::GlobalOp::create(top, loc, type, /*isConstant=*/true,
                                      LLVM::Linkage::Internal, unique,
                                      top.getStringAttr(bytes));
    }
    return LLVM::AddressOfOp::create(b, loc, global);
  }
}

Value RuntimeLowering::call(Location loc, StringRef name, Type result,
                            ValueRange arguments) {
  auto module = function->getParentOfType<ModuleOp>();
  auto callee = module.lookupSymbol<LLVM::LLVMFuncOp>(name);
  if (!callee) {
    OpBuilder top = OpBuilder::atBlockBegin(module.getBody());
    Type returned = result ? result : LLVM::LLVMVoidType::get(b.getContext());
    callee = LLVM::LLVMFuncOp::create(
        top, loc, name,
        LLVM::LLVMFunctionType::get(returned,
                                    llvm::to_vector(arguments.getTypes())));
  }
  auto op = LLVM::CallOp::create(b, loc, callee, arguments);
  return result ? op.getResult() : Value();
}

void RuntimeLowering::leaveIf(Location loc, Value failed, Value code) {
  Block *here = b.getInsertionBlock();
  Block *rest = here->splitBlock(b.getInsertionPoint());
  Block *leave = b.createBlock(&function.getBody(), function.getBody().end());
  func::ReturnOp::create(b, loc, code);
  b.setInsertionPointToEnd(here);
  cf::CondBranchOp::create(b, loc, failed, leave, ValueRange(), rest,
                           ValueRange());
  b.setInsertionPointToStart(rest);
}

Value RuntimeLowering::memrefOver(Location loc, MemRefType type, Value memory,
                                  ValueRange dynamic) {
  auto descriptor =
      MemRefDescriptor::poison(b, loc, converter.convertType(type));
  descriptor.setAllocatedPtr(b, loc, memory);
  descriptor.setAlignedPtr(b, loc, memory);
  descriptor.setOffset(b, loc, i64(loc, 0));
  SmallVector<Value> extents;
  for (int64_t extent : type.getShape()) {
    if (ShapedType::isDynamic(extent)) {
      extents.push_back(dynamic.front());
      dynamic = dynamic.drop_front();
    } else {
      extents.push_back(i64(loc, extent));
    }
  }
  Value stride = i64(loc, 1);
  for (int64_t i = type.getRank() - 1; i >= 0; --i) {
    descriptor.setSize(b, loc, i, extents[i]);
    descriptor.setStride(b, loc, i, stride);
    if (i > 0)
      stride = LLVM::MulOp::create(b, loc, stride, extents[i]);
  }
  return UnrealizedConversionCastOp::create(b, loc, type, Value(descriptor))
      .getResult(0);
}

Value RuntimeLowering::frame(Location loc, int64_t bytes) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&function.getBody().front());
  return LLVM::AllocaOp::create(b, loc, pointer, b.getI8Type(),
                                i64(loc, std::max<int64_t>(bytes, 1)),
                                /*alignment=*/16);
}

Value RuntimeLowering::descriptorOf(Location loc, Value buffer) {
  return UnrealizedConversionCastOp::create(
             b, loc, converter.convertType(buffer.getType()), buffer)
      .getResult(0);
}

Value RuntimeLowering::dataOf(Location loc, Value buffer) {
  MemRefDescriptor memref(descriptorOf(loc, buffer));
  return memref.bufferPtr(b, loc, converter,
                          cast<MemRefType>(buffer.getType()));
}

Value RuntimeLowering::viewsOf(Operation *op, ValueRange buffers) {
  Location loc = op->getLoc();
  auto types = op->getAttrOfType<ArrayAttr>(rt::typesAttrName);
  Value views = frame(loc, viewSize * buffers.size());
  for (auto [i, buffer] : llvm::enumerate(buffers)) {
    auto type = cast<MemRefType>(buffer.getType());
    Value dims = frame(loc, 8 * type.getRank());
    for (int64_t d = 0; d < type.getRank(); ++d) {
      Value extent = asI64(loc, memref::DimOp::create(b, loc, buffer, d));
      LLVM::StoreOp::create(b, loc, extent, field(loc, dims, 8 * d));
    }
    int64_t at = viewSize * i;
    LLVM::StoreOp::create(b, loc, dataOf(loc, buffer), field(loc, views, at));
    LLVM::StoreOp::create(b, loc, dims, field(loc, views, at + viewDims));
    LLVM::StoreOp::create(b, loc, i32(loc, type.getRank()),
                          field(loc, views, at + viewRank));
    Type element = type.getElementType();
    if (types && i < types.size())
      element = getElementTypeOrSelf(cast<TypeAttr>(types[i]).getValue());
    LLVM::StoreOp::create(b, loc, i32(loc, dtypeOf(element)),
                          field(loc, views, at + viewDType));
  }
  return views;
}

Value RuntimeLowering::namesOf(Location loc, ArrayAttr names) {
  Value array = frame(loc, 8 * names.size());
  for (auto [i, name] : llvm::enumerate(names.getAsValueRange<StringAttr>()))
    LLVM::StoreOp::create(b, loc, text(loc, name), field(loc, array, 8 * i));
  return array;
}

/// The WeirString of a fed scalar.
Value RuntimeLowering::pathFed(Location loc, int64_t index) {
  return load(loc, pointer, load(loc, pointer, step, 0), viewSize * index);
}

FailureOr<Value> RuntimeLowering::allocate(Operation *op, MemRefType type,
                                           ValueRange sizes) {
  // A size that does not fit becomes -1, which the runtime refuses.
  Location loc = op->getLoc();
  int64_t fixed = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  for (int64_t extent : type.getShape())
    if (!ShapedType::isDynamic(extent) &&
        llvm::MulOverflow(fixed, extent, fixed))
      return op->emitError()
             << "[WEIR0123] a buffer of type " << type << " is too large";
  Value size = i64(loc, fixed), overflow;
  SmallVector<Value> dynamic;
  for (Value extent : sizes) {
    dynamic.push_back(asI64(loc, extent));
    auto pair = LLVM::LLVMStructType::getLiteral(
        b.getContext(), {b.getI64Type(), b.getI1Type()});
    Value product =
        LLVM::SMulWithOverflowOp::create(b, loc, pair, size, dynamic.back());
    size = LLVM::ExtractValueOp::create(b, loc, product, 0);
    Value now = LLVM::ExtractValueOp::create(b, loc, product, 1);
    overflow =
        overflow ? LLVM::OrOp::create(b, loc, overflow, now).getResult() : now;
  }
  if (overflow)
    size = LLVM::SelectOp::create(b, loc, overflow, i64(loc, -1), size);
  Value memory = call(loc, "weir_rt_alloc", pointer, {step, size});
  leaveIfNull(loc, memory, WEIR_RESOURCE_EXHAUSTED);
  return memrefOver(loc, type, memory, dynamic);
}

LogicalResult RuntimeLowering::lower(Operation *op) {
  Location loc = op->getLoc();
  b.setInsertionPoint(op);
  if (auto feed = dyn_cast<rt::FeedBufferOp>(op)) {
    auto type = cast<MemRefType>(feed.getType());
    Value view =
        field(loc, load(loc, pointer, step, 0), viewSize * feed.getIndex());
    Value data = load(loc, pointer, view, 0);
    SmallVector<Value> dynamic;
    if (!type.hasStaticShape()) {
      Value dims = load(loc, pointer, view, viewDims);
      for (auto [i, extent] : llvm::enumerate(type.getShape()))
        if (ShapedType::isDynamic(extent))
          dynamic.push_back(load(loc, b.getI64Type(), dims, 8 * i));
    }
    feed.replaceAllUsesWith(memrefOver(loc, type, data, dynamic));
  } else if (auto output = dyn_cast<rt::OutputBufferOp>(op)) {
    auto type = cast<MemRefType>(output.getType());
    SmallVector<Value> dynamic;
    for (Value extent : output.getExtents())
      dynamic.push_back(asI64(loc, extent));
    Value dims = frame(loc, 8 * type.getRank());
    ValueRange rest = dynamic;
    for (auto [i, extent] : llvm::enumerate(type.getShape())) {
      Value value =
          ShapedType::isDynamic(extent) ? rest.front() : i64(loc, extent);
      if (ShapedType::isDynamic(extent))
        rest = rest.drop_front();
      LLVM::StoreOp::create(b, loc, value, field(loc, dims, 8 * i));
    }
    Value memory = call(loc, "weir_rt_output", pointer,
                        {step, i32(loc, output.getIndex()), dims});
    leaveIfNull(loc, memory, WEIR_RESOURCE_EXHAUSTED);
    output.replaceAllUsesWith(memrefOver(loc, type, memory, dynamic));
  } else if (auto variable = dyn_cast<rt::VariableBufferOp>(op)) {
    Value index = i32(loc, variables.lookup(variable.getVariable())), memory;
    if (auto node = variable.getNode())
      memory = call(loc, "weir_rt_variable_read", pointer,
                    {step, index, text(loc, *node)});
    else
      memory = call(loc, "weir_rt_variable_write", pointer, {step, index});
    leaveIfNull(loc, memory, WEIR_FAILED_PRECONDITION);
    variable.replaceAllUsesWith(
        memrefOver(loc, cast<MemRefType>(variable.getType()), memory, {}));
  } else if (auto written = dyn_cast<rt::VariableWrittenOp>(op)) {
    call(loc, "weir_rt_variable_written", Type(),
         {step, i32(loc, variables.lookup(written.getVariable()))});
  } else if (auto initialized = dyn_cast<rt::VariableInitializedOp>(op)) {
    Value answer =
        call(loc, "weir_rt_variable_initialized", b.getI32Type(),
             {step, i32(loc, variables.lookup(initialized.getVariable()))});
    initialized.replaceAllUsesWith(LLVM::ICmpOp::create(b, loc,
                                                        LLVM::ICmpPredicate::ne,
                                                        answer, i32(loc, 0))
                                       .getResult());
  } else if (auto assertion = dyn_cast<rt::AssertOp>(op)) {
    // The message is made where the step is left, not on the way on.
    Block *here = b.getInsertionBlock();
    Block *rest = here->splitBlock(std::next(op->getIterator()));
    Block *leave = b.createBlock(&function.getBody(), function.getBody().end());
    Value code =
        call(loc, "weir_rt_fail", b.getI32Type(),
             {step, i32(loc, assertion.getCode()),
              text(loc, assertion.getNode()), text(loc, assertion.getFormat()),
              asI64(loc, assertion.getA()), asI64(loc, assertion.getB())});
    func::ReturnOp::create(b, loc, code);
    b.setInsertionPointToEnd(here);
    cf::CondBranchOp::create(b, loc, assertion.getCondition(), rest,
                             ValueRange(), leave, ValueRange());
  } else if (isa<rt::PollOp>(op)) {
    leaveIfNotOk(loc, call(loc, "weir_rt_poll", b.getI32Type(), {step}));
  } else if (auto save = dyn_cast<rt::SaveBuffersOp>(op)) {
    leaveIfNotOk(
        loc,
        call(loc, "weir_rt_save", b.getI32Type(),
             {step, text(loc, save.getNode()), pathFed(loc, save.getPath()),
              i32(loc, save.getNames().size()), namesOf(loc, save.getNames()),
              viewsOf(op, save.getValues())}));
  } else if (auto restore = dyn_cast<rt::RestoreBuffersOp>(op)) {
    leaveIfNotOk(loc, call(loc, "weir_rt_restore", b.getI32Type(),
                           {step, text(loc, restore.getNode()),
                            pathFed(loc, restore.getPath()),
                            i32(loc, restore.getNames().size()),
                            namesOf(loc, restore.getNames()),
                            viewsOf(op, restore.getValues())}));
  } else if (auto begin = dyn_cast<rt::TraceBeginOp>(op)) {
    begin.replaceAllUsesWith(
        call(loc, "weir_rt_trace_begin", b.getI64Type(), {step}));
  } else if (auto end = dyn_cast<rt::TraceEndOp>(op)) {
    call(loc, "weir_rt_trace_end", Type(),
         {step, end.getMark(), text(loc, end.getKernel())});
  } else if (auto alloc = dyn_cast<memref::AllocOp>(op)) {
    FailureOr<Value> memory =
        allocate(op, alloc.getType(), alloc.getDynamicSizes());
    if (failed(memory))
      return failure();
    alloc.replaceAllUsesWith(*memory);
  } else if (auto dealloc = dyn_cast<memref::DeallocOp>(op)) {
    call(loc, "weir_rt_free", Type(), {step, dataOf(loc, dealloc.getMemref())});
  } else {
    return lowerDevice(op);
  }
  op->erase();
  return success();
}

LogicalResult RuntimeLowering::run() {
  SmallVector<Operation *> work;
  auto result = function.walk([&](Operation *op) -> WalkResult {
    if (!isa<rt::RtDialect>(op->getDialect()) &&
        !isa<memref::AllocOp, memref::DeallocOp>(op))
      return WalkResult::advance();
    if (op->getParentOp() != function)
      return op->emitError() << "[WEIR0124] internal: '" << op->getName()
                             << "' inside a loop of an entry point";
    work.push_back(op);
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  for (Operation *op : work)
    if (failed(lower(op)))
      return failure();
  return success();
}

void LowerRuntime::runOnOperation() {
  ModuleOp module = getOperation();
  LLVMTypeConverter converter(&getContext());
  llvm::StringMap<int64_t> variables;
  for (auto [i, variable] : llvm::enumerate(module.getOps<VariableOp>()))
    variables[variable.getSymName()] = i;
  // Code refers to them by name; weir-cpu-describe-program says what they are.
  for (auto gpu : module.getOps<rt::GpuModuleOp>()) {
    OpBuilder top = OpBuilder::atBlockBegin(module.getBody());
    LLVM::GlobalOp::create(top, gpu.getLoc(), gpuModuleType(&getContext()),
                           /*isConstant=*/true, LLVM::Linkage::External,
                           gpuModuleName(gpu.getSymName()), Attribute());
  }
  for (auto function : module.getOps<func::FuncOp>())
    if (function->hasAttr(rt::entryAttrName) &&
        failed(RuntimeLowering(function, converter, variables).run()))
      return signalPassFailure();
}

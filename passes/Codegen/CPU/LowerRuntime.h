//===- LowerRuntime.h - Runtime ops and allocations become calls -*- C++
//-*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_PASSES_CODEGEN_CPU_LOWERRUNTIME_H
#define WEIR_PASSES_CODEGEN_CPU_LOWERRUNTIME_H

#include "dialects/Rt/Rt.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "weir-c/types.h"
#include "llvm/ADT/StringMap.h"

namespace weir {

using namespace mlir;

// The layout of WeirView, in bytes.
static constexpr int64_t viewSize = 24, viewDims = 8, viewRank = 16,
                         viewDType = 20;

/// Lowers the ops of one entry point. All of them stand in its top-level
/// blocks, since each may end the step.
class RuntimeLowering {
public:
  RuntimeLowering(func::FuncOp function, LLVMTypeConverter &converter,
                  llvm::StringMap<int64_t> &variables)
      : function(function), converter(converter), variables(variables),
        b(function.getContext()),
        pointer(LLVM::LLVMPointerType::get(function.getContext())),
        step(function.getArgument(0)) {}

  LogicalResult run();

private:
  LogicalResult lower(Operation *op);
  /// The ops of dialects/Rt/DeviceOps.td.
  LogicalResult lowerDevice(Operation *op);
  void lowerLaunch(rt::GpuLaunchOp launch);
  void lowerMxuRun(rt::MxuRunOp run);

  Value i32(Location loc, int64_t value) {
    return LLVM::ConstantOp::create(b, loc, b.getI32Type(),
                                    b.getI32IntegerAttr(value));
  }
  Value i64(Location loc, int64_t value) {
    return LLVM::ConstantOp::create(b, loc, b.getI64Type(),
                                    b.getI64IntegerAttr(value));
  }
  Value field(Location loc, Value base, int64_t offset) {
    return LLVM::GEPOp::create(
        b, loc, pointer, b.getI8Type(), base,
        ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(offset)});
  }
  Value load(Location loc, Type type, Value base, int64_t offset) {
    return LLVM::LoadOp::create(b, loc, type, field(loc, base, offset));
  }
  Value asI64(Location loc, Value index) {
    return arith::IndexCastOp::create(b, loc, b.getI64Type(), index);
  }
  /// A constant C string; equal ones are one.
  Value text(Location loc, StringRef string);
  Value call(Location loc, StringRef name, Type result, ValueRange arguments);
  /// Returns `code` from the entry point where `failed` holds; the code that
  /// follows stands in a new block.
  void leaveIf(Location loc, Value failed, Value code);
  void leaveIfNull(Location loc, Value memory, WeirCode code) {
    Value null = LLVM::ZeroOp::create(b, loc, pointer);
    leaveIf(loc,
            LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::eq, memory, null),
            i32(loc, code));
  }
  void leaveIfNotOk(Location loc, Value code) {
    leaveIf(loc,
            LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::ne, code,
                                 i32(loc, WEIR_OK)),
            code);
  }
  /// A row-major memref of `type` over `memory`; `dynamic` are its dynamic
  /// extents as i64.
  Value memrefOver(Location loc, MemRefType type, Value memory,
                   ValueRange dynamic);
  /// Space in the frame of the function.
  Value frame(Location loc, int64_t bytes);
  /// An array of WeirView of the buffers of `op`, and one of their names.
  Value viewsOf(Operation *op, ValueRange buffers);
  Value namesOf(Location loc, ArrayAttr names);
  Value dataOf(Location loc, Value buffer);
  Value descriptorOf(Location loc, Value buffer);
  /// Scratch memory of the step, of a row-major type; `sizes` are the dynamic
  /// extents.
  FailureOr<Value> allocate(Operation *op, MemRefType type, ValueRange sizes);
  /// The address of an element.
  Value elementOf(Location loc, Value buffer, ValueRange indices);
  Value pathFed(Location loc, int64_t index);

  func::FuncOp function;
  LLVMTypeConverter &converter;
  llvm::StringMap<int64_t> &variables;
  OpBuilder b;
  Type pointer;
  Value step;
};

/// The constant that an `rt.gpu_module` becomes: its name, and its type.
std::string gpuModuleName(StringRef symbol);
LLVM::LLVMStructType gpuModuleType(MLIRContext *context);

} // namespace weir

#endif // WEIR_PASSES_CODEGEN_CPU_LOWERRUNTIME_H

//===- Describer.h - Descriptors as constants -*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Emits the structs of include/weir-c/program.h and dataflow.h as constants of
// a module.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_PASSES_CODEGEN_CPU_DESCRIBER_H
#define WEIR_PASSES_CODEGEN_CPU_DESCRIBER_H

#include "dialects/Rt/Rt.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"

namespace weir {

/// Name and type of a feed, a fetch, a variable, an output.
struct DescribedTensor {
  std::string name;
  mlir::Type type;
};

/// Where the symbols of the module are in the program's tables.
struct SymbolPlaces {
  llvm::StringMap<int32_t> variables, resources;
};

class Describer {
public:
  /// `counter` numbers what is made; all describers of a module share it.
  Describer(mlir::ModuleOp module, unsigned &counter)
      : module(module), b(mlir::OpBuilder::atBlockEnd(module.getBody())),
        loc(module.getLoc()), context(module.getContext()),
        pointer(mlir::LLVM::LLVMPointerType::get(context)), i32(b.getI32Type()),
        tensorDesc(structOf({pointer, pointer, i32, i32})), counter(counter) {}

protected:
  mlir::Type structOf(mlir::ArrayRef<mlir::Type> fields) {
    return mlir::LLVM::LLVMStructType::getLiteral(context, fields);
  }

  /// A global constant of `type`, made by `make`. Internal ones get a number.
  mlir::LLVM::GlobalOp constant(llvm::StringRef name, mlir::Type type,
                                mlir::LLVM::Linkage linkage,
                                llvm::function_ref<mlir::Value()> make);
  /// One whose elements are given.
  mlir::LLVM::GlobalOp data(llvm::StringRef name,
                            mlir::DenseElementsAttr elements);
  mlir::LLVM::GlobalOp text(llvm::StringRef string);
  /// Nothing for a scalar.
  mlir::LLVM::GlobalOp dims(mlir::ArrayRef<int64_t> shape);
  /// An array of WeirTensorDesc; nothing where there are none.
  mlir::LLVM::GlobalOp tensors(mlir::ArrayRef<DescribedTensor> list);
  /// An array of `count` constants. Long ones are nested, which is the same in
  /// memory but costs less to build.
  mlir::LLVM::GlobalOp array(llvm::StringRef name, mlir::Type element,
                             size_t count,
                             llvm::function_ref<mlir::Value(size_t)> make);

  // Values inside the initializer of a constant.
  mlir::Value number(int64_t value);
  /// Null where there is no such constant.
  mlir::Value address(mlir::LLVM::GlobalOp global, int64_t offset = 0);
  mlir::Value null();
  mlir::Value pack(mlir::Type type, mlir::ValueRange fields);

  /// The list of a signature: {name, type}, ....
  static llvm::SmallVector<DescribedTensor> parse(mlir::ArrayAttr list);

  mlir::ModuleOp module;
  mlir::OpBuilder b;
  mlir::Location loc;
  mlir::MLIRContext *context;
  mlir::Type pointer, i32, tensorDesc;

private:
  mlir::Type arrayType(mlir::Type element, size_t count);
  mlir::Value packArray(mlir::Type element, size_t first, size_t count,
                        llvm::function_ref<mlir::Value(size_t)> make);
  unsigned &counter;
  llvm::StringMap<mlir::LLVM::GlobalOp> texts;
};

/// Emits the tables of nodes.
class DataflowDescriber : public Describer {
public:
  DataflowDescriber(mlir::ModuleOp module, unsigned &counter,
                    const SymbolPlaces &places);

  /// The WeirDataflow of a table, whose kernels are functions by now.
  mlir::LLVM::GlobalOp describe(rt::DataflowOp table);

private:
  struct Row;
  void collect(rt::NodeOp node, Row &row);
  void collectEdges(mlir::ValueRange operands);
  mlir::LLVM::GlobalOp outputs(rt::NodeOp node);
  mlir::LLVM::GlobalOp strings(mlir::ArrayRef<llvm::StringRef> list);
  mlir::LLVM::GlobalOp frames(rt::DataflowOp table);
  mlir::LLVM::GlobalOp constants(mlir::ArrayRef<rt::ImmediateOp> list);
  mlir::LLVM::GlobalOp elements(mlir::ElementsAttr value);
  mlir::LLVM::LLVMFuncOp function(llvm::StringRef name);
  llvm::StringMap<mlir::LLVM::LLVMFuncOp> functions;

  const SymbolPlaces &places;
  mlir::Type nodeDesc, frameDesc, view, dataflow, stringDesc;

  // Of the table at hand.
  llvm::DenseMap<mlir::Operation *, int32_t> numbers; // of nodes, constants
  llvm::SmallVector<int32_t> edgePool;
  llvm::SmallVector<int64_t> numberPool;
  std::string namePool;
  llvm::StringMap<size_t> nameAt;
  llvm::DenseMap<mlir::Attribute, mlir::LLVM::GlobalOp> outputsOf, textsOf;
};

/// Fills in the constants of `rt.gpu_module` ops, which it drops.
class GpuDescriber : public Describer {
public:
  GpuDescriber(mlir::ModuleOp module, unsigned &counter);
  void describe(rt::GpuModuleOp gpu);

private:
  mlir::LLVM::GlobalOp bytes(llvm::StringRef name, llvm::StringRef data);
  mlir::Type imageDesc, kernelDesc;
};

} // namespace weir

#endif // WEIR_PASSES_CODEGEN_CPU_DESCRIBER_H

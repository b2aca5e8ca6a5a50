//===- Native.h - LLVM IR and machine code of a module -------- -*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_DRIVER_NATIVE_H
#define WEIR_LIB_DRIVER_NATIVE_H

#include "lib/Driver/Driver.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Target/TargetMachine.h"

#include <memory>

namespace llvm {
class LLVMContext;
class Module;
} // namespace llvm

namespace weir {

/// Writes into the module which processor it is compiled for: what `options`
/// name, else what the module says already, else this one. Errors are those of
/// an unknown processor.
bool setTarget(mlir::ModuleOp module, const CompileOptions &options,
               Messages &messages);

/// The machine that makes code for the module's target; null on an error.
std::unique_ptr<llvm::TargetMachine> createMachine(mlir::ModuleOp module,
                                                   Messages &messages);

/// A module after the codegen phase as optimized LLVM IR.
class NativeModule {
public:
  ~NativeModule();
  NativeModule(const NativeModule &) = delete;
  NativeModule &operator=(const NativeModule &) = delete;

  /// Translates and optimizes. `machine` must outlive the result. Only the
  /// symbol `weir_program` stays visible, under the name `programAlias` too
  /// when that is not empty.
  static std::unique_ptr<NativeModule> create(mlir::ModuleOp module,
                                              llvm::TargetMachine &machine,
                                              const std::string &programAlias,
                                              Messages &messages);

  /// LLVM IR as text.
  std::string text() const;
  /// Assembly or an object file; uses the module up.
  bool generate(llvm::CodeGenFileType kind, llvm::SmallVectorImpl<char> &code,
                Messages &messages);
  /// True when the code calls the OpenMP library.
  bool needsOpenMP() const;
  /// True when the code calls glibc's library of vector functions.
  bool needsVectorMath() const;

private:
  NativeModule(llvm::TargetMachine &machine);
  void optimize();

  llvm::TargetMachine &machine;
  std::unique_ptr<llvm::LLVMContext> context;
  std::unique_ptr<llvm::Module> module;
};

/// A program as an object file, and what it wants to be linked with.
struct CompiledObject {
  llvm::SmallVector<char, 0> bytes;
  bool needsOpenMP = false;
  bool needsVectorMath = false;
};

/// Takes a copy of `program` through the phases and LLVM as far as optimized
/// LLVM IR. `machine` is set first and must outlive the result.
std::unique_ptr<NativeModule>
compileNative(const Program &program, const CompileOptions &options,
              const std::string &programAlias,
              std::unique_ptr<llvm::TargetMachine> &machine,
              Messages &messages);
/// The same, to an object file.
std::unique_ptr<CompiledObject> compileObject(const Program &program,
                                              const CompileOptions &options,
                                              const std::string &programAlias,
                                              Messages &messages);

} // namespace weir

#endif // WEIR_LIB_DRIVER_NATIVE_H

//===- CpuTarget.h - The CPU that code is made for --------------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_TARGET_CPUTARGET_H
#define WEIR_LIB_TARGET_CPUTARGET_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"

#include <cstdint>
#include <string>

namespace weir {

/// What code generation knows of a CPU. A value, owned by whoever holds it; the
/// module carries it as the attribute `rt.target`, which is the only thing that
/// the passes read, so that one input gives one output on every machine.
struct CpuTarget {
  /// The name as LLVM knows it; empty means the baseline of the architecture.
  std::string cpu;
  /// LLVM's feature string, "+avx2,+fma,...".
  std::string features;
  /// Bytes of the widest vector register that is worth using.
  int64_t vectorBytes = 16;
  int64_t vectorRegisters = 16;
  /// Threads that a parallel loop may count on; 1 keeps loops sequential.
  int64_t threads = 1;

  static constexpr const char *attributeName = "rt.target";

  /// Whether a fused multiply-add is one instruction (not a call of a
  /// function).
  bool hasFma() const;
  /// Whether vector loads and stores take a mask for 32- and 64-bit elements.
  bool hasMaskedMemory() const;
  /// Whether `feature` (no sign) is switched on in `features`.
  bool hasFeature(llvm::StringRef feature) const;

  /// Reads the attribute; missing keys keep the defaults above. An attribute
  /// that is there and has the wrong form is an error at `module`'s location.
  static mlir::FailureOr<CpuTarget> fromModule(mlir::ModuleOp module);
  mlir::DictionaryAttr toAttribute(mlir::MLIRContext *context) const;
  void attachTo(mlir::ModuleOp module) const;

  /// The machine this process runs on, with all its threads.
  static CpuTarget host();
  /// A CPU by name: "native", "" or "generic" (the baseline), or a name that
  /// LLVM knows ("x86-64-v3", "znver4"). Fails, with `error` set, on any other.
  static mlir::FailureOr<CpuTarget> named(llvm::StringRef name,
                                          std::string &error);
};

} // namespace weir

#endif // WEIR_LIB_TARGET_CPUTARGET_H

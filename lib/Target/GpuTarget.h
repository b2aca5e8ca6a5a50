//===- GpuTarget.h - Which GPUs code is made for -----------------*- C++
//-*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_TARGET_GPUTARGET_H
#define WEIR_LIB_TARGET_GPUTARGET_H

#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace weir {

/// What code generation knows of GPUs. The module carries it as the attribute
/// `rt.gpu`, written {architectures = [80, 90, 100], emulate, tf32, ptxas =
/// "/path"}.
struct GpuTarget {
  /// Compute capabilities times ten, of which each gets an image.
  std::vector<int32_t> architectures = {80, 90, 100};
  /// Whether kernels become functions of the host, too.
  bool emulate = false;
  /// Whether contractions of f32 may round their operands to tf32.
  bool tf32 = false;
  /// The assembler; empty: found where CUDA has it; "none": PTX is enough.
  std::string ptxas;

  static constexpr const char *attributeName = "rt.gpu";

  /// Reads the attribute; missing keys keep the defaults above. An attribute
  /// that has the wrong form is an error at `module`'s location.
  static mlir::FailureOr<GpuTarget> fromModule(mlir::ModuleOp module);
  mlir::DictionaryAttr toAttribute(mlir::MLIRContext *context) const;
};

/// The name of an architecture as ptxas takes it, "sm_80". Code for
/// `isSpecific` ones runs on no other.
std::string architectureName(int32_t architecture, bool &isSpecific);

} // namespace weir

#endif // WEIR_LIB_TARGET_GPUTARGET_H

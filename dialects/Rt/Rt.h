//===- Rt.h - Scheduled programs -------------------------------------*- C++
//-*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_DIALECTS_RT_RT_H
#define WEIR_DIALECTS_RT_RT_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/RegionKindInterface.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace weir::rt {
/// All that a step does to the world outside its own values.
struct WorldResource : mlir::SideEffects::Resource::Base<WorldResource> {
  llvm::StringRef getName() final { return "RtWorld"; }
};

/// Marks the function of an entry point: a dictionary with its signature.
constexpr llvm::StringLiteral entryAttrName = "rt.entry";

/// On a module: the full names of the devices there are, best first, and
/// whether nodes may be moved from where they ask to be.
constexpr llvm::StringLiteral devicesAttrName = "rt.devices";
constexpr llvm::StringLiteral softPlacementAttrName = "rt.soft_placement";

/// On a module: the size of the accelerator's array, "128x128".
constexpr llvm::StringLiteral mxuAttrName = "rt.mxu";

/// On a node of a part: how many times a value has to cross between devices
/// before the node can run. Nodes of one kernel have the same number: a kernel
/// that waits for another device must not hold what that device waits for.
constexpr llvm::StringLiteral hopAttrName = "rt.hop";

/// On an entry point: the full name of the device that runs it.
constexpr llvm::StringLiteral deviceAttrName = "rt.device";

/// On a module: "all" lets the executor run every entry point, "tasks" also
/// leaves every node as it is, so that running nodes can be measured.
constexpr llvm::StringLiteral executorAttrName = "rt.executor";

/// The user's types of what a checkpoint holds: in memory, a boolean is a byte
/// and no integer is unsigned.
constexpr llvm::StringLiteral typesAttrName = "rt.types";
} // namespace weir::rt

#include "dialects/Rt/RtDialect.h.inc"
#include "dialects/Rt/RtEnums.h.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/Rt/RtTypes.h.inc"

#define GET_OP_CLASSES
#include "dialects/Rt/RtOps.h.inc"

#endif // WEIR_DIALECTS_RT_RT_H

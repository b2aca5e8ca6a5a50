//===- HostCode.h - What host code does to memory ---------------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_PASSES_CODEGEN_GPU_HOSTCODE_H
#define WEIR_PASSES_CODEGEN_GPU_HOSTCODE_H

#include "dialects/Rt/Rt.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace weir::gpus {

using namespace mlir;

/// Whether host code reads memory of the device here, as long as its accesses
/// have not become copies: it has its own copy of a constant.
inline bool readsDevice(Operation *op) {
  auto load = dyn_cast<memref::LoadOp>(op);
  return load && !load.getMemRef().getDefiningOp<memref::GetGlobalOp>();
}

/// Whether nothing of the device changes by `op`, so that reads on either side
/// see the same.
inline bool leavesMemory(Operation *op) {
  return isa<memref::LoadOp, rt::AssertOp>(op) ||
         (op->getNumRegions() == 0 && isMemoryEffectFree(op));
}

} // namespace weir::gpus

#endif // WEIR_PASSES_CODEGEN_GPU_HOSTCODE_H

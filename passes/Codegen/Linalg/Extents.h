//===- Extents.h - Which dynamic extents are the same ---------------*- C++
//-*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two dynamic extents that provably come from one value need no check at run
// time. `Extents` gives each extent of each value of a function a code: equal
// codes are equal extents, always.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_PASSES_CODEGEN_LINALG_EXTENTS_H
#define WEIR_PASSES_CODEGEN_LINALG_EXTENTS_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

namespace weir {

class Extents {
public:
  /// Reads all ops under `root`, in the order of the text.
  explicit Extents(mlir::Operation *root);

  /// One code for each extent of a tensor: the extent itself where it is
  /// static, else a negative name.
  llvm::ArrayRef<int64_t> operator[](mlir::Value tensor) const;

private:
  using Codes = llvm::SmallVector<int64_t, 4>;

  void visit(mlir::Operation *op);
  Codes infer(mlir::Operation *op);
  /// The codes of `value`: `codes`, but for what its type says better; all
  /// new names where `codes` do not fit.
  void record(mlir::Value value, llvm::ArrayRef<int64_t> codes);

  llvm::DenseMap<mlir::Value, Codes> table;
  int64_t next = -1;
};

} // namespace weir

#endif // WEIR_PASSES_CODEGEN_LINALG_EXTENTS_H

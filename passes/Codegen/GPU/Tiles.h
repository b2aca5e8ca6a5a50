//===- Tiles.h - Tiles of a contraction in shared memory ---------*- C++
//-*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Matrix products, convolutions and their gradients are one thing here: rows,
// columns and terms are numbers of several loops taken together, and where an
// operand is found depends on them linearly (an implicit im2col). A block makes
// a tile of rows and columns; its threads bring a slice of terms to shared
// memory, of zeros where there is no element. What they do with it is up to the
// two kinds of Tiles.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_PASSES_CODEGEN_GPU_TILES_H
#define WEIR_PASSES_CODEGEN_GPU_TILES_H

#include "passes/Codegen/GPU/Launch.h"

namespace weir::gpus {

/// Terms in a slice.
constexpr int64_t sliceSize = 16;

/// One side of the tile: an operand, its own loops and how much of them a block
/// takes.
struct Side {
  unsigned operand = 0;
  SmallVector<unsigned> dims;
  int64_t tile = 64;
  /// Whether neighbouring threads bring neighbouring terms.
  bool termsFirst = false;
  /// The slice, terms by places; how many places there are in all, and the
  /// first of this block.
  Value shared, count, start;
  /// For each element that a thread brings: where it is without its term, and
  /// whether it is there.
  SmallVector<Cursor> cursors;
  SmallVector<Value> inside;
};

class Tiles {
public:
  Tiles(Nest &nest, bool zeroInit);
  virtual ~Tiles() = default;
  void emit(OpBuilder &b, const LaunchName &name);

protected:
  /// What a thread sums up, to begin with.
  virtual SmallVector<Value> zeros(OpBuilder &b) = 0;
  /// Adds a slice to it.
  virtual SmallVector<Value> multiply(OpBuilder &b, Value thread,
                                      ValueRange sums) = 0;
  /// Stores it, element by element.
  virtual void store(OpBuilder &b, const Cursor &batch, Value thread,
                     ValueRange sums) = 0;
  /// Stores the element at a place in the tile, if there is one.
  void storeElement(OpBuilder &b, const Cursor &batch, Value row, Value column,
                    Value value);
  Type elementOf(const Side &tile) const {
    return nest.accesses[tile.operand].element;
  }

  Nest &nest;
  ContractionDims dims;
  bool zeroInit;
  Location loc;
  Side rows, columns;

private:
  void decideOrder(Side &tile) const;
  std::pair<Value, Value> placeOf(OpBuilder &b, const Side &tile, Value thread,
                                  int64_t i);
  void prepare(OpBuilder &b, Side &tile, const Cursor &batch, Value thread);
  void bring(OpBuilder &b, const Side &tile, Value thread, Value slice,
             Value terms);
};

} // namespace weir::gpus

#endif // WEIR_PASSES_CODEGEN_GPU_TILES_H

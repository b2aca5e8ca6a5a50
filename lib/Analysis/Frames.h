//===- Frames.h - The loop that each node belongs to -*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A weir.enter leads into a frame, a weir.exit out of it. Frames are static:
// known by name, nested, and the same for every iteration. Frame 0 is the graph
// itself. A constant or handle is in no frame; a node that takes only such
// values, and waits for nothing, runs once, in frame 0.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_ANALYSIS_FRAMES_H
#define WEIR_LIB_ANALYSIS_FRAMES_H

#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"

#include <string>
#include <vector>

namespace weir {

/// True for nodes that may run although not all operands are there, or that
/// give some results only: switches, merges, those of loops, control triggers.
bool isNonStrict(mlir::Operation *op);

/// True for the values that are there in every frame: constants and handles.
bool isEverywhere(mlir::Value value);

struct Frame {
  std::string name;
  /// A smaller number; that of frame 0 is 0.
  unsigned parent = 0;
  /// The smallest that an enter asks for.
  int64_t parallelIterations = 1;
  /// The first node that enters it; null for frame 0.
  mlir::Operation *enter = nullptr;
  /// The weir.loop_cond, if there is one.
  mlir::Operation *condition = nullptr;
};

class Frames {
public:
  /// The frames of a graph's block. Fails, with an error at a node, where nodes
  /// of different frames meet and where a loop is malformed (WEIR0111,
  /// WEIR0112, WEIR0117); with `remarks`, tells where enters disagree
  /// (WEIR0116). Nodes on a cycle that is no loop are left out.
  static llvm::FailureOr<Frames> compute(mlir::Block &block,
                                         bool remarks = false);

  /// Frame 0 first, and parents before children.
  const std::vector<Frame> &all() const { return frames; }

  /// The frame in which a node runs: of an enter the one that it comes from, of
  /// an exit the one that it leaves.
  unsigned of(mlir::Operation *op) const { return inside.lookup(op); }

  /// The frame in which a value is there; 0 for one that is everywhere.
  unsigned of(mlir::Value value) const;

  /// "the graph" or "frame 'f'".
  std::string text(unsigned frame) const;

private:
  friend class FrameFinder;
  std::vector<Frame> frames{Frame()};
  llvm::DenseMap<mlir::Operation *, unsigned> inside;
  /// Of enters and exits: the frame of their results.
  llvm::DenseMap<mlir::Operation *, unsigned> outside;
};

} // namespace weir

#endif // WEIR_LIB_ANALYSIS_FRAMES_H

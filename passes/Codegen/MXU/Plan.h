//===- Plan.h - What goes where in the unified buffer -----------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A network as loads, layers and stores on buffers, whatever the number of
// images in a block; then how many images a block has, and where its buffers
// are.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_PASSES_CODEGEN_MXU_PLAN_H
#define WEIR_PASSES_CODEGEN_MXU_PLAN_H

#include "passes/Codegen/MXU/Network.h"

namespace weir {

/// Rows of the unified buffer that live from one item to another.
struct MxuBuffer {
  MxuShape shape;
  int64_t begin, end;
};

struct MxuItem {
  enum Kind { load, compute, store };
  Kind kind;
  /// Of a layer: its number, and the buffer it makes.
  int64_t layer = -1, output = -1;
  /// The buffer that is loaded, stored, or read by a layer.
  int64_t buffer;
  /// Of a load or store: where in DRAM. `offset` counts bytes of one image;
  /// scratch of the images of a block lies together.
  int64_t space = -1, offset = 0;
};

struct MxuPlan {
  std::vector<MxuBuffer> buffers;
  std::vector<MxuItem> items;
  /// Bytes of scratch for one image.
  int64_t scratch = 0;

  /// Where the buffers of a block of `images` begin; empty where it does not
  /// fit.
  std::vector<int64_t> place(const mxu::Machine &machine, int64_t images) const;
};

/// With `spills`, what a layer makes goes to DRAM and comes back for each layer
/// that reads it: then no more than the input and the output of a layer are in
/// the unified buffer.
MxuPlan planMxu(const MxuNetwork &network, bool spills);

/// How many images blocks have, largest first: whole blocks of the first size
/// run as often as the batch allows, then those of the next.
std::vector<int64_t> chooseMxuBlocks(const MxuNetwork &network,
                                     const MxuPlan &plan,
                                     const mxu::Machine &machine);

} // namespace weir

#endif // WEIR_PASSES_CODEGEN_MXU_PLAN_H

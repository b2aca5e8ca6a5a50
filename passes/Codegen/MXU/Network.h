//===- Network.h - What a program of the accelerator computes ---*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The nodes of a kernel that work on the rows of one feed, in an order in which
// they can run, without those that change no element.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_PASSES_CODEGEN_MXU_NETWORK_H
#define WEIR_PASSES_CODEGEN_MXU_NETWORK_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "weir/MxuImage.h"

#include <optional>
#include <vector>

namespace weir {

/// How a row lies in the unified buffer: places of `channels` elements each,
/// which are cut into planes of an array's size.
struct MxuShape {
  int64_t places = 1, channels = 1;

  int64_t bytes() const { return places * channels; }
  int64_t planes(int64_t array) const { return (channels + array - 1) / array; }
  bool operator==(const MxuShape &) const = default;
};

/// Where numbers of DRAM are: an entry that is loaded at run time, or weights.
struct MxuSource {
  int64_t space = mxu::weightsSpace;
  int64_t offset = 0;
};

struct MxuLayer {
  enum Kind { product, pool };
  Kind kind;
  /// The tensors it reads and makes; 0 is the feed.
  int64_t input, output;
  /// Over one image. A product whose window is a row takes rows of any shape.
  mxu::Window window;
  bool isRow;
  /// How the input has to lie.
  MxuShape inputShape;
  // Of products.
  int64_t columns = 0;
  MxuSource weights, bias, multipliers, shifts;
  int64_t inputZero = 0, outputZero = 0, min = -128, max = 127;
  /// Over the places of one image's result, of which the largest are kept.
  std::optional<mxu::Window> pooling;
};

struct MxuStore {
  int64_t tensor;
  /// The entry that it goes to.
  int64_t space;
};

/// A program before it is cut into blocks.
struct MxuNetwork {
  /// The feed whose rows it works on, and the number of them or dynamicRows.
  int64_t feed = 0;
  int64_t rows = mxu::dynamicRows;
  int64_t feedElementBytes = 1;
  /// What the tensors are made of: the shape that their producer gives them.
  std::vector<MxuShape> tensors;
  std::vector<MxuLayer> layers;
  std::vector<MxuStore> stores;
  /// The entries: feed, other feeds, outputs.
  std::vector<mxu::Entry> entries;
  /// For entries, the number of the feed or of the fetch.
  std::vector<int64_t> places;
  std::vector<uint8_t> weights;
  /// The names of the nodes and their place, for messages.
  std::string node;
};

/// The networks of a kernel, one for each feed whose rows are worked on. What
/// the accelerator cannot run is an error (WEIR0160) at its node.
llvm::FailureOr<std::vector<MxuNetwork>>
readMxuNetworks(mlir::func::FuncOp kernel);

/// Makes a pooling part of the convolution before it, where nothing else wants
/// what that makes and the accumulators hold enough of its sums.
void fuseMxuPools(MxuNetwork &network, const mxu::Machine &machine);

} // namespace weir

#endif // WEIR_PASSES_CODEGEN_MXU_NETWORK_H

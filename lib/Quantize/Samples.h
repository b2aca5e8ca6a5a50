//===- Samples.h - Feeds to calibrate with -*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_QUANTIZE_SAMPLES_H
#define WEIR_LIB_QUANTIZE_SAMPLES_H

#include "dialects/Weir/Weir.h"
#include "lib/Interpreter/Tensor.h"
#include "lib/Support/Messages.h"

#include <map>
#include <memory>

namespace weir {

/// Arrays by name.
using NamedTensors = std::map<std::string, Tensor>;

/// The arrays of a .npz file or of a caller, by name.
class Samples {
public:
  /// Null, and an error [WEIR0260], where the file cannot be read.
  static std::unique_ptr<Samples> open(const std::string &path,
                                       Messages &messages);
  static std::unique_ptr<Samples> of(NamedTensors arrays);

  /// The array for the feed of that name and type. A feed has as many rows at a
  /// time as it says, or any number where its first extent is open; the array
  /// has rows for all steps, or is the feed of each step. An error [WEIR0261]
  /// where there is none or it does not fit.
  const Tensor *find(const std::string &feed, mlir::RankedTensorType type,
                     Messages &messages);

private:
  explicit Samples(std::string what) : what(std::move(what)) {}
  /// The array of that name; null after an error.
  const Tensor *load(const std::string &feed, Messages &messages);

  /// "the samples 's.npz'" for messages.
  std::string what;
  /// The archive; empty where all arrays are there.
  std::string bytes;
  NamedTensors arrays;
};

/// Rows begin <= i < end of an array.
Tensor rowsOf(const Tensor &array, int64_t begin, int64_t end);

} // namespace weir

#endif // WEIR_LIB_QUANTIZE_SAMPLES_H

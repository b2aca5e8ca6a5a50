//===- Dataset.h - Named arrays of examples, and batches of them *- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The arrays of a data set have the examples along their first dimension, all
// the same number.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_CLI_DATASET_H
#define WEIR_RUNTIME_CLI_DATASET_H

#include "runtime/core/Tensor.h"
#include "weir-c/program.h"

#include <string>
#include <vector>

namespace weir::rt {

class Dataset {
public:
  /// Loads "x=a.npy,y=b.npy"; `flag` is the option it came with.
  static Status load(const std::string &flag, const std::string &text,
                     Dataset &dataset);

  /// Adds an array; it must have as many examples as those before it.
  Status add(const std::string &name, TensorRef array);

  int64_t rows() const { return count; }
  /// The array `name`, or null.
  const TensorRef *find(std::string_view name) const;

  /// The arrays that the feeds of `entry` want, in their order; an error names
  /// the feed that has none.
  Status arraysFor(const WeirEntryDesc &entry,
                   std::vector<const TensorRef *> &arrays) const;

private:
  std::string flag = "--data";
  std::vector<std::pair<std::string, TensorRef>> arrays;
  int64_t count = 0;
};

/// Batches of the arrays of one entry point. Its buffers are used again for the
/// next batch.
class Batcher {
public:
  /// `arrays` are of one data set and stay alive; batches have at most `batch`
  /// rows.
  static Status create(std::vector<const TensorRef *> arrays, int64_t batch,
                       Batcher &batcher);

  /// The rows `order[from] … order[from + rows - 1]` of each array, copied; the
  /// views are good until the next call.
  const WeirView *gather(const int64_t *order, int64_t from, int64_t rows);
  /// The rows `from … from + rows - 1` of each array, in place.
  const WeirView *slice(int64_t from, int64_t rows);

private:
  struct Column {
    WeirView source;
    TensorRef buffer;
    std::vector<int64_t> dims;
    int64_t rowBytes = 0;
  };

  void setRows(int64_t rows);

  std::vector<Column> columns;
  std::vector<WeirView> views;
};

/// The number of rows that the feeds of `entry` ask for in their first
/// dimension: what it says when it is static, else 0; an error when two feeds
/// contradict each other or one has rank 0.
Status staticRows(const WeirEntryDesc &entry, int64_t &rows);

} // namespace weir::rt

#endif // WEIR_RUNTIME_CLI_DATASET_H

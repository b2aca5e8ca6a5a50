//===- Strings.h - Making tensors of strings --------------------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Objects belong to one thread at a time.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_INPUT_STRINGS_H
#define WEIR_RUNTIME_INPUT_STRINGS_H

#include "runtime/core/Allocator.h"
#include "runtime/core/Tensor.h"

#include <string_view>
#include <vector>

namespace weir::rt {

inline std::string_view textOf(const WeirString &string) {
  return {string.data, static_cast<size_t>(string.size)};
}

/// Collects strings and makes one tensor of them, whose bytes are copied once.
class StringsBuilder {
public:
  StringsBuilder() = default;
  ~StringsBuilder();
  StringsBuilder(const StringsBuilder &) = delete;
  StringsBuilder &operator=(const StringsBuilder &) = delete;

  /// RESOURCE_EXHAUSTED when there is no memory; nothing is added then.
  Status add(std::string_view string);
  /// Room for a string of `size` bytes, which the caller writes before the next
  /// call.
  Status add(int64_t size, char *&bytes);
  int64_t count() const { return static_cast<int64_t>(ends.size()); }
  void clear() { ends.clear(); }

  /// The tensor of the extents given, which count() elements fill; or a vector
  /// of them. The builder is empty then.
  Status finish(int32_t rank, const int64_t *dims, TensorRef &result);
  Status finish(TensorRef &result);

private:
  Block *block = nullptr;
  int64_t capacity = 0;
  /// Where each string ends in the block.
  std::vector<int64_t> ends;
};

/// A string scalar of `size` bytes, which the caller writes.
Status makeBytes(int64_t size, TensorRef &result, char *&bytes);

} // namespace weir::rt

#endif // WEIR_RUNTIME_INPUT_STRINGS_H

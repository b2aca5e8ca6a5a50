//===- TensorArray.h - Tensors by index -------------------------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a loop reads its inputs from and puts its outputs in. An element is
// written once; only in an array of gradients a second write adds to the first.
// docs/spec/resources.md has all rules; they are TensorFlow's.
//
// An array belongs to a step; it lives as long as a handle of it, and its
// arrays of gradients live as long as itself. All functions may be called from
// any thread. Errors are INVALID_ARGUMENT with a code between WEIR0353 and
// WEIR0359 unless something else is said.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_STATE_TENSORARRAY_H
#define WEIR_RUNTIME_STATE_TENSORARRAY_H

#include "runtime/state/Resource.h"
#include "weir-c/program.h"

#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace weir::rt {

/// A shape of which the rank or extents (-1) may be unknown.
struct PartialShape {
  bool hasRank = false;
  std::vector<int64_t> dims;

  /// The extents of `desc` from dimension `skip` on.
  static PartialShape of(const WeirTensorDesc &desc, int32_t skip);

  bool isKnown() const;
  /// May a tensor with these extents have the shape?
  bool allows(const int64_t *extents, int32_t rank) const;
  /// Takes in what `other` knows; false where they contradict each other.
  bool merge(const PartialShape &other);
  void set(const int64_t *extents, int32_t rank);
  /// "[?,2]", "of unknown rank".
  std::string text() const;
};

struct TensorArrayOptions {
  int32_t dtype = WEIR_F32;
  PartialShape elementShape;
  /// Writes behind the end make the array larger.
  bool dynamicSize = false;
  /// A read gives up the element.
  bool clearAfterRead = true;
  /// The first write decides on the shape of all elements.
  bool identicalShapes = false;
};

class TensorArray final : public Resource {
public:
  /// `node` stands for it in messages.
  static Status create(std::string node, int64_t size,
                       TensorArrayOptions options,
                       std::shared_ptr<TensorArray> &result);
  ~TensorArray() override;

  std::string describe() const override { return title; }

  Status write(int64_t index, const TensorRef &value);
  Status read(int64_t index, TensorRef &value);
  Status size(int64_t &result);

  /// The elements `indices` (a vector of i32) as one tensor, with a new first
  /// dimension. `shape` is what is known of an element. UNIMPLEMENTED where
  /// there are no indices and it does not know all.
  Status gather(const WeirView &indices, const PartialShape &shape,
                TensorRef &value);
  /// Writes `value[i]` to the element `indices[i]`.
  Status scatter(const WeirView &indices, const WeirView &value);

  /// All elements, one behind the other along dimension 0, and their extents
  /// there (a vector of i64). `shape` is what is known of the other extents.
  /// UNIMPLEMENTED as above.
  Status concat(const PartialShape &shape, TensorRef &value,
                TensorRef &lengths);
  /// Writes the first `lengths[0]` slices of `value` to element 0, the next to
  /// element 1, and so on.
  Status split(const WeirView &value, const WeirView &lengths);

  /// The array of gradients for `source`, made when it is asked for first. It
  /// reads as zeros of the shapes that are here now.
  Status gradient(const std::string &source,
                  std::shared_ptr<TensorArray> &result);

  /// Drops what is in it; everything else fails from now on. May be repeated.
  void close();

private:
  /// An element that was written has a value, or only a shape: then it is zeros
  /// of that shape.
  struct Element {
    TensorRef value;
    std::vector<int64_t> shape;
    bool written = false, read = false, cleared = false;
    /// The value is the array's own, made by adding.
    bool isSum = false;
  };
  /// Elements come into being in chunks, so that a large array of which little
  /// is used is small.
  static constexpr int64_t kChunk = 32;
  struct Chunk {
    Element elements[kChunk];
  };

  TensorArray(std::string title, int64_t size, TensorArrayOptions options)
      : title(std::move(title)), options(std::move(options)), count(size) {}

  Status refuse(const char *code, const std::string &what) const;
  // With the lock held:
  Status checkOpen() const;
  Status checkDType(const WeirView &value) const;
  Element &element(int64_t index);
  Status writeLocked(int64_t index, const TensorRef &value);
  Status add(int64_t index, Element &element, const TensorRef &value);
  Status readLocked(int64_t index, TensorRef &value);
  void copyShapesTo(TensorArray &gradients);

  const std::string title;
  std::mutex mutex;
  TensorArrayOptions options;
  int64_t count;
  std::vector<std::unique_ptr<Chunk>> chunks;
  bool closed = false;
  /// Of an array of gradients: writes add.
  bool isGradient = false;
  /// How many elements the last split wrote, -1 before the first: what the
  /// gradient of that split is made of.
  int64_t splitCount = -1;
  std::unordered_map<std::string, std::shared_ptr<TensorArray>> gradients;
};

} // namespace weir::rt

#endif // WEIR_RUNTIME_STATE_TENSORARRAY_H

//===- Decode.h - From bytes and text to tensors ----------------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// The decoders of the graph, as plain functions. All of them take any bytes:
// what is damaged is an error, and no length is believed before it is checked.
// They keep no state and may run on any thread.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_INPUT_DECODE_H
#define WEIR_RUNTIME_INPUT_DECODE_H

#include "runtime/core/Tensor.h"

#include <string>
#include <string_view>
#include <vector>

namespace weir::rt {

/// The strings of `strings`, all of one length, as numbers of `dtype`: one more
/// dimension than `strings`. INVALID_ARGUMENT [WEIR0365].
Status decodeRaw(const WeirView &strings, int32_t dtype, bool littleEndian,
                 TensorRef &values);

struct CsvOptions {
  char delimiter = ',';
  /// Another text, beside an empty field, that means "not given".
  std::string_view notGiven;
  bool quotes = true;
};

/// The fields of RFC 4180 records, a column for each of `defaults`: each a
/// scalar or vector of the column's type, without an element where the field
/// is required. INVALID_ARGUMENT [WEIR0364].
Status decodeCsv(const WeirView &records, const std::vector<WeirView> &defaults,
                 const CsvOptions &options, std::vector<TensorRef> &columns);

/// A PNG or JPEG image, told apart by its first bytes: height x width x
/// channels. `channels` 0 takes what the file has; 1, 3 and (PNG) 4 convert.
/// INVALID_ARGUMENT [WEIR0363].
Status decodeImage(std::string_view bytes, int64_t channels, TensorRef &image);

/// The array of a .npy file; or of the member `member` (with or without
/// ".npy") of a .npz file, whose only member it is where the name is empty.
/// INVALID_ARGUMENT or DATA_LOSS [WEIR0367], [WEIR0316].
Status decodeNpy(std::string_view bytes, std::string_view member,
                 TensorRef &value);

/// A dense feature of tf.Example messages.
struct ExampleFeature {
  std::string_view name;
  int32_t dtype; ///< WEIR_F32, WEIR_I64 or WEIR_STRING.
  std::vector<int64_t> dims;
  /// The value where the feature is missing; required where it has no elements.
  WeirView defaultValue;
};

/// The features of the messages in `serialized`, a tensor for each, whose
/// extents are those of `serialized` and the feature's. INVALID_ARGUMENT
/// [WEIR0366].
Status parseExamples(const WeirView &serialized,
                     const std::vector<ExampleFeature> &features,
                     std::vector<TensorRef> &values);

/// The strings of each position joined; scalars join all. INVALID_ARGUMENT
/// [WEIR0369].
Status joinStrings(const std::vector<WeirView> &inputs,
                   std::string_view separator, TensorRef &joined);

/// Numbers as text: "%d", "%f" or true and false. INVALID_ARGUMENT [WEIR0369].
Status formatNumbers(const WeirView &values, TensorRef &strings);

/// Text as numbers of `dtype`. INVALID_ARGUMENT [WEIR0369].
Status parseNumbers(const WeirView &strings, int32_t dtype, TensorRef &values);

/// The number that all of `text` is, spaces around it aside; false where it is
/// none or an integer does not fit.
bool parseNumber(std::string_view text, float &value);
bool parseNumber(std::string_view text, double &value);
bool parseNumber(std::string_view text, int32_t &value);
bool parseNumber(std::string_view text, int64_t &value);

/// The files whose names match `pattern`, sorted: in each part of the path `*`,
/// `?` and `[…]` stand for anything but a slash. No match is no error.
/// Directories that cannot be read hold no match.
Status matchingFiles(std::string_view pattern, std::vector<std::string> &files);

/// All bytes of a file, as a scalar. Errors have a number ([WEIR0360]).
Status readWholeFile(std::string_view path, TensorRef &bytes);

} // namespace weir::rt

#endif // WEIR_RUNTIME_INPUT_DECODE_H

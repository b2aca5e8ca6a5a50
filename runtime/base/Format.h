//===- Format.h - Text of messages ------------------------------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Small helpers that make messages, without iostreams (they would be a third
// of a small executable).
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_BASE_FORMAT_H
#define WEIR_RUNTIME_BASE_FORMAT_H

#include "weir-c/types.h"

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace weir::rt {

/// A piece of a message: text or a number.
class Piece {
public:
  Piece(std::string_view text) : text(text) {}
  Piece(const char *text) : text(text ? text : "(null)") {}
  Piece(const std::string &text) : text(text) {}
  Piece(int value) : Piece(static_cast<long long>(value)) {}
  Piece(long value) : Piece(static_cast<long long>(value)) {}
  Piece(long long value);
  Piece(unsigned value) : Piece(static_cast<unsigned long long>(value)) {}
  Piece(unsigned long value) : Piece(static_cast<unsigned long long>(value)) {}
  Piece(unsigned long long value);
  Piece(const Piece &) = delete;

  std::string_view view() const {
    return length ? std::string_view(digits, length) : text;
  }

private:
  std::string_view text;
  char digits[24];
  size_t length = 0;
};

/// The pieces joined.
std::string joinPieces(std::initializer_list<std::string_view> pieces);

template <typename... Args> std::string str(const Args &...args) {
  return joinPieces({Piece(args).view()...});
}

/// A tensor type as a graph writes it: "tensor<?x64xf32>".
std::string typeText(int32_t dtype, const int64_t *dims, int32_t rank);

/// `value` with `digits` significant digits, as printf's %g does.
std::string numberText(double value, int digits = 6);

/// The names that are most like `name`, best first, at most three; only those
/// near enough to be a slip of the fingers.
std::vector<std::string_view>
closeNames(std::string_view name, const std::vector<std::string_view> &known);

/// "; did you mean 'a' or 'b'?", or "" when nothing is close.
std::string didYouMean(std::string_view name,
                       const std::vector<std::string_view> &known);

/// "'a', 'b', 'c'", cut with "and n more" after `limit` names.
std::string listNames(const std::vector<std::string_view> &names,
                      size_t limit = 12);

} // namespace weir::rt

#endif // WEIR_RUNTIME_BASE_FORMAT_H

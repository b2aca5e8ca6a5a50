//===- Format.cpp - Text of messages --------------------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/base/Format.h"
#include "runtime/base/DType.h"

#include <algorithm>
#include <cstdio>

using namespace weir::rt;

Piece::Piece(long long value) {
  length = static_cast<size_t>(snprintf(digits, sizeof(digits), "%lld", value));
}

Piece::Piece(unsigned long long value) {
  length = static_cast<size_t>(snprintf(digits, sizeof(digits), "%llu", value));
}

std::string
weir::rt::joinPieces(std::initializer_list<std::string_view> pieces) {
  size_t size = 0;
  for (std::string_view piece : pieces)
    size += piece.size();
  std::string result;
  result.reserve(size);
  for (std::string_view piece : pieces)
    result.append(piece);
  return result;
}

std::string weir::rt::typeText(int32_t dtype, const int64_t *dims,
                               int32_t rank) {
  if (dtype == WEIR_RESOURCE && rank <= 0)
    return "tensor<!weir.resource>";
  std::string text = rank < 0 ? "tensor<*x" : "tensor<";
  for (int32_t i = 0; dims && i < rank; ++i) {
    if (dims[i] == -1)
      text += '?';
    else
      text += str(dims[i]);
    text += 'x';
  }
  if (const DTypeInfo *info = dtypeInfo(dtype))
    text += info->name;
  else
    text += str("dtype ", dtype);
  text += '>';
  return text;
}

std::string weir::rt::numberText(double value, int digits) {
  char buffer[40];
  snprintf(buffer, sizeof(buffer), "%.*g", digits, value);
  return buffer;
}

/// The number of letters to insert, drop, change, or swap with the next one to
/// make `b` of `a`; given up (as `limit` + 1) once it exceeds `limit`.
static size_t editDistance(std::string_view a, std::string_view b,
                           size_t limit) {
  size_t lengthGap =
      a.size() > b.size() ? a.size() - b.size() : b.size() - a.size();
  if (lengthGap > limit)
    return limit + 1;
  // Rows of the usual table: of this letter of `a`, the one before, and the one
  // before that.
  std::vector<size_t> row(b.size() + 1), above(row), twoAbove(row);
  for (size_t j = 0; j <= b.size(); ++j)
    above[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t best = row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({above[j] + 1, row[j - 1] + 1,
                         above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], twoAbove[j - 2] + 1);
      best = std::min(best, row[j]);
    }
    if (best > limit)
      return limit + 1;
    std::swap(twoAbove, above);
    std::swap(above, row);
  }
  return above[b.size()];
}

std::vector<std::string_view>
weir::rt::closeNames(std::string_view name,
                     const std::vector<std::string_view> &known) {
  // Names longer than this are not typed by hand; the quadratic distance is
  // not worth its time on them.
  if (name.empty() || name.size() > 256)
    return {};
  size_t limit = std::max<size_t>(1, name.size() / 3);
  std::vector<std::pair<size_t, std::string_view>> found;
  for (std::string_view candidate : known) {
    size_t distance = editDistance(name, candidate, limit);
    if (distance <= limit)
      found.push_back({distance, candidate});
  }
  std::sort(found.begin(), found.end());
  std::vector<std::string_view> result;
  for (size_t i = 0; i < found.size() && i < 3; ++i)
    result.push_back(found[i].second);
  return result;
}

std::string weir::rt::didYouMean(std::string_view name,
                                 const std::vector<std::string_view> &known) {
  std::vector<std::string_view> close = closeNames(name, known);
  if (close.empty())
    return "";
  std::string text = "; did you mean ";
  for (size_t i = 0; i < close.size(); ++i)
    text += str(i ? " or '" : "'", close[i], "'");
  return text + "?";
}

std::string weir::rt::listNames(const std::vector<std::string_view> &names,
                                size_t limit) {
  if (names.empty())
    return "none";
  std::string text;
  for (size_t i = 0; i < names.size() && i < limit; ++i)
    text += str(i ? ", '" : "'", names[i], "'");
  if (names.size() > limit)
    text += str(" and ", names.size() - limit, " more");
  return text;
}

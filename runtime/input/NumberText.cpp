//===- NumberText.cpp - Numbers as text and text as numbers ---------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/base/Checked.h"
#include "runtime/base/DType.h"
#include "runtime/base/Format.h"
#include "runtime/base/Half.h"
#include "runtime/input/Decode.h"
#include "runtime/input/Strings.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>

using namespace weir::rt;

/// As C's isspace in its own locale.
static bool isSpace(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

static std::string_view trim(std::string_view text) {
  while (!text.empty() && isSpace(text.front()))
    text.remove_prefix(1);
  while (!text.empty() && isSpace(text.back()))
    text.remove_suffix(1);
  return text;
}

/// Takes a sign off the front; true for a minus.
static bool takeSign(std::string_view &text) {
  if (text.empty() || (text[0] != '-' && text[0] != '+'))
    return false;
  bool negative = text[0] == '-';
  text.remove_prefix(1);
  return negative;
}

/// True when a number that is out of range is too large, not too small. `text`
/// is its digits without a sign; `exponentMark` is 'e' or 'p'.
static bool isTooLarge(std::string_view text, char exponentMark) {
  size_t mark = text.find_first_of(
      exponentMark == 'e' ? std::string_view("eE") : std::string_view("pP"));
  std::string_view digits = text.substr(0, mark);
  // Digits before the point decide, unless they are all zeros.
  std::string_view whole = digits.substr(0, digits.find('.'));
  size_t leading = whole.find_first_not_of('0');
  int64_t places = leading == std::string_view::npos
                       ? 0
                       : static_cast<int64_t>(whole.size() - leading);
  if (places == 0 && whole.size() < digits.size()) {
    std::string_view fraction = digits.substr(whole.size() + 1);
    places = -static_cast<int64_t>(
        std::min(fraction.find_first_not_of('0'), fraction.size()));
  }
  if (exponentMark == 'p')
    places *= 4;
  if (mark == std::string_view::npos)
    return places > 0;
  bool negative = text[mark + 1] == '-';
  std::string_view exponent = text.substr(mark + 1);
  takeSign(exponent);
  int64_t value = 0;
  for (char c : exponent)
    if (!checkedMul(value, 10, value) || !checkedAdd(value, c - '0', value))
      return !negative;
  return (negative ? -value : value) + places > 0;
}

template <typename T> static bool parseFloat(std::string_view text, T &value) {
  text = trim(text);
  bool negative = takeSign(text);
  // from_chars takes a sign of its own.
  if (text.empty() || text[0] == '-' || text[0] == '+')
    return false;
  std::chars_format format = std::chars_format::general;
  if (text.size() > 2 && text[0] == '0' && (text[1] | 0x20) == 'x') {
    format = std::chars_format::hex;
    text.remove_prefix(2);
    // Words, and a sign, are no hexadecimal numbers.
    if (!isxdigit(static_cast<unsigned char>(text[0])) && text[0] != '.')
      return false;
  }
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value, format);
  if (end != text.data() + text.size() || error == std::errc::invalid_argument)
    return false;
  if (error == std::errc::result_out_of_range)
    value = isTooLarge(text, format == std::chars_format::hex ? 'p' : 'e')
                ? std::numeric_limits<T>::infinity()
                : T(0);
  if (negative)
    value = -value;
  return true;
}

template <typename T>
static bool parseInteger(std::string_view text, T &value) {
  text = trim(text);
  if (!text.empty() && text[0] == '+') {
    text.remove_prefix(1);
    if (!text.empty() && text[0] == '-')
      return false;
  }
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

bool weir::rt::parseNumber(std::string_view text, float &value) {
  return parseFloat(text, value);
}
bool weir::rt::parseNumber(std::string_view text, double &value) {
  return parseFloat(text, value);
}
bool weir::rt::parseNumber(std::string_view text, int32_t &value) {
  return parseInteger(text, value);
}
bool weir::rt::parseNumber(std::string_view text, int64_t &value) {
  return parseInteger(text, value);
}

template <typename T>
static Status parseAll(const WeirView &strings, int64_t count, T *values) {
  const WeirString *text = static_cast<const WeirString *>(strings.data);
  for (int64_t i = 0; i < count; ++i)
    if (!parseNumber(textOf(text[i]), values[i]))
      return Status(WEIR_INVALID_ARGUMENT,
                    str("[WEIR0369] element ", i,
                        " is no number of its type: '",
                        textOf(text[i]).substr(0, 80), "'"));
  return Status();
}

Status weir::rt::parseNumbers(const WeirView &strings, int32_t dtype,
                              TensorRef &values) {
  TensorRef made;
  WEIR_RETURN_IF_ERROR(createTensor(dtype, strings.rank, strings.dims, made));
  int64_t count = 0;
  checkedCount(strings.dims, strings.rank, count);
  void *data = made.get()->data;
  Status parsed;
  switch (dtype) {
  case WEIR_F32:
    parsed = parseAll(strings, count, static_cast<float *>(data));
    break;
  case WEIR_F64:
    parsed = parseAll(strings, count, static_cast<double *>(data));
    break;
  case WEIR_I32:
    parsed = parseAll(strings, count, static_cast<int32_t *>(data));
    break;
  case WEIR_I64:
    parsed = parseAll(strings, count, static_cast<int64_t *>(data));
    break;
  default:
    return Status(
        WEIR_INVALID_ARGUMENT,
        str("[WEIR0369] text is read as f32, f64, i32 or i64, not as ",
            dtypeInfo(dtype)->name));
  }
  WEIR_RETURN_IF_ERROR(std::move(parsed));
  values = std::move(made);
  return Status();
}

/// The text of element `i`, in `buffer` where it needs room.
static std::string_view numberAt(const WeirView &values, int64_t i,
                                 char (&buffer)[512]) {
  auto integer = [&](auto value) {
    return std::string_view(
        buffer, static_cast<size_t>(
                    std::to_chars(buffer, buffer + sizeof(buffer), value).ptr -
                    buffer));
  };
  auto real = [&](double value) {
    if (std::isnan(value))
      return std::string_view("nan");
    if (std::isinf(value))
      return std::string_view(value < 0 ? "-inf" : "inf");
    auto result = std::to_chars(buffer, buffer + sizeof(buffer), value,
                                std::chars_format::fixed, 6);
    return std::string_view(buffer, static_cast<size_t>(result.ptr - buffer));
  };
  switch (values.dtype) {
  case WEIR_F32:
    return real(static_cast<const float *>(values.data)[i]);
  case WEIR_F64:
    return real(static_cast<const double *>(values.data)[i]);
  case WEIR_F16:
    return real(f16ToFloat(static_cast<const uint16_t *>(values.data)[i]));
  case WEIR_BF16:
    return real(bf16ToFloat(static_cast<const uint16_t *>(values.data)[i]));
  case WEIR_BOOL:
    return static_cast<const uint8_t *>(values.data)[i] ? "true" : "false";
  case WEIR_I8:
    return integer(int(static_cast<const int8_t *>(values.data)[i]));
  case WEIR_I16:
    return integer(static_cast<const int16_t *>(values.data)[i]);
  case WEIR_I32:
    return integer(static_cast<const int32_t *>(values.data)[i]);
  case WEIR_I64:
    return integer(static_cast<const int64_t *>(values.data)[i]);
  case WEIR_U8:
    return integer(int(static_cast<const uint8_t *>(values.data)[i]));
  case WEIR_U16:
    return integer(static_cast<const uint16_t *>(values.data)[i]);
  case WEIR_U32:
    return integer(static_cast<const uint32_t *>(values.data)[i]);
  case WEIR_U64:
    return integer(static_cast<const uint64_t *>(values.data)[i]);
  case WEIR_STRING:
    return textOf(static_cast<const WeirString *>(values.data)[i]);
  default:
    return {};
  }
}

Status weir::rt::formatNumbers(const WeirView &values, TensorRef &strings) {
  int64_t count = 0;
  checkedCount(values.dims, values.rank, count);
  StringsBuilder builder;
  char buffer[512];
  for (int64_t i = 0; i < count; ++i)
    WEIR_RETURN_IF_ERROR(builder.add(numberAt(values, i, buffer)));
  return builder.finish(values.rank, values.dims, strings);
}

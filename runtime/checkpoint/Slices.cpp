//===- Slices.cpp - Parts of tensors in checkpoints -----------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/checkpoint/Slices.h"
#include "runtime/base/Format.h"

#include <algorithm>
#include <charconv>
#include <cstring>

using namespace weir::rt;

/// A number that is all of the text; -1 for anything else.
static int64_t numberOf(std::string_view text) {
  int64_t value = -1;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? value : -1;
}

/// Takes the text up to `separator`, and that, off the front.
static std::string_view takePart(std::string_view &text, char separator) {
  std::string_view part = text.substr(0, text.find(separator));
  text.remove_prefix(std::min(part.size() + 1, text.size()));
  return part;
}

Status weir::rt::parseShapeAndSlice(std::string_view text,
                                    std::vector<int64_t> &shape,
                                    TensorSlice &slice) {
  auto wrong = [&](const char *what) {
    return Status(WEIR_INVALID_ARGUMENT,
                  str("[WEIR0411] '", text.substr(0, 200),
                      "' is no slice of a tensor: ", what,
                      "; it looks like '10 20 0,5:-'"));
  };
  shape.clear();
  slice.clear();
  const size_t space = text.rfind(' ');
  if (space == std::string_view::npos)
    return wrong("it has no shape");
  for (std::string_view rest = text.substr(0, space); !rest.empty();) {
    const int64_t extent = numberOf(takePart(rest, ' '));
    if (extent < 0 || shape.size() >= WEIR_MAX_RANK)
      return wrong("its shape has something else than extents");
    shape.push_back(extent);
  }
  for (std::string_view rest = text.substr(space + 1); !rest.empty();) {
    std::string_view part = takePart(rest, ':');
    if (part == "-") {
      slice.push_back({0, -1});
      continue;
    }
    const int64_t start = numberOf(takePart(part, ','));
    const int64_t length = numberOf(part);
    if (start < 0 || length < 0)
      return wrong("a range is no 'start,length' or '-'");
    slice.push_back({start, length});
  }
  TensorSlice resolved;
  return resolveSlice(shape, slice, resolved)
             ? Status()
             : wrong("a range is not inside of its dimension");
}

std::string weir::rt::printShapeAndSlice(const std::vector<int64_t> &shape,
                                         const TensorSlice &slice) {
  std::string text;
  for (int64_t extent : shape)
    text += str(extent, " ");
  for (const SliceExtent &extent : slice) {
    text += &extent == slice.data() ? "" : ":";
    text += extent.length < 0 ? std::string("-")
                              : str(extent.start, ",", extent.length);
  }
  return text;
}

bool weir::rt::resolveSlice(const std::vector<int64_t> &shape,
                            const TensorSlice &slice, TensorSlice &resolved) {
  if (slice.size() != shape.size())
    return false;
  resolved = slice;
  for (size_t i = 0; i < shape.size(); ++i) {
    SliceExtent &extent = resolved[i];
    if (extent.length < 0)
      extent = {0, shape[i]};
    if (extent.start < 0 || extent.length > shape[i] ||
        extent.start > shape[i] - extent.length)
      return false;
  }
  return true;
}

std::vector<int64_t> weir::rt::sliceShape(const TensorSlice &resolved) {
  std::vector<int64_t> shape;
  for (const SliceExtent &extent : resolved)
    shape.push_back(extent.length);
  return shape;
}

/// Where two ranges meet.
static SliceExtent common(const SliceExtent &a, const SliceExtent &b) {
  const int64_t start = std::max(a.start, b.start);
  const int64_t end = std::min(a.start + a.length, b.start + b.length);
  return {start, std::max<int64_t>(end - start, 0)};
}

bool weir::rt::slicesMeet(const TensorSlice &a, const TensorSlice &b) {
  for (size_t i = 0; i < a.size(); ++i)
    if (common(a[i], b[i]).length == 0)
      return false;
  return true;
}

// ---- Keys: numbers and strings such that the order of the bytes is theirs.

/// A count of bytes, then the bytes, the highest first.
static void putOrdered(std::string &out, uint64_t value) {
  char bytes[8];
  int count = 0;
  for (; value != 0; value >>= 8)
    bytes[count++] = static_cast<char>(value);
  out += static_cast<char>(count);
  while (count > 0)
    out += bytes[--count];
}

static void putOrderedString(std::string &out, std::string_view text) {
  for (char c : text) {
    out += c;
    if (c == '\0')
      out += '\xff';
    else if (c == '\xff')
      out += '\0';
  }
  out += '\0';
  out += '\1';
}

/// Two's complement in the fewest bytes of 7 bits each; as many leading bits
/// are flipped as there are bytes, so that positive numbers begin with ones.
static void putOrderedSigned(std::string &out, int64_t value) {
  const uint64_t magnitude = static_cast<uint64_t>(value < 0 ? ~value : value);
  int count = 1;
  while (count < 10 && magnitude >> (7 * count - 1) != 0)
    ++count;
  const char sign = value < 0 ? '\xff' : '\0';
  char bytes[10] = {sign, sign};
  for (int i = 0; i < 8; ++i)
    bytes[2 + i] =
        static_cast<char>(static_cast<uint64_t>(value) >> (56 - 8 * i));
  char *begin = bytes + 10 - count;
  for (int bit = 0; bit < count; ++bit)
    begin[bit / 8] = static_cast<char>(begin[bit / 8] ^ (0x80 >> (bit % 8)));
  out.append(begin, static_cast<size_t>(count));
}

std::string weir::rt::sliceKey(std::string_view name,
                               const TensorSlice &slice) {
  std::string key;
  putOrdered(key, 0);
  putOrderedString(key, name);
  putOrdered(key, slice.size());
  for (const SliceExtent &extent : slice) {
    putOrderedSigned(key, extent.start);
    putOrderedSigned(key, extent.length);
  }
  return key;
}

// ---- Elements.

int64_t weir::rt::copySlice(const TensorSlice &to, void *toData,
                            const TensorSlice &from, const void *fromData,
                            int64_t elementSize) {
  const size_t rank = to.size();
  // In bytes: of one step of a dimension, in both; and what is common.
  std::vector<int64_t> toStep(rank), fromStep(rank);
  TensorSlice both(rank);
  int64_t toSize = elementSize, fromSize = elementSize, count = 1;
  for (size_t i = rank; i-- > 0;) {
    toStep[i] = toSize;
    fromStep[i] = fromSize;
    toSize *= to[i].length;
    fromSize *= from[i].length;
    both[i] = common(to[i], from[i]);
    count *= both[i].length;
  }
  if (count == 0)
    return 0;
  char *toByte = static_cast<char *>(toData);
  const char *fromByte = static_cast<const char *>(fromData);
  for (size_t i = 0; i < rank; ++i) {
    toByte += (both[i].start - to[i].start) * toStep[i];
    fromByte += (both[i].start - from[i].start) * fromStep[i];
  }
  // The last dimensions that are whole in both are copied as one.
  size_t outer = rank;
  int64_t run = elementSize;
  while (outer > 0) {
    --outer;
    run *= both[outer].length;
    if (both[outer].length != to[outer].length ||
        both[outer].length != from[outer].length)
      break;
  }
  std::vector<int64_t> at(outer, 0);
  while (true) {
    std::memcpy(toByte, fromByte, static_cast<size_t>(run));
    size_t i = outer;
    for (; i-- > 0;) {
      toByte += toStep[i];
      fromByte += fromStep[i];
      if (++at[i] < both[i].length)
        break;
      toByte -= at[i] * toStep[i];
      fromByte -= at[i] * fromStep[i];
      at[i] = 0;
    }
    if (i == static_cast<size_t>(-1))
      return count;
  }
}

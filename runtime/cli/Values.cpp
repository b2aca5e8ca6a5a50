//===- Values.cpp - Tensors as text on a command line ---------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/cli/Values.h"
#include "runtime/base/Checked.h"
#include "runtime/base/DType.h"
#include "runtime/base/Format.h"
#include "runtime/base/Half.h"
#include "runtime/cli/Npy.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <strings.h>
#include <vector>

using namespace weir::rt;

Status weir::rt::splitNamed(std::string_view flag, std::string_view text,
                            std::string &name, std::string &value) {
  size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0)
    return Status(
        WEIR_INVALID_ARGUMENT,
        str("[WEIR0319] ", flag, " wants name=value, got '", text, "'"));
  name = text.substr(0, equals);
  value = text.substr(equals + 1);
  return Status();
}

namespace {

/// Collects the elements of a nested list.
class ListParser {
public:
  ListParser(const WeirTensorDesc &desc, const std::string &text)
      : desc(desc), info(*dtypeInfo(desc.dtype)), at(text.c_str()) {}

  Status parse(TensorRef &tensor) {
    WEIR_RETURN_IF_ERROR(parseItem(0));
    skipSpace();
    if (*at)
      return bad("something follows the value");
    int32_t rank = static_cast<int32_t>(dims.size());
    if (desc.dtype == WEIR_STRING) {
      std::vector<WeirString> views;
      for (const std::string &string : strings)
        views.push_back({string.data(), static_cast<int64_t>(string.size())});
      return createStringTensor(rank, dims.data(), views.data(), tensor);
    }
    TensorRef made;
    WEIR_RETURN_IF_ERROR(createTensor(desc.dtype, rank, dims.data(), made));
    if (!bytes.empty())
      std::memcpy(made.get()->data, bytes.data(), bytes.size());
    tensor = std::move(made);
    return Status();
  }

private:
  Status bad(const std::string &what) {
    std::string near(at, strnlen(at, 20));
    return Status(WEIR_INVALID_ARGUMENT,
                  str("[WEIR0317] value for feed '", desc.name, "' (",
                      typeText(desc.dtype, desc.dims, desc.rank), "): ", what,
                      near.empty() ? " at its end" : str(" at '", near, "'")));
  }

  void skipSpace() {
    while (*at == ' ' || *at == '\n' || *at == '\t')
      ++at;
  }

  /// An element or a list at nesting `depth`. The first path down fixes the
  /// rank (leafDepth) and each level's extent; the others must agree.
  Status parseItem(size_t depth) {
    skipSpace();
    if (*at != '[') {
      if (leafDepth != kUnknown && leafDepth != depth)
        return bad("lists of different depth");
      leafDepth = depth;
      return parseElement();
    }
    if (depth == WEIR_MAX_RANK)
      return bad("lists nested too deep");
    if (leafDepth != kUnknown && depth >= leafDepth)
      return bad("lists of different depth");
    ++at;
    int64_t extent = 0;
    bool first = depth == dims.size();
    if (first)
      dims.push_back(-1);
    for (skipSpace(); *at != ']'; skipSpace()) {
      WEIR_RETURN_IF_ERROR(parseItem(depth + 1));
      ++extent;
      skipSpace();
      if (*at == ',')
        ++at;
      else if (*at != ']')
        return bad("expected ',' or ']'");
    }
    ++at;
    if (dims[depth] == -1)
      dims[depth] = extent;
    else if (dims[depth] != extent)
      return bad(
          str("a list of ", extent, " elements beside one of ", dims[depth]));
    if (extent == 0 && leafDepth == kUnknown)
      leafDepth = depth + 1;
    return Status();
  }

  Status parseElement() {
    if (desc.dtype == WEIR_STRING)
      return parseString();
    const char *end = at;
    while (*end && !strchr(",] \n\t[", *end))
      ++end;
    std::string word(at, end);
    if (word.empty())
      return bad("expected a number");
    Status status = addNumber(word);
    if (status.ok())
      at = end;
    return status;
  }

  Status parseString() {
    if (*at != '"')
      return bad("expected a string in double quotes");
    std::string string;
    for (++at; *at != '"'; ++at) {
      if (*at == '\\' && at[1])
        ++at;
      if (!*at)
        return bad("a string has no closing quote");
      string += *at;
    }
    ++at;
    strings.push_back(std::move(string));
    return Status();
  }

  template <typename T> void push(T value) {
    bytes.append(reinterpret_cast<const char *>(&value), sizeof(value));
  }

  Status addNumber(const std::string &word) {
    char *end;
    errno = 0;
    switch (info.kind) {
    case DTypeKind::Float: {
      double value = strtod(word.c_str(), &end);
      if (*end)
        return bad("expected a number");
      pushFloat(value);
      return Status();
    }
    case DTypeKind::Bool: {
      bool isTrue = word == "1" || !strcasecmp(word.c_str(), "true");
      if (!isTrue && word != "0" && strcasecmp(word.c_str(), "false"))
        return bad("expected true or false");
      push(static_cast<uint8_t>(isTrue));
      return Status();
    }
    case DTypeKind::Signed: {
      long long value = strtoll(word.c_str(), &end, 10);
      if (*end)
        return bad("expected a whole number");
      int bits = info.size * 8;
      if (errno == ERANGE || (bits < 64 && (value >= (1LL << (bits - 1)) ||
                                            value < -(1LL << (bits - 1)))))
        return bad(str("a number that does not fit in ", info.name));
      bytes.append(reinterpret_cast<const char *>(&value),
                   static_cast<size_t>(info.size));
      return Status();
    }
    case DTypeKind::Unsigned: {
      unsigned long long value = strtoull(word.c_str(), &end, 10);
      if (*end)
        return bad("expected a whole number");
      int bits = info.size * 8;
      if (errno == ERANGE || word[0] == '-' ||
          (bits < 64 && value >> bits != 0))
        return bad(str("a number that does not fit in ", info.name));
      bytes.append(reinterpret_cast<const char *>(&value),
                   static_cast<size_t>(info.size));
      return Status();
    }
    case DTypeKind::String:
      break;
    }
    return bad("expected a string in double quotes");
  }

  void pushFloat(double value) {
    switch (desc.dtype) {
    case WEIR_F64:
      return push(value);
    case WEIR_F16:
      return push(floatToF16(static_cast<float>(value)));
    case WEIR_BF16:
      return push(floatToBf16(static_cast<float>(value)));
    default:
      return push(static_cast<float>(value));
    }
  }

  static constexpr size_t kUnknown = ~size_t(0);

  const WeirTensorDesc &desc;
  const DTypeInfo &info;
  const char *at;
  std::vector<int64_t> dims;
  size_t leafDepth = kUnknown;
  std::string bytes;
  std::vector<std::string> strings;
};

} // namespace

Status weir::rt::parseValue(const WeirTensorDesc &desc, const std::string &text,
                            TensorRef &tensor) {
  if (desc.dtype == WEIR_STRING && !text.empty() && text[0] != '"' &&
      text[0] != '[') {
    // Paths are what string feeds mostly are; they come without quotes.
    WeirString string = {text.data(), static_cast<int64_t>(text.size())};
    return createStringTensor(0, nullptr, &string, tensor);
  }
  if (text.size() > 4 && text.compare(text.size() - 4, 4, ".npy") == 0)
    return readNpy(text, tensor);
  return ListParser(desc, text).parse(tensor);
}

int64_t weir::rt::elementCount(const WeirView &view) {
  int64_t count = 0;
  checkedCount(view.dims, view.rank, count);
  return count;
}

template <typename T> static T load(const WeirView &view, int64_t index) {
  return static_cast<const T *>(view.data)[index];
}

double weir::rt::elementAsDouble(const WeirView &view, int64_t index) {
  switch (view.dtype) {
  case WEIR_F32:
    return static_cast<double>(load<float>(view, index));
  case WEIR_F64:
    return load<double>(view, index);
  case WEIR_I32:
    return load<int32_t>(view, index);
  case WEIR_U8:
  case WEIR_BOOL:
    return load<uint8_t>(view, index);
  case WEIR_I16:
    return load<int16_t>(view, index);
  case WEIR_I8:
    return load<int8_t>(view, index);
  case WEIR_I64:
    return static_cast<double>(load<int64_t>(view, index));
  case WEIR_BF16:
    return static_cast<double>(bf16ToFloat(load<uint16_t>(view, index)));
  case WEIR_U16:
    return load<uint16_t>(view, index);
  case WEIR_F16:
    return static_cast<double>(f16ToFloat(load<uint16_t>(view, index)));
  case WEIR_U32:
    return load<uint32_t>(view, index);
  case WEIR_U64:
    return static_cast<double>(load<uint64_t>(view, index));
  }
  return 0;
}

static std::string elementText(const WeirView &view, int64_t index) {
  switch (view.dtype) {
  case WEIR_I64:
    return str(static_cast<long long>(load<int64_t>(view, index)));
  case WEIR_U64:
    return str(static_cast<unsigned long long>(load<uint64_t>(view, index)));
  case WEIR_BOOL:
    return load<uint8_t>(view, index) ? "true" : "false";
  case WEIR_STRING: {
    const WeirString &string = load<WeirString>(view, index);
    std::string out = "\"";
    for (int64_t i = 0; i < string.size; ++i) {
      if (string.data[i] == '"' || string.data[i] == '\\')
        out += '\\';
      out += string.data[i];
    }
    return out + '"';
  }
  case WEIR_F64:
    return numberText(load<double>(view, index), 17);
  case WEIR_F32:
    return numberText(elementAsDouble(view, index), 9);
  case WEIR_F16:
  case WEIR_BF16:
    return numberText(elementAsDouble(view, index), 5);
  default:
    return str(static_cast<long long>(elementAsDouble(view, index)));
  }
}

/// Lists longer than this are broken off.
constexpr size_t kMaxText = 1 << 16;

/// Prints dimension `depth` from element `offset` on, whose items are `stride`
/// elements each; at most `edge` items at each end.
static void printList(const WeirView &view, int32_t depth, int64_t offset,
                      int64_t stride, int64_t edge, std::string &out) {
  if (depth == view.rank) {
    out += elementText(view, offset);
    return;
  }
  // Many dimensions make much text even of edges alone.
  if (out.size() > kMaxText) {
    out += "...";
    return;
  }
  int64_t extent = view.dims[depth];
  int64_t below = extent > 0 ? stride / extent : 0;
  out += '[';
  for (int64_t i = 0; i < extent; ++i) {
    if (i > 0)
      out += ", ";
    if (out.size() > kMaxText) {
      out += "...";
      break;
    }
    if (i == edge && extent > 2 * edge) {
      out += "..., ";
      i = extent - edge;
    }
    printList(view, depth + 1, offset + i * below, below, edge, out);
  }
  out += ']';
}

std::string weir::rt::valueText(const WeirView &view, int64_t limit) {
  int64_t count = elementCount(view);
  std::string out;
  // All of a small tensor; of a large one three at each end, as NumPy does.
  printList(view, 0, 0, count, count <= limit ? count + 1 : 3, out);
  return out;
}

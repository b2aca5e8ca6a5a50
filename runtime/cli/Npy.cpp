//===- Npy.cpp - Arrays in NumPy's file format ----------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/cli/Npy.h"
#include "runtime/base/Checked.h"
#include "runtime/base/Format.h"
#include "runtime/checkpoint/Env.h"

#include <algorithm>
#include <cstring>
#include <unistd.h>

using namespace weir::rt;

namespace {

/// Takes tokens off the Python literal that is the header.
class LiteralParser {
public:
  explicit LiteralParser(std::string_view text) : text(text) {}

  bool take(char c) {
    skipSpace();
    if (text.empty() || text[0] != c)
      return false;
    text.remove_prefix(1);
    return true;
  }
  bool takeWord(std::string_view word) {
    skipSpace();
    if (text.substr(0, word.size()) != word)
      return false;
    text.remove_prefix(word.size());
    return true;
  }
  bool takeString(std::string_view &value) {
    skipSpace();
    if (text.empty() || (text[0] != '\'' && text[0] != '"'))
      return false;
    size_t end = text.find(text[0], 1);
    if (end == std::string_view::npos)
      return false;
    value = text.substr(1, end - 1);
    text.remove_prefix(end + 1);
    return true;
  }
  bool takeNumber(int64_t &value) {
    skipSpace();
    value = 0;
    size_t digits = 0;
    for (; digits < text.size() && text[digits] >= '0' && text[digits] <= '9';
         ++digits)
      if (!checkedMul(value, 10, value) ||
          !checkedAdd(value, text[digits] - '0', value))
        return false;
    text.remove_prefix(digits);
    return digits > 0;
  }

private:
  void skipSpace() {
    while (!text.empty() && (text[0] == ' ' || text[0] == '\n'))
      text.remove_prefix(1);
  }
  std::string_view text;
};

} // namespace

static Status bad(const std::string &name, const std::string &what) {
  return Status(
      WEIR_INVALID_ARGUMENT,
      str("[WEIR0316] '", name, "' cannot be read as an .npy file: ", what));
}

static Status parseDescr(const std::string &name, LiteralParser &parser,
                         NpyHeader &header) {
  std::string_view descr;
  if (!parser.takeString(descr))
    return bad(name, "its elements are records; save one plain array");
  header.info = dtypeFromNpy(descr);
  if (header.info)
    return Status();
  if (!descr.empty() && descr[0] == '>')
    return bad(name, str("its elements ('", descr,
                         "') are big-endian; save it with "
                         "a.astype(a.dtype.newbyteorder('<'))"));
  return bad(name, str("elements of type '", descr,
                       "' have no counterpart here; save it with "
                       "a.astype('float32') or another plain type"));
}

static bool parseShape(LiteralParser &parser, NpyHeader &header) {
  if (!parser.take('('))
    return false;
  while (!parser.take(')')) {
    if (header.rank == WEIR_MAX_RANK ||
        !parser.takeNumber(header.dims[header.rank++]))
      return false;
    if (!parser.take(',')) {
      if (!parser.take(')'))
        return false;
      break;
    }
  }
  return true;
}

static Status parseDict(const std::string &name, std::string_view text,
                        NpyHeader &header) {
  LiteralParser parser(text);
  bool hasOrder = false, hasShape = false;
  if (!parser.take('{'))
    return bad(name, "its header is malformed");
  while (!parser.take('}')) {
    std::string_view key;
    if (!parser.takeString(key) || !parser.take(':'))
      return bad(name, "its header is malformed");
    if (key == "descr" && !header.info) {
      WEIR_RETURN_IF_ERROR(parseDescr(name, parser, header));
    } else if (key == "fortran_order" && !hasOrder) {
      hasOrder = true;
      header.fortran = parser.takeWord("True");
      if (!header.fortran && !parser.takeWord("False"))
        return bad(name, "its header gives no order");
    } else if (key == "shape" && !hasShape) {
      hasShape = true;
      if (!parseShape(parser, header))
        return bad(name, str("its header gives no shape of at most ",
                             WEIR_MAX_RANK, " dimensions"));
    } else {
      return bad(name, str("its header has the unexpected key '", key, "'"));
    }
    if (!parser.take(',')) {
      if (!parser.take('}'))
        return bad(name, "its header is malformed");
      break;
    }
  }
  if (!header.info || !hasOrder || !hasShape)
    return bad(name, "its header lacks descr, fortran_order or shape");
  return Status();
}

Status weir::rt::parseNpyHeader(const std::string &name, const char *bytes,
                                int64_t size, int64_t fileSize,
                                NpyHeader &header) {
  static const char magic[] = "\x93NUMPY";
  if (size < 10 || std::memcmp(bytes, magic, 6) != 0)
    return bad(name, "it does not start as one");
  int major = static_cast<unsigned char>(bytes[6]);
  if (major < 1 || major > 3)
    return bad(name, str("it is of version ", major, ", not 1, 2 or 3"));
  int64_t lengthBytes = major == 1 ? 2 : 4;
  int64_t start = 8 + lengthBytes;
  if (size < start)
    return bad(name, "it is cut short in its header");
  int64_t length = 0;
  for (int64_t i = 0; i < lengthBytes; ++i)
    length |= int64_t(static_cast<unsigned char>(bytes[8 + i])) << (8 * i);
  if (length > kMaxNpyHeaderBytes - 12)
    return bad(name, str("its header has ", length, " bytes"));
  if (size - start < length)
    return bad(name, "it is cut short in its header");
  WEIR_RETURN_IF_ERROR(parseDict(
      name, std::string_view(bytes + start, static_cast<size_t>(length)),
      header));
  header.dataOffset = start + length;
  int64_t need;
  if (!checkedBytes(header.dims, header.rank, header.info->size, need))
    return bad(name, "its shape is larger than any tensor may be");
  int64_t have = fileSize - header.dataOffset;
  if (have != need)
    return bad(name,
               str("its header promises ",
                   typeText(header.info->dtype, header.dims, header.rank), " (",
                   need, " bytes), the file has ", have, " bytes of it"));
  return Status();
}

/// Rearranges column-major elements to row-major.
static Status transpose(TensorRef &tensor) {
  WeirView from = tensor.view();
  TensorRef result;
  WEIR_RETURN_IF_ERROR(createTensor(from.dtype, from.rank, from.dims, result));
  size_t size = static_cast<size_t>(dtypeInfo(from.dtype)->size);
  int64_t count;
  checkedCount(from.dims, from.rank, count);
  int64_t index[WEIR_MAX_RANK] = {};
  char *out = static_cast<char *>(result.get()->data);
  for (int64_t i = 0; i < count; ++i, out += size) {
    int64_t source = 0;
    for (int32_t d = from.rank; d-- > 0;)
      source = source * from.dims[d] + index[d];
    std::memcpy(out,
                static_cast<const char *>(from.data) +
                    static_cast<size_t>(source) * size,
                size);
    for (int32_t d = from.rank; d-- > 0 && ++index[d] == from.dims[d];)
      index[d] = 0;
  }
  tensor = std::move(result);
  return Status();
}

/// What is left to do once the elements are in place.
static Status finish(const NpyHeader &header, TensorRef &tensor) {
  if (header.info->dtype == WEIR_BOOL) {
    unsigned char *bytes = static_cast<unsigned char *>(tensor.get()->data);
    for (int64_t i = 0, n = viewBytes(tensor.view()); i < n; ++i)
      bytes[i] = bytes[i] != 0;
  }
  if (header.fortran && header.rank > 1)
    return transpose(tensor);
  return Status();
}

Status weir::rt::parseNpy(const std::string &name, const void *bytes,
                          int64_t size, TensorRef &tensor) {
  NpyHeader header;
  WEIR_RETURN_IF_ERROR(parseNpyHeader(name, static_cast<const char *>(bytes),
                                      size, size, header));
  TensorRef made;
  WEIR_RETURN_IF_ERROR(
      createTensor(header.info->dtype, header.rank, header.dims, made));
  std::memcpy(made.get()->data,
              static_cast<const char *>(bytes) + header.dataOffset,
              static_cast<size_t>(size - header.dataOffset));
  WEIR_RETURN_IF_ERROR(finish(header, made));
  tensor = std::move(made);
  return Status();
}

Status weir::rt::readNpy(const std::string &path, TensorRef &tensor) {
  std::unique_ptr<ReadableFile> file;
  WEIR_RETURN_IF_ERROR(Env::posix().open(path, file).withNumber("[WEIR0316] "));
  int64_t size = std::min(file->size(), kMaxNpyHeaderBytes);
  std::string start(static_cast<size_t>(size), '\0');
  WEIR_RETURN_IF_ERROR(
      file->read(0, size, start.data()).withNumber("[WEIR0316] "));
  NpyHeader header;
  WEIR_RETURN_IF_ERROR(
      parseNpyHeader(path, start.data(), size, file->size(), header));
  TensorRef made;
  WEIR_RETURN_IF_ERROR(
      createTensor(header.info->dtype, header.rank, header.dims, made));
  WEIR_RETURN_IF_ERROR(file->read(header.dataOffset,
                                  file->size() - header.dataOffset,
                                  made.get()->data)
                           .withNumber("[WEIR0316] "));
  WEIR_RETURN_IF_ERROR(finish(header, made));
  tensor = std::move(made);
  return Status();
}

static std::string makeHeader(const WeirView &view, const DTypeInfo &info) {
  std::string dict =
      str("{'descr': '", info.npy, "', 'fortran_order': False, 'shape': (");
  for (int32_t i = 0; i < view.rank; ++i)
    dict += str(view.dims[i], view.rank == 1      ? ","
                              : i + 1 < view.rank ? ", "
                                                  : "");
  dict += "), }";
  // Ten bytes precede it; the data starts at a multiple of 64.
  dict.append(64 - (10 + dict.size() + 1) % 64, ' ');
  dict += '\n';
  std::string header("\x93NUMPY\x01\x00", 8);
  header += static_cast<char>(dict.size() & 0xff);
  header += static_cast<char>(dict.size() >> 8);
  return header + dict;
}

static Status writeBytes(Env &env, const std::string &path,
                         const std::string &header, const WeirView &view) {
  std::unique_ptr<WritableFile> file;
  WEIR_RETURN_IF_ERROR(env.create(path, file));
  WEIR_RETURN_IF_ERROR(
      file->append(header.data(), static_cast<int64_t>(header.size())));
  WEIR_RETURN_IF_ERROR(file->append(view.data, viewBytes(view)));
  return file->close();
}

Status weir::rt::writeNpy(const std::string &path, const WeirView &view) {
  WEIR_RETURN_IF_ERROR(checkView(view, str("array for '", path, "'").c_str()));
  const DTypeInfo *info = dtypeInfo(view.dtype);
  if (!info->npy)
    return Status(WEIR_INVALID_ARGUMENT,
                  str("[WEIR0316] '", path, "' cannot be written: ",
                      typeText(view.dtype, view.dims, view.rank),
                      " has no counterpart in .npy files"));
  Env &env = Env::posix();
  std::string temporary = str(path, ".tmp", static_cast<long>(getpid()));
  Status written = writeBytes(env, temporary, makeHeader(view, *info), view);
  if (written.ok())
    written = env.rename(temporary, path);
  if (!written.ok()) {
    Status ignored = env.remove(temporary);
    (void)ignored;
  }
  return std::move(written).withNumber("[WEIR0316] ");
}

//===- Text.cpp - Joining strings, CSV records, bytes as numbers ----------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/base/Checked.h"
#include "runtime/base/DType.h"
#include "runtime/base/Format.h"
#include "runtime/input/Decode.h"
#include "runtime/input/Strings.h"

#include <cstring>
#include <utility>

using namespace weir::rt;

static int64_t countOf(const WeirView &view) {
  int64_t count = 0;
  checkedCount(view.dims, view.rank, count);
  return count;
}

static const WeirString *stringsOf(const WeirView &view) {
  return static_cast<const WeirString *>(view.data);
}

Status weir::rt::joinStrings(const std::vector<WeirView> &inputs,
                             std::string_view separator, TensorRef &joined) {
  WeirView shape = {nullptr, nullptr, 0, WEIR_STRING};
  for (const WeirView &input : inputs) {
    if (input.rank == 0)
      continue;
    if (shape.rank == 0)
      shape = input;
    else if (input.rank != shape.rank ||
             std::memcmp(input.dims, shape.dims,
                         static_cast<size_t>(shape.rank) * sizeof(int64_t)) !=
                 0)
      return Status(WEIR_INVALID_ARGUMENT,
                    str("[WEIR0369] strings of ",
                        typeText(WEIR_STRING, shape.dims, shape.rank),
                        " and of ",
                        typeText(WEIR_STRING, input.dims, input.rank),
                        " cannot be joined; give one shape or scalars"));
  }
  StringsBuilder builder;
  std::string text;
  for (int64_t i = 0, n = countOf(shape); i < n; ++i) {
    text.clear();
    for (size_t k = 0; k < inputs.size(); ++k) {
      if (k > 0)
        text += separator;
      text += textOf(stringsOf(inputs[k])[inputs[k].rank ? i : 0]);
    }
    WEIR_RETURN_IF_ERROR(builder.add(text));
  }
  return builder.finish(shape.rank, shape.dims, joined);
}

/// Reverses the bytes of each of `count` elements.
static void swapBytes(char *data, int64_t count, int64_t size) {
  for (int64_t i = 0; i < count; ++i, data += size)
    for (int64_t low = 0, high = size - 1; low < high; ++low, --high)
      std::swap(data[low], data[high]);
}

Status weir::rt::decodeRaw(const WeirView &strings, int32_t dtype,
                           bool littleEndian, TensorRef &values) {
  int64_t size = dtypeInfo(dtype)->size, count = countOf(strings);
  const WeirString *text = stringsOf(strings);
  int64_t length = count > 0 ? text[0].size : 0;
  for (int64_t i = 1; i < count; ++i)
    if (text[i].size != length)
      return Status(WEIR_INVALID_ARGUMENT,
                    str("[WEIR0365] strings of different lengths cannot become "
                        "one tensor: element 0 has ",
                        length, " bytes, element ", i, " has ", text[i].size));
  if (length % size != 0)
    return Status(WEIR_INVALID_ARGUMENT,
                  str("[WEIR0365] a string of ", length,
                      " bytes does not hold a whole number of ",
                      dtypeInfo(dtype)->name, " (", size, " bytes each)"));
  if (strings.rank == WEIR_MAX_RANK)
    return Status(WEIR_INVALID_ARGUMENT,
                  str("[WEIR0365] strings of rank ", strings.rank,
                      " leave no dimension for their numbers"));
  int64_t dims[WEIR_MAX_RANK];
  for (int32_t i = 0; i < strings.rank; ++i)
    dims[i] = strings.dims[i];
  dims[strings.rank] = length / size;
  TensorRef made;
  WEIR_RETURN_IF_ERROR(createTensor(dtype, strings.rank + 1, dims, made));
  char *data = static_cast<char *>(made.get()->data);
  for (int64_t i = 0; i < count && length > 0; ++i)
    std::memcpy(data + i * length, text[i].data, static_cast<size_t>(length));
  if (!littleEndian && size > 1)
    swapBytes(data, count * (length / size), size);
  if (dtype == WEIR_BOOL)
    for (int64_t i = 0; i < count * length; ++i)
      data[i] = data[i] != 0;
  values = std::move(made);
  return Status();
}

namespace {

/// Takes the fields off a record, from the left.
class CsvRecord {
public:
  CsvRecord(std::string_view text, const CsvOptions &options)
      : text(text), options(options) {}

  /// `found` is false at the end. The field is valid until the next call.
  Status next(std::string_view &field, bool &found);

private:
  Status quoted(std::string_view &field);
  Status bad(const char *what) const {
    return Status(WEIR_INVALID_ARGUMENT, what);
  }

  std::string_view text;
  const CsvOptions &options;
  size_t at = 0;
  /// A delimiter was the last thing read: an empty field follows it.
  bool afterDelimiter = false;
  std::string unescaped;
};

} // namespace

Status CsvRecord::next(std::string_view &field, bool &found) {
  while (at < text.size() && (text[at] == '\n' || text[at] == '\r'))
    ++at;
  found = at < text.size();
  if (!found) {
    // Where line ends follow the last delimiter, there is no empty field, as in
    // TensorFlow.
    found = std::exchange(afterDelimiter, false) && !text.empty() &&
            text.back() == options.delimiter;
    field = {};
    return Status();
  }
  if (options.quotes && text[at] == '"')
    return quoted(field);
  size_t begin = at;
  for (; at < text.size() && text[at] != options.delimiter; ++at)
    if (text[at] == '\n' || text[at] == '\r' ||
        (options.quotes && text[at] == '"'))
      return bad("a field without quotes holds a quote or a line end");
  field = text.substr(begin, at - begin);
  afterDelimiter = at < text.size();
  ++at;
  return Status();
}

Status CsvRecord::quoted(std::string_view &field) {
  unescaped.clear();
  for (++at; at < text.size(); ++at) {
    if (text[at] != '"') {
      unescaped += text[at];
      continue;
    }
    if (at + 1 == text.size() || text[at + 1] == options.delimiter) {
      afterDelimiter = at + 1 < text.size();
      at += 2;
      field = unescaped;
      return Status();
    }
    if (text[at + 1] != '"')
      return bad("a quote within a field is not doubled");
    unescaped += '"';
    ++at;
  }
  return bad("a field in quotes does not end with a quote and a delimiter");
}

namespace {

/// The values of one column as they come.
struct CsvColumn {
  Status add(std::string_view field, bool given, int64_t record);

  WeirView defaults;
  bool required = false;
  TensorRef values;
  StringsBuilder strings;
};

template <typename T>
static bool setNumber(CsvColumn &column, std::string_view field, bool given,
                      int64_t record) {
  T *values = static_cast<T *>(column.values.get()->data);
  if (given)
    return parseNumber(field, values[record]);
  values[record] = *static_cast<const T *>(column.defaults.data);
  return true;
}

} // namespace

Status CsvColumn::add(std::string_view field, bool given, int64_t record) {
  bool valid = true;
  switch (defaults.dtype) {
  case WEIR_F32:
    valid = setNumber<float>(*this, field, given, record);
    break;
  case WEIR_F64:
    valid = setNumber<double>(*this, field, given, record);
    break;
  case WEIR_I32:
    valid = setNumber<int32_t>(*this, field, given, record);
    break;
  case WEIR_I64:
    valid = setNumber<int64_t>(*this, field, given, record);
    break;
  default:
    return strings.add(given ? field : textOf(*stringsOf(defaults)));
  }
  if (!valid)
    return Status(WEIR_INVALID_ARGUMENT,
                  str("is no ", dtypeInfo(defaults.dtype)->name, ": '",
                      field.substr(0, 80), "'"));
  return Status();
}

static Status prepareColumn(const WeirView &records, const WeirView &defaults,
                            size_t index, CsvColumn &column) {
  int64_t count = countOf(defaults);
  if (defaults.rank > 1 || count > 1)
    return Status(
        WEIR_INVALID_ARGUMENT,
        str("[WEIR0364] the default of field ", index, " is ",
            typeText(defaults.dtype, defaults.dims, defaults.rank),
            "; it is one value, or none for a field that is required"));
  column.defaults = defaults;
  column.required = count == 0;
  switch (defaults.dtype) {
  case WEIR_F32:
  case WEIR_F64:
  case WEIR_I32:
  case WEIR_I64:
    return createTensor(defaults.dtype, records.rank, records.dims,
                        column.values);
  case WEIR_STRING:
    return Status();
  default:
    return Status(WEIR_INVALID_ARGUMENT,
                  str("[WEIR0364] field ", index,
                      " is read as f32, f64, i32, i64 or text, not as ",
                      dtypeInfo(defaults.dtype)->name));
  }
}

static Status decodeRecord(std::string_view text, const CsvOptions &options,
                           int64_t record, std::vector<CsvColumn> &columns) {
  CsvRecord fields(text, options);
  size_t number = 0;
  auto at = [&](const char *what) {
    return str("[WEIR0364] field ", number, " of record ", record, what);
  };
  for (;; ++number) {
    std::string_view field;
    bool found;
    Status status = fields.next(field, found);
    if (!status.ok())
      return Status(WEIR_INVALID_ARGUMENT, at(": ") + status.message());
    if (!found)
      break;
    if (number >= columns.size())
      continue; // Counted for the message.
    CsvColumn &column = columns[number];
    bool given = !field.empty() && field != options.notGiven;
    if (!given && column.required)
      return Status(WEIR_INVALID_ARGUMENT, at(" is required and not given"));
    status = column.add(field, given, record);
    if (!status.ok())
      return status.code() == WEIR_INVALID_ARGUMENT
                 ? Status(WEIR_INVALID_ARGUMENT, at(" ") + status.message())
                 : std::move(status);
  }
  if (number != columns.size())
    return Status(WEIR_INVALID_ARGUMENT,
                  str("[WEIR0364] record ", record, " has ", number,
                      " fields, ", columns.size(), " are expected"));
  return Status();
}

Status weir::rt::decodeCsv(const WeirView &records,
                           const std::vector<WeirView> &defaults,
                           const CsvOptions &options,
                           std::vector<TensorRef> &values) {
  std::vector<CsvColumn> columns(defaults.size());
  for (size_t i = 0; i < columns.size(); ++i)
    WEIR_RETURN_IF_ERROR(prepareColumn(records, defaults[i], i, columns[i]));
  for (int64_t i = 0, n = countOf(records); i < n; ++i)
    WEIR_RETURN_IF_ERROR(
        decodeRecord(textOf(stringsOf(records)[i]), options, i, columns));
  values.clear();
  for (CsvColumn &column : columns) {
    if (column.defaults.dtype == WEIR_STRING)
      WEIR_RETURN_IF_ERROR(
          column.strings.finish(records.rank, records.dims, column.values));
    values.push_back(std::move(column.values));
  }
  return Status();
}

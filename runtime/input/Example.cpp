//===- Example.cpp - tf.Example messages ----------------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Example { Features features = 1 }, Features { map<string, Feature> feature =
// 1 }, Feature { oneof: BytesList = 1, FloatList = 2, Int64List = 3 }, each
// with `repeated value = 1`. As everywhere in the wire format, the last of
// several entries of one name counts.
//
//===----------------------------------------------------------------------===//

#include "runtime/base/Checked.h"
#include "runtime/base/DType.h"
#include "runtime/base/Format.h"
#include "runtime/base/WireFormat.h"
#include "runtime/input/Decode.h"
#include "runtime/input/Strings.h"

#include <cstring>
#include <unordered_map>

using namespace weir::rt;

namespace {

/// The list in a Feature message: its field number (0: none) and contents.
struct ValueList {
  uint32_t kind = 0;
  std::string_view bytes;
  bool present = false;
};

/// A feature's values of all messages.
struct Column {
  const ExampleFeature *feature;
  /// Elements of one message.
  int64_t elements = 0;
  TensorRef tensor;
  /// For strings, which point into the messages until the end.
  std::vector<WeirString> strings;
};

class ExampleParser {
public:
  ExampleParser(const std::vector<ExampleFeature> &features) {
    for (size_t i = 0; i < features.size(); ++i)
      index.emplace(features[i].name, i);
    found.resize(features.size());
  }

  /// Finds the lists of the features in a message; false when it is malformed.
  bool parse(std::string_view message);

  std::vector<ValueList> found;

private:
  bool parseEntry(std::string_view entry);

  std::unordered_map<std::string_view, size_t> index;
};

} // namespace

static bool parseFeature(std::string_view bytes, ValueList &list) {
  list = {};
  return forEachField(bytes, [&](const WireField &field) {
    if (field.number < 1 || field.number > 3)
      return true;
    if (field.type != WireField::Bytes)
      return false;
    list = {field.number, field.text, true};
    return true;
  });
}

bool ExampleParser::parseEntry(std::string_view entry) {
  std::string_view key, value;
  if (!forEachField(entry, [&](const WireField &field) {
        if (field.number != 1 && field.number != 2)
          return true;
        (field.number == 1 ? key : value) = field.text;
        return field.type == WireField::Bytes;
      }))
    return false;
  auto it = index.find(key);
  ValueList ignored;
  return parseFeature(value, it == index.end() ? ignored : found[it->second]);
}

bool ExampleParser::parse(std::string_view message) {
  for (ValueList &list : found)
    list = {};
  return forEachField(message, [&](const WireField &field) {
    if (field.number != 1)
      return true;
    return field.type == WireField::Bytes &&
           forEachField(field.text, [&](const WireField &entry) {
             if (entry.number != 1)
               return true;
             return entry.type == WireField::Bytes && parseEntry(entry.text);
           });
  });
}

/// Puts what a list holds into `out`, as long as there is room, and counts all
/// of it. Floats and integers may be packed. False when it is malformed.
static bool readFloats(std::string_view list, float *out, int64_t room,
                       int64_t &count) {
  return forEachField(list, [&](const WireField &field) {
    if (field.number != 1)
      return true;
    if (field.type == WireField::Fixed32) {
      uint32_t bits = static_cast<uint32_t>(field.value);
      if (count++ < room)
        std::memcpy(out + count - 1, &bits, sizeof(bits));
      return true;
    }
    if (field.type != WireField::Bytes || field.text.size() % 4 != 0)
      return false;
    int64_t more = static_cast<int64_t>(field.text.size() / 4);
    if (more > 0 && count + more <= room)
      std::memcpy(out + count, field.text.data(), field.text.size());
    count += more;
    return true;
  });
}

static bool readIntegers(std::string_view list, int64_t *out, int64_t room,
                         int64_t &count) {
  auto add = [&](uint64_t value) {
    if (count++ < room)
      out[count - 1] = static_cast<int64_t>(value);
  };
  return forEachField(list, [&](const WireField &field) {
    if (field.number != 1)
      return true;
    if (field.type == WireField::Varint) {
      add(field.value);
      return true;
    }
    if (field.type != WireField::Bytes)
      return false;
    std::string_view packed = field.text;
    for (uint64_t value; !packed.empty(); add(value))
      if (!takeVarint(packed, value))
        return false;
    return true;
  });
}

static bool readStrings(std::string_view list, WeirString *out, int64_t room,
                        int64_t &count) {
  return forEachField(list, [&](const WireField &field) {
    if (field.number != 1)
      return true;
    if (field.type != WireField::Bytes)
      return false;
    if (count++ < room)
      out[count - 1] = {field.text.data(),
                        static_cast<int64_t>(field.text.size())};
    return true;
  });
}

static const char *kindName(uint32_t kind) {
  static const char *const names[] = {"nothing", "bytes", "floats", "integers"};
  return names[kind];
}

static uint32_t kindOf(int32_t dtype) {
  return dtype == WEIR_STRING ? 1 : dtype == WEIR_F32 ? 2 : 3;
}

static Status bad(int64_t message, const Column &column,
                  const std::string &what) {
  return Status(WEIR_INVALID_ARGUMENT,
                str("[WEIR0366] feature '", column.feature->name,
                    "' of message ", message, " ", what));
}

/// The value of a message that has none.
static Status useDefault(Column &column, int64_t message) {
  const ExampleFeature &feature = *column.feature;
  int64_t count = 0;
  checkedCount(feature.defaultValue.dims, feature.defaultValue.rank, count);
  if (column.elements == 0)
    return Status();
  if (count == 0)
    return bad(message, column, "is required and not there");
  int64_t bytes = column.elements * dtypeInfo(feature.dtype)->size;
  char *target = feature.dtype == WEIR_STRING
                     ? reinterpret_cast<char *>(column.strings.data())
                     : static_cast<char *>(column.tensor.get()->data);
  std::memcpy(target + message * bytes, feature.defaultValue.data,
              static_cast<size_t>(bytes));
  return Status();
}

static Status readValues(Column &column, int64_t message,
                         const ValueList &list) {
  const ExampleFeature &feature = *column.feature;
  if (!list.present)
    return useDefault(column, message);
  if (list.kind != kindOf(feature.dtype))
    return bad(message, column,
               str("holds ", kindName(list.kind), ", not ",
                   kindName(kindOf(feature.dtype))));
  int64_t count = 0, begin = message * column.elements;
  bool wellFormed;
  if (feature.dtype == WEIR_STRING)
    wellFormed = readStrings(list.bytes, column.strings.data() + begin,
                             column.elements, count);
  else if (feature.dtype == WEIR_F32)
    wellFormed = readFloats(
        list.bytes, static_cast<float *>(column.tensor.get()->data) + begin,
        column.elements, count);
  else
    wellFormed = readIntegers(
        list.bytes, static_cast<int64_t *>(column.tensor.get()->data) + begin,
        column.elements, count);
  if (!wellFormed)
    return bad(message, column, "is malformed");
  if (count != column.elements)
    return bad(message, column,
               str("has ", count, " values, ", column.elements,
                   " are expected (",
                   typeText(feature.dtype, feature.dims.data(),
                            static_cast<int32_t>(feature.dims.size())),
                   ")"));
  return Status();
}

static Status prepareColumn(const ExampleFeature &feature,
                            const WeirView &serialized, Column &column,
                            std::vector<int64_t> &dims) {
  column.feature = &feature;
  auto refuse = [&](const std::string &what) {
    return Status(WEIR_INVALID_ARGUMENT,
                  str("[WEIR0366] feature '", feature.name, "' ", what));
  };
  if (feature.dtype != WEIR_F32 && feature.dtype != WEIR_I64 &&
      feature.dtype != WEIR_STRING)
    return refuse(str("is of ", dtypeInfo(feature.dtype)->name,
                      "; messages hold f32, i64 and strings"));
  int32_t rank = static_cast<int32_t>(feature.dims.size());
  if (!checkedCount(feature.dims.data(), rank, column.elements))
    return refuse(str("has the type ",
                      typeText(feature.dtype, feature.dims.data(), rank),
                      "; its extents have to be known"));
  const WeirView &value = feature.defaultValue;
  int64_t given = 0;
  checkedCount(value.dims, value.rank, given);
  if (value.dtype != feature.dtype || (given != 0 && given != column.elements))
    return refuse(str("is ", typeText(feature.dtype, feature.dims.data(), rank),
                      ", its default is ",
                      typeText(value.dtype, value.dims, value.rank)));
  dims.assign(serialized.dims, serialized.dims + serialized.rank);
  dims.insert(dims.end(), feature.dims.begin(), feature.dims.end());
  int64_t all;
  if (!checkedCount(dims.data(), static_cast<int32_t>(dims.size()), all))
    return refuse("is larger than any tensor may be");
  if (feature.dtype != WEIR_STRING)
    return createTensor(feature.dtype, static_cast<int32_t>(dims.size()),
                        dims.data(), column.tensor);
  column.strings.resize(static_cast<size_t>(all));
  return Status();
}

Status weir::rt::parseExamples(const WeirView &serialized,
                               const std::vector<ExampleFeature> &features,
                               std::vector<TensorRef> &values) {
  std::vector<Column> columns(features.size());
  std::vector<int64_t> dims;
  for (size_t i = 0; i < columns.size(); ++i)
    WEIR_RETURN_IF_ERROR(
        prepareColumn(features[i], serialized, columns[i], dims));
  ExampleParser parser(features);
  int64_t count = 0;
  checkedCount(serialized.dims, serialized.rank, count);
  const WeirString *messages = static_cast<const WeirString *>(serialized.data);
  for (int64_t i = 0; i < count; ++i) {
    if (!parser.parse(textOf(messages[i])))
      return Status(WEIR_INVALID_ARGUMENT,
                    str("[WEIR0366] message ", i, " (", messages[i].size,
                        " bytes) is no tf.Example"));
    for (size_t k = 0; k < columns.size(); ++k)
      WEIR_RETURN_IF_ERROR(readValues(columns[k], i, parser.found[k]));
  }
  values.clear();
  for (Column &column : columns) {
    if (column.feature->dtype == WEIR_STRING) {
      dims.assign(serialized.dims, serialized.dims + serialized.rank);
      dims.insert(dims.end(), column.feature->dims.begin(),
                  column.feature->dims.end());
      WEIR_RETURN_IF_ERROR(
          createStringTensor(static_cast<int32_t>(dims.size()), dims.data(),
                             column.strings.data(), column.tensor));
    }
    values.push_back(std::move(column.tensor));
  }
  return Status();
}

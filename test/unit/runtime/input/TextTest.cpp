//===- TextTest.cpp - CSV, numbers, bytes, strings ------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/runtime/input/InputTestUtil.h"

#include <cmath>
#include <cstring>

using namespace weir::rt;
using namespace weir::rt::test;

namespace {

/// A record of two fields, and what TensorFlow makes of it.
struct CsvCase {
  std::string_view record;
  bool quotes;
  bool valid;
  std::string_view first, second;
};

/// Text, and the bits of the f32, f64, i32 and i64 that TensorFlow reads in it:
/// hexadecimal, "nan", or empty for an error.
struct NumberCase {
  std::string_view text;
  std::string_view bits[4];
};

/// A number and TensorFlow's text for it.
struct FormatCase {
  WeirDType dtype;
  std::string_view bytes;
  std::string_view text;
};

#include "test/unit/runtime/input/TextData.inc"

/// A scalar default.
WeirView defaultOf(const TensorRef &tensor) { return tensor.view(); }

TEST(TextTest, CsvAsTensorFlow) {
  TensorRef x = strings({1}, {"x"}), y = strings({1}, {"y"});
  for (const CsvCase &test : kCsvCases) {
    SCOPED_TRACE(test.record);
    Strings records({std::string(test.record)});
    CsvOptions options;
    options.quotes = test.quotes;
    options.notGiven = "NA";
    std::vector<TensorRef> columns;
    Status status = decodeCsv(records.view(), {defaultOf(x), defaultOf(y)},
                              options, columns);
    EXPECT_EQ(status.ok(), test.valid) << status.message();
    if (!status.ok() || !test.valid)
      continue;
    ASSERT_EQ(columns.size(), 2u);
    EXPECT_EQ(textsOf(columns[0])[0], test.first);
    EXPECT_EQ(textsOf(columns[1])[0], test.second);
  }
}

TEST(TextTest, CsvColumnsOfNumbers) {
  float f = 0.5f;
  int64_t none[] = {0};
  std::vector<WeirView> defaults = {{&f, nullptr, 0, WEIR_F32},
                                    {nullptr, none, 1, WEIR_I32},
                                    {nullptr, none, 1, WEIR_I64},
                                    {nullptr, none, 1, WEIR_F64},
                                    {nullptr, none, 1, WEIR_STRING}};
  Strings records({"1.5,2,3,4,a", ",-2, 30,1e3,"
                                  "\"b;,\""});
  std::vector<TensorRef> columns;
  Status status = decodeCsv(records.view(), defaults, {}, columns);
  ASSERT_TRUE(status.ok()) << status.message();
  const float *floats = static_cast<const float *>(columns[0].get()->data);
  EXPECT_EQ(floats[0], 1.5f);
  EXPECT_EQ(floats[1], 0.5f);
  EXPECT_EQ(static_cast<const int32_t *>(columns[1].get()->data)[1], -2);
  EXPECT_EQ(static_cast<const int64_t *>(columns[2].get()->data)[1], 30);
  EXPECT_EQ(static_cast<const double *>(columns[3].get()->data)[1], 1000);
  EXPECT_EQ(textsOf(columns[4]), (std::vector<std::string>{"a", "b;,"}));
}

std::string csvError(const std::vector<std::string> &records,
                     const std::vector<WeirView> &defaults) {
  std::vector<TensorRef> columns;
  Strings made(records);
  Status status = decodeCsv(made.view(), defaults, {}, columns);
  EXPECT_EQ(status.code(), WEIR_INVALID_ARGUMENT);
  EXPECT_TRUE(columns.empty());
  return status.message();
}

TEST(TextTest, CsvErrorsNameTheField) {
  int64_t none[] = {0}, two[] = {2};
  WeirView i32 = {nullptr, none, 1, WEIR_I32};
  WeirView text = {nullptr, none, 1, WEIR_STRING};
  EXPECT_EQ(csvError({"1,2", "3,x"}, {i32, i32}),
            "[WEIR0364] field 1 of record 1 is no i32: 'x'");
  EXPECT_EQ(csvError({"1,"}, {i32, text}),
            "[WEIR0364] field 1 of record 0 is required and not given");
  EXPECT_EQ(csvError({"1,2,3"}, {i32, i32}),
            "[WEIR0364] record 0 has 3 fields, 2 are expected");
  EXPECT_EQ(csvError({"1,\"2"}, {i32, i32}),
            "[WEIR0364] field 1 of record 0: a field in quotes does not end "
            "with a quote and a delimiter");
  int32_t values[] = {1, 2};
  EXPECT_EQ(csvError({"1"}, {{values, two, 1, WEIR_I32}}),
            "[WEIR0364] the default of field 0 is tensor<2xi32>; it is one "
            "value, or none for a field that is required");
  EXPECT_EQ(csvError({"1"}, {{nullptr, none, 1, WEIR_U8}}),
            "[WEIR0364] field 0 is read as f32, f64, i32, i64 or text, not as "
            "ui8");
}

template <typename T>
void checkNumber(std::string_view text, std::string_view bits) {
  T value = 0;
  bool valid = parseNumber(text, value);
  EXPECT_EQ(valid, !bits.empty());
  if (!valid || bits.empty())
    return;
  if (bits == "nan") {
    EXPECT_TRUE(std::isnan(static_cast<double>(value)));
    return;
  }
  uint64_t expected = std::stoull(std::string(bits), nullptr, 16), actual = 0;
  std::memcpy(&actual, &value, sizeof(value));
  EXPECT_EQ(actual, expected);
}

TEST(TextTest, ParsesNumbersAsTensorFlow) {
  for (const NumberCase &test : kNumberCases) {
    SCOPED_TRACE(test.text);
    checkNumber<float>(test.text, test.bits[0]);
    checkNumber<double>(test.text, test.bits[1]);
    checkNumber<int32_t>(test.text, test.bits[2]);
    checkNumber<int64_t>(test.text, test.bits[3]);
  }
}

TEST(TextTest, ParsesTensorsOfNumbers) {
  TensorRef text = strings({2, 2}, {"1", "2", "3", "4"}), values;
  ASSERT_TRUE(parseNumbers(text.view(), WEIR_I64, values).ok());
  EXPECT_EQ(dimsOf(values), (std::vector<int64_t>{2, 2}));
  EXPECT_EQ(valuesOf(values), (std::vector<int64_t>{1, 2, 3, 4}));
  text = strings({2}, {"1", "1.5"});
  EXPECT_STREQ(parseNumbers(text.view(), WEIR_I32, values).message(),
               "[WEIR0369] element 1 is no number of its type: '1.5'");
  EXPECT_EQ(parseNumbers(text.view(), WEIR_U8, values).code(),
            WEIR_INVALID_ARGUMENT);
}

TEST(TextTest, FormatsNumbersAsTensorFlow) {
  for (const FormatCase &test : kFormatCases) {
    TensorRef number, text;
    ASSERT_TRUE(createTensor(test.dtype, 0, nullptr, number).ok());
    std::memcpy(number.get()->data, test.bytes.data(), test.bytes.size());
    ASSERT_TRUE(formatNumbers(number.view(), text).ok());
    EXPECT_EQ(textsOf(text)[0], test.text);
  }
}

TEST(TextTest, DecodesRawBytes) {
  TensorRef values;
  TensorRef text = strings({2}, {std::string("\1\2\3\4", 4), "\5\6\7\x08"});
  ASSERT_TRUE(decodeRaw(text.view(), WEIR_I16, true, values).ok());
  EXPECT_EQ(dimsOf(values), (std::vector<int64_t>{2, 2}));
  const int16_t *data = static_cast<const int16_t *>(values.get()->data);
  EXPECT_EQ(data[0], 0x0201);
  EXPECT_EQ(data[3], 0x0807);
  ASSERT_TRUE(decodeRaw(text.view(), WEIR_I16, false, values).ok());
  data = static_cast<const int16_t *>(values.get()->data);
  EXPECT_EQ(data[0], 0x0102);
  EXPECT_EQ(data[3], 0x0708);
  ASSERT_TRUE(decodeRaw(text.view(), WEIR_BOOL, true, values).ok());
  EXPECT_EQ(bytesOf(values), std::string(8, '\1'));
}

TEST(TextTest, RawBytesMustFit) {
  TensorRef values;
  TensorRef text = strings({2}, {"abcd", "abc"});
  EXPECT_STREQ(decodeRaw(text.view(), WEIR_U8, true, values).message(),
               "[WEIR0365] strings of different lengths cannot become one "
               "tensor: element 0 has 4 bytes, element 1 has 3");
  text = strings({}, {"abc"});
  EXPECT_STREQ(decodeRaw(text.view(), WEIR_F32, true, values).message(),
               "[WEIR0365] a string of 3 bytes does not hold a whole number "
               "of f32 (4 bytes each)");
  // As in TensorFlow: nothing gives nothing.
  text = strings({0}, {});
  ASSERT_TRUE(decodeRaw(text.view(), WEIR_F32, true, values).ok());
  EXPECT_EQ(dimsOf(values), (std::vector<int64_t>{0, 0}));
}

TEST(TextTest, JoinsStrings) {
  TensorRef a = strings({2}, {"a", "b"}), dot = strings({}, {"x"}), joined;
  ASSERT_TRUE(joinStrings({a.view(), dot.view(), a.view()}, "/", joined).ok());
  EXPECT_EQ(textsOf(joined), (std::vector<std::string>{"a/x/a", "b/x/b"}));
  ASSERT_TRUE(joinStrings({dot.view(), dot.view()}, "", joined).ok());
  EXPECT_EQ(dimsOf(joined), std::vector<int64_t>{});
  EXPECT_EQ(textsOf(joined)[0], "xx");
  TensorRef three = strings({3}, {"1", "2", "3"});
  EXPECT_STREQ(joinStrings({a.view(), three.view()}, "", joined).message(),
               "[WEIR0369] strings of tensor<2x!weir.string> and of "
               "tensor<3x!weir.string> cannot be joined; give one shape or "
               "scalars");
}

} // namespace

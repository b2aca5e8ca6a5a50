//===- ValuesTest.cpp - Tests of values as text ---------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/cli/Values.h"
#include "runtime/base/Half.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace weir::rt;

static Status parse(int32_t dtype, const std::string &text, TensorRef &tensor) {
  WeirTensorDesc desc = {"x", nullptr, 0, dtype};
  return parseValue(desc, text, tensor);
}

/// The value printed again, or the message.
static std::string echo(int32_t dtype, const std::string &text) {
  TensorRef tensor;
  Status status = parse(dtype, text, tensor);
  return status.ok() ? valueText(tensor.view()) : status.message();
}

static std::string failure(int32_t dtype, const std::string &text) {
  TensorRef tensor;
  Status status = parse(dtype, text, tensor);
  EXPECT_EQ(status.code(), WEIR_INVALID_ARGUMENT) << text;
  std::string message = status.message();
  EXPECT_EQ(message.find("[WEIR0317] value for feed 'x' (tensor<"), 0u)
      << message;
  return message;
}

TEST(Values, ReadsWhatItPrints) {
  for (const char *text : {"1.5", "-3", "nan", "inf", "[1, 2.5]", "[]",
                           "[[1, 2], [3, 4]]", "[[], []]", "[[[7]]]"})
    EXPECT_EQ(echo(WEIR_F32, text), text);
  EXPECT_EQ(echo(WEIR_F64, "0.1"), "0.10000000000000001");
  EXPECT_EQ(echo(WEIR_F16, "65504"), "65504");
  EXPECT_EQ(echo(WEIR_BF16, "1.5"), "1.5");
  EXPECT_EQ(echo(WEIR_BOOL, "[true,False,1,0]"), "[true, false, true, false]");
  EXPECT_EQ(echo(WEIR_I8, "[-128,127]"), "[-128, 127]");
  EXPECT_EQ(echo(WEIR_U8, "255"), "255");
  EXPECT_EQ(echo(WEIR_I64, "-9223372036854775808"), "-9223372036854775808");
  EXPECT_EQ(echo(WEIR_U64, "18446744073709551615"), "18446744073709551615");
  EXPECT_EQ(echo(WEIR_STRING, "a path/with spaces"), "\"a path/with spaces\"");
  EXPECT_EQ(echo(WEIR_STRING, "[\"a\", \"b\\\"c\"]"), "[\"a\", \"b\\\"c\"]");
}

TEST(Values, RefusesWhatIsNoValue) {
  for (const char *text :
       {"", "x", "1.5x", "[1", "1]", "[1,[2]]", "[[1],2]", "[[1],[2,3]]",
        "[1 2]", "[[1],[]]", "[[],[1]]", "1 2", "[,]", "0x"})
    failure(WEIR_F32, text);
  failure(WEIR_I32, "1.5");
  failure(WEIR_BOOL, "yes");
  for (const char *text : {"\"open", "[\"a\", b]", "\"a\" b", "[\"\\"})
    failure(WEIR_STRING, text);
  EXPECT_NE(failure(WEIR_F32, std::string(40, '[')).find("nested too deep"),
            std::string::npos);
}

TEST(Values, RefusesWhatDoesNotFit) {
  EXPECT_NE(failure(WEIR_I8, "128").find("does not fit in i8"),
            std::string::npos);
  failure(WEIR_I8, "-129");
  failure(WEIR_U8, "256");
  failure(WEIR_U8, "-1");
  failure(WEIR_U64, "-1");
  failure(WEIR_I64, "9223372036854775808");
  failure(WEIR_U64, "18446744073709551616");
  failure(WEIR_I32, "2147483648");
}

TEST(Values, CutsLongTensors) {
  TensorRef tensor;
  const int64_t dims[] = {1000};
  ASSERT_TRUE(createTensor(WEIR_U8, 1, dims, tensor).ok());
  std::fill_n(static_cast<uint8_t *>(tensor.get()->data), 1000, uint8_t(7));
  EXPECT_EQ(valueText(tensor.view()), "[7, 7, 7, ..., 7, 7, 7]");
  // However many dimensions there are, the text is bounded.
  const int64_t many[] = {7, 7, 7, 7, 7, 7, 7, 7};
  ASSERT_TRUE(createTensor(WEIR_U8, 8, many, tensor).ok());
  std::fill_n(static_cast<uint8_t *>(tensor.get()->data), 5764801, uint8_t(7));
  EXPECT_LT(valueText(tensor.view()).size(), 100000u);
}

TEST(Values, SplitsNames) {
  std::string name, value;
  ASSERT_TRUE(splitNamed("--feed", "x=a=b", name, value).ok());
  EXPECT_EQ(name, "x");
  EXPECT_EQ(value, "a=b");
  for (const char *text : {"x", "=1", ""})
    EXPECT_FALSE(splitNamed("--feed", text, name, value).ok());
}

// Every half converts to float and back to itself.
TEST(Half, RoundTrips) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    uint16_t half = static_cast<uint16_t>(bits);
    if (std::isnan(f16ToFloat(half)))
      EXPECT_TRUE(std::isnan(f16ToFloat(floatToF16(f16ToFloat(half)))));
    else
      EXPECT_EQ(floatToF16(f16ToFloat(half)), half);
    if (std::isnan(bf16ToFloat(half)))
      EXPECT_TRUE(std::isnan(bf16ToFloat(floatToBf16(bf16ToFloat(half)))));
    else
      EXPECT_EQ(floatToBf16(bf16ToFloat(half)), half);
  }
}

TEST(Half, RoundsToEven) {
  EXPECT_EQ(floatToF16(1.0f + 0x1p-11f), 0x3c00);     // half way, down
  EXPECT_EQ(floatToF16(1.0f + 3 * 0x1p-11f), 0x3c02); // half way, up
  EXPECT_EQ(floatToF16(65519.0f), 0x7bff);
  EXPECT_EQ(floatToF16(65520.0f), 0x7c00);
  EXPECT_EQ(floatToF16(0x1p-25f), 0x0000);
  EXPECT_EQ(floatToF16(0x1.8p-25f), 0x0001);
  EXPECT_EQ(floatToBf16(1.0f + 0x1p-8f), 0x3f80);
  EXPECT_EQ(floatToBf16(1.0f + 3 * 0x1p-8f), 0x3f82);
}

//===- ExampleTest.cpp - tf.Example messages ------------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/base/WireFormat.h"
#include "test/unit/runtime/input/InputTestUtil.h"

using namespace weir::rt;
using namespace weir::rt::test;

namespace {

#include "test/unit/runtime/input/ExampleData.inc"

/// The features that the expected values were parsed with.
struct Features {
  Features() {
    features = {{"f", WEIR_F32, {3}, {nullptr, none, 1, WEIR_F32}},
                {"i", WEIR_I64, {2, 2}, {integers, twoByTwo, 2, WEIR_I64}},
                {"s", WEIR_STRING, {2}, texts.view()}};
  }

  int64_t none[1] = {0}, twoByTwo[2] = {2, 2}, integers[4] = {1, 2, 3, 4};
  TensorRef texts = strings({2}, {"d", "e"});
  std::vector<ExampleFeature> features;
};

Status parse(const std::vector<std::string> &messages,
             const std::vector<ExampleFeature> &features,
             std::vector<TensorRef> &values) {
  return parseExamples(Strings(messages).view(), features, values);
}

TEST(ExampleTest, ParsesAsTensorFlow) {
  Features wanted;
  std::vector<TensorRef> values;
  Status status = parse({std::string(kExampleAll), std::string(kExampleSome)},
                        wanted.features, values);
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(dimsOf(values[0]), (std::vector<int64_t>{2, 3}));
  EXPECT_TRUE(bytesOf(values[0]) == kParsedF);
  EXPECT_EQ(dimsOf(values[1]), (std::vector<int64_t>{2, 2, 2}));
  EXPECT_TRUE(bytesOf(values[1]) == kParsedI);
  EXPECT_EQ(dimsOf(values[2]), (std::vector<int64_t>{2, 2}));
  std::string joined;
  for (const std::string &text : textsOf(values[2]))
    joined += (joined.empty() ? "" : "|") + text;
  EXPECT_EQ(joined, kParsedS);
}

TEST(ExampleTest, AScalarHasNoBatch) {
  Features wanted;
  TensorRef message = strings({}, {std::string(kExampleAll)});
  std::vector<TensorRef> values;
  ASSERT_TRUE(parseExamples(message.view(), wanted.features, values).ok());
  EXPECT_EQ(dimsOf(values[0]), std::vector<int64_t>{3});
}

TEST(ExampleTest, ErrorsNameTheFeature) {
  Features wanted;
  std::vector<TensorRef> values;
  std::string all(kExampleAll), some(kExampleSome);
  std::vector<ExampleFeature> feature = {
      {"s", WEIR_STRING, {2}, {nullptr, wanted.none, 1, WEIR_STRING}}};
  EXPECT_STREQ(parse({all, some}, feature, values).message(),
               "[WEIR0366] feature 's' of message 1 is required and not there");
  feature = {{"i", WEIR_I64, {3}, {nullptr, wanted.none, 1, WEIR_I64}}};
  EXPECT_STREQ(parse({all}, feature, values).message(),
               "[WEIR0366] feature 'i' of message 0 has 4 values, 3 are "
               "expected (tensor<3xi64>)");
  feature = {{"i", WEIR_F32, {4}, {nullptr, wanted.none, 1, WEIR_F32}}};
  EXPECT_STREQ(
      parse({all}, feature, values).message(),
      "[WEIR0366] feature 'i' of message 0 holds integers, not floats");
  feature = {{"i", WEIR_I64, {4}, {wanted.integers, wanted.none, 0, WEIR_I64}}};
  EXPECT_STREQ(parse({all}, feature, values).message(),
               "[WEIR0366] feature 'i' is tensor<4xi64>, its default is "
               "tensor<i64>");
  feature = {{"i", WEIR_I32, {4}, {nullptr, wanted.none, 1, WEIR_I32}}};
  EXPECT_STREQ(parse({all}, feature, values).message(),
               "[WEIR0366] feature 'i' is of i32; messages hold f32, i64 and "
               "strings");
  EXPECT_STREQ(parse({all, "\x0a\x05"}, wanted.features, values).message(),
               "[WEIR0366] message 1 (2 bytes) is no tf.Example");
}

void putBytes(std::string &out, uint32_t number, const std::string &bytes) {
  putVarint(out, number << 3 | WireField::Bytes);
  putVarint(out, bytes.size());
  out += bytes;
}

/// A message with one feature.
std::string messageOf(const std::string &name, uint32_t kind,
                      const std::string &list) {
  std::string feature, entry, features, message;
  putBytes(feature, kind, list);
  putBytes(entry, 1, name);
  putBytes(entry, 2, feature);
  putBytes(features, 1, entry);
  putBytes(message, 1, features);
  return message;
}

TEST(ExampleTest, ListsNeedNotBePacked) {
  int64_t none[] = {0};
  std::vector<ExampleFeature> feature = {
      {"i", WEIR_I64, {3}, {nullptr, none, 1, WEIR_I64}}};
  // 5 on its own, and [6, 7] packed.
  std::string list = "\x08\x05";
  putBytes(list, 1, "\x06\x07");
  std::vector<TensorRef> values;
  Status status = parse({messageOf("i", 3, list)}, feature, values);
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(valuesOf(values[0]), (std::vector<int64_t>{5, 6, 7}));
  // The last of two entries counts.
  std::string twice = messageOf("i", 3, list) + messageOf("i", 3, "\x08\x01");
  EXPECT_FALSE(parse({twice}, feature, values).ok());
}

TEST(ExampleTest, TakesAnyBytes) {
  Features wanted;
  damageEveryWay(kExampleAll, [&](std::string_view bytes) {
    WeirString message = {bytes.data(), static_cast<int64_t>(bytes.size())};
    std::vector<TensorRef> values;
    Status status = parseExamples({&message, nullptr, 0, WEIR_STRING},
                                  wanted.features, values);
    EXPECT_EQ(status.ok(), values.size() == 3);
  });
}

} // namespace

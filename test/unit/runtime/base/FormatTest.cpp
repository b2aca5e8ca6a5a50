//===- FormatTest.cpp - Tests of the text of messages ---------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/base/Format.h"
#include "runtime/base/Status.h"

#include <climits>
#include <gtest/gtest.h>

using namespace weir::rt;

TEST(Format, JoinsPieces) {
  EXPECT_EQ(str("a", 1, std::string("b"), -2LL, 3UL), "a1b-23");
  EXPECT_EQ(str(LLONG_MIN), "-9223372036854775808");
  EXPECT_EQ(str(ULLONG_MAX), "18446744073709551615");
  EXPECT_EQ(str(static_cast<const char *>(nullptr)), "(null)");
}

TEST(Format, WritesTypes) {
  const int64_t dims[] = {-1, 64};
  EXPECT_EQ(typeText(WEIR_F32, dims, 2), "tensor<?x64xf32>");
  EXPECT_EQ(typeText(WEIR_STRING, nullptr, 0), "tensor<!weir.string>");
  EXPECT_EQ(typeText(99, nullptr, 0), "tensor<dtype 99>");
}

TEST(Format, SuggestsNearNames) {
  EXPECT_EQ(didYouMean("trian", {"train", "eval"}), "; did you mean 'train'?");
  EXPECT_EQ(didYouMean("xyz", {"train", "eval"}), "");
  EXPECT_EQ(didYouMean("", {"train"}), "");
  EXPECT_EQ(didYouMean(std::string(100000, 'x'), {"train"}), "");
}

TEST(Format, ListsNames) {
  EXPECT_EQ(listNames({}), "none");
  EXPECT_EQ(listNames({"a", "b", "c"}, 2), "'a', 'b' and 1 more");
}

TEST(Status, KeepsItsNumberInFront) {
  EXPECT_TRUE(Status().ok());
  EXPECT_TRUE(Status(WEIR_OK, "fine").ok());
  Status numbered(WEIR_NOT_FOUND, "[WEIR0401] gone");
  EXPECT_STREQ(std::move(numbered).withContext("here: ").message(),
               "[WEIR0401] here: gone");
  Status bare(WEIR_NOT_FOUND, "gone");
  EXPECT_STREQ(std::move(bare)
                   .withNumber("[WEIR0401] ")
                   .withNumber("[WEIR0407] ")
                   .message(),
               "[WEIR0401] gone");
}

//===- ArgumentsTest.cpp - Tests of command line options ------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/cli/Arguments.h"

#include <gtest/gtest.h>

using namespace weir::rt;

static const std::vector<Option> kOptions = {{"--steps", "N", "how many"},
                                             {"--init", nullptr, "first"}};

static std::string failure(std::vector<std::string> arguments) {
  Arguments parsed;
  Status status = Arguments::parse(kOptions, arguments, parsed);
  EXPECT_EQ(status.code(), WEIR_INVALID_ARGUMENT);
  return status.message();
}

TEST(Arguments, Parses) {
  Arguments parsed;
  ASSERT_TRUE(Arguments::parse(kOptions,
                               {"a", "--steps", "3", "--init", "--steps=4", "b",
                                "--", "--steps"},
                               parsed)
                  .ok());
  EXPECT_EQ(parsed.positional, (std::vector<std::string>{"a", "b", "--steps"}));
  EXPECT_TRUE(parsed.has("--init"));
  EXPECT_EQ(parsed.get("--steps"), "4");
  EXPECT_EQ(parsed.all("--steps"), (std::vector<std::string>{"3", "4"}));
  EXPECT_EQ(parsed.get("--none", "x"), "x");
}

TEST(Arguments, RefusesSlips) {
  EXPECT_EQ(failure({"--step=3"}), "[WEIR0319] there is no option --step here; "
                                   "did you mean '--steps'?");
  EXPECT_EQ(failure({"--steps"}),
            "[WEIR0319] --steps wants a value: --steps N");
  EXPECT_EQ(failure({"--init=1"}), "[WEIR0319] --init takes no value");
}

TEST(Arguments, ChecksNumbers) {
  for (const char *text :
       {"", "x", "3x", "1.5", "0", "11", "-1", "99999999999999999999"}) {
    Arguments parsed;
    ASSERT_TRUE(
        Arguments::parse(kOptions, {std::string("--steps=") + text}, parsed)
            .ok());
    int64_t value;
    EXPECT_FALSE(parsed.number("--steps", 1, 1, 10, value).ok()) << text;
  }
  Arguments none;
  int64_t value;
  ASSERT_TRUE(none.number("--steps", 7, 1, 10, value).ok());
  EXPECT_EQ(value, 7);
}

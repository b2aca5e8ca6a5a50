//===- Arguments.h - Options of a command line ------------------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A command declares its options in a table; the parser, the help text and the
// suggestions after a slip come from it.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_CLI_ARGUMENTS_H
#define WEIR_RUNTIME_CLI_ARGUMENTS_H

#include "runtime/base/Status.h"

#include <string>
#include <string_view>
#include <vector>

namespace weir::rt {

struct Option {
  const char *name;  ///< "--steps"
  const char *value; ///< "N", as the help shows it; null for a switch.
  const char *help;
};

class Arguments {
public:
  /// Parses `arguments` ("--name value", "--name=value", the rest is
  /// positional; "--" ends the options).
  static Status parse(const std::vector<Option> &options,
                      const std::vector<std::string> &arguments,
                      Arguments &result);

  bool has(std::string_view option) const { return find(option) != nullptr; }
  /// The last value of the option, or `fallback`.
  std::string get(std::string_view option, std::string fallback = "") const;
  /// All values of an option that may be repeated.
  std::vector<std::string> all(std::string_view option) const;
  /// The whole number of the option, which must lie between `low` and `high`.
  Status number(std::string_view option, int64_t fallback, int64_t low,
                int64_t high, int64_t &value) const;

  std::vector<std::string> positional;

private:
  const std::string *find(std::string_view option) const;

  std::vector<std::pair<std::string, std::string>> values;
};

/// A line for each option, for the help.
std::string optionsText(const std::vector<Option> &options);

} // namespace weir::rt

#endif // WEIR_RUNTIME_CLI_ARGUMENTS_H

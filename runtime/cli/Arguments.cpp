//===- Arguments.cpp - Options of a command line --------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/cli/Arguments.h"
#include "runtime/base/Format.h"

#include <cerrno>
#include <cstdlib>

using namespace weir::rt;

static const Option *findOption(const std::vector<Option> &options,
                                std::string_view name) {
  for (const Option &option : options)
    if (name == option.name)
      return &option;
  return nullptr;
}

Status Arguments::parse(const std::vector<Option> &options,
                        const std::vector<std::string> &arguments,
                        Arguments &result) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string &argument = arguments[i];
    if (argument == "--") {
      result.positional.insert(result.positional.end(),
                               arguments.begin() + static_cast<long>(i) + 1,
                               arguments.end());
      break;
    }
    if (argument.compare(0, 2, "--") != 0) {
      result.positional.push_back(argument);
      continue;
    }
    size_t equals = argument.find('=');
    std::string name = argument.substr(0, equals);
    const Option *option = findOption(options, name);
    if (!option) {
      std::vector<std::string_view> known;
      for (const Option &each : options)
        known.push_back(each.name);
      return Status(WEIR_INVALID_ARGUMENT,
                    str("[WEIR0319] there is no option ", name, " here",
                        didYouMean(name, known)));
    }
    bool hasValue = equals != std::string::npos;
    if (!option->value && hasValue)
      return Status(WEIR_INVALID_ARGUMENT,
                    str("[WEIR0319] ", name, " takes no value"));
    if (!option->value) {
      result.values.emplace_back(name, "");
      continue;
    }
    if (!hasValue && i + 1 == arguments.size())
      return Status(WEIR_INVALID_ARGUMENT,
                    str("[WEIR0319] ", name, " wants a value: ", name, " ",
                        option->value));
    result.values.emplace_back(name, hasValue ? argument.substr(equals + 1)
                                              : arguments[++i]);
  }
  return Status();
}

const std::string *Arguments::find(std::string_view option) const {
  for (size_t i = values.size(); i-- > 0;)
    if (values[i].first == option)
      return &values[i].second;
  return nullptr;
}

std::string Arguments::get(std::string_view option,
                           std::string fallback) const {
  const std::string *value = find(option);
  return value ? *value : fallback;
}

std::vector<std::string> Arguments::all(std::string_view option) const {
  std::vector<std::string> result;
  for (const auto &[name, value] : values)
    if (name == option)
      result.push_back(value);
  return result;
}

Status Arguments::number(std::string_view option, int64_t fallback, int64_t low,
                         int64_t high, int64_t &value) const {
  value = fallback;
  const std::string *text = find(option);
  if (!text)
    return Status();
  char *end;
  errno = 0;
  long long parsed = strtoll(text->c_str(), &end, 10);
  if (text->empty() || *end || errno == ERANGE || parsed < low || parsed > high)
    return Status(WEIR_INVALID_ARGUMENT,
                  str("[WEIR0319] ", option, " wants a whole number between ",
                      low, " and ", high, ", got '", *text, "'"));
  value = parsed;
  return Status();
}

std::string weir::rt::optionsText(const std::vector<Option> &options) {
  std::string text;
  for (const Option &option : options) {
    std::string left = str("  ", option.name, option.value ? " " : "",
                           option.value ? option.value : "");
    left.resize(left.size() < 28 ? 28 : left.size() + 2, ' ');
    text += str(left, option.help, "\n");
  }
  return text;
}

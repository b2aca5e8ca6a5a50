//===- DeviceName.cpp - Names of devices as TensorFlow writes them --------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Analysis/DeviceName.h"

#include "llvm/ADT/StringExtras.h"
#include <limits>

using namespace llvm;

namespace weir {

/// A letter, then letters, digits and underscores: jobs and device types.
static bool isWord(StringRef text) {
  return !text.empty() && isAlpha(text.front()) &&
         all_of(text, [](char c) { return isAlnum(c) || c == '_'; });
}

static bool isNumber(StringRef text, int64_t &number) {
  return !text.empty() && all_of(text, isDigit) &&
         !text.getAsInteger(10, number) &&
         number <= std::numeric_limits<int32_t>::max();
}

bool isDeviceType(StringRef text) {
  return is_contained({"CPU", "GPU", "MXU"}, text.upper());
}

namespace {

/// One parse: where the parts go and what is wrong with them.
class Parser {
public:
  std::optional<DeviceName> run(StringRef text);
  std::string problem;

private:
  bool part(StringRef key, StringRef value);
  bool word(StringRef value, std::optional<std::string> &out);
  bool number(StringRef value, std::optional<int64_t> &out);
  bool device(StringRef type, StringRef id);
  bool fail(const Twine &what) {
    problem = what.str();
    return false;
  }

  DeviceName name;
};

} // namespace

bool Parser::word(StringRef value, std::optional<std::string> &out) {
  if (value == "*")
    return true;
  if (!isWord(value))
    return fail("'" + value +
                "' is no name: a letter, then letters, digits and '_'");
  out = value.str();
  return true;
}

bool Parser::number(StringRef value, std::optional<int64_t> &out) {
  int64_t n;
  if (value == "*")
    return true;
  if (!isNumber(value, n))
    return fail("'" + value + "' is no number");
  out = n;
  return true;
}

bool Parser::device(StringRef type, StringRef id) {
  if (!word(type, name.type) || !number(id, name.id))
    return false;
  if (name.type)
    name.type = StringRef(*name.type).upper();
  return true;
}

bool Parser::part(StringRef key, StringRef value) {
  if (key == "job")
    return word(value, name.job);
  if (key == "replica")
    return number(value, name.replica);
  if (key == "task")
    return number(value, name.task);
  if (key == "device") {
    auto [type, id] = value.split(':');
    if (id.empty() && value.ends_with(":"))
      return fail("the device '" + value + "' ends with a colon");
    return device(type, id.empty() ? "*" : id);
  }
  if (isDeviceType(key))
    return device(key, value.empty() ? "*" : value);
  return fail("there is no part '" + key +
              "'; the parts are job, replica, task and device");
}

std::optional<DeviceName> Parser::run(StringRef text) {
  if (text.empty() || text == "/")
    return name;
  if (!text.consume_front("/") && !isDeviceType(text.split(':').first)) {
    fail("it starts with '/', or is short as GPU:0");
    return std::nullopt;
  }
  SmallVector<StringRef> parts, keys;
  text.split(parts, '/');
  for (StringRef each : parts) {
    auto [key, value] = each.split(':');
    StringRef kind = isDeviceType(key) ? "device" : key;
    if (is_contained(keys, kind)) {
      fail("the part '" + kind + "' comes twice");
      return std::nullopt;
    }
    keys.push_back(kind);
    if (!part(key, value))
      return std::nullopt;
  }
  return name;
}

std::optional<DeviceName> DeviceName::parse(StringRef text, std::string *why) {
  Parser parser;
  auto name = parser.run(text);
  if (!name && why)
    *why = parser.problem;
  return name;
}

std::string DeviceName::text() const {
  std::string text;
  if (job)
    text += "/job:" + *job;
  if (replica)
    text += "/replica:" + std::to_string(*replica);
  if (task)
    text += "/task:" + std::to_string(*task);
  if (type || id)
    text += "/device:" + type.value_or("*");
  if (id)
    text += ":" + std::to_string(*id);
  return text;
}

template <typename T>
static bool meet(const std::optional<T> &a, const std::optional<T> &b,
                 std::optional<T> &out) {
  if (a && b && *a != *b)
    return false;
  out = a ? a : b;
  return true;
}

std::optional<DeviceName> DeviceName::both(const DeviceName &a,
                                           const DeviceName &b) {
  DeviceName result;
  if (meet(a.job, b.job, result.job) &&
      meet(a.replica, b.replica, result.replica) &&
      meet(a.task, b.task, result.task) && meet(a.type, b.type, result.type) &&
      meet(a.id, b.id, result.id))
    return result;
  return std::nullopt;
}

bool DeviceName::admits(const DeviceName &device) const {
  auto joined = both(*this, device);
  return joined && *joined == device;
}

} // namespace weir

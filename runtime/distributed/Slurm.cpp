//===- Slurm.cpp - A cluster from Slurm's environment ---------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/base/Format.h"
#include "runtime/distributed/ClusterSpec.h"

#include <charconv>

using namespace weir::rt;

constexpr size_t kMaxNodes = 65536;

static Status wrongList(std::string_view text, const char *what) {
  return Status(
      WEIR_INVALID_ARGUMENT,
      str("[WEIR0383] cannot read the list of nodes '", text, "': ", what));
}

/// Takes digits off the front; false when there are none or too many.
static bool takeNumber(std::string_view &text, int64_t &value, size_t &digits) {
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  digits = static_cast<size_t>(end - text.data());
  if (error != std::errc() || digits == 0 || text[0] == '-')
    return false;
  text.remove_prefix(digits);
  return true;
}

/// `number` with leading zeros, as the list has them.
static std::string padded(int64_t number, size_t width) {
  std::string text = str(number);
  return text.size() < width ? std::string(width - text.size(), '0') + text
                             : text;
}

/// Puts each of the names in `prefixes` before what the bracket at the front
/// of `text` stands for, and takes it off.
static Status expandBracket(std::string_view list, std::string_view &text,
                            std::vector<std::string> &prefixes) {
  std::vector<std::string> numbers;
  text.remove_prefix(1);
  for (bool more = true; more;) {
    int64_t first, last;
    size_t width, unused;
    if (!takeNumber(text, first, width))
      return wrongList(list, "a range has to begin with a number");
    last = first;
    if (!text.empty() && text[0] == '-') {
      text.remove_prefix(1);
      if (!takeNumber(text, last, unused))
        return wrongList(list, "a range has to end with a number");
    }
    if (last < first || static_cast<uint64_t>(last - first) >= kMaxNodes ||
        numbers.size() >= kMaxNodes)
      return wrongList(list, "a range runs backwards or is too long");
    for (int64_t number = first; number <= last; ++number)
      numbers.push_back(padded(number, width));
    more = !text.empty() && text[0] == ',';
    if (more)
      text.remove_prefix(1);
  }
  if (text.empty() || text[0] != ']')
    return wrongList(list, "a '[' has no ']'");
  text.remove_prefix(1);
  if (prefixes.size() * numbers.size() > kMaxNodes)
    return wrongList(list, "it has too many nodes");
  std::vector<std::string> made;
  for (const std::string &prefix : prefixes)
    for (const std::string &number : numbers)
      made.push_back(prefix + number);
  prefixes = std::move(made);
  return Status();
}

Status weir::rt::expandNodeList(std::string_view text,
                                std::vector<std::string> &nodes) {
  std::vector<std::string> made;
  std::string_view rest = text;
  do {
    std::vector<std::string> names = {""};
    while (!rest.empty() && rest[0] != ',') {
      if (rest[0] == '[') {
        WEIR_RETURN_IF_ERROR(expandBracket(text, rest, names));
        continue;
      }
      if (rest[0] == ']')
        return wrongList(text, "a ']' has no '['");
      std::string_view plain = rest.substr(0, rest.find_first_of(",[]"));
      for (std::string &name : names)
        name += plain;
      rest.remove_prefix(plain.size());
    }
    if (names[0].empty())
      return wrongList(text, "a name is empty");
    made.insert(made.end(), names.begin(), names.end());
    if (made.size() > kMaxNodes)
      return wrongList(text, "it has too many nodes");
    if (rest.empty())
      break;
    rest.remove_prefix(1);
  } while (true);
  nodes = std::move(made);
  return Status();
}

/// "2(x3),1" as the number of processes on each node.
static Status expandCounts(std::string_view text,
                           std::vector<int64_t> &counts) {
  auto wrong = [&] {
    return Status(WEIR_INVALID_ARGUMENT,
                  str("[WEIR0383] cannot read the numbers of processes on the "
                      "nodes '",
                      text, "'; they look like 2(x3),1"));
  };
  for (std::string_view rest = text;;) {
    int64_t count, times = 1;
    size_t digits;
    if (!takeNumber(rest, count, digits) || count < 1)
      return wrong();
    if (rest.substr(0, 2) == "(x") {
      rest.remove_prefix(2);
      if (!takeNumber(rest, times, digits) || rest.empty() || rest[0] != ')')
        return wrong();
      rest.remove_prefix(1);
    }
    if (times < 1 || static_cast<uint64_t>(times) + counts.size() > kMaxNodes)
      return wrong();
    counts.insert(counts.end(), static_cast<size_t>(times), count);
    if (rest.empty())
      return Status();
    if (rest[0] != ',')
      return wrong();
    rest.remove_prefix(1);
  }
}

static const char *firstOf(const Environment &environment,
                           std::initializer_list<const char *> names) {
  for (const char *name : names)
    if (const char *value = environment(name); value && *value)
      return value;
  return nullptr;
}

static Status readNumber(const Environment &environment, const char *name,
                         int64_t &value) {
  const char *text = environment(name);
  std::string_view rest = text ? text : "";
  size_t digits;
  if (rest.empty())
    return Status(WEIR_NOT_FOUND,
                  str("[WEIR0383] the environment has no ", name,
                      "; is this a step of Slurm (srun)?"));
  if (!takeNumber(rest, value, digits) || !rest.empty())
    return Status(WEIR_INVALID_ARGUMENT,
                  str("[WEIR0383] ", name, " is '", text, "', no number"));
  return Status();
}

Status weir::rt::clusterFromSlurm(const Environment &environment,
                                  const std::vector<JobCount> &jobs,
                                  int32_t port, ClusterConfig &config) {
  int64_t process, processes, wanted = 0;
  WEIR_RETURN_IF_ERROR(readNumber(environment, "SLURM_PROCID", process));
  WEIR_RETURN_IF_ERROR(readNumber(environment, "SLURM_NTASKS", processes));
  const char *list =
      firstOf(environment, {"SLURM_STEP_NODELIST", "SLURM_JOB_NODELIST"});
  const char *perNode = firstOf(
      environment, {"SLURM_STEP_TASKS_PER_NODE", "SLURM_TASKS_PER_NODE"});
  if (!list || !perNode)
    return Status(WEIR_NOT_FOUND,
                  "[WEIR0383] the environment has no list of nodes "
                  "(SLURM_JOB_NODELIST, SLURM_TASKS_PER_NODE)");
  std::vector<std::string> nodes;
  std::vector<int64_t> counts;
  WEIR_RETURN_IF_ERROR(expandNodeList(list, nodes));
  WEIR_RETURN_IF_ERROR(expandCounts(perNode, counts));
  for (const JobCount &job : jobs)
    wanted += job.count;
  if (process >= processes)
    return Status(WEIR_INVALID_ARGUMENT,
                  str("[WEIR0383] SLURM_PROCID is ", process,
                      ", and Slurm's step has ", processes,
                      " processes (SLURM_NTASKS), numbered from 0"));
  if (wanted != processes)
    return Status(WEIR_INVALID_ARGUMENT,
                  str("[WEIR0383] the jobs have ", wanted,
                      " tasks in all, and Slurm's step has ", processes,
                      " processes; start as many (srun -n ", wanted, ")"));
  // The address of each process, in the order of their numbers.
  std::vector<std::string> addresses;
  for (size_t n = 0; n < nodes.size() && n < counts.size(); ++n)
    for (int64_t i = 0;
         i < counts[n] && static_cast<int64_t>(addresses.size()) < processes;
         ++i)
      addresses.push_back(str(nodes[n], ":", static_cast<int64_t>(port) + i));
  if (nodes.size() != counts.size() ||
      static_cast<int64_t>(addresses.size()) != processes)
    return Status(WEIR_INVALID_ARGUMENT,
                  str("[WEIR0383] Slurm speaks of ", nodes.size(), " nodes ('",
                      list, "'), of '", perNode, "' processes on them, and of ",
                      processes, " in all; that does not agree"));
  std::map<std::string, std::vector<std::string>> made;
  ClusterConfig result;
  size_t next = 0;
  for (const JobCount &job : jobs)
    for (int32_t i = 0; i < job.count; ++i, ++next) {
      made[job.job].push_back(addresses[next]);
      if (static_cast<int64_t>(next) == process)
        result.task = {job.job, i};
    }
  WEIR_RETURN_IF_ERROR(
      ClusterSpec::make(made, "Slurm's environment", result.spec));
  result.hasTask = true;
  config = std::move(result);
  return Status();
}

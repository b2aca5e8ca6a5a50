//===- ClusterSpec.cpp - Which tasks a cluster has ------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/distributed/ClusterSpec.h"
#include "runtime/base/Format.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fstream>
#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>
#include <set>
#include <sstream>

using namespace weir::rt;

using google::protobuf::Struct;
using google::protobuf::Value;

/// More tasks than any launcher starts; what is beyond is a slip.
constexpr int32_t kMaxTasks = 65536;

std::string TaskId::text() const { return str("/job:", job, "/task:", index); }

std::string TaskId::devicePrefix() const {
  return str("/job:", job, "/replica:0/task:", index, "/device:");
}

Status weir::rt::splitAddress(const std::string &address, std::string &host,
                              int32_t &port) {
  size_t colon = address.rfind(':');
  std::string_view digits;
  if (colon != std::string::npos)
    digits = std::string_view(address).substr(colon + 1);
  int32_t number = -1;
  auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), number);
  host = colon == std::string::npos ? address : address.substr(0, colon);
  if (host.size() > 2 && host.front() == '[' && host.back() == ']')
    host = host.substr(1, host.size() - 2);
  else if (host.find(':') != std::string::npos)
    digits = {};
  if (digits.empty() || error != std::errc() ||
      end != digits.data() + digits.size() || number < 0 || number > 65535 ||
      host.empty())
    return Status(WEIR_INVALID_ARGUMENT,
                  str("[WEIR0382] '", address,
                      "' is no address: it has to be host:port, with a port "
                      "from 1 to 65535"));
  port = number;
  return Status();
}

/// Letters, digits and "_", not a digit first: what device names can hold.
static bool isJobName(const std::string &name) {
  if (name.empty() || (name[0] >= '0' && name[0] <= '9'))
    return false;
  return std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') || c == '_';
  });
}

Status
ClusterSpec::make(const std::map<std::string, std::vector<std::string>> &jobs,
                  const std::string &source, ClusterSpec &spec) {
  std::map<std::string, TaskId> seen;
  ClusterSpec made;
  for (const auto &[job, addresses] : jobs) {
    if (!isJobName(job))
      return Status(WEIR_INVALID_ARGUMENT,
                    str("[WEIR0380] ", source, ": '", job,
                        "' is no name for a job; it has letters, digits and "
                        "'_', and begins with a letter"));
    if (addresses.empty())
      return Status(WEIR_INVALID_ARGUMENT,
                    str("[WEIR0380] ", source, ": job '", job,
                        "' has no tasks; leave it out"));
    for (const std::string &address : addresses) {
      TaskId id = {job, static_cast<int32_t>(&address - addresses.data())};
      std::string host;
      int32_t port;
      WEIR_RETURN_IF_ERROR(
          splitAddress(address, host, port)
              .withContext(str(source, ": task ", id.text(), ": ")));
      // Port 0 is chosen when the task starts, so it is never the same one.
      auto [it, isNew] = seen.emplace(address, id);
      if (!isNew && port != 0)
        return Status(WEIR_INVALID_ARGUMENT,
                      str("[WEIR0382] ", source, ": tasks ", it->second.text(),
                          " and ", id.text(), " have one address, '", address,
                          "'; each needs a port of its own"));
      made.all.push_back({std::move(id), address});
    }
  }
  if (made.all.empty())
    return Status(WEIR_INVALID_ARGUMENT,
                  str("[WEIR0380] ", source, ": the cluster has no jobs"));
  if (made.all.size() > kMaxTasks)
    return Status(WEIR_INVALID_ARGUMENT,
                  str("[WEIR0380] ", source, ": the cluster has ",
                      made.all.size(), " tasks; at most ", kMaxTasks,
                      " are possible"));
  spec = std::move(made);
  return Status();
}

Status ClusterSpec::find(const TaskId &id, int32_t &index) const {
  std::vector<std::string> texts;
  std::vector<std::string_view> names, jobs;
  bool hasJob = false;
  for (const ClusterTask &task : all) {
    if (task.id == id) {
      index = static_cast<int32_t>(&task - all.data());
      return Status();
    }
    hasJob |= task.id.job == id.job;
    texts.push_back(task.id.text());
    if (jobs.empty() || jobs.back() != task.id.job)
      jobs.push_back(task.id.job);
  }
  names.assign(texts.begin(), texts.end());
  return Status(WEIR_NOT_FOUND,
                str("[WEIR0381] the cluster has no task ", id.text(),
                    hasJob ? std::string() : didYouMean(id.job, jobs),
                    " (it has ", listNames(names), ")"));
}

// ---- JSON.

static Status wrongJson(const std::string &source, const std::string &what) {
  return Status(WEIR_INVALID_ARGUMENT, str("[WEIR0380] ", source, ": ", what));
}

static Status parseAddresses(const std::string &job, const Value &value,
                             const std::string &source,
                             std::vector<std::string> &addresses) {
  if (value.has_list_value()) {
    for (const Value &each : value.list_value().values()) {
      if (each.kind_case() != Value::kStringValue)
        return wrongJson(source, str("task ", addresses.size(), " of job '",
                                     job, "' is no string \"host:port\""));
      addresses.push_back(each.string_value());
    }
    return Status();
  }
  if (!value.has_struct_value())
    return wrongJson(source, str("job '", job,
                                 "' is no list of addresses [\"host:port\", "
                                 "...]"));
  const auto &fields = value.struct_value().fields();
  for (size_t i = 0; i < fields.size(); ++i) {
    auto it = fields.find(str(i));
    if (it == fields.end())
      return wrongJson(source, str("job '", job, "' has ", fields.size(),
                                   " tasks, and none with number ", i,
                                   "; numbers go from 0 without a gap"));
    if (it->second.kind_case() != Value::kStringValue)
      return wrongJson(source, str("task ", i, " of job '", job,
                                   "' is no string \"host:port\""));
    addresses.push_back(it->second.string_value());
  }
  return Status();
}

static Status parseTask(const Value &value, const std::string &source,
                        TaskId &task) {
  if (!value.has_struct_value())
    return wrongJson(source, "\"task\" is no object {\"type\": \"worker\", "
                             "\"index\": 0}");
  const auto &fields = value.struct_value().fields();
  auto type = fields.find("type"), index = fields.find("index");
  if (type == fields.end() || type->second.string_value().empty())
    return wrongJson(source, "\"task\" has no \"type\", the name of its job");
  if (index == fields.end())
    return wrongJson(source, "\"task\" has no \"index\", its number");
  // Launchers write numbers as text too.
  double number = -1;
  const Value &stored = index->second;
  if (stored.kind_case() == Value::kNumberValue) {
    number = stored.number_value();
  } else {
    const std::string &text = stored.string_value();
    int32_t parsed;
    auto [end, error] =
        std::from_chars(text.data(), text.data() + text.size(), parsed);
    if (error == std::errc() && end == text.data() + text.size())
      number = parsed;
  }
  if (!(number >= 0 && number < kMaxTasks) || number != std::floor(number))
    return wrongJson(source, "\"index\" of \"task\" is no number of a task");
  task = {type->second.string_value(), static_cast<int32_t>(number)};
  return Status();
}

Status weir::rt::parseClusterJson(std::string_view text,
                                  const std::string &source,
                                  ClusterConfig &config) {
  Struct json;
  auto parsed = google::protobuf::util::JsonStringToMessage(
      {text.data(), text.size()}, &json);
  if (!parsed.ok()) {
    std::string reason = parsed.ToString();
    std::replace(reason.begin(), reason.end(), '\n', ' ');
    return wrongJson(source, "this is no JSON object: " + reason);
  }
  const auto &fields = json.fields();
  auto cluster = fields.find("cluster");
  if (cluster != fields.end() && !cluster->second.has_struct_value())
    return wrongJson(source, "\"cluster\" is no object of jobs");
  const Struct &jobs =
      cluster != fields.end() ? cluster->second.struct_value() : json;
  std::map<std::string, std::vector<std::string>> addresses;
  for (const auto &[job, value] : jobs.fields())
    if (cluster != fields.end() || (job != "task" && job != "environment"))
      WEIR_RETURN_IF_ERROR(parseAddresses(job, value, source, addresses[job]));
  ClusterConfig made;
  WEIR_RETURN_IF_ERROR(ClusterSpec::make(addresses, source, made.spec));
  if (auto task = fields.find("task"); task != fields.end()) {
    WEIR_RETURN_IF_ERROR(parseTask(task->second, source, made.task));
    int32_t index;
    WEIR_RETURN_IF_ERROR(
        made.spec.find(made.task, index).withContext(source + ": "));
    made.hasTask = true;
  }
  config = std::move(made);
  return Status();
}

Status weir::rt::readClusterFile(const std::string &path,
                                 ClusterConfig &config) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (file)
    text << file.rdbuf();
  // A folder opens, and cannot be read.
  if (!file || errno != 0)
    return Status(WEIR_NOT_FOUND,
                  str("[WEIR0380] cannot read the cluster spec '", path,
                      "': ", strerror(errno)));
  if (text.str().empty())
    return Status(WEIR_INVALID_ARGUMENT,
                  str("[WEIR0380] the cluster spec '", path, "' is empty"));
  return parseClusterJson(text.str(), str("'", path, "'"), config);
}

Status weir::rt::clusterFromTfConfig(const Environment &environment,
                                     ClusterConfig &config) {
  const char *text = environment("TF_CONFIG");
  if (!text || !*text)
    return Status(WEIR_NOT_FOUND,
                  "[WEIR0380] the environment has no TF_CONFIG");
  return parseClusterJson(text, "TF_CONFIG", config);
}

Status weir::rt::parseJobCounts(std::string_view text,
                                std::vector<JobCount> &jobs) {
  std::vector<JobCount> made;
  std::set<std::string> names;
  int64_t total = 0;
  for (std::string_view rest = text; !rest.empty() || made.empty();) {
    std::string_view part = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(part.size() + 1, rest.size()));
    size_t equals = part.find('=');
    std::string_view digits;
    if (equals != std::string_view::npos)
      digits = part.substr(equals + 1);
    int32_t count = 0;
    auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), count);
    std::string name(part.substr(0, equals));
    if (error != std::errc() || end != digits.data() + digits.size() ||
        count < 1 || count > kMaxTasks || !isJobName(name) ||
        !names.insert(name).second || (total += count) > kMaxTasks)
      return Status(WEIR_INVALID_ARGUMENT,
                    str("[WEIR0380] '", text,
                        "' does not say what tasks there are; it has to be "
                        "job=count, ... with each job once, as in "
                        "ps=1,worker=2"));
    made.push_back({std::move(name), count});
  }
  jobs = std::move(made);
  return Status();
}

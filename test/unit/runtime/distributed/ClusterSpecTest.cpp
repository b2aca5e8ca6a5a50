//===- ClusterSpecTest.cpp - The forms a cluster's description has --------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/distributed/ClusterSpec.h"

#include <gtest/gtest.h>

using namespace weir::rt;

static bool says(const Status &status, const std::string &part) {
  return std::string(status.message()).find(part) != std::string::npos;
}

static Status parse(const std::string &text, ClusterConfig &config) {
  return parseClusterJson(text, "spec.json", config);
}

static Status parse(const std::string &text) {
  ClusterConfig config;
  return parse(text, config);
}

TEST(ClusterSpec, ReadsTensorFlowsForm) {
  ClusterConfig config;
  Status status = parse(
      R"({"cluster": {"worker": ["a:1", "b:2"], "ps": ["[::1]:3"]},
          "task": {"type": "worker", "index": 1}, "environment": "cloud"})",
      config);
  ASSERT_TRUE(status.ok()) << status.message();
  ASSERT_EQ(config.spec.tasks().size(), 3u);
  EXPECT_EQ(config.spec.tasks()[0].id.text(), "/job:ps/task:0");
  EXPECT_EQ(config.spec.tasks()[0].address, "[::1]:3");
  EXPECT_EQ(config.spec.tasks()[2].address, "b:2");
  EXPECT_TRUE(config.hasTask);
  EXPECT_EQ(config.task.devicePrefix(), "/job:worker/replica:0/task:1/device:");
  int32_t index = -1;
  ASSERT_TRUE(config.spec.find(config.task, index).ok());
  EXPECT_EQ(index, 2);
}

TEST(ClusterSpec, ReadsBareJobsAndNumberedTasks) {
  ClusterConfig config;
  Status status = parse(R"({"ps": {"1": "b:2", "0": "a:1"}})", config);
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_FALSE(config.hasTask);
  EXPECT_EQ(config.spec.tasks()[1].address, "b:2");
}

TEST(ClusterSpec, RefusesWhatIsNoCluster) {
  struct Case {
    const char *text, *says;
  } cases[] = {
      {"{\"cluster\": ", "[WEIR0380] spec.json: this is no JSON object"},
      {"[1]", "[WEIR0380]"},
      {"{}", "the cluster has no jobs"},
      {R"({"cluster": []})", "\"cluster\" is no object"},
      {R"({"cluster": {"ps": "a:1"}})", "job 'ps' is no list"},
      {R"({"cluster": {"ps": [1]}})", "task 0 of job 'ps' is no string"},
      {R"({"cluster": {"ps": []}})", "job 'ps' has no tasks"},
      {R"({"cluster": {"p s": ["a:1"]}})", "'p s' is no name for a job"},
      {R"({"cluster": {"ps": {"1": "a:1"}}})", "none with number 0"},
      {R"({"cluster": {"ps": ["a"]}})", "[WEIR0382] spec.json: task "
                                        "/job:ps/task:0: 'a' is no address"},
      {R"({"cluster": {"ps": ["a:x"]}})", "'a:x' is no address"},
      {R"({"cluster": {"ps": ["a:70000"]}})", "'a:70000' is no address"},
      {R"({"cluster": {"ps": [":1"]}})", "':1' is no address"},
      {R"({"cluster": {"ps": ["::1:1"]}})", "'::1:1' is no address"},
      {R"({"cluster": {"ps": ["a:1"], "worker": ["b:1", "a:1"]}})",
       "[WEIR0382] spec.json: tasks /job:ps/task:0 and /job:worker/task:1 "
       "have one address, 'a:1'"},
      {R"({"cluster": {"ps": ["a:1"]}, "task": 3})", "\"task\" is no object"},
      {R"({"cluster": {"ps": ["a:1"]}, "task": {"index": 0}})", "no \"type\""},
      {R"({"cluster": {"ps": ["a:1"]}, "task": {"type": "ps"}})",
       "no \"index\""},
      {R"({"cluster": {"ps": ["a:1"]}, "task": {"type": "ps", "index": 0.5}})",
       "no number of a task"},
      {R"({"cluster": {"ps": ["a:1"]}, "task": {"type": "ps", "index": 1}})",
       "[WEIR0381] spec.json: the cluster has no task /job:ps/task:1 (it has "
       "'/job:ps/task:0')"},
      {R"({"cluster": {"worker": ["a:1"]},
           "task": {"type": "woker", "index": 0}})",
       "did you mean 'worker'?"},
  };
  for (const Case &each : cases) {
    Status status = parse(each.text);
    EXPECT_FALSE(status.ok()) << each.text;
    EXPECT_TRUE(says(status, each.says)) << status.message();
  }
}

TEST(ClusterSpec, ReadsTheEnvironment) {
  ClusterConfig config;
  auto none = [](const char *) -> const char * { return nullptr; };
  EXPECT_EQ(clusterFromTfConfig(none, config).code(), WEIR_NOT_FOUND);
  auto set = [](const char *name) -> const char * {
    return std::string(name) == "TF_CONFIG" ? R"({"cluster": {"ps": ["a:1"]},
                     "task": {"type": "ps", "index": "0"}})"
                                            : nullptr;
  };
  Status status = clusterFromTfConfig(set, config);
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(config.task.text(), "/job:ps/task:0");
}

TEST(ClusterSpec, SaysThatAFileIsMissing) {
  ClusterConfig config;
  EXPECT_TRUE(says(readClusterFile("no-such-dir/spec.json", config),
                   "[WEIR0380] cannot read the cluster spec "
                   "'no-such-dir/spec.json': No such file or directory"));
  Status folder = readClusterFile("/", config);
  EXPECT_TRUE(says(folder, "'/': Is a directory")) << folder.message();
  Status empty = readClusterFile("/dev/null", config);
  EXPECT_TRUE(says(empty, "[WEIR0380] the cluster spec '/dev/null' is empty"))
      << empty.message();
}

TEST(JobCounts, AreReadAndChecked) {
  std::vector<JobCount> jobs;
  ASSERT_TRUE(parseJobCounts("ps=1,worker=2", jobs).ok());
  ASSERT_EQ(jobs.size(), 2u);
  EXPECT_EQ(jobs[1].job, "worker");
  EXPECT_EQ(jobs[1].count, 2);
  for (const char *wrong : {"", "ps", "ps=", "ps=0", "ps=-1", "ps=1x", "=1",
                            "ps=1,ps=2", "ps=1,,worker=1", "ps=99999999"})
    EXPECT_TRUE(says(parseJobCounts(wrong, jobs), "[WEIR0380]")) << wrong;
}

TEST(NodeList, IsExpanded) {
  auto expand = [](const char *text) {
    std::vector<std::string> nodes;
    std::string all;
    Status status = expandNodeList(text, nodes);
    if (!status.ok())
      return std::string(status.message());
    for (const std::string &node : nodes)
      all += node + " ";
    return all;
  };
  EXPECT_EQ(expand("n1"), "n1 ");
  EXPECT_EQ(expand("n[1-3,7],m"), "n1 n2 n3 n7 m ");
  EXPECT_EQ(expand("n[08-10]-x"), "n08-x n09-x n10-x ");
  EXPECT_EQ(expand("r[1-2]n[0-1]"), "r1n0 r1n1 r2n0 r2n1 ");
  for (const char *wrong :
       {"", ",", "n1,", "n[1-", "n[]", "n[a]", "n[3-1]", "n[1-99999999]", "n]",
        "n[1-300]m[1-300]", "n[-1]", "n[99999999999999999999]"})
    EXPECT_NE(expand(wrong).find("[WEIR0383]"), std::string::npos) << wrong;
}

namespace {
struct FakeEnvironment {
  std::map<std::string, std::string> values;
  Status read(ClusterConfig &config, const char *jobs = "ps=1,worker=2") {
    std::vector<JobCount> counts;
    Status parsed = parseJobCounts(jobs, counts);
    EXPECT_TRUE(parsed.ok());
    return clusterFromSlurm(
        [&](const char *name) -> const char * {
          auto it = values.find(name);
          return it == values.end() ? nullptr : it->second.c_str();
        },
        counts, 7000, config);
  }
};
} // namespace

TEST(Slurm, GivesEachProcessATask) {
  FakeEnvironment environment{{{"SLURM_PROCID", "2"},
                               {"SLURM_NTASKS", "3"},
                               {"SLURM_JOB_NODELIST", "n[1-2]"},
                               {"SLURM_TASKS_PER_NODE", "2,1"}}};
  ClusterConfig config;
  Status status = environment.read(config);
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(config.task.text(), "/job:worker/task:1");
  EXPECT_EQ(config.spec.tasks()[0].address, "n1:7000");
  EXPECT_EQ(config.spec.tasks()[1].address, "n1:7001");
  EXPECT_EQ(config.spec.tasks()[2].address, "n2:7000");
  environment.values["SLURM_STEP_NODELIST"] = "k[1-3]";
  environment.values["SLURM_STEP_TASKS_PER_NODE"] = "1(x3)";
  ASSERT_TRUE(environment.read(config).ok());
  EXPECT_EQ(config.spec.tasks()[2].address, "k3:7000");
}

TEST(Slurm, SaysWhatDoesNotAgree) {
  FakeEnvironment good{{{"SLURM_PROCID", "0"},
                        {"SLURM_NTASKS", "3"},
                        {"SLURM_JOB_NODELIST", "n[1-3]"},
                        {"SLURM_TASKS_PER_NODE", "1(x3)"}}};
  ClusterConfig config;
  ASSERT_TRUE(good.read(config).ok());
  struct Case {
    const char *name, *value, *says;
  } cases[] = {
      {"SLURM_PROCID", "", "no SLURM_PROCID"},
      {"SLURM_PROCID", "x", "SLURM_PROCID is 'x'"},
      {"SLURM_PROCID", "3",
       "SLURM_PROCID is 3, and Slurm's step has 3 processes"},
      {"SLURM_NTASKS", "2",
       "the jobs have 3 tasks in all, and Slurm's step "
       "has 2 processes"},
      {"SLURM_JOB_NODELIST", "", "no list of nodes"},
      {"SLURM_JOB_NODELIST", "n[1-2]", "does not agree"},
      {"SLURM_TASKS_PER_NODE", "1(x2", "cannot read the numbers"},
      {"SLURM_TASKS_PER_NODE", "1(x2)", "does not agree"},
  };
  for (const Case &each : cases) {
    FakeEnvironment changed = good;
    changed.values[each.name] = each.value;
    Status status = changed.read(config);
    EXPECT_TRUE(says(status, "[WEIR0383]") && says(status, each.says))
        << each.name << "=" << each.value << ": " << status.message();
  }
}

//===- WorkerSetupTest.cpp - From a command line to a task ----------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/distributed/WorkerSetup.h"
#include "runtime/device/Device.h"
#include "test/unit/runtime/distributed/ClusterTest.h"

using namespace weir::rt;
using namespace weir::rt::test;

/// A kind of device that knows two options.
static Status makeFlux(const std::string &, int32_t, std::string_view options,
                       std::unique_ptr<Device> &) {
  return options == "good" ? Status()
                           : Status(WEIR_INVALID_ARGUMENT, "no such flux");
}
static const WeirDeviceKind kFlux = {"FLUX", makeFlux};

static Status setUp(const std::vector<std::string> &words,
                    WorkerOptions &options) {
  const std::vector<Option> known = {
      {"--cluster", "", ""},       {"--slurm", "", ""},
      {"--slurm-port", "", ""},    {"--job", "", ""},
      {"--task", "", ""},          {"--listen", "", ""},
      {"--devices", "", ""},       {"--tls-ca", "", ""},
      {"--session-ttl-ms", "", ""}};
  Arguments arguments;
  WEIR_RETURN_IF_ERROR(Arguments::parse(known, words, arguments));
  options = WorkerOptions();
  return setUpWorker(arguments, {&kFlux}, options);
}

TEST(WorkerSetup, FindsTheTask) {
  WorkerOptions options;
  ASSERT_OK(setUp({"--job=ps", "--task=2"}, options));
  EXPECT_EQ(options.task.text(), "/job:ps/task:2");
  EXPECT_EQ(options.listen, "127.0.0.1:0");
  std::ofstream("worker-setup-test.json")
      << R"({"cluster": {"ps": ["127.0.0.1:4001"], "worker": ["h:1"]}})";
  ASSERT_OK(setUp({"--cluster=worker-setup-test.json", "--job=ps", "--task=0"},
                  options));
  EXPECT_EQ(options.listen, "127.0.0.1:4001");
  struct Case {
    std::vector<std::string> words;
    const char *says;
  } cases[] = {
      {{}, "[WEIR0398] nothing says which task this is"},
      {{"--job=ps"}, "[WEIR0398] --job and --task go together"},
      {{"--cluster=a", "--slurm=ps=1"}, "[WEIR0398] --cluster and --slurm"},
      {{"--cluster=worker-setup-test.json"}, "[WEIR0398] nothing says"},
      {{"--cluster=worker-setup-test.json", "--job=ps", "--task=1"},
       "[WEIR0381]"},
      {{"--job=ps", "--task=0", "extra"}, "[WEIR0398] 'extra' is no option"},
      {{"--slurm=ps=1"}, "[WEIR0383]"},
      {{"--job=ps", "--task=0", "--devices=FLUX"}, "[WEIR0374]"},
      {{"--job=ps", "--task=0", "--devices=FLUX=bad"}, "no such flux"},
      {{"--job=ps", "--task=0", "--devices=FLOX=good"},
       "[WEIR0398] 'FLOX' (--devices) is no kind of device; did you mean "
       "'FLUX'?"},
  };
  for (const Case &each : cases) {
    Status status = setUp(each.words, options);
    EXPECT_TRUE(says(status, each.says)) << status.message();
  }
  std::remove("worker-setup-test.json");
}

TEST(WorkerSetup, WritesThePortWhole) {
  ASSERT_OK(writePortFile("worker-port-test", 4711));
  EXPECT_EQ(readFile("worker-port-test"), "4711\n");
  std::remove("worker-port-test");
  EXPECT_TRUE(says(writePortFile("no-such-dir/port", 1), "[WEIR0398]"));
}

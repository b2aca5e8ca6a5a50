//===- ClusterFaultTest.cpp - Tasks that go away --------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tasks as processes, killed and stopped.
//
//===----------------------------------------------------------------------===//

#include "test/unit/runtime/distributed/ClusterTest.h"

#include <csignal>
#include <future>
#include <sys/wait.h>
#include <unistd.h>

using namespace weir::rt;
using namespace weir::rt::test;

namespace {

constexpr int64_t kHeartbeatMs = 500;
// A busy machine runs the threads that tell of it late. That a heartbeat told
// of it and not the connection, which would later, is in the message.
constexpr int64_t kSlackMs = 4000;

/// Nobody may be there to wait for it: a zombie has ended too.
bool runs(pid_t process) {
  const std::string status = readFile(str("/proc/", process, "/stat"));
  const size_t name = status.rfind(')');
  return name != std::string::npos && status.substr(name + 2, 1) != "Z";
}

class ClusterFault : public testing::Test {
protected:
  void SetUp() override {
    LocalClusterOptions options;
    options.worker = WEIR_TEST_WORKER;
    ASSERT_OK(parseJobCounts("ps=2,worker=1", options.jobs));
    ASSERT_OK(LocalCluster::start(options, cluster));
    ClusterOptions clientOptions;
    clientOptions.heartbeatMs = kHeartbeatMs;
    client = std::make_unique<Client>(cluster->spec(), clientOptions);
    ASSERT_OK(std::move(client->status));
    ASSERT_OK(client->run("init"));
  }
  void TearDown() override {
    client.reset();
    cluster.reset();
  }

  /// Begins a step that waits, does `fault`, and gives what the step says.
  template <typename Fault> Status stepWith(Fault fault) {
    std::future<Status> step = std::async(
        std::launch::async, [&] { return client->run("stuck", {"x"}); });
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    Status done = fault();
    EXPECT_TRUE(done.ok()) << done.message();
    const int64_t begin = nowMs();
    Status status = step.get();
    took = nowMs() - begin;
    return status;
  }

  void expectLost(const Status &status, const char *task) {
    EXPECT_EQ(status.code(), WEIR_UNAVAILABLE);
    EXPECT_TRUE(says(status, "[WEIR0388] step ")) << status.message();
    EXPECT_TRUE(says(status, "of entry 'stuck'")) << status.message();
    EXPECT_TRUE(says(status, task)) << status.message();
  }

  std::unique_ptr<LocalCluster> cluster;
  std::unique_ptr<Client> client;
  int64_t took = 0;
};

} // namespace

TEST_F(ClusterFault, KilledTaskEndsTheStep) {
  for (int32_t task : {0, 2}) {
    Status status = stepWith([&] { return cluster->kill(task); });
    expectLost(status, task ? "/job:worker/task:0" : "/job:ps/task:0");
    EXPECT_LE(took, 2 * kHeartbeatMs + kSlackMs);
    // And it says so for the next one, without waiting.
    const int64_t begin = nowMs();
    expectLost(client->run("stuck", {"x"}),
               task ? "/job:worker/task:0" : "/job:ps/task:0");
    EXPECT_LT(nowMs() - begin, kSlackMs);
    ASSERT_OK(cluster->restart(task));
    ASSERT_OK(client->session->reconnect());
    // What it had is gone, what the others had is not.
    if (task == 0) {
      Status empty = client->run("null", {"total"});
      EXPECT_EQ(empty.code(), WEIR_FAILED_PRECONDITION) << empty.message();
      ASSERT_OK(client->run("init"));
    }
    ASSERT_OK(client->run("null", {"total"}));
    EXPECT_EQ(client->number(), task ? 3 : 1);
  }
}

TEST_F(ClusterFault, StoppedTaskEndsTheStep) {
  for (int32_t task : {1, 2}) {
    Status status = stepWith([&] { return cluster->signal(task, SIGSTOP); });
    expectLost(status, task == 2 ? "/job:worker/task:0" : "/job:ps/task:1");
    EXPECT_TRUE(says(status, "no answer to a heartbeat")) << status.message();
    EXPECT_LE(took, 2 * kHeartbeatMs + kSlackMs);
    ASSERT_OK(cluster->signal(task, SIGCONT));
    // It was only slow: it comes back by itself, with its state.
    waitFor([&] { return client->session->lostTasks().empty(); });
    ASSERT_OK(client->run("null", {"total"}));
  }
}

TEST_F(ClusterFault, OtherTasksGoOn) {
  ASSERT_OK(cluster->kill(2));
  // "init" has no part in the worker.
  ASSERT_OK(client->run("init"));
  expectLost(stepWith([] { return Status(); }), "/job:worker/task:0");
}

/// A task that was started again without a word to the client has another
/// incarnation, which says more than that the connection broke.
TEST_F(ClusterFault, SilentRestartIsNoticed) {
  ASSERT_OK(cluster->kill(1));
  ASSERT_OK(cluster->restart(1));
  // First that the connection broke, perhaps; then what the new one says.
  Status status;
  waitFor([&] {
    status = client->run("null", {"total"});
    return says(status, "started again");
  });
  EXPECT_EQ(status.code(), WEIR_UNAVAILABLE);
  EXPECT_TRUE(says(status, "/job:ps/task:1")) << status.message();
  EXPECT_EQ(client->session->lostTasks(),
            std::vector<std::string>{"/job:ps/task:1"});
  ASSERT_OK(client->session->reconnect());
  ASSERT_OK(client->run("init"));
  ASSERT_OK(client->run("null", {"total"}));
}

TEST_F(ClusterFault, ReconnectSaysWhoIsStillGone) {
  ASSERT_OK(cluster->kill(1));
  Status status = client->run("null", {"total"});
  EXPECT_EQ(status.code(), WEIR_UNAVAILABLE);
  ClusterOptions options;
  options.connectTimeoutMs = 300;
  Client late(cluster->spec(), options);
  EXPECT_EQ(late.status.code(), WEIR_UNAVAILABLE);
  EXPECT_TRUE(says(late.status, "[WEIR0387]") &&
              says(late.status, "/job:ps/task:1") &&
              !says(late.status, "/job:ps/task:0"))
      << late.status.message();
}

TEST_F(ClusterFault, StopsCleanly) {
  client.reset();
  const int64_t begin = nowMs();
  ASSERT_OK(cluster->stop());
  EXPECT_LT(nowMs() - begin, 10000);
}

TEST_F(ClusterFault, StopTellsOfTasksThatHadEnded) {
  client.reset();
  ASSERT_EQ(::kill(cluster->pid(0), SIGKILL), 0);
  // All of its threads, with which the process can be waited for.
  waitFor([&] {
    siginfo_t info = {};
    return waitid(P_PID, static_cast<id_t>(cluster->pid(0)), &info,
                  WEXITED | WNOHANG | WNOWAIT) == 0 &&
           info.si_pid != 0;
  });
  Status status = cluster->stop();
  EXPECT_TRUE(says(status, "[WEIR0395] task /job:ps/task:0 had ended"))
      << status.message();
}

/// The tasks end with the process that started them, however it ends.
TEST(LocalCluster, EndsWithItsLauncher) {
  int pipes[2];
  ASSERT_EQ(pipe(pipes), 0);
  pid_t launcher = fork();
  if (launcher == 0) {
    LocalClusterOptions options;
    options.worker = WEIR_TEST_WORKER;
    std::unique_ptr<LocalCluster> cluster;
    Status status = parseJobCounts("ps=1", options.jobs);
    if (status.ok())
      status = LocalCluster::start(options, cluster);
    pid_t pid = status.ok() ? cluster->pid(0) : 0;
    if (write(pipes[1], &pid, sizeof(pid)) != sizeof(pid))
      _exit(1);
    ::kill(getpid(), SIGKILL);
  }
  pid_t task = 0;
  ASSERT_EQ(read(pipes[0], &task, sizeof(task)),
            static_cast<ssize_t>(sizeof(task)));
  close(pipes[0]);
  close(pipes[1]);
  waitpid(launcher, nullptr, 0);
  ASSERT_GT(task, 0);
  waitFor([&] { return !runs(task); });
}

TEST(LocalCluster, SaysWhyATaskDidNotStart) {
  LocalClusterOptions options;
  options.worker = WEIR_TEST_WORKER;
  options.arguments = {"--insecure-networc"};
  std::unique_ptr<LocalCluster> cluster;
  ASSERT_OK(parseJobCounts("ps=1", options.jobs));
  Status status = LocalCluster::start(options, cluster);
  EXPECT_TRUE(says(status, "[WEIR0395] task /job:ps/task:0 did not start") &&
              says(status, "--insecure-networc"))
      << status.message();
  options.worker = "no-such-worker";
  status = LocalCluster::start(options, cluster);
  EXPECT_TRUE(says(status, "cannot run 'no-such-worker'")) << status.message();
}

//===- ClusterStepTest.cpp - Steps across servers of one process ----------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/runtime/distributed/ClusterTest.h"
#include "test/unit/runtime/executor/FakeCalls.h"

using namespace weir::rt;
using namespace weir::rt::test;

TEST(ClusterStep, RunsPartsInAllTasks) {
  Servers servers(2);
  Client client(servers.spec);
  ASSERT_OK(std::move(client.status));
  ASSERT_OK(client.run("init"));
  // v is the number of the ps, and one more each step.
  for (int i = 0; i < 3; ++i) {
    ASSERT_OK(client.run("null", {"total"}));
    EXPECT_EQ(client.number(), 1 + 2 * i);
  }
  EXPECT_EQ(servers.total().steps, 0);
}

TEST(ClusterStep, KnowsItsEntries) {
  Servers servers(2);
  Client client(servers.spec);
  ASSERT_OK(std::move(client.status));
  bool seen = false;
  for (const ClusterSession::Entry &entry : client.session->entries(client.set))
    if (entry.name == "echo") {
      seen = true;
      EXPECT_EQ(entry.feeds, std::vector<std::string>{"x"});
      EXPECT_EQ(entry.fetches, (std::vector<std::string>{"y0", "y1"}));
      EXPECT_EQ(entry.tasks, (std::vector<int32_t>{0, 1, 2}));
    }
  EXPECT_TRUE(seen);
}

/// Feeds and fetches that are part of the messages, and those that are not.
TEST(ClusterStep, MovesTensorsOfAnySize) {
  Servers servers(2);
  Client client(servers.spec);
  ASSERT_OK(std::move(client.status));
  for (int64_t count : {int64_t(0), int64_t(1), int64_t(1000), int64_t(100000),
                        int64_t(3 * 1024 * 1024 + 7)}) {
    std::vector<float> x(static_cast<size_t>(count));
    for (size_t i = 0; i < x.size(); ++i)
      x[i] = static_cast<float>(i);
    std::vector<TensorRef> results;
    ASSERT_OK(client.session->run(client.set, "echo",
                                  {{"x", {x.data(), &count, 1, WEIR_F32}}},
                                  {"y1", "y0"}, results));
    for (const TensorRef &result : results) {
      WeirView view = result.view();
      ASSERT_EQ(view.dims[0], count);
      const float *y = static_cast<const float *>(view.data);
      for (int64_t i = 0; i < count; i += 997)
        ASSERT_EQ(y[i], 2 * static_cast<float>(i));
    }
  }
  EXPECT_EQ(servers.total().steps, 0);
}

/// A fetch that nobody wants leaves nothing behind.
TEST(ClusterStep, DropsWhatIsNotFetched) {
  Servers servers(2);
  Client client(servers.spec);
  ASSERT_OK(std::move(client.status));
  int64_t count = 1 << 20;
  std::vector<float> x(static_cast<size_t>(count), 1.0f);
  std::vector<TensorRef> results;
  ASSERT_OK(client.session->run(client.set, "echo",
                                {{"x", {x.data(), &count, 1, WEIR_F32}}},
                                {"y0"}, results));
  EXPECT_EQ(servers.total().steps, 0);
}

TEST(ClusterStep, SendsWhatIsDeadAsDead) {
  Servers servers(2);
  Client client(servers.spec);
  ASSERT_OK(std::move(client.status));
  ASSERT_OK(client.run("dead", {"x"}));
  EXPECT_EQ(client.number(), 1);
}

TEST(ClusterStep, TellsTheRootCause) {
  Servers servers(2);
  Client client(servers.spec);
  ASSERT_OK(std::move(client.status));
  for (int i = 0; i < 20; ++i) {
    Status status = client.run("fail", {"x"});
    EXPECT_EQ(status.code(), WEIR_INVALID_ARGUMENT);
    EXPECT_TRUE(says(status, "[WEIR0330] task /job:ps/task:1, step "))
        << status.message();
    EXPECT_TRUE(says(status, "no luck")) << status.message();
  }
  EXPECT_EQ(servers.total().steps, 0);
  EXPECT_EQ(servers.total().pulls, 0);
}

TEST(ClusterStep, EndsAtItsDeadline) {
  Servers servers(2);
  Client client(servers.spec);
  ASSERT_OK(std::move(client.status));
  int64_t begin = nowMs();
  Status status = client.run("stuck", {"x"}, {/*timeoutMs=*/200, nullptr});
  EXPECT_EQ(status.code(), WEIR_DEADLINE_EXCEEDED) << status.message();
  EXPECT_TRUE(says(status, ": step 1 of entry 'stuck' has not ended within 200 "
                           "ms") &&
              !says(status, "step 1 of entry 'stuck': "))
      << status.message();
  EXPECT_LT(nowMs() - begin, 30000);
  EXPECT_EQ(servers.total().steps, 0);
}

/// What waits in all tasks is said once, by the client.
TEST(ClusterStep, ReportsAStall) {
  Servers servers(2);
  Client client(servers.spec);
  ASSERT_OK(std::move(client.status));
  ErrorOutput output;
  CancellationToken token;
  std::thread other([&] {
    output.waitFor("[WEIR0327]");
    // It is said once, however often the tasks say it.
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    token.cancel("enough");
  });
  (void)client.run("stuck", {"x"}, {0, &token, /*stallReportMs=*/100});
  other.join();
  const std::string said = output.finish();
  const std::string begin =
      "[WEIR0327] nothing has run for 100 ms in step 1 of "
      "entry 'stuck'; these nodes wait\n in task /job:";
  EXPECT_EQ(said.find(begin), 0u) << said;
  EXPECT_EQ(said.find("[WEIR0327]", 1), std::string::npos) << said;
}

TEST(ClusterStep, EndsWhenItIsCancelled) {
  Servers servers(2);
  Client client(servers.spec);
  ASSERT_OK(std::move(client.status));
  CancellationToken token;
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    token.cancel("enough");
  });
  Status status = client.run("stuck", {"x"}, {0, &token});
  other.join();
  EXPECT_EQ(status.code(), WEIR_CANCELLED);
  EXPECT_TRUE(says(status, "enough")) << status.message();
  EXPECT_EQ(servers.total().steps, 0);
}

/// Steps of several threads do not meet.
TEST(ClusterStep, RunsSideBySide) {
  Servers servers(2);
  Client client(servers.spec);
  ASSERT_OK(std::move(client.status));
  ASSERT_OK(client.run("init"));
  std::vector<std::thread> threads;
  std::atomic<int> good{0};
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 25; ++i) {
        int64_t count = 100 + t;
        std::vector<float> x(static_cast<size_t>(count),
                             static_cast<float>(i * 10 + t));
        std::vector<TensorRef> results;
        Status status = client.session->run(
            client.set, "echo", {{"x", {x.data(), &count, 1, WEIR_F32}}},
            {"y0"}, results);
        EXPECT_TRUE(status.ok()) << status.message();
        if (status.ok() && results[0].view().dims[0] == count &&
            *static_cast<float *>(results[0].view().data) ==
                static_cast<float>(2 * (i * 10 + t)))
          ++good;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(good, 100);
  EXPECT_EQ(servers.total().steps, 0);
}

/// Tables, and questions that are under way, are as before.
TEST(ClusterStep, AbortedStepsLeaveNothing) {
  Servers servers(2);
  Client client(servers.spec);
  ASSERT_OK(std::move(client.status));
  for (int i = 0; i < 1000; ++i) {
    Status status =
        client.run(i % 2 ? "fail" : "stuck", {"x"}, {i % 2 ? 0 : 1, nullptr});
    ASSERT_FALSE(status.ok());
  }
  EXPECT_EQ(servers.total().steps, 0);
  EXPECT_EQ(servers.total().pulls, 0);
  EXPECT_EQ(servers.total().sessions, 3);
  ASSERT_OK(client.run("init"));
  ASSERT_OK(client.run("null", {"total"}));
  EXPECT_EQ(client.number(), 1);
}

TEST(ClusterStep, ChecksNames) {
  Servers servers(2);
  Client client(servers.spec);
  ASSERT_OK(std::move(client.status));
  float one = 1;
  int64_t count = 1;
  WeirView view = {&one, &count, 1, WEIR_F32};
  std::vector<TensorRef> results;
  ClusterSession &session = *client.session;
  struct Case {
    const char *entry;
    std::vector<ClusterSession::Feed> feeds;
    std::vector<std::string> fetches;
    const char *says;
  } cases[] = {
      {"nul", {}, {}, "no task has an entry 'nul'; did you mean 'null'?"},
      {"echo", {}, {"y0"}, "feed 'x' of entry 'echo' is not given"},
      {"echo", {{"xx", view}}, {"y0"}, "has no feed 'xx'"},
      {"echo", {{"x", view}, {"x", view}}, {"y0"}, "is given twice"},
      {"echo", {{"x", view}}, {"y9"}, "has no fetch 'y9'"},
  };
  for (const Case &each : cases) {
    Status status =
        session.run(client.set, each.entry, each.feeds, each.fetches, results);
    EXPECT_TRUE(says(status, "[WEIR0394]") && says(status, each.says))
        << status.message();
  }
  EXPECT_TRUE(says(session.run(7, "null", {}, {}, results), "[WEIR0394]"));
  int32_t set;
  EXPECT_TRUE(says(session.registerPrograms({""}, set), "[WEIR0394]"));
}

/// A feed of another type is the task's error.
TEST(ClusterStep, ChecksFeeds) {
  Servers servers(1);
  Client client(servers.spec);
  ASSERT_OK(std::move(client.status));
  int32_t one = 1;
  std::vector<TensorRef> results;
  Status status = client.session->run(client.set, "echo",
                                      {{"x", {&one, nullptr, 0, WEIR_I32}}},
                                      {"y0"}, results);
  EXPECT_EQ(status.code(), WEIR_INVALID_ARGUMENT) << status.message();
  EXPECT_EQ(servers.total().steps, 0);
}

/// A trace of tasks that are processes: one part each, their clocks aligned.
TEST(ClusterStep, TracesAllTasks) {
  LocalClusterOptions options;
  options.worker = WEIR_TEST_WORKER;
  ASSERT_OK(parseJobCounts("ps=2,worker=1", options.jobs));
  std::unique_ptr<LocalCluster> cluster;
  ASSERT_OK(LocalCluster::start(options, cluster));
  Client client(cluster->spec());
  ASSERT_OK(std::move(client.status));
  ASSERT_OK(client.run("init"));
  std::vector<TracePart> parts;
  EXPECT_TRUE(says(client.session->stopTrace(parts), "[WEIR0320]"));
  ASSERT_OK(client.session->startTrace());
  ASSERT_OK(client.run("null", {"total"}));
  const int64_t begin = nowMs();
  ASSERT_OK(client.session->stopTrace(parts));
  const int64_t took = (nowMs() - begin + 1) * 1'000'000;
  ASSERT_EQ(parts.size(), 3u);
  const char *names[] = {"/job:ps/task:0", "/job:ps/task:1",
                         "/job:worker/task:0"};
  int64_t sent = 0, received = INT64_MAX;
  for (size_t i = 0; i < parts.size(); ++i) {
    EXPECT_EQ(parts[i].data.process, names[i]);
    EXPECT_EQ(parts[i].data.pid, cluster->pid(static_cast<int32_t>(i)));
    // Processes of one machine have one clock: what it is found to lack is the
    // error of a round trip, which was made in this time.
    EXPECT_LE(std::abs(parts[i].offset), took);
    for (const TraceEvent &event : parts[i].data.events) {
      if (event.kind == TraceKind::Send)
        sent = std::max(sent, event.end + parts[i].offset);
      if (event.kind == TraceKind::Receive)
        received = std::min(received, event.end + parts[i].offset);
    }
  }
  EXPECT_GT(sent, 0);
  EXPECT_LT(received, INT64_MAX);
}

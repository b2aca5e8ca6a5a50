//===- ClusterTest.h - What the tests of clusters share ---------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_TEST_UNIT_RUNTIME_DISTRIBUTED_CLUSTERTEST_H
#define WEIR_TEST_UNIT_RUNTIME_DISTRIBUTED_CLUSTERTEST_H

#include "runtime/base/Format.h"
#include "runtime/distributed/ClusterSession.h"
#include "runtime/distributed/LocalCluster.h"
#include "runtime/distributed/WorkerServer.h"

#include <chrono>
#include <fstream>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sstream>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

namespace weir::rt::test {

inline std::string readFile(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

/// ClusterProgram.cpp for a task.
inline std::string programFor(const TaskId &task, int psCount,
                              int64_t bigElements = 1) {
  static const std::string plain = readFile(WEIR_TEST_CLUSTER_PROGRAM);
  std::string bytes = plain;
  std::string config = str("@config@ ", task.job, " ", task.index, " ", psCount,
                           " ", bigElements);
  size_t at = bytes.find("@config@ worker 0 1 1");
  config.resize(64, '\0');
  if (at != std::string::npos)
    bytes.replace(at, 64, config);
  return bytes;
}

/// The programs of all tasks of a cluster with jobs ps and worker.
inline std::vector<std::string> programsFor(const ClusterSpec &spec,
                                            int64_t bigElements = 1) {
  int psCount = 0;
  for (const ClusterTask &task : spec.tasks())
    psCount += task.id.job == "ps";
  std::vector<std::string> programs;
  for (const ClusterTask &task : spec.tasks())
    programs.push_back(programFor(task.id, psCount, bigElements));
  return programs;
}

#define ASSERT_OK(expr)                                                        \
  do {                                                                         \
    ::weir::rt::Status assertedStatus = (expr);                                \
    ASSERT_TRUE(assertedStatus.ok()) << assertedStatus.message();              \
  } while (false)

inline bool says(const Status &status, const std::string &part) {
  return std::string(status.message()).find(part) != std::string::npos;
}

inline int64_t nowMs() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// Waits until `condition` holds: longer than any machine should need.
template <typename Condition> void waitFor(Condition condition) {
  const int64_t end = nowMs() + 60000;
  while (!condition()) {
    ASSERT_LT(nowMs(), end) << "it never came to pass";
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

/// Servers in this process: some ps and one worker.
class Servers {
public:
  explicit Servers(int psCount, WorkerOptions options = {}) {
    std::map<std::string, std::vector<std::string>> jobs;
    for (int i = 0; i <= psCount; ++i) {
      options.task = i < psCount ? TaskId{"ps", i} : TaskId{"worker", 0};
      std::unique_ptr<WorkerServer> server;
      Status status = WorkerServer::start(options, server);
      EXPECT_TRUE(status.ok()) << status.message();
      if (!status.ok())
        return;
      jobs[options.task.job].push_back(server->address());
      list.push_back(std::move(server));
    }
    Status made = ClusterSpec::make(jobs, "the test", spec);
    EXPECT_TRUE(made.ok()) << made.message();
  }

  WorkerServer::Statistics total() const {
    WorkerServer::Statistics sum;
    for (const std::unique_ptr<WorkerServer> &server : list) {
      WorkerServer::Statistics one = server->statistics();
      sum.sessions += one.sessions;
      sum.steps += one.steps;
      sum.pulls += one.pulls;
    }
    return sum;
  }

  std::vector<std::unique_ptr<WorkerServer>> list;
  ClusterSpec spec;
};

/// Takes connections and says nothing.
struct SilentPeer {
  SilentPeer() : listener(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in place = {};
    place.sin_family = AF_INET;
    place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(place);
    sockaddr *plain = reinterpret_cast<sockaddr *>(&place);
    EXPECT_EQ(bind(listener, plain, size), 0);
    EXPECT_EQ(listen(listener, 5), 0);
    EXPECT_EQ(getsockname(listener, plain, &size), 0);
    address = str("127.0.0.1:", ntohs(place.sin_port));
  }
  ~SilentPeer() { close(listener); }

  const int listener;
  std::string address;
};

/// The cluster of one ps.
inline ClusterSpec specOf(const std::string &address) {
  ClusterSpec spec;
  Status made = ClusterSpec::make({{"ps", {address}}}, "the test", spec);
  EXPECT_TRUE(made.ok()) << made.message();
  return spec;
}

/// A client with the tests' programs.
struct Client {
  explicit Client(const ClusterSpec &spec, ClusterOptions options = {},
                  int64_t bigElements = 1) {
    status = ClusterSession::connect(spec, options, session);
    if (status.ok())
      status = session->registerPrograms(programsFor(spec, bigElements), set);
  }

  Status run(const std::string &entry,
             const std::vector<std::string> &fetches = {},
             const ClusterRunOptions &options = {}) {
    return session->run(set, entry, {}, fetches, results, options);
  }
  float number(size_t i = 0) const {
    return *static_cast<const float *>(results[i].view().data);
  }

  Status status;
  std::unique_ptr<ClusterSession> session;
  int32_t set = -1;
  std::vector<TensorRef> results;
};

} // namespace weir::rt::test

#endif // WEIR_TEST_UNIT_RUNTIME_DISTRIBUTED_CLUSTERTEST_H

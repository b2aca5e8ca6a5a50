//===- cluster_benchmark.cpp - Figures of a cluster on one machine --------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   weir_cluster_benchmark [PS_COUNT ...]     (default: 4 16)
//
// Each task is a process. A line of JSON for each of:
//   ping        an empty gRPC call to one task
//   null step   reads one value of every ps, which adds one to it; their sum
//   bulk step   fetches 100 MB from all ps together
//   tcp         100 MB over one raw loopback connection
//
// Times are of one call, cpu_ms is what all processes together used for it: on
// a machine that does other things too, that says more than the time.
//
//===----------------------------------------------------------------------===//

#include "runtime/distributed/TaskLink.h"
#include "test/unit/runtime/distributed/ClusterTest.h"

#include <algorithm>
#include <cstdio>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace weir::rt;
using namespace weir::rt::test;

namespace distributed = weir::distributed;

constexpr int64_t kBulkBytes = 100'000'000;

static int fail(const std::string &what) {
  fprintf(stderr, "error: %s\n", what.c_str());
  return 1;
}

/// The processes whose time counts.
static std::vector<pid_t> processes = {getpid()};

/// What they have used of the processors so far, in ms.
static double processorTime() {
  double ticks = 0;
  for (pid_t pid : processes) {
    const std::string text = readFile(str("/proc/", pid, "/stat"));
    const size_t name = text.rfind(')');
    long user = 0, system = 0;
    if (name != std::string::npos &&
        sscanf(text.c_str() + name + 2,
               "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %ld %ld", &user,
               &system) == 2)
      ticks += static_cast<double>(user + system);
  }
  return ticks * 1000 / static_cast<double>(sysconf(_SC_CLK_TCK));
}

/// Times `count` calls after some to warm up; false where one fails.
template <typename Fn>
static bool report(const std::string &what, int count, Fn call) {
  std::vector<double> ms;
  double used = 0;
  for (int i = -5; i < count; ++i) {
    if (i == 0)
      used = processorTime();
    auto begin = std::chrono::steady_clock::now();
    if (!call())
      return false;
    std::chrono::duration<double, std::milli> time =
        std::chrono::steady_clock::now() - begin;
    if (i >= 0)
      ms.push_back(time.count());
  }
  used = processorTime() - used;
  std::sort(ms.begin(), ms.end());
  printf("{\"system\": \"weir\", \"workload\": \"%s\", \"median_ms\": %.3f, "
         "\"p10_ms\": %.3f, \"p90_ms\": %.3f, \"cpu_ms\": %.3f}\n",
         what.c_str(), ms[ms.size() / 2], ms[ms.size() / 10],
         ms[ms.size() * 9 / 10], used / count);
  fflush(stdout);
  return true;
}

static bool ping(const ClusterTask &task) {
  auto channel = makeChannel(task.address, {}, 5000);
  auto stub = distributed::Worker::NewStub(channel);
  return report("grpc ping", 2000, [&] {
    grpc::ClientContext context;
    distributed::HeartbeatRequest request;
    distributed::HeartbeatReply reply;
    request.set_protocol(kProtocolVersion);
    return stub->Heartbeat(&context, request, &reply).ok();
  });
}

/// 100 MB at a time from a child process, into one buffer.
static bool rawTcp() {
  int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  sockaddr *plain = reinterpret_cast<sockaddr *>(&address);
  if (bind(listener, plain, size) != 0 || listen(listener, 1) != 0 ||
      getsockname(listener, plain, &size) != 0)
    return false;
  std::vector<char> buffer(kBulkBytes, 1);
  pid_t child = fork();
  if (child == 0) {
    int peer = accept(listener, nullptr, nullptr);
    char ask;
    while (read(peer, &ask, 1) == 1)
      for (int64_t sent = 0; sent < kBulkBytes;) {
        ssize_t more = write(peer, buffer.data() + sent,
                             static_cast<size_t>(kBulkBytes - sent));
        if (more <= 0)
          _exit(1);
        sent += more;
      }
    _exit(0);
  }
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  int yes = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
  bool good = connect(fd, plain, size) == 0;
  good = good && report("raw tcp, 100 MB", 20, [&] {
           if (write(fd, "x", 1) != 1)
             return false;
           for (int64_t got = 0; got < kBulkBytes;) {
             ssize_t more = read(fd, buffer.data() + got,
                                 static_cast<size_t>(kBulkBytes - got));
             if (more <= 0)
               return false;
             got += more;
           }
           return true;
         });
  close(fd);
  close(listener);
  waitpid(child, nullptr, 0);
  return good;
}

static int measure(int count) {
  LocalClusterOptions options;
  options.worker = WEIR_TEST_WORKER;
  options.jobs = {{"ps", count}, {"worker", 1}};
  std::unique_ptr<LocalCluster> cluster;
  Status status = LocalCluster::start(options, cluster);
  if (!status.ok())
    return fail(status.message());
  Client client(cluster->spec(), {}, kBulkBytes / 4 / count);
  if (client.status.ok())
    client.status = client.run("init");
  if (!client.status.ok())
    return fail(client.status.message());
  processes = {getpid()};
  for (int32_t i = 0; i <= count; ++i)
    processes.push_back(cluster->pid(i));
  auto step = [&](const char *entry, const char *fetch) {
    return [&client, entry, fetch] {
      client.status = client.run(entry, {fetch});
      return client.status.ok();
    };
  };
  bool good =
      ping(cluster->spec().tasks()[0]) &&
      report(str("null step, ", count, " ps"), 1000, step("null", "total")) &&
      report(str("fetch 100 MB from ", count, " ps"), 30,
             step("bulk", "first"));
  return good ? 0 : fail(client.status.message());
}

int main(int argc, char **argv) {
  // Before there are threads, which a fork does not take along.
  if (!rawTcp())
    return fail("no loopback connection");
  std::vector<int> counts;
  for (int i = 1; i < argc; ++i)
    counts.push_back(std::max(1, atoi(argv[i])));
  if (counts.empty())
    counts = {4, 16};
  for (int count : counts)
    if (int code = measure(count))
      return code;
  return 0;
}

//===- weir-worker.cpp - Serves one task of a cluster ---------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/base/Format.h"
#include "runtime/cli/Arguments.h"
#include "runtime/distributed/WorkerServer.h"
#include "runtime/distributed/WorkerSetup.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <unistd.h>

using namespace weir::rt;

static const std::vector<Option> kOptions = {
    {"--cluster", "FILE", "the cluster: {\"ps\": [\"host:port\"], ...}"},
    {"--slurm", "JOBS", "the cluster is this step of Slurm: ps=1,worker=2"},
    {"--slurm-port", "N", "the first port on each of its nodes (7070)"},
    {"--job", "NAME", "which job of the cluster this task is of"},
    {"--task", "N", "its number there"},
    {"--listen", "ADDR", "the address to listen on, instead of the cluster's"},
    {"--insecure-network", nullptr,
     "others can reach the address, without TLS: the network is trusted"},
    {"--tls-cert", "FILE", "the task's certificate (PEM), for mutual TLS"},
    {"--tls-key", "FILE", "the key of it"},
    {"--tls-ca", "FILE", "the certificate of those who sign"},
    {"--devices", "TEXT", "other devices: GPU=emulate,MXU=128x128"},
    {"--session-ttl-ms", "N", "when a silent client is gone (60000)"},
    {"--port-file", "FILE", "write the port there once it is open"},
    {"--exit-with-parent", "PID", "end when that process is not the parent"},
    {"--help", nullptr, "show this"}};

static int fail(const Status &status) {
  fprintf(stderr, "weir-worker: error: %s\n", status.message());
  return 1;
}

/// Serves until a signal, a client or the parent's end.
static Status serve(WorkerServer &server, const Arguments &arguments) {
  int64_t parent = 0;
  WEIR_RETURN_IF_ERROR(
      arguments.number("--exit-with-parent", 0, 1, INT32_MAX, parent));
  if (arguments.has("--port-file"))
    WEIR_RETURN_IF_ERROR(
        writePortFile(arguments.get("--port-file"), server.port()));
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  const timespec now = {0, 0};
  while (sigtimedwait(&signals, nullptr, &now) < 0 &&
         !server.waitForShutdown(100) &&
         (parent == 0 || getppid() == static_cast<pid_t>(parent))) {
  }
  return Status();
}

int main(int argc, char **argv) {
  // Before there are threads: the main one waits for them.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  keepFreedMemory();
  Arguments arguments;
  Status status =
      Arguments::parse(kOptions, {argv + 1, argv + argc}, arguments);
  if (!status.ok())
    return fail(status);
  if (arguments.has("--help")) {
    printf("Serves one task of a cluster.\n\n"
           "  weir-worker --cluster spec.json --job ps --task 0\n"
           "  TF_CONFIG=... weir-worker\n"
           "  srun -n 3 weir-worker --slurm ps=1,worker=2 --insecure-network\n"
           "\n%s",
           optionsText(kOptions).c_str());
    return 0;
  }
  WorkerOptions options;
  std::unique_ptr<WorkerServer> server;
  status = setUpWorker(arguments,
                       {&weir_device_kind_gpu, &weir_device_kind_mxu}, options);
  if (status.ok())
    status = WorkerServer::start(options, server);
  if (!status.ok())
    return fail(status);
  printf("weir-worker: task %s serves on %s\n", options.task.text().c_str(),
         server->address().c_str());
  fflush(stdout);
  status = serve(*server, arguments);
  server->stop();
  return status.ok() ? 0 : fail(status);
}

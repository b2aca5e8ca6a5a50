//===- ClusterOptions.cpp - The flags of a cluster ------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Driver/Cluster/ClusterOptions.h"

#include "lib/Driver/ToolOptions.h"
#include "runtime/base/Format.h"
#include "llvm/Support/CommandLine.h"

using namespace weir;
namespace cl = llvm::cl;

namespace {
struct ClusterFlags {
  cl::OptionCategory &category = toolCategory();
  cl::opt<std::string> cluster{
      "cluster",
      cl::desc("Run on the cluster of this file, as TF_CONFIG has it: "
               "{\"ps\": [\"host:port\"], \"worker\": [...]}"),
      cl::value_desc("file"), cl::cat(category)};
  cl::opt<std::string> local{
      "local-cluster",
      cl::desc("Start a cluster of processes on this machine and run on it"),
      cl::value_desc("ps=1,worker=2"), cl::cat(category)};
  cl::list<std::string> taskDevices{
      "task-devices",
      cl::desc("Devices that each task has besides its CPU, as GPU:0"),
      cl::value_desc("name,..."), cl::CommaSeparated, cl::cat(category)};
  cl::opt<int64_t> heartbeat{
      "heartbeat-ms",
      cl::desc("How often tasks are asked whether they are there (default: "
               "1000); one that does not answer for so long is lost"),
      cl::value_desc("ms"), cl::init(1000), cl::cat(category)};
  cl::opt<std::string> certificate{
      "tls-cert", cl::desc("The client's certificate (PEM), for mutual TLS"),
      cl::value_desc("file"), cl::cat(category)};
  cl::opt<std::string> key{"tls-key", cl::desc("The key of it"),
                           cl::value_desc("file"), cl::cat(category)};
  cl::opt<std::string> authority{"tls-ca",
                                 cl::desc("The certificate of those who sign"),
                                 cl::value_desc("file"), cl::cat(category)};
};
} // namespace

static ClusterFlags *flags = nullptr;

void weir::registerClusterOptions() {
  static ClusterFlags registered;
  flags = &registered;
}

bool weir::readClusterOptions(ClusterRequest &request, Messages &messages) {
  request.specFile = flags->cluster;
  request.local = flags->local;
  request.taskDevices = flags->taskDevices;
  request.options.heartbeatMs = flags->heartbeat;
  request.options.tls = {flags->certificate, flags->key, flags->authority};
  if (!request.specFile.empty() && !request.local.empty())
    return messages.error("[WEIR0216] --cluster and --local-cluster name two "
                          "clusters; leave one out");
  if (request.options.heartbeatMs < 10)
    return messages.error(
        rt::str("[WEIR0216] --heartbeat-ms wants a number from 10 on, got ",
                request.options.heartbeatMs));
  if (!request.taskDevices.empty() && !request.isGiven())
    return messages.error("[WEIR0216] --task-devices is about the tasks of a "
                          "cluster; --devices names those of this process");
  return true;
}

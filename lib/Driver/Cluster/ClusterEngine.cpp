//===- ClusterEngine.cpp - Steps that a cluster runs ----------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Driver/Cluster/ClusterEngine.h"

#include "lib/Driver/Cluster/TaskPrograms.h"
#include "lib/Driver/Descriptors.h"
#include "lib/Driver/Devices.h"
#include "runtime/base/Format.h"
#include "runtime/core/Program.h"
#include "runtime/core/Session.h"
#include "runtime/distributed/LocalCluster.h"

#include <algorithm>

using namespace weir;

namespace {
class ClusterEngine : public Engine {
public:
  ClusterEngine(std::vector<EntrySignature> signatures,
                std::unique_ptr<rt::LocalCluster> processes,
                std::unique_ptr<rt::ClusterSession> session, int32_t set)
      : descriptors("cluster", std::move(signatures)),
        processes(std::move(processes)), cluster(std::move(session)), set(set) {
  }

  const WeirProgram &program() const override { return descriptors.get(); }
  rt::Status run(int32_t entry, const std::vector<WeirView> &feeds,
                 std::vector<rt::TensorRef> &fetches,
                 const WeirRunOptions *options) override;
  bool isConcurrent() const override { return true; }
  rt::Status startTrace() override { return cluster->startTrace(); }
  rt::Status stopTrace(std::vector<rt::TracePart> &parts) override {
    return cluster->stopTrace(parts);
  }
  std::unique_ptr<PartialRun> begin(int32_t, const WeirRunOptions *,
                                    rt::Status &status) override {
    status = rt::Status(WEIR_UNIMPLEMENTED,
                        "[WEIR0322] a step of a cluster runs as a whole; "
                        "partial runs are for one process");
    return nullptr;
  }

private:
  Descriptors descriptors;
  // The order matters: the session goes before the processes.
  std::unique_ptr<rt::LocalCluster> processes;
  std::unique_ptr<rt::ClusterSession> cluster;
  const int32_t set;
};
} // namespace

rt::Status ClusterEngine::run(int32_t entry, const std::vector<WeirView> &feeds,
                              std::vector<rt::TensorRef> &fetches,
                              const WeirRunOptions *options) {
  const WeirEntryDesc &desc = program().entries[entry];
  std::vector<rt::ClusterSession::Feed> named;
  for (size_t i = 0; i < feeds.size(); ++i) {
    WEIR_RETURN_IF_ERROR(rt::checkFeed(desc, desc.feeds[i], feeds[i]));
    named.push_back({desc.feeds[i].name, feeds[i]});
  }
  std::vector<std::string> wanted;
  for (int32_t i = 0; i < desc.fetch_count; ++i)
    wanted.push_back(desc.fetches[i].name);
  rt::ClusterRunOptions run;
  if (options) {
    run.timeoutMs = options->timeout_ms;
    run.stallReportMs = options->stall_report_ms;
    if (options->cancellation)
      run.cancellation = &options->cancellation->token;
  }
  return cluster->run(set, desc.name, named, wanted, fetches, run);
}

/// The task that has what nobody asks to have elsewhere, and that feeds go to:
/// the chief, or the first worker.
static size_t homeTask(const std::vector<rt::ClusterTask> &tasks) {
  for (const char *job : {"chief", "master", "worker"})
    for (size_t i = 0; i < tasks.size(); ++i)
      if (tasks[i].id.job == job)
        return i;
  return 0;
}

/// The tasks of the cluster. Those of one that is to be started have no
/// addresses yet; `local` receives what to start.
static rt::Status readSpec(const ClusterRequest &request, rt::ClusterSpec &spec,
                           rt::LocalClusterOptions &local) {
  if (!request.specFile.empty()) {
    rt::ClusterConfig config;
    WEIR_RETURN_IF_ERROR(rt::readClusterFile(request.specFile, config));
    spec = std::move(config.spec);
    return rt::Status();
  }
  WEIR_RETURN_IF_ERROR(rt::parseJobCounts(request.local, local.jobs));
  std::map<std::string, std::vector<std::string>> addresses;
  for (const rt::JobCount &job : local.jobs)
    addresses[job.job].assign(static_cast<size_t>(job.count), "127.0.0.1:0");
  return rt::ClusterSpec::make(addresses, "the local cluster", spec);
}

/// Starts the cluster where it is one to be started, and loads the programs.
static rt::Status startTasks(const ClusterRequest &request,
                             const rt::LocalClusterOptions &local,
                             rt::ClusterSpec &spec,
                             std::unique_ptr<rt::LocalCluster> &processes,
                             std::unique_ptr<rt::ClusterSession> &session) {
  if (request.specFile.empty()) {
    WEIR_RETURN_IF_ERROR(rt::LocalCluster::start(local, processes));
    spec = processes->spec();
  }
  return rt::ClusterSession::connect(spec, request.options, session);
}

std::unique_ptr<Engine> weir::makeClusterEngine(const Program &program,
                                                const CompileOptions &options,
                                                const ClusterRequest &request,
                                                Messages &messages) {
  rt::ClusterSpec spec;
  rt::LocalClusterOptions local;
  if (std::string devices = deviceConfiguration(options); !devices.empty())
    local.arguments.push_back("--devices=" + devices);
  if (rt::Status status = readSpec(request, spec, local); !status.ok()) {
    messages.error(status.message());
    return nullptr;
  }
  std::vector<rt::ClusterTask> tasks = spec.tasks();
  CompileOptions compile = options;
  compile.devices.clear();
  std::vector<std::string> prefixes;
  for (const rt::ClusterTask &task : tasks)
    prefixes.push_back(
        rt::str("/job:", task.id.job, "/replica:0/task:", task.id.index));
  auto addDevices = [&](size_t task) {
    compile.devices.push_back(prefixes[task] + "/device:CPU:0");
    for (const std::string &device : request.taskDevices)
      if (device != "CPU:0")
        compile.devices.push_back(prefixes[task] + "/device:" + device);
  };
  const size_t home = homeTask(tasks);
  addDevices(home);
  for (size_t i = 0; i < tasks.size(); ++i)
    if (i != home)
      addDevices(i);

  std::vector<std::string> libraries;
  if (!compileTasks(program, compile, prefixes, libraries, messages))
    return nullptr;
  // Only now: what cannot be compiled starts no processes.
  std::unique_ptr<rt::LocalCluster> processes;
  std::unique_ptr<rt::ClusterSession> session;
  int32_t set = 0;
  rt::Status status = startTasks(request, local, spec, processes, session);
  if (status.ok())
    status = session->registerPrograms(std::move(libraries), set);
  if (!status.ok()) {
    messages.error(status.message());
    return nullptr;
  }
  return std::make_unique<ClusterEngine>(
      program.entries(), std::move(processes), std::move(session), set);
}

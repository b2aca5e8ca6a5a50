//===- ClusterSpec.h - Which tasks a cluster has ----------------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A cluster is a set of jobs ("ps", "worker"), each with tasks numbered from 0,
// each with an address "host:port". The tasks have an order: jobs by name, as
// TensorFlow has them, tasks by number. A spec is checked when it is made: no
// address is there twice, each has a port.
//
// The forms it comes in are adapters to one type: TensorFlow's JSON (a file, or
// the environment variable TF_CONFIG) and Slurm's environment.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_DISTRIBUTED_CLUSTERSPEC_H
#define WEIR_RUNTIME_DISTRIBUTED_CLUSTERSPEC_H

#include "runtime/base/Status.h"

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace weir::rt {

/// One task of a job.
struct TaskId {
  std::string job;
  int32_t index = 0;

  bool operator==(const TaskId &other) const {
    return job == other.job && index == other.index;
  }
  /// "/job:ps/task:0".
  std::string text() const;
  /// What the full names of its devices begin with,
  /// "/job:ps/replica:0/task:0/device:".
  std::string devicePrefix() const;
};

struct ClusterTask {
  TaskId id;
  std::string address;
};

class ClusterSpec {
public:
  /// Jobs with the addresses of their tasks, by number. `source` names where
  /// they come from, for messages.
  static Status
  make(const std::map<std::string, std::vector<std::string>> &jobs,
       const std::string &source, ClusterSpec &spec);

  const std::vector<ClusterTask> &tasks() const { return all; }
  /// The index among tasks(). NOT_FOUND [WEIR0381] lists what there is.
  Status find(const TaskId &id, int32_t &index) const;

private:
  std::vector<ClusterTask> all;
};

/// A spec, and which task of it this process is.
struct ClusterConfig {
  ClusterSpec spec;
  TaskId task;
  /// The text says which task it is.
  bool hasTask = false;
};

/// {"cluster": {"ps": ["host:port", ...], ...}, "task": {"type": "ps", "index":
/// 0}}; "task" may be missing, and so may "cluster" around the jobs. A job may
/// also be {"0": "host:port", ...}.
Status parseClusterJson(std::string_view text, const std::string &source,
                        ClusterConfig &config);

Status readClusterFile(const std::string &path, ClusterConfig &config);

using Environment = std::function<const char *(const char *)>;

/// From TF_CONFIG. NOT_FOUND [WEIR0380] where it is not set.
Status clusterFromTfConfig(const Environment &environment,
                           ClusterConfig &config);

/// "ps=1,worker=2": how many tasks each job has, in order.
struct JobCount {
  std::string job;
  int32_t count;
};
Status parseJobCounts(std::string_view text, std::vector<JobCount> &jobs);

/// From the environment of a Slurm step (SLURM_PROCID, SLURM_NTASKS,
/// SLURM_STEP_NODELIST or SLURM_JOB_NODELIST, SLURM_STEP_TASKS_PER_NODE or
/// SLURM_TASKS_PER_NODE). Process r of the step is the r-th task of `jobs`, and
/// has port `port` + its number on its node. Tasks lie on the nodes block by
/// block, Slurm's default.
Status clusterFromSlurm(const Environment &environment,
                        const std::vector<JobCount> &jobs, int32_t port,
                        ClusterConfig &config);

/// "n[1-3,7],m" as names; at most 65536 of them.
Status expandNodeList(std::string_view text, std::vector<std::string> &nodes);

/// Splits "host:port" and "[v6]:port". INVALID_ARGUMENT [WEIR0382].
Status splitAddress(const std::string &address, std::string &host,
                    int32_t &port);

} // namespace weir::rt

#endif // WEIR_RUNTIME_DISTRIBUTED_CLUSTERSPEC_H

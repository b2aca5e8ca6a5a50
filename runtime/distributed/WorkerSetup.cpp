//===- WorkerSetup.cpp - From a command line to a task --------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/distributed/WorkerSetup.h"
#include "runtime/base/Format.h"
#include "runtime/device/Device.h"
#include "weir-c/device.h"
#include "weir-c/session.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <malloc.h>

using namespace weir::rt;

static Status readCluster(const Arguments &arguments, ClusterConfig &config,
                          bool &hasCluster) {
  hasCluster = true;
  if (arguments.has("--cluster") && arguments.has("--slurm"))
    return Status(WEIR_INVALID_ARGUMENT,
                  "[WEIR0398] --cluster and --slurm both say what the cluster "
                  "is; give one");
  if (arguments.has("--cluster"))
    return readClusterFile(arguments.get("--cluster"), config);
  if (arguments.has("--slurm")) {
    std::vector<JobCount> jobs;
    int64_t port;
    WEIR_RETURN_IF_ERROR(parseJobCounts(arguments.get("--slurm"), jobs));
    WEIR_RETURN_IF_ERROR(
        arguments.number("--slurm-port", 7070, 1, 65535, port));
    return clusterFromSlurm(std::getenv, jobs, static_cast<int32_t>(port),
                            config);
  }
  const char *text = std::getenv("TF_CONFIG");
  if (text && *text)
    return clusterFromTfConfig(std::getenv, config);
  hasCluster = false;
  return Status();
}

static Status findTask(const Arguments &arguments, const ClusterConfig &config,
                       bool hasCluster, WorkerOptions &options) {
  options.task = config.task;
  if (arguments.has("--job") != arguments.has("--task"))
    return Status(WEIR_INVALID_ARGUMENT,
                  "[WEIR0398] --job and --task go together");
  if (arguments.has("--job")) {
    int64_t index;
    WEIR_RETURN_IF_ERROR(arguments.number("--task", 0, 0, 65535, index));
    options.task = {arguments.get("--job"), static_cast<int32_t>(index)};
  } else if (!config.hasTask) {
    return Status(WEIR_INVALID_ARGUMENT,
                  "[WEIR0398] nothing says which task this is; give --job and "
                  "--task, or --slurm, or a TF_CONFIG with its \"task\"");
  }
  if (!hasCluster)
    return Status();
  int32_t index;
  WEIR_RETURN_IF_ERROR(config.spec.find(options.task, index));
  options.listen = config.spec.tasks()[static_cast<size_t>(index)].address;
  return Status();
}

/// Makes one, so that what is wrong is known before a program comes.
static Status tryDevice(const std::string &type, std::string_view options,
                        const DeviceKinds &kinds) {
  std::vector<std::string_view> known;
  for (const WeirDeviceKind *kind : kinds) {
    known.push_back(kind->type);
    std::unique_ptr<Device> made;
    if (type == kind->type)
      return kind->create("/job:worker/replica:0/task:0/device:" + type + ":0",
                          0, options, made);
  }
  return Status(WEIR_INVALID_ARGUMENT,
                str("[WEIR0398] '", type, "' (--devices) is no kind of device",
                    didYouMean(type, known), " (there are ", listNames(known),
                    ")"));
}

static Status findDevices(const Arguments &arguments, const DeviceKinds &kinds,
                          WorkerOptions &options) {
  const std::string text = arguments.get("--devices");
  if (text.empty())
    return Status();
  WeirStatus status = WEIR_STATUS_INIT;
  weir_devices_configure(text.c_str(), &status);
  Status result(static_cast<WeirCode>(status.code),
                status.message ? status.message : "");
  weir_status_clear(&status);
  WEIR_RETURN_IF_ERROR(std::move(result));
  for (std::string_view rest = text; !rest.empty();) {
    std::string_view part = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(part.size() + 1, rest.size()));
    const std::string type(part.substr(0, part.find('=')));
    WEIR_RETURN_IF_ERROR(tryDevice(type, part.substr(type.size() + 1), kinds));
    options.devices.push_back(type + ":0");
  }
  return Status();
}

Status weir::rt::setUpWorker(const Arguments &arguments,
                             const DeviceKinds &kinds, WorkerOptions &options) {
  if (!arguments.positional.empty())
    return Status(WEIR_INVALID_ARGUMENT,
                  str("[WEIR0398] '", arguments.positional[0],
                      "' is no option (weir-worker --help)"));
  ClusterConfig config;
  bool hasCluster;
  WEIR_RETURN_IF_ERROR(readCluster(arguments, config, hasCluster));
  WEIR_RETURN_IF_ERROR(findTask(arguments, config, hasCluster, options));
  if (arguments.has("--listen"))
    options.listen = arguments.get("--listen");
  options.insecureNetwork = arguments.has("--insecure-network");
  options.tls = {arguments.get("--tls-cert"), arguments.get("--tls-key"),
                 arguments.get("--tls-ca")};
  WEIR_RETURN_IF_ERROR(
      arguments.number("--session-ttl-ms", options.sessionTimeToLiveMs, 100,
                       INT32_MAX, options.sessionTimeToLiveMs));
  return findDevices(arguments, kinds, options);
}

void weir::rt::keepFreedMemory() {
  // The most that the library takes; larger blocks are the pool's.
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 512 << 20);
}

Status weir::rt::writePortFile(const std::string &path, int32_t port) {
  const std::string temporary = path + ".new";
  FILE *file = fopen(temporary.c_str(), "we");
  bool written = file && fprintf(file, "%d\n", port) > 0;
  if (file)
    written &= fclose(file) == 0;
  if (written && rename(temporary.c_str(), path.c_str()) == 0)
    return Status();
  Status error(WEIR_UNAVAILABLE, str("[WEIR0398] cannot write the port to '",
                                     path, "': ", strerror(errno)));
  remove(temporary.c_str());
  return error;
}

//===- LocalCluster.cpp - A cluster of processes on this machine ----------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/distributed/LocalCluster.h"
#include "runtime/base/Format.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <spawn.h>
#include <sstream>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace weir::rt;

using std::chrono::milliseconds;
using std::chrono::steady_clock;

extern char **environ;

static void pauseShortly() { std::this_thread::sleep_for(milliseconds(5)); }

static bool isProgram(const std::string &path) {
  return access(path.c_str(), X_OK) == 0;
}

static std::string findWorker(const std::string &given) {
  if (!given.empty())
    return given;
  if (const char *named = std::getenv("WEIR_WORKER"); named && *named)
    return named;
  char self[4096];
  ssize_t size = readlink("/proc/self/exe", self, sizeof(self));
  if (size > 0) {
    std::string path(self, static_cast<size_t>(size));
    path = path.substr(0, path.rfind('/')) + "/weir-worker";
    if (isProgram(path))
      return path;
  }
  const char *list = std::getenv("PATH");
  std::istringstream folders(list ? list : "");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (isProgram(folder + "/weir-worker"))
      return folder + "/weir-worker";
  return "weir-worker";
}

static std::string readAll(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return file ? text.str() : "";
}

std::string LocalCluster::lastWords(const Process &process) const {
  std::string text;
  char piece[4096];
  for (ssize_t size; (size = pread(process.log, piece, sizeof(piece),
                                   static_cast<off_t>(text.size()))) > 0;)
    text.append(piece, static_cast<size_t>(size));
  while (!text.empty() && (text.back() == '\n' || text.back() == ' '))
    text.pop_back();
  constexpr size_t kMost = 1000;
  if (text.size() > kMost)
    text = "..." + text.substr(text.size() - kMost);
  return text.empty() ? "it said nothing" : text;
}

bool LocalCluster::hasEnded(Process &process) {
  if (process.pid <= 0)
    return true;
  pid_t ended = waitpid(process.pid, nullptr, WNOHANG);
  if (ended == 0 || (ended < 0 && errno == EINTR))
    return false;
  process.pid = -1;
  return true;
}

/// The folder of the port files, which are there while tasks start only: a
/// launcher that is killed leaves nothing behind.
Status LocalCluster::makeFolder() {
  const char *temporary = std::getenv("TMPDIR");
  directory =
      str(temporary && *temporary ? temporary : "/tmp", "/weir-cluster-XXXXXX");
  if (mkdtemp(directory.data()))
    return Status();
  Status error(WEIR_UNAVAILABLE, str("[WEIR0395] cannot create the folder '",
                                     directory, "': ", strerror(errno)));
  directory.clear();
  return error;
}

void LocalCluster::removeFolder() {
  if (directory.empty())
    return;
  for (const Process &process : processes)
    unlink(str(directory, "/", process.name, ".port").c_str());
  rmdir(directory.c_str());
  directory.clear();
}

Status LocalCluster::openLog(Process &process) {
  // What a process before it said is not its own.
  if (process.log >= 0)
    close(process.log);
  const std::string path = str(directory, "/", process.name, ".log");
  process.log =
      open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (process.log < 0)
    return Status(WEIR_UNAVAILABLE, str("[WEIR0395] cannot create '", path,
                                        "': ", strerror(errno)));
  unlink(path.c_str());
  return Status();
}

Status LocalCluster::launch(Process &process) {
  WEIR_RETURN_IF_ERROR(openLog(process));
  const std::string base = directory + "/" + process.name;
  std::vector<std::string> words = {
      worker,
      str("--job=", process.id.job),
      str("--task=", process.id.index),
      str("--listen=127.0.0.1:", process.port),
      "--port-file=" + base + ".port",
      str("--exit-with-parent=", static_cast<int64_t>(getpid()))};
  words.insert(words.end(), options.arguments.begin(), options.arguments.end());
  std::vector<char *> arguments;
  for (std::string &word : words)
    arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, process.log, 2);
  // A ^C is for the launcher, which ends its tasks in order.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&attributes, 0);
  int error = posix_spawnp(&process.pid, worker.c_str(), &actions, &attributes,
                           arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (error == 0)
    return Status();
  process.pid = -1;
  return Status(WEIR_UNAVAILABLE, str("[WEIR0395] task ", process.id.text(),
                                      " did not start: cannot run '", worker,
                                      "': ", strerror(error)));
}

Status LocalCluster::awaitPort(Process &process, int64_t ms) {
  const std::string path = str(directory, "/", process.name, ".port");
  const auto end = steady_clock::now() + milliseconds(ms);
  while (steady_clock::now() < end) {
    // The file gets its name when it is whole.
    const std::string text = readAll(path);
    if (!text.empty()) {
      process.port = std::atoi(text.c_str());
      return Status();
    }
    if (hasEnded(process))
      return Status(WEIR_UNAVAILABLE,
                    str("[WEIR0395] task ", process.id.text(),
                        " did not start: ", lastWords(process)));
    pauseShortly();
  }
  return Status(WEIR_UNAVAILABLE,
                str("[WEIR0395] task ", process.id.text(),
                    " did not start within ", ms, " ms: ", lastWords(process)));
}

Status LocalCluster::start(const LocalClusterOptions &options,
                           std::unique_ptr<LocalCluster> &cluster) {
  std::unique_ptr<LocalCluster> made(new LocalCluster(options));
  made->worker = findWorker(options.worker);
  WEIR_RETURN_IF_ERROR(made->makeFolder());
  // In the order that the spec has.
  std::map<std::string, std::vector<std::string>> addresses;
  for (const JobCount &job : options.jobs)
    addresses[job.job].assign(static_cast<size_t>(job.count), "127.0.0.1:0");
  for (const auto &[job, tasks] : addresses)
    for (size_t i = 0; i < tasks.size(); ++i) {
      Process &process = made->processes.emplace_back();
      process.id = {job, static_cast<int32_t>(i)};
      process.name = str(job, "-", i);
    }
  for (Process &process : made->processes)
    WEIR_RETURN_IF_ERROR(made->launch(process));
  for (Process &process : made->processes) {
    WEIR_RETURN_IF_ERROR(made->awaitPort(process, options.startTimeoutMs));
    addresses[process.id.job][static_cast<size_t>(process.id.index)] =
        str("127.0.0.1:", process.port);
  }
  made->removeFolder();
  WEIR_RETURN_IF_ERROR(
      ClusterSpec::make(addresses, "the local cluster", made->clusterSpec));
  cluster = std::move(made);
  return Status();
}

Status LocalCluster::signal(int32_t task, int number) {
  const Process &process = at(task);
  if (process.pid > 0 && ::kill(process.pid, number) == 0)
    return Status();
  return Status(WEIR_UNAVAILABLE, str("[WEIR0395] task ", process.id.text(),
                                      " does not run any more"));
}

Status LocalCluster::kill(int32_t task) {
  WEIR_RETURN_IF_ERROR(signal(task, SIGKILL));
  Process &process = processes[static_cast<size_t>(task)];
  while (waitpid(process.pid, nullptr, 0) < 0 && errno == EINTR) {
  }
  process.pid = -1;
  return Status();
}

Status LocalCluster::restart(int32_t task) {
  Process &process = processes[static_cast<size_t>(task)];
  if (!hasEnded(process))
    WEIR_RETURN_IF_ERROR(kill(task));
  WEIR_RETURN_IF_ERROR(makeFolder());
  const auto end = steady_clock::now() + milliseconds(options.startTimeoutMs);
  Status started;
  for (;;) {
    started = launch(process);
    if (started.ok())
      started = awaitPort(process, options.startTimeoutMs);
    // A connection that was tried meanwhile may have the port for a moment.
    const std::string_view said = started.message();
    if (said.find("[WEIR0385]") == said.npos || steady_clock::now() >= end)
      break;
    std::this_thread::sleep_for(milliseconds(100));
  }
  removeFolder();
  return started;
}

Status LocalCluster::stop() {
  std::vector<std::string> wrong;
  for (Process &process : processes) {
    if (process.pid <= 0)
      continue;
    if (hasEnded(process)) {
      wrong.push_back(
          str("task ", process.id.text(), " had ended: ", lastWords(process)));
      continue;
    }
    ::kill(process.pid, SIGTERM);
    // One that was stopped would not hear of it.
    ::kill(process.pid, SIGCONT);
  }
  // Longer than a busy machine needs for what takes no time.
  const auto end = steady_clock::now() + milliseconds(30000);
  for (Process &process : processes) {
    while (!hasEnded(process) && steady_clock::now() < end)
      pauseShortly();
    if (process.pid <= 0)
      continue;
    wrong.push_back(
        str("task ", process.id.text(), " did not end and was killed"));
    Status ignored = kill(static_cast<int32_t>(&process - processes.data()));
    (void)ignored;
  }
  removeFolder();
  if (wrong.empty())
    return Status();
  std::string text;
  for (const std::string &each : wrong)
    text += (text.empty() ? "" : "; ") + each;
  return Status(WEIR_UNAVAILABLE, "[WEIR0395] " + text);
}

LocalCluster::~LocalCluster() {
  Status ignored = stop();
  (void)ignored;
  for (const Process &process : processes)
    if (process.log >= 0)
      close(process.log);
}

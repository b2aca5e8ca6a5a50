//===- TaskLink.h - What a client knows of a task ---------------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_DISTRIBUTED_TASKLINK_H
#define WEIR_RUNTIME_DISTRIBUTED_TASKLINK_H

#include "runtime/distributed/Channels.h"
#include "runtime/distributed/ClusterSpec.h"
#include "runtime/distributed/TaskConnection.h"
#include "runtime/distributed/Wire.h"

#include "worker.grpc.pb.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <vector>

namespace weir::rt {

/// A task as its client sees it. What may change is guarded by the client.
struct TaskLink {
  ClusterTask task;
  /// "task /job:ps/task:0 (host:port)".
  std::string name;
  std::shared_ptr<grpc::Channel> channel;
  std::unique_ptr<distributed::Worker::Stub> stub;
  std::shared_ptr<TaskConnection> way;
  uint64_t incarnation = 0;
  /// Why it is lost; OK while it is there.
  Status lost;
};

/// Counts calls that are under way.
class CallCounter {
public:
  void begin() {
    std::lock_guard<std::mutex> lock(mutex);
    ++pending;
  }
  void end() {
    std::lock_guard<std::mutex> lock(mutex);
    if (--pending == 0)
      changed.notify_all();
  }
  void wait() {
    std::unique_lock<std::mutex> lock(mutex);
    changed.wait(lock, [&] { return pending == 0; });
  }

private:
  std::mutex mutex;
  std::condition_variable changed;
  int64_t pending = 0;
};

inline std::chrono::system_clock::time_point deadlineIn(int64_t ms) {
  return std::chrono::system_clock::now() + std::chrono::milliseconds(ms);
}

/// One call to a task among several that go out together.
template <typename Request, typename Reply> struct TaskCall {
  TaskLink *link = nullptr;
  grpc::ClientContext context;
  Request request;
  Reply reply;
  grpc::Status status;
  std::unique_ptr<grpc::ClientAsyncResponseReader<Reply>> response;

  /// The error of the transport, or of the reply.
  Status error(const char *call) const {
    WEIR_RETURN_IF_ERROR(transportError(status, link->name, call));
    return errorOf(reply.error());
  }
};

/// A method of the service, for callTasks.
#define WEIR_WORKER_CALL(name)                                                 \
  [](auto &stub, auto &&...arguments) {                                        \
    return stub.PrepareAsync##name(                                            \
        std::forward<decltype(arguments)>(arguments)...);                      \
  }

/// Sends a request to each of `links` that `prepare` (which fills it in, and
/// may say false: not to this one) wants, and waits for all answers or `ms`.
template <typename Request, typename Reply, typename Method, typename Prepare>
std::vector<std::unique_ptr<TaskCall<Request, Reply>>>
callTasks(const std::vector<TaskLink *> &links, int64_t ms, bool waitForReady,
          Method method, Prepare prepare) {
  using Call = TaskCall<Request, Reply>;
  std::vector<std::unique_ptr<Call>> calls;
  CallCounter counter;
  for (TaskLink *link : links) {
    std::unique_ptr<Call> call = std::make_unique<Call>();
    call->link = link;
    call->request.set_protocol(kProtocolVersion);
    if (!prepare(*link, call->request))
      continue;
    call->context.set_deadline(deadlineIn(ms));
    call->context.set_wait_for_ready(waitForReady);
    counter.begin();
    call->response = method(*link->stub, &call->context, call->request,
                            link->way->loop().queue());
    call->response->StartCall();
    call->response->Finish(&call->reply, &call->status,
                           EventLoop::tag([&counter](bool) { counter.end(); }));
    calls.push_back(std::move(call));
  }
  counter.wait();
  return calls;
}

} // namespace weir::rt

#endif // WEIR_RUNTIME_DISTRIBUTED_TASKLINK_H

//===- WorkerService.h - The calls that a task answers ----------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// worker.proto's service. No call waits, nor holds a thread.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_DISTRIBUTED_WORKERSERVICE_H
#define WEIR_RUNTIME_DISTRIBUTED_WORKERSERVICE_H

#include "runtime/distributed/Channels.h"
#include "runtime/distributed/ServerStream.h"
#include "runtime/distributed/WorkerSessions.h"

#include "worker.grpc.pb.h"

namespace weir::rt {

class WorkerService {
public:
  WorkerService(const WorkerOptions &options, TlsKeys keys);

  /// Answers calls from now on. What the service opens itself ends on `loop`
  /// too, which outlives it.
  void serve(grpc::AsyncGenericService &calls, EventLoop &loop,
             grpc::ServerCompletionQueue &queue);

  WorkerSessions sessions;
  const TaskId task;
  const uint64_t incarnation;
  /// "task /job:ps/task:0".
  const std::string name;

  /// Waits until Shutdown was called, or interrupt().
  bool waitForShutdown(int64_t ms);
  void interrupt();
  /// Ends the open streams when what they have to say is said. The sessions
  /// have been stopped.
  void closeStreams() { streams.close(); }

private:
  using Call = std::shared_ptr<ServerCall>;

  /// A call that is answered at once by `handle(request, reply)`, where the
  /// other side has this version.
  template <typename Request, typename Reply, typename Handle>
  CallTable::Maker atOnce(Handle handle);
  void addSessionCalls();
  Status openSession(const distributed::OpenSessionRequest &request);
  Status abortStep(const distributed::AbortStepRequest &request);
  Status cleanupStep(const distributed::CleanupStepRequest &request);
  Call closeSession();
  // StepService.cpp, TensorService.cpp, ProgramService.cpp.
  Call exchange();
  Call sendTensor();
  Call receiveTensor();
  Call registerProgram();
  Call startTrace();
  Call stopTrace();

  const WorkerOptions options;
  const TlsKeys keys;
  CallTable calls;
  ServerStreams streams;
  EventLoop *loop = nullptr;

  std::mutex mutex;
  std::condition_variable changed;
  bool shutdownAsked = false, interrupted = false;
};

} // namespace weir::rt

#endif // WEIR_RUNTIME_DISTRIBUTED_WORKERSERVICE_H

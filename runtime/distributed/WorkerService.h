//===- WorkerService.h - The calls that a task answers ----------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// worker.proto's service. No call holds a thread while it waits.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_DISTRIBUTED_WORKERSERVICE_H
#define WEIR_RUNTIME_DISTRIBUTED_WORKERSERVICE_H

#include "runtime/distributed/Channels.h"
#include "runtime/distributed/WorkerSessions.h"

#include "worker.grpc.pb.h"

namespace weir::rt {

class WorkerService final
    : public distributed::Worker::WithRawCallbackMethod_ReceiveTensor<
          distributed::Worker::CallbackService> {
public:
  WorkerService(const WorkerOptions &options, TlsKeys keys);

  WorkerSessions sessions;
  const TaskId task;
  const uint64_t incarnation;
  /// "task /job:ps/task:0".
  const std::string name;

  /// Waits until Shutdown was called, or interrupt().
  bool waitForShutdown(int64_t ms);
  void interrupt();

private:
  using Context = grpc::CallbackServerContext;
  using Unary = grpc::ServerUnaryReactor;

  Unary *GetStatus(Context *context,
                   const distributed::GetStatusRequest *request,
                   distributed::GetStatusReply *reply) override;
  Unary *OpenSession(Context *context,
                     const distributed::OpenSessionRequest *request,
                     distributed::OpenSessionReply *reply) override;
  grpc::ServerReadReactor<distributed::RegisterProgramRequest> *
  RegisterProgram(Context *context,
                  distributed::RegisterProgramReply *reply) override;
  Unary *RunStep(Context *context, const distributed::RunStepRequest *request,
                 distributed::RunStepReply *reply) override;
  grpc::ServerReadReactor<distributed::SendTensorRequest> *
  SendTensor(Context *context, distributed::SendTensorReply *reply) override;
  grpc::ServerWriteReactor<grpc::ByteBuffer> *
  ReceiveTensor(Context *context, const grpc::ByteBuffer *request) override;
  Unary *AbortStep(Context *context,
                   const distributed::AbortStepRequest *request,
                   distributed::AbortStepReply *reply) override;
  Unary *CleanupStep(Context *context,
                     const distributed::CleanupStepRequest *request,
                     distributed::CleanupStepReply *reply) override;
  Unary *CloseSession(Context *context,
                      const distributed::CloseSessionRequest *request,
                      distributed::CloseSessionReply *reply) override;
  Unary *Heartbeat(Context *context,
                   const distributed::HeartbeatRequest *request,
                   distributed::HeartbeatReply *reply) override;
  Unary *StartTrace(Context *context,
                    const distributed::StartTraceRequest *request,
                    distributed::StartTraceReply *reply) override;
  grpc::ServerWriteReactor<distributed::StopTraceReply> *
  StopTrace(Context *context,
            const distributed::StopTraceRequest *request) override;
  Unary *Shutdown(Context *context, const distributed::ShutdownRequest *request,
                  distributed::ShutdownReply *reply) override;

  Status openSession(const distributed::OpenSessionRequest &request);

  const WorkerOptions options;
  const TlsKeys keys;

  std::mutex mutex;
  std::condition_variable changed;
  bool shutdownAsked = false, interrupted = false;
};

} // namespace weir::rt

#endif // WEIR_RUNTIME_DISTRIBUTED_WORKERSERVICE_H

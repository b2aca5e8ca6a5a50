//===- ProgramService.cpp - Programs and traces ---------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/base/Format.h"
#include "runtime/core/Session.h"
#include "runtime/distributed/WorkerService.h"
#include "runtime/trace/TraceFile.h"

using namespace weir::rt;

namespace distributed = weir::distributed;

/// No program is larger.
constexpr int64_t kMaxProgramBytes = int64_t(1) << 30;

namespace {

class ProgramCall final : public UploadCall<distributed::RegisterProgramRequest,
                                            distributed::RegisterProgramReply> {
public:
  explicit ProgramCall(WorkerSessions &sessions) : sessions(sessions) {}

private:
  void taken() override {
    // Loading takes time: code for a GPU is checked and copied there.
    sessions.later([call = self()] { call->answer(call->end()); });
  }
  std::shared_ptr<ProgramCall> self() {
    return std::static_pointer_cast<ProgramCall>(shared_from_this());
  }

  Status take() override {
    if (!session) {
      WEIR_RETURN_IF_ERROR(checkProtocol(message.protocol(), "a client"));
      WEIR_RETURN_IF_ERROR(sessions.find(message.session(), session));
      size = message.size();
      if (size < 0 || size > kMaxProgramBytes)
        return Status(WEIR_RESOURCE_EXHAUSTED,
                      str("[WEIR0392] a program of ", size,
                          " bytes is too large; at most ", kMaxProgramBytes,
                          " are possible"));
    }
    bytes += message.data();
    if (static_cast<int64_t>(bytes.size()) > size)
      return Status(WEIR_INVALID_ARGUMENT,
                    str("[WEIR0396] more than the ", size,
                        " bytes of a program that the message speaks of"));
    return Status();
  }

  Status end() {
    if (!session || static_cast<int64_t>(bytes.size()) != size)
      return Status(WEIR_DATA_LOSS, str("[WEIR0396] a program ended after ",
                                        bytes.size(), " of ", size, " bytes"));
    int64_t handle = -1;
    WEIR_RETURN_IF_ERROR(session->add(bytes, handle));
    reply.set_handle(handle);
    WeirSession *made = nullptr;
    WEIR_RETURN_IF_ERROR(session->find(handle, made));
    const WeirProgram &program = made->program;
    for (int32_t i = 0; i < program.entry_count; ++i) {
      const WeirEntryDesc &desc = program.entries[i];
      distributed::Entry &entry = *reply.add_entries();
      // Parts are not there by name.
      entry.set_name(desc.name ? desc.name : "");
      for (int32_t f = 0; f < desc.feed_count; ++f)
        entry.add_feeds(desc.feeds[f].name);
      for (int32_t f = 0; f < desc.fetch_count; ++f)
        entry.add_fetches(desc.fetches[f].name);
    }
    return Status();
  }

  WorkerSessions &sessions;
  std::shared_ptr<WorkerSession> session;
  int64_t size = 0;
  std::string bytes;
};

class StartTraceCall final : public UnaryCall<distributed::StartTraceRequest,
                                              distributed::StartTraceReply> {
  void handle() override {
    Status status = checkProtocol(request.protocol(), "a client");
    if (status.ok()) {
      reply.set_start(traceNow());
      weir::rt::startTrace();
    } else {
      setError(reply.mutable_error(), status);
    }
    answer();
  }
};

/// Sends what was recorded.
class StopTraceCall final : public ServerCall {
public:
  explicit StopTraceCall(const TaskId &task) : task(task) {}

private:
  void onRead(bool ok, grpc::ByteBuffer &message) override {
    distributed::StopTraceRequest request;
    if (!ok || !decodeMessage(message, request))
      return finish(malformedMessage());
    TraceData data;
    Status status = checkProtocol(request.protocol(), "a client");
    if (status.ok())
      status = weir::rt::stopTrace(data);
    data.process = task.text();
    if (status.ok())
      bytes = encodeTrace(data);
    else
      setError(reply.mutable_error(), status);
    send();
  }
  void onWritten(bool ok) override {
    reply.Clear();
    if (ok)
      send();
    else
      finish(grpc::Status::CANCELLED);
  }
  void send() {
    reply.set_data(bytes.substr(sent, kChunkBytes));
    sent += reply.data().size();
    if (sent < bytes.size())
      startWrite(encodeMessage(reply));
    else
      writeAndFinish(encodeMessage(reply));
  }

  const TaskId task;
  std::string bytes;
  size_t sent = 0;
  distributed::StopTraceReply reply;
};

} // namespace

std::shared_ptr<ServerCall> WorkerService::registerProgram() {
  return std::make_shared<ProgramCall>(sessions);
}

std::shared_ptr<ServerCall> WorkerService::startTrace() {
  return std::make_shared<StartTraceCall>();
}

std::shared_ptr<ServerCall> WorkerService::stopTrace() {
  return std::make_shared<StopTraceCall>(task);
}

//===- ClusterSessionTest.cpp - A client and tasks that are not as they should
// be -===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/distributed/Wire.h"
#include "test/unit/runtime/distributed/ClusterTest.h"

#include "worker.grpc.pb.h"

#include <grpcpp/grpcpp.h>

using namespace weir::rt;
using namespace weir::rt::test;

namespace distributed = weir::distributed;
using distributed::Worker;

namespace {
/// A task of a later version.
class LaterTask final : public Worker::Service {
  grpc::Status GetStatus(grpc::ServerContext *,
                         const distributed::GetStatusRequest *,
                         distributed::GetStatusReply *reply) override {
    reply->set_protocol(kProtocolVersion + 1);
    reply->mutable_error()->set_code(WEIR_FAILED_PRECONDITION);
    reply->mutable_error()->set_message("[WEIR0386] too old");
    return grpc::Status::OK;
  }
};
} // namespace

namespace {
/// Serves until it goes.
struct Listening {
  explicit Listening(grpc::Service &service) {
    grpc::ServerBuilder builder;
    int port = 0;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(),
                             &port);
    builder.RegisterService(&service);
    server = builder.BuildAndStart();
    address = str("127.0.0.1:", port);
  }
  ~Listening() { server->Shutdown(); }

  std::unique_ptr<grpc::Server> server;
  std::string address;
};
} // namespace

static Status connectTo(const std::string &address, int64_t ms = 5000) {
  ClusterOptions options;
  options.connectTimeoutMs = ms;
  std::unique_ptr<ClusterSession> session;
  return ClusterSession::connect(specOf(address), options, session);
}

TEST(ClusterSession, RefusesTasksOfOtherVersions) {
  LaterTask service;
  Listening task(service);
  Status status = connectTo(task.address);
  EXPECT_EQ(status.code(), WEIR_FAILED_PRECONDITION);
  EXPECT_TRUE(says(status, "[WEIR0386] task /job:ps/task:0") &&
              says(status, str("speaks version ", kProtocolVersion + 1)) &&
              says(status, str("version ", kProtocolVersion)))
      << status.message();
}

TEST(ClusterSession, SaysThatItIsAnotherTask) {
  WorkerOptions options;
  options.task = {"worker", 3};
  std::unique_ptr<WorkerServer> server;
  ASSERT_OK(WorkerServer::start(options, server));
  Status status = connectTo(server->address());
  EXPECT_TRUE(says(status, "[WEIR0381]") &&
              says(status, "is task /job:worker/task:3") &&
              says(status, "/job:ps/task:0"))
      << status.message();
}

namespace {
/// A task that is there, takes a program, and never answers a step.
class IdleTask final : public Worker::Service {
  using Context = grpc::ServerContext;
  grpc::Status GetStatus(Context *, const distributed::GetStatusRequest *,
                         distributed::GetStatusReply *reply) override {
    reply->set_protocol(kProtocolVersion);
    reply->set_incarnation(1);
    reply->set_task("/job:ps/task:0");
    return grpc::Status::OK;
  }
  grpc::Status OpenSession(Context *, const distributed::OpenSessionRequest *,
                           distributed::OpenSessionReply *reply) override {
    reply->set_incarnation(1);
    return grpc::Status::OK;
  }
  grpc::Status
  RegisterProgram(Context *,
                  grpc::ServerReader<distributed::RegisterProgramRequest> *in,
                  distributed::RegisterProgramReply *reply) override {
    distributed::RegisterProgramRequest message;
    while (in->Read(&message)) {
    }
    reply->add_entries()->set_name("main");
    return grpc::Status::OK;
  }
  grpc::Status
  Exchange(Context *,
           grpc::ServerReaderWriter<distributed::Packet, distributed::Packet>
               *stream) override {
    distributed::Packet packet;
    while (stream->Read(&packet)) {
    }
    return grpc::Status::OK;
  }
  grpc::Status Heartbeat(Context *, const distributed::HeartbeatRequest *,
                         distributed::HeartbeatReply *reply) override {
    reply->set_incarnation(1);
    reply->set_has_session(true);
    return grpc::Status::OK;
  }
  grpc::Status AbortStep(Context *, const distributed::AbortStepRequest *,
                         distributed::AbortStepReply *) override {
    return grpc::Status::OK;
  }
};
} // namespace

/// The client looks at the clock too.
TEST(ClusterSession, EndsAStepThatATaskDoesNot) {
  IdleTask service;
  Listening task(service);
  {
    ClusterOptions options;
    options.heartbeatMs = 200;
    std::unique_ptr<ClusterSession> session;
    ASSERT_OK(ClusterSession::connect(specOf(task.address), options, session));
    int32_t set = -1;
    ASSERT_OK(session->registerPrograms({"a program"}, set));
    std::vector<TensorRef> results;
    Status status = session->run(set, "main", {}, {}, results, {50, nullptr});
    EXPECT_EQ(status.code(), WEIR_DEADLINE_EXCEEDED);
    EXPECT_TRUE(says(status, "[WEIR0397] step 1 of entry 'main' has not ended "
                             "within 50 ms"))
        << status.message();
  }
}

TEST(ClusterSession, SaysWhyThereIsNoConnection) {
  // A port that was free a moment ago.
  std::string address;
  {
    SilentPeer peer;
    address = peer.address;
  }
  Status status = connectTo(address, 200);
  EXPECT_TRUE(says(status, "[WEIR0387] no answer within 200 ms") &&
              says(status, "Connection refused"))
      << status.message();
}

/// What gRPC says of a call, as an error of ours.
TEST(ClusterSession, TellsErrorsOfTheTransport) {
  struct Case {
    grpc::StatusCode code;
    WeirCode expected;
    const char *says;
  } cases[] = {
      {grpc::StatusCode::UNAVAILABLE, WEIR_UNAVAILABLE,
       "[WEIR0387] task 7 cannot be reached (RunStep): because"},
      {grpc::StatusCode::DEADLINE_EXCEEDED, WEIR_UNAVAILABLE,
       "[WEIR0387] task 7 does not answer (RunStep)"},
      {grpc::StatusCode::RESOURCE_EXHAUSTED, WEIR_RESOURCE_EXHAUSTED,
       "[WEIR0392] RunStep at task 7: a message was too large: because"},
      {grpc::StatusCode::CANCELLED, WEIR_CANCELLED,
       "[WEIR0393] RunStep at task 7 was cancelled"},
      {grpc::StatusCode::UNIMPLEMENTED, WEIR_FAILED_PRECONDITION,
       "[WEIR0386] task 7 does not know the call RunStep"},
  };
  for (const Case &each : cases) {
    Status status =
        transportError(grpc::Status(each.code, "because"), "task 7", "RunStep");
    EXPECT_EQ(status.code(), each.expected);
    EXPECT_TRUE(says(status, each.says)) << status.message();
  }
}

TEST(ClusterSession, DoesNotWaitForASilentPeer) {
  SilentPeer peer;
  const int64_t begin = nowMs();
  Status status = connectTo(peer.address, 500);
  EXPECT_LT(nowMs() - begin, 10000);
  EXPECT_EQ(status.code(), WEIR_UNAVAILABLE);
  EXPECT_TRUE(says(status, "[WEIR0387] no answer within 500 ms from 'task "
                           "/job:ps/task:0"))
      << status.message();
}

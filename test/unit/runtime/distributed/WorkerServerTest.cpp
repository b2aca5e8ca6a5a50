//===- WorkerServerTest.cpp - One task: what it refuses -------------------===//
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

static std::unique_ptr<Worker::Stub> stubTo(const std::string &address) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxSendMessageSize(-1);
  return Worker::NewStub(grpc::CreateCustomChannel(
      address, grpc::InsecureChannelCredentials(), arguments));
}

static std::unique_ptr<WorkerServer> startServer(WorkerOptions options = {}) {
  if (options.task.job.empty())
    options.task = {"ps", 0};
  std::unique_ptr<WorkerServer> server;
  Status status = WorkerServer::start(options, server);
  EXPECT_TRUE(status.ok()) << status.message();
  return server;
}

static bool mentions(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

TEST(WorkerServer, SaysThatThePortIsTaken) {
  std::unique_ptr<WorkerServer> first = startServer();
  WorkerOptions options;
  options.task = {"ps", 1};
  options.listen = first->address();
  std::unique_ptr<WorkerServer> second;
  Status status = WorkerServer::start(options, second);
  EXPECT_EQ(status.code(), WEIR_UNAVAILABLE);
  EXPECT_TRUE(says(status, "[WEIR0385] task /job:ps/task:1 cannot listen on " +
                               first->address() + ": Address already in use"))
      << status.message();
  // The port is free again once it stops.
  first->stop();
  Status again = WorkerServer::start(options, second);
  EXPECT_TRUE(again.ok()) << again.message();
}

TEST(WorkerServer, ListensOnLoopbackUnlessToldOtherwise) {
  WorkerOptions options;
  options.task = {"ps", 0};
  options.listen = "0.0.0.0:0";
  std::unique_ptr<WorkerServer> server;
  Status status = WorkerServer::start(options, server);
  EXPECT_EQ(status.code(), WEIR_INVALID_ARGUMENT);
  EXPECT_TRUE(says(status, "[WEIR0384]")) << status.message();
  options.insecureNetwork = true;
  EXPECT_TRUE(WorkerServer::start(options, server).ok());
  options.listen = "not a host:0";
  EXPECT_TRUE(says(WorkerServer::start(options, server), "[WEIR0385]"));
  options.listen = "localhost";
  EXPECT_TRUE(says(WorkerServer::start(options, server), "[WEIR0382]"));
}

TEST(WorkerServer, ChecksTlsFiles) {
  WorkerOptions options;
  options.task = {"ps", 0};
  options.tls.cert = "no-such.pem";
  std::unique_ptr<WorkerServer> server;
  EXPECT_TRUE(says(WorkerServer::start(options, server),
                   "[WEIR0384] cannot read 'no-such.pem'"));
  options.tls.cert = WEIR_TEST_EMPTY_PROGRAM;
  EXPECT_TRUE(says(WorkerServer::start(options, server), "is no PEM file"));
  options.tls = {"", "", "ca.pem"};
  EXPECT_TRUE(
      says(WorkerServer::start(options, server), "--tls-cert is missing"));
}

/// With certificates of one authority steps run; a client without one, or with
/// one of another authority, is not let in.
TEST(WorkerServer, SpeaksMutualTls) {
  const std::string keys = testing::TempDir() + "weir-tls/";
  const std::string make = str(
      "mkdir -p ", keys, " && cd ", keys,
      " && for ca in ca other; do openssl req -x509 -newkey rsa:2048 -nodes "
      "-days 2 -subj /CN=$ca -keyout $ca.key -out $ca.pem && "
      "openssl req -newkey rsa:2048 -nodes -subj /CN=task -keyout $ca-task.key "
      "-out $ca-task.csr && printf 'subjectAltName=IP:127.0.0.1' > san && "
      "openssl x509 -req -in $ca-task.csr -CA $ca.pem -CAkey $ca.key "
      "-CAcreateserial -days 2 -extfile san -out $ca-task.pem || exit 1; done "
      ">/dev/null 2>&1");
  if (std::system("openssl version >/dev/null 2>&1") != 0)
    GTEST_SKIP() << "no openssl to make certificates with";
  ASSERT_EQ(std::system(make.c_str()), 0);
  WorkerOptions options;
  options.tls = {keys + "ca-task.pem", keys + "ca-task.key", keys + "ca.pem"};
  {
    Servers servers(1, options);
    ClusterOptions good;
    good.tls = options.tls;
    Client client(servers.spec, good);
    ASSERT_OK(std::move(client.status));
    ASSERT_OK(client.run("init"));
    ASSERT_OK(client.run("null", {"total"}));
    ClusterOptions plain, other;
    plain.connectTimeoutMs = other.connectTimeoutMs = 1000;
    other.tls = {keys + "other-task.pem", keys + "other-task.key",
                 keys + "ca.pem"};
    for (const ClusterOptions &bad : {plain, other}) {
      std::unique_ptr<ClusterSession> session;
      Status status = ClusterSession::connect(servers.spec, bad, session);
      EXPECT_EQ(status.code(), WEIR_UNAVAILABLE) << status.message();
      EXPECT_TRUE(says(status, "[WEIR0387]")) << status.message();
    }
  }
  EXPECT_EQ(std::system(("rm -r " + keys).c_str()), 0);
}

TEST(WorkerServer, RefusesOtherVersions) {
  std::unique_ptr<WorkerServer> server = startServer();
  std::unique_ptr<Worker::Stub> stub = stubTo(server->address());
  auto refuses = [](const distributed::Error &error) {
    return error.code() == WEIR_FAILED_PRECONDITION &&
           mentions(error.message(), "[WEIR0386]") &&
           mentions(error.message(), "version 7") &&
           mentions(error.message(), str("version ", kProtocolVersion));
  };
  {
    grpc::ClientContext context;
    distributed::GetStatusRequest request;
    distributed::GetStatusReply reply;
    request.set_protocol(7);
    ASSERT_TRUE(stub->GetStatus(&context, request, &reply).ok());
    EXPECT_TRUE(refuses(reply.error())) << reply.error().message();
    EXPECT_EQ(reply.protocol(), kProtocolVersion);
  }
  {
    grpc::ClientContext context;
    auto stream = stub->Exchange(&context);
    distributed::Packet packet;
    packet.set_protocol(7);
    ASSERT_TRUE(stream->Write(packet) && stream->Read(&packet));
    EXPECT_TRUE(refuses(packet.error())) << packet.error().message();
    // Nothing follows.
    EXPECT_FALSE(stream->Read(&packet));
    EXPECT_TRUE(stream->Finish().ok());
  }
  {
    grpc::ClientContext context;
    distributed::ReceiveTensorRequest request;
    distributed::TensorChunk chunk;
    request.set_protocol(7);
    auto reader = stub->ReceiveTensor(&context, request);
    ASSERT_TRUE(reader->Read(&chunk));
    EXPECT_TRUE(refuses(chunk.error())) << chunk.error().message();
    EXPECT_TRUE(reader->Finish().ok());
  }
}

TEST(WorkerServer, SaysThatAMessageIsTooLarge) {
  std::unique_ptr<WorkerServer> server = startServer();
  std::unique_ptr<Worker::Stub> stub = stubTo(server->address());
  grpc::ClientContext context;
  auto stream = stub->Exchange(&context);
  distributed::Packet packet;
  packet.set_protocol(kProtocolVersion);
  packet.add_steps()->add_feeds()->set_data(std::string(20 << 20, 'x'));
  stream->Write(packet);
  EXPECT_FALSE(stream->Read(&packet));
  grpc::Status status = stream->Finish();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_TRUE(mentions(status.error_message(), "vs. 16777216"))
      << status.error_message();
}

static distributed::Error openSession(Worker::Stub &stub,
                                      const WorkerServer &server,
                                      const std::string &worker = "none:1");

TEST(WorkerServer, SaysThatAProgramIsTooLarge) {
  std::unique_ptr<WorkerServer> server = startServer();
  std::unique_ptr<Worker::Stub> stub = stubTo(server->address());
  EXPECT_EQ(openSession(*stub, *server).code(), 0);
  grpc::ClientContext context;
  distributed::RegisterProgramReply reply;
  auto writer = stub->RegisterProgram(&context, &reply);
  distributed::RegisterProgramRequest message;
  message.set_protocol(kProtocolVersion);
  message.set_session(42);
  message.set_size((int64_t(1) << 30) + 1);
  writer->Write(message);
  writer->WritesDone();
  EXPECT_TRUE(writer->Finish().ok());
  EXPECT_EQ(reply.error().code(), WEIR_RESOURCE_EXHAUSTED);
  EXPECT_TRUE(mentions(reply.error().message(),
                       "[WEIR0392] a program of 1073741825 bytes"))
      << reply.error().message();
}

/// What is no program for this task is refused with the reason.
TEST(WorkerServer, ChecksPrograms) {
  Servers servers(1);
  const std::string ps = programFor({"ps", 0}, 1);
  const std::string worker = programFor({"worker", 0}, 1);
  struct Case {
    std::string bytes;
    const char *says;
  } cases[] = {
      {"no program", "it is no shared object"},
      {ps.substr(0, 200), "it cannot be loaded"},
      {worker, "is for device /job:worker/replica:0/task:0/device:CPU:0, this "
               "is task /job:ps/task:0"},
      {readFile(WEIR_TEST_EMPTY_PROGRAM), "it has no symbol weir_program"},
      {readFile(WEIR_TEST_WHOLE_PROGRAM), "it brings a runtime of its own"},
  };
  for (const Case &each : cases) {
    std::unique_ptr<ClusterSession> session;
    ASSERT_OK(ClusterSession::connect(servers.spec, {}, session));
    int32_t set;
    Status status = session->registerPrograms({each.bytes, ""}, set);
    EXPECT_TRUE(says(status, "[WEIR0389]") && says(status, each.says))
        << status.message();
    EXPECT_TRUE(says(status, "/job:ps/task:0")) << status.message();
  }
}

static distributed::Error openSession(Worker::Stub &stub,
                                      const WorkerServer &server,
                                      const std::string &worker) {
  grpc::ClientContext context;
  distributed::OpenSessionRequest request;
  distributed::OpenSessionReply reply;
  request.set_protocol(kProtocolVersion);
  request.set_session(42);
  distributed::Task *task = request.add_tasks();
  task->set_job("ps");
  task->set_address(server.address());
  task = request.add_tasks();
  task->set_job("worker");
  task->set_address(worker);
  EXPECT_TRUE(stub.OpenSession(&context, request, &reply).ok());
  return reply.error();
}

static distributed::Error runStep(Worker::Stub &stub, uint64_t step,
                                  int32_t entry = 0, uint64_t session = 42,
                                  int64_t handle = 0) {
  grpc::ClientContext context;
  auto stream = stub.Exchange(&context);
  distributed::Packet packet;
  packet.set_protocol(kProtocolVersion);
  packet.set_session(session);
  distributed::RunStep &request = *packet.add_steps();
  request.set_handle(handle);
  request.set_entry(entry);
  request.set_step(step);
  EXPECT_TRUE(stream->Write(packet));
  packet.Clear();
  EXPECT_TRUE(stream->Read(&packet));
  EXPECT_TRUE(stream->WritesDone());
  EXPECT_TRUE(stream->Finish().ok());
  EXPECT_EQ(packet.results_size(), 1);
  if (packet.results_size() != 1)
    return {};
  EXPECT_EQ(packet.results(0).step(), step);
  return packet.results(0).error();
}

static void addProgram(Worker::Stub &stub) {
  grpc::ClientContext context;
  distributed::RegisterProgramReply reply;
  auto writer = stub.RegisterProgram(&context, &reply);
  distributed::RegisterProgramRequest message;
  const std::string bytes = programFor({"ps", 0}, 1);
  message.set_protocol(kProtocolVersion);
  message.set_session(42);
  message.set_size(static_cast<int64_t>(bytes.size()));
  message.set_data(bytes);
  writer->Write(message);
  writer->WritesDone();
  EXPECT_TRUE(writer->Finish().ok());
  EXPECT_EQ(reply.error().code(), 0) << reply.error().message();
}

TEST(WorkerServer, RunsNoStepTwice) {
  std::unique_ptr<WorkerServer> server = startServer();
  std::unique_ptr<Worker::Stub> stub = stubTo(server->address());
  EXPECT_EQ(openSession(*stub, *server).code(), 0);
  EXPECT_EQ(openSession(*stub, *server).code(), WEIR_ALREADY_EXISTS);
  addProgram(*stub);
  EXPECT_EQ(runStep(*stub, 1).code(), 0);
  distributed::Error again = runStep(*stub, 1);
  EXPECT_EQ(again.code(), WEIR_ABORTED);
  EXPECT_TRUE(mentions(again.message(), "[WEIR0390] step 1 has ended"))
      << again.message();
  EXPECT_EQ(runStep(*stub, 2).code(), 0);
  // So many that the first are not known one by one any more.
  for (uint64_t step = 3; step < 4200; ++step)
    ASSERT_EQ(runStep(*stub, step).code(), 0);
  EXPECT_EQ(runStep(*stub, 1).code(), WEIR_ABORTED);
  EXPECT_TRUE(mentions(runStep(*stub, 5000, 99).message(), "[WEIR0390]"));
  EXPECT_TRUE(mentions(runStep(*stub, 5000, 0, 43).message(),
                       "there is no session 43"));
  EXPECT_TRUE(mentions(runStep(*stub, 5000, 0, 42, 9).message(),
                       "no program with handle 9"));
}

static distributed::Error receive(Worker::Stub &stub, uint64_t step,
                                  const std::string &key) {
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() +
                       std::chrono::seconds(5));
  distributed::ReceiveTensorRequest request;
  distributed::TensorChunk chunk;
  request.set_protocol(kProtocolVersion);
  request.set_session(42);
  request.set_step(step);
  request.set_key(key);
  auto reader = stub.ReceiveTensor(&context, request);
  EXPECT_TRUE(reader->Read(&chunk));
  EXPECT_TRUE(reader->Finish().ok());
  return chunk.error();
}

TEST(WorkerServer, ChecksKeysAndIncarnations) {
  std::unique_ptr<WorkerServer> server = startServer();
  std::unique_ptr<Worker::Stub> stub = stubTo(server->address());
  EXPECT_EQ(openSession(*stub, *server).code(), 0);
  EXPECT_TRUE(mentions(receive(*stub, 1, "no key").message(), "[WEIR0370]"));
  distributed::Error other = receive(*stub, 1, "a;1234;b;x");
  EXPECT_EQ(other.code(), WEIR_ABORTED);
  EXPECT_EQ(other.cause(), distributed::Error::PEER);
  EXPECT_TRUE(mentions(other.message(), "[WEIR0391]")) << other.message();
}

/// What was asked for before a step that never began goes away by itself, and
/// so does a session whose client says nothing.
TEST(WorkerServer, ForgetsWhatNobodyWants) {
  WorkerOptions options;
  options.stepTimeToLiveMs = 300;
  options.sessionTimeToLiveMs = 4000;
  std::unique_ptr<WorkerServer> server = startServer(options);
  std::unique_ptr<Worker::Stub> stub = stubTo(server->address());
  EXPECT_EQ(openSession(*stub, *server).code(), 0);
  addProgram(*stub);
  distributed::Error late = receive(*stub, 1, "a;0;b;x");
  EXPECT_EQ(late.code(), WEIR_ABORTED) << late.message();
  EXPECT_EQ(server->statistics().steps, 0);
  EXPECT_EQ(server->statistics().sessions, 1);
  waitFor([&] { return server->statistics().sessions == 0; });
  EXPECT_TRUE(mentions(runStep(*stub, 2).message(), "[WEIR0390]"));
}

/// A client whose connection ends takes its steps with it.
TEST(WorkerServer, EndsStepsOfClientsThatAreGone) {
  std::unique_ptr<WorkerServer> server = startServer();
  std::unique_ptr<Worker::Stub> stub = stubTo(server->address());
  SilentPeer worker;
  EXPECT_EQ(openSession(*stub, *server, worker.address).code(), 0);
  addProgram(*stub);
  {
    // "stuck" asks the worker, which does not answer.
    grpc::ClientContext context;
    auto stream = stub->Exchange(&context);
    distributed::Packet packet;
    packet.set_protocol(kProtocolVersion);
    packet.set_session(42);
    distributed::RunStep &request = *packet.add_steps();
    request.set_entry(4);
    request.set_step(1);
    request.add_incarnations(server->incarnation());
    request.add_incarnations(1);
    EXPECT_TRUE(stream->Write(packet));
    waitFor([&] { return server->statistics().steps == 1; });
    context.TryCancel();
    EXPECT_EQ(stream->Finish().error_code(), grpc::StatusCode::CANCELLED);
  }
  // The step has failed and is kept to tell of it, but nothing runs: closing
  // the session does not wait.
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() +
                       std::chrono::seconds(5));
  distributed::CloseSessionRequest request;
  distributed::CloseSessionReply reply;
  request.set_protocol(kProtocolVersion);
  request.set_session(42);
  EXPECT_TRUE(stub->CloseSession(&context, request, &reply).ok());
  EXPECT_EQ(server->statistics().sessions, 0);
}

/// Bytes that are no tensor.
TEST(WorkerServer, ChecksTensors) {
  std::unique_ptr<WorkerServer> server = startServer();
  std::unique_ptr<Worker::Stub> stub = stubTo(server->address());
  EXPECT_EQ(openSession(*stub, *server).code(), 0);
  auto send = [&](int32_t dtype, std::vector<int64_t> dims, int64_t size,
                  const std::string &data) {
    grpc::ClientContext context;
    distributed::SendTensorReply reply;
    auto writer = stub->SendTensor(&context, &reply);
    distributed::SendTensorRequest message;
    message.set_protocol(kProtocolVersion);
    message.set_session(42);
    message.set_step(1);
    message.mutable_header()->set_dtype(dtype);
    for (int64_t extent : dims)
      message.mutable_header()->add_dims(extent);
    message.mutable_header()->set_size(size);
    message.set_data(data);
    writer->Write(message);
    writer->WritesDone();
    EXPECT_TRUE(writer->Finish().ok());
    return reply.error().message();
  };
  const std::string four(4, 'x');
  EXPECT_EQ(send(WEIR_F32, {}, 4, four), "");
  EXPECT_TRUE(mentions(send(99, {}, 4, four), "element type 99"));
  EXPECT_TRUE(mentions(send(WEIR_RESOURCE, {}, 4, four), "[WEIR0396]"));
  EXPECT_TRUE(mentions(send(WEIR_F32, {2}, 4, four), "has 8 bytes"));
  EXPECT_TRUE(mentions(send(WEIR_F32, {-1}, 4, four), "no possible tensor"));
  EXPECT_TRUE(mentions(send(WEIR_F32, {}, 4, "xx"), "ended after 2 of 4"));
  EXPECT_TRUE(mentions(send(WEIR_F32, {}, 4, four + "x"), "more than the 4"));
  EXPECT_TRUE(mentions(send(WEIR_F32, std::vector<int64_t>(40, 1), 4, four),
                       "rank 40"));
  EXPECT_TRUE(mentions(send(WEIR_STRING, {1000000}, 4, four), "strings"));
  EXPECT_TRUE(mentions(send(WEIR_STRING, {1}, 9, std::string(9, '\x7f')),
                       "longer than the message"));
  std::string text("\x01\0\0\0\0\0\0\0ab", 10);
  EXPECT_TRUE(mentions(send(WEIR_STRING, {1}, 10, text), "do not fill"));
}

TEST(WorkerServer, StopsWhenAClientAsksForIt) {
  std::unique_ptr<WorkerServer> server = startServer();
  EXPECT_FALSE(server->waitForShutdown(10));
  std::unique_ptr<ClusterSession> session;
  ASSERT_OK(ClusterSession::connect(specOf(server->address()), {}, session));
  ASSERT_OK(session->shutdownTasks());
  EXPECT_TRUE(server->waitForShutdown(5000));
}

//===- ClusterHeart.cpp - Heartbeats and clocks ---------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/base/Format.h"
#include "runtime/distributed/ClusterClient.h"
#include "runtime/distributed/ClusterStep.h"

using namespace weir::rt;

namespace distributed = weir::distributed;

/// How long a task has to answer: asked twice in a heartbeat, it is found
/// missing within two.
static int64_t patience(int64_t heartbeatMs) { return heartbeatMs * 3 / 2; }

/// Round trips from which the offset of a clock is taken: of the shortest.
constexpr int kClockTrips = 9;

struct ClusterClient::Beat {
  TaskLink *link;
  grpc::ClientContext context;
  distributed::HeartbeatRequest request;
  distributed::HeartbeatReply reply;
  grpc::Status status;
  std::unique_ptr<grpc::ClientAsyncResponseReader<distributed::HeartbeatReply>>
      response;
};

void ClusterClient::lose(TaskLink &link, const Status &why, bool isAnswer) {
  std::lock_guard<std::mutex> lock(mutex);
  const bool wasThere = link.lost.ok();
  if (wasThere || isAnswer)
    link.lost = why.copy();
  if (wasThere)
    for (auto &[number, step] : running)
      step->taskLost(link, why);
}

void ClusterClient::streamLost(TaskLink &link, const Status &why) {
  if (why.code() == WEIR_UNAVAILABLE)
    return lose(link, why, /*isAnswer=*/false);
  // The task is there; something is wrong with what was said.
  std::lock_guard<std::mutex> lock(mutex);
  for (auto &[number, step] : running)
    step->taskFailed(link, why);
}

void ClusterClient::heard(Beat &beat) {
  TaskLink &link = *beat.link;
  Status why;
  if (beat.status.error_code() == grpc::StatusCode::DEADLINE_EXCEEDED)
    why = Status(WEIR_UNAVAILABLE,
                 str(link.name, " was lost: no answer to a heartbeat within ",
                     patience(options.heartbeatMs), " ms"));
  else if (!beat.status.ok())
    why = Status(WEIR_UNAVAILABLE,
                 str(link.name, " was lost: ", beat.status.error_message()));
  std::unique_lock<std::mutex> lock(mutex);
  if (why.ok() && beat.reply.incarnation() != link.incarnation)
    why = Status(WEIR_UNAVAILABLE,
                 str(link.name, " was lost: it has been started again, and has "
                                "none of the session's state"));
  else if (why.ok() && !beat.reply.has_session())
    why = Status(WEIR_UNAVAILABLE,
                 str(link.name, " was lost: it has closed the session"));
  // One that was only slow is back.
  if (why.ok())
    link.lost = Status();
  lock.unlock();
  if (!why.ok())
    lose(link, why, beat.status.ok());
}

void ClusterClient::beatOnce() {
  for (TaskLink &link : links) {
    Beat *beat = new Beat;
    beat->link = &link;
    beat->request.set_protocol(kProtocolVersion);
    beat->request.set_session(sessionId);
    beat->context.set_deadline(deadlineIn(patience(options.heartbeatMs)));
    {
      std::lock_guard<std::mutex> lock(mutex);
      beatsOut.insert(beat);
    }
    beats.begin();
    beat->response =
        link.stub->AsyncHeartbeat(&beat->context, beat->request, loop.queue());
    beat->response->Finish(&beat->reply, &beat->status,
                           EventLoop::tag([this, beat](bool) {
                             bool isLate;
                             {
                               std::lock_guard<std::mutex> lock(mutex);
                               beatsOut.erase(beat);
                               isLate = stopping;
                             }
                             if (!isLate)
                               heard(*beat);
                             delete beat;
                             beats.end();
                           }));
  }
}

void ClusterClient::beat() {
  std::unique_lock<std::mutex> lock(mutex);
  while (!stopping) {
    lock.unlock();
    beatOnce();
    lock.lock();
    beatChanged.wait_for(lock,
                         std::chrono::microseconds(options.heartbeatMs * 500),
                         [&] { return stopping; });
  }
  for (Beat *beat : beatsOut)
    beat->context.TryCancel();
  lock.unlock();
  beats.wait();
}

// ---- Traces.

Status ClusterClient::measureClock(TaskLink &link, int64_t &offset) {
  int64_t shortest = INT64_MAX;
  for (int i = 0; i < kClockTrips; ++i) {
    grpc::ClientContext context;
    context.set_deadline(deadlineIn(options.connectTimeoutMs));
    distributed::HeartbeatRequest request;
    distributed::HeartbeatReply reply;
    request.set_protocol(kProtocolVersion);
    request.set_session(sessionId);
    const int64_t begin = traceNow();
    grpc::Status status = link.stub->Heartbeat(&context, request, &reply);
    const int64_t end = traceNow();
    WEIR_RETURN_IF_ERROR(transportError(status, link.name, "Heartbeat"));
    WEIR_RETURN_IF_ERROR(errorOf(reply.error()));
    if (end - begin >= shortest)
      continue;
    shortest = end - begin;
    offset = begin + (end - begin) / 2 - reply.now();
  }
  return Status();
}

Status ClusterClient::startTrace() {
  auto calls =
      callTasks<distributed::StartTraceRequest, distributed::StartTraceReply>(
          allLinks(), options.connectTimeoutMs, /*waitForReady=*/false,
          WEIR_WORKER_CALL(StartTrace),
          [](TaskLink &, distributed::StartTraceRequest &) { return true; });
  for (auto &call : calls)
    WEIR_RETURN_IF_ERROR(call->error("StartTrace"));
  return Status();
}

Status ClusterClient::stopTrace(std::vector<TracePart> &parts) {
  std::vector<TracePart> made;
  for (TaskLink &link : links) {
    TracePart &part = made.emplace_back();
    WEIR_RETURN_IF_ERROR(measureClock(link, part.offset));
    grpc::ClientContext context;
    context.set_deadline(deadlineIn(options.connectTimeoutMs));
    distributed::StopTraceRequest request;
    request.set_protocol(kProtocolVersion);
    auto reader = link.stub->StopTrace(&context, request);
    distributed::StopTraceReply reply;
    std::string bytes;
    Status told;
    while (reader->Read(&reply)) {
      bytes += reply.data();
      if (told.ok())
        told = errorOf(reply.error());
    }
    WEIR_RETURN_IF_ERROR(
        transportError(reader->Finish(), link.name, "StopTrace"));
    WEIR_RETURN_IF_ERROR(std::move(told).withContext(link.name + ": "));
    WEIR_RETURN_IF_ERROR(decodeTrace(bytes, part.data));
  }
  parts = std::move(made);
  return Status();
}

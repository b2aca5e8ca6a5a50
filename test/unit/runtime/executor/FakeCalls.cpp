//===- FakeCalls.cpp - Calls for tests ------------------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/runtime/executor/FakeCalls.h"

#include <algorithm>
#include <chrono>
#include <unistd.h>

using namespace weir::rt;
using namespace weir::rt::test;

bool weir::rt::test::withLongerDeadlines(
    const std::function<bool(int32_t milliseconds)> &attempt) {
  for (int32_t time = 30; time < 60000; time *= 4)
    if (attempt(time))
      return true;
  return false;
}

ErrorOutput::ErrorOutput() : saved(dup(STDERR_FILENO)) {
  if (saved < 0 || pipe(pipeEnds) != 0 || dup2(pipeEnds[1], STDERR_FILENO) < 0)
    std::abort();
  close(pipeEnds[1]);
  reader = std::thread([this] { read(); });
}

/// Until nothing has the other end of the pipe any more.
void ErrorOutput::read() {
  char buffer[4096];
  for (ssize_t count;
       (count = ::read(pipeEnds[0], buffer, sizeof(buffer))) > 0;) {
    std::lock_guard<std::mutex> lock(mutex);
    text.append(buffer, static_cast<size_t>(count));
    changed.notify_all();
  }
}

bool ErrorOutput::waitFor(const std::string &part) {
  std::unique_lock<std::mutex> lock(mutex);
  return changed.wait_for(lock, std::chrono::minutes(1),
                          [&] { return text.find(part) != std::string::npos; });
}

std::string ErrorOutput::finish() {
  if (reader.joinable()) {
    dup2(saved, STDERR_FILENO);
    close(saved);
    reader.join();
    close(pipeEnds[0]);
  }
  return text;
}

Gate &Gate::get() {
  static Gate gate;
  return gate;
}

void Gate::call(WeirNodeCall *call) {
  Gate &gate = get();
  {
    std::lock_guard<std::mutex> lock(gate.mutex);
    CancellationToken::Id id =
        call->token()->onCancel([&gate, call] { gate.cancel(call); });
    if (id != 0) {
      gate.calls.push_back({call, id});
      gate.changed.notify_all();
      return;
    }
  }
  call->finish(Status(WEIR_CANCELLED, "gate cancelled"));
}

void Gate::end(Waiting ended, Status status) {
  if (status.ok() && ended.call->node.output_count > 0)
    ended.call->outputs[0] = ended.call->inputs[0];
  ended.call->finish(std::move(status));
}

void Gate::cancel(WeirNodeCall *call) {
  std::unique_lock<std::mutex> lock(mutex);
  auto found =
      std::find_if(calls.begin(), calls.end(),
                   [&](const Waiting &each) { return each.call == call; });
  if (found == calls.end())
    return;
  Waiting ended = *found;
  calls.erase(found);
  lock.unlock();
  end(ended, Status(WEIR_CANCELLED, "gate cancelled"));
}

void Gate::waitFor(size_t count) {
  std::unique_lock<std::mutex> lock(mutex);
  changed.wait(lock, [&] { return calls.size() >= count; });
}

size_t Gate::waiting() {
  std::lock_guard<std::mutex> lock(mutex);
  return calls.size();
}

void Gate::open(Status status) {
  std::unique_lock<std::mutex> lock(mutex);
  if (calls.empty())
    return;
  Waiting ended = calls.front();
  calls.erase(calls.begin());
  lock.unlock();
  // A cancellation on its way finds it gone.
  ended.call->token()->remove(ended.id);
  end(ended, std::move(status));
}

void Gate::openAll() {
  while (waiting() > 0)
    open();
}

std::shared_ptr<Queue> weir::rt::test::testQueue;

void weir::rt::test::makeTestQueue(int64_t capacity) {
  QueueSpec spec;
  spec.name = "q";
  spec.capacity = capacity;
  spec.components.push_back({WEIR_F32, true, {}});
  Status status = Queue::create(spec, testQueue);
  if (!status.ok())
    std::abort();
}

void weir::rt::test::enqueueCall(WeirNodeCall *call) {
  testQueue->enqueue(
      QueueTuple{call->inputs[0]},
      [call](Status status, QueueTuple) { call->finish(std::move(status)); },
      call->token());
}

void weir::rt::test::dequeueCall(WeirNodeCall *call) {
  testQueue->dequeue(
      [call](Status status, QueueTuple result) {
        if (status.ok())
          call->outputs[0] = result[0];
        call->finish(std::move(status));
      },
      call->token());
}

namespace {
class TestResource : public Resource {
public:
  std::string describe() const override { return "FIFO queue 'q'"; }
};
} // namespace

void weir::rt::test::handleCall(WeirNodeCall *call) {
  call->finish(makeHandle(std::make_shared<TestResource>(), call->outputs[0]));
}

void weir::rt::test::passCall(WeirNodeCall *call) {
  call->outputs[0] = call->inputs[0];
  call->finish();
}

void weir::rt::test::failCall(WeirNodeCall *call) {
  call->finish(Status(WEIR_FAILED_PRECONDITION, "[WEIR0341] not today"));
}

void weir::rt::test::wrongTypeCall(WeirNodeCall *call) {
  call->finish(createTensor(WEIR_I32, 0, nullptr, call->outputs[0]));
}

void weir::rt::test::noOutputCall(WeirNodeCall *call) { call->finish(); }

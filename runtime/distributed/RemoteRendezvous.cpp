//===- RemoteRendezvous.cpp - A step's rendezvous across tasks ------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/distributed/RemoteRendezvous.h"
#include "runtime/base/Format.h"

using namespace weir::rt;

namespace distributed = weir::distributed;

RemoteRendezvous::RemoteRendezvous(
    std::shared_ptr<const SessionCluster> cluster, uint64_t step,
    std::function<void()> onIdle)
    : cluster(std::move(cluster)), step(step), onIdle(std::move(onIdle)),
      local(makeLocalRendezvous()) {}

void RemoteRendezvous::setIncarnations(std::vector<uint64_t> numbers) {
  std::lock_guard<std::mutex> lock(mutex);
  incarnations = std::move(numbers);
}

bool RemoteRendezvous::hasPart(size_t task) {
  std::lock_guard<std::mutex> lock(mutex);
  return task < incarnations.size() && incarnations[task] != 0;
}

/// The key of what this task sends itself: there is one incarnation of it.
static RendezvousKey localKey(const RendezvousKey &key) {
  RendezvousKey plain = key;
  plain.incarnation = 0;
  return plain;
}

static bool beginsWith(const std::string &text, const std::string &prefix) {
  return text.compare(0, prefix.size(), prefix) == 0;
}

Status RemoteRendezvous::findTask(const std::string &device,
                                  const std::string &tensor,
                                  size_t &task) const {
  const std::vector<SessionCluster::Peer> &peers = cluster->peers;
  task = cluster->own;
  if (beginsWith(device, peers[task].devicePrefix))
    return Status();
  for (task = 0; task < peers.size(); ++task)
    if (beginsWith(device, peers[task].devicePrefix))
      return Status();
  return Status(WEIR_NOT_FOUND,
                str("[WEIR0381] '", tensor, "' is of device '", device,
                    "', and no task of the cluster has it"));
}

Status RemoteRendezvous::check(size_t task, const RendezvousKey &key,
                               uint64_t &incarnation) {
  std::lock_guard<std::mutex> lock(mutex);
  if (isAborted)
    return abortStatus.copy();
  incarnation = task < incarnations.size() ? incarnations[task] : 0;
  if (incarnation != 0)
    return Status();
  return Status(WEIR_INTERNAL, str("[WEIR0390] '", key.tensor, "' of step ",
                                   step, " goes to or comes from task ",
                                   cluster->peers[task].id.text(),
                                   ", which has no part in the step"));
}

// ---- What goes out.

Status RemoteRendezvous::send(const RendezvousKey &key, TensorRef value,
                              bool isDead) {
  size_t task = 0;
  WEIR_RETURN_IF_ERROR(findTask(key.destination, key.tensor, task));
  if (task != cluster->own)
    return sendAway(task, key, std::move(value), isDead);
  return keep(key, std::move(value), isDead);
}

Status RemoteRendezvous::keep(const RendezvousKey &key, TensorRef value,
                              bool isDead) {
  waiting.fetch_add(1);
  Status sent = local->send(localKey(key), std::move(value), isDead);
  if (!sent.ok())
    waiting.fetch_sub(1);
  return sent;
}

Status RemoteRendezvous::sendAway(size_t task, const RendezvousKey &key,
                                  TensorRef value, bool isDead) {
  RendezvousKey told = key;
  uint64_t there = 0;
  WEIR_RETURN_IF_ERROR(check(task, key, there));
  WEIR_RETURN_IF_ERROR(check(cluster->own, key, told.incarnation));
  distributed::SentTensor message;
  message.set_step(step);
  message.set_incarnation(there);
  message.set_key(told.text());
  int64_t room = kInlineBytes;
  WEIR_RETURN_IF_ERROR(
      encodeInline(value.get(), isDead, room, *message.mutable_value()));
  if (message.value().by_stream())
    WEIR_RETURN_IF_ERROR(keep(key, std::move(value), isDead));
  const SessionCluster::Peer &peer = cluster->peers[task];
  const int64_t bytes = static_cast<int64_t>(message.value().data().size());
  if (peer.way->add(bytes, [&](distributed::Packet &packet) {
        packet.add_tensors()->Swap(&message);
      }))
    return Status();
  return Status(WEIR_ABORTED, "[WEIR0390] the session was closed");
}

void RemoteRendezvous::receiveLocally(const RendezvousKey &key,
                                      Receiver receiver) {
  local->receive(localKey(key),
                 [self = shared_from_this(), receiver = std::move(receiver)](
                     Status status, TensorRef value, bool isDead) {
                   // Before anybody knows that it was taken.
                   if (status.ok() && self->waiting.fetch_sub(1) == 1)
                     self->onIdle();
                   receiver(std::move(status), std::move(value), isDead);
                 });
}

// ---- What comes in.

void RemoteRendezvous::receive(const RendezvousKey &key, Receiver receiver) {
  size_t task = 0;
  RendezvousKey wanted = key;
  Status found = findTask(key.source, key.tensor, task);
  if (found.ok() && task == cluster->own)
    return receiveLocally(key, std::move(receiver));
  if (found.ok())
    found = check(task, key, wanted.incarnation);
  if (!found.ok())
    return receiver(std::move(found), TensorRef(), false);
  local->receive(wanted, std::move(receiver));
}

void RemoteRendezvous::deliver(const RendezvousKey &key,
                               const distributed::InlineTensor &message) {
  size_t task = 0;
  Failure failure;
  failure.status = findTask(key.source, key.tensor, task);
  TensorRef value;
  if (failure.status.ok() && message.by_stream())
    return pull(task, key);
  if (failure.status.ok())
    failure.status = decodeInline(message, value);
  // A second one of the same name is refused, and does no harm.
  if (failure.status.ok())
    (void)local->send(key, std::move(value), message.header().is_dead());
  else
    stop(std::move(failure));
}

void RemoteRendezvous::pull(size_t task, const RendezvousKey &key) {
  const SessionCluster::Peer &peer = cluster->peers[task];
  if (!peer.way)
    return;
  std::shared_ptr<TensorPull> call = std::make_shared<TensorPull>(
      str("task ", peer.id.text(), " (", peer.address, ")"));
  call->onDone([self = shared_from_this(), call = call.get(),
                key](Failure failure, TensorRef value, bool isDead) {
    self->pulled(call->shared_from_this(), key, std::move(failure),
                 std::move(value), isDead);
  });
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (isAborted)
      return;
    pulls.insert(call);
  }
  distributed::ReceiveTensorRequest request;
  request.set_protocol(kProtocolVersion);
  request.set_session(cluster->session);
  request.set_step(step);
  request.set_key(key.text());
  // One that is cancelled already ends at once.
  call->start(peer.way->loop(), peer.way->channel(), request);
}

void RemoteRendezvous::pulled(const std::shared_ptr<TensorPull> &pull,
                              const RendezvousKey &key, Failure failure,
                              TensorRef value, bool isDead) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    pulls.erase(pull);
  }
  if (failure.status.ok()) {
    (void)local->send(key, std::move(value), isDead);
    return;
  }
  failure.status =
      std::move(failure.status)
          .withContext(str("'", key.tensor, "' from ", key.source, ": "));
  stop(std::move(failure));
}

void RemoteRendezvous::stop(Failure failure) {
  std::vector<std::shared_ptr<TensorPull>> cancelled;
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (isAborted)
      return;
    isAborted = true;
    abortStatus = failure.status.copy();
    if (failure.cause != distributed::Error::OWN && outside.status.ok())
      outside = {failure.status.copy(), failure.cause};
    cancelled.assign(pulls.begin(), pulls.end());
  }
  for (const std::shared_ptr<TensorPull> &pull : cancelled)
    pull->cancel();
  local->abort(std::move(failure.status));
}

void RemoteRendezvous::abort(Status status) {
  stop({std::move(status), distributed::Error::OWN});
}

void RemoteRendezvous::abortWith(Failure failure) { stop(std::move(failure)); }

Failure RemoteRendezvous::outsideFailure() {
  std::lock_guard<std::mutex> lock(mutex);
  return {outside.status.copy(), outside.cause};
}

int64_t RemoteRendezvous::pullCount() {
  std::lock_guard<std::mutex> lock(mutex);
  return static_cast<int64_t>(pulls.size());
}

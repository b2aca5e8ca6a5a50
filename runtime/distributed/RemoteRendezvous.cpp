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

/// The key of the local table: there is one incarnation of this task, itself.
static RendezvousKey localKey(const RendezvousKey &key) {
  RendezvousKey plain = key;
  plain.incarnation = 0;
  return plain;
}

Status RemoteRendezvous::send(const RendezvousKey &key, TensorRef value,
                              bool isDead) {
  waiting.fetch_add(1);
  Status sent = local->send(localKey(key), std::move(value), isDead);
  if (!sent.ok())
    waiting.fetch_sub(1);
  return sent;
}

void RemoteRendezvous::receiveLocally(const RendezvousKey &key,
                                      Receiver receiver) {
  local->receive(localKey(key),
                 [self = shared_from_this(), receiver = std::move(receiver)](
                     Status status, TensorRef value, bool isDead) {
                   bool taken = status.ok();
                   receiver(std::move(status), std::move(value), isDead);
                   if (taken && self->waiting.fetch_sub(1) == 1)
                     self->onIdle();
                 });
}

static bool beginsWith(const std::string &text, const std::string &prefix) {
  return text.compare(0, prefix.size(), prefix) == 0;
}

void RemoteRendezvous::receive(const RendezvousKey &key, Receiver receiver) {
  const std::vector<SessionCluster::Peer> &peers = cluster->peers;
  if (beginsWith(key.source, peers[cluster->own].devicePrefix))
    return receiveLocally(key, std::move(receiver));
  for (size_t i = 0; i < peers.size(); ++i)
    if (beginsWith(key.source, peers[i].devicePrefix))
      return pull(i, key, std::move(receiver));
  receiver(Status(WEIR_NOT_FOUND,
                  str("[WEIR0381] '", key.tensor, "' comes from device '",
                      key.source, "', and no task of the cluster has it")),
           TensorRef(), false);
}

void RemoteRendezvous::pull(size_t index, const RendezvousKey &key,
                            Receiver receiver) {
  const SessionCluster::Peer &peer = cluster->peers[index];
  RendezvousKey asked = key;
  std::shared_ptr<TensorPull> call = std::make_shared<TensorPull>(
      str("task ", peer.id.text(), " (", peer.address, ")"));
  call->onDone([self = shared_from_this(), call = call.get(), key,
                receiver](Failure failure, TensorRef value, bool isDead) {
    self->pulled(call->shared_from_this(), key, receiver, std::move(failure),
                 std::move(value), isDead);
  });
  Status refused;
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (isAborted)
      refused = abortStatus.copy();
    else if (index >= incarnations.size() || incarnations[index] == 0)
      refused =
          Status(WEIR_INTERNAL, str("[WEIR0390] step ", step, " asks for '",
                                    key.tensor, "' of task ", peer.id.text(),
                                    ", which has no part in it"));
    else
      pulls.insert(call);
    if (refused.ok())
      asked.incarnation = incarnations[index];
  }
  if (!refused.ok())
    return receiver(std::move(refused), TensorRef(), false);
  distributed::ReceiveTensorRequest request;
  request.set_protocol(kProtocolVersion);
  request.set_session(cluster->session);
  request.set_step(step);
  request.set_key(asked.text());
  // One that is cancelled already ends at once.
  call->start(peer.channel, request);
}

void RemoteRendezvous::pulled(const std::shared_ptr<TensorPull> &pull,
                              const RendezvousKey &key,
                              const Receiver &receiver, Failure failure,
                              TensorRef value, bool isDead) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    pulls.erase(pull);
    if (isAborted) {
      failure.status = abortStatus.copy();
    } else if (!failure.status.ok()) {
      failure.status =
          std::move(failure.status)
              .withContext(str("'", key.tensor, "' from ", key.source, ": "));
      if (outside.status.ok())
        outside = {failure.status.copy(), failure.cause};
    }
  }
  if (!failure.status.ok())
    value = TensorRef();
  receiver(std::move(failure.status), std::move(value), isDead);
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

//===- RemoteRendezvous.h - A step's rendezvous across tasks ----*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rendezvous of one step in one task. What its own devices send lies in the
// local table until a device of this task takes it. What goes to another task
// is sent there: a small tensor at once, of a large one only that it is here;
// the other task then fetches it by ReceiveTensor. What comes from other tasks
// is put into the local table, where receives wait for it. It carries the
// sender's incarnation; the receive fails where the step began with another
// one.
//
// Errors have a cause (Wire.h): that a peer's error or an abort from outside
// came first is remembered, so that the step's root cause can be told from what
// follows from it.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_DISTRIBUTED_REMOTERENDEZVOUS_H
#define WEIR_RUNTIME_DISTRIBUTED_REMOTERENDEZVOUS_H

#include "runtime/distributed/ClusterSpec.h"
#include "runtime/distributed/TaskConnection.h"
#include "runtime/distributed/TensorPull.h"
#include "runtime/rendezvous/Rendezvous.h"

#include <mutex>
#include <unordered_set>
#include <vector>

namespace weir::rt {

/// The cluster as a session of this task sees it.
struct SessionCluster {
  struct Peer {
    TaskId id;
    std::string address;
    std::string devicePrefix;
    std::shared_ptr<TaskConnection> way; // Null for this task itself.
  };
  uint64_t session = 0;
  std::vector<Peer> peers;
  size_t own = 0;
};

class RemoteRendezvous final
    : public Rendezvous,
      public std::enable_shared_from_this<RemoteRendezvous> {
public:
  /// `onIdle` is called whenever nothing that was sent waits any more.
  RemoteRendezvous(std::shared_ptr<const SessionCluster> cluster, uint64_t step,
                   std::function<void()> onIdle);

  /// Which incarnations the tasks of the step have, 0 for those without a part;
  /// before the first send and receive.
  void setIncarnations(std::vector<uint64_t> numbers);
  bool hasPart(size_t task);

  Status send(const RendezvousKey &key, TensorRef value, bool isDead) override;
  void receive(const RendezvousKey &key, Receiver receiver) override;
  /// Of this task's own error.
  void abort(Status status) override;

  /// From outside: ends pulls and receives with the failure.
  void abortWith(Failure failure);
  /// Puts a value into the local table for whoever takes it.
  Status keep(const RendezvousKey &key, TensorRef value, bool isDead);
  /// Takes what a device of this task sends, for somebody else.
  void receiveLocally(const RendezvousKey &key, Receiver receiver);
  /// What another task has sent here.
  void deliver(const RendezvousKey &key,
               const distributed::InlineTensor &message);

  /// The first failure that came from outside; OK for none.
  Failure outsideFailure();
  /// How much was sent and not taken.
  int64_t waitingCount() const { return waiting.load(); }
  int64_t pullCount();

private:
  /// The task that has the device; NOT_FOUND [WEIR0381].
  Status findTask(const std::string &device, const std::string &tensor,
                  size_t &task) const;
  /// The task's incarnation. An error where the step is over, or the task has
  /// no part in it.
  Status check(size_t task, const RendezvousKey &key, uint64_t &incarnation);
  Status sendAway(size_t task, const RendezvousKey &key, TensorRef value,
                  bool isDead);
  void pull(size_t task, const RendezvousKey &key);
  void pulled(const std::shared_ptr<TensorPull> &pull, const RendezvousKey &key,
              Failure failure, TensorRef value, bool isDead);
  /// The first abort counts.
  void stop(Failure failure);

  const std::shared_ptr<const SessionCluster> cluster;
  const uint64_t step;
  const std::function<void()> onIdle;
  const std::shared_ptr<Rendezvous> local;
  std::atomic<int64_t> waiting{0};

  std::mutex mutex;
  std::vector<uint64_t> incarnations;
  std::unordered_set<std::shared_ptr<TensorPull>> pulls;
  bool isAborted = false;
  Status abortStatus;
  Failure outside;
};

} // namespace weir::rt

#endif // WEIR_RUNTIME_DISTRIBUTED_REMOTERENDEZVOUS_H

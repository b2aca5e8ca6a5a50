//===- Rendezvous.h - Where the parts of a step meet ------------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tensor that crosses from one device to another is sent under a key and
// received under the same key, once, in either order. The rules are the same
// within a process and between processes:
//
// - One step has one rendezvous in each process; keys of steps never meet.
// - A key is sent once. A second send or a second receive of it is INTERNAL.
// - abort() ends all that wait and all that come later with its status. The
//   first abort counts.
// - A receiver that names another incarnation of the source device than the
//   one there is gets ABORTED: that process has started again since.
//
// Source: OSDI 2016 section 3.3.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_RENDEZVOUS_RENDEZVOUS_H
#define WEIR_RUNTIME_RENDEZVOUS_RENDEZVOUS_H

#include "runtime/base/Status.h"
#include "runtime/core/Tensor.h"

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace weir::rt {

/// Who sends what to whom. Devices are full names, as
/// /job:worker/replica:0/task:1/device:CPU:0.
struct RendezvousKey {
  std::string tensor;
  std::string source;
  std::string destination;
  /// Of the process that the source device is in; 0 where nobody asked yet.
  uint64_t incarnation = 0;

  /// "source;incarnation in hex;destination;tensor": what goes over the wire.
  std::string text() const;
  static Status parse(std::string_view text, RendezvousKey &key);
};

class Rendezvous {
public:
  /// `value` is null for a key without a tensor (a control edge), and where
  /// `isDead`.
  using Receiver =
      std::function<void(Status status, TensorRef value, bool isDead)>;

  virtual ~Rendezvous() = default;

  /// Hands a value over; does not wait. `value` is memory of the host, or of a
  /// device that both ends can reach.
  virtual Status send(const RendezvousKey &key, TensorRef value,
                      bool isDead) = 0;
  /// Calls `receiver` exactly once: in this call, or later from any thread.
  virtual void receive(const RendezvousKey &key, Receiver receiver) = 0;
  /// `status` is an error.
  virtual void abort(Status status) = 0;
  /// Device `source` sends nothing more in this step. Who waits for more from
  /// it, or comes later, gets FAILED_PRECONDITION, where the rendezvous is one
  /// that can tell.
  virtual void sourceEnded(const std::string &source) {}
};

/// The table of one step in one process.
std::shared_ptr<Rendezvous> makeLocalRendezvous();

} // namespace weir::rt

#endif // WEIR_RUNTIME_RENDEZVOUS_RENDEZVOUS_H

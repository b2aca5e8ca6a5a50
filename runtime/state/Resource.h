//===- Resource.h - State that a handle names -------------------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Variables, queues, stacks and the like. A resource is owned by whoever holds
// a shared pointer: the state of a family of sessions, a step, handles.
//
// A *handle* is a scalar WEIR_RESOURCE tensor that keeps a resource alive.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_STATE_RESOURCE_H
#define WEIR_RUNTIME_STATE_RESOURCE_H

#include "runtime/base/Status.h"
#include "runtime/core/Tensor.h"

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace weir::rt {

class Resource {
public:
  virtual ~Resource() = default;

  /// "FIFO queue 'q'", "stack", for messages.
  virtual std::string describe() const = 0;

  /// The state that it belongs to goes away: what waits in it ends with
  /// WEIR_CANCELLED.
  virtual void abandon() {}

  /// The state that it belongs to (State::id), 0 for a resource of a step. Set
  /// before the resource is shared.
  uint64_t family = 0;
};

/// A handle of `resource`.
Status makeHandle(std::shared_ptr<Resource> resource, TensorRef &result);

/// What a handle names; null for a tensor that is none.
std::shared_ptr<Resource> resourceOf(const WeirTensor *handle);
/// The same for as long as the handle lives.
Resource *peekResource(const WeirTensor *handle);

/// The resources of one step: stacks, tensor arrays. Gone when it ends. All
/// functions may be called from any thread.
class StepResources {
public:
  void add(std::shared_ptr<Resource> resource);
  /// A resource of a name of the step's own, made by `make` where it is absent
  /// (null is handed through). `make` must not use the step's resources.
  std::shared_ptr<Resource>
  findOrMake(const std::string &name,
             const std::function<std::shared_ptr<Resource>()> &make);

  /// Nothing was made since it was. Not while others may add.
  bool isEmpty() const { return unnamed.empty() && named.empty(); }

private:
  std::mutex mutex;
  std::vector<std::shared_ptr<Resource>> unnamed;
  std::unordered_map<std::string, std::shared_ptr<Resource>> named;
};

} // namespace weir::rt

#endif // WEIR_RUNTIME_STATE_RESOURCE_H

//===- State.h - What the sessions of a family share ------------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A family is a session and those made with weir_session_create_shared: their
// programs mean the same variable or resource by the same name, and must
// declare it the same. The state lives as long as one of the sessions; what it
// holds may live longer, in handles.
//
// Declarations are copied, because a program may go before the state. A
// variable is there from its declaration on (without a value), another resource
// from its first use on.
//
// All functions may be called from any thread.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_STATE_STATE_H
#define WEIR_RUNTIME_STATE_STATE_H

#include "runtime/state/HandleCache.h"
#include "runtime/state/Resource.h"
#include "runtime/state/Variable.h"
#include "weir-c/program.h"

#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace weir::rt {

/// Makes a resource as it is declared. The state calls it under a lock of the
/// resource's own.
using ResourceMaker = Status (*)(const WeirResourceDesc &desc,
                                 std::shared_ptr<Resource> &result);

/// Makes a reader (WEIR_RESOURCE_READER); null with the error set. Part of the
/// runtime's input, which a program without readers does without: then this is
/// null itself.
__attribute__((weak)) std::shared_ptr<Resource>
makeReader(const WeirResourceDesc &desc, Status &status);

/// A declaration, and the resource when it has been used.
class DeclaredResource {
public:
  /// Copies the descriptor.
  explicit DeclaredResource(const WeirResourceDesc &declared, uint64_t family);
  DeclaredResource(const DeclaredResource &) = delete;
  DeclaredResource &operator=(const DeclaredResource &) = delete;

  const WeirResourceDesc &desc() const { return descriptor; }

  /// The resource, made when this is its first use.
  Status get(ResourceMaker make, std::shared_ptr<Resource> &result);
  /// Ends what waits in the resource, if there is one.
  void abandon();

private:
  const std::string name;
  std::vector<int64_t> numbers;
  std::vector<std::string> componentNames;
  std::vector<std::vector<int64_t>> componentDims;
  std::vector<WeirTensorDesc> components;
  WeirResourceDesc descriptor;
  const uint64_t family;
  std::mutex mutex;
  std::shared_ptr<Resource> resource;
};

class State;

/// What a program means in a state, in the order of its tables.
struct Declared {
  std::shared_ptr<State> state;
  std::vector<std::shared_ptr<Variable>> variables;
  std::vector<std::shared_ptr<DeclaredResource>> resources;
};

class State {
public:
  State();
  /// Ends what waits in the resources.
  ~State();
  State(const State &) = delete;
  State &operator=(const State &) = delete;

  /// Takes in what a program that checkProgram accepts declares: all of it or,
  /// with an error, nothing. FAILED_PRECONDITION [WEIR0347] names two
  /// declarations of one name that differ.
  static Status declare(std::shared_ptr<State> state,
                        const WeirProgram &program, Declared &result);

  /// Differs from that of all other states; the `family` of its resources.
  uint64_t id() const { return number; }

private:
  Status declareLocked(const WeirProgram &program, Declared &result);

  const uint64_t number;
  std::mutex mutex;
  std::unordered_map<std::string, std::shared_ptr<Variable>> variables;
  std::unordered_map<std::string, std::shared_ptr<DeclaredResource>> resources;
};

/// The resources of a session's program by index.
class Resources {
public:
  explicit Resources(std::vector<std::shared_ptr<DeclaredResource>> resources);

  int32_t count() const { return size; }
  /// A handle of resource `index`, which is made when this is its first use.
  Status handle(int32_t index, ResourceMaker make, TensorRef &result);

private:
  struct Slot {
    std::shared_ptr<DeclaredResource> declared;
    HandleCache handle;
  };

  int32_t size;
  std::unique_ptr<Slot[]> slots;
};

/// The declaration of a queue as the program's table has it.
struct QueueSpec queueSpecOf(const WeirResourceDesc &desc);

} // namespace weir::rt

#endif // WEIR_RUNTIME_STATE_STATE_H

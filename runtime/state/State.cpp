//===- State.cpp - What the sessions of a family share --------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/state/State.h"
#include "runtime/base/Format.h"
#include "runtime/state/QueueSpec.h"

#include <atomic>

using namespace weir::rt;

//===----------------------------------------------------------------------===//
// Declarations
//===----------------------------------------------------------------------===//

DeclaredResource::DeclaredResource(const WeirResourceDesc &declared,
                                   uint64_t family)
    : name(declared.name), family(family) {
  if (declared.number_count > 0)
    numbers.assign(declared.numbers, declared.numbers + declared.number_count);
  size_t count = static_cast<size_t>(declared.component_count);
  componentNames.reserve(count);
  componentDims.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    const WeirTensorDesc &component = declared.components[i];
    componentNames.emplace_back(component.name ? component.name : "");
    componentDims.emplace_back();
    if (component.rank > 0)
      componentDims.back().assign(component.dims,
                                  component.dims + component.rank);
    components.push_back({componentNames.back().c_str(),
                          componentDims.back().data(), component.rank,
                          component.dtype});
  }
  descriptor = {name.c_str(),  components.data(),        numbers.data(),
                declared.kind, declared.component_count, declared.number_count};
}

Status DeclaredResource::get(ResourceMaker make,
                             std::shared_ptr<Resource> &result) {
  std::lock_guard<std::mutex> lock(mutex);
  if (!resource) {
    std::shared_ptr<Resource> made;
    WEIR_RETURN_IF_ERROR(make(descriptor, made));
    made->family = family;
    resource = std::move(made);
  }
  result = resource;
  return Status();
}

void DeclaredResource::abandon() {
  std::shared_ptr<Resource> made;
  {
    std::lock_guard<std::mutex> lock(mutex);
    made = resource;
  }
  if (made)
    made->abandon();
}

static int64_t numberOf(const WeirResourceDesc &desc, int32_t index,
                        int64_t absent) {
  return index < desc.number_count ? desc.numbers[index] : absent;
}

QueueSpec weir::rt::queueSpecOf(const WeirResourceDesc &desc) {
  QueueSpec spec;
  spec.name = desc.name;
  spec.kind = static_cast<QueueKind>(numberOf(desc, 0, 0));
  spec.capacity = numberOf(desc, 1, -1);
  spec.minAfterDequeue = numberOf(desc, 2, 0);
  spec.seed = static_cast<uint64_t>(numberOf(desc, 3, 0));
  spec.seed2 = static_cast<uint64_t>(numberOf(desc, 4, 0));
  for (int32_t i = 0; i < desc.component_count; ++i)
    spec.components.push_back(queueComponentOf(desc.components[i]));
  return spec;
}

/// "barrier with components tensor<f32>, tensor<2xi64> and numbers 0, 1".
static std::string declarationText(const WeirResourceDesc &desc) {
  static const char *const kKinds[] = {"queue", "barrier", "accumulator",
                                       "reader"};
  std::string text = kKinds[desc.kind - WEIR_RESOURCE_QUEUE];
  for (int32_t i = 0; i < desc.component_count; ++i) {
    const WeirTensorDesc &part = desc.components[i];
    text += str(i ? ", " : " with components ",
                typeText(part.dtype, part.dims, part.rank));
  }
  for (int32_t i = 0; i < desc.number_count; ++i)
    text += str(i ? ", " : " and numbers ", desc.numbers[i]);
  return text;
}

static std::string declarationText(const WeirTensorDesc &desc) {
  return str("variable of type ", typeText(desc.dtype, desc.dims, desc.rank));
}

static Status conflict(const char *name, const std::string &existing,
                       const WeirProgram &program, const std::string &wanted) {
  return Status(WEIR_FAILED_PRECONDITION,
                str("[WEIR0347] '", name, "' is declared as ", existing,
                    " in the state that is shared, but as ", wanted,
                    " in program '", program.name,
                    "'; use the same declaration, or another name"));
}

static Status checkSame(const WeirProgram &program,
                        const WeirResourceDesc &existing,
                        const WeirResourceDesc &wanted) {
  if (existing.kind == WEIR_RESOURCE_QUEUE &&
      wanted.kind == WEIR_RESOURCE_QUEUE)
    return checkSameQueue(queueSpecOf(existing), queueSpecOf(wanted));
  std::string before = declarationText(existing), now = declarationText(wanted);
  return before == now ? Status() : conflict(wanted.name, before, program, now);
}

//===----------------------------------------------------------------------===//
// State
//===----------------------------------------------------------------------===//

static uint64_t nextNumber() {
  static std::atomic<uint64_t> last{0};
  return ++last;
}

State::State() : number(nextNumber()) {}

State::~State() {
  for (auto &entry : resources)
    entry.second->abandon();
}

/// Is the table of resources one that can be read?
static Status checkTable(const WeirProgram &program) {
  auto malformed = [&](const std::string &what) {
    return Status(WEIR_INVALID_ARGUMENT,
                  str("[WEIR0309] program '", program.name, "' is malformed: ",
                      what, "; compile it again with this version of Weir"));
  };
  if (program.resource_count < 0 ||
      (program.resource_count > 0 && !program.resources))
    return malformed("it has no table of resources");
  for (int32_t i = 0; i < program.resource_count; ++i) {
    const WeirResourceDesc &desc = program.resources[i];
    if (!desc.name)
      return malformed(str("resource ", i, " has no name"));
    if (desc.kind < WEIR_RESOURCE_QUEUE || desc.kind > WEIR_RESOURCE_READER)
      return malformed(
          str("resource '", desc.name, "' is of the unknown kind ", desc.kind));
    if (desc.component_count < 0 || desc.number_count < 0 ||
        (desc.component_count > 0 && !desc.components) ||
        (desc.number_count > 0 && !desc.numbers))
      return malformed(str("resource '", desc.name, "' has ",
                           desc.component_count, " components and ",
                           desc.number_count, " numbers, but no tables"));
    if (desc.kind == WEIR_RESOURCE_QUEUE && desc.number_count > 0 &&
        (desc.numbers[0] < 0 ||
         desc.numbers[0] > static_cast<int64_t>(QueueKind::Priority)))
      return malformed(str("queue '", desc.name, "' is of the unknown kind ",
                           desc.numbers[0]));
    for (int32_t c = 0; c < desc.component_count; ++c) {
      const WeirTensorDesc &component = desc.components[c];
      if (component.rank < -1 || component.rank > WEIR_MAX_RANK ||
          (component.rank > 0 && !component.dims))
        return malformed(str("component ", c, " of resource '", desc.name,
                             "' has rank ", component.rank,
                             component.dims ? "" : " and no extents"));
    }
  }
  return Status();
}

Status State::declare(std::shared_ptr<State> state, const WeirProgram &program,
                      Declared &result) {
  WEIR_RETURN_IF_ERROR(checkTable(program));
  Declared declared;
  {
    std::lock_guard<std::mutex> lock(state->mutex);
    WEIR_RETURN_IF_ERROR(state->declareLocked(program, declared));
  }
  declared.state = std::move(state);
  result = std::move(declared);
  return Status();
}

Status State::declareLocked(const WeirProgram &program, Declared &result) {
  // Those that are new come into the state only when all are right.
  decltype(variables) newVariables;
  decltype(resources) newResources;
  auto find = [](auto &known, auto &added, const char *name) {
    auto found = known.find(name);
    if (found != known.end())
      return found->second;
    auto second = added.find(name);
    return second != added.end() ? second->second : nullptr;
  };
  for (int32_t i = 0; i < program.variable_count; ++i) {
    const WeirTensorDesc &desc = program.variables[i];
    std::string wanted = declarationText(desc);
    if (auto other = find(resources, newResources, desc.name))
      return conflict(desc.name, declarationText(other->desc()), program,
                      wanted);
    std::shared_ptr<Variable> variable =
        find(variables, newVariables, desc.name);
    if (!variable) {
      variable = std::make_shared<Variable>(desc);
      variable->family = number;
      newVariables.emplace(desc.name, variable);
    }
    if (std::string existing = declarationText(variable->desc());
        existing != wanted)
      return conflict(desc.name, existing, program, wanted);
    result.variables.push_back(std::move(variable));
  }
  for (int32_t i = 0; i < program.resource_count; ++i) {
    const WeirResourceDesc &desc = program.resources[i];
    if (auto other = find(variables, newVariables, desc.name))
      return conflict(desc.name, declarationText(other->desc()), program,
                      declarationText(desc));
    std::shared_ptr<DeclaredResource> resource =
        find(resources, newResources, desc.name);
    if (!resource) {
      resource = std::make_shared<DeclaredResource>(desc, number);
      newResources.emplace(desc.name, resource);
    }
    WEIR_RETURN_IF_ERROR(checkSame(program, resource->desc(), desc));
    result.resources.push_back(std::move(resource));
  }
  variables.merge(newVariables);
  resources.merge(newResources);
  return Status();
}

//===----------------------------------------------------------------------===//
// The resources of a session
//===----------------------------------------------------------------------===//

Resources::Resources(std::vector<std::shared_ptr<DeclaredResource>> resources)
    : size(static_cast<int32_t>(resources.size())),
      slots(new Slot[resources.size()]) {
  for (size_t i = 0; i < resources.size(); ++i)
    slots[i].declared = std::move(resources[i]);
}

Status Resources::handle(int32_t index, ResourceMaker make, TensorRef &result) {
  Slot &slot = slots[index];
  if ((result = slot.handle.get()))
    return Status();
  std::shared_ptr<Resource> resource;
  WEIR_RETURN_IF_ERROR(slot.declared->get(make, resource));
  TensorRef made;
  WEIR_RETURN_IF_ERROR(makeHandle(std::move(resource), made));
  result = slot.handle.keep(std::move(made));
  return Status();
}

//===- MakeResource.cpp - Resources as they are declared ------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/state/MakeResource.h"
#include "runtime/base/Format.h"
#include "runtime/state/Barrier.h"
#include "runtime/state/ConditionalAccumulator.h"
#include "runtime/state/Queue.h"

using namespace weir::rt;

static Status makeBarrier(const WeirResourceDesc &desc,
                          std::shared_ptr<Resource> &result) {
  std::vector<QueueComponent> components;
  for (int32_t i = 0; i < desc.component_count; ++i)
    components.push_back(queueComponentOf(desc.components[i]));
  std::shared_ptr<Barrier> barrier;
  WEIR_RETURN_IF_ERROR(
      Barrier::create(desc.name, std::move(components), barrier));
  result = std::move(barrier);
  return Status();
}

static Status makeAccumulator(const WeirResourceDesc &desc,
                              std::shared_ptr<Resource> &result) {
  if (desc.component_count != 1)
    return Status(WEIR_INVALID_ARGUMENT,
                  str("[WEIR0348] accumulator '", desc.name,
                      "' is declared "
                      "with ",
                      desc.component_count,
                      " components; it has one, the gradient"));
  QueueComponent gradient = queueComponentOf(desc.components[0]);
  AccumulatorSpec spec;
  spec.name = desc.name;
  spec.dtype = gradient.dtype;
  spec.hasShape = gradient.hasShape;
  spec.dims = std::move(gradient.dims);
  spec.reduction = desc.number_count > 0 && desc.numbers[0] == 1
                       ? Reduction::Sum
                       : Reduction::Mean;
  std::shared_ptr<ConditionalAccumulator> accumulator;
  WEIR_RETURN_IF_ERROR(
      ConditionalAccumulator::create(std::move(spec), accumulator));
  result = std::move(accumulator);
  return Status();
}

Status weir::rt::makeResource(const WeirResourceDesc &desc,
                              std::shared_ptr<Resource> &result) {
  switch (desc.kind) {
  case WEIR_RESOURCE_QUEUE: {
    std::shared_ptr<Queue> queue;
    WEIR_RETURN_IF_ERROR(Queue::create(queueSpecOf(desc), queue));
    result = std::move(queue);
    return Status();
  }
  case WEIR_RESOURCE_BARRIER:
    return makeBarrier(desc, result);
  case WEIR_RESOURCE_ACCUMULATOR:
    return makeAccumulator(desc, result);
  default: {
    Status status;
    if (makeReader)
      result = makeReader(desc, status);
    if (status.ok() && !result)
      status = Status(WEIR_UNIMPLEMENTED,
                      str("[WEIR0337] reader '", desc.name,
                          "' cannot be made: this program was linked without "
                          "the runtime's input"));
    return status;
  }
  }
}

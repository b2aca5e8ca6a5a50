//===- QueueSpec.cpp - What a queue is declared to be ---------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/state/QueueSpec.h"
#include "runtime/base/Checked.h"
#include "runtime/base/DType.h"
#include "runtime/base/Format.h"

using namespace weir::rt;

QueueTuple::QueueTuple(std::initializer_list<TensorRef> parts)
    : QueueTuple(static_cast<int32_t>(parts.size())) {
  int32_t i = 0;
  for (const TensorRef &part : parts)
    (*this)[i++] = part;
}

const char *weir::rt::queueKindName(QueueKind kind) {
  switch (kind) {
  case QueueKind::Fifo:
    return "FIFO queue";
  case QueueKind::RandomShuffle:
    return "random-shuffle queue";
  case QueueKind::PaddingFifo:
    return "padding FIFO queue";
  case QueueKind::Priority:
    return "priority queue";
  }
  return "queue";
}

QueueComponent weir::rt::queueComponentOf(const WeirTensorDesc &desc) {
  QueueComponent component{
      static_cast<WeirDType>(desc.dtype), desc.rank >= 0, {}};
  if (desc.rank > 0)
    component.dims.assign(desc.dims, desc.dims + desc.rank);
  return component;
}

bool QueueComponent::isStatic() const {
  if (!hasShape)
    return false;
  for (int64_t extent : dims)
    if (extent < 0)
      return false;
  return true;
}

static std::string componentText(const QueueComponent &component) {
  if (!component.hasShape) {
    const DTypeInfo *info = dtypeInfo(component.dtype);
    return str("tensor<*x", info ? info->name : "?", ">");
  }
  return typeText(component.dtype, component.dims.data(),
                  static_cast<int32_t>(component.dims.size()));
}

static std::string viewText(const WeirView &view) {
  return typeText(view.dtype, view.dims, view.rank);
}

static Status badSpec(const QueueSpec &spec, const std::string &what) {
  return Status(WEIR_INVALID_ARGUMENT,
                str("[WEIR0346] ", queueKindName(spec.kind), " '", spec.name,
                    "' ", what));
}

static Status checkComponent(const QueueSpec &spec, size_t index) {
  const QueueComponent &component = spec.components[index];
  if (!dtypeInfo(component.dtype))
    return badSpec(spec, str("has component ", index, " of element type ",
                             static_cast<int>(component.dtype),
                             ", which does not exist"));
  if (component.dims.size() >= WEIR_MAX_RANK)
    return badSpec(
        spec, str("has component ", index, " of rank ", component.dims.size(),
                  "; the rank of an element is at most ", WEIR_MAX_RANK - 1,
                  ", so that a batch has one more"));
  for (int64_t extent : component.dims)
    if (extent < -1)
      return badSpec(spec, str("has component ", index, " with extent ", extent,
                               "; an extent is -1 (not known) or at least 0"));
  if (spec.kind == QueueKind::PaddingFifo && !component.hasShape)
    return badSpec(spec, str("has component ", index,
                             " without a shape; padding needs the rank of each "
                             "component, only extents may be open (-1)"));
  return Status();
}

Status weir::rt::checkQueueSpec(const QueueSpec &spec) {
  if (spec.capacity < -1 || spec.capacity == 0)
    return badSpec(spec, str("has capacity ", spec.capacity,
                             "; give at least 1, or -1 for no bound"));
  if (spec.components.empty())
    return badSpec(spec, "has no components; an element has at least one");
  for (size_t i = 0; i < spec.components.size(); ++i)
    WEIR_RETURN_IF_ERROR(checkComponent(spec, i));
  if (spec.kind == QueueKind::RandomShuffle) {
    if (spec.minAfterDequeue < 0)
      return badSpec(spec, str("has min_after_dequeue ", spec.minAfterDequeue,
                               "; it must be at least 0"));
    if (spec.capacity != -1 && spec.minAfterDequeue >= spec.capacity)
      return badSpec(spec,
                     str("has min_after_dequeue ", spec.minAfterDequeue,
                         " and capacity ", spec.capacity,
                         "; min_after_dequeue must be less, or nothing could "
                         "ever be dequeued"));
  }
  if (spec.kind == QueueKind::Priority) {
    const QueueComponent &priority = spec.components[0];
    if (priority.dtype != WEIR_I64 || !priority.hasShape ||
        !priority.dims.empty())
      return badSpec(spec, str("has first component ", componentText(priority),
                               "; it is the priority and must be tensor<i64>"));
  }
  return Status();
}

static Status otherQueue(const QueueSpec &spec, const std::string &property,
                         const std::string &existing,
                         const std::string &wanted) {
  return Status(WEIR_INVALID_ARGUMENT,
                str("[WEIR0347] shared queue '", spec.name, "' has ", property,
                    " ", existing, " but requested was ", wanted,
                    "; use the same declaration, or another name"));
}

Status weir::rt::checkSameQueue(const QueueSpec &existing,
                                const QueueSpec &wanted) {
  if (existing.kind != wanted.kind)
    return otherQueue(existing, "kind", queueKindName(existing.kind),
                      queueKindName(wanted.kind));
  if (existing.capacity != wanted.capacity)
    return otherQueue(existing, "capacity", str(existing.capacity),
                      str(wanted.capacity));
  if (existing.minAfterDequeue != wanted.minAfterDequeue)
    return otherQueue(existing, "min_after_dequeue",
                      str(existing.minAfterDequeue),
                      str(wanted.minAfterDequeue));
  bool anySeed = wanted.seed == 0 && wanted.seed2 == 0;
  if (!anySeed &&
      (existing.seed != wanted.seed || existing.seed2 != wanted.seed2))
    return otherQueue(existing, "random seeds",
                      str("(", existing.seed, ", ", existing.seed2, ")"),
                      str("(", wanted.seed, ", ", wanted.seed2, ")"));
  if (existing.components.size() != wanted.components.size())
    return otherQueue(existing, "a number of components of",
                      str(existing.components.size()),
                      str(wanted.components.size()));
  for (size_t i = 0; i < existing.components.size(); ++i) {
    const QueueComponent &a = existing.components[i], &b = wanted.components[i];
    if (a.dtype != b.dtype || a.hasShape != b.hasShape || a.dims != b.dims)
      return otherQueue(existing, str("component ", i, " of type"),
                        componentText(a), componentText(b));
  }
  return Status();
}

static Status badTuple(const QueueSpec &spec, const std::string &what) {
  return Status(WEIR_INVALID_ARGUMENT,
                str("[WEIR0344] queue '", spec.name, "': ", what));
}

/// Are the extents of a value from `skip` on those of the component?
static bool fits(const QueueComponent &component, const WeirView &view,
                 int32_t skip) {
  if (component.dtype != view.dtype || view.rank < skip)
    return false;
  if (!component.hasShape)
    return true;
  if (component.dims.size() != static_cast<size_t>(view.rank - skip))
    return false;
  for (size_t i = 0; i < component.dims.size(); ++i)
    if (component.dims[i] != -1 &&
        component.dims[i] != view.dims[static_cast<size_t>(skip) + i])
      return false;
  return true;
}

static Status checkParts(const QueueSpec &spec, const QueueTuple &tuple,
                         int32_t skip) {
  if (static_cast<size_t>(tuple.size()) != spec.components.size())
    return badTuple(spec, str("wrong number of components; an element has ",
                              spec.components.size(), ", the value has ",
                              tuple.size()));
  for (int32_t i = 0; i < tuple.size(); ++i) {
    if (!tuple[i])
      return badTuple(spec, str("component ", i, " has no value"));
    const QueueComponent &component = spec.components[static_cast<size_t>(i)];
    WeirView view = tuple[i].view();
    if (fits(component, view, skip))
      continue;
    return badTuple(spec,
                    str(component.dtype != view.dtype ? "type" : "shape",
                        " mismatch in component ", i, "; expected ",
                        skip ? "a batch of " : "", componentText(component),
                        ", got ", viewText(view)));
  }
  return Status();
}

Status weir::rt::checkQueueElement(const QueueSpec &spec,
                                   const QueueTuple &tuple) {
  return checkParts(spec, tuple, 0);
}

Status weir::rt::checkQueueBatch(const QueueSpec &spec, const QueueTuple &tuple,
                                 int64_t &count) {
  WEIR_RETURN_IF_ERROR(checkParts(spec, tuple, 1));
  count = tuple[0].view().dims[0];
  for (int32_t i = 1; i < tuple.size(); ++i)
    if (tuple[i].view().dims[0] != count)
      return badTuple(spec, str("all components must have the same size in "
                                "dimension 0; component ",
                                i, " has ", tuple[i].view().dims[0],
                                ", component 0 has ", count));
  return Status();
}

Status weir::rt::checkBatchRequest(const QueueSpec &spec, int64_t count) {
  if (count < 0)
    return Status(WEIR_INVALID_ARGUMENT,
                  str("[WEIR0345] queue '", spec.name, "': ", count,
                      " elements were requested; the number must be at least "
                      "0"));
  for (size_t i = 0; i < spec.components.size(); ++i) {
    const QueueComponent &component = spec.components[i];
    bool known = spec.kind == QueueKind::PaddingFifo ? component.hasShape
                                                     : component.isStatic();
    if (!known)
      return Status(
          WEIR_INVALID_ARGUMENT,
          str("[WEIR0345] ", queueKindName(spec.kind), " '", spec.name,
              "': dequeuing several elements at once requires the components "
              "to have specified shapes, component ",
              i, " is ", componentText(component),
              "; declare its shape, or use a padding FIFO queue"));
    // An extent that is not known is taken as 1: the least that is needed.
    int64_t bytes = dtypeInfo(component.dtype)->size;
    bool sane = checkedMul(bytes, count, bytes);
    for (int64_t extent : component.dims)
      sane = sane && checkedMul(bytes, extent < 0 ? 1 : extent, bytes);
    if (!sane || bytes > kMaxBytes)
      return Status(WEIR_INVALID_ARGUMENT,
                    str("[WEIR0345] queue '", spec.name, "': a batch of ",
                        count, " elements of ", componentText(component),
                        " is larger than any tensor may be (2^46 bytes)"));
  }
  return Status();
}

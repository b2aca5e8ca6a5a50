//===- Barrier.cpp - Elements put together by key -------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/state/Barrier.h"
#include "runtime/base/Format.h"

#include <algorithm>
#include <cstring>
#include <unordered_set>

using namespace weir::rt;

Status Barrier::create(std::string name, std::vector<QueueComponent> components,
                       std::shared_ptr<Barrier> &result) {
  QueueSpec spec;
  spec.name = std::move(name);
  if (components.empty())
    return Status(WEIR_INVALID_ARGUMENT,
                  str("[WEIR0346] barrier '", spec.name,
                      "' has no components; an element has at least one"));
  spec.kind = QueueKind::Priority;
  spec.components = {{WEIR_I64, true, {}}, {WEIR_STRING, true, {}}};
  for (QueueComponent &component : components)
    spec.components.push_back(std::move(component));
  std::shared_ptr<Queue> ready;
  WEIR_RETURN_IF_ERROR(Queue::create(std::move(spec), ready));
  result.reset(new Barrier(std::move(ready)));
  return Status();
}

static Status refused(const std::string &name, const std::string &what) {
  return Status(WEIR_INVALID_ARGUMENT,
                str("[WEIR0350] barrier '", name, "': ", what));
}

static Status closedError(const std::string &name, const std::string &what) {
  return Status(WEIR_CANCELLED,
                str("[WEIR0340] barrier '", name, "' is ", what));
}

Status Barrier::checkKeys(const std::vector<std::string> &keys,
                          int32_t component) const {
  std::unordered_set<std::string> seen;
  if (closed && (cancelled || (!keys.empty() && incomplete.empty())))
    return closedError(
        name(), str("closed; of ", keys.size(), " keys none can be inserted"));
  for (const std::string &key : keys) {
    auto found = incomplete.find(key);
    if (found == incomplete.end() && closed)
      return closedError(
          name(), str("closed, but '", key, "' is a new key; only the ",
                      incomplete.size(), " incomplete ones can be completed"));
    if (!seen.insert(key).second ||
        (found != incomplete.end() && found->second.tuple[component + 2]))
      return refused(
          name(),
          str("key '", key, "' already has a value for component ", component));
  }
  return Status();
}

Status Barrier::insertMany(const TensorRef &keys, int32_t component,
                           const TensorRef &values) {
  if (component < 0 || static_cast<size_t>(component) >= componentCount())
    return refused(name(), str("there is no component ", component,
                               "; an element has ", componentCount()));
  if (!keys || !values)
    return refused(name(), "the keys or the values are missing");
  WeirView keyView = keys.view();
  if (keyView.dtype != WEIR_STRING || keyView.rank != 1)
    return refused(name(),
                   str("the keys must be a vector of strings, but are ",
                       typeText(keyView.dtype, keyView.dims, keyView.rank)));
  // The values are a batch of a queue of this component alone.
  QueueSpec single;
  single.name = name();
  single.components = {
      ready->spec().components[static_cast<size_t>(component) + 2]};
  QueueTuple batch({values});
  int64_t count;
  WEIR_RETURN_IF_ERROR(checkQueueBatch(single, batch, count));
  if (count != keyView.dims[0])
    return refused(name(), str("there are ", keyView.dims[0], " keys, but ",
                               count, " values"));
  WeirView valueView = values.view();
  if (count > 0 && viewBytes(valueView) == 0)
    return refused(
        name(), str("tensors with no elements are not supported; "
                    "the values are ",
                    typeText(valueView.dtype, valueView.dims, valueView.rank)));
  std::vector<QueueItem> parts, numbered;
  WEIR_RETURN_IF_ERROR(splitBatch(batch, count, parts));
  // And the keys as tensors, for the elements that are new.
  WEIR_RETURN_IF_ERROR(splitBatch(QueueTuple({keys}), count, numbered));
  TensorRef number;
  WEIR_RETURN_IF_ERROR(createTensor(WEIR_I64, 0, nullptr, number));
  std::vector<std::string> names;
  const WeirString *strings = static_cast<const WeirString *>(keyView.data);
  for (int64_t i = 0; i < count; ++i)
    names.emplace_back(strings[i].size ? strings[i].data : "",
                       static_cast<size_t>(strings[i].size));

  std::vector<QueueTuple> complete;
  {
    std::lock_guard<std::mutex> lock(mutex);
    WEIR_RETURN_IF_ERROR(checkKeys(names, component));
    std::memcpy(number.get()->data, &nextNumber, sizeof(nextNumber));
    bool isNew = false;
    for (size_t i = 0; i < names.size(); ++i) {
      auto [place, inserted] = incomplete.try_emplace(names[i]);
      Element &element = place->second;
      if (inserted) {
        isNew = true;
        element.missing = componentCount();
        element.tuple = QueueTuple(static_cast<int32_t>(element.missing) + 2);
        element.tuple[0] = number;
        element.tuple[1] = std::move(numbered[i].tuple[0]);
      }
      element.tuple[component + 2] = std::move(parts[i].tuple[0]);
      if (--element.missing > 0)
        continue;
      complete.push_back(std::move(element.tuple));
      incomplete.erase(place);
    }
    nextNumber += isNew;
    ++entering;
  }
  // Outside the lock, since takers are told on this thread.
  for (QueueTuple &element : complete)
    ready->enqueue(std::move(element), [](Status, QueueTuple) {});
  {
    std::lock_guard<std::mutex> lock(mutex);
    --entering;
  }
  closeIfDone();
  return Status();
}

void Barrier::closeIfDone() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (!closed || queueClosed || entering > 0 || !incomplete.empty())
      return;
    queueClosed = true;
  }
  ready->close(false, [](Status, QueueTuple) {});
}

void Barrier::takeMany(int64_t count, bool allowSmall, QueueDone done,
                       CancellationToken *token, bool waitForIncomplete) {
  Status status = checkBatchRequest(ready->spec(), count);
  if (status.ok()) {
    std::lock_guard<std::mutex> lock(mutex);
    // What inserts are about to enqueue counts as incomplete: it will come.
    if (closed && entering == 0) {
      int64_t available = ready->size();
      if (!allowSmall || waitForIncomplete)
        available += static_cast<int64_t>(incomplete.size());
      if (allowSmall)
        count = std::min(count, available);
      if (available < std::max<int64_t>(count, 1))
        status = Status(WEIR_OUT_OF_RANGE,
                        str("[WEIR0341] barrier '", name(),
                            "' is closed and has insufficient elements "
                            "(requested ",
                            std::max<int64_t>(count, 1), ", total size ",
                            available, ")"));
    }
  }
  if (!status.ok())
    return done(std::move(status), QueueTuple());
  if (allowSmall)
    ready->dequeueUpTo(count, std::move(done), token);
  else
    ready->dequeueMany(count, std::move(done), token);
}

Status Barrier::close(bool cancelPending) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (closed && (cancelled || !cancelPending))
      return closedError(name(), "already closed");
    closed = true;
    cancelled = cancelPending;
    if (cancelPending)
      incomplete.clear();
  }
  closeIfDone();
  return Status();
}

std::string Barrier::describe() const { return str("barrier '", name(), "'"); }

int64_t Barrier::incompleteSize() const {
  std::lock_guard<std::mutex> lock(mutex);
  return static_cast<int64_t>(incomplete.size());
}

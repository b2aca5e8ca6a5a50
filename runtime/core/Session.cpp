//===- Session.cpp - The session part of the C interface ------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/core/Session.h"
#include "runtime/base/DType.h"
#include "runtime/base/Format.h"
#include "runtime/core/CStatus.h"
#include "runtime/core/Program.h"
#include "runtime/core/Tensor.h"
#include "runtime/trace/Trace.h"
#include "weir-c/dataflow.h"

#include <chrono>
#include <new>
#include <thread>

using namespace weir::rt;

/// What each entry runs on. Variables that entries of a device with its own
/// memory use go there.
static Status findDevices(WeirSession &session) {
  const WeirProgram &program = session.program;
  for (int32_t i = 0; i < program.entry_count; ++i) {
    const WeirEntryDesc &entry = program.entries[i];
    if (!entry.device)
      continue;
    Device *&device = session.devices[static_cast<size_t>(i)];
    WEIR_RETURN_IF_ERROR(findDevice(entry.device, program, device));
    session.tracks[static_cast<size_t>(i)] = traceTrack(entry.device);
    if (!device->hasOwnMemory() || !entry.dataflow)
      continue;
    // The table is checked before it is run; here it may still be damaged.
    auto place = [&](int32_t variable) {
      if (variable >= 0 && variable < program.variable_count)
        session.variables.variable(variable).moveTo(*device);
    };
    const WeirDataflow &table = *entry.dataflow;
    for (int32_t n = 0; table.nodes && n < table.node_count; ++n)
      if (table.nodes[n].kind == WEIR_NODE_CALL)
        place(table.nodes[n].index);
    for (int32_t c = 0; table.constants && c < table.constant_count; ++c) {
      const WeirView &constant = table.constants[c];
      if (constant.dtype != WEIR_RESOURCE || !constant.data)
        continue;
      const auto &handle = *static_cast<const WeirHandleDesc *>(constant.data);
      if (handle.is_variable)
        place(handle.index);
    }
  }
  return Status();
}

/// A session of a program on `state`.
static WeirSession *createSession(const WeirProgram *program,
                                  std::shared_ptr<State> state,
                                  WeirStatus *status) {
  Declared declared;
  Status checked = checkProgram(program);
  if (checked.ok())
    checked = State::declare(std::move(state), *program, declared);
  if (!checked.ok()) {
    setStatus(status, checked);
    return nullptr;
  }
  WeirSession *session =
      new (std::nothrow) WeirSession(*program, std::move(declared));
  if (!session) {
    setStatus(status, Status(WEIR_RESOURCE_EXHAUSTED,
                             "[WEIR0311] no memory for a session"));
    return nullptr;
  }
  if (setStatus(status, findDevices(*session))) {
    delete session;
    return nullptr;
  }
  return session;
}

WeirSession *weir_session_create(const WeirProgram *program,
                                 WeirStatus *status) {
  return createSession(program, std::make_shared<State>(), status);
}

WeirSession *weir_session_create_shared(const WeirProgram *program,
                                        WeirSession *other,
                                        WeirStatus *status) {
  return createSession(program, other->state, status);
}

WeirSession::~WeirSession() {
  stopping.cancel("the session was destroyed");
  // A step does not touch the session any more once it has counted itself off,
  // so there is nothing that could wake this.
  while (running.load(std::memory_order_acquire) != 0)
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  for (std::atomic<PreparedEntry *> &slot : prepared)
    if (PreparedEntry *entry = slot.load(std::memory_order_acquire)) {
      entry->waitUntilIdle();
      delete entry;
    }
}

void weir_session_destroy(WeirSession *session) { delete session; }

WeirCancellation *weir_cancellation_create(void) {
  return new (std::nothrow) WeirCancellation;
}

void weir_cancellation_cancel(WeirCancellation *cancellation,
                              const char *reason) {
  cancellation->token.cancel(reason && *reason ? reason
                                               : "the caller cancelled it");
}

void weir_cancellation_destroy(WeirCancellation *cancellation) {
  delete cancellation;
}

int32_t weir_session_entry(WeirSession *session, const char *name,
                           WeirStatus *status) {
  int32_t index = -1;
  setStatus(status, findEntry(session->program, name ? name : "", index));
  return index;
}

/// Is the view what the descriptor wants, in the common case? What fails here
/// is looked at again by checkFeed, which finds the words.
static bool fastCheckFeed(const WeirTensorDesc &feed, const WeirView &view) {
  if (feed.dtype != view.dtype || feed.rank != view.rank ||
      feed.dtype == WEIR_STRING || !view.data)
    return false;
  const DTypeInfo *info = dtypeInfo(feed.dtype);
  if (reinterpret_cast<uintptr_t>(view.data) &
      static_cast<uintptr_t>(info->size - 1))
    return false;
  if (feed.rank == 0)
    return true;
  if (!view.dims)
    return false;
  int64_t bytes = info->size;
  for (int32_t i = 0; i < feed.rank; ++i) {
    int64_t extent = view.dims[i];
    if ((extent != feed.dims[i] && feed.dims[i] != -1) || extent <= 0 ||
        __builtin_mul_overflow(bytes, extent, &bytes) ||
        bytes > (int64_t(1) << 46))
      return false;
  }
  return true;
}

/// What a fetch that the code left without a value means.
static Status missingFetch(const WeirEntryDesc &entry, int32_t index) {
  return Status(WEIR_INTERNAL,
                str("[WEIR0313] entry '", entry.name,
                    "' ended without a value for fetch '",
                    entry.fetches[index].name,
                    "'; this is a fault of the compiler, please report it"));
}

Status weir::rt::runStep(WeirSession &session, int32_t index,
                         const WeirView *feeds, WeirTensor **fetches,
                         const WeirRunOptions *options) {
  const WeirEntryDesc &entry = session.program.entries[index];
  Step step(session, entry, feeds, fetches, options);
  step.track = session.tracks[static_cast<size_t>(index)];
  int32_t code = entry.fn(&step);
  if (code == WEIR_OK && step.status.ok()) {
    bool complete = true;
    for (int32_t i = 0; i < entry.fetch_count; ++i)
      complete &= fetches[i] != nullptr;
    if (complete)
      return Status();
    for (int32_t i = 0; i < entry.fetch_count; ++i)
      if (!fetches[i]) {
        step.fail(missingFetch(entry, i));
        break;
      }
  } else if (step.status.ok()) {
    step.fail(Status(static_cast<WeirCode>(code),
                     str("[WEIR0313] entry '", entry.name,
                         "' failed with code ", code, " and gave no reason")));
  }
  for (int32_t i = 0; i < entry.fetch_count; ++i)
    if (WeirTensor *tensor = std::exchange(fetches[i], nullptr))
      weir_tensor_release(tensor);
  return std::move(step.status);
}

int32_t weir_session_run(WeirSession *session, int32_t entryIndex,
                         const WeirView *feeds, WeirTensor **fetches,
                         WeirStatus *status) {
  return weir_session_run_with(session, entryIndex, feeds, fetches, nullptr,
                               status);
}

int32_t weir_session_run_with(WeirSession *session, int32_t entryIndex,
                              const WeirView *feeds, WeirTensor **fetches,
                              const WeirRunOptions *options,
                              WeirStatus *status) {
  const WeirProgram &program = session->program;
  if (entryIndex < 0 || entryIndex >= program.entry_count)
    return setStatus(
        status, Status(WEIR_NOT_FOUND,
                       str("[WEIR0303] program '", program.name,
                           "' has no entry with index ", entryIndex,
                           " (it has ", program.entry_count, " entries)")));
  const WeirEntryDesc &entry = program.entries[entryIndex];
  if ((!feeds && entry.feed_count > 0) || (!fetches && entry.fetch_count > 0))
    return setStatus(
        status, Status(WEIR_INVALID_ARGUMENT,
                       str("[WEIR0301] entry '", entry.name, "' has ",
                           entry.feed_count, " feeds and ", entry.fetch_count,
                           " fetches; the call gives no place for its ",
                           feeds ? "fetches" : "feeds")));
  for (int32_t i = 0; i < entry.fetch_count; ++i)
    fetches[i] = nullptr;
  for (int32_t i = 0; i < entry.feed_count; ++i)
    if (!fastCheckFeed(entry.feeds[i], feeds[i])) {
      Status checked = checkFeed(entry, entry.feeds[i], feeds[i]);
      if (!checked.ok())
        return setStatus(status, checked);
    }
  int64_t mark = traceBegin();
  session->running.fetch_add(1, std::memory_order_relaxed);
  Status result = runStep(*session, entryIndex, feeds, fetches, options);
  session->running.fetch_sub(1, std::memory_order_release);
  if (mark)
    traceEnd(mark, entry.name, TraceKind::Step);
  return setStatus(status, result);
}

WeirTensor *weir_session_get_variable(WeirSession *session, const char *name,
                                      WeirStatus *status) {
  int32_t index = -1;
  if (setStatus(status, session->variables.find(name ? name : "", index)))
    return nullptr;
  TensorRef copy;
  Variable &variable = session->variables.variable(index);
  setStatus(status, variable.read(session->program, copy));
  return copy.take();
}

int32_t weir_session_set_variable(WeirSession *session, const char *name,
                                  const WeirView *value, WeirStatus *status) {
  int32_t index = -1;
  if (setStatus(status, session->variables.find(name ? name : "", index)))
    return status->code;
  const WeirTensorDesc &desc = session->program.variables[index];
  if (setStatus(status,
                checkView(*value,
                          str("value for variable '", desc.name, "'").c_str())))
    return status->code;
  return setStatus(status, session->variables.variable(index).assign(*value));
}

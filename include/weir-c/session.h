//===- session.h - Running compiled programs from C ---------------*- C -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A session owns the state (variables) of one program; its entry points share
// that state. All functions are safe to call from several threads, also on one
// session; two steps meet only in the variables.
//
// Every function that can fail takes a `WeirStatus *` (never null), sets it,
// and returns its code. Free the message with weir_status_clear.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_C_SESSION_H
#define WEIR_C_SESSION_H

#include "weir-c/program.h"
#include "weir-c/types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct WeirStatus {
  int32_t code;  /* WeirCode */
  char *message; /* null when code is WEIR_OK; owned by this struct */
} WeirStatus;

#define WEIR_STATUS_INIT {0, 0}

void weir_status_clear(WeirStatus *status);

typedef struct WeirSession WeirSession;
typedef struct WeirTensor WeirTensor;

// ---- Tensors: reference-counted buffers with a type.

/// A new tensor of uninitialized (WEIR_STRING: empty) elements; null on error.
WeirTensor *weir_tensor_create(int32_t dtype, int32_t rank, const int64_t *dims,
                               WeirStatus *status);
/// Adopts `data` without a copy; `release(data, arg)` runs when the last
/// reference is gone.
WeirTensor *weir_tensor_adopt(int32_t dtype, int32_t rank, const int64_t *dims,
                              void *data, void (*release)(void *, void *),
                              void *arg, WeirStatus *status);
/// A scalar WEIR_STRING tensor holding a copy of the bytes.
WeirTensor *weir_tensor_string(const char *data, int64_t size);
void weir_tensor_retain(WeirTensor *tensor);
void weir_tensor_release(WeirTensor *tensor);
/// The tensor as a view; valid while the tensor is.
WeirView weir_tensor_view(const WeirTensor *tensor);

// ---- Sessions.

/// Checks the ABI and that this processor has the features the code needs.
/// `program` must outlive the session.
WeirSession *weir_session_create(const WeirProgram *program,
                                 WeirStatus *status);
/// Cancels the steps that still run on other threads, and returns when they
/// have ended. No call may begin with a session that is being destroyed.
void weir_session_destroy(WeirSession *session);

/// A session on another program that shares the state of `other`: a variable or
/// resource of the same name is the same one, and must be declared the same
/// (FAILED_PRECONDITION, or INVALID_ARGUMENT for a queue, states what differs).
/// Either may be destroyed first.
WeirSession *weir_session_create_shared(const WeirProgram *program,
                                        WeirSession *other, WeirStatus *status);

/// The index of an entry point, or -1 (status NOT_FOUND lists the names).
int32_t weir_session_entry(WeirSession *session, const char *name,
                           WeirStatus *status);

/// Runs one step of entry point `entry`. `feeds` has its feed_count views, in
/// order; they are only read and only during the call. On success `fetches`
/// receives fetch_count new references.
int32_t weir_session_run(WeirSession *session, int32_t entry,
                         const WeirView *feeds, WeirTensor **fetches,
                         WeirStatus *status);

// ---- Steps that wait: deadlines, cancellation, feeds that come later.

/// Cancels steps from another thread. Outlives the steps that were given it.
typedef struct WeirCancellation WeirCancellation;
WeirCancellation *weir_cancellation_create(void);
/// The steps end with WEIR_CANCELLED and `reason`. Only the first call counts.
void weir_cancellation_cancel(WeirCancellation *cancellation,
                              const char *reason);
void weir_cancellation_destroy(WeirCancellation *cancellation);

typedef struct WeirRunOptions {
  /// The step ends with WEIR_DEADLINE_EXCEEDED soon after so long; 0 is never.
  /// A straight-line step looks at it in the loops of the graph only, which are
  /// what may take for ever: one without loops runs to its end. The same holds
  /// for cancellation.
  int64_t timeout_ms;
  /// May be null.
  WeirCancellation *cancellation;
  /// Where no node of the step has run for so long, those that wait are written
  /// to the standard error output, once; 0 is never.
  int64_t stall_report_ms;
  /// Threads that run nodes, the caller's included; 0 is one for each core.
  int32_t threads;
} WeirRunOptions;

#define WEIR_RUN_OPTIONS_INIT {0, 0, 0, 0}

/// As weir_session_run; `options` may be null.
int32_t weir_session_run_with(WeirSession *session, int32_t entry,
                              const WeirView *feeds, WeirTensor **fetches,
                              const WeirRunOptions *options,
                              WeirStatus *status);

/// A partial run: one step whose feeds come, and whose fetches leave, in
/// several calls. The entry is one that the executor runs (UNIMPLEMENTED for a
/// straight line). Nodes run as soon as the feeds that they need are there.
typedef struct WeirPartialRun WeirPartialRun;
WeirPartialRun *weir_partial_run_begin(WeirSession *session, int32_t entry,
                                       const WeirRunOptions *options,
                                       WeirStatus *status);
/// Gives feed `feed` its value, once (copied).
int32_t weir_partial_run_feed(WeirPartialRun *run, int32_t feed,
                              const WeirView *value, WeirStatus *status);
/// Waits for fetch `fetch` and hands it out, once. FAILED_PRECONDITION where
/// it needs a feed that has not come.
WeirTensor *weir_partial_run_fetch(WeirPartialRun *run, int32_t fetch,
                                   WeirStatus *status);
/// Ends the step: waits for what can still run where all feeds have come, and
/// cancels the rest. Returns the step's error.
int32_t weir_partial_run_end(WeirPartialRun *run, WeirStatus *status);

/// The current value of a variable (a copy), or null: NOT_FOUND, or
/// FAILED_PRECONDITION when it was never assigned.
WeirTensor *weir_session_get_variable(WeirSession *session, const char *name,
                                      WeirStatus *status);
/// Assigns a variable; dtype and extents must match its declaration.
int32_t weir_session_set_variable(WeirSession *session, const char *name,
                                  const WeirView *value, WeirStatus *status);

// ---- Traces.

/// Starts recording events of all sessions of this process.
void weir_trace_start(void);
/// Stops and writes Chrome/Perfetto JSON to `path`.
int32_t weir_trace_stop(const char *path, WeirStatus *status);

#ifdef __cplusplus
}
#endif

#endif // WEIR_C_SESSION_H

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
void weir_session_destroy(WeirSession *session);

/// The index of an entry point, or -1 (status NOT_FOUND lists the names).
int32_t weir_session_entry(WeirSession *session, const char *name,
                           WeirStatus *status);

/// Runs one step of entry point `entry`. `feeds` has its feed_count views, in
/// order; they are only read and only during the call. On success `fetches`
/// receives fetch_count new references.
int32_t weir_session_run(WeirSession *session, int32_t entry,
                         const WeirView *feeds, WeirTensor **fetches,
                         WeirStatus *status);

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

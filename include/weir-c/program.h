//===- program.h - What a compiled program is to the runtime ------*- C -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The contract between generated code and the runtime.
//
// A compiled module exports one constant `WeirProgram` (symbol `weir_program`)
// that lists its variables, its other resources and its entry points. An entry
// point is a function of a step: the runtime has checked the feeds against the
// descriptors before it calls it (dtype, rank, static extents), and keeps the
// step alive while it runs. Generated code calls the functions below, OpenMP's
// and the C library's; no others.
//
// Two entry points may run at the same time on different steps.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_C_PROGRAM_H
#define WEIR_C_PROGRAM_H

#include "weir-c/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Changes whenever the layout of a struct or a function below changes.
#define WEIR_PROGRAM_ABI 3

typedef struct WeirStep WeirStep;

/// Runs one step. Returns WEIR_OK, or the code of the error that a `weir_rt_*`
/// call recorded in the step; then no fetch is valid.
typedef int32_t (*WeirEntryFn)(WeirStep *step);

/// Name and type of a feed, a fetch or a variable. An extent of -1 is only
/// known at run time; so is the rank where it is -1.
typedef struct WeirTensorDesc {
  const char *name;
  const int64_t *dims;
  int32_t rank;
  int32_t dtype; /* WeirDType */
} WeirTensorDesc;

/// What one device runs of an entry point that is spread over several.
typedef struct WeirPartDesc {
  /// The entry of this program that the device runs. It is not there by name.
  int32_t entry;
  /// For each feed (fetch) of that entry, the number of the whole's feed
  /// (fetch).
  const int32_t *feeds;
  const int32_t *fetches;
} WeirPartDesc;

typedef struct WeirEntryDesc {
  const char *name;
  WeirEntryFn fn;
  const WeirTensorDesc *feeds;
  const WeirTensorDesc *fetches;
  int32_t feed_count;
  int32_t fetch_count;
  /// Null for a straight line, whose function is `fn`; otherwise `fn` is
  /// weir_rt_run_dataflow, and this is its table (weir-c/dataflow.h).
  const struct WeirDataflow *dataflow;
  /// The full name of the device that runs it, or null: a CPU of this process.
  const char *device;
  /// Not null for an entry that is spread over devices: `fn` is
  /// weir_rt_run_parts then, and a step runs all parts side by side, over one
  /// rendezvous. Parts have no parts themselves.
  const WeirPartDesc *parts;
  int32_t part_count;
} WeirEntryDesc;

typedef enum WeirResourceKind {
  /// numbers: kind (0 FIFO, 1 random-shuffle, 2 padding FIFO, 3 priority),
  /// capacity, min_after_dequeue, seed, seed2. A component of rank -1 has no
  /// shape.
  WEIR_RESOURCE_QUEUE = 1,
  /// Components: those of the values.
  WEIR_RESOURCE_BARRIER = 2,
  /// Components: the one of the gradient. numbers: 0 mean, 1 sum.
  WEIR_RESOURCE_ACCUMULATOR = 3,
  /// numbers: kind (0 whole file, 1 text line, 2 fixed length, 3 TFRecord,
  /// 4 identity, 5 IDX, 6 rows of .npy), then for 1: lines to skip; for 2:
  /// header,
  /// record, footer and hop bytes; for 3: compression (0 none, 1 zlib, 2 gzip).
  WEIR_RESOURCE_READER = 4
} WeirResourceKind;

/// Declared state other than a variable, shared by all entry points. Its name
/// is unique among all resources and variables of a session.
typedef struct WeirResourceDesc {
  const char *name;
  const WeirTensorDesc *components;
  const int64_t *numbers;
  int32_t kind; /* WeirResourceKind */
  int32_t component_count;
  int32_t number_count;
} WeirResourceDesc;

typedef struct WeirProgram {
  uint32_t abi; /* WEIR_PROGRAM_ABI */
  int32_t variable_count;
  const char *name; /* of the module, for messages */
  const char
      *cpu_features; /* comma list that the code needs, e.g. "avx2,fma" */
  const WeirTensorDesc *variables;
  const WeirEntryDesc *entries;
  const WeirResourceDesc *resources;
  int32_t entry_count;
  int32_t resource_count;
  /// What makes devices other than CPUs, for those that entries name
  /// (weir-c/device.h).
  const struct WeirDeviceKind *const *device_kinds;
  int32_t device_kind_count;
} WeirProgram;

/// The first fields of a step are read by generated code directly; everything
/// behind them is private to the runtime.
struct WeirStep {
  const WeirView *feeds; /* feed_count of them */
};

// ---- Called by generated code. All of them are safe to call from the thread
// ---- that runs the step only. `node` is the user's node name with its place,
// ---- for messages. Functions that return a pointer return null on an error
// ---- that they have recorded in the step.

/// `bytes` of scratch memory, aligned to 64; never null for 0 bytes. It
/// belongs to the step: what is not freed is reclaimed when the step ends.
void *weir_rt_alloc(WeirStep *step, int64_t bytes);
void weir_rt_free(WeirStep *step, void *memory);

/// The buffer of fetch `index`, of the extents given, aligned to 64.
void *weir_rt_output(WeirStep *step, int32_t index, const int64_t *dims);

/// The buffer of variable `index` for reading: an error (FAILED_PRECONDITION)
/// that names the variable if it has never been assigned.
void *weir_rt_variable_read(WeirStep *step, int32_t index, const char *node);

/// The buffer of variable `index` for writing all of it; after
/// `weir_rt_variable_written` the variable counts as initialized.
void *weir_rt_variable_write(WeirStep *step, int32_t index);
void weir_rt_variable_written(WeirStep *step, int32_t index);

/// 1 when variable `index` has been assigned, else 0.
int32_t weir_rt_variable_initialized(WeirStep *step, int32_t index);

/// Records an error: `code` (a WeirCode) and a message made of `format`, in
/// which "{0}" and "{1}" stand for a and b. Returns `code`. The first error of
/// a step wins. A format may begin with the code of its page, "[WEIR0330] ";
/// the message is that code, the node, and the rest.
int32_t weir_rt_fail(WeirStep *step, int32_t code, const char *node,
                     const char *format, int64_t a, int64_t b);

/// Has the step been cancelled, or is its time over? Then that is recorded as
/// its error, and its code returned; otherwise WEIR_OK. Code calls it now and
/// then in loops of the graph. It costs a few nanoseconds, and where the step
/// has a deadline the reading of a clock.
int32_t weir_rt_poll(WeirStep *step);

/// Writes a checkpoint (TensorBundle V2) under the prefix `path`, committed as
/// a whole or not at all. Returns a WeirCode, recorded in the step.
int32_t weir_rt_save(WeirStep *step, const char *node, const WeirString *path,
                     int32_t count, const char *const *names,
                     const WeirView *tensors);

/// Reads the named tensors of the checkpoint `path` into the buffers given,
/// whose dtype and extents must match what is stored. No buffer is written
/// unless all tensors are found, match and pass their checksum.
int32_t weir_rt_restore(WeirStep *step, const char *node,
                        const WeirString *path, int32_t count,
                        const char *const *names, const WeirView *tensors);

/// Copies a string tensor's elements into fetch `index`.
int32_t weir_rt_output_strings(WeirStep *step, int32_t index,
                               const WeirView *strings);

/// Brackets the work of one kernel, for the trace; cheap when none is taken.
/// Returns a mark to hand to the end.
int64_t weir_rt_trace_begin(WeirStep *step);
void weir_rt_trace_end(WeirStep *step, int64_t mark, const char *kernel);

/// Conversions to bf16, under the names by which LLVM calls them where the
/// processor has no instruction for it. The result is in the low half of the
/// register in which a float is returned.
float __truncsfbf2(float value);
float __truncdfbf2(double value);

#ifdef __cplusplus
}
#endif

#endif // WEIR_C_PROGRAM_H

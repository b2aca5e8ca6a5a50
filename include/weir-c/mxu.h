/*===- mxu.h - Programs of the accelerator, checked and counted -*- C -*-===*\
|*                                                                            *|
|* Part of the Weir project, under the Apache License v2.0 with LLVM          *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef WEIR_C_MXU_H
#define WEIR_C_MXU_H

#include "weir-c/session.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What a run takes on a machine whose queues work at the same time, in cycles
/// (docs/spec/mxu.md). The cycles of the matrix unit are those in which rows go
/// into the array, and those in which none could: by what they waited for.
typedef struct WeirMxuFigures {
  int64_t cycles;
  /// One instruction after the other: all of them, and the systolic part.
  int64_t serial_cycles;
  int64_t serial_systolic_cycles;
  /// Multiplications that the weights' extents ask for.
  int64_t macs;
  int64_t matrix_cycles;
  int64_t wait_weights;    /* a tile not loaded, or not shifted in */
  int64_t wait_load;       /* a token of ld: data not in the unified buffer */
  int64_t wait_vector;     /* a token of vx */
  int64_t wait_store;      /* a token of st */
  int64_t wait_issue;      /* the dispatcher, or an earlier instruction */
  int64_t drain;           /* after the last row */
  int64_t queue_cycles[4]; /* in which ld, mx, vx, st worked */
  int64_t bytes_read;
  int64_t bytes_written;
  int64_t instructions;
  int64_t array;
} WeirMxuFigures;

/// Checks an image as a run would. `instruction`, where it is not null, becomes
/// the number of the instruction that an error is about, or -1.
int32_t weir_mxu_check(const void *image, int64_t size, int64_t *instruction,
                       WeirStatus *status);

/// The figures of a run on a batch of `rows`. The image is checked first.
int32_t weir_mxu_count(const void *image, int64_t size, int64_t rows,
                       WeirMxuFigures *figures, WeirStatus *status);

/// `figures` as a few lines of text; owned by the caller, who frees it with
/// free(). Null for want of memory.
char *weir_mxu_figures_text(const WeirMxuFigures *figures);

#ifdef __cplusplus
}
#endif

#endif /* WEIR_C_MXU_H */

//===- gpu.h - Streams, events and checks of a GPU ----------------*- C -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What host code of GPU kernels calls beside weir-c/device.h: one function for
// each op of dialects/Rt/DeviceOps.td that has to do with when work happens.
//
// A GPU has two streams, each of which does its work in order: kernels, memory
// and copies within the GPU are of WEIR_STREAM_COMPUTE; copies to the host may
// be of WEIR_STREAM_TRANSFER. Functions return at once, but for
// weir_rt_event_synchronize. Those that return int32_t return a WeirCode,
// recorded in the step.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_C_GPU_H
#define WEIR_C_GPU_H

#include "weir-c/device.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { WEIR_STREAM_COMPUTE = 0, WEIR_STREAM_TRANSFER = 1 };

/// Page-locked memory of the host, for copies that do not wait. What is not
/// given back goes with the step. Null where there is none: the step has the
/// error.
void *weir_rt_host_alloc(WeirStep *step, int64_t bytes);
void weir_rt_host_free(WeirStep *step, void *memory);

/// Copies behind the work of a stream. A source on the host stays as it is
/// until then; a target on the host has its value after a later event of the
/// stream.
int32_t weir_rt_enqueue_to_host(WeirStep *step, int32_t stream, void *host,
                                const void *device, int64_t bytes);
int32_t weir_rt_enqueue_to_device(WeirStep *step, int32_t stream, void *device,
                                  const void *host, int64_t bytes);
/// Writes `bytes` bytes (1, 2, 4 or 8) to the device, behind the work of
/// WEIR_STREAM_COMPUTE. They are read before the call returns.
int32_t weir_rt_enqueue_write(WeirStep *step, void *device, const void *value,
                              int64_t bytes);

/// The event behind all work that `stream` was given, as a number. It needs not
/// be given back.
int32_t weir_rt_event_record(WeirStep *step, int32_t stream, int64_t *event);
/// What `stream` is given from here on happens after `event`.
int32_t weir_rt_event_wait(WeirStep *step, int64_t event, int32_t stream);
/// Waits for `event`. Where a check has failed (weir_rt_check_record), the step
/// has the error of the first one.
int32_t weir_rt_event_synchronize(WeirStep *step, int64_t event);

/// Where kernels of this step note the first check that failed: three int64_t
/// in memory of the device, zero at first. The first one becomes the site of
/// the check, the others two numbers for its message. It is looked at when the
/// host waits next, at the end of the step at the latest. Null where there is
/// no room: the step has the error.
void *weir_rt_check_record(WeirStep *step);
/// The number of a site in this step, from 1 on, for a check that is launched
/// next. `code`, `node` and `format` are as for weir_rt_fail and outlive the
/// step.
int64_t weir_rt_check_site(WeirStep *step, int32_t code, const char *node,
                           const char *format);

#ifdef __cplusplus
}
#endif

#endif // WEIR_C_GPU_H

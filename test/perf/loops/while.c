//===- while.c - What an iteration of a raised loop costs, beside C -------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Linked with the shared library of while.mlir. Both loops have the same
// number of iterations, and each sample is taken of one after the other. Prints
// a JSON line for each.
//
//===----------------------------------------------------------------------===//

#include "weir-c/session.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

extern const WeirProgram weir_program;

enum { Iterations = 10000, Samples = 501 };

static double nanoseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static int fail(WeirStatus *status) {
  fprintf(stderr, "error: %s\n", status->message);
  weir_status_clear(status);
  return 1;
}

// Not inlined, so that neither the number nor the value is known.
__attribute__((noinline)) static float loop(int n, float x) {
  for (int i = 0; i < n; ++i)
    x = x * 0.999f + 1.0f;
  return x;
}

static void print(const char *system, double *times) {
  qsort(times, Samples, sizeof times[0], ascending);
  printf("{\"system\": \"%s\", \"workload\": \"while, %d iterations of scalar "
         "work\", \"threads\": 1, \"median_ns\": %.3f, \"min_ns\": %.3f}\n",
         system, Iterations, times[Samples / 2] / Iterations,
         times[0] / Iterations);
}

int main(void) {
  static double weirTimes[Samples], cTimes[Samples];
  WeirStatus status = WEIR_STATUS_INIT;
  WeirSession *session = weir_session_create(&weir_program, &status);
  if (!session)
    return fail(&status);
  int32_t entry = weir_session_entry(session, "step", &status);
  if (entry < 0)
    return fail(&status);
  volatile int32_t count = Iterations;
  int32_t n = count;
  float x = 1, result = 0, expected = 0;
  WeirView feeds[] = {{&n, NULL, 0, WEIR_I32}, {&x, NULL, 0, WEIR_F32}};
  for (int sample = -20; sample < Samples; ++sample) {
    double begin = nanoseconds();
    WeirTensor *fetch;
    if (weir_session_run(session, entry, feeds, &fetch, &status) != WEIR_OK)
      return fail(&status);
    double between = nanoseconds();
    expected = loop(count, x);
    double end = nanoseconds();
    result = *(const float *)weir_tensor_view(fetch).data;
    weir_tensor_release(fetch);
    if (sample >= 0) {
      weirTimes[sample] = between - begin;
      cTimes[sample] = end - between;
    }
  }
  weir_session_destroy(session);
  if (!(fabsf(result - expected) <= 1e-5f * fabsf(expected))) {
    fprintf(stderr, "error: the step gave %g, not %g\n", (double)result,
            (double)expected);
    return 1;
  }
  print("weir", weirTimes);
  print("c", cTimes);
  return 0;
}

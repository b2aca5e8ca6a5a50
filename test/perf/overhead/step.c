//===- step.c - What a step costs from C ----------------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Linked with the shared library of a program whose entry "step" takes 1 as x
// and gives y. Its arguments: the name of the workload, and y. Prints one JSON
// line, as the peers do.
//
//===----------------------------------------------------------------------===//

#include "weir-c/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

extern const WeirProgram weir_program;

enum { Batch = 1000, Samples = 2001 };

static double microseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e6 + (double)now.tv_nsec * 1e-3;
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

int main(int argc, char **argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: %s WORKLOAD RESULT\n", argv[0]);
    return 2;
  }
  const float expected = strtof(argv[2], NULL);
  static double times[Samples];
  WeirStatus status = WEIR_STATUS_INIT;
  WeirSession *session = weir_session_create(&weir_program, &status);
  if (!session)
    return fail(&status);
  int32_t entry = weir_session_entry(session, "step", &status);
  if (entry < 0)
    return fail(&status);
  float value = 1;
  WeirView feed = {&value, NULL, 0, WEIR_F32};
  float result = 0;
  for (int sample = -100; sample < Samples; ++sample) {
    double begin = microseconds();
    for (int i = 0; i < Batch; ++i) {
      WeirTensor *fetch;
      if (weir_session_run(session, entry, &feed, &fetch, &status) != WEIR_OK)
        return fail(&status);
      result = *(const float *)weir_tensor_view(fetch).data;
      weir_tensor_release(fetch);
    }
    if (sample >= 0)
      times[sample] = (microseconds() - begin) / Batch;
  }
  weir_session_destroy(session);
  if (result != expected) {
    fprintf(stderr, "error: the step gave %g, not %g\n", (double)result,
            (double)expected);
    return 1;
  }
  qsort(times, Samples, sizeof times[0], ascending);
  printf("{\"system\": \"weir\", \"workload\": \"%s, from C\", "
         "\"threads\": 1, \"median_us\": %.3f, \"min_us\": %.3f}\n",
         argv[1], times[Samples / 2], times[0]);
  return 0;
}

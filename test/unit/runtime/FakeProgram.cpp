//===- FakeProgram.cpp - A program as the compiler would make it ----------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/runtime/FakeProgram.h"

#include <cmath>
#include <cstring>

using namespace weir::rt::test;

// null(x) -> y: one scalar in, one scalar out.
static int32_t runNull(WeirStep *step) {
  float *y = static_cast<float *>(weir_rt_output(step, 0, nullptr));
  if (!y)
    return WEIR_RESOURCE_EXHAUSTED;
  *y = *static_cast<const float *>(step->feeds[0].data);
  return WEIR_OK;
}

// init(): w = [0, 1, 2, 3], n = 0.
static int32_t runInit(WeirStep *step) {
  float *w = static_cast<float *>(weir_rt_variable_write(step, 0));
  int64_t *n = static_cast<int64_t *>(weir_rt_variable_write(step, 1));
  if (!w || !n)
    return WEIR_RESOURCE_EXHAUSTED;
  for (int i = 0; i < 4; ++i)
    w[i] = static_cast<float>(i);
  *n = 0;
  weir_rt_variable_written(step, 0);
  weir_rt_variable_written(step, 1);
  return WEIR_OK;
}

// train(x: ?x4, y: ?) -> loss: w -= 0.1 * mean(x), through scratch memory; the
// loss is the sum of w, or NaN when x holds one.
static int32_t runTrain(WeirStep *step) {
  int64_t mark = weir_rt_trace_begin(step);
  const WeirView &x = step->feeds[0], &y = step->feeds[1];
  if (x.dims[0] != y.dims[0])
    return weir_rt_fail(step, WEIR_INVALID_ARGUMENT, "train/batch",
                        "x has {0} rows, y has {1}", x.dims[0], y.dims[0]);
  float *w =
      static_cast<float *>(weir_rt_variable_read(step, 0, "train/read_w"));
  if (!w)
    return WEIR_FAILED_PRECONDITION;
  float *mean = static_cast<float *>(weir_rt_alloc(step, 4 * sizeof(float)));
  if (!mean)
    return WEIR_RESOURCE_EXHAUSTED;
  const float *data = static_cast<const float *>(x.data);
  for (int c = 0; c < 4; ++c) {
    mean[c] = 0;
    for (int64_t r = 0; r < x.dims[0]; ++r)
      mean[c] += data[r * 4 + c] / static_cast<float>(x.dims[0]);
  }
  float *out = static_cast<float *>(weir_rt_variable_write(step, 0));
  float loss = 0;
  for (int c = 0; c < 4; ++c)
    loss += out[c] = w[c] - 0.1f * mean[c];
  weir_rt_variable_written(step, 0);
  weir_rt_free(step, mean);
  float *result = static_cast<float *>(weir_rt_output(step, 0, nullptr));
  if (!result)
    return WEIR_RESOURCE_EXHAUSTED;
  *result = loss;
  weir_rt_trace_end(step, mark, "train \"fused\"");
  return WEIR_OK;
}

// eval(x: ?x4, y: ?) -> accuracy: the share of labels that equal row index % 2.
static int32_t runEval(WeirStep *step) {
  const WeirView &y = step->feeds[1];
  const int32_t *labels = static_cast<const int32_t *>(y.data);
  float right = 0;
  for (int64_t i = 0; i < y.dims[0]; ++i)
    right += labels[i] == i % 2;
  float *out = static_cast<float *>(weir_rt_output(step, 0, nullptr));
  if (!out)
    return WEIR_RESOURCE_EXHAUSTED;
  *out = right / static_cast<float>(y.dims[0]);
  return WEIR_OK;
}

// predict(x: ?x4) -> class: ?xi64, the row index % 2.
static int32_t runPredict(WeirStep *step) {
  int64_t dims[] = {step->feeds[0].dims[0]};
  int64_t *out = static_cast<int64_t *>(weir_rt_output(step, 0, dims));
  if (!out)
    return WEIR_RESOURCE_EXHAUSTED;
  for (int64_t i = 0; i < dims[0]; ++i)
    out[i] = i % 2;
  return WEIR_OK;
}

static const char *const kNames[] = {"w", "n"};
static const int64_t kWDims[] = {4};

// save(path), restore(path).
static int32_t runSave(WeirStep *step) {
  WeirView views[] = {
      {weir_rt_variable_read(step, 0, "save"), kWDims, 1, WEIR_F32},
      {weir_rt_variable_read(step, 1, "save"), nullptr, 0, WEIR_I64}};
  if (!views[0].data || !views[1].data)
    return WEIR_FAILED_PRECONDITION;
  return weir_rt_save(step, "save",
                      static_cast<const WeirString *>(step->feeds[0].data), 2,
                      kNames, views);
}

static int32_t runRestore(WeirStep *step) {
  WeirView views[] = {{weir_rt_variable_write(step, 0), kWDims, 1, WEIR_F32},
                      {weir_rt_variable_write(step, 1), nullptr, 0, WEIR_I64}};
  int32_t code = weir_rt_restore(
      step, "restore", static_cast<const WeirString *>(step->feeds[0].data), 2,
      kNames, views);
  if (code == WEIR_OK) {
    weir_rt_variable_written(step, 0);
    weir_rt_variable_written(step, 1);
  }
  return code;
}

// echo(s: ? strings) -> t: the same.
static int32_t runEcho(WeirStep *step) {
  return weir_rt_output_strings(step, 0, &step->feeds[0]);
}

// leak(bytes) -> ok: allocates that much three times and frees nothing.
static int32_t runLeak(WeirStep *step) {
  int64_t bytes = *static_cast<const int64_t *>(step->feeds[0].data);
  for (int i = 0; i < 3; ++i)
    if (!weir_rt_alloc(step, bytes))
      return WEIR_RESOURCE_EXHAUSTED;
  *static_cast<float *>(weir_rt_output(step, 0, nullptr)) = 1;
  return WEIR_OK;
}

// broken(extent) -> bad: makes a fetch of an extent that is not the declared
// 4, or no fetch at all for a negative one.
static int32_t runBroken(WeirStep *step) {
  int64_t extent = *static_cast<const int64_t *>(step->feeds[0].data);
  if (extent == -1)
    return WEIR_OK;
  if (extent == -2)
    return WEIR_ABORTED;
  return weir_rt_output(step, 0, &extent) ? WEIR_OK : WEIR_INTERNAL;
}

// spin(): a loop that nothing but the step's end ends.
std::atomic<int> weir::rt::test::spinsBegun{0};
static int32_t runSpin(WeirStep *step) {
  ++spinsBegun;
  for (;;)
    if (int32_t code = weir_rt_poll(step))
      return code;
}

static const int64_t kRows4[] = {-1, 4};
static const int64_t kRows[] = {-1};

static const WeirTensorDesc kVariables[] = {{"w", kWDims, 1, WEIR_F32},
                                            {"n", nullptr, 0, WEIR_I64}};
static const WeirTensorDesc kScalarX[] = {{"x", nullptr, 0, WEIR_F32}};
static const WeirTensorDesc kScalarY[] = {{"y", nullptr, 0, WEIR_F32}};
static const WeirTensorDesc kBatch[] = {{"x", kRows4, 2, WEIR_F32},
                                        {"y", kRows, 1, WEIR_I32}};
static const WeirTensorDesc kLoss[] = {{"loss", nullptr, 0, WEIR_F32}};
static const WeirTensorDesc kAccuracy[] = {{"accuracy", nullptr, 0, WEIR_F32}};
static const WeirTensorDesc kClass[] = {{"class", kRows, 1, WEIR_I64}};
static const WeirTensorDesc kPath[] = {{"path", nullptr, 0, WEIR_STRING}};
static const WeirTensorDesc kStrings[] = {{"s", kRows, 1, WEIR_STRING}};
static const WeirTensorDesc kStringsOut[] = {{"t", kRows, 1, WEIR_STRING}};
static const WeirTensorDesc kBytes[] = {{"bytes", nullptr, 0, WEIR_I64}};
static const WeirTensorDesc kOk[] = {{"ok", nullptr, 0, WEIR_F32}};
static const WeirTensorDesc kBad[] = {{"bad", kWDims, 1, WEIR_F32}};

static const WeirEntryDesc kEntries[] = {
    {"null", runNull, kScalarX, kScalarY, 1, 1, nullptr, nullptr, nullptr, 0},
    {"init", runInit, nullptr, nullptr, 0, 0, nullptr, nullptr, nullptr, 0},
    {"train", runTrain, kBatch, kLoss, 2, 1, nullptr, nullptr, nullptr, 0},
    {"eval", runEval, kBatch, kAccuracy, 2, 1, nullptr, nullptr, nullptr, 0},
    {"predict", runPredict, kBatch, kClass, 1, 1, nullptr, nullptr, nullptr, 0},
    {"save", runSave, kPath, nullptr, 1, 0, nullptr, nullptr, nullptr, 0},
    {"restore", runRestore, kPath, nullptr, 1, 0, nullptr, nullptr, nullptr, 0},
    {"echo", runEcho, kStrings, kStringsOut, 1, 1, nullptr, nullptr, nullptr,
     0},
    {"leak", runLeak, kBytes, kOk, 1, 1, nullptr, nullptr, nullptr, 0},
    {"spin", runSpin, nullptr, nullptr, 0, 0, nullptr, nullptr, nullptr, 0},
    {"broken", runBroken, kBytes, kBad, 1, 1, nullptr, nullptr, nullptr, 0},
};

const WeirProgram weir::rt::test::fakeProgram = {
    WEIR_PROGRAM_ABI,
    2,
    "fake",
    "sse2",
    kVariables,
    kEntries,
    nullptr,
    sizeof(kEntries) / sizeof(kEntries[0]),
    0,
    nullptr,
    0,
};

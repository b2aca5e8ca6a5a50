//===- FakeCuda.h - A driver of GPUs that are not there ---------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A library of the driver's name, with those of its functions that Weir calls,
// for tests of what Weir does with them. It is as lazy as the driver may be:
// work that a stream was given is done when somebody waits for it, and not
// before; each piece takes a millisecond. Memory of the device is known, and so
// are accesses outside of it. All of it is safe to use from several threads.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_TEST_UNIT_RUNTIME_DEVICE_GPU_FAKE_CUDA_FAKECUDA_H
#define WEIR_TEST_UNIT_RUNTIME_DEVICE_GPU_FAKE_CUDA_FAKECUDA_H

#include <cstdint>

// Codes of the driver.
constexpr int fakeInvalidValue = 1, fakeOutOfMemory = 2, fakeNoDevice = 100,
              fakeInvalidImage = 200, fakeInvalidContext = 201,
              fakeNotFound = 500, fakeNotReady = 600, fakeIllegalAddress = 700;

extern "C" {

/// The next call of `function` ("cuMemAllocAsync") returns `result` and does
/// nothing else.
void fakeCudaFail(const char *function, int result);
/// Since the last fakeCudaReset.
int64_t fakeCudaCalls(const char *function);
/// Pieces of work that streams were given and have not done.
int64_t fakeCudaOpenWork();
/// Bytes of the device that are in use.
int64_t fakeCudaUsedBytes();
/// As nothing had been called and nothing had failed; memory and modules stay.
void fakeCudaReset();

/// Compute capability times ten, 80 at first, for devices that are made later.
void fakeCudaSetArchitecture(int architecture);
}

// A module is text: the names of its kernels with spaces between them, after
// "fake " for a cubin, after ".version 8.0 " for PTX. Kernels are, with a grid
// and block that do not matter:
//   twice(int32_t *data, int64_t count)    data[i] = 2 * data[i] + i
//   increment(float *to, const float *from)
//   check(int64_t *record, int64_t site, const float *value)
//       notes `site` with 10 and 20 where value is negative, if it is the first
//   guarded(const int64_t *record, float *to, const float *from)
//       increment, unless the record has a site
//   fault()                                an access outside of all memory

#endif // WEIR_TEST_UNIT_RUNTIME_DEVICE_GPU_FAKE_CUDA_FAKECUDA_H

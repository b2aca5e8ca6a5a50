//===- device.h - Devices other than the CPU ----------------------*- C -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What compiled code asks of a GPU and of the accelerator. A program that runs
// on such a device refers to its kind (`weir_device_kind_gpu`, ..._mxu), and so
// is linked with the library that has it; others carry nothing of it.
//
// An entry whose descriptor names a device has its memory there: feeds, fetches
// and what `weir_rt_alloc` and `weir_rt_output` give it are memory of that
// device. Host code of such an entry does not touch it; it copies.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_C_DEVICE_H
#define WEIR_C_DEVICE_H

#include "weir-c/program.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Opaque; runtime/device/Device.h has it.
typedef struct WeirDeviceKind WeirDeviceKind;
extern const WeirDeviceKind weir_device_kind_gpu;
extern const WeirDeviceKind weir_device_kind_mxu;

/// Says how the devices of this process are made, before a session is:
/// "GPU=emulate" (kernels run on the CPU), "GPU=cuda", "MXU=128x128" (the size
/// of the array), several with commas between them. Not for devices that exist
/// already (FAILED_PRECONDITION).
int32_t weir_devices_configure(const char *text, struct WeirStatus *status);

// ---- Called by generated code, as in weir-c/program.h.

/// Copies between memory of the step's device and of the host, in the order of
/// the device's work, and waits. Returns a WeirCode, recorded in the step.
int32_t weir_rt_copy_to_host(WeirStep *step, void *host, const void *device,
                             int64_t bytes);
int32_t weir_rt_copy_to_device(WeirStep *step, void *device, const void *host,
                               int64_t bytes);

// ---- GPU.

/// One block of a launch on the emulated GPU: where it is, and its shared
/// memory.
typedef struct WeirGpuBlock {
  int64_t grid[3];
  int64_t block[3]; /* extents of a block, in threads */
  int64_t index[3]; /* of this block */
  void *shared;     /* shared_bytes of the launch, aligned to 128 */
} WeirGpuBlock;

/// Runs all threads of a block. `arguments` as cuLaunchKernel takes them.
typedef void (*WeirGpuEmulatedFn)(const WeirGpuBlock *block,
                                  void *const *arguments);

typedef struct WeirGpuKernelDesc {
  const char *name; /* of the function in the images */
  /// Null where the program was compiled without emulation.
  WeirGpuEmulatedFn emulated;
} WeirGpuKernelDesc;

/// Code for one architecture: compute capability times ten, e.g. 80, 90, 100.
typedef struct WeirGpuImage {
  int32_t architecture;
  /// 1 for code that runs on this architecture only (sm_90a), 0 for code that
  /// later ones of the same generation run too.
  int32_t is_specific;
  const void *data; /* a cubin */
  int64_t size;
} WeirGpuImage;

typedef struct WeirGpuModule {
  const char *name;
  const WeirGpuImage *images;
  const char *ptx; /* for newer architectures, ends with 0; may be null */
  const WeirGpuKernelDesc *kernels;
  int32_t image_count;
  int32_t kernel_count;
} WeirGpuModule;

/// Starts kernel `kernel` of `module` behind the work that the step has given
/// the device so far. `arguments` has a pointer to each argument's value; they
/// are read before the call returns. Returns a WeirCode, recorded in the step.
int32_t weir_rt_gpu_launch(WeirStep *step, const WeirGpuModule *module,
                           int32_t kernel, const int64_t grid[3],
                           const int64_t block[3], int64_t shared_bytes,
                           void *const *arguments, const char *node);

// ---- Accelerator.

/// Runs a program of the accelerator (docs/spec/mxu.md) on `inputs`, into
/// `outputs`; both are memory of the device. The image is checked before
/// anything of it runs. Returns a WeirCode, recorded in the step.
int32_t weir_rt_mxu_run(WeirStep *step, const char *node, const void *image,
                        int64_t size, int32_t input_count,
                        const WeirView *inputs, int32_t output_count,
                        const WeirView *outputs);

#ifdef __cplusplus
}
#endif

#endif // WEIR_C_DEVICE_H

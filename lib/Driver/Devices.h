//===- Devices.h - The devices that a module is compiled for ----*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_DRIVER_DEVICES_H
#define WEIR_LIB_DRIVER_DEVICES_H

#include "lib/Driver/Driver.h"

namespace weir {

/// Writes into the module which devices there are, and how code is made for
/// them, in so far as `options` says so. Errors are those of names.
bool setDevices(mlir::ModuleOp module, const CompileOptions &options,
                Messages &messages);

/// An error where `options` wants an accelerator of a size that there is not.
bool checkAccelerator(const CompileOptions &options, Messages &messages);

/// The name of the device that a scope asks for inside of another: `outer`, or
/// "", with the parts that `inner` has. False where `inner` is no name.
bool mergeDevices(const std::string &outer, const std::string &inner,
                  std::string &result, Messages &messages);

/// How programs that are compiled so want a process to make its devices, as
/// weir_devices_configure and weir-worker take it; "" for nothing to say.
std::string deviceConfiguration(const CompileOptions &options);

/// Says how this process makes its devices, as `options` wants programs to be
/// run. Where devices exist already in another way, that is an error.
bool configureDevices(const CompileOptions &options, Messages &messages);

} // namespace weir

#endif // WEIR_LIB_DRIVER_DEVICES_H

//===- Devices.h - The devices that Python compiles for ---------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_PYTHON_DEVICES_H
#define WEIR_PYTHON_DEVICES_H

#include "lib/Driver/Driver.h"
#include "nanobind/nanobind.h"

namespace weir::python {

/// Options that say which devices there are, as weir.set_devices left them; all
/// else is the default. Needs the interpreter's lock.
CompileOptions deviceOptions();

void bindDevices(nanobind::module_ &module);

} // namespace weir::python

#endif // WEIR_PYTHON_DEVICES_H

//===- Devices.cpp - The devices that Python compiles for -----------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "python_bindings/src/Devices.h"

#include "lib/Driver/Devices.h"
#include "mlir/IR/BuiltinOps.h"
#include "python_bindings/src/Errors.h"

#include "nanobind/stl/string.h"
#include "nanobind/stl/vector.h"

namespace nb = nanobind;

namespace weir::python {

static CompileOptions &current() {
  static CompileOptions options;
  return options;
}

CompileOptions deviceOptions() { return current(); }

static std::string merge(const std::string &outer, const std::string &inner) {
  Messages messages;
  std::string result;
  if (!mergeDevices(outer, inner, result, messages))
    raise(messages);
  return result;
}

static void setDevices(const std::vector<std::string> &devices, bool emulateGpu,
                       bool softPlacement, const std::string &mxu, bool tf32) {
  CompileOptions options;
  options.devices = devices;
  options.emulateGpu = emulateGpu;
  options.softPlacement = softPlacement;
  options.mxu = mxu;
  options.gpuTf32 = tf32;
  Messages messages;
  auto program = Program::create("devices");
  if (!weir::setDevices(program->module(), options, messages) ||
      !configureDevices(options, messages))
    raise(messages);
  current() = options;
}

void bindDevices(nb::module_ &module) {
  module.def("merge_devices", &merge);
  module.def("set_devices",
             [](const std::vector<std::string> &devices, bool emulateGpu,
                bool softPlacement, const std::string &mxu, bool tf32) {
               setDevices(devices, emulateGpu, softPlacement, mxu, tf32);
             });
}

} // namespace weir::python

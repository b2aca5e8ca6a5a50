//===- Devices.cpp - The devices that Python compiles for -----------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "python_bindings/src/Devices.h"

#include "lib/Analysis/DeviceName.h"
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

static DeviceName parse(const std::string &text) {
  std::string why;
  auto name = DeviceName::parse(text, &why);
  if (!name)
    raise("[WEIR0106] '" + text + "' is no name of a device: " + why +
          "; a name looks like /job:worker/replica:0/task:1/device:CPU:0 and "
          "may leave parts out");
  return *name;
}

/// The outer name, with the parts that the inner one has.
static std::string merge(const std::string &outer, const std::string &inner) {
  DeviceName result, over = parse(inner);
  if (!outer.empty())
    result = parse(outer);
  auto take = [](auto &part, const auto &from) {
    if (from)
      part = from;
  };
  take(result.job, over.job);
  take(result.replica, over.replica);
  take(result.task, over.task);
  take(result.type, over.type);
  take(result.id, over.id);
  return result.text();
}

static void setDevices(const std::vector<std::string> &devices, bool emulateGpu,
                       bool softPlacement, const std::string &mxu) {
  CompileOptions options;
  options.devices = devices;
  options.emulateGpu = emulateGpu;
  options.softPlacement = softPlacement;
  options.mxu = mxu;
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
                bool softPlacement, const std::string &mxu) {
               setDevices(devices, emulateGpu, softPlacement, mxu);
             });
}

} // namespace weir::python

//===- Tasks.cpp - Devices and the tasks they are of ----------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Partition/Tasks.h"

#include "dialects/Rt/Rt.h"
#include "lib/Analysis/DeviceName.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

namespace weir {

bool hasHostMemory(StringAttr device) {
  auto name = DeviceName::parse(device.getValue());
  return name && name->type == "CPU";
}

StringAttr hostOf(StringAttr device) {
  auto name = DeviceName::parse(device.getValue());
  if (!name)
    return device;
  name->type = "CPU";
  name->id = 0;
  return StringAttr::get(device.getContext(), name->text());
}

StringAttr homeOf(ModuleOp module) {
  auto list = module->getAttrOfType<ArrayAttr>(rt::devicesAttrName);
  if (list && !list.empty())
    if (auto first = dyn_cast<StringAttr>(list[0]))
      return hostOf(first);
  return StringAttr::get(module.getContext(),
                         "/job:localhost/replica:0/task:0/device:CPU:0");
}

bool hasSeveralTasks(ModuleOp module) {
  auto list = module->getAttrOfType<ArrayAttr>(rt::devicesAttrName);
  if (!list)
    return false;
  StringAttr home = homeOf(module);
  return llvm::any_of(list, [&](Attribute device) {
    auto name = dyn_cast<StringAttr>(device);
    return name && hostOf(name) != home;
  });
}

} // namespace weir

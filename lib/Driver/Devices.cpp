//===- Devices.cpp - The devices that a module is compiled for ------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Driver/Devices.h"

#include "dialects/Rt/Rt.h"
#include "lib/Analysis/DeviceName.h"
#include "lib/Target/GpuTarget.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "runtime/base/Format.h"
#include "weir-c/device.h"
#include "weir-c/session.h"
#include "weir/MxuIsa.h"

using namespace weir;

/// "GPU:0" is that of this process.
static std::optional<DeviceName> parseDevice(llvm::StringRef text,
                                             std::string &why) {
  std::string whole =
      text.starts_with("/") ? text.str() : "/device:" + text.str();
  auto name = DeviceName::parse(whole, &why);
  if (!name)
    return std::nullopt;
  if (!name->type) {
    why = "it names no type of device, such as CPU";
    return std::nullopt;
  }
  if (!name->job)
    name->job = "localhost";
  for (std::optional<int64_t> *number :
       {&name->replica, &name->task, &name->id})
    if (!*number)
      *number = 0;
  return name;
}

bool weir::checkAccelerator(const CompileOptions &options, Messages &messages) {
  if (options.mxu.empty())
    return true;
  std::string sizes;
  for (const mxu::Machine &machine : mxu::machines) {
    std::string size = rt::str(machine.array, "x", machine.array);
    if (options.mxu == size)
      return true;
    sizes += (sizes.empty() ? "" : ", ") + size;
  }
  return messages.error(rt::str("[WEIR0163] --mxu: there is no accelerator '",
                                options.mxu, "'; there are ", sizes));
}

bool weir::setDevices(mlir::ModuleOp module, const CompileOptions &options,
                      Messages &messages) {
  mlir::Builder builder(module.getContext());
  llvm::SmallVector<mlir::Attribute> names;
  for (const std::string &text : options.devices) {
    std::string why;
    auto name = parseDevice(text, why);
    if (!name)
      return messages.error(rt::str(
          "[WEIR0106] --devices: '", text, "' is no name of a device: ", why,
          "; it is written CPU:0, GPU:0, or in full as "
          "/job:worker/replica:0/task:1/device:CPU:0"));
    if (!isDeviceType(*name->type))
      return messages.error(rt::str(
          "[WEIR0106] --devices: '", text, "': there is no kind of device '",
          *name->type, "'; there are CPU, GPU and MXU"));
    names.push_back(builder.getStringAttr(name->text()));
  }
  if (!names.empty())
    module->setAttr(rt::devicesAttrName, builder.getArrayAttr(names));
  if (options.softPlacement)
    module->setAttr(rt::softPlacementAttrName, builder.getUnitAttr());
  if (options.emulateGpu || options.gpuTf32 ||
      !options.gpuArchitectures.empty()) {
    mlir::FailureOr<GpuTarget> target = GpuTarget::fromModule(module);
    if (failed(target))
      return false;
    target->emulate |= options.emulateGpu;
    target->tf32 |= options.gpuTf32;
    // Emulation needs no code for GPUs, which takes time to make.
    if (!options.gpuArchitectures.empty() || options.emulateGpu) {
      target->architectures.clear();
      for (int32_t architecture : options.gpuArchitectures) {
        if (architecture < 80)
          return messages.error(rt::str(
              "[WEIR0155] --gpu-architectures: ", architecture,
              " is no architecture that code is made for; write compute "
              "capabilities times ten from 80 on, as 80,90,100"));
        if (!llvm::is_contained(target->architectures, architecture))
          target->architectures.push_back(architecture);
      }
    }
    module->setAttr(GpuTarget::attributeName,
                    target->toAttribute(module.getContext()));
  }
  if (!checkAccelerator(options, messages))
    return false;
  if (!options.mxu.empty())
    module->setAttr(rt::mxuAttrName, builder.getStringAttr(options.mxu));
  return true;
}

bool weir::mergeDevices(const std::string &outer, const std::string &inner,
                        std::string &result, Messages &messages) {
  std::string why;
  auto over = DeviceName::parse(inner, &why);
  if (!over)
    return messages.error(
        rt::str("[WEIR0106] '", inner, "' is no name of a device: ", why,
                "; a name looks like /job:worker/replica:0/task:1/device:CPU:0 "
                "and may leave parts out"));
  DeviceName merged;
  if (!outer.empty())
    merged = DeviceName::parse(outer).value_or(DeviceName());
  auto take = [](auto &part, const auto &from) {
    if (from)
      part = from;
  };
  take(merged.job, over->job);
  take(merged.replica, over->replica);
  take(merged.task, over->task);
  take(merged.type, over->type);
  take(merged.id, over->id);
  result = merged.text();
  return true;
}

std::string weir::deviceConfiguration(const CompileOptions &options) {
  std::string text;
  if (options.emulateGpu)
    text = "GPU=emulate";
  if (!options.mxu.empty())
    text += (text.empty() ? "MXU=" : ",MXU=") + options.mxu;
  return text;
}

bool weir::configureDevices(const CompileOptions &options, Messages &messages) {
  std::string text = deviceConfiguration(options);
  if (text.empty())
    return true;
  WeirStatus status = WEIR_STATUS_INIT;
  if (weir_devices_configure(text.c_str(), &status) == WEIR_OK)
    return true;
  messages.error(status.message ? status.message : "");
  weir_status_clear(&status);
  return false;
}

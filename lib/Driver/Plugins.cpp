//===- Plugins.cpp - Dialects and passes from elsewhere -------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Driver/ProgramImpl.h"
#include "lib/Pipeline/Register.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

using namespace weir;

mlir::DialectRegistry &weir::driverRegistry() {
  static mlir::DialectRegistry registry = [] {
    mlir::DialectRegistry result;
    registerAllDialects(result);
    return result;
  }();
  return registry;
}

static bool cannotLoad(const std::string &path, llvm::Error error,
                       Messages &messages) {
  return messages.error("[WEIR0213] cannot load the plugin '" + path +
                        "': " + llvm::toString(std::move(error)));
}

bool weir::loadPassPlugin(const std::string &path, Messages &messages) {
  llvm::Expected<mlir::PassPlugin> plugin = mlir::PassPlugin::load(path);
  if (!plugin)
    return cannotLoad(path, plugin.takeError(), messages);
  plugin->registerPassRegistryCallbacks();
  return true;
}

bool weir::loadDialectPlugin(const std::string &path, Messages &messages) {
  llvm::Expected<mlir::DialectPlugin> plugin = mlir::DialectPlugin::load(path);
  if (!plugin)
    return cannotLoad(path, plugin.takeError(), messages);
  plugin->registerDialectRegistryCallbacks(driverRegistry());
  return true;
}

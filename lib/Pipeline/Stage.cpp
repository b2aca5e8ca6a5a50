//===- Stage.cpp - Is a module what a phase starts from? ------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Pipeline/Stage.h"

#include "dialects/Weir/Weir.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMTypes.h"
#include "mlir/IR/BuiltinOps.h"

using namespace weir;

static const char kEntry[] = "rt.entry";

static bool isTensorList(mlir::Attribute list) {
  auto array = llvm::dyn_cast_or_null<mlir::ArrayAttr>(list);
  return array && llvm::all_of(array, [](mlir::Attribute item) {
           auto row = llvm::dyn_cast<mlir::DictionaryAttr>(item);
           auto type =
               row ? row.getAs<mlir::TypeAttr>("type") : mlir::TypeAttr();
           return type && row.getAs<mlir::StringAttr>("name") &&
                  llvm::isa<mlir::RankedTensorType>(type.getValue());
         });
}

/// An entry point as the schedule phase leaves it.
static bool isScheduled(mlir::func::FuncOp function) {
  auto entry = function->getAttrOfType<mlir::DictionaryAttr>(kEntry);
  mlir::FunctionType type = function.getFunctionType();
  return entry && isTensorList(entry.get("feeds")) &&
         isTensorList(entry.get("fetches")) && type.getNumInputs() == 1 &&
         llvm::isa<mlir::LLVM::LLVMPointerType>(type.getInput(0)) &&
         type.getNumResults() == 1 && type.getResult(0).isInteger(32) &&
         !function.isExternal();
}

static bool checkGraphs(mlir::ModuleOp module, Messages &messages) {
  for (auto function : module.getOps<mlir::func::FuncOp>()) {
    if (function->hasAttr(kEntry))
      function.emitError() << "[WEIR0218] '" << function.getSymName()
                           << "' is scheduled already; start with the phase "
                              "after the one that made this module (--from)";
    else
      function.emitError()
          << "[WEIR0218] '" << function.getSymName()
          << "' is a func.func; only a weir.graph can be compiled";
    return false;
  }
  return !module.getOps<GraphOp>().empty() ||
         messages.error("[WEIR0204] the module has no weir.graph");
}

static bool checkScheduled(mlir::ModuleOp module) {
  for (auto graph : module.getOps<GraphOp>()) {
    graph.emitError() << "[WEIR0218] '" << graph.getSymName()
                      << "' is a graph, which has to be scheduled first; start "
                         "with an earlier phase (--from)";
    return false;
  }
  for (auto function : module.getOps<mlir::func::FuncOp>()) {
    if (isScheduled(function))
      continue;
    function.emitError()
        << "[WEIR0218] '" << function.getSymName()
        << "' is no function of the schedule phase: (!llvm.ptr) -> i32 with "
        << kEntry << " = {feeds = [{name, type}, ...], fetches = [...]}";
    return false;
  }
  return true;
}

bool weir::checkStage(mlir::ModuleOp module, Phase first, Messages &messages) {
  return first <= Phase::Schedule ? checkGraphs(module, messages)
                                  : checkScheduled(module);
}

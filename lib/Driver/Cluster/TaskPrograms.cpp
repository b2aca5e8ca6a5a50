//===- TaskPrograms.cpp - A program for each task of a cluster ------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Driver/Cluster/TaskPrograms.h"

#include "dialects/Rt/Rt.h"
#include "dialects/Weir/Weir.h"
#include "lib/Analysis/Kernels.h"
#include "lib/Driver/Linker.h"
#include "lib/Driver/ProgramImpl.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace weir;

/// True for a device of the task `prefix`.
static bool isOf(StringAttr device, llvm::StringRef prefix) {
  return device && device.getValue().starts_with((prefix + "/").str());
}

/// Leaves of an entry point what one task has of it; drops it where that is
/// nothing.
static void keepParts(rt::SpreadOp spread, llvm::StringRef task,
                      SymbolTable &symbols) {
  Builder builder(spread.getContext());
  llvm::SmallVector<Attribute> parts, feeds, fetches;
  // The numbers that the whole's feeds and fetches have in what is left.
  llvm::DenseMap<int32_t, int32_t> feedNumbers, fetchNumbers;
  auto renumber = [&](DenseI32ArrayAttr list,
                      llvm::DenseMap<int32_t, int32_t> &numbers,
                      ArrayAttr whole, llvm::SmallVectorImpl<Attribute> &kept) {
    llvm::SmallVector<int32_t> result;
    for (int32_t i : list.asArrayRef()) {
      auto [at, isNew] = numbers.try_emplace(i, kept.size());
      if (isNew)
        kept.push_back(whole[i]);
      result.push_back(at->second);
    }
    return builder.getDenseI32ArrayAttr(result);
  };
  for (auto part : spread.getParts().getAsRange<DictionaryAttr>()) {
    auto name = part.getAs<FlatSymbolRefAttr>("graph");
    Operation *graph = symbols.lookup(name.getValue());
    // What is missing altogether is an error of the code generation.
    if (graph &&
        !isOf(graph->getAttrOfType<StringAttr>(rt::deviceAttrName), task)) {
      symbols.erase(graph);
      continue;
    }
    parts.push_back(builder.getDictionaryAttr(
        {builder.getNamedAttr("graph", name),
         builder.getNamedAttr("feeds",
                              renumber(part.getAs<DenseI32ArrayAttr>("feeds"),
                                       feedNumbers, spread.getFeeds(), feeds)),
         builder.getNamedAttr("fetches",
                              renumber(part.getAs<DenseI32ArrayAttr>("fetches"),
                                       fetchNumbers, spread.getFetches(),
                                       fetches))}));
  }
  if (parts.empty()) {
    symbols.erase(spread);
    return;
  }
  spread.setFeedsAttr(builder.getArrayAttr(feeds));
  spread.setFetchesAttr(builder.getArrayAttr(fetches));
  spread.setPartsAttr(builder.getArrayAttr(parts));
}

/// Drops what other tasks have. False where nothing is left to run.
static bool keepTask(ModuleOp module, llvm::StringRef task) {
  SymbolTable symbols(module);
  for (auto spread : llvm::make_early_inc_range(module.getOps<rt::SpreadOp>()))
    keepParts(spread, task, symbols);
  for (Operation &op : llvm::make_early_inc_range(*module.getBody()))
    if (isDeclaredState(&op) &&
        !isOf(op.getAttrOfType<StringAttr>(WeirDialect::getDeviceAttrName()),
              task))
      symbols.erase(&op);
  return !module.getOps<GraphOp>().empty();
}

bool weir::compileTasks(const Program &program, const CompileOptions &options,
                        const std::vector<std::string> &tasks,
                        std::vector<std::string> &libraries,
                        Messages &messages) {
  std::unique_ptr<Program> parts = program.clone();
  CompileOptions splitting = options;
  splitting.phases.to = Phase::Partition;
  if (!parts->runPhases(splitting, messages))
    return false;
  CompileOptions rest = options;
  rest.phases.from = Phase::Fuse;
  libraries.clear();
  for (const std::string &task : tasks) {
    std::string &library = libraries.emplace_back();
    std::unique_ptr<Program> own = parts->clone();
    if (!keepTask(own->module(), task))
      continue;
    std::unique_ptr<CompiledObject> object =
        compileObject(*own, rest, "", messages);
    if (!object || !linkLoadable(*object, library, messages))
      return false;
  }
  return true;
}

//===- Phases.cpp - The way a graph goes ----------------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Pipeline/Phases.h"

#include "lib/Pipeline/PassNames.h"
#include "lib/Pipeline/Stage.h"
#include "lib/Support/Files.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Support/Timing.h"
#include "passes/Autodiff/Passes.h"
#include "passes/Codegen/CPU/Passes.h"
#include "passes/Codegen/Devices/Passes.h"
#include "passes/Codegen/GPU/Passes.h"
#include "passes/Codegen/Linalg/Passes.h"
#include "passes/Codegen/MXU/Passes.h"
#include "passes/Fuse/Passes.h"
#include "passes/Import/Passes.h"
#include "passes/Partition/Passes.h"
#include "passes/Place/Passes.h"
#include "passes/Raise/Passes.h"
#include "passes/Schedule/Passes.h"
#include "passes/Simplify/Passes.h"
#include "runtime/base/Format.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"

#include <chrono>

using namespace weir;

static void buildCodegenPipeline(mlir::OpPassManager &manager) {
  manager.addPass(createCodegenSplitDevices());
  buildCodegenMXUPipeline(manager);
  buildCodegenGPUPipeline(manager);
  buildCodegenLinalgPipeline(manager);
  buildCodegenCPUPipeline(manager);
}

namespace {
struct PhaseRow {
  Phase phase;
  const char *name;
  const char *description;
  void (*build)(mlir::OpPassManager &);
};
} // namespace

static const PhaseRow phaseRows[] = {
#define PHASE(Name, name, description, builder)                                \
  {Phase::Name, name, description, builder},
#include "lib/Pipeline/Phases.def"
};

static const PhaseRow &rowOf(Phase phase) {
  return phaseRows[static_cast<unsigned>(phase)];
}

const std::vector<Phase> &weir::allPhases() {
  static const std::vector<Phase> phases = [] {
    std::vector<Phase> result;
    for (const PhaseRow &row : phaseRows)
      result.push_back(row.phase);
    return result;
  }();
  return phases;
}

const char *weir::phaseName(Phase phase) { return rowOf(phase).name; }

const char *weir::phaseDescription(Phase phase) {
  return rowOf(phase).description;
}

std::optional<Phase> weir::parsePhase(std::string_view flag,
                                      std::string_view name,
                                      Messages &messages) {
  std::vector<std::string_view> known;
  for (const PhaseRow &row : phaseRows) {
    if (name == row.name)
      return row.phase;
    known.push_back(row.name);
  }
  messages.error(rt::str("[WEIR0203] ", flag, ": there is no phase '", name,
                         "'", rt::didYouMean(name, known), " (the phases are ",
                         rt::listNames(known), ")"));
  return std::nullopt;
}

std::string weir::phaseList() {
  std::string result;
  llvm::raw_string_ostream os(result);
  for (const PhaseRow &row : phaseRows)
    os << llvm::format("%2u  %-11s", static_cast<unsigned>(row.phase) + 1,
                       row.name)
       << row.description << "\n";
  return result;
}

void weir::buildPhasePipeline(Phase phase, mlir::OpPassManager &manager) {
  rowOf(phase).build(manager);
}

void weir::buildCpuPipeline(mlir::OpPassManager &manager) {
  for (const PhaseRow &row : phaseRows)
    row.build(manager);
}

void weir::registerPhasePipelines() {
  // The registry keeps references to the texts for as long as it lives.
  static const std::vector<std::string> flags = [] {
    std::vector<std::string> result;
    for (const PhaseRow &row : phaseRows)
      result.push_back(std::string("weir-phase-") + row.name);
    return result;
  }();
  for (const PhaseRow &row : phaseRows)
    mlir::PassPipelineRegistration<>(flags[static_cast<unsigned>(row.phase)],
                                     row.description, row.build);
  mlir::PassPipelineRegistration<>(
      "weir-to-cpu", "all phases, from a graph to the LLVM dialect",
      buildCpuPipeline);
}

namespace {
/// One run through a range of phases.
class PhaseRun {
public:
  PhaseRun(mlir::ModuleOp module, const PhaseOptions &options,
           Messages &messages)
      : module(module), options(options), messages(messages) {
    mlir::applyDefaultTimingManagerCLOptions(timing);
    rootTimer = timing.getRootScope();
  }

  bool run() {
    if (options.from > options.to)
      return messages.error(
          rt::str("[WEIR0215] phase '", phaseName(options.from),
                  "' comes after '", phaseName(options.to),
                  "': there is nothing to run from the first to the second"));
    if (failed(mlir::verify(module)))
      return failIn("before the first phase");
    if (!checkStage(module, options.from, messages))
      return false;
    if (!createDumpDir() || !dump(static_cast<unsigned>(options.from), "input"))
      return false;
    unsigned total = static_cast<unsigned>(options.to) -
                     static_cast<unsigned>(options.from) + 1;
    unsigned number = 0;
    for (const PhaseRow &row : phaseRows) {
      if (row.phase < options.from || row.phase > options.to)
        continue;
      auto begin = std::chrono::steady_clock::now();
      if (!runPhase(row) ||
          !dump(static_cast<unsigned>(row.phase) + 1, row.name))
        return false;
      std::chrono::duration<double> taken =
          std::chrono::steady_clock::now() - begin;
      if (options.progress)
        options.progress(row.phase, ++number, total, taken.count());
    }
    return true;
  }

private:
  bool runPhase(const PhaseRow &row) {
    mlir::PassManager manager(module->getName());
    if (failed(mlir::applyPassManagerCLOptions(manager)))
      return failIn(rt::str("setting up phase '", row.name, "'"));
    mlir::TimingScope timer = rootTimer.nest(row.name);
    manager.enableTiming(timer);
    if (!addExtras(row, /*before=*/true, manager))
      return false;
    row.build(manager);
    if (!addExtras(row, /*before=*/false, manager))
      return false;
    return succeeded(manager.run(module)) ||
           failIn(rt::str("in phase '", row.name, "'"));
  }

  bool addExtras(const PhaseRow &row, bool before,
                 mlir::OpPassManager &manager) {
    for (const ExtraPasses &extra : options.extras) {
      if (extra.phase != row.phase || extra.before != before)
        continue;
      std::string text;
      llvm::raw_string_ostream os(text);
      if (succeeded(mlir::parsePassPipeline(extra.pipeline, manager, os)))
        continue;
      std::string wrong = unknownPassIn(extra.pipeline);
      return messages.error(
          rt::str("[WEIR0214] the passes '", extra.pipeline, "' ",
                  before ? "before" : "after", " phase '", row.name,
                  "' are no pass pipeline: ",
                  wrong.empty() ? llvm::StringRef(text).rtrim().str() : wrong));
    }
    return true;
  }

  /// Makes sure that a failure has an error that says where.
  bool failIn(const std::string &where) {
    if (messages.hasErrors())
      return false;
    return messages.error("[WEIR0210] the compiler failed " + where +
                          " without saying why");
  }

  bool createDumpDir() {
    if (options.dumpDir.empty())
      return true;
    std::error_code error = llvm::sys::fs::create_directories(options.dumpDir);
    return !error ||
           messages.error(rt::str("[WEIR0205] cannot create the folder '",
                                  options.dumpDir, "': ", error.message()));
  }

  bool dump(unsigned number, const char *name) {
    if (options.dumpDir.empty())
      return true;
    std::string path, text;
    llvm::raw_string_ostream(path)
        << options.dumpDir << "/" << llvm::format("%02u", number) << "." << name
        << ".mlir";
    llvm::raw_string_ostream os(text);
    module->print(os);
    os << "\n";
    return writeFile(path, text, messages);
  }

  mlir::ModuleOp module;
  const PhaseOptions &options;
  Messages &messages;
  mlir::DefaultTimingManager timing;
  mlir::TimingScope rootTimer;
};
} // namespace

bool weir::runPhases(mlir::ModuleOp module, const PhaseOptions &options,
                     Messages &messages) {
  return PhaseRun(module, options, messages).run();
}

//===- Phases.h - The way a graph goes ------------------------ -*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The phases of Phases.def as an enumeration, by name, and as something to run.
// The link phase, which follows them, is the driver's.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_PIPELINE_PHASES_H
#define WEIR_LIB_PIPELINE_PHASES_H

#include "lib/Support/Messages.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mlir {
class ModuleOp;
class OpPassManager;
} // namespace mlir

namespace weir {

enum class Phase {
#define PHASE(Name, name, description, builder) Name,
#include "lib/Pipeline/Phases.def"
};

/// All phases in order.
const std::vector<Phase> &allPhases();
const char *phaseName(Phase phase);
const char *phaseDescription(Phase phase);
/// The phase of that name; an error (for flag `flag`) suggests the nearest.
std::optional<Phase> parsePhase(std::string_view flag, std::string_view name,
                                Messages &messages);
/// A line for each phase: number, name, description.
std::string phaseList();

/// Adds the passes of a phase.
void buildPhasePipeline(Phase phase, mlir::OpPassManager &manager);
/// Adds the passes of all phases: from a graph to LLVM dialect.
void buildCpuPipeline(mlir::OpPassManager &manager);
/// Registers `--weir-phase-NAME` for each phase and `--weir-to-cpu` for all.
void registerPhasePipelines();

/// Passes that somebody wants around a phase, as text of a pass pipeline on
/// `builtin.module`: "my-pass", "canonicalize,my-pass{n=3}".
struct ExtraPasses {
  Phase phase;
  bool before = false;
  std::string pipeline;
};

struct PhaseOptions {
  /// The first and the last phase to run.
  Phase from = Phase::Import;
  Phase to = Phase::Codegen;
  /// Where to write the module after each phase, as NN.name.mlir, and before
  /// the first as NN.input.mlir; empty for nowhere. Each can be given back
  /// with `from` set to the phase after it.
  std::string dumpDir;
  std::vector<ExtraPasses> extras;
  /// Called when a phase has run: it, its number from 1, and how many there
  /// are, and what it took in seconds.
  std::function<void(Phase, unsigned, unsigned, double)> progress;
};

/// Runs the phases on the module in place, and verifies it at each border. The
/// module is of no more use when this fails. What passes report goes to the
/// handler of the context (lib/Support/MessageHandler.h).
bool runPhases(mlir::ModuleOp module, const PhaseOptions &options,
               Messages &messages);

} // namespace weir

#endif // WEIR_LIB_PIPELINE_PHASES_H

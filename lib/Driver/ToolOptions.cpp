//===- ToolOptions.cpp - What the command lines of the tools share --------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Driver/ToolOptions.h"

#include "lib/Driver/Devices.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/Timing.h"
#include "runtime/base/Format.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/ManagedStatic.h"
#include "llvm/Support/raw_ostream.h"

#include <unistd.h>

using namespace weir;
namespace cl = llvm::cl;

cl::OptionCategory &weir::toolCategory() {
  static cl::OptionCategory category("Options");
  return category;
}

namespace {
enum class Format { Text, Json };

struct ToolOptions {
  cl::OptionCategory &category = toolCategory();
  cl::opt<std::string> cpu{
      "target-cpu",
      cl::desc("The processor to make code for, as LLVM names it; 'native' is "
               "this one"),
      cl::value_desc("cpu"), cl::init(""), cl::cat(category)};
  cl::opt<unsigned> threads{
      "threads",
      cl::desc("Threads of parallel kernels; 1 makes code that needs no OpenMP "
               "(default: what OpenMP gives when the code runs)"),
      cl::value_desc("n"), cl::init(0), cl::cat(category)};
  cl::opt<bool> noRaise{
      "no-raise",
      cl::desc("Leave control flow as dataflow, for the executor to run"),
      cl::cat(category)};
  cl::opt<std::string> executor{
      "executor",
      cl::desc("Entry points that the executor runs: those that wait or branch "
               "(default), 'all', or 'tasks': all with a kernel per node"),
      cl::value_desc("which"), cl::init(""), cl::cat(category)};
  cl::list<std::string> devices{
      "devices",
      cl::desc(
          "The devices there are, best first: CPU:0, GPU:0, MXU:0, or full "
          "names (default: one CPU)"),
      cl::value_desc("name,..."), cl::CommaSeparated, cl::cat(category)};
  cl::opt<bool> softPlacement{
      "soft-placement",
      cl::desc(
          "Move nodes whose device is not there or has no kernel for them; "
          "--remarks says which"),
      cl::cat(category)};
  cl::opt<bool> emulateGpu{
      "emulate-gpu",
      cl::desc(
          "Make the kernels of GPUs run on the CPU, too, and run them there"),
      cl::cat(category)};
  cl::list<int> gpuArchitectures{
      "gpu-architectures",
      cl::desc(
          "Make code for these GPUs (default 80,90,100: compute capability "
          "times ten)"),
      cl::value_desc("n,..."), cl::CommaSeparated, cl::cat(category)};
  cl::opt<bool> gpuTf32{
      "gpu-tf32",
      cl::desc("Let products of f32 on a GPU use tensor cores, which round "
               "operands to 10 bits"),
      cl::cat(category)};
  cl::opt<std::string> mxu{
      "mxu",
      cl::desc("The array of the accelerator: 32x32, 128x128 (default) or "
               "256x256"),
      cl::value_desc("size"), cl::init(""), cl::cat(category)};
  cl::opt<std::string> from{
      "from",
      cl::desc("The first phase to run; the input is what the phase before it "
               "left"),
      cl::value_desc("phase"), cl::cat(category)};
  cl::opt<std::string> to{"to", cl::desc("The last phase to run"),
                          cl::value_desc("phase"), cl::cat(category)};
  cl::opt<std::string> dumpDir{
      "dump-dir",
      cl::desc("Write the module to this folder after each phase, as "
               "NN.phase.mlir"),
      cl::value_desc("folder"), cl::cat(category)};
  cl::opt<bool> listPhases{"list-phases", cl::desc("List the phases and stop"),
                           cl::cat(category)};
  cl::list<std::string> before{
      "before",
      cl::desc("Run passes before a phase; the passes are an MLIR pipeline on "
               "builtin.module"),
      cl::value_desc("phase=passes"), cl::cat(category)};
  cl::list<std::string> after{"after", cl::desc("Run passes after a phase"),
                              cl::value_desc("phase=passes"),
                              cl::cat(category)};
  cl::list<std::string> passPlugins{"load-pass-plugin",
                                    cl::desc("Load passes from a library"),
                                    cl::value_desc("file"), cl::cat(category)};
  cl::list<std::string> dialectPlugins{
      "load-dialect-plugin", cl::desc("Load dialects from a library"),
      cl::value_desc("file"), cl::cat(category)};
  cl::opt<Format> format{
      "diagnostics", cl::desc("How errors are written to stderr"),
      cl::values(clEnumValN(Format::Text, "text", "for people (default)"),
                 clEnumValN(Format::Json, "json", "one JSON object per line")),
      cl::init(Format::Text), cl::cat(category)};
  cl::opt<bool> remarks{
      "remarks",
      cl::desc("Say what was not raised, fused or made fast, and why"),
      cl::cat(category)};
  cl::opt<bool> verbose{"v", cl::desc("Say what is being done"),
                        cl::cat(category)};
  cl::opt<bool> quiet{"quiet", cl::desc("Say nothing but errors: no warnings"),
                      cl::cat(category)};
};
} // namespace

static llvm::ManagedStatic<ToolOptions> toolOptions;

void weir::registerToolOptions() {
  // LLVM's library has options of all its tools; one of them has this name.
  auto &registered = cl::getRegisteredOptions();
  if (auto found = registered.find("threads"); found != registered.end())
    found->second->removeArgument();
  (void)*toolOptions;
  mlir::registerAsmPrinterCLOptions();
  mlir::registerMLIRContextCLOptions();
  mlir::registerPassManagerCLOptions();
  mlir::registerDefaultTimingManagerCLOptions();
}

/// Shows in the short help what people use of MLIR's many options.
static void keepUsualOptions(cl::OptionCategory &category) {
  static const char *const names[] = {"debug",
                                      "debug-only",
                                      "mlir-timing",
                                      "mlir-timing-display",
                                      "mlir-print-ir-after-all",
                                      "mlir-print-ir-after-change",
                                      "mlir-print-ir-after-failure",
                                      "mlir-print-ir-tree-dir",
                                      "mlir-pass-pipeline-crash-reproducer",
                                      "mlir-print-debuginfo"};
  auto &options = cl::getRegisteredOptions();
  for (const char *name : names)
    if (auto found = options.find(name); found != options.end())
      found->second->addCategory(category);
}

/// LLVM calls this where it would abort: only a mistake of the compiler leads
/// there.
static void reportInternalError(void *, const char *reason, bool) {
  llvm::errs() << "error: [WEIR0299] internal error of the compiler: " << reason
               << "\nThis is a bug; please report it with the input.\n";
  llvm::errs().flush();
  ::_exit(1);
}

void weir::parseToolOptions(int argc, char **argv, const char *overview) {
  llvm::install_fatal_error_handler(reportInternalError);
  static cl::OptionCategory mlirCategory("Options of MLIR");
  keepUsualOptions(mlirCategory);
  cl::HideUnrelatedOptions({&toolCategory(), &mlirCategory});
  cl::ParseCommandLineOptions(argc, argv, overview);
}

/// Reads "phase=passes".
static bool readExtra(const char *flag, llvm::StringRef text, bool before,
                      PhaseOptions &options, Messages &messages) {
  auto [name, pipeline] = text.split('=');
  if (pipeline.empty())
    return messages.error(
        rt::str("[WEIR0216] ", flag, " wants PHASE=PASSES, got '", text, "'"));
  std::optional<Phase> phase = parsePhase(flag, name, messages);
  if (!phase)
    return false;
  options.extras.push_back({*phase, before, pipeline.str()});
  return true;
}

static void printProgress(Phase phase, unsigned number, unsigned total,
                          double seconds) {
  llvm::errs() << llvm::format("[%u/%u] %-10s %8.1f ms\n", number, total,
                               phaseName(phase), seconds * 1e3);
}

bool weir::readToolOptions(CompileOptions &options, Messages &messages) {
  options.cpu = toolOptions->cpu;
  if (toolOptions->threads > 4096)
    return messages.error(
        rt::str("[WEIR0216] --threads wants a number from 0 to 4096, got ",
                toolOptions->threads.getValue()));
  options.threads = static_cast<int>(toolOptions->threads.getValue());
  options.raise = !toolOptions->noRaise;
  options.executor = toolOptions->executor;
  if (!options.executor.empty() && options.executor != "all" &&
      options.executor != "tasks")
    return messages.error(
        rt::str("[WEIR0216] --executor wants 'all' or 'tasks', got '",
                options.executor, "'"));
  options.devices = toolOptions->devices;
  options.softPlacement = toolOptions->softPlacement;
  options.emulateGpu = toolOptions->emulateGpu;
  options.gpuTf32 = toolOptions->gpuTf32;
  options.gpuArchitectures.assign(toolOptions->gpuArchitectures.begin(),
                                  toolOptions->gpuArchitectures.end());
  options.mxu = toolOptions->mxu;
  if (!checkAccelerator(options, messages))
    return false;
  PhaseOptions &phases = options.phases;
  phases.dumpDir = toolOptions->dumpDir;
  for (auto [flag, option, phase] :
       {std::tuple{"--from", &toolOptions->from, &phases.from},
        std::tuple{"--to", &toolOptions->to, &phases.to}}) {
    if (option->empty())
      continue;
    std::optional<Phase> named = parsePhase(flag, *option, messages);
    if (!named)
      return false;
    *phase = *named;
  }
  for (const std::string &path : toolOptions->dialectPlugins)
    if (!loadDialectPlugin(path, messages))
      return false;
  for (const std::string &path : toolOptions->passPlugins)
    if (!loadPassPlugin(path, messages))
      return false;
  for (const std::string &text : toolOptions->before)
    if (!readExtra("--before", text, /*before=*/true, phases, messages))
      return false;
  for (const std::string &text : toolOptions->after)
    if (!readExtra("--after", text, /*before=*/false, phases, messages))
      return false;
  if (toolOptions->verbose)
    phases.progress = printProgress;
  return true;
}

bool weir::listedPhases() {
  if (!toolOptions->listPhases)
    return false;
  llvm::outs() << phaseList();
  return true;
}

bool weir::isVerbose() { return toolOptions->verbose; }

int weir::reportMessages(const Messages &messages) {
  Messages shown;
  for (const Message &message : messages.all()) {
    bool isRemark = message.severity == Message::Severity::Remark;
    bool isError = message.severity == Message::Severity::Error;
    if (isError || (isRemark ? toolOptions->remarks : !toolOptions->quiet))
      shown.add(message);
  }
  bool asJson = toolOptions->format == Format::Json;
  llvm::errs() << (asJson ? shown.json() : shown.text());
  return messages.hasErrors() ? 1 : 0;
}

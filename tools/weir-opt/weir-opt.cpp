//===- weir-opt.cpp - Runs any pass alone ---------------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Pipeline/PassNames.h"
#include "lib/Pipeline/Register.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/raw_ostream.h"

namespace cl = llvm::cl;

/// The options that the short help shows; --help-hidden shows the other
/// thousand.
static const char *const kUsualOptions[] = {
    "o",
    "pass-pipeline",
    "split-input-file",
    "verify-diagnostics",
    "verify-each",
    "verify-roundtrip",
    "allow-unregistered-dialect",
    "emit-bytecode",
    "list-passes",
    "show-dialects",
    "load-pass-plugin",
    "load-dialect-plugin",
    "dump-pass-pipeline",
    "run-reproducer",
    "debug",
    "debug-only",
    "mlir-timing",
    "mlir-timing-display",
    "mlir-print-debuginfo",
    "mlir-print-ir-before-all",
    "mlir-print-ir-after-all",
    "mlir-print-ir-after-change",
    "mlir-print-ir-after-failure",
    "mlir-print-ir-tree-dir",
    "mlir-print-op-generic",
    "mlir-print-local-scope",
    "mlir-elide-elementsattrs-if-larger",
    "mlir-disable-threading",
    "mlir-pass-pipeline-crash-reproducer",
    "mlir-pass-statistics",
    "remarks-filter",
    "remark-format"};

static void shortenHelp(cl::OptionCategory &category) {
  auto &options = cl::getRegisteredOptions();
  for (const char *name : kUsualOptions)
    if (auto found = options.find(name); found != options.end())
      found->second->Categories.assign({&category});
  cl::HideUnrelatedOptions(category);
}

/// The text of --pass-pipeline.
static std::string pipelineText() {
  auto &options = cl::getRegisteredOptions();
  auto found = options.find("pass-pipeline");
  if (found == options.end() || !found->second->getNumOccurrences())
    return "";
  return static_cast<cl::opt<std::string> *>(found->second)->getValue();
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  mlir::DialectRegistry registry;
  weir::registerAllDialects(registry);
  weir::registerAllPasses();
  std::string header =
      mlir::registerCLIOptions("Runs passes of Weir and of MLIR on a module, "
                               "in the order of the flags.\n",
                               registry);
  cl::OptionCategory category("Options");
  shortenHelp(category);
  header +=
      "\n\nPasses and phases of Weir (--list-passes shows MLIR's too):\n" +
      weir::weirPassList();
  auto [input, output] = mlir::parseCLIOptions(argc, argv, header);
  if (std::string wrong = weir::unknownPassIn(pipelineText()); !wrong.empty()) {
    llvm::errs() << "error: [WEIR0214] --pass-pipeline: " << wrong << "\n";
    return 1;
  }
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, input, output, registry));
}

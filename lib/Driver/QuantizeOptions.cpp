//===- QuantizeOptions.cpp - Post-training quantization by flags ----------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Driver/QuantizeOptions.h"

#include "lib/Driver/ToolOptions.h"
#include "runtime/base/Format.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/ManagedStatic.h"
#include "llvm/Support/raw_ostream.h"

using namespace weir;
namespace cl = llvm::cl;

namespace {
struct Flags {
  cl::OptionCategory &category = toolCategory();
  cl::opt<std::string> restore{
      "restore",
      cl::desc("A checkpoint: weir-run restores it first; weir-compile, and "
               "both with --quantize, make constants of variables"),
      cl::value_desc("prefix"), cl::cat(category)};
  cl::opt<std::string> samples{
      "quantize",
      cl::desc("Do products with constant weights on int8, in the ranges that "
               "values have for the sample feeds of a .npz file"),
      cl::value_desc("samples.npz"), cl::cat(category)};
  cl::opt<double> percentile{
      "quantize-percentile",
      cl::desc("How much of the elements of a value its range has (default: "
               "100)"),
      cl::value_desc("p"), cl::init(100), cl::cat(category)};
  cl::opt<bool> report{
      "quantize-report",
      cl::desc("Print scales and the ratio of signal to noise of each node on "
               "int8"),
      cl::cat(category)};
};
} // namespace

static llvm::ManagedStatic<Flags> flags;

void weir::registerQuantizeOptions() { (void)*flags; }

bool weir::readQuantizeOptions(PostTrainingOptions &options,
                               Messages &messages) {
  options.checkpoint = flags->restore;
  options.samples = flags->samples;
  options.percentile = flags->percentile;
  options.report = flags->report;
  bool hasOthers = options.report || flags->percentile.getNumOccurrences() != 0;
  if (options.samples.empty() && hasOthers)
    return messages.error(
        rt::str("[WEIR0264] ",
                options.report ? "--quantize-report" : "--quantize-percentile",
                " goes with --quantize=samples.npz"));
  return true;
}

bool weir::postTrain(Program &program, const std::vector<std::string> &entries,
                     const PostTrainingOptions &options, Messages &messages) {
  QuantizationReport report;
  if (!postTrain(program, entries, options, report, messages))
    return false;
  if (options.report)
    llvm::errs() << report.text();
  return true;
}

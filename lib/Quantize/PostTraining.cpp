//===- PostTraining.cpp - A program on int8 -------------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Quantize/PostTraining.h"

#include "lib/Pipeline/Phases.h"
#include "lib/Quantize/Calibration.h"
#include "lib/Quantize/FreezeVariables.h"
#include "passes/Quantize/Passes.h"
#include "runtime/base/Format.h"
#include "llvm/Support/Format.h"

#include <cmath>

using namespace mlir;

namespace weir {

/// Signal and noise of one value.
namespace {
struct Noise {
  double signal = 0, noise = 0;

  void add(const Tensor &real, const Tensor &stored, float scale,
           int32_t zero) {
    const auto *x = real.read<float>();
    const auto *q = stored.read<int8_t>();
    for (int64_t i = 0; i < real.size(); ++i) {
      double error = x[i] - double(q[i] - zero) * scale;
      signal += double(x[i]) * x[i];
      noise += error * error;
    }
  }
  double decibels() const {
    return noise == 0 ? std::numeric_limits<double>::infinity()
                      : 10 * std::log10(signal / noise);
  }
};
} // namespace

/// Runs the float and the quantized graph side by side; `report` has one for
/// each of the nodes.
static bool compare(SampleRun &real, GraphOp graph,
                    const std::vector<QuantizedNode> &nodes, Samples &samples,
                    QuantizationReport::Node *report, Messages &messages) {
  SmallVector<Value> results;
  for (const QuantizedNode &node : nodes)
    results.push_back(node.result);
  std::unique_ptr<SampleRun> stored =
      SampleRun::create(graph, results, samples, messages);
  if (!stored)
    return false;
  std::vector<Noise> noises(nodes.size());
  std::vector<Tensor> floats, integers;
  for (int64_t step = 0; step < real.steps(); ++step) {
    if (!real.run(step, floats, messages) ||
        !stored->run(step, integers, messages))
      return false;
    for (auto [i, node] : llvm::enumerate(nodes))
      noises[i].add(floats[node.value], integers[i], node.scale, node.zero);
  }
  for (auto [i, noise] : llvm::enumerate(noises))
    report[i].decibels = noise.decibels();
  return true;
}

std::string QuantizationReport::text() const {
  std::string result;
  llvm::raw_string_ostream os(result);
  for (auto first = nodes.begin(); first != nodes.end();) {
    auto last = std::find_if(first, nodes.end(), [&](const Node &node) {
      return node.entry != first->entry;
    });
    os << "entry " << first->entry << ": " << last - first
       << " nodes on int8\n";
    os << "  node                         scale in  zero  scale out  zero  "
          "SNR dB\n";
    for (; first != last; ++first)
      os << llvm::format("  %-26s %10.6g %5d %10.6g %5d %7.1f\n",
                         first->name.c_str(), first->inputScale,
                         first->inputZero, first->scale, first->zero,
                         first->decibels);
  }
  return result;
}

/// The file and line of a location, where it has one.
static FileLineColLoc fileOf(Location location) {
  FileLineColLoc found;
  location->walk([&](Location inner) {
    found = dyn_cast<FileLineColLoc>(inner);
    return found ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found;
}

static bool quantize(ModuleOp module, const PostTrainingOptions &options,
                     QuantizationReport &report, Messages &messages) {
  std::unique_ptr<Samples> samples =
      options.arrays ? Samples::of(*options.arrays)
                     : Samples::open(options.samples, messages);
  if (!samples)
    return false;
  std::vector<std::pair<Location, std::string>> reasons;
  for (GraphOp graph : module.getOps<GraphOp>()) {
    SmallVector<Value> values = valuesToCalibrate(graph);
    if (!calibrate(graph, values, *samples, options.percentile, messages))
      return false;
    std::unique_ptr<SampleRun> real;
    if (options.report && !values.empty()) {
      real = SampleRun::create(graph, values, *samples, messages);
      if (!real)
        return false;
    }
    std::string entry = graph.getSymName().str();
    size_t known = reasons.size();
    auto nodes = quantizeGraph(graph, reasons);
    if (failed(nodes))
      return false;
    for (const auto &[location, why] : ArrayRef(reasons).drop_front(known)) {
      FileLineColLoc place = fileOf(location);
      report.floats.push_back({entry, why,
                               place ? place.getFilename().str() : "",
                               place ? place.getLine() : 0});
    }
    size_t first = report.nodes.size();
    for (const QuantizedNode &node : *nodes)
      report.nodes.push_back({entry, node.name, node.inputScale, node.scale,
                              node.inputZero, node.zero, 0});
    if (real && !compare(*real, graph, *nodes, *samples,
                         report.nodes.data() + first, messages))
      return false;
  }
  if (report.nodes.empty()) {
    reportNothing(module, reasons);
    return false;
  }
  for (const auto &[location, why] : reasons)
    emitRemark(location) << "stays float: " << why;
  return true;
}

bool runPostTraining(ModuleOp module, const PostTrainingOptions &options,
                     QuantizationReport &report, Messages &messages) {
  // Not "<= 50 or > 100", which a NaN is neither.
  if (!(options.percentile > 50 && options.percentile <= 100))
    return messages.error(
        rt::str("[WEIR0264] the percentile of a quantization is a number above "
                "50 and up to 100, got ",
                std::to_string(options.percentile)));
  if (!options.checkpoint.empty()) {
    if (!freezeVariables(module, options.checkpoint, messages))
      return false;
  } else if (options.variables &&
             !freezeVariables(module, *options.variables, messages)) {
    return false;
  }
  if (!options.hasSamples())
    return true;
  PhaseOptions phases;
  phases.to = Phase::Simplify;
  return runPhases(module, phases, messages) &&
         quantize(module, options, report, messages);
}

} // namespace weir

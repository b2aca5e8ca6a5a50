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

/// Runs the float and the quantized graph side by side.
static bool compare(SampleRun &real, GraphOp graph,
                    const std::vector<QuantizedNode> &nodes, Samples &samples,
                    std::string &report, Messages &messages) {
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
  llvm::raw_string_ostream os(report);
  os << "entry " << graph.getSymName() << ": " << nodes.size()
     << " nodes on int8\n";
  os << "  node                         scale in  zero  scale out  zero  SNR "
        "dB\n";
  for (auto [node, noise] : llvm::zip_equal(nodes, noises))
    os << llvm::format("  %-26s %10.6g %5d %10.6g %5d %7.1f\n",
                       node.name.c_str(), node.inputScale, node.inputZero,
                       node.scale, node.zero, noise.decibels());
  return true;
}

static bool quantize(ModuleOp module, const PostTrainingOptions &options,
                     std::string &report, Messages &messages) {
  std::unique_ptr<Samples> samples = Samples::open(options.samples, messages);
  if (!samples)
    return false;
  std::vector<std::pair<Location, std::string>> reasons;
  size_t count = 0;
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
    auto nodes = quantizeGraph(graph, reasons);
    if (failed(nodes))
      return false;
    count += nodes->size();
    if (real && !compare(*real, graph, *nodes, *samples, report, messages))
      return false;
  }
  if (count == 0) {
    reportNothing(module, reasons);
    return false;
  }
  for (const auto &[location, why] : reasons)
    emitRemark(location) << "stays float: " << why;
  return true;
}

bool runPostTraining(ModuleOp module, const PostTrainingOptions &options,
                     std::string &report, Messages &messages) {
  if (!options.checkpoint.empty() &&
      !freezeVariables(module, options.checkpoint, messages))
    return false;
  if (options.samples.empty())
    return true;
  PhaseOptions phases;
  phases.to = Phase::Simplify;
  return runPhases(module, phases, messages) &&
         quantize(module, options, report, messages);
}

} // namespace weir

//===- Calibration.cpp - Ranges of values ---------------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Quantize/Calibration.h"

#include "passes/Quantize/Passes.h"

#include <array>
#include <cmath>
#include <numeric>

using namespace mlir;

namespace weir {

namespace {

/// What is known of one value.
struct Range {
  static constexpr size_t binCount = 2048;

  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  std::array<uint64_t, binCount> bins{};

  /// False where an element is not finite.
  bool widen(const Tensor &tensor) {
    const auto *data = tensor.read<float>();
    for (int64_t i = 0; i < tensor.size(); ++i) {
      if (!std::isfinite(data[i]))
        return false;
      low = std::min<double>(low, data[i]);
      high = std::max<double>(high, data[i]);
    }
    return true;
  }

  void count(const Tensor &tensor) {
    const auto *data = tensor.read<float>();
    for (int64_t i = 0; i < tensor.size(); ++i) {
      double place = (data[i] - low) / (high - low) * binCount;
      ++bins[static_cast<size_t>(std::clamp<double>(place, 0, binCount - 1))];
    }
  }

  /// Cuts off the share `tail` of the elements at each end.
  void cut(double tail) {
    double total = static_cast<double>(
        std::accumulate(bins.begin(), bins.end(), uint64_t(0)));
    double width = (high - low) / binCount, left = tail * total;
    size_t first = 0, last = binCount;
    for (double cutOff = 0; first < binCount; ++first) {
      cutOff += static_cast<double>(bins[first]);
      if (cutOff > left)
        break;
    }
    for (double cutOff = 0; last > first + 1; --last) {
      cutOff += static_cast<double>(bins[last - 1]);
      if (cutOff > left)
        break;
    }
    high = low + width * static_cast<double>(last);
    low += width * static_cast<double>(first);
  }
};

} // namespace

static std::string nameOf(Value value) {
  if (Operation *op = value.getDefiningOp())
    return "the value of '" + WeirDialect::describe(op) + "'";
  auto argument = cast<BlockArgument>(value);
  auto graph = cast<GraphOp>(argument.getOwner()->getParentOp());
  return "feed '" + graph.getFeedName(argument.getArgNumber()) + "'";
}

bool calibrate(GraphOp graph, ArrayRef<Value> values, Samples &samples,
               double percentile, Messages &messages) {
  if (values.empty())
    return true;
  std::unique_ptr<SampleRun> run =
      SampleRun::create(graph, values, samples, messages);
  if (!run)
    return false;
  std::vector<Range> ranges(values.size());
  auto forEach = [&](auto body) {
    std::vector<Tensor> tensors;
    for (int64_t step = 0; step < run->steps(); ++step) {
      if (!run->run(step, tensors, messages))
        return false;
      for (size_t i = 0; i < values.size(); ++i)
        if (!body(ranges[i], tensors[i]))
          return messages.error("[WEIR0262] " + nameOf(values[i]) +
                                " is not finite for " + run->describe(step) +
                                "; int8 stands for finite numbers");
    }
    return true;
  };
  if (!forEach([](Range &range, const Tensor &tensor) {
        return range.widen(tensor);
      }))
    return false;
  if (percentile < 100) {
    if (!forEach([](Range &range, const Tensor &tensor) {
          if (range.high > range.low)
            range.count(tensor);
          return true;
        }))
      return false;
    for (Range &range : ranges)
      if (range.high > range.low)
        range.cut((100 - percentile) / 200);
  }
  for (auto [value, range] : llvm::zip_equal(values, ranges)) {
    // A tensor without elements has no range, and needs none.
    bool isEmpty = range.low > range.high;
    setRange(value, isEmpty ? 0 : range.low, isEmpty ? 0 : range.high);
  }
  return true;
}

} // namespace weir

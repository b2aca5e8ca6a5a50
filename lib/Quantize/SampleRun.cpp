//===- SampleRun.cpp - Inner values of a graph for samples ----------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Quantize/SampleRun.h"

#include "lib/Analysis/Order.h"
#include "mlir/IR/IRMapping.h"
#include "runtime/base/Format.h"

using namespace mlir;

namespace weir {

/// Rows that are run together where a feed takes any number.
static constexpr int64_t rowsAtOnce = 64;

/// Makes `graph` fetch `values` and nothing else, of only what they need.
static void fetchOnly(GraphOp graph, ArrayRef<Value> values) {
  Block &block = graph.getBody().front();
  FetchOp old = graph.getFetch();
  OpBuilder builder(old);
  FetchOp::create(builder, old.getLoc(), values, ValueRange());
  old.erase();
  llvm::SmallPtrSet<Operation *, 32> needed;
  for (Operation *op : neededNodes(block))
    needed.insert(op);
  SmallVector<Operation *> dead;
  for (Operation &op : block.without_terminator())
    if (!needed.contains(&op))
      dead.push_back(&op);
  for (Operation *op : dead)
    op->dropAllUses();
  for (Operation *op : dead)
    op->erase();
  for (unsigned i = 0; i < block.getNumArguments();) {
    if (block.getArgument(i).use_empty()) {
      (void)graph.eraseArgument(i);
      continue;
    }
    ++i;
  }
  graph.setFunctionType(
      builder.getFunctionType(block.getArgumentTypes(), TypeRange(values)));
  graph.removeResAttrsAttr();
}

std::unique_ptr<SampleRun> SampleRun::create(GraphOp graph,
                                             ArrayRef<Value> values,
                                             Samples &samples,
                                             Messages &messages) {
  auto result = std::make_unique<SampleRun>();
  IRMapping mapping;
  auto module = graph->getParentOfType<ModuleOp>();
  result->module = cast<ModuleOp>(module->clone(mapping));
  result->entry = graph.getSymName().str();
  auto copy = result->module->lookupSymbol<GraphOp>(result->entry);
  fetchOnly(copy, llvm::map_to_vector(values, [&](Value value) {
              return mapping.lookup(value);
            }));
  if (!result->addFeeds(samples, messages))
    return nullptr;
  result->interpreter = std::make_unique<Interpreter>(*result->module);
  return result;
}

bool SampleRun::addFeeds(Samples &samples, Messages &messages) {
  auto graph = module->lookupSymbol<GraphOp>(entry);
  std::string first;
  int64_t fixed = 0;
  for (auto [i, type] : llvm::enumerate(graph.getArgumentTypes())) {
    std::string name = graph.getFeedName(i);
    auto ranked = dyn_cast<RankedTensorType>(type);
    if (!ranked || isa<StringType>(ranked.getElementType()))
      return messages.error("[WEIR0261] feed '" + name + "' of graph '@" +
                            entry +
                            "' is no tensor of numbers of known rank; "
                            "samples cannot give it");
    const Tensor *array = samples.find(name, ranked, messages);
    if (!array)
      return false;
    bool whole =
        ranked.hasStaticShape() && array->getShape() == ranked.getShape();
    feeds.push_back({array, !whole});
    if (whole)
      continue;
    int64_t here = array->getShape()[0];
    if (!first.empty() && here != rows)
      return messages.error(rt::str("[WEIR0261] the samples have ", rows,
                                    " rows for feed '", first, "' and ", here,
                                    " for feed '", name,
                                    "'; the numbers have to be equal"));
    first = name;
    rows = here;
    if (ranked.isDynamicDim(0))
      continue;
    int64_t wanted = ranked.getDimSize(0);
    if (fixed != 0 && wanted != fixed)
      return messages.error(
          rt::str("[WEIR0261] graph '@", entry, "' takes ", fixed, " and ",
                  wanted, " rows at a time; the numbers have to be equal"));
    fixed = wanted;
  }
  step = fixed != 0 ? fixed : rowsAtOnce;
  stepCount = (rows + step - 1) / step;
  return true;
}

std::string SampleRun::describe(int64_t number) const {
  return rt::str("rows ", number * step, " to ",
                 std::min((number + 1) * step, rows) - 1, " of the samples");
}

bool SampleRun::run(int64_t number, std::vector<Tensor> &values,
                    Messages &messages) {
  std::vector<Tensor> given;
  for (const Feed &feed : feeds)
    given.push_back(feed.inRows ? rowsOf(*feed.array, number * step,
                                         std::min((number + 1) * step, rows))
                                : *feed.array);
  llvm::Expected<std::vector<Tensor>> results = interpreter->run(entry, given);
  if (!results)
    return messages.error("[WEIR0262] entry '" + entry + "' failed for " +
                          describe(number) + ": " +
                          llvm::toString(results.takeError()));
  values = std::move(*results);
  return true;
}

} // namespace weir

//===- Interpreter.cpp - Running graphs without compiling them ------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Interpreter/Interpreter.h"

#include "dialects/Weir/Shape.h"
#include "lib/Interpreter/Step.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace weir {

Interpreter::Interpreter(ModuleOp module,
                         std::shared_ptr<InterpreterState> state)
    : module(module), state(std::move(state)), symbols(module, *this->state) {}
Interpreter::~Interpreter() = default;

//===----------------------------------------------------------------------===//
// Entries and feeds
//===----------------------------------------------------------------------===//

/// The names of a module's ops of one kind, for messages.
template <typename Op> static std::string namesOf(ModuleOp module) {
  SmallVector<StringRef> names;
  for (auto op : module.getOps<Op>())
    names.push_back(op.getSymName());
  return names.empty() ? "none" : llvm::join(names, ", ");
}

llvm::Expected<GraphOp> Interpreter::findEntry(StringRef entry) {
  if (auto graph = module.lookupSymbol<GraphOp>(entry))
    return graph;
  return stepError(code::unknownEntry, "there is no entry '" + entry +
                                           "' (there is " +
                                           namesOf<GraphOp>(module) + ")");
}

/// An error unless a tensor can stand for feed `i`.
static llvm::Error checkFeed(GraphOp graph, unsigned i, const Tensor &tensor) {
  auto type = cast<TensorType>(graph.getArgumentTypes()[i]);
  if (dtypeOf(type.getElementType()) == tensor.getDType() &&
      (!type.hasRank() ||
       succeeded(verifyCompatibleShape(type.getShape(), tensor.getShape()))))
    return llvm::Error::success();
  std::string declared;
  llvm::raw_string_ostream(declared) << type;
  return stepError(code::badFeed, "feed '" + graph.getFeedName(i) +
                                      "' of entry '" + graph.getSymName() +
                                      "': expected " + declared + ", got " +
                                      describe(tensor));
}

llvm::Expected<const Plan *> Interpreter::planOf(GraphOp graph) {
  std::unique_ptr<Plan> &plan = plans[graph];
  if (!plan) {
    auto made = Plan::create(graph, symbols);
    if (!made)
      return made.takeError();
    plan = std::move(*made);
  }
  return plan.get();
}

//===----------------------------------------------------------------------===//
// Whole steps
//===----------------------------------------------------------------------===//

static llvm::Expected<std::vector<Tensor>> runStep(Step &step, GraphOp graph,
                                                   ArrayRef<Tensor> feeds) {
  for (auto [i, feed] : llvm::enumerate(feeds))
    if (llvm::Error error = step.feed(static_cast<unsigned>(i), feed))
      return error;
  if (llvm::Error error = step.advance())
    return error;
  if (llvm::Error error = step.finish())
    return error;
  std::vector<Tensor> fetches;
  for (unsigned i = 0; i < graph.getFetch().getValues().size(); ++i)
    fetches.push_back(*step.fetch(i));
  return fetches;
}

llvm::Expected<std::vector<Tensor>>
Interpreter::run(StringRef entry, ArrayRef<Tensor> feeds,
                 Interruption interruption) {
  auto graph = findEntry(entry);
  if (!graph)
    return graph.takeError();
  if (feeds.size() != graph->getNumArguments())
    return stepError(code::badFeed, "entry '" + entry + "' has " +
                                        Twine(graph->getNumArguments()) +
                                        " feeds, got " + Twine(feeds.size()));
  for (auto [i, feed] : llvm::enumerate(feeds))
    if (llvm::Error error = checkFeed(*graph, static_cast<unsigned>(i), feed))
      return error;
  auto plan = planOf(*graph);
  if (!plan)
    return plan.takeError();
  InterpreterState::Values before;
  if ((*plan)->isStraightLine)
    before = state->saveVariables();
  Step step(**plan, symbols, std::move(interruption));
  auto fetches = runStep(step, *graph, feeds);
  if (!fetches)
    InterpreterState::restoreVariables(std::move(before));
  return fetches;
}

//===----------------------------------------------------------------------===//
// Partial runs
//===----------------------------------------------------------------------===//

Interpreter::PartialRun::PartialRun(GraphOp graph, std::unique_ptr<Step> step)
    : graph(graph), step(std::move(step)), isFed(graph.getNumArguments()),
      isFetched(graph.getNumResults()) {}
Interpreter::PartialRun::~PartialRun() = default;

llvm::Expected<std::unique_ptr<Interpreter::PartialRun>>
Interpreter::begin(StringRef entry, Interruption interruption) {
  auto graph = findEntry(entry);
  if (!graph)
    return graph.takeError();
  auto plan = planOf(*graph);
  if (!plan)
    return plan.takeError();
  return std::unique_ptr<PartialRun>(
      new PartialRun(*graph, std::make_unique<Step>(**plan, symbols,
                                                    std::move(interruption))));
}

/// An error that can be given again.
static llvm::Error repeat(const rt::Status &status) {
  if (status.ok())
    return llvm::Error::success();
  return llvm::make_error<StepError>(status.code(), status.message());
}

llvm::Error Interpreter::PartialRun::advance() {
  if (failure.ok())
    failure = toStatus(step->advance());
  if (failure.ok() && !llvm::is_contained(isFed, false))
    failure = toStatus(step->finish());
  return repeat(failure);
}

llvm::Error Interpreter::PartialRun::feed(unsigned i, Tensor value) {
  if (llvm::Error error = checkFeed(graph, i, value))
    return error;
  if (isFed[i])
    return stepError(code::outOfTurn,
                     "feed '" + graph.getFeedName(i) + "' is given twice");
  if (failure.ok()) {
    isFed[i] = true;
    failure = toStatus(step->feed(i, std::move(value)));
  }
  return repeat(failure);
}

llvm::Expected<Tensor> Interpreter::PartialRun::fetch(unsigned i) {
  if (isFetched[i])
    return stepError(code::outOfTurn, "fetch '" + graph.getFetchName(i) +
                                          "' has been given already");
  // What is there after that needs nothing else to end.
  if (failure.ok())
    failure = toStatus(step->advance());
  if (!step->fetch(i))
    if (llvm::Error error = advance())
      return error;
  if (!failure.ok())
    return repeat(failure);
  if (const Tensor *value = step->fetch(i)) {
    isFetched[i] = true;
    return *value;
  }
  SmallVector<std::string> missing;
  for (auto [feed, isThere] : llvm::enumerate(isFed))
    if (!isThere)
      missing.push_back("'" + graph.getFeedName(static_cast<unsigned>(feed)) +
                        "'");
  return stepError(code::outOfTurn,
                   "fetch '" + graph.getFetchName(i) +
                       "' is not there yet; these feeds have not come: " +
                       llvm::join(missing, ", "));
}

llvm::Error Interpreter::PartialRun::end() { return advance(); }

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

llvm::Expected<std::shared_ptr<VariableCell>>
Interpreter::findVariable(StringRef name) {
  if (!module.lookupSymbol<VariableOp>(name))
    return stepError(code::unknownVariable,
                     "there is no variable '" + name + "' (there is " +
                         namesOf<VariableOp>(module) + ")");
  llvm::Expected<Handle> handle = symbols.find(name);
  if (!handle)
    return handle.takeError();
  return std::static_pointer_cast<VariableCell>(*handle);
}

llvm::Expected<Tensor> Interpreter::getVariable(StringRef name) {
  auto cell = findVariable(name);
  if (!cell)
    return cell.takeError();
  if (!(*cell)->value)
    return stepError(code::uninitialized,
                     "variable '" + name + "' is read before it has a value");
  return *(*cell)->value;
}

llvm::Error Interpreter::setVariable(StringRef name, Tensor value) {
  auto cell = findVariable(name);
  if (!cell)
    return cell.takeError();
  if (std::string why = (*cell)->mismatch(value); !why.empty())
    return stepError(code::badVariable, "variable '" + name + "': " + why);
  (*cell)->value = std::move(value);
  return llvm::Error::success();
}

} // namespace weir

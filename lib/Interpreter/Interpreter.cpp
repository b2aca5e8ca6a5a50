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

/// An error with a code of its own that no node stands for.
static llvm::Error sessionError(StringRef code, const Twine &what) {
  return llvm::createStringError("[" + code + "] " + what);
}

/// The names of a module's ops of one kind, for messages.
template <typename Op> static std::string namesOf(ModuleOp module) {
  SmallVector<StringRef> names;
  for (auto op : module.getOps<Op>())
    names.push_back(op.getSymName());
  return names.empty() ? "none" : llvm::join(names, ", ");
}

/// Empty when a tensor can stand for a value of the type, else why not.
static std::string mismatch(RankedTensorType type, const Tensor &tensor) {
  if (dtypeOf(type.getElementType()) == tensor.getDType() &&
      succeeded(verifyCompatibleShape(type.getShape(), tensor.getShape())))
    return "";
  std::string text;
  llvm::raw_string_ostream(text)
      << "expected " << type << ", got " << describe(tensor);
  return text;
}

llvm::Expected<GraphOp> Interpreter::findEntry(StringRef entry) {
  if (auto graph = module.lookupSymbol<GraphOp>(entry))
    return graph;
  return sessionError(code::unknownEntry, "there is no entry '" + entry +
                                              "' (there is " +
                                              namesOf<GraphOp>(module) + ")");
}

llvm::Expected<std::vector<Tensor>> Interpreter::run(StringRef entry,
                                                     ArrayRef<Tensor> feeds) {
  auto graph = findEntry(entry);
  if (!graph)
    return graph.takeError();
  if (feeds.size() != graph->getNumArguments())
    return sessionError(code::badFeed, "entry '" + entry + "' has " +
                                           Twine(graph->getNumArguments()) +
                                           " feeds, got " +
                                           Twine(feeds.size()));
  for (auto [i, feed] : llvm::enumerate(feeds))
    if (std::string why = mismatch(
            cast<RankedTensorType>(graph->getArgumentTypes()[i]), feed);
        !why.empty())
      return sessionError(code::badFeed, "feed '" + graph->getFeedName(i) +
                                             "' of entry '" + entry +
                                             "': " + why);
  Step step(*graph, variables);
  auto fetches = step.run(feeds);
  if (fetches)
    variables = step.takeVariables();
  return fetches;
}

llvm::Expected<Tensor> Interpreter::getVariable(StringRef name) {
  if (!module.lookupSymbol<VariableOp>(name))
    return sessionError(code::unknownVariable,
                        "there is no variable '" + name + "' (there is " +
                            namesOf<VariableOp>(module) + ")");
  auto found = variables.find(name);
  if (found == variables.end())
    return sessionError(code::uninitialized,
                        "variable '" + name +
                            "' is read before it has a value");
  return found->second;
}

llvm::Error Interpreter::setVariable(StringRef name, Tensor value) {
  auto variable = module.lookupSymbol<VariableOp>(name);
  if (!variable)
    return sessionError(code::unknownVariable,
                        "there is no variable '" + name + "' (there is " +
                            namesOf<VariableOp>(module) + ")");
  if (std::string why =
          mismatch(cast<RankedTensorType>(variable.getType()), value);
      !why.empty())
    return sessionError(code::badVariable, "variable '" + name + "': " + why);
  variables[name] = std::move(value);
  return llvm::Error::success();
}

} // namespace weir

//===- weir-run-graphs.cpp - Runs many graphs in one process --------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The Weir side of the conformance tests: reads requests from standard input
// and writes answers, until the input ends. Protocol.h says what they are.
//
//===----------------------------------------------------------------------===//

#include "lib/Pipeline/Register.h"
#include "mlir/Pass/PassManager.h"
#include "test/conformance/runner/GraphRunner.h"
#include "llvm/Support/raw_ostream.h"

#include <iostream>

using namespace weir;
using namespace weir::conformance;

static llvm::json::Value answer(const std::string &line) {
  Request request;
  std::string why;
  if (!parseRequest(line, request, why))
    return toJson(rt::Status(WEIR_INVALID_ARGUMENT, why));
  GraphRunner runner;
  if (rt::Status status = runner.open(request); !status.ok())
    return toJson(status);
  llvm::json::Array groups;
  for (std::vector<RunRequest> &group : request.groups) {
    llvm::json::Array runs;
    for (const RunAnswer &run : runner.run(group))
      runs.push_back(toJson(run));
    groups.push_back(std::move(runs));
  }
  return llvm::json::Object{{"groups", std::move(groups)}};
}

int main() {
  registerAllPasses();
  mlir::registerPassManagerCLOptions(); // Running the phases looks at them.
  // Running the phases looks at them.
  mlir::registerPassManagerCLOptions();
  for (std::string line; std::getline(std::cin, line);)
    llvm::outs() << answer(line) << "\n", llvm::outs().flush();
  return 0;
}

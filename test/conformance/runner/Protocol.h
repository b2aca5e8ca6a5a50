//===- Protocol.h - Requests and answers of weir-run-graphs -----*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A request is one line of JSON:
//
//   {"graph": "file.pb" | "mlir": "text of a module", "entry": "main",
//    "mode": "interpret" | "compile" | "dataflow" | "tasks",
//    "groups": [[run, ...], ...]}
//   run = {"feeds": {"x:0": tensor or null}, "fetches": ["y:0"],
//          "targets": ["op"], "timeout_ms": 100,
//          "partial": {"what": "setup" or "run", "key": 1}}
//   tensor = {"dtype": 1, "shape": [2], "data": base64 of the bytes} or
//            {"dtype": 7, "shape": [2], "strings": [base64, ...]}
//
// Groups are carried out one after another on one session, the runs of a group
// at the same time. `dataflow`: compiled without raising control flow, run by
// the executor; `tasks`: that, with a kernel for each node. The answer is a
// line too: {"groups": [[{"values": [tensor]} or {"error": "text", "code":
// 3}]]}, or {"error", "code"} where the request as a whole has failed.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_TEST_CONFORMANCE_RUNNER_PROTOCOL_H
#define WEIR_TEST_CONFORMANCE_RUNNER_PROTOCOL_H

#include "runtime/base/Status.h"
#include "runtime/core/Tensor.h"
#include "llvm/Support/JSON.h"

#include <string>
#include <vector>

namespace weir::conformance {

/// A tensor of a request, which owns what its view points to.
struct FedTensor {
  std::string name;
  int32_t dtype = WEIR_DTYPE_INVALID;
  std::vector<int64_t> dims;
  std::string bytes;
  std::vector<std::string> strings;
  std::vector<WeirString> views;

  WeirView view();
};

struct RunRequest {
  std::vector<FedTensor> feeds;
  std::vector<std::string> fetches, targets;
  int64_t timeoutMs = 0;
  enum class Partial { None, Setup, Run } partial = Partial::None;
  int64_t partialKey = 0;
};

struct Request {
  std::string file, text, entry = "main", mode;
  std::vector<std::vector<RunRequest>> groups;
};

struct RunAnswer {
  rt::Status status;
  std::vector<rt::TensorRef> values;
};

/// False, with the reason in `why`, where the line is no request.
bool parseRequest(llvm::StringRef line, Request &request, std::string &why);

llvm::json::Value toJson(const RunAnswer &answer);
llvm::json::Value toJson(const rt::Status &status);

} // namespace weir::conformance

#endif // WEIR_TEST_CONFORMANCE_RUNNER_PROTOCOL_H

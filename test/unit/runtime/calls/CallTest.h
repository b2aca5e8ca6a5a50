//===- CallTest.h - Running the call of one node ----------------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A session of a program with variables and resources, and nodes on it that are
// carried out one at a time, without the executor: this executable has a
// WeirNodeCall::finish of its own. A call is destroyed as soon as it has ended,
// so that one that is used any longer is found.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_TEST_UNIT_RUNTIME_CALLS_CALLTEST_H
#define WEIR_TEST_UNIT_RUNTIME_CALLS_CALLTEST_H

#include "runtime/core/Session.h"
#include "runtime/executor/NodeCall.h"

#include <chrono>
#include <condition_variable>
#include <cstring>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace weir::rt::test {

using Dims = std::vector<int64_t>;
using Ints = std::vector<int64_t>;
using Floats = std::vector<float>;
using Texts = std::vector<std::string>;

TensorRef i32s(const Dims &dims, const std::vector<int32_t> &values);
TensorRef i64s(const Dims &dims, const Ints &values);
TensorRef f32s(const Dims &dims, const Floats &values);
TensorRef bools(const Dims &dims, const std::vector<uint8_t> &values);
TensorRef texts(const Dims &dims, const Texts &values);
inline TensorRef i32(int32_t value) { return i32s({}, {value}); }
inline TensorRef i64(int64_t value) { return i64s({}, {value}); }
inline TensorRef f32(float value) { return f32s({}, {value}); }
inline TensorRef text(const std::string &value) { return texts({}, {value}); }

/// Elements of i32, i64 or bool.
Ints intsOf(const TensorRef &tensor);
Floats floatsOf(const TensorRef &tensor);
Texts textsOf(const TensorRef &tensor);
Dims dimsOf(const TensorRef &tensor);

/// Variables: `w : tensor<2xf32>`, `n : tensor<i64>`. Resources: see
/// CallTest.cpp.
extern const WeirProgram callProgram;
enum CallResource : int32_t {
  kFifo,     ///< 'q': i64, capacity 2
  kPairs,    ///< 'pairs': i64, string; no bound
  kShuffle,  ///< 'shuffle': i64, seeds
  kPadding,  ///< 'padding': ?xi64
  kPriority, ///< 'priority': i64, f32
  kAnything, ///< 'anything': f32 of any shape
  kBarrier,  ///< 'b': i64, f32
  kMean,     ///< 'mean': 2xf32
  kSum,      ///< 'sum': f32 of any shape
  kReader    ///< 'r': no reader here
};

/// How a call ended, or that it waits.
class CallResult {
public:
  ~CallResult();
  void end(Status status, std::vector<TensorRef> outputs);
  bool waits();
  /// True when it ended in time.
  bool wait(std::chrono::milliseconds time = std::chrono::seconds(60));

  bool ok();
  /// The message, after a check of how it ended.
  std::string error(WeirCode code = WEIR_INVALID_ARGUMENT);
  TensorRef output(size_t index = 0);

private:
  std::mutex mutex;
  std::condition_variable changed;
  int endings = 0;
  Status status;
  std::vector<TensorRef> outputs;
};

/// A node and the operands of its call.
class Node {
public:
  explicit Node(WeirNodeFn call) {
    desc.index = -1;
    desc.name = "'node' at t:1";
    desc.call = call;
  }
  Node &in(TensorRef value) {
    inputs.push_back(std::move(value));
    return *this;
  }
  Node &out(int32_t dtype, const Dims &dims);
  /// An output of unknown rank.
  Node &out(int32_t dtype);
  Node &number(int64_t value) {
    numbers.push_back(value);
    return *this;
  }
  Node &text(const std::string &value) {
    textValues.push_back(value);
    return *this;
  }
  Node &index(int32_t value) {
    desc.index = value;
    return *this;
  }
  Node &kernel(WeirEntryFn fn) {
    desc.kernel = fn;
    return *this;
  }

private:
  friend class CallTest;
  WeirNodeDesc desc = {};
  std::vector<TensorRef> inputs;
  std::vector<Dims> outputDims;
  std::vector<std::pair<int32_t, int32_t>> outputTypes;
  std::vector<WeirTensorDesc> outputs;
  std::vector<int64_t> numbers;
  Texts textValues;
  std::vector<WeirString> textViews;
};

class CallTest : public testing::Test {
protected:
  CallTest();
  ~CallTest() override;

  TensorRef handle(int32_t resource, WeirSession *of = nullptr);
  TensorRef variable(int32_t index, WeirSession *of = nullptr);

  /// Carries the node out; it may wait. The node is copied.
  std::shared_ptr<CallResult> start(Node node,
                                    CancellationToken *under = nullptr);
  /// For a node that does not wait: its result, which is expected to be right.
  TensorRef run(Node node, size_t output = 0);
  /// The message of one that fails.
  std::string fail(Node node, WeirCode code = WEIR_INVALID_ARGUMENT);

  WeirSession *session = nullptr;
  StepResources resources;
  CancellationToken token;
  /// Nodes of calls, which stay as long as the program would.
  std::mutex nodesMutex;
  std::vector<std::unique_ptr<Node>> nodes;
};

} // namespace weir::rt::test

#endif // WEIR_TEST_UNIT_RUNTIME_CALLS_CALLTEST_H

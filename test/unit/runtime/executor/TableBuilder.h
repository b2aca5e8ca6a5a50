//===- TableBuilder.h - Tables of nodes for tests ---------------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes programs of one entry, "step", as the compiler would. All values are
// scalars; the type of an output is told by its dtype.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_TEST_UNIT_RUNTIME_EXECUTOR_TABLEBUILDER_H
#define WEIR_TEST_UNIT_RUNTIME_EXECUTOR_TABLEBUILDER_H

#include "weir-c/dataflow.h"
#include "weir-c/session.h"

#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace weir::rt::test {

class TableBuilder {
public:
  /// A node, or what it makes (output 0 unless told otherwise).
  struct Ref {
    int32_t node;
    int32_t output;
    Ref at(int32_t other) const { return {node, other}; }
  };

  TableBuilder() { frame("graph", -1, 1); }

  Ref constant(float value) { return add(WEIR_F32, &value, sizeof(value)); }
  Ref constant(int32_t value) { return add(WEIR_I32, &value, sizeof(value)); }
  Ref constant(bool value) { return add(WEIR_BOOL, &value, sizeof(value)); }

  /// A frame within `parent`.
  int32_t frame(const std::string &name, int32_t parent,
                int32_t parallelIterations = 10);

  Ref feed(const std::string &name, int32_t dtype = WEIR_F32);
  Ref fetch(Ref value, const std::string &name, std::vector<Ref> controls = {});
  /// A control edge on the node itself, not on its output, has output -1.
  static Ref ran(Ref node) { return {node.node, -1}; }

  Ref noOp(const std::string &name, std::vector<Ref> controls,
           int32_t frame = 0);
  Ref trigger(const std::string &name, std::vector<Ref> controls);
  Ref kernel(const std::string &name, WeirEntryFn fn, std::vector<Ref> inputs,
             int32_t dtype = WEIR_F32, int32_t frame = 0,
             std::vector<Ref> controls = {}, int32_t outputs = 1);
  Ref call(const std::string &name, WeirNodeFn fn, std::vector<Ref> inputs,
           std::vector<int32_t> dtypes, std::vector<Ref> controls = {},
           int32_t frame = 0, int32_t index = -1);
  /// The update that a call applies.
  void setKernel(Ref call, WeirEntryFn kernel) {
    nodes[static_cast<size_t>(call.node)].kernel = kernel;
  }
  Ref identity(const std::string &name, Ref input, int32_t frame = 0,
               std::vector<Ref> controls = {});
  Ref switchOn(const std::string &name, Ref value, Ref predicate,
               int32_t frame = 0, int32_t outputs = 2);
  Ref merge(const std::string &name, std::vector<Ref> inputs, int32_t frame = 0,
            std::vector<Ref> controls = {});
  /// Into `frame`, whose parent is known.
  Ref enter(const std::string &name, Ref input, int32_t frame,
            bool isInvariant = false);
  Ref exit(const std::string &name, Ref input, int32_t frame);
  Ref next(const std::string &name, Ref input, int32_t frame);
  /// Sends `value`, or that `controls` ran, as `tensor`. Devices by number.
  Ref send(const std::string &tensor, std::vector<Ref> value, int32_t from,
           int32_t to, std::vector<Ref> controls = {});
  /// Receives it; a control edge for dtype 0.
  Ref receive(const std::string &tensor, int32_t from, int32_t to,
              int32_t dtype = WEIR_F32);
  /// "/job:localhost/replica:0/task:0/device:CPU:1".
  static std::string device(int32_t number, const std::string &type = "CPU");
  /// Makes `input` (of a merge, made with one more input) the value of `from`.
  void setInput(Ref node, int32_t input, Ref from) {
    nodes[static_cast<size_t>(node.node)].inputs[static_cast<size_t>(input)] = {
        from.node, from.output};
  }

  /// while (less(i, limit)) i = i + 1: exits with i. `limit` is of the parent.
  Ref countingLoop(const std::string &name, Ref start, Ref limit,
                   int32_t parent, int32_t parallelIterations = 10);

  /// The tables as they are now; valid until the builder is changed.
  const WeirProgram &program();
  WeirNodeDesc *table() { return descs.data(); }
  WeirDataflow &dataflow() { return flow; }
  /// The entry of program().
  WeirEntryDesc &desc() { return entry; }
  std::vector<WeirFrameDesc> frames;

private:
  struct Node {
    std::string name;
    int32_t kind, index, frame;
    std::vector<WeirEdge> inputs = {}, controls = {};
    std::vector<WeirTensorDesc> outputs = {};
    WeirEntryFn kernel = nullptr;
    WeirNodeFn call = nullptr;
    std::vector<int64_t> numbers = {};
    std::vector<WeirString> texts = {};
  };
  WeirString text(const std::string &value);

  Ref add(int32_t dtype, const void *value, size_t size);
  Ref add(Node node, const std::vector<Ref> &inputs,
          const std::vector<Ref> &controls, const std::vector<int32_t> &dtypes);
  int32_t dtypeOf(Ref value) const;

  std::deque<std::string> names;
  std::deque<std::vector<char>> memory;
  std::vector<WeirView> constants;
  std::deque<Node> nodes;
  std::vector<WeirTensorDesc> feeds, fetches;

  std::vector<WeirNodeDesc> descs;
  WeirDataflow flow = {};
  WeirEntryDesc entry = {};
  WeirProgram made = {};
};

// ---- Kernels on scalars: f32 + f32, f32 * f32, i32 + 1, i32 < i32, f32 > 0.
int32_t addKernel(WeirStep *step);
int32_t mulKernel(WeirStep *step);
int32_t incrementKernel(WeirStep *step);
int32_t lessKernel(WeirStep *step);
int32_t positiveKernel(WeirStep *step);
/// Fails with INVALID_ARGUMENT, "no luck".
int32_t failingKernel(WeirStep *step);

/// A program of an entry "step" (number 0) that is spread over parts, which are
/// entries behind it.
class SpreadBuilder {
public:
  /// The next part.
  TableBuilder &part(const std::string &device);
  /// A part that is a straight line of no feeds and one fetch.
  void straightPart(WeirEntryFn fn, const std::string &fetch,
                    const std::string &device);
  /// The whole has the feeds and fetches of the parts, each name once.
  const WeirProgram &program();

  std::vector<const WeirDeviceKind *> kinds;
  std::vector<WeirTensorDesc> variables;
  std::vector<WeirEntryDesc> entries;
  std::vector<WeirPartDesc> parts;

private:
  struct Part {
    TableBuilder table;
    WeirEntryDesc straight = {};
    WeirTensorDesc fetch = {};
    std::string device, name, fetchName;
    std::vector<int32_t> feeds, fetches;
  };
  std::deque<Part> list;
  std::vector<WeirTensorDesc> feeds, fetches;
  WeirProgram made = {};
};

/// A session on a builder's program, and a short way to run it.
class TestSession {
public:
  explicit TestSession(TableBuilder &builder)
      : TestSession(builder.program()) {}
  explicit TestSession(SpreadBuilder &builder)
      : TestSession(builder.program()) {}
  explicit TestSession(const WeirProgram &program);
  ~TestSession();

  /// Runs a step with scalar f32 feeds; fills `status`.
  int32_t run(const std::vector<float> &feeds,
              const WeirRunOptions *options = nullptr);
  float number(size_t fetch = 0) const;
  int32_t integer(size_t fetch = 0) const;
  bool says(const std::string &part) const {
    return message().find(part) != std::string::npos;
  }
  std::string message() const { return status.message ? status.message : ""; }

  WeirSession *session = nullptr;
  WeirStatus status = WEIR_STATUS_INIT;

private:
  void release();
  const WeirProgram &program;
  std::vector<WeirTensor *> fetches;
};

} // namespace weir::rt::test

#endif // WEIR_TEST_UNIT_RUNTIME_EXECUTOR_TABLEBUILDER_H

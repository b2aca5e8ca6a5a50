//===- Graph.h - Building modules from Python -*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What tracing speaks to: a builder of one module, and handles of values in it.
// No MLIR type is seen by Python. A builder is used by one thread at a time,
// with the GIL held.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_PYTHON_GRAPH_H
#define WEIR_PYTHON_GRAPH_H

#include "dialects/Weir/DTypes.h"
#include "lib/Driver/Driver.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "python_bindings/src/Errors.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace weir {
class GraphOp;
}

namespace weir::python {

/// How many graphs this thread is building. While it is not 0, calling a
/// compiled function inlines it into the graph.
inline thread_local int tracing = 0;

/// A value of a graph under construction. Valid while its builder is.
struct ValueHandle {
  mlir::Value value;
};

/// Python's (dtype number, extents) with -1 for what is known at run time only.
struct TypeSpec {
  int32_t dtype = WEIR_DTYPE_INVALID;
  std::vector<int64_t> dims;
};

mlir::Type elementType(mlir::MLIRContext &context, int32_t dtype);
mlir::RankedTensorType tensorType(mlir::MLIRContext &context,
                                  const TypeSpec &spec);

/// A Python value as an attribute: bool → unit or nothing, int → i64, float →
/// f64, str → string, a sequence of ints → array<i64>, of strings → array;
/// the tagged pairs ("symbol", name), ("dtype", n), ("type", (n, dims)),
/// ("enum", text) → what they say. Null for what becomes no attribute.
mlir::Attribute attributeFrom(mlir::MLIRContext &context, nb::handle value);

class GraphBuilder {
public:
  explicit GraphBuilder(const std::string &name);
  ~GraphBuilder();
  GraphBuilder(const GraphBuilder &) = delete;
  GraphBuilder &operator=(const GraphBuilder &) = delete;

  void variable(const std::string &name, const TypeSpec &type,
                const Place &place);

  /// Begins an entry point; its feeds as values. Graphs do not nest.
  std::vector<ValueHandle> beginGraph(const std::string &name,
                                      const std::vector<std::string> &names,
                                      const std::vector<TypeSpec> &types,
                                      const Place &place);
  void endGraph(const std::vector<ValueHandle> &fetches,
                const std::vector<std::string> &names,
                const std::vector<ValueHandle> &controls, const Place &place);
  /// Drops the graph begun, because the function that makes it failed.
  void abandonGraph();

  /// Makes a node and checks it. Result types are inferred unless given; a
  /// type without a dtype (0) is that of a control edge. `segments` are the
  /// counts of operands, for ops with several groups of them.
  std::vector<ValueHandle>
  op(const std::string &name, const std::vector<ValueHandle> &operands,
     nb::dict attributes, const std::vector<int32_t> &segments,
     std::optional<std::vector<TypeSpec>> results, const Place &place);
  /// A constant of a C-contiguous NumPy array.
  ValueHandle constant(nb::handle array, const Place &place);
  /// The device that what is made from now on asks for; "" for none.
  void setDevice(const std::string &name) { device = name; }
  /// Gives the node of a value the user's name.
  void name(ValueHandle value, const std::string &name);

  /// The module, verified. The builder is of no more use.
  std::shared_ptr<Program> finish();

private:
  mlir::Location location(const Place &place);
  mlir::Operation *create(mlir::OperationState &state, const Place &place);
  void requireGraph() const;

  std::unique_ptr<Program> program;
  mlir::OpBuilder builder;
  mlir::Operation *graph = nullptr;
  std::string device;
};

} // namespace weir::python

#endif // WEIR_PYTHON_GRAPH_H

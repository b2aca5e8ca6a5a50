//===- Graph.cpp - Building modules from Python -*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "python_bindings/src/Graph.h"

#include "dialects/Weir/Weir.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "python_bindings/src/Arrays.h"
#include "llvm/Support/Threading.h"

#include <cstring>

using namespace mlir;

namespace weir::python {

namespace {

/// Takes the errors that this thread makes while it lives.
class Capture {
public:
  explicit Capture(MLIRContext &context)
      : handler(&context,
                [this, thread = llvm::get_threadid()](Diagnostic &diagnostic) {
                  if (llvm::get_threadid() != thread ||
                      diagnostic.getSeverity() != DiagnosticSeverity::Error)
                    return failure();
                  if (text.empty())
                    take(diagnostic);
                  return success();
                }) {}

  /// Raises what was taken, at the place given.
  [[noreturn]] void raise(const Place &place) {
    python::raise(text.empty() ? "[WEIR0513] the node cannot be made"
                               : std::move(text),
                  place, notes);
  }

private:
  /// "'weir.matmul' op [WEIR0021] x" becomes "[WEIR0021] matmul: x".
  void take(Diagnostic &diagnostic) {
    std::string all = diagnostic.str();
    StringRef rest = all;
    std::string op, code;
    if (rest.consume_front("'weir.")) {
      auto [name, tail] = rest.split("' op ");
      op = name.str() + ": ";
      rest = tail;
    }
    if (rest.starts_with("[WEIR")) {
      auto [number, tail] = rest.split("] ");
      code = number.str() + "] ";
      rest = tail;
    }
    text = code + op + rest.str();
    for (Diagnostic &note : diagnostic.getNotes())
      notes += (notes.empty() ? "note: " : "\nnote: ") + note.str();
  }

  std::string text, notes;
  ScopedDiagnosticHandler handler;
};

/// The properties of an op before there is one, for type inference.
class PropertyStorage {
public:
  explicit PropertyStorage(RegisteredOperationName name) : name(name) {
    size_t size = name.getOpPropertyByteSize();
    if (size == 0)
      return;
    // Vectors keep their storage aligned for any fundamental type.
    bytes.resize(size);
    name.initOpProperties(get(), nullptr);
  }
  ~PropertyStorage() {
    if (!bytes.empty())
      name.destroyOpProperties(get());
  }
  PropertyStorage(const PropertyStorage &) = delete;
  PropertyStorage &operator=(const PropertyStorage &) = delete;

  OpaqueProperties get() {
    return OpaqueProperties(bytes.empty() ? nullptr : bytes.data());
  }

private:
  RegisteredOperationName name;
  std::vector<char> bytes;
};

} // namespace

static LogicalResult inferTypes(OperationState &state,
                                RegisteredOperationName name) {
  auto *interface = name.getInterface<InferTypeOpInterface>();
  if (!interface)
    return emitError(state.location)
           << "'" << name.getStringRef()
           << "' op [WEIR0513] has no rule for its result types";
  MLIRContext *context = state.getContext();
  DictionaryAttr attributes = state.attributes.getDictionary(context);
  PropertyStorage properties(name);
  auto error = [&] {
    return emitError(state.location) << "'" << name.getStringRef() << "' op ";
  };
  if (properties.get()) {
    name.populateDefaultProperties(properties.get());
    if (failed(name.setOpPropertiesFromAttribute(name, properties.get(),
                                                 attributes, error)))
      return failure();
  }
  return interface->inferReturnTypes(context, state.location, state.operands,
                                     attributes, properties.get(), {},
                                     state.types);
}

GraphBuilder::GraphBuilder(const std::string &name)
    : program(Program::create(name)), builder(&program->context()) {
  program->context().getOrLoadDialect<WeirDialect>();
}

GraphBuilder::~GraphBuilder() {
  if (graph)
    --tracing;
}

Location GraphBuilder::location(const Place &place) {
  if (place.line == 0)
    return builder.getUnknownLoc();
  return FileLineColLoc::get(builder.getContext(), place.file, place.line,
                             place.column);
}

void GraphBuilder::requireGraph() const {
  if (!graph)
    raise("[WEIR0504] the graph that this tensor belongs to is finished");
}

Operation *GraphBuilder::create(OperationState &state, const Place &place) {
  Capture capture(program->context());
  auto name = state.name.getRegisteredInfo();
  if (!name)
    raise("[WEIR0513] there is no op '" + state.name.getStringRef().str() + "'",
          place);
  if (state.types.empty() && name->hasInterface<InferTypeOpInterface>() &&
      failed(inferTypes(state, *name)))
    capture.raise(place);
  Operation *op = builder.create(state);
  if (!device.empty() && !isa<ConstantOp>(op))
    op->setAttr(WeirDialect::getDeviceAttrName(),
                builder.getStringAttr(device));
  if (failed(name->verifyInvariants(op))) {
    op->erase();
    capture.raise(place);
  }
  return op;
}

void GraphBuilder::variable(const std::string &name, const TypeSpec &type,
                            const Place &place) {
  OpBuilder::InsertionGuard guard(builder);
  // Variables stand before the graphs, in the order in which they are met.
  Operation *before = graph;
  for (Operation &op : *program->module().getBody())
    if (isa<GraphOp>(op)) {
      before = &op;
      break;
    }
  if (before)
    builder.setInsertionPoint(before);
  else
    builder.setInsertionPointToEnd(program->module().getBody());
  OperationState state(location(place), VariableOp::getOperationName());
  state.addAttribute("sym_name", builder.getStringAttr(name));
  state.addAttribute("type",
                     TypeAttr::get(tensorType(program->context(), type)));
  create(state, place);
}

std::vector<ValueHandle> GraphBuilder::beginGraph(
    const std::string &name, const std::vector<std::string> &names,
    const std::vector<TypeSpec> &types, const Place &place) {
  if (graph)
    raise("[WEIR0513] a graph is begun inside another", place);
  Location where = location(place);
  SmallVector<Type> inputs;
  SmallVector<Attribute> attributes;
  SmallVector<Location> locations;
  for (auto [feed, type] : llvm::zip_equal(names, types)) {
    inputs.push_back(tensorType(program->context(), type));
    attributes.push_back(builder.getDictionaryAttr(builder.getNamedAttr(
        WeirDialect::getNameAttrName(), builder.getStringAttr(feed))));
    locations.push_back(where);
  }
  OperationState state(where, GraphOp::getOperationName());
  state.addAttribute("sym_name", builder.getStringAttr(name));
  state.addAttribute("function_type",
                     TypeAttr::get(builder.getFunctionType(inputs, {})));
  if (!attributes.empty())
    state.addAttribute("arg_attrs", builder.getArrayAttr(attributes));
  Block *block = new Block;
  state.addRegion()->push_back(block);
  block->addArguments(inputs, locations);
  builder.setInsertionPointToEnd(program->module().getBody());
  graph = builder.create(state);
  builder.setInsertionPointToEnd(block);
  ++tracing;
  std::vector<ValueHandle> values;
  for (Value argument : block->getArguments())
    values.push_back({argument});
  return values;
}

void GraphBuilder::endGraph(const std::vector<ValueHandle> &fetches,
                            const std::vector<std::string> &names,
                            const std::vector<ValueHandle> &controls,
                            const Place &place) {
  requireGraph();
  auto op = cast<GraphOp>(graph);
  OperationState state(location(place), FetchOp::getOperationName());
  SmallVector<Attribute> attributes;
  SmallVector<Type> types;
  for (auto [fetch, name] : llvm::zip_equal(fetches, names)) {
    state.operands.push_back(fetch.value);
    types.push_back(fetch.value.getType());
    attributes.push_back(builder.getDictionaryAttr(builder.getNamedAttr(
        WeirDialect::getNameAttrName(), builder.getStringAttr(name))));
  }
  for (ValueHandle control : controls)
    state.operands.push_back(control.value);
  state.addAttribute(
      "operandSegmentSizes",
      builder.getDenseI32ArrayAttr({static_cast<int32_t>(fetches.size()),
                                    static_cast<int32_t>(controls.size())}));
  op.setFunctionType(builder.getFunctionType(op.getArgumentTypes(), types));
  if (!attributes.empty())
    op.setResAttrsAttr(builder.getArrayAttr(attributes));
  create(state, place);
  graph = nullptr;
  --tracing;
}

void GraphBuilder::abandonGraph() {
  if (!graph)
    return;
  graph->erase();
  graph = nullptr;
  --tracing;
}

std::vector<ValueHandle> GraphBuilder::op(
    const std::string &name, const std::vector<ValueHandle> &operands,
    nb::dict attributes, const std::vector<int32_t> &segments,
    std::optional<std::vector<TypeSpec>> results, const Place &place) {
  requireGraph();
  MLIRContext &context = program->context();
  OperationState state(location(place), name);
  for (ValueHandle operand : operands)
    state.operands.push_back(operand.value);
  for (auto [key, value] : attributes)
    if (Attribute attribute = attributeFrom(context, value))
      state.addAttribute(nb::cast<std::string>(key), attribute);
  if (!segments.empty())
    state.addAttribute("operandSegmentSizes",
                       builder.getDenseI32ArrayAttr(segments));
  if (results)
    for (const TypeSpec &type : *results)
      state.types.push_back(type.dtype ? Type(tensorType(context, type))
                                       : ControlType::get(&context));
  std::vector<ValueHandle> values;
  for (Value result : create(state, place)->getResults())
    values.push_back({result});
  return values;
}

ValueHandle GraphBuilder::constant(nb::handle array, const Place &place) {
  requireGraph();
  ArrayView view(array.ptr());
  TypeSpec spec{view.dtype,
                std::vector<int64_t>(view.dims, view.dims + view.rank)};
  RankedTensorType type = tensorType(program->context(), spec);
  size_t size = view.elementSize, bytes = size * type.getNumElements();
  const char *data = static_cast<const char *>(view.data);
  // Equal elements are kept once: a variable's zeros do not swell the file.
  bool splat =
      bytes > size && std::memcmp(data, data + size, bytes - size) == 0;
  DenseElementsAttr value;
  if (view.dtype == WEIR_BOOL) {
    SmallVector<bool> elements(data, data + (splat ? 1 : bytes));
    value = DenseElementsAttr::get(type, elements);
  } else {
    value = DenseElementsAttr::getFromRawBuffer(
        type, ArrayRef<char>(data, splat ? size : bytes));
  }
  OperationState state(location(place), ConstantOp::getOperationName());
  state.addAttribute("value", value);
  state.addTypes(type);
  return {create(state, place)->getResult(0)};
}

void GraphBuilder::name(ValueHandle handle, const std::string &name) {
  requireGraph();
  if (Operation *op = handle.value.getDefiningOp())
    op->setAttr(WeirDialect::getNameAttrName(), builder.getStringAttr(name));
}

std::shared_ptr<Program> GraphBuilder::finish() {
  Messages messages;
  if (!program->verify(messages))
    raise(messages);
  return std::move(program);
}

} // namespace weir::python

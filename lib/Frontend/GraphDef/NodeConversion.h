//===- NodeConversion.h - What a converter of one op works with - C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A converter is a function from a node to weir nodes, one row in a table by op
// name (Convert/Converters.h). It takes inputs, makes nodes, and gives outputs.
// It fails with a reason where the node is none that Weir has; what it had made
// is removed then, and the node becomes weir.foreign. A null value in is a null
// value out, so that converters are written as expressions and check once, in
// output().
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_FRONTEND_GRAPHDEF_NODECONVERSION_H
#define WEIR_LIB_FRONTEND_GRAPHDEF_NODECONVERSION_H

#include "dialects/Weir/Builders.h"
#include "lib/Frontend/GraphDef/Converter.h"

namespace weir::graphdef {

using mlir::LogicalResult;
using mlir::Value;

class NodeConversion {
public:
  NodeConversion(Converter &converter, int index);

  const Node &node;
  const int index;
  mlir::OpBuilder &builder;
  const mlir::Location loc;

  // ---- Inputs.
  unsigned inputCount() const {
    return static_cast<unsigned>(node.inputs.size());
  }
  const Node &inputNode(unsigned i) const {
    return converter.graph[node.inputs[i].node];
  }
  /// Tensor or handle; a variable that is given by reference is read.
  Value input(unsigned i);
  /// A tensor of known rank, else null and a reason.
  Value tensor(unsigned i);
  /// A tensor, of unknown rank too.
  Value anyTensor(unsigned i);
  Value handle(unsigned i);
  /// The inputs from `first` to `end` (excluded).
  llvm::SmallVector<Value> tensors(unsigned first, unsigned end);
  /// The output that input `i` is, a reference not read.
  const Output *rawInput(unsigned i);

  // ---- Inputs that have to be known.
  std::optional<Tensor> constant(unsigned i);
  /// Of integers, flattened.
  std::optional<llvm::SmallVector<int64_t>> integers(unsigned i);
  std::optional<int64_t> integer(unsigned i);
  std::optional<std::vector<std::string>> strings(unsigned i);
  std::optional<double> number(unsigned i);
  bool isConstant(unsigned i);
  mlir::ElementsAttr constantOf(Value value) const {
    return converter.constantOf(value);
  }

  // ---- Making nodes.
  template <typename OpT>
  Value make(mlir::ValueRange operands,
             llvm::ArrayRef<mlir::NamedAttribute> attrs = {}) {
    mlir::Operation *op =
        makePure(OpT::getOperationName(), operands, attrs, &inferOf<OpT>);
    return op ? op->getResult(0) : Value();
  }
  /// The same as output 0.
  template <typename OpT>
  LogicalResult emit(mlir::ValueRange operands,
                     llvm::ArrayRef<mlir::NamedAttribute> attrs = {}) {
    return output(make<OpT>(operands, attrs));
  }
  /// A node with effects; `types` without the control result, which it has.
  template <typename OpT>
  mlir::Operation *
  makeStateful(mlir::ValueRange operands, mlir::TypeRange types,
               llvm::ArrayRef<mlir::NamedAttribute> attrs = {}) {
    int segments = 0;
    if constexpr (OpT::template hasTrait<
                      mlir::OpTrait::AttrSizedOperandSegments>())
      segments = std::tuple_size_v<std::decay_t<
          decltype(typename OpT::Properties().operandSegmentSizes)>>;
    llvm::SmallVector<mlir::Type> all(types);
    all.push_back(ControlType::get(builder.getContext()));
    return makeOp(OpT::getOperationName(), operands, all, attrs, segments);
  }
  /// Reads a variable that is given by reference.
  Value read(const Output &output);
  Value constant(mlir::ElementsAttr value);
  Value constantInts(llvm::ArrayRef<int64_t> values,
                     mlir::RankedTensorType type);
  /// A scalar of the element type of `like`.
  Value scalarLike(Value like, double value);
  Value compare(Value a, Value b, ComparePredicate predicate);
  Value cast(Value x, mlir::Type to);
  Value reshape(Value x, llvm::ArrayRef<int64_t> shape);
  /// `op` waits for `value` although it does not take it.
  void waitFor(mlir::Operation *op, Value value);

  // ---- Outputs.
  LogicalResult output(Value value);
  /// A constant that is there once `value` is.
  LogicalResult outputBehind(Value constant, Value value);
  /// The results of a stateful node but its control result.
  LogicalResult outputsOf(mlir::Operation *op);
  LogicalResult outputRef(Value handle, Value after);
  void setControl(Value control) { this->control = control; }
  LogicalResult fail(const llvm::Twine &reason);
  /// The same for a node that is wrong, not one that Weir does not have.
  LogicalResult failInvalid(const llvm::Twine &why) {
    isInvalid = reason.empty();
    return fail(why);
  }
  /// Runs the converter of an op that only moves elements for the places of
  /// strings, which are integers, and moves the strings so.
  LogicalResult moveStrings(LogicalResult (*converter)(NodeConversion &));
  /// Takes back the last output, which is only a step to what the node gives.
  Value takeOutput() { return outputs.pop_back_val().value; }

  // ---- Attributes and types.
  mlir::NamedAttribute attr(llvm::StringRef name, mlir::Attribute value) {
    return builder.getNamedAttr(name, value);
  }
  mlir::NamedAttribute i64(llvm::StringRef name, int64_t value) {
    return attr(name, builder.getI64IntegerAttr(value));
  }
  mlir::NamedAttribute array(llvm::StringRef name,
                             llvm::ArrayRef<int64_t> value) {
    return attr(name, builder.getDenseI64ArrayAttr(value));
  }
  mlir::NamedAttribute type(llvm::StringRef name, mlir::Type value) {
    return attr(name, mlir::TypeAttr::get(value));
  }
  mlir::NamedAttribute text(llvm::StringRef name, llvm::StringRef value) {
    return attr(name, builder.getStringAttr(value));
  }
  mlir::NamedAttribute unit(llvm::StringRef name) {
    return attr(name, builder.getUnitAttr());
  }
  /// Null, with a reason, where Weir has no such element type.
  mlir::Type elementType(pb::DataType type);
  mlir::Type elementTypeAttr(const char *name);
  /// The type of `element` elements that a shape says; of unknown rank where it
  /// says nothing.
  mlir::TensorType tensorType(const pb::TensorShapeProto *shape,
                              mlir::Type element);
  mlir::RankedTensorType scalarType(mlir::Type element) {
    return mlir::RankedTensorType::get({}, element);
  }
  static mlir::RankedTensorType typeOf(Value x) {
    return llvm::cast<mlir::RankedTensorType>(x.getType());
  }
  static mlir::Type elementOf(Value x) {
    return llvm::cast<mlir::TensorType>(x.getType()).getElementType();
  }
  /// -1 counts from the end; nothing, with a reason, outside of the rank.
  std::optional<int64_t> axis(int64_t axis, int64_t rank);

  // ---- State.
  /// A variable that input `i` names, by handle or reference.
  struct Variable {
    Value handle;
    /// Its declaration, where that is known.
    VariableOp declaration;
    /// The handle is the declaration's, so that nodes can name its symbol.
    bool isDirect = false;
    /// What accesses wait for: a control value, and a value.
    Value after, behind;
  };
  std::optional<Variable> variable(unsigned i);
  Value readVariable(const Variable &variable, mlir::Type element);
  /// An access by symbol or by handle, and its result types but the control.
  template <typename BySymbolT, typename ByHandleT>
  mlir::Operation *access(const Variable &variable, mlir::ValueRange operands,
                          mlir::TypeRange types,
                          llvm::ArrayRef<mlir::NamedAttribute> attrs = {}) {
    llvm::SmallVector<mlir::NamedAttribute> all(attrs);
    mlir::Operation *op;
    if (variable.isDirect) {
      all.push_back(attr("variable", symbolOf(variable)));
      op = makeStateful<BySymbolT>(operands, types, all);
    } else {
      llvm::SmallVector<Value> withHandle{variable.handle};
      llvm::append_range(withHandle, operands);
      op = makeStateful<ByHandleT>(withHandle, types, all);
    }
    waitForVariable(op, variable);
    return op;
  }
  /// Waits for several control values as one.
  Value join(llvm::ArrayRef<Value> controls);
  /// Declares state under the name that the node's attributes give it; the
  /// same again for one that is there. Null, with a reason, where what is there
  /// is something else.
  mlir::Operation *declare(mlir::Operation *declaration, bool isRef = false);
  /// The capacity of the staging area that the node is about: that of the first
  /// Stage of its name in the whole graph.
  std::optional<int64_t> stagingCapacity() const;
  /// The type of the variable that output `port` is assigned to, or null.
  mlir::Type assignedType(int port);
  std::string stateName() const;
  /// The same as a symbol: state of different kinds may share a name.
  std::string stateSymbol(const std::string &kind) const;
  /// Where declarations go.
  mlir::OpBuilder declarationBuilder() const;
  /// The declaration that a handle means, where that is known.
  mlir::Operation *declarationOf(Value handle);
  Facts &factsOf(Value value);
  Converter &getConverter() { return converter; }
  bool hasFunction(llvm::StringRef name) const {
    return converter.graph.findFunction(name) != nullptr;
  }
  /// What the state that `handle` names holds, from other rounds; or null.
  mlir::Type contentOf(Value handle);
  void addContent(Value handle, mlir::Type type);
  /// The same for an element, which may be a list or another handle.
  void addElement(Value list, Value element);
  /// `element` was taken out of the list: what it names is what was put in.
  void takeElement(Value list, Value element);
  /// The type that a Merge has turned out to have, or null.
  mlir::Type mergeType();
  /// Why a Merge has no type; empty where it has one.
  std::string whyBroken() const {
    auto it = converter.brokenMerges.find(index);
    return it == converter.brokenMerges.end() ? "" : it->second;
  }
  void noteBackEdges() { converter.backEdges.push_back(index); }
  /// The type of the feed, and its argument.
  LogicalResult feed();
  /// How many outputs of the node are consumed, at least.
  int outputUses() const { return converter.uses[index]; }

private:
  friend class Converter;

  mlir::FlatSymbolRefAttr symbolOf(const Variable &variable);
  void waitForVariable(mlir::Operation *op, const Variable &variable);

  using Infer = LogicalResult (*)(mlir::OperationState &,
                                  llvm::SmallVectorImpl<mlir::Type> &);
  template <typename OpT>
  static LogicalResult inferOf(mlir::OperationState &state,
                               llvm::SmallVectorImpl<mlir::Type> &types) {
    typename OpT::Properties properties;
    OpT::populateDefaultProperties(state.name, properties);
    mlir::DictionaryAttr attrs =
        state.attributes.getDictionary(state.getContext());
    auto error = [&] { return mlir::emitError(state.location); };
    if (mlir::failed(OpT::setPropertiesFromAttr(properties, attrs, error)))
      return mlir::failure();
    if constexpr (OpT::template hasTrait<
                      mlir::OpTrait::AttrSizedOperandSegments>()) {
      properties.operandSegmentSizes.fill(0);
      properties.operandSegmentSizes[0] =
          static_cast<int32_t>(state.operands.size());
    }
    return OpT::inferReturnTypes(state.getContext(), state.location,
                                 state.operands, attrs, &properties, {}, types);
  }
  /// `segments`: how many lists of operands the op has, the last of which are
  /// its control operands; 0 where it keeps no count of them.
  mlir::Operation *makeOp(llvm::StringRef name, mlir::ValueRange operands,
                          mlir::TypeRange types,
                          llvm::ArrayRef<mlir::NamedAttribute> attrs,
                          int segments);
  mlir::Operation *makePure(llvm::StringRef name, mlir::ValueRange operands,
                            llvm::ArrayRef<mlir::NamedAttribute> attrs,
                            Infer infer);

  Converter &converter;
  std::vector<mlir::Operation *> created;
  llvm::SmallVector<Output, 2> outputs;
  Value control;
  std::string reason;
  bool cascade = false, isInvalid = false;
  llvm::DenseMap<unsigned, Value> inputs;
};

} // namespace weir::graphdef

#endif // WEIR_LIB_FRONTEND_GRAPHDEF_NODECONVERSION_H

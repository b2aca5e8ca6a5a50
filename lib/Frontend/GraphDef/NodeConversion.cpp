//===- NodeConversion.cpp - What a converter of one op works with -------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Frontend/GraphDef/NodeConversion.h"

#include "dialects/Weir/DTypes.h"
#include "dialects/Weir/Shape.h"
#include "lib/Frontend/GraphDef/OpTable.h"
#include "mlir/IR/Verifier.h"
#include "runtime/base/Format.h"

using namespace weir;
using namespace weir::graphdef;
using mlir::Operation;
using mlir::Type;

NodeConversion::NodeConversion(Converter &converter, int index)
    : node(converter.graph[index]), index(index), builder(converter.builder),
      loc(converter.locationOf(node)), converter(converter) {
  builder.setInsertionPointToEnd(converter.body);
}

LogicalResult NodeConversion::fail(const llvm::Twine &why) {
  if (reason.empty())
    reason = why.str();
  return mlir::failure();
}

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

const Output *NodeConversion::rawInput(unsigned i) {
  if (i >= inputCount()) {
    (void)failInvalid(rt::str("it has ", inputCount(), " inputs, but input ", i,
                              " is needed"));
    return nullptr;
  }
  Edge edge = node.inputs[i];
  const Converter::Converted &from = converter.converted[edge.node];
  if (!from.done || edge.port >= static_cast<int>(from.outputs.size())) {
    (void)failInvalid(rt::str("input ", i, " is output ", edge.port,
                              " of node ", describe(converter.graph[edge.node]),
                              ", which has ", from.outputs.size()));
    return nullptr;
  }
  return &from.outputs[edge.port];
}

Value NodeConversion::input(unsigned i) {
  if (Value known = inputs.lookup(i))
    return known;
  const Output *output = rawInput(i);
  if (!output)
    return {};
  Value value = output->isRef ? read(*output) : output->value;
  if (value)
    inputs[i] = value;
  return value;
}

Value NodeConversion::anyTensor(unsigned i) {
  Value value = input(i);
  if (!value || llvm::isa<mlir::TensorType>(value.getType()))
    return value;
  cascade = factsOf(value).foreign;
  (void)fail(rt::str("input ", i, " is a handle, no tensor"));
  return {};
}

Value NodeConversion::tensor(unsigned i) {
  Value value = anyTensor(i);
  if (!value || llvm::isa<mlir::RankedTensorType>(value.getType()))
    return value;
  cascade = factsOf(value).foreign;
  (void)fail(rt::str(
      "the rank of input ", i, ", output ", node.inputs[i].port, " of node ",
      describe(converter.graph[node.inputs[i].node]), ", is not known"));
  return {};
}

Value NodeConversion::handle(unsigned i) {
  const Output *output = rawInput(i);
  if (!output)
    return {};
  if (llvm::isa<ResourceType>(output->value.getType()))
    return output->value;
  cascade = factsOf(output->value).foreign;
  (void)fail(rt::str("input ", i, " is a tensor, no handle"));
  return {};
}

llvm::SmallVector<Value> NodeConversion::tensors(unsigned first, unsigned end) {
  llvm::SmallVector<Value> values;
  for (unsigned i = first; i < end; ++i)
    values.push_back(tensor(i));
  return values;
}

//===----------------------------------------------------------------------===//
// Inputs that have to be known
//===----------------------------------------------------------------------===//

bool NodeConversion::isConstant(unsigned i) {
  const Output *output = i < inputCount() ? rawInput(i) : nullptr;
  return output && !output->isRef && converter.constantOf(output->value);
}

std::optional<Tensor> NodeConversion::constant(unsigned i) {
  Value value = input(i);
  if (!value)
    return std::nullopt;
  mlir::ElementsAttr known = converter.constantOf(value);
  if (!known) {
    cascade = factsOf(value).foreign;
    (void)fail(rt::str("input ", i, ", output ", node.inputs[i].port,
                       " of node ",
                       describe(converter.graph[node.inputs[i].node]),
                       ", has to be a constant"));
    return std::nullopt;
  }
  llvm::Expected<Tensor> tensor = Tensor::fromAttribute(known);
  if (!tensor) {
    (void)fail(llvm::toString(tensor.takeError()));
    return std::nullopt;
  }
  return std::move(*tensor);
}

std::optional<llvm::SmallVector<int64_t>> NodeConversion::integers(unsigned i) {
  std::optional<Tensor> tensor = constant(i);
  if (!tensor)
    return std::nullopt;
  if (tensor->isString()) {
    (void)fail(rt::str("input ", i, " has to be integers"));
    return std::nullopt;
  }
  if (tensor->size() > 4096) {
    (void)fail(rt::str("input ", i, " has ", tensor->size(), " elements"));
    return std::nullopt;
  }
  llvm::SmallVector<int64_t> values;
  for (int64_t k = 0; k < tensor->size(); ++k)
    values.push_back(tensor->getInteger(k));
  return values;
}

std::optional<int64_t> NodeConversion::integer(unsigned i) {
  std::optional<llvm::SmallVector<int64_t>> values = integers(i);
  if (!values)
    return std::nullopt;
  if (values->size() == 1)
    return values->front();
  (void)fail(rt::str("input ", i, " has to be a scalar"));
  return std::nullopt;
}

std::optional<double> NodeConversion::number(unsigned i) {
  std::optional<Tensor> tensor = constant(i);
  if (!tensor)
    return std::nullopt;
  if (tensor->size() == 1 && !tensor->isString())
    return tensor->getDouble(0);
  (void)fail(rt::str("input ", i, " has to be a number"));
  return std::nullopt;
}

std::optional<std::vector<std::string>> NodeConversion::strings(unsigned i) {
  std::optional<Tensor> tensor = constant(i);
  if (!tensor)
    return std::nullopt;
  if (tensor->isString())
    return std::vector<std::string>(tensor->readStrings().begin(),
                                    tensor->readStrings().end());
  (void)fail(rt::str("input ", i, " has to be strings"));
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Making nodes
//===----------------------------------------------------------------------===//

static bool hasNull(mlir::ValueRange values) {
  return llvm::any_of(values, [](Value value) { return !value; });
}

Operation *NodeConversion::makePure(llvm::StringRef name,
                                    mlir::ValueRange operands,
                                    llvm::ArrayRef<mlir::NamedAttribute> attrs,
                                    Infer infer) {
  if (hasNull(operands))
    return nullptr;
  // Inference looks at ranks, which verifiers would check before it.
  for (Value operand : operands)
    if (!llvm::isa<mlir::RankedTensorType>(operand.getType()) &&
        name != IdentityOp::getOperationName()) {
      (void)fail("the rank of an operand is not known");
      return nullptr;
    }
  mlir::OperationState state(loc, name);
  state.addOperands(operands);
  state.addAttributes(attrs);
  llvm::SmallVector<Type> types;
  if (mlir::failed(infer(state, types)))
    return nullptr;
  int segments = name == ConcatOp::getOperationName() ? 2 : 0;
  return makeOp(name, operands, types, attrs, segments);
}

Operation *NodeConversion::makeOp(llvm::StringRef name,
                                  mlir::ValueRange operands,
                                  mlir::TypeRange types,
                                  llvm::ArrayRef<mlir::NamedAttribute> attrs,
                                  int segments) {
  if (hasNull(operands))
    return nullptr;
  mlir::OperationState state(loc, name);
  state.addOperands(operands);
  state.addTypes(types);
  state.addAttributes(attrs);
  if (segments) {
    llvm::SmallVector<int32_t> sizes(segments, 0);
    auto count = static_cast<int32_t>(operands.size());
    if (segments == 3)
      sizes[0] = 1;
    sizes[segments - 2] = count - (segments == 3);
    state.addAttribute("operandSegmentSizes",
                       builder.getDenseI32ArrayAttr(sizes));
  }
  builder.setInsertionPointToEnd(converter.body);
  Operation *op = builder.create(state);
  created.push_back(op);
  return op;
}

Value NodeConversion::constant(mlir::ElementsAttr value) {
  auto op = ConstantOp::create(builder, loc, value);
  created.push_back(op);
  return op.getResult();
}

Value NodeConversion::constantInts(llvm::ArrayRef<int64_t> values,
                                   mlir::RankedTensorType type) {
  Tensor tensor(dtypeOf(type.getElementType()), type.getShape());
  dispatch(tensor.getDType(), [&](auto zero) {
    using Element = decltype(zero);
    for (auto [i, value] : llvm::enumerate(values))
      tensor.write<Element>()[i] = convertTo<Element>(value);
  });
  return constant(tensor.toAttribute(type));
}

Value NodeConversion::scalarLike(Value like, double value) {
  if (!like)
    return {};
  Tensor tensor = Tensor::scalar(dtypeOf(elementOf(like)), value);
  return constant(tensor.toAttribute(scalarType(elementOf(like))));
}

Value NodeConversion::compare(Value a, Value b, ComparePredicate predicate) {
  return make<CompareOp>(
      {a, b}, attr("predicate",
                   ComparePredicateAttr::get(builder.getContext(), predicate)));
}

Value NodeConversion::cast(Value x, Type to) {
  if (!x || elementOf(x) == to)
    return x;
  return make<CastOp>(
      x, {type("to", to),
          attr("out_of_range", OutOfRangeAttr::get(builder.getContext(),
                                                   OutOfRange::minimum))});
}

Value NodeConversion::reshape(Value x, llvm::ArrayRef<int64_t> shape) {
  return make<ReshapeOp>(x, array("shape", shape));
}

void NodeConversion::waitFor(Operation *op, Value value) {
  if (!op || !value)
    return;
  Value control = converter.completed(value, loc);
  auto waiting = llvm::dyn_cast<NodeInterface>(op);
  if (control && waiting &&
      !llvm::is_contained(waiting.getControlInputs(), control)) {
    waiting.getControlInputsMutable().append(control);
    op->moveBefore(converter.body, converter.body->end());
  }
}

//===----------------------------------------------------------------------===//
// Outputs
//===----------------------------------------------------------------------===//

LogicalResult NodeConversion::output(Value value) {
  if (!value)
    return mlir::failure();
  outputs.push_back({value});
  return mlir::success();
}

LogicalResult NodeConversion::outputBehind(Value constant, Value value) {
  Value identity = make<IdentityOp>(constant);
  if (!identity)
    return mlir::failure();
  waitFor(identity.getDefiningOp(), value);
  return output(identity);
}

LogicalResult NodeConversion::outputsOf(Operation *op) {
  if (!op)
    return mlir::failure();
  for (Value result : op->getResults().drop_back())
    outputs.push_back({result});
  control = op->getResults().back();
  return mlir::success();
}

LogicalResult NodeConversion::outputRef(Value handle, Value after) {
  if (!handle)
    return mlir::failure();
  outputs.push_back({handle, /*isRef=*/true, after});
  return mlir::success();
}

LogicalResult NodeConversion::feed() {
  std::optional<int64_t> number = intAttr(node, "index");
  const Plan::Feed *feed = nullptr;
  Node of = node;
  int port = 0;
  if (node.op == kFeedOp) {
    feed = &converter.plan.feeds[*number];
    of = converter.graph[feed->tensor.node];
    port = feed->tensor.port;
  }
  pb::DataType dtype = guessOutputType(of, port);
  if (dtype == pb::DT_INVALID && of.op == "_Arg")
    dtype = typeAttr(of, "T").value_or(pb::DT_INVALID);
  if (feed && feed->dtype != WEIR_DTYPE_INVALID)
    dtype = static_cast<pb::DataType>(feed->dtype);
  Type element = elementType(dtype);
  if (!element)
    element = builder.getF32Type();
  const pb::TensorShapeProto *shape = shapeAttr(of, "shape");
  // Of old, no shape was written as that of a scalar.
  if (shape && shape->dim_size() == 0 &&
      converter.graph.getDef().versions().producer() < 24)
    shape = nullptr;
  mlir::TensorType type = tensorType(shape, element);
  if (feed && feed->shape) {
    llvm::SmallVector<int64_t> extents(feed->shape->begin(),
                                       feed->shape->end());
    for (int64_t &extent : extents)
      if (extent < 0)
        extent = mlir::ShapedType::kDynamic;
    type = mlir::RankedTensorType::get(extents, element);
  }
  Value argument;
  if (feed) {
    argument = converter.body->getArgument(static_cast<unsigned>(*number));
    argument.setType(type);
  } else {
    argument = converter.body->addArgument(type, loc);
    converter.placeholders.push_back(index);
  }
  outputs.push_back({argument});
  return mlir::success();
}

//===----------------------------------------------------------------------===//
// Attributes and types
//===----------------------------------------------------------------------===//

Type NodeConversion::elementType(pb::DataType type) {
  Type element = converter.elementType(type);
  if (!element)
    (void)fail(rt::str("Weir has no element type ", pb::DataType_Name(type)));
  return element;
}

Type NodeConversion::elementTypeAttr(const char *name) {
  if (std::optional<pb::DataType> type = typeAttr(node, name))
    return elementType(*type);
  (void)fail(rt::str("it has no attribute '", name, "' that is a type"));
  return {};
}

mlir::TensorType NodeConversion::tensorType(const pb::TensorShapeProto *shape,
                                            Type element) {
  if (!element)
    return {};
  if (!shape || shape->unknown_rank() || shape->dim_size() > WEIR_MAX_RANK)
    return mlir::UnrankedTensorType::get(element);
  llvm::SmallVector<int64_t> extents;
  for (const auto &dim : shape->dim())
    extents.push_back(dim.size() < 0 || dim.size() >= (int64_t(1) << 40)
                          ? mlir::ShapedType::kDynamic
                          : dim.size());
  return mlir::RankedTensorType::get(extents, element);
}

std::optional<int64_t> NodeConversion::axis(int64_t axis, int64_t rank) {
  if (axis >= -rank && axis < rank)
    return axis < 0 ? axis + rank : axis;
  (void)fail(rt::str("axis ", axis, " is none of a tensor of rank ", rank));
  return std::nullopt;
}

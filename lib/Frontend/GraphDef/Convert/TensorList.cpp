//===- TensorList.cpp - Lists of tensors, optional values ---------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What gradients of functional While and If are made of. A list remembers the
// node that it began with, so that the type of what is put in is known where it
// is taken out.
//
//===----------------------------------------------------------------------===//

#include "lib/Frontend/GraphDef/Convert/Converters.h"

#include "runtime/base/Format.h"

using namespace weir;
using namespace weir::graphdef;
using mlir::RankedTensorType;
using mlir::Type;

static Type listType(NodeConversion &n) {
  return ResourceType::get(n.builder.getContext());
}

/// Input `i` as TensorFlow says the shape of elements: -1, a scalar, for one of
/// which nothing is known.
static mlir::TensorType shapedElement(NodeConversion &n, unsigned i,
                                      Type element) {
  auto unknown = mlir::UnrankedTensorType::get(element);
  if (i >= n.inputCount())
    return unknown;
  Value shape = n.input(i);
  auto type = shape ? llvm::dyn_cast<RankedTensorType>(shape.getType())
                    : RankedTensorType();
  auto known =
      type && type.getRank() == 1 ? knownInPart(n, shape) : std::nullopt;
  if (!known)
    return unknown;
  for (int64_t &extent : *known)
    if (extent < 0 || extent >= (int64_t(1) << 40))
      extent = mlir::ShapedType::kDynamic;
  return RankedTensorType::get(*known, element);
}

/// The type of the elements of a list, which input `shapeAt` and what is put in
/// tell; `!weir.resource` for lists in lists.
static Type elementOfList(NodeConversion &n, Value list, unsigned shapeAt) {
  std::optional<pb::DataType> dtype = typeAttr(n.node, "element_dtype");
  if (!dtype)
    return n.elementTypeAttr("element_dtype");
  if (*dtype == pb::DT_VARIANT || *dtype == pb::DT_RESOURCE)
    return listType(n);
  Type element = n.elementType(*dtype);
  if (!element)
    return {};
  mlir::TensorType said = shapedElement(n, shapeAt, element);
  Type put = list ? n.contentOf(list) : Type();
  return put && areCompatible(said, put) && !said.hasRank() ? put : Type(said);
}

/// `element` with another dimension in front.
static Type stacked(Type element, int64_t count) {
  auto type = llvm::dyn_cast<RankedTensorType>(element);
  if (!type)
    return element;
  llvm::SmallVector<int64_t> shape(type.getShape());
  shape.insert(shape.begin(), count < 0 ? mlir::ShapedType::kDynamic : count);
  return RankedTensorType::get(shape, type.getElementType());
}

/// A list that begins here.
static LogicalResult begin(NodeConversion &n, mlir::Operation *op,
                           Type element = {}) {
  if (!op)
    return mlir::failure();
  n.factsOf(op->getResult(0)).origin = n.index;
  if (element)
    n.addContent(op->getResult(0), element);
  return n.outputsOf(op);
}

static Value count(NodeConversion &n, unsigned i) {
  Value value = n.anyTensor(i);
  if (!value || n.elementOf(value).isInteger(32))
    return value;
  value = n.tensor(i);
  return n.cast(value, n.builder.getI32Type());
}

template <bool isEmpty> static LogicalResult convertList(NodeConversion &n) {
  Type element = elementOfList(n, {}, 0);
  Value size = isEmpty ? n.constantInts(0, n.scalarType(n.builder.getI32Type()))
                       : count(n, 1);
  if (!element)
    return mlir::failure();
  return begin(n, n.makeStateful<TensorListOp>(size, listType(n),
                                               n.type("element", element)));
}

static LogicalResult convertPush(NodeConversion &n) {
  Value list = n.handle(0), value = n.input(1);
  if (!list || !value)
    return mlir::failure();
  n.addElement(list, value);
  return n.outputsOf(
      n.makeStateful<TensorListPushOp>({list, value}, listType(n)));
}

static LogicalResult convertPop(NodeConversion &n) {
  Value list = n.handle(0);
  Type element = elementOfList(n, list, 1);
  if (!list || !element)
    return mlir::failure();
  mlir::Operation *op =
      n.makeStateful<TensorListPopOp>(list, {listType(n), element});
  n.takeElement(list, op->getResult(1));
  return n.outputsOf(op);
}

static LogicalResult convertGet(NodeConversion &n) {
  Value list = n.handle(0), index = count(n, 1);
  Type element = elementOfList(n, list, 2);
  if (!list || !index || !element)
    return mlir::failure();
  mlir::Operation *op = n.makeStateful<TensorListGetOp>({list, index}, element);
  n.takeElement(list, op->getResult(0));
  return n.outputsOf(op);
}

static LogicalResult convertSet(NodeConversion &n) {
  Value list = n.handle(0), index = count(n, 1), value = n.input(2);
  if (!list || !index || !value)
    return mlir::failure();
  n.addElement(list, value);
  llvm::SmallVector<mlir::NamedAttribute> attrs;
  if (boolAttr(n.node, "resize_if_index_out_of_bounds").value_or(false))
    attrs.push_back(n.unit("grow"));
  return n.outputsOf(n.makeStateful<TensorListSetOp>({list, index, value},
                                                     listType(n), attrs));
}

static LogicalResult convertStack(NodeConversion &n) {
  Value list = n.handle(0);
  Type element = elementOfList(n, list, 1);
  if (!list || !element)
    return mlir::failure();
  if (!llvm::isa<mlir::TensorType>(element))
    return n.fail("lists in a list cannot be stacked");
  return n.outputsOf(n.makeStateful<TensorListStackOp>(
      list, stacked(element, intAttr(n.node, "num_elements").value_or(-1))));
}

static LogicalResult convertGather(NodeConversion &n) {
  Value list = n.handle(0), indices = n.tensor(1);
  Type element = elementOfList(n, list, 2);
  if (!list || !indices || !element)
    return mlir::failure();
  if (!llvm::isa<mlir::TensorType>(element) || n.typeOf(indices).getRank() != 1)
    return n.fail("tensors are gathered by a vector of indices");
  return n.outputsOf(n.makeStateful<TensorListGatherOp>(
      {list, indices}, stacked(element, n.typeOf(indices).getDimSize(0))));
}

/// What is known of the slices of a tensor.
static Type sliceOf(Value value) {
  auto type = llvm::dyn_cast<RankedTensorType>(value.getType());
  return type && type.getRank() > 0
             ? Type(RankedTensorType::get(type.getShape().drop_front(),
                                          type.getElementType()))
             : Type();
}

static LogicalResult convertFromTensor(NodeConversion &n) {
  Value value = n.anyTensor(0);
  if (!value)
    return mlir::failure();
  return begin(n, n.makeStateful<TensorListFromTensorOp>(value, listType(n)),
               sliceOf(value));
}

static LogicalResult convertScatter(NodeConversion &n) {
  bool isOld = n.node.op == "TensorListScatterIntoExistingList";
  Value value = n.anyTensor(isOld ? 1 : 0), indices = n.tensor(isOld ? 2 : 1);
  if (!value || !indices)
    return mlir::failure();
  Type slice = sliceOf(value);
  if (isOld) {
    Value list = n.handle(0);
    if (list && slice)
      n.addContent(list, slice);
    return n.outputsOf(n.makeStateful<TensorListScatterOp>(
        {list, indices, value}, listType(n)));
  }
  Type element = elementOfList(n, {}, 2);
  Value size = n.constantInts(0, n.scalarType(n.builder.getI32Type()));
  // -1: as many as the indices need.
  if (n.inputCount() > 3)
    size = n.make<MaximumOp>({count(n, 3), size});
  if (!element || !size)
    return mlir::failure();
  mlir::Operation *list = n.makeStateful<TensorListOp>(
      size, listType(n), n.type("element", element));
  return begin(n,
               n.makeStateful<TensorListScatterOp>(
                   {list->getResult(0), indices, value}, listType(n)),
               slice);
}

static LogicalResult convertConcat(NodeConversion &n) {
  Value list = n.handle(0);
  Type element = elementOfList(n, list, 1);
  if (!list || !element)
    return mlir::failure();
  auto type = llvm::dyn_cast<RankedTensorType>(element);
  if (!llvm::isa<mlir::TensorType>(element) || (type && type.getRank() == 0))
    return n.fail("its elements have no dimension to be joined along");
  if (type)
    element = stacked(RankedTensorType::get(type.getShape().drop_front(),
                                            type.getElementType()),
                      -1);
  auto lengths = RankedTensorType::get({mlir::ShapedType::kDynamic},
                                       n.builder.getI64Type());
  return n.outputsOf(
      n.makeStateful<TensorListConcatOp>(list, {element, lengths}));
}

static LogicalResult convertSplit(NodeConversion &n) {
  Value value = n.anyTensor(0), lengths = n.anyTensor(2);
  if (!value || !lengths)
    return mlir::failure();
  return begin(
      n, n.makeStateful<TensorListSplitOp>({value, lengths}, listType(n)));
}

static LogicalResult convertLength(NodeConversion &n) {
  return n.outputsOf(n.makeStateful<TensorListSizeOp>(
      n.handle(0), n.scalarType(n.builder.getI32Type())));
}

static LogicalResult convertResize(NodeConversion &n) {
  return n.outputsOf(n.makeStateful<TensorListResizeOp>(
      {n.handle(0), count(n, 1)}, listType(n)));
}

static LogicalResult convertElementShape(NodeConversion &n) {
  Value list = n.handle(0);
  Type element =
      n.elementType(typeAttr(n.node, "shape_type").value_or(pb::DT_INT32));
  if (!list || !element)
    return mlir::failure();
  auto put = llvm::dyn_cast_or_null<RankedTensorType>(n.contentOf(list));
  Type type = put ? Type(RankedTensorType::get({put.getRank()}, element))
                  : Type(mlir::UnrankedTensorType::get(element));
  return n.outputsOf(n.makeStateful<TensorListElementShapeOp>(list, type));
}

//===----------------------------------------------------------------------===//
// Optional values
//===----------------------------------------------------------------------===//

static LogicalResult convertOptionalFromValue(NodeConversion &n) {
  llvm::SmallVector<Value> values;
  for (unsigned i = 0; i < n.inputCount(); ++i)
    values.push_back(n.input(i));
  return n.outputsOf(n.makeStateful<OptionalFromValuesOp>(values, listType(n)));
}

static LogicalResult convertOptionalNone(NodeConversion &n) {
  return n.outputsOf(n.makeStateful<OptionalNoneOp>({}, listType(n)));
}

static LogicalResult convertOptionalHasValue(NodeConversion &n) {
  return n.outputsOf(n.makeStateful<OptionalHasValuesOp>(
      n.handle(0), n.scalarType(n.builder.getI1Type())));
}

static LogicalResult convertOptionalGetValue(NodeConversion &n) {
  const pb::AttrValue::ListValue *types = listAttr(n.node, "output_types");
  const pb::AttrValue::ListValue *shapes = listAttr(n.node, "output_shapes");
  if (!types)
    return n.fail("it has no attribute 'output_types'");
  llvm::SmallVector<Type> results;
  for (int i = 0; i < types->type_size(); ++i) {
    if (types->type(i) == pb::DT_VARIANT || types->type(i) == pb::DT_RESOURCE) {
      results.push_back(listType(n));
      continue;
    }
    Type element = n.elementType(types->type(i));
    if (!element)
      return mlir::failure();
    results.push_back(n.tensorType(
        shapes && i < shapes->shape_size() ? &shapes->shape(i) : nullptr,
        element));
  }
  return n.outputsOf(n.makeStateful<OptionalGetValuesOp>(n.handle(0), results));
}

//===----------------------------------------------------------------------===//
// Ops of tensors that are given lists
//===----------------------------------------------------------------------===//

LogicalResult weir::graphdef::packHandles(NodeConversion &n) {
  mlir::Operation *list = n.makeStateful<TensorListOp>(
      n.constantInts(0, n.scalarType(n.builder.getI32Type())), listType(n),
      n.type("element", listType(n)));
  for (unsigned i = 0; i < n.inputCount(); ++i) {
    Value handle = n.handle(i);
    if (!handle)
      return mlir::failure();
    n.factsOf(list->getResult(0)).origin = n.index;
    n.addElement(list->getResult(0), handle);
    list = n.makeStateful<TensorListPushOp>({list->getResult(0), handle},
                                            listType(n));
  }
  return begin(n, list);
}

LogicalResult weir::graphdef::gatherHandle(NodeConversion &n) {
  Value list = n.handle(0), index = n.tensor(1);
  if (!list || !index)
    return mlir::failure();
  if (n.typeOf(index).getRank() != 0)
    return n.fail("one handle of a list is selected by a scalar");
  mlir::Operation *op = n.makeStateful<TensorListGetOp>(
      {list, n.cast(index, n.builder.getI32Type())}, listType(n));
  n.takeElement(list, op->getResult(0));
  return n.outputsOf(op);
}

bool weir::graphdef::takesHandle(NodeConversion &n) {
  const Output *output = n.inputCount() ? n.rawInput(0) : nullptr;
  return output && !output->isRef &&
         llvm::isa<ResourceType>(output->value.getType());
}

LogicalResult weir::graphdef::addLists(NodeConversion &n) {
  Value sum = n.handle(0);
  if (n.inputCount() == 1)
    return n.output(sum);
  mlir::Operation *op = nullptr;
  for (unsigned i = 1; i < n.inputCount() && sum; ++i) {
    op = n.makeStateful<TensorListAddOp>({sum, n.handle(i)}, listType(n));
    sum = op ? op->getResult(0) : Value();
  }
  return n.outputsOf(op);
}

LogicalResult weir::graphdef::zerosLikeList(NodeConversion &n) {
  return n.outputsOf(
      n.makeStateful<TensorListZerosOp>(n.handle(0), listType(n)));
}

void weir::graphdef::addListConverters(ConverterTable &table) {
  table["EmptyTensorList"] = convertList</*isEmpty=*/true>;
  table["TensorListReserve"] = convertList</*isEmpty=*/false>;
  table["TensorListPushBack"] = convertPush;
  table["TensorListPopBack"] = convertPop;
  table["TensorListGetItem"] = convertGet;
  table["TensorListSetItem"] = convertSet;
  table["TensorListStack"] = convertStack;
  table["TensorListGather"] = convertGather;
  table["TensorListFromTensor"] = convertFromTensor;
  table["TensorListScatter"] = table["TensorListScatterV2"] = convertScatter;
  table["TensorListScatterIntoExistingList"] = convertScatter;
  table["TensorListConcat"] = table["TensorListConcatV2"] = convertConcat;
  table["TensorListSplit"] = convertSplit;
  table["TensorListLength"] = convertLength;
  table["TensorListResize"] = convertResize;
  table["TensorListElementShape"] = convertElementShape;
  table["OptionalFromValue"] = convertOptionalFromValue;
  table["OptionalNone"] = convertOptionalNone;
  table["OptionalHasValue"] = convertOptionalHasValue;
  table["OptionalGetValue"] = convertOptionalGetValue;
}

//===- Strings.cpp - Ops that move or compare strings -------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An op that only moves elements is converted for the places of the strings,
// which are integers; weir.take_strings then moves the strings themselves.
//
//===----------------------------------------------------------------------===//

#include "lib/Frontend/GraphDef/Convert/Slice.h"

#include "dialects/Weir/Shape.h"

using namespace weir;
using namespace weir::graphdef;
using mlir::RankedTensorType;

static bool isString(Value value) {
  auto type = llvm::dyn_cast_or_null<mlir::TensorType>(value ? value.getType()
                                                             : mlir::Type());
  return type && llvm::isa<StringType>(type.getElementType());
}

/// The numbers of the elements of `x`, from `offset` on, in its shape; and the
/// number behind the last.
static std::pair<Value, Value> placesOf(NodeConversion &n, Value x,
                                        Value offset) {
  mlir::Type wide = n.builder.getI64Type();
  RankedTensorType type = n.typeOf(x);
  llvm::ArrayRef<int64_t> shape = type.getShape();
  if (std::optional<int64_t> count = elementCount(shape)) {
    Value numbers =
        n.make<IotaOp>(mlir::ValueRange(),
                       {n.type("type", RankedTensorType::get({*count}, wide)),
                        n.i64("axis", 0)});
    Value end = n.make<AddOp>(
        {offset, n.scalarLike(offset, static_cast<double>(*count))});
    return {n.reshape(n.make<AddOp>({numbers, offset}), shape), end};
  }
  Value extents = extentsOf(n, x);
  Value end = n.make<AddOp>(
      {offset, n.make<ReduceProdOp>(extents, n.array("axes", 0))});
  Value numbers = n.make<RangeOp>({offset, end, n.scalarLike(offset, 1)});
  llvm::SmallVector<int64_t> known(shape);
  for (int64_t &extent : known)
    extent = isDynamic(extent) ? -1 : extent;
  return {withExtents(n, n.make<DynamicReshapeOp>({numbers, extents}), known),
          end};
}

LogicalResult NodeConversion::moveStrings(OpConverter converter) {
  Value offset = constantInts(0, scalarType(builder.getI64Type()));
  llvm::SmallVector<Value> operands{Value()};
  for (unsigned i = 0; i < inputCount(); ++i) {
    Value strings = input(i);
    if (!isString(strings))
      continue;
    if (!tensor(i))
      return mlir::failure();
    operands.push_back(strings);
    auto [places, end] = placesOf(*this, strings, offset);
    if (!places)
      return mlir::failure();
    inputs[i] = places;
    offset = end;
  }
  if (mlir::failed(converter(*this)))
    return mlir::failure();
  for (Output &output : outputs) {
    operands.front() = output.value;
    auto type = llvm::cast<mlir::TensorType>(output.value.getType());
    mlir::Operation *op = makeStateful<TakeStringsOp>(
        operands, type.clone(StringType::get(builder.getContext())));
    output.value = op->getResult(0);
  }
  return mlir::success();
}

/// The converters of ops that move elements, for elements that are no strings.
static ConverterTable &movers() {
  static ConverterTable table;
  return table;
}

static LogicalResult convertMove(NodeConversion &n) {
  OpConverter converter = movers().lookup(n.node.op);
  for (unsigned i = 0; i < n.inputCount(); ++i)
    if (const Output *output = n.rawInput(i);
        output && (output->isRef || isString(output->value)) &&
        isString(n.input(i)))
      return n.moveStrings(converter);
  return converter(n);
}

template <ComparePredicate predicate>
static LogicalResult convertCompare(NodeConversion &n) {
  if (n.inputCount() != 2 || !isString(n.input(0)))
    return movers().lookup(n.node.op)(n);
  Value a = n.tensor(0), b = n.tensor(1);
  if (!a || !b)
    return mlir::failure();
  if (!isString(b))
    return n.failInvalid("a string is compared with a number");
  auto shape = broadcast(n.typeOf(a).getShape(), n.typeOf(b).getShape());
  if (!shape)
    return n.failInvalid("its inputs do not broadcast");
  return n.outputsOf(n.makeStateful<CompareStringsOp>(
      {a, b}, RankedTensorType::get(*shape, n.builder.getI1Type()),
      n.attr("predicate",
             ComparePredicateAttr::get(n.builder.getContext(), predicate))));
}

void weir::graphdef::addStringConverters(ConverterTable &table) {
  for (const char *op : {"Reshape",
                         "Transpose",
                         "StridedSlice",
                         "Slice",
                         "ConcatV2",
                         "Concat",
                         "Pack",
                         "Unpack",
                         "Split",
                         "SplitV",
                         "Tile",
                         "ReverseV2",
                         "Gather",
                         "GatherV2",
                         "GatherNd",
                         "ExpandDims",
                         "Squeeze",
                         "Fill",
                         "BroadcastTo",
                         "Select",
                         "SelectV2",
                         "DynamicStitch",
                         "ParallelDynamicStitch"}) {
    if (auto row = table.find(op); row != table.end()) {
      movers()[op] = row->second;
      row->second = convertMove;
    }
  }
  movers()["Equal"] = table.lookup("Equal");
  movers()["NotEqual"] = table.lookup("NotEqual");
  table["Equal"] = convertCompare<ComparePredicate::eq>;
  table["NotEqual"] = convertCompare<ComparePredicate::ne>;
}

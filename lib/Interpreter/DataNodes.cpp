//===- DataNodes.cpp - Data-dependent values, strings, lists --------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The runtime's functions of values, which TensorFlow and NumPy judge; here is
// what lies between them and the nodes.
//
//===----------------------------------------------------------------------===//

#include "lib/Interpreter/NodeRun.h"
#include "mlir/IR/BuiltinTypes.h"
#include "runtime/values/ValueCall.h"

using namespace mlir;

namespace weir {

namespace {
/// A node as compiled programs describe it.
class Description {
public:
  explicit Description(NodeRun &run) {
    auto call = cast<RuntimeCallInterface>(run.op);
    numbers = call.getCallNumbers();
    for (Type type : run.op->getResults().drop_back().getTypes()) {
      std::vector<int64_t> &extents = dims.emplace_back();
      auto tensor = dyn_cast<TensorType>(type);
      if (!tensor) {
        outputs.push_back({"", nullptr, 0, WEIR_RESOURCE});
        continue;
      }
      if (tensor.hasRank())
        for (int64_t extent : tensor.getShape())
          extents.push_back(ShapedType::isDynamic(extent) ? -1 : extent);
      outputs.push_back(
          {"", nullptr,
           tensor.hasRank() ? static_cast<int32_t>(tensor.getRank()) : -1,
           dtypeOf(tensor.getElementType())});
    }
    for (auto [output, extents] : llvm::zip_equal(outputs, dims))
      output.dims = extents.data();
    node.input_count = static_cast<int32_t>(run.operands.size());
    node.output_count = static_cast<int32_t>(outputs.size());
    node.number_count = static_cast<int32_t>(numbers.size());
    node.outputs = outputs.data();
    node.numbers = numbers.data();
  }

  WeirNodeDesc node = {};

private:
  SmallVector<int64_t> numbers;
  std::vector<WeirTensorDesc> outputs;
  std::vector<std::vector<int64_t>> dims;
};
} // namespace

static llvm::Error runValue(NodeRun &run, rt::ValueFunction function) {
  Description description(run);
  std::vector<rt::TensorRef> inputs(run.operands.size()),
      outputs(run.results.size());
  for (auto [input, operand] : llvm::zip_equal(inputs, run.operands)) {
    const Tensor *tensor = operand.tensor();
    rt::Status status = tensor ? toRuntime(*tensor, input)
                               : rt::makeHandle(operand.handle(), input);
    if (!status.ok())
      return statusError(run.op, std::move(status));
  }
  rt::ValueCall call{description.node, inputs.data(), outputs.data()};
  if (rt::Status status = function(call); !status.ok())
    return statusError(run.op, std::move(status));
  for (int32_t i = 0; i < description.node.output_count; ++i) {
    const rt::TensorRef &output = outputs[static_cast<size_t>(i)];
    // A handle where a tensor is declared, or the other way around, can come
    // out of a list.
    Handle handle = rt::resourceOf(output.get());
    if (bool(handle) != isa<ResourceType>(run.op->getResult(i).getType()))
      return run.error(code::output, "result " + Twine(i) + " is " +
                                         (handle ? "a handle" : "a tensor") +
                                         ", which is not what is declared");
    if (handle) {
      run.results[i] = std::move(handle);
      continue;
    }
    llvm::Expected<Tensor> tensor = Tensor::fromView(output.view());
    if (!tensor)
      return run.error(code::extents, llvm::toString(tensor.takeError()));
    run.results[i] = std::move(*tensor);
  }
  return llvm::Error::success();
}

template <rt::ValueFunction function> static llvm::Error value(NodeRun &run) {
  return runValue(run, function);
}

void addDataNodes(NodeTable &table) {
  table.add<TopKOp>(value<rt::topK>);
  table.add<DynamicPartitionOp>(value<rt::dynamicPartition>);
  table.add<UniqueOp>(value<rt::unique>);
  table.add<ListDifferenceOp>(value<rt::listDifference>);
  table.add<NonzeroOp>(value<rt::nonzero>);
  table.add<SelectNOp>(value<rt::selectN>);
  table.add<TakeStringsOp>(value<rt::takeStrings>);
  table.add<CompareStringsOp>(value<rt::compareStrings>);
  table.add<TensorListOp>(value<rt::tensorList>);
  table.add<TensorListPushOp>(value<rt::tensorListPush>);
  table.add<TensorListPopOp>(value<rt::tensorListPop>);
  table.add<TensorListGetOp>(value<rt::tensorListGet>);
  table.add<TensorListSetOp>(value<rt::tensorListSet>);
  table.add<TensorListStackOp>(value<rt::tensorListStack>);
  table.add<TensorListGatherOp>(value<rt::tensorListGather>);
  table.add<TensorListFromTensorOp>(value<rt::tensorListFromTensor>);
  table.add<TensorListScatterOp>(value<rt::tensorListScatter>);
  table.add<TensorListConcatOp>(value<rt::tensorListConcat>);
  table.add<TensorListSplitOp>(value<rt::tensorListSplit>);
  table.add<TensorListSizeOp>(value<rt::tensorListSize>);
  table.add<TensorListResizeOp>(value<rt::tensorListResize>);
  table.add<TensorListElementShapeOp>(value<rt::tensorListElementShape>);
  table.add<TensorListAddOp>(value<rt::tensorListAdd>);
  table.add<TensorListZerosOp>(value<rt::tensorListZeros>);
  table.add<OptionalFromValuesOp>(value<rt::optionalFromValues>);
  table.add<OptionalNoneOp>(value<rt::optionalNone>);
  table.add<OptionalHasValuesOp>(value<rt::optionalHasValues>);
  table.add<OptionalGetValuesOp>(value<rt::optionalGetValues>);
}

} // namespace weir

//===- ArrayNodes.cpp - Stacks and tensor arrays --------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Both are made by nodes and live as long as their handles. Written from
// docs/spec/resources.md, apart from the runtime's.
//
//===----------------------------------------------------------------------===//

#include "lib/Interpreter/NodeRun.h"
#include "lib/Interpreter/TensorArray.h"
#include "mlir/IR/BuiltinTypes.h"
#include "runtime/base/DType.h"

using namespace mlir;

namespace weir {

//===----------------------------------------------------------------------===//
// Stacks
//===----------------------------------------------------------------------===//

namespace {
class StackCell final : public rt::Resource {
public:
  StackCell(std::string title, WeirDType dtype, int64_t limit)
      : title(std::move(title)), dtype(dtype), limit(limit) {}
  std::string describe() const override { return title; }

  const std::string title;
  const WeirDType dtype;
  /// The most values it holds; negative: any number.
  const int64_t limit;
  std::vector<Tensor> values;
  bool closed = false;
};
} // namespace

/// "stack 'name' at file:line".
static std::string titleOf(NodeRun &run, StringRef what) {
  return (what + " " + StringRef(nodePlace(run.op)).drop_back(2)).str();
}

static llvm::Error makeStack(NodeRun &run) {
  llvm::Expected<int64_t> limit = run.integer(0);
  if (!limit)
    return limit.takeError();
  run.results[0] = Handle(std::make_shared<StackCell>(
      titleOf(run, "stack"), dtypeOf(cast<StackOp>(run.op).getElement()),
      *limit));
  return llvm::Error::success();
}

/// The stack, which is open unless `mayBeClosed`.
static llvm::Expected<std::shared_ptr<StackCell>>
stackOf(NodeRun &run, bool mayBeClosed = false) {
  auto stack = run.resource<StackCell>(0, "a stack");
  if (stack && (*stack)->closed && !mayBeClosed)
    return run.error("WEIR0353", (*stack)->title + " has been closed");
  return stack;
}

static llvm::Error push(NodeRun &run) {
  auto stack = stackOf(run);
  if (!stack)
    return stack.takeError();
  const Tensor &value = run.tensor(1);
  if (value.getDType() != (*stack)->dtype)
    return run.error("WEIR0354",
                     (*stack)->title + " holds " +
                         StringRef(rt::dtypeInfo((*stack)->dtype)->name) +
                         ", but the value is " + describe(value));
  int64_t size = static_cast<int64_t>((*stack)->values.size());
  if ((*stack)->limit >= 0 && size >= (*stack)->limit)
    return run.error("WEIR0352", (*stack)->title + " is full: it holds " +
                                     Twine((*stack)->limit) +
                                     " values at most");
  (*stack)->values.push_back(value);
  run.results[0] = value;
  return llvm::Error::success();
}

static llvm::Error pop(NodeRun &run) {
  auto stack = stackOf(run);
  if (!stack)
    return stack.takeError();
  if ((*stack)->values.empty())
    return run.error("WEIR0351", (*stack)->title + " is empty");
  run.results[0] = std::move((*stack)->values.back());
  (*stack)->values.pop_back();
  return llvm::Error::success();
}

static llvm::Error closeStack(NodeRun &run) {
  auto stack = stackOf(run, /*mayBeClosed=*/true);
  if (!stack)
    return stack.takeError();
  (*stack)->closed = true;
  (*stack)->values.clear();
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Tensor arrays
//===----------------------------------------------------------------------===//

/// What a type tells of a shape, without the first `skip` dimensions.
static KnownShape knownShape(Type type, size_t skip) {
  auto tensor = cast<TensorType>(type);
  if (!tensor.hasRank() || static_cast<size_t>(tensor.getRank()) < skip)
    return std::nullopt;
  return llvm::SmallVector<int64_t, 4>(tensor.getShape().drop_front(skip));
}

static llvm::Error makeArray(NodeRun &run) {
  auto op = cast<TensorArrayOp>(run.op);
  llvm::Expected<int64_t> size = run.integer(0);
  if (!size)
    return size.takeError();
  if (*size < 0)
    return run.error("WEIR0359", "the array was to be made with size " +
                                     Twine(*size) + "; the size is >= 0");
  auto element = cast<TensorType>(op.getElement());
  TensorArrayCell::Options options;
  options.dtype = dtypeOf(element.getElementType());
  options.elementShape = knownShape(element, 0);
  options.dynamicSize = op.getDynamicSize();
  options.clearAfterRead = op.getClearAfterRead();
  options.identicalShapes = op.getIdenticalElementShapes();
  run.results[0] = Handle(std::make_shared<TensorArrayCell>(
      titleOf(run, "tensor array"), *size, std::move(options)));
  run.results[1] = Tensor::scalar(WEIR_F32, 0.0f);
  return llvm::Error::success();
}

using ArrayFunction = llvm::Error (*)(NodeRun &run, TensorArrayCell &array);

template <ArrayFunction function> static llvm::Error onArray(NodeRun &run) {
  auto array = run.resource<TensorArrayCell>(0, "a tensor array");
  return array ? function(run, **array) : array.takeError();
}

/// The end of a node that gives on its last operand, the flow.
static llvm::Error giveFlow(NodeRun &run, llvm::Error error) {
  run.results[0] = run.operands.back();
  return error;
}

static llvm::Error writeArray(NodeRun &run, TensorArrayCell &array) {
  llvm::Expected<int64_t> index = run.integer(1);
  if (!index)
    return index.takeError();
  return giveFlow(run, array.write(run.op, *index, run.tensor(2)));
}

/// The end of a node that gives one tensor.
static llvm::Error give(NodeRun &run, llvm::Expected<Tensor> value) {
  if (!value)
    return value.takeError();
  run.results[0] = std::move(*value);
  return llvm::Error::success();
}

static llvm::Error readArray(NodeRun &run, TensorArrayCell &array) {
  llvm::Expected<int64_t> index = run.integer(1);
  return index ? give(run, array.read(run.op, *index)) : index.takeError();
}

static llvm::Error gatherArray(NodeRun &run, TensorArrayCell &array) {
  return give(run, array.gather(run.op, run.tensor(1),
                                knownShape(run.op->getResult(0).getType(), 1)));
}

static llvm::Error scatterArray(NodeRun &run, TensorArrayCell &array) {
  return giveFlow(run, array.scatter(run.op, run.tensor(1), run.tensor(2)));
}

static llvm::Error concatArray(NodeRun &run, TensorArrayCell &array) {
  auto both =
      array.concat(run.op, knownShape(run.op->getResult(0).getType(), 1));
  if (!both)
    return both.takeError();
  run.results[0] = std::move(both->first);
  run.results[1] = std::move(both->second);
  return llvm::Error::success();
}

static llvm::Error splitArray(NodeRun &run, TensorArrayCell &array) {
  return giveFlow(run, array.split(run.op, run.tensor(1), run.tensor(2)));
}

static llvm::Error sizeOfArray(NodeRun &run, TensorArrayCell &array) {
  llvm::Expected<int64_t> size = array.size(run.op);
  if (!size)
    return size.takeError();
  run.results[0] = Tensor::scalar(WEIR_I32, *size);
  return llvm::Error::success();
}

static llvm::Error closeArray(NodeRun &, TensorArrayCell &array) {
  array.close();
  return llvm::Error::success();
}

static llvm::Error gradientOfArray(NodeRun &run, TensorArrayCell &array) {
  auto gradient =
      array.gradient(run.op, cast<TensorArrayGradientOp>(run.op).getSource());
  if (!gradient)
    return gradient.takeError();
  run.results[0] = Handle(std::move(*gradient));
  run.results[1] = run.operands[1];
  return llvm::Error::success();
}

void addArrayNodes(NodeTable &table) {
  table.add<StackOp>(makeStack);
  table.add<StackPushOp>(push);
  table.add<StackPopOp>(pop);
  table.add<StackCloseOp>(closeStack);
  table.add<TensorArrayOp>(makeArray);
  table.add<TensorArrayGradientOp>(onArray<gradientOfArray>);
  table.add<TensorArrayWriteOp>(onArray<writeArray>);
  table.add<TensorArrayReadOp>(onArray<readArray>);
  table.add<TensorArrayGatherOp>(onArray<gatherArray>);
  table.add<TensorArrayScatterOp>(onArray<scatterArray>);
  table.add<TensorArrayConcatOp>(onArray<concatArray>);
  table.add<TensorArraySplitOp>(onArray<splitArray>);
  table.add<TensorArraySizeOp>(onArray<sizeOfArray>);
  table.add<TensorArrayCloseOp>(onArray<closeArray>);
}

} // namespace weir

//===- MxuFeasible.cpp - What the accelerator can run ---------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Analysis/MxuFeasible.h"

#include "dialects/Rt/Rt.h"
#include "dialects/Weir/Shape.h"
#include "dialects/Weir/Weir.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace weir {

const mxu::Machine *mxuMachineOf(ModuleOp module) {
  auto text = module->getAttrOfType<StringAttr>(rt::mxuAttrName);
  if (!text)
    return mxu::findMachine(mxu::defaultArray);
  for (const mxu::Machine &machine : mxu::machines)
    if (text.getValue() ==
        (llvm::Twine(machine.array) + "x" + llvm::Twine(machine.array)).str())
      return &machine;
  return nullptr;
}

int64_t rowElements(RankedTensorType type) {
  int64_t count = 1;
  for (int64_t extent : type.getShape().drop_front(type.getRank() ? 1 : 0)) {
    if (ShapedType::isDynamic(extent) ||
        (extent && count > (int64_t(1) << 32) / extent))
      return -1;
    count *= extent;
  }
  return count;
}

/// A window over one image, of numbers that fit the machine's descriptors.
static std::optional<mxu::Window>
windowOf(RankedTensorType input, ArrayRef<int64_t> kernel,
         ArrayRef<int64_t> strides, ArrayRef<int64_t> dilations,
         Padding padding, std::optional<ArrayRef<int64_t>> pads) {
  auto dims = slideWindow2d(input.getShape().slice(1, 2), kernel, strides,
                            dilations, padding, pads);
  if (!dims)
    return std::nullopt;
  const WindowDim &h = (*dims)[0], &w = (*dims)[1];
  mxu::Window window = {};
  window.images = 1;
  const std::pair<uint32_t *, int64_t> numbers[] = {
      {&window.height, h.input},
      {&window.width, w.input},
      {&window.channels, input.getDimSize(3)},
      {&window.outHeight, h.output},
      {&window.outWidth, w.output},
      {&window.kernelHeight, h.window},
      {&window.kernelWidth, w.window},
      {&window.strideHeight, h.stride},
      {&window.strideWidth, w.stride},
      {&window.dilationHeight, h.dilation},
      {&window.dilationWidth, w.dilation},
      {&window.padTop, h.low},
      {&window.padLeft, w.low}};
  for (auto [field, value] : numbers) {
    bool isPadding = field == &window.padTop || field == &window.padLeft;
    if (value < (isPadding ? 0 : 1) || value > mxu::maxExtent)
      return std::nullopt;
    *field = static_cast<uint32_t>(value);
  }
  return window;
}

std::optional<mxu::Window> mxuWindowOf(Operation *op) {
  if (auto conv = dyn_cast<QuantizedConv2dOp>(op)) {
    auto input = cast<RankedTensorType>(conv.getInput().getType()),
         filter = cast<RankedTensorType>(conv.getFilter().getType());
    return windowOf(input, filter.getShape().take_front(2), conv.getStrides(),
                    conv.getDilations(), conv.getPadding(), conv.getPads());
  }
  if (auto pool = dyn_cast<QuantizedMaxPoolOp>(op))
    return windowOf(cast<RankedTensorType>(pool.getInput().getType()),
                    pool.getWindow(), pool.getStrides(), {}, pool.getPadding(),
                    pool.getPads());
  auto matmul = dyn_cast<QuantizedMatmulOp>(op);
  if (!matmul)
    return std::nullopt;
  int64_t depth =
      cast<RankedTensorType>(matmul.getLhs().getType()).getDimSize(1);
  // More channels than a descriptor names are not windows, but one row each.
  if (ShapedType::isDynamic(depth) || depth < 1 || depth > (1 << 24) - 1)
    return std::nullopt;
  mxu::Window window = {};
  window.images = window.height = window.width = 1;
  window.outHeight = window.outWidth = 1;
  window.kernelHeight = window.kernelWidth = 1;
  window.strideHeight = window.strideWidth = 1;
  window.dilationHeight = window.dilationWidth = 1;
  window.channels = static_cast<uint32_t>(depth);
  return window;
}

/// What `value` is before nodes that change no element.
static Value lookThrough(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<IdentityOp, ReshapeOp>(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

static std::optional<std::string> whyNotRows(Value rows) {
  auto type = cast<RankedTensorType>(rows.getType());
  if (rowElements(type) < 1 || type.getRank() == 0)
    return "works on " + shapeText(type.getShape()) +
           ", of which one row has no known size";
  if (isa_and_nonnull<ConstantOp>(lookThrough(rows).getDefiningOp()))
    return "works on the rows of a constant, which are there without it";
  return std::nullopt;
}

/// Weights and biases are loaded from DRAM: they are constants or come from
/// another program.
static std::optional<std::string> whyNotWeights(Value weights) {
  if (!cast<RankedTensorType>(weights.getType()).hasStaticShape())
    return "has weights of an extent that only the run knows";
  if (isa_and_nonnull<QuantizedMatmulOp, QuantizedConv2dOp, QuantizedMaxPoolOp>(
          lookThrough(weights).getDefiningOp()))
    return "takes weights that another node of the accelerator computes";
  return std::nullopt;
}

std::optional<std::string> whyNotOnMxu(Operation *op) {
  if (auto reshape = dyn_cast<ReshapeOp>(op)) {
    auto from = cast<RankedTensorType>(reshape.getInput().getType()),
         to = cast<RankedTensorType>(reshape.getResult().getType());
    if (!from.getElementType().isSignlessInteger(8))
      return "is about elements other than i8";
    if (from.getRank() == 0 || to.getRank() == 0 || rowElements(from) < 1 ||
        rowElements(from) != rowElements(to) ||
        from.isDynamicDim(0) != to.isDynamicDim(0))
      return "makes other rows of " + shapeText(from.getShape());
    return whyNotRows(reshape.getInput());
  }
  if (auto identity = dyn_cast<IdentityOp>(op)) {
    auto type = dyn_cast<RankedTensorType>(identity.getInput().getType());
    if (!type || !type.getElementType().isSignlessInteger(8) ||
        type.getRank() == 0 || rowElements(type) < 1)
      return "hands on something else than rows of i8";
    return std::nullopt;
  }
  auto module = op->getParentOfType<ModuleOp>();
  if (!isa<QuantizedMatmulOp, QuantizedConv2dOp, QuantizedMaxPoolOp>(op) ||
      !module)
    return std::nullopt;
  const mxu::Machine *machine = mxuMachineOf(module);
  if (!machine)
    return "is for an accelerator of another size than 32x32, 128x128 and "
           "256x256, which there are";
  auto result = cast<RankedTensorType>(op->getResult(0).getType());
  if (auto why = whyNotRows(op->getOperand(0)))
    return why;
  auto window = mxuWindowOf(op);
  if (!window || rowElements(result) < 1)
    return "slides a window that is empty, or larger than " +
           std::to_string(mxu::maxExtent);
  if (!isa<QuantizedMaxPoolOp>(op))
    for (Value weights : {op->getOperand(1), op->getOperand(2)})
      if (auto why = whyNotWeights(weights))
        return why;
  // One image, and what becomes of it, are in the unified buffer together.
  auto planes = [&](int64_t channels) {
    return (channels + machine->array - 1) / machine->array;
  };
  int64_t in = planes(window->channels) * window->plane(),
          out = planes(result.getShape().back()) * window->positions();
  if (in + out > machine->ubRows)
    return "needs " + std::to_string((in + out) * machine->array) +
           " bytes of the unified buffer for one row of its batch, which has " +
           std::to_string(int64_t(machine->ubRows) * machine->array);
  if (!isa<QuantizedMaxPoolOp>(op)) {
    auto filter = cast<RankedTensorType>(op->getOperand(1).getType());
    if (filter.getNumElements() >= int64_t(1) << 31 ||
        filter.getShape().back() >= 1 << 24)
      return "has more weights than an instruction reaches";
  }
  return std::nullopt;
}

} // namespace weir

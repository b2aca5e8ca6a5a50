//===- Extents.cpp - Which dynamic extents are the same
//----------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Codegen/Linalg/Extents.h"

#include "dialects/Weir/Shape.h"
#include "dialects/Weir/Weir.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace weir {

Extents::Extents(Operation *root) {
  root->walk<WalkOrder::PreOrder>([&](Block *block) {
    for (Value argument : block->getArguments())
      record(argument, {});
  });
  // Post-order: the body of a group before the group.
  root->walk([&](Operation *op) { visit(op); });
}

ArrayRef<int64_t> Extents::operator[](Value tensor) const {
  auto found = table.find(tensor);
  return found == table.end() ? ArrayRef<int64_t>()
                              : ArrayRef<int64_t>(found->second);
}

void Extents::record(Value value, ArrayRef<int64_t> codes) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type)
    return;
  Codes result(type.getShape());
  for (auto [i, extent] : llvm::enumerate(result)) {
    if (!isDynamic(extent))
      continue;
    bool known = static_cast<int64_t>(codes.size()) == type.getRank() &&
                 !isDynamic(codes[i]);
    extent = known ? codes[i] : --next;
  }
  table[value] = std::move(result);
}

void Extents::visit(Operation *op) {
  if (auto group = dyn_cast<GroupOp>(op)) {
    for (auto [result, yielded] :
         llvm::zip(group.getResults(),
                   group.getBody().front().getTerminator()->getOperands()))
      record(result, (*this)[yielded]);
    return;
  }
  Codes codes = op->getNumResults() == 1 ? infer(op) : Codes();
  for (Value result : op->getResults())
    record(result, codes);
}

/// What element-wise operands broadcast to. Extents that meet are equal, as
/// they are checked where that is not known.
static SmallVector<int64_t, 4> join(ArrayRef<ArrayRef<int64_t>> shapes) {
  SmallVector<int64_t, 4> result;
  for (ArrayRef<int64_t> shape : shapes) {
    if (shape.size() > result.size())
      result.insert(result.begin(), shape.size() - result.size(), 1);
    size_t shift = result.size() - shape.size();
    for (auto [i, code] : llvm::enumerate(shape)) {
      int64_t &joined = result[i + shift];
      if (joined == 1 || (joined < 0 && code >= 0 && code != 1))
        joined = code;
    }
  }
  return result;
}

/// The one unknown of a reshape, where its other factors are those of the
/// operand; else kDynamic.
static int64_t inferRest(ArrayRef<int64_t> from, ArrayRef<int64_t> to) {
  int64_t unknown = ShapedType::kDynamic;
  SmallVector<int64_t> fromShape, toShape;
  for (int64_t code : from) {
    if (code >= 0)
      fromShape.push_back(code);
    else if (isDynamic(unknown))
      unknown = code;
    else
      return ShapedType::kDynamic;
  }
  for (int64_t extent : to)
    if (extent >= 0)
      toShape.push_back(extent);
  auto count = elementCount(fromShape);
  return count && *count != 0 && count == elementCount(toShape)
             ? unknown
             : ShapedType::kDynamic;
}

Extents::Codes Extents::infer(Operation *op) {
  auto codes = [&](Value value) { return Codes((*this)[value]); };
  if (isa<ElementwiseInterface>(op)) {
    SmallVector<ArrayRef<int64_t>> shapes;
    for (Value operand : cast<NodeInterface>(op).getDataInputs())
      shapes.push_back((*this)[operand]);
    return join(shapes);
  }
  return llvm::TypeSwitch<Operation *, Codes>(op)
      .Case<IdentityOp, StopGradientOp, ReverseOp, QuantizeOp, DequantizeOp>(
          [&](auto node) { return codes(node.getInput()); })
      .Case<MatmulOp>([&](MatmulOp node) {
        Codes a = codes(node.getLhs()), b = codes(node.getRhs());
        Codes result = join({ArrayRef<int64_t>(a).drop_back(2),
                             ArrayRef<int64_t>(b).drop_back(2)});
        result.push_back(a[a.size() - (node.getTransposeLhs() ? 1 : 2)]);
        result.push_back(b[b.size() - (node.getTransposeRhs() ? 2 : 1)]);
        return result;
      })
      .Case<QuantizedMatmulOp>([&](QuantizedMatmulOp node) {
        return Codes{codes(node.getLhs())[0], codes(node.getRhs())[1]};
      })
      .Case<Conv2dOp, QuantizedConv2dOp>([&](auto node) {
        Codes result(cast<RankedTensorType>(node.getType()).getShape());
        result[0] = codes(node.getInput())[0];
        return result;
      })
      .Case<Conv2dBackpropFilterOp>([&](auto node) {
        return Codes{node.getFilterSize()[0], node.getFilterSize()[1],
                     codes(node.getInput())[3], codes(node.getDy())[3]};
      })
      .Case<MaxPoolOp, AvgPoolOp, QuantizedMaxPoolOp>([&](auto node) {
        Codes input = codes(node.getInput());
        ArrayRef<int64_t> shape =
            cast<RankedTensorType>(node.getType()).getShape();
        return Codes{input[0], shape[1], shape[2], input[3]};
      })
      .Case<MaxPoolGradOp>(
          [&](MaxPoolGradOp node) { return codes(node.getInput()); })
      .Case<AvgPoolGradOp>([&](AvgPoolGradOp node) {
        Codes dy = codes(node.getDy());
        return Codes{dy[0], node.getInputSize()[0], node.getInputSize()[1],
                     dy[3]};
      })
      .Case<ReduceSumOp, ReduceProdOp, ReduceMaxOp, ReduceMinOp, ReduceAnyOp,
            ReduceAllOp>([&](auto node) {
        Codes result;
        for (auto [i, code] : llvm::enumerate(codes(node.getInput()))) {
          if (!llvm::is_contained(node.getAxes(), static_cast<int64_t>(i)))
            result.push_back(code);
          else if (node.getKeepDims())
            result.push_back(1);
        }
        return result;
      })
      .Case<ArgmaxOp, ArgminOp>([&](auto node) {
        Codes result = codes(node.getInput());
        result.erase(result.begin() + node.getAxis());
        return result;
      })
      .Case<ExpandDimsOp>([&](ExpandDimsOp node) {
        Codes result = codes(node.getInput());
        for (int64_t axis : node.getAxes())
          result.insert(result.begin() + axis, 1);
        return result;
      })
      .Case<SqueezeOp>([&](SqueezeOp node) {
        Codes result = codes(node.getInput());
        for (int64_t axis : llvm::reverse(node.getAxes()))
          result.erase(result.begin() + axis);
        return result;
      })
      .Case<TransposeOp>([&](TransposeOp node) {
        Codes result, input = codes(node.getInput());
        for (int64_t i : node.getPermutation())
          result.push_back(input[i]);
        return result;
      })
      .Case<BroadcastToOp>([&](BroadcastToOp node) {
        Codes result(node.getShape()), input = codes(node.getInput());
        for (auto [i, code] : llvm::enumerate(result))
          if (code == -1)
            code = input[i - (result.size() - input.size())];
        return result;
      })
      .Case<BroadcastLikeOp, ReshapeLikeOp>(
          [&](auto node) { return codes(node.getLike()); })
      .Case<ReshapeOp>([&](ReshapeOp node) {
        Codes result(node.getShape());
        for (int64_t &code : result)
          if (code == -1)
            code = inferRest((*this)[node.getInput()], node.getShape());
        return result;
      })
      .Case<ConcatOp>([&](ConcatOp node) {
        Codes result;
        for (Value input : node.getInputs())
          result =
              result.empty() ? codes(input) : join({result, (*this)[input]});
        result[node.getAxis()] = ShapedType::kDynamic;
        return result;
      })
      .Case<SliceOp>([&](SliceOp node) {
        Codes result = codes(node.getInput());
        for (auto [i, code] : llvm::enumerate(result)) {
          if (node.getSize()[i] >= 0)
            code = node.getSize()[i];
          else if (node.getBegin()[i] != 0 || node.getStrides()[i] != 1)
            code = ShapedType::kDynamic;
        }
        return result;
      })
      .Case<PadOp>([&](PadOp node) {
        Codes result = codes(node.getInput());
        for (auto [i, code] : llvm::enumerate(result))
          if (node.getLow()[i] != 0 || node.getHigh()[i] != 0 ||
              node.getInterior()[i] != 0)
            code = ShapedType::kDynamic;
        return result;
      })
      .Case<GatherOp>([&](GatherOp node) {
        Codes result = codes(node.getParams());
        Codes indices = codes(node.getIndices());
        auto at = result.erase(result.begin() + node.getAxis());
        result.insert(at, indices.begin(), indices.end());
        return result;
      })
      .Case<ScatterOp, ScatterNdOp, DynamicUpdateSliceOp>(
          [&](auto node) { return codes(node.getOperand()); })
      .Case<CumulativeSumOp, CumulativeProdOp>(
          [&](auto node) { return codes(node.getInput()); })
      .Case<GatherNdOp>([&](GatherNdOp node) {
        Codes result = codes(node.getIndices()),
              params = codes(node.getParams());
        int64_t depth = node.getIndices().getType().getShape().back();
        result.pop_back();
        result.append(params.begin() + depth, params.end());
        return result;
      })
      .Case<TakeAlongOp>(
          [&](TakeAlongOp node) { return Codes{codes(node.getRows())[0]}; })
      .Case<UnsortedSegmentSumOp>([&](UnsortedSegmentSumOp node) {
        Codes data = codes(node.getData());
        Codes result{static_cast<int64_t>(node.getSegmentCount())};
        result.append(data.begin() + (*this)[node.getSegments()].size(),
                      data.end());
        return result;
      })
      .Default([](Operation *) { return Codes(); });
}

} // namespace weir

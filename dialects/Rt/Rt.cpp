//===- Rt.cpp - Scheduled programs
//--------------------------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Rt/Rt.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#include "dialects/Rt/RtDialect.cpp.inc"
#include "dialects/Rt/RtEnums.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/Rt/RtTypes.cpp.inc"

#define GET_OP_CLASSES
#include "dialects/Rt/RtOps.cpp.inc"

void weir::rt::RtDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/Rt/RtTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/Rt/RtOps.cpp.inc"
      >();
}

/// Checkpoints go by name: an error unless each value has one.
static LogicalResult verifyNames(Operation *op, ArrayAttr names,
                                 size_t values) {
  if (names.size() == values)
    return success();
  return op->emitOpError() << "[WEIR0018] has " << names.size() << " names for "
                           << values << " values";
}

namespace weir::rt {

// save_c1, save_buffers_c1, restore_buffers_c1
LogicalResult SaveOp::verify() {
  return verifyNames(*this, getNames(), getValues().size());
}
LogicalResult SaveBuffersOp::verify() {
  return verifyNames(*this, getNames(), getValues().size());
}
LogicalResult RestoreBuffersOp::verify() {
  return verifyNames(*this, getNames(), getValues().size());
}

LogicalResult RestoreOp::verify() {
  if (getValues().empty()) // restore_c1
    return emitOpError() << "[WEIR0018] restores nothing";
  return verifyNames(*this, getNames(), getValues().size());
}

LogicalResult SpreadOp::verify() {
  llvm::SmallVector<int> given(getFetches().size());
  for (Attribute attribute : getParts()) {
    auto part = dyn_cast<DictionaryAttr>(attribute);
    auto feeds = part ? part.getAs<DenseI32ArrayAttr>("feeds")
                      : DenseI32ArrayAttr(),
         fetches = part ? part.getAs<DenseI32ArrayAttr>("fetches")
                        : DenseI32ArrayAttr();
    auto among = [](DenseI32ArrayAttr list, size_t size) {
      return llvm::all_of(list.asArrayRef(), [&](int32_t i) {
        return i >= 0 && static_cast<size_t>(i) < size;
      });
    };
    if (!feeds || !fetches || !part.getAs<FlatSymbolRefAttr>("graph") ||
        !among(feeds, getFeeds().size()) ||
        !among(fetches, given.size())) // spread_c1
      return emitOpError() << "[WEIR0018] a part is {graph, feeds, fetches} "
                              "with numbers of feeds below "
                           << getFeeds().size() << " and of fetches below "
                           << given.size() << ", got " << attribute;
    for (int32_t i : fetches.asArrayRef())
      ++given[i];
  }
  for (auto [i, count] : llvm::enumerate(given)) // spread_c2
    if (count != 1)
      return emitOpError() << "[WEIR0018] fetch " << i << " is of " << count
                           << " parts, but has to be of one";
  return success();
}

RegionKind DataflowOp::getRegionKind(unsigned) { return RegionKind::Graph; }

LogicalResult DataflowOp::verify() {
  // dataflow_c1
  for (auto [i, attribute] : llvm::enumerate(getFrames())) {
    auto frame = dyn_cast<DictionaryAttr>(attribute);
    auto parent = frame ? frame.getAs<IntegerAttr>("parent") : IntegerAttr(),
         parallel = frame ? frame.getAs<IntegerAttr>("parallel_iterations")
                          : IntegerAttr();
    if (!parent || !parallel || !frame.getAs<StringAttr>("name") ||
        parent.getInt() < 0 || parent.getInt() > static_cast<int64_t>(i) ||
        parallel.getInt() < 1)
      return emitOpError() << "[WEIR0018] frame " << i + 1
                           << " is {name, parent, parallel_iterations} with "
                              "0 <= parent < "
                           << i + 1 << " and one iteration at least, got "
                           << attribute;
  }
  for (Operation &op : getBody().front()) // dataflow_c2
    if (!isa<ImmediateOp, NodeOp>(op))
      return op.emitOpError() << "[WEIR0018] is no part of a table of nodes";
  return success();
}

LogicalResult ImmediateOp::verify() {
  if (isa<ElementsAttr, FlatSymbolRefAttr>(getValue())) // immediate_c1
    return success();
  return emitOpError() << "[WEIR0018] is elements or a symbol, got "
                       << getValue();
}

LogicalResult NodeOp::verify() {
  // node_c1
  NodeKind kind = getKind();
  bool wantsIndex = kind == NodeKind::feed || kind == NodeKind::fetch ||
                    kind == NodeKind::enter;
  if ((kind == NodeKind::call && !getCall()) ||
      (kind == NodeKind::kernel && !getKernel()) || (wantsIndex && !getIndex()))
    return emitOpError() << "[WEIR0018] a node of kind "
                         << stringifyNodeKind(kind) << " has the attribute '"
                         << (wantsIndex ? "index"
                                        : stringifyNodeKind(kind).str())
                         << "'";
  // node_c2
  int64_t frames = cast<DataflowOp>((*this)->getParentOp()).getFrames().size();
  int64_t inside = getFrame(), entered = inside;
  if (kind == NodeKind::enter)
    entered = *getIndex();
  if (inside >= 0 && inside <= frames && entered >= 0 && entered <= frames)
    return success();
  return emitOpError() << "[WEIR0018] there is no such frame; the table has "
                          "frames 0 to "
                       << frames;
}

} // namespace weir::rt

//===- DeviceOps.cpp - What a GPU or the accelerator does -----------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Rt/Rt.h"

using namespace mlir;

/// Whether the elements of `type`, of static shape, lie one behind the other.
static bool isContiguous(Type type) {
  auto ranked = dyn_cast<MemRefType>(type);
  return ranked && ranked.hasStaticShape() &&
         ranked.areTrailingDimsContiguous(ranked.getRank());
}

/// Both sides of a copy between host and device are whole and alike.
static LogicalResult verifyCopy(Operation *op, Type from, Type to) {
  auto source = cast<BaseMemRefType>(from), target = cast<BaseMemRefType>(to);
  if (isContiguous(source) && isContiguous(target) &&
      source.getShape() == target.getShape() &&
      source.getElementType() == target.getElementType())
    return success();
  return op->emitOpError() << "[WEIR0018] copies between contiguous buffers of "
                              "one static shape and element type, got "
                           << from << " and " << to;
}

/// An element of a buffer: all indices, and its type.
static LogicalResult verifyElement(Operation *op, Type memory, size_t indices,
                                   Type element) {
  auto type = cast<BaseMemRefType>(memory);
  if (type.hasRank() && type.getRank() == static_cast<int64_t>(indices) &&
      type.getElementType() == element)
    return success();
  return op->emitOpError() << "[WEIR0018] " << indices
                           << " indices do not name an element of type "
                           << element << " in " << memory;
}

namespace weir::rt {

LogicalResult DeviceAllocOp::verify() {
  auto type = dyn_cast<MemRefType>(getType()); // device_alloc_c1
  if (type && type.getLayout().isIdentity() &&
      type.getNumDynamicDims() == static_cast<int64_t>(getExtents().size()))
    return success();
  return emitOpError() << "[WEIR0018] has " << getExtents().size()
                       << " extents for the dynamic ones of " << getType();
}

// copy_to_device_c1, copy_to_host_c1
LogicalResult CopyToDeviceOp::verify() {
  return verifyCopy(*this, getSource().getType(), getTarget().getType());
}
LogicalResult CopyToHostOp::verify() {
  return verifyCopy(*this, getSource().getType(), getTarget().getType());
}

// device_write_c1
LogicalResult DeviceWriteOp::verify() {
  return verifyElement(*this, getMemory().getType(), getIndices().size(),
                       getValue().getType());
}

LogicalResult HostAllocOp::verify() {
  auto type = dyn_cast<MemRefType>(getType()); // host_alloc_c1
  if (type && type.hasStaticShape() && type.getLayout().isIdentity())
    return success();
  return emitOpError() << "[WEIR0018] page-locked memory is row-major and of "
                          "static shape, got "
                       << getType();
}

LogicalResult EventWaitOp::verify() {
  auto record = getEvent().getDefiningOp<EventRecordOp>(); // event_wait_c1
  if (!record || record.getStream() != getStream())
    return success();
  return emitOpError() << "[WEIR0018] stream '" << stringifyStream(getStream())
                       << "' waits for an event of its own; its work is in "
                          "order anyway";
}

LogicalResult CheckRecordOp::verify() {
  Type number = IntegerType::get(getContext(), 64); // check_record_c1
  if (getType() == MemRefType::get({3}, number))
    return success();
  return emitOpError() << "[WEIR0018] a record is memref<3xi64>, got "
                       << getType();
}

LogicalResult GpuModuleOp::verify() {
  for (Attribute attribute : getImages()) { // gpu_module_c1
    auto image = dyn_cast<DictionaryAttr>(attribute);
    if (!image || !image.getAs<IntegerAttr>("architecture") ||
        !image.getAs<BoolAttr>("specific") || !image.getAs<StringAttr>("data"))
      return emitOpError()
             << "[WEIR0018] an image is {architecture, specific, data}, got "
             << attribute;
  }
  return success();
}

LogicalResult GpuLaunchOp::verify() {
  if (getBlocks().size() == 3 && getThreads().size() == 3) // gpu_launch_c1
    return success();
  return emitOpError() << "[WEIR0018] a grid and a block have three extents, "
                          "got "
                       << getBlocks().size() << " and " << getThreads().size();
}

} // namespace weir::rt

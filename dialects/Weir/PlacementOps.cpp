//===- PlacementOps.cpp - Where programs of devices meet ------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Weir/Weir.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace weir {

/// True for "/job:j/replica:0/task:0/device:CPU:0". Full names have one form.
static bool isFullDeviceName(StringRef text) {
  for (StringRef part : {"/job:", "/replica:", "/task:", "/device:"}) {
    if (!text.consume_front(part))
      return false;
    StringRef value = text.take_until([](char c) { return c == '/'; });
    if (value.empty())
      return false;
    text = text.drop_front(value.size());
  }
  return text.empty();
}

static LogicalResult verifyKey(Operation *op, StringRef source,
                               StringRef destination, size_t values) {
  if (values > 1) // send_c1, receive_c1
    return op->emitOpError()
           << "[WEIR0070] a key has one value at most, got " << values;
  for (StringRef device : {source, destination}) // send_c2, receive_c2
    if (!isFullDeviceName(device))
      return op->emitOpError()
             << "[WEIR0070] '" << device
             << "' is no full device name, such as "
                "/job:localhost/replica:0/task:0/device:CPU:0";
  if (source == destination) // send_c2, receive_c2
    return op->emitOpError() << "[WEIR0070] source and destination are both '"
                             << source << "'; nothing has to be sent";
  return success();
}

LogicalResult SendOp::verify() {
  return verifyKey(*this, getSource(), getDestination(), getValue().size());
}

LogicalResult ReceiveOp::verify() {
  return verifyKey(*this, getSource(), getDestination(), getValue().size());
}

LogicalResult SaveShardOp::verify() {
  if (getNames().size() != getValues().size()) // save_shard_c1
    return emitOpError() << "[WEIR0071] has " << getNames().size()
                         << " names for " << getValues().size() << " values";
  llvm::StringSet<> seen;
  for (auto name : getNames().getAsRange<StringAttr>())
    if (name.getValue().empty() || !seen.insert(name.getValue()).second)
      return emitOpError() << "[WEIR0071] names are unique and not empty, got "
                           << name;
  int64_t shard = getShard(), shards = getShards();
  if (shard < 0 || shard >= shards) // save_shard_c2
    return emitOpError() << "[WEIR0071] is shard " << shard << " of " << shards
                         << ", but shards are numbered 0 to " << shards - 1;
  return success();
}

SmallVector<int64_t> SaveShardOp::getCallNumbers() {
  return {static_cast<int64_t>(getShard()), static_cast<int64_t>(getShards())};
}

SmallVector<std::string> SaveShardOp::getCallTexts() {
  SmallVector<std::string> texts;
  for (auto name : getNames().getAsRange<StringAttr>())
    texts.push_back(name.getValue().str());
  return texts;
}

} // namespace weir

//===- TableCheck.cpp - Is this table of nodes in order? ------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/executor/TableCheck.h"
#include "runtime/base/DType.h"
#include "runtime/base/Format.h"

#include <algorithm>
#include <vector>

using namespace weir::rt;

namespace {

// Bounds that no real program comes near, so that sums of counts fit.
constexpr int32_t kMaxNodes = 1 << 28;
constexpr int32_t kMaxFrames = 1 << 20;
constexpr int64_t kMaxEdges = int64_t(1) << 30;
constexpr int32_t kAny = -1;

/// What a kind of node has.
struct Shape {
  int32_t inputs, outputs;
};

class TableChecker {
public:
  explicit TableChecker(const WeirEntryDesc &entry)
      : entry(entry), table(*entry.dataflow) {}

  Status check();

private:
  Status bad(const std::string &what) const {
    return Status(WEIR_INTERNAL,
                  str("[WEIR0321] the table of entry '", entry.name,
                      "' is damaged: ", what,
                      "; compile the program again, and report it if that "
                      "does not help"));
  }
  Status badNode(int32_t n, const std::string &what) const {
    const char *name = table.nodes[n].name;
    return bad(str("node ", n, name ? " (" : "", name ? name : "",
                   name ? ")" : "", " ", what));
  }

  Status checkFrames() const;
  Status checkConstants() const;
  Status checkNode(int32_t n);
  Status checkKind(int32_t n);
  Status checkTransfer(int32_t n) const;
  Status checkEdge(int32_t n, const WeirEdge &edge, bool isControl) const;
  Status checkOutputs(int32_t n) const;
  int32_t outputFrame(int32_t n) const;

  const WeirEntryDesc &entry;
  const WeirDataflow &table;
  std::vector<bool> fed, fetched;
  int64_t edges = 0;
};

} // namespace

Status TableChecker::checkFrames() const {
  if (table.frame_count < 1 || table.frame_count > kMaxFrames || !table.frames)
    return bad(str("it has ", table.frame_count, " frames"));
  for (int32_t i = 0; i < table.frame_count; ++i) {
    const WeirFrameDesc &frame = table.frames[i];
    if (i == 0 ? frame.parent != -1
               : frame.parent < 0 || frame.parent >= table.frame_count)
      return bad(str("frame ", i, " has parent ", frame.parent));
    if (frame.parallel_iterations < 1)
      return bad(str("frame ", i, " allows ", frame.parallel_iterations,
                     " iterations"));
  }
  // Each frame hangs on the graph: a walk to the root ends, at the latest where
  // an earlier one has been.
  std::vector<int32_t> walk(static_cast<size_t>(table.frame_count), -1);
  walk[0] = 0;
  for (int32_t i = 1; i < table.frame_count; ++i) {
    int32_t frame = i;
    while (walk[static_cast<size_t>(frame)] < 0) {
      walk[static_cast<size_t>(frame)] = i;
      frame = table.frames[frame].parent;
    }
    if (walk[static_cast<size_t>(frame)] == i)
      return bad(str("frame ", i, " is inside itself"));
  }
  return Status();
}

Status TableChecker::checkConstants() const {
  if (table.constant_count < 0 ||
      (table.constant_count > 0 && !table.constants))
    return bad(str("it has ", table.constant_count, " constants"));
  for (int32_t i = 0; i < table.constant_count; ++i) {
    const WeirView &constant = table.constants[i];
    if (constant.dtype == WEIR_RESOURCE) {
      if (constant.rank != 0 || !constant.data)
        return bad(str("constant ", i, " is a handle that names nothing"));
      continue;
    }
    Status status = checkView(constant, str("constant ", i).c_str());
    if (!status.ok())
      return bad(status.message());
  }
  return Status();
}

int32_t TableChecker::outputFrame(int32_t n) const {
  const WeirNodeDesc &node = table.nodes[n];
  if (node.kind == WEIR_NODE_ENTER)
    return node.index;
  if (node.kind == WEIR_NODE_EXIT)
    return table.frames[node.frame].parent;
  return node.frame;
}

/// A tensor crosses once in a step, so not in a loop.
Status TableChecker::checkTransfer(int32_t n) const {
  const WeirNodeDesc &node = table.nodes[n];
  const char *what =
      node.kind == WEIR_NODE_SEND ? "sends to another device" : "receives";
  if (node.frame != 0)
    return badNode(n, str(what, " in a loop; each tensor can cross once"));
  if (node.text_count != 3)
    return badNode(n, str(what, " and has ", node.text_count,
                          " texts, not tensor, source and destination"));
  for (int32_t i = 0; i < 3; ++i)
    if (node.texts[i].size <= 0 || !node.texts[i].data)
      return badNode(n, str(what, " and does not say ",
                            i == 0   ? "which tensor"
                            : i == 1 ? "from where"
                                     : "to where"));
  return Status();
}

/// What the kind asks for; also all that outputFrame relies on.
Status TableChecker::checkKind(int32_t n) {
  const WeirNodeDesc &node = table.nodes[n];
  Shape shape = {kAny, kAny};
  switch (node.kind) {
  case WEIR_NODE_CALL:
    if (!node.call)
      return badNode(n, "has no function");
    break;
  case WEIR_NODE_KERNEL:
    if (!node.kernel)
      return badNode(n, "has no code");
    break;
  case WEIR_NODE_NO_OP:
  case WEIR_NODE_CONTROL_TRIGGER:
    shape = {0, 0};
    break;
  case WEIR_NODE_FEED:
    shape = {0, 1};
    if (node.index < 0 || node.index >= entry.feed_count ||
        fed[static_cast<size_t>(node.index)])
      return badNode(n, str("is feed ", node.index));
    fed[static_cast<size_t>(node.index)] = true;
    if (node.frame != 0 || node.control_count != 0)
      return badNode(n, "is a feed and waits for something");
    break;
  case WEIR_NODE_FETCH:
    shape = {1, 0};
    if (node.index < 0 || node.index >= entry.fetch_count ||
        fetched[static_cast<size_t>(node.index)])
      return badNode(n, str("is fetch ", node.index));
    fetched[static_cast<size_t>(node.index)] = true;
    if (node.frame != 0)
      return badNode(n, "is a fetch in a loop");
    break;
  case WEIR_NODE_SWITCH:
    shape = {2, kAny};
    if (node.output_count < 1)
      return badNode(n, "is a switch without outputs");
    break;
  case WEIR_NODE_MERGE:
    shape = {kAny, 2};
    if (node.input_count < 1)
      return badNode(n, "is a merge without inputs");
    break;
  case WEIR_NODE_ENTER:
    shape = {1, 1};
    if (node.index <= 0 || node.index >= table.frame_count ||
        table.frames[node.index].parent != node.frame)
      return badNode(n, str("enters frame ", node.index));
    if (node.number_count != 1)
      return badNode(n, "does not tell whether its value is invariant");
    break;
  case WEIR_NODE_EXIT:
  case WEIR_NODE_NEXT_ITERATION:
    shape = {1, 1};
    if (node.frame == 0)
      return badNode(n, "belongs to a loop and is in none");
    break;
  case WEIR_NODE_IDENTITY:
    shape = {1, 1};
    break;
  case WEIR_NODE_SEND:
    shape = {std::min(node.input_count, 1), 0};
    WEIR_RETURN_IF_ERROR(checkTransfer(n));
    break;
  case WEIR_NODE_RECEIVE:
    shape = {0, std::min(node.output_count, 1)};
    WEIR_RETURN_IF_ERROR(checkTransfer(n));
    break;
  default:
    return badNode(n, str("is of kind ", node.kind));
  }
  if ((shape.inputs != kAny && shape.inputs != node.input_count) ||
      (shape.outputs != kAny && shape.outputs != node.output_count))
    return badNode(n, str("has ", node.input_count, " inputs and ",
                          node.output_count, " outputs"));
  return Status();
}

Status TableChecker::checkOutputs(int32_t n) const {
  const WeirNodeDesc &node = table.nodes[n];
  for (int32_t i = 0; i < node.output_count; ++i) {
    const WeirTensorDesc &desc = node.outputs[i];
    if (desc.rank < -1 || desc.rank > WEIR_MAX_RANK ||
        (desc.rank > 0 && !desc.dims) ||
        (desc.dtype != WEIR_RESOURCE && !dtypeInfo(desc.dtype)))
      return badNode(
          n, str("has an output of rank ", desc.rank, ", dtype ", desc.dtype));
  }
  if (node.kind == WEIR_NODE_FEED) {
    const WeirTensorDesc &feed = entry.feeds[node.index];
    if (feed.dtype != node.outputs[0].dtype)
      return badNode(n, str("is not of the type of feed '", feed.name, "'"));
  }
  return Status();
}

/// The parts of a node that do not depend on other nodes.
Status TableChecker::checkNode(int32_t n) {
  const WeirNodeDesc &node = table.nodes[n];
  if (!node.name)
    return badNode(n, "has no name");
  const struct {
    int32_t count;
    const void *array;
    const char *what;
  } arrays[] = {{node.input_count, node.inputs, "inputs"},
                {node.output_count, node.outputs, "outputs"},
                {node.control_count, node.controls, "control edges"},
                {node.number_count, node.numbers, "numbers"},
                {node.text_count, node.texts, "texts"}};
  for (const auto &array : arrays) {
    if (array.count < 0 || (array.count > 0 && !array.array))
      return badNode(n, str("has ", array.count, " ", array.what));
    edges += array.count;
  }
  if (edges > kMaxEdges)
    return bad("it has too many edges");
  if (node.frame < 0 || node.frame >= table.frame_count)
    return badNode(n, str("is in frame ", node.frame));
  WEIR_RETURN_IF_ERROR(checkKind(n));
  return checkOutputs(n);
}

Status TableChecker::checkEdge(int32_t n, const WeirEdge &edge,
                               bool isControl) const {
  const WeirNodeDesc &node = table.nodes[n];
  if (edge.node == -1 && !isControl) {
    if (edge.output < 0 || edge.output >= table.constant_count)
      return badNode(n, str("uses constant ", edge.output));
    return Status();
  }
  if (edge.node < 0 || edge.node >= table.node_count)
    return badNode(n, str("waits for node ", edge.node));
  const WeirNodeDesc &source = table.nodes[edge.node];
  if (edge.output < (isControl ? -1 : 0) || edge.output >= source.output_count)
    return badNode(n, str("waits for output ", edge.output, " of node ",
                          edge.node, " (", source.name, ")"));
  if (outputFrame(edge.node) != node.frame)
    return badNode(n, str("is in frame ", node.frame, " and waits for node ",
                          edge.node, " (", source.name, ") of frame ",
                          outputFrame(edge.node)));
  return Status();
}

Status TableChecker::check() {
  if (table.node_count < 0 || table.node_count > kMaxNodes ||
      (table.node_count > 0 && !table.nodes))
    return bad(str("it has ", table.node_count, " nodes"));
  WEIR_RETURN_IF_ERROR(checkFrames());
  WEIR_RETURN_IF_ERROR(checkConstants());
  fed.resize(static_cast<size_t>(entry.feed_count));
  fetched.resize(static_cast<size_t>(entry.fetch_count));
  for (int32_t n = 0; n < table.node_count; ++n)
    WEIR_RETURN_IF_ERROR(checkNode(n));
  for (int32_t n = 0; n < table.node_count; ++n) {
    const WeirNodeDesc &node = table.nodes[n];
    bool waits = node.control_count > 0, hasConstant = false;
    for (int32_t i = 0; i < node.input_count; ++i) {
      WEIR_RETURN_IF_ERROR(checkEdge(n, node.inputs[i], /*isControl=*/false));
      (node.inputs[i].node < 0 ? hasConstant : waits) = true;
    }
    for (int32_t i = 0; i < node.control_count; ++i)
      WEIR_RETURN_IF_ERROR(checkEdge(n, node.controls[i], /*isControl=*/true));
    // Such a node would begin in every iteration by itself.
    if (node.frame != 0 &&
        (!waits || (node.kind == WEIR_NODE_MERGE && hasConstant)))
      return badNode(n, "is in a loop and waits for nothing of it");
  }
  for (size_t i = 0; i < fetched.size(); ++i)
    if (!fetched[i])
      return bad(str("fetch '", entry.fetches[i].name, "' has no node"));
  return Status();
}

Status weir::rt::checkTable(const WeirEntryDesc &entry) {
  return TableChecker(entry).check();
}

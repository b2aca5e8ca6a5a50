//===- Graph.cpp - The table of an entry, ready to be run -----------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/executor/Graph.h"
#include "runtime/base/Format.h"
#include "runtime/core/Session.h"
#include "runtime/executor/TableCheck.h"
#include "runtime/state/MakeResource.h"

#include <cstring>

using namespace weir::rt;

namespace weir::rt {

/// Builds from a table that checkTable has found in order.
class GraphBuilder {
public:
  GraphBuilder(WeirSession &session, Graph &graph)
      : session(session), graph(graph), table(graph.table) {}

  Status build() {
    addFrames();
    findPassedBy();
    orderNodes();
    addNodes();
    addEdges();
    WEIR_RETURN_IF_ERROR(addConstants());
    addKernels();
    addStarts();
    return Status();
  }

private:
  void addFrames();
  void findPassedBy();
  void orderNodes();
  void addNodes();
  void addEdges();
  Status addConstants();
  Status addDeviceConstants();
  Status makeHandle(size_t constant);
  void addKernels();
  const WeirTensorDesc *namedOutputs(const WeirNodeDesc &desc);
  void addStarts();

  template <typename Visit> void forEachInput(int32_t n, Visit visit) const;

  static bool isMerge(const WeirNodeDesc &desc) {
    return desc.kind == WEIR_NODE_MERGE;
  }

  WeirSession &session;
  Graph &graph;
  const WeirDataflow &table;
};

} // namespace weir::rt

WeirEdge Graph::sourceOf(WeirEdge edge) const {
  while (edge.node >= 0 && passedBy[static_cast<size_t>(edge.node)])
    edge = table.nodes[edge.node].inputs[0];
  return edge;
}

/// Those of a circle are not passed by: each stays where it is.
void GraphBuilder::findPassedBy() {
  const size_t count = static_cast<size_t>(table.node_count);
  graph.passedBy.assign(count, false);
  auto isCandidate = [&](int32_t n) {
    const WeirNodeDesc &desc = table.nodes[n];
    return desc.kind == WEIR_NODE_IDENTITY && desc.control_count == 0 &&
           desc.inputs[0].node >= 0;
  };
  // Walks end at a node that is none, or where an earlier walk has been.
  std::vector<int32_t> walk(count, -1);
  for (int32_t n = 0; n < table.node_count; ++n) {
    int32_t at = n;
    while (isCandidate(at) && walk[static_cast<size_t>(at)] < 0) {
      walk[static_cast<size_t>(at)] = n;
      at = table.nodes[at].inputs[0].node;
    }
    const bool isCircle =
        isCandidate(at) && (walk[static_cast<size_t>(at)] == n ||
                            !graph.passedBy[static_cast<size_t>(at)]);
    for (int32_t i = n; isCandidate(i) && walk[static_cast<size_t>(i)] == n;
         i = table.nodes[i].inputs[0].node) {
      walk[static_cast<size_t>(i)] = table.node_count;
      graph.passedBy[static_cast<size_t>(i)] = !isCircle;
    }
  }
}

/// The edges into node `n` that count: from where values really come.
template <typename Visit>
void GraphBuilder::forEachInput(int32_t n, Visit visit) const {
  const WeirNodeDesc &desc = table.nodes[n];
  if (graph.passedBy[static_cast<size_t>(n)])
    return;
  for (int32_t i = 0; i < desc.input_count; ++i)
    if (desc.inputs[i].node >= 0)
      visit(graph.sourceOf(desc.inputs[i]), i);
  for (int32_t i = 0; i < desc.control_count; ++i)
    visit(graph.sourceOf(desc.controls[i]), Edge::kControl);
}

void GraphBuilder::addFrames() {
  for (int32_t i = 0; i < table.frame_count; ++i) {
    GraphFrame frame;
    frame.parent = table.frames[i].parent;
    frame.place = 0;
    frame.parallelIterations = table.frames[i].parallel_iterations;
    graph.frames.push_back(std::move(frame));
  }
  for (GraphFrame &frame : graph.frames)
    if (frame.parent >= 0)
      frame.place = graph.frames[frame.parent].childCount++;
  graph.isPlain = table.frame_count == 1;
}

/// Goes through the graph as a machine on one thread would, last in, first out.
void GraphBuilder::orderNodes() {
  const size_t count = static_cast<size_t>(table.node_count);
  std::vector<uint32_t> begins(count + 1, 0);
  std::vector<int32_t> missing(count, 0);
  auto forEach = [&](auto visit) {
    for (int32_t n = 0; n < table.node_count; ++n)
      forEachInput(n, [&](const WeirEdge &from, int32_t) {
        visit(n, static_cast<size_t>(from.node));
      });
  };
  forEach([&](int32_t n, size_t source) {
    ++begins[source + 1];
    ++missing[static_cast<size_t>(n)];
  });
  for (size_t i = 0; i < count; ++i)
    begins[i + 1] += begins[i];
  std::vector<int32_t> consumers(begins[count]);
  std::vector<uint32_t> ends(begins.begin(), begins.end() - 1);
  forEach([&](int32_t n, size_t source) { consumers[ends[source]++] = n; });

  constexpr uint32_t kUnplaced = UINT32_MAX;
  graph.places.assign(count, kUnplaced);
  graph.order.reserve(count);
  std::vector<int32_t> stack;
  auto place = [&](int32_t n) {
    graph.places[static_cast<size_t>(n)] =
        static_cast<uint32_t>(graph.order.size());
    graph.order.push_back(n);
    for (uint32_t i = begins[static_cast<size_t>(n)];
         i < begins[static_cast<size_t>(n) + 1]; ++i) {
      const int32_t consumer = consumers[i];
      // A merge begins with the first that comes.
      const int32_t left = --missing[static_cast<size_t>(consumer)];
      if (left == 0 || isMerge(table.nodes[consumer]))
        stack.push_back(consumer);
    }
  };
  auto drain = [&] {
    while (!stack.empty()) {
      const int32_t n = stack.back();
      stack.pop_back();
      if (graph.places[static_cast<size_t>(n)] == kUnplaced)
        place(n);
    }
  };
  std::vector<int32_t> starts;
  for (int32_t n = table.node_count; n-- > 0;)
    if (missing[static_cast<size_t>(n)] == 0)
      (table.nodes[n].kind == WEIR_NODE_FEED ? starts : stack).push_back(n);
  for (int32_t feed : starts)
    place(feed);
  drain();
  // What is left waits for itself.
  for (int32_t n = 0; n < table.node_count; ++n)
    if (graph.places[static_cast<size_t>(n)] == kUnplaced) {
      place(n);
      drain();
    }
}

static std::string textOf(const WeirNodeDesc &desc, int32_t index) {
  const WeirString &text = desc.texts[index];
  return std::string(text.data, static_cast<size_t>(text.size));
}

/// Gives each node its slots and counts.
void GraphBuilder::addNodes() {
  graph.feedNodes.assign(static_cast<size_t>(graph.entry.feed_count), -1);
  graph.fetchNodes.assign(static_cast<size_t>(graph.entry.fetch_count), -1);
  int32_t kernels = 0;
  for (int32_t n = 0; n < table.node_count; ++n) {
    const WeirNodeDesc &desc = graph.desc(static_cast<uint32_t>(n));
    GraphFrame &frame = graph.frames[desc.frame];
    GraphNode node = {};
    node.kind = static_cast<uint8_t>(desc.kind);
    node.frame = desc.frame;
    node.index = desc.index;
    node.inputCount = desc.input_count;
    node.outputCount = desc.output_count;
    node.operands = static_cast<int32_t>(graph.operands.size());
    node.count = static_cast<int32_t>(frame.counts.size());
    graph.maxInputs = std::max(graph.maxInputs, desc.input_count);
    graph.maxOutputs = std::max(graph.maxOutputs, desc.output_count);
    const uint32_t controls = static_cast<uint32_t>(desc.control_count);
    int32_t constant = -1;
    uint32_t values = 0;
    for (int32_t i = 0; i < desc.input_count; ++i) {
      const WeirEdge &input = desc.inputs[i];
      if (input.node < 0) {
        graph.operands.push_back(~input.output);
        if (constant < 0)
          constant = i;
        continue;
      }
      // The inputs of a merge share the slot behind the others'.
      graph.operands.push_back(frame.slotCount);
      frame.slotCount += isMerge(desc) ? 0 : 1;
      ++values;
    }
    if (isMerge(desc)) {
      ++frame.slotCount;
      const bool live = constant >= 0;
      frame.counts.push_back(2 * controls + (live ? 0 : 1));
      frame.counts.push_back(0);
      frame.counts.push_back(static_cast<uint32_t>(live ? constant : 0));
      node.isStart = live && controls == 0;
    } else {
      frame.counts.push_back(values + controls);
      node.isStart = values + controls == 0;
      node.isPassedBy = graph.passedBy[static_cast<size_t>(graph.order[n])];
    }
    switch (desc.kind) {
    case WEIR_NODE_FEED:
      graph.feedNodes[desc.index] = n;
      break;
    case WEIR_NODE_FETCH:
      graph.fetchNodes[desc.index] = n;
      break;
    case WEIR_NODE_KERNEL:
      node.index = kernels++;
      break;
    case WEIR_NODE_SWITCH:
    case WEIR_NODE_MERGE:
      node.index = graph.outcomeCount++;
      graph.isPlain = false;
      break;
    case WEIR_NODE_RECEIVE:
      graph.isPlain = false;
      [[fallthrough]];
    case WEIR_NODE_SEND:
      node.index = static_cast<int32_t>(graph.keys.size());
      graph.keys.push_back({textOf(desc, 0), textOf(desc, 1), textOf(desc, 2)});
      break;
    case WEIR_NODE_ENTER:
      node.isInvariant = desc.numbers[0] != 0;
      ++graph.frames[desc.index].enterCount;
      break;
    default:
      break;
    }
    graph.nodes.push_back(node);
  }
}

/// Sorts the edges by where they come from: by output, and in it those of
/// control first, so that the last one can take the value over.
void GraphBuilder::addEdges() {
  const size_t nodeCount = graph.nodes.size();
  size_t outputCount = 0;
  for (GraphNode &node : graph.nodes) {
    node.outputs = static_cast<int32_t>(outputCount);
    outputCount += static_cast<size_t>(node.outputCount);
  }
  // Bins: for each output one of control and one of values, then one for each
  // node.
  std::vector<uint32_t> places(outputCount * 2 + nodeCount + 1, 0);
  auto binOf = [&](const WeirEdge &from, bool isControl) {
    const size_t place = graph.nodeOf(from.node);
    const GraphNode &source = graph.nodes[place];
    const size_t base = 2 * static_cast<size_t>(source.outputs) + place;
    if (from.output < 0)
      return base + 2 * static_cast<size_t>(source.outputCount);
    return base + 2 * static_cast<size_t>(from.output) + (isControl ? 0 : 1);
  };
  auto forEach = [&](auto visit) {
    for (size_t n = 0; n < nodeCount; ++n)
      forEachInput(graph.order[n], [&](const WeirEdge &from, int32_t input) {
        visit(n, from, input);
      });
  };
  forEach([&](size_t, const WeirEdge &from, int32_t input) {
    ++places[binOf(from, input < 0) + 1];
  });
  for (size_t i = 1; i < places.size(); ++i)
    places[i] += places[i - 1];
  graph.outputs.resize(outputCount);
  for (size_t n = 0; n < nodeCount; ++n) {
    GraphNode &node = graph.nodes[n];
    size_t bin = 2 * static_cast<size_t>(node.outputs) + n;
    node.edges = places[bin];
    for (int32_t o = 0; o < node.outputCount; ++o, bin += 2)
      graph.outputs[static_cast<size_t>(node.outputs + o)] = {
          places[bin + 2],
          static_cast<int32_t>(places[bin + 2] - places[bin + 1])};
    if (node.outputCount > 0)
      node.first = graph.outputs[static_cast<size_t>(node.outputs)];
    node.controlEdges = places[bin];
    node.edgesEnd = places[bin + 1];
  }
  graph.edges.resize(places.back());
  forEach([&](size_t n, const WeirEdge &from, int32_t input) {
    const WeirNodeDesc &desc = graph.desc(static_cast<uint32_t>(n));
    const GraphNode &node = graph.nodes[n];
    Edge edge = {static_cast<uint32_t>(n), Edge::kControl, node.count, input};
    if (isMerge(desc))
      edge.target |= Edge::kMerge;
    else if (graph.frames[node.frame].counts[node.count] == 1)
      edge.target |= Edge::kSole;
    if (input >= 0)
      edge.slot = graph.operands[node.operands + input];
    graph.edges[places[binOf(from, input < 0)]++] = edge;
  });
}

/// A constant that only kernels read stays where it is; of others the graph
/// has a copy, for it may go into a queue and outlive the program.
Status GraphBuilder::addConstants() {
  std::vector<bool> escapes(static_cast<size_t>(table.constant_count));
  for (int32_t n = 0; n < table.node_count; ++n) {
    const WeirNodeDesc &desc = table.nodes[n];
    for (int32_t i = 0; i < desc.input_count; ++i)
      if (desc.inputs[i].node < 0 && desc.kind != WEIR_NODE_KERNEL)
        escapes[static_cast<size_t>(desc.inputs[i].output)] = true;
  }
  graph.constants.resize(static_cast<size_t>(table.constant_count));
  for (size_t i = 0; i < graph.constants.size(); ++i)
    if (table.constants[i].dtype == WEIR_RESOURCE)
      WEIR_RETURN_IF_ERROR(makeHandle(i));
    else if (escapes[i])
      WEIR_RETURN_IF_ERROR(copyTensor(table.constants[i], graph.constants[i]));
  return graph.device ? addDeviceConstants() : Status();
}

Status GraphBuilder::addDeviceConstants() {
  graph.deviceConstants.resize(graph.constants.size());
  for (int32_t n = 0; n < table.node_count; ++n) {
    const WeirNodeDesc &desc = table.nodes[n];
    if (desc.kind != WEIR_NODE_KERNEL)
      continue;
    for (int32_t i = 0; i < desc.input_count; ++i) {
      if (desc.inputs[i].node >= 0)
        continue;
      const size_t constant = static_cast<size_t>(desc.inputs[i].output);
      if (graph.deviceConstants[constant])
        continue;
      TensorRef here;
      Status status = copyTensor(table.constants[constant], here);
      if (status.ok())
        status = copyTensorTo(graph.device, *here.get(),
                              graph.deviceConstants[constant]);
      if (!status.ok())
        return std::move(status).withContext(str(desc.name, ": "));
    }
  }
  return Status();
}

Status GraphBuilder::makeHandle(size_t constant) {
  const WeirHandleDesc &desc =
      *static_cast<const WeirHandleDesc *>(table.constants[constant].data);
  const int32_t count = desc.is_variable ? session.program.variable_count
                                         : session.resources.count();
  if (desc.index < 0 || desc.index >= count)
    return Status(WEIR_INTERNAL,
                  str("[WEIR0321] the table of an entry is damaged: constant ",
                      constant, " is a handle of ",
                      desc.is_variable ? "variable " : "resource ", desc.index,
                      ", of which there are ", count,
                      "; compile the program again, and report it if that does "
                      "not help"));
  TensorRef &handle = graph.constants[constant];
  return desc.is_variable
             ? session.variables.handle(desc.index, handle)
             : session.resources.handle(desc.index, makeResource, handle);
}

void GraphBuilder::addKernels() {
  size_t count = 0;
  for (const GraphNode &node : graph.nodes)
    count += node.kind == WEIR_NODE_KERNEL;
  graph.kernels.resize(count);
  graph.costs.reset(new std::atomic<uint32_t>[graph.nodes.size()]);
  for (size_t n = 0; n < graph.nodes.size(); ++n)
    graph.costs[n].store(Graph::kUnknownCost, std::memory_order_relaxed);
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    const GraphNode &node = graph.nodes[n];
    if (node.kind != WEIR_NODE_KERNEL)
      continue;
    const WeirNodeDesc &desc = graph.desc(static_cast<uint32_t>(n));
    WeirEntryDesc &kernel = graph.kernels[static_cast<size_t>(node.index)];
    kernel = {};
    kernel.name = desc.name;
    kernel.fn = desc.kernel;
    kernel.fetches = namedOutputs(desc);
    kernel.feed_count = desc.input_count;
    kernel.fetch_count = desc.output_count;
    kernel.device = graph.entry.device;
  }
}

/// The outputs of a kernel with names for messages. Most kernels have those of
/// the kernel before.
const WeirTensorDesc *GraphBuilder::namedOutputs(const WeirNodeDesc &desc) {
  auto isSame = [&](const std::vector<WeirTensorDesc> &known) {
    bool same = known.size() == static_cast<size_t>(desc.output_count);
    for (size_t o = 0; same && o < known.size(); ++o) {
      const WeirTensorDesc &other = desc.outputs[o];
      same = known[o].dtype == other.dtype && known[o].rank == other.rank;
      for (int32_t i = 0; same && i < other.rank; ++i)
        same = known[o].dims[i] == other.dims[i];
    }
    return same;
  };
  constexpr size_t kRemembered = 8;
  const size_t count = graph.outputDescs.size();
  for (size_t i = count; i > 0 && i + kRemembered > count; --i)
    if (isSame(graph.outputDescs[i - 1]))
      return graph.outputDescs[i - 1].data();
  std::vector<WeirTensorDesc> outputs(desc.outputs,
                                      desc.outputs + desc.output_count);
  for (size_t o = 0; o < outputs.size(); ++o) {
    if (o == graph.outputNames.size())
      graph.outputNames.push_back(str("output ", o));
    outputs[o].name = graph.outputNames[o].c_str();
  }
  graph.outputDescs.push_back(std::move(outputs));
  return graph.outputDescs.back().data();
}

void GraphBuilder::addStarts() {
  for (size_t n = graph.nodes.size(); n-- > 0;)
    if (graph.nodes[n].isStart && graph.nodes[n].kind != WEIR_NODE_FEED)
      graph.starts.push_back(static_cast<uint32_t>(n));
}

Status Graph::build(WeirSession &session, const WeirEntryDesc &entry,
                    std::unique_ptr<Graph> &graph) {
  WEIR_RETURN_IF_ERROR(checkTable(entry));
  std::unique_ptr<Graph> made(new Graph(entry));
  const size_t index = static_cast<size_t>(&entry - session.program.entries);
  if (Device *device = session.devices[index]; device && device->hasOwnMemory())
    made->device = device;
  made->track = session.tracks[index];
  WEIR_RETURN_IF_ERROR(GraphBuilder(session, *made).build());
  graph = std::move(made);
  return Status();
}

Status weir::rt::copyTensor(const WeirView &view, TensorRef &result) {
  if (view.dtype == WEIR_STRING)
    return createStringTensor(view.rank, view.dims,
                              static_cast<const WeirString *>(view.data),
                              result);
  WEIR_RETURN_IF_ERROR(createTensor(view.dtype, view.rank, view.dims, result));
  if (int64_t bytes = viewBytes(view))
    std::memcpy(result.get()->data, view.data, static_cast<size_t>(bytes));
  return Status();
}

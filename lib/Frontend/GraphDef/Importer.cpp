//===- Importer.cpp - From TensorFlow's GraphDef to a module ------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Frontend/GraphDef/Importer.h"

#include "dialects/Weir/Shape.h"
#include "lib/Frontend/GraphDef/Converter.h"
#include "lib/Frontend/GraphDef/GraphFileImpl.h"
#include "runtime/base/Format.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Path.h"

using namespace weir;
using namespace weir::graphdef;

/// An error where a placeholder declares something else than it is fed.
static bool checkFeed(const Node &node, const GraphFeed &feed,
                      Messages &messages) {
  if (!llvm::StringRef(node.op).starts_with("Placeholder"))
    return true;
  std::optional<pb::DataType> dtype = typeAttr(node, "dtype");
  if (dtype && feed.dtype != WEIR_DTYPE_INVALID && *dtype != feed.dtype)
    return messages.error(rt::str(
        "[WEIR0231] feed '", feed.tensor, "' is declared as ",
        pb::DataType_Name(*dtype), " by node ", describe(node), ", but given ",
        pb::DataType_Name(static_cast<pb::DataType>(feed.dtype))));
  const pb::TensorShapeProto *shape = shapeAttr(node, "shape");
  if (!shape || shape->unknown_rank() || !feed.shape || !shape->dim_size())
    return true;
  bool fits = shape->dim_size() == static_cast<int>(feed.shape->size());
  std::string declared;
  for (int i = 0; i < shape->dim_size(); ++i) {
    int64_t extent = shape->dim(i).size();
    fits = fits &&
           (extent < 0 || (*feed.shape)[i] < 0 || extent == (*feed.shape)[i]);
    declared += (i ? "x" : "") + (extent < 0 ? "?" : std::to_string(extent));
  }
  return fits || messages.error(rt::str(
                     "[WEIR0231] feed '", feed.tensor,
                     "' is declared with extents ", declared, " by node ",
                     describe(node), ", but given ", shapeText(*feed.shape)));
}

/// Cuts the graph where it is fed.
static bool applyFeeds(Graph &graph, const GraphImportOptions &options,
                       Plan &plan, Messages &messages) {
  for (const GraphFeed &feed : options.feeds) {
    std::optional<Edge> tensor = graph.resolve(feed.tensor, "a feed", messages);
    if (!tensor)
      return false;
    if (tensor->port < 0)
      return messages.error(rt::str("[WEIR0223] a feed is '", feed.tensor,
                                    "', which is a node, no tensor"));
    if (!checkFeed(graph[tensor->node], feed, messages))
      return false;
    for (const Plan::Feed &other : plan.feeds)
      if (other.tensor == *tensor)
        return messages.error(
            rt::str("[WEIR0223] '", other.name, "' is fed twice"));
    plan.feeds.push_back({rt::str(graph[tensor->node].name, ":", tensor->port),
                          *tensor, -1, feed.dtype, feed.shape});
  }
  for (auto [i, feed] : llvm::enumerate(plan.feeds))
    feed.node =
        feedTensor(graph, feed.tensor, static_cast<int64_t>(i), plan.roots);
  return true;
}

/// Everything in the graph: what nobody consumes.
static void takeWholeGraph(const Graph &graph, Plan &plan) {
  plan.wholeGraph = true;
  std::vector<bool> consumed(graph.size(), false);
  for (int i = 0; i < graph.size(); ++i) {
    for (Edge input : graph[i].inputs)
      consumed[input.node] = true;
    for (int control : graph[i].controls)
      consumed[control] = true;
  }
  for (int i = 0; i < graph.size(); ++i)
    if (!consumed[i] && graph[i].op != kFeedOp)
      plan.roots.targets.push_back(i);
}

static bool makePlan(Graph &graph, const GraphImportOptions &options,
                     Plan &plan, Messages &messages) {
  for (const std::string &fetch : options.fetches) {
    std::optional<Edge> tensor = graph.resolve(fetch, "a fetch", messages);
    if (!tensor)
      return false;
    if (tensor->port < 0)
      return messages.error(rt::str("[WEIR0223] a fetch is '", fetch,
                                    "', which is a node, no tensor; name it "
                                    "as a target"));
    // Results have names of their own, also where they are the same tensor.
    auto before = llvm::count(plan.roots.fetches, *tensor);
    plan.roots.fetches.push_back(*tensor);
    std::string name = rt::str(graph[tensor->node].name, ":", tensor->port);
    plan.fetchNames.push_back(before ? rt::str(name, "/", before) : name);
  }
  for (const std::string &target : options.targets) {
    std::optional<Edge> node = graph.resolve(target, "a target", messages);
    if (!node)
      return false;
    plan.roots.targets.push_back(node->node);
  }
  if (!applyFeeds(graph, options, plan, messages))
    return false;
  if (options.fetches.empty() && options.targets.empty())
    takeWholeGraph(graph, plan);
  return true;
}

std::unique_ptr<Program> GraphFile::import(const GraphImportOptions &options,
                                           Messages &messages) const {
  Graph graph(impl->graph);
  Plan plan;
  plan.file = impl->name;
  plan.entry = options.entry;
  plan.lines = &impl->lines;
  if (!graph.build(messages) || !makePlan(graph, options, plan, messages) ||
      !inlineFunctions(graph, plan.roots, messages))
    return nullptr;
  std::unique_ptr<Program> program =
      Program::create(llvm::sys::path::stem(impl->name).str());
  if (!Converter(graph, plan, program->module(), messages).run())
    return nullptr;
  size_t before = messages.all().size();
  if (program->verify(messages))
    return program;
  if (messages.all().size() == before)
    messages.error(rt::str("[WEIR0227] '", impl->name,
                           "' became a module that is not valid"));
  return nullptr;
}

std::unique_ptr<Program> weir::importGraphDef(const std::string &path,
                                              const GraphImportOptions &options,
                                              Messages &messages) {
  std::unique_ptr<GraphFile> file = GraphFile::load(path, messages);
  return file ? file->import(options, messages) : nullptr;
}

/// The number of an element type that a command line names: as MLIR writes it
/// (f32, ui8) or as TensorFlow does (float32, uint8).
static int32_t dtypeNamed(llvm::StringRef name) {
  return llvm::StringSwitch<int32_t>(name)
      .Cases({"f32", "float32", "float"}, WEIR_F32)
      .Cases({"f64", "float64", "double"}, WEIR_F64)
      .Cases({"f16", "float16", "half"}, WEIR_F16)
      .Cases({"bf16", "bfloat16"}, WEIR_BF16)
      .Cases({"i1", "bool"}, WEIR_BOOL)
      .Cases({"i8", "int8"}, WEIR_I8)
      .Cases({"i16", "int16"}, WEIR_I16)
      .Cases({"i32", "int32"}, WEIR_I32)
      .Cases({"i64", "int64"}, WEIR_I64)
      .Cases({"ui8", "uint8"}, WEIR_U8)
      .Cases({"ui16", "uint16"}, WEIR_U16)
      .Cases({"ui32", "uint32"}, WEIR_U32)
      .Cases({"ui64", "uint64"}, WEIR_U64)
      .Case("string", WEIR_STRING)
      .Default(WEIR_DTYPE_INVALID);
}

bool weir::parseGraphFeed(std::string_view text, GraphFeed &feed,
                          Messages &messages) {
  auto [tensor, type] = llvm::StringRef(text).split('=');
  feed = GraphFeed();
  feed.tensor = tensor.str();
  auto error = [&](const std::string &what) {
    return messages.error(rt::str("[WEIR0228] '", text, "' is no feed: ", what,
                                  "; write name:port=dtype[extents], as in "
                                  "x:0=f32[?x8]"));
  };
  if (tensor.empty())
    return error("it has no name");
  if (type.empty())
    return text.find('=') == std::string_view::npos ||
           error("nothing follows '='");
  auto [dtype, shape] = type.split('[');
  feed.dtype = dtypeNamed(dtype);
  if (!dtype.empty() && feed.dtype == WEIR_DTYPE_INVALID)
    return error(rt::str("'", dtype.str(), "' is no element type"));
  if (type.find('[') == llvm::StringRef::npos)
    return true;
  if (!shape.consume_back("]"))
    return error("']' is missing");
  feed.shape.emplace();
  llvm::SmallVector<llvm::StringRef> extents;
  shape.split(extents, 'x', -1, /*KeepEmpty=*/!shape.empty());
  for (llvm::StringRef extent : extents) {
    int64_t number = -1;
    if (extent != "?" && (extent.getAsInteger(10, number) || number < 0 ||
                          number >= (int64_t(1) << 40)))
      return error(rt::str("'", extent.str(), "' is no extent"));
    feed.shape->push_back(number);
  }
  return true;
}

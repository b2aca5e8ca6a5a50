//===- Graph.h - A GraphDef as a graph of nodes --------------- -*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the importer works on between the file and the module: nodes with
// resolved edges. Functions are inlined and functional control flow is lowered
// here, before anything is converted.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_FRONTEND_GRAPHDEF_GRAPH_H
#define WEIR_LIB_FRONTEND_GRAPHDEF_GRAPH_H

#include "graph.pb.h"
#include "lib/Support/Messages.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weir::graphdef {

namespace pb = ::weir::tf;

/// Output `port` of node `node`.
struct Edge {
  int node = -1;
  int port = 0;
  friend bool operator==(Edge a, Edge b) = default;
  friend auto operator<=>(Edge a, Edge b) = default;
};

using Attributes = std::map<std::string, const pb::AttrValue *, std::less<>>;

struct Node {
  std::string name;
  std::string op;
  std::string device;
  /// Owned by the GraphDef or by the graph's arena.
  Attributes attrs;
  std::vector<Edge> inputs;
  /// Nodes that have to run before.
  std::vector<int> controls;
  /// Where it was made: innermost first. Null where nothing is known.
  const pb::GraphDebugInfo::StackTrace *trace = nullptr;
};

/// Nodes are never removed, only left unused; an index stays valid.
class Graph {
public:
  explicit Graph(const pb::GraphDef &def) : def(def) {}

  /// Takes over the nodes of the GraphDef and resolves their inputs. An edge
  /// to a node that is not there, a second node of one name and the like are
  /// errors.
  bool build(Messages &messages);

  /// Adds a node and returns its index; the name is made unique.
  int add(std::string name, std::string op, std::string device = "");
  /// The same as `add` with inputs, controls and attribute "T".
  int add(std::string name, std::string op, std::vector<Edge> inputs,
          std::vector<int> controls, std::string device);

  Node &operator[](int i) { return nodes[i]; }
  const Node &operator[](int i) const { return nodes[i]; }
  int size() const { return static_cast<int>(nodes.size()); }
  /// -1 where there is none.
  int find(std::string_view name) const;

  /// An attribute value that lives as long as the graph.
  pb::AttrValue *newAttr() { return &arena.emplace_back(); }

  const pb::FunctionDef *findFunction(std::string_view name) const;
  /// Where a node of a function ("" for the graph itself) was made, or null.
  const pb::GraphDebugInfo::StackTrace *
  findTrace(std::string_view node, std::string_view function) const;
  const pb::GraphDef &getDef() const { return def; }

  /// Resolves "name", "name:port" or "^name" (port -1). The error says what
  /// `what` is and where it stands.
  std::optional<Edge> resolve(std::string_view text, std::string_view what,
                              Messages &messages) const;

private:
  const pb::GraphDef &def;
  // A deque: adding a node moves no other.
  std::deque<Node> nodes;
  std::deque<pb::AttrValue> arena;
  llvm::StringMap<int> byName;
  mutable llvm::StringMap<const pb::FunctionDef *> functions;
};

/// What a step runs for: tensors that are fetched, nodes that run. A tensor
/// that is fed is a node kFeedOp of its own by then.
struct Roots {
  std::vector<Edge> fetches;
  std::vector<int> targets;
};

/// The op of the node that stands for a tensor which is fed; attribute "index"
/// is the number of the feed.
inline constexpr char kFeedOp[] = "_WeirFeed";

/// Puts a feed node in the place of a tensor: what consumes the tensor consumes
/// it instead. Returns the node.
int feedTensor(Graph &graph, Edge tensor, int64_t index, Roots &roots);

/// For each node from `first` on whether it is one of `nodes` or one of them
/// waits for it, without going through nodes before `first`.
std::vector<bool> findAncestors(const Graph &graph, llvm::ArrayRef<int> nodes,
                                int first = 0);

/// For each node whether the roots need it.
std::vector<bool> findNeeded(const Graph &graph, const Roots &roots);

/// Replaces calls of functions by their bodies and functional control flow by
/// Switch, Merge and the nodes of loops, where the roots need them; the roots
/// are redirected. Errors: recursion, a function without body, wrong numbers of
/// arguments.
bool inlineFunctions(Graph &graph, Roots &roots, Messages &messages);

// ---- Attributes: nothing where there is none or one of another kind.

const pb::AttrValue *findAttr(const Node &node, std::string_view name);
std::optional<int64_t> intAttr(const Node &node, std::string_view name);
std::optional<bool> boolAttr(const Node &node, std::string_view name);
std::optional<float> floatAttr(const Node &node, std::string_view name);
std::optional<std::string> stringAttr(const Node &node, std::string_view name);
std::optional<pb::DataType> typeAttr(const Node &node, std::string_view name);
const pb::TensorShapeProto *shapeAttr(const Node &node, std::string_view name);
const pb::TensorProto *tensorAttr(const Node &node, std::string_view name);
const pb::NameAttrList *funcAttr(const Node &node, std::string_view name);
const pb::AttrValue::ListValue *listAttr(const Node &node,
                                         std::string_view name);
/// The list of integers, or nothing.
std::optional<std::vector<int64_t>> intsAttr(const Node &node,
                                             std::string_view name);

/// "'name' (Op)" for messages.
std::string describe(const Node &node);

} // namespace weir::graphdef

#endif // WEIR_LIB_FRONTEND_GRAPHDEF_GRAPH_H

//===- Functions.h - Bodies of functions put into a graph ----- -*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_FRONTEND_GRAPHDEF_FUNCTIONS_H
#define WEIR_LIB_FRONTEND_GRAPHDEF_FUNCTIONS_H

#include "lib/Frontend/GraphDef/Graph.h"
#include "llvm/ADT/DenseMap.h"

namespace weir::graphdef {

/// One body of a function to be put into the graph.
struct Instance {
  /// The node whose call it is; new nodes lie on its device.
  int caller;
  std::string name;
  Attributes attrs;
  std::vector<Edge> arguments;
  /// What every node of the body waits for.
  std::vector<int> controls;
  /// What a node waits for that would run anywhere and always otherwise,
  /// because it takes no argument: the side of a conditional, the iteration of
  /// a loop.
  std::vector<int> pivots;
  /// Names of new nodes begin with it.
  std::string prefix;
};

/// What a body gives.
struct InstanceResult {
  std::vector<Edge> outputs;
  /// Nodes with effects that the outputs do not wait for by themselves.
  std::vector<int> gates;
};

class Inliner {
public:
  Inliner(Graph &graph, Messages &messages)
      : graph(graph), messages(messages) {}

  /// Expands node `i` in place, if it is a call or functional control flow:
  /// it becomes an IdentityN of its results. False on errors.
  bool expand(int i);
  /// True where `expand` has something to do.
  bool isExpandable(const Node &node) const;

private:
  bool expandCall(int i);
  bool expandIf(int i);
  bool expandCase(int i);
  bool expandWhile(int i);

  std::optional<InstanceResult> instantiate(const Instance &instance);
  bool addBody(const pb::FunctionDef &function, const Instance &instance,
               const std::map<std::string, Edge, std::less<>> &arguments,
               InstanceResult &result);
  /// Node `i` becomes the results of what it stood for.
  void finish(int i, std::vector<Edge> outputs, std::vector<int> controls);

  int addLike(int caller, std::string name, const char *op,
              std::vector<Edge> inputs, std::vector<int> controls = {});
  void setAttr(int node, const char *name, int64_t value);
  void setAttr(int node, const char *name, bool value);
  void setAttr(int node, const char *name, const std::string &value);
  Edge toBool(int caller, Edge value);
  bool error(int node, const std::string &what);
  std::optional<Instance> instanceOf(int caller, const pb::NameAttrList *func,
                                     const char *attr);

  Graph &graph;
  Messages &messages;
  /// The functions that a node comes from, as a list that grows at its head.
  struct Chain {
    std::string function;
    const Chain *outer;
    int depth;
  };
  std::deque<Chain> chains;
  llvm::DenseMap<int, const Chain *> chainOf;
};

} // namespace weir::graphdef

#endif // WEIR_LIB_FRONTEND_GRAPHDEF_FUNCTIONS_H

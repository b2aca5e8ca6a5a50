//===- Converter.h - From graph nodes to weir nodes ----------- -*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes the body of a weir.graph out of a Graph, in as many rounds as the types
// of loops need. How one op is converted is a row of the table in
// NodeConversion.h.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_FRONTEND_GRAPHDEF_CONVERTER_H
#define WEIR_LIB_FRONTEND_GRAPHDEF_CONVERTER_H

#include "dialects/Weir/Weir.h"
#include "lib/Frontend/GraphDef/Graph.h"
#include "lib/Frontend/GraphDef/Importer.h"
#include "lib/Interpreter/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"

namespace weir::graphdef {

class NodeConversion;

/// What a node gives at one of its ports.
struct Output {
  mlir::Value value;
  /// `value` is the handle of a variable, and whoever wants a tensor reads it.
  bool isRef = false;
  /// With isRef: what a read has to wait for, or null.
  mlir::Value after = {};
};

/// What is known about a value beside its type.
struct Facts {
  /// Numbers of the sides of predicates, and of the frames, that it is in;
  /// sorted.
  llvm::SmallVector<int, 2> conditions;
  /// It comes, at whatever distance, after a node with effects.
  bool effects = false;
  /// Of handles: the node that made the state, or -1.
  int origin = -1;
  /// Of handles of tensor arrays: the number of elements, where it is known.
  int64_t size = -1;
  /// Made by a weir.foreign, or out of such.
  bool foreign = false;
};

/// What the graph is imported as.
struct Plan {
  std::string file;
  std::string entry;
  /// For each feed (kFeedOp): its type, or null where it has to be found.
  struct Feed {
    std::string name;
    /// What is fed, and the node in its place.
    Edge tensor;
    int node;
    int32_t dtype;
    std::optional<std::vector<int64_t>> shape;
  };
  std::vector<Feed> feeds;
  std::vector<std::string> fetchNames;
  Roots roots;
  /// Without fetches and targets: what nobody consumes is fetched.
  bool wholeGraph = false;
  /// Lines of the nodes in a text file, from 1; by name.
  const llvm::StringMap<int> *lines = nullptr;
};

class Converter {
public:
  Converter(const Graph &graph, const Plan &plan, mlir::ModuleOp module,
            Messages &messages);

  bool run();

private:
  friend class NodeConversion;

  struct Converted {
    llvm::SmallVector<Output, 2> outputs;
    /// The control value, once somebody wants it; null where there is nothing
    /// to wait for.
    mlir::Value control;
    bool hasControl = false;
    bool done = false;
  };

  // One round.
  bool convertAll();
  bool sortNodes(std::vector<int> &order);
  void convertNode(int i);
  void makeForeign(int i, const std::string &reason, bool cascade,
                   bool isInvalid);
  bool connectBackEdges();

  // What the graph gives (Results.cpp).
  /// Ends the graph with its fetches and gives it its type and names.
  bool finishGraph();
  bool fetchAll(llvm::SmallVectorImpl<mlir::Value> &values,
                std::vector<std::string> &names,
                llvm::SmallVectorImpl<mlir::Value> &controls);
  mlir::Value fetchable(Edge edge);
  void removeUnused();

  // Values (Values.cpp).
  /// The control value that says that a node has run; null for what is there
  /// always.
  mlir::Value controlOf(int node);
  mlir::Value completed(mlir::Value value, mlir::Location loc);
  mlir::Value waitingConstant(mlir::Value value, mlir::ValueRange controls,
                              mlir::Location loc);
  /// Folds the new nodes of a graph node, makes them wait for `controls`, and
  /// notes what is known about their results.
  void settle(int node, llvm::ArrayRef<mlir::Operation *> created,
              llvm::ArrayRef<mlir::Value> controls);
  void dropImpliedConstants(mlir::Operation *op);
  mlir::Value fold(mlir::Operation *op);
  void deduceFacts(mlir::Operation *op);
  bool isImplied(const Facts &facts, mlir::Operation *user,
                 mlir::Value except) const;
  int conditionId(mlir::Value predicate, int side);
  /// The elements of a value that is known, through identities.
  mlir::ElementsAttr constantOf(mlir::Value value) const;

  // Types.
  mlir::Type elementType(pb::DataType type) const;
  mlir::Location locationOf(const Node &node) const;
  void attachAttributes(const Node &node, mlir::Operation *op) const;

  const Graph &graph;
  const Plan &plan;
  mlir::ModuleOp module;
  mlir::MLIRContext *context;
  Messages &messages;
  mlir::OpBuilder builder;

  // Of one round.
  GraphOp graphOp;
  mlir::Block *body = nullptr;
  std::vector<Converted> converted;
  llvm::DenseMap<mlir::Value, Facts> facts;
  std::map<std::pair<void *, int>, int> conditionIds;
  /// Of frames: the number of the condition to be in it, and what was known
  /// outside.
  std::map<std::string, std::pair<int, Facts>, std::less<>> frames;
  int nextId = 0;
  std::vector<int> backEdges;
  llvm::StringMap<mlir::Operation *> symbols;
  /// The declarations that nodes made.
  llvm::DenseMap<int, mlir::Operation *> declarations;
  std::vector<Message> remarks;
  /// Placeholders that are needed and not among the feeds given.
  std::vector<int> placeholders;

  // What rounds learn. Types of merges that turned out more general than their
  // first inputs, and of what arrays and stacks hold, by node.
  std::map<int, mlir::Type> mergeTypes;
  std::map<int, mlir::Type> contents, newContents;
  /// Of lists of lists: the node that made the lists in them; -1 where several
  /// did.
  std::map<int, int> elementOrigins;
  /// Merges that have no type, and why.
  std::map<int, std::string> brokenMerges;
  std::vector<int> uses; ///< the number of outputs that are consumed
};

/// The more general of two types of one element type; null where they have
/// none in common.
mlir::Type joinTypes(mlir::Type a, mlir::Type b);

/// The constant of a TensorProto; `reason` says why there is none.
mlir::ElementsAttr makeConstant(const pb::TensorProto &tensor,
                                mlir::MLIRContext *context,
                                std::string &reason);

} // namespace weir::graphdef

#endif // WEIR_LIB_FRONTEND_GRAPHDEF_CONVERTER_H

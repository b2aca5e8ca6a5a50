//===- Plan.h - A graph, ready to be interpreted --------------- -*- C++
//-*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What steps of one graph have in common: the nodes that its fetches need, who
// uses what they give, and the frame that each runs in. Constants and handles
// are no nodes here: they are there always and in every frame.
//
// Frames are those of the text: an enter leads from its frame to the one of its
// name inside, an exit back. A node whose operands come from two frames is an
// error, and so is a cycle without a next_iteration.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_INTERPRETER_PLAN_H
#define WEIR_LIB_INTERPRETER_PLAN_H

#include "lib/Interpreter/NodeRun.h"
#include <map>

namespace weir {

class Plan {
public:
  /// The rules by which a node runs.
  enum class Role {
    Ordinary, ///< when everything is there; dead where something is dead
    Trigger,  ///< the same, but never dead
    Merge,    ///< when all controls and one live operand are there
    Enter,
    Exit,
    NextIteration,
    Fetch, ///< takes what comes
  };

  /// Where something goes: input `input` of a node, or one of its controls.
  struct Use {
    unsigned node;
    int input;
    static constexpr int control = -1;
  };

  struct Node {
    mlir::Operation *op;
    Role role;
    NodeFunction function;
    /// The data operands, then what its regions use.
    llvm::SmallVector<mlir::Value, 4> inputs;
    /// For each input its number in constants, or -1.
    llvm::SmallVector<int, 4> constants;
    /// How many inputs arrive, and how many controls.
    unsigned arriving = 0, controls = 0;
    /// For each result.
    llvm::SmallVector<llvm::SmallVector<Use, 2>, 2> uses;
    /// The frame that it runs in, and that of its results; -1 where nothing
    /// ever arrives.
    int frame = -1, resultFrame = -1;
    /// Its number among the nodes of its frame, and that of its first input.
    unsigned place = 0, slot = 0;
  };

  struct Frame {
    std::string name;
    int parent;
    /// The enters that lead into it, and the inputs of all its nodes.
    unsigned enters = 0, slots = 0;
    /// In the order of the text.
    std::vector<const Node *> nodes;
  };

  static llvm::Expected<std::unique_ptr<Plan>> create(GraphOp graph,
                                                      Symbols &symbols);

  GraphOp graph;
  /// In the order of the text; the last one is the fetch.
  std::vector<Node> nodes;
  /// Frame 0 is the graph itself.
  std::vector<Frame> frames;
  std::vector<Datum> constants;
  /// For each feed.
  std::vector<llvm::SmallVector<Use, 2>> feedUses;
  /// True where no node blocks and none is non-strict.
  bool isStraightLine = true;

  /// The node that gives `value`; nothing for feeds and constants.
  std::optional<unsigned> producer(mlir::Value value) const;
  /// "frame 'a' in frame 'b'", "the graph itself".
  std::string frameText(int frame) const;

private:
  explicit Plan(GraphOp graph) : graph(graph) {}

  void collectNodes();
  llvm::Error addInputs(Node &node, Symbols &symbols);
  llvm::Expected<int> addConstant(mlir::Operation *op, Symbols &symbols);
  void addUse(mlir::Value value, Use use);
  llvm::Error checkCycles() const;
  llvm::Error cycleError(llvm::ArrayRef<unsigned> waiting) const;
  int enterFrame(int parent, llvm::StringRef name);
  llvm::Error assignFrames();
  llvm::Error setResultFrame(Node &node);
  void number();

  llvm::DenseMap<mlir::Operation *, unsigned> numbers;
  llvm::DenseMap<mlir::Operation *, int> constantNumbers;
  /// By the frame around it and its name.
  std::map<std::pair<int, std::string>, int> frameNumbers;
};

} // namespace weir

#endif // WEIR_LIB_INTERPRETER_PLAN_H

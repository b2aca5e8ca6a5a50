//===- Plan.cpp - A graph, ready to be interpreted ------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Interpreter/Plan.h"

#include "lib/Interpreter/Kernels.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace weir {

//===----------------------------------------------------------------------===//
// Nodes and edges
//===----------------------------------------------------------------------===//

/// There always, and in every frame.
static bool isConstant(Operation *op) {
  return isa_and_present<ConstantOp, HandleOp>(op);
}

/// What a node waits for, and what is there already: its operands, data and
/// control, and what its regions use.
static llvm::SetVector<Value> usedValues(Operation *op) {
  llvm::SetVector<Value> used;
  used.insert_range(op->getOperands());
  for (Region &region : op->getRegions())
    getUsedValuesDefinedAbove(region, used);
  return used;
}

static Plan::Role roleOf(Operation *op) {
  using Role = Plan::Role;
  return llvm::TypeSwitch<Operation *, Role>(op)
      .Case([](MergeOp) { return Role::Merge; })
      .Case([](EnterOp) { return Role::Enter; })
      .Case([](ExitOp) { return Role::Exit; })
      .Case([](NextIterationOp) { return Role::NextIteration; })
      .Case([](ControlTriggerOp) { return Role::Trigger; })
      .Case([](FetchOp) { return Role::Fetch; })
      .Default([](Operation *) { return Role::Ordinary; });
}

/// Is the node, or one in its regions, carried out by a call of the runtime?
static bool callsRuntime(Operation *op) {
  return op
      ->walk([](Operation *inner) {
        return isa<RuntimeCallInterface>(inner) ? WalkResult::interrupt()
                                                : WalkResult::advance();
      })
      .wasInterrupted();
}

void Plan::collectNodes() {
  Block &block = graph.getBody().front();
  llvm::DenseSet<Operation *> needed{graph.getFetch()};
  SmallVector<Operation *> worklist{graph.getFetch()};
  while (!worklist.empty())
    for (Value value : usedValues(worklist.pop_back_val()))
      if (Operation *op = value.getDefiningOp();
          op && !isConstant(op) && needed.insert(op).second)
        worklist.push_back(op);

  nodes.reserve(needed.size());
  for (Operation &op : block) {
    if (!needed.contains(&op))
      continue;
    numbers[&op] = static_cast<unsigned>(nodes.size());
    Node &node = nodes.emplace_back();
    node.op = &op;
    node.role = roleOf(&op);
    node.function = nodeFunctionOf(&op);
    node.uses.resize(op.getNumResults());
    bool isNonStrict =
        isa<SwitchOp, SwitchNOp, LoopCondOp>(op) ||
        (node.role != Role::Ordinary && node.role != Role::Fetch);
    isStraightLine &= !isNonStrict && !callsRuntime(&op);
  }
}

llvm::Expected<int> Plan::addConstant(Operation *op, Symbols &symbols) {
  if (auto found = constantNumbers.find(op); found != constantNumbers.end())
    return found->second;
  NodeRun run(op, {}, {}, symbols);
  if (llvm::Error error = runNode(run, nodeFunctionOf(op)))
    return error;
  int number = static_cast<int>(constants.size());
  constants.push_back(std::move(run.results[0]));
  constantNumbers[op] = number;
  return number;
}

void Plan::addUse(Value value, Use use) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    feedUses[argument.getArgNumber()].push_back(use);
  else
    nodes[numbers.lookup(value.getDefiningOp())]
        .uses[cast<OpResult>(value).getResultNumber()]
        .push_back(use);
}

llvm::Error Plan::addInputs(Node &node, Symbols &symbols) {
  unsigned number = numbers.lookup(node.op);
  SmallVector<Value> used(node.op->getOperands());
  // Operands may repeat; what regions use beside them comes once.
  llvm::SetVector<Value> captured;
  for (Region &region : node.op->getRegions())
    getUsedValuesDefinedAbove(region, captured);
  for (Value value : captured)
    if (!llvm::is_contained(node.op->getOperands(), value))
      used.push_back(value);
  for (Value value : used) {
    if (isa<ControlType>(value.getType())) {
      ++node.controls;
      addUse(value, {number, Use::control});
      continue;
    }
    int input = static_cast<int>(node.inputs.size());
    node.inputs.push_back(value);
    Operation *op = value.getDefiningOp();
    if (!isConstant(op)) {
      node.constants.push_back(-1);
      ++node.arriving;
      addUse(value, {number, input});
      continue;
    }
    llvm::Expected<int> constant = addConstant(op, symbols);
    if (!constant)
      return constant.takeError();
    node.constants.push_back(*constant);
  }
  return llvm::Error::success();
}

std::optional<unsigned> Plan::producer(Value value) const {
  auto found = numbers.find(value.getDefiningOp());
  return found == numbers.end() ? std::nullopt : std::optional(found->second);
}

//===----------------------------------------------------------------------===//
// Cycles
//===----------------------------------------------------------------------===//

llvm::Error Plan::checkCycles() const {
  std::vector<unsigned> missing(nodes.size());
  SmallVector<unsigned> ready;
  for (auto [i, node] : llvm::enumerate(nodes))
    for (const auto &uses : node.uses)
      for (Use use : uses)
        missing[use.node] += node.role != Role::NextIteration;
  for (auto [i, count] : llvm::enumerate(missing))
    if (count == 0)
      ready.push_back(static_cast<unsigned>(i));
  size_t ordered = 0;
  for (; !ready.empty(); ++ordered) {
    const Node &node = nodes[ready.pop_back_val()];
    if (node.role != Role::NextIteration)
      for (const auto &uses : node.uses)
        for (Use use : uses)
          if (--missing[use.node] == 0)
            ready.push_back(use.node);
  }
  return ordered == nodes.size() ? llvm::Error::success() : cycleError(missing);
}

llvm::Error Plan::cycleError(ArrayRef<unsigned> missing) const {
  // A node with something missing waits for another such node: going back
  // always ends in a cycle.
  auto first = llvm::find_if(missing, [](unsigned count) { return count > 0; });
  SmallVector<unsigned> path{static_cast<unsigned>(first - missing.begin())};
  for (;;) {
    unsigned next = path.back();
    for (Value value : usedValues(nodes[path.back()].op))
      if (auto node = producer(value);
          node && missing[*node] > 0 &&
          nodes[*node].role != Role::NextIteration) {
        next = *node;
        break;
      }
    auto *seen = llvm::find(path, next);
    if (seen == path.end()) {
      path.push_back(next);
      continue;
    }
    SmallVector<std::string> names;
    for (unsigned node : llvm::make_range(seen, path.end()))
      names.push_back("'" + WeirDialect::describe(nodes[node].op) + "'");
    return nodeError(nodes[next].op, "WEIR0103",
                     "the node waits for itself, by way of " +
                         llvm::join(names, ", ") +
                         "; only weir.next_iteration may close a cycle");
  }
}

//===----------------------------------------------------------------------===//
// Frames
//===----------------------------------------------------------------------===//

std::string Plan::frameText(int frame) const {
  if (frame == 0)
    return "the graph itself";
  std::string text;
  for (; frame > 0; frame = frames[frame].parent)
    text +=
        (text.empty() ? "frame '" : " in frame '") + frames[frame].name + "'";
  return text;
}

int Plan::enterFrame(int parent, StringRef name) {
  auto [known, isNew] = frameNumbers.try_emplace(
      {parent, name.str()}, static_cast<int>(frames.size()));
  if (isNew) {
    frames.emplace_back();
    frames.back().name = name.str();
    frames.back().parent = parent;
  }
  return known->second;
}

llvm::Error Plan::setResultFrame(Node &node) {
  node.resultFrame = node.frame;
  if (auto enter = dyn_cast<EnterOp>(node.op)) {
    node.resultFrame = enterFrame(node.frame, enter.getFrame());
    ++frames[node.resultFrame].enters;
  } else if (node.role == Role::Exit || node.role == Role::NextIteration) {
    if (node.frame == 0)
      return nodeError(node.op, code::frames,
                       "the node stands in no frame: nothing that it is given "
                       "comes from a weir.enter");
    if (node.role == Role::Exit)
      node.resultFrame = frames[node.frame].parent;
  } else if (node.role == Role::Merge && node.frame != 0 &&
             node.arriving < node.inputs.size()) {
    return nodeError(node.op, code::frames,
                     "a merge inside of a frame takes no constant: that would "
                     "be there in every iteration; pass it through weir.enter");
  }
  return llvm::Error::success();
}

llvm::Error Plan::assignFrames() {
  frames.emplace_back();
  frames.back().parent = -1;
  SmallVector<unsigned> worklist;
  // Which node told a node its frame, for messages.
  std::vector<const Node *> from(nodes.size(), nullptr);
  auto place = [&](unsigned number, int frame,
                   const Node *source) -> llvm::Error {
    Node &node = nodes[number];
    if (node.frame == -1) {
      node.frame = frame;
      from[number] = source;
      worklist.push_back(number);
      return llvm::Error::success();
    }
    if (node.frame == frame)
      return llvm::Error::success();
    auto text = [&](const Node *source, int frame) {
      return source ? "'" + WeirDialect::describe(source->op) + "' from " +
                          frameText(frame)
                    : "something from " + frameText(frame);
    };
    return nodeError(node.op, code::frames,
                     "the node is given " + text(from[number], node.frame) +
                         " and " + text(source, frame) +
                         "; weir.enter and weir.exit lead from one to the "
                         "other");
  };
  for (auto [i, node] : llvm::enumerate(nodes))
    if (node.arriving + node.controls == 0 || node.role == Role::Fetch)
      if (llvm::Error error = place(static_cast<unsigned>(i), 0, nullptr))
        return error;
  for (const auto &uses : feedUses)
    for (Use use : uses)
      if (llvm::Error error = place(use.node, 0, nullptr))
        return error;
  while (!worklist.empty()) {
    Node &node = nodes[worklist.pop_back_val()];
    if (llvm::Error error = setResultFrame(node))
      return error;
    for (const auto &uses : node.uses)
      for (Use use : uses)
        if (llvm::Error error = place(use.node, node.resultFrame, &node))
          return error;
  }
  return llvm::Error::success();
}

void Plan::number() {
  for (Node &node : nodes) {
    if (node.frame == -1)
      continue;
    Frame &frame = frames[node.frame];
    node.place = static_cast<unsigned>(frame.nodes.size());
    frame.nodes.push_back(&node);
    node.slot = frame.slots;
    frame.slots += static_cast<unsigned>(node.inputs.size());
  }
}

llvm::Expected<std::unique_ptr<Plan>> Plan::create(GraphOp graph,
                                                   Symbols &symbols) {
  std::unique_ptr<Plan> plan(new Plan(graph));
  plan->feedUses.resize(graph.getNumArguments());
  plan->collectNodes();
  for (Node &node : plan->nodes)
    if (llvm::Error error = plan->addInputs(node, symbols))
      return error;
  if (llvm::Error error = plan->checkCycles())
    return error;
  if (llvm::Error error = plan->assignFrames())
    return error;
  plan->number();
  return plan;
}

} // namespace weir

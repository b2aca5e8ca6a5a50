//===- GroupNodes.cpp - Pure nodes into kernels -------------------------------
//===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// A group runs as one task, so it must not wait for something that waits for
// it: no path may leave a group and come back. Nodes are taken in topological
// order. Each joins the latest of the groups that it reads from that accepts
// it; groups that only one other group reads join that one in the end.
//
//===----------------------------------------------------------------------===//

#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "passes/Fuse/Controls.h"
#include "passes/Fuse/Passes.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"
#include <set>

namespace weir {
#define GEN_PASS_DEF_FUSEGROUPNODES
#include "passes/Fuse/Passes.h.inc"
} // namespace weir

using namespace mlir;

namespace weir {
namespace {

/// Nodes that run together: a group to be, or one node that stays alone.
struct Unit {
  SmallVector<Operation *> nodes; // in topological order
  // The units whose results it uses, and those that use its own.
  llvm::SmallSetVector<unsigned, 4> reads, readers;
  // Larger than that of every unit it reads: a unit is one task, so the order
  // of its nodes says nothing about the order of units.
  unsigned level = 0;
  bool isGroup = false;
  bool hasAnchor = false;
  Attribute device;
};

class Grouping {
public:
  explicit Grouping(GraphOp graph)
      : graph(graph), block(graph.getBody().front()) {}
  void run();

private:
  void sortNodes();
  void assign(Operation *op);
  void addRead(unsigned unit, unsigned read);
  bool reaches(unsigned from, unsigned to);
  bool accepts(const Unit &unit, Operation *node) const;
  void mergeProducers();
  void build(const Unit &unit);
  std::string kernelName(const Unit &unit);
  llvm::SmallSetVector<Operation *, 4> dependences(Operation *op);

  GraphOp graph;
  Block &block;
  SmallVector<Operation *> order;
  SmallVector<Unit> units;
  DenseMap<Operation *, unsigned> place; // in the order
  DenseMap<Operation *, unsigned> unitOf;
  llvm::StringSet<> names;
};

} // namespace

// More would make kernels that take long to compile and say little in a trace.
static constexpr size_t largestGroup = 48;
// A constant up to this size is worth a copy in each group that uses it.
static constexpr int64_t smallConstantBytes = 1024;

static bool holdsStrings(Type type) {
  return isa<StringType>(getElementTypeOrSelf(type));
}

static bool mayGroup(Operation *op) {
  auto node = dyn_cast<NodeInterface>(op);
  return node && isMemoryEffectFree(op) && !isa<ConstantOp, GradientsOp>(op) &&
         node.getControlInputs().empty() &&
         llvm::none_of(op->getOperandTypes(), holdsStrings) &&
         llvm::none_of(op->getResultTypes(), holdsStrings);
}

/// Nodes that make a kernel of their own: a group has at most one.
static bool isAnchor(Operation *op) {
  return isa<MatmulOp, Conv2dOp, Conv2dBackpropFilterOp, MaxPoolOp, AvgPoolOp,
             MaxPoolGradOp, AvgPoolGradOp, GatherOp, UnsortedSegmentSumOp,
             RandomUniformOp, RandomNormalOp>(op);
}

/// Nodes that a kernel is not named after.
static bool isPlain(Operation *op) {
  return isa<ConstantOp, ReshapeOp, ReshapeLikeOp, ExpandDimsOp, SqueezeOp,
             BroadcastToOp, BroadcastLikeOp, ShapeOfOp, DimSizeOp, IotaOp,
             IdentityOp, StopGradientOp>(op);
}

/// What an op of the block waits for, within the block.
llvm::SmallSetVector<Operation *, 4> Grouping::dependences(Operation *op) {
  llvm::SmallSetVector<Operation *, 4> result;
  op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      if (Operation *producer = operand.getDefiningOp())
        if (Operation *outer = block.findAncestorOpInBlock(*producer);
            outer && outer != op)
          result.insert(outer);
  });
  return result;
}

/// Fills `order`, stable in the order of the text. Nodes on a cycle, and those
/// that wait for one, are left out: they stay alone.
void Grouping::sortNodes() {
  DenseMap<Operation *, unsigned> waitsFor;
  DenseMap<Operation *, SmallVector<Operation *>> readers;
  // By place in the text, so that the order is that of the text where it can
  // be.
  DenseMap<Operation *, unsigned> line;
  std::set<std::pair<unsigned, Operation *>> ready;
  for (auto [i, op] : llvm::enumerate(block)) {
    line[&op] = i;
    auto needs = dependences(&op);
    waitsFor[&op] = needs.size();
    for (Operation *producer : needs)
      readers[producer].push_back(&op);
    if (needs.empty())
      ready.emplace(i, &op);
  }
  while (!ready.empty()) {
    Operation *op = ready.begin()->second;
    ready.erase(ready.begin());
    order.push_back(op);
    for (Operation *reader : readers.lookup(op))
      if (--waitsFor[reader] == 0)
        ready.emplace(line[reader], reader);
  }
}

/// Adds an edge that closes no cycle.
void Grouping::addRead(unsigned unit, unsigned read) {
  units[unit].reads.insert(read);
  units[read].readers.insert(unit);
  SmallVector<std::pair<unsigned, unsigned>> raised{
      {unit, units[read].level + 1}};
  while (!raised.empty()) {
    auto [at, level] = raised.pop_back_val();
    if (units[at].level >= level)
      continue;
    units[at].level = level;
    for (unsigned reader : units[at].readers)
      raised.emplace_back(reader, level + 1);
  }
}

/// True if a path leads from unit `from` to unit `to`.
bool Grouping::reaches(unsigned from, unsigned to) {
  SmallVector<unsigned> stack{to};
  llvm::SmallDenseSet<unsigned> seen;
  while (!stack.empty()) {
    unsigned at = stack.pop_back_val();
    if (at == from)
      return true;
    if (units[at].level <= units[from].level || !seen.insert(at).second)
      continue;
    llvm::append_range(stack, units[at].reads);
  }
  return false;
}

bool Grouping::accepts(const Unit &unit, Operation *node) const {
  return unit.isGroup && unit.nodes.size() < largestGroup &&
         !(unit.hasAnchor && isAnchor(node)) &&
         unit.device ==
             node->getDiscardableAttr(WeirDialect::getDeviceAttrName());
}

void Grouping::assign(Operation *op) {
  llvm::SmallSetVector<unsigned, 4> reads;
  for (Operation *producer : dependences(op))
    if (!isa<ConstantOp>(producer))
      reads.insert(unitOf.lookup(producer));

  std::optional<unsigned> home;
  if (mayGroup(op)) {
    SmallVector<unsigned> candidates(reads.begin(), reads.end());
    llvm::sort(candidates, [&](unsigned a, unsigned b) {
      return place.lookup(units[a].nodes.back()) >
             place.lookup(units[b].nodes.back());
    });
    for (unsigned candidate : candidates) {
      if (!accepts(units[candidate], op))
        continue;
      bool comesBack = llvm::any_of(reads, [&](unsigned other) {
        return other != candidate && reaches(candidate, other);
      });
      if (!comesBack) {
        home = candidate;
        break;
      }
    }
  }
  if (!home) {
    home = units.size();
    Unit unit;
    unit.isGroup = mayGroup(op);
    unit.device = op->getDiscardableAttr(WeirDialect::getDeviceAttrName());
    units.push_back(std::move(unit));
  }
  Unit &unit = units[*home];
  unit.nodes.push_back(op);
  unit.hasAnchor |= isAnchor(op);
  for (unsigned other : reads)
    if (other != *home)
      addRead(*home, other);
  unitOf[op] = *home;
}

/// A group whose only reader is another group joins it: no path can lead from
/// the one back to the other but the direct one.
void Grouping::mergeProducers() {
  for (unsigned i = units.size(); i-- > 0;) {
    Unit &unit = units[i];
    if (!unit.isGroup)
      continue;
    std::optional<unsigned> reader;
    bool single = true;
    for (Operation *node : unit.nodes)
      for (Operation *user : node->getUsers()) {
        Operation *outer = block.findAncestorOpInBlock(*user);
        auto found = unitOf.find(outer);
        if (found == unitOf.end()) {
          single = false; // a node on a cycle
        } else if (found->second != i) {
          single &= !reader || *reader == found->second;
          reader = found->second;
        }
      }
    if (!single || !reader)
      continue;
    Unit &target = units[*reader];
    if (!target.isGroup || (target.hasAnchor && unit.hasAnchor) ||
        target.device != unit.device ||
        target.nodes.size() + unit.nodes.size() > largestGroup)
      continue;
    for (Operation *node : unit.nodes)
      unitOf[node] = *reader;
    target.nodes.append(unit.nodes);
    llvm::sort(target.nodes,
               [&](Operation *a, Operation *b) { return place[a] < place[b]; });
    target.hasAnchor |= unit.hasAnchor;
    unit.nodes.clear();
    unit.isGroup = false;
  }
}

std::string Grouping::kernelName(const Unit &unit) {
  // Room is left for a suffix.
  constexpr size_t longest = 56;
  std::string name;
  StringRef before;
  auto append = [&](Operation *op) {
    StringRef part = op->getName().stripDialect();
    if (part == before || name.size() + part.size() + 1 > longest)
      return;
    name += (name.empty() ? "" : "_") + part.str();
    before = part;
  };
  for (Operation *node : unit.nodes)
    if (!isPlain(node))
      append(node);
  if (name.empty())
    for (Operation *node : unit.nodes)
      append(node);
  std::string unique = name;
  for (unsigned i = 2; !names.insert(unique).second; ++i)
    unique = name + "_" + std::to_string(i);
  return unique;
}

static bool isSmall(ConstantOp constant) {
  auto type = cast<RankedTensorType>(constant.getType());
  if (!type.getElementType().isIntOrFloat())
    return false;
  if (auto dense = dyn_cast<DenseElementsAttr>(constant.getValue());
      dense && dense.isSplat())
    return true;
  return type.getNumElements() * type.getElementTypeBitWidth() <=
         8 * smallConstantBytes;
}

void Grouping::build(const Unit &unit) {
  SmallVector<Value> results;
  SmallVector<Location> locations;
  auto inside = [&](Operation *op) {
    auto found = unitOf.find(block.findAncestorOpInBlock(*op));
    return found != unitOf.end() && &units[found->second] == &unit;
  };
  for (Operation *node : unit.nodes) {
    locations.push_back(node->getLoc());
    for (Value result : node->getResults())
      if (!llvm::all_of(result.getUsers(), inside))
        results.push_back(result);
  }
  OpBuilder builder(unit.nodes.back());
  auto group =
      GroupOp::create(builder, builder.getFusedLoc(locations),
                      TypeRange(ValueRange(results)), kernelName(unit));
  if (unit.device)
    group->setDiscardableAttr(WeirDialect::getDeviceAttrName(), unit.device);
  for (auto [value, result] : llvm::zip(results, group.getResults()))
    value.replaceUsesWithIf(
        result, [&](OpOperand &use) { return !inside(use.getOwner()); });

  Block &body = group.getBody().empty() ? group.getBody().emplaceBlock()
                                        : group.getBody().front();
  builder.setInsertionPointToEnd(&body);
  DenseMap<Operation *, Value> constants;
  for (Operation *node : unit.nodes) {
    for (OpOperand &operand : node->getOpOperands()) {
      auto constant = operand.get().getDefiningOp<ConstantOp>();
      if (!constant || !isSmall(constant) || constant->getBlock() != &block)
        continue;
      Value &copy = constants[constant];
      if (!copy)
        copy = builder.clone(*constant)->getResult(0);
      operand.set(copy);
    }
    node->moveBefore(&body, body.end());
  }
  YieldOp::create(builder, group.getLoc(), results);
}

void Grouping::run() {
  for (Operation &op : llvm::make_early_inc_range(block))
    if (auto node = dyn_cast<NodeInterface>(op);
        node && isMemoryEffectFree(&op) &&
        !isa<IdentityOp, ConstantOp, GradientsOp>(op))
      hoistControls(node);
  sortNodes();
  // What no fetch needs does not run.
  for (Operation *&op : llvm::reverse(order))
    if (isOpTriviallyDead(op))
      std::exchange(op, nullptr)->erase();
  llvm::erase(order, nullptr);
  for (auto [i, op] : llvm::enumerate(order))
    place[op] = i;
  for (Operation *op : order)
    assign(op);
  mergeProducers();
  for (const Unit &unit : units)
    if (unit.isGroup)
      build(unit);
  for (Operation &op : llvm::make_early_inc_range(block))
    if (isa<ConstantOp>(op) && op.use_empty())
      op.erase();
  sortTopologically(&block);
}

namespace {
struct GroupNodes : impl::FuseGroupNodesBase<GroupNodes> {
  void runOnOperation() override { Grouping(getOperation()).run(); }
};
} // namespace

} // namespace weir

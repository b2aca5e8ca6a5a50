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
// it: no path may leave a group and come back, but into the next iteration of a
// loop. Nodes are taken in topological order. Each joins the latest of the
// groups that it reads from that accepts it; groups that only one other group
// reads join that one in the end.
//
// A task runs when all that it takes is there, so its nodes are of one frame,
// and live in the same iterations of it.
//
//===----------------------------------------------------------------------===//

#include "dialects/Rt/Rt.h"
#include "lib/Analysis/Cycles.h"
#include "lib/Analysis/Deadness.h"
#include "lib/Analysis/Frames.h"
#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "passes/Fuse/Controls.h"
#include "passes/Fuse/Passes.h"
#include "passes/Simplify/Passes.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"
#include <set>

namespace weir {
#define GEN_PASS_DEF_FUSEGROUPNODES
#include "passes/Fuse/Passes.h.inc"
} // namespace weir

using namespace mlir;

namespace weir {
namespace {

/// Where and when a node runs; nodes of one group have the same.
struct Place {
  unsigned frame = 0;
  Deadness::Class liveness = Deadness::always;
  /// rt::hopAttrName.
  int64_t hop = 0;

  bool operator==(const Place &) const = default;
};

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
  Place place;
};

/// The names of the kernels of a graph, each once, with the number that makes
/// the next of that name another one.
using KernelNames = llvm::StringMap<unsigned>;

class Grouping {
public:
  /// `frames` and `deadness` are of the graph's block, and null for a block of
  /// a conditional or loop, in which everything is live. `alone`: each node is
  /// a group.
  Grouping(Block &block, KernelNames &names, const Frames *frames,
           const Deadness *deadness, bool alone)
      : block(block), names(names), frames(frames), deadness(deadness),
        alone(alone) {}
  void run();

private:
  void assign(Operation *op);
  void addRead(unsigned unit, unsigned read);
  bool reaches(unsigned from, unsigned to);
  bool accepts(const Unit &unit, Operation *node) const;
  void mergeProducers();
  void build(const Unit &unit);
  std::string kernelName(const Unit &unit);
  llvm::SmallSetVector<Operation *, 4> dependences(Operation *op);
  Place placeOf(Operation *op) const {
    if (!frames) // a part of one node, which hops as a whole
      return {};
    auto hop =
        dyn_cast_or_null<IntegerAttr>(op->getDiscardableAttr(rt::hopAttrName));
    return {frames->of(op), deadness->of(op), hop ? hop.getInt() : 0};
  }
  void findCopied();
  Value copyInto(OpBuilder &builder, Operation *op,
                 llvm::SmallMapVector<Operation *, Value, 4> &copies);

  Block &block;
  KernelNames &names;
  const Frames *frames;
  const Deadness *deadness;
  bool alone;
  SmallVector<Operation *> order;
  SmallVector<Unit> units;
  DenseMap<Operation *, unsigned> place; // in the order
  DenseMap<Operation *, unsigned> unitOf;
  /// Nodes of constants that nodes of loops use. They are copied into the
  /// groups there: a group of their own would be in no loop.
  llvm::SmallPtrSet<Operation *, 8> copied;
};

} // namespace

// More would make kernels that take long to compile and say little in a trace.
static constexpr size_t largestGroup = 48;
// A constant up to this size is worth a copy in each group that uses it.
static constexpr int64_t smallConstantBytes = 1024;

static bool holdsStrings(Type type) {
  return isa<StringType>(getElementTypeOrSelf(type));
}

/// True for what compiled code computes with: numbers of known rank.
static bool isNumbers(Type type) {
  return isa<RankedTensorType>(type) && !holdsStrings(type);
}

static bool mayGroup(Operation *op) {
  auto node = dyn_cast<NodeInterface>(op);
  return node && isMemoryEffectFree(op) &&
         !isa<ConstantOp, HandleOp, GradientsOp>(op) &&
         node.getControlInputs().empty() &&
         llvm::all_of(op->getOperandTypes(), isNumbers) &&
         llvm::all_of(op->getResultTypes(), isNumbers);
}

/// True for a pure node that depends on constants alone: it is there in every
/// frame, as they are.
static bool isOfConstants(Operation *op) {
  llvm::SmallSetVector<Operation *, 8> work;
  work.insert(op);
  for (size_t i = 0; i < work.size(); ++i) {
    if (!mayGroup(work[i]) || i > 16)
      return false;
    for (Value operand : work[i]->getOperands()) {
      Operation *producer = operand.getDefiningOp();
      if (!producer)
        return false;
      if (!isa<ConstantOp>(producer))
        work.insert(producer);
    }
  }
  return true;
}

/// True for the full name of an accelerator.
static bool isAccelerator(Attribute device) {
  auto name = dyn_cast_or_null<StringAttr>(device);
  return name && name.getValue().contains("/device:MXU:");
}

/// Nodes that make a kernel of their own: a group has at most one. A program of
/// the accelerator has as many as there are; what they make stays in its
/// buffer.
static bool isAnchor(Operation *op) {
  if (isAccelerator(op->getDiscardableAttr(WeirDialect::getDeviceAttrName())))
    return false;
  return isa<MatmulOp, Conv2dOp, Conv2dBackpropFilterOp, MaxPoolOp, AvgPoolOp,
             MaxPoolGradOp, AvgPoolGradOp, GatherOp, UnsortedSegmentSumOp,
             RandomUniformOp, RandomNormalOp, QuantizedMatmulOp,
             QuantizedConv2dOp, QuantizedMaxPoolOp>(op);
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
    for (OpOperand &operand : inner->getOpOperands())
      if (Operation *producer = operand.get().getDefiningOp();
          producer && !isBackEdge(operand))
        if (Operation *outer = block.findAncestorOpInBlock(*producer);
            outer && outer != op)
          result.insert(outer);
  });
  return result;
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
  return unit.isGroup && !alone && unit.nodes.size() < largestGroup &&
         !(unit.hasAnchor && isAnchor(node)) && unit.place == placeOf(node) &&
         unit.device ==
             node->getDiscardableAttr(WeirDialect::getDeviceAttrName());
}

void Grouping::assign(Operation *op) {
  llvm::SmallSetVector<unsigned, 4> reads;
  for (Operation *producer : dependences(op))
    if (auto found = unitOf.find(producer);
        found != unitOf.end() && !isa<ConstantOp>(producer))
      reads.insert(found->second);

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
    unit.place = placeOf(op);
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
  if (alone)
    return;
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
        target.device != unit.device || target.place != unit.place ||
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
  while (!names.try_emplace(unique, 2).second)
    unique = name + "_" + std::to_string(names[name]++);
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

/// `op`, a constant or a node of constants, inside a group.
Value Grouping::copyInto(OpBuilder &builder, Operation *op,
                         llvm::SmallMapVector<Operation *, Value, 4> &copies) {
  if (Value copy = copies.lookup(op))
    return copy;
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(copyInto(builder, operand.getDefiningOp(), copies));
  Operation *copy = builder.clone(*op);
  copy->setOperands(operands);
  return copies[op] = copy->getResult(0);
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
  llvm::SmallMapVector<Operation *, Value, 4> copies;
  // The weights of the accelerator are a part of its program.
  bool keepsWeights = isAccelerator(unit.device);
  for (Operation *node : unit.nodes) {
    for (OpOperand &operand : node->getOpOperands()) {
      Operation *producer = operand.get().getDefiningOp();
      auto constant = dyn_cast_or_null<ConstantOp>(producer);
      if (constant ? isSmall(constant) || keepsWeights
                   : unit.place.frame != 0 && copied.contains(producer))
        operand.set(copyInto(builder, producer, copies));
    }
    node->moveBefore(&body, body.end());
  }
  YieldOp::create(builder, group.getLoc(), results);
}

/// Finds what is copied, and takes what is only copied out of the order.
void Grouping::findCopied() {
  if (!frames || frames->all().size() < 2)
    return;
  // Users come later, so that the way back meets them first.
  llvm::SmallPtrSet<Operation *, 8> onlyCopied;
  for (Operation *op : llvm::reverse(order)) {
    if (!isOfConstants(op))
      continue;
    bool inLoop = false, atTop = false;
    for (Operation *user : op->getUsers()) {
      bool isInLoop = frames->of(user) != 0 || copied.contains(user);
      inLoop |= isInLoop;
      atTop |=
          !isInLoop || (copied.contains(user) && !onlyCopied.contains(user));
    }
    if (inLoop)
      copied.insert(op);
    if (inLoop && !atTop)
      onlyCopied.insert(op);
  }
  llvm::erase_if(order, [&](Operation *op) { return onlyCopied.contains(op); });
}

void Grouping::run() {
  order = topologicalOrder(block);
  // What no fetch needs does not run.
  for (Operation *&op : llvm::reverse(order))
    if (isOpTriviallyDead(op))
      std::exchange(op, nullptr)->erase();
  llvm::erase(order, nullptr);
  findCopied();
  for (auto [i, op] : llvm::enumerate(order))
    place[op] = i;
  for (Operation *op : order)
    assign(op);
  mergeProducers();
  for (const Unit &unit : units)
    if (unit.isGroup)
      build(unit);
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if ((isa<ConstantOp>(op) || copied.contains(&op)) && op.use_empty())
      op.erase();
  sortTopologically(&block);
  for (Operation &op : block)
    for (Region &region : op.getRegions())
      if (!isa<GroupOp>(op))
        for (Block &inner : region)
          Grouping(inner, names, nullptr, nullptr, /*alone=*/false).run();
}

namespace {
struct GroupNodes : impl::FuseGroupNodesBase<GroupNodes> {
  void runOnOperation() override {
    GraphOp graph = getOperation();
    Block &block = graph.getBody().front();
    FailureOr<Frames> frames = Frames::compute(block);
    if (failed(frames))
      return signalPassFailure();
    graph.walk([&](NodeInterface node) {
      if (isMemoryEffectFree(node) &&
          !isa<IdentityOp, ConstantOp, HandleOp, GradientsOp>(node))
        hoistControls(node, frames->of(node) != 0);
    });
    frames = Frames::compute(block);
    if (failed(frames))
      return signalPassFailure();
    Deadness deadness(block, *frames);
    KernelNames names;
    Grouping(block, names, &*frames, &deadness, keepsNodes(graph)).run();
  }
};
} // namespace

} // namespace weir

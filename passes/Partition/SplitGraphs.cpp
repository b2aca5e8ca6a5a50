//===- SplitGraphs.cpp - One graph for each device ------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Rt/Rt.h"
#include "dialects/Weir/Weir.h"
#include "lib/Analysis/Cycles.h"
#include "lib/Analysis/Frames.h"
#include "lib/Analysis/Order.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "passes/Partition/Passes.h"
#include "passes/Partition/Tasks.h"
#include "llvm/ADT/MapVector.h"

namespace weir {
#define GEN_PASS_DEF_PARTITIONSPLITGRAPHS
#include "passes/Partition/Passes.h.inc"
} // namespace weir

using namespace mlir;
using namespace weir;

namespace {

/// What one device runs.
struct Part {
  GraphOp graph;
  /// Its feeds and fetches, as numbers of the whole's.
  SmallVector<int32_t> feeds, fetches;
  SmallVector<Value> fetched;
  /// What has to have happened when it ends: all sends, too.
  SmallVector<Value> done;
};

class Splitter {
public:
  Splitter(GraphOp graph, Frames frames, StringAttr home)
      : graph(graph),
        fetch(cast<FetchOp>(graph.getBody().front().getTerminator())),
        frames(std::move(frames)), home(home), builder(graph) {}

  /// Moves the nodes into one graph for each device. Changes nothing where all
  /// of it is at home.
  LogicalResult run();

private:
  StringAttr deviceOf(Value value) const;
  void placeFeeds();
  void computeHops();
  void openParts();
  LogicalResult cut(OpOperand &operand, Operation *user, StringAttr to);
  FailureOr<Value> valueOn(Value value, StringAttr to, Operation *user);
  LogicalResult check(Value value, StringAttr to, Operation *user);
  std::string keyOf(Value value);
  LogicalResult fillFetches();
  void close();

  GraphOp graph;
  FetchOp fetch;
  Frames frames;
  StringAttr home;
  OpBuilder builder;
  SmallVector<Operation *> nodes; // that the fetches need
  SmallVector<StringAttr> feedDevices;
  llvm::MapVector<StringAttr, Part> parts;
  /// Of the graph and of its parts.
  llvm::SmallPtrSet<Block *, 4> bodies;
  DenseMap<Value, int64_t> hops;
  /// What a value of one device is on another.
  DenseMap<std::pair<Value, Attribute>, Value> crossed;
  llvm::StringMap<unsigned> keys;
};

} // namespace

static StringAttr deviceOf(Operation *op) {
  return op->getAttrOfType<StringAttr>(WeirDialect::getDeviceAttrName());
}

StringAttr Splitter::deviceOf(Value value) const {
  if (auto feed = dyn_cast<BlockArgument>(value))
    return feedDevices[feed.getArgNumber()];
  return ::deviceOf(value.getDefiningOp());
}

/// The node of the graph that an operand belongs to.
static Operation *nodeOf(OpOperand &operand, Block &block) {
  return block.findAncestorOpInBlock(*operand.getOwner());
}

/// A feed is where it is used, where that is one device with the host's memory;
/// else on the CPU of the task that uses it, or at home.
void Splitter::placeFeeds() {
  Block &block = graph.getBody().front();
  for (BlockArgument feed : block.getArguments()) {
    auto asked = graph.getArgAttrOfType<StringAttr>(
        feed.getArgNumber(), WeirDialect::getDeviceAttrName());
    llvm::SmallSetVector<StringAttr, 4> devices, hosts;
    for (OpOperand &use : feed.getUses())
      if (Operation *user = nodeOf(use, block); user && user != fetch) {
        devices.insert(::deviceOf(user));
        hosts.insert(hostOf(::deviceOf(user)));
      }
    if (asked)
      feedDevices.push_back(hostOf(asked));
    else if (devices.size() == 1 && hasHostMemory(devices.front()))
      feedDevices.push_back(devices.front());
    else
      feedDevices.push_back(hosts.size() == 1 ? hosts.front() : home);
  }
}

/// How often what a node needs has crossed between devices. No loop has a
/// crossing in it, so the numbers settle.
void Splitter::computeHops() {
  Block &block = graph.getBody().front();
  DenseMap<Operation *, int64_t> of;
  SmallVector<Operation *> work;
  auto raiseUsers = [&](Value value, StringAttr device, int64_t hop) {
    if (isEverywhere(value))
      return;
    for (OpOperand &use : value.getUses()) {
      Operation *user = nodeOf(use, block);
      if (!user || user == fetch || isBackEdge(use))
        continue;
      int64_t there = hop + (::deviceOf(user) != device);
      if (of.lookup(user) < there) {
        of[user] = there;
        work.push_back(user);
      }
    }
  };
  for (BlockArgument feed : block.getArguments())
    raiseUsers(feed, deviceOf(feed), 0);
  for (Operation *op : nodes)
    for (Value result : op->getResults())
      raiseUsers(result, ::deviceOf(op), of.lookup(op));
  while (!work.empty()) {
    Operation *op = work.pop_back_val();
    for (Value result : op->getResults())
      raiseUsers(result, ::deviceOf(op), of.lookup(op));
  }
  for (auto [op, hop] : of)
    op->setAttr(rt::hopAttrName, builder.getI64IntegerAttr(hop));
}

void Splitter::openParts() {
  bodies.insert(&graph.getBody().front());
  auto add = [&](StringAttr device) { parts[device]; };
  for (Value value : fetch.getValues())
    add(isEverywhere(value) ? home : hostOf(deviceOf(value)));
  for (BlockArgument feed : graph.getBody().getArguments())
    if (!feed.use_empty())
      add(deviceOf(feed));
  for (Operation *op : nodes)
    if (!isa<ConstantOp, HandleOp, FetchOp>(op))
      add(::deviceOf(op));
  if (parts.empty())
    add(home);
  for (auto [i, entry] : llvm::enumerate(parts)) {
    auto &[device, part] = entry;
    SmallVector<Type> types;
    SmallVector<DictionaryAttr> attributes;
    for (BlockArgument feed : graph.getBody().getArguments()) {
      unsigned number = feed.getArgNumber();
      // What nobody uses is taken by the first.
      if (feed.use_empty() ? i != 0 : deviceOf(feed) != device)
        continue;
      part.feeds.push_back(number);
      types.push_back(feed.getType());
      NamedAttrList list(graph.getArgAttrDict(number));
      list.set(WeirDialect::getNameAttrName(),
               builder.getStringAttr(graph.getFeedName(number)));
      attributes.push_back(list.getDictionary(graph.getContext()));
    }
    part.graph = GraphOp::create(
        builder, graph.getLoc(), (graph.getSymName() + "." + Twine(i)).str(),
        builder.getFunctionType(types, {}), /*sym_visibility=*/nullptr,
        /*arg_attrs=*/nullptr, /*res_attrs=*/nullptr);
    part.graph->setAttr(rt::deviceAttrName, device);
    Block &body = part.graph.getBody().emplaceBlock();
    bodies.insert(&body);
    for (auto [type, number] : llvm::zip_equal(types, part.feeds)) {
      Value feed = graph.getBody().getArgument(number);
      body.addArgument(type, feed.getLoc());
      crossed[{feed, device}] = body.getArguments().back();
    }
    part.graph.setAllArgAttrs(attributes);
  }
}

LogicalResult Splitter::check(Value value, StringAttr to, Operation *user) {
  auto describe = [](Operation *op) {
    return "node '" + WeirDialect::describe(op) + "'";
  };
  Operation *producer = value.getDefiningOp();
  if (unsigned frame = frames.of(value); frame != 0)
    return user->emitError()
           << "[WEIR0119] " << frames.text(frame)
           << " spans devices: " << describe(user) << " is on '"
           << to.getValue() << "' and takes " << describe(producer)
           << ", which is on '" << deviceOf(value).getValue()
           << "'; give all nodes of a loop one device";
  if (isa<ResourceType>(value.getType()))
    return user->emitError()
           << "[WEIR0120] " << describe(user) << " is on '" << to.getValue()
           << "' and takes a handle from '" << deviceOf(value).getValue()
           << "', where it means nothing; give the nodes of a handle one "
              "device";
  return success();
}

/// A name for what crosses that no other has: "node:0".
std::string Splitter::keyOf(Value value) {
  std::string name;
  if (auto feed = dyn_cast<BlockArgument>(value)) {
    name = graph.getFeedName(feed.getArgNumber());
  } else {
    Operation *op = value.getDefiningOp();
    name = WeirDialect::describe(op);
    if (isa<ControlType>(value.getType()))
      name = "^" + name;
    else
      name += ":" + std::to_string(cast<OpResult>(value).getResultNumber());
  }
  std::string unique = name;
  while (!keys.try_emplace(unique, 1).second)
    unique = name + "#" + std::to_string(++keys[name]);
  return unique;
}

/// A value as nodes on the device `to` see it. `user` is one of them.
FailureOr<Value> Splitter::valueOn(Value value, StringAttr to,
                                   Operation *user) {
  Value &there = crossed[{value, to}];
  if (there)
    return there;
  OpBuilder receiving =
      OpBuilder::atBlockBegin(&parts[to].graph.getBody().front());
  if (isEverywhere(value)) {
    Operation *copy = receiving.clone(*value.getDefiningOp());
    copy->setAttr(WeirDialect::getDeviceAttrName(), to);
    return there = copy->getResult(0);
  }
  StringAttr from = deviceOf(value);
  if (failed(check(value, to, user)))
    return failure();
  Part &source = parts[from];
  Location loc = value.getLoc();
  bool isControl = isa<ControlType>(value.getType());
  auto key = builder.getStringAttr(keyOf(value));
  OpBuilder sending = OpBuilder::atBlockEnd(&source.graph.getBody().front());
  Value here = isa<BlockArgument>(value) ? crossed[{value, from}] : value;
  auto send =
      SendOp::create(sending, loc, builder.getType<ControlType>(),
                     isControl ? ValueRange() : ValueRange(here), key, from, to,
                     isControl ? ValueRange(here) : ValueRange());
  source.done.push_back(send.getControl());
  auto receive = ReceiveOp::create(
      receiving, loc, isControl ? TypeRange() : TypeRange(value.getType()),
      builder.getType<ControlType>(), key, from, to, ValueRange());
  for (Operation *op : {send.getOperation(), receive.getOperation()})
    op->setAttr(WeirDialect::getDeviceAttrName(),
                op == send.getOperation() ? from : to);
  // The map may have moved.
  Value received = receive->getResult(0);
  return crossed[{value, to}] = received;
}

LogicalResult Splitter::cut(OpOperand &operand, Operation *user,
                            StringAttr to) {
  Value value = operand.get();
  // Values of a region inside the node stay.
  if (!bodies.contains(value.getParentBlock()))
    return success();
  if (!isa<BlockArgument>(value) && !isEverywhere(value) &&
      deviceOf(value) == to)
    return success();
  auto there = valueOn(value, to, user);
  if (failed(there))
    return failure();
  operand.set(*there);
  return success();
}

LogicalResult Splitter::fillFetches() {
  for (auto [i, value] : llvm::enumerate(fetch.getValues())) {
    StringAttr device = isEverywhere(value) ? home : hostOf(deviceOf(value));
    FailureOr<Value> there = value;
    if (isEverywhere(value) || isa<BlockArgument>(value) ||
        deviceOf(value) != device)
      there = valueOn(value, device, fetch);
    if (failed(there))
      return failure();
    Part &part = parts[device];
    part.fetches.push_back(i);
    part.fetched.push_back(*there);
  }
  for (Value control : fetch.getControls())
    parts[deviceOf(control)].done.push_back(control);
  return success();
}

/// Ends the parts and puts the description of the whole in the graph's place.
void Splitter::close() {
  auto describe = [&](TypeRange types, auto name) {
    SmallVector<Attribute> list;
    for (auto [i, type] : llvm::enumerate(types))
      list.push_back(builder.getDictionaryAttr(
          {builder.getNamedAttr("name", builder.getStringAttr(name(i))),
           builder.getNamedAttr("type", TypeAttr::get(type))}));
    return builder.getArrayAttr(list);
  };
  SmallVector<Attribute> list;
  for (auto &[device, part] : parts) {
    OpBuilder end = OpBuilder::atBlockEnd(&part.graph.getBody().front());
    FetchOp::create(end, fetch.getLoc(), part.fetched, part.done);
    SmallVector<Type> types(ValueRange(part.fetched).getTypes());
    part.graph.setFunctionType(
        builder.getFunctionType(part.graph.getArgumentTypes(), types));
    for (auto [i, number] : llvm::enumerate(part.fetches))
      part.graph.setResultAttr(
          i, WeirDialect::getNameAttrName(),
          builder.getStringAttr(graph.getFetchName(number)));
    list.push_back(builder.getDictionaryAttr(
        {builder.getNamedAttr(
             "graph", FlatSymbolRefAttr::get(part.graph.getSymNameAttr())),
         builder.getNamedAttr("feeds",
                              builder.getDenseI32ArrayAttr(part.feeds)),
         builder.getNamedAttr("fetches",
                              builder.getDenseI32ArrayAttr(part.fetches))}));
  }
  rt::SpreadOp::create(
      builder, graph.getLoc(), graph.getSymNameAttr(),
      describe(graph.getArgumentTypes(),
               [&](unsigned i) { return graph.getFeedName(i); }),
      describe(graph.getResultTypes(),
               [&](unsigned i) { return graph.getFetchName(i); }),
      builder.getArrayAttr(list), graph.getSymVisibilityAttr());
  graph.erase();
}

LogicalResult Splitter::run() {
  Block &block = graph.getBody().front();
  nodes = neededNodes(block);
  llvm::erase(nodes, fetch);
  placeFeeds();
  // On a cluster each task has to know what is its own.
  if (!hasSeveralTasks(graph->getParentOfType<ModuleOp>()) &&
      llvm::all_of(nodes, [&](Operation *op) {
        return isa<ConstantOp, HandleOp>(op) || ::deviceOf(op) == home;
      }))
    return success();
  computeHops();
  openParts();
  // Every node goes to its part; then each edge that has come to lead from one
  // to another is cut.
  SmallVector<Operation *> moved;
  for (Operation *op : nodes)
    if (!isa<ConstantOp, HandleOp>(op)) {
      Block &body = parts[::deviceOf(op)].graph.getBody().front();
      op->moveBefore(&body, body.end());
      moved.push_back(op);
    }
  for (Operation *op : moved) {
    StringAttr to = ::deviceOf(op);
    auto result = op->walk([&](Operation *inner) {
      for (OpOperand &operand : inner->getOpOperands())
        if (failed(cut(operand, op, to)))
          return WalkResult::interrupt();
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      return failure();
  }
  if (failed(fillFetches()))
    return failure();
  close();
  return success();
}

namespace {
class SplitGraphs : public weir::impl::PartitionSplitGraphsBase<SplitGraphs> {
  void runOnOperation() override {
    StringAttr home = homeOf(getOperation());
    for (GraphOp graph :
         llvm::make_early_inc_range(getOperation().getOps<GraphOp>())) {
      if (failed(verifyPlaced(graph)))
        return signalPassFailure();
      Block &block = graph.getBody().front();
      if (SmallVector<Operation *> cycle = findCycle(block); !cycle.empty())
        continue; // An error, which is not this pass's to report.
      FailureOr<Frames> frames = Frames::compute(block);
      if (failed(frames) ||
          failed(Splitter(graph, std::move(*frames), home).run()))
        return signalPassFailure();
    }
  }

  static LogicalResult verifyPlaced(GraphOp graph) {
    for (Operation &op : graph.getBody().front())
      if (!isa<FetchOp>(op) && !::deviceOf(&op))
        return op.emitError()
               << "[WEIR0108] node '" << WeirDialect::describe(&op)
               << "' has no device; run the phase 'place' before 'partition'";
    return success();
  }
};
} // namespace

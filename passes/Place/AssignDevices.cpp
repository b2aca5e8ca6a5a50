//===- AssignDevices.cpp - A device for every node ------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Weir/Weir.h"
#include "lib/Analysis/DeviceName.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"
#include "passes/Place/Passes.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

namespace weir {
#define GEN_PASS_DEF_PLACEASSIGNDEVICES
#include "passes/Place/Passes.h.inc"
} // namespace weir

using namespace mlir;
using namespace weir;

static constexpr llvm::StringLiteral onlyDevice =
    "/job:localhost/replica:0/task:0/device:CPU:0";

/// True for state that has a device, and whose users are there.
static bool isState(Operation *op) {
  return isa<VariableOp, QueueOp, BarrierOp, AccumulatorOp, ReaderOp>(op);
}

/// "node 'x'", "variable '@w'".
static std::string describe(Operation *op) {
  if (auto symbol = dyn_cast<SymbolOpInterface>(op))
    return (op->getName().stripDialect() + " '@" + symbol.getName() + "'")
        .str();
  return "node '" + WeirDialect::describe(op) + "'";
}

namespace {

/// What asked for something: a member of a set with its own constraint.
struct Request {
  Operation *op;
  DeviceName name;
};

class AssignDevices : public weir::impl::PlaceAssignDevicesBase<AssignDevices> {
public:
  using Base = weir::impl::PlaceAssignDevicesBase<AssignDevices>;
  using Base::Base;

private:
  void runOnOperation() override;
  LogicalResult readDevices();
  LogicalResult collect();
  void join(Operation *a, Operation *b, const llvm::Twine &why);
  FailureOr<std::optional<DeviceName>>
  requested(Location loc, const std::string &what, Attribute attribute);
  const DeviceName *choose(const DeviceName &constraint);
  LogicalResult place(ArrayRef<Operation *> members);
  LogicalResult placeSignature(GraphOp graph);
  InFlightDiagnostic reject(Location loc, const std::string &what,
                            const DeviceName &name);

  SmallVector<DeviceName> available;
  SmallVector<Operation *> placed; // in the order of the text
  llvm::EquivalenceClasses<Operation *> sets;
  llvm::DenseMap<Operation *, std::string> joinedBy;
};

} // namespace

LogicalResult AssignDevices::readDevices() {
  available.clear();
  SmallVector<std::string> names(devices.begin(), devices.end());
  if (names.empty())
    names.push_back(onlyDevice.str());
  for (const std::string &text : names) {
    std::string why = "a device has all five parts";
    auto name = DeviceName::parse(text, &why);
    if (!name || !name->isFull())
      return getOperation().emitError()
             << "[WEIR0106] '" << text
             << "' in the option `devices` is no full device name: " << why;
    available.push_back(*name);
  }
  return success();
}

void AssignDevices::join(Operation *a, Operation *b, const llvm::Twine &why) {
  sets.unionSets(a, b);
  joinedBy.try_emplace(b, why.str());
}

/// True for a node of a graph, not of a region inside of one.
static bool isAtTop(Operation *op) { return isa<GraphOp>(op->getParentOp()); }

/// Everything that gets a device, and what has to be together.
LogicalResult AssignDevices::collect() {
  placed.clear();
  sets = {};
  joinedBy.clear();
  SymbolTable symbols(getOperation());
  llvm::StringMap<Operation *> groups;
  auto add = [&](Operation *op) {
    placed.push_back(op);
    sets.insert(op);
    if (auto group =
            op->getAttrOfType<StringAttr>(WeirDialect::getColocateAttrName())) {
      auto [first, isNew] = groups.try_emplace(group.getValue(), op);
      if (!isNew)
        join(first->second, op,
             "by weir.colocate = \"" + group.getValue() + "\"");
    }
  };
  for (Operation &op : *getOperation().getBody())
    if (isState(&op))
      add(&op);
  for (GraphOp graph : getOperation().getOps<GraphOp>()) {
    graph.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<FetchOp>(op) || !(isa<NodeInterface>(op) || isAtTop(op)))
        return;
      add(op);
      // The branches of a conditional are where it is.
      for (Operation *outer = op->getParentOp(); outer != graph;
           outer = outer->getParentOp())
        if (isAtTop(outer))
          join(outer, op, "as a part of " + describe(outer));
      for (NamedAttribute attribute : op->getAttrs())
        if (auto name = dyn_cast<FlatSymbolRefAttr>(attribute.getValue()))
          if (Operation *symbol = symbols.lookup(name.getValue());
              symbol && isState(symbol))
            join(symbol, op, "as a user of '@" + name.getValue() + "'");
      // So is what a handle names, wherever the handle goes by itself.
      for (Value operand : op->getOperands())
        if (auto handle = operand.getDefiningOp<HandleOp>())
          join(handle, op, "as a user of '@" + handle.getSymbol() + "'");
    });
  }
  return success();
}

FailureOr<std::optional<DeviceName>>
AssignDevices::requested(Location loc, const std::string &what,
                         Attribute attribute) {
  auto text = dyn_cast_or_null<StringAttr>(attribute);
  if (!text)
    return std::optional<DeviceName>();
  std::string why;
  auto name = DeviceName::parse(text.getValue(), &why);
  if (!name)
    return emitError(loc)
           << "[WEIR0106] " << what << " asks for device '" << text.getValue()
           << "', which is no device name: " << why
           << "; a name looks like /job:worker/replica:0/task:1/device:CPU:0 "
              "and may leave parts out";
  return name;
}

const DeviceName *AssignDevices::choose(const DeviceName &constraint) {
  auto device = llvm::find_if(
      available, [&](const DeviceName &d) { return constraint.admits(d); });
  return device == available.end() ? nullptr : &*device;
}

InFlightDiagnostic AssignDevices::reject(Location loc, const std::string &what,
                                         const DeviceName &name) {
  InFlightDiagnostic error =
      emitError(loc) << "[WEIR0104] " << what << " asks for device '"
                     << name.text() << "', which is not there; there is ";
  llvm::interleaveComma(available, error, [&](const DeviceName &d) {
    error << "'" << d.text() << "'";
  });
  return error;
}

/// One device for all members of a set.
LogicalResult AssignDevices::place(ArrayRef<Operation *> members) {
  DeviceName constraint;
  SmallVector<Request> requests;
  for (Operation *op : members) {
    auto name = requested(op->getLoc(), describe(op),
                          op->getAttr(WeirDialect::getDeviceAttrName()));
    if (failed(name))
      return failure();
    if (!*name)
      continue;
    if (!choose(**name))
      return reject(op->getLoc(), describe(op), **name);
    auto joined = DeviceName::both(constraint, **name);
    if (!joined) {
      const Request &other = *llvm::find_if(requests, [&](const Request &r) {
        return !DeviceName::both(r.name, **name);
      });
      InFlightDiagnostic error =
          op->emitError() << "[WEIR0105] " << describe(op)
                          << " asks for device '" << (*name)->text()
                          << "', but has to be with " << describe(other.op)
                          << ", which asks for '" << other.name.text()
                          << "'; give both one device, or part them";
      for (Operation *member : {other.op, op})
        if (auto why = joinedBy.find(member); why != joinedBy.end())
          error.attachNote(member->getLoc())
              << describe(member) << " belongs to the others " << why->second;
        else
          error.attachNote(member->getLoc()) << describe(member) << " is here";
      return error;
    }
    constraint = *joined;
    requests.push_back({op, **name});
  }
  const DeviceName *device = choose(constraint);
  if (!device) // each alone could be met, but not all at once
    return reject(requests.back().op->getLoc(),
                  describe(requests.back().op) +
                      ", with what it has to be with,",
                  constraint);
  auto attribute = StringAttr::get(&getContext(), device->text());
  for (Operation *op : members)
    op->setAttr(WeirDialect::getDeviceAttrName(), attribute);
  return success();
}

/// Feeds and fetches ask for themselves; without a name they are where they
/// are used.
LogicalResult AssignDevices::placeSignature(GraphOp graph) {
  auto check = [&](const std::string &what, Attribute attribute,
                   auto set) -> LogicalResult {
    auto name = requested(graph.getLoc(), what, attribute);
    if (failed(name))
      return failure();
    if (!*name)
      return success();
    const DeviceName *device = choose(**name);
    if (!device)
      return reject(graph.getLoc(), what, **name);
    set(StringAttr::get(&getContext(), device->text()));
    return success();
  };
  StringRef key = WeirDialect::getDeviceAttrName();
  for (unsigned i = 0, e = graph.getNumArguments(); i < e; ++i)
    if (failed(check(
            "feed '" + graph.getFeedName(i) + "'", graph.getArgAttr(i, key),
            [&](Attribute device) { graph.setArgAttr(i, key, device); })))
      return failure();
  for (unsigned i = 0, e = graph.getFunctionType().getNumResults(); i < e; ++i)
    if (failed(check("fetch '" + graph.getFetchName(i) + "'",
                     graph.getResultAttr(i, key), [&](Attribute device) {
                       graph.setResultAttr(i, key, device);
                     })))
      return failure();
  return success();
}

void AssignDevices::runOnOperation() {
  if (failed(readDevices()) || failed(collect()))
    return signalPassFailure();
  // Members in the order of the text, sets in the order of their first.
  llvm::MapVector<Operation *, SmallVector<Operation *>> members;
  for (Operation *op : placed)
    members[sets.getLeaderValue(op)].push_back(op);
  for (auto &[leader, set] : members)
    if (failed(place(set)))
      return signalPassFailure();
  for (GraphOp graph : getOperation().getOps<GraphOp>())
    if (failed(placeSignature(graph)))
      return signalPassFailure();
}

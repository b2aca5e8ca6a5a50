//===- AssignDevices.cpp - A device for every node ------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Rt/Rt.h"
#include "dialects/Weir/Weir.h"
#include "lib/Analysis/DeviceName.h"
#include "lib/Analysis/Frames.h"
#include "lib/Analysis/Kernels.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"
#include "passes/Place/Passes.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MathExtras.h"

#include <limits>

namespace weir {
#define GEN_PASS_DEF_PLACEASSIGNDEVICES
#include "passes/Place/Passes.h.inc"
} // namespace weir

using namespace mlir;
using namespace weir;

static constexpr llvm::StringLiteral onlyDevice =
    "/job:localhost/replica:0/task:0/device:CPU:0";

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
  LogicalResult joinLoops(GraphOp graph);
  void joinNamesakes(GraphOp graph);
  void join(Operation *a, Operation *b, const llvm::Twine &why);
  FailureOr<std::optional<DeviceName>>
  requested(Location loc, const std::string &what, Attribute attribute);
  /// Why the members of a set cannot be on a device, and which of them.
  struct Obstacle {
    Operation *op;
    std::string why;
  };
  static std::optional<Obstacle> obstacle(ArrayRef<Operation *> members,
                                          const DeviceName &device);
  bool exists(const DeviceName &constraint) const;
  FailureOr<DeviceName> constraintOf(ArrayRef<Operation *> members,
                                     SmallVectorImpl<Request> &requests);
  const DeviceName *choose(ArrayRef<Operation *> members,
                           const DeviceName &constraint);
  const DeviceName *nearest(ArrayRef<Operation *> members);
  LogicalResult place(ArrayRef<Operation *> members);
  void assign(ArrayRef<Operation *> members, const DeviceName &device);
  LogicalResult placeSignature(GraphOp graph);
  InFlightDiagnostic reject(Location loc, const std::string &what,
                            const DeviceName &name);

  SmallVector<DeviceName> available;
  SmallVector<Operation *> placed; // in the order of the text
  llvm::EquivalenceClasses<Operation *> sets;
  llvm::DenseMap<Operation *, std::string> joinedBy;
  bool soft = false;
  /// Where sets are that have been placed, as places in `available`.
  llvm::DenseMap<Operation *, unsigned> placeOf;
};

} // namespace

LogicalResult AssignDevices::readDevices() {
  available.clear();
  std::vector<std::string> names(devices.begin(), devices.end());
  soft = softPlacement || getOperation()->hasAttr(rt::softPlacementAttrName);
  if (auto list = getOperation()->getAttrOfType<ArrayAttr>(rt::devicesAttrName);
      list && names.empty())
    for (Attribute name : list) {
      auto text = dyn_cast<StringAttr>(name);
      if (!text)
        return getOperation().emitError()
               << "[WEIR0106] " << name << " in the module's `"
               << rt::devicesAttrName
               << "` is no name of a device, which is a string";
      names.push_back(text.getValue().str());
    }
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
  // The phase `partition` asks where feeds come from.
  if (names != std::vector<std::string>{onlyDevice.str()})
    getOperation()->setAttr(rt::devicesAttrName,
                            Builder(&getContext())
                                .getStrArrayAttr(SmallVector<StringRef>(
                                    names.begin(), names.end())));
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
  placeOf.clear();
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
    if (isDeclaredState(&op))
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
              symbol && isDeclaredState(symbol))
            join(symbol, op, "as a user of '@" + name.getValue() + "'");
      // So is what a handle names: handles mean nothing elsewhere. And where a
      // condition is taken out of its tensor is a part of what it decides.
      for (Value operand : op->getOperands())
        if (Operation *producer = operand.getDefiningOp();
            producer && isAtTop(producer)) {
          if (auto handle = dyn_cast<HandleOp>(producer))
            join(handle, op, "as a user of '@" + handle.getSymbol() + "'");
          else if (isa<ResourceType>(operand.getType()))
            join(producer, op, "as a user of its handle");
          else if (isa<tensor::ExtractOp>(producer))
            join(producer, op, "as what it decides");
        }
    });
    joinNamesakes(graph);
    if (failed(joinLoops(graph)))
      return failure();
  }
  return success();
}

/// TensorFlow names a group after the node that its members are to be with;
/// that node itself does not say that it is one of them.
void AssignDevices::joinNamesakes(GraphOp graph) {
  llvm::StringMap<SmallVector<Operation *, 1>> named;
  for (Operation &op : graph.getBody().front())
    if (auto name =
            op.getAttrOfType<StringAttr>(WeirDialect::getNameAttrName()))
      if (sets.contains(&op))
        named[name.getValue()].push_back(&op);
  for (Operation &op : graph.getBody().front())
    if (auto group =
            op.getAttrOfType<StringAttr>(WeirDialect::getColocateAttrName()))
      for (Operation *namesake : named.lookup(group.getValue()))
        if (namesake != &op)
          join(namesake, &op,
               "by weir.colocate = \"" + group.getValue() + "\"");
}

/// A loop is on one device: its iterations are in step with each other.
LogicalResult AssignDevices::joinLoops(GraphOp graph) {
  Block &block = graph.getBody().front();
  auto frames = Frames::compute(block);
  if (failed(frames))
    return failure();
  auto outermost = [&](unsigned frame) {
    while (frames->all()[frame].parent != 0)
      frame = frames->all()[frame].parent;
    return frame;
  };
  for (Operation &op : block) {
    if (isa<ConstantOp, HandleOp, FetchOp>(op))
      continue;
    unsigned frame = frames->of(&op);
    if (isa<EnterOp>(op) && frame == 0)
      frame = frames->of(op.getResult(0));
    if (frame == 0)
      continue;
    const Frame &loop = frames->all()[outermost(frame)];
    if (loop.enter != &op)
      join(loop.enter, &op, "as a part of loop '" + loop.name + "'");
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

std::optional<AssignDevices::Obstacle>
AssignDevices::obstacle(ArrayRef<Operation *> members,
                        const DeviceName &device) {
  for (Operation *op : members)
    if (auto why = whyNotOn(op, *device.type))
      return Obstacle{op, *why};
  return std::nullopt;
}

bool AssignDevices::exists(const DeviceName &constraint) const {
  return llvm::any_of(
      available, [&](const DeviceName &d) { return constraint.admits(d); });
}

/// The first device that meets the constraint and has all the kernels.
const DeviceName *AssignDevices::choose(ArrayRef<Operation *> members,
                                        const DeviceName &constraint) {
  auto device = llvm::find_if(available, [&](const DeviceName &d) {
    return constraint.admits(d) && !obstacle(members, d);
  });
  return device == available.end() ? nullptr : &*device;
}

/// How much there is to move for a value. What is known at run time only
/// counts as little.
static int64_t bytesOf(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.getElementType().isIntOrFloat())
    return 1;
  int64_t bytes = (tensor.getElementTypeBitWidth() + 7) / 8;
  for (int64_t extent : tensor.getShape())
    if (!ShapedType::isDynamic(extent) &&
        llvm::MulOverflow(bytes, std::max<int64_t>(extent, 1), bytes))
      return std::numeric_limits<int64_t>::max() / 2;
  return bytes;
}

/// For a set that asks for nothing: the device to which least has to be moved
/// of what it takes from nodes that are placed. Equal ones: the first there is.
const DeviceName *AssignDevices::nearest(ArrayRef<Operation *> members) {
  SmallVector<int64_t> there(available.size());
  for (Operation *op : members)
    for (Value operand : op->getOperands())
      if (Operation *producer = operand.getDefiningOp();
          producer && !isa<ConstantOp, HandleOp>(producer))
        if (auto at = placeOf.find(producer); at != placeOf.end()) {
          int64_t &sum = there[at->second];
          if (llvm::AddOverflow(sum, bytesOf(operand.getType()), sum))
            sum = std::numeric_limits<int64_t>::max() / 2;
        }
  const DeviceName *best = nullptr;
  int64_t most = 0;
  for (auto [device, bytes] : llvm::zip_equal(available, there))
    if (bytes > most && !obstacle(members, device)) {
      best = &device;
      most = bytes;
    }
  return best ? best : choose(members, DeviceName());
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

/// What all members of a set ask for, together.
FailureOr<DeviceName>
AssignDevices::constraintOf(ArrayRef<Operation *> members,
                            SmallVectorImpl<Request> &requests) {
  DeviceName constraint;
  for (Operation *op : members) {
    auto name = requested(op->getLoc(), describe(op),
                          op->getAttr(WeirDialect::getDeviceAttrName()));
    if (failed(name))
      return failure();
    if (!*name)
      continue;
    if (!soft && !exists(**name))
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
  return constraint;
}

void AssignDevices::assign(ArrayRef<Operation *> members,
                           const DeviceName &device) {
  auto attribute = StringAttr::get(&getContext(), device.text());
  for (Operation *op : members) {
    op->setAttr(WeirDialect::getDeviceAttrName(), attribute);
    placeOf[op] = &device - available.data();
  }
}

/// One device for all members of a set.
LogicalResult AssignDevices::place(ArrayRef<Operation *> members) {
  SmallVector<Request> requests;
  auto constraint = constraintOf(members, requests);
  if (failed(constraint))
    return failure();
  const DeviceName *device =
      requests.empty() ? nearest(members) : choose(members, *constraint);
  if (!device && soft) {
    // The task is kept where it is one: state is not moved between processes.
    DeviceName open = *constraint;
    open.type.reset();
    open.id.reset();
    device = choose(members, open);
    if (!device)
      device = choose(members, DeviceName());
    if (device)
      for (const Request &request : requests)
        request.op->emitRemark()
            << describe(request.op) << " asks for device '"
            << request.name.text() << "' and is placed on '" << device->text()
            << "'";
  }
  if (device) {
    assign(members, *device);
    return success();
  }
  // Without a request there is no device for it at all.
  if (!requests.empty() && !exists(*constraint))
    return reject(requests.back().op->getLoc(),
                  describe(requests.back().op) +
                      ", with what it has to be with,",
                  *constraint);
  auto wanted = llvm::find_if(
      available, [&](const DeviceName &d) { return constraint->admits(d); });
  // A node that asks for the device says more than what it has to be with.
  SmallVector<Operation *> asking;
  for (const Request &request : requests)
    asking.push_back(request.op);
  auto blocked = obstacle(asking, *wanted);
  if (!blocked)
    blocked = obstacle(members, *wanted);
  InFlightDiagnostic error =
      blocked->op->emitError()
      << "[WEIR0109] " << describe(blocked->op) << " ("
      << blocked->op->getName() << ") cannot be on '" << wanted->text()
      << "': it " << blocked->why
      << "; ask for another device, or let it be moved with soft placement";
  for (const Request &request : requests)
    if (request.op != blocked->op) {
      error.attachNote(request.op->getLoc())
          << describe(request.op) << ", which it has to be with, asks for '"
          << request.name.text() << "'";
      break;
    }
  return error;
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
    auto device = llvm::find_if(
        available, [&](const DeviceName &d) { return (*name)->admits(d); });
    if (device == available.end())
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
  // What asks for a device first: the others go where their operands are.
  auto asks = [](Operation *op) {
    return op->hasAttr(WeirDialect::getDeviceAttrName());
  };
  for (bool asking : {true, false})
    for (auto &[leader, set] : members)
      if (llvm::any_of(set, asks) == asking && !placeOf.contains(set.front()))
        if (failed(place(set)))
          return signalPassFailure();
  for (GraphOp graph : getOperation().getOps<GraphOp>())
    if (failed(placeSignature(graph)))
      return signalPassFailure();
}

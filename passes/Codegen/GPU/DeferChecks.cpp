//===- DeferChecks.cpp - The device makes checks of its own values --------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "passes/Codegen/GPU/HostCode.h"
#include "passes/Codegen/GPU/Launch.h"
#include "passes/Codegen/GPU/Passes.h"
#include "llvm/ADT/SetVector.h"

namespace weir {
#define GEN_PASS_DEF_GPUDEFERCHECKS
#include "passes/Codegen/GPU/Passes.h.inc"
} // namespace weir

using namespace mlir;
using namespace weir;
using namespace weir::gpus;

namespace {
/// A check of what kernels have made, and how that is computed, loads first.
struct Check {
  rt::AssertOp assertion;
  llvm::SetVector<Operation *> slice;
};

struct DeferChecks : weir::impl::GpuDeferChecksBase<DeferChecks> {
  void runOnOperation() override;
};
} // namespace

/// Adds to `slice` what computes `value` from memory of the device; false where
/// a kernel cannot do that. What the host knows by itself is no part of it.
static bool collect(Value value, llvm::SetVector<Operation *> &slice) {
  Operation *op = value.getDefiningOp();
  if (!op || slice.contains(op) || matchPattern(value, m_Constant()))
    return true;
  if (readsDevice(op)) {
    // Where it reads is for the host to say.
    llvm::SetVector<Operation *> indices;
    for (Value index : cast<memref::LoadOp>(op).getIndices())
      if (!collect(index, indices))
        return false;
    slice.insert(op);
    return indices.empty();
  }
  if (!isa<arith::ArithDialect>(op->getDialect()))
    return true;
  for (Value operand : op->getOperands())
    if (!collect(operand, slice))
      return false;
  bool depends = llvm::any_of(op->getOperands(), [&](Value operand) {
    return slice.contains(operand.getDefiningOp());
  });
  if (depends)
    slice.insert(op);
  return true;
}

/// Whether memory at `from` is as it will be at `to`, which comes later in the
/// same block.
static bool isUnchanged(Operation *from, Operation *to) {
  if (from->getBlock() != to->getBlock())
    return false;
  for (Operation *op = from; op != to; op = op->getNextNode())
    if (!leavesMemory(op))
      return false;
  return true;
}

/// The check that `assertion` is, if the device can make it.
static std::optional<Check> checkOf(rt::AssertOp assertion) {
  Check check{assertion, {}};
  if (!collect(assertion.getCondition(), check.slice) ||
      !collect(assertion.getA(), check.slice) ||
      !collect(assertion.getB(), check.slice) || check.slice.empty())
    return std::nullopt;
  for (Operation *op : check.slice)
    if (readsDevice(op) && !isUnchanged(op, assertion))
      return std::nullopt;
  return check;
}

/// Leaves checks alone of which the host uses a value for something else: it
/// has to wait for that value anyway, and then must not get to use a bad one.
static void dropShared(SmallVector<Check> &checks) {
  for (bool again = true; again;) {
    llvm::SmallPtrSet<Operation *, 32> known;
    for (Check &check : checks) {
      known.insert(check.assertion);
      known.insert(check.slice.begin(), check.slice.end());
    }
    size_t count = checks.size();
    llvm::erase_if(checks, [&](Check &check) {
      return llvm::any_of(check.slice, [&](Operation *op) {
        return llvm::any_of(op->getUsers(), [&](Operation *user) {
          return !known.contains(user);
        });
      });
    });
    again = checks.size() != count;
  }
}

/// Whether no check has failed before, the same for all threads of a launch: no
/// kernel that asks changes the record.
static Value isFine(OpBuilder &b, Location loc, Value record, bool isUniform) {
  auto site = memref::LoadOp::create(b, loc, record, constantIndex(b, loc, 0));
  if (isUniform)
    site->setAttr(uniformAttrName, b.getUnitAttr());
  Value none = arith::ConstantIntOp::create(b, loc, 0, 64);
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, site, none);
}

/// What a launch of checks does for one of them: notes it where it fails,
/// unless another one has failed before.
static void emitCheck(OpBuilder &b, Check &check, Value record, Value site) {
  rt::AssertOp assertion = check.assertion;
  Location loc = assertion.getLoc();
  IRMapping mapping;
  for (Operation *op : check.slice)
    b.clone(*op, mapping);
  Value condition = mapping.lookupOrDefault(assertion.getCondition());
  Value yes = arith::ConstantIntOp::create(b, loc, 1, 1);
  Value fails = arith::XOrIOp::create(b, loc, condition, yes);
  Value isFirst = arith::AndIOp::create(
      b, loc, fails, isFine(b, loc, record, /*isUniform=*/false));
  auto branch = scf::IfOp::create(b, loc, isFirst);
  OpBuilder then = branch.getThenBodyBuilder();
  auto store = [&](Value value, int64_t place) {
    memref::StoreOp::create(then, loc, value, record,
                            constantIndex(then, loc, place));
  };
  auto number = [&](Value value) {
    return arith::IndexCastOp::create(then, loc, then.getI64Type(),
                                      mapping.lookupOrDefault(value));
  };
  store(site, 0);
  store(number(assertion.getA()), 1);
  store(number(assertion.getB()), 2);
}

/// A launch of one thread that makes the check; `before` is the launch of those
/// right before it, which then makes this one too, or null.
static gpu::LaunchOp launchCheck(Check &check, Value record,
                                 gpu::LaunchOp before) {
  rt::AssertOp assertion = check.assertion;
  OpBuilder b(assertion);
  Location loc = assertion.getLoc();
  Value site =
      rt::CheckSiteOp::create(b, loc, b.getI64Type(), assertion.getCode(),
                              assertion.getNode(), assertion.getFormat());
  gpu::LaunchOp launch;
  if (before) {
    before->moveBefore(assertion);
    launch = before;
    OpBuilder inside(launch.getBody().front().getTerminator());
    emitCheck(inside, check, record, site);
  } else {
    emitLaunch(b, loc, {"check", assertion.getNode().str()},
               constantIndex(b, loc, 1), /*threads=*/1, /*sharedBytes=*/0,
               [&](OpBuilder &inside, Value, Value) {
                 emitCheck(inside, check, record, site);
               });
    launch = cast<gpu::LaunchOp>(assertion->getPrevNode());
  }
  assertion.erase();
  for (Operation *op : llvm::reverse(check.slice))
    if (op->use_empty())
      op->erase();
  return launch;
}

/// Lets `launch` do nothing once a check has failed.
static void guard(gpu::LaunchOp launch, Value record) {
  Block &body = launch.getBody().front();
  OpBuilder b = OpBuilder::atBlockBegin(&body);
  Location loc = launch.getLoc();
  auto branch =
      scf::IfOp::create(b, loc, isFine(b, loc, record, /*isUniform=*/true));
  Block *inside = branch.thenBlock();
  inside->getOperations().splice(
      inside->getTerminator()->getIterator(), body.getOperations(),
      std::next(branch->getIterator()), body.getTerminator()->getIterator());
}

void DeferChecks::runOnOperation() {
  func::FuncOp function = getOperation();
  if (!function->hasAttr(rt::entryAttrName))
    return;
  SmallVector<Check> checks;
  function.walk<WalkOrder::PreOrder>([&](rt::AssertOp assertion) {
    if (std::optional<Check> check = checkOf(assertion))
      checks.push_back(std::move(*check));
  });
  dropShared(checks);
  if (checks.empty())
    return;
  OpBuilder start = OpBuilder::atBlockBegin(&function.getBody().front());
  Value record = rt::CheckRecordOp::create(
      start, function.getLoc(), MemRefType::get({3}, start.getI64Type()));
  llvm::SetVector<Operation *> made;
  for (Check &check : checks) {
    gpu::LaunchOp before;
    if (!made.empty() &&
        made.back()->getBlock() == check.assertion->getBlock()) {
      // Sites are made between the two.
      Operation *next = made.back()->getNextNode();
      while (next != check.assertion && leavesMemory(next))
        next = next->getNextNode();
      if (next == check.assertion)
        before = cast<gpu::LaunchOp>(made.back());
    }
    made.insert(launchCheck(check, record, before));
  }
  // What comes behind the first check, or around it.
  Block &top = function.getBody().front();
  Operation *first = top.findAncestorOpInBlock(*made.front());
  for (Operation *op = first; op; op = op->getNextNode())
    op->walk([&](gpu::LaunchOp launch) {
      if (!made.contains(launch))
        guard(launch, record);
    });
}

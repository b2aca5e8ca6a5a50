//===- Optimizer.cpp - Updates of optimizers ----------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Source: the documentation of TensorFlow's training ops. A variable's update
// is one node; what it reads is read when the node runs.

#include "lib/Frontend/GraphDef/Convert/Converters.h"

#include "runtime/base/Format.h"

using namespace weir;
using namespace weir::graphdef;
using Variable = NodeConversion::Variable;

namespace {
/// The variables, hyperparameters and gradient of an update, and what it does.
class Update {
public:
  explicit Update(NodeConversion &n) : n(n) {}

  bool take(unsigned variables) {
    for (unsigned i = 0; i < variables; ++i) {
      auto variable = n.variable(i);
      if (!variable)
        return false;
      if (!variable->declaration) {
        (void)n.fail("which variable it updates is not known");
        return false;
      }
      slots.push_back(*variable);
    }
    for (unsigned i = variables; i < n.inputCount(); ++i) {
      rest.push_back(n.tensor(i));
      if (!rest.back())
        return false;
    }
    return true;
  }
  Value value(unsigned slot) {
    VariableOp declaration = slots[slot].declaration;
    return n.readVariable(
        slots[slot],
        llvm::cast<mlir::TensorType>(declaration.getType()).getElementType());
  }
  void assign(unsigned slot, Value value) {
    note(value ? n.access<AssignOp, AssignResourceOp>(slots[slot], value, {})
               : nullptr);
  }
  void subtract(unsigned slot, Value value) {
    note(value ? n.access<AssignSubOp, AssignSubResourceOp>(slots[slot], value,
                                                            {})
               : nullptr);
  }
  void add(unsigned slot, Value value) {
    note(value ? n.access<AssignAddOp, AssignAddResourceOp>(slots[slot], value,
                                                            {})
               : nullptr);
  }
  /// The rows of a variable that `indices` say.
  Value rows(unsigned slot, Value indices) {
    return n.make<GatherOp>({value(slot), indices}, n.i64("axis", 0));
  }
  /// Changes those rows.
  void scatter(unsigned slot, Value indices, Value updates, ScatterKind kind) {
    llvm::SmallVector<mlir::NamedAttribute> attrs{
        n.attr("kind", ScatterKindAttr::get(n.builder.getContext(), kind))};
    if (!slots[slot].isDirect)
      attrs.push_back(n.type("type", slots[slot].declaration.getType()));
    note(updates ? n.access<AssignScatterOp, AssignScatterResourceOp>(
                       slots[slot], {indices, updates}, {}, attrs)
                 : nullptr);
  }
  LogicalResult finish() {
    if (failed || done.empty())
      return mlir::failure();
    Value all = n.join(done);
    n.setControl(all);
    const Output *output = n.rawInput(0);
    return output->isRef ? n.outputRef(output->value, all) : mlir::success();
  }

  Value mul(Value a, Value b) { return n.make<MulOp>({a, b}); }
  Value plus(Value a, Value b) { return n.make<AddOp>({a, b}); }
  Value minus(Value a, Value b) { return n.make<SubOp>({a, b}); }
  Value div(Value a, Value b) { return n.make<DivOp>({a, b}); }
  Value sqrt(Value a) { return n.make<SqrtOp>(a); }
  Value square(Value a) { return n.make<SquareOp>(a); }
  Value oneMinus(Value a) { return minus(n.scalarLike(a, 1), a); }

  llvm::SmallVector<Value> rest;

private:
  void note(mlir::Operation *op) {
    failed |= !op;
    if (op)
      done.push_back(op->getResults().back());
  }

  NodeConversion &n;
  llvm::SmallVector<Variable> slots;
  llvm::SmallVector<Value> done;
  bool failed = false;
};
} // namespace

static LogicalResult convertGradientDescent(NodeConversion &n) {
  Update u(n);
  if (!u.take(1) || u.rest.size() != 2)
    return n.fail("it takes a variable, a rate and a gradient");
  u.subtract(0, u.mul(u.rest[1], u.rest[0]));
  return u.finish();
}

static LogicalResult convertMomentum(NodeConversion &n) {
  Update u(n);
  if (!u.take(2) || u.rest.size() != 3)
    return n.fail("it takes two variables, rate, gradient and momentum");
  Value rate = u.rest[0], gradient = u.rest[1], momentum = u.rest[2];
  Value sum = u.plus(u.mul(u.value(1), momentum), gradient);
  u.assign(1, sum);
  u.subtract(
      0, boolAttr(n.node, "use_nesterov").value_or(false)
             ? u.plus(u.mul(gradient, rate), u.mul(u.mul(sum, momentum), rate))
             : u.mul(sum, rate));
  return u.finish();
}

static LogicalResult convertKerasMomentum(NodeConversion &n) {
  Update u(n);
  if (!u.take(2) || u.rest.size() != 3)
    return n.fail("it takes two variables, rate, gradient and momentum");
  Value rate = u.rest[0], gradient = u.rest[1], momentum = u.rest[2];
  Value sum = u.minus(u.mul(u.value(1), momentum), u.mul(gradient, rate));
  u.assign(1, sum);
  u.add(0, boolAttr(n.node, "use_nesterov").value_or(false)
               ? u.minus(u.mul(sum, momentum), u.mul(gradient, rate))
               : sum);
  return u.finish();
}

static LogicalResult convertAdam(NodeConversion &n) {
  Update u(n);
  if (!u.take(3) || u.rest.size() != 7)
    return n.fail("it takes three variables and seven values");
  Value power1 = u.rest[0], power2 = u.rest[1], rate = u.rest[2];
  Value beta1 = u.rest[3], beta2 = u.rest[4], epsilon = u.rest[5];
  Value gradient = u.rest[6];
  Value step =
      u.div(u.mul(rate, u.sqrt(u.oneMinus(power2))), u.oneMinus(power1));
  Value m = u.value(1), v = u.value(2);
  m = u.plus(m, u.mul(u.minus(gradient, m), u.oneMinus(beta1)));
  v = u.plus(v, u.mul(u.minus(u.square(gradient), v), u.oneMinus(beta2)));
  u.assign(1, m);
  u.assign(2, v);
  Value direction =
      boolAttr(n.node, "use_nesterov").value_or(false)
          ? u.plus(u.mul(gradient, u.oneMinus(beta1)), u.mul(beta1, m))
          : m;
  u.subtract(0, u.div(u.mul(direction, step), u.plus(u.sqrt(v), epsilon)));
  return u.finish();
}

/// Adagrad; the second version has an epsilon.
template <bool hasEpsilon>
static LogicalResult convertAdagrad(NodeConversion &n) {
  Update u(n);
  if (!u.take(2) || u.rest.size() != (hasEpsilon ? 3 : 2))
    return n.fail("it takes two variables, a rate and a gradient");
  Value rate = u.rest.front(), gradient = u.rest.back();
  Value sum = u.value(1);
  if (boolAttr(n.node, "update_slots").value_or(true)) {
    sum = u.plus(sum, u.square(gradient));
    u.assign(1, sum);
  }
  Value root = u.sqrt(sum);
  if (hasEpsilon)
    root = u.plus(root, u.rest[1]);
  u.subtract(0, u.div(u.mul(gradient, rate), root));
  return u.finish();
}

//===----------------------------------------------------------------------===//
// Updates of rows. A row whose index comes twice is computed twice from what it
// was; gradients of TensorFlow's own have each index once.
//===----------------------------------------------------------------------===//

static LogicalResult convertSparseMomentum(NodeConversion &n) {
  Update u(n);
  if (!u.take(2) || u.rest.size() != 4)
    return n.fail("it takes two variables, rate, gradient, indices, momentum");
  Value rate = u.rest[0], gradient = u.rest[1], indices = u.rest[2];
  Value momentum = u.rest[3];
  Value sum = u.plus(u.mul(u.rows(1, indices), momentum), gradient);
  u.scatter(1, indices, sum, ScatterKind::assign);
  u.scatter(
      0, indices,
      boolAttr(n.node, "use_nesterov").value_or(false)
          ? u.plus(u.mul(gradient, rate), u.mul(u.mul(sum, momentum), rate))
          : u.mul(sum, rate),
      ScatterKind::sub);
  return u.finish();
}

template <bool hasEpsilon>
static LogicalResult convertSparseAdagrad(NodeConversion &n) {
  Update u(n);
  if (!u.take(2) || u.rest.size() != (hasEpsilon ? 4 : 3))
    return n.fail("it takes two variables, a rate, a gradient and indices");
  Value rate = u.rest.front(), indices = u.rest.back();
  Value gradient = u.rest[u.rest.size() - 2];
  Value sum = u.rows(1, indices);
  if (boolAttr(n.node, "update_slots").value_or(true)) {
    sum = u.plus(sum, u.square(gradient));
    u.scatter(1, indices, sum, ScatterKind::assign);
  }
  Value root = u.sqrt(sum);
  if (hasEpsilon)
    root = u.plus(root, u.rest[1]);
  u.scatter(0, indices, u.div(u.mul(gradient, rate), root), ScatterKind::sub);
  return u.finish();
}

static LogicalResult convertRmsProp(NodeConversion &n) {
  Update u(n);
  if (!u.take(3) || u.rest.size() != 5)
    return n.fail("it takes three variables and five values");
  Value rate = u.rest[0], rho = u.rest[1], momentum = u.rest[2];
  Value epsilon = u.rest[3], gradient = u.rest[4];
  Value mean = u.value(1);
  mean =
      u.plus(mean, u.mul(u.minus(u.square(gradient), mean), u.oneMinus(rho)));
  Value step =
      u.plus(u.mul(u.value(2), momentum),
             u.div(u.mul(gradient, rate), u.sqrt(u.plus(mean, epsilon))));
  u.assign(1, mean);
  u.assign(2, step);
  u.subtract(0, step);
  return u.finish();
}

static LogicalResult convertCenteredRmsProp(NodeConversion &n) {
  Update u(n);
  if (!u.take(4) || u.rest.size() != 5)
    return n.fail("it takes four variables and five values");
  Value rate = u.rest[0], rho = u.rest[1], momentum = u.rest[2];
  Value epsilon = u.rest[3], gradient = u.rest[4];
  auto decay = [&](unsigned slot, Value sample) {
    Value mean = u.value(slot);
    return u.plus(mean, u.mul(u.minus(sample, mean), u.oneMinus(rho)));
  };
  Value squares = decay(2, u.square(gradient)), mean = decay(1, gradient);
  Value variance = u.plus(u.minus(squares, u.square(mean)), epsilon);
  Value step = u.plus(u.mul(u.value(3), momentum),
                      u.div(u.mul(gradient, rate), u.sqrt(variance)));
  u.assign(1, mean);
  u.assign(2, squares);
  u.assign(3, step);
  u.subtract(0, step);
  return u.finish();
}

static LogicalResult convertAdadelta(NodeConversion &n) {
  Update u(n);
  if (!u.take(3) || u.rest.size() != 4)
    return n.fail("it takes three variables and four values");
  Value rate = u.rest[0], rho = u.rest[1], epsilon = u.rest[2];
  Value gradient = u.rest[3];
  auto decay = [&](Value mean, Value sample) {
    return u.plus(u.mul(mean, rho), u.mul(u.square(sample), u.oneMinus(rho)));
  };
  Value squares = decay(u.value(1), gradient), before = u.value(2);
  Value step = u.mul(u.mul(u.sqrt(u.plus(before, epsilon)),
                           n.make<RsqrtOp>(u.plus(squares, epsilon))),
                     gradient);
  u.assign(1, squares);
  u.assign(2, decay(before, step));
  u.subtract(0, u.mul(step, rate));
  return u.finish();
}

static LogicalResult convertProximal(NodeConversion &n) {
  Update u(n);
  if (!u.take(1) || u.rest.size() != 4)
    return n.fail("it takes a variable and four values");
  Value rate = u.rest[0], l1 = u.rest[1], l2 = u.rest[2];
  Value plain = u.minus(u.value(0), u.mul(u.rest[3], rate));
  Value shrunk = n.make<ReluOp>(u.minus(n.make<AbsOp>(plain), u.mul(rate, l1)));
  Value scale = u.plus(n.scalarLike(l2, 1), u.mul(rate, l2));
  u.assign(0, u.div(u.mul(n.make<SignOp>(plain), shrunk), scale));
  return u.finish();
}

static LogicalResult convertFtrl(NodeConversion &n) {
  Update u(n);
  if (!u.take(3) || u.rest.size() != 5)
    return n.fail("it takes three variables and five values");
  if (boolAttr(n.node, "multiply_linear_by_lr").value_or(false))
    return n.fail("attribute 'multiply_linear_by_lr' is not supported");
  Value gradient = u.rest[0], rate = u.rest[1], l1 = u.rest[2];
  Value l2 = u.rest[3], power = n.make<NegOp>(u.rest[4]);
  Value sum = u.value(1);
  Value newSum = u.plus(sum, u.square(gradient));
  Value newPower = n.make<PowOp>({newSum, power});
  Value slope = u.div(u.minus(newPower, n.make<PowOp>({sum, power})), rate);
  Value linear =
      u.plus(u.value(2), u.minus(gradient, u.mul(slope, u.value(0))));
  Value quadratic =
      u.plus(u.div(newPower, rate), u.mul(l2, n.scalarLike(l2, 2)));
  Value moved =
      u.div(u.minus(u.mul(n.make<SignOp>(linear), l1), linear), quadratic);
  Value isLarge = n.compare(n.make<AbsOp>(linear), l1, ComparePredicate::gt);
  u.assign(0, n.make<SelectOp>({isLarge, moved, n.scalarLike(moved, 0)}));
  u.assign(1, newSum);
  u.assign(2, linear);
  return u.finish();
}

void weir::graphdef::addOptimizerConverters(ConverterTable &table) {
  for (const char *prefix : {"", "Resource"}) {
    auto row = [&](const char *op, OpConverter converter) {
      table[rt::str(prefix, op)] = converter;
    };
    row("ApplyGradientDescent", convertGradientDescent);
    row("ApplyMomentum", convertMomentum);
    row("ApplyKerasMomentum", convertKerasMomentum);
    row("ApplyAdam", convertAdam);
    row("ApplyAdagrad", convertAdagrad<false>);
    row("ApplyAdagradV2", convertAdagrad<true>);
    row("SparseApplyMomentum", convertSparseMomentum);
    row("SparseApplyAdagrad", convertSparseAdagrad<false>);
    row("SparseApplyAdagradV2", convertSparseAdagrad<true>);
    row("ApplyRMSProp", convertRmsProp);
    row("ApplyCenteredRMSProp", convertCenteredRmsProp);
    row("ApplyAdadelta", convertAdadelta);
    row("ApplyProximalGradientDescent", convertProximal);
    row("ApplyFtrl", convertFtrl);
  }
}

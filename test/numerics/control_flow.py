# Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Conditionals, loops and their state against Python: as dataflow in the
interpreter, raised to structured code in the compiler."""

import sys

import numpy as np

import harness
from harness import tensor

I32, I1 = "tensor<i32>", "tensor<i1>"
CONTROL = "!weir.control"


class Text:
    """Nodes of a graph, each with a name of its own."""

    def __init__(self):
        self.lines = []
        self.count = 0

    def name(self):
        self.count += 1
        return f"%v{self.count}"

    def node(self, op, operands, types, results, attributes="", after=()):
        """One node; the names of its results, control edges included."""
        names = [self.name() for _ in results]
        waits = f" after({', '.join(after)})" if after else ""
        attributes = f" {{{attributes}}}" if attributes else ""
        given = results[0] if len(results) == 1 else f"({', '.join(results)})"
        self.lines.append(f"{', '.join(names)} = weir.{op} {', '.join(operands)}{waits}{attributes} : ({', '.join(types)}) -> {given}")
        return names if len(names) > 1 else names[0]

    def constant(self, value, type):
        name = self.name()
        self.lines.append(f"{name} = weir.constant dense<{value}> : {type}")
        return name

    def unary(self, op, x, type, after=()):
        return self.node(op, [x], [type], [type], after=after)

    def binary(self, op, x, y, type):
        return self.node(op, [x, y], [type, type], [type])

    def compare(self, x, y, how, type=I32):
        return self.node("compare", [x, y], [type, type], [I1], f"predicate = #weir.compare<{how}>")

    def switch(self, x, predicate, type):
        return self.node("switch", [x, predicate], [type, I1], [type, type, CONTROL])

    def merge(self, inputs, type):
        return self.node("merge", inputs, [type] * len(inputs), [type, I32, CONTROL])

    def completed(self, x, type):
        name = self.name()
        self.lines.append(f"{name} = weir.completed {x} : {type}")
        return name

    def read(self, variable, type, after=()):
        name, control = self.name(), self.name()
        waits = f" after({', '.join(after)})" if after else ""
        self.lines.append(f"{name}, {control} = weir.read @{variable}{waits} : {type}")
        return name, control

    def assign(self, op, variable, value, type, after=()):
        name = self.name()
        waits = f" after({', '.join(after)})" if after else ""
        self.lines.append(f"{name} = weir.{op} @{variable}, {value}{waits} : {type}")
        return name

    def loop(self, frame, inits, condition, body):
        """Exits of a loop over `inits`, pairs of a value and its type."""
        types = [type for _, type in inits]
        attribute = f'frame = "{frame}"'
        entered = [self.node("enter", [value], [type], [type, CONTROL], attribute)[0] for value, type in inits]
        nexts = [self.name() for _ in inits]
        merged = [self.merge([a, b], type) for a, b, type in zip(entered, nexts, types)]
        predicate = self.node("loop_cond", [condition([m[0] for m in merged])], [I1], [I1, CONTROL])[0]
        sides = [self.switch(m[0], predicate, type) for m, type in zip(merged, types)]
        for name, value, type in zip(nexts, body([s[1] for s in sides]), types):
            self.lines.append(f"{name}, {self.name()} = weir.next_iteration {value} : ({type}) -> ({type}, {CONTROL})")
        return [self.node("exit", [s[0]], [type], [type, CONTROL]) for s, type in zip(sides, types)]

    def invariant(self, frame, value, type):
        return self.node("enter", [value], [type], [type, CONTROL], f'frame = "{frame}", is_constant')[0]

    def body(self, *results):
        """The text of the body that gives `results`, pairs of value and type."""
        for i, (value, type) in enumerate(results):
            self.lines.append(f"%y{i} = weir.identity {value} : ({type}) -> {type}")
        return "\n    ".join(self.lines)


def f32(x):
    return np.asarray(x, np.float32)


def i32(x):
    return np.asarray(x, np.int32)


def conditionals(suite):
    x = f32([1, -2, 3])
    type = tensor(x)

    t = Text()
    f, s, _ = t.switch("%x1", "%x0", type)
    y, index, _ = t.merge([t.unary("neg", f, type), t.unary("square", s, type)], type)
    case = suite.graph("a branch and the index", t.body((y, type), (index, I32)), [np.True_, x], [x * x, i32(1)])
    suite.again(case, [np.False_, x], [-x, i32(0)])

    t = Text()
    *sides, _ = t.node("switch_n", ["%x1", "%x0"], [type, I32], [type] * 3 + [CONTROL])
    ops = [t.unary(op, side, type) for op, side in zip(["neg", "square", "relu"], sides)]
    y, index, _ = t.merge([ops[2], ops[0], ops[1]], type)
    case = suite.graph("n sides", t.body((y, type), (index, I32)), [i32(0), x], [-x, i32(1)])
    for number in (1, 2, 3, -1, 1000):
        expected = [x * x, i32(2)] if number == 1 else [np.maximum(x, 0), i32(0)]
        suite.again(case, [i32(number), x], expected)

    # The false side of the outer one, and both sides of an inner one on its true side, in one merge.
    t = Text()
    f, s, _ = t.switch("%x2", "%x0", type)
    _, inner, _ = t.switch("%x1", "%x0", I1)
    sf, st, _ = t.switch(s, inner, type)
    y, index, _ = t.merge([t.unary("neg", st, type), t.unary("square", f, type), sf], type)
    case = None
    for p in (False, True):
        for q in (False, True):
            expected = [(-x if q else x) if p else x * x, i32((0 if q else 2) if p else 1)]
            feeds = [np.bool_(p), np.bool_(q), x]
            case = suite.again(case, feeds, expected) if case else suite.graph(
                "a merge of three", t.body((y, type), (index, I32)), feeds, expected)

    # A value of one side that is used on that side again, behind something that hangs on nothing.
    t = Text()
    f, s, _ = t.switch("%x1", "%x0", type)
    e = t.unary("square", s, type)
    y, _, _ = t.merge([f, e], type)
    outside = t.unary("neg", y, type)
    of, os, _ = t.switch(outside, "%x0", type)
    z, _, _ = t.merge([of, t.binary("mul", e, os, type)], type)
    case = suite.graph("twice the same side", t.body((z, type)), [np.True_, x], [x * x * -(x * x)])
    suite.again(case, [np.False_, x], [-x])

    # The extents are known at run time only.
    t = Text()
    open = "tensor<?xf32>"
    f, s, _ = t.switch("%x1", "%x0", open)
    y, _, _ = t.merge([f, t.node("concat", [s, s], [open, open], [open], "axis = 0 : i64")], open)
    case = suite.graph("open extents", t.body((y, open)), [np.True_, x], [np.concatenate([x, x])], dynamic=[(), (0,)], results=[open])
    suite.again(case, [np.False_, x], [x])


def loops(suite):
    x = f32([1, -2, 3])
    type = tensor(x)

    def counted(t, frame, inits, count, body):
        """A loop that counts from 0 to `count`; exits of `inits`, and of the number."""
        zero, one = t.constant(0, I32), t.constant(1, I32)
        end = t.invariant(frame, count, I32)
        return t.loop(frame, [(zero, I32), *inits], lambda v: t.compare(v[0], end, "lt"),
                      lambda v: [t.binary("add", v[0], one, I32), *body(v[0], v[1:])])

    t = Text()
    factor = t.constant(0.5, "tensor<f32>")
    exits = counted(t, "f", [("%x1", "tensor<f32>"), ("%x2", type)], "%x0",
                    lambda i, v: [t.binary("mul", v[0], factor, "tensor<f32>"), t.binary("add", v[1], v[1], type)])
    names = [(exits[0][0], I32), (exits[1][0], "tensor<f32>"), (exits[2][0], type)]
    case = suite.graph("scalars and tensors", t.body(*names), [i32(3), f32(8), x], [i32(3), f32(1), x * 8])
    for n in (0, 1, 20, -5):
        times = max(n, 0)
        suite.again(case, [i32(n), f32(8), x], [i32(times), f32(8 * 0.5**times), x * f32(2.0**times)])

    t = Text()
    exits = counted(t, "f", [("%x1", type), ("%x2", type)], "%x0", lambda i, v: [v[1], v[0]])
    case = suite.graph("two that are exchanged", t.body((exits[1][0], type), (exits[2][0], type)), [i32(3), x, -2 * x], [-2 * x, x])
    suite.again(case, [i32(4), x, -2 * x], [x, -2 * x])

    # y becomes x + y and x becomes y: one reads what the other overwrites.
    t = Text()
    exits = counted(t, "f", [("%x1", type), ("%x2", type)], "%x0", lambda i, v: [v[1], t.binary("add", v[0], v[1], type)])
    suite.graph("fibonacci", t.body((exits[1][0], type), (exits[2][0], type)), [i32(5), x, x], [x * 8, x * 13])

    # A conditional in the body, of tensors and of scalars.
    t = Text()
    two = t.constant(2, I32)
    zero = t.constant(0, I32)

    def alternate(i, v):
        odd = t.compare(t.binary("sub", i, t.binary("mul", t.node("cast", [t.node("floor", [t.node("div", [t.node("cast", [i], [I32], ["tensor<f32>"], "to = f32"), t.constant(2.0, "tensor<f32>")], ["tensor<f32>"] * 2, ["tensor<f32>"])], ["tensor<f32>"], ["tensor<f32>"])], ["tensor<f32>"], [I32], "to = i32"), two, I32), I32), zero, "ne")
        f, s, _ = t.switch(v[0], odd, type)
        y, index, _ = t.merge([t.unary("neg", f, type), t.binary("add", s, s, type)], type)
        return [y, t.binary("add", v[1], index, I32)]

    exits = counted(t, "f", [("%x1", type), (zero, I32)], "%x0", alternate)
    case = suite.graph("a branch in a loop", t.body((exits[1][0], type), (exits[2][0], I32)), [i32(5), x], [-4 * x, i32(2)])
    suite.again(case, [i32(0), x], [x, i32(0)])
    suite.again(case, [i32(2), x], [-2 * x, i32(1)])

    # A loop in a loop: the sum of i * j for j < i < n.
    t = Text()
    zero = t.constant(0, I32)

    def outer(i, v):
        k = t.invariant("inner", i, I32)
        start = t.binary("sub", i, i, I32)
        one = t.constant(1, I32)
        inner = t.loop("inner", [(start, I32), (v[0], I32)], lambda w: t.compare(w[0], k, "lt"),
                       lambda w: [t.binary("add", w[0], one, I32), t.binary("add", w[1], t.binary("mul", w[0], k, I32), I32)])
        return [inner[1][0]]

    exits = counted(t, "outer", [(zero, I32)], "%x0", outer)
    case = suite.graph("a loop in a loop", t.body((exits[1][0], I32)), [i32(6)], [i32(sum(i * j for i in range(6) for j in range(i)))])
    suite.again(case, [i32(1)], [i32(0)])

    # What the condition computes is used in the body and behind the loop.
    t = Text()
    limit = t.constant(100.0, "tensor<f32>")
    squares = []

    def condition(v):
        squares.append(t.unary("square", v[0], "tensor<f32>"))
        return t.compare(squares[0], limit, "lt", "tensor<f32>")

    start = len(t.lines)
    exits = t.loop("f", [("%x0", "tensor<f32>")], condition, lambda v: [t.binary("add", v[0], v[0], "tensor<f32>")])
    predicate = next(line.split(",")[0].strip() for line in t.lines[start:] if "loop_cond" in line)
    ending, going, _ = t.switch(squares[0], predicate, "tensor<f32>")
    out, _ = t.node("exit", [t.unary("neg", ending, "tensor<f32>")], ["tensor<f32>"], ["tensor<f32>", CONTROL])
    case = suite.graph("a value of the condition", t.body((exits[0][0], "tensor<f32>"), (out, "tensor<f32>")), [f32(3)],
                       [f32(12), f32(-144)])
    suite.again(case, [f32(50)], [f32(50), f32(-2500)])

    # A loop on one side of a branch.
    t = Text()
    f, s, _ = t.switch("%x1", "%x0", I32)
    ten, one = t.constant(10, I32), t.constant(1, I32)
    exits = t.loop("f", [(s, I32)], lambda v: t.compare(v[0], ten, "lt"), lambda v: [t.binary("add", v[0], one, I32)])
    y, _, _ = t.merge([t.unary("neg", f, I32), exits[0][0]], I32)
    case = suite.graph("a loop in a branch", t.body((y, I32)), [np.True_, i32(3)], [i32(10)])
    suite.again(case, [np.False_, i32(3)], [i32(-3)])
    suite.again(case, [np.True_, i32(30)], [i32(30)])

    # An index that is wrong in a later iteration.
    t = Text()
    table = t.constant("[5, 6, 7]", "tensor<3xi32>")
    exits = counted(t, "f", [("%x1", I32)], "%x0",
                    lambda i, v: [t.binary("add", v[0], t.node("gather", [table, i], ["tensor<3xi32>", I32], [I32], "axis = 0 : i64"), I32)])
    case = suite.graph("a check in a loop", t.body((exits[1][0], I32)), [i32(3), i32(0)], [i32(18)])
    wrong = suite.again(case, [i32(4), i32(0)], [])
    wrong.error = "WEIR0330"
    suite.again(case, [i32(2), i32(1)], [i32(12)])


def state(suite):
    x = f32([1, -2, 3])
    type = tensor(x)
    suite.declarations += [f"  weir.variable @{name} : {type}\n" for name in ("a", "b", "c", "d")]
    suite.declarations += ["  weir.variable @n : tensor<i32>\n", "  weir.variable @m : tensor<i32>\n"]
    fetched = "%y0 = weir.identity {} after({}) : ({}) -> {}"

    def set_variable(name, value, kind):
        suite.graph(f"set {name}", f"%c = weir.assign @{name}, %x0 : {kind}\n    " + fetched.format("%x0", "%c", kind, kind), [value], [value])

    # On one side: assigned there, and what it was on the other. It may have no value before.
    t = Text()
    f, s, _ = t.switch("%x1", "%x0", type)
    assigned = t.assign("assign", "a", s, type)
    joined = t.node("control_trigger", [], [], [CONTROL], after=[assigned])
    has, control = t.name(), t.name()
    t.lines.append(f"{has}, {control} = weir.is_initialized @a after({joined}) : tensor<i1>")
    branch = suite.graph("assigned on one side", t.body((has, I1)), [np.False_, x], [np.False_])
    read = suite.graph("read a", f"%y0, %c = weir.read @a : {type}", [], "WEIR0306", results=[type])
    suite.again(branch, [np.True_, x], [np.True_])
    right = suite.again(read, [], [x])
    right.error = ""
    suite.again(branch, [np.False_, 2 * x], [np.True_])
    suite.again(right, [], [x])

    # Read on one side only; there it needs a value.
    t = Text()
    f, s, _ = t.switch("%x1", "%x0", type)
    b, _ = t.read("b", type, [t.completed(s, type)])
    y, _, _ = t.merge([f, b], type)
    lazy = suite.graph("read on one side", t.body((y, type)), [np.False_, x], [x])
    wrong = suite.again(lazy, [np.True_, x], [])
    wrong.error = "WEIR0306"
    set_variable("b", 5 * x, type)
    suite.again(lazy, [np.True_, x], [5 * x])

    # Two variables exchange their values on one side.
    set_variable("c", x, type)
    set_variable("d", 3 * x, type)
    t = Text()
    c, rc = t.read("c", type)
    d, rd = t.read("d", type)
    _, cs, _ = t.switch(c, "%x0", type)
    _, ds, _ = t.switch(d, "%x0", type)
    ac = t.assign("assign", "c", ds, type, [rc, rd])
    ad = t.assign("assign", "d", cs, type, [rc, rd])
    join = t.node("control_trigger", [], [], [CONTROL], after=[ac, ad])
    c1, _ = t.read("c", type, [join])
    d1, _ = t.read("d", type, [join])
    swap = suite.graph("exchanged on one side", t.body((c, type), (c1, type), (d1, type)), [np.True_], [x, 3 * x, x])
    suite.again(swap, [np.False_], [3 * x, 3 * x, x])
    suite.again(swap, [np.True_], [3 * x, x, 3 * x])

    # A loop that adds to a variable until it is large enough; its condition reads it.
    set_variable("n", i32(1), I32)
    t = Text()
    limit = t.constant(100, I32)

    def condition(v):
        n, read = t.read("n", I32, [t.completed(v[0], I32)])
        return t.compare(n, limit, "lt")

    def body(v):
        done = t.assign("assign_add", "n", v[0], I32)
        return [t.node("identity", [v[0]], [I32], [I32], after=[done])]

    exits = t.loop("f", [("%x0", I32)], condition, body)
    n, _ = t.read("n", I32, [exits[0][1]])
    case = suite.graph("a variable in a loop", t.body((n, I32)), [i32(7)], [i32(106)])
    suite.again(case, [i32(7)], [i32(106)])

    # A check in a loop that also assigns.
    set_variable("m", i32(0), I32)
    t = Text()
    table, zero, one = t.constant("[5, 6, 7]", "tensor<3xi32>"), t.constant(0, I32), t.constant(1, I32)
    end = t.invariant("f", "%x0", I32)

    def add(v):
        value = t.node("gather", [table, v[0]], ["tensor<3xi32>", I32], [I32], "axis = 0 : i64")
        done = t.assign("assign_add", "m", value, I32)
        return [t.node("add", [v[0], one], [I32, I32], [I32], after=[done])]

    exits = t.loop("f", [(zero, I32)], lambda v: t.compare(v[0], end, "lt"), add)
    m, _ = t.read("m", I32, [exits[0][1]])
    case = suite.graph("a check and a variable in a loop", t.body((m, I32)), [i32(2)], [i32(11)])
    wrong = suite.again(case, [i32(5)], [])
    wrong.error = "WEIR0330"

    # A scatter into a variable.
    suite.declarations.append("  weir.variable @table : tensor<4x2xf32>\n")
    table = np.zeros((4, 2), np.float32)
    set_variable("table", table.copy(), tensor(table))
    indices, updates = i32([3, 0, 3]), f32([[1, 2], [3, 4], [5, 6]])
    body = (f"%c = weir.assign_scatter @table, %x0, %x1 {{kind = #weir.scatter_kind<add>}} : tensor<?xi32>, {tensor(updates)}\n"
            f"    %y0, %r = weir.read @table after(%c) : {tensor(table)}")
    np.add.at(table, indices, updates)
    case = suite.graph("a scatter into a variable", body, [indices, updates], [table], dynamic=[(0,), ()])
    wrong = suite.again(case, [i32([0, 1, 4]), updates], [])
    wrong.error = "WEIR0330"
    again = table.copy()
    np.add.at(again, i32([1, 1, 1]), updates)
    suite.again(case, [i32([1, 1, 1]), updates], [again])


def suites():
    made = []
    for part in (conditionals, loops, state):
        suite = harness.Suite(part.__name__)
        part(suite)
        made.append(suite)
    return made


if __name__ == "__main__":
    sys.exit(harness.main(suites()))

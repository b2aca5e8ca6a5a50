# Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A program as a dataflow graph: conditionals as Switch and Merge, loops as
Enter, Merge, Switch, NextIteration and Exit, order as control edges.

The order of the accesses to a variable, queue or stack is a token: an i32 that
goes through Switch, Merge and frames as any value does, and the control result
of the last access. Accesses to different ones are not ordered among each other.
Styles: 0, a value is used in a branch as it is, and what leaves the branch waits
for it; 1, values are switched into branches; 2, both, at random.
"""

import re
import zlib

from randomgraph.program import BIAS, INPUT_ZERO, MULTIPLIER, OUTPUT_ZERO, SHIFT, WEIGHTS, literal, stores_of

CONTROL = "!weir.control"
SCALAR = "tensor<i32>"
HANDLE = "!weir.resource"
# Where nodes of a graph that is spread over devices may be, and which are.
DEVICES = ("/cpu:0", "/cpu:1", "/gpu:0")
PLACED = ("add", "sub", "mul", "maximum", "minimum", "neg", "abs", "select", "compare", "cast", "reduce_sum", "identity", "switch", "merge",
          "broadcast_to")


def tensor(kind):
    return HANDLE if kind == HANDLE else f"tensor<{kind}>"


class Context:
    """The root, a branch or a loop: names of the values made in it, those that
    came in from outside, tokens by store."""

    def __init__(self, parent=None, live=None):
        self.parent, self.live = parent, live
        self.values, self.crossed, self.tokens = {}, {}, {}
        self.predicate = None  # of a branch
        self.side = 0
        self.frame = None  # of a loop: its attributes


class Writer:
    def __init__(self, program, devices=None):
        self.program = program
        self.devices = devices
        self.lines = []
        self.names = 0
        self.constants = {}
        # Lines of loops, from and up to; loops inside of them are not there.
        self.loops, self.depth = [], 0

    def fresh(self):
        self.names += 1
        return f"%n{self.names}"

    def literal(self, kind, value):
        key = (kind, value)
        if key not in self.constants:
            self.constants[key] = self.fresh()
            text = f"{value}.0" if kind.endswith("f32") else str(value)
            self.lines.append(f"{self.constants[key]} = weir.constant dense<{text}> : {tensor(kind)}")
        return self.constants[key]

    def node(self, op, operands, types, results, after=(), attributes=""):
        """A node with a control result, which comes last."""
        names = [self.fresh() for _ in range(len(results) + 1)]
        waits = [name for name in after if name]
        text = f"{', '.join(names)} = weir.{op} {', '.join(operands)}"
        text += f" after({', '.join(waits)})" if waits else ""
        text += f" {{{attributes}}}" if attributes else ""
        outs = [*results, CONTROL]
        self.lines.append(f"{text} : ({', '.join(types)}) -> {outs[0] if len(outs) == 1 else '(' + ', '.join(outs) + ')'}")
        return names

    def pure(self, op, operands, types, result, after=(), attributes=""):
        name = self.fresh()
        waits = [wait for wait in after if wait]
        text = f"{name} = weir.{op} {', '.join(operands)}"
        text += f" after({', '.join(waits)})" if waits else ""
        text += f" {{{attributes}}}" if attributes else ""
        self.lines.append(f"{text} : ({', '.join(types)}) -> {result}")
        return name

    def completed(self, name, kind="i32"):
        control = self.fresh()
        self.lines.append(f"{control} = weir.completed {name} : {tensor(kind)}")
        return control

    # ---- Values where they are used.

    def find(self, context, key, kind):
        """The name of a value as seen in a context, or None where it is none."""
        if key in context.values:
            return context.values[key]
        if key in context.crossed:
            return context.crossed[key]
        if context.parent is None:
            return None
        outer = self.find(context.parent, key, kind)
        if outer is None:
            return None
        context.crossed[key] = name = self.cross(context, key, outer, kind)
        return name

    def cross(self, context, key, outer, kind):
        if context.frame:
            return self.node("enter", [outer], [tensor(kind)], [tensor(kind)], [context.parent.live], f"{context.frame}, is_constant")[0]
        style = self.program.style
        if style == 0 or (style == 2 and zlib.crc32(repr(key).encode()) & 1):
            return outer
        sides = self.node("switch", [outer, context.predicate], [tensor(kind), "tensor<i1>"], [tensor(kind)] * 2)
        return sides[context.side]

    def value(self, context, value):
        number, kind = value
        found = self.find(context, number, kind)
        return (self.literal(kind, literal(number)), True) if found is None else (found, False)

    def compute(self, context, op, values, result, attributes=""):
        """A pure node on values of the program."""
        found = [self.value(context, value) for value in values]
        lonely = all(constant for _, constant in found)
        return self.pure(op, [name for name, _ in found], [tensor(kind) for _, kind in values], result, [context.live] if lonely else [], attributes)

    def keep(self, name, kind):
        """f32 is held between the limits; see program.py."""
        if not kind.endswith("f32"):
            return name
        types = [tensor(kind), "tensor<f32>"]
        name = self.pure("maximum", [name, self.literal("f32", -1000)], types, tensor(kind))
        return self.pure("minimum", [name, self.literal("f32", 1000)], types, tensor(kind))

    def gated(self, context, value):
        """The value, dead where the context is."""
        name, _ = self.value(context, value)
        return self.pure("identity", [name], [tensor(value[1])], tensor(value[1]), [context.live])

    # ---- Tokens.

    def token(self, context, store):
        return context.tokens.setdefault(store, (None, context.live))

    def wait(self, context, store):
        return self.token(context, store)[1]

    def done(self, context, store, control):
        context.tokens[store] = (context.tokens.get(store, (None,))[0], control)

    def token_value(self, context, store):
        value, control = self.token(context, store)
        return self.pure("identity", [value or self.literal("i32", 1)], [SCALAR], SCALAR, [control])

    # ---- Statements.

    def block(self, context, block):
        for statement in block:
            getattr(self, "write_" + type(statement).__name__.lower())(context, statement)

    def write_constant(self, context, s):
        name = self.literal(s.out[1], s.value)
        context.values[s.out[0]] = self.pure("identity", [name], [tensor(s.out[1])], tensor(s.out[1]), [context.live])

    def write_op(self, context, s):
        kind = s.out[1]
        result = tensor(kind)
        if s.name == "select":
            test = self.compute(context, "compare", s.inputs[:2], f"tensor<{kind.replace('i32', 'i1').replace('f32', 'i1')}>", "predicate = #weir.compare<lt>")
            found = [self.value(context, value)[0] for value in s.inputs[2:]]
            kinds = [f"tensor<{kind.replace('i32', 'i1').replace('f32', 'i1')}>", result, result]
            name = self.pure("select", [test, *found], kinds, result)
        elif s.name == "cast":
            name = self.compute(context, "cast", s.inputs, result, f"to = {kind.split('x')[-1]}")
        elif s.name == "sum":
            name = self.compute(context, "reduce_sum", s.inputs, result, "axes = array<i64: 0>")
        elif s.name == "int8":
            name = self.int8_layer(context, s.inputs[0])
        elif s.name == "spread":
            name = self.compute(context, "add", [s.inputs[0], (-1, kind)], result)
        else:
            name = self.compute(context, s.name, s.inputs, result)
        context.values[s.out[0]] = name if s.name == "select" else self.keep(name, kind)

    def int8_layer(self, context, value):
        vector, row = "tensor<3xi32>", "tensor<1x4xi8>"
        name, lonely = self.value(context, value)
        name = self.pure("maximum", [name, self.literal("i32", -128)], [vector, SCALAR], vector, [context.live] if lonely else [])
        name = self.pure("minimum", [name, self.literal("i32", 127)], [vector, SCALAR], vector)
        name = self.pure("cast", [name], [vector], "tensor<3xi8>", (), "to = i8")
        name = self.pure("reshape", [name], ["tensor<3xi8>"], "tensor<1x3xi8>", (), "shape = array<i64: 1, 3>")
        weights, bias = self.fresh(), self.fresh()
        self.lines.append(f"{weights} = weir.constant dense<{WEIGHTS}> : tensor<3x4xi8>")
        self.lines.append(f"{bias} = weir.constant dense<{BIAS}> : tensor<4xi32>")
        attributes = f"input_zero = {INPUT_ZERO} : i32, multipliers = array<i32: {MULTIPLIER}>, shifts = array<i32: {SHIFT}>"
        attributes += f", output_zero = {OUTPUT_ZERO} : i32"
        name = self.pure("quantized_matmul", [name, weights, bias], ["tensor<1x3xi8>", "tensor<3x4xi8>", "tensor<4xi32>"], row, (), attributes)
        name = self.pure("cast", [name], [row], "tensor<1x4xi32>", (), "to = i32")
        return self.pure("reduce_sum", [name], ["tensor<1x4xi32>"], SCALAR, (), "axes = array<i64: 0, 1>")

    def write_read(self, context, s):
        name, control = self.fresh(), self.fresh()
        wait = self.wait(context, s.variable)
        kind = self.program.variables[s.variable][0]
        self.lines.append(f"{name}, {control} = weir.read @{s.variable}{f' after({wait})' if wait else ''} : {tensor(kind)}")
        context.values[s.out[0]] = name
        self.done(context, s.variable, control)

    def write_assign(self, context, s):
        control = self.fresh()
        wait = self.wait(context, s.variable)
        name, _ = self.value(context, s.value)
        kind = self.program.variables[s.variable][0]
        self.lines.append(f"{control} = weir.{s.how} @{s.variable}, {name}{f' after({wait})' if wait else ''} : {tensor(kind)}")
        self.done(context, s.variable, control)

    def write_size(self, context, s):
        names = self.node("queue_size", [f"%{s.queue}"], [HANDLE], [SCALAR], [self.wait(context, s.queue)])
        context.values[s.out[0]] = names[0]
        self.done(context, s.queue, names[1])

    def write_through(self, context, s):
        kind = s.value[1]
        is_stack = s.store in self.program.stacks
        handle = self.find(context, s.store, HANDLE) if is_stack else f"%{s.store}"
        name, _ = self.value(context, s.value)
        wait = [self.wait(context, s.store)]
        if is_stack:
            put = self.node("stack_push", [handle, name], [HANDLE, tensor(kind)], [tensor(kind)], wait)[1]
        elif s.many:
            batch = f"tensor<{s.many}x{kind}>"
            extents = f"{s.many}, 3" if "x" in kind else f"{s.many}"
            rows = self.pure("broadcast_to", [name], [tensor(kind)], batch, [context.live], f"shape = array<i64: {extents}>")
            put = self.node("enqueue_many", [handle, rows], [HANDLE, batch], [], wait)[0]
        else:
            put = self.node("enqueue", [handle, name], [HANDLE, tensor(kind)], [], wait)[0]
        self.done(context, s.store, put)
        self.block(context, s.block)
        wait = [self.wait(context, s.store)]
        if is_stack:
            taken, control = self.node("stack_pop", [handle], [HANDLE], [tensor(kind)], wait)
        elif s.many:
            batch = f"tensor<{s.many}x{kind}>"
            rows, control = self.node("dequeue_many", [handle, self.literal("i32", s.many)], [HANDLE, SCALAR], [batch], wait)
            taken = self.keep(self.pure("reduce_sum", [rows], [batch], tensor(kind), (), "axes = array<i64: 0>"), kind)
        else:
            taken, control = self.node("dequeue", [handle], [HANDLE], [tensor(kind)], wait)
        context.values[s.out[0]] = taken
        self.done(context, s.store, control)

    def write_if(self, context, s):
        name, a, b = s.test
        predicate = self.compute(context, "compare", [a, b], "tensor<i1>", f"predicate = #weir.compare<{name}>")
        pivot = self.pure("identity", [self.literal("i32", 1)], [SCALAR], SCALAR, [context.live])

        def switch(value):
            return self.node("switch", [value, predicate], [SCALAR, "tensor<i1>"], [SCALAR, SCALAR])

        sides = switch(pivot)
        stores = stores_of(s.then) + [store for store in stores_of(s.other) if store not in stores_of(s.then)]
        tokens = {store: switch(self.token_value(context, store)) for store in stores}
        branches = []
        for side, block in ((0, s.other), (1, s.then)):
            branch = Context(context, self.completed(sides[side]))
            branch.predicate, branch.side = predicate, side
            for store, values in tokens.items():
                branch.tokens[store] = (values[side], self.completed(values[side]))
            self.block(branch, block)
            branches.append(branch)
        for store in stores:
            ends = [self.token_value(branch, store) for branch in branches]
            merged = self.node("merge", ends, [SCALAR, SCALAR], [SCALAR, SCALAR])
            context.tokens[store] = (merged[0], merged[2])
        for out, then, other in s.outs:
            kind = tensor(out[1])
            ends = [self.gated(branches[0], other), self.gated(branches[1], then)]
            context.values[out[0]] = self.node("merge", ends, [kind, kind], [kind, SCALAR])[0]
        if s.index:
            merged = self.node("merge", sides[:2], [SCALAR, SCALAR], [SCALAR, SCALAR])
            context.values[s.index[0]] = merged[1]

    def write_loop(self, context, s):
        begin = len(self.lines)
        self.depth += 1
        self.write_loop_nodes(context, s)
        self.depth -= 1
        if self.depth == 0:
            self.loops.append((begin, len(self.lines)))

    def write_loop_nodes(self, context, s):
        kind = "i32"
        name, lonely = self.value(context, s.count)
        low = self.pure("maximum", [name, self.literal(kind, 0)], [SCALAR, SCALAR], SCALAR, [context.live] if lonely else [])
        count = self.pure("minimum", [low, self.literal(kind, 4)], [SCALAR, SCALAR], SCALAR)
        self.names += 1
        loop = Context(context)
        loop.frame = f'frame = "loop{self.names}", parallel_iterations = {s.parallel} : i64'
        limit = self.node("enter", [count], [SCALAR], [SCALAR], [context.live], f"{loop.frame}, is_constant")[0]
        stores = stores_of(s.body)
        starts = [(self.literal(kind, 0), kind)]
        starts += [(self.value(context, start)[0], start[1]) for _, _, start, _ in s.carried]
        starts += [(self.token_value(context, store), kind) for store in stores]
        if s.array:
            element = tensor(s.array[1][1])
            array = self.node("tensor_array", [self.literal(kind, 4)], [SCALAR], [HANDLE, "tensor<f32>"], [context.live], f"element = {element}")
            starts.append((array[1], "f32"))
        merged, following = [], [self.fresh() for _ in starts]
        for (start, of), back in zip(starts, following):
            entered = self.node("enter", [start], [tensor(of)], [tensor(of)], [context.live], loop.frame)[0]
            merged.append(self.node("merge", [entered, back], [tensor(of)] * 2, [tensor(of), SCALAR])[0])
        less = self.pure("compare", [merged[0], limit], [SCALAR, SCALAR], "tensor<i1>", (), "predicate = #weir.compare<lt>")
        goes_on = self.node("loop_cond", [less], ["tensor<i1>"], ["tensor<i1>"])[0]
        sides = [self.node("switch", [value, goes_on], [tensor(of), "tensor<i1>"], [tensor(of)] * 2) for value, (_, of) in zip(merged, starts)]
        loop.live = self.completed(sides[0][1])
        loop.values[s.counter[0]] = sides[0][1]
        for (_, inside, _, _), side in zip(s.carried, sides[1:]):
            loop.values[inside[0]] = side[1]
        first_token = 1 + len(s.carried)
        for store, side in zip(stores, sides[first_token:]):
            loop.tokens[store] = (side[1], self.completed(side[1]))
        self.block(loop, s.body)
        nexts = [self.pure("add", [sides[0][1], self.literal(kind, 1)], [SCALAR, SCALAR], SCALAR)]
        nexts += [self.gated(loop, back) for _, _, _, back in s.carried]
        nexts += [self.token_value(loop, store) for store in stores]
        if s.array:
            handle = self.node("enter", [array[0]], [HANDLE], [HANDLE], [context.live], f"{loop.frame}, is_constant")[0]
            item, _ = self.value(loop, s.array[1])
            types = [HANDLE, SCALAR, element, "tensor<f32>"]
            nexts.append(self.node("tensor_array_write", [handle, sides[0][1], item, sides[-1][1]], types, ["tensor<f32>"])[0])
        for name, back, (_, of) in zip(nexts, following, starts):
            control = self.fresh()
            self.lines.append(f"{back}, {control} = weir.next_iteration {name} : ({tensor(of)}) -> ({tensor(of)}, {CONTROL})")
        exits = [self.node("exit", [side[0]], [tensor(of)], [tensor(of)]) for side, (_, of) in zip(sides, starts)]
        for (out, _, _, _), names in zip(s.carried, exits[1:]):
            context.values[out[0]] = names[0]
        for store, names in zip(stores, exits[first_token:]):
            context.tokens[store] = (names[0], names[1])
        if s.array:
            of = s.array[0][1]
            places = self.fresh()
            self.lines.append(f"{places} = weir.constant dense<[0, 1, 2, 3]> : tensor<4xi32>")
            all_of = f"tensor<4x{of}>"
            items = self.node("tensor_array_gather", [array[0], places, exits[-1][0]], [HANDLE, "tensor<4xi32>", "tensor<f32>"], [all_of])[0]
            context.values[s.array[0][0]] = self.keep(self.pure("reduce_sum", [items], [all_of], tensor(of), (), "axes = array<i64: 0>"), of)

    # ---- The module.

    def module(self):
        program = self.program
        head = [f"weir.variable @{name} : {tensor(kind)}" for name, (kind, _) in program.variables.items()]
        head += [f"weir.queue @{name} capacity 1000 of {tensor(kind)}" for name, kind in program.queues.items()]
        self.lines += [f"%{name} = weir.handle @{name}" for name in program.queues]
        for name, (kind, value) in program.variables.items():
            start = self.literal(kind, value)
            self.lines.append(f'%init_{name} = weir.assign @{name}, {start} {{weir.name = "init_{name}"}} : {tensor(kind)}')
        root = Context()
        for place, (number, _) in enumerate(program.feeds):
            root.values[number] = f"%x{place}"
        for name, kind in program.stacks.items():
            made = self.node("stack", [self.literal("i32", -1)], [SCALAR], [HANDLE], (), f"element = {kind.split('x')[-1]}")
            root.values[name] = made[0]
            root.tokens[name] = (None, made[1])
        self.block(root, program.body)
        results = [(self.value(root, fetch)[0], fetch[1]) for fetch in program.fetches]
        # A fetch needs what gives it, and no more: the last accesses are fetched.
        results += [(self.token_value(root, store), "i32") for store in [*program.queues, *program.stacks]]
        waits = []
        for name, (kind, _) in program.variables.items():
            result, control = self.fresh(), self.fresh()
            wait = self.wait(root, name)
            self.lines.append(f"{result}, {control} = weir.read @{name}{f' after({wait})' if wait else ''} : {tensor(kind)}")
            results.append((result, kind))
            waits.append(control)
        feeds = ", ".join(f'%x{i}: {tensor(kind)} {{weir.name = "x{i}"}}' for i, (_, kind) in enumerate(program.feeds))
        outs = ", ".join(f'{tensor(kind)} {{weir.name = "r{i}"}}' for i, (_, kind) in enumerate(results))
        names = ", ".join(name for name, _ in results)
        after = f" after({', '.join(waits)})" if waits else ""
        types = ", ".join(tensor(kind) for _, kind in results)
        tail = [f"weir.fetch {names}{after} : {types}"]
        if self.devices:
            spread(self, self.devices)
        body = "\n".join("  " + line for line in self.lines + tail)
        return "\n".join(head) + f"\nweir.graph @main({feeds}) -> ({outs}) {{\n{body}\n}}\n"


def spread(writer, random):
    """Asks for a device for nodes, by chance. A loop is left open: it is on one
    device, with the variables that it uses."""
    stores = [*writer.program.variables]
    # Loops may hold queues, stacks and arrays, which are of CPUs.
    shared = random.choice(DEVICES[:2]) if writer.loops else None
    of_store = {name: shared or random.choice(DEVICES) for name in stores}
    inside = {i for begin, end in writer.loops for i in range(begin, end)}
    for i, line in enumerate(writer.lines):
        op = re.search(r" = weir\.(\w+)(?: @(\w+))?", line)
        if op.group(2) in of_store:
            device = of_store[op.group(2)]
        elif i in inside or HANDLE in line or random.random() < 0.4:
            continue
        elif op.group(1) == "quantized_matmul":
            device = "/device:MXU:0"
        elif op.group(1) not in PLACED:
            continue
        else:
            device = random.choice(DEVICES)
        writer.lines[i] = ask(line, device)


def ask(line, device):
    """The line of a node with a device."""
    head, _, types = line.rpartition(" : ")
    # The types of a function have a colon of their own in front of them only.
    if head.endswith("}"):
        return f'{head[:-1]}, weir.device = "{device}"}} : {types}'
    return f'{head} {{weir.device = "{device}"}} : {types}'


def write(program, devices=None):
    """The text of a module with the program as its entry point @main. With
    `devices`, a random.Random, its nodes ask for devices."""
    return Writer(program, devices).module()

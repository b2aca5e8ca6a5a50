# Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs at random, and smaller ones that still fail."""

import copy
import random

from randomgraph.program import TYPES, Assign, Constant, If, Loop, Op, Program, Read, Size, Through, element

COMPARISONS = ("lt", "le", "gt", "ge", "eq", "ne")


class Generator:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.numbers = 0
        self.budget = self.random.choice((6, 10, 16, 28))

    def new(self, kind):
        self.numbers += 1
        return (self.numbers, kind)

    def pick(self, scope, kind):
        """A value of the type, mostly one in scope."""
        found = [value for value in scope if value[1] == kind]
        if found and self.random.random() < 0.9:
            return self.random.choice(found[-6:])
        return (-self.random.randint(1, 9), kind)

    def program(self):
        rnd = self.random
        variables = {f"v{i}": (rnd.choice(TYPES), rnd.randint(-5, 5)) for i in range(rnd.randint(1, 3))}
        queues = {f"q{i}": rnd.choice(TYPES) for i in range(rnd.randint(0, 2))}
        stacks = {f"s{i}": rnd.choice(TYPES) for i in range(rnd.randint(0, 2))}
        self.state = variables, queues, stacks
        feeds = [self.new(kind) for kind in ("i32", "f32", "3xi32")]
        scope = list(feeds)
        body = self.block(scope, 0, rnd.randint(4, 8))
        fetches = [rnd.choice(scope) for _ in range(3)]
        return Program(variables, queues, stacks, feeds, body, fetches, rnd.randint(0, 2))

    def block(self, scope, depth, length):
        """Statements; `scope` gets their values."""
        block = []
        for _ in range(length):
            if self.budget <= 0 and block:
                break
            self.budget -= 1
            block.append(self.statement(scope, depth))
        return block

    def statement(self, scope, depth):
        variables, queues, stacks = self.state
        ways = ["op"] * 5 + ["constant"] + ["read", "assign"] * 2
        ways += ["through"] * (2 if queues or stacks else 0) + ["size"] * (1 if queues else 0)
        if depth < 3:
            ways += ["if"] * 4 + ["loop"] * 3
        return getattr(self, "make_" + self.random.choice(ways))(scope, depth)

    def make_constant(self, scope, depth):
        out = self.new(self.random.choice(TYPES))
        scope.append(out)
        return Constant(out, self.random.randint(-9, 9))

    def make_op(self, scope, depth):
        rnd = self.random
        kind = rnd.choice(TYPES)
        name = rnd.choice(("add", "sub", "mul", "maximum", "minimum", "add", "neg", "select", "cast", "sum" if "x" not in kind else "spread"))
        if kind == "i32" and rnd.random() < 0.3:
            name = "int8"
        if name == "int8":
            inputs = [self.pick(scope, "3xi32")]
        elif name == "neg":
            inputs = [self.pick(scope, kind)]
        elif name == "cast":
            other = {"i32": "f32", "f32": "i32", "3xi32": "3xf32", "3xf32": "3xi32"}[kind]
            inputs = [self.pick(scope, other)]
        elif name == "sum":
            inputs = [self.pick(scope, "3x" + kind)]
        elif name == "spread":
            inputs = [self.pick(scope, element(kind))]
        else:
            inputs = [self.pick(scope, kind) for _ in range(4 if name == "select" else 2)]
        out = self.new(kind)
        scope.append(out)
        return Op(out, name, inputs)

    def make_read(self, scope, depth):
        name = self.random.choice(list(self.state[0]))
        out = self.new(self.state[0][name][0])
        scope.append(out)
        # What is read may be large; f32 is kept small by the ops that use it.
        return Read(out, name)

    def make_assign(self, scope, depth):
        name = self.random.choice(list(self.state[0]))
        kind = self.state[0][name][0]
        how = "assign" if element(kind) == "f32" else self.random.choice(("assign", "assign_add", "assign_sub"))
        return Assign(name, how, self.pick(scope, kind))

    def make_through(self, scope, depth):
        _, queues, stacks = self.state
        store = self.random.choice([*queues, *stacks])
        kind = queues.get(store) or stacks[store]
        value = self.pick(scope, kind)
        inner = list(scope)
        block = self.block(inner, depth + 1, self.random.randint(0, 2))
        out = self.new(kind)
        many = self.random.choice((0, 0, 2)) if store in queues else 0
        scope += [v for v in inner if v not in scope] + [out]
        return Through(out, store, value, block, many)

    def make_size(self, scope, depth):
        out = self.new("i32")
        scope.append(out)
        return Size(out, self.random.choice(list(self.state[1])))

    def make_if(self, scope, depth):
        rnd = self.random
        kind = rnd.choice(("i32", "i32", "f32"))
        # Some are known to the compiler.
        known = [] if rnd.random() < 0.15 else scope
        test = (rnd.choice(COMPARISONS), self.pick(known, kind), self.pick(known, kind))
        then_scope, other_scope = list(scope), list(scope)
        then = self.block(then_scope, depth + 1, rnd.randint(0, 3))
        other = self.block(other_scope, depth + 1, rnd.randint(0, 3))
        outs = []
        for _ in range(rnd.randint(0, 3)):
            kind = rnd.choice(TYPES)
            outs.append((self.new(kind), self.pick(then_scope, kind), self.pick(other_scope, kind)))
        index = self.new("i32") if rnd.random() < 0.3 else None
        scope += [out for out, _, _ in outs] + ([index] if index else [])
        return If(test, then, other, outs, index)

    def make_loop(self, scope, depth):
        rnd = self.random
        count = self.pick(scope, "i32") if rnd.random() < 0.5 else (-rnd.randint(1, 9), "i32")
        counter = self.new("i32")
        carried = []
        for _ in range(rnd.randint(0, 3)):
            kind = rnd.choice(TYPES)
            carried.append([self.new(kind), self.new(kind), self.pick(scope, kind)])
        inner = list(scope) + [counter] + [inside for _, inside, _ in carried]
        body = self.block(inner, depth + 1, rnd.randint(1, 3))
        carried = [(out, inside, start, self.pick(inner, out[1])) for out, inside, start in carried]
        array = None
        if rnd.random() < 0.3:
            kind = rnd.choice(("i32", "f32"))
            array = (self.new(kind), self.pick(inner, kind))
        scope += [out for out, _, _, _ in carried] + ([array[0]] if array else [])
        return Loop(count, counter, body, carried, rnd.choice((1, 2, 10)), array)


def blocks(block):
    """All blocks inside, itself first."""
    yield block
    for s in block:
        for inner in (getattr(s, name, None) for name in ("block", "then", "other", "body")):
            if inner is not None:
                yield from blocks(inner)


def smaller(program):
    """Programs with a little less each."""
    for number, block in enumerate(blocks(program.body)):
        for place in range(len(block)):
            less = copy.deepcopy(program)
            target = list(blocks(less.body))[number]
            gone = target.pop(place)
            yield less
            for inner in (getattr(gone, name, None) for name in ("block", "then", "other", "body")):
                if inner:
                    # The inside in its place.
                    flat = copy.deepcopy(less)
                    list(blocks(flat.body))[number][place:place] = copy.deepcopy(inner)
                    yield flat
            for name in ("outs", "carried"):
                for which in range(len(getattr(gone, name, ()))):
                    again = copy.deepcopy(program)
                    getattr(list(blocks(again.body))[number][place], name).pop(which)
                    yield again
            for name in ("index", "array"):
                if getattr(gone, name, None):
                    again = copy.deepcopy(program)
                    setattr(list(blocks(again.body))[number][place], name, None)
                    yield again
    for place in range(len(program.fetches)):
        less = copy.deepcopy(program)
        less.fetches.pop(place)
        yield less
    for which in ("variables", "queues", "stacks"):
        for name in list(getattr(program, which)):
            if f"'{name}'" not in repr(program.body):
                less = copy.deepcopy(program)
                del getattr(less, which)[name]
                yield less


def reduce(program, fails, tries=400):
    """The smallest program found for which `fails` is true."""
    progress = True
    while progress and tries > 0:
        progress = False
        for less in smaller(program):
            tries -= 1
            if fails(less):
                program, progress = less, True
                break
            if tries <= 0:
                break
    return program

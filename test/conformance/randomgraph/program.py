# Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A program: blocks of statements over values, variables, queues and stacks,
and what it computes. text.py makes a dataflow graph of it, whose order comes
from edges alone; here the statements run one after another.

A value is a pair (number, type); the number -n is the constant n. A statement
may name values whose statement is gone (when a failing program is reduced):
they are the constant DEFAULT.

Numbers are exact: i32 wraps, f32 holds integers that are kept below LIMIT.
"""

import dataclasses

import numpy as np

TYPES = ("i32", "f32", "3xi32", "3xf32")
DEFAULT = 3
LIMIT = 1000
ELEMENT = {"i32": np.int32, "f32": np.float32}


def element(kind):
    return kind.split("x")[-1]


def constant(kind, value):
    return np.full((3,) if "x" in kind else (), value, ELEMENT[element(kind)])


def literal(number):
    """The constant that a value without a statement is."""
    return -number if number < 0 else DEFAULT


@dataclasses.dataclass
class Constant:
    out: tuple
    value: int


@dataclasses.dataclass
class Op:
    """`name`: add, sub, mul, maximum, minimum, neg, select; cast to the type of
    `out`; sum of a vector; spread of a scalar over a vector; int8, a layer of
    int8 on a vector (int8_layer)."""

    out: tuple
    name: str
    inputs: list


@dataclasses.dataclass
class Read:
    out: tuple
    variable: str


@dataclasses.dataclass
class Assign:
    """`how`: assign, assign_add, assign_sub."""

    variable: str
    how: str
    value: tuple


@dataclasses.dataclass
class Through:
    """Puts a value into a queue or a stack, runs `block`, takes one out. `many`:
    as a batch of so many, or 0."""

    out: tuple
    store: str
    value: tuple
    block: list
    many: int = 0


@dataclasses.dataclass
class Size:
    out: tuple
    queue: str


@dataclasses.dataclass
class If:
    """`test`: (comparison, value, value). `outs`: [(out, of then, of other)].
    `index`: gets 1 where the first branch was taken, else 0; or None."""

    test: tuple
    then: list
    other: list
    outs: list
    index: tuple


@dataclasses.dataclass
class Loop:
    """Runs `body` for counter = 0, 1, ... below the value `count`, held to
    0..4. `carried`: [(out, inside, start, next)]. `parallel`: iterations in
    flight. `array`: (out, value) collects a scalar of each iteration, out is
    their sum; or None."""

    count: tuple
    counter: tuple
    body: list
    carried: list
    parallel: int
    array: tuple


@dataclasses.dataclass
class Program:
    variables: dict  # name: (type, first value)
    queues: dict  # name: type
    stacks: dict
    feeds: list
    body: list
    fetches: list
    style: int  # text.py: how values get into branches


def compare(name, a, b):
    return {"lt": a < b, "le": a <= b, "gt": a > b, "ge": a >= b, "eq": a == b, "ne": a != b}[name]


class Machine:
    """Runs a program step by step; keeps its variables."""

    def __init__(self, program):
        self.program = program
        self.variables = {name: constant(kind, value) for name, (kind, value) in program.variables.items()}
        self.stores = {name: [] for name in [*program.queues, *program.stacks]}

    def step(self, feeds):
        """The fetches, a 1 for each queue and stack, the variables."""
        self.values = {number: value for (number, _), value in zip(self.program.feeds, feeds)}
        with np.errstate(over="ignore"):
            self.run(self.program.body)
        last = [np.int32(1) for _ in self.stores]
        return [self.get(fetch) for fetch in self.program.fetches] + last + [value.copy() for value in self.variables.values()]

    def get(self, value):
        number, kind = value
        found = self.values.get(number)
        return constant(kind, literal(number)) if found is None else found

    def run(self, block):
        for statement in block:
            getattr(self, "run_" + type(statement).__name__.lower())(statement)

    def run_constant(self, s):
        self.values[s.out[0]] = constant(s.out[1], s.value)

    def run_op(self, s):
        self.values[s.out[0]] = self.compute(s.name, s.out[1], [self.get(v) for v in s.inputs])

    def compute(self, name, kind, inputs):
        a, b = inputs[0], inputs[-1]
        if name == "sum":
            return kept(ELEMENT[kind](np.sum(a, dtype=a.dtype)), kind)
        if name == "int8":
            return int8_layer(a)
        if name == "spread":
            return kept(np.broadcast_to(a, (3,)) + constant(kind, 1), kind)
        if name == "cast":
            return kept(a.astype(ELEMENT[element(kind)]), kind)
        if name == "select":
            return np.where(inputs[0] < inputs[1], inputs[2], inputs[3])
        if name == "neg":
            return kept(-a, kind)
        return kept({"add": np.add, "sub": np.subtract, "mul": np.multiply, "maximum": np.maximum, "minimum": np.minimum}[name](a, b), kind)

    def run_read(self, s):
        self.values[s.out[0]] = self.variables[s.variable].copy()

    def run_assign(self, s):
        old, value = self.variables[s.variable], self.get(s.value)
        new = {"assign": value, "assign_add": old + value, "assign_sub": old - value}[s.how]
        self.variables[s.variable] = np.asarray(new, old.dtype).reshape(old.shape)

    def run_through(self, s):
        store = self.stores[s.store]
        value = self.get(s.value)
        store.extend([value] * max(1, s.many))
        self.run(s.block)
        take = store.pop if s.store in self.program.stacks else lambda: store.pop(0)
        taken = [take() for _ in range(max(1, s.many))]
        if s.many:
            total = np.sum(np.stack(taken), axis=0, dtype=value.dtype)
            self.values[s.out[0]] = kept(np.asarray(total), s.out[1])
        else:
            self.values[s.out[0]] = taken[0]

    def run_size(self, s):
        self.values[s.out[0]] = np.int32(len(self.stores[s.queue]))

    def run_if(self, s):
        name, a, b = s.test
        taken = bool(compare(name, self.get(a), self.get(b)))
        self.run(s.then if taken else s.other)
        for out, then, other in s.outs:
            self.values[out[0]] = self.get(then if taken else other)
        if s.index:
            self.values[s.index[0]] = np.int32(taken)

    def run_loop(self, s):
        count = min(max(int(self.get(s.count)), 0), 4)
        state = [self.get(start) for _, _, start, _ in s.carried]
        collected = []
        for i in range(count):
            self.values[s.counter[0]] = np.int32(i)
            for (_, inside, _, _), value in zip(s.carried, state):
                self.values[inside[0]] = value
            self.run(s.body)
            state = [self.get(following) for _, _, _, following in s.carried]
            if s.array:
                collected.append(self.get(s.array[1]))
        for (out, _, _, _), value in zip(s.carried, state):
            self.values[out[0]] = value
        if s.array:
            kind = s.array[0][1]
            self.values[s.array[0][0]] = kept(np.sum(collected, dtype=ELEMENT[kind]) if collected else constant(kind, 0), kind)


# The layer of int8: weights and bias, and how its sums become int8 again.
WEIGHTS = [[5, -3, 2, 7], [-4, 1, -6, 3], [2, 8, -1, -5]]
BIAS = [3, -1, 0, 2]
INPUT_ZERO, OUTPUT_ZERO, MULTIPLIER, SHIFT = 1, -2, 1 << 30, 33


def int8_layer(vector):
    """The sum of what the layer makes of a vector, whose elements are kept in
    int8 before."""
    stored = np.clip(vector, -128, 127).astype(np.int64)
    sums = (stored - INPUT_ZERO) @ np.array(WEIGHTS) + np.array(BIAS)
    rounded = (sums * MULTIPLIER + (1 << (SHIFT - 1))) >> SHIFT
    return np.int32(np.clip(rounded + OUTPUT_ZERO, -128, 127).sum())


def kept(value, kind):
    """f32 values stay below LIMIT, so that they are exact."""
    value = np.asarray(value, ELEMENT[element(kind)])
    return np.clip(value, np.float32(-LIMIT), np.float32(LIMIT)) if element(kind) == "f32" else value


def stores_of(block):
    """The variables, queues and stacks that a block uses, in order."""
    found = {}
    for s in block:
        if isinstance(s, (Read, Assign)):
            found[s.variable] = None
        elif isinstance(s, Size):
            found[s.queue] = None
        elif isinstance(s, Through):
            found[s.store] = None
            found.update(dict.fromkeys(stores_of(s.block)))
        elif isinstance(s, If):
            found.update(dict.fromkeys(stores_of(s.then) + stores_of(s.other)))
        elif isinstance(s, Loop):
            found.update(dict.fromkeys(stores_of(s.body)))
    return list(found)

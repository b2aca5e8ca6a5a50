//===- ControlFlowOps.td - Conditionals and loops as dataflow -*- tablegen -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_CONTROL_FLOW_OPS_TD
#define WEIR_CONTROL_FLOW_OPS_TD

include "dialects/Weir/WeirBase.td"

// A node that may run although not all its operands are there, or that gives
// some of its results only. docs/spec/dataflow.md has the rules. Source: OSDI
// 2016 section 3.4.
class Weir_NonStrictNode<string mnemonic, dag inputs, list<Trait> traits = []>
    : Weir_StatefulNode<mnemonic, inputs, traits> {
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let deviceTypes = ["CPU", "GPU", "MXU"];
  let extraClassDefinition = nodeDefinition # formatDefinition;
}

def Weir_SwitchOp : Weir_NonStrictNode<"switch", (ins Weir_Value:$data, Weir_AnyTensorOf<[I1]>:$predicate)> {
  let summary = "its operand, on one of two sides";
  let description = [{
    The first result is live where the predicate is false, the second where it
    is true; the other is dead.

    - (C1) `predicate` is a scalar, or of unknown rank and a scalar at run time.
    - (C2) both results have the type of `data`.

    Example:
    ```mlir
    %f, %t, %c = weir.switch %x, %p : (tensor<f32>, tensor<i1>) -> (tensor<f32>, tensor<f32>, !weir.control)
    ```
  }];
  let results = (outs Weir_Value:$false_side, Weir_Value:$true_side, Weir_Control:$control);
}

def Weir_SwitchNOp : Weir_NonStrictNode<"switch_n", (ins Weir_Value:$data, Weir_AnyTensorOf<[I32]>:$index)> {
  let summary = "its operand, on one of n sides";
  let description = [{
    The result with the number `index` is live, the last where it is outside of
    0 <= index < n; all others are dead.

    - (C1) `index` is a scalar, or of unknown rank and a scalar at run time.
    - (C2) there is at least one side, and all have the type of `data`.

    Example:
    ```mlir
    %a, %b, %d, %c = weir.switch_n %x, %i : (tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<f32>, tensor<f32>, !weir.control)
    ```
  }];
  let results = (outs Variadic<Weir_Value>:$sides, Weir_Control:$control);
}

def Weir_MergeOp : Weir_NonStrictNode<"merge", (ins Variadic<Weir_Value>:$inputs), [AttrSizedOperandSegments]> {
  let summary = "the first live one of its operands";
  let description = [{
    Runs when all its control operands have run and one data operand is live;
    later ones are ignored. Dead when all data operands are. `index` is the
    number of the operand that it took.

    - (C1) there is at least one data operand.
    - (C2) the types of the operands are compatible with that of `value`.
    - (C3) `index` is a scalar.

    Example:
    ```mlir
    %y, %i, %c = weir.merge %f, %t : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<i32>, !weir.control)
    ```
  }];
  let results = (outs Weir_Value:$value, Weir_AnyTensorOf<[I32]>:$index, Weir_Control:$control);
}

def Weir_EnterOp : Weir_NonStrictNode<"enter",
    (ins Weir_Value:$input, StrAttr:$frame, UnitAttr:$is_constant, DefaultValuedAttr<I64Attr, "10">:$parallel_iterations)> {
  let summary = "its operand, inside a frame";
  let description = [{
    Makes the frame `frame` for the iteration that it runs in, or finds it, and
    gives its operand to iteration 0; with `is_constant`, to every iteration.
    At most `parallel_iterations` iterations are in flight.

    - (C1) `frame` is not empty.
    - (C2) `parallel_iterations` is in 1 <= n < 2^31.
    - (C3) the result has the type of the operand.

    Example:
    ```mlir
    %i, %c = weir.enter %zero {frame = "loop"} : (tensor<i32>) -> (tensor<i32>, !weir.control)
    ```
  }];
  let results = (outs Weir_Value:$result, Weir_Control:$control);
}

class Weir_FrameNode<string mnemonic, string what, string how> : Weir_NonStrictNode<mnemonic, (ins Weir_Value:$input)> {
  let summary = what;
  let description = how # [{

    - (C1) the result has the type of the operand.

    Example:
    ```mlir
    %y, %c = weir.}] # mnemonic # [{ %x : (tensor<f32>) -> (tensor<f32>, !weir.control)
    ```
  }];
  let results = (outs Weir_Value:$result, Weir_Control:$control);
}
def Weir_ExitOp : Weir_FrameNode<"exit", "its operand, outside of the frame", [{
    A live value goes to the parent frame. A dead one goes there, once, when the
    frame ends and no live one has.}]>;
def Weir_NextIterationOp : Weir_FrameNode<"next_iteration", "its operand, in the next iteration", [{
    A live value starts the next iteration; a dead one ends here. It is the
    one node through which edges may form a cycle.}]>;

def Weir_LoopCondOp : Weir_NonStrictNode<"loop_cond", (ins Weir_AnyTensorOf<[I1]>:$input)> {
  let summary = "its operand, as the condition of a loop";
  let description = [{
    The loop goes on while the operand is true. A frame has one such node at
    most; raising a loop and cutting it over devices start from it.

    - (C1) the operand is a scalar, or of unknown rank; the result has its type.

    Example:
    ```mlir
    %p, %c = weir.loop_cond %less : (tensor<i1>) -> (tensor<i1>, !weir.control)
    ```
  }];
  let results = (outs Weir_AnyTensorOf<[I1]>:$result, Weir_Control:$control);
}

def Weir_ControlTriggerOp : Weir_NonStrictNode<"control_trigger", (ins)> {
  let summary = "joins control edges, dead ones too";
  let description = [{
    As `weir.no_op`; but it runs, and is live, when what it waits for is dead.

    Example:
    ```mlir
    %c = weir.control_trigger after(%a, %b) : () -> !weir.control
    ```
  }];
  let results = (outs Weir_Control:$control);
  let hasVerifier = 0;
}

#endif // WEIR_CONTROL_FLOW_OPS_TD

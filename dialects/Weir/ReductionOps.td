//===- ReductionOps.td - Reductions -*- tablegen -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_REDUCTION_OPS_TD
#define WEIR_REDUCTION_OPS_TD

include "dialects/Weir/WeirBase.td"

class Weir_ReduceNode<string mnemonic, Type type, string what, Weir_Gradient gradient, list<Trait> traits = []>
    : Weir_PureNode<mnemonic, (ins type:$input, DenseI64ArrayAttr:$axes, UnitAttr:$keep_dims), gradient, traits> {
  let summary = what;
  let description = [{
    Over the dimensions `axes`, which stay as extents of 1 with `keep_dims`.

    - (C1) `axes` are dimensions, ascending and unique.

    Example:
    ```mlir
    %y = weir.}] # mnemonic # [{ %x {axes = array<i64: 0>} : (tensor<?x8x}] # !if(!eq(what, "any"), "i1", !if(!eq(what, "all"), "i1", "f32")) # [{>) -> tensor<8x}] # !if(!eq(what, "any"), "i1", !if(!eq(what, "all"), "i1", "f32")) # [{>
    ```
  }];
  let results = (outs type:$result);
}
def Weir_ReduceSumOp : Weir_ReduceNode<"reduce_sum", Weir_NumberTensor, "the sum; 0 of nothing",
  Weir_Gradient<[{b.expandReduced(dy, getInput(), getAxes(), getKeepDims())}]>>;
def Weir_ReduceMeanOp : Weir_ReduceNode<"reduce_mean", Weir_FloatTensor, "the mean; NaN of nothing",
  Weir_Gradient<[{b.reduceMeanGradient(*this, dy)}]>, [DeclareOpInterfaceMethods<Weir_DecomposeInterface>]>;
def Weir_ReduceProdOp : Weir_ReduceNode<"reduce_prod", Weir_NumberTensor, "the product; 1 of nothing", Weir_NoGradient>;
def Weir_ReduceMaxOp : Weir_ReduceNode<"reduce_max", Weir_NumberTensor, "the largest; NaN wins; ties share the gradient evenly",
  Weir_Gradient<[{b.reduceExtremeGradient(*this, getInput(), getResult(), getAxes(), getKeepDims(), dy)}]>>;
def Weir_ReduceMinOp : Weir_ReduceNode<"reduce_min", Weir_NumberTensor, "the smallest; NaN wins; ties share the gradient evenly",
  Weir_Gradient<[{b.reduceExtremeGradient(*this, getInput(), getResult(), getAxes(), getKeepDims(), dy)}]>>;
def Weir_ReduceAnyOp : Weir_ReduceNode<"reduce_any", Weir_BoolTensor, "any", Weir_NoGradient>;
def Weir_ReduceAllOp : Weir_ReduceNode<"reduce_all", Weir_BoolTensor, "all", Weir_NoGradient>;

def Weir_NanRuleEnum : Weir_Enum<"NanRule", "what a NaN is in an argmax", [
    I32EnumAttrCase<"first", 0>, I32EnumAttrCase<"skip", 1>]>;
def Weir_NanRule : Weir_EnumAttr<Weir_NanRuleEnum, "nan_rule">;

class Weir_ArgNode<string mnemonic, string what> : Weir_PureNode<mnemonic,
    (ins Weir_NumberTensor:$input, I64Attr:$axis, TypeAttr:$to, DefaultValuedAttr<Weir_NanRule, "::weir::NanRule::first">:$nan)> {
  let summary = what;
  let description = [{
    The first of equals. A NaN is taken as the extreme (NumPy, XLA: `first`) or
    passed over (TensorFlow: `skip`; a row of NaN alone gives 0).

    - (C1) `axis` is a dimension.
    - (C2) `to` is i32 or i64.
    - (C3) the extent along `axis` is not 0; at run time that is an error.

    Example:
    ```mlir
    %y = weir.}] # mnemonic # [{ %x {axis = 1 : i64, to = i64} : (tensor<?x10xf32>) -> tensor<?xi64>
    ```
  }];
  let results = (outs Weir_IndexTensor:$result);
}
def Weir_ArgmaxOp : Weir_ArgNode<"argmax", "where the largest element is">;
def Weir_ArgminOp : Weir_ArgNode<"argmin", "where the smallest element is">;

#endif // WEIR_REDUCTION_OPS_TD

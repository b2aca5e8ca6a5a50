//===- StateOps.td - Variables, checkpoints, run-time checks -*- tablegen -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_STATE_OPS_TD
#define WEIR_STATE_OPS_TD

include "dialects/Weir/GatherOps.td"

def Weir_ReadOp : Weir_StatefulNode<"read", (ins FlatSymbolRefAttr:$variable), [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let deviceTypes = ["CPU", "GPU"];
  let summary = "the value of a variable";
  let description = [{
    The value is the one at the time the node runs. A variable that was never
    assigned is an error at run time.

    - (C1) `variable` names a `weir.variable`.
    - (C2) the result has the type of the variable.

    Example:
    ```mlir
    %w, %c = weir.read @w : tensor<2x2xf32>
    ```
  }];
  let results = (outs Weir_PodTensor:$value, Weir_Control:$control);
  let assemblyFormat = "$variable (`after` `(` $controls^ `)`)? attr-dict `:` type($value)";
}

class Weir_AssignNode<string mnemonic, Type type, string effect> : Weir_StatefulNode<mnemonic,
    (ins FlatSymbolRefAttr:$variable, type:$value), [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let deviceTypes = ["CPU", "GPU"];
  let summary = effect;
  let description = [{
    - (C1) `variable` names a `weir.variable`.
    - (C2) the value has the type of the variable, but for extents only known
      at run time, which are checked then.

    Example:
    ```mlir
    %c = weir.}] # mnemonic # [{ @w, %v after(%read) : tensor<2x2xf32>
    ```
  }];
  let results = (outs Weir_Control:$control);
  let assemblyFormat = "$variable `,` $value (`after` `(` $controls^ `)`)? attr-dict `:` type($value)";
}
def Weir_AssignOp : Weir_AssignNode<"assign", Weir_PodTensor, "gives a variable a value">;
def Weir_AssignAddOp : Weir_AssignNode<"assign_add", Weir_NumberTensor, "adds to a variable">;
def Weir_AssignSubOp : Weir_AssignNode<"assign_sub", Weir_NumberTensor, "subtracts from a variable">;

def Weir_AssignScatterOp : Weir_StatefulNode<"assign_scatter",
    (ins FlatSymbolRefAttr:$variable, Weir_IndexTensor:$indices, Weir_PodTensor:$updates, Weir_ScatterKind:$kind),
    [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let deviceTypes = ["CPU", "GPU"];
  let summary = "changes slices of a variable";
  let description = [{
    The variable becomes `weir.scatter` of itself and the operands.

    - (C1) `variable` names a `weir.variable`.
    - (C2) see `weir.scatter` (C1), (C2).

    Example:
    ```mlir
    %c = weir.assign_scatter @w, %i, %v {kind = #weir.scatter_kind<add>} : tensor<?xi32>, tensor<?x8xf32>
    ```
  }];
  let results = (outs Weir_Control:$control);
  let assemblyFormat = "$variable `,` $indices `,` $updates (`after` `(` $controls^ `)`)? attr-dict `:` type($indices) `,` type($updates)";
}

def Weir_IsInitializedOp : Weir_StatefulNode<"is_initialized", (ins FlatSymbolRefAttr:$variable), [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let deviceTypes = ["CPU", "GPU"];
  let summary = "whether a variable has a value";
  let description = [{
    - (C1) `variable` names a `weir.variable`.
    - (C2) the result is a scalar.

    Example:
    ```mlir
    %b, %c = weir.is_initialized @w : tensor<i1>
    ```
  }];
  let results = (outs RankedTensorOf<[I1]>:$value, Weir_Control:$control);
  let assemblyFormat = "$variable (`after` `(` $controls^ `)`)? attr-dict `:` type($value)";
}

def Weir_SaveOp : Weir_StatefulNode<"save", (ins StrArrayAttr:$names, Weir_StringScalar:$path, Variadic<Weir_PodTensor>:$values), [AttrSizedOperandSegments]> {
  let summary = "writes a checkpoint";
  let description = [{
    Writes the values under the names given as a TensorBundle V2 checkpoint
    with the prefix `path`, as a whole or not at all.
    Source: OSDI 2016 section 4.3.

    - (C1) there is one name for each value.
    - (C2) names are unique and not empty.

    Example:
    ```mlir
    %c = weir.save %path, %w, %b names ["w", "b"] : tensor<!weir.string>, tensor<2x2xf32>, tensor<2xf32>
    ```
  }];
  let results = (outs Weir_Control:$control);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Weir_RestoreOp : Weir_StatefulNode<"restore", (ins StrArrayAttr:$names, Weir_StringScalar:$path)> {
  let summary = "reads a checkpoint";
  let description = [{
    - (C1) there is one name for each value, and one value at least.
    - (C2) names are unique and not empty.
    - (C3) the values have static extents.

    Example:
    ```mlir
    %w, %b, %c = weir.restore %path names ["w", "b"] : tensor<!weir.string> -> tensor<2x2xf32>, tensor<2xf32>
    ```
  }];
  let results = (outs Variadic<Weir_PodTensor>:$values, Weir_Control:$control);
  let assemblyFormat = "$path `names` $names (`after` `(` $controls^ `)`)? attr-dict `:` type($path) `->` type($values)";
  let hasVerifier = 1;
}

def Weir_CheckNumericsOp : Weir_StatefulNode<"check_numerics", (ins StrAttr:$message, Weir_FloatTensor:$input), [AllTypesMatch<["input", "result"]>]> {
  let summary = "its operand, or an error where it is not finite";
  let description = [{
    The step fails with `message` when an element is NaN or infinite.

    Example:
    ```mlir
    %y, %c = weir.check_numerics %loss "the loss diverged" : tensor<f32>
    ```
  }];
  let results = (outs Weir_FloatTensor:$result, Weir_Control:$control);
  let assemblyFormat = "$input $message (`after` `(` $controls^ `)`)? attr-dict `:` type($input)";
}

#endif // WEIR_STATE_OPS_TD

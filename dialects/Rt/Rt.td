//===- Rt.td - Scheduled programs -----------------*- tablegen -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RT_TD
#define RT_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Rt_Dialect : Dialect {
  let name = "rt";
  let cppNamespace = "::weir::rt";
  let summary = "what one device runs, in order";
  let description = [{
    `rt` is the scheduled form: a function for each entry point, whose ops run
    in the order of the text. Each op stands for one call of the runtime
    (include/weir-c/program.h). It knows no graph, no control edge and no
    gradient; see the `weir` dialect for those.

    Ops come in two levels. On tensors: what a step is fed, reads, checks,
    writes and fetches. On buffers (memrefs): the same once memory is assigned.
    An entry point is a `func.func` that carries `rt.entry`; its only argument
    is the step, and its result the status code. One with nodes that wait, or
    that run by what is live, is an `rt.dataflow` instead, and the functions
    that its nodes name are no entry points.
  }];
  let useDefaultTypePrinterParser = 1;
}

class Rt_Op<string mnemonic, list<Trait> traits = []> : Op<Rt_Dialect, mnemonic, traits>;

// The number of a feed or a fetch.
defvar Rt_Place = ConfinedAttr<I64Attr, [IntNonNegative]>;

// Everything a step does to the world is ordered by one resource.
def Rt_World : Resource<"::weir::rt::WorldResource">;
class Rt_Effect<string mnemonic, list<Trait> traits = []>
    : Rt_Op<mnemonic, [MemoryEffects<[MemRead<Rt_World>, MemWrite<Rt_World>]>] # traits>;

//===----------------------------------------------------------------------===//
// Tables of nodes
//===----------------------------------------------------------------------===//

class Rt_Type<string name, string typeMnemonic> : TypeDef<Rt_Dialect, name> {
  let mnemonic = typeMnemonic;
}

def Rt_Edge : Rt_Type<"Edge", "edge"> {
  let summary = "what a node hands to others: a value of the user's type, or a handle";
  let parameters = (ins "::mlir::Type":$type);
  let assemblyFormat = "`<` $type `>`";
}

def Rt_Done : Rt_Type<"Done", "done">, BuildableType<"$_builder.getType<::weir::rt::DoneType>()"> {
  let summary = "the fact that a node has run";
}

class Rt_Case<string name, int value, string text = name> : I32EnumAttrCase<name, value, text>;
def Rt_NodeKind : I32EnumAttr<"NodeKind", "what a node is, as include/weir-c/dataflow.h numbers it", [
  Rt_Case<"call", 0>, Rt_Case<"kernel", 1>, Rt_Case<"no_op", 2>, Rt_Case<"control_trigger", 3>,
  Rt_Case<"feed", 4>, Rt_Case<"fetch", 5>, Rt_Case<"switch_op", 6, "switch">, Rt_Case<"merge", 7>,
  Rt_Case<"enter", 8>, Rt_Case<"exit", 9>, Rt_Case<"next_iteration", 10>, Rt_Case<"identity", 11>,
  Rt_Case<"send", 12>, Rt_Case<"receive", 13>]> {
  let cppNamespace = "::weir::rt";
}

def Rt_SpreadOp : Rt_Op<"spread", [Symbol]> {
  let summary = "an entry point that several devices run parts of";
  let description = [{
    `feeds` and `fetches` are as in `rt.entry`. Each part is a graph of the
    module, and later an entry point: a dictionary of its symbol `graph`, and
    for each of its `feeds` and `fetches` the number of the whole's. The device
    of a part is the attribute `rt.device` of its graph.

    - (C1) a part is {graph, feeds, fetches}, and the numbers are those of feeds
      and fetches there are.
    - (C2) each fetch is one of exactly one part.

    Example:
    ```mlir
    rt.spread @train feeds [{name = "x", type = tensor<f32>} ] fetches [] parts [
      {graph = @train.0, feeds = array<i32: 0>, fetches = array<i32>},
      {graph = @train.1, feeds = array<i32>, fetches = array<i32>} ]
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, ArrayAttr:$feeds, ArrayAttr:$fetches, ArrayAttr:$parts,
    OptionalAttr<StrAttr>:$sym_visibility);
  let assemblyFormat = "$sym_name `feeds` $feeds `fetches` $fetches `parts` $parts attr-dict";
  let hasVerifier = 1;
}

def Rt_DataflowOp : Rt_Op<"dataflow", [Symbol, IsolatedFromAbove, SingleBlock, NoTerminator,
    DeclareOpInterfaceMethods<RegionKindInterface>]> {
  let summary = "an entry point that the executor runs: a table of nodes";
  let description = [{
    `feeds` and `fetches` are as in `rt.entry`. `frames` are those of loops,
    from number 1 on; frame 0 is the graph itself. The body is a graph: its
    order means nothing. docs/spec/dataflow.md has the rules of each node.

    - (C1) a frame is a dictionary of `name`, `parent` (a smaller number) and
      `parallel_iterations` (at least 1).
    - (C2) the body is made of `rt.immediate` and `rt.node`.

    Example:
    ```mlir
    rt.dataflow @put feeds [{name = "x", type = tensor<f32>} ] fetches [] frames [] {
      %q = rt.immediate(@queue) : <!weir.resource>
      %x, %0 = rt.node feed "'x'" () {index = 0 : i64} : () -> !rt.edge<tensor<f32>>
      %1 = rt.node call "'enqueue' at q.mlir:4" (%q, %x) {call = "weir_node_enqueue", numbers = array<i64: -1>} : (!rt.edge<!weir.resource>, !rt.edge<tensor<f32>>) -> ()
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, ArrayAttr:$feeds, ArrayAttr:$fetches, ArrayAttr:$frames,
    OptionalAttr<StrAttr>:$sym_visibility);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$sym_name `feeds` $feeds `fetches` $fetches `frames` $frames attr-dict-with-keyword $body";
  let hasVerifier = 1;
}

def Rt_ImmediateOp : Rt_Op<"immediate", [HasParent<"DataflowOp">]> {
  let summary = "a constant or the handle of a symbol, there in every frame";
  let description = [{
    - (C1) `value` is elements, or the symbol of a variable or resource.

    Example:
    ```mlir
    %c = rt.immediate(dense<1.0> : tensor<f32>) : <tensor<f32>>
    ```
  }];
  let arguments = (ins AnyAttr:$value);
  let results = (outs Rt_Edge:$result);
  let assemblyFormat = "`(` $value `)` attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Rt_NodeOp : Rt_Op<"node", [HasParent<"DataflowOp">, AttrSizedOperandSegments]> {
  let summary = "a node of a table";
  let description = [{
    `node` names it and its place in messages. A control operand that is a value
    waits for that value; one that is a `done`, for the node. `frame` is the
    frame in which it runs. `index`: the number of the feed or fetch, the frame
    that is entered. `symbol`: the variable of a call. `call`, `numbers` and
    `texts`: what the call takes, as include/weir-c/dataflow.h has them.
    `kernel`: the function of a kernel or of an update.

    - (C1) a call has `call`, a kernel `kernel`, a feed, fetch or enter `index`.
    - (C2) frames are those of the table.

    Example:
    ```mlir
    %f, %t, %0 = rt.node switch "'s'" (%x, %p) after(%1 : !rt.done) {frame = 1 : i64} : (!rt.edge<tensor<f32>>, !rt.edge<tensor<i1>>) -> (!rt.edge<tensor<f32>>, !rt.edge<tensor<f32>>)
    ```
  }];
  let arguments = (ins Rt_NodeKind:$kind, StrAttr:$node, Variadic<Rt_Edge>:$inputs,
    Variadic<AnyTypeOf<[Rt_Edge, Rt_Done]>>:$controls, DefaultValuedAttr<I64Attr, "0">:$frame, OptionalAttr<I64Attr>:$index,
    OptionalAttr<FlatSymbolRefAttr>:$symbol, OptionalAttr<StrAttr>:$call, OptionalAttr<FlatSymbolRefAttr>:$kernel,
    OptionalAttr<DenseI64ArrayAttr>:$numbers, OptionalAttr<StrArrayAttr>:$texts);
  let results = (outs Variadic<Rt_Edge>:$outputs, Rt_Done:$done);
  let assemblyFormat = [{
    $kind $node `(` $inputs `)` (`after` `(` $controls^ `:` type($controls) `)`)? attr-dict `:`
    functional-type($inputs, $outputs)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

def Rt_FeedOp : Rt_Op<"feed", [Pure]> {
  let summary = "the tensor fed at a place";
  let description = [{
    Example:
    ```mlir
    %x = rt.feed 0 : tensor<?x64xf32>
    ```
  }];
  let arguments = (ins Rt_Place:$index);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$index attr-dict `:` type($result)";
}

def Rt_FetchOp : Rt_Effect<"fetch"> {
  let summary = "hands a tensor out";
  let description = [{
    Example:
    ```mlir
    rt.fetch 0, %loss : tensor<f32>
    ```
  }];
  let arguments = (ins Rt_Place:$index, AnyRankedTensor:$value);
  let assemblyFormat = "$index `,` $value attr-dict `:` type($value)";
}

def Rt_ReadVariableOp : Rt_Effect<"read_variable"> {
  let summary = "the value of a variable when the step begins";
  let description = [{
    Fails where the variable has no value. `node` names the reader.

    Example:
    ```mlir
    %w = rt.read_variable @w "read at mlp.mlir:3" : tensor<2x2xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$variable, StrAttr:$node);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$variable $node attr-dict `:` type($result)";
}

def Rt_WriteVariableOp : Rt_Effect<"write_variable"> {
  let summary = "gives a variable a value";
  let description = [{
    Example:
    ```mlir
    rt.write_variable @w, %v : tensor<2x2xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$variable, AnyRankedTensor:$value);
  let assemblyFormat = "$variable `,` $value attr-dict `:` type($value)";
}

def Rt_VariableInitializedOp : Rt_Effect<"variable_initialized"> {
  let summary = "whether a variable has a value when the step begins";
  let description = [{
    Example:
    ```mlir
    %b = rt.variable_initialized @w : i1
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$variable);
  let results = (outs I1:$result);
  let assemblyFormat = "$variable attr-dict `:` type($result)";
}

def Rt_AssertOp : Rt_Effect<"assert"> {
  let summary = "ends the step with an error unless a condition holds";
  let description = [{
    `code` is a WeirCode; `format` holds "{0}" and "{1}" for the two numbers;
    `node` names the user's node and its place.

    Example:
    ```mlir
    rt.assert %ok, 11, "gather at net.py:8", "[WEIR0310] an index is outside 0 <= i < {0}" (%extent, %zero)
    ```
  }];
  let arguments = (ins I1:$condition, I32Attr:$code, StrAttr:$node, StrAttr:$format, Index:$a, Index:$b);
  let assemblyFormat = "$condition `,` $code `,` $node `,` $format `(` $a `,` $b `)` attr-dict";
}

def Rt_PollOp : Rt_Effect<"poll"> {
  let summary = "ends the step with an error where it was cancelled or its time is over";
  let description = [{
    Stands in the body of a loop of the user's graph, which may never end. It
    need not look each time: what a deadline means is "soon after".

    Example:
    ```mlir
    rt.poll
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def Rt_SaveOp : Rt_Effect<"save"> {
  let summary = "writes a checkpoint";
  let description = [{
    - (C1) there is one name for each value.

    Example:
    ```mlir
    rt.save "save at mlp.mlir:9", %path names ["w"] (%w) : tensor<!weir.string>, tensor<2x2xf32>
    ```
  }];
  let arguments = (ins StrAttr:$node, AnyRankedTensor:$path, StrArrayAttr:$names, Variadic<AnyRankedTensor>:$values);
  let assemblyFormat = "$node `,` $path `names` $names `(` $values `)` attr-dict `:` type($path) (`,` type($values)^)?";
  let hasVerifier = 1;
}

def Rt_RestoreOp : Rt_Effect<"restore"> {
  let summary = "reads a checkpoint";
  let description = [{
    - (C1) there is one name for each value, and one value at least.

    Example:
    ```mlir
    %w = rt.restore "restore at mlp.mlir:9", %path names ["w"] : tensor<!weir.string> -> tensor<2x2xf32>
    ```
  }];
  let arguments = (ins StrAttr:$node, AnyRankedTensor:$path, StrArrayAttr:$names);
  let results = (outs Variadic<AnyRankedTensor>:$values);
  let assemblyFormat = "$node `,` $path `names` $names attr-dict `:` type($path) `->` type($values)";
  let hasVerifier = 1;
}

def Rt_TraceBeginOp : Rt_Effect<"trace_begin"> {
  let summary = "a kernel begins";
  let description = [{
    Example:
    ```mlir
    %mark = rt.trace_begin
    ```
  }];
  let results = (outs I64:$mark);
  let assemblyFormat = "attr-dict";
}

def Rt_TraceEndOp : Rt_Effect<"trace_end"> {
  let summary = "a kernel ends";
  let description = [{
    Example:
    ```mlir
    rt.trace_end %mark "matmul_relu"
    ```
  }];
  let arguments = (ins I64:$mark, StrAttr:$kernel);
  let assemblyFormat = "$mark $kernel attr-dict";
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

def Rt_FeedBufferOp : Rt_Op<"feed_buffer", [Pure]> {
  let summary = "the memory of a feed; only to be read";
  let description = [{
    Example:
    ```mlir
    %m = rt.feed_buffer 0 : memref<?x64xf32>
    ```
  }];
  let arguments = (ins Rt_Place:$index);
  let results = (outs AnyMemRef:$result);
  let assemblyFormat = "$index attr-dict `:` type($result)";
}

def Rt_OutputBufferOp : Rt_Effect<"output_buffer"> {
  let summary = "the memory of a fetch, of the dynamic extents given";
  let description = [{
    Example:
    ```mlir
    %m = rt.output_buffer 0 (%n) : memref<?x10xf32>
    ```
  }];
  let arguments = (ins Rt_Place:$index, Variadic<Index>:$extents);
  let results = (outs AnyMemRef:$result);
  let assemblyFormat = "$index `(` $extents `)` attr-dict `:` type($result)";
}

def Rt_VariableBufferOp : Rt_Effect<"variable_buffer"> {
  let summary = "the memory of a variable";
  let description = [{
    With `node`, for reading too: fails where the variable has no value.

    Example:
    ```mlir
    %m = rt.variable_buffer @w "read at mlp.mlir:3" : memref<2x2xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$variable, OptionalAttr<StrAttr>:$node);
  let results = (outs AnyMemRef:$result);
  let assemblyFormat = "$variable ($node^)? attr-dict `:` type($result)";
}

def Rt_VariableWrittenOp : Rt_Effect<"variable_written"> {
  let summary = "a variable has a value from here on";
  let description = [{
    Example:
    ```mlir
    rt.variable_written @w
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$variable);
  let assemblyFormat = "$variable attr-dict";
}

def Rt_SaveBuffersOp : Rt_Effect<"save_buffers"> {
  let summary = "writes a checkpoint from memory";
  let description = [{
    The path is the string fed at `path`.

    - (C1) there is one name for each value.

    Example:
    ```mlir
    rt.save_buffers "save at mlp.mlir:9", 0 names ["w"] (%w) : memref<2x2xf32>
    ```
  }];
  let arguments = (ins StrAttr:$node, Rt_Place:$path, StrArrayAttr:$names, Variadic<AnyMemRef>:$values);
  let assemblyFormat = "$node `,` $path `names` $names `(` $values `)` attr-dict (`:` type($values)^)?";
  let hasVerifier = 1;
}

def Rt_RestoreBuffersOp : Rt_Effect<"restore_buffers"> {
  let summary = "reads a checkpoint into memory";
  let description = [{
    The path is the string fed at `path`.

    - (C1) there is one name for each value.

    Example:
    ```mlir
    rt.restore_buffers "restore at mlp.mlir:9", 0 names ["w"] (%w) : memref<2x2xf32>
    ```
  }];
  let arguments = (ins StrAttr:$node, Rt_Place:$path, StrArrayAttr:$names, Variadic<AnyMemRef>:$values);
  let assemblyFormat = "$node `,` $path `names` $names `(` $values `)` attr-dict (`:` type($values)^)?";
  let hasVerifier = 1;
}

include "dialects/Rt/DeviceOps.td"

#endif // RT_TD

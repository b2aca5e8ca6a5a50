//===- Mxu.td - Programs of the accelerator -*- tablegen -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One op for each instruction; docs/spec/mxu.md fixes their bits and what they
// do. The fields of an instruction are attributes of the names that
// include/weir/MxuIsa.h has.
//
//===----------------------------------------------------------------------===//

#ifndef MXU_TD
#define MXU_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/SymbolInterfaces.td"

def Mxu_Dialect : Dialect {
  let name = "mxu";
  let cppNamespace = "::weir::mxu";
  let summary = "programs of the accelerator";
  let description = [{
    `mxu` is the text of an image of the accelerator: `weir-translate
    --mxu-assemble` makes the image of it, `--mxu-disassemble` the text of an
    image. docs/spec/mxu.md says what each instruction does.
  }];
}

class Mxu_Op<string mnemonic, list<Trait> traits = []> : Op<Mxu_Dialect, mnemonic, traits>;

//===----------------------------------------------------------------------===//
// What is around the instructions
//===----------------------------------------------------------------------===//

def Mxu_ProgramOp : Mxu_Op<"program", [Symbol, IsolatedFromAbove, SingleBlock, NoTerminator]> {
  let summary = "an image: entries, windows, weights, instructions";
  let description = [{
    `array` is the size of the array, `scratch` the bytes of DRAM that the
    program has for itself. Entries, windows and instructions are numbered in
    the order of the text, inputs before outputs.

    - (C1) there is a machine with an array of that size, and scratch is not
      negative.
    - (C2) the body is made of ops of this dialect other than `mxu.program` and
      `mxu.run`; there is one `mxu.weights` at most, and no input behind an
      output.

    Example:
    ```mlir
    mxu.program @double array 32 scratch 0 {
      mxu.input elements 1 row 32 rows -1
      mxu.output elements 1 row 32 rows -1
      mxu.loop images=1 length=2
      mxu.lda space=2 offset=0 stride=32 lanes=32 rows=1 ub=0 wait(st) signal(st)
      mxu.sta space=3 offset=0 stride=32 lanes=32 rows=1 ub=0 wait(ld) signal(ld)
      mxu.halt
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, I64Attr:$array, I64Attr:$scratch);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$sym_name `array` $array `scratch` $scratch attr-dict-with-keyword $body";
  let hasVerifier = 1;
}

class Mxu_EntryOp<string mnemonic> : Mxu_Op<mnemonic, [HasParent<"ProgramOp">]> {
  let arguments = (ins I64Attr:$elements, I64Attr:$row, OptionalAttr<I64Attr>:$rows);
  let assemblyFormat = "`elements` $elements `row` $row (`rows` $rows^)? attr-dict";
  let hasVerifier = 1;
}

def Mxu_InputOp : Mxu_EntryOp<"input"> {
  let summary = "a tensor that a run reads";
  let description = [{
    `elements` is the size of an element in bytes, `row` that of a row. With
    `rows`, rows are those of the batch; -1 where only the run knows how many.

    - (C1) elements have 1 or 4 bytes, a row has at least one, and there are at
      least 0 rows, or -1.

    Example:
    ```mlir
    mxu.input elements 1 row 784 rows -1
    ```
  }];
}

def Mxu_OutputOp : Mxu_EntryOp<"output"> {
  let summary = "a tensor that a run writes";
  let description = [{
    - (C1) as `mxu.input` (C1).

    Example:
    ```mlir
    mxu.output elements 1 row 10 rows -1
    ```
  }];
}

def Mxu_WeightsOp : Mxu_Op<"weights", [HasParent<"ProgramOp">]> {
  let summary = "the constants of a program";
  let description = [{
    - (C1) the elements are i8.

    Example:
    ```mlir
    mxu.weights dense<[1, -1]> : tensor<2xi8>
    ```
  }];
  let arguments = (ins ElementsAttr:$value);
  let assemblyFormat = "$value attr-dict";
  let hasVerifier = 1;
}

def Mxu_WindowOp : Mxu_Op<"window", [HasParent<"ProgramOp">]> {
  let summary = "how windows slide over images in the unified buffer";
  let description = [{
    - (C1) each number is in 0 to 65535, and all but the padding at least 1.

    Example:
    ```mlir
    mxu.window images=1 height=8 width=8 channels=1 out_height=8 out_width=8 kernel_height=3 kernel_width=3
      stride_height=1 stride_width=1 dilation_height=1 dilation_width=1 pad_top=1 pad_left=1
    ```
  }];
  let arguments = (ins I64Attr:$images, I64Attr:$height, I64Attr:$width, I64Attr:$channels, I64Attr:$out_height,
    I64Attr:$out_width, I64Attr:$kernel_height, I64Attr:$kernel_width, I64Attr:$stride_height, I64Attr:$stride_width,
    I64Attr:$dilation_height, I64Attr:$dilation_width, I64Attr:$pad_top, I64Attr:$pad_left);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Mxu_RunOp : Mxu_Op<"run", [AttrSizedOperandSegments]> {
  let summary = "runs a program, on the host's side";
  let description = [{
    What the host does; the assembler makes an `rt.mxu_run` of it. `node` names
    the user's nodes in messages.

    Example:
    ```mlir
    mxu.run @double "double at net.mlir:3" (%x : memref<?x32xi8>) outs (%y : memref<?x32xi8>)
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$program, StrAttr:$node, Variadic<AnyMemRef>:$inputs, Variadic<AnyMemRef>:$outputs);
  let assemblyFormat = [{
    $program $node `(` ($inputs^ `:` type($inputs))? `)` `outs` `(` ($outputs^ `:` type($outputs))? `)` attr-dict
  }];
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

// `wait` and `signal` have a bit for each queue: ld 1, mx 2, vx 4, st 8.
class Mxu_Instruction<string mnemonic, dag fields = (ins)> : Mxu_Op<mnemonic, [HasParent<"ProgramOp">]> {
  let arguments = !con(fields, (ins DefaultValuedAttr<I64Attr, "0">:$wait, DefaultValuedAttr<I64Attr, "0">:$signal));
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDefinition = [{
    ::mlir::ParseResult $cppClass::parse(::mlir::OpAsmParser &parser, ::mlir::OperationState &result) {
      return ::weir::mxu::parseInstruction(parser, result, "}] # mnemonic # [{");
    }
    void $cppClass::print(::mlir::OpAsmPrinter &printer) { ::weir::mxu::printInstruction(*this, printer); }
    ::llvm::LogicalResult $cppClass::verify() { return ::weir::mxu::verifyInstruction(*this); }
  }];
}

def Mxu_NopOp : Mxu_Instruction<"nop", (ins I64Attr:$queue)> {
  let summary = "only takes and gives tokens";
  let description = [{
    `queue` runs it: 0 ld, 1 mx, 2 vx, 3 st.

    - (C1) `queue` is in 0 to 3.

    Example:
    ```mlir
    mxu.nop queue=1 signal(ld)
    ```
  }];
}

def Mxu_HaltOp : Mxu_Instruction<"halt"> {
  let summary = "the end";
  let description = [{
    - (C1) it takes and gives no tokens.

    Example:
    ```mlir
    mxu.halt
    ```
  }];
}

def Mxu_LoopOp : Mxu_Instruction<"loop", (ins I64Attr:$images, I64Attr:$length)> {
  let summary = "runs the next instructions as often as the batch has rows for";
  let description = [{
    As long as `images` rows of the batch are left, the next `length`
    instructions run on them.

    - (C1) it takes and gives no tokens.
    - (C2) `images` and `length` are at least 1 and fit 32 bits.

    Example:
    ```mlir
    mxu.loop images=8 length=12
    ```
  }];
}

def Mxu_LdaOp : Mxu_Instruction<"lda", (ins I64Attr:$space, I64Attr:$offset, I64Attr:$stride, I64Attr:$lanes, I64Attr:$rows,
    I64Attr:$ub)> {
  let summary = "DRAM to the unified buffer";
  let description = [{
    Row i of the buffer gets `lanes` bytes from `offset` + i * `stride` on, and
    0 behind them.

    - (C1) each field fits its bits, and `rows` is at least 1.
    - (C2) the rows are in the unified buffer, and `lanes` is at most the size
      of the array.

    Example:
    ```mlir
    mxu.lda space=2 offset=0 stride=64 lanes=32 rows=16 ub=0 signal(mx)
    ```
  }];
}

def Mxu_LdwOp : Mxu_Instruction<"ldw", (ins I64Attr:$space, I64Attr:$offset, I64Attr:$stride, I64Attr:$lanes, I64Attr:$rows)> {
  let summary = "DRAM to the queue of weight tiles";
  let description = [{
    Row i of the tile gets `lanes` bytes from `offset` + i * `stride` on; all
    else of it is 0.

    - (C1) each field fits its bits, and `rows` is at least 1.
    - (C2) `rows` and `lanes` are at most the size of the array.

    Example:
    ```mlir
    mxu.ldw space=0 offset=0 stride=32 lanes=32 rows=32
    ```
  }];
}

def Mxu_LdpOp : Mxu_Instruction<"ldp", (ins I64Attr:$space, I64Attr:$offset, I64Attr:$lanes, I64Attr:$param)> {
  let summary = "DRAM to a row of the parameters";
  let description = [{
    `lanes` words of 32 bits from `offset` on; the row is 0 behind them.

    - (C1) each field fits its bits.
    - (C2) the row is one of the parameters, and `lanes` is at most the size of
      the array.

    Example:
    ```mlir
    mxu.ldp space=0 offset=64 lanes=10 param=0 signal(vx)
    ```
  }];
}

def Mxu_MxwOp : Mxu_Instruction<"mxw"> {
  let summary = "shifts the next weight tile into the array, behind the one in use";
  let description = [{
    Example:
    ```mlir
    mxu.mxw
    ```
  }];
}

defvar Mxu_Matrix = (ins I64Attr:$ub, I64Attr:$acc, I64Attr:$rows, I64Attr:$zero, I64Attr:$swap, I64Attr:$accumulate);

def Mxu_MmOp : Mxu_Instruction<"mm", Mxu_Matrix> {
  let summary = "multiplies rows of the unified buffer with the weights";
  let description = [{
    Row `acc` + i of the accumulators becomes (with `accumulate`: is increased
    by) the sum over k of (lane k of row `ub` + i, less `zero`) times row k of
    the weights. With `swap`, the tile that was shifted in is taken first.

    - (C1) each field fits its bits, and `rows` is at least 1.
    - (C2) the rows are in the unified buffer and in the accumulators.

    Example:
    ```mlir
    mxu.mm ub=0 acc=0 rows=16 zero=-3 swap=1 accumulate=0 wait(ld) signal(vx)
    ```
  }];
}

def Mxu_MmcOp : Mxu_Instruction<"mmc", !con(Mxu_Matrix, (ins I64Attr:$window, I64Attr:$first, I64Attr:$tile))> {
  let summary = "as mm, on what windows over images hold";
  let description = [{
    Row i is made of numbers `tile` * array and on of what position `first` + i
    of the window reads: kernel row, kernel column, channel. What lies outside
    of the image, or behind the last number, counts as `zero`.

    - (C1) each field fits its bits, and `rows` is at least 1.
    - (C2) `ub` is in the unified buffer, and the rows are in the accumulators.

    Example:
    ```mlir
    mxu.mmc ub=0 acc=0 rows=64 zero=0 swap=1 accumulate=0 window=0 first=0 tile=0
    ```
  }];
}

def Mxu_ActOp : Mxu_Instruction<"act", (ins I64Attr:$acc, I64Attr:$ub, I64Attr:$rows, I64Attr:$param, I64Attr:$zero,
    I64Attr:$min, I64Attr:$max)> {
  let summary = "makes sums int8 and puts them into the unified buffer";
  let description = [{
    Lane by lane: row `param` of the parameters is added, the product with row
    `param` + 1 is shifted by row `param` + 2 to the right, rounded, and `zero`
    more than that is clamped to `min` and `max`.

    - (C1) each field fits its bits, and `rows` is at least 1.
    - (C2) the rows are in the accumulators and in the unified buffer, and three
      rows of parameters are there.

    Example:
    ```mlir
    mxu.act acc=0 ub=64 rows=16 param=0 zero=-128 min=-128 max=127 wait(mx) signal(st)
    ```
  }];
}

def Mxu_PoolOp : Mxu_Instruction<"pool", (ins I64Attr:$source, I64Attr:$ub, I64Attr:$rows, I64Attr:$window, I64Attr:$first)> {
  let summary = "the largest of each window, lane by lane";
  let description = [{
    Row `ub` + i becomes the largest of the rows from `source` on that position
    `first` + i of the window reads; -128 where it reads none.

    - (C1) each field fits its bits, and `rows` is at least 1.
    - (C2) `source` and the rows are in the unified buffer.

    Example:
    ```mlir
    mxu.pool source=0 ub=64 rows=16 window=1 first=0
    ```
  }];
}

def Mxu_ActpOp : Mxu_Instruction<"actp", (ins I64Attr:$acc, I64Attr:$ub, I64Attr:$rows, I64Attr:$param, I64Attr:$zero,
    I64Attr:$min, I64Attr:$max, I64Attr:$window)> {
  let summary = "as act, of each window the largest";
  let description = [{
    The images of the window lie in the accumulators, from row `acc` on. Row
    `ub` + i becomes, lane by lane, the largest of what `mxu.act` makes of the
    rows that position i of the window reads; -128 where it reads none.

    - (C1) each field fits its bits, and `rows` is at least 1.
    - (C2) `acc` is in the accumulators, the rows are in the unified buffer, and
      three rows of parameters are there.

    Example:
    ```mlir
    mxu.actp acc=0 ub=64 rows=16 param=0 zero=-128 min=-128 max=127 window=1 wait(mx) signal(st)
    ```
  }];
}

def Mxu_StaOp : Mxu_Instruction<"sta", (ins I64Attr:$space, I64Attr:$offset, I64Attr:$stride, I64Attr:$lanes, I64Attr:$rows,
    I64Attr:$ub)> {
  let summary = "the unified buffer to DRAM";
  let description = [{
    `lanes` bytes of row i of the buffer go to `offset` + i * `stride` and on.

    - (C1) as `mxu.lda` (C1).
    - (C2) as `mxu.lda` (C2).

    Example:
    ```mlir
    mxu.sta space=3 offset=0 stride=10 lanes=10 rows=16 ub=64 wait(vx)
    ```
  }];
}

#endif // MXU_TD

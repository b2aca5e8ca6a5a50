//===- InputOps.td - Readers, decoders, strings -*- tablegen -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_INPUT_OPS_TD
#define WEIR_INPUT_OPS_TD

include "dialects/Weir/WeirBase.td"

def Weir_ReaderKindEnum : Weir_Enum<"ReaderKind", "what a reader takes for a record", [
  I32EnumAttrCase<"whole_file", 0>, I32EnumAttrCase<"text_line", 1>, I32EnumAttrCase<"fixed_length", 2>,
  I32EnumAttrCase<"tfrecord", 3>, I32EnumAttrCase<"identity", 4>, I32EnumAttrCase<"idx", 5>, I32EnumAttrCase<"npy_rows", 6>]>;
def Weir_ReaderKind : Weir_EnumAttr<Weir_ReaderKindEnum, "reader_kind">;

def Weir_ReaderOp : Op<Weir_Dialect, "reader", [Symbol]> {
  let summary = "gives the records of files whose names a queue gives";
  let description = [{
    `numbers`: for text_line, the lines to skip in each file; for fixed_length,
    the bytes of header, record, footer and hop; for tfrecord, the compression
    (0 none, 1 zlib, 2 gzip). docs/spec/input.md has the formats.

    - (C1) there are as many numbers as the kind has, and none is negative.

    Example:
    ```mlir
    weir.reader @lines {kind = #weir.reader_kind<text_line>, numbers = array<i64: 1>}
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, Weir_ReaderKind:$kind,
    DefaultValuedOptionalAttr<DenseI64ArrayAttr, "{}">:$numbers, OptionalAttr<StrAttr>:$sym_visibility);
  let assemblyFormat = "$sym_name attr-dict";
  let hasVerifier = 1;
}

def Weir_ReaderReadOp : Weir_RuntimeNode<"reader_read",
    (ins Weir_Resource:$reader, Weir_Resource:$queue), [{}], [{}], []> {
  let summary = "the next record";
  let description = [{
    Takes the name of the next file from `queue` where the last one is at its
    end.

    Example:
    ```mlir
    %k, %v, %c = weir.reader_read %r, %q : (!weir.resource, !weir.resource) -> (tensor<!weir.string>, tensor<!weir.string>, !weir.control)
    ```
  }];
  let results = (outs Weir_AnyTensorOf<[Weir_String]>:$key, Weir_AnyTensorOf<[Weir_String]>:$value, Weir_Control:$control);
}

def Weir_ReaderReadUpToOp : Weir_RuntimeNode<"reader_read_up_to",
    (ins Weir_Resource:$reader, Weir_Resource:$queue, Weir_AnyTensorOf<[I64]>:$count), [{}], [{}], []> {
  let summary = "the next records, at most `count`";
  let description = [{
    Example:
    ```mlir
    %k, %v, %c = weir.reader_read_up_to %r, %q, %n : (!weir.resource, !weir.resource, tensor<i64>) -> (tensor<?x!weir.string>, tensor<?x!weir.string>, !weir.control)
    ```
  }];
  let results = (outs Weir_AnyTensorOf<[Weir_String]>:$keys, Weir_AnyTensorOf<[Weir_String]>:$values, Weir_Control:$control);
}

def Weir_ReaderRecordsProducedOp : Weir_RuntimeNode<"reader_records_produced",
    (ins Weir_Resource:$reader), [{}], [{}], []> {
  let summary = "the number of records given so far";
  let description = [{
    Example:
    ```mlir
    %n, %c = weir.reader_records_produced %r : (!weir.resource) -> (tensor<i64>, !weir.control)
    ```
  }];
  let results = (outs Weir_AnyTensorOf<[I64]>:$count, Weir_Control:$control);
}

def Weir_ReaderWorkCompletedOp : Weir_RuntimeNode<"reader_work_completed",
    (ins Weir_Resource:$reader), [{}], [{}], []> {
  let summary = "the number of files finished so far";
  let description = [{
    Example:
    ```mlir
    %n, %c = weir.reader_work_completed %r : (!weir.resource) -> (tensor<i64>, !weir.control)
    ```
  }];
  let results = (outs Weir_AnyTensorOf<[I64]>:$count, Weir_Control:$control);
}

def Weir_ReaderResetOp : Weir_RuntimeNode<"reader_reset",
    (ins Weir_Resource:$reader), [{}], [{}], []> {
  let summary = "puts a reader back to its beginning";
  let description = [{
    Example:
    ```mlir
    %c = weir.reader_reset %r : (!weir.resource) -> !weir.control
    ```
  }];
  let results = (outs Weir_Control:$control);
}

def Weir_ReadFileOp : Weir_RuntimeNode<"read_file",
    (ins Weir_AnyTensorOf<[Weir_String]>:$path), [{}], [{}], []> {
  let summary = "the bytes of a file";
  let description = [{
    Example:
    ```mlir
    %b, %c = weir.read_file %p : (tensor<!weir.string>) -> (tensor<!weir.string>, !weir.control)
    ```
  }];
  let results = (outs Weir_AnyTensorOf<[Weir_String]>:$bytes, Weir_Control:$control);
}

def Weir_MatchingFilesOp : Weir_RuntimeNode<"matching_files",
    (ins Weir_AnyTensorOf<[Weir_String]>:$patterns), [{}], [{}], []> {
  let summary = "the files whose names match, sorted";
  let description = [{
    Example:
    ```mlir
    %p, %c = weir.matching_files %g : (tensor<!weir.string>) -> (tensor<?x!weir.string>, !weir.control)
    ```
  }];
  let results = (outs Weir_AnyTensorOf<[Weir_String]>:$paths, Weir_Control:$control);
}

def Weir_DecodeRawOp : Weir_RuntimeNode<"decode_raw",
    (ins Weir_AnyTensorOf<[Weir_String]>:$bytes, UnitAttr:$big_endian), [{!getBigEndian()}], [{}], []> {
  let summary = "bytes as numbers";
  let description = [{
    Example:
    ```mlir
    %v, %c = weir.decode_raw %b : (tensor<!weir.string>) -> (tensor<?xui8>, !weir.control)
    ```
  }];
  let results = (outs Weir_AnyTensorOf<[Weir_Pod]>:$values, Weir_Control:$control);
}

def Weir_DecodeCsvOp : Weir_RuntimeNode<"decode_csv",
    (ins Weir_AnyTensorOf<[Weir_String]>:$records, Variadic<Weir_AnyTensor>:$defaults, DefaultValuedStrAttr<StrAttr, ",">:$delimiter, DefaultValuedStrAttr<StrAttr, "">:$na_value, UnitAttr:$no_quotes), [{!getNoQuotes()}], [{getDelimiter().str(), getNaValue().str()}], [AttrSizedOperandSegments]> {
  let summary = "records of comma-separated values as columns";
  let description = [{
    A default of no elements means that the field must be there.

    Example:
    ```mlir
    %x, %c = weir.decode_csv %r, %d : (tensor<?x!weir.string>, tensor<1xf32>) -> (tensor<?xf32>, !weir.control)
    ```
  }];
  let results = (outs Variadic<Weir_AnyTensor>:$columns, Weir_Control:$control);
}

def Weir_DecodeImageOp : Weir_RuntimeNode<"decode_image",
    (ins Weir_AnyTensorOf<[Weir_String]>:$bytes, StrAttr:$format, DefaultValuedOptionalAttr<I64Attr, "0">:$channels), [{static_cast<int64_t>(getChannels())}], [{getFormat().str()}], []> {
  let summary = "a PNG or JPEG image as height x width x channels";
  let description = [{
    `channels` 0 takes those of the image.

    - (C1) `format` is "png" or "jpeg", and 0 <= channels <= 4.

    Example:
    ```mlir
    %i, %c = weir.decode_image %b {format = "png", channels = 1 : i64} : (tensor<!weir.string>) -> (tensor<?x?x1xui8>, !weir.control)
    ```
  }];
  let results = (outs Weir_AnyTensorOf<[UI8]>:$image, Weir_Control:$control);
  let hasVerifier = 1;
}

def Weir_DecodeNpyOp : Weir_RuntimeNode<"decode_npy",
    (ins Weir_AnyTensorOf<[Weir_String]>:$bytes, DefaultValuedStrAttr<StrAttr, "">:$member), [{}], [{getMember().str()}], []> {
  let summary = "the array of a .npy file, or one of a .npz file";
  let description = [{
    Example:
    ```mlir
    %v, %c = weir.decode_npy %b : (tensor<!weir.string>) -> (tensor<?x28x28xui8>, !weir.control)
    ```
  }];
  let results = (outs Weir_AnyTensorOf<[Weir_Pod]>:$value, Weir_Control:$control);
}

def Weir_ParseExampleOp : Weir_RuntimeNode<"parse_example",
    (ins Weir_AnyTensorOf<[Weir_String]>:$serialized, Variadic<Weir_AnyTensor>:$defaults, StrArrayAttr:$names, TypeArrayAttr:$features), [{}], [{}], [AttrSizedOperandSegments], 1> {
  let summary = "dense features of serialized tf.Example messages";
  let description = [{
    One default for each feature; one of no elements means that the feature must
    be there. `features` are the types of one example's values.

    - (C1) there is a name and a default for each feature, of static extents.

    Example:
    ```mlir
    %x, %c = weir.parse_example %s, %d {names = ["x"], features = [tensor<2xf32>]} : (tensor<?x!weir.string>, tensor<0xf32>) -> (tensor<?x2xf32>, !weir.control)
    ```
  }];
  let results = (outs Variadic<Weir_AnyTensor>:$values, Weir_Control:$control);
  let hasVerifier = 1;
}

def Weir_StringJoinOp : Weir_RuntimeNode<"string_join",
    (ins Variadic<Weir_AnyTensorOf<[Weir_String]>>:$inputs, DefaultValuedStrAttr<StrAttr, "">:$separator), [{}], [{getSeparator().str()}], [AttrSizedOperandSegments]> {
  let summary = "strings joined element by element";
  let description = [{
    A scalar is joined with every element.

    Example:
    ```mlir
    %s, %c = weir.string_join %a, %b {separator = "/"} : (tensor<!weir.string>, tensor<?x!weir.string>) -> (tensor<?x!weir.string>, !weir.control)
    ```
  }];
  let results = (outs Weir_AnyTensorOf<[Weir_String]>:$result, Weir_Control:$control);
}

def Weir_AsStringOp : Weir_RuntimeNode<"as_string",
    (ins Weir_AnyTensorOf<[Weir_Pod]>:$input), [{}], [{}], []> {
  let summary = "numbers as text";
  let description = [{
    Example:
    ```mlir
    %s, %c = weir.as_string %x : (tensor<i32>) -> (tensor<!weir.string>, !weir.control)
    ```
  }];
  let results = (outs Weir_AnyTensorOf<[Weir_String]>:$result, Weir_Control:$control);
}

def Weir_StringToNumberOp : Weir_RuntimeNode<"string_to_number",
    (ins Weir_AnyTensorOf<[Weir_String]>:$input), [{}], [{}], []> {
  let summary = "text as numbers";
  let description = [{
    Text that is no number is an error.

    Example:
    ```mlir
    %x, %c = weir.string_to_number %s : (tensor<?x!weir.string>) -> (tensor<?xf32>, !weir.control)
    ```
  }];
  let results = (outs Weir_AnyTensorOf<[Weir_Number]>:$result, Weir_Control:$control);
}

#endif // WEIR_INPUT_OPS_TD

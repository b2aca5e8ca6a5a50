//===- Input.cpp - Readers, decoders, strings, random numbers -----------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Frontend/GraphDef/Convert/Converters.h"

#include "runtime/base/Format.h"

using namespace weir;
using namespace weir::graphdef;
using mlir::RankedTensorType;
using mlir::Type;

static constexpr int64_t kOpen = mlir::ShapedType::kDynamic;

static Type stringElement(NodeConversion &n) {
  return StringType::get(n.builder.getContext());
}

static Type stringVector(NodeConversion &n) {
  return RankedTensorType::get({kOpen}, stringElement(n));
}

//===----------------------------------------------------------------------===//
// Readers
//===----------------------------------------------------------------------===//

static LogicalResult declareReader(NodeConversion &n, ReaderKind kind,
                                   llvm::ArrayRef<int64_t> numbers) {
  mlir::OpBuilder at = n.declarationBuilder();
  mlir::OperationState state(n.loc, ReaderOp::getOperationName());
  state.addAttribute("sym_name",
                     n.builder.getStringAttr(n.stateSymbol("reader")));
  state.addAttribute("kind", ReaderKindAttr::get(n.builder.getContext(), kind));
  state.addAttribute("numbers", n.builder.getDenseI64ArrayAttr(numbers));
  return mlir::success(n.declare(at.create(state)) != nullptr);
}

static int64_t numberOf(const NodeConversion &n, const char *name) {
  return intAttr(n.node, name).value_or(0);
}

static LogicalResult convertTextReader(NodeConversion &n) {
  return declareReader(n, ReaderKind::text_line,
                       {numberOf(n, "skip_header_lines")});
}

static LogicalResult convertFixedReader(NodeConversion &n) {
  std::string encoding = stringAttr(n.node, "encoding").value_or("");
  if (!encoding.empty())
    return n.fail(rt::str("encoding '", encoding, "' is not supported"));
  return declareReader(n, ReaderKind::fixed_length,
                       {numberOf(n, "header_bytes"),
                        numberOf(n, "record_bytes"),
                        numberOf(n, "footer_bytes"), numberOf(n, "hop_bytes")});
}

static LogicalResult convertRecordReader(NodeConversion &n) {
  std::string compression = stringAttr(n.node, "compression_type").value_or("");
  if (compression != "" && compression != "ZLIB" && compression != "GZIP")
    return n.fail(rt::str("there is no compression '", compression, "'"));
  return declareReader(n, ReaderKind::tfrecord,
                       {compression == "ZLIB"   ? 1
                        : compression == "GZIP" ? 2
                                                : 0});
}

template <ReaderKind kind>
static LogicalResult convertReader(NodeConversion &n) {
  return declareReader(n, kind, {});
}

static LogicalResult convertReaderRead(NodeConversion &n) {
  Value reader = n.handle(0), queue = n.handle(1);
  if (!reader || !queue)
    return mlir::failure();
  Type text = n.scalarType(stringElement(n));
  return n.outputsOf(
      n.makeStateful<ReaderReadOp>({reader, queue}, {text, text}));
}

static LogicalResult convertReadUpTo(NodeConversion &n) {
  Value reader = n.handle(0), queue = n.handle(1), count = n.anyTensor(2);
  if (!reader || !queue || !count)
    return mlir::failure();
  return n.outputsOf(n.makeStateful<ReaderReadUpToOp>(
      {reader, queue, count}, {stringVector(n), stringVector(n)}));
}

template <typename OpT> static LogicalResult convertCount(NodeConversion &n) {
  return n.outputsOf(
      n.makeStateful<OpT>(n.handle(0), n.scalarType(n.builder.getI64Type())));
}

static LogicalResult convertReset(NodeConversion &n) {
  return n.outputsOf(n.makeStateful<ReaderResetOp>(n.handle(0), {}));
}

//===----------------------------------------------------------------------===//
// Decoders
//===----------------------------------------------------------------------===//

static LogicalResult convertReadFile(NodeConversion &n) {
  return n.outputsOf(n.makeStateful<ReadFileOp>(
      n.anyTensor(0), n.scalarType(stringElement(n))));
}

static LogicalResult convertMatchingFiles(NodeConversion &n) {
  return n.outputsOf(
      n.makeStateful<MatchingFilesOp>(n.anyTensor(0), stringVector(n)));
}

/// The type of a value of `element` for each element of `like`.
static Type shapedAs(Value like, Type element) {
  auto type = llvm::dyn_cast<RankedTensorType>(like.getType());
  return type ? Type(RankedTensorType::get(type.getShape(), element))
              : Type(mlir::UnrankedTensorType::get(element));
}

static LogicalResult convertDecodeRaw(NodeConversion &n) {
  Value bytes = n.tensor(0);
  Type element = n.elementTypeAttr("out_type");
  if (!bytes || !element)
    return mlir::failure();
  llvm::SmallVector<int64_t> shape(n.typeOf(bytes).getShape());
  shape.push_back(kOpen);
  llvm::SmallVector<mlir::NamedAttribute> attrs;
  if (!boolAttr(n.node, "little_endian").value_or(true))
    attrs.push_back(n.unit("big_endian"));
  return n.outputsOf(n.makeStateful<DecodeRawOp>(
      bytes, RankedTensorType::get(shape, element), attrs));
}

static LogicalResult convertDecodeCsv(NodeConversion &n) {
  const pb::AttrValue::ListValue *list = listAttr(n.node, "OUT_TYPE");
  llvm::SmallVector<Value> operands{n.anyTensor(0)};
  if (!operands[0] || !list ||
      list->type_size() + 1 != static_cast<int>(n.inputCount()))
    return n.fail("there is not one default for each column");
  if (const auto *selected = listAttr(n.node, "select_cols"))
    if (selected->i_size())
      return n.fail("attribute 'select_cols' is not supported");
  llvm::SmallVector<Type> types;
  for (int i = 0; i < list->type_size(); ++i) {
    operands.push_back(n.anyTensor(static_cast<unsigned>(i) + 1));
    Type element = n.elementType(static_cast<pb::DataType>(list->type(i)));
    if (!operands.back() || !element)
      return mlir::failure();
    types.push_back(shapedAs(operands[0], element));
  }
  llvm::SmallVector<mlir::NamedAttribute> attrs{
      n.text("delimiter", stringAttr(n.node, "field_delim").value_or(",")),
      n.text("na_value", stringAttr(n.node, "na_value").value_or(""))};
  if (!boolAttr(n.node, "use_quote_delim").value_or(true))
    attrs.push_back(n.unit("no_quotes"));
  return n.outputsOf(n.makeStateful<DecodeCsvOp>(operands, types, attrs));
}

static LogicalResult convertDecodeImage(NodeConversion &n) {
  Value bytes = n.anyTensor(0);
  if (!bytes)
    return mlir::failure();
  if (typeAttr(n.node, "dtype").value_or(pb::DT_UINT8) != pb::DT_UINT8)
    return n.fail("only images of uint8 are supported");
  int64_t channels = numberOf(n, "channels");
  Type type = RankedTensorType::get(
      {kOpen, kOpen, channels > 0 ? channels : kOpen},
      mlir::IntegerType::get(n.builder.getContext(), 8,
                             mlir::IntegerType::Unsigned));
  return n.outputsOf(n.makeStateful<DecodeImageOp>(
      bytes, type,
      {n.text("format", n.node.op == "DecodePng" ? "png" : "jpeg"),
       n.i64("channels", channels)}));
}

/// Serialized examples: `names` dense features, defaults from input `defaults`.
static LogicalResult parseExamples(NodeConversion &n,
                                   llvm::ArrayRef<std::string> names,
                                   unsigned defaults) {
  Value serialized = n.anyTensor(0);
  const pb::AttrValue::ListValue *elements = listAttr(n.node, "Tdense");
  const pb::AttrValue::ListValue *shapes = listAttr(n.node, "dense_shapes");
  if (!serialized || !elements || !shapes ||
      elements->type_size() != static_cast<int>(names.size()) ||
      shapes->shape_size() != elements->type_size())
    return n.fail("there is not one type and shape for each dense feature");
  llvm::SmallVector<Value> operands{serialized};
  llvm::SmallVector<Type> features, types;
  auto batch = llvm::dyn_cast<RankedTensorType>(serialized.getType());
  for (int i = 0; i < elements->type_size(); ++i) {
    operands.push_back(n.anyTensor(defaults + static_cast<unsigned>(i)));
    Type element = n.elementType(static_cast<pb::DataType>(elements->type(i)));
    auto feature = llvm::dyn_cast_or_null<RankedTensorType>(
        n.tensorType(&shapes->shape(i), element));
    if (!operands.back() || !feature)
      return n.fail("the shape of a dense feature is not known");
    features.push_back(feature);
    llvm::SmallVector<int64_t> shape;
    if (batch)
      shape.append(batch.getShape().begin(), batch.getShape().end());
    llvm::append_range(shape, feature.getShape());
    types.push_back(batch ? Type(RankedTensorType::get(shape, element))
                          : Type(mlir::UnrankedTensorType::get(element)));
  }
  llvm::SmallVector<llvm::StringRef> list(names.begin(), names.end());
  return n.outputsOf(n.makeStateful<ParseExampleOp>(
      operands, types,
      {n.attr("names", n.builder.getStrArrayAttr(list)),
       n.attr("features", n.builder.getTypeArrayAttr(features))}));
}

static LogicalResult convertParseExample(NodeConversion &n) {
  auto dense = static_cast<unsigned>(
      std::clamp<int64_t>(numberOf(n, "Ndense"), 0, 4096));
  if (numberOf(n, "Nsparse"))
    return n.fail("sparse features are not supported");
  std::vector<std::string> names;
  for (unsigned i = 0; i < dense; ++i) {
    auto name = n.strings(2 + i);
    if (!name || name->size() != 1)
      return n.fail("a dense key has to be a constant");
    names.push_back(name->front());
  }
  return parseExamples(n, names, 2 + dense);
}

/// Inputs: examples, their names, keys (sparse, dense, ragged), defaults.
static LogicalResult convertParseExampleV2(NodeConversion &n) {
  auto names = n.strings(3);
  if (!names)
    return mlir::failure();
  auto ragged = n.strings(4);
  if (numberOf(n, "num_sparse") || !ragged || !ragged->empty())
    return n.fail("sparse and ragged features are not supported");
  return parseExamples(n, *names, 5);
}

static LogicalResult convertParseSingle(NodeConversion &n) {
  if (numberOf(n, "num_sparse"))
    return n.fail("sparse features are not supported");
  std::vector<std::string> names;
  if (const pb::AttrValue::ListValue *keys = listAttr(n.node, "dense_keys"))
    names.assign(keys->s().begin(), keys->s().end());
  return parseExamples(n, names, 1);
}

//===----------------------------------------------------------------------===//
// Strings
//===----------------------------------------------------------------------===//

static LogicalResult convertStringJoin(NodeConversion &n) {
  llvm::SmallVector<Value> operands;
  Value shaped;
  for (unsigned i = 0; i < n.inputCount(); ++i) {
    operands.push_back(n.tensor(i));
    if (!operands.back())
      return mlir::failure();
    if (!shaped || n.typeOf(operands.back()).getRank() > 0)
      shaped = operands.back();
  }
  if (!shaped)
    return n.fail("it has no inputs");
  return n.outputsOf(n.makeStateful<StringJoinOp>(
      operands, shaped.getType(),
      n.text("separator", stringAttr(n.node, "separator").value_or(""))));
}

static LogicalResult convertAsString(NodeConversion &n) {
  Value x = n.anyTensor(0);
  if (!x)
    return mlir::failure();
  // Only the plain form: numbers as they are, without width, fill, exponent.
  if (numberOf(n, "precision") > 0 || numberOf(n, "width") > 0 ||
      boolAttr(n.node, "scientific").value_or(false) ||
      boolAttr(n.node, "shortest").value_or(false))
    return n.fail("only the plain form of numbers is supported");
  return n.outputsOf(
      n.makeStateful<AsStringOp>(x, shapedAs(x, stringElement(n))));
}

static LogicalResult convertStringToNumber(NodeConversion &n) {
  Value x = n.anyTensor(0);
  Type element =
      n.elementType(typeAttr(n.node, "out_type").value_or(pb::DT_FLOAT));
  if (!x || !element)
    return mlir::failure();
  return n.outputsOf(n.makeStateful<StringToNumberOp>(x, shapedAs(x, element)));
}

//===----------------------------------------------------------------------===//
// Random numbers
//===----------------------------------------------------------------------===//

/// A function of the node's seeds, or of its name where it has none: Weir has
/// no hidden state, so each step draws the same numbers.
template <typename OpT> static LogicalResult convertRandom(NodeConversion &n) {
  auto shape = n.integers(0);
  Type element = n.elementTypeAttr("dtype");
  if (!shape || !element)
    return mlir::failure();
  for (int64_t extent : *shape)
    if (extent < 0 || extent >= (int64_t(1) << 40))
      return n.fail("its shape has an extent that no tensor has");
  int64_t seed = numberOf(n, "seed"), seed2 = numberOf(n, "seed2");
  if (seed == 0 && seed2 == 0)
    for (char c : n.node.name)
      seed2 = static_cast<int64_t>(static_cast<uint64_t>(seed2) * 31 +
                                   static_cast<unsigned char>(c));
  Value key = n.constantInts(
      {seed, seed2}, RankedTensorType::get({2}, n.builder.getI64Type()));
  return n.emit<OpT>(key,
                     n.type("type", RankedTensorType::get(*shape, element)));
}

void weir::graphdef::addInputConverters(ConverterTable &table) {
  for (const char *version : {"", "V2"}) {
    auto row = [&](const char *op, OpConverter converter) {
      table[rt::str(op, version)] = converter;
    };
    row("WholeFileReader", convertReader<ReaderKind::whole_file>);
    row("IdentityReader", convertReader<ReaderKind::identity>);
    row("TextLineReader", convertTextReader);
    row("FixedLengthRecordReader", convertFixedReader);
    row("TFRecordReader", convertRecordReader);
    row("ReaderRead", convertReaderRead);
    row("ReaderReadUpTo", convertReadUpTo);
    row("ReaderNumRecordsProduced", convertCount<ReaderRecordsProducedOp>);
    row("ReaderNumWorkUnitsCompleted", convertCount<ReaderWorkCompletedOp>);
    row("ReaderReset", convertReset);
  }
  table["ReadFile"] = convertReadFile;
  table["MatchingFiles"] = convertMatchingFiles;
  table["DecodeRaw"] = convertDecodeRaw;
  table["DecodeCSV"] = convertDecodeCsv;
  table["DecodePng"] = table["DecodeJpeg"] = convertDecodeImage;
  table["ParseExample"] = convertParseExample;
  table["ParseExampleV2"] = convertParseExampleV2;
  table["ParseSingleExample"] = convertParseSingle;
  table["StringJoin"] = convertStringJoin;
  table["AsString"] = convertAsString;
  table["StringToNumber"] = convertStringToNumber;
}

void weir::graphdef::addRandomConverters(ConverterTable &table) {
  table["RandomUniform"] = convertRandom<RandomUniformOp>;
  table["RandomStandardNormal"] = convertRandom<RandomNormalOp>;
}

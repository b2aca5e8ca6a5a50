//===- Calls.cpp - Decoders, files and strings as nodes -------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// The calls of weir-c/dataflow.h that are plain functions of their inputs: they
// finish before they return. What a decoder makes has to fit the type that the
// graph declares, because compiled code relies on it.
//
//===----------------------------------------------------------------------===//

#include "runtime/base/Checked.h"
#include "runtime/base/DType.h"
#include "runtime/base/Format.h"
#include "runtime/executor/NodeCall.h"
#include "runtime/input/Decode.h"
#include "runtime/input/Strings.h"

#include <algorithm>

using namespace weir::rt;

static bool fits(const WeirTensorDesc &desc, const WeirView &view) {
  if (desc.dtype != view.dtype || (desc.rank >= 0 && desc.rank != view.rank))
    return false;
  for (int32_t i = 0; i < desc.rank; ++i)
    if (desc.dims[i] != -1 && desc.dims[i] != view.dims[i])
      return false;
  return true;
}

/// Puts `value` in output `index`, or says with `number` that it does not fit.
static Status setOutput(WeirNodeCall &call, int32_t index, TensorRef value,
                        const char *number) {
  const WeirTensorDesc &desc = call.node.outputs[index];
  WeirView view = value.view();
  if (!fits(desc, view))
    return Status(WEIR_INVALID_ARGUMENT,
                  str(number, "the input holds ",
                      typeText(view.dtype, view.dims, view.rank),
                      ", the graph declares ",
                      typeText(desc.dtype, desc.dims, desc.rank)));
  call.outputs[index] = std::move(value);
  return Status();
}

/// The string that input `index` is, of one element.
static Status stringInput(const WeirNodeCall &call, int32_t index,
                          const char *number, std::string_view &text) {
  WeirView view = call.inputs[index].view();
  int64_t count = 0;
  checkedCount(view.dims, view.rank, count);
  if (count != 1)
    return Status(WEIR_INVALID_ARGUMENT,
                  str(number, "one string is needed, this is ",
                      typeText(view.dtype, view.dims, view.rank)));
  text = textOf(*static_cast<const WeirString *>(view.data));
  return Status();
}

static std::vector<WeirView> viewsOf(const WeirNodeCall &call, int32_t first) {
  std::vector<WeirView> views;
  for (int32_t i = first; i < call.node.input_count; ++i)
    views.push_back(call.inputs[i].view());
  return views;
}

static std::string_view textAt(const WeirNodeCall &call, int32_t index) {
  return index < call.node.text_count ? textOf(call.node.texts[index])
                                      : std::string_view();
}

static int64_t numberAt(const WeirNodeCall &call, int32_t index) {
  return index < call.node.number_count ? call.node.numbers[index] : 0;
}

static Status readFile(WeirNodeCall &call) {
  std::string_view path;
  WEIR_RETURN_IF_ERROR(stringInput(call, 0, "[WEIR0360] ", path));
  TensorRef bytes;
  WEIR_RETURN_IF_ERROR(readWholeFile(path, bytes));
  return setOutput(call, 0, std::move(bytes), "[WEIR0360] ");
}

static Status matchFiles(WeirNodeCall &call) {
  WeirView patterns = call.inputs[0].view();
  int64_t count = 0;
  checkedCount(patterns.dims, patterns.rank, count);
  std::vector<std::string> all, files;
  for (int64_t i = 0; i < count; ++i) {
    WEIR_RETURN_IF_ERROR(matchingFiles(
        textOf(static_cast<const WeirString *>(patterns.data)[i]), files));
    all.insert(all.end(), files.begin(), files.end());
  }
  std::sort(all.begin(), all.end());
  StringsBuilder builder;
  for (const std::string &file : all)
    WEIR_RETURN_IF_ERROR(builder.add(file));
  TensorRef paths;
  WEIR_RETURN_IF_ERROR(builder.finish(paths));
  return setOutput(call, 0, std::move(paths), "[WEIR0360] ");
}

static Status decodeRawNode(WeirNodeCall &call) {
  TensorRef values;
  WEIR_RETURN_IF_ERROR(decodeRaw(call.inputs[0].view(),
                                 call.node.outputs[0].dtype,
                                 numberAt(call, 0) != 0, values));
  return setOutput(call, 0, std::move(values), "[WEIR0365] ");
}

static Status decodeCsvNode(WeirNodeCall &call) {
  CsvOptions options;
  options.quotes = numberAt(call, 0) != 0;
  std::string_view delimiter = textAt(call, 0);
  if (delimiter.size() != 1)
    return Status(
        WEIR_INVALID_ARGUMENT,
        str("[WEIR0364] the delimiter is one byte, not '", delimiter, "'"));
  options.delimiter = delimiter[0];
  options.notGiven = textAt(call, 1);
  std::vector<TensorRef> columns;
  WEIR_RETURN_IF_ERROR(
      decodeCsv(call.inputs[0].view(), viewsOf(call, 1), options, columns));
  for (size_t i = 0; i < columns.size(); ++i)
    WEIR_RETURN_IF_ERROR(setOutput(call, static_cast<int32_t>(i),
                                   std::move(columns[i]), "[WEIR0364] "));
  return Status();
}

static Status decodeImageNode(WeirNodeCall &call) {
  std::string_view bytes;
  WEIR_RETURN_IF_ERROR(stringInput(call, 0, "[WEIR0363] ", bytes));
  TensorRef image;
  WEIR_RETURN_IF_ERROR(decodeImage(bytes, numberAt(call, 0), image));
  return setOutput(call, 0, std::move(image), "[WEIR0363] ");
}

static Status decodeNpyNode(WeirNodeCall &call) {
  std::string_view bytes;
  WEIR_RETURN_IF_ERROR(stringInput(call, 0, "[WEIR0367] ", bytes));
  TensorRef value;
  WEIR_RETURN_IF_ERROR(decodeNpy(bytes, textAt(call, 0), value));
  return setOutput(call, 0, std::move(value), "[WEIR0367] ");
}

static Status parseExampleNode(WeirNodeCall &call) {
  std::vector<ExampleFeature> features;
  int32_t at = 0;
  for (int32_t i = 0; i < call.node.output_count; ++i) {
    ExampleFeature feature;
    feature.name = textAt(call, i);
    feature.dtype = call.node.outputs[i].dtype;
    for (int64_t rank = numberAt(call, at++); rank > 0; --rank)
      feature.dims.push_back(numberAt(call, at++));
    feature.defaultValue = call.inputs[i + 1].view();
    features.push_back(std::move(feature));
  }
  std::vector<TensorRef> values;
  WEIR_RETURN_IF_ERROR(parseExamples(call.inputs[0].view(), features, values));
  for (size_t i = 0; i < values.size(); ++i)
    WEIR_RETURN_IF_ERROR(setOutput(call, static_cast<int32_t>(i),
                                   std::move(values[i]), "[WEIR0366] "));
  return Status();
}

static Status joinStringsNode(WeirNodeCall &call) {
  TensorRef joined;
  WEIR_RETURN_IF_ERROR(joinStrings(viewsOf(call, 0), textAt(call, 0), joined));
  return setOutput(call, 0, std::move(joined), "[WEIR0369] ");
}

static Status formatNumbersNode(WeirNodeCall &call) {
  TensorRef strings;
  WEIR_RETURN_IF_ERROR(formatNumbers(call.inputs[0].view(), strings));
  return setOutput(call, 0, std::move(strings), "[WEIR0369] ");
}

static Status parseNumbersNode(WeirNodeCall &call) {
  TensorRef values;
  WEIR_RETURN_IF_ERROR(
      parseNumbers(call.inputs[0].view(), call.node.outputs[0].dtype, values));
  return setOutput(call, 0, std::move(values), "[WEIR0369] ");
}

void weir_node_read_file(WeirNodeCall *call) { call->finish(readFile(*call)); }
void weir_node_matching_files(WeirNodeCall *call) {
  call->finish(matchFiles(*call));
}
void weir_node_decode_raw(WeirNodeCall *call) {
  call->finish(decodeRawNode(*call));
}
void weir_node_decode_csv(WeirNodeCall *call) {
  call->finish(decodeCsvNode(*call));
}
void weir_node_decode_image(WeirNodeCall *call) {
  call->finish(decodeImageNode(*call));
}
void weir_node_decode_npy(WeirNodeCall *call) {
  call->finish(decodeNpyNode(*call));
}
void weir_node_parse_example(WeirNodeCall *call) {
  call->finish(parseExampleNode(*call));
}
void weir_node_string_join(WeirNodeCall *call) {
  call->finish(joinStringsNode(*call));
}
void weir_node_as_string(WeirNodeCall *call) {
  call->finish(formatNumbersNode(*call));
}
void weir_node_string_to_number(WeirNodeCall *call) {
  call->finish(parseNumbersNode(*call));
}

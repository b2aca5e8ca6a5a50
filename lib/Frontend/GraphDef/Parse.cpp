//===- Parse.cpp - GraphDefs from bytes, text and binary ----------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Frontend/GraphDef/GraphFileImpl.h"

#include "runtime/base/Format.h"
#include "saved_model.pb.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/text_format.h>

using namespace weir;
using namespace weir::graphdef;
namespace proto = google::protobuf;

namespace {

/// Keeps the first error of protobuf's parser of text.
class FirstError : public proto::io::ErrorCollector {
public:
  void AddError(int line, int column, const std::string &what) override {
    if (!text.empty())
      return;
    text = what;
    this->line = line < 0 ? 0 : line + 1;
    this->column = column < 0 ? 0 : column + 1;
  }
  void AddWarning(int, int, const std::string &) override {}

  std::string text;
  int line = 0, column = 0;
};

} // namespace

bool weir::graphdef::isText(std::string_view bytes) {
  return llvm::all_of(bytes, [](unsigned char c) {
    return c >= ' ' || (c >= '\t' && c <= '\r');
  });
}

/// The names of the fields that begin the text, comments left out.
static std::string_view firstWord(std::string_view text) {
  while (!text.empty()) {
    if (llvm::isSpace(text.front())) {
      text.remove_prefix(1);
    } else if (text.front() == '#') {
      size_t end = text.find('\n');
      text.remove_prefix(end == std::string_view::npos ? text.size() : end);
    } else {
      break;
    }
  }
  size_t length = 0;
  while (length < text.size() &&
         (llvm::isAlnum(text[length]) || text[length] == '_'))
    ++length;
  return text.substr(0, length);
}

/// `lenient`: fields that we do not know are skipped.
static bool parseText(std::string_view bytes, proto::Message &message,
                      bool lenient, FirstError &error,
                      proto::TextFormat::ParseInfoTree *tree = nullptr) {
  proto::io::ArrayInputStream stream(bytes.data(),
                                     static_cast<int>(bytes.size()));
  proto::TextFormat::Parser parser;
  parser.RecordErrorsTo(&error);
  parser.AllowUnknownField(lenient);
  parser.SetRecursionLimit(100);
  parser.WriteLocationsTo(tree);
  return parser.Parse(&stream, &message);
}

static bool textError(const std::string &name, const FirstError &error,
                      Messages &messages) {
  Message message;
  message.code = "WEIR0220";
  message.text = rt::str("[WEIR0220] this is no GraphDef: ", error.text);
  message.file = name;
  message.line = error.line;
  message.column = error.column;
  message.rendered = rt::str(name, ":", error.line, ":", error.column,
                             ": error: ", message.text, "\n");
  messages.add(std::move(message));
  return false;
}

static bool takeGraph(tf::SavedModel &model, const std::string &name,
                      tf::GraphDef &graph, Messages &messages) {
  for (tf::MetaGraphDef &meta : *model.mutable_meta_graphs())
    if (meta.has_graph_def()) {
      graph.Swap(meta.mutable_graph_def());
      return true;
    }
  return messages.error(rt::str(
      "[WEIR0221] '", name,
      "' is a SavedModel without a graph in it; a model in several files "
      "(.cpb) has to be saved as one"));
}

static bool takeGraph(tf::MetaGraphDef &meta, const std::string &name,
                      tf::GraphDef &graph, Messages &messages) {
  if (!meta.has_graph_def())
    return messages.error(rt::str("[WEIR0221] '", name,
                                  "' is a MetaGraphDef without a graph in it"));
  graph.Swap(meta.mutable_graph_def());
  return true;
}

static bool parseTextGraph(std::string_view bytes, const std::string &name,
                           tf::GraphDef &graph, llvm::StringMap<int> &lines,
                           Messages &messages) {
  std::string_view word = firstWord(bytes);
  FirstError error;
  if (word == "saved_model_schema_version" || word == "meta_graphs") {
    tf::SavedModel model;
    return parseText(bytes, model, /*lenient=*/true, error)
               ? takeGraph(model, name, graph, messages)
               : textError(name, error, messages);
  }
  if (word == "meta_info_def" || word == "graph_def") {
    tf::MetaGraphDef meta;
    return parseText(bytes, meta, /*lenient=*/true, error)
               ? takeGraph(meta, name, graph, messages)
               : textError(name, error, messages);
  }
  proto::TextFormat::ParseInfoTree tree;
  if (!parseText(bytes, graph, /*lenient=*/false, error, &tree))
    return textError(name, error, messages);
  const proto::FieldDescriptor *field =
      tf::GraphDef::descriptor()->FindFieldByName("node");
  for (int i = 0; i < graph.node_size(); ++i)
    lines[graph.node(i).name()] = tree.GetLocation(field, i).line + 1;
  return true;
}

/// Names of nodes and ops have these; so other messages that happen to have
/// the same wire format are told apart.
static bool isPlainName(const std::string &name) {
  return !name.empty() && llvm::all_of(name, [](unsigned char c) {
    return c > ' ' && c != 0x7f;
  });
}

static bool isPlausible(const tf::GraphDef &graph) {
  for (const tf::NodeDef &node : graph.node())
    if (!isPlainName(node.name()) || !isPlainName(node.op()))
      return false;
  for (const tf::FunctionDef &function : graph.library().function())
    if (!isPlainName(function.signature().name()))
      return false;
  return graph.node_size() || graph.has_library() || graph.has_versions();
}

static bool parseBinaryGraph(std::string_view bytes, const std::string &name,
                             tf::GraphDef &graph, Messages &messages) {
  int size = static_cast<int>(bytes.size());
  bool parsed = graph.ParseFromArray(bytes.data(), size);
  if (parsed && isPlausible(graph))
    return true;
  tf::MetaGraphDef meta;
  if (meta.ParseFromArray(bytes.data(), size) && isPlausible(meta.graph_def()))
    return takeGraph(meta, name, graph, messages);
  tf::SavedModel model;
  if (model.ParseFromArray(bytes.data(), size) &&
      (model.meta_graphs_size() || model.saved_model_schema_version()) &&
      llvm::all_of(model.meta_graphs(), [](const tf::MetaGraphDef &meta) {
        return !meta.has_graph_def() || isPlausible(meta.graph_def());
      }))
    return takeGraph(model, name, graph, messages);
  // What is wrong with a GraphDef is said better when its nodes are looked at.
  if (parsed && graph.node_size())
    return true;
  return messages.error(
      rt::str("[WEIR0220] '", name,
              "' is no GraphDef, MetaGraphDef or SavedModel: ", "its ",
              bytes.size(), " bytes do not parse"));
}

bool weir::graphdef::parseGraphDef(std::string_view bytes,
                                   const std::string &name, tf::GraphDef &graph,
                                   llvm::StringMap<int> &lines,
                                   Messages &messages) {
  constexpr size_t largest = (size_t(1) << 31) - 1;
  if (bytes.size() > largest)
    return messages.error(rt::str("[WEIR0220] '", name, "' has ", bytes.size(),
                                  " bytes; a GraphDef has at most ", largest));
  // protobuf would write to stderr what is reported here. This is our own copy
  // of it.
  static proto::LogHandler *const before = proto::SetLogHandler(nullptr);
  (void)before;
  return isText(bytes) ? parseTextGraph(bytes, name, graph, lines, messages)
                       : parseBinaryGraph(bytes, name, graph, messages);
}

bool weir::looksLikeGraphDef(std::string_view path, std::string_view content) {
  llvm::StringRef file(path);
  if (file.ends_with(".pb") || file.ends_with(".pbtxt") ||
      file.ends_with(".meta"))
    return true;
  if (file.ends_with(".mlir") || file.ends_with(".mlirbc") ||
      content.starts_with("ML\xefR"))
    return false;
  if (!isText(content))
    return true;
  constexpr std::string_view fields[] = {
      "node",          "library",    "versions",
      "version",       "debug_info", "meta_graphs",
      "meta_info_def", "graph_def",  "saved_model_schema_version"};
  return llvm::is_contained(fields, firstWord(content));
}

std::unique_ptr<GraphFile> GraphFile::parse(std::string_view bytes,
                                            const std::string &name,
                                            Messages &messages) {
  auto impl = std::make_unique<Impl>();
  impl->name = name;
  if (!parseGraphDef(bytes, name, impl->graph, impl->lines, messages))
    return nullptr;
  return std::unique_ptr<GraphFile>(new GraphFile(std::move(impl)));
}

std::unique_ptr<GraphFile> GraphFile::load(const std::string &path,
                                           Messages &messages) {
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(
      path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer) {
    messages.error(rt::str("[WEIR0201] cannot read '", path,
                           "': ", buffer.getError().message()));
    return nullptr;
  }
  return parse((*buffer)->getBuffer(), path, messages);
}

GraphFile::GraphFile(std::unique_ptr<Impl> impl) : impl(std::move(impl)) {}
GraphFile::~GraphFile() = default;

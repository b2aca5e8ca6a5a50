//===- Importer.h - From TensorFlow's GraphDef to a module ---- -*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads a GraphDef (text or binary, also inside a MetaGraphDef or SavedModel)
// and makes a `weir.graph` of it. docs/spec/graphdef.md says what becomes of
// each kind of node. A node that cannot be converted becomes `weir.foreign`,
// with the reason in it, and a remark in the messages: only running it fails.
//
// Errors: what can fail takes a `Messages`; when it returns null, at least one
// error, [WEIR0220] and following, is in it. No input ends the process.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_FRONTEND_GRAPHDEF_IMPORTER_H
#define WEIR_LIB_FRONTEND_GRAPHDEF_IMPORTER_H

#include "lib/Driver/Driver.h"
#include "lib/Support/Messages.h"
#include "weir-c/types.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weir {

/// A tensor that the caller supplies. It cuts the graph: the node that makes
/// it runs only if something else needs it.
struct GraphFeed {
  /// "name", "name:port".
  std::string tensor;
  /// What the caller is going to feed, where it is known better than the graph
  /// says it: WEIR_DTYPE_INVALID for the graph's own.
  int32_t dtype = WEIR_DTYPE_INVALID;
  /// Extents, -1 where they are open; nothing for the graph's own.
  std::optional<std::vector<int64_t>> shape;
};

struct GraphImportOptions {
  std::vector<GraphFeed> feeds;
  /// "name", "name:port"; the results of the entry, in this order.
  std::vector<std::string> fetches;
  /// "name", "^name": nodes to run for their effects.
  std::vector<std::string> targets;
  /// The name of the weir.graph.
  std::string entry = "main";
};

/// A parsed GraphDef, from which programs for different feeds and fetches are
/// made. Constant: it may be used by several threads at once.
class GraphFile {
public:
  ~GraphFile();
  GraphFile(const GraphFile &) = delete;
  GraphFile &operator=(const GraphFile &) = delete;

  /// Reads a file, "-" for standard input; text or binary is seen from the
  /// content.
  static std::unique_ptr<GraphFile> load(const std::string &path,
                                         Messages &messages);
  /// The same from memory; `name` stands for the file in messages.
  static std::unique_ptr<GraphFile>
  parse(std::string_view bytes, const std::string &name, Messages &messages);

  /// A program with one graph, `options.entry`. Only what the fetches and
  /// targets need is in it. Without fetches and targets, all nodes of the graph
  /// are: placeholders become its feeds, the outputs of nodes that nothing
  /// consumes its fetches, and what has no output its targets.
  ///
  /// Feeds and fetches are named as TensorFlow names tensors, "name:port", and
  /// are in the order given; placeholders that are needed and not fed follow as
  /// feeds. A tensor that is fetched again has the name "name:port/1".
  /// Variables and resources are named by container and shared name, so that
  /// all programs made from a file mean the same ones.
  std::unique_ptr<Program> import(const GraphImportOptions &options,
                                  Messages &messages) const;

  struct Impl;

private:
  explicit GraphFile(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl;
};

/// GraphFile::load and import in one.
std::unique_ptr<Program> importGraphDef(const std::string &path,
                                        const GraphImportOptions &options,
                                        Messages &messages);

/// True where a file with this name and content is a GraphDef rather than MLIR
/// text or bytecode.
bool looksLikeGraphDef(std::string_view path, std::string_view content);

/// Reads "name[:port][=dtype[shape]]", for example "x:0=f32[?x8]" or
/// "x=f32[]", as command lines have it. False and an error where it is none.
bool parseGraphFeed(std::string_view text, GraphFeed &feed, Messages &messages);

} // namespace weir

#endif // WEIR_LIB_FRONTEND_GRAPHDEF_IMPORTER_H

//===- GraphFileImpl.h - Inside a GraphFile ------------------ -*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_FRONTEND_GRAPHDEF_GRAPHFILEIMPL_H
#define WEIR_LIB_FRONTEND_GRAPHDEF_GRAPHFILEIMPL_H

#include "graph.pb.h"
#include "lib/Frontend/GraphDef/Importer.h"
#include "llvm/ADT/StringMap.h"

namespace weir {

struct GraphFile::Impl {
  /// Of the file, for messages.
  std::string name;
  tf::GraphDef graph;
  /// The lines of its nodes, from 1, where it is a text.
  llvm::StringMap<int> lines;
};

namespace graphdef {

/// True where bytes are protobuf's text format rather than its wire format.
bool isText(std::string_view bytes);

/// Reads a GraphDef, or the first one of a MetaGraphDef or SavedModel.
bool parseGraphDef(std::string_view bytes, const std::string &name,
                   tf::GraphDef &graph, llvm::StringMap<int> &lines,
                   Messages &messages);

} // namespace graphdef
} // namespace weir

#endif // WEIR_LIB_FRONTEND_GRAPHDEF_GRAPHFILEIMPL_H

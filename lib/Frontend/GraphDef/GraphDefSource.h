//===- GraphDefSource.h - Steps on a GraphDef ----------------- -*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_FRONTEND_GRAPHDEF_GRAPHDEFSOURCE_H
#define WEIR_LIB_FRONTEND_GRAPHDEF_GRAPHDEFSOURCE_H

#include "lib/Driver/GraphRun.h"
#include "lib/Frontend/GraphDef/Importer.h"

namespace weir {

/// What a GraphSession needs to run steps on a GraphDef. Remarks about nodes
/// that cannot be converted go to the messages of each derivation.
std::unique_ptr<GraphSource>
makeGraphDefSource(std::unique_ptr<GraphFile> file);

/// What weir-run runs: a program with its entry points or, for a GraphDef and
/// for requests that name inner values, a source of programs. Both are null on
/// an error.
struct RunInput {
  std::unique_ptr<Program> program;
  std::unique_ptr<GraphSource> source;
};
RunInput openRunInput(const std::string &path, const RunRequest &request,
                      Messages &messages);

} // namespace weir

#endif // WEIR_LIB_FRONTEND_GRAPHDEF_GRAPHDEFSOURCE_H

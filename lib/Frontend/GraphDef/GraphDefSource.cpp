//===- GraphDefSource.cpp - Steps on a GraphDef ---------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Frontend/GraphDef/GraphDefSource.h"

#include "llvm/Support/MemoryBuffer.h"

using namespace weir;

namespace {
class GraphDefSource : public GraphSource {
public:
  explicit GraphDefSource(std::unique_ptr<GraphFile> file)
      : file(std::move(file)) {}

  std::unique_ptr<Program> derive(const EntryRequest &request,
                                  Messages &messages) const override {
    GraphImportOptions options;
    for (const FeedRequest &feed : request.feeds)
      options.feeds.push_back({feed.name, feed.dtype, feed.dims});
    options.fetches = request.fetches;
    options.targets = request.targets;
    return file->import(options, messages);
  }

private:
  std::unique_ptr<GraphFile> file;
};
} // namespace

std::unique_ptr<GraphSource>
weir::makeGraphDefSource(std::unique_ptr<GraphFile> file) {
  return std::make_unique<GraphDefSource>(std::move(file));
}

/// True for a file that holds a GraphDef rather than MLIR; false for standard
/// input and where it cannot be read.
static bool isGraphDefFile(const std::string &path) {
  if (path == "-")
    return false;
  auto buffer = llvm::MemoryBuffer::getFile(path);
  return buffer && looksLikeGraphDef(path, (*buffer)->getBuffer());
}

RunInput weir::openRunInput(const std::string &path, const RunRequest &request,
                            Messages &messages) {
  RunInput result;
  if (isGraphDefFile(path)) {
    if (std::unique_ptr<GraphFile> file = GraphFile::load(path, messages))
      result.source = makeGraphDefSource(std::move(file));
    return result;
  }
  result.program = Program::load(path, messages);
  if (!result.program || !namesInnerValues(*result.program, request))
    return result;
  std::string entry = request.entries.empty()
                          ? result.program->entries().front().name
                          : request.entries.front();
  result.source =
      GraphSource::create(std::move(result.program), entry, messages);
  return result;
}

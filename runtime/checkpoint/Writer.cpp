//===- Writer.cpp - Saving tensors ----------------------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The order of system calls here is the promise: see
// docs/rationale/checkpoint-commit.md before changing it.
//
//===----------------------------------------------------------------------===//
#include "runtime/checkpoint/IndexTable.h"
#include "runtime/checkpoint/WriterParts.h"

#include <algorithm>

using namespace weir::rt;

/// Writes the data file under a temporary name and builds the index.
static Status writeData(Env &env, const std::string &path, int32_t shard,
                        const std::vector<NamedTensor> &tensors,
                        std::string &index) {
  std::unique_ptr<WritableFile> file;
  WEIR_RETURN_IF_ERROR(env.create(path, file));
  DataWriter writer(*file);
  BundleHeader header;
  header.shardCount = shard + 1;
  header.producer = 1;
  TableEntries entries = {{"", serializeHeader(header)}};
  for (const NamedTensor &tensor : tensors) {
    BundleEntry entry;
    entry.shard = shard;
    WEIR_RETURN_IF_ERROR(writer.add(tensor, entry));
    entries.emplace_back(tensor.name, serializeEntry(entry));
  }
  WEIR_RETURN_IF_ERROR(file->sync());
  WEIR_RETURN_IF_ERROR(file->close());
  return buildTable(entries, index);
}

/// Writes and commits data and index.
static Status commit(Env &env, const std::string &prefix,
                     const std::vector<NamedTensor> &tensors) {
  std::string directory = directoryOf(prefix);
  int32_t shard = chooseShards(env, prefix, 1);
  std::string dataName = dataPath(prefix, shard, shard + 1);
  std::string indexName = indexPath(prefix);
  PendingFile data(env, temporaryName(dataName));
  PendingFile index(env, temporaryName(indexName));
  std::string table;
  WEIR_RETURN_IF_ERROR(writeData(env, data.name(), shard, tensors, table));
  WEIR_RETURN_IF_ERROR(writeFile(env, index.name(), table));
  WEIR_RETURN_IF_ERROR(data.renameTo(dataName));
  WEIR_RETURN_IF_ERROR(env.syncDirectory(directory));
  WEIR_RETURN_IF_ERROR(env.rename(index.name(), indexName));
  // From here on the checkpoint exists.
  index.keep();
  data.keep();
  WEIR_RETURN_IF_ERROR(env.syncDirectory(directory));
  removeStaleData(env, prefix, {dataName});
  return Status();
}

Status weir::rt::saveCheckpoint(Env &env, const std::string &prefix,
                                std::vector<NamedTensor> tensors,
                                const SaveOptions &options) {
  WEIR_RETURN_IF_ERROR(checkPrefix(prefix));
  // The index is sorted by name, and the data file follows it.
  std::sort(tensors.begin(), tensors.end(),
            [](const NamedTensor &a, const NamedTensor &b) {
              return a.name < b.name;
            });
  WEIR_RETURN_IF_ERROR(checkTensors(prefix, tensors));
  std::lock_guard<std::mutex> lock(savingMutex());
  Status committed = commit(env, prefix, tensors);
  if (!committed.ok())
    return notSaved(std::move(committed), prefix);
  Status updated = updateState(env, prefix, options.keep);
  return updated.ok() ? Status() : stateNotSaved(std::move(updated), prefix);
}

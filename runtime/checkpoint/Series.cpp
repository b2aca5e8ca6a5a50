//===- Series.cpp - The checkpoints of one training -----------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/checkpoint/Series.h"
#include "runtime/base/Format.h"
#include "runtime/checkpoint/StateFile.h"
#include "runtime/core/Allocator.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>

using namespace weir::rt;

/// Read each time: saves take much longer.
int weir::rt::keptCheckpoints() {
  constexpr int kUsual = 5;
  const char *text = std::getenv("WEIR_KEEP_CHECKPOINTS");
  int count = 0;
  if (!text)
    return kUsual;
  const char *end = text + std::strlen(text);
  auto parsed = std::from_chars(text, end, count);
  bool isCount = parsed.ec == std::errc() && parsed.ptr == end && count > 0;
  return isCount ? count : kUsual;
}

void weir::rt::setKeptCheckpoints(int count) {
  ::setenv("WEIR_KEEP_CHECKPOINTS", std::to_string(count).c_str(),
           /*overwrite=*/1);
}

std::string weir::rt::checkpointOfStep(const std::string &stem, int64_t step) {
  return str(stem, "-", step);
}

/// Reads the step of "<base>-<step>", which is written as checkpointOfStep
/// writes it.
static bool readStep(std::string_view name, const std::string &base,
                     int64_t &step) {
  if (name.size() < base.size() + 2 || name.substr(0, base.size()) != base ||
      name[base.size()] != '-')
    return false;
  std::string_view digits = name.substr(base.size() + 1);
  auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), step);
  return error == std::errc() && end == digits.data() + digits.size() &&
         step >= 0 && digits == std::to_string(step);
}

static Status verifyTensor(CheckpointReader &reader, const std::string &name) {
  const BundleEntry *entry;
  WEIR_RETURN_IF_ERROR(reader.find(name, entry));
  if (entry->dtype == WEIR_STRING) {
    std::vector<std::string> strings;
    return reader.readStrings(name, *entry, strings);
  }
  Block *block = allocateBlock(std::max<int64_t>(entry->size, 1));
  if (!block)
    return Status(WEIR_RESOURCE_EXHAUSTED,
                  str("[WEIR0311] no memory to read tensor '", name, "' (",
                      entry->size, " bytes)"));
  Status status = reader.read(name, *entry, block->payload());
  releaseBlock(block);
  return status;
}

Status weir::rt::verifyCheckpoint(Env &env, const std::string &prefix) {
  std::unique_ptr<CheckpointReader> reader;
  WEIR_RETURN_IF_ERROR(CheckpointReader::open(env, prefix, reader));
  for (const auto &[name, entry] : reader->entries())
    WEIR_RETURN_IF_ERROR(verifyTensor(*reader, name));
  return Status();
}

/// The names "<base>-<step>" of a directory that may be checkpoints, newest
/// first.
static std::vector<std::string>
listSeries(Env &env, const std::string &directory, const std::string &base) {
  int64_t step;
  std::vector<std::string> names;
  CheckpointState state = readState(env, directory);
  state.all.push_back(state.newest);
  for (size_t i = state.all.size(); i-- > 0;)
    if (readStep(state.all[i], base, step) &&
        env.exists(indexPath(directory + "/" + state.all[i])))
      names.push_back(state.all[i]);
  std::vector<std::pair<int64_t, std::string>> found;
  std::vector<std::string> files;
  if (env.list(directory, files).ok())
    for (const std::string &file : files)
      if (file.size() > 6 && file.substr(file.size() - 6) == ".index" &&
          readStep(file.substr(0, file.size() - 6), base, step))
        found.emplace_back(step, file.substr(0, file.size() - 6));
  std::sort(found.rbegin(), found.rend());
  for (auto &[number, name] : found)
    names.push_back(std::move(name));
  // The first of equal names stays.
  std::vector<std::string> unique;
  for (std::string &name : names)
    if (std::find(unique.begin(), unique.end(), name) == unique.end())
      unique.push_back(std::move(name));
  return unique;
}

Status weir::rt::findNewestCheckpoint(Env &env, const std::string &stem,
                                      NewestCheckpoint &newest) {
  const std::string directory = directoryOf(stem), base = baseNameOf(stem);
  newest = {};
  for (const std::string &name : listSeries(env, directory, base)) {
    std::string prefix = stem.substr(0, stem.size() - base.size()).append(name);
    Status status = verifyCheckpoint(env, prefix);
    // One that another run has removed meanwhile.
    if (status.code() == WEIR_NOT_FOUND)
      continue;
    if (!status.ok()) {
      newest.damaged.push_back(std::move(status));
      continue;
    }
    newest.prefix = std::move(prefix);
    readStep(name, base, newest.step);
    return Status();
  }
  if (newest.damaged.empty())
    return Status(WEIR_NOT_FOUND, str("[WEIR0266] there is no checkpoint '",
                                      stem, "-<step>' to go on from"));
  return Status(WEIR_DATA_LOSS, str("[WEIR0265] no checkpoint '", stem,
                                    "-<step>' is whole; the newest: ",
                                    newest.damaged.front().message()));
}

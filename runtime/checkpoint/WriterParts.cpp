//===- WriterParts.cpp - What all saves share -----------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/checkpoint/WriterParts.h"
#include "runtime/base/DType.h"
#include "runtime/base/Format.h"
#include "runtime/base/WireFormat.h"
#include "runtime/checkpoint/Crc32c.h"
#include "runtime/checkpoint/StateFile.h"
#include "runtime/core/Tensor.h"

#include <algorithm>
#include <atomic>
#include <random>
#include <unistd.h>

using namespace weir::rt;

/// Tensors start at multiples of this in the data file, so that it can be
/// mapped; readers follow the offsets.
constexpr int64_t kAlignment = 64;

Status DataWriter::add(const NamedTensor &tensor, BundleEntry &entry) {
  WEIR_RETURN_IF_ERROR(pad());
  const WeirView &view = tensor.view;
  entry.dtype = view.dtype;
  entry.shape.assign(view.dims, view.dims + view.rank);
  entry.offset = position;
  uint32_t crc = 0;
  if (view.dtype == WEIR_STRING)
    WEIR_RETURN_IF_ERROR(addStrings(view, crc));
  else
    WEIR_RETURN_IF_ERROR(append(view.data, viewBytes(view), crc));
  entry.size = position - entry.offset;
  entry.crc = maskCrc32c(crc);
  return Status();
}

Status DataWriter::append(const void *data, int64_t size, uint32_t &crc) {
  crc = extendCrc32c(crc, data, static_cast<size_t>(size));
  position += size;
  return file.append(data, size);
}

Status DataWriter::pad() {
  static const char zeros[kAlignment] = {};
  int64_t padding = -position & (kAlignment - 1);
  position += padding;
  return file.append(zeros, padding);
}

/// TensorFlow's layout: the lengths as varints, a checksum of them, the
/// bytes.
Status DataWriter::addStrings(const WeirView &view, uint32_t &crc) {
  const WeirString *strings = static_cast<const WeirString *>(view.data);
  int64_t count = viewBytes(view) / static_cast<int64_t>(sizeof(WeirString));
  std::string lengths;
  for (int64_t i = 0; i < count; ++i) {
    uint64_t length = static_cast<uint64_t>(strings[i].size);
    uint32_t narrow = static_cast<uint32_t>(length);
    putVarint(lengths, length);
    crc = length <= UINT32_MAX ? extendCrc32c(crc, &narrow, sizeof(narrow))
                               : extendCrc32c(crc, &length, sizeof(length));
  }
  uint32_t unused = 0;
  WEIR_RETURN_IF_ERROR(
      append(lengths.data(), static_cast<int64_t>(lengths.size()), unused));
  uint32_t masked = maskCrc32c(crc);
  WEIR_RETURN_IF_ERROR(append(&masked, sizeof(masked), crc));
  for (int64_t i = 0; i < count; ++i)
    WEIR_RETURN_IF_ERROR(append(strings[i].data, strings[i].size, crc));
  return Status();
}

std::mutex &weir::rt::savingMutex() {
  static std::mutex saving;
  return saving;
}

std::string weir::rt::temporaryName(const std::string &path) {
  static std::atomic<unsigned> counter{0};
  // Processes of other machines may write here, and have the same numbers.
  static const unsigned process = std::random_device()();
  return str(path, ".tempstate", static_cast<long>(getpid()), "-", process, "-",
             counter.fetch_add(1));
}

Status weir::rt::writeFile(Env &env, const std::string &path,
                           const std::string &bytes) {
  std::unique_ptr<WritableFile> file;
  WEIR_RETURN_IF_ERROR(env.create(path, file));
  WEIR_RETURN_IF_ERROR(
      file->append(bytes.data(), static_cast<int64_t>(bytes.size())));
  WEIR_RETURN_IF_ERROR(file->sync());
  return file->close();
}

Status weir::rt::checkPrefix(const std::string &prefix) {
  if (prefix.empty() || prefix.find('\0') != std::string::npos ||
      prefix.back() == '/')
    return Status(WEIR_INVALID_ARGUMENT,
                  str("[WEIR0410] '", prefix.c_str(),
                      "' is no prefix for a checkpoint: it is empty, ends in "
                      "'/' or has a zero byte in it"));
  return Status();
}

Status weir::rt::checkTensors(const std::string &prefix,
                              const std::vector<NamedTensor> &tensors) {
  WEIR_RETURN_IF_ERROR(checkPrefix(prefix));
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (tensors[i].name.empty())
      return Status(WEIR_INVALID_ARGUMENT,
                    str("[WEIR0408] a tensor to save in checkpoint '", prefix,
                        "' has no name"));
    if (i > 0 && tensors[i].name == tensors[i - 1].name)
      return Status(WEIR_INVALID_ARGUMENT,
                    str("[WEIR0408] two tensors to save in checkpoint '",
                        prefix, "' are named '", tensors[i].name, "'"));
    WEIR_RETURN_IF_ERROR(
        checkView(tensors[i].view,
                  str("tensor '", tensors[i].name, "' to save").c_str()));
  }
  return Status();
}

int32_t weir::rt::chooseShards(Env &env, const std::string &prefix,
                               int32_t count) {
  // Without an index there is nothing to protect.
  if (!env.exists(indexPath(prefix)))
    return 0;
  auto isFree = [&](int32_t first) {
    for (int32_t i = 0; i < count; ++i)
      if (env.exists(dataPath(prefix, first + i, first + count)))
        return false;
    return true;
  };
  int32_t first = 0;
  while (first < 99998 - count && !isFree(first))
    ++first;
  return first;
}

void weir::rt::removeStaleData(Env &env, const std::string &prefix,
                               const std::vector<std::string> &current) {
  std::vector<std::string> files;
  if (!env.list(directoryOf(prefix), files).ok())
    return;
  std::string start = baseNameOf(prefix) + ".data-";
  for (const std::string &file : files) {
    // "<base>.data-00000-of-00001"
    if (file.size() != start.size() + 14 ||
        file.compare(0, start.size(), start) != 0 ||
        file.compare(start.size() + 5, 4, "-of-") != 0 ||
        std::any_of(
            current.begin(), current.end(),
            [&](const std::string &path) { return baseNameOf(path) == file; }))
      continue;
    Status ignored = env.remove(directoryOf(prefix) + "/" + file);
    (void)ignored;
  }
}

/// Splits "stem-12" into its stem and says whether it is of that form.
static bool splitNumbered(const std::string &name, std::string &stem) {
  size_t dash = name.rfind('-');
  if (dash == std::string::npos || dash == 0 || dash + 1 == name.size() ||
      name.find_first_not_of("0123456789", dash + 1) != std::string::npos)
    return false;
  stem = name.substr(0, dash);
  return true;
}

/// Moves out of `state` those checkpoints that make way for the newest: of its
/// stem, older than the `keep` newest. Others in the directory are not ours to
/// remove.
static std::vector<std::string> takeOutdated(CheckpointState &state, int keep) {
  std::string stem, other;
  if (!splitNumbered(state.newest, stem))
    return {};
  std::vector<std::string> outdated, kept;
  int newer = 0;
  for (size_t i = state.all.size(); i-- > 0;) {
    const std::string &name = state.all[i];
    bool same = name.find('/') == std::string::npos &&
                splitNumbered(name, other) && other == stem;
    if (same && ++newer > std::max(keep, 2))
      outdated.push_back(name);
    else
      kept.push_back(name);
  }
  state.all.assign(kept.rbegin(), kept.rend());
  return outdated;
}

/// Removes a whole checkpoint, index first: what is left without an index is
/// not a checkpoint.
static void removeCheckpoint(Env &env, const std::string &prefix) {
  if (env.remove(indexPath(prefix)).ok())
    removeStaleData(env, prefix, {});
}

Status weir::rt::updateState(Env &env, const std::string &prefix, int keep) {
  std::string directory = directoryOf(prefix);
  CheckpointState state = readState(env, directory);
  state.newest = baseNameOf(prefix);
  auto gone = [&](const std::string &name) {
    return name == state.newest ||
           (name[0] != '/' && !env.exists(indexPath(directory + "/" + name)));
  };
  state.all.erase(std::remove_if(state.all.begin(), state.all.end(), gone),
                  state.all.end());
  state.all.push_back(state.newest);
  std::vector<std::string> outdated = takeOutdated(state, keep);
  std::string path = directory + "/checkpoint";
  PendingFile pending(env, temporaryName(path));
  WEIR_RETURN_IF_ERROR(writeFile(env, pending.name(), printState(state)));
  WEIR_RETURN_IF_ERROR(env.rename(pending.name(), path));
  pending.keep();
  WEIR_RETURN_IF_ERROR(env.syncDirectory(directory));
  for (const std::string &name : outdated)
    removeCheckpoint(env, directory + "/" + name);
  return Status();
}

Status weir::rt::notSaved(Status status, const std::string &prefix) {
  return std::move(status)
      .withContext(str("cannot save checkpoint '", prefix, "': "))
      .withNumber("[WEIR0407] ");
}

Status weir::rt::stateNotSaved(Status status, const std::string &prefix) {
  return std::move(status)
      .withContext(
          str("checkpoint '", prefix,
              "' is saved, but the state file beside it is not up to date: "))
      .withNumber("[WEIR0407] ");
}

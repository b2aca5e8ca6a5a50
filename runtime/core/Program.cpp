//===- Program.cpp - Is this program fit to run here? ---------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/core/Program.h"
#include "runtime/base/Checked.h"
#include "runtime/base/DType.h"
#include "runtime/base/Format.h"
#include "runtime/core/CpuFeatures.h"
#include "runtime/core/Tensor.h"
#include "runtime/device/Device.h"

#include <cstring>

using namespace weir::rt;

static Status malformed(const WeirProgram &program, const std::string &what) {
  return Status(WEIR_INVALID_ARGUMENT,
                str("[WEIR0309] program '",
                    program.name ? program.name : "(unnamed)",
                    "' is malformed: ", what,
                    "; compile it again with this version of Weir"));
}

namespace {
/// What the descriptors are of: the extents of variables are static, or their
/// rank unknown, and only what a step makes may be a handle.
enum class Role { Variable, Feed, Fetch };
} // namespace

static Status checkDescs(const WeirProgram &program, const std::string &owner,
                         Role role, const WeirTensorDesc *descs,
                         int32_t count) {
  const char *kind = role == Role::Variable ? "variable"
                     : role == Role::Feed   ? "feed"
                                            : "fetch";
  const bool isVariable = role == Role::Variable;
  if (count < 0 || (count > 0 && !descs))
    return malformed(program, str(owner, " has ", count, " ", kind, "s but ",
                                  descs ? "a" : "no", " table of them"));
  for (int32_t i = 0; i < count; ++i) {
    const WeirTensorDesc &desc = descs[i];
    if (!desc.name)
      return malformed(program,
                       str(kind, " ", i, " of ", owner, " has no name"));
    std::string subject = str(kind, " '", desc.name, "' of ", owner);
    if (desc.rank < -1 || desc.rank > WEIR_MAX_RANK ||
        (desc.rank > 0 && !desc.dims))
      return malformed(program, str(subject, " has rank ", desc.rank,
                                    desc.dims ? "" : " and no extents"));
    if (desc.dtype == WEIR_RESOURCE) {
      if (role == Role::Fetch && desc.rank <= 0)
        continue;
      return malformed(program,
                       str(subject, role == Role::Fetch
                                        ? " is a handle that is no scalar"
                                        : " is a handle; only a step makes "
                                          "handles"));
    }
    const DTypeInfo *info = dtypeInfo(desc.dtype);
    if (!info)
      return malformed(
          program, str(subject, " has the unknown element type ", desc.dtype));
    int64_t known[WEIR_MAX_RANK];
    for (int32_t d = 0; d < desc.rank; ++d) {
      known[d] = desc.dims[d] == -1 ? 1 : desc.dims[d];
      if (desc.dims[d] < -1 || (isVariable && desc.dims[d] < 0))
        return malformed(program, str(subject, " has extent ", desc.dims[d],
                                      " in dimension ", d));
    }
    int64_t bytes;
    if (desc.rank > 0 && !checkedBytes(known, desc.rank, info->size, bytes))
      return malformed(program, str(subject, " is larger than any tensor may "
                                             "be (2^46 bytes)"));
  }
  return Status();
}

/// A feed or fetch of a part is one of the whole.
static Status checkPlaces(const WeirProgram &program, const std::string &owner,
                          const char *kind, const int32_t *places,
                          const WeirTensorDesc *descs, int32_t count,
                          const WeirTensorDesc *wholeDescs, int32_t wholeCount,
                          std::vector<int32_t> &uses) {
  if (count > 0 && !places)
    return malformed(program, str(owner, " does not say which ", kind,
                                  "s of the whole it has"));
  for (int32_t i = 0; i < count; ++i) {
    if (places[i] < 0 || places[i] >= wholeCount)
      return malformed(program, str(owner, " has ", kind, " ", places[i],
                                    " of the whole, which has ", wholeCount));
    const WeirTensorDesc &whole = wholeDescs[places[i]];
    if (typeText(whole.dtype, whole.dims, whole.rank) !=
        typeText(descs[i].dtype, descs[i].dims, descs[i].rank))
      return malformed(
          program,
          str(kind, " '", whole.name, "' is ",
              typeText(whole.dtype, whole.dims, whole.rank), ", and in ", owner,
              " ", typeText(descs[i].dtype, descs[i].dims, descs[i].rank)));
    ++uses[static_cast<size_t>(places[i])];
  }
  return Status();
}

/// The parts of an entry that is spread over devices.
static Status checkParts(const WeirProgram &program,
                         const WeirEntryDesc &entry) {
  const std::string owner = str("entry '", entry.name, "'");
  if (entry.part_count < 1 || !entry.parts)
    return malformed(program, str(owner, " has ", entry.part_count, " parts",
                                  entry.parts ? "" : " and no table of them"));
  if (entry.dataflow || entry.device)
    return malformed(program, str(owner, " has parts, and ",
                                  entry.dataflow ? "a table" : "a device",
                                  " of its own"));
  std::vector<int32_t> fed(static_cast<size_t>(entry.feed_count)),
      fetched(static_cast<size_t>(entry.fetch_count));
  for (int32_t i = 0; i < entry.part_count; ++i) {
    const WeirPartDesc &desc = entry.parts[i];
    if (desc.entry < 0 || desc.entry >= program.entry_count)
      return malformed(program, str("part ", i, " of ", owner, " is entry ",
                                    desc.entry, " of ", program.entry_count));
    const WeirEntryDesc &part = program.entries[desc.entry];
    const std::string name = str("part '", part.name, "' of ", owner);
    if (part.part_count != 0)
      return malformed(program, str(name, " has parts itself"));
    WEIR_RETURN_IF_ERROR(checkPlaces(program, name, "feed", desc.feeds,
                                     part.feeds, part.feed_count, entry.feeds,
                                     entry.feed_count, fed));
    WEIR_RETURN_IF_ERROR(checkPlaces(
        program, name, "fetch", desc.fetches, part.fetches, part.fetch_count,
        entry.fetches, entry.fetch_count, fetched));
  }
  for (int32_t i = 0; i < entry.fetch_count; ++i)
    if (fetched[static_cast<size_t>(i)] != 1)
      return malformed(program,
                       str("fetch '", entry.fetches[i].name, "' of ", owner,
                           " is of ", fetched[static_cast<size_t>(i)],
                           " parts, not of one"));
  return Status();
}

/// What makes the devices, and the devices that entries name.
static Status checkDevices(const WeirProgram &program) {
  if (program.device_kind_count < 0 ||
      (program.device_kind_count > 0 && !program.device_kinds))
    return malformed(program, "it has no table of device kinds");
  for (int32_t i = 0; i < program.device_kind_count; ++i)
    if (!program.device_kinds[i] || !program.device_kinds[i]->type ||
        !program.device_kinds[i]->create)
      return malformed(program, str("device kind ", i, " makes nothing"));
  for (int32_t i = 0; i < program.entry_count; ++i) {
    const WeirEntryDesc &entry = program.entries[i];
    if (!entry.device)
      continue;
    FullDeviceName name;
    if (Status parsed = FullDeviceName::parse(entry.device, name); !parsed.ok())
      return malformed(program,
                       str("entry '", entry.name, "' runs on '", entry.device,
                           "', which is no full name "
                           "of a device"));
    if (name.type != "CPU" && !entry.dataflow)
      return malformed(program,
                       str("entry '", entry.name, "' runs on ", entry.device,
                           " and has no table of "
                           "nodes"));
  }
  return Status();
}

Status weir::rt::checkProgram(const WeirProgram *program) {
  if (!program)
    return Status(WEIR_INVALID_ARGUMENT,
                  "[WEIR0309] there is no program (the pointer is null)");
  if (program->abi != WEIR_PROGRAM_ABI)
    return Status(
        WEIR_FAILED_PRECONDITION,
        str("[WEIR0309] the program was compiled for version ", program->abi,
            " of the program format, this runtime has "
            "version ",
            WEIR_PROGRAM_ABI, "; compile it again with this version of Weir"));
  if (!program->name)
    return malformed(*program, "it has no name");
  WEIR_RETURN_IF_ERROR(checkDescs(*program, "the program", Role::Variable,
                                  program->variables, program->variable_count));
  if (program->entry_count < 0 ||
      (program->entry_count > 0 && !program->entries))
    return malformed(*program, "it has no table of entry points");
  for (int32_t i = 0; i < program->entry_count; ++i) {
    const WeirEntryDesc &entry = program->entries[i];
    if (!entry.name || !entry.fn)
      return malformed(*program, str("entry point ", i, " has no ",
                                     entry.name ? "code" : "name"));
    std::string owner = str("entry '", entry.name, "'");
    WEIR_RETURN_IF_ERROR(
        checkDescs(*program, owner, Role::Feed, entry.feeds, entry.feed_count));
    WEIR_RETURN_IF_ERROR(checkDescs(*program, owner, Role::Fetch, entry.fetches,
                                    entry.fetch_count));
  }
  for (int32_t i = 0; i < program->entry_count; ++i)
    if (program->entries[i].parts || program->entries[i].part_count != 0)
      WEIR_RETURN_IF_ERROR(checkParts(*program, program->entries[i]));
  WEIR_RETURN_IF_ERROR(checkDevices(*program));
  std::string missing =
      missingCpuFeatures(program->cpu_features ? program->cpu_features : "");
  if (!missing.empty())
    return Status(WEIR_FAILED_PRECONDITION,
                  str("[WEIR0310] program '", program->name,
                      "' was compiled for a processor with ", missing,
                      ", which this one does not have; compile it for this "
                      "machine with --target-cpu=native, or for an older "
                      "processor, for example --target-cpu=x86-64-v3"));
  return Status();
}

/// Parts of entries are run by those only.
static std::vector<bool> findParts(const WeirProgram &program) {
  std::vector<bool> isPart(static_cast<size_t>(program.entry_count));
  for (int32_t i = 0; i < program.entry_count; ++i)
    for (int32_t p = 0; p < program.entries[i].part_count; ++p)
      isPart[static_cast<size_t>(program.entries[i].parts[p].entry)] = true;
  return isPart;
}

std::vector<std::string_view> weir::rt::entryNames(const WeirProgram &program) {
  std::vector<bool> isPart = findParts(program);
  std::vector<std::string_view> names;
  for (int32_t i = 0; i < program.entry_count; ++i)
    if (!isPart[static_cast<size_t>(i)])
      names.push_back(program.entries[i].name);
  return names;
}

std::vector<std::string_view> weir::rt::descNames(const WeirTensorDesc *descs,
                                                  int32_t count) {
  std::vector<std::string_view> names;
  for (int32_t i = 0; i < count; ++i)
    names.push_back(descs[i].name);
  return names;
}

Status weir::rt::findEntry(const WeirProgram &program, const char *name,
                           int32_t &index) {
  std::vector<bool> isPart = findParts(program);
  for (int32_t i = 0; i < program.entry_count; ++i)
    if (!isPart[static_cast<size_t>(i)] &&
        std::strcmp(program.entries[i].name, name) == 0) {
      index = i;
      return Status();
    }
  std::vector<std::string_view> known = entryNames(program);
  return Status(WEIR_NOT_FOUND,
                str("[WEIR0303] program '", program.name, "' has no entry '",
                    name, "'", didYouMean(name, known), " (it has ",
                    listNames(known), ")"));
}

std::string weir::rt::describeMismatch(const WeirTensorDesc &desc,
                                       const WeirView &view) {
  if (desc.dtype != view.dtype) {
    const DTypeInfo *want = dtypeInfo(desc.dtype),
                    *have = dtypeInfo(view.dtype);
    return str("its elements are ", have ? have->name : "of an unknown type",
               ", not ", want->name);
  }
  if (desc.rank == -1)
    return "the types agree";
  if (desc.rank != view.rank)
    return str("its rank is ", view.rank, ", not ", desc.rank);
  for (int32_t i = 0; i < desc.rank; ++i)
    if (desc.dims[i] != -1 && desc.dims[i] != view.dims[i])
      return str("dimension ", i, " is ", view.dims[i], ", not ", desc.dims[i]);
  return "the types agree";
}

Status weir::rt::checkFeed(const WeirEntryDesc &entry,
                           const WeirTensorDesc &feed, const WeirView &view) {
  Status sane = checkView(
      view, str("feed '", feed.name, "' of entry '", entry.name, "'").c_str());
  if (!sane.ok() || matches(feed, view))
    return sane;
  return Status(WEIR_INVALID_ARGUMENT,
                str("[WEIR0302] feed '", feed.name, "' of entry '", entry.name,
                    "': expected ", typeText(feed.dtype, feed.dims, feed.rank),
                    ", got ", typeText(view.dtype, view.dims, view.rank), "; ",
                    describeMismatch(feed, view)));
}

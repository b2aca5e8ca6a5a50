//===- CheckpointCalls.cpp - Nodes that save and restore ------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/base/Format.h"
#include "runtime/checkpoint/Checkpoint.h"
#include "runtime/checkpoint/Shards.h"
#include "runtime/checkpoint/Slices.h"
#include "runtime/core/Program.h"
#include "runtime/executor/calls/CallSupport.h"

#include <vector>

using namespace weir::rt;

/// The names of `count` values, and behind them, where `slices` is given, a
/// slice for each (none at all: no value is one). They live as long as the
/// node.
static Status namesOf(const WeirNodeCall *call, int32_t count,
                      std::vector<std::string_view> &names,
                      std::vector<std::string_view> *slices = nullptr) {
  const WeirNodeDesc &node = call->node;
  const bool hasSlices = slices && count > 0 && node.text_count == 2 * count;
  if (node.text_count != count && !hasSlices)
    return Status(WEIR_INTERNAL,
                  str("[WEIR0313] the node has ", count, " values and ",
                      node.text_count,
                      " names for them; this is a fault of the compiler, "
                      "please report it"));
  for (int32_t i = 0; i < count; ++i)
    names.emplace_back(node.texts[i].data,
                       static_cast<size_t>(node.texts[i].size));
  for (int32_t i = 0; slices && i < count; ++i)
    slices->push_back(
        hasSlices
            ? std::string_view(node.texts[count + i].data,
                               static_cast<size_t>(node.texts[count + i].size))
            : std::string_view());
  return Status();
}

static Status save(WeirNodeCall *call) {
  std::string path;
  WEIR_RETURN_IF_ERROR(stringInput(call, 0, "the path", path));
  int32_t count = call->node.input_count - 1;
  std::vector<std::string_view> names;
  WEIR_RETURN_IF_ERROR(namesOf(call, count, names));
  std::vector<NamedTensor> tensors;
  for (int32_t i = 0; i < count; ++i)
    tensors.push_back(
        {names[static_cast<size_t>(i)], call->inputs[i + 1].view()});
  return saveCheckpoint(Env::posix(), path, std::move(tensors));
}

void weir_node_save(WeirNodeCall *call) { finish(call, save(call)); }

static Status saveShard(WeirNodeCall *call) {
  std::string path, receipt;
  WEIR_RETURN_IF_ERROR(stringInput(call, 0, "the path", path));
  int32_t count = call->node.input_count - 1;
  std::vector<std::string_view> names, slices;
  WEIR_RETURN_IF_ERROR(namesOf(call, count, names, &slices));
  std::vector<ShardTensor> tensors;
  for (int32_t i = 0; i < count; ++i)
    tensors.push_back({names[static_cast<size_t>(i)],
                       call->inputs[i + 1].view(),
                       slices[static_cast<size_t>(i)]});
  WEIR_RETURN_IF_ERROR(writeShard(Env::posix(), path, numberOf(call, 0, 0),
                                  numberOf(call, 1, 1), tensors, receipt));
  WeirString text = {receipt.data(), static_cast<int64_t>(receipt.size())};
  return createStringTensor(0, nullptr, &text, call->outputs[0]);
}

void weir_node_save_shard(WeirNodeCall *call) { finish(call, saveShard(call)); }

static Status saveCommit(WeirNodeCall *call) {
  std::string path;
  WEIR_RETURN_IF_ERROR(stringInput(call, 0, "the path", path));
  std::vector<std::string> texts(
      static_cast<size_t>(call->node.input_count - 1));
  std::vector<std::string_view> receipts;
  for (size_t i = 0; i < texts.size(); ++i) {
    WEIR_RETURN_IF_ERROR(
        stringInput(call, static_cast<int32_t>(i) + 1, "a receipt", texts[i]));
    receipts.push_back(texts[i]);
  }
  return commitShards(Env::posix(), path, receipts);
}

void weir_node_save_commit(WeirNodeCall *call) {
  finish(call, saveCommit(call));
}

/// What a restore wants of a tensor: all of it, or a slice.
struct Wanted {
  const BundleEntry *entry = nullptr;
  std::vector<int64_t> shape;
  TensorSlice slice;
  bool isSlice = false;
};

static Status findWanted(const CheckpointReader &reader, std::string_view name,
                         std::string_view text, const std::string &path,
                         Wanted &wanted) {
  WEIR_RETURN_IF_ERROR(reader.find(name, wanted.entry));
  wanted.shape = wanted.entry->shape;
  wanted.isSlice = !text.empty();
  if (text.empty())
    return Status();
  std::vector<int64_t> shape;
  TensorSlice slice;
  WEIR_RETURN_IF_ERROR(parseShapeAndSlice(text, shape, slice)
                           .withContext(str("tensor '", name, "': ")));
  resolveSlice(shape, slice, wanted.slice);
  wanted.shape = sliceShape(wanted.slice);
  if (shape == wanted.entry->shape && wanted.entry->dtype != WEIR_STRING)
    return Status();
  const BundleEntry &entry = *wanted.entry;
  return Status(WEIR_INVALID_ARGUMENT,
                str("[WEIR0411] tensor '", name, "' is ",
                    typeText(entry.dtype, entry.shape.data(),
                             static_cast<int32_t>(entry.shape.size())),
                    " in checkpoint '", path, "', of which '", text,
                    "' is no slice"));
}

/// Reads the tensor that an output is declared to be.
static Status restoreOne(CheckpointReader &reader, std::string_view name,
                         const Wanted &wanted, TensorRef &result) {
  const BundleEntry &entry = *wanted.entry;
  int32_t rank = static_cast<int32_t>(wanted.shape.size());
  if (entry.dtype != WEIR_STRING) {
    WEIR_RETURN_IF_ERROR(
        createTensor(entry.dtype, rank, wanted.shape.data(), result));
    return wanted.isSlice
               ? reader.readSlice(name, entry, wanted.slice, result.get()->data)
               : reader.read(name, entry, result.get()->data);
  }
  std::vector<std::string> texts;
  WEIR_RETURN_IF_ERROR(reader.readStrings(name, entry, texts));
  std::vector<WeirString> strings;
  for (const std::string &text : texts)
    strings.push_back({text.data(), static_cast<int64_t>(text.size())});
  return createStringTensor(rank, entry.shape.data(), strings.data(), result);
}

static Status restore(WeirNodeCall *call) {
  std::string path;
  WEIR_RETURN_IF_ERROR(stringInput(call, 0, "the path", path));
  int32_t count = call->node.output_count;
  std::vector<std::string_view> names, slices;
  WEIR_RETURN_IF_ERROR(namesOf(call, count, names, &slices));
  std::unique_ptr<CheckpointReader> reader;
  WEIR_RETURN_IF_ERROR(CheckpointReader::open(Env::posix(), path, reader));
  // Names and types first: a program that does not fit the checkpoint should
  // not wait for the data.
  std::vector<Wanted> entries(static_cast<size_t>(count));
  for (int32_t i = 0; i < count; ++i) {
    std::string_view name = names[static_cast<size_t>(i)];
    Wanted &wanted = entries[static_cast<size_t>(i)];
    WEIR_RETURN_IF_ERROR(findWanted(
        *reader, name, slices[static_cast<size_t>(i)], path, wanted));
    const WeirTensorDesc &desc = call->node.outputs[i];
    WeirView stored = {nullptr, wanted.shape.data(),
                       static_cast<int32_t>(wanted.shape.size()),
                       wanted.entry->dtype};
    if (!matches(desc, stored))
      return Status(WEIR_INVALID_ARGUMENT,
                    str("[WEIR0406] tensor '", name, "' is ",
                        typeText(stored.dtype, stored.dims, stored.rank),
                        " in checkpoint '", path, "', and ",
                        typeText(desc.dtype, desc.dims, desc.rank),
                        " in the program"));
  }
  for (int32_t i = 0; i < count; ++i)
    WEIR_RETURN_IF_ERROR(restoreOne(*reader, names[static_cast<size_t>(i)],
                                    entries[static_cast<size_t>(i)],
                                    call->outputs[i]));
  return Status();
}

void weir_node_restore(WeirNodeCall *call) { finish(call, restore(call)); }

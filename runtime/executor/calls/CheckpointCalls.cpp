//===- CheckpointCalls.cpp - Nodes that save and restore ------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/base/Format.h"
#include "runtime/checkpoint/Checkpoint.h"
#include "runtime/core/Program.h"
#include "runtime/executor/calls/CallSupport.h"

#include <vector>

using namespace weir::rt;

/// The names of `count` values; they live as long as the node.
static Status namesOf(const WeirNodeCall *call, int32_t count,
                      std::vector<std::string_view> &names) {
  const WeirNodeDesc &node = call->node;
  if (node.text_count != count)
    return Status(WEIR_INTERNAL,
                  str("[WEIR0313] the node has ", count, " values and ",
                      node.text_count,
                      " names for them; this is a fault of the compiler, "
                      "please report it"));
  for (int32_t i = 0; i < count; ++i)
    names.emplace_back(node.texts[i].data,
                       static_cast<size_t>(node.texts[i].size));
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

/// Reads the tensor that an output is declared to be.
static Status restoreOne(CheckpointReader &reader, std::string_view name,
                         const BundleEntry &entry, TensorRef &result) {
  int32_t rank = static_cast<int32_t>(entry.shape.size());
  if (entry.dtype != WEIR_STRING) {
    WEIR_RETURN_IF_ERROR(
        createTensor(entry.dtype, rank, entry.shape.data(), result));
    return reader.read(name, entry, result.get()->data);
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
  std::vector<std::string_view> names;
  WEIR_RETURN_IF_ERROR(namesOf(call, count, names));
  std::unique_ptr<CheckpointReader> reader;
  WEIR_RETURN_IF_ERROR(CheckpointReader::open(Env::posix(), path, reader));
  // Names and types first: a program that does not fit the checkpoint should
  // not wait for the data.
  std::vector<const BundleEntry *> entries(static_cast<size_t>(count));
  for (int32_t i = 0; i < count; ++i) {
    std::string_view name = names[static_cast<size_t>(i)];
    const BundleEntry *&entry = entries[static_cast<size_t>(i)];
    WEIR_RETURN_IF_ERROR(reader->find(name, entry));
    const WeirTensorDesc &desc = call->node.outputs[i];
    WeirView stored = {nullptr, entry->shape.data(),
                       static_cast<int32_t>(entry->shape.size()), entry->dtype};
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
                                    *entries[static_cast<size_t>(i)],
                                    call->outputs[i]));
  return Status();
}

void weir_node_restore(WeirNodeCall *call) { finish(call, restore(call)); }

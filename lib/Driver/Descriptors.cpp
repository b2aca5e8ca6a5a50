//===- Descriptors.cpp - Signatures as a program's descriptor -------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Driver/Descriptors.h"

using namespace weir;

Descriptors::Descriptors(const char *name,
                         std::vector<EntrySignature> signatures)
    : signatures(std::move(signatures)) {
  for (const EntrySignature &signature : this->signatures) {
    WeirEntryDesc &entry = entries.emplace_back();
    entry = {};
    entry.name = signature.name.c_str();
    entry.feeds = add(signature.feeds);
    entry.fetches = add(signature.fetches);
    entry.feed_count = static_cast<int32_t>(signature.feeds.size());
    entry.fetch_count = static_cast<int32_t>(signature.fetches.size());
  }
  program.abi = WEIR_PROGRAM_ABI;
  program.name = name;
  program.cpu_features = "";
  program.entries = entries.data();
  program.entry_count = static_cast<int32_t>(entries.size());
}

const WeirTensorDesc *
Descriptors::add(const std::vector<TensorSignature> &tensors) {
  std::vector<WeirTensorDesc> &rows =
      *tables.emplace_back(std::make_unique<std::vector<WeirTensorDesc>>());
  for (const TensorSignature &tensor : tensors)
    rows.push_back(
        {tensor.name.c_str(), tensor.dims.data(),
         tensor.hasRank ? static_cast<int32_t>(tensor.dims.size()) : -1,
         tensor.dtype});
  return rows.data();
}

//===- IndexTable.h - A checkpoint's index as a table -----------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names and values in memory, tables as bytes; LevelDB does the format.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_CHECKPOINT_INDEXTABLE_H
#define WEIR_RUNTIME_CHECKPOINT_INDEXTABLE_H

#include "runtime/base/Status.h"

#include <string>
#include <utility>
#include <vector>

namespace weir::rt {

using TableEntries = std::vector<std::pair<std::string, std::string>>;

/// The table of `entries`, whose keys must ascend strictly.
Status buildTable(const TableEntries &entries, std::string &table);

/// All entries of a table that may hold anything: DATA_LOSS says what is wrong.
/// Every block's checksum and place are checked before LevelDB sees it.
Status readTable(const std::string &table, TableEntries &entries);

} // namespace weir::rt

#endif // WEIR_RUNTIME_CHECKPOINT_INDEXTABLE_H

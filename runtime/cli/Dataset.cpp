//===- Dataset.cpp - Named arrays of examples, and batches of them --------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/cli/Dataset.h"
#include "runtime/base/Format.h"
#include "runtime/cli/Npy.h"
#include "runtime/cli/Values.h"
#include "runtime/core/Program.h"

#include <cstring>

using namespace weir::rt;

Status Dataset::load(const std::string &flag, const std::string &text,
                     Dataset &dataset) {
  Dataset made;
  made.flag = flag;
  std::string_view rest = text;
  while (!rest.empty()) {
    std::string_view item = rest.substr(0, rest.find(','));
    rest.remove_prefix(item.size() < rest.size() ? item.size() + 1
                                                 : rest.size());
    std::string name, path;
    WEIR_RETURN_IF_ERROR(splitNamed(flag, item, name, path));
    TensorRef array;
    WEIR_RETURN_IF_ERROR(readNpy(path, array));
    WEIR_RETURN_IF_ERROR(made.add(name, std::move(array)));
  }
  if (made.arrays.empty())
    return Status(
        WEIR_INVALID_ARGUMENT,
        str("[WEIR0319] ", flag, " wants name=file.npy,..., got '", text, "'"));
  dataset = std::move(made);
  return Status();
}

Status Dataset::add(const std::string &name, TensorRef array) {
  WeirView view = array.view();
  if (find(name))
    return Status(WEIR_INVALID_ARGUMENT,
                  str("[WEIR0319] ", flag, " names '", name, "' twice"));
  if (view.rank == 0 || view.dims[0] == 0)
    return Status(WEIR_INVALID_ARGUMENT,
                  str("[WEIR0319] ", flag, ": '", name,
                      "' holds no examples (it is ",
                      typeText(view.dtype, view.dims, view.rank), ")"));
  if (!arrays.empty() && view.dims[0] != count)
    return Status(WEIR_INVALID_ARGUMENT,
                  str("[WEIR0319] ", flag, ": '", name, "' has ", view.dims[0],
                      " examples, '", arrays[0].first, "' has ", count));
  count = view.dims[0];
  arrays.emplace_back(name, std::move(array));
  return Status();
}

const TensorRef *Dataset::find(std::string_view name) const {
  for (const auto &[known, array] : arrays)
    if (known == name)
      return &array;
  return nullptr;
}

Status Dataset::arraysFor(const WeirEntryDesc &entry,
                          std::vector<const TensorRef *> &result) const {
  for (int32_t i = 0; i < entry.feed_count; ++i) {
    const TensorRef *array = find(entry.feeds[i].name);
    if (!array) {
      std::vector<std::string_view> known;
      for (const auto &[name, unused] : arrays)
        known.push_back(name);
      return Status(WEIR_INVALID_ARGUMENT,
                    str("[WEIR0301] feed '", entry.feeds[i].name,
                        "' of entry '", entry.name, "' has no data; ", flag,
                        " gives ", listNames(known)));
    }
    result.push_back(array);
  }
  return Status();
}

Status Batcher::create(std::vector<const TensorRef *> arrays, int64_t batch,
                       Batcher &batcher) {
  Batcher made;
  for (const TensorRef *array : arrays) {
    Column column;
    column.source = array->view();
    const WeirView &source = column.source;
    column.dims.assign(source.dims, source.dims + source.rank);
    column.rowBytes = viewBytes(source) / source.dims[0];
    column.dims[0] = batch < source.dims[0] ? batch : source.dims[0];
    WEIR_RETURN_IF_ERROR(createTensor(source.dtype, source.rank,
                                      column.dims.data(), column.buffer));
    made.columns.push_back(std::move(column));
  }
  made.views.resize(made.columns.size());
  batcher = std::move(made);
  return Status();
}

void Batcher::setRows(int64_t rows) {
  for (size_t i = 0; i < columns.size(); ++i) {
    Column &column = columns[i];
    column.dims[0] = rows;
    views[i] = {column.buffer.get()->data, column.dims.data(),
                column.source.rank, column.source.dtype};
  }
}

const WeirView *Batcher::gather(const int64_t *order, int64_t from,
                                int64_t rows) {
  setRows(rows);
  for (const Column &column : columns) {
    char *out = static_cast<char *>(column.buffer.get()->data);
    const char *in = static_cast<const char *>(column.source.data);
    for (int64_t i = 0; i < rows; ++i)
      std::memcpy(out + i * column.rowBytes,
                  in + order[from + i] * column.rowBytes,
                  static_cast<size_t>(column.rowBytes));
  }
  return views.data();
}

const WeirView *Batcher::slice(int64_t from, int64_t rows) {
  setRows(rows);
  for (size_t i = 0; i < columns.size(); ++i)
    views[i].data = static_cast<char *>(columns[i].source.data) +
                    from * columns[i].rowBytes;
  return views.data();
}

Status weir::rt::staticRows(const WeirEntryDesc &entry, int64_t &rows) {
  rows = 0;
  for (int32_t i = 0; i < entry.feed_count; ++i) {
    const WeirTensorDesc &feed = entry.feeds[i];
    if (feed.rank == 0)
      return Status(WEIR_INVALID_ARGUMENT,
                    str("[WEIR0319] feed '", feed.name, "' of entry '",
                        entry.name,
                        "' is one value, not a batch of examples; use the "
                        "command run for this entry"));
    if (feed.rank < 0 || feed.dims[0] == -1)
      continue;
    if (rows != 0 && rows != feed.dims[0])
      return Status(WEIR_INVALID_ARGUMENT,
                    str("[WEIR0319] the feeds of entry '", entry.name,
                        "' want different numbers of examples: ", rows, " and ",
                        feed.dims[0]));
    rows = feed.dims[0];
  }
  return Status();
}

//===- QueueBatch.cpp - Between elements and batches ----------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/state/QueueBatch.h"
#include "runtime/base/Checked.h"
#include "runtime/base/DType.h"
#include "runtime/base/Format.h"
#include "runtime/core/Allocator.h"

#include <algorithm>
#include <cstring>

using namespace weir::rt;

/// The bytes of all strings of a component of the items; false when the sum
/// does not fit.
static bool textBytes(const std::vector<QueueItem> &items, int32_t component,
                      int64_t &total) {
  total = 0;
  for (const QueueItem &item : items) {
    WeirView view = item.tuple[component].view();
    const WeirString *strings = static_cast<const WeirString *>(view.data);
    int64_t count = viewBytes(view) / static_cast<int64_t>(sizeof(WeirString));
    for (int64_t i = 0; i < count; ++i)
      if (!checkedAdd(total, strings[i].size, total))
        return false;
  }
  return true;
}

static Status allocateComponent(const QueueSpec &spec,
                                const std::vector<QueueItem> &items,
                                int32_t index, TensorRef &result) {
  const QueueComponent &component = spec.components[static_cast<size_t>(index)];
  std::vector<int64_t> dims = {static_cast<int64_t>(items.size())};
  for (int64_t extent : component.dims)
    dims.push_back(items.empty() ? std::max<int64_t>(extent, 0) : 0);
  for (const QueueItem &item : items) {
    WeirView view = item.tuple[index].view();
    for (int32_t i = 0; i < view.rank; ++i) {
      int64_t &extent = dims[static_cast<size_t>(i) + 1];
      extent = std::max(extent, view.dims[i]);
    }
  }
  TensorRef made;
  WEIR_RETURN_IF_ERROR(createTensor(
      component.dtype, static_cast<int32_t>(dims.size()), dims.data(), made));
  if (component.dtype == WEIR_STRING) {
    int64_t bytes;
    Block *text =
        textBytes(items, index, bytes) ? allocateBlock(bytes) : nullptr;
    if (!text)
      return Status(WEIR_RESOURCE_EXHAUSTED,
                    str("[WEIR0311] no memory for the strings of a batch of ",
                        items.size(), " elements of queue '", spec.name, "'"));
    made.get()->text = text->payload();
  }
  result = std::move(made);
  return Status();
}

Status weir::rt::allocateBatch(const QueueSpec &spec,
                               const std::vector<QueueItem> &items,
                               QueueTuple &batch) {
  int32_t components = static_cast<int32_t>(spec.components.size());
  QueueTuple made(components);
  for (int32_t i = 0; i < components; ++i)
    WEIR_RETURN_IF_ERROR(allocateComponent(spec, items, i, made[i]));
  batch = std::move(made);
  return Status();
}

/// Copies a dense tensor into the corner of a larger place of the same rank;
/// `dims` are the extents of the place, which is `placeBytes` large.
static void copyPadded(const WeirView &from, const int64_t *dims, char *to,
                       int64_t placeBytes) {
  int64_t bytes = viewBytes(from);
  if (bytes == placeBytes) {
    if (bytes > 0)
      std::memcpy(to, from.data, static_cast<size_t>(bytes));
    return;
  }
  std::memset(to, 0, static_cast<size_t>(placeBytes));
  if (bytes == 0)
    return;
  // Row by row: `at` counts through the outer extents of the element. Sizes
  // differ, so the rank is at least 1.
  int32_t last = from.rank - 1;
  int64_t elementSize = dtypeInfo(from.dtype)->size;
  int64_t row = from.dims[last] * elementSize;
  const char *source = static_cast<const char *>(from.data);
  int64_t at[WEIR_MAX_RANK] = {};
  for (int64_t done = 0; done < bytes; done += row) {
    int64_t offset = 0;
    for (int32_t i = 0; i < last; ++i)
      offset = offset * dims[i] + at[i];
    std::memcpy(to + offset * dims[last] * elementSize, source + done,
                static_cast<size_t>(row));
    for (int32_t i = last - 1; i >= 0; --i) {
      if (++at[i] < from.dims[i])
        break;
      at[i] = 0;
    }
  }
}

/// The strings of a batch point into the items; copies their bytes into the
/// batch's own text.
static void ownStrings(WeirTensor &batch, int64_t bytes) {
  WeirString *strings = static_cast<WeirString *>(batch.data);
  int64_t count = bytes / static_cast<int64_t>(sizeof(WeirString));
  char *text = static_cast<char *>(batch.text);
  for (int64_t i = 0; i < count; ++i) {
    if (strings[i].size == 0) {
      strings[i].data = nullptr;
      continue;
    }
    size_t size = static_cast<size_t>(strings[i].size);
    std::memcpy(text, strings[i].data, size);
    strings[i].data = text;
    text += size;
  }
}

void weir::rt::fillBatch(const std::vector<QueueItem> &items,
                         QueueTuple &batch) {
  for (int32_t c = 0; c < batch.size() && !items.empty(); ++c) {
    WeirView whole = batch[c].view();
    int64_t bytes = viewBytes(whole);
    int64_t placeBytes = bytes / static_cast<int64_t>(items.size());
    char *to = static_cast<char *>(whole.data);
    for (const QueueItem &item : items) {
      copyPadded(item.tuple[c].view(), whole.dims + 1, to, placeBytes);
      to += placeBytes;
    }
    if (whole.dtype == WEIR_STRING)
      ownStrings(*batch[c].get(), bytes);
  }
}

Status weir::rt::splitBatch(const QueueTuple &batch, int64_t count,
                            std::vector<QueueItem> &items) {
  std::vector<QueueItem> made(static_cast<size_t>(count));
  for (QueueItem &item : made)
    item.tuple = QueueTuple(batch.size());
  for (int32_t c = 0; c < batch.size() && count > 0; ++c) {
    WeirView view = batch[c].view();
    const char *from = static_cast<const char *>(view.data);
    int64_t bytes = viewBytes(view) / count;
    for (QueueItem &item : made) {
      TensorRef &part = item.tuple[c];
      if (view.dtype == WEIR_STRING) {
        WEIR_RETURN_IF_ERROR(createStringTensor(
            view.rank - 1, view.dims + 1,
            reinterpret_cast<const WeirString *>(from), part));
      } else {
        WEIR_RETURN_IF_ERROR(
            createTensor(view.dtype, view.rank - 1, view.dims + 1, part));
        if (bytes > 0)
          std::memcpy(part.get()->data, from, static_cast<size_t>(bytes));
      }
      from += bytes;
    }
  }
  items = std::move(made);
  return Status();
}

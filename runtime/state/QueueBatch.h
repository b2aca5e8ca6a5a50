//===- QueueBatch.h - Between elements and batches --------------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elements into one batch and a batch into elements; copies both ways, so that
// an element keeps no batch alive. No state.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_STATE_QUEUEBATCH_H
#define WEIR_RUNTIME_STATE_QUEUEBATCH_H

#include "runtime/state/QueueStore.h"

#include <vector>

namespace weir::rt {

/// Makes the tensors of a batch of `items`, all of them elements of the queue
/// for which checkBatchRequest is content: the extents of a component are the
/// largest among the items, or, without items, the declared ones (open ones 0).
/// The elements are not there yet. WEIR_RESOURCE_EXHAUSTED when there is no
/// memory or the batch is larger than any tensor may be.
Status allocateBatch(const QueueSpec &spec, const std::vector<QueueItem> &items,
                     QueueTuple &batch);

/// Copies the elements of `items` into the batch that allocateBatch made for
/// them; what is smaller than its place is filled up with zeros (strings: empty
/// ones) behind.
void fillBatch(const std::vector<QueueItem> &items, QueueTuple &batch);

/// The `count` elements of a batch that checkQueueBatch accepts.
/// WEIR_RESOURCE_EXHAUSTED when there is no memory.
Status splitBatch(const QueueTuple &batch, int64_t count,
                  std::vector<QueueItem> &items);

} // namespace weir::rt

#endif // WEIR_RUNTIME_STATE_QUEUEBATCH_H

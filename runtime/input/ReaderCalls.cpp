//===- ReaderCalls.cpp - Readers as nodes ---------------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/base/Format.h"
#include "runtime/executor/NodeCall.h"
#include "runtime/input/Reader.h"

using namespace weir::rt;

/// The resource of class T that input `index` names; `what` is its name in
/// words.
template <typename T>
static Status resourceInput(const WeirNodeCall &call, int32_t index,
                            const char *what, std::shared_ptr<T> &result) {
  std::shared_ptr<Resource> resource = resourceOf(call.inputs[index].get());
  result = std::dynamic_pointer_cast<T>(resource);
  if (result)
    return Status();
  return Status(WEIR_INVALID_ARGUMENT,
                str("[WEIR0362] input ", index, " should be a handle of a ",
                    what, ", it is ",
                    resource ? str("one of the ", resource->describe())
                             : std::string("no handle")));
}

static Status countInput(const WeirNodeCall &call, int32_t index,
                         int64_t &count) {
  WeirView view = call.inputs[index].view();
  if (view.rank != 0 || view.dtype != WEIR_I64)
    return Status(WEIR_INVALID_ARGUMENT,
                  str("[WEIR0362] the number of records is a tensor<i64>, not ",
                      typeText(view.dtype, view.dims, view.rank)));
  count = *static_cast<const int64_t *>(view.data);
  return Status();
}

static ReadDone finishRead(WeirNodeCall *call) {
  return [call](Status status, TensorRef keys, TensorRef values) {
    if (status.ok()) {
      call->outputs[0] = std::move(keys);
      call->outputs[1] = std::move(values);
    }
    call->finish(std::move(status));
  };
}

void weir_node_reader_read(WeirNodeCall *call) {
  std::shared_ptr<Reader> reader;
  std::shared_ptr<Queue> queue;
  Status status = resourceInput(*call, 0, "reader", reader);
  if (status.ok())
    status = resourceInput(*call, 1, "queue", queue);
  if (!status.ok())
    return call->finish(std::move(status));
  reader->read(std::move(queue), call->token(), finishRead(call));
}

void weir_node_reader_read_up_to(WeirNodeCall *call) {
  std::shared_ptr<Reader> reader;
  std::shared_ptr<Queue> queue;
  int64_t limit = 0;
  Status status = resourceInput(*call, 0, "reader", reader);
  if (status.ok())
    status = resourceInput(*call, 1, "queue", queue);
  if (status.ok())
    status = countInput(*call, 2, limit);
  if (!status.ok())
    return call->finish(std::move(status));
  reader->readUpTo(std::move(queue), limit, call->token(), finishRead(call));
}

/// Finishes with a number that a reader keeps.
static void finishCount(WeirNodeCall *call, int64_t (Reader::*count)() const) {
  std::shared_ptr<Reader> reader;
  Status status = resourceInput(*call, 0, "reader", reader);
  TensorRef result;
  if (status.ok())
    status = createTensor(WEIR_I64, 0, nullptr, result);
  if (status.ok()) {
    *static_cast<int64_t *>(result.get()->data) = (*reader.*count)();
    call->outputs[0] = std::move(result);
  }
  call->finish(std::move(status));
}

void weir_node_reader_records_produced(WeirNodeCall *call) {
  finishCount(call, &Reader::recordsProduced);
}

void weir_node_reader_work_completed(WeirNodeCall *call) {
  finishCount(call, &Reader::workCompleted);
}

void weir_node_reader_reset(WeirNodeCall *call) {
  std::shared_ptr<Reader> reader;
  Status status = resourceInput(*call, 0, "reader", reader);
  if (!status.ok())
    return call->finish(std::move(status));
  reader->reset(call->token(),
                [call](Status status, const TensorRef &, const TensorRef &) {
                  call->finish(std::move(status));
                });
}

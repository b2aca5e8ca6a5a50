//===- Reader.h - Records of files that a queue names -----------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// A reader has one file at a time, its *work*. Where it has none, a read takes
// a name from the queue it was given: waiting for one holds no thread. Reads
// and resets are served one after the other, in order of arrival; those that
// come while a read waits for work wait behind it.
//
// Files are read on the thread that goes on: the caller's, or the one that put
// the name in the queue.
//
// All functions may be called from any thread.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_INPUT_READER_H
#define WEIR_RUNTIME_INPUT_READER_H

#include "runtime/core/Cancellation.h"
#include "runtime/input/RecordFormat.h"
#include "runtime/input/Strings.h"
#include "runtime/state/Queue.h"
#include "runtime/state/Resource.h"

#include <atomic>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>

namespace weir::rt {

/// Gets what a read gives: tensors of keys and of values, null with an error.
using ReadDone =
    std::function<void(Status status, TensorRef keys, TensorRef values)>;

class Reader final : public Resource,
                     public std::enable_shared_from_this<Reader> {
public:
  Reader(std::string name, std::unique_ptr<RecordFormat> format)
      : name(std::move(name)), format(std::move(format)) {}

  std::string describe() const override;
  void abandon() override;

  /// The next record, as scalars. `done` is called exactly once, outside every
  /// lock. OUT_OF_RANGE where the queue is closed and has no name left. The
  /// token outlives the read.
  void read(std::shared_ptr<Queue> queue, CancellationToken *token,
            ReadDone done);

  /// The next records, as vectors: at least one, at most `limit`, and all of
  /// them from one file.
  void readUpTo(std::shared_ptr<Queue> queue, int64_t limit,
                CancellationToken *token, ReadDone done);

  /// Back to the beginning: without a file, all counts 0.
  void reset(CancellationToken *token, ReadDone done);

  int64_t recordsProduced() const { return produced; }
  int64_t workCompleted() const { return completed; }

private:
  struct Request {
    enum Kind : uint8_t { Read, ReadUpTo, Reset } kind;
    std::shared_ptr<Queue> queue;
    int64_t limit;
    CancellationToken *token;
    ReadDone done;
    /// Number of the request, and of its callback with the token, while it
    /// waits for its turn.
    uint64_t number = 0;
    CancellationToken::Id callback = 0;
  };

  void submit(Request request);
  /// Serves requests until none is left or one waits for work. Whoever calls it
  /// has the turn (`busy`).
  void serve();
  /// False where the current request waits for work: then serve() runs again
  /// when it is there.
  bool advance(Status &status, TensorRef &keys, TensorRef &values);
  bool takeWork();
  Status startWork();
  Status readRecords(bool &enough);
  void withdraw(uint64_t number, CancellationToken *token);
  Status cancelled(const CancellationToken *token) const;

  const std::string name;

  std::mutex mutex;
  bool busy = false;
  bool abandoned = false;
  uint64_t lastNumber = 0;
  std::list<Request> waiting;

  // What follows belongs to the request that has the turn.
  std::unique_ptr<RecordFormat> format;
  Request current;
  StringsBuilder keyStrings, valueStrings;
  std::string work, key;
  bool inProgress = false;
  /// The answer of the queue, and which came first: it, or the return of the
  /// function that asked.
  Status workStatus;
  QueueTuple workTuple;
  bool hasAnswer = false;
  std::atomic<bool> firstIsThere{false};

  std::atomic<int64_t> produced{0}, completed{0};
};

/// The reader that `desc` (WEIR_RESOURCE_READER) declares; null with the error
/// in `status`.
std::shared_ptr<Resource> makeReader(const WeirResourceDesc &desc,
                                     Status &status);

} // namespace weir::rt

#endif // WEIR_RUNTIME_INPUT_READER_H

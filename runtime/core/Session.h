//===- Session.h - Sessions and their steps ---------------------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A WeirSession owns the variables of one program. A *step* is one run of an
// entry point: it lives on the stack of the thread that runs it, holds the
// blocks that the generated code has not freed, the fetches made so far and the
// first error.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_CORE_SESSION_H
#define WEIR_RUNTIME_CORE_SESSION_H

#include "runtime/base/Status.h"
#include "runtime/core/Allocator.h"
#include "runtime/state/Variables.h"
#include "weir-c/session.h"

struct WeirSession {
  explicit WeirSession(const WeirProgram &program)
      : program(program), variables(program) {}

  const WeirProgram &program;
  weir::rt::Variables variables;
};

namespace weir::rt {

/// The private part of a WeirStep. The base is what generated code sees.
struct Step : WeirStep {
  Step(WeirSession &session, const WeirEntryDesc &entry, const WeirView *feeds,
       WeirTensor **fetches)
      : WeirStep{feeds}, session(session), entry(entry), fetches(fetches) {
    live.next = live.prev = &live;
  }
  ~Step() { reclaim(); }
  Step(const Step &) = delete;
  Step &operator=(const Step &) = delete;

  static Step &of(WeirStep *step) { return *static_cast<Step *>(step); }

  /// Records an error unless one is there already. Returns its code.
  int32_t fail(Status error) {
    int32_t code = error.code();
    if (status.ok())
      status = std::move(error);
    return code;
  }

  WeirSession &session;
  const WeirEntryDesc &entry;
  /// fetch_count tensors, null until the code has asked for their buffer.
  WeirTensor **fetches;
  /// The head of the ring of blocks that are in use.
  Block live;
  Status status;

private:
  /// Gives all live blocks back to the pool.
  void reclaim() {
    for (Block *block = live.next; block != &live;) {
      Block *next = block->next;
      releaseBlock(block);
      block = next;
    }
  }
};

} // namespace weir::rt

#endif // WEIR_RUNTIME_CORE_SESSION_H

//===- Frames.h - Instances of loops ---------------------------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A *frame instance* is one run of a loop: made by the first ENTER that arrives
// in an iteration of the parent, gone when it has no iteration left and all
// ENTERs have arrived. Its iterations in flight are a list, oldest first, that
// are let go in order. docs/spec/dataflow.md has the rules.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_EXECUTOR_FRAMES_H
#define WEIR_RUNTIME_EXECUTOR_FRAMES_H

#include "runtime/core/Tensor.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace weir::rt {

struct FrameInstance;

/// Its slots are null where there is no value.
struct Iteration {
  FrameInstance *frame = nullptr;
  /// The one after it in the frame, or in a list of unused ones.
  Iteration *next = nullptr;
  int64_t number = 0;
  /// The frame that it can be an iteration of.
  int32_t frameId = 0;
  /// Nodes that are ready or running.
  int32_t outstanding = 0;
  /// Frames within it.
  int32_t openFrames = 0;
  int32_t slotCount = 0;
  uint32_t *counts = nullptr;
  WeirTensor **slots = nullptr;
  FrameInstance **children = nullptr;
  /// The memory of the three.
  std::unique_ptr<uint64_t[]> memory;
};

struct FrameInstance {
  int32_t id = 0;
  FrameInstance *parent = nullptr;
  Iteration *parentIteration = nullptr;
  Iteration *first = nullptr, *last = nullptr;
  /// The number of the newest iteration.
  int64_t newest = 0;
  int32_t inFlight = 0;
  int32_t missingEnters = 0;
  /// A value for a node: of a NEXT_ITERATION that waits for room, or of an
  /// invariant ENTER (null where it is dead).
  struct Held {
    uint32_t node;
    TensorRef value;
  };
  std::vector<Held> deferred, invariants;
  /// EXITs that were dead in the newest iteration, and those that had a value.
  std::vector<uint32_t> deadExits, liveExits;
  FrameInstance *nextUnused = nullptr;
};

} // namespace weir::rt

#endif // WEIR_RUNTIME_EXECUTOR_FRAMES_H

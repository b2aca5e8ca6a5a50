//===- Emit.h - Instructions of the accelerator -----------------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A plan as instructions, then the tokens that let the queues run side by side.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_PASSES_CODEGEN_MXU_EMIT_H
#define WEIR_PASSES_CODEGEN_MXU_EMIT_H

#include "passes/Codegen/MXU/Plan.h"
#include "weir/MxuAccess.h"

namespace weir {

using MxuCode = std::vector<mxu::Decoded>;

/// The instructions for a block of `images`, in an order in which they could
/// run one by one; without tokens. Windows are added to `windows`.
MxuCode emitMxuBlock(const MxuNetwork &network, const MxuPlan &plan,
                     const mxu::Machine &machine, int64_t images,
                     std::vector<mxu::Window> &windows);

/// Bytes of scratch that blocks of `images` need.
int64_t mxuScratchOf(const MxuPlan &plan, int64_t images);

/// What stands before, in and behind a loop.
struct MxuLoop {
  MxuCode before, body, behind;
};

/// Puts tokens into the body of a loop so that instructions of different
/// queues that touch the same memory keep their order, also those of one round
/// and the next where `repeats`. What the first round waits for of the round
/// before it is given `before`, what the last gives is taken `behind`.
MxuLoop addMxuTokens(MxuCode body, const std::vector<mxu::Window> &windows,
                     const mxu::Machine &machine, int64_t scratch,
                     bool repeats);

/// Instructions that let every queue wait for all others.
MxuCode mxuBarrier();

} // namespace weir

#endif // WEIR_PASSES_CODEGEN_MXU_EMIT_H

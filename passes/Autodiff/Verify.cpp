//===- Verify.cpp - What autodiff leaves behind ---------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/Autodiff/Passes.h"

namespace weir {

#define GEN_PASS_DEF_VERIFYAUTODIFF
#include "passes/Autodiff/Passes.h.inc"

namespace {

struct VerifyAutodiff : impl::VerifyAutodiffBase<VerifyAutodiff> {
  void runOnOperation() override {
    getOperation().walk([&](GradientsOp op) {
      op.emitOpError() << "[WEIR0131] is left after autodiff; expand it with "
                          "--weir-autodiff-expand-gradients";
      signalPassFailure();
    });
    markAllAnalysesPreserved();
  }
};

} // namespace
} // namespace weir

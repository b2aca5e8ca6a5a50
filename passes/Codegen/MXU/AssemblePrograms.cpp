//===- AssemblePrograms.cpp - Programs of the accelerator become images ---===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Rt/Rt.h"
#include "lib/Target/MxuImage.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/SymbolTable.h"
#include "passes/Codegen/MXU/Passes.h"
#include "llvm/ADT/StringMap.h"

namespace weir {
#define GEN_PASS_DEF_MXUASSEMBLE
#include "passes/Codegen/MXU/Passes.h.inc"
} // namespace weir

using namespace mlir;
using namespace weir;

namespace {
struct Assemble : weir::impl::MxuAssembleBase<Assemble> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    llvm::StringMap<ElementsAttr> images;
    for (auto program :
         llvm::make_early_inc_range(module.getOps<mxu::ProgramOp>())) {
      auto image = assembleMxu(program);
      if (failed(image))
        return signalPassFailure();
      auto type = RankedTensorType::get({static_cast<int64_t>(image->size())},
                                        IntegerType::get(&getContext(), 8));
      images[program.getSymName()] = DenseElementsAttr::getFromRawBuffer(
          type, ArrayRef(reinterpret_cast<const char *>(image->data()),
                         image->size()));
      program.erase();
    }
    WalkResult result = module.walk([&](mxu::RunOp run) {
      ElementsAttr image = images.lookup(run.getProgram());
      if (!image) {
        run.emitOpError() << "[WEIR0240] there is no mxu.program @"
                          << run.getProgram();
        return WalkResult::interrupt();
      }
      OpBuilder b(run);
      rt::MxuRunOp::create(b, run.getLoc(), run.getNode(), image,
                           run.getInputs(), run.getOutputs());
      run.erase();
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace

//===- Quantize.cpp - Post-training quantization of a program -------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Driver/Quantize.h"

#include "lib/Support/MessageHandler.h"
#include "llvm/Support/SourceMgr.h"

using namespace weir;

bool weir::postTrain(Program &program, const std::vector<std::string> &entries,
                     const PostTrainingOptions &options,
                     QuantizationReport &report, Messages &messages) {
  if (!entries.empty() && !program.keepEntries(entries, messages))
    return false;
  // The handler reads the files that messages are about by itself.
  llvm::SourceMgr sources;
  MessageHandler handler(&program.context(), sources, messages);
  if (runPostTraining(program.module(), options, report, messages))
    return true;
  if (!messages.hasErrors())
    messages.error("[WEIR0210] the compiler failed while quantizing without "
                   "saying why");
  return false;
}

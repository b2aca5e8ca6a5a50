//===- NodeText.cpp - A node in messages at run time ----------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Analysis/NodeText.h"

#include "dialects/Weir/Weir.h"

using namespace mlir;

std::string weir::nodeText(Operation *op) {
  std::string name = WeirDialect::describe(op);
  if (auto group = dyn_cast<GroupOp>(op))
    name = group.getKernel().str();
  std::string text = "'" + name + "'";
  if (auto place = op->getLoc()->findInstanceOf<FileLineColLoc>())
    text +=
        (" at " + place.getFilename().getValue() + ":" + Twine(place.getLine()))
            .str();
  return text;
}

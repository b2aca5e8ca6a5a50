//===- NodeCall.cpp - Compiled code on behalf of a call -------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/executor/NodeCall.h"
#include "runtime/base/Format.h"
#include "runtime/core/Session.h"

#include <optional>
#include <vector>

using namespace weir::rt;

Status weir::rt::runKernel(WeirSession &session, const char *name,
                           WeirEntryFn kernel, const WeirView *inputs,
                           int32_t inputCount, const WeirTensorDesc *descs,
                           TensorRef *outputs, int32_t outputCount,
                           Device *device) {
  std::vector<WeirTensorDesc> fetches(descs, descs + outputCount);
  for (WeirTensorDesc &fetch : fetches)
    if (!fetch.name)
      fetch.name = "output";
  WeirEntryDesc entry = {
      name,        kernel,  nullptr, fetches.data(), inputCount,
      outputCount, nullptr, nullptr, nullptr,        0};
  std::vector<WeirTensor *> made(static_cast<size_t>(outputCount), nullptr);
  Step step(session, entry, inputs, made.data());
  std::optional<DeviceBlocks> blocks;
  if (device)
    step.blocks = &blocks.emplace(*device);
  int32_t code = kernel(&step);
  for (int32_t i = 0; i < outputCount; ++i)
    outputs[i] = TensorRef(made[static_cast<size_t>(i)]);
  if (!step.status.ok())
    return std::move(step.status);
  if (code != WEIR_OK)
    return Status(static_cast<WeirCode>(code),
                  str("[WEIR0313] ", name, ": the code failed with ", code,
                      " and gave no reason"));
  for (int32_t i = 0; i < outputCount; ++i)
    if (!outputs[i])
      return Status(WEIR_INTERNAL,
                    str("[WEIR0313] ", name, ": the code gave no output ", i,
                        "; this is a fault of the compiler, please report it"));
  return Status();
}

//===- StepCheckpoint.cpp - Save and restore for generated code -----------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/base/Format.h"
#include "runtime/checkpoint/Checkpoint.h"
#include "runtime/core/Session.h"

using namespace weir::rt;

static std::vector<NamedTensor> gather(int32_t count, const char *const *names,
                                       const WeirView *tensors) {
  std::vector<NamedTensor> gathered;
  for (int32_t i = 0; i < count; ++i)
    gathered.push_back({names[i], tensors[i]});
  return gathered;
}

static std::string textOf(const WeirString &string) {
  return string.size > 0
             ? std::string(string.data, static_cast<size_t>(string.size))
             : std::string();
}

/// Records how a save or restore went, with the node in front.
static int32_t finish(WeirStep *step, const char *node, Status status) {
  if (status.ok())
    return WEIR_OK;
  return Step::of(step).fail(
      std::move(status).withContext(node ? str(node, ": ") : std::string()));
}

int32_t weir_rt_save(WeirStep *step, const char *node, const WeirString *path,
                     int32_t count, const char *const *names,
                     const WeirView *tensors) {
  return finish(step, node,
                saveCheckpoint(Env::posix(), textOf(*path),
                               gather(count, names, tensors)));
}

int32_t weir_rt_restore(WeirStep *step, const char *node,
                        const WeirString *path, int32_t count,
                        const char *const *names, const WeirView *tensors) {
  return finish(step, node,
                restoreCheckpoint(Env::posix(), textOf(*path),
                                  gather(count, names, tensors)));
}

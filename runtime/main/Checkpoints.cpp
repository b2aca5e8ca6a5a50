//===- Checkpoints.cpp - What --save and --restore ask for ----------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/main/Checkpoints.h"
#include "runtime/base/Format.h"
#include "runtime/checkpoint/Series.h"

#include <algorithm>
#include <climits>
#include <cstdio>

using namespace weir::rt;

Status Checkpoints::check(const CheckpointRequest &request,
                          const char *number) {
  auto wrong = [&](auto... text) {
    return Status(WEIR_INVALID_ARGUMENT, str("[", number, "] ", text...));
  };
  if (!request.restore.empty() && !request.restoreLatest.empty())
    return wrong("--restore names a checkpoint and --restore-latest the newest "
                 "of many; leave one out");
  if (request.saveEvery && *request.saveEvery < 1)
    return wrong("--save-every wants a number from 1 on, got ",
                 *request.saveEvery);
  if (request.saveEvery && request.save.empty())
    return wrong("--save-every says when to save and --save where; give both");
  if (request.keep && (*request.keep < 2 || *request.keep > INT_MAX))
    return wrong("--keep wants a number from 2 to ", INT_MAX, ", got ",
                 *request.keep);
  if (request.keep && !request.saveEvery)
    return wrong("--keep says how many of the checkpoints of --save-every "
                 "stay; give both");
  if (request.keep)
    setKeptCheckpoints(static_cast<int>(*request.keep));
  return Status();
}

Status Checkpoints::open(const CheckpointRequest &asked, bool hasInit) {
  request = asked;
  prefix = request.restore;
  if (request.restoreLatest.empty())
    return Status();
  NewestCheckpoint newest;
  Status found =
      findNewestCheckpoint(Env::posix(), request.restoreLatest, newest);
  if (found.code() == WEIR_NOT_FOUND && hasInit) {
    fprintf(stderr, "note: there is no checkpoint '%s-<step>' yet\n",
            request.restoreLatest.c_str());
    return Status();
  }
  WEIR_RETURN_IF_ERROR(std::move(found));
  for (const Status &why : newest.damaged)
    fprintf(stderr, "warning: a newer checkpoint is passed over: %s\n",
            why.message());
  fprintf(stderr, "note: goes on from checkpoint '%s'\n",
          newest.prefix.c_str());
  prefix = newest.prefix;
  step = newest.step;
  return Status();
}

int64_t Checkpoints::stepsLeft(int64_t total) const {
  return std::max<int64_t>(total - step, 0);
}

Status Checkpoints::stepped(const Save &save) {
  ++step;
  if (!request.saveEvery || step % *request.saveEvery != 0)
    return Status();
  saved = step;
  return save(checkpointOfStep(request.save, step));
}

Status Checkpoints::ended(const Save &save) const {
  if (request.save.empty() || saved == step)
    return Status();
  return save(request.saveEvery ? checkpointOfStep(request.save, step)
                                : request.save);
}

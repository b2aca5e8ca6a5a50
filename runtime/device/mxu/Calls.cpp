//===- Calls.cpp - What compiled code and tools ask of the accelerator ----===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/base/Format.h"
#include "runtime/core/CStatus.h"
#include "runtime/core/Session.h"
#include "runtime/device/mxu/MxuDevice.h"
#include "runtime/trace/Trace.h"

#include <algorithm>
#include <cstring>

using namespace weir;
using namespace weir::mxu;

/// One run on the lanes of the device's track: the run with its utilisation,
/// what the matrix unit did and waited for, and how long the other units
/// worked, drawn to the scale of the time that the simulation took.
static void traceRun(int64_t begin, int32_t track, const char *node,
                     const WeirMxuFigures &f) {
  int64_t end = rt::traceNow(), cycles = std::max<int64_t>(f.cycles, 1);
  auto at = [&](int64_t cycle) {
    return begin + static_cast<int64_t>(static_cast<double>(end - begin) *
                                        static_cast<double>(cycle) /
                                        static_cast<double>(cycles));
  };
  double peak = static_cast<double>(cycles * f.array * f.array);
  // The figures first: lists of kernels cut what is behind.
  std::string name =
      rt::str(rt::numberText(100.0 * static_cast<double>(f.macs) / peak, 3),
              " % of ", f.cycles, " cycles: ", node);
  rt::traceOnLane(begin, end, name.c_str(), rt::TraceKind::Kernel, track,
                  rt::traceLane(track, "runs"));
  const struct {
    const char *name;
    int64_t cycles;
  } parts[] = {{"rows in the array", f.matrix_cycles},
               {"wait: weights", f.wait_weights},
               {"wait: load", f.wait_load},
               {"wait: vector unit", f.wait_vector},
               {"wait: store", f.wait_store},
               {"wait: issue", f.wait_issue},
               {"drain", f.drain}};
  int64_t first = 0;
  int32_t lane = rt::traceLane(track, "matrix unit");
  for (const auto &part : parts) {
    if (!part.cycles)
      continue;
    rt::traceOnLane(at(first), at(first + part.cycles),
                    rt::str(part.name, ", ", part.cycles, " cycles").c_str(),
                    rt::TraceKind::Unit, track, lane);
    first += part.cycles;
  }
  const char *const units[] = {"load", nullptr, "vector unit", "store"};
  for (int q = 0; q < queueCount; ++q)
    if (units[q] && f.queue_cycles[q])
      rt::traceOnLane(begin, at(std::min(f.queue_cycles[q], cycles)),
                      rt::str(f.queue_cycles[q], " cycles").c_str(),
                      rt::TraceKind::Unit, track,
                      rt::traceLane(track, units[q]));
}

int32_t weir_rt_mxu_run(WeirStep *handle, const char *node, const void *image,
                        int64_t size, int32_t inputCount,
                        const WeirView *inputs, int32_t outputCount,
                        const WeirView *outputs) {
  rt::Step &step = rt::Step::of(handle);
  auto *device = dynamic_cast<MxuDevice *>(step.device());
  if (!device)
    return step.fail(rt::Status(
        WEIR_INTERNAL, rt::str("[WEIR0441] ", node, ": entry '",
                               step.entry.name, "' is on no accelerator")));
  int64_t mark = rt::traceBegin();
  WeirMxuFigures figures;
  rt::Status status = device->run(
      image, size, {inputs, inputs + inputCount},
      {outputs, outputs + outputCount}, [&] { return step.poll() == WEIR_OK; },
      figures);
  // What ended it is recorded already.
  if (step.isInterrupted)
    return step.status.code();
  if (!status.ok())
    return step.fail(std::move(status).withContext(rt::str(node, ": ")));
  if (mark)
    traceRun(mark, step.track, node, figures);
  return step.poll();
}

int32_t weir_mxu_check(const void *image, int64_t size, int64_t *instruction,
                       WeirStatus *status) {
  Program program;
  return rt::setStatus(status, readProgram(image, size, program, instruction));
}

int32_t weir_mxu_count(const void *image, int64_t size, int64_t rows,
                       WeirMxuFigures *figures, WeirStatus *status) {
  Program program;
  rt::Status checked = readProgram(image, size, program);
  if (checked.ok())
    countCycles(program, rows, *figures);
  return rt::setStatus(status, checked);
}

char *weir_mxu_figures_text(const WeirMxuFigures *figures) {
  return strdup(figuresText(*figures).c_str());
}

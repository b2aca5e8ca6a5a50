//===- PredictCommand.cpp - `predict`: classes for a file of examples -----===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/base/Format.h"
#include "runtime/cli/Dataset.h"
#include "runtime/cli/Npy.h"
#include "runtime/cli/Statistics.h"
#include "runtime/cli/Values.h"
#include "runtime/main/CommandLine.h"

#include <cstdio>
#include <cstring>

using namespace weir::rt;

static const std::vector<Option> &options() {
  static const std::vector<Option> table = {
      {"--restore", "PREFIX", "the checkpoint to predict with"},
      {"--data", "NAME=FILE,...",
       "the examples; with y=labels.npy the accuracy is shown"},
      {"--output", "FILE", "write the classes to an .npy file"},
      {"--threads", "N", "threads of parallel kernels"},
      {"--profile", "FILE", "write a trace for Perfetto or chrome://tracing"},
  };
  return table;
}

/// Runs `index` over all rows; `classes` receives the first fetch of each.
static Status predictAll(Runner &runner, int32_t index, const Dataset &dataset,
                         std::vector<int64_t> &classes) {
  const WeirEntryDesc &entry = runner.entry(index);
  int64_t fixed, rows = dataset.rows();
  WEIR_RETURN_IF_ERROR(staticRows(entry, fixed));
  std::vector<const TensorRef *> arrays;
  WEIR_RETURN_IF_ERROR(dataset.arraysFor(entry, arrays));
  int64_t batch = fixed ? fixed : rows;
  if (rows % batch != 0)
    return Status(WEIR_INVALID_ARGUMENT,
                  str("[WEIR0319] entry 'predict' is compiled for batches of ",
                      fixed, "; ", rows, " examples are no multiple of it"));
  Batcher batcher;
  WEIR_RETURN_IF_ERROR(Batcher::create(std::move(arrays), batch, batcher));
  std::vector<TensorRef> fetches;
  for (int64_t done = 0; done < rows; done += batch) {
    WEIR_RETURN_IF_ERROR(
        runner.run(index, batcher.slice(done, batch), fetches));
    WeirView view = fetches[0].view();
    if (view.rank != 1 || view.dims[0] != batch)
      return Status(WEIR_INVALID_ARGUMENT,
                    str("[WEIR0305] fetch '", entry.fetches[0].name,
                        "' of entry 'predict' should be one class for each of ",
                        batch, " examples, it is ",
                        typeText(view.dtype, view.dims, view.rank)));
    for (int64_t i = 0; i < batch; ++i)
      classes.push_back(view.dtype == WEIR_I64
                            ? static_cast<const int64_t *>(view.data)[i]
                            : static_cast<const int32_t *>(view.data)[i]);
  }
  return Status();
}

static Status printAccuracy(const std::vector<int64_t> &classes,
                            const WeirView &labels) {
  if (labels.rank != 1)
    return Status(WEIR_INVALID_ARGUMENT,
                  str("[WEIR0319] --data: the labels 'y' should have one "
                      "dimension, they are ",
                      typeText(labels.dtype, labels.dims, labels.rank)));
  int64_t right = 0;
  for (size_t i = 0; i < classes.size(); ++i)
    right += elementAsDouble(labels, static_cast<int64_t>(i)) ==
             static_cast<double>(classes[i]);
  double share =
      static_cast<double>(right) / static_cast<double>(classes.size());
  printf("accuracy %s (%lld of %lld)\n", numberText(share, 5).c_str(),
         static_cast<long long>(right), static_cast<long long>(classes.size()));
  return Status();
}

static Status predict(const WeirProgram &program, const Arguments &arguments) {
  if (!arguments.positional.empty())
    return Status(WEIR_INVALID_ARGUMENT,
                  str("[WEIR0319] predict takes no operand, got '",
                      arguments.positional[0], "'"));
  int64_t threads;
  WEIR_RETURN_IF_ERROR(arguments.number("--threads", 0, 1, 4096, threads));
  Dataset data;
  WEIR_RETURN_IF_ERROR(Dataset::load("--data", arguments.get("--data"), data));
  if (threads > 0)
    setKernelThreads(static_cast<int>(threads));
  Runner runner(program);
  int32_t index;
  WEIR_RETURN_IF_ERROR(runner.find("predict", index));
  const WeirEntryDesc &entry = runner.entry(index);
  if (entry.fetch_count < 1 || (entry.fetches[0].dtype != WEIR_I64 &&
                                entry.fetches[0].dtype != WEIR_I32))
    return Status(WEIR_INVALID_ARGUMENT,
                  "[WEIR0305] entry 'predict' should give classes as i64 or "
                  "i32 in its first fetch; use the command run for others");
  WEIR_RETURN_IF_ERROR(runner.start());
  if (arguments.has("--restore"))
    WEIR_RETURN_IF_ERROR(
        runner.checkpoint("restore", arguments.get("--restore")));
  TraceScope trace(arguments.get("--profile"));
  std::vector<int64_t> classes;
  WEIR_RETURN_IF_ERROR(predictAll(runner, index, data, classes));
  WEIR_RETURN_IF_ERROR(trace.finish());
  int64_t rows = data.rows();
  if (arguments.has("--output"))
    WEIR_RETURN_IF_ERROR(writeNpy(arguments.get("--output"),
                                  {classes.data(), &rows, 1, WEIR_I64}));
  if (const TensorRef *labels = data.find("y"))
    return printAccuracy(classes, labels->view());
  if (!arguments.has("--output"))
    for (int64_t value : classes)
      printf("%lld\n", static_cast<long long>(value));
  return Status();
}

const Command &weir::rt::predictCommand() {
  static const Command command = {
      "predict", "--restore PREFIX --data x=x.npy[,y=y.npy] [options]",
      "Restores a checkpoint and calls predict.", options, predict};
  return command;
}

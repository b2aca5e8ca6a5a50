//===- TrainCommand.cpp - `train`: epochs of shuffled batches -------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An epoch goes through all examples in the order of runtime/cli/Shuffle.h; the
// last batch holds what is left. Where the entry's batch is static, examples
// that fill no batch are left out of that epoch.
//
//===----------------------------------------------------------------------===//
#include "runtime/base/Format.h"
#include "runtime/cli/Dataset.h"
#include "runtime/cli/Progress.h"
#include "runtime/cli/Shuffle.h"
#include "runtime/cli/Statistics.h"
#include "runtime/cli/Values.h"
#include "runtime/main/CommandLine.h"
#include "runtime/trace/Trace.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

using namespace weir::rt;

static const std::vector<Option> &options() {
  static const std::vector<Option> table = {
      {"--data", "NAME=FILE,...",
       "the training set: an .npy file for each feed"},
      {"--test", "NAME=FILE,...",
       "a set to evaluate at the end, by entry eval"},
      {"--epochs", "N", "how often to go through the set (default 1)"},
      {"--batch", "B", "examples in a step (default 32)"},
      {"--seed", "S", "of the order and, if it takes one, of init (default 0)"},
      {"--restore", "PREFIX", "go on from a checkpoint instead of init"},
      {"--save", "PREFIX", "save a checkpoint at the end"},
      {"--threads", "N", "threads of parallel kernels"},
      {"--benchmark", nullptr, "show the times of the steps"},
      {"--profile", "FILE", "write a trace for Perfetto or chrome://tracing"},
  };
  return table;
}

namespace {

struct Settings {
  int64_t epochs, batch, seed, threads;
};

/// The training loop and what it keeps between steps.
class Trainer {
public:
  Trainer(Runner &runner, const Settings &settings)
      : runner(runner), settings(settings), progress(stderr) {}

  Status prepare(const Dataset &dataset);
  Status runEpoch(int64_t epoch);

  std::vector<int64_t> times;

private:
  Status chooseLoss(const WeirEntryDesc &entry);
  Status step(int64_t epoch, const WeirView *feeds, double &loss);

  Runner &runner;
  const Settings &settings;
  Progress progress;
  Batcher batcher;
  std::vector<TensorRef> fetches;
  int32_t index = 0;
  int32_t lossIndex = -1;
  int64_t rows = 0;
  int64_t batch = 0;
  bool isStatic = false;
  int64_t stepCount = 0;
};

} // namespace

/// The loss is the fetch of that name, else the first scalar of floats.
Status Trainer::chooseLoss(const WeirEntryDesc &entry) {
  for (int32_t i = entry.fetch_count; i-- > 0;) {
    const WeirTensorDesc &fetch = entry.fetches[i];
    bool isScalar = fetch.rank == 0 &&
                    (fetch.dtype == WEIR_F32 || fetch.dtype == WEIR_F64 ||
                     fetch.dtype == WEIR_F16 || fetch.dtype == WEIR_BF16);
    if (isScalar && std::strcmp(fetch.name, "loss") == 0) {
      lossIndex = i;
      return Status();
    }
    if (isScalar)
      lossIndex = i;
  }
  if (lossIndex >= 0)
    return Status();
  return Status(WEIR_INVALID_ARGUMENT,
                "[WEIR0305] entry 'train' has no loss to show: no fetch of it "
                "is a scalar float");
}

Status Trainer::prepare(const Dataset &dataset) {
  WEIR_RETURN_IF_ERROR(runner.find("train", index));
  const WeirEntryDesc &entry = runner.entry(index);
  WEIR_RETURN_IF_ERROR(chooseLoss(entry));
  int64_t fixed;
  WEIR_RETURN_IF_ERROR(staticRows(entry, fixed));
  rows = dataset.rows();
  isStatic = fixed > 0;
  batch = isStatic ? fixed : settings.batch ? settings.batch : 32;
  if (isStatic && settings.batch && settings.batch != fixed)
    return Status(WEIR_INVALID_ARGUMENT,
                  str("[WEIR0319] entry 'train' is compiled for batches of ",
                      fixed, ", --batch asks for ", settings.batch));
  if (isStatic && rows < batch)
    return Status(WEIR_INVALID_ARGUMENT,
                  str("[WEIR0319] entry 'train' is compiled for batches of ",
                      fixed, ", --data has ", rows, " examples"));
  std::vector<const TensorRef *> arrays;
  WEIR_RETURN_IF_ERROR(dataset.arraysFor(entry, arrays));
  return Batcher::create(std::move(arrays), batch, batcher);
}

Status Trainer::step(int64_t epoch, const WeirView *feeds, double &loss) {
  ++stepCount;
  int64_t begin = traceNow();
  WEIR_RETURN_IF_ERROR(runner.run(index, feeds, fetches));
  times.push_back(traceNow() - begin);
  loss = elementAsDouble(fetches[lossIndex].view(), 0);
  if (std::isfinite(loss))
    return Status();
  return Status(WEIR_FAILED_PRECONDITION,
                str("[WEIR0318] the ",
                    runner.entry(index).fetches[lossIndex].name, " is ",
                    numberText(loss), " at step ", stepCount, " (epoch ",
                    epoch + 1,
                    "); nothing is saved. A smaller learning rate or a look "
                    "at the data may help"));
}

Status Trainer::runEpoch(int64_t epoch) {
  std::vector<int64_t> order = shuffledOrder(
      rows, static_cast<uint64_t>(settings.seed), static_cast<uint64_t>(epoch));
  std::string label = str("epoch ", epoch + 1, "/", settings.epochs);
  double lossSum = 0;
  int64_t done = 0, begin = traceNow();
  while (done < rows) {
    int64_t size = std::min(batch, rows - done);
    if (isStatic && size < batch)
      break;
    double loss;
    WEIR_RETURN_IF_ERROR(
        step(epoch, batcher.gather(order.data(), done, size), loss));
    lossSum += loss * static_cast<double>(size);
    done += size;
    progress.update(
        label, done, rows,
        str("loss ", numberText(lossSum / static_cast<double>(done), 5)));
  }
  double seconds = static_cast<double>(traceNow() - begin) * 1e-9;
  progress.finish(
      label,
      str("loss ", numberText(lossSum / static_cast<double>(done), 5), "  ",
          static_cast<long long>(static_cast<double>(done) / seconds),
          " examples/s"));
  return Status();
}

/// Runs entry eval over a data set and prints the mean of each scalar fetch.
static Status evaluate(Runner &runner, const Dataset &dataset) {
  int32_t index;
  WEIR_RETURN_IF_ERROR(runner.find("eval", index));
  const WeirEntryDesc &entry = runner.entry(index);
  int64_t fixed;
  WEIR_RETURN_IF_ERROR(staticRows(entry, fixed));
  std::vector<const TensorRef *> arrays;
  WEIR_RETURN_IF_ERROR(dataset.arraysFor(entry, arrays));
  int64_t rows = dataset.rows(), batch = fixed ? fixed : rows;
  Batcher batcher;
  WEIR_RETURN_IF_ERROR(Batcher::create(std::move(arrays), batch, batcher));
  std::vector<double> sums(static_cast<size_t>(entry.fetch_count));
  std::vector<TensorRef> fetches;
  int64_t done = 0;
  for (; done + batch <= rows; done += batch) {
    WEIR_RETURN_IF_ERROR(
        runner.run(index, batcher.slice(done, batch), fetches));
    for (size_t i = 0; i < sums.size(); ++i)
      if (entry.fetches[i].rank == 0)
        sums[i] +=
            elementAsDouble(fetches[i].view(), 0) * static_cast<double>(batch);
  }
  if (done == 0)
    return Status(WEIR_INVALID_ARGUMENT,
                  str("[WEIR0319] entry 'eval' is compiled for batches of ",
                      fixed, ", --test has ", rows, " examples"));
  for (size_t i = 0; i < sums.size(); ++i)
    if (entry.fetches[i].rank == 0)
      printf("test %s %s\n", entry.fetches[i].name,
             numberText(sums[i] / static_cast<double>(done), 5).c_str());
  return Status();
}

static Status parseSettings(const Arguments &arguments, Settings &settings) {
  WEIR_RETURN_IF_ERROR(
      arguments.number("--epochs", 1, 1, int64_t(1) << 31, settings.epochs));
  WEIR_RETURN_IF_ERROR(
      arguments.number("--batch", 0, 1, int64_t(1) << 31, settings.batch));
  WEIR_RETURN_IF_ERROR(
      arguments.number("--seed", 0, INT64_MIN, INT64_MAX, settings.seed));
  return arguments.number("--threads", 0, 1, 4096, settings.threads);
}

static Status train(const WeirProgram &program, const Arguments &arguments) {
  if (!arguments.positional.empty())
    return Status(WEIR_INVALID_ARGUMENT,
                  str("[WEIR0319] train takes no operand, got '",
                      arguments.positional[0], "'"));
  Settings settings;
  WEIR_RETURN_IF_ERROR(parseSettings(arguments, settings));
  Dataset data, test;
  WEIR_RETURN_IF_ERROR(Dataset::load("--data", arguments.get("--data"), data));
  if (arguments.has("--test"))
    WEIR_RETURN_IF_ERROR(
        Dataset::load("--test", arguments.get("--test"), test));
  if (settings.threads > 0)
    setKernelThreads(static_cast<int>(settings.threads));
  Runner runner(program);
  WEIR_RETURN_IF_ERROR(runner.start());
  Trainer trainer(runner, settings);
  WEIR_RETURN_IF_ERROR(trainer.prepare(data));
  int32_t unused;
  // Found out now, not after an hour of training.
  if (arguments.has("--save"))
    WEIR_RETURN_IF_ERROR(runner.find("save", unused));
  if (arguments.has("--test"))
    WEIR_RETURN_IF_ERROR(runner.find("eval", unused));
  if (arguments.has("--restore"))
    WEIR_RETURN_IF_ERROR(
        runner.checkpoint("restore", arguments.get("--restore")));
  else if (runner.hasEntry("init"))
    WEIR_RETURN_IF_ERROR(runner.init(settings.seed));
  TraceScope trace(arguments.get("--profile"));
  for (int64_t epoch = 0; epoch < settings.epochs; ++epoch)
    WEIR_RETURN_IF_ERROR(trainer.runEpoch(epoch));
  WEIR_RETURN_IF_ERROR(trace.finish());
  if (arguments.has("--test"))
    WEIR_RETURN_IF_ERROR(evaluate(runner, test));
  if (arguments.has("--save")) {
    WEIR_RETURN_IF_ERROR(runner.checkpoint("save", arguments.get("--save")));
    printf("saved %s\n", arguments.get("--save").c_str());
  }
  if (arguments.has("--benchmark"))
    fputs(benchmarkText(summarizeTimes(trainer.times), kernelThreads()).c_str(),
          stdout);
  return Status();
}

const Command &weir::rt::trainCommand() {
  static const Command command = {
      "train", "--data x=x.npy,y=y.npy [options]",
      "Calls init, then train for each batch, then eval and save.", options,
      train};
  return command;
}

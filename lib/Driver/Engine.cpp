//===- Engine.cpp - What runs entry points: compiled code or the interpreter
//-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Driver/Engine.h"
#include "lib/Driver/Descriptors.h"

#include "lib/Interpreter/Interpreter.h"
#include "runtime/base/DType.h"
#include "runtime/core/Program.h"
#include "runtime/core/Session.h"
#include "runtime/main/CommandLine.h"

#include <cstring>

using namespace weir;

namespace {
class CompiledPartialRun : public Engine::PartialRun {
public:
  explicit CompiledPartialRun(WeirPartialRun *run) : run(run) {}
  ~CompiledPartialRun() override {
    if (run)
      (void)end();
  }

  rt::Status feed(int32_t index, const WeirView &value) override {
    WeirStatus status = WEIR_STATUS_INIT;
    weir_partial_run_feed(run, index, &value, &status);
    return rt::takeStatus(status);
  }
  rt::Status fetch(int32_t index, rt::TensorRef &result) override {
    WeirStatus status = WEIR_STATUS_INIT;
    result = rt::TensorRef(weir_partial_run_fetch(run, index, &status));
    return rt::takeStatus(status);
  }
  rt::Status end() override {
    WeirStatus status = WEIR_STATUS_INIT;
    weir_partial_run_end(std::exchange(run, nullptr), &status);
    return rt::takeStatus(status);
  }

private:
  WeirPartialRun *run;
};

class CompiledEngine : public Engine {
public:
  explicit CompiledEngine(std::unique_ptr<JitProgram> code)
      : code(std::move(code)), runner(*this->code->program()) {}

  rt::Status start(const CompiledEngine *family) {
    return runner.start(family ? &family->runner : nullptr);
  }
  const WeirProgram &program() const override { return *code->program(); }
  rt::Status run(int32_t entry, const std::vector<WeirView> &feeds,
                 std::vector<rt::TensorRef> &fetches,
                 const WeirRunOptions *options) override {
    return runner.run(entry, feeds.data(), fetches, options);
  }
  bool isConcurrent() const override { return true; }
  std::unique_ptr<PartialRun> begin(int32_t entry,
                                    const WeirRunOptions *options,
                                    rt::Status &status) override {
    WeirStatus raw = WEIR_STATUS_INIT;
    WeirPartialRun *run =
        weir_partial_run_begin(runner.getSession(), entry, options, &raw);
    status = rt::takeStatus(raw);
    return run ? std::make_unique<CompiledPartialRun>(run) : nullptr;
  }

private:
  // The order matters: the session goes before the code.
  std::unique_ptr<JitProgram> code;
  rt::Runner runner;
};

class InterpreterEngine : public Engine {
public:
  InterpreterEngine(std::unique_ptr<Program> source,
                    const InterpreterEngine *family, Interruption::Poll poll)
      : source(std::move(source)),
        descriptors("interpreted", this->source->entries()),
        interpreter(this->source->module(),
                    family ? family->interpreter.getState()
                           : std::make_shared<InterpreterState>()),
        poll(std::move(poll)) {}

  const WeirProgram &program() const override { return descriptors.get(); }
  rt::Status run(int32_t entry, const std::vector<WeirView> &feeds,
                 std::vector<rt::TensorRef> &fetches,
                 const WeirRunOptions *options) override;
  std::unique_ptr<PartialRun> begin(int32_t entry,
                                    const WeirRunOptions *options,
                                    rt::Status &status) override;

private:
  Interruption interruption(const WeirRunOptions *options) const;

  std::unique_ptr<Program> source;
  Descriptors descriptors;
  Interpreter interpreter;
  Interruption::Poll poll;
};
} // namespace

/// A tensor of the runtime with the elements of the interpreter's.
static rt::Status copyOut(const Tensor &tensor, rt::TensorRef &result) {
  std::vector<WeirString> scratch;
  WeirView view = tensor.view(scratch);
  if (view.dtype == WEIR_STRING)
    return rt::createStringTensor(view.rank, view.dims,
                                  static_cast<const WeirString *>(view.data),
                                  result);
  WEIR_RETURN_IF_ERROR(
      rt::createTensor(view.dtype, view.rank, view.dims, result));
  if (int64_t bytes = rt::viewBytes(view))
    std::memcpy(result.view().data, view.data, static_cast<size_t>(bytes));
  return rt::Status();
}

/// A fed value that suits its descriptor, as a tensor of the interpreter.
static rt::Status copyIn(const WeirEntryDesc &entry, int32_t feed,
                         const WeirView &view, Tensor &result) {
  WEIR_RETURN_IF_ERROR(rt::checkFeed(entry, entry.feeds[feed], view));
  llvm::Expected<Tensor> input = Tensor::fromView(view);
  if (!input)
    return toStatus(input.takeError());
  result = std::move(*input);
  return rt::Status();
}

Interruption
InterpreterEngine::interruption(const WeirRunOptions *options) const {
  std::optional<Interruption::Clock::duration> timeout;
  if (options && options->timeout_ms > 0)
    timeout = std::chrono::milliseconds(options->timeout_ms);
  return Interruption(timeout,
                      options && options->cancellation
                          ? &options->cancellation->token
                          : nullptr,
                      poll);
}

namespace {
class InterpretedPartialRun : public Engine::PartialRun {
public:
  InterpretedPartialRun(const WeirEntryDesc &entry,
                        std::unique_ptr<Interpreter::PartialRun> run)
      : entry(entry), run(std::move(run)) {}

  rt::Status feed(int32_t index, const WeirView &value) override {
    Tensor tensor;
    WEIR_RETURN_IF_ERROR(copyIn(entry, index, value, tensor));
    return toStatus(run->feed(static_cast<unsigned>(index), tensor));
  }
  rt::Status fetch(int32_t index, rt::TensorRef &result) override {
    llvm::Expected<Tensor> value = run->fetch(static_cast<unsigned>(index));
    return value ? copyOut(*value, result) : toStatus(value.takeError());
  }
  rt::Status end() override { return toStatus(run->end()); }

private:
  const WeirEntryDesc &entry;
  std::unique_ptr<Interpreter::PartialRun> run;
};
} // namespace

rt::Status InterpreterEngine::run(int32_t entry,
                                  const std::vector<WeirView> &feeds,
                                  std::vector<rt::TensorRef> &fetches,
                                  const WeirRunOptions *options) {
  const WeirEntryDesc &desc = program().entries[entry];
  std::vector<Tensor> inputs(feeds.size());
  for (size_t i = 0; i < feeds.size(); ++i)
    WEIR_RETURN_IF_ERROR(
        copyIn(desc, static_cast<int32_t>(i), feeds[i], inputs[i]));
  llvm::Expected<std::vector<Tensor>> outputs =
      interpreter.run(desc.name, inputs, interruption(options));
  if (!outputs)
    return toStatus(outputs.takeError());
  fetches.clear();
  for (const Tensor &output : *outputs)
    WEIR_RETURN_IF_ERROR(copyOut(output, fetches.emplace_back()));
  return rt::Status();
}

std::unique_ptr<Engine::PartialRun>
InterpreterEngine::begin(int32_t entry, const WeirRunOptions *options,
                         rt::Status &status) {
  const WeirEntryDesc &desc = program().entries[entry];
  llvm::Expected<std::unique_ptr<Interpreter::PartialRun>> run =
      interpreter.begin(desc.name, interruption(options));
  if (run)
    return std::make_unique<InterpretedPartialRun>(desc, std::move(*run));
  status = toStatus(run.takeError());
  return nullptr;
}

rt::Status Engine::startTrace() {
  rt::startTrace();
  return rt::Status();
}

rt::Status Engine::stopTrace(std::vector<rt::TracePart> &parts) {
  parts.resize(1);
  return rt::stopTrace(parts.front().data);
}

std::unique_ptr<Engine> Engine::compile(const Program &program,
                                        const CompileOptions &options,
                                        Messages &messages,
                                        const Engine *family) {
  std::unique_ptr<JitProgram> code =
      JitProgram::create(program, options, messages);
  if (!code)
    return nullptr;
  auto engine = std::make_unique<CompiledEngine>(std::move(code));
  rt::Status status =
      engine->start(static_cast<const CompiledEngine *>(family));
  if (!status.ok()) {
    messages.error(status.message());
    return nullptr;
  }
  return engine;
}

std::unique_ptr<Engine> Engine::interpret(const Program &program,
                                          const CompileOptions &options,
                                          Messages &messages,
                                          const Engine *family,
                                          std::function<bool()> poll) {
  std::unique_ptr<Program> copy = program.clone();
  CompileOptions graphOnly = options;
  bool raised = options.phases.to == Phase::Raise;
  graphOnly.phases.to =
      std::min(options.phases.to, raised ? Phase::Raise : Phase::Autodiff);
  if (graphOnly.phases.from <= graphOnly.phases.to &&
      !copy->runPhases(graphOnly, messages))
    return nullptr;
  return std::make_unique<InterpreterEngine>(
      std::move(copy), static_cast<const InterpreterEngine *>(family),
      std::move(poll));
}

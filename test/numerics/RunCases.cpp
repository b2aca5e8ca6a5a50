//===- RunCases.cpp - Many runs of many graphs in one process -------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   weir-run-cases module.mlir cases data.bin results.bin
//   [--simplify|--compiled|--gpu]
//
// Expands the gradients of a module, then runs its graphs in the interpreter;
// with --simplify, simplified before and after; with --compiled, as native
// code; with --gpu, as that of an emulated GPU where nodes have kernels there.
// `cases` has a line "run ENTRY" for each run, and after it a line for
// each feed: "DTYPE OFFSET EXTENT...", whose elements are in data.bin. To
// standard output goes "ok" or "error TEXT" for each run, and after "ok" such a
// line for each fetch, with its elements in results.bin. State is kept between
// runs; "reset" starts a new session.
//
//===----------------------------------------------------------------------===//

#include "dialects/Weir/Weir.h"
#include "lib/Driver/Devices.h"
#include "lib/Driver/Driver.h"
#include "lib/Interpreter/Interpreter.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "passes/Autodiff/Passes.h"
#include "passes/Simplify/Passes.h"
#include "runtime/base/DType.h"
#include "weir-c/session.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace weir;

static int fail(const Twine &what) {
  llvm::errs() << "weir-run-cases: " << what << "\n";
  return 1;
}

/// The feed that a line of `cases` describes.
static llvm::Expected<Tensor> parseFeed(StringRef line, StringRef data) {
  SmallVector<StringRef> words;
  SmallVector<int64_t> numbers;
  line.split(words, ' ', -1, /*KeepEmpty=*/false);
  for (StringRef word : words)
    if (word.getAsInteger(10, numbers.emplace_back()))
      return llvm::createStringError("bad line '" + line + "'");
  if (numbers.size() < 2 || numbers[1] < 0 ||
      numbers[1] > static_cast<int64_t>(data.size()))
    return llvm::createStringError("bad line '" + line + "'");
  // Copied, as elements in the file are not aligned.
  StringRef bytes = data.drop_front(static_cast<size_t>(numbers[1]));
  auto dtype = static_cast<WeirDType>(numbers[0]);
  auto tensor = Tensor::create(dtype, ArrayRef(numbers).drop_front(2));
  if (!tensor)
    return tensor;
  size_t size = static_cast<size_t>(tensor->size()) *
                static_cast<size_t>(rt::dtypeInfo(dtype)->size);
  if (size > bytes.size())
    return llvm::createStringError("too little data for '" + line + "'");
  std::copy_n(bytes.data(), size, tensor->write<char>());
  return tensor;
}

static void writeFetch(const Tensor &fetch, std::string &results) {
  llvm::outs() << fetch.getDType() << ' ' << results.size();
  for (int64_t extent : fetch.getShape())
    llvm::outs() << ' ' << extent;
  llvm::outs() << '\n';
  results.append(
      fetch.read<char>(),
      static_cast<size_t>(fetch.size()) *
          static_cast<size_t>(rt::dtypeInfo(fetch.getDType())->size));
}

namespace {

/// Runs entry points; its state lasts until the next `reset`.
class Runner {
public:
  virtual ~Runner() = default;
  virtual void reset() = 0;
  virtual llvm::Expected<std::vector<Tensor>> run(StringRef entry,
                                                  ArrayRef<Tensor> feeds) = 0;
};

class InterpretedRunner : public Runner {
public:
  explicit InterpretedRunner(ModuleOp module) : module(module) { reset(); }
  void reset() override { interpreter.emplace(module); }
  llvm::Expected<std::vector<Tensor>> run(StringRef entry,
                                          ArrayRef<Tensor> feeds) override {
    return interpreter->run(entry, feeds);
  }

private:
  ModuleOp module;
  std::optional<Interpreter> interpreter;
};

class CompiledRunner : public Runner {
public:
  explicit CompiledRunner(std::unique_ptr<JitProgram> code)
      : code(std::move(code)) {
    reset();
  }
  ~CompiledRunner() override { weir_session_destroy(session); }
  void reset() override {
    WeirStatus status = WEIR_STATUS_INIT;
    weir_session_destroy(session);
    session = weir_session_create(code->program(), &status);
    weir_status_clear(&status);
  }
  llvm::Expected<std::vector<Tensor>> run(StringRef entry,
                                          ArrayRef<Tensor> feeds) override;

private:
  std::unique_ptr<JitProgram> code;
  WeirSession *session = nullptr;
};

} // namespace

llvm::Expected<std::vector<Tensor>>
CompiledRunner::run(StringRef entry, ArrayRef<Tensor> feeds) {
  if (!session)
    return llvm::createStringError("no session");
  WeirStatus status = WEIR_STATUS_INIT;
  std::vector<std::vector<WeirString>> scratch(feeds.size());
  std::vector<WeirView> views;
  for (auto [feed, strings] : llvm::zip(feeds, scratch))
    views.push_back(feed.view(strings));
  int32_t index = weir_session_entry(session, entry.str().c_str(), &status);
  std::vector<WeirTensor *> fetches;
  if (index >= 0) {
    fetches.resize(code->program()->entries[index].fetch_count);
    weir_session_run(session, index, views.data(), fetches.data(), &status);
  }
  if (status.code != WEIR_OK) {
    std::string message = status.message;
    weir_status_clear(&status);
    return llvm::createStringError(message);
  }
  std::vector<Tensor> results;
  llvm::Error error = llvm::Error::success();
  for (WeirTensor *fetch : fetches) {
    auto result = Tensor::fromView(weir_tensor_view(fetch));
    if (result)
      results.push_back(std::move(*result));
    else
      error = llvm::joinErrors(std::move(error), result.takeError());
    weir_tensor_release(fetch);
  }
  if (error)
    return error;
  return results;
}

/// Asks for the GPU wherever a node has a kernel there.
static void placeOnGpu(ModuleOp module, CompileOptions &options) {
  options.devices = {"CPU:0", "GPU:0"};
  options.softPlacement = true;
  options.emulateGpu = true;
  auto device = StringAttr::get(module.getContext(), "/GPU:0");
  module.walk([&](NodeInterface node) {
    node->setAttr(WeirDialect::getDeviceAttrName(), device);
  });
}

/// The module of `path` as native code, or null with messages printed.
static std::unique_ptr<Runner> compile(const char *path, bool onGpu) {
  Messages messages;
  std::unique_ptr<JitProgram> code;
  if (auto program = Program::load(path, messages)) {
    CompileOptions options;
    if (onGpu)
      placeOnGpu(program->module(), options);
    if (configureDevices(options, messages))
      code = JitProgram::create(*program, options, messages);
  }
  if (code)
    return std::make_unique<CompiledRunner>(std::move(code));
  llvm::errs() << messages.text();
  return nullptr;
}

int main(int argc, char **argv) {
  if (argc < 5)
    return fail(
        "module.mlir cases data.bin results.bin [--simplify|--compiled|--gpu]");
  registerPassManagerCLOptions(); // Running the phases looks at them.
  StringRef flag = argc > 5 ? argv[5] : "";
  DialectRegistry registry;
  registry.insert<WeirDialect>();
  MLIRContext context(registry);
  OwningOpRef<ModuleOp> module;
  std::unique_ptr<Runner> runner;
  if (flag == "--compiled" || flag == "--gpu") {
    runner = compile(argv[1], flag == "--gpu");
  } else {
    module = parseSourceFile<ModuleOp>(argv[1], ParserConfig(&context));
    PassManager manager(&context);
    if (flag == "--simplify")
      buildSimplifyPipeline(manager);
    buildAutodiffPipeline(manager);
    if (flag == "--simplify")
      buildSimplifyPipeline(manager);
    if (module && succeeded(manager.run(*module)))
      runner = std::make_unique<InterpretedRunner>(*module);
  }
  if (!runner)
    return 1;

  auto cases = llvm::MemoryBuffer::getFile(argv[2], /*IsText=*/true);
  auto data = llvm::MemoryBuffer::getFile(argv[3], /*IsText=*/false,
                                          /*RequiresNullTerminator=*/false);
  if (!cases || !data)
    return fail("cannot read the cases");
  SmallVector<StringRef> lines;
  (*cases)->getBuffer().split(lines, '\n', -1, /*KeepEmpty=*/false);
  std::string results;
  for (size_t i = 0; i < lines.size();) {
    StringRef entry = lines[i++];
    if (entry == "reset") {
      runner->reset();
      continue;
    }
    if (!entry.consume_front("run "))
      return fail("expected 'run', got '" + entry + "'");
    std::vector<Tensor> feeds;
    while (i < lines.size() && llvm::isDigit(lines[i].front())) {
      auto feed = parseFeed(lines[i++], (*data)->getBuffer());
      if (!feed)
        return fail(llvm::toString(feed.takeError()));
      feeds.push_back(std::move(*feed));
    }
    auto fetches = runner->run(entry, feeds);
    if (!fetches) {
      llvm::outs() << "error " << llvm::toString(fetches.takeError()) << '\n';
      continue;
    }
    llvm::outs() << "ok\n";
    for (const Tensor &fetch : *fetches)
      writeFetch(fetch, results);
  }
  std::error_code error;
  llvm::raw_fd_ostream file(argv[4], error);
  if (error)
    return fail("cannot write '" + Twine(argv[4]) + "': " + error.message());
  file << results;
  return 0;
}

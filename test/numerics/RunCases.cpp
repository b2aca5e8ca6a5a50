//===- RunCases.cpp - Many runs of many graphs in one process -------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   weir-run-cases module.mlir cases data.bin results.bin [--simplify]
//
// Expands the gradients of a module, then runs its graphs in the interpreter.
// `cases` has a line "run ENTRY" for each run, and after it a line for each
// feed: "DTYPE OFFSET EXTENT...", whose elements are in data.bin. To standard
// output goes "ok" or "error TEXT" for each run, and after "ok" such a line for
// each fetch, with its elements in results.bin. State is kept between runs;
// "reset" starts a new session.
//
//===----------------------------------------------------------------------===//

#include "dialects/Weir/Weir.h"
#include "lib/Interpreter/Interpreter.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "passes/Autodiff/Passes.h"
#include "passes/Simplify/Passes.h"
#include "runtime/base/DType.h"
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

int main(int argc, char **argv) {
  if (argc < 5)
    return fail("module.mlir cases data.bin results.bin [--simplify]");
  DialectRegistry registry;
  registry.insert<WeirDialect>();
  MLIRContext context(registry);
  OwningOpRef<ModuleOp> module =
      parseSourceFile<ModuleOp>(argv[1], ParserConfig(&context));
  if (!module)
    return 1;
  PassManager manager(&context);
  if (argc > 5 && StringRef(argv[5]) == "--simplify")
    buildSimplifyPipeline(manager);
  buildAutodiffPipeline(manager);
  if (argc > 5 && StringRef(argv[5]) == "--simplify")
    buildSimplifyPipeline(manager);
  if (failed(manager.run(*module)))
    return 1;

  auto cases = llvm::MemoryBuffer::getFile(argv[2], /*IsText=*/true);
  auto data = llvm::MemoryBuffer::getFile(argv[3], /*IsText=*/false,
                                          /*RequiresNullTerminator=*/false);
  if (!cases || !data)
    return fail("cannot read the cases");
  SmallVector<StringRef> lines;
  (*cases)->getBuffer().split(lines, '\n', -1, /*KeepEmpty=*/false);
  std::string results;
  auto interpreter = std::make_unique<Interpreter>(*module);
  for (size_t i = 0; i < lines.size();) {
    StringRef entry = lines[i++];
    if (entry == "reset") {
      interpreter = std::make_unique<Interpreter>(*module);
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
    auto fetches = interpreter->run(entry, feeds);
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

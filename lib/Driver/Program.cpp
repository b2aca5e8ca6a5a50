//===- Program.cpp - A loaded module --------------------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Driver/Driver.h"

#include "dialects/Weir/DTypes.h"
#include "dialects/Weir/Weir.h"
#include "lib/Driver/DeriveEntry.h"
#include "lib/Driver/Native.h"
#include "lib/Driver/ProgramImpl.h"
#include "lib/Pipeline/Register.h"
#include "lib/Support/MessageHandler.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "runtime/base/Format.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ThreadPool.h"

using namespace weir;

Program::Program(std::unique_ptr<Impl> impl) : impl(std::move(impl)) {}
Program::~Program() = default;

/// The pool that all contexts share, so that a process with many programs does
/// not have threads for each of them. It is never destroyed, because programs
/// may live until the very end of the process.
static llvm::ThreadPoolInterface &sharedThreads() {
  static auto *pool = new llvm::DefaultThreadPool();
  return *pool;
}

static std::shared_ptr<ProgramContext> createContext() {
  auto context = std::make_shared<ProgramContext>();
  context->context.appendDialectRegistry(driverRegistry());
  context->context.setThreadPool(sharedThreads());
  // A whole op after each message helps who debugs the compiler, not its user.
  context->context.printOpOnDiagnostic(false);
  return context;
}

std::unique_ptr<Program> Program::create(const std::string &name) {
  auto impl = std::make_unique<Impl>();
  impl->context = createContext();
  mlir::MLIRContext *context = &impl->context->context;
  context->loadDialect<WeirDialect>();
  impl->module = mlir::ModuleOp::create(mlir::UnknownLoc::get(context), name);
  return std::unique_ptr<Program>(new Program(std::move(impl)));
}

static std::unique_ptr<Program::Impl>
parseBuffer(std::unique_ptr<llvm::MemoryBuffer> buffer, Messages &messages) {
  auto impl = std::make_unique<Program::Impl>();
  impl->context = createContext();
  mlir::MLIRContext *context = &impl->context->context;
  llvm::SourceMgr &sources = impl->context->sources;
  std::string name = buffer->getBufferIdentifier().str();
  sources.AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  MessageHandler handler(context, sources, messages);
  impl->module = mlir::parseSourceFile<mlir::ModuleOp>(
      sources, mlir::ParserConfig(context));
  if (impl->module)
    return impl;
  if (!messages.hasErrors())
    messages.error("[WEIR0202] '" + name + "' holds no module");
  return nullptr;
}

std::unique_ptr<Program> Program::load(const std::string &path,
                                       Messages &messages) {
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(path);
  if (!buffer) {
    messages.error("[WEIR0201] cannot read '" + path +
                   "': " + buffer.getError().message());
    return nullptr;
  }
  std::unique_ptr<Impl> impl = parseBuffer(std::move(*buffer), messages);
  return impl ? std::unique_ptr<Program>(new Program(std::move(impl)))
              : nullptr;
}

std::unique_ptr<Program> Program::parse(std::string_view source,
                                        const std::string &name,
                                        Messages &messages) {
  std::unique_ptr<Impl> impl =
      parseBuffer(llvm::MemoryBuffer::getMemBufferCopy(source, name), messages);
  return impl ? std::unique_ptr<Program>(new Program(std::move(impl)))
              : nullptr;
}

std::unique_ptr<Program> Program::clone() const {
  auto copy = std::make_unique<Impl>();
  copy->context = impl->context;
  copy->module = impl->module.get().clone();
  return std::unique_ptr<Program>(new Program(std::move(copy)));
}

mlir::MLIRContext &Program::context() const { return impl->context->context; }

mlir::ModuleOp Program::module() const { return impl->module.get(); }

std::string Program::name() const {
  return module().getSymName().value_or("program").str();
}

bool Program::verify(Messages &messages) const {
  MessageHandler handler(&context(), impl->context->sources, messages);
  return succeeded(mlir::verify(module()));
}

std::string Program::text(bool locations) const {
  std::string result;
  llvm::raw_string_ostream os(result);
  module()->print(os, mlir::OpPrintingFlags().enableDebugInfo(locations));
  os << "\n";
  return result;
}

std::string Program::bytecode() const {
  std::string result;
  llvm::raw_string_ostream os(result);
  // Writing the current version of the format cannot fail.
  (void)mlir::writeBytecodeToFile(module(), os);
  return result;
}

bool Program::runPhases(const CompileOptions &options, Messages &messages) {
  MessageHandler handler(&context(), impl->context->sources, messages);
  return setTarget(module(), options, messages) &&
         weir::runPhases(module(), options.phases, messages);
}

static TensorSignature signatureOf(std::string name, mlir::Type type) {
  TensorSignature signature;
  signature.name = std::move(name);
  if (auto tensor = llvm::dyn_cast<mlir::TensorType>(type)) {
    signature.dtype = dtypeOf(tensor.getElementType());
    signature.hasRank = tensor.hasRank();
    if (!signature.hasRank)
      return signature;
    for (int64_t extent : tensor.getShape())
      signature.dims.push_back(mlir::ShapedType::isDynamic(extent) ? -1
                                                                   : extent);
  }
  return signature;
}

std::vector<EntrySignature> Program::entries() const {
  std::vector<EntrySignature> result;
  for (auto graph : module().getOps<GraphOp>()) {
    EntrySignature &entry = result.emplace_back();
    entry.name = graph.getSymName().str();
    for (auto [i, type] : llvm::enumerate(graph.getArgumentTypes()))
      entry.feeds.push_back(signatureOf(graph.getFeedName(i), type));
    for (auto [i, type] : llvm::enumerate(graph.getResultTypes()))
      entry.fetches.push_back(signatureOf(graph.getFetchName(i), type));
  }
  return result;
}

std::vector<std::string> Program::variables() const {
  std::vector<std::string> result;
  for (auto variable : module().getOps<VariableOp>())
    result.push_back(variable.getSymName().str());
  return result;
}

bool Program::keepEntries(const std::vector<std::string> &names,
                          Messages &messages) {
  std::vector<GraphOp> graphs(module().getOps<GraphOp>().begin(),
                              module().getOps<GraphOp>().end());
  std::vector<std::string_view> known;
  for (GraphOp graph : graphs)
    known.push_back(graph.getSymName());
  for (const std::string &name : names)
    if (!llvm::is_contained(known, name))
      return messages.error(
          rt::str("[WEIR0204] there is no entry '", name, "'",
                  rt::didYouMean(name, known), " (the module has ",
                  known.empty() ? "no graphs" : rt::listNames(known), ")"));
  std::vector<mlir::Operation *> usedBefore = usedState(module());
  for (GraphOp graph : graphs)
    if (!llvm::is_contained(names, graph.getSymName()))
      graph.erase();
  eraseUnusedState(module(), usedBefore);
  return true;
}

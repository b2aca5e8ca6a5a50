//===- Jit.cpp - Compiled code in memory ----------------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Driver/Native.h"
#include "weir-c/dataflow.h"
#include "weir-c/gpu.h"
#include "llvm/ExecutionEngine/Orc/ExecutionUtils.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace weir;

struct JitProgram::Impl {
  std::unique_ptr<llvm::orc::LLJIT> jit;
  const WeirProgram *program = nullptr;
};

JitProgram::JitProgram(std::unique_ptr<Impl> impl) : impl(std::move(impl)) {}
JitProgram::~JitProgram() = default;

const WeirProgram *JitProgram::program() const { return impl->program; }

/// The functions of program.h and dataflow.h, as addresses in this process:
/// they are found although the binary that holds them exports none.
static llvm::orc::SymbolMap runtimeSymbols(llvm::orc::LLJIT &jit) {
  llvm::orc::SymbolMap symbols;
  auto add = [&](const char *name, void *address) {
    symbols[jit.mangleAndIntern(name)] = {
        llvm::orc::ExecutorAddr::fromPtr(address),
        llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
  };
#define RUNTIME_SYMBOL(name) add(#name, reinterpret_cast<void *>(&name));
#define DEVICE_KIND(name)                                                      \
  symbols[jit.mangleAndIntern(#name)] = {                                      \
      llvm::orc::ExecutorAddr::fromPtr(&name),                                 \
      llvm::JITSymbolFlags::Exported};
#include "lib/Driver/RuntimeSymbols.inc"
#undef DEVICE_KIND
#undef RUNTIME_SYMBOL
  return symbols;
}

static llvm::Expected<std::unique_ptr<llvm::orc::LLJIT>>
loadObject(std::unique_ptr<llvm::MemoryBuffer> object) {
  // There are no constructors and no thread-local variables in the code, so it
  // needs nothing of a platform.
  auto jit = llvm::orc::LLJITBuilder()
                 .setPlatformSetUp(llvm::orc::setUpInactivePlatform)
                 .create();
  if (!jit)
    return jit.takeError();
  llvm::orc::JITDylib &main = (*jit)->getMainJITDylib();
  if (llvm::Error error =
          main.define(llvm::orc::absoluteSymbols(runtimeSymbols(**jit))))
    return std::move(error);
  // Threads come from the OpenMP library that this binary is linked with. Where
  // the binary was loaded for itself (Python's extension), a search through the
  // process does not find it.
  auto openmp = llvm::orc::DynamicLibrarySearchGenerator::Load(
      "libomp.so.5", (*jit)->getDataLayout().getGlobalPrefix());
  if (!openmp)
    return openmp.takeError();
  main.addGenerator(std::move(*openmp));
  if (llvm::Error error = (*jit)->addObjectFile(std::move(object)))
    return std::move(error);
  return jit;
}

std::unique_ptr<JitProgram> JitProgram::load(std::string_view object,
                                             Messages &messages) {
  auto impl = std::make_unique<Impl>();
  auto buffer = llvm::MemoryBuffer::getMemBufferCopy(object, "weir");
  llvm::Expected<std::unique_ptr<llvm::orc::LLJIT>> jit =
      loadObject(std::move(buffer));
  if (!jit) {
    messages.error("[WEIR0212] cannot load the code: " +
                   llvm::toString(jit.takeError()));
    return nullptr;
  }
  impl->jit = std::move(*jit);
  llvm::Expected<llvm::orc::ExecutorAddr> address =
      impl->jit->lookup("weir_program");
  if (!address) {
    messages.error("[WEIR0212] cannot load the code: " +
                   llvm::toString(address.takeError()));
    return nullptr;
  }
  impl->program = address->toPtr<const WeirProgram *>();
  return std::unique_ptr<JitProgram>(new JitProgram(std::move(impl)));
}

std::unique_ptr<JitProgram> JitProgram::create(const Program &program,
                                               const CompileOptions &options,
                                               Messages &messages) {
  std::unique_ptr<CompiledObject> object =
      compileObject(program, options, "", messages);
  return object ? load({object->bytes.data(), object->bytes.size()}, messages)
                : nullptr;
}

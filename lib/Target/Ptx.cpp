//===- Ptx.cpp - PTX and cubins -------------------------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Target/Ptx.h"

#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Linker/Linker.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/IPO/Internalize.h"

using namespace llvm;

static Error fail(const Twine &text) {
  return createStringError(inconvertibleErrorCode(), text);
}

static std::unique_ptr<TargetMachine> makeMachine(std::string &error) {
  static const bool initialized = [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    return true;
  }();
  (void)initialized;
  Triple triple("nvptx64-nvidia-cuda");
  const Target *target = TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return nullptr;
  return std::unique_ptr<TargetMachine>(target->createTargetMachine(
      triple, "sm_80", "+ptx80", TargetOptions(), std::nullopt, std::nullopt,
      CodeGenOptLevel::Aggressive));
}

/// Functions of libdevice that are called, but not there.
static std::vector<std::string> missingFunctions(const Module &module) {
  std::vector<std::string> names;
  for (const Function &function : module)
    if (function.isDeclaration() && !function.use_empty() &&
        function.getName().starts_with("__nv_"))
      names.push_back(function.getName().str());
  return names;
}

static Error linkLibdevice(Module &module, const std::string &path) {
  std::vector<std::string> missing = missingFunctions(module);
  if (missing.empty())
    return Error::success();
  if (path.empty())
    return fail("it calls " + missing.front() +
                " of CUDA's libdevice, which is not on this machine");
  SMDiagnostic diagnostic;
  std::unique_ptr<Module> library =
      parseIRFile(path, diagnostic, module.getContext());
  if (!library)
    return fail("cannot read " + path + ": " + diagnostic.getMessage());
  library->setTargetTriple(module.getTargetTriple());
  library->setDataLayout(module.getDataLayout());
  auto internalize = [](Module &linked, const StringSet<> &names) {
    internalizeModule(linked, [&](const GlobalValue &value) {
      return !value.hasName() || !names.contains(value.getName());
    });
  };
  if (Linker::linkModules(module, std::move(library), Linker::LinkOnlyNeeded,
                          internalize))
    return fail("cannot link " + path);
  missing = missingFunctions(module);
  if (!missing.empty())
    return fail(path + " has no " + missing.front());
  // What libdevice asks of its user: whether denormals are flushed.
  module.addModuleFlag(Module::Override, "nvvm-reflect-ftz", uint32_t(0));
  return Error::success();
}

Expected<std::string> weir::emitPtx(Module &module,
                                    const std::string &libdevice) {
  std::string error;
  std::unique_ptr<TargetMachine> machine = makeMachine(error);
  if (!machine)
    return fail("this LLVM makes no code for GPUs: " + error);
  module.setTargetTriple(machine->getTargetTriple());
  module.setDataLayout(machine->createDataLayout());
  if (Error failed = linkLibdevice(module, libdevice))
    return std::move(failed);

  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager components;
  ModuleAnalysisManager modules;
  PassBuilder builder(machine.get());
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  builder.buildPerModuleDefaultPipeline(OptimizationLevel::O3)
      .run(module, modules);

  SmallString<0> text;
  raw_svector_ostream os(text);
  legacy::PassManager passes;
  if (machine->addPassesToEmitFile(passes, os, nullptr,
                                   CodeGenFileType::AssemblyFile))
    return fail("this LLVM writes no PTX");
  passes.run(module);
  return text.str().str();
}

static bool isProgram(const Twine &path) { return sys::fs::can_execute(path); }

std::string weir::findPtxas(const std::string &option) {
  if (!option.empty())
    return option == "none" ? "" : option;
  if (ErrorOr<std::string> found = sys::findProgramByName("ptxas"))
    return *found;
  std::string usual = "/usr/local/cuda/bin/ptxas";
  return isProgram(usual) ? usual : "";
}

std::string weir::findLibdevice(const std::string &ptxas) {
  SmallVector<std::string> roots;
  if (!ptxas.empty()) {
    SmallString<128> real;
    if (!sys::fs::real_path(ptxas, real))
      roots.push_back(
          sys::path::parent_path(sys::path::parent_path(real)).str());
  }
  roots.push_back("/usr/local/cuda");
  for (const std::string &root : roots) {
    SmallString<128> path(root);
    sys::path::append(path, "nvvm", "libdevice", "libdevice.10.bc");
    if (sys::fs::exists(path))
      return path.str().str();
  }
  return "";
}

/// The contents of a file.
static Expected<std::string> readAll(StringRef path) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> buffer =
      MemoryBuffer::getFile(path, /*IsText=*/false);
  if (!buffer)
    return fail("cannot read " + path + ": " + buffer.getError().message());
  return (*buffer)->getBuffer().str();
}

Expected<std::string> weir::assemblePtx(const std::string &ptxas, StringRef ptx,
                                        StringRef architecture) {
  SmallString<128> input, output, messages;
  int descriptor = -1;
  if (std::error_code code =
          sys::fs::createTemporaryFile("weir", "ptx", descriptor, input))
    return fail("no temporary file: " + code.message());
  FileRemover removeInput(input);
  {
    raw_fd_ostream os(descriptor, /*shouldClose=*/true);
    os << ptx;
    os.close();
    if (os.has_error()) {
      std::string text = os.error().message();
      os.clear_error();
      return fail("cannot write " + input + ": " + text);
    }
  }
  if (std::error_code code =
          sys::fs::createTemporaryFile("weir", "cubin", output))
    return fail("no temporary file: " + code.message());
  FileRemover removeOutput(output);
  if (std::error_code code =
          sys::fs::createTemporaryFile("weir", "log", messages))
    return fail("no temporary file: " + code.message());
  FileRemover removeMessages(messages);

  std::string target = ("-arch=" + architecture).str();
  StringRef arguments[] = {ptxas, target, "-O3", input, "-o", output};
  std::optional<StringRef> redirects[] = {std::nullopt, StringRef(messages),
                                          StringRef(messages)};
  std::string error;
  int result = sys::ExecuteAndWait(ptxas, arguments, std::nullopt, redirects,
                                   /*SecondsToWait=*/120, 0, &error);
  if (result == 0)
    return readAll(output);
  std::string said = error;
  if (Expected<std::string> text = readAll(messages))
    said += *text;
  else
    consumeError(text.takeError());
  return fail(ptxas + " " + target + ": " + StringRef(said).trim());
}

//===- Native.cpp - LLVM IR and machine code of a module ------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Driver/Native.h"
#include "lib/Driver/Devices.h"

#include "lib/Support/MessageHandler.h"
#include "lib/Target/CpuTarget.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "runtime/base/Format.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/Transforms/IPO/Internalize.h"

using namespace weir;

static const char kProgramSymbol[] = "weir_program";

static void initializeNativeTarget() {
  static const bool done = [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    llvm::InitializeNativeTargetAsmParser();
    return true;
  }();
  (void)done;
}

static std::string suggestCpu(const std::string &cpu) {
  llvm::Triple triple(llvm::sys::getDefaultTargetTriple());
  std::string error;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return "";
  std::unique_ptr<llvm::MCSubtargetInfo> info(
      target->createMCSubtargetInfo(triple, "", ""));
  std::vector<std::string_view> known;
  for (const llvm::SubtargetSubTypeKV &row :
       info->getAllProcessorDescriptions())
    known.push_back(row.Key);
  return rt::didYouMean(cpu, known);
}

bool weir::setTarget(mlir::ModuleOp module, const CompileOptions &options,
                     Messages &messages) {
  initializeNativeTarget();
  CpuTarget target;
  if (options.cpu.empty() && module->hasAttr(CpuTarget::attributeName)) {
    mlir::FailureOr<CpuTarget> stated = CpuTarget::fromModule(module);
    if (failed(stated))
      return false;
    target = *stated;
    std::string error;
    if (!target.cpu.empty() && failed(CpuTarget::named(target.cpu, error)))
      return messages.error("[WEIR0206] the module's attribute 'rt.target': " +
                            error + suggestCpu(target.cpu));
  } else {
    std::string error;
    mlir::FailureOr<CpuTarget> named =
        CpuTarget::named(options.cpu.empty() ? "native" : options.cpu, error);
    if (failed(named))
      return messages.error("[WEIR0206] " + error + suggestCpu(options.cpu));
    target = *named;
    // How many there are is known when the code runs; here it counts only
    // whether there is more than one.
    target.threads = std::max<int64_t>(target.threads, 2);
  }
  if (options.threads > 0)
    target.threads = options.threads;
  if (!setDevices(module, options, messages))
    return false;
  mlir::Builder builder(module.getContext());
  if (!options.raise)
    module->setAttr("rt.no_raise", builder.getUnitAttr());
  if (!options.executor.empty())
    module->setAttr("rt.executor", builder.getStringAttr(options.executor));
  // Before code generation a module is the same for all processors.
  if (options.phases.to >= Phase::Codegen)
    target.attachTo(module);
  return true;
}

std::unique_ptr<llvm::TargetMachine> weir::createMachine(mlir::ModuleOp module,
                                                         Messages &messages) {
  initializeNativeTarget();
  mlir::FailureOr<CpuTarget> target = CpuTarget::fromModule(module);
  if (failed(target))
    return nullptr;
  llvm::Triple triple(llvm::sys::getDefaultTargetTriple());
  std::string error;
  const llvm::Target *generator =
      llvm::TargetRegistry::lookupTarget(triple, error);
  if (!generator) {
    messages.error("[WEIR0206] there is no code generator for " + triple.str() +
                   ": " + error);
    return nullptr;
  }
  // The default of AllowFPOpFusion fuses what the module marks and no more.
  llvm::TargetOptions options;
  options.FunctionSections = true;
  options.DataSections = true;
  return std::unique_ptr<llvm::TargetMachine>(generator->createTargetMachine(
      triple, target->cpu, target->features, options, llvm::Reloc::PIC_,
      std::nullopt, llvm::CodeGenOptLevel::Aggressive));
}

NativeModule::NativeModule(llvm::TargetMachine &machine)
    : machine(machine), context(std::make_unique<llvm::LLVMContext>()) {}

NativeModule::~NativeModule() = default;

/// Without a handler LLVM prints errors and ends the process.
static void collectDiagnostics(const llvm::DiagnosticInfo *info,
                               void *messages) {
  if (info->getSeverity() != llvm::DS_Error)
    return;
  std::string text = "[WEIR0211] in code generation: ";
  llvm::raw_string_ostream os(text);
  llvm::DiagnosticPrinterRawOStream printer(os);
  info->print(printer);
  static_cast<Messages *>(messages)->error(text);
}

std::unique_ptr<NativeModule>
NativeModule::create(mlir::ModuleOp module, llvm::TargetMachine &machine,
                     const std::string &programAlias, Messages &messages) {
  std::unique_ptr<NativeModule> result(new NativeModule(machine));
  result->context->setDiagnosticHandlerCallBack(collectDiagnostics, &messages);
  std::string name = module.getSymName().value_or("weir").str();
  result->module =
      mlir::translateModuleToLLVMIR(module, *result->context, name);
  if (!result->module) {
    if (!messages.hasErrors())
      messages.error("[WEIR0211] the module is not in the form that the "
                     "codegen phase leaves");
    return nullptr;
  }
  llvm::Module &code = *result->module;
  code.setTargetTriple(machine.getTargetTriple());
  code.setDataLayout(machine.createDataLayout());
  std::string why;
  llvm::raw_string_ostream os(why);
  if (llvm::verifyModule(code, &os)) {
    messages.error("[WEIR0211] the LLVM IR of the module is wrong: " + why);
    return nullptr;
  }
  llvm::GlobalValue *program = code.getNamedValue(kProgramSymbol);
  if (!program || program->isDeclaration()) {
    messages.error(rt::str("[WEIR0211] the module defines no '", kProgramSymbol,
                           "'; has it been through the codegen phase?"));
    return nullptr;
  }
  if (!programAlias.empty())
    llvm::GlobalAlias::create(programAlias, program);
  llvm::internalizeModule(code, [&](const llvm::GlobalValue &value) {
    return value.getName() == kProgramSymbol ||
           (!programAlias.empty() && value.getName() == programAlias);
  });
  result->optimize();
  return messages.hasErrors() ? nullptr : std::move(result);
}

void NativeModule::optimize() {
  llvm::PipelineTuningOptions tuning;
  tuning.LoopInterleaving = true;
  tuning.LoopVectorization = true;
  tuning.SLPVectorization = true;
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine, tuning);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3)
      .run(*module, modules);
}

std::string NativeModule::text() const {
  std::string result;
  llvm::raw_string_ostream os(result);
  module->print(os, nullptr);
  return result;
}

bool NativeModule::generate(llvm::CodeGenFileType kind,
                            llvm::SmallVectorImpl<char> &code,
                            Messages &messages) {
  context->setDiagnosticHandlerCallBack(collectDiagnostics, &messages);
  llvm::raw_svector_ostream os(code);
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, os, nullptr, kind))
    return messages.error(
        "[WEIR0211] this target cannot write a file of that kind");
  passes.run(*module);
  return !messages.hasErrors();
}

static bool callsPrefix(const llvm::Module &module, llvm::StringRef prefix) {
  return llvm::any_of(module.functions(), [&](const llvm::Function &function) {
    return function.isDeclaration() && function.getName().starts_with(prefix) &&
           !function.use_empty();
  });
}

bool NativeModule::needsOpenMP() const {
  return callsPrefix(*module, "__kmpc_") || callsPrefix(*module, "omp_");
}

bool NativeModule::needsVectorMath() const {
  return callsPrefix(*module, "_ZGV");
}

std::unique_ptr<NativeModule>
weir::compileNative(const Program &program, const CompileOptions &options,
                    const std::string &programAlias,
                    std::unique_ptr<llvm::TargetMachine> &machine,
                    Messages &messages) {
  std::unique_ptr<Program> copy = program.clone();
  llvm::SourceMgr sources;
  MessageHandler handler(&copy->context(), sources, messages);
  // The codegen phase uses the module's target up, so it is read before.
  if (!setTarget(copy->module(), options, messages) ||
      !(machine = createMachine(copy->module(), messages)) ||
      !copy->runPhases(options, messages))
    return nullptr;
  return machine ? NativeModule::create(copy->module(), *machine, programAlias,
                                        messages)
                 : nullptr;
}

std::unique_ptr<CompiledObject>
weir::compileObject(const Program &program, const CompileOptions &options,
                    const std::string &programAlias, Messages &messages) {
  std::unique_ptr<llvm::TargetMachine> machine;
  std::unique_ptr<NativeModule> native =
      compileNative(program, options, programAlias, machine, messages);
  auto object = std::make_unique<CompiledObject>();
  if (!native || !native->generate(llvm::CodeGenFileType::ObjectFile,
                                   object->bytes, messages))
    return nullptr;
  object->needsOpenMP = native->needsOpenMP();
  object->needsVectorMath = native->needsVectorMath();
  return object;
}

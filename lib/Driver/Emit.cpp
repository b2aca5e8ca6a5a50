//===- Emit.cpp - From a program to a file --------------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Driver/Linker.h"
#include "lib/Support/Files.h"
#include "runtime/base/Format.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace weir;

namespace {
struct KindRow {
  EmitKind kind;
  const char *name;
  const char *ending;
};
} // namespace

static const KindRow kindRows[] = {
    {EmitKind::Executable, "exe", ""}, {EmitKind::Shared, "so", ".so"},
    {EmitKind::Object, "obj", ".o"},   {EmitKind::Llvm, "llvm", ".ll"},
    {EmitKind::Assembly, "asm", ".s"}, {EmitKind::Mlir, "mlir", ".mlir"},
};

std::optional<EmitKind> weir::parseEmitKind(std::string_view name,
                                            Messages &messages) {
  std::vector<std::string_view> known;
  for (const KindRow &row : kindRows) {
    if (name == row.name)
      return row.kind;
    known.push_back(row.name);
  }
  messages.error(rt::str("[WEIR0217] --emit: there is no kind of output '",
                         name, "'", rt::didYouMean(name, known), " (there are ",
                         rt::listNames(known), ")"));
  return std::nullopt;
}

std::string weir::defaultOutput(const std::string &input, EmitKind kind,
                                const CompileOptions &options) {
  std::string stem = input == "-" ? "weir" : llvm::sys::path::stem(input).str();
  for (const KindRow &row : kindRows)
    if (row.kind == kind)
      return kind == EmitKind::Mlir
                 ? rt::str(stem, ".", phaseName(options.phases.to), row.ending)
                 : stem + row.ending;
  return stem;
}

static bool emitMlir(const Program &program, const std::string &path,
                     const CompileOptions &options, Messages &messages) {
  std::unique_ptr<Program> copy = program.clone();
  return copy->runPhases(options, messages) &&
         writeFile(path, copy->text(), messages);
}

static bool emitText(const Program &program, EmitKind kind,
                     const std::string &path, const CompileOptions &options,
                     Messages &messages) {
  std::unique_ptr<llvm::TargetMachine> machine;
  std::unique_ptr<NativeModule> native =
      compileNative(program, options, "", machine, messages);
  if (!native)
    return false;
  if (kind == EmitKind::Llvm)
    return writeFile(path, native->text(), messages);
  llvm::SmallVector<char, 0> code;
  return native->generate(llvm::CodeGenFileType::AssemblyFile, code,
                          messages) &&
         writeFile(path, {code.data(), code.size()}, messages);
}

static bool emitShared(const Program &program, const std::string &path,
                       const CompileOptions &options, Messages &messages) {
  llvm::StringRef stem = llvm::sys::path::stem(path);
  stem.consume_front("lib");
  std::string alias = cIdentifier(stem) + "_program";
  std::unique_ptr<CompiledObject> object =
      compileObject(program, options, alias, messages);
  if (!object)
    return false;
  // The program that comes out says best what is in it.
  std::unique_ptr<JitProgram> loaded =
      JitProgram::load({object->bytes.data(), object->bytes.size()}, messages);
  if (!loaded)
    return false;
  llvm::SmallString<256> header(path);
  llvm::sys::path::replace_extension(header, ".h");
  return linkProgram(*object, /*shared=*/true, alias, path, messages) &&
         writeFile(std::string(header), cHeader(*loaded->program(), stem.str()),
                   messages);
}

/// Code needs all phases; a part of them gives MLIR only.
static bool checkLastPhase(EmitKind kind, const CompileOptions &options,
                           Messages &messages) {
  if (kind == EmitKind::Mlir || options.phases.to == allPhases().back())
    return true;
  return messages.error(
      rt::str("[WEIR0216] after phase '", phaseName(options.phases.to),
              "' there is no code yet; use --emit=mlir, or leave --to out"));
}

/// Finds out before the work, not after it, that the place is not writable.
static bool checkOutput(const std::string &path, Messages &messages) {
  bool isDevice = false;
  if (path == "-" || (!llvm::sys::fs::is_other(path, isDevice) && isDevice))
    return true;
  std::string temporary = temporaryBeside(path, messages);
  return !temporary.empty() && !llvm::sys::fs::remove(temporary);
}

bool weir::emit(const Program &program, EmitKind kind, const std::string &path,
                const CompileOptions &options, Messages &messages) {
  if (!checkLastPhase(kind, options, messages) || !checkOutput(path, messages))
    return false;
  switch (kind) {
  case EmitKind::Mlir:
    return emitMlir(program, path, options, messages);
  case EmitKind::Llvm:
  case EmitKind::Assembly:
    return emitText(program, kind, path, options, messages);
  case EmitKind::Object: {
    std::unique_ptr<CompiledObject> object =
        compileObject(program, options, "", messages);
    return object &&
           writeFile(path, {object->bytes.data(), object->bytes.size()},
                     messages);
  }
  case EmitKind::Shared:
    return emitShared(program, path, options, messages);
  case EmitKind::Executable: {
    std::unique_ptr<CompiledObject> object =
        compileObject(program, options, "", messages);
    return object && linkProgram(*object, /*shared=*/false, "", path, messages);
  }
  }
  return false;
}

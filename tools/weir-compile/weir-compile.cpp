//===- weir-compile.cpp - From a graph to a file of native code -----------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Driver/QuantizeOptions.h"
#include "lib/Driver/ToolOptions.h"
#include "lib/Pipeline/Register.h"
#include "runtime/base/Format.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

using namespace weir;
namespace cl = llvm::cl;

static const char kOverview[] =
    "Compiles a graph to native code.\n\n"
    "  weir-compile mlp.mlir -o mlp             an executable; ./mlp --help\n"
    "  weir-compile mlp.mlir --emit=so          mlp.so and the header mlp.h\n"
    "  weir-compile mlp.mlir --emit=mlir --to=fuse -o -\n";

static cl::opt<std::string> input(cl::Positional, cl::desc("<input.mlir>"),
                                  cl::init("-"), cl::cat(toolCategory()));
static cl::opt<std::string>
    output("o", cl::desc("The file to write (default: after the input)"),
           cl::value_desc("file"), cl::cat(toolCategory()));
static cl::opt<std::string>
    emitName("emit", cl::desc("exe, so, obj, llvm, asm or mlir (default: exe)"),
             cl::value_desc("kind"), cl::init("exe"), cl::cat(toolCategory()));
static cl::list<std::string> entries("entries",
                                     cl::desc("Keep only these entry points"),
                                     cl::value_desc("a,b"), cl::CommaSeparated,
                                     cl::cat(toolCategory()));

static bool compile(Messages &messages) {
  CompileOptions options;
  std::optional<EmitKind> kind = parseEmitKind(emitName, messages);
  PostTrainingOptions training;
  if (!kind || !readToolOptions(options, messages) ||
      !readQuantizeOptions(training, messages))
    return false;
  std::string path =
      output.empty() ? defaultOutput(input, *kind, options) : output;
  std::unique_ptr<Program> program = Program::load(input, messages);
  if (!program || !postTrain(*program, entries, training, messages) ||
      !emit(*program, *kind, path, options, messages))
    return false;
  uint64_t size = 0;
  if (isVerbose() && !llvm::sys::fs::file_size(path, size))
    llvm::errs() << "wrote " << path << ", " << size << " bytes\n";
  return true;
}

int main(int argc, char **argv) {
  registerToolOptions();
  registerQuantizeOptions();
  registerAllPasses();
  parseToolOptions(argc, argv, kOverview);
  if (listedPhases())
    return 0;
  Messages messages;
  compile(messages);
  return reportMessages(messages);
}

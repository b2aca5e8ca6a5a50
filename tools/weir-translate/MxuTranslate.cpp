//===- MxuTranslate.cpp - Programs of the accelerator, as files -----------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/weir-translate/MxuTranslate.h"

#include "lib/Driver/Driver.h"
#include "lib/Driver/ToolOptions.h"
#include "lib/Support/Files.h"
#include "lib/Support/MessageHandler.h"
#include "lib/Target/MxuImage.h"
#include "weir-c/mxu.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

#include <cstdlib>

using namespace weir;
namespace cl = llvm::cl;

static cl::opt<bool>
    assembles("mxu-assemble",
              cl::desc("The input is an mxu.program, as text; the output is "
                       "an image of the accelerator"),
              cl::cat(toolCategory()));
static cl::opt<bool>
    disassembles("mxu-disassemble",
                 cl::desc("The input is an image of the accelerator; the "
                          "output is its text"),
                 cl::cat(toolCategory()));
static cl::opt<int64_t>
    countsRows("mxu-count",
               cl::desc("The input is an image of the accelerator; the output "
                        "is what a run on so many rows takes"),
               cl::value_desc("rows"), cl::init(-1), cl::cat(toolCategory()));

bool weir::translatesMxu() {
  return assembles || disassembles || countsRows >= 0;
}

/// The bytes of a file, or null.
static std::unique_ptr<llvm::MemoryBuffer> readImage(const std::string &path,
                                                     Messages &messages) {
  auto file = llvm::MemoryBuffer::getFileOrSTDIN(
      path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (file)
    return std::move(*file);
  messages.error("[WEIR0244] cannot read '" + path +
                 "': " + file.getError().message());
  return nullptr;
}

static bool assemble(const std::string &input, const std::string &output,
                     Messages &messages) {
  std::unique_ptr<Program> program = Program::load(input, messages);
  if (!program)
    return false;
  llvm::SourceMgr sources;
  MessageHandler handler(&program->context(), sources, messages);
  auto found = findMxuProgram(program->module());
  if (failed(found))
    return false;
  auto image = assembleMxu(*found);
  return succeeded(image) &&
         writeFile(
             output,
             {reinterpret_cast<const char *>(image->data()), image->size()},
             messages);
}

static bool disassemble(const std::string &input, const std::string &output,
                        bool locations, Messages &messages) {
  auto file = readImage(input, messages);
  if (!file)
    return false;
  std::unique_ptr<Program> program = Program::create(input);
  llvm::SourceMgr sources;
  MessageHandler handler(&program->context(), sources, messages);
  program->context().loadDialect<mxu::MxuDialect>();
  auto module =
      disassembleMxu({reinterpret_cast<const uint8_t *>(file->getBufferStart()),
                      file->getBufferSize()},
                     program->module().getLoc());
  if (!module)
    return false;
  mlir::Operation &image = module->getBody()->front();
  image.moveBefore(program->module().getBody(),
                   program->module().getBody()->end());
  return writeFile(output, program->text(locations), messages);
}

static bool count(const std::string &input, const std::string &output,
                  Messages &messages) {
  auto file = readImage(input, messages);
  if (!file)
    return false;
  WeirStatus status = WEIR_STATUS_INIT;
  WeirMxuFigures figures;
  if (weir_mxu_count(file->getBufferStart(),
                     static_cast<int64_t>(file->getBufferSize()), countsRows,
                     &figures, &status) != WEIR_OK) {
    messages.error(status.message ? status.message : "");
    weir_status_clear(&status);
    return false;
  }
  std::unique_ptr<char, decltype(&std::free)> text(
      weir_mxu_figures_text(&figures), &std::free);
  return writeFile(output, text ? text.get() : "", messages);
}

bool weir::translateMxu(const std::string &input, const std::string &output,
                        bool locations, Messages &messages) {
  if (assembles)
    return assemble(input, output, messages);
  if (disassembles)
    return disassemble(input, output, locations, messages);
  return count(input, output, messages);
}

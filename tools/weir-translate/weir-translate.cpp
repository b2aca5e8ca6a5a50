//===- weir-translate.cpp - From graphs of other systems to MLIR ----------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Driver/ToolOptions.h"
#include "lib/Frontend/GraphDef/Importer.h"
#include "lib/Pipeline/Register.h"
#include "lib/Support/Files.h"
#include "tools/weir-translate/MxuTranslate.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

using namespace weir;
namespace cl = llvm::cl;

static const char kOverview[] =
    "Reads graphs of other systems, and writes MLIR.\n\n"
    "  weir-translate --import-graphdef net.pb -o net.mlir\n"
    "  weir-translate --import-graphdef net.pbtxt --feed x:0=f32[?x8] \\\n"
    "                 --fetch loss --target train\n\n"
    "Makes images of the accelerator out of text, and text out of images.\n\n"
    "  weir-translate --mxu-assemble p.mlir -o p.mxu\n"
    "  weir-translate --mxu-disassemble p.mxu\n"
    "  weir-translate --mxu-count 64 p.mxu\n";

static cl::OptionCategory &category = toolCategory();
static cl::opt<std::string> input(cl::Positional, cl::desc("<input>"),
                                  cl::init("-"), cl::cat(category));
static cl::opt<std::string> output("o",
                                   cl::desc("The file to write (default: -)"),
                                   cl::value_desc("file"), cl::init("-"),
                                   cl::cat(category));
static cl::opt<bool> importsGraphDef(
    "import-graphdef",
    cl::desc("The input is a GraphDef, MetaGraphDef or SavedModel of "
             "TensorFlow, text or binary"),
    cl::cat(category));
static cl::list<std::string>
    feeds("feed",
          cl::desc("A tensor to feed, perhaps with its type: x:0=f32[?x8]"),
          cl::value_desc("name[:port][=dtype[extents]]"), cl::cat(category));
static cl::list<std::string> fetches("fetch", cl::desc("A tensor to fetch"),
                                     cl::value_desc("name[:port]"),
                                     cl::cat(category));
static cl::list<std::string> targets("target", cl::desc("A node to run"),
                                     cl::value_desc("name"), cl::cat(category));
static cl::opt<std::string> entry("entry",
                                  cl::desc("The name of the graph that is made "
                                           "(default: main)"),
                                  cl::value_desc("name"), cl::init("main"),
                                  cl::cat(category));
static cl::opt<bool>
    locations("locations",
              cl::desc("Keep the places of nodes in the text written"),
              cl::cat(category));

static bool translate(Messages &messages) {
  CompileOptions compileOptions;
  if (!readToolOptions(compileOptions, messages))
    return false;
  if (translatesMxu())
    return translateMxu(input, output, locations, messages);
  if (!importsGraphDef)
    return messages.error("[WEIR0229] nothing to do: say what the input is, "
                          "with --import-graphdef or --mxu-...");
  GraphImportOptions options;
  for (const std::string &text : feeds) {
    GraphFeed feed;
    if (!parseGraphFeed(text, feed, messages))
      return false;
    options.feeds.push_back(std::move(feed));
  }
  options.fetches = fetches;
  options.targets = targets;
  options.entry = entry;
  std::unique_ptr<Program> program = importGraphDef(input, options, messages);
  return program && writeFile(output, program->text(locations), messages);
}

int main(int argc, char **argv) {
  registerToolOptions();
  registerAllPasses();
  parseToolOptions(argc, argv, kOverview);
  if (listedPhases())
    return 0;
  Messages messages;
  translate(messages);
  return reportMessages(messages);
}

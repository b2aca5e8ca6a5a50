//===- CommandLine.cpp - The commands of a compiled program ---------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/main/CommandLine.h"
#include "runtime/base/Format.h"
#include "runtime/core/CpuFeatures.h"
#include "runtime/core/Program.h"

#include <cstdio>
#include <cstring>

using namespace weir::rt;

static std::vector<const Command *> commands() {
  return {&describeCommand(), &runCommand(), &trainCommand(),
          &predictCommand()};
}

static std::string executableName(const char *argument) {
  const char *slash = std::strrchr(argument, '/');
  return slash ? slash + 1 : argument;
}

static void printHelp(const WeirProgram &program, const std::string &self) {
  std::string text = str("Program '", program.name,
                         "', compiled by Weir.\n\n"
                         "Usage:\n");
  for (const Command *command : commands()) {
    std::string left = str("  ", self, " ", command->name,
                           *command->operands ? " " : "", command->operands);
    text += str(left, "\n      ", command->summary, "\n");
  }
  for (const Command *command : commands())
    if (!command->options().empty())
      text += str("\nOptions of ", command->name, ":\n",
                  optionsText(command->options()));
  if (program.device_kind_count > 0)
    text += "\nEnvironment:\n"
            "  WEIR_DEVICES=TYPE=HOW,...  how devices are made: "
            "GPU=emulate,MXU=128x128\n";
  text += str("\nEntries: ", listNames(entryNames(program)), "\n\nExample:\n  ",
              self,
              " train --data x=train_x.npy,y=train_y.npy --epochs 5 --save "
              "model\n");
  fputs(text.c_str(), stdout);
}

static Status dispatch(const WeirProgram &program, const std::string &self,
                       const std::vector<std::string> &arguments) {
  if (arguments.empty())
    return Status(
        WEIR_INVALID_ARGUMENT,
        str("[WEIR0319] no command was given; ", self, " --help shows them"));
  std::vector<std::string_view> known;
  for (const Command *command : commands()) {
    known.push_back(command->name);
    if (arguments[0] != command->name)
      continue;
    Arguments parsed;
    WEIR_RETURN_IF_ERROR(Arguments::parse(
        command->options(), {arguments.begin() + 1, arguments.end()}, parsed));
    return command->run(program, parsed);
  }
  return Status(WEIR_INVALID_ARGUMENT,
                str("[WEIR0319] there is no command '", arguments[0], "'",
                    didYouMean(arguments[0], known), " (there are ",
                    listNames(known), "; ", self, " --help says more)"));
}

int weir::rt::runCommandLine(const WeirProgram &program, int argc,
                             const char *const *argv) {
  std::string self = executableName(argc > 0 ? argv[0] : "program");
  std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
  Status checked = checkProgram(&program);
  for (const std::string &argument : arguments) {
    if (argument == "--")
      break;
    if (checked.ok() && (argument == "--help" || argument == "-h" ||
                         (argument == "help" && arguments.size() == 1))) {
      printHelp(program, self);
      return 0;
    }
  }
  Status status =
      checked.ok() ? dispatch(program, self, arguments) : std::move(checked);
  // What cannot be written is a failure too: the disk may be full.
  if (fflush(stdout) != 0 && status.ok())
    status =
        Status(WEIR_UNAVAILABLE, "[WEIR0319] the output cannot be written");
  if (status.ok())
    return 0;
  fprintf(stderr, "error: %s\n", status.message());
  return 1;
}

static const std::vector<Option> &noOptions() {
  static const std::vector<Option> options;
  return options;
}

static std::string signatureText(const WeirTensorDesc *descs, int32_t count) {
  std::string text = "(";
  for (int32_t i = 0; i < count; ++i)
    text += str(i ? ", " : "", descs[i].name, ": ",
                typeText(descs[i].dtype, descs[i].dims, descs[i].rank));
  return text + ")";
}

static Status describe(const WeirProgram &program, const Arguments &arguments) {
  if (!arguments.positional.empty())
    return Status(WEIR_INVALID_ARGUMENT,
                  str("[WEIR0319] describe takes no operand, got '",
                      arguments.positional[0], "'"));
  std::string text =
      str("program    ", program.name, "\nprocessor  ",
          program.cpu_features && *program.cpu_features ? program.cpu_features
                                                        : "any",
          "\n\nvariables\n");
  for (int32_t i = 0; i < program.variable_count; ++i) {
    const WeirTensorDesc &desc = program.variables[i];
    text += str("  ", desc.name, ": ",
                typeText(desc.dtype, desc.dims, desc.rank), "\n");
  }
  text += "\nentries\n";
  for (std::string_view name : entryNames(program)) {
    int32_t index = 0;
    WEIR_RETURN_IF_ERROR(findEntry(program, std::string(name).c_str(), index));
    const WeirEntryDesc &entry = program.entries[index];
    text += str("  ", entry.name, signatureText(entry.feeds, entry.feed_count),
                " -> ", signatureText(entry.fetches, entry.fetch_count), "\n");
  }
  fputs(text.c_str(), stdout);
  return Status();
}

const Command &weir::rt::describeCommand() {
  static const Command command = {"describe", "",
                                  "Shows variables, entries, and their types.",
                                  noOptions, describe};
  return command;
}

//===- ToolOptions.h - What the command lines of the tools share - -*- C++
//-*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_DRIVER_TOOLOPTIONS_H
#define WEIR_LIB_DRIVER_TOOLOPTIONS_H

#include "lib/Driver/Driver.h"

namespace llvm::cl {
class OptionCategory;
}

namespace weir {

/// The category of the options that a tool shows in its short help.
llvm::cl::OptionCategory &toolCategory();

/// Registers the flags that weir-compile and weir-run share: --target-cpu,
/// --threads, --no-raise, --executor, --devices,
/// --soft-placement, --emulate-gpu, --gpu-architectures, --mxu, --from, --to,
/// --dump-dir, --list-phases,
/// --before, --after,
/// --load-pass-plugin, --load-dialect-plugin, --diagnostics, --remarks, -v,
/// --quiet; and those of MLIR's pass manager. Call it once, before the command
/// line is parsed.
void registerToolOptions();

/// Parses the command line; the help shows the tool's own options and the usual
/// ones of MLIR. Ends the process on --help, and with 1 on a wrong flag.
void parseToolOptions(int argc, char **argv, const char *overview);

/// The options of the parsed flags; loads plugins. False on an error.
bool readToolOptions(CompileOptions &options, Messages &messages);

/// True when --list-phases was given: the list has been printed.
bool listedPhases();
bool isVerbose();

/// Prints messages to stderr as --diagnostics says; returns the exit code.
int reportMessages(const Messages &messages);

} // namespace weir

#endif // WEIR_LIB_DRIVER_TOOLOPTIONS_H

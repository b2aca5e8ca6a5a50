//===- Linker.h - From an object file to something to start --- -*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_DRIVER_LINKER_H
#define WEIR_LIB_DRIVER_LINKER_H

#include "lib/Driver/Native.h"

namespace weir {

/// Links the object with the runtime into `output`: an executable with the
/// runtime's command line, or a shared library that exports the C interface and
/// `programAlias`. The runtime lies in `../lib/weir` of the folder that holds
/// this code (docs/how-to/compile.md), or where WEIR_RUNTIME_DIR says.
bool linkProgram(const CompiledObject &object, bool shared,
                 const std::string &programAlias, const std::string &output,
                 Messages &messages);

/// Links the object into a shared library without the runtime, which whoever
/// loads it has: what a task of a cluster is sent.
bool linkLoadable(const CompiledObject &object, std::string &bytes,
                  Messages &messages);

/// The C header of a shared library: its program, and the numbers of entry
/// points, feeds and fetches. `stem` is the library's name without folder,
/// "lib" and ending.
std::string cHeader(const WeirProgram &program, const std::string &stem);

/// `text` as a C identifier in lower case.
std::string cIdentifier(std::string_view text);

} // namespace weir

#endif // WEIR_LIB_DRIVER_LINKER_H

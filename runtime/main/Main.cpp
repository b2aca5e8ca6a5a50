//===- Main.cpp - The main function of a compiled program -----------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/main/CommandLine.h"

/// Made by the compiler.
extern "C" const WeirProgram weir_program;

int main(int argc, char **argv) {
  return weir::rt::runCommandLine(weir_program, argc, argv);
}

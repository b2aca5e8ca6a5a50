//===- TsanOptions.cpp - What ThreadSanitizer cannot see ------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// gRPC and its locks are libraries of the system, which are not built for
// ThreadSanitizer: what they do with memory and locks is not looked at. Races
// between threads of our own are found. Linked into executables that use gRPC,
// where they are built for it.
//
//===----------------------------------------------------------------------===//

extern "C" const char *__tsan_default_options();
extern "C" const char *__tsan_default_options() {
  return "ignore_noninstrumented_modules=1";
}

// What is handed over by one of gRPC's threads in code of its headers.
extern "C" const char *__tsan_default_suppressions();
extern "C" const char *__tsan_default_suppressions() { return "race:grpc::\n"; }

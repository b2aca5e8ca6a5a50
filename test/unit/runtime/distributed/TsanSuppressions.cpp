//===- TsanSuppressions.cpp - What ThreadSanitizer cannot see -------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// gRPC and its locks are libraries of the system, which are not built for
// ThreadSanitizer: that an object was handed from one of its threads to the
// next is not known, and every callback would be a race. Races between threads
// of our own are found.
//
//===----------------------------------------------------------------------===//

extern "C" const char *__tsan_default_suppressions();
extern "C" const char *__tsan_default_suppressions() {
  return "race:grpc::\n"
         "race:libgrpc\n"
         "race:libprotobuf\n"
         "called_from_lib:libgrpc\n"
         "called_from_lib:libgrpc++\n"
         "called_from_lib:libgpr\n"
         "called_from_lib:libabsl_synchronization\n"
         "deadlock:libgrpc\n"
         "thread:libgrpc\n"
         "mutex:libgrpc\n"
         "signal:libgrpc\n";
}

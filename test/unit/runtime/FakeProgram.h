//===- FakeProgram.h - A program as the compiler would make it --*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One variable `w : tensor<4xf32>`, one counter `n : tensor<i64>`, and entry
// points that each show one thing; the tests of the runtime run them.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_TEST_UNIT_RUNTIME_FAKEPROGRAM_H
#define WEIR_TEST_UNIT_RUNTIME_FAKEPROGRAM_H

#include "weir-c/session.h"

#include <atomic>

namespace weir::rt::test {

/// Entry points: see the table in FakeProgram.cpp.
extern const WeirProgram fakeProgram;

/// How many steps of its entry "spin" have begun.
extern std::atomic<int> spinsBegun;

} // namespace weir::rt::test

#endif // WEIR_TEST_UNIT_RUNTIME_FAKEPROGRAM_H

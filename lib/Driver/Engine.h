//===- Engine.h - What runs entry points: compiled code or the interpreter - -*-
// C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_DRIVER_ENGINE_H
#define WEIR_LIB_DRIVER_ENGINE_H

#include "lib/Driver/Driver.h"
#include "runtime/base/Status.h"
#include "runtime/core/Tensor.h"

namespace weir {

/// A session over a program. Not shared between threads.
class Engine {
public:
  virtual ~Engine() = default;

  /// Compiles the program in memory.
  static std::unique_ptr<Engine> compile(const Program &program,
                                         const CompileOptions &options,
                                         Messages &messages);
  /// Interprets its graphs as they are once gradients are expanded.
  static std::unique_ptr<Engine> interpret(const Program &program,
                                           const CompileOptions &options,
                                           Messages &messages);

  /// The entry points with their feeds and fetches.
  virtual const WeirProgram &program() const = 0;
  /// Runs one step of entry point `entry`; `feeds` are in its order.
  virtual rt::Status run(int32_t entry, const std::vector<WeirView> &feeds,
                         std::vector<rt::TensorRef> &fetches) = 0;
};

} // namespace weir

#endif // WEIR_LIB_DRIVER_ENGINE_H

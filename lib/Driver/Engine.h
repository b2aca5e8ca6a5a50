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
#include "runtime/trace/TraceFile.h"

#include <functional>

namespace weir {

/// A session over a program. Compiled code may be run by several threads at a
/// time, the interpreter by one.
class Engine {
public:
  virtual ~Engine() = default;

  /// Compiles the program in memory. The engine has the state of `family`,
  /// which was made by this function too and may go first.
  static std::unique_ptr<Engine> compile(const Program &program,
                                         const CompileOptions &options,
                                         Messages &messages,
                                         const Engine *family = nullptr);
  /// Interprets its graphs as they are once gradients are expanded, and after
  /// the raise phase where `options.phases.to` is that. `poll` is asked now and
  /// then on the thread that runs a step; its true cancels the step.
  static std::unique_ptr<Engine> interpret(const Program &program,
                                           const CompileOptions &options,
                                           Messages &messages,
                                           const Engine *family = nullptr,
                                           std::function<bool()> poll = {});

  /// The entry points with their feeds and fetches.
  virtual const WeirProgram &program() const = 0;
  /// Runs one step of entry point `entry`; `feeds` are in its order.
  virtual rt::Status run(int32_t entry, const std::vector<WeirView> &feeds,
                         std::vector<rt::TensorRef> &fetches,
                         const WeirRunOptions *options = nullptr) = 0;

  /// True where steps may run side by side.
  virtual bool isConcurrent() const { return false; }

  /// Records what runs, on all devices and tasks, until it is stopped: a trace
  /// for each process.
  virtual rt::Status startTrace();
  virtual rt::Status stopTrace(std::vector<rt::TracePart> &parts);

  /// A step whose feeds come, and whose fetches leave, one at a time.
  class PartialRun {
  public:
    virtual ~PartialRun() = default;
    virtual rt::Status feed(int32_t index, const WeirView &value) = 0;
    virtual rt::Status fetch(int32_t index, rt::TensorRef &result) = 0;
    /// Ends the step; done by the destructor otherwise.
    virtual rt::Status end() = 0;
  };
  /// Null on an error. The engine outlives it.
  virtual std::unique_ptr<PartialRun>
  begin(int32_t entry, const WeirRunOptions *options, rt::Status &status) = 0;
};

} // namespace weir

#endif // WEIR_LIB_DRIVER_ENGINE_H

//===- Driver.h - From a module to something that runs -------- -*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The compiler as a library, for the tools and the Python package. A `Program`
// is a loaded module. Everything else takes it through the phases and makes
// something of it: text, a file, or code in memory.
//
// Errors: a function that can fail takes a `Messages`; when it returns false or
// null, at least one error is in it. Nothing here ends the process because of
// what a user wrote.
//
// Threads: a `Program` and its copies, which share a context, are used by one
// thread at a time; programs that were loaded apart, in parallel.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_DRIVER_DRIVER_H
#define WEIR_LIB_DRIVER_DRIVER_H

#include "lib/Pipeline/Phases.h"
#include "lib/Support/Messages.h"
#include "weir-c/program.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mlir {
class MLIRContext;
class ModuleOp;
} // namespace mlir

namespace weir {

/// What to compile for, and how. The defaults are right for running here.
struct CompileOptions {
  /// An LLVM name of a processor ("x86-64-v3", "skylake-avx512"), or "native";
  /// empty for what the module says, or native where it says nothing.
  std::string cpu;
  /// Threads that parallel kernels are made for: 0 as many as OpenMP gives at
  /// run time, 1 sequential code that needs no OpenMP library.
  int threads = 0;
  /// False: control flow stays dataflow.
  bool raise = true;
  /// Empty: the executor runs what is no straight line. "all": it runs all
  /// entry points. "tasks": that, and each pure node is a kernel of its own.
  std::string executor;
  /// The devices there are, best first: full names, or "CPU:0", "GPU:0",
  /// "MXU:0" for those of this process. Empty: what the module says, or one
  /// CPU.
  std::vector<std::string> devices;
  /// Nodes whose device is not there, or has no kernel for them, are moved.
  bool softPlacement = false;
  /// GPUs: compute capabilities times ten that code is made for, and whether
  /// kernels become code of the CPU. Empty without emulation: the usual ones.
  std::vector<int32_t> gpuArchitectures;
  bool emulateGpu = false;
  /// Products of f32 on a GPU may round their operands to 10 bits (tf32).
  bool gpuTf32 = false;
  /// The array of the accelerator, "128x128"; empty for that.
  std::string mxu;
  /// The phases to run, where to dump, and what to run between them.
  PhaseOptions phases;
};

/// A feed or a fetch of an entry point, as its graph declares it.
struct TensorSignature {
  std::string name;
  int32_t dtype = WEIR_DTYPE_INVALID;
  /// -1 where the extent is known at run time only.
  std::vector<int64_t> dims;
  /// False where the rank is known at run time only; then `dims` is empty.
  bool hasRank = true;
};

struct EntrySignature {
  std::string name;
  std::vector<TensorSignature> feeds, fetches;
};

/// A module and the context it lives in.
class Program {
public:
  ~Program();
  Program(const Program &) = delete;
  Program &operator=(const Program &) = delete;

  /// Loads MLIR text or bytecode, "-" from standard input, and verifies it.
  static std::unique_ptr<Program> load(const std::string &path,
                                       Messages &messages);
  /// The same from memory; `name` stands for the file in messages.
  static std::unique_ptr<Program>
  parse(std::string_view source, const std::string &name, Messages &messages);
  /// An empty module in a context of its own, to be filled through module().
  static std::unique_ptr<Program> create(const std::string &name);

  /// A copy that lives in the same context.
  std::unique_ptr<Program> clone() const;

  mlir::MLIRContext &context() const;
  mlir::ModuleOp module() const;

  /// The module's name; "program" where it has none.
  std::string name() const;

  /// True when the module holds what its dialects demand.
  bool verify(Messages &messages) const;

  /// As MLIR text; with `locations`, places in the source are kept.
  std::string text(bool locations = false) const;
  /// As MLIR bytecode, which keeps places.
  std::string bytecode() const;

  /// The entry points of the graphs, in order; empty once they are scheduled.
  std::vector<EntrySignature> entries() const;
  /// The names of the variables, in order.
  std::vector<std::string> variables() const;

  /// Drops all graphs but those named, and the variables that only the others
  /// use. An unknown name is an error that lists the known ones.
  bool keepEntries(const std::vector<std::string> &names, Messages &messages);

  /// Runs phases on this program in place; it is of no more use when it fails.
  bool runPhases(const CompileOptions &options, Messages &messages);

  struct Impl;

private:
  explicit Program(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl;
};

/// Compiled code in memory. Sessions on `program()` (weir-c/session.h) must be
/// gone before it is.
class JitProgram {
public:
  ~JitProgram();
  JitProgram(const JitProgram &) = delete;
  JitProgram &operator=(const JitProgram &) = delete;

  /// Takes a copy of `program` through the phases that are left (from
  /// `options.phases.from`) and into memory.
  static std::unique_ptr<JitProgram> create(const Program &program,
                                            const CompileOptions &options,
                                            Messages &messages);

  /// Loads an object file that `emit` made.
  static std::unique_ptr<JitProgram> load(std::string_view object,
                                          Messages &messages);

  /// Constant, safe to use from several threads; owned by this.
  const WeirProgram *program() const;

private:
  struct Impl;
  explicit JitProgram(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl;
};

enum class EmitKind {
  Mlir,       ///< the module after the last phase asked for
  Llvm,       ///< optimized LLVM IR as text
  Assembly,   ///< for the processor asked for
  Object,     ///< without the runtime
  Shared,     ///< library with the runtime, and a C header beside it
  Executable, ///< with the runtime and a command line
};

/// The kind that `--emit=NAME` means: exe, so, obj, llvm, asm or mlir.
std::optional<EmitKind> parseEmitKind(std::string_view name,
                                      Messages &messages);
/// The output file for an input file, in the current folder.
std::string defaultOutput(const std::string &input, EmitKind kind,
                          const CompileOptions &options);

/// Takes a copy of `program` through the phases and writes `path` ("-" is
/// standard output, for text). The file appears whole or not at all.
bool emit(const Program &program, EmitKind kind, const std::string &path,
          const CompileOptions &options, Messages &messages);

/// Loads a library of passes or of dialects and passes; affects programs that
/// are loaded afterwards, and phases that run afterwards.
bool loadPassPlugin(const std::string &path, Messages &messages);
bool loadDialectPlugin(const std::string &path, Messages &messages);

} // namespace weir

#endif // WEIR_LIB_DRIVER_DRIVER_H

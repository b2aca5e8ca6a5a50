//===- Function.h - A compiled function as Python calls it -*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The short way from a call in Python to a step. A function knows *targets*:
// entry points and what arguments each was compiled for. A call with positional
// arguments that suit a target never enters Python code; every other call goes
// to the method `_call_slow` of the Python class, which compiles, checks and
// explains.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_PYTHON_FUNCTION_H
#define WEIR_PYTHON_FUNCTION_H

#include "python_bindings/src/State.h"

namespace weir::python {

struct Target {
  std::shared_ptr<Executable> executable;
  int32_t entry = 0;
  int32_t fetchCount = 0;
  std::vector<Parameter> parameters;
  /// Makes the result out of the tuple of fetches; null: a single fetch is the
  /// result itself, none is None, and several are the tuple.
  nb::object assemble;

  Target(std::shared_ptr<Executable> executable, int32_t entry,
         const std::string &kinds, nb::object assemble);

  /// Runs the step if the arguments suit; `suits` says whether they did. Null
  /// with a Python error on failure, or without one when they do not suit.
  PyObject *call(PyObject *const *arguments, size_t count, bool &suits) const;
};

class Function {
public:
  /// The target added last is tried first; the oldest of many is forgotten.
  void addTarget(std::shared_ptr<Target> target);
  void clear() { targets.clear(); }

  static PyObject *call(PyObject *self, PyObject *arguments,
                        PyObject *keywords);

private:
  std::vector<std::shared_ptr<Target>> targets;
};

void bindFunction(nb::module_ &module);

} // namespace weir::python

#endif // WEIR_PYTHON_FUNCTION_H

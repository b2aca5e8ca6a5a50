//===- Errors.h - Errors that cross into Python -*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every error of the extension is one Python exception, weir.WeirError, with
// `code`, `message`, `file`, `line` and `notes`. The functions here make it and
// throw nb::python_error; the GIL is held.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_PYTHON_ERRORS_H
#define WEIR_PYTHON_ERRORS_H

#include "lib/Support/Messages.h"
#include "weir-c/session.h"

#include <nanobind/nanobind.h>
// All of them here: a file without one of these would cast the type in another
// way, and the linker would keep either.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>
#include <string>

namespace weir::python {

namespace nb = nanobind;

/// Where in the user's Python code something stands; line 0 is nowhere.
struct Place {
  std::string file;
  unsigned line = 0;
  unsigned column = 0;
};

/// The class to raise; the package hands it over when it is imported.
void setErrorClass(nb::object errorClass);

/// Sets the Python error; `text` may start with "[WEIRnnnn] ".
/// `status` is the WeirCode of a step's error, 0 for other errors.
void setError(std::string text, const Place &place = {},
              const std::string &notes = {}, int32_t status = 0);
[[noreturn]] void raise(std::string text, const Place &place = {},
                        const std::string &notes = {});
/// Raises the first error of `messages` with its notes, then further errors.
/// `fallback` stands in for a place that the message lacks.
[[noreturn]] void raise(const Messages &messages, const Place &fallback = {});
/// Sets the Python error from a status and clears the status.
void setError(WeirStatus &status);

} // namespace weir::python

#endif // WEIR_PYTHON_ERRORS_H

//===- Errors.cpp - Errors that cross into Python -*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "python_bindings/src/Errors.h"

namespace weir::python {

/// A strong reference that lives as long as the process: exceptions are raised
/// until the very end of the interpreter.
static PyObject *errorClass = nullptr;

void setErrorClass(nb::object cls) {
  PyObject *old = errorClass;
  errorClass = cls.release().ptr();
  Py_XDECREF(old);
}

/// The number of the error's page, which leaves the text.
static std::string takeCode(std::string &text) {
  std::string code = findCode(text);
  if (!code.empty()) {
    size_t at = text.find("[" + code + "]"), size = code.size() + 2;
    text.erase(at, size + (text.size() > at + size && text[at + size] == ' '));
  }
  return code;
}

void setError(std::string text, const Place &place, const std::string &notes,
              int32_t status) {
  std::string code = takeCode(text);
  if (!errorClass) {
    PyErr_SetString(PyExc_RuntimeError, text.c_str());
    return;
  }
  PyObject *error = PyObject_CallFunction(
      errorClass, "ssssIsi", text.c_str(), code.c_str(), "", place.file.c_str(),
      place.line, notes.c_str(), static_cast<int>(status));
  if (!error)
    return; // the constructor's own error is set
  PyErr_SetObject(errorClass, error);
  Py_DECREF(error);
}

void raise(std::string text, const Place &place, const std::string &notes) {
  setError(std::move(text), place, notes);
  throw nb::python_error();
}

static std::string placed(const Message &message) {
  std::string text = message.text;
  if (message.line)
    text += " (" + message.file + ":" + std::to_string(message.line) + ")";
  return text;
}

void raise(const Messages &messages, const Place &fallback) {
  const Message *first = nullptr;
  std::string notes;
  auto note = [&](std::string line) {
    notes += (notes.empty() ? "" : "\n") + std::move(line);
  };
  for (const Message &message : messages.all()) {
    if (message.severity != Message::Severity::Error)
      continue;
    if (first) {
      note("also: " + placed(message));
      continue;
    }
    first = &message;
    for (const Message &hint : message.notes)
      note("note: " + placed(hint));
  }
  if (!first)
    raise(
        "[WEIR0513] the compiler failed and gave no reason; please report this",
        fallback);
  Place place =
      first->line ? Place{first->file, first->line, first->column} : fallback;
  bool numbered = first->code.empty() || !findCode(first->text).empty();
  raise((numbered ? "" : "[" + first->code + "] ") + first->text, place, notes);
}

void setError(WeirStatus &status) {
  setError(status.message ? status.message : "a step failed and gave no reason",
           {}, {}, status.code);
  weir_status_clear(&status);
}

} // namespace weir::python

//===- State.cpp - Variables and compiled code of a process -*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "python_bindings/src/State.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <shared_mutex>

namespace weir::python {

/// Guards where values live: see the header.
static std::shared_mutex stateMutex;

VariableState::~VariableState() {
  if (held)
    weir_tensor_release(held);
}

nb::object VariableState::get() {
  WeirStatus status = WEIR_STATUS_INIT;
  WeirTensor *value = nullptr;
  {
    nb::gil_scoped_release released;
    std::shared_lock lock(stateMutex);
    if (home) {
      value = weir_session_get_variable(home->session, name.c_str(), &status);
    } else if (held) {
      // A copy: the array that the caller gets is his to change.
      WeirView view = weir_tensor_view(held);
      value = weir_tensor_create(view.dtype, view.rank, view.dims, &status);
      if (value)
        std::memcpy(weir_tensor_view(value).data, view.data, viewBytes(view));
    }
  }
  if (!value) {
    weir_status_clear(&status);
    return nb::none();
  }
  return nb::steal(arrayOf(value));
}

void VariableState::set(nb::handle array) {
  WeirTensor *value = tensorOf(array.ptr());
  std::shared_ptr<Code> left;
  {
    nb::gil_scoped_release released;
    std::unique_lock lock(stateMutex);
    std::swap(held, value);
    left = std::move(home);
  }
  if (value)
    weir_tensor_release(value);
}

Executable::Executable(const Program &program, const CompileOptions &options,
                       const std::vector<Used> &used) {
  Messages messages;
  WeirStatus status = WEIR_STATUS_INIT;
  {
    nb::gil_scoped_release released;
    std::unique_ptr<JitProgram> jit =
        JitProgram::create(program, options, messages);
    WeirSession *session =
        jit ? weir_session_create(jit->program(), &status) : nullptr;
    if (session)
      code = std::make_shared<Code>(std::move(jit), session);
  }
  if (messages.hasErrors())
    raise(messages);
  if (!code) {
    setError(status);
    throw nb::python_error();
  }
  variables.resize(this->program().entry_count);
  for (const auto &[name, states] : used)
    variables[entry(name)] = states;
}

int32_t Executable::entry(const std::string &name) const {
  WeirStatus status = WEIR_STATUS_INIT;
  int32_t index = weir_session_entry(code->session, name.c_str(), &status);
  if (index < 0) {
    setError(status);
    throw nb::python_error();
  }
  return index;
}

int32_t Executable::bringHome(VariableState &variable, WeirStatus &status) {
  if (variable.home == code)
    return WEIR_OK;
  WeirTensor *value = std::exchange(variable.held, nullptr);
  if (variable.home) {
    value = weir_session_get_variable(variable.home->session,
                                      variable.name.c_str(), &status);
    // A variable without a value moves as it is.
    if (!value && status.code != WEIR_FAILED_PRECONDITION)
      return status.code;
    weir_status_clear(&status);
  }
  if (value) {
    WeirView view = weir_tensor_view(value);
    int32_t failed = weir_session_set_variable(
        code->session, variable.name.c_str(), &view, &status);
    if (failed && !variable.home)
      variable.held = value;
    else
      weir_tensor_release(value);
    if (failed)
      return failed;
  }
  variable.home = code;
  return WEIR_OK;
}

int32_t Executable::runWithVariables(int32_t entry, const WeirView *feeds,
                                     WeirTensor **fetches, WeirStatus &status) {
  const auto &used = variables[entry];
  {
    std::shared_lock lock(stateMutex);
    if (std::all_of(used.begin(), used.end(), [&](const auto &variable) {
          return variable->home == code;
        }))
      return weir_session_run(code->session, entry, feeds, fetches, &status);
  }
  // Moving and running under one lock: another function may want them, too.
  std::unique_lock lock(stateMutex);
  for (const auto &variable : used)
    if (int32_t failed = bringHome(*variable, status))
      return failed;
  return weir_session_run(code->session, entry, feeds, fetches, &status);
}

int32_t Executable::run(int32_t entry, const WeirView *feeds,
                        WeirTensor **fetches, WeirStatus &status) {
  nb::gil_scoped_release released;
  if (static_cast<size_t>(entry) < variables.size() &&
      !variables[entry].empty())
    return runWithVariables(entry, feeds, fetches, status);
  return weir_session_run(code->session, entry, feeds, fetches, &status);
}

nb::object Executable::getVariable(const std::string &name) {
  WeirStatus status = WEIR_STATUS_INIT;
  WeirTensor *value;
  {
    nb::gil_scoped_release released;
    value = weir_session_get_variable(code->session, name.c_str(), &status);
  }
  if (!value) {
    setError(status);
    throw nb::python_error();
  }
  return nb::steal(arrayOf(value));
}

void Executable::setVariable(const std::string &name, nb::handle array) {
  ArrayView view(array.ptr());
  WeirView value{view.data, view.dims, view.rank, view.dtype};
  WeirStatus status = WEIR_STATUS_INIT;
  if (weir_session_set_variable(code->session, name.c_str(), &value, &status)) {
    setError(status);
    throw nb::python_error();
  }
}

} // namespace weir::python

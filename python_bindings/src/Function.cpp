//===- Function.cpp - A compiled function as Python calls it -*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "python_bindings/src/Function.h"

#include "python_bindings/src/Graph.h"

namespace weir::python {

/// More than this many are looked up in Python: a list is only good when short.
static constexpr size_t kMaxTargets = 8;
/// Calls with at most so many feeds and fetches need no heap.
static constexpr size_t kInline = 16;

Target::Target(std::shared_ptr<Executable> executable, int32_t entry,
               const std::string &kinds, nb::object assemble)
    : executable(std::move(executable)), entry(entry),
      assemble(std::move(assemble)) {
  const WeirProgram &program = this->executable->program();
  if (entry < 0 || entry >= program.entry_count)
    raise("[WEIR0513] there is no entry point " + std::to_string(entry));
  const WeirEntryDesc &desc = program.entries[entry];
  if (!kinds.empty() && kinds.size() != static_cast<size_t>(desc.feed_count))
    raise("[WEIR0513] entry point '" + std::string(desc.name) + "' has " +
          std::to_string(desc.feed_count) + " feeds, not " +
          std::to_string(kinds.size()));
  fetchCount = desc.fetch_count;
  for (int32_t i = 0; i < desc.feed_count; ++i)
    parameters.push_back(
        {kinds.empty() ? ParameterKind::Any : ParameterKind(kinds[i]),
         &desc.feeds[i]});
}

/// The result of a step out of its fetches; takes them over.
static PyObject *assembleResult(const Target &target, WeirTensor **fetches) {
  if (target.fetchCount == 1 && !target.assemble.is_valid())
    return arrayOf(fetches[0]);
  if (target.fetchCount == 0 && !target.assemble.is_valid())
    Py_RETURN_NONE;
  PyObject *tuple = PyTuple_New(target.fetchCount);
  for (int32_t i = 0; i < target.fetchCount; ++i) {
    PyObject *array = tuple ? arrayOf(fetches[i])
                            : (weir_tensor_release(fetches[i]), nullptr);
    if (array)
      PyTuple_SET_ITEM(tuple, i, array);
    else
      Py_CLEAR(tuple);
  }
  if (!tuple || !target.assemble.is_valid())
    return tuple;
  PyObject *result = PyObject_CallOneArg(target.assemble.ptr(), tuple);
  Py_DECREF(tuple);
  return result;
}

static PyObject *callWith(const Target &target, PyObject *const *arguments,
                          Feed *feeds, WeirView *views, WeirTensor **fetches,
                          bool &suits) {
  suits = false;
  for (size_t i = 0; i < target.parameters.size(); ++i)
    if (!feed(target.parameters[i], arguments[i], feeds[i], views[i])) {
      suits = PyErr_Occurred() != nullptr;
      return nullptr;
    }
  suits = true;
  WeirStatus status = WEIR_STATUS_INIT;
  if (target.executable->run(target.entry, views, fetches, status)) {
    setError(status);
    return nullptr;
  }
  return assembleResult(target, fetches);
}

PyObject *Target::call(PyObject *const *arguments, size_t count,
                       bool &suits) const {
  suits = false;
  if (count != parameters.size())
    return nullptr;
  if (count <= kInline && static_cast<size_t>(fetchCount) <= kInline) {
    Feed feeds[kInline];
    WeirView views[kInline];
    WeirTensor *fetches[kInline];
    return callWith(*this, arguments, feeds, views, fetches, suits);
  }
  std::vector<Feed> feeds(count);
  std::vector<WeirView> views(count);
  std::vector<WeirTensor *> fetches(fetchCount);
  return callWith(*this, arguments, feeds.data(), views.data(), fetches.data(),
                  suits);
}

void Function::addTarget(std::shared_ptr<Target> target) {
  std::erase(targets, target);
  targets.insert(targets.begin(), std::move(target));
  if (targets.size() > kMaxTargets)
    targets.pop_back();
}

PyObject *Function::call(PyObject *self, PyObject *arguments,
                         PyObject *keywords) {
  Function &function = *nb::inst_ptr<Function>(self);
  bool plain = !tracing && (!keywords || PyDict_GET_SIZE(keywords) == 0);
  for (size_t i = 0; plain && i < function.targets.size(); ++i) {
    // Our own reference: another thread may change the list during the step.
    std::shared_ptr<Target> target = function.targets[i];
    bool suits = false;
    PyObject *result = target->call(&PyTuple_GET_ITEM(arguments, 0),
                                    PyTuple_GET_SIZE(arguments), suits);
    if (suits)
      return result;
  }
  static PyObject *slow = PyUnicode_InternFromString("_call_slow");
  PyObject *none = keywords ? keywords : Py_None;
  return PyObject_CallMethodObjArgs(self, slow, arguments, none, nullptr);
}

static PyType_Slot functionSlots[] = {
    {Py_tp_call, reinterpret_cast<void *>(Function::call)}, {0, nullptr}};

void bindFunction(nb::module_ &module) {
  nb::class_<Target>(module, "Target")
      .def(nb::new_([](std::shared_ptr<Executable> executable, int32_t entry,
                       const std::string &kinds, nb::object assemble) {
             nb::object kept = assemble.is_none() ? nb::object() : assemble;
             return std::make_shared<Target>(std::move(executable), entry,
                                             kinds, std::move(kept));
           }),
           nb::arg("executable"), nb::arg("entry"), nb::arg("kinds"),
           nb::arg("assemble").none())
      .def("try_call",
           [](const Target &target, nb::tuple arguments) -> nb::object {
             bool suits = false;
             PyObject *result =
                 target.call(&PyTuple_GET_ITEM(arguments.ptr(), 0),
                             arguments.size(), suits);
             if (!result && PyErr_Occurred())
               throw nb::python_error();
             if (!suits)
               return nb::borrow(Py_NotImplemented);
             return nb::steal(result);
           });
  nb::class_<Function>(module, "Function", nb::type_slots(functionSlots))
      .def(nb::init<>())
      .def("_add_target", &Function::addTarget)
      .def("_clear_targets", &Function::clear);
}

} // namespace weir::python

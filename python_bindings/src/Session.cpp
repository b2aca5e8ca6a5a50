//===- Session.cpp - Steps on any feeds and fetches -*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "python_bindings/src/Session.h"
#include "python_bindings/src/Devices.h"

#include "lib/Frontend/GraphDef/GraphDefSource.h"
#include "python_bindings/src/Arrays.h"

#include <algorithm>

namespace weir::python {

/// Throws a status as a Python error.
static void check(rt::Status status) {
  if (status.ok())
    return;
  // A signal's handler has raised, which ended the step.
  if (PyErr_Occurred())
    throw nb::python_error();
  setError(status.message(), {}, {}, status.code());
  throw nb::python_error();
}

/// A tensor with the elements of an array, or of a (shape, list of bytes).
static rt::TensorRef tensorFrom(nb::handle value) {
  if (!PyTuple_Check(value.ptr()))
    return rt::TensorRef(tensorOf(value.ptr()));
  auto [dims, texts] =
      nb::cast<std::pair<std::vector<int64_t>, std::vector<nb::bytes>>>(value);
  std::vector<WeirString> strings;
  for (const nb::bytes &text : texts)
    strings.push_back({text.c_str(), static_cast<int64_t>(text.size())});
  rt::TensorRef tensor;
  check(rt::createStringTensor(static_cast<int32_t>(dims.size()), dims.data(),
                               strings.data(), tensor));
  return tensor;
}

static WeirRunOptions runOptions(int64_t timeoutMs, int64_t stallReportMs) {
  WeirRunOptions options = WEIR_RUN_OPTIONS_INIT;
  options.timeout_ms = timeoutMs;
  options.stall_report_ms = stallReportMs;
  return options;
}

static nb::list arraysOf(std::vector<rt::TensorRef> &tensors) {
  nb::list arrays;
  for (rt::TensorRef &tensor : tensors) {
    PyObject *array = arrayOf(tensor.take());
    if (!array)
      throw nb::python_error();
    arrays.append(nb::steal(array));
  }
  return arrays;
}

Session::Session(std::unique_ptr<GraphSource> source,
                 GraphSessionOptions options)
    : session(std::move(source), std::move(options)) {}

nb::list Session::run(const Feeds &feeds,
                      const std::vector<std::string> &fetches,
                      const std::vector<std::string> &targets,
                      int64_t timeoutMs, int64_t stallReportMs,
                      const Cancellation *cancellation) {
  std::vector<rt::TensorRef> tensors, results;
  std::vector<GraphSession::Feed> named;
  for (const auto &[name, value] : feeds) {
    tensors.push_back(tensorFrom(value));
    named.push_back({name, tensors.back().view()});
  }
  WeirRunOptions options = runOptions(timeoutMs, stallReportMs);
  options.cancellation = cancellation ? cancellation->get() : nullptr;
  rt::Status status;
  {
    nb::gil_scoped_release released;
    status = session.run(named, fetches, targets, results, &options);
  }
  check(std::move(status));
  return arraysOf(results);
}

void Cancellation::cancel(const std::string &reason) {
  // Steps that wait may go on here until they have ended.
  nb::gil_scoped_release released;
  weir_cancellation_cancel(handle, reason.c_str());
}

void PartialRun::feed(const std::string &name, nb::handle value) {
  rt::TensorRef tensor = tensorFrom(value);
  check(run->feed(name, tensor.view()));
}

nb::list PartialRun::fetch(const std::vector<std::string> &names) {
  std::vector<rt::TensorRef> results(names.size());
  rt::Status status;
  {
    nb::gil_scoped_release released;
    for (size_t i = 0; i < names.size() && status.ok(); ++i)
      status = run->fetch(names[i], results[i]);
  }
  check(std::move(status));
  return arraysOf(results);
}

void PartialRun::end() {
  if (!run)
    return;
  std::unique_ptr<GraphSession::PartialRun> ended = std::move(run);
  rt::Status status;
  {
    nb::gil_scoped_release released;
    status = ended->end();
  }
  check(std::move(status));
}

std::shared_ptr<PartialRun>
Session::begin(const std::vector<FeedType> &feeds,
               const std::vector<std::string> &fetches,
               const std::vector<std::string> &targets, int64_t timeoutMs) {
  std::vector<FeedRequest> requests;
  for (const auto &[name, dtype, dims] : feeds)
    requests.push_back({name, dtype, dims});
  WeirRunOptions options = runOptions(timeoutMs, 0);
  rt::Status status;
  auto result = std::make_shared<PartialRun>();
  {
    nb::gil_scoped_release released;
    result->run = session.begin(requests, fetches, targets, status, &options);
  }
  check(std::move(status));
  return result;
}

/// Runs what waits for a signal (^C raises KeyboardInterrupt); true where that
/// raises. Only Python's main thread has such.
static bool signalRaises() {
  nb::gil_scoped_acquire held;
  return PyErr_CheckSignals() != 0;
}

static std::shared_ptr<Session>
makeSession(std::unique_ptr<GraphSource> source, const Messages &messages,
            const std::string &cpu, int threads, bool interpret,
            bool raiseControlFlow, const std::string &executor) {
  if (!source)
    raise(messages);
  GraphSessionOptions options;
  options.compile = deviceOptions();
  options.compile.cpu = cpu;
  options.compile.threads = threads;
  options.compile.raise = raiseControlFlow;
  options.compile.executor = executor;
  options.interpret = interpret;
  if (interpret)
    options.poll = &signalRaises;
  return std::make_shared<Session>(std::move(source), options);
}

void bindSession(nb::module_ &module) {
  nb::class_<Cancellation>(module, "Cancellation")
      .def(nb::init<>())
      .def("cancel", &Cancellation::cancel);
  nb::class_<PartialRun>(module, "PartialRun")
      .def("feed", &PartialRun::feed)
      .def("fetch", &PartialRun::fetch)
      .def("end", &PartialRun::end);
  nb::class_<Session>(module, "Session")
      .def_static("graph_def",
                  [](nb::bytes bytes, const std::string &name,
                     const std::string &cpu, int threads, bool interpret,
                     bool raiseControlFlow, const std::string &executor) {
                    Messages messages;
                    std::unique_ptr<GraphSource> source;
                    if (auto file = GraphFile::parse(
                            {bytes.c_str(), bytes.size()}, name, messages))
                      source = makeGraphDefSource(std::move(file));
                    return makeSession(std::move(source), messages, cpu,
                                       threads, interpret, raiseControlFlow,
                                       executor);
                  })
      .def_static("program",
                  [](const Program &program, const std::string &entry,
                     const std::string &cpu, int threads, bool interpret,
                     bool raiseControlFlow, const std::string &executor) {
                    Messages messages;
                    return makeSession(
                        GraphSource::create(program.clone(), entry, messages),
                        messages, cpu, threads, interpret, raiseControlFlow,
                        executor);
                  })
      .def("run", &Session::run, nb::arg("feeds"), nb::arg("fetches"),
           nb::arg("targets"), nb::arg("timeout_ms"),
           nb::arg("stall_report_ms"), nb::arg("cancellation").none() = nullptr)
      .def("begin", &Session::begin, nb::keep_alive<0, 1>())
      .def("program_count", &Session::programCount);
}

} // namespace weir::python

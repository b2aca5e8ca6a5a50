//===- Session.h - Steps on any feeds and fetches -*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// weir.Session: a GraphDef or an entry point of a program, of which each step
// names what it feeds and fetches. The GIL is released while a step runs.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_PYTHON_SESSION_H
#define WEIR_PYTHON_SESSION_H

#include "lib/Driver/GraphSession.h"
#include "python_bindings/src/Errors.h"

namespace weir::python {

/// Names with arrays; a tensor of strings is (shape, list of bytes).
using Feeds = std::vector<std::pair<std::string, nb::object>>;
/// Name, dtype number, extents or None for what the graph says.
using FeedType =
    std::tuple<std::string, int32_t, std::optional<std::vector<int64_t>>>;

/// Ends the steps that were given it, from another thread.
class Cancellation {
public:
  Cancellation() : handle(weir_cancellation_create()) {}
  ~Cancellation() { weir_cancellation_destroy(handle); }
  Cancellation(const Cancellation &) = delete;
  Cancellation &operator=(const Cancellation &) = delete;

  void cancel(const std::string &reason);
  WeirCancellation *get() const { return handle; }

private:
  WeirCancellation *handle;
};

class PartialRun {
public:
  void feed(const std::string &name, nb::handle value);
  nb::list fetch(const std::vector<std::string> &names);
  void end();

private:
  friend class Session;
  std::unique_ptr<GraphSession::PartialRun> run;
};

class Session {
public:
  Session(std::unique_ptr<GraphSource> source, GraphSessionOptions options);

  nb::list run(const Feeds &feeds, const std::vector<std::string> &fetches,
               const std::vector<std::string> &targets, int64_t timeoutMs,
               int64_t stallReportMs, const Cancellation *cancellation);
  std::shared_ptr<PartialRun> begin(const std::vector<FeedType> &feeds,
                                    const std::vector<std::string> &fetches,
                                    const std::vector<std::string> &targets,
                                    int64_t timeoutMs);
  size_t programCount() const { return session.programCount(); }

private:
  GraphSession session;
};

void bindSession(nb::module_ &module);

} // namespace weir::python

#endif // WEIR_PYTHON_SESSION_H

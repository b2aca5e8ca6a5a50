//===- GraphSession.h - Steps on any feeds and fetches of a graph - -*- C++
//-*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Partial execution: each step names what it feeds, fetches and runs, and the
// graph is cut down to what that needs. A program is compiled for each
// combination, with the extents of its feeds, and kept; all of them share one
// state. Source: OSDI 2016 sections 3.2 and 3.3.
//
// Threads: a session may be used by several at a time. Compiling happens in
// one of them at a time; steps on compiled programs run side by side, steps of
// the interpreter one after the other.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_DRIVER_GRAPHSESSION_H
#define WEIR_LIB_DRIVER_GRAPHSESSION_H

#include "lib/Driver/Engine.h"

#include <map>
#include <mutex>

namespace weir {

/// A value of the graph that the caller supplies: "name" or "name:port".
struct FeedRequest {
  std::string name;
  /// WEIR_DTYPE_INVALID for what the graph says.
  int32_t dtype = WEIR_DTYPE_INVALID;
  /// Extents; nothing for what the graph says.
  std::optional<std::vector<int64_t>> dims;
};

struct EntryRequest {
  std::vector<FeedRequest> feeds;
  std::vector<std::string> fetches;
  /// Nodes that run for their effects.
  std::vector<std::string> targets;
};

/// What programs are derived from: a GraphDef, an entry point of a module. Safe
/// to use from one thread at a time.
class GraphSource {
public:
  virtual ~GraphSource() = default;

  /// A program with one graph, whose feeds and fetches are those asked for, in
  /// that order, and that holds what they need. The names of its variables and
  /// resources are those of the source, whatever is asked for.
  virtual std::unique_ptr<Program> derive(const EntryRequest &request,
                                          Messages &messages) const = 0;

  /// False where the program is the same whatever the extents of a feed are.
  virtual bool dependsOnExtents(const std::string &feed) const { return true; }

  /// An entry point of a module. Inner values are named by the `weir.name` of
  /// their node and the number of the result, "name:0"; its feeds and fetches
  /// by their names. Feeds that are not given stay feeds that nothing may need.
  static std::unique_ptr<GraphSource> create(std::unique_ptr<Program> program,
                                             const std::string &entry,
                                             Messages &messages);
};

struct GraphSessionOptions {
  CompileOptions compile;
  /// Interpret; nothing is compiled.
  bool interpret = false;
  /// The interpreter asks it now and then on the thread that runs a step; its
  /// true cancels the step.
  std::function<bool()> poll;
};

class GraphSession {
public:
  struct Feed {
    std::string name;
    WeirView value;
  };

  GraphSession(std::unique_ptr<GraphSource> source, GraphSessionOptions options)
      : source(std::move(source)), options(std::move(options)) {}

  /// Runs one step. `results` has one tensor for each fetch.
  rt::Status run(const std::vector<Feed> &feeds,
                 const std::vector<std::string> &fetches,
                 const std::vector<std::string> &targets,
                 std::vector<rt::TensorRef> &results,
                 const WeirRunOptions *runOptions = nullptr);

  /// One step whose feeds come, and whose fetches leave, in several calls.
  class PartialRun {
  public:
    rt::Status feed(const std::string &name, const WeirView &value);
    rt::Status fetch(const std::string &name, rt::TensorRef &result);
    rt::Status end() { return run->end(); }

  private:
    friend class GraphSession;
    std::vector<std::string> feeds, fetches;
    std::shared_ptr<Engine> engine;
    std::unique_ptr<Engine::PartialRun> run;
  };
  /// Null on an error. The run ends before the session does.
  std::unique_ptr<PartialRun> begin(const std::vector<FeedRequest> &feeds,
                                    const std::vector<std::string> &fetches,
                                    const std::vector<std::string> &targets,
                                    rt::Status &status,
                                    const WeirRunOptions *runOptions = nullptr);

  /// The descriptor of the program for a request, compiled if it is not yet:
  /// for the types of its feeds and fetches.
  rt::Status describe(const EntryRequest &request,
                      std::shared_ptr<Engine> &engine);

  bool isInterpreted() const { return options.interpret; }

  /// How many programs there are.
  size_t programCount() const;
  /// Moves the remarks and warnings of all compilations so far.
  void takeMessages(Messages &messages);

private:
  using Key = std::string;
  rt::Status find(const EntryRequest &request, std::shared_ptr<Engine> &engine,
                  bool executor = false);

  std::unique_ptr<GraphSource> source;
  GraphSessionOptions options;
  mutable std::mutex mutex;
  std::map<Key, std::shared_ptr<Engine>> engines;
  std::shared_ptr<Engine> first; // whose state the others share
  Messages collected;
};

/// The first error as a status, with its place and notes.
rt::Status firstError(const Messages &messages);

} // namespace weir

#endif // WEIR_LIB_DRIVER_GRAPHSESSION_H

//===- Runner.cpp - What the commands share -------------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/base/Format.h"
#include "runtime/core/Program.h"
#include "runtime/main/CommandLine.h"
#include "runtime/trace/Trace.h"

#include <cstring>

using namespace weir::rt;

Status weir::rt::takeStatus(WeirStatus &status) {
  if (status.code == WEIR_OK)
    return Status();
  Status result(static_cast<WeirCode>(status.code),
                status.message ? status.message : "out of memory");
  weir_status_clear(&status);
  return result;
}

Status Runner::start(const Runner *family) {
  WeirStatus status = WEIR_STATUS_INIT;
  session = family
                ? weir_session_create_shared(&program, family->session, &status)
                : weir_session_create(&program, &status);
  return takeStatus(status);
}

Status Runner::find(const std::string &name, int32_t &index) const {
  return findEntry(program, name.c_str(), index);
}

bool Runner::hasEntry(const char *name) const {
  int32_t index = 0;
  return findEntry(program, name, index).ok();
}

Status Runner::run(int32_t index, const WeirView *feeds,
                   std::vector<TensorRef> &fetches,
                   const WeirRunOptions *options) const {
  WeirTensor *raw[64];
  std::vector<WeirTensor *> many;
  int32_t count = entry(index).fetch_count;
  WeirTensor **out = raw;
  if (count > 64) {
    many.resize(static_cast<size_t>(count));
    out = many.data();
  }
  WeirStatus status = WEIR_STATUS_INIT;
  weir_session_run_with(session, index, feeds, out, options, &status);
  fetches.clear();
  for (int32_t i = 0; status.code == WEIR_OK && i < count; ++i)
    fetches.emplace_back(out[i]);
  return takeStatus(status);
}

Status Runner::init(int64_t seed) {
  int32_t index;
  WEIR_RETURN_IF_ERROR(find("init", index));
  const WeirEntryDesc &init = entry(index);
  int32_t narrow = static_cast<int32_t>(seed);
  std::vector<WeirView> feeds;
  for (int32_t i = 0; i < init.feed_count; ++i) {
    const WeirTensorDesc &feed = init.feeds[i];
    if (std::strcmp(feed.name, "seed") != 0 || feed.rank != 0 ||
        (feed.dtype != WEIR_I64 && feed.dtype != WEIR_I32))
      return Status(WEIR_INVALID_ARGUMENT,
                    str("[WEIR0301] entry 'init' wants feed '", feed.name,
                        "', which this command cannot give; it gives 'seed' "
                        "(i64 or i32) only. Run init on its own: run init "
                        "--feed ",
                        feed.name, "=VALUE"));
    feeds.push_back({feed.dtype == WEIR_I64 ? static_cast<void *>(&seed)
                                            : static_cast<void *>(&narrow),
                     nullptr, 0, feed.dtype});
  }
  std::vector<TensorRef> fetches;
  return run(index, feeds.data(), fetches);
}

Status Runner::checkpoint(const char *command, const std::string &prefix) {
  int32_t index;
  WEIR_RETURN_IF_ERROR(find(command, index));
  const WeirEntryDesc &desc = entry(index);
  if (desc.feed_count != 1 || desc.feeds[0].dtype != WEIR_STRING ||
      desc.feeds[0].rank != 0)
    return Status(WEIR_INVALID_ARGUMENT,
                  str("[WEIR0301] entry '", command,
                      "' should have one feed, the path as "
                      "tensor<!weir.string>; it has ",
                      desc.feed_count, " feeds"));
  WeirString path = {prefix.data(), static_cast<int64_t>(prefix.size())};
  WeirView feed = {&path, nullptr, 0, WEIR_STRING};
  std::vector<TensorRef> fetches;
  return run(index, &feed, fetches);
}

TraceScope::TraceScope(std::string path) : path(std::move(path)) {
  if (!this->path.empty())
    startTrace();
}

Status TraceScope::finish() {
  return path.empty() ? Status() : stopTrace(path.c_str());
}

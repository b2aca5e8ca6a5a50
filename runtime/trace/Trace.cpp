//===- Trace.cpp - Recording what ran when --------------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/trace/Trace.h"
#include "runtime/base/Format.h"
#include "runtime/core/CStatus.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <mutex>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace weir::rt;

namespace {

struct Event {
  int64_t begin;
  int64_t end;
  int32_t thread;
  TraceKind kind;
  /// Set last: an event is complete when it is true.
  std::atomic<bool> complete;
  /// A copy, cut to fit: the program may be gone when the trace is written.
  char name[106];
};
static_assert(sizeof(Event) == 128, "one event is two cache lines");

constexpr int64_t kMaxEvents = int64_t(1) << 18;

} // namespace

std::atomic<bool> weir::rt::traceEnabled{false};

/// Allocated once, kept: a thread may still be finishing an event when the
/// trace stops. Untouched pages cost nothing.
static Event *events;
static std::atomic<int64_t> eventCount{0};
static std::atomic<int32_t> writers{0};
static int64_t traceStart;
static std::mutex control;

int64_t weir::rt::traceNow() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t(now.tv_sec) * 1000000000 + now.tv_nsec + 1;
}

static int32_t threadId() {
  static thread_local int32_t id = static_cast<int32_t>(syscall(SYS_gettid));
  return id;
}

void weir::rt::traceEnd(int64_t mark, const char *name, TraceKind kind) {
  int64_t now = traceNow();
  // stopTrace waits for the writers that saw the flag set.
  writers.fetch_add(1, std::memory_order_seq_cst);
  if (traceEnabled.load(std::memory_order_seq_cst)) {
    int64_t index = eventCount.fetch_add(1, std::memory_order_relaxed);
    if (index < kMaxEvents) {
      Event &event = events[index];
      event.begin = mark;
      event.end = now;
      event.thread = threadId();
      event.kind = kind;
      snprintf(event.name, sizeof(event.name), "%s", name ? name : "");
      event.complete.store(true, std::memory_order_release);
    }
  }
  writers.fetch_sub(1, std::memory_order_seq_cst);
}

void weir::rt::startTrace() {
  std::lock_guard<std::mutex> lock(control);
  if (traceEnabled.load(std::memory_order_relaxed))
    return;
  if (!events)
    events = static_cast<Event *>(std::calloc(kMaxEvents, sizeof(Event)));
  if (!events)
    return;
  eventCount.store(0, std::memory_order_relaxed);
  traceStart = traceNow();
  traceEnabled.store(true, std::memory_order_seq_cst);
}

/// The length of the valid UTF-8 sequence at the start of `text`, or 0.
static size_t utf8Length(std::string_view text) {
  auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  unsigned char lead = byte(0);
  size_t length = lead < 0x80                   ? 1
                  : lead >= 0xc2 && lead < 0xe0 ? 2
                  : lead >= 0xe0 && lead < 0xf0 ? 3
                  : lead >= 0xf0 && lead < 0xf5 ? 4
                                                : 0;
  if (length == 0 || length > text.size())
    return 0;
  for (size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xc0) != 0x80)
      return 0;
  // Overlong forms, surrogates and what lies beyond U+10FFFF.
  if ((lead == 0xe0 && byte(1) < 0xa0) || (lead == 0xed && byte(1) > 0x9f) ||
      (lead == 0xf0 && byte(1) < 0x90) || (lead == 0xf4 && byte(1) > 0x8f))
    return 0;
  return length;
}

std::string weir::rt::escapeJson(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    size_t length = utf8Length(text);
    unsigned char c = static_cast<unsigned char>(text[0]);
    if (length == 0) {
      out += "\\ufffd";
      length = 1;
    } else if (c == '"' || c == '\\') {
      out += '\\';
      out += text[0];
    } else if (c < 0x20) {
      char buffer[8];
      snprintf(buffer, sizeof(buffer), "\\u%04x", c);
      out += buffer;
    } else {
      out.append(text.substr(0, length));
    }
    text.remove_prefix(length);
  }
  return out;
}

static void writeEvents(FILE *file, int64_t recorded) {
  int64_t kept = recorded < kMaxEvents ? recorded : kMaxEvents;
  fprintf(file,
          "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"dropped_events\":%lld},"
          "\"traceEvents\":[\n{\"ph\":\"M\",\"pid\":%d,\"name\":"
          "\"process_name\",\"args\":{\"name\":\"weir\"}}",
          static_cast<long long>(recorded - kept), getpid());
  for (int64_t i = 0; i < kept; ++i) {
    Event &event = events[i];
    if (!event.complete.exchange(false, std::memory_order_acquire))
      continue;
    // The trace may have started in the middle of the event.
    int64_t begin = event.begin < traceStart ? traceStart : event.begin;
    std::string name = escapeJson(event.name);
    fprintf(file,
            ",\n{\"ph\":\"X\",\"pid\":%d,\"tid\":%d,\"ts\":%lld.%03d,"
            "\"dur\":%lld.%03d,\"cat\":\"%s\",\"name\":\"%s\"}",
            getpid(), event.thread,
            static_cast<long long>((begin - traceStart) / 1000),
            static_cast<int>((begin - traceStart) % 1000),
            static_cast<long long>((event.end - begin) / 1000),
            static_cast<int>((event.end - begin) % 1000),
            event.kind == TraceKind::Step ? "step" : "kernel", name.c_str());
  }
  fputs("\n]}\n", file);
}

/// Drops what was recorded.
static void dropEvents() {
  for (int64_t i = 0; i < kMaxEvents && i < eventCount.load(); ++i)
    events[i].complete.store(false, std::memory_order_relaxed);
}

Status weir::rt::stopTrace(const char *path) {
  std::lock_guard<std::mutex> lock(control);
  if (!traceEnabled.load(std::memory_order_relaxed))
    return Status(WEIR_FAILED_PRECONDITION,
                  "[WEIR0320] no trace is being taken; start one first");
  traceEnabled.store(false, std::memory_order_seq_cst);
  while (writers.load(std::memory_order_seq_cst) != 0)
    sched_yield();
  FILE *file = path ? fopen(path, "wbe") : nullptr;
  bool failed = !file;
  int error = path ? errno : EINVAL;
  if (file) {
    writeEvents(file, eventCount.load());
    failed = ferror(file) != 0;
    if (failed)
      error = errno;
    if (fclose(file) != 0 && !failed) {
      failed = true;
      error = errno;
    }
  }
  dropEvents();
  if (!failed)
    return Status();
  return Status(error == EACCES ? WEIR_PERMISSION_DENIED : WEIR_UNAVAILABLE,
                str("[WEIR0320] cannot write the trace '", path ? path : "",
                    "': ", strerror(error)));
}

void weir_trace_start(void) { startTrace(); }

int32_t weir_trace_stop(const char *path, WeirStatus *status) {
  return setStatus(status, stopTrace(path));
}

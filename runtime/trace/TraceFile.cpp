//===- TraceFile.cpp - Traces of one or several processes -----------------===//

#include "runtime/trace/TraceFile.h"
#include "runtime/base/Format.h"
#include "runtime/base/WireFormat.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <map>

using namespace weir::rt;

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

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

namespace {

/// Writes the events of one process. Each track becomes what the format calls a
/// process, so that a device has its own group of rows.
class PartWriter {
public:
  PartWriter(FILE *file, const TracePart &part, size_t number, int64_t origin)
      : file(file), data(part.data), shift(part.offset - origin),
        number(static_cast<int64_t>(number)) {}

  void write();

private:
  /// Differs for all tracks of all parts; the processes may be of several
  /// machines. Real ones are below 2^22.
  int64_t pid(int32_t track) const {
    return track == 0 && number == 0 ? data.pid
                                     : (number + 1) * 10000000 + track;
  }
  void name(int32_t track, const std::string &text);
  void event(const TraceEvent &event, size_t index);
  void time(const char *key, int64_t ns) {
    fprintf(file, ",\"%s\":%lld.%03d", key, static_cast<long long>(ns / 1000),
            static_cast<int>(ns % 1000));
  }

  FILE *file;
  const TraceData &data;
  const int64_t shift, number;
};

} // namespace

void PartWriter::name(int32_t track, const std::string &text) {
  fprintf(file,
          ",\n{\"ph\":\"M\",\"pid\":%lld,\"name\":\"process_name\",\"args\":"
          "{\"name\":\"%s\"}}",
          static_cast<long long>(pid(track)), escapeJson(text).c_str());
}

void PartWriter::event(const TraceEvent &event, size_t index) {
  static const char *const kCategories[] = {"kernel", "step", "send", "receive",
                                            "unit"};
  const bool isTransfer =
      event.kind == TraceKind::Send || event.kind == TraceKind::Receive;
  const int64_t begin = std::max<int64_t>(event.begin + shift, 0);
  const std::string name = escapeJson(event.name);
  auto open = [&](const char *phase) {
    fprintf(file, ",\n{\"ph\":\"%s\",\"pid\":%lld,\"tid\":%d", phase,
            static_cast<long long>(pid(event.track)), event.lane);
  };
  auto close = [&] {
    fprintf(file, ",\"cat\":\"%s\",\"name\":\"%s\"",
            kCategories[static_cast<size_t>(event.kind)], name.c_str());
    if (isTransfer)
      fprintf(file, ",\"args\":{\"bytes\":%lld}",
              static_cast<long long>(event.bytes));
    fputs("}", file);
  };
  if (event.kind != TraceKind::Receive) {
    open("X");
    time("ts", begin);
    time("dur", event.end - event.begin);
    close();
    return;
  }
  // Several can wait at a time, which rows of a thread cannot show.
  for (bool isEnd : {false, true}) {
    open(isEnd ? "e" : "b");
    fprintf(file, ",\"id\":\"%lld.%zu\"", static_cast<long long>(number),
            index);
    time("ts", isEnd ? begin + (event.end - event.begin) : begin);
    close();
  }
}

void PartWriter::write() {
  name(0, data.process);
  std::vector<bool> isUsed(data.tracks.size() + 1);
  for (const TraceEvent &event : data.events)
    isUsed[static_cast<size_t>(event.track)] = true;
  for (size_t i = 0; i < data.tracks.size(); ++i)
    if (isUsed[i + 1])
      name(static_cast<int32_t>(i) + 1, data.tracks[i]);
  for (const TraceData::Lane &lane : data.lanes)
    if (isUsed[static_cast<size_t>(lane.track)])
      fprintf(file,
              ",\n{\"ph\":\"M\",\"pid\":%lld,\"tid\":%d,\"name\":"
              "\"thread_name\",\"args\":{\"name\":\"%s\"}}",
              static_cast<long long>(pid(lane.track)), lane.lane,
              escapeJson(lane.name).c_str());
  for (size_t i = 0; i < data.events.size(); ++i)
    event(data.events[i], i);
}

Status weir::rt::writeTrace(const char *path,
                            const std::vector<TracePart> &parts) {
  FILE *file = path ? fopen(path, "wbe") : nullptr;
  bool failed = !file;
  int error = path ? errno : EINVAL;
  if (file) {
    int64_t dropped = 0, origin = 0;
    for (const TracePart &part : parts) {
      dropped += part.data.dropped;
      const int64_t start = part.data.start + part.offset;
      origin = origin == 0 ? start : std::min(origin, start);
    }
    fprintf(file,
            "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"dropped_events\":"
            "%lld},\"traceEvents\":[\n{\"ph\":\"M\",\"pid\":0,\"name\":"
            "\"process_name\",\"args\":{\"name\":\"weir\"}}",
            static_cast<long long>(dropped));
    for (size_t i = 0; i < parts.size(); ++i)
      PartWriter(file, parts[i], i, origin).write();
    fputs("\n]}\n", file);
    failed = ferror(file) != 0;
    if (failed)
      error = errno;
    if (fclose(file) != 0 && !failed) {
      failed = true;
      error = errno;
    }
  }
  if (!failed)
    return Status();
  return Status(error == EACCES ? WEIR_PERMISSION_DENIED : WEIR_UNAVAILABLE,
                str("[WEIR0320] cannot write the trace '", path ? path : "",
                    "': ", strerror(error)));
}

//===----------------------------------------------------------------------===//
// Bytes
//===----------------------------------------------------------------------===//

// Varints and texts of known length one after the other; a version in front.

static constexpr uint64_t kVersion = 1;

static void putText(std::string &out, const std::string &text) {
  putVarint(out, text.size());
  out += text;
}

std::string weir::rt::encodeTrace(const TraceData &data) {
  std::string out;
  auto put = [&](int64_t value) {
    putVarint(out, static_cast<uint64_t>(value));
  };
  putVarint(out, kVersion);
  putText(out, data.process);
  put(data.pid);
  put(data.start);
  put(data.dropped);
  putVarint(out, data.tracks.size());
  for (const std::string &track : data.tracks)
    putText(out, track);
  putVarint(out, data.lanes.size());
  for (const TraceData::Lane &lane : data.lanes) {
    put(lane.track);
    put(lane.lane);
    putText(out, lane.name);
  }
  putVarint(out, data.events.size());
  for (const TraceEvent &event : data.events) {
    put(event.begin - data.start);
    put(event.end - event.begin);
    put(event.bytes);
    put(event.lane);
    put(event.track);
    put(static_cast<int64_t>(event.kind));
    putText(out, event.name);
  }
  return out;
}

namespace {
/// Takes values off the front; nothing more after the first that is not there.
struct TraceReader {
  std::string_view rest;
  bool good = true;

  int64_t number(int64_t most = INT64_MAX) {
    uint64_t value = 0;
    good =
        good && takeVarint(rest, value) && value <= static_cast<uint64_t>(most);
    return good ? static_cast<int64_t>(value) : 0;
  }
  std::string text() {
    const int64_t size = number(static_cast<int64_t>(rest.size()));
    if (!good || static_cast<size_t>(size) > rest.size()) {
      good = false;
      return "";
    }
    std::string value(rest.substr(0, static_cast<size_t>(size)));
    rest.remove_prefix(static_cast<size_t>(size));
    return value;
  }
  /// A count of items, each of which takes a byte at least.
  int64_t count() { return number(static_cast<int64_t>(rest.size())); }
};
} // namespace

Status weir::rt::decodeTrace(std::string_view bytes, TraceData &data) {
  TraceReader reader{bytes};
  TraceData read;
  reader.good = reader.number() == static_cast<int64_t>(kVersion);
  read.process = reader.text();
  read.pid = static_cast<int32_t>(reader.number(INT32_MAX));
  read.start = reader.number(INT64_MAX / 4);
  read.dropped = reader.number();
  for (int64_t i = reader.count(); i > 0 && reader.good; --i)
    read.tracks.push_back(reader.text());
  const int64_t last = static_cast<int64_t>(read.tracks.size());
  for (int64_t i = reader.count(); i > 0 && reader.good; --i) {
    TraceData::Lane lane;
    lane.track = static_cast<int32_t>(reader.number(last));
    lane.lane = static_cast<int32_t>(reader.number(INT32_MAX));
    lane.name = reader.text();
    read.lanes.push_back(std::move(lane));
  }
  for (int64_t i = reader.count(); i > 0 && reader.good; --i) {
    TraceEvent event;
    event.begin = read.start + reader.number(INT64_MAX / 4);
    event.end = event.begin + reader.number(INT64_MAX / 4);
    event.bytes = reader.number();
    event.lane = static_cast<int32_t>(reader.number(INT32_MAX));
    event.track = static_cast<int32_t>(reader.number(last));
    event.kind = static_cast<TraceKind>(
        reader.number(static_cast<int64_t>(TraceKind::Unit)));
    event.name = reader.text();
    read.events.push_back(std::move(event));
  }
  if (!reader.good || !reader.rest.empty())
    return Status(WEIR_DATA_LOSS,
                  "[WEIR0320] the trace of another process is damaged, or of "
                  "another version of Weir");
  data = std::move(read);
  return Status();
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

TraceSummary weir::rt::summarizeTrace(const std::vector<TracePart> &parts) {
  using Rows = std::map<std::string, TraceSummary::Row>;
  Rows devices, kernels, sends, receives;
  auto add = [](Rows &rows, const std::string &name, const TraceEvent &event) {
    TraceSummary::Row &row = rows[name];
    row.time += event.end - event.begin;
    ++row.count;
    row.bytes += event.bytes;
  };
  for (const TracePart &part : parts) {
    std::vector<bool> records(part.data.tracks.size() + 1);
    auto isOwn = [](const TraceEvent &event) {
      return event.kind == TraceKind::Kernel && event.lane >= kFirstTraceLane;
    };
    for (const TraceEvent &event : part.data.events)
      if (isOwn(event))
        records[static_cast<size_t>(event.track)] = true;
    for (const TraceEvent &event : part.data.events) {
      switch (event.kind) {
      case TraceKind::Kernel:
        if (records[static_cast<size_t>(event.track)] && !isOwn(event))
          break;
        add(devices,
            event.track == 0
                ? part.data.process
                : part.data.tracks[static_cast<size_t>(event.track) - 1],
            event);
        add(kernels, event.name, event);
        break;
      case TraceKind::Send:
        add(sends, event.name, event);
        break;
      case TraceKind::Receive:
        add(receives, event.name, event);
        break;
      case TraceKind::Step:
      case TraceKind::Unit:
        break;
      }
    }
  }
  auto sorted = [](Rows &rows) {
    std::vector<TraceSummary::Row> list;
    for (auto &[name, row] : rows) {
      row.name = name;
      list.push_back(std::move(row));
    }
    std::sort(list.begin(), list.end(),
              [](const TraceSummary::Row &a, const TraceSummary::Row &b) {
                return a.time != b.time ? a.time > b.time : a.name < b.name;
              });
    return list;
  };
  return {sorted(devices), sorted(kernels), sorted(sends), sorted(receives)};
}

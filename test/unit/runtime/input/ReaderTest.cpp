//===- ReaderTest.cpp - Records of files that a queue names ---------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// What the readers of lines and of fixed lengths give is what TensorFlow's give
// for the same files.
//
//===----------------------------------------------------------------------===//

#include "runtime/input/Reader.h"
#include "test/unit/runtime/checkpoint/TempDirectory.h"
#include "test/unit/runtime/input/InputTestUtil.h"
#include "weir-c/program.h"

#include <atomic>
#include <set>
#include <thread>
#include <zlib.h>

using namespace weir::rt;
using namespace weir::rt::test;

namespace {

#include "test/unit/runtime/input/ArrayData.inc"
#include "test/unit/runtime/input/RecordData.inc"

/// How a read ended; outlives it.
struct ReadOutcome {
  ReadDone done() {
    return [this](Status newStatus, TensorRef newKeys, TensorRef newValues) {
      ++calls;
      status = std::move(newStatus);
      if (!status.ok())
        return;
      keys = newKeys ? textsOf(newKeys) : std::vector<std::string>();
      values = newValues ? textsOf(newValues) : std::vector<std::string>();
    };
  }
  int calls = 0;
  Status status;
  std::vector<std::string> keys, values;
};

class ReaderTest : public testing::Test {
protected:
  ReaderTest() {
    QueueSpec spec;
    spec.name = "names";
    spec.components = {{WEIR_STRING, true, {}}};
    queue = makeQueue(std::move(spec));
  }

  /// A reader as a program declares it.
  static std::shared_ptr<Reader> make(std::vector<int64_t> numbers,
                                      Status *error = nullptr) {
    WeirResourceDesc desc = {"r",
                             nullptr,
                             numbers.data(),
                             WEIR_RESOURCE_READER,
                             0,
                             static_cast<int32_t>(numbers.size())};
    Status status;
    std::shared_ptr<Resource> resource = makeReader(desc, status);
    EXPECT_EQ(status.ok(), static_cast<bool>(resource));
    if (error)
      *error = std::move(status);
    return std::dynamic_pointer_cast<Reader>(resource);
  }

  void put(const std::string &name) {
    Outcome outcome;
    queue->enqueue({strings({}, {name})}, outcome.done());
    ASSERT_EQ(outcome.calls, 1);
    ASSERT_TRUE(outcome.status.ok()) << outcome.status.message();
  }
  void putFile(const std::string &name, std::string_view bytes) {
    directory.write(name, std::string(bytes));
    put(directory.file(name));
  }
  void close() {
    Outcome outcome;
    queue->close(false, outcome.done());
    ASSERT_EQ(outcome.calls, 1);
  }

  /// One record as "key=value", without the directory; or its error.
  std::string next(Reader &reader) {
    ReadOutcome outcome;
    reader.read(queue, nullptr, outcome.done());
    EXPECT_EQ(outcome.calls, 1);
    if (!outcome.status.ok())
      return outcome.status.message();
    return local(outcome.keys[0]) + "=" + outcome.values[0];
  }
  std::string local(std::string text) const {
    size_t at = text.find(directory.path + "/");
    if (at != std::string::npos)
      text.erase(at, directory.path.size() + 1);
    return text;
  }
  /// All records until an error, whose message is the last.
  std::vector<std::string> all(Reader &reader) {
    std::vector<std::string> result;
    do
      result.push_back(next(reader));
    while (result.back().rfind("[WEIR", 0) != 0);
    return result;
  }

  TempDirectory directory;
  std::shared_ptr<Queue> queue;
};

using Texts = std::vector<std::string>;

const std::string kEnd = "[WEIR0341] queue 'names' is closed and has "
                         "insufficient elements (requested 1, current size 0)";

TEST_F(ReaderTest, WholeFiles) {
  std::shared_ptr<Reader> reader = make({0});
  putFile("a", "1\n2");
  putFile("empty", "");
  EXPECT_EQ(next(*reader), "a=1\n2");
  // A file that was read in one go is done.
  EXPECT_EQ(reader->workCompleted(), 1);
  close();
  EXPECT_EQ(all(*reader), (Texts{"empty=", kEnd}));
  EXPECT_EQ(reader->recordsProduced(), 2);
  EXPECT_EQ(reader->workCompleted(), 2);
}

TEST_F(ReaderTest, Lines) {
  const std::string_view files[] = {"h1\nh2\na\r\nb\n\nc\rd\n", "x\ny", "",
                                    "a\n\r", "\r\r\n\r"};
  auto read = [&](int64_t skip) {
    QueueSpec spec = queue->spec();
    queue = makeQueue(std::move(spec));
    for (size_t i = 0; i < 5; ++i)
      putFile("t" + std::to_string(i + 1), files[i]);
    close();
    Texts result = all(*make({1, skip}));
    EXPECT_EQ(result.back(), kEnd);
    result.pop_back();
    return result;
  };
  EXPECT_EQ(read(0), (Texts{"t1:1=h1", "t1:2=h2", "t1:3=a", "t1:4=b",
                            "t1:5=", "t1:6=c\rd", "t2:1=x", "t2:2=y", "t4:1=a",
                            "t5:1=\r"}));
  EXPECT_EQ(read(1), (Texts{"t1:2=h2", "t1:3=a", "t1:4=b", "t1:5=", "t1:6=c\rd",
                            "t2:2=y"}));
  EXPECT_EQ(read(2), (Texts{"t1:3=a", "t1:4=b", "t1:5=", "t1:6=c\rd"}));
  EXPECT_EQ(read(9), Texts());
}

TEST_F(ReaderTest, LinesLongerThanTheWindow) {
  std::string text;
  Texts expected;
  for (size_t i = 0; i < 8; ++i) {
    std::string line(i * 100000, static_cast<char>('a' + i));
    text += line + (i % 2 ? "\n" : "\r\n");
    expected.push_back("t:" + std::to_string(i + 1) + "=" + line);
  }
  putFile("t", text);
  close();
  expected.push_back(kEnd);
  EXPECT_TRUE(all(*make({1, 0})) == expected);
}

TEST_F(ReaderTest, FixedLengths) {
  std::string bytes;
  for (int i = 0; i < 20; ++i)
    bytes += static_cast<char>('a' + i);
  auto read = [&](int64_t header, int64_t record, int64_t footer, int64_t hop) {
    QueueSpec spec = queue->spec();
    queue = makeQueue(std::move(spec));
    putFile("f", bytes);
    close();
    Texts result = all(*make({2, header, record, footer, hop}));
    result.pop_back();
    return result;
  };
  EXPECT_EQ(read(0, 5, 0, 0),
            (Texts{"f:0=abcde", "f:1=fghij", "f:2=klmno", "f:3=pqrst"}));
  EXPECT_EQ(read(3, 5, 2, 0), (Texts{"f:0=defgh", "f:1=ijklm", "f:2=nopqr"}));
  EXPECT_EQ(read(0, 6, 0, 0),
            (Texts{"f:0=abcdef", "f:1=ghijkl", "f:2=mnopqr"}));
  EXPECT_EQ(read(0, 4, 0, 7), (Texts{"f:0=abcd", "f:1=hijk", "f:2=opqr"}));
  EXPECT_EQ(read(2, 4, 3, 4), (Texts{"f:0=cdef", "f:1=ghij", "f:2=klmn"}));
  EXPECT_EQ(read(0, 8, 0, 5),
            (Texts{"f:0=abcdefgh", "f:1=fghijklm", "f:2=klmnopqr"}));
  EXPECT_EQ(read(0, 5, 15, 0), (Texts{"f:0=abcde"}));
  EXPECT_EQ(read(0, 5, 16, 0), Texts());
  EXPECT_EQ(read(20, 5, 0, 0), Texts());
}

TEST_F(ReaderTest, AFileShorterThanItsHeader) {
  putFile("f", "abc");
  putFile("g", "abcdefgh");
  close();
  std::shared_ptr<Reader> reader = make({2, 4, 2, 0, 0});
  EXPECT_EQ(local(next(*reader)),
            "[WEIR0361] 'f' has 3 bytes, its header should have 4");
  // The file is left behind.
  EXPECT_EQ(next(*reader), "g:0=ef");
}

TEST_F(ReaderTest, TFRecords) {
  const std::string_view files[] = {kRecords, kRecordsZlib, kRecordsGzip};
  for (int64_t compression = 0; compression < 3; ++compression) {
    std::shared_ptr<Reader> reader = make({3, compression});
    putFile("r", files[compression]);
    EXPECT_EQ(next(*reader), "r:0=");
    EXPECT_EQ(next(*reader), "r:16=abc");
    EXPECT_EQ(next(*reader), "r:35=" + std::string(kThirdRecord));
    EXPECT_EQ(next(*reader), "r:351=last");
    EXPECT_EQ(reader->workCompleted(), 0);
  }
}

TEST_F(ReaderTest, IdentityAndEmptyNames) {
  put("no file");
  put("");
  close();
  EXPECT_EQ(all(*make({4})), (Texts{"no file=no file", "=", kEnd}));
}

std::string idx(int type, const std::vector<int> &dims,
                const std::string &data) {
  std::string bytes = {0, 0, static_cast<char>(type),
                       static_cast<char>(dims.size())};
  for (int extent : dims)
    for (int shift : {24, 16, 8, 0})
      bytes += static_cast<char>(extent >> shift);
  return bytes + data;
}

std::string gzip(const std::string &bytes) {
  std::string out(bytes.size() + 100, '\0');
  z_stream stream = {};
  EXPECT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, 0), Z_OK);
  stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef *>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

TEST_F(ReaderTest, Idx) {
  std::string images = idx(0x08, {2, 2, 3}, "abcdefghijkl");
  putFile("i", images);
  putFile("i.gz", gzip(images));
  // Members of a gzip file follow each other.
  putFile("two.gz", gzip(images.substr(0, 18)) + gzip(images.substr(18)));
  putFile("shorts", idx(0x0B, {2}, "abcd"));
  close();
  EXPECT_EQ(all(*make({5})),
            (Texts{"i:0=abcdef", "i:1=ghijkl", "i.gz:0=abcdef", "i.gz:1=ghijkl",
                   "two.gz:0=abcdef", "two.gz:1=ghijkl", "shorts:0=ab",
                   "shorts:1=cd", kEnd}));
}

TEST_F(ReaderTest, IdxErrors) {
  auto first = [&](const std::string &bytes) {
    QueueSpec spec = queue->spec();
    queue = makeQueue(std::move(spec));
    putFile("i", bytes);
    close();
    Texts result = all(*make({5}));
    return local(result.back());
  };
  EXPECT_EQ(first("abc"), "[WEIR0361] 'i' is no IDX file: it does not start as "
                          "one");
  EXPECT_EQ(first(idx(0x0A, {1}, "a")),
            "[WEIR0361] 'i' is no IDX file: there is no element type 10");
  EXPECT_EQ(first(idx(0x08, {}, "a")),
            "[WEIR0361] 'i' is no IDX file: it has rank 0");
  EXPECT_EQ(first(idx(0x08, {2, 2}, "abc")),
            "[WEIR0361] 'i' is no IDX file: it should have 2 items and is cut "
            "short in item 1");
  EXPECT_EQ(first(idx(0x08, {1, 2}, "abc")),
            "[WEIR0361] 'i' is no IDX file: there is more behind its 1 items");
  EXPECT_EQ(first(idx(0x0E, {1, 0x7fffffff, 0x7fffffff, 0x7fffffff}, "abc")),
            "[WEIR0361] 'i' is no IDX file: its extents are larger than any "
            "tensor may have");
  // As large as a tensor may be, but not there: no memory is asked for.
  EXPECT_EQ(first(idx(0x08, {1, 0x40000000, 0x4000}, "abc")),
            "[WEIR0361] 'i' is no IDX file: it should have 1 items and is cut "
            "short in item 0");
}

TEST_F(ReaderTest, RowsOfNpy) {
  putFile("a.npy", kNpy);
  putFile("f.npy", kFortranNpy);
  putFile("s.npy", kScalarNpy);
  std::shared_ptr<Reader> reader = make({6});
  const float values[] = {0, 1, 2, 3, 4, 5};
  std::string bytes(reinterpret_cast<const char *>(values), sizeof(values));
  EXPECT_EQ(next(*reader), "a.npy:0=" + bytes.substr(0, 12));
  EXPECT_EQ(next(*reader), "a.npy:1=" + bytes.substr(12));
  EXPECT_EQ(next(*reader), "f.npy:0=" + bytes.substr(0, 12));
  EXPECT_EQ(next(*reader), "f.npy:1=" + bytes.substr(12));
  EXPECT_EQ(local(next(*reader)),
            "[WEIR0367] 's.npy' has no rows: it holds a single number");
}

TEST_F(ReaderTest, ReadUpToStaysInAFile) {
  putFile("t1", "a\nb\nc\nd\n");
  putFile("t2", "e\n");
  close();
  std::shared_ptr<Reader> reader = make({1, 0});
  std::vector<size_t> sizes;
  std::vector<int64_t> work;
  for (int i = 0; i < 3; ++i) {
    ReadOutcome outcome;
    reader->readUpTo(queue, 3, nullptr, outcome.done());
    ASSERT_TRUE(outcome.status.ok()) << outcome.status.message();
    sizes.push_back(outcome.keys.size());
    work.push_back(reader->workCompleted());
  }
  EXPECT_EQ(sizes, (std::vector<size_t>{3, 1, 1}));
  EXPECT_EQ(work, (std::vector<int64_t>{0, 1, 2}));
  EXPECT_EQ(next(*reader), kEnd);
  ReadOutcome outcome;
  reader->readUpTo(queue, 0, nullptr, outcome.done());
  EXPECT_STREQ(outcome.status.message(),
               "[WEIR0362] text-line reader 'r' was asked for 0 records; ask "
               "for at least 1");
}

TEST_F(ReaderTest, ReadUpToExactlyTheFile) {
  putFile("t1", "a\nb\n");
  putFile("t2", "c\nd\n");
  close();
  std::shared_ptr<Reader> reader = make({1, 0});
  ReadOutcome first, second;
  reader->readUpTo(queue, 2, nullptr, first.done());
  // That the file is at its end is seen by the next read.
  EXPECT_EQ(reader->workCompleted(), 0);
  reader->readUpTo(queue, 2, nullptr, second.done());
  EXPECT_EQ(second.values, (Texts{"c", "d"}));
  EXPECT_EQ(reader->workCompleted(), 1);
}

TEST_F(ReaderTest, MissingFileIsLeftBehind) {
  put(directory.file("none"));
  putFile("t", "a\n");
  std::shared_ptr<Reader> reader = make({1, 0});
  ReadOutcome outcome;
  reader->read(queue, nullptr, outcome.done());
  EXPECT_EQ(outcome.status.code(), WEIR_NOT_FOUND);
  EXPECT_EQ(local(outcome.status.message()),
            "[WEIR0360] cannot open 'none': No such file or directory");
  EXPECT_EQ(next(*reader), "t:1=a");
  put(std::string("a\0b", 3));
  EXPECT_EQ(
      next(*reader).rfind("[WEIR0360] the name of a file holds a zero", 0), 0u);
}

TEST_F(ReaderTest, Reset) {
  putFile("t", "a\nb\n");
  putFile("u", "c\n");
  std::shared_ptr<Reader> reader = make({1, 0});
  EXPECT_EQ(next(*reader), "t:1=a");
  ReadOutcome outcome;
  reader->reset(nullptr, outcome.done());
  EXPECT_TRUE(outcome.calls == 1 && outcome.status.ok());
  EXPECT_EQ(reader->recordsProduced(), 0);
  EXPECT_EQ(next(*reader), "u:1=c");
}

TEST_F(ReaderTest, WaitsWithoutAThread) {
  std::shared_ptr<Reader> reader = make({1, 0});
  ReadOutcome first, second, reset;
  reader->read(queue, nullptr, first.done());
  reader->read(queue, nullptr, second.done());
  reader->reset(nullptr, reset.done());
  EXPECT_EQ(first.calls + second.calls + reset.calls, 0);
  putFile("t", "a\nb\n");
  EXPECT_EQ(first.values, Texts{"a"});
  EXPECT_EQ(second.values, Texts{"b"});
  // In the order of arrival: the reset came last.
  EXPECT_EQ(reset.calls, 1);
  EXPECT_EQ(reader->recordsProduced(), 0);
}

TEST_F(ReaderTest, CancelledWhileWaitingForWork) {
  std::shared_ptr<Reader> reader = make({1, 0});
  CancellationToken token, other;
  ReadOutcome first, second;
  reader->read(queue, &token, first.done());
  reader->read(queue, &other, second.done());
  token.cancel("enough");
  EXPECT_EQ(first.status.code(), WEIR_CANCELLED);
  // The next one has its turn.
  putFile("t", "a\nb\n");
  EXPECT_EQ(second.values, Texts{"a"});
}

TEST_F(ReaderTest, CancelledWhileWaitingForItsTurn) {
  std::shared_ptr<Reader> reader = make({1, 0});
  CancellationToken token, late;
  ReadOutcome first, second, third;
  reader->read(queue, nullptr, first.done());
  reader->read(queue, &token, second.done());
  token.cancel("enough");
  EXPECT_EQ(second.calls, 1);
  EXPECT_EQ(second.status.code(), WEIR_CANCELLED);
  EXPECT_STREQ(second.status.message(),
               "[WEIR0362] cancelled while this waited for its turn at "
               "text-line reader 'r': enough");
  late.cancel("too slow", WEIR_DEADLINE_EXCEEDED);
  reader->read(queue, &late, third.done());
  EXPECT_EQ(third.status.code(), WEIR_DEADLINE_EXCEEDED);
  putFile("t", "a\n");
  EXPECT_EQ(first.values, Texts{"a"});
}

TEST_F(ReaderTest, AbandonedEndsWhatWaits) {
  std::shared_ptr<Reader> reader = make({1, 0});
  ReadOutcome first, second, third;
  reader->read(queue, nullptr, first.done());
  reader->read(queue, nullptr, second.done());
  reader->abandon();
  EXPECT_EQ(second.status.code(), WEIR_CANCELLED);
  reader->read(queue, nullptr, third.done());
  EXPECT_EQ(third.status.code(), WEIR_CANCELLED);
  queue->abandon();
  EXPECT_EQ(first.status.code(), WEIR_CANCELLED);
}

TEST_F(ReaderTest, NeedsAQueueOfNames) {
  std::shared_ptr<Reader> reader = make({1, 0});
  std::shared_ptr<Queue> numbers = makeQueue(scalarQueue(5));
  fill(*numbers, {1});
  ReadOutcome outcome;
  reader->read(numbers, nullptr, outcome.done());
  EXPECT_STREQ(outcome.status.message(),
               "[WEIR0362] text-line reader 'r' takes names from queue 'q', "
               "which gave tensor<i64>; it needs one string");
}

TEST_F(ReaderTest, DeclarationsThatCannotBe) {
  const std::pair<std::vector<int64_t>, const char *> cases[] = {
      {{}, "no kind"},
      {{7}, "kind 7; there are 0 to 6"},
      {{1, -1}, "-1 lines to skip"},
      {{2, 0, 0, 0, 0}, "records of 0 bytes; they have at least 1"},
      {{2, -1, 4, 0, 0},
       "lengths that cannot be: header -1, record 4, footer 0, hop 0"},
      {{2, 1, 4, INT64_MAX, 0},
       "lengths that cannot be: header 1, record 4, "
       "footer 9223372036854775807, hop 0"},
      {{3, 3}, "compression 3; there are 0 (none), 1 (zlib) and 2 (gzip)"},
  };
  for (const auto &[numbers, what] : cases) {
    Status error;
    EXPECT_FALSE(make(numbers, &error));
    EXPECT_EQ(error.code(), WEIR_INVALID_ARGUMENT);
    EXPECT_EQ(error.message(),
              std::string("[WEIR0362] reader 'r' is declared with ") + what);
  }
}

/// Reads all records of damaged bytes.
Texts recordsOf(RecordFormat &format, const std::string &path, bool &failed) {
  Texts records;
  Status status = format.open(path);
  while (status.ok()) {
    Record record;
    status = format.next(record);
    if (record.found)
      records.emplace_back(record.value);
    if (record.atEnd)
      break;
  }
  failed = !status.ok();
  if (failed) {
    EXPECT_EQ(std::string(status.message()).rfind("[WEIR03", 0), 0u);
  }
  return records;
}

TEST_F(ReaderTest, NoDamagedRecordPasses) {
  const Texts expected = {"", "abc", std::string(kThirdRecord), "last"};
  const std::string_view files[] = {kRecords, kRecordsZlib, kRecordsGzip};
  for (int64_t compression = 0; compression < 3; ++compression) {
    std::unique_ptr<RecordFormat> format = makeTFRecordFormat(compression);
    damageEveryWay(files[compression], [&](std::string_view bytes) {
      directory.write("r", std::string(bytes));
      bool failed;
      Texts records = recordsOf(*format, directory.file("r"), failed);
      ASSERT_LE(records.size(), expected.size());
      for (size_t i = 0; i < records.size(); ++i)
        EXPECT_TRUE(records[i] == expected[i]);
      // What is cut off at the end of a record is not seen; some bits of a
      // compressed stream mean nothing and may be anything.
      if (!failed && bytes.size() == files[compression].size()) {
        EXPECT_TRUE(compression != 0 && records.size() == expected.size());
      }
    });
  }
}

TEST_F(ReaderTest, TakesAnyBytes) {
  std::string images = idx(0x08, {3, 2}, "abcdef");
  struct {
    std::unique_ptr<RecordFormat> format;
    std::string bytes;
  } cases[] = {{makeIdxFormat(), images},
               {makeIdxFormat(), gzip(images)},
               {makeNpyRowFormat(), std::string(kNpy)},
               {makeNpyRowFormat(), std::string(kFortranNpy)}};
  for (auto &test : cases)
    damageEveryWay(test.bytes, [&](std::string_view damaged) {
      directory.write("r", std::string(damaged));
      bool failed;
      recordsOf(*test.format, directory.file("r"), failed);
      EXPECT_TRUE(failed || damaged.size() == test.bytes.size());
    });
}

TEST_F(ReaderTest, ManyThreadsLoseNothing) {
  constexpr int kFiles = 40, kLines = 50, kThreads = 4;
  std::shared_ptr<Reader> reader = make({1, 0});
  std::mutex mutex;
  std::multiset<std::string> seen;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&] {
      for (int reads = 0; reads < kFiles * kLines / kThreads; ++reads) {
        // The read ends on any thread.
        auto ended = std::make_shared<std::atomic<bool>>(false);
        reader->read(queue, nullptr,
                     [&, ended](Status status, TensorRef, TensorRef values) {
                       EXPECT_TRUE(status.ok()) << status.message();
                       {
                         std::lock_guard<std::mutex> lock(mutex);
                         seen.insert(textsOf(values)[0]);
                       }
                       ended->store(true);
                     });
        while (!ended->load())
          std::this_thread::yield();
      }
    });
  for (int f = 0; f < kFiles; ++f) {
    std::string text;
    for (int l = 0; l < kLines; ++l)
      text += std::to_string(f * kLines + l) + "\n";
    putFile("f" + std::to_string(f), text);
  }
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(seen.size(), static_cast<size_t>(kFiles * kLines));
  EXPECT_EQ(std::set<std::string>(seen.begin(), seen.end()).size(),
            seen.size());
}

} // namespace

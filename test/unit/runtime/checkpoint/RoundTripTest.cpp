//===- RoundTripTest.cpp - Tests of saving and restoring ------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/checkpoint/Checkpoint.h"
#include "runtime/checkpoint/IndexTable.h"
#include "test/unit/runtime/FakeProgram.h"
#include "test/unit/runtime/checkpoint/TempDirectory.h"
#include "weir-c/session.h"

#include <cstring>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace weir::rt;
using weir::rt::test::TempDirectory;

static const int64_t kDims[] = {2, 3};

static std::string failure(Status status, WeirCode code) {
  EXPECT_EQ(status.code(), code) << status.message();
  return status.message();
}

static bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

TEST(RoundTrip, NumbersOfEveryType) {
  TempDirectory directory;
  std::vector<NamedTensor> saved, restored;
  std::vector<std::vector<int64_t>> in, out;
  const int32_t dtypes[] = {WEIR_F32, WEIR_F64, WEIR_I32,  WEIR_U8,   WEIR_I16,
                            WEIR_I8,  WEIR_I64, WEIR_BOOL, WEIR_BF16, WEIR_U16,
                            WEIR_F16, WEIR_U32, WEIR_U64};
  std::vector<std::string> names;
  for (int32_t dtype : dtypes)
    names.push_back("v" + std::to_string(dtype));
  for (size_t i = 0; i < names.size(); ++i) {
    in.push_back({1, -2, 3, -4, 5, int64_t(i)});
    out.push_back(std::vector<int64_t>(6));
  }
  for (size_t i = 0; i < names.size(); ++i) {
    saved.push_back({names[i], {in[i].data(), kDims, 2, dtypes[i]}});
    restored.push_back({names[i], {out[i].data(), kDims, 2, dtypes[i]}});
  }
  std::string prefix = directory.file("all");
  ASSERT_TRUE(saveCheckpoint(Env::posix(), prefix, saved).ok());
  Status status = restoreCheckpoint(Env::posix(), prefix, restored);
  ASSERT_TRUE(status.ok()) << status.message();
  std::unique_ptr<CheckpointReader> reader;
  ASSERT_TRUE(CheckpointReader::open(Env::posix(), prefix, reader).ok());
  for (size_t i = 0; i < names.size(); ++i) {
    const BundleEntry &entry = reader->entries().at(names[i]);
    EXPECT_EQ(entry.offset % 64, 0);
    EXPECT_EQ(std::memcmp(in[i].data(), out[i].data(),
                          static_cast<size_t>(entry.size)),
              0)
        << names[i];
  }
  EXPECT_EQ(directory.list(),
            (std::vector<std::string>{"all.data-00000-of-00001", "all.index",
                                      "checkpoint"}));
}

TEST(RoundTrip, ScalarsAndEmptyTensors) {
  TempDirectory directory;
  std::string prefix = directory.file("m");
  const int64_t none[] = {0, 4};
  double scalar = 1.5, read = 0;
  ASSERT_TRUE(saveCheckpoint(Env::posix(), prefix,
                             {{"s", {&scalar, nullptr, 0, WEIR_F64}},
                              {"e", {nullptr, none, 2, WEIR_F32}}})
                  .ok());
  ASSERT_TRUE(restoreCheckpoint(Env::posix(), prefix,
                                {{"s", {&read, nullptr, 0, WEIR_F64}},
                                 {"e", {nullptr, none, 2, WEIR_F32}}})
                  .ok());
  EXPECT_EQ(read, 1.5);
}

TEST(RoundTrip, Strings) {
  TempDirectory directory;
  std::string prefix = directory.file("m"), large(300, 'x');
  WeirString strings[] = {{"abc", 3}, {nullptr, 0}, {large.data(), 300}};
  const int64_t dims[] = {3};
  ASSERT_TRUE(saveCheckpoint(Env::posix(), prefix,
                             {{"s", {strings, dims, 1, WEIR_STRING}}})
                  .ok());
  std::unique_ptr<CheckpointReader> reader;
  ASSERT_TRUE(CheckpointReader::open(Env::posix(), prefix, reader).ok());
  const BundleEntry *entry;
  ASSERT_TRUE(reader->find("s", entry).ok());
  std::vector<std::string> read;
  ASSERT_TRUE(reader->readStrings("s", *entry, read).ok());
  EXPECT_EQ(read, (std::vector<std::string>{"abc", "", large}));
  // Lengths 3, 0, 300 as varints, their checksum, the bytes.
  std::string data = directory.read("m.data-00000-of-00001");
  EXPECT_EQ(data.substr(0, 4), std::string("\x03\x00\xac\x02", 4));
  EXPECT_EQ(data.substr(8, 4), "abcx");
  EXPECT_EQ(data.size(), 4u + 4 + 303);
}

TEST(RoundTrip, MissingTensorSuggestsNames) {
  TempDirectory directory;
  std::string prefix = directory.file("m");
  float value = 1;
  WeirView view = {&value, nullptr, 0, WEIR_F32};
  ASSERT_TRUE(saveCheckpoint(Env::posix(), prefix, {{"weights", view}}).ok());
  std::string message =
      failure(restoreCheckpoint(Env::posix(), prefix, {{"wieghts", view}}),
              WEIR_NOT_FOUND);
  EXPECT_TRUE(contains(message, "has no tensor 'wieghts'; did you mean "
                                "'weights'?"))
      << message;
}

TEST(RoundTrip, AnotherTypeIsNamed) {
  TempDirectory directory;
  std::string prefix = directory.file("m");
  float values[6] = {};
  ASSERT_TRUE(saveCheckpoint(Env::posix(), prefix,
                             {{"w", {values, kDims, 2, WEIR_F32}}})
                  .ok());
  const int64_t other[] = {3, 2};
  std::string message =
      failure(restoreCheckpoint(Env::posix(), prefix,
                                {{"w", {values, other, 2, WEIR_F32}}}),
              WEIR_INVALID_ARGUMENT);
  EXPECT_TRUE(contains(message, "tensor 'w' is tensor<2x3xf32> in checkpoint"))
      << message;
  EXPECT_TRUE(contains(message, "tensor<3x2xf32> in the program")) << message;
  failure(restoreCheckpoint(Env::posix(), prefix,
                            {{"w", {values, kDims, 2, WEIR_I32}}}),
          WEIR_INVALID_ARGUMENT);
}

// One tensor that does not fit keeps all buffers as they were.
TEST(RoundTrip, RestoresAllOrNothing) {
  TempDirectory directory;
  std::string prefix = directory.file("m");
  float a = 1, b = 2;
  ASSERT_TRUE(saveCheckpoint(Env::posix(), prefix,
                             {{"a", {&a, nullptr, 0, WEIR_F32}},
                              {"b", {&b, nullptr, 0, WEIR_F32}}})
                  .ok());
  std::string data = directory.read("m.data-00000-of-00001");
  data[64] ^= 1; // b
  directory.write("m.data-00000-of-00001", data);
  float x = 10, y = 20;
  std::string message =
      failure(restoreCheckpoint(Env::posix(), prefix,
                                {{"a", {&x, nullptr, 0, WEIR_F32}},
                                 {"b", {&y, nullptr, 0, WEIR_F32}}}),
              WEIR_DATA_LOSS);
  EXPECT_TRUE(contains(message, "tensor 'b' in data file")) << message;
  EXPECT_EQ(x, 10);
  EXPECT_EQ(y, 20);
}

TEST(RoundTrip, RefusesBadRequests) {
  TempDirectory directory;
  float value = 1;
  WeirView view = {&value, nullptr, 0, WEIR_F32};
  Env &env = Env::posix();
  std::string prefix = directory.file("m");
  failure(saveCheckpoint(env, "", {{"a", view}}), WEIR_INVALID_ARGUMENT);
  failure(saveCheckpoint(env, prefix + "/", {{"a", view}}),
          WEIR_INVALID_ARGUMENT);
  failure(saveCheckpoint(env, std::string("a\0b", 3), {{"a", view}}),
          WEIR_INVALID_ARGUMENT);
  failure(saveCheckpoint(env, prefix, {{"", view}}), WEIR_INVALID_ARGUMENT);
  failure(saveCheckpoint(env, prefix, {{"a", view}, {"a", view}}),
          WEIR_INVALID_ARGUMENT);
  view.data = nullptr;
  failure(saveCheckpoint(env, prefix, {{"a", view}}), WEIR_INVALID_ARGUMENT);
  EXPECT_TRUE(directory.list().empty());
  view.data = &value;
  std::string message =
      failure(saveCheckpoint(env, directory.file("none/m"), {{"a", view}}),
              WEIR_NOT_FOUND);
  EXPECT_TRUE(contains(message, "[WEIR0407] cannot save checkpoint"))
      << message;
  // An index without tensors is still a checkpoint.
  EXPECT_TRUE(saveCheckpoint(env, prefix, {}).ok());
  EXPECT_TRUE(restoreCheckpoint(env, prefix, {}).ok());
}

TEST(RoundTrip, MissingCheckpointHints) {
  TempDirectory directory;
  float value = 1;
  WeirView view = {&value, nullptr, 0, WEIR_F32};
  Env &env = Env::posix();
  ASSERT_TRUE(saveCheckpoint(env, directory.file("model"), {{"a", view}}).ok());
  auto message = [&](const std::string &name) {
    return failure(restoreCheckpoint(env, directory.file(name), {{"a", view}}),
                   WEIR_NOT_FOUND);
  };
  EXPECT_TRUE(contains(message("modle"), "did you mean 'model'?"));
  EXPECT_TRUE(
      contains(message("model.index"), "give the prefix without '.index'"));
  EXPECT_TRUE(contains(message("none/model"), "there is no directory"));
  failure(restoreCheckpoint(env, "", {{"a", view}}), WEIR_INVALID_ARGUMENT);
}

namespace {

/// Root may read and write everything; so the test is nobody while it runs.
class AsOrdinaryUser {
public:
  AsOrdinaryUser() : user(geteuid()) {
    if (user == 0)
      EXPECT_EQ(seteuid(65534), 0);
  }
  ~AsOrdinaryUser() { EXPECT_EQ(seteuid(user), 0); }

private:
  uid_t user;
};

} // namespace

TEST(RoundTrip, NoPermission) {
  AsOrdinaryUser ordinary;
  TempDirectory directory;
  float value = 1;
  WeirView view = {&value, nullptr, 0, WEIR_F32};
  std::string prefix = directory.file("m");
  ASSERT_TRUE(saveCheckpoint(Env::posix(), prefix, {{"a", view}}).ok());
  chmod((prefix + ".index").c_str(), 0);
  failure(restoreCheckpoint(Env::posix(), prefix, {{"a", view}}),
          WEIR_PERMISSION_DENIED);
  chmod((prefix + ".index").c_str(), 0600);
  chmod(directory.path.c_str(), 0500);
  failure(saveCheckpoint(Env::posix(), prefix, {{"a", view}}),
          WEIR_PERMISSION_DENIED);
  chmod(directory.path.c_str(), 0700);
}

TEST(RoundTrip, RefusesWhatItCannotRead) {
  TempDirectory directory;
  std::string table;
  float value;
  auto attempt = [&](const BundleHeader &header, const BundleEntry &entry,
                     WeirCode code) {
    EXPECT_TRUE(buildTable({{"", serializeHeader(header)},
                            {"a", serializeEntry(entry)}},
                           table)
                    .ok());
    directory.write("m.index", table);
    return failure(restoreCheckpoint(Env::posix(), directory.file("m"),
                                     {{"a", {&value, nullptr, 0, WEIR_F32}}}),
                   code);
  };
  BundleHeader header;
  header.shardCount = 1;
  BundleEntry entry;
  entry.dtype = WEIR_F32;
  entry.size = 4;
  EXPECT_TRUE(contains(attempt(header, entry, WEIR_DATA_LOSS), "is missing"));
  BundleHeader changed = header;
  changed.endianness = 1;
  EXPECT_TRUE(
      contains(attempt(changed, entry, WEIR_UNIMPLEMENTED), "big-endian"));
  changed = header;
  changed.minConsumer = 2;
  attempt(changed, entry, WEIR_UNIMPLEMENTED);
  for (int32_t count : {0, -1, 100000}) {
    changed = header;
    changed.shardCount = count;
    attempt(changed, entry, WEIR_DATA_LOSS);
  }
  directory.write("m.data-00000-of-00001", "12345678");
  BundleEntry bad = entry;
  bad.offset = 5;
  EXPECT_TRUE(contains(attempt(header, bad, WEIR_DATA_LOSS), "cut short"));
  bad.offset = INT64_MAX;
  attempt(header, bad, WEIR_DATA_LOSS);
  bad.offset = -1;
  attempt(header, bad, WEIR_DATA_LOSS);
  bad = entry;
  bad.size = 8;
  EXPECT_TRUE(
      contains(attempt(header, bad, WEIR_DATA_LOSS), "its type needs 4 bytes"));
  bad = entry;
  bad.shard = 1;
  attempt(header, bad, WEIR_DATA_LOSS);
  bad = entry;
  bad.shape = {-1};
  attempt(header, bad, WEIR_DATA_LOSS);
  bad.shape = {int64_t(1) << 62, 8};
  attempt(header, bad, WEIR_DATA_LOSS);
  bad = entry;
  bad.dtype = 8; // complex64
  attempt(header, bad, WEIR_UNIMPLEMENTED);
}

// Save and restore as entry points of a program: the way users meet them.
TEST(RoundTrip, ThroughASession) {
  TempDirectory directory;
  std::string prefix = directory.file("m");
  WeirStatus status = WEIR_STATUS_INIT;
  WeirString path = {prefix.data(), static_cast<int64_t>(prefix.size())};
  WeirView feed = {&path, nullptr, 0, WEIR_STRING};
  auto run = [&](WeirSession *session, const char *entry) {
    return weir_session_run(session,
                            weir_session_entry(session, entry, &status), &feed,
                            nullptr, &status);
  };
  WeirSession *first = weir_session_create(&test::fakeProgram, &status);
  EXPECT_EQ(run(first, "save"), WEIR_FAILED_PRECONDITION);
  EXPECT_EQ(run(first, "restore"), WEIR_NOT_FOUND);
  EXPECT_TRUE(contains(status.message, "[WEIR0401] restore: there is no "
                                       "checkpoint '"));
  // A failed restore leaves the variables without a value.
  EXPECT_EQ(weir_session_get_variable(first, "w", &status), nullptr);
  ASSERT_EQ(run(first, "init"), WEIR_OK);
  ASSERT_EQ(run(first, "save"), WEIR_OK) << status.message;
  weir_session_destroy(first);
  WeirSession *second = weir_session_create(&test::fakeProgram, &status);
  ASSERT_EQ(run(second, "restore"), WEIR_OK) << status.message;
  WeirTensor *w = weir_session_get_variable(second, "w", &status);
  ASSERT_NE(w, nullptr);
  EXPECT_EQ(static_cast<float *>(weir_tensor_view(w).data)[3], 3.0f);
  weir_tensor_release(w);
  weir_session_destroy(second);
  weir_status_clear(&status);
}

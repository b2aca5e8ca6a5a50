//===- NpyTest.cpp - Tests of .npy files ----------------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/cli/Npy.h"
#include "runtime/base/DType.h"
#include "test/unit/runtime/checkpoint/TempDirectory.h"

#include <cstring>
#include <gtest/gtest.h>
#include <random>

using namespace weir::rt;
using weir::rt::test::TempDirectory;

/// A file of the given version, header dictionary and elements.
static std::string npy(int major, std::string dict, const std::string &data) {
  dict += '\n';
  std::string bytes("\x93NUMPY", 6);
  bytes += static_cast<char>(major);
  bytes += '\0';
  for (int i = 0; i < (major == 1 ? 2 : 4); ++i)
    bytes += static_cast<char>(dict.size() >> (8 * i));
  return bytes + dict + data;
}

static Status parse(const std::string &bytes, TensorRef &tensor) {
  return parseNpy("a.npy", bytes.data(), static_cast<int64_t>(bytes.size()),
                  tensor);
}

static std::string failure(const std::string &bytes) {
  TensorRef tensor;
  Status status = parse(bytes, tensor);
  EXPECT_EQ(status.code(), WEIR_INVALID_ARGUMENT) << status.message();
  EXPECT_FALSE(tensor);
  std::string message = status.message();
  EXPECT_EQ(message.find("[WEIR0316] 'a.npy' "), 0u) << message;
  return message;
}

static bool contains(const std::string &text, const char *part) {
  return text.find(part) != std::string::npos;
}

static const char kDict[] =
    "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3), }";

TEST(Npy, ReadsAllVersions) {
  for (int major : {1, 2, 3}) {
    TensorRef tensor;
    Status status = parse(npy(major, kDict, "abcdef"), tensor);
    ASSERT_TRUE(status.ok()) << status.message();
    WeirView view = tensor.view();
    EXPECT_EQ(view.dtype, WEIR_U8);
    EXPECT_EQ(view.rank, 2);
    EXPECT_EQ(view.dims[1], 3);
    EXPECT_EQ(std::memcmp(view.data, "abcdef", 6), 0);
  }
}

TEST(Npy, ReadsShapesAsPythonWritesThem) {
  TensorRef tensor;
  const struct {
    const char *shape;
    int32_t rank;
    const char *data;
  } cases[] = {{"()", 0, "x"},
               {"(3,)", 1, "xyz"},
               {"(0, 5)", 2, ""},
               {"( 1 ,3 )", 2, "xyz"}};
  for (const auto &each : cases) {
    std::string dict = std::string("{\"shape\": ") + each.shape +
                       ", \"fortran_order\": False, \"descr\": \"|u1\"}";
    ASSERT_TRUE(parse(npy(1, dict, each.data), tensor).ok()) << each.shape;
    EXPECT_EQ(tensor.view().rank, each.rank);
  }
}

TEST(Npy, TransposesFortranOrder) {
  TensorRef tensor;
  std::string dict =
      "{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3), }";
  ASSERT_TRUE(parse(npy(1, dict, "adbecf"), tensor).ok());
  EXPECT_EQ(std::memcmp(tensor.view().data, "abcdef", 6), 0);
  dict = "{'descr': '|u1', 'fortran_order': True, 'shape': (2, 1, 2), }";
  ASSERT_TRUE(parse(npy(1, dict, "acbd"), tensor).ok());
  EXPECT_EQ(std::memcmp(tensor.view().data, "abcd", 4), 0);
}

TEST(Npy, BoolsAreZeroOrOne) {
  TensorRef tensor;
  std::string dict = "{'descr': '|b1', 'fortran_order': False, 'shape': (3,)}";
  ASSERT_TRUE(parse(npy(1, dict, std::string("\0\x07\x01", 3)), tensor).ok());
  EXPECT_EQ(std::memcmp(tensor.view().data, "\0\x01\x01", 3), 0);
}

TEST(Npy, NamesWhatIsWrong) {
  auto with = [](const char *dict) { return npy(1, dict, "abcdef"); };
  EXPECT_TRUE(contains(failure(""), "does not start as one"));
  EXPECT_TRUE(contains(failure("PK\x03\x04 a zip file"), "does not start"));
  EXPECT_TRUE(contains(failure(npy(4, kDict, "abcdef")), "version 4"));
  EXPECT_TRUE(contains(failure(npy(1, kDict, "abcde")), "has 5 bytes of it"));
  EXPECT_TRUE(contains(failure(npy(1, kDict, "abcdefg")), "has 7 bytes of it"));
  EXPECT_TRUE(contains(
      failure(with("{'descr': '>f4', 'fortran_order': False, 'shape': ()}")),
      "big-endian"));
  EXPECT_TRUE(contains(
      failure(with("{'descr': '<c8', 'fortran_order': False, 'shape': ()}")),
      "'<c8' have no counterpart"));
  EXPECT_TRUE(
      contains(failure(with("{'descr': [('a', '<f4')], 'fortran_order': False, "
                            "'shape': ()}")),
               "records"));
  const char *malformed[] = {
      "",
      "{",
      "{}",
      "[]",
      "{'descr'",
      "{'descr': '|u1'}",
      "{'descr': '|u1', 'fortran_order': False}",
      "{'descr': '|u1', 'fortran_order': 0, 'shape': (6,)}",
      "{'descr': '|u1', 'fortran_order': False, 'shape': 6}",
      "{'descr': '|u1', 'fortran_order': False, 'shape': (6}",
      "{'descr': '|u1', 'fortran_order': False, 'shape': (-6,)}",
      "{'descr': '|u1', 'fortran_order': False, 'shape': (6.0,)}",
      "{'descr': '|u1', 'descr': '|u1', 'fortran_order': False, 'shape': ()}",
      "{'descr': '|u1', 'fortran_order': False, 'shape': (6,), 'x': 1}",
      "{'descr': '|u1', 'fortran_order': False, 'shape': (99999999999999999999,"
      ")}",
      "{'descr': '|u1', 'fortran_order': False, 'shape': (1152921504606846976, "
      "16)}",
      "{'descr': '|u1', 'fortran_order': False, 'shape': "
      "(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,6)}"};
  for (const char *dict : malformed)
    failure(with(dict));
}

TEST(Npy, EveryTruncationFails) {
  std::string whole = npy(1, kDict, "abcdef");
  for (size_t size = 0; size < whole.size(); ++size)
    failure(whole.substr(0, size));
}

TEST(Npy, SurvivesChangedBytes) {
  std::string whole = npy(1, kDict, "abcdef");
  std::mt19937 random(3);
  for (int round = 0; round < 20000; ++round) {
    std::string changed = whole;
    for (unsigned n = 1 + random() % 3; n > 0; --n)
      changed[random() % changed.size()] = static_cast<char>(random());
    TensorRef tensor;
    Status status = parse(changed, tensor);
    EXPECT_EQ(status.ok(), static_cast<bool>(tensor));
  }
}

TEST(Npy, RoundTripThroughFiles) {
  TempDirectory directory;
  std::string path = directory.file("a.npy");
  size_t count;
  const DTypeInfo *table = dtypeTable(count);
  for (size_t i = 0; i < count; ++i) {
    if (!table[i].npy)
      continue;
    const int64_t shapes[][3] = {{0, 0, 0}, {6, 0, 0}, {2, 3, 0}, {1, 2, 3}};
    for (int32_t rank = 0; rank < 4; ++rank) {
      int64_t data[6] = {1, 0, 1, 0, 1, 1};
      WeirView view = {data, shapes[rank], rank, table[i].dtype};
      if (table[i].dtype == WEIR_BOOL)
        std::memset(data, 1, sizeof(data));
      ASSERT_TRUE(writeNpy(path, view).ok());
      EXPECT_EQ((directory.read("a.npy").size() -
                 static_cast<size_t>(viewBytes(view))) %
                    64,
                0u);
      TensorRef back;
      Status status = readNpy(path, back);
      ASSERT_TRUE(status.ok()) << status.message();
      EXPECT_EQ(back.view().dtype, table[i].dtype);
      EXPECT_EQ(back.view().rank, rank);
      EXPECT_EQ(std::memcmp(back.view().data, data,
                            static_cast<size_t>(viewBytes(view))),
                0);
    }
  }
  EXPECT_EQ(directory.list(), std::vector<std::string>{"a.npy"});
}

TEST(Npy, ReportsFileErrors) {
  TempDirectory directory;
  TensorRef tensor;
  EXPECT_EQ(readNpy(directory.file("none.npy"), tensor).code(), WEIR_NOT_FOUND);
  EXPECT_EQ(readNpy(directory.path, tensor).code(), WEIR_INVALID_ARGUMENT);
  float value = 1;
  WeirView view = {&value, nullptr, 0, WEIR_F32};
  Status status = writeNpy(directory.file("none/a.npy"), view);
  EXPECT_EQ(status.code(), WEIR_NOT_FOUND);
  EXPECT_TRUE(contains(status.message(), "[WEIR0316] cannot create"));
  WeirString string = {"x", 1};
  view = {&string, nullptr, 0, WEIR_STRING};
  EXPECT_EQ(writeNpy(directory.file("a.npy"), view).code(),
            WEIR_INVALID_ARGUMENT);
}

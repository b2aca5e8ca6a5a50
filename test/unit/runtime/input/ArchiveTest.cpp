//===- ArchiveTest.cpp - Arrays of .npy and .npz files --------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/runtime/input/InputTestUtil.h"

#include <cstring>

using namespace weir::rt;
using namespace weir::rt::test;

namespace {

#include "test/unit/runtime/input/ArrayData.inc"

void expectSmallArray(const TensorRef &value) {
  EXPECT_EQ(value.view().dtype, WEIR_F32);
  EXPECT_EQ(dimsOf(value), (std::vector<int64_t>{2, 3}));
  const float expected[] = {0, 1, 2, 3, 4, 5};
  EXPECT_EQ(std::memcmp(value.get()->data, expected, sizeof(expected)), 0);
}

TEST(ArchiveTest, ReadsNpy) {
  TensorRef value;
  ASSERT_TRUE(decodeNpy(kNpy, "", value).ok());
  expectSmallArray(value);
  ASSERT_TRUE(decodeNpy(kFortranNpy, "", value).ok());
  expectSmallArray(value);
  EXPECT_STREQ(decodeNpy(kNpy, "a", value).message(),
               "[WEIR0367] array 'a' is asked for, and this is a .npy file: it "
               "holds one array without a name");
}

TEST(ArchiveTest, ReadsMembers) {
  for (std::string_view archive : {kStoredNpz, kDeflatedNpz}) {
    TensorRef value;
    Status status = decodeNpy(archive, "a", value);
    ASSERT_TRUE(status.ok()) << status.message();
    expectSmallArray(value);
    ASSERT_TRUE(decodeNpy(archive, "many.npy", value).ok());
    std::vector<int64_t> values = valuesOf(value);
    ASSERT_EQ(values.size(), 300u);
    for (int64_t i = 0; i < 300; ++i)
      EXPECT_EQ(values[static_cast<size_t>(i)], i);
  }
}

TEST(ArchiveTest, NamesTheMembers) {
  TensorRef value;
  EXPECT_STREQ(decodeNpy(kStoredNpz, "mny", value).message(),
               "[WEIR0367] the .npz file has no array 'mny'; did you mean "
               "'many'? (it has 'a', 'many')");
  EXPECT_STREQ(decodeNpy(kStoredNpz, "", value).message(),
               "[WEIR0367] the .npz file has 2 arrays; name one: 'a', 'many'");
}

TEST(ArchiveTest, TakesAnyBytes) {
  for (std::string_view bytes : {kStoredNpz, kDeflatedNpz, kNpy, kScalarNpy})
    for (const char *member : {"a", "many", ""})
      damageEveryWay(bytes, [&](std::string_view damaged) {
        TensorRef value;
        Status status = decodeNpy(damaged, member, value);
        EXPECT_EQ(status.ok(), static_cast<bool>(value));
      });
}

TEST(ArchiveTest, NoByteOfAMemberChangesUnseen) {
  // The members' checksums are checked: whatever else is read is what was
  // written.
  TensorRef expected;
  ASSERT_TRUE(decodeNpy(kDeflatedNpz, "many", expected).ok());
  for (std::string_view archive : {kStoredNpz, kDeflatedNpz})
    damageEveryWay(archive, [&](std::string_view damaged) {
      TensorRef value;
      if (decodeNpy(damaged, "many", value).ok()) {
        EXPECT_TRUE(bytesOf(value) == bytesOf(expected));
      }
    });
}

} // namespace

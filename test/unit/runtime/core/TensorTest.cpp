//===- TensorTest.cpp - Tests of tensors ----------------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/core/Tensor.h"
#include "runtime/core/Allocator.h"

#include <cstring>
#include <gtest/gtest.h>

using namespace weir::rt;

static std::string failure(Status status, WeirCode code) {
  EXPECT_EQ(status.code(), code);
  return status.message();
}

TEST(Tensor, HoldsTypeAndElements) {
  const int64_t dims[] = {3, 5};
  TensorRef tensor;
  ASSERT_TRUE(createTensor(WEIR_F32, 2, dims, tensor).ok());
  WeirView view = tensor.view();
  EXPECT_EQ(view.rank, 2);
  EXPECT_EQ(view.dims[1], 5);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(view.data) % 64, 0u);
  EXPECT_EQ(viewBytes(view), 60);
  std::memset(view.data, 1, 60);
}

TEST(Tensor, RefusesBadTypes) {
  TensorRef tensor;
  const int64_t negative[] = {-1}, huge[] = {int64_t(1) << 62, 4};
  EXPECT_EQ(failure(createTensor(WEIR_F32, 1, negative, tensor),
                    WEIR_INVALID_ARGUMENT),
            "[WEIR0314] extent 0 of a tensor is -1; extents are not negative");
  failure(createTensor(8, 0, nullptr, tensor), WEIR_INVALID_ARGUMENT);
  failure(createTensor(WEIR_F32, 33, huge, tensor), WEIR_INVALID_ARGUMENT);
  failure(createTensor(WEIR_F32, -1, huge, tensor), WEIR_INVALID_ARGUMENT);
  failure(createTensor(WEIR_F32, 1, nullptr, tensor), WEIR_INVALID_ARGUMENT);
  failure(createTensor(WEIR_F32, 2, huge, tensor), WEIR_RESOURCE_EXHAUSTED);
  EXPECT_FALSE(tensor);
}

TEST(Tensor, CopiesStrings) {
  const int64_t dims[] = {3};
  std::string zero("a\0b", 3);
  WeirString strings[] = {{"one", 3}, {nullptr, 0}, {zero.data(), 3}};
  TensorRef tensor;
  ASSERT_TRUE(createStringTensor(1, dims, strings, tensor).ok());
  zero[0] = 'x';
  const WeirString *copy = static_cast<const WeirString *>(tensor.view().data);
  EXPECT_EQ(std::string(copy[0].data, 3), "one");
  EXPECT_EQ(copy[1].size, 0);
  EXPECT_EQ(std::string(copy[2].data, 3), std::string("a\0b", 3));
  strings[1] = {nullptr, 5};
  EXPECT_EQ(createStringTensor(1, dims, strings, tensor).code(),
            WEIR_INVALID_ARGUMENT);
  strings[1] = {"x", -1};
  EXPECT_EQ(createStringTensor(1, dims, strings, tensor).code(),
            WEIR_INVALID_ARGUMENT);
}

TEST(Tensor, GivesAdoptedDataBackOnce) {
  static int released;
  released = 0;
  alignas(8) int64_t data[2] = {7, 8};
  const int64_t dims[] = {2};
  WeirStatus status = WEIR_STATUS_INIT;
  WeirTensor *tensor = weir_tensor_adopt(
      WEIR_I64, 1, dims, data,
      [](void *, void *arg) { ++*static_cast<int *>(arg); }, &released,
      &status);
  ASSERT_NE(tensor, nullptr);
  EXPECT_EQ(weir_tensor_view(tensor).data, data);
  weir_tensor_retain(tensor);
  weir_tensor_release(tensor);
  EXPECT_EQ(released, 0);
  weir_tensor_release(tensor);
  EXPECT_EQ(released, 1);
  weir_tensor_release(nullptr);
}

TEST(Tensor, RefusesBadAdoption) {
  const int64_t dims[] = {2};
  char bytes[24];
  WeirStatus status = WEIR_STATUS_INIT;
  EXPECT_EQ(
      weir_tensor_adopt(WEIR_F32, 1, dims, nullptr, nullptr, nullptr, &status),
      nullptr);
  EXPECT_EQ(status.code, WEIR_INVALID_ARGUMENT);
  char *odd = bytes + (reinterpret_cast<uintptr_t>(bytes) % 2 ? 0 : 1);
  EXPECT_EQ(
      weir_tensor_adopt(WEIR_F32, 1, dims, odd, nullptr, nullptr, &status),
      nullptr);
  EXPECT_NE(std::strstr(status.message, "not aligned to 4 bytes"), nullptr);
  weir_status_clear(&status);
  EXPECT_EQ(status.message, nullptr);
}

// Tensors that come and go need no new memory.
TEST(Tensor, ReusesMemory) {
  const int64_t dims[] = {100};
  TensorRef warm;
  ASSERT_TRUE(createTensor(WEIR_F32, 1, dims, warm).ok());
  warm = TensorRef();
  int64_t calls = allocatorStats().systemAllocations;
  for (int i = 0; i < 1000; ++i) {
    TensorRef tensor;
    ASSERT_TRUE(createTensor(WEIR_F32, 1, dims, tensor).ok());
  }
  EXPECT_EQ(allocatorStats().systemAllocations, calls);
}

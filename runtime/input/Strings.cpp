//===- Strings.cpp - Making tensors of strings ----------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/input/Strings.h"
#include "runtime/base/Checked.h"
#include "runtime/base/Format.h"

#include <algorithm>
#include <cstring>

using namespace weir::rt;

StringsBuilder::~StringsBuilder() {
  if (block)
    releaseBlock(block);
}

Status StringsBuilder::add(int64_t size, char *&bytes) {
  int64_t begin = ends.empty() ? 0 : ends.back(), end;
  if (!checkedAdd(begin, size, end) || end > kMaxBytes)
    return Status(WEIR_RESOURCE_EXHAUSTED,
                  str("[WEIR0311] strings of more than ", begin,
                      " bytes are larger than any tensor may be"));
  if (!block || end > capacity) {
    int64_t wanted = ends.empty() ? end : std::max(end, 2 * capacity);
    Block *grown = allocateBlock(wanted);
    if (!grown)
      return Status(WEIR_RESOURCE_EXHAUSTED,
                    str("[WEIR0311] no memory for strings of ", end, " bytes; ",
                        allocatorStats().systemBytes, " bytes are in use"));
    if (block) {
      std::memcpy(grown->payload(), block->payload(),
                  static_cast<size_t>(begin));
      releaseBlock(block);
    }
    block = grown;
    capacity = wanted;
  }
  bytes = static_cast<char *>(block->payload()) + begin;
  ends.push_back(end);
  return Status();
}

Status StringsBuilder::add(std::string_view string) {
  char *bytes;
  WEIR_RETURN_IF_ERROR(add(static_cast<int64_t>(string.size()), bytes));
  if (!string.empty())
    std::memcpy(bytes, string.data(), string.size());
  return Status();
}

Status StringsBuilder::finish(int32_t rank, const int64_t *dims,
                              TensorRef &result) {
  // A short one is copied, so that the next one finds the memory.
  constexpr int64_t kShort = 4096;
  if (count() == 1 && ends[0] <= kShort) {
    WeirString string = {static_cast<const char *>(block->payload()), ends[0]};
    ends.clear();
    return createStringTensor(rank, dims, &string, result);
  }
  TensorRef made;
  WEIR_RETURN_IF_ERROR(createTensor(WEIR_STRING, rank, dims, made));
  if (block) {
    char *text = static_cast<char *>(block->payload());
    WeirString *elements = static_cast<WeirString *>(made.get()->data);
    int64_t begin = 0;
    for (int64_t end : ends) {
      *elements++ = {text + begin, end - begin};
      begin = end;
    }
    // The tensor gives it back.
    made.get()->text = text;
  }
  block = nullptr;
  capacity = 0;
  ends.clear();
  result = std::move(made);
  return Status();
}

Status StringsBuilder::finish(TensorRef &result) {
  int64_t dims[] = {count()};
  return finish(1, dims, result);
}

Status weir::rt::makeBytes(int64_t size, TensorRef &result, char *&bytes) {
  const int64_t element = sizeof(WeirString);
  WeirTensor *tensor =
      size > kMaxBytes - element
          ? nullptr
          : allocateTensor(WEIR_STRING, 0, nullptr, element + size);
  if (!tensor)
    return Status(WEIR_RESOURCE_EXHAUSTED,
                  str("[WEIR0311] no memory for a string of ", size, " bytes; ",
                      allocatorStats().systemBytes, " bytes are in use"));
  bytes = static_cast<char *>(tensor->data) + element;
  *static_cast<WeirString *>(tensor->data) = {bytes, size};
  result = TensorRef(tensor);
  return Status();
}

//===- Variable.cpp - A variable that sessions share ----------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/state/Variable.h"
#include "runtime/base/Checked.h"
#include "runtime/base/DType.h"
#include "runtime/base/Format.h"
#include "runtime/core/Allocator.h"
#include "runtime/core/Program.h"

#include <cstring>
#include <string_view>

using namespace weir::rt;

Variable::Variable(const WeirTensorDesc &declared)
    : name(declared.name), dims(declared.dims, declared.dims + declared.rank),
      descriptor{name.c_str(), dims.data(), declared.rank, declared.dtype} {
  checkedBytes(dims.data(), declared.rank, dtypeInfo(declared.dtype)->size,
               size);
}

Variable::~Variable() {
  if (void *memory = buffer.load(std::memory_order_acquire))
    releaseBlock(Block::of(memory));
}

std::string Variable::describe() const { return str("variable '", name, "'"); }

void *Variable::writableBuffer() {
  if (void *memory = buffer.load(std::memory_order_acquire))
    return memory;
  std::lock_guard<std::mutex> lock(allocation);
  if (void *memory = buffer.load(std::memory_order_relaxed))
    return memory;
  Block *block = allocateBlock(size);
  if (!block)
    return nullptr;
  // Zeroed, so that a step that races with the first write reads numbers and
  // not what another session left there.
  std::memset(block->payload(), 0, static_cast<size_t>(size));
  buffer.store(block->payload(), std::memory_order_release);
  return block->payload();
}

WeirView Variable::view(void *data) const {
  return {data, descriptor.dims, descriptor.rank, descriptor.dtype};
}

Status Variable::read(const WeirProgram &program, TensorRef &copy) {
  TensorRef made;
  WEIR_RETURN_IF_ERROR(
      createTensor(descriptor.dtype, descriptor.rank, descriptor.dims, made));
  std::lock_guard<std::mutex> lock(access);
  void *value = initializedBuffer();
  if (!value)
    return uninitialized(program);
  std::memcpy(made.get()->data, value, static_cast<size_t>(size));
  copy = std::move(made);
  return Status();
}

Status Variable::checkValue(const WeirView &value) const {
  if (matches(descriptor, value))
    return Status();
  return Status(
      WEIR_INVALID_ARGUMENT,
      str("[WEIR0308] variable '", name, "' is ",
          typeText(descriptor.dtype, descriptor.dims, descriptor.rank),
          ", the value is ", typeText(value.dtype, value.dims, value.rank),
          "; ", describeMismatch(descriptor, value)));
}

Status Variable::store(const WeirView &value) {
  void *memory = writableBuffer();
  if (!memory)
    return noMemory();
  if (size > 0)
    std::memmove(memory, value.data, static_cast<size_t>(size));
  markInitialized();
  return Status();
}

Status Variable::assign(const WeirView &value) {
  WEIR_RETURN_IF_ERROR(checkValue(value));
  std::lock_guard<std::mutex> lock(access);
  return store(value);
}

Status Variable::update(
    const WeirProgram &program,
    const std::function<Status(const WeirView &, TensorRef &)> &compute) {
  std::lock_guard<std::mutex> lock(access);
  void *old = initializedBuffer();
  if (!old)
    return uninitialized(program);
  TensorRef result;
  WEIR_RETURN_IF_ERROR(compute(view(old), result));
  WEIR_RETURN_IF_ERROR(checkValue(result.view()));
  return store(result.view());
}

Status Variable::uninitialized(const WeirProgram &program) const {
  // The suggestion names the entry points that this program really has.
  std::vector<std::string_view> remedies;
  for (int32_t i = 0; i < program.entry_count; ++i) {
    std::string_view entry = program.entries[i].name;
    if (entry == "init" || entry == "restore")
      remedies.push_back(entry);
  }
  std::string hint =
      remedies.empty()
          ? std::string("assign it first")
          : str("run ", remedies.size() == 1 ? "entry " : "one of the entries ",
                listNames(remedies), " first");
  return Status(
      WEIR_FAILED_PRECONDITION,
      str("[WEIR0306] variable '", name, "' (",
          typeText(descriptor.dtype, descriptor.dims, descriptor.rank),
          ") is read before it has a value; ", hint));
}

Status Variable::noMemory() const {
  return Status(
      WEIR_RESOURCE_EXHAUSTED,
      str("[WEIR0311] no memory for variable '", name, "' (",
          typeText(descriptor.dtype, descriptor.dims, descriptor.rank), ", ",
          size, " bytes)"));
}

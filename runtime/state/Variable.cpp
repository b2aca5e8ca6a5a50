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
#include "runtime/device/StepOnDevice.h"

#include <algorithm>
#include <cstring>
#include <string_view>

using namespace weir::rt;

Variable::Variable(const WeirTensorDesc &declared)
    : name(declared.name),
      dims(declared.dims, declared.dims + std::max(declared.rank, 0)),
      descriptor{name.c_str(), dims.data(), declared.rank, declared.dtype} {
  if (hasBuffer())
    checkedBytes(dims.data(), declared.rank, dtypeInfo(declared.dtype)->size,
                 size);
}

Variable::~Variable() {
  if (void *memory = buffer.load(std::memory_order_acquire)) {
    if (Device *owner = device())
      owner->release(memory);
    else
      releaseBlock(Block::of(memory));
  }
}

void Variable::moveTo(Device &device) {
  std::lock_guard<std::mutex> lock(allocation);
  if (hasBuffer() && device.hasOwnMemory() &&
      !buffer.load(std::memory_order_relaxed))
    place.store(&device, std::memory_order_release);
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
  void *memory = block->payload();
  if (Device *owner = device()) {
    void *there = nullptr;
    const bool isCopied =
        owner->allocate(size, there).ok() &&
        (size == 0 || owner->copyToDevice(there, memory, size).ok());
    releaseBlock(block);
    if (!isCopied && there)
      owner->release(there);
    if (!isCopied)
      return nullptr;
    memory = there;
  }
  buffer.store(memory, std::memory_order_release);
  return memory;
}

WeirView Variable::view(void *data) const {
  return {data, descriptor.dims, descriptor.rank, descriptor.dtype};
}

Status Variable::copyValue(const WeirView &value, Device *from, Device *to,
                           TensorRef &copy) {
  if (value.dtype == WEIR_STRING)
    return createStringTensor(value.rank, value.dims,
                              static_cast<const WeirString *>(value.data),
                              copy);
  WEIR_RETURN_IF_ERROR(
      createTensorOn(to, value.dtype, value.rank, value.dims, copy));
  return copyBetween(copy.get()->data, to, value.data, from, viewBytes(value));
}

void Variable::clear() {
  std::lock_guard<std::mutex> lock(access);
  initialized.store(false, std::memory_order_release);
  tensor = TensorRef();
}

Status Variable::read(const WeirProgram &program, TensorRef &copy, Device *to) {
  if (!hasBuffer()) {
    std::lock_guard<std::mutex> lock(access);
    if (!tensor)
      return uninitialized(program);
    if (to)
      return copyValue(tensor.view(), nullptr, to, copy);
    copy = tensor;
    return Status();
  }
  TensorRef made;
  WEIR_RETURN_IF_ERROR(createTensorOn(to, descriptor.dtype, descriptor.rank,
                                      descriptor.dims, made));
  std::lock_guard<std::mutex> lock(access);
  void *value = initializedBuffer();
  if (!value)
    return uninitialized(program);
  WEIR_RETURN_IF_ERROR(
      copyBetween(made.get()->data, made.get()->device, value, device(), size));
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

Status Variable::store(const WeirView &value, Device *from) {
  // A step that fails leaves variables as they were.
  WEIR_RETURN_IF_ERROR(StepOnDevice::settleCurrent());
  if (!hasBuffer()) {
    WEIR_RETURN_IF_ERROR(copyValue(value, from, nullptr, tensor));
    markInitialized();
    return Status();
  }
  void *memory = writableBuffer();
  if (!memory)
    return noMemory();
  WEIR_RETURN_IF_ERROR(copyBetween(memory, device(), value.data, from, size));
  markInitialized();
  return Status();
}

Status Variable::assign(const WeirView &value, Device *from) {
  WEIR_RETURN_IF_ERROR(checkValue(value));
  std::lock_guard<std::mutex> lock(access);
  return store(value, from);
}

Status Variable::update(
    const WeirProgram &program,
    const std::function<Status(const WeirView &, TensorRef &)> &compute,
    Device *where) {
  std::lock_guard<std::mutex> lock(access);
  TensorRef copy, result;
  if (!hasBuffer()) {
    if (!tensor)
      return uninitialized(program);
    WEIR_RETURN_IF_ERROR(copyValue(tensor.view(), nullptr, where, copy));
    WEIR_RETURN_IF_ERROR(compute(copy.view(), result));
    WEIR_RETURN_IF_ERROR(checkValue(result.view()));
    return store(result.view(), result.get()->device);
  }
  void *old = initializedBuffer();
  if (!old)
    return uninitialized(program);
  if (where != device()) {
    WEIR_RETURN_IF_ERROR(createTensorOn(
        where, descriptor.dtype, descriptor.rank, descriptor.dims, copy));
    WEIR_RETURN_IF_ERROR(
        copyBetween(copy.get()->data, where, old, device(), size));
    old = copy.get()->data;
  }
  WEIR_RETURN_IF_ERROR(compute(view(old), result));
  WEIR_RETURN_IF_ERROR(checkValue(result.view()));
  return store(result.view(), result.get()->device);
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

//===- Tensor.cpp - Reference-counted tensors -----------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/core/Tensor.h"
#include "runtime/base/Checked.h"
#include "runtime/base/DType.h"
#include "runtime/base/Format.h"
#include "runtime/core/Allocator.h"
#include "runtime/core/CStatus.h"
#include "runtime/device/Device.h"

#include <cstring>
#include <new>

using namespace weir::rt;

/// Bytes of a tensor's header with its extents, up to its elements.
static int64_t headerBytes(int32_t rank) {
  int64_t bytes = static_cast<int64_t>(sizeof(WeirTensor)) +
                  rank * static_cast<int64_t>(sizeof(int64_t));
  return (bytes + 63) & ~int64_t(63);
}

static Status checkType(int32_t dtype, int32_t rank, const int64_t *dims,
                        int64_t &bytes) {
  const DTypeInfo *info = dtypeInfo(dtype);
  if (!info)
    return Status(
        WEIR_INVALID_ARGUMENT,
        str("[WEIR0314] there is no element type with number ", dtype));
  if (rank < 0 || rank > WEIR_MAX_RANK)
    return Status(WEIR_INVALID_ARGUMENT,
                  str("[WEIR0314] a tensor of rank ", rank,
                      " was asked for; the rank is between 0 and ",
                      WEIR_MAX_RANK));
  if (rank > 0 && !dims)
    return Status(WEIR_INVALID_ARGUMENT,
                  str("[WEIR0314] a tensor of rank ", rank,
                      " came without its extents (dims is null)"));
  for (int32_t i = 0; i < rank; ++i)
    if (dims[i] < 0)
      return Status(WEIR_INVALID_ARGUMENT,
                    str("[WEIR0314] extent ", i, " of a tensor is ", dims[i],
                        "; extents are not negative"));
  if (!checkedBytes(dims, rank, info->size, bytes))
    return Status(WEIR_RESOURCE_EXHAUSTED,
                  str("[WEIR0311] ", typeText(dtype, dims, rank),
                      " is larger than any tensor may be (2^46 bytes)"));
  return Status();
}

WeirTensor *weir::rt::allocateTensor(int32_t dtype, int32_t rank,
                                     const int64_t *dims, int64_t bytes) {
  int64_t header = headerBytes(rank);
  Block *block = allocateBlock(header + bytes);
  if (!block)
    return nullptr;
  WeirTensor *tensor = new (block->payload()) WeirTensor;
  tensor->references.store(1, std::memory_order_relaxed);
  tensor->rank = rank;
  tensor->dtype = dtype;
  tensor->data = reinterpret_cast<char *>(tensor) + header;
  tensor->release = nullptr;
  tensor->arg = nullptr;
  tensor->text = nullptr;
  tensor->device = nullptr;
  for (int32_t i = 0; i < rank; ++i)
    tensor->dims()[i] = dims[i];
  return tensor;
}

static Status outOfMemory(int32_t dtype, int32_t rank, const int64_t *dims,
                          int64_t bytes) {
  return Status(WEIR_RESOURCE_EXHAUSTED,
                str("[WEIR0311] no memory for ", typeText(dtype, dims, rank),
                    " (", bytes, " bytes); ", allocatorStats().systemBytes,
                    " bytes are in use"));
}

Status weir::rt::createTensor(int32_t dtype, int32_t rank, const int64_t *dims,
                              TensorRef &result) {
  int64_t bytes;
  WEIR_RETURN_IF_ERROR(checkType(dtype, rank, dims, bytes));
  WeirTensor *tensor = allocateTensor(dtype, rank, dims, bytes);
  if (!tensor)
    return outOfMemory(dtype, rank, dims, bytes);
  if (dtype == WEIR_STRING)
    std::memset(tensor->data, 0, static_cast<size_t>(bytes));
  result = TensorRef(tensor);
  return Status();
}

Status weir::rt::createStringTensor(int32_t rank, const int64_t *dims,
                                    const WeirString *strings,
                                    TensorRef &result) {
  int64_t bytes, count = 0;
  WEIR_RETURN_IF_ERROR(checkType(WEIR_STRING, rank, dims, bytes));
  checkedCount(dims, rank, count);
  const int64_t elementBytes = bytes;
  for (int64_t i = 0; i < count; ++i) {
    if (strings[i].size < 0 || (strings[i].size > 0 && !strings[i].data))
      return Status(WEIR_INVALID_ARGUMENT,
                    str("[WEIR0314] string element ", i, " has size ",
                        strings[i].size, " and ",
                        strings[i].data ? "data" : "no data"));
    if (!checkedAdd(bytes, strings[i].size, bytes) || bytes > kMaxBytes)
      return outOfMemory(WEIR_STRING, rank, dims, kMaxBytes);
  }
  // The bytes stand behind the elements.
  WeirTensor *tensor = allocateTensor(WEIR_STRING, rank, dims, bytes);
  if (!tensor)
    return outOfMemory(WEIR_STRING, rank, dims, bytes);
  WeirString *elements = static_cast<WeirString *>(tensor->data);
  char *text = static_cast<char *>(tensor->data) + elementBytes;
  for (int64_t i = 0; i < count; ++i) {
    if (strings[i].size > 0)
      std::memcpy(text, strings[i].data, static_cast<size_t>(strings[i].size));
    elements[i] = {text, strings[i].size};
    text += strings[i].size;
  }
  result = TensorRef(tensor);
  return Status();
}

/// Gives the elements back to the device, which is `arg`.
static void releaseOnDevice(void *data, void *arg) {
  static_cast<Device *>(arg)->release(data);
}

Status weir::rt::createTensorOn(Device *device, int32_t dtype, int32_t rank,
                                const int64_t *dims, TensorRef &result) {
  if (!device || !device->hasOwnMemory())
    return createTensor(dtype, rank, dims, result);
  int64_t bytes;
  if (dtype == WEIR_STRING || dtype == WEIR_RESOURCE)
    return Status(WEIR_INVALID_ARGUMENT,
                  str("[WEIR0376] ", typeText(dtype, dims, rank),
                      " can only be in the memory of the host, not in that of ",
                      device->name(),
                      "; place what makes and uses it on a "
                      "CPU"));
  WEIR_RETURN_IF_ERROR(checkType(dtype, rank, dims, bytes));
  void *memory = nullptr;
  WEIR_RETURN_IF_ERROR(device->allocate(bytes, memory));
  WeirTensor *tensor = allocateTensor(dtype, rank, dims, 0);
  if (!tensor) {
    device->release(memory);
    return outOfMemory(dtype, rank, dims, 0);
  }
  tensor->data = memory;
  tensor->release = releaseOnDevice;
  tensor->arg = device;
  tensor->device = device;
  result = TensorRef(tensor);
  return Status();
}

Status weir::rt::copyTensorTo(Device *to, const WeirTensor &tensor,
                              TensorRef &result) {
  const WeirView view = weir_tensor_view(&tensor);
  // Scalars are common enough to be worth a way of their own.
  if (!to && !tensor.device && view.rank == 0 && view.dtype != WEIR_STRING) {
    const int64_t bytes = dtypeInfo(view.dtype)->size;
    WeirTensor *copy = allocateTensor(view.dtype, 0, nullptr, bytes);
    if (!copy)
      return outOfMemory(view.dtype, 0, nullptr, bytes);
    std::memcpy(copy->data, view.data, static_cast<size_t>(bytes));
    result = TensorRef(copy);
    return Status();
  }
  if (view.dtype == WEIR_STRING && !to)
    return createStringTensor(view.rank, view.dims,
                              static_cast<const WeirString *>(view.data),
                              result);
  TensorRef made;
  WEIR_RETURN_IF_ERROR(
      createTensorOn(to, view.dtype, view.rank, view.dims, made));
  WEIR_RETURN_IF_ERROR(copyBetween(made.get()->data, made.get()->device,
                                   view.data, tensor.device, viewBytes(view)));
  result = std::move(made);
  return Status();
}

Status weir::rt::checkView(const WeirView &view, const char *what) {
  int64_t bytes;
  Status status = checkType(view.dtype, view.rank, view.dims, bytes);
  if (!status.ok())
    return std::move(status).withContext(str(what, ": "));
  if (bytes > 0 && !view.data)
    return Status(WEIR_INVALID_ARGUMENT,
                  str("[WEIR0315] ", what, ": ",
                      typeText(view.dtype, view.dims, view.rank),
                      " came without its elements (data is null)"));
  int64_t alignment =
      view.dtype == WEIR_STRING ? 8 : dtypeInfo(view.dtype)->size;
  if (reinterpret_cast<uintptr_t>(view.data) &
      static_cast<uintptr_t>(alignment - 1))
    return Status(WEIR_INVALID_ARGUMENT,
                  str("[WEIR0315] ", what, ": the elements of ",
                      typeText(view.dtype, view.dims, view.rank),
                      " are not aligned to ", alignment,
                      " bytes; pass an aligned copy"));
  if (view.dtype == WEIR_STRING) {
    const WeirString *strings = static_cast<const WeirString *>(view.data);
    int64_t count = bytes / static_cast<int64_t>(sizeof(WeirString));
    for (int64_t i = 0; i < count; ++i)
      if (strings[i].size < 0 || (strings[i].size > 0 && !strings[i].data))
        return Status(WEIR_INVALID_ARGUMENT,
                      str("[WEIR0315] ", what, ": string element ", i,
                          " has size ", strings[i].size, " and ",
                          strings[i].data ? "data" : "no data"));
  }
  return Status();
}

int64_t weir::rt::viewBytes(const WeirView &view) {
  int64_t bytes = 0;
  checkedBytes(view.dims, view.rank, dtypeInfo(view.dtype)->size, bytes);
  return bytes;
}

WeirTensor *weir_tensor_create(int32_t dtype, int32_t rank, const int64_t *dims,
                               WeirStatus *status) {
  TensorRef tensor;
  setStatus(status, createTensor(dtype, rank, dims, tensor));
  return tensor.take();
}

WeirTensor *weir_tensor_adopt(int32_t dtype, int32_t rank, const int64_t *dims,
                              void *data, void (*release)(void *, void *),
                              void *arg, WeirStatus *status) {
  WeirView view = {data, dims, rank, dtype};
  Status checked = checkView(view, "adopted tensor");
  if (!checked.ok()) {
    setStatus(status, std::move(checked));
    return nullptr;
  }
  WeirTensor *tensor = allocateTensor(dtype, rank, dims, 0);
  if (!tensor) {
    setStatus(status, outOfMemory(dtype, rank, dims, 0));
    return nullptr;
  }
  tensor->data = data;
  tensor->release = release;
  tensor->arg = arg;
  setStatus(status, Status());
  return tensor;
}

WeirTensor *weir_tensor_string(const char *data, int64_t size) {
  WeirString string = {data, size};
  TensorRef tensor;
  if (!createStringTensor(0, nullptr, &string, tensor).ok())
    return nullptr;
  return tensor.take();
}

void weir_tensor_retain(WeirTensor *tensor) {
  tensor->references.fetch_add(1, std::memory_order_relaxed);
}

void weir_tensor_release(WeirTensor *tensor) {
  if (!tensor ||
      tensor->references.fetch_sub(1, std::memory_order_acq_rel) != 1)
    return;
  if (tensor->release)
    tensor->release(tensor->data, tensor->arg);
  if (tensor->text)
    releaseBlock(Block::of(tensor->text));
  releaseBlock(Block::of(tensor));
}

WeirView weir_tensor_view(const WeirTensor *tensor) {
  return {tensor->data, tensor->dims(), tensor->rank, tensor->dtype};
}

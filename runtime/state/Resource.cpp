//===- Resource.cpp - State that a handle names ---------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/state/Resource.h"

#include <new>

using namespace weir::rt;

/// A handle's data is a shared pointer on the heap.
static void releaseHandle(void *data, void *) {
  delete static_cast<std::shared_ptr<Resource> *>(data);
}

Status weir::rt::makeHandle(std::shared_ptr<Resource> resource,
                            TensorRef &result) {
  auto *data =
      new (std::nothrow) std::shared_ptr<Resource>(std::move(resource));
  WeirTensor *tensor =
      data ? allocateTensor(WEIR_RESOURCE, 0, nullptr, 0) : nullptr;
  if (!tensor) {
    delete data;
    return Status(WEIR_RESOURCE_EXHAUSTED,
                  "[WEIR0311] no memory for a handle of a resource");
  }
  tensor->data = data;
  tensor->release = releaseHandle;
  result = TensorRef(tensor);
  return Status();
}

static const std::shared_ptr<Resource> *sharedOf(const WeirTensor *handle) {
  // The release function tells that the runtime made it.
  if (!handle || handle->dtype != WEIR_RESOURCE ||
      handle->release != releaseHandle)
    return nullptr;
  return static_cast<const std::shared_ptr<Resource> *>(handle->data);
}

std::shared_ptr<Resource> weir::rt::resourceOf(const WeirTensor *handle) {
  const std::shared_ptr<Resource> *resource = sharedOf(handle);
  return resource ? *resource : nullptr;
}

Resource *weir::rt::peekResource(const WeirTensor *handle) {
  const std::shared_ptr<Resource> *resource = sharedOf(handle);
  return resource ? resource->get() : nullptr;
}

void StepResources::add(std::shared_ptr<Resource> resource) {
  std::lock_guard<std::mutex> lock(mutex);
  unnamed.push_back(std::move(resource));
}

std::shared_ptr<Resource> StepResources::findOrMake(
    const std::string &name,
    const std::function<std::shared_ptr<Resource>()> &make) {
  std::lock_guard<std::mutex> lock(mutex);
  if (auto found = named.find(name); found != named.end())
    return found->second;
  std::shared_ptr<Resource> made = make();
  if (made)
    named.emplace(name, made);
  return made;
}

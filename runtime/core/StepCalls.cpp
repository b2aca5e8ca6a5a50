//===- StepCalls.cpp - What generated code calls during a step ------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/base/Checked.h"
#include "runtime/base/DType.h"
#include "runtime/base/Format.h"
#include "runtime/core/CheckMessage.h"
#include "runtime/core/Session.h"
#include "runtime/core/Tensor.h"
#include "runtime/trace/Trace.h"

#include <cstring>

using namespace weir::rt;

/// Memory of the step's device, which is not the host's.
static void *allocateOnDevice(Step &step, int64_t bytes) {
  void *memory = nullptr;
  Status status = step.blocks->device.allocate(bytes, memory);
  if (!status.ok()) {
    step.fail(std::move(status).withContext(str(step.entry.name, ": ")));
    return nullptr;
  }
  step.blocks->live.push_back(memory);
  return memory;
}

static void freeOnDevice(Step &step, void *memory) {
  // What was asked for last is given back first, as a rule.
  std::vector<void *> &live = step.blocks->live;
  for (size_t i = live.size(); i-- > 0;)
    if (live[i] == memory) {
      live.erase(live.begin() + static_cast<std::ptrdiff_t>(i));
      break;
    }
  step.blocks->device.release(memory);
}

void *weir_rt_alloc(WeirStep *handle, int64_t bytes) {
  Step &step = Step::of(handle);
  if (step.blocks)
    return allocateOnDevice(step, bytes);
  Block *block = allocateBlock(bytes);
  if (!block) {
    step.fail(Status(WEIR_RESOURCE_EXHAUSTED,
                     str("[WEIR0311] entry '", step.entry.name,
                         "' needs a buffer of ", bytes,
                         " bytes, which this machine does not have (",
                         allocatorStats().systemBytes, " bytes are in use)")));
    return nullptr;
  }
  block->prev = &step.live;
  block->next = step.live.next;
  block->next->prev = block;
  step.live.next = block;
  return block->payload();
}

void weir_rt_free(WeirStep *handle, void *memory) {
  if (!memory)
    return;
  if (Step &step = Step::of(handle); step.blocks)
    return freeOnDevice(step, memory);
  Block *block = Block::of(memory);
  block->prev->next = block->next;
  block->next->prev = block->prev;
  releaseBlock(block);
}

/// An output whose index or extents contradict the entry's descriptor.
static Status badOutput(const Step &step, int32_t index, const int64_t *dims) {
  if (index < 0 || index >= step.entry.fetch_count)
    return Status(WEIR_INTERNAL, str("[WEIR0313] entry '", step.entry.name,
                                     "' has no fetch with index ", index));
  const WeirTensorDesc &desc = step.entry.fetches[index];
  return Status(WEIR_INTERNAL,
                str("[WEIR0313] fetch '", desc.name, "' of entry '",
                    step.entry.name, "' is declared ",
                    typeText(desc.dtype, desc.dims, desc.rank),
                    ", the code made ", typeText(desc.dtype, dims, desc.rank)));
}

/// Puts `tensor` in the place of fetch `index`.
static void setFetch(Step &step, int32_t index, WeirTensor *tensor) {
  if (WeirTensor *former = step.fetches[index])
    weir_tensor_release(former);
  step.fetches[index] = tensor;
}

/// The same in memory of the step's device.
static void *outputOnDevice(Step &step, int32_t index, const int64_t *dims) {
  const WeirTensorDesc &desc = step.entry.fetches[index];
  TensorRef tensor;
  Status made =
      createTensorOn(step.device(), desc.dtype, desc.rank, dims, tensor);
  if (!made.ok()) {
    step.fail(std::move(made).withContext(
        str(desc.name, " of ", step.entry.name, ": ")));
    return nullptr;
  }
  void *data = tensor.get()->data;
  setFetch(step, index, tensor.take());
  return data;
}

void *weir_rt_output(WeirStep *handle, int32_t index, const int64_t *dims) {
  Step &step = Step::of(handle);
  if (index < 0 || index >= step.entry.fetch_count) {
    step.fail(badOutput(step, index, dims));
    return nullptr;
  }
  const WeirTensorDesc &desc = step.entry.fetches[index];
  if (ScalarBlocks *scalars = step.scalars;
      scalars && scalars->first && desc.rank == 0 &&
      desc.dtype != WEIR_RESOURCE && desc.dtype != WEIR_STRING) {
    Block *block = scalars->first;
    scalars->first = block->next;
    --scalars->count;
    WeirTensor *tensor = makeScalarIn(block, desc.dtype);
    setFetch(step, index, tensor);
    return tensor->data;
  }
  // Code that makes a buffer knows its rank, and makes no handles.
  if (desc.rank < 0 || desc.dtype == WEIR_RESOURCE) {
    step.fail(badOutput(step, index, nullptr));
    return nullptr;
  }
  for (int32_t i = 0; i < desc.rank; ++i)
    if (dims[i] < 0 || (dims[i] != desc.dims[i] && desc.dims[i] != -1)) {
      step.fail(badOutput(step, index, dims));
      return nullptr;
    }
  if (step.blocks)
    return outputOnDevice(step, index, dims);
  // Scalars are common enough to be worth a way of their own.
  int64_t bytes = dtypeInfo(desc.dtype)->size;
  WeirTensor *tensor =
      desc.rank == 0 || checkedBytes(dims, desc.rank, bytes, bytes)
          ? allocateTensor(desc.dtype, desc.rank, dims, bytes)
          : nullptr;
  if (!tensor) {
    step.fail(Status(WEIR_RESOURCE_EXHAUSTED,
                     str("[WEIR0311] no memory for fetch '", desc.name,
                         "' of entry '", step.entry.name, "' (",
                         typeText(desc.dtype, dims, desc.rank), ")")));
    return nullptr;
  }
  if (desc.dtype == WEIR_STRING)
    std::memset(tensor->data, 0, static_cast<size_t>(bytes));
  setFetch(step, index, tensor);
  return tensor->data;
}

int32_t weir_rt_output_strings(WeirStep *handle, int32_t index,
                               const WeirView *strings) {
  Step &step = Step::of(handle);
  if (index < 0 || index >= step.entry.fetch_count)
    return step.fail(badOutput(step, index, strings->dims));
  const WeirTensorDesc &desc = step.entry.fetches[index];
  if (desc.dtype != WEIR_STRING || desc.rank != strings->rank)
    return step.fail(badOutput(step, index, nullptr));
  TensorRef tensor;
  Status made = createStringTensor(
      strings->rank, strings->dims,
      static_cast<const WeirString *>(strings->data), tensor);
  if (!made.ok())
    return step.fail(std::move(made).withContext(
        str("fetch '", desc.name, "' of entry '", step.entry.name, "': ")));
  setFetch(step, index, tensor.take());
  return WEIR_OK;
}

/// A straight line works on a copy of a variable that lies on a device; one for
/// the step, so that it reads what it has written. Null where that fails.
static void *variableCopy(Step &step, int32_t index, bool mustHaveValue) {
  if (!step.variableCopies)
    step.variableCopies = new std::vector<VariableCopy>;
  for (VariableCopy &copy : *step.variableCopies)
    if (copy.index == index)
      return copy.value.get()->data;
  Variable &variable = step.session.variables.variable(index);
  const WeirTensorDesc &desc = variable.desc();
  TensorRef value;
  Status status = mustHaveValue || variable.initializedBuffer()
                      ? variable.read(step.session.program, value)
                      : createTensor(desc.dtype, desc.rank, desc.dims, value);
  if (!status.ok()) {
    step.fail(std::move(status));
    return nullptr;
  }
  void *data = value.get()->data;
  step.variableCopies->push_back({index, std::move(value)});
  return data;
}

static bool isOnDevice(Step &step, int32_t index) {
  return step.session.variables.variable(index).device();
}

void *weir_rt_variable_read(WeirStep *handle, int32_t index, const char *node) {
  Step &step = Step::of(handle);
  if (void *buffer = step.session.variables.initializedBuffer(index))
    return buffer;
  if (isOnDevice(step, index) &&
      step.session.variables.variable(index).initializedBuffer())
    return variableCopy(step, index, /*mustHaveValue=*/true);
  step.fail(step.session.variables.uninitialized(index).withContext(
      node ? str(node, ": ") : std::string()));
  return nullptr;
}

void *weir_rt_variable_write(WeirStep *handle, int32_t index) {
  Step &step = Step::of(handle);
  void *buffer = step.session.variables.writableBuffer(index);
  if (!buffer && isOnDevice(step, index))
    return variableCopy(step, index, /*mustHaveValue=*/false);
  if (!buffer)
    step.fail(step.session.variables.noMemory(index));
  return buffer;
}

void weir_rt_variable_written(WeirStep *handle, int32_t index) {
  Step &step = Step::of(handle);
  if (step.variableCopies)
    for (VariableCopy &copy : *step.variableCopies)
      if (copy.index == index) {
        Variable &variable = step.session.variables.variable(index);
        if (Status status = variable.assign(copy.value.view()); !status.ok())
          step.fail(std::move(status));
        return;
      }
  step.session.variables.markInitialized(index);
}

int32_t weir_rt_variable_initialized(WeirStep *handle, int32_t index) {
  return Step::of(handle).session.variables.variable(index).isInitialized();
}

int32_t weir_rt_fail(WeirStep *handle, int32_t code, const char *node,
                     const char *format, int64_t a, int64_t b) {
  Step &step = Step::of(handle);
  if (code == WEIR_OK)
    code = WEIR_INTERNAL;
  if (!step.status.ok())
    return code;
  return step.fail(checkFailed(code, node ? node : step.entry.name,
                               format ? format : "", a, b));
}

void Step::reclaim() {
  for (Block *block = live.next; block != &live;) {
    Block *next = block->next;
    releaseBlock(block);
    block = next;
  }
  delete variableCopies;
}

void Step::setDeadline() {
  const auto now = std::chrono::steady_clock::now();
  const std::chrono::milliseconds time(options->timeout_ms);
  // What is longer than the clock goes is never.
  if (time <
      std::chrono::duration_cast<std::chrono::milliseconds>(deadline - now))
    deadline = now + time;
}

int32_t Step::poll() {
  if (stopRequest && stopRequest->load(std::memory_order_relaxed)) {
    isInterrupted = true;
    return fail(Status(WEIR_CANCELLED, "[WEIR0323] the step has ended"));
  }
  const CancellationToken *tokens[] = {&session.stopping,
                                       options && options->cancellation
                                           ? &options->cancellation->token
                                           : nullptr};
  // Who cancels a step may be the deadline of a step that it is a part of.
  bool isLate = false;
  for (const CancellationToken *token : tokens)
    if (token && token->isCancelled()) {
      isInterrupted = true;
      isLate = token->code() == WEIR_DEADLINE_EXCEEDED;
      if (!isLate)
        return fail(Status(WEIR_CANCELLED,
                           str("[WEIR0323] the step of entry '", entry.name,
                               "' was cancelled: ", token->reason())));
    }
  if (!isLate && (deadline == std::chrono::steady_clock::time_point::max() ||
                  std::chrono::steady_clock::now() < deadline))
    return WEIR_OK;
  isInterrupted = true;
  return fail(Status(WEIR_DEADLINE_EXCEEDED,
                     str("[WEIR0323] the step of entry '", entry.name,
                         "' has not ended within ", options->timeout_ms,
                         " ms; it was in a loop")));
}

int32_t weir_rt_copy_to_host(WeirStep *handle, void *host, const void *device,
                             int64_t bytes) {
  Step &step = Step::of(handle);
  Status status = copyBetween(host, nullptr, device, step.device(), bytes);
  return status.ok() ? WEIR_OK : step.fail(std::move(status));
}

int32_t weir_rt_copy_to_device(WeirStep *handle, void *device, const void *host,
                               int64_t bytes) {
  Step &step = Step::of(handle);
  Status status = copyBetween(device, step.device(), host, nullptr, bytes);
  return status.ok() ? WEIR_OK : step.fail(std::move(status));
}

int32_t weir_rt_poll(WeirStep *handle) { return Step::of(handle).poll(); }

int64_t weir_rt_trace_begin(WeirStep *) { return traceBegin(); }

void weir_rt_trace_end(WeirStep *step, int64_t mark, const char *kernel) {
  if (mark)
    traceEnd(mark, kernel, TraceKind::Kernel, Step::of(step).track);
}

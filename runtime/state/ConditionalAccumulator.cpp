//===- ConditionalAccumulator.cpp - Means of gradients --------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/state/ConditionalAccumulator.h"
#include "runtime/base/DType.h"
#include "runtime/base/Format.h"
#include "runtime/state/Accumulate.h"

#include <cstring>
#include <iterator>

using namespace weir::rt;

//===----------------------------------------------------------------------===//
// Declaration and checks
//===----------------------------------------------------------------------===//

Status ConditionalAccumulator::create(
    AccumulatorSpec spec, std::shared_ptr<ConditionalAccumulator> &result) {
  const DTypeInfo *info = dtypeInfo(spec.dtype);
  if (!info || info->kind != DTypeKind::Float)
    return Status(WEIR_INVALID_ARGUMENT,
                  str("[WEIR0348] accumulator '", spec.name,
                      "' has element type ", info ? info->name : "?",
                      "; it must be f32, f64, f16 or bf16"));
  for (int64_t extent : spec.dims)
    if (extent < -1)
      return Status(WEIR_INVALID_ARGUMENT,
                    str("[WEIR0348] accumulator '", spec.name,
                        "' has an extent of ", extent,
                        "; an extent is -1 (not known) or at least 0"));
  result.reset(new ConditionalAccumulator(std::move(spec)));
  return Status();
}

ConditionalAccumulator::~ConditionalAccumulator() { abandon(); }

std::string ConditionalAccumulator::describe() const {
  return str("accumulator '", declaration.name, "'");
}

void ConditionalAccumulator::abandon() {
  std::list<Taker> finished;
  {
    std::lock_guard<std::mutex> lock(mutex);
    finished.swap(takers);
  }
  for (Taker &taker : finished)
    taker.status = Status(WEIR_CANCELLED,
                          str("[WEIR0342] accumulator '", declaration.name,
                              "' was destroyed while a take waited in it"));
  deliver(finished);
}

Status ConditionalAccumulator::checkGradient(const WeirView &gradient) const {
  const AccumulatorSpec &spec = declaration;
  auto mismatch = [&](const char *what, const std::string &expected) {
    return Status(WEIR_INVALID_ARGUMENT,
                  str("[WEIR0349] accumulator '", spec.name, "': ", what,
                      " mismatch; expected ", expected, ", got ",
                      typeText(gradient.dtype, gradient.dims, gradient.rank)));
  };
  if (gradient.dtype != spec.dtype)
    return mismatch("type", dtypeInfo(spec.dtype)->name);
  int32_t rank = static_cast<int32_t>(spec.dims.size());
  bool fits = !spec.hasShape || gradient.rank == rank;
  for (int32_t i = 0; spec.hasShape && fits && i < rank; ++i) {
    int64_t extent = spec.dims[static_cast<size_t>(i)];
    fits = extent == -1 || extent == gradient.dims[i];
  }
  if (!fits)
    return mismatch("shape", typeText(spec.dtype, spec.dims.data(), rank));
  if (!sum)
    return Status();
  WeirView first = sum.view();
  fits = gradient.rank == first.rank;
  for (int32_t i = 0; fits && i < first.rank; ++i)
    fits = gradient.dims[i] == first.dims[i];
  return fits ? Status()
              : mismatch("shape",
                         str(typeText(first.dtype, first.dims, first.rank),
                             " as the gradients before it"));
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

Status ConditionalAccumulator::apply(int64_t localStep,
                                     const TensorRef &gradient) {
  std::list<Taker> finished;
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (localStep < currentStep)
      return Status();
    if (!gradient)
      return Status(WEIR_INVALID_ARGUMENT,
                    str("[WEIR0349] accumulator '", declaration.name,
                        "': the gradient has no value"));
    WeirView view = gradient.view();
    WEIR_RETURN_IF_ERROR(checkGradient(view));
    if (sum) {
      addElements(sum.view(), view.data);
    } else {
      // A copy: the gradient is the caller's.
      WEIR_RETURN_IF_ERROR(createTensor(view.dtype, view.rank, view.dims, sum));
      if (int64_t bytes = viewBytes(view); bytes > 0)
        std::memcpy(sum.get()->data, view.data, static_cast<size_t>(bytes));
    }
    ++counter;
    serve(finished);
  }
  deliver(finished);
  return Status();
}

void ConditionalAccumulator::take(int64_t required, QueueDone done,
                                  CancellationToken *token) {
  std::list<Taker> finished, mine(1);
  Taker &taker = mine.front();
  taker.required = required;
  taker.done = std::move(done);
  taker.token = token;
  if (required <= 0)
    taker.status =
        Status(WEIR_INVALID_ARGUMENT,
               str("[WEIR0349] accumulator '", declaration.name,
                   "': the number of gradients to take must be positive, but "
                   "was ",
                   required));
  else if (token && token->isCancelled())
    taker.status = cancelledError(taker);
  if (!taker.status.ok())
    return deliver(mine);
  {
    std::lock_guard<std::mutex> lock(mutex);
    taker.number = ++lastNumber;
    takers.splice(takers.end(), mine);
    serve(finished);
    bool waits = !takers.empty() && takers.back().number == lastNumber;
    if (waits && token) {
      taker.id =
          token->onCancel([self = shared_from_this(), number = lastNumber] {
            self->cancel(number);
          });
      if (taker.id == 0) {
        taker.status = cancelledError(taker);
        finished.splice(finished.end(), takers, std::prev(takers.end()));
      }
    }
  }
  deliver(finished);
}

void ConditionalAccumulator::cancel(uint64_t number) {
  std::list<Taker> finished;
  {
    std::lock_guard<std::mutex> lock(mutex);
    for (auto taker = takers.begin(); taker != takers.end(); ++taker)
      if (taker->number == number) {
        taker->status = cancelledError(*taker);
        finished.splice(finished.end(), takers, taker);
        break;
      }
    // The one behind it may want fewer.
    serve(finished);
  }
  deliver(finished);
}

void ConditionalAccumulator::setStep(int64_t newStep) {
  std::lock_guard<std::mutex> lock(mutex);
  currentStep = newStep;
}

int64_t ConditionalAccumulator::step() const {
  std::lock_guard<std::mutex> lock(mutex);
  return currentStep;
}

int64_t ConditionalAccumulator::accumulated() const {
  std::lock_guard<std::mutex> lock(mutex);
  return counter;
}

void ConditionalAccumulator::serve(std::list<Taker> &finished) {
  while (!takers.empty() && counter >= takers.front().required) {
    Taker &taker = takers.front();
    taker.sum = std::move(sum);
    taker.count = counter;
    sum = TensorRef();
    counter = 0;
    ++currentStep;
    finished.splice(finished.end(), takers, takers.begin());
  }
}

void ConditionalAccumulator::deliver(std::list<Taker> &finished) {
  for (Taker &taker : finished) {
    if (taker.id != 0)
      taker.token->tryRemove(taker.id);
    QueueTuple result;
    if (taker.status.ok()) {
      if (declaration.reduction == Reduction::Mean)
        divideElements(taker.sum.view(), taker.count);
      result = QueueTuple({std::move(taker.sum)});
    }
    taker.done(std::move(taker.status), std::move(result));
  }
}

Status ConditionalAccumulator::cancelledError(const Taker &taker) const {
  bool late = taker.token->code() == WEIR_DEADLINE_EXCEEDED;
  std::string text =
      str(late ? "[WEIR0343] " : "[WEIR0342] ", "take from accumulator '",
          declaration.name, "' ", late ? "ran out of time" : "was cancelled");
  if (std::string reason = taker.token->reason(); !reason.empty())
    text += str(": ", reason);
  return Status(taker.token->code(), std::move(text));
}

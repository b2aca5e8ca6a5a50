//===- StepOnDevice.cpp - The step that a thread works for ----------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/device/StepOnDevice.h"

using namespace weir::rt;

static thread_local StepOnDevice *currentStep = nullptr;

StepOnDevice::Part &StepOnDevice::keep(std::unique_ptr<Part> made) {
  Part *there = nullptr;
  if (kept.compare_exchange_strong(there, made.get(),
                                   std::memory_order_acq_rel))
    return *made.release();
  return *there;
}

StepOnDevice *StepOnDevice::current() { return currentStep; }

StepOnDevice::Scope::Scope(StepOnDevice &step) : outer(currentStep) {
  currentStep = &step;
}

StepOnDevice::Scope::~Scope() { currentStep = outer; }

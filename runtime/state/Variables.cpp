//===- Variables.cpp - The variables of a session -------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/state/Variables.h"
#include "runtime/base/Format.h"

#include <cstring>
#include <string_view>

using namespace weir::rt;

Variables::Variables(const WeirProgram &program,
                     std::vector<std::shared_ptr<Variable>> variables)
    : program(program), slots(new Slot[variables.size()]) {
  for (size_t i = 0; i < variables.size(); ++i)
    slots[i].variable = std::move(variables[i]);
}

void *Variables::findReadable(const Slot &slot) {
  void *buffer = slot.variable->initializedBuffer();
  // A variable with a buffer moves no more.
  if (!buffer || slot.variable->device())
    return nullptr;
  slot.readable.store(buffer, std::memory_order_release);
  return buffer;
}

void *Variables::findWritable(Slot &slot) {
  void *buffer = slot.variable->writableBuffer();
  if (!buffer || slot.variable->device())
    return nullptr;
  slot.writable.store(buffer, std::memory_order_release);
  return buffer;
}

void Variables::markFirst(Slot &slot) {
  slot.variable->markInitialized();
  findReadable(slot);
}

Status Variables::handle(int32_t index, TensorRef &result) {
  Slot &slot = slots[index];
  if ((result = slot.handle.get()))
    return Status();
  TensorRef made;
  WEIR_RETURN_IF_ERROR(makeHandle(slot.variable, made));
  result = slot.handle.keep(std::move(made));
  return Status();
}

Status Variables::find(const char *name, int32_t &index) const {
  std::vector<std::string_view> known;
  for (int32_t i = 0; i < program.variable_count; ++i) {
    if (std::strcmp(program.variables[i].name, name) == 0) {
      index = i;
      return Status();
    }
    known.push_back(program.variables[i].name);
  }
  return Status(WEIR_NOT_FOUND,
                str("[WEIR0307] program '", program.name, "' has no variable '",
                    name, "'", didYouMean(name, known), " (it has ",
                    listNames(known), ")"));
}

//===- Variables.cpp - The state of a session -----------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/state/Variables.h"
#include "runtime/base/Checked.h"
#include "runtime/base/DType.h"
#include "runtime/base/Format.h"
#include "runtime/core/Allocator.h"

#include <cstring>
#include <string_view>
#include <vector>

using namespace weir::rt;

Variables::Variables(const WeirProgram &program)
    : program(program), slots(new Slot[program.variable_count]) {
  for (int32_t i = 0; i < program.variable_count; ++i) {
    const WeirTensorDesc &desc = program.variables[i];
    checkedBytes(desc.dims, desc.rank, dtypeInfo(desc.dtype)->size,
                 slots[i].bytes);
  }
}

Variables::~Variables() {
  for (int32_t i = 0; i < program.variable_count; ++i)
    if (void *buffer = slots[i].buffer.load(std::memory_order_acquire))
      releaseBlock(Block::of(buffer));
}

void *Variables::allocate(int32_t index) {
  std::lock_guard<std::mutex> lock(allocation);
  Slot &slot = slots[index];
  if (void *buffer = slot.buffer.load(std::memory_order_relaxed))
    return buffer;
  Block *block = allocateBlock(slot.bytes);
  if (!block)
    return nullptr;
  // Zeroed, so that a step that races with the first write reads numbers and
  // not what another session left there.
  std::memset(block->payload(), 0, static_cast<size_t>(slot.bytes));
  slot.buffer.store(block->payload(), std::memory_order_release);
  return block->payload();
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

Status Variables::uninitialized(int32_t index) const {
  const WeirTensorDesc &desc = program.variables[index];
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
  return Status(WEIR_FAILED_PRECONDITION,
                str("[WEIR0306] variable '", desc.name, "' (",
                    typeText(desc.dtype, desc.dims, desc.rank),
                    ") is read before it has a value; ", hint));
}

Status Variables::noMemory(int32_t index) const {
  const WeirTensorDesc &desc = program.variables[index];
  return Status(WEIR_RESOURCE_EXHAUSTED,
                str("[WEIR0311] no memory for variable '", desc.name, "' (",
                    typeText(desc.dtype, desc.dims, desc.rank), ", ",
                    slots[index].bytes, " bytes)"));
}

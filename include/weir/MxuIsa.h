//===- MxuIsa.h - The accelerator and its instructions ----------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// docs/spec/mxu.md as tables: what the compiler encodes, the assembler names
// and the simulator reads.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_MXUISA_H
#define WEIR_MXUISA_H

#include <cstdint>
#include <string_view>

namespace weir::mxu {

//===----------------------------------------------------------------------===//
// The machine
//===----------------------------------------------------------------------===//

/// What a machine has, by the size of its array. A row of the unified buffer is
/// `array` bytes, one of the accumulators and of the parameters `array` words
/// of 32 bits.
struct Machine {
  int32_t array;
  int32_t ubRows;
  int32_t accRows;
  int32_t paramRows;
  int32_t fifoTiles;
  /// Tenths of a byte that each DRAM channel moves in a cycle.
  int32_t dramRate;
  /// Cycles from the end of a transfer to the data being there.
  int32_t dramLatency;
  /// The same for the vector unit.
  int32_t vectorLatency;
};

inline constexpr Machine machines[] = {
    {32, 32768, 4096, 4096, 4, 160, 100, 16},   // 1 MiB of unified buffer
    {128, 65536, 4096, 4096, 4, 640, 100, 16},  // 8 MiB
    {256, 98304, 4096, 4096, 4, 486, 100, 16}}; // 24 MiB, the first TPU

constexpr int32_t defaultArray = 128;
constexpr int64_t dramBytes = int64_t(8) << 30;
constexpr int64_t clockHertz = 700'000'000;

/// Null where there is no machine of that size.
inline const Machine *findMachine(int64_t array) {
  for (const Machine &machine : machines)
    if (machine.array == array)
      return &machine;
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

enum class Queue : uint8_t { ld, mx, vx, st };
constexpr int queueCount = 4;
inline constexpr const char *queueNames[queueCount] = {"ld", "mx", "vx", "st"};

enum class Opcode : uint8_t {
  nop = 0x00,
  halt = 0x01,
  loop = 0x02,
  lda = 0x10,
  ldw = 0x11,
  ldp = 0x12,
  mxw = 0x20,
  mm = 0x21,
  mmc = 0x22,
  act = 0x30,
  pool = 0x31,
  actp = 0x32,
  sta = 0x40
};

/// `width` bits from bit `bit` on, holding the value less `bias`.
struct Field {
  const char *name;
  uint8_t bit, width;
  bool isSigned;
  uint8_t bias;

  constexpr int64_t low() const {
    return (isSigned ? -(int64_t(1) << (width - 1)) : 0) + bias;
  }
  constexpr int64_t high() const {
    return (int64_t(1) << (isSigned ? width - 1 : width)) - 1 + bias;
  }
};

constexpr int maxFields = 9;
struct Format {
  Opcode opcode;
  const char *name;
  /// The queue that runs it; of `nop` the field says it, and `halt` and `loop`
  /// are the dispatcher's.
  Queue queue;
  int fieldCount;
  Field fields[maxFields];

  bool isDispatch() const {
    return opcode == Opcode::halt || opcode == Opcode::loop;
  }
  const Field *find(std::string_view name) const {
    for (int i = 0; i < fieldCount; ++i)
      if (name == fields[i].name)
        return &fields[i];
    return nullptr;
  }
};

inline constexpr Format formats[] = {
    {Opcode::nop, "nop", Queue::ld, 1, {{"queue", 16, 2, false, 0}}},
    {Opcode::halt, "halt", Queue::ld, 0, {}},
    {Opcode::loop,
     "loop",
     Queue::ld,
     2,
     {{"images", 32, 32, false, 0}, {"length", 64, 32, false, 0}}},
    {Opcode::lda,
     "lda",
     Queue::ld,
     6,
     {{"space", 16, 8, false, 0},
      {"offset", 96, 32, false, 0},
      {"stride", 72, 24, false, 0},
      {"lanes", 24, 8, false, 1},
      {"rows", 32, 16, false, 0},
      {"ub", 48, 24, false, 0}}},
    {Opcode::ldw,
     "ldw",
     Queue::ld,
     5,
     {{"space", 16, 8, false, 0},
      {"offset", 96, 32, false, 0},
      {"stride", 72, 24, false, 0},
      {"lanes", 24, 8, false, 1},
      {"rows", 32, 16, false, 0}}},
    {Opcode::ldp,
     "ldp",
     Queue::ld,
     4,
     {{"space", 16, 8, false, 0},
      {"offset", 96, 32, false, 0},
      {"lanes", 24, 8, false, 1},
      {"param", 32, 16, false, 0}}},
    {Opcode::mxw, "mxw", Queue::mx, 0, {}},
    {Opcode::mm,
     "mm",
     Queue::mx,
     6,
     {{"ub", 32, 24, false, 0},
      {"acc", 16, 12, false, 0},
      {"rows", 64, 16, false, 0},
      {"zero", 56, 8, true, 0},
      {"swap", 30, 1, false, 0},
      {"accumulate", 31, 1, false, 0}}},
    {Opcode::mmc,
     "mmc",
     Queue::mx,
     9,
     {{"ub", 32, 24, false, 0},
      {"acc", 16, 12, false, 0},
      {"rows", 64, 16, false, 0},
      {"zero", 56, 8, true, 0},
      {"swap", 30, 1, false, 0},
      {"accumulate", 31, 1, false, 0},
      {"window", 120, 8, false, 0},
      {"first", 96, 24, false, 0},
      {"tile", 80, 16, false, 0}}},
    {Opcode::act,
     "act",
     Queue::vx,
     7,
     {{"acc", 16, 12, false, 0},
      {"ub", 32, 24, false, 0},
      {"rows", 64, 16, false, 0},
      {"param", 80, 16, false, 0},
      {"zero", 56, 8, true, 0},
      {"min", 96, 8, true, 0},
      {"max", 104, 8, true, 0}}},
    {Opcode::pool,
     "pool",
     Queue::vx,
     5,
     {{"source", 56, 24, false, 0},
      {"ub", 32, 24, false, 0},
      {"rows", 16, 16, false, 0},
      {"window", 120, 8, false, 0},
      {"first", 96, 24, false, 0}}},
    {Opcode::actp,
     "actp",
     Queue::vx,
     8,
     {{"acc", 16, 12, false, 0},
      {"ub", 32, 24, false, 0},
      {"rows", 64, 16, false, 0},
      {"param", 80, 16, false, 0},
      {"zero", 56, 8, true, 0},
      {"min", 96, 8, true, 0},
      {"max", 104, 8, true, 0},
      {"window", 120, 8, false, 0}}},
    {Opcode::sta,
     "sta",
     Queue::st,
     6,
     {{"space", 16, 8, false, 0},
      {"offset", 96, 32, false, 0},
      {"stride", 72, 24, false, 0},
      {"lanes", 24, 8, false, 1},
      {"rows", 32, 16, false, 0},
      {"ub", 48, 24, false, 0}}}};

constexpr const Format *findFormat(uint8_t opcode) {
  for (const Format &format : formats)
    if (static_cast<uint8_t>(format.opcode) == opcode)
      return &format;
  return nullptr;
}
inline const Format *findFormat(std::string_view name) {
  for (const Format &format : formats)
    if (name == format.name)
      return &format;
  return nullptr;
}
constexpr const Format &formatOf(Opcode opcode) {
  return *findFormat(static_cast<uint8_t>(opcode));
}

/// 16 bytes: the opcode, the tokens, then the fields of its format.
struct Instruction {
  uint8_t bytes[16] = {};

  Instruction() = default;
  explicit Instruction(Opcode opcode) {
    bytes[0] = static_cast<uint8_t>(opcode);
  }

  Opcode opcode() const { return static_cast<Opcode>(bytes[0]); }
  /// Bit q: takes a token that queue q has given.
  uint8_t waits() const { return bytes[1] & 15; }
  /// Bit q: gives queue q a token.
  uint8_t signals() const { return bytes[1] >> 4; }
  void setTokens(unsigned waits, unsigned signals) {
    bytes[1] = static_cast<uint8_t>((waits & 15) | (signals & 15) << 4);
  }

  int64_t get(const Field &field) const {
    uint64_t value = read(field.bit / 8) >> field.bit % 8;
    value &= (uint64_t(1) << field.width) - 1;
    int64_t result = static_cast<int64_t>(value);
    if (field.isSigned && value >> (field.width - 1))
      result -= int64_t(1) << field.width;
    return result + field.bias;
  }
  /// `value` has to be within field.low() and field.high().
  void set(const Field &field, int64_t value) {
    uint64_t mask = ((uint64_t(1) << field.width) - 1) << field.bit % 8;
    uint64_t bits = static_cast<uint64_t>(value - field.bias) << field.bit % 8;
    int byte = field.bit / 8;
    uint64_t word = (read(byte) & ~mask) | (bits & mask);
    for (int i = byte; i < 16 && i < byte + 8; ++i)
      bytes[i] = static_cast<uint8_t>(word >> 8 * (i - byte));
  }
  /// By name; the format has to have the field.
  int64_t get(std::string_view name) const {
    return get(*formatOf(opcode()).find(name));
  }
  Instruction &set(std::string_view name, int64_t value) {
    set(*formatOf(opcode()).find(name), value);
    return *this;
  }

private:
  uint64_t read(int byte) const {
    uint64_t word = 0;
    for (int i = byte; i < 16 && i < byte + 8; ++i)
      word |= uint64_t(bytes[i]) << 8 * (i - byte);
    return word;
  }
};
static_assert(sizeof(Instruction) == 16);

inline Queue queueOf(const Instruction &instruction) {
  return instruction.opcode() == Opcode::nop
             ? static_cast<Queue>(instruction.get("queue"))
             : formatOf(instruction.opcode()).queue;
}

} // namespace weir::mxu

#endif // WEIR_MXUISA_H

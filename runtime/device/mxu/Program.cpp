//===- Program.cpp - A checked program of the accelerator -----------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/device/mxu/Program.h"

#include "runtime/base/Format.h"

#include <algorithm>
#include <cstring>

namespace weir::mxu {

using rt::Status;
using rt::str;

static Status damaged(std::string text) {
  return Status(WEIR_INVALID_ARGUMENT,
                "[WEIR0440] no program of the accelerator: " + std::move(text));
}

static Status wrong(const Program &program, size_t index, std::string text) {
  return Status(WEIR_INVALID_ARGUMENT,
                str("[WEIR0442] ", instructionText(program, index), ": ",
                    std::move(text)));
}

std::string instructionText(const Program &program, size_t index) {
  return str("instruction ", index, " (",
             formatOf(program.ops[index].opcode).name, ")");
}

int64_t Program::forEachRun(
    int64_t rows,
    const std::function<bool(const Decoded &, size_t, int64_t, int64_t)> &run)
    const {
  int64_t first = 0;
  for (size_t i = 0; i < ops.size(); ++i) {
    const Decoded &op = ops[i];
    if (op.opcode != Opcode::loop) {
      if (!run(op, i, 0, 0))
        return -1;
      continue;
    }
    size_t end = i + static_cast<size_t>(op.length);
    for (; rows - first >= op.images; first += op.images)
      for (size_t k = i + 1; k <= end; ++k)
        if (!run(ops[k], k, first, op.images))
          return -1;
    i = end;
  }
  return rows - first;
}

//===----------------------------------------------------------------------===//
// Sections
//===----------------------------------------------------------------------===//

static Status readHeader(const void *image, int64_t size, Header &header) {
  if (!image || size < static_cast<int64_t>(sizeof(Header)))
    return damaged(str("it has ", size, " bytes, and the header alone has ",
                       sizeof(Header)));
  std::memcpy(&header, image, sizeof(Header));
  if (std::memcmp(header.magic, imageMagic, sizeof(imageMagic)) != 0)
    return damaged("it does not begin with \"WEIRMXU\"");
  if (header.version != imageVersion)
    return damaged(str("it has version ", header.version,
                       ", this runtime reads ", "version ", imageVersion));
  if (header.totalBytes != static_cast<uint64_t>(size))
    return damaged(str("its header says ", header.totalBytes,
                       " bytes, but there are ", size));
  if (header.entryCount > maxEntries || header.windowCount > maxWindows ||
      header.instructionCount > (1u << 28) ||
      header.weightBytes > header.totalBytes || header.reserved != 0 ||
      layoutOf(header).total != header.totalBytes)
    return damaged(str("its sections (", header.entryCount, " entries, ",
                       header.windowCount, " windows, ",
                       header.instructionCount, " instructions, ",
                       header.weightBytes, " bytes of weights) do not make ",
                       header.totalBytes, " bytes"));
  if (imageChecksum(image, static_cast<size_t>(size)) != header.checksum)
    return damaged("its checksum is wrong");
  if (!findMachine(header.array))
    return damaged(str("there is no array of ", header.array, "; there are ",
                       "arrays of 32, 128 and 256"));
  if (header.scratchBytes > maxScratch)
    return damaged(str("it wants ", header.scratchBytes,
                       " bytes of scratch; there may be ", maxScratch));
  return Status();
}

template <typename T>
static std::vector<T> section(const void *image, uint64_t at, uint64_t count) {
  std::vector<T> items(count);
  if (count)
    std::memcpy(static_cast<void *>(items.data()),
                static_cast<const char *>(image) + at, count * sizeof(T));
  return items;
}

static bool isZero(const void *memory, size_t size) {
  const auto *bytes = static_cast<const uint8_t *>(memory);
  return std::all_of(bytes, bytes + size, [](uint8_t b) { return b == 0; });
}

static Status checkEntries(const Program &program) {
  bool hasOutput = false;
  for (size_t i = 0; i < program.entries.size(); ++i) {
    const Entry &e = program.entries[i];
    bool fits = e.isOutput <= 1 && e.isBatched <= 1 &&
                (e.elementBytes == 1 || e.elementBytes == 4) &&
                isZero(e.reserved, sizeof(e.reserved)) && e.reserved2 == 0 &&
                e.rowBytes >= 1 && e.rowBytes <= uint64_t(1) << 32 &&
                e.rowBytes % e.elementBytes == 0 && e.rows >= dynamicRows &&
                e.rows <= int64_t(1) << 32 && (e.isBatched || e.rows == 1);
    if (!fits || (hasOutput && !e.isOutput))
      return damaged(str("entry ", i, " is not well formed"));
    hasOutput |= e.isOutput;
  }
  return Status();
}

static Status checkWindows(const Program &program) {
  for (size_t i = 0; i < program.windows.size(); ++i) {
    const Window &w = program.windows[i];
    bool fits = isZero(w.reserved, sizeof(w.reserved));
    for (const auto &field : windowFields) {
      bool isPadding =
          field.field == &Window::padTop || field.field == &Window::padLeft;
      fits &= w.*field.field <= maxExtent && (isPadding || w.*field.field >= 1);
    }
    // So that no product of extents leaves 64 bits.
    fits = fits && int64_t(w.height) * w.width < int64_t(1) << 31 &&
           int64_t(w.outHeight) * w.outWidth < int64_t(1) << 31 &&
           int64_t(w.kernelHeight) * w.kernelWidth < int64_t(1) << 31;
    if (!fits)
      return damaged(str("window ", i, " is not well formed"));
  }
  return Status();
}

/// Whether all bits that no field has are 0.
static bool isCanonical(const Instruction &instruction, const Format &format) {
  Instruction again(format.opcode);
  again.setTokens(instruction.waits(), instruction.signals());
  for (int i = 0; i < format.fieldCount; ++i)
    again.set(format.fields[i], instruction.get(format.fields[i]));
  return std::memcmp(again.bytes, instruction.bytes, 16) == 0;
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

static Status checkMemory(const Program &program, size_t index,
                          const char *memory, int64_t begin, int64_t end,
                          int64_t there) {
  if (begin >= 0 && end <= there)
    return Status();
  return wrong(program, index,
               str("uses rows ", begin, " to ", end - 1, " of the ", memory,
                   ", which has ", there));
}

/// What lda, ldw, ldp and sta move lies within their space.
static Status checkTransfer(const Program &program, size_t index,
                            int64_t images) {
  const Decoded &op = program.ops[index];
  bool isStore = op.opcode == Opcode::sta;
  int64_t there = 0;
  if (op.space == weightsSpace && !isStore) {
    there = static_cast<int64_t>(program.weights.size());
  } else if (op.space == scratchSpace) {
    there = static_cast<int64_t>(program.scratchBytes);
  } else if (op.space >= firstEntrySpace &&
             op.space - firstEntrySpace <
                 static_cast<int64_t>(program.entries.size())) {
    const Entry &entry =
        program.entries[static_cast<size_t>(op.space - firstEntrySpace)];
    if (entry.isOutput != isStore)
      return wrong(program, index,
                   isStore ? "writes an input" : "reads an output");
    if (entry.isBatched && !images)
      return wrong(program, index,
                   "reaches the rows of the batch, and is in no loop");
    auto row = static_cast<int64_t>(entry.rowBytes);
    // More than offsets reach, where rows and images are at their largest.
    there = !entry.isBatched           ? row
            : row > INT64_MAX / images ? INT64_MAX
                                       : row * images;
  } else {
    return wrong(program, index,
                 str("there is no space ", op.space, " that it may ",
                     isStore ? "write" : "read"));
  }
  int64_t end = op.offset + transferExtent(op);
  if (end > there)
    return wrong(program, index,
                 str("reaches byte ", end - 1, " of a space of ", there));
  return Status();
}

static Status checkWindow(const Program &program, size_t index) {
  const Decoded &op = program.ops[index];
  if (op.window >= static_cast<int64_t>(program.windows.size()))
    return wrong(program, index,
                 str("there is no window ", op.window, "; there are ",
                     program.windows.size()));
  const Window &w = program.windows[static_cast<size_t>(op.window)];
  int64_t array = program.machine->array;
  if (op.first + op.rows > w.positions())
    return wrong(program, index,
                 str("reads positions ", op.first, " to ",
                     op.first + op.rows - 1, " of a window that has ",
                     w.positions()));
  if (op.opcode == Opcode::actp)
    return checkMemory(program, index, "accumulators", op.acc,
                       op.acc + w.plane(), program.machine->accRows);
  bool isPool = op.opcode == Opcode::pool;
  if (!isPool && op.tile * array >= w.depth())
    return wrong(program, index,
                 str("tile ", op.tile, " begins at ", op.tile * array,
                     ", and a position reads ", w.depth()));
  int64_t planes = isPool ? 1 : (w.channels + array - 1) / array,
          begin = isPool ? op.source : op.ub;
  return checkMemory(program, index, "unified buffer", begin,
                     begin + planes * w.plane(), program.machine->ubRows);
}

Status checkInstruction(const Program &program, size_t index, int64_t images) {
  const Decoded &op = program.ops[index];
  const Machine &machine = *program.machine;
  const Format &format = formatOf(op.opcode);
  if (format.isDispatch() && (op.waits || op.signals))
    return wrong(program, index, "no queue runs it that tokens could reach");
  if (format.find("rows") && op.rows < 1)
    return wrong(program, index, "has no rows");
  if (format.find("lanes") && op.lanes > machine.array)
    return wrong(
        program, index,
        str("has ", op.lanes, " lanes, more than the array's ", machine.array));
  switch (op.opcode) {
  case Opcode::nop:
  case Opcode::halt:
  case Opcode::loop:
  case Opcode::mxw:
    return Status();
  case Opcode::lda:
  case Opcode::sta:
    WEIR_RETURN_IF_ERROR(checkMemory(program, index, "unified buffer", op.ub,
                                     op.ub + op.rows, machine.ubRows));
    return checkTransfer(program, index, images);
  case Opcode::ldw:
    WEIR_RETURN_IF_ERROR(
        checkMemory(program, index, "weight tile", 0, op.rows, machine.array));
    return checkTransfer(program, index, images);
  case Opcode::ldp:
    WEIR_RETURN_IF_ERROR(checkMemory(program, index, "parameters", op.param,
                                     op.param + 1, machine.paramRows));
    return checkTransfer(program, index, images);
  case Opcode::mm:
    WEIR_RETURN_IF_ERROR(checkMemory(program, index, "unified buffer", op.ub,
                                     op.ub + op.rows, machine.ubRows));
    return checkMemory(program, index, "accumulators", op.acc, op.acc + op.rows,
                       machine.accRows);
  case Opcode::mmc:
    WEIR_RETURN_IF_ERROR(checkMemory(program, index, "accumulators", op.acc,
                                     op.acc + op.rows, machine.accRows));
    return checkWindow(program, index);
  case Opcode::act:
  case Opcode::actp:
    WEIR_RETURN_IF_ERROR(op.opcode == Opcode::actp
                             ? checkWindow(program, index)
                             : checkMemory(program, index, "accumulators",
                                           op.acc, op.acc + op.rows,
                                           machine.accRows));
    WEIR_RETURN_IF_ERROR(checkMemory(program, index, "parameters", op.param,
                                     op.param + 3, machine.paramRows));
    if (op.min > op.max)
      return wrong(
          program, index,
          str("clamps to ", op.min, " at least and ", op.max, " at most"));
    return checkMemory(program, index, "unified buffer", op.ub, op.ub + op.rows,
                       machine.ubRows);
  case Opcode::pool:
    WEIR_RETURN_IF_ERROR(checkMemory(program, index, "unified buffer", op.ub,
                                     op.ub + op.rows, machine.ubRows));
    return checkWindow(program, index);
  }
  return Status();
}

/// Every instruction by itself, and the places of loops and of the end.
static Status checkInstructions(const Program &program, int64_t *faulty) {
  const std::vector<Decoded> &ops = program.ops;
  size_t loopEnd = 0;
  int64_t images = 0;
  for (size_t i = 0; i < ops.size(); ++i) {
    *faulty = static_cast<int64_t>(i);
    bool inLoop = i < loopEnd;
    if (!inLoop)
      images = 0;
    if (ops[i].opcode == Opcode::halt && i + 1 != ops.size())
      return wrong(program, i, "is not the last instruction");
    if (ops[i].opcode == Opcode::loop) {
      if (inLoop)
        return wrong(program, i, "is in another loop");
      if (ops[i].images < 1 || ops[i].length < 1 ||
          i + static_cast<size_t>(ops[i].length) + 1 >= ops.size())
        return wrong(program, i,
                     str("repeats ", ops[i].length, " instructions for ",
                         ops[i].images, " rows, and ", ops.size() - i - 1,
                         " follow with the halt"));
      loopEnd = i + 1 + static_cast<size_t>(ops[i].length);
      images = ops[i].images;
    }
    WEIR_RETURN_IF_ERROR(checkInstruction(program, i, images));
  }
  *faulty = -1;
  if (ops.empty() || ops.back().opcode != Opcode::halt)
    return damaged("it does not end with halt");
  return Status();
}

Status readProgram(const void *image, int64_t size, Program &program,
                   int64_t *faulty, const std::function<bool()> &goesOn) {
  int64_t unused;
  if (!faulty)
    faulty = &unused;
  *faulty = -1;
  Header header;
  WEIR_RETURN_IF_ERROR(readHeader(image, size, header));
  Layout at = layoutOf(header);
  program.machine = findMachine(header.array);
  program.scratchBytes = header.scratchBytes;
  program.checksum = header.checksum;
  program.entries = section<Entry>(image, at.entries, header.entryCount);
  program.windows = section<Window>(image, at.windows, header.windowCount);
  program.weights = section<uint8_t>(image, at.weights, header.weightBytes);
  WEIR_RETURN_IF_ERROR(checkEntries(program));
  WEIR_RETURN_IF_ERROR(checkWindows(program));
  auto instructions =
      section<Instruction>(image, at.instructions, header.instructionCount);
  program.ops.clear();
  program.ops.reserve(instructions.size());
  for (size_t i = 0; i < instructions.size(); ++i) {
    const Format *format = findFormat(instructions[i].bytes[0]);
    *faulty = static_cast<int64_t>(i);
    if (!format || !isCanonical(instructions[i], *format))
      return Status(WEIR_INVALID_ARGUMENT,
                    str("[WEIR0442] instruction ", i, ": ",
                        format ? "bits that no field has are not 0"
                               : "there is no such opcode"));
    program.ops.push_back(decode(instructions[i]));
  }
  *faulty = -1;
  WEIR_RETURN_IF_ERROR(checkInstructions(program, faulty));
  WEIR_RETURN_IF_ERROR(checkTokens(program, faulty));
  return checkOrder(program, faulty, goesOn);
}

} // namespace weir::mxu

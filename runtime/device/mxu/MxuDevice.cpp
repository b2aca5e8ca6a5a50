//===- MxuDevice.cpp - The accelerator as a device ------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/device/mxu/MxuDevice.h"

#include "runtime/base/Checked.h"
#include "runtime/base/DType.h"
#include "runtime/base/Format.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>

namespace weir::mxu {

using rt::Status;
using rt::str;

/// Programs that a device remembers. Few processes have more.
constexpr size_t maxPrograms = 256;

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

MxuDevice::~MxuDevice() {
  for (auto &block : blocks)
    std::free(block.first);
}

Status MxuDevice::allocate(int64_t bytes, void *&result) {
  std::lock_guard<std::mutex> lock(memory);
  int64_t size = (std::max<int64_t>(bytes, 1) + 63) / 64 * 64;
  result = nullptr;
  if (bytes >= 0 && size <= dramBytes - used)
    result = std::aligned_alloc(64, static_cast<size_t>(size));
  if (!result)
    return Status(WEIR_RESOURCE_EXHAUSTED,
                  str("[WEIR0447] ", name(), " has no ", bytes,
                      " bytes of memory: ", dramBytes - used, " of ", dramBytes,
                      " are free"));
  blocks.emplace(result, size);
  used += size;
  return Status();
}

void MxuDevice::release(void *block) {
  std::lock_guard<std::mutex> lock(memory);
  auto found = blocks.find(block);
  if (found == blocks.end())
    return;
  used -= found->second;
  std::free(block);
  blocks.erase(found);
}

int64_t MxuDevice::bytesInUse() {
  std::lock_guard<std::mutex> lock(memory);
  return used;
}

Status MxuDevice::copyInside(void *to, const void *from, int64_t bytes) {
  if (bytes > 0)
    std::memmove(to, from, static_cast<size_t>(bytes));
  return Status();
}
Status MxuDevice::copyToHost(void *host, const void *from, int64_t bytes) {
  return copyInside(host, from, bytes);
}
Status MxuDevice::copyToDevice(void *to, const void *host, int64_t bytes) {
  return copyInside(to, host, bytes);
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

Status MxuDevice::load(const void *image, int64_t size,
                       const std::function<bool()> &goesOn, Loaded *&loaded) {
  std::unique_ptr<Loaded> &place = programs[image];
  uint64_t checksum = 0;
  if (image && size >= static_cast<int64_t>(sizeof(Header)))
    std::memcpy(&checksum,
                static_cast<const char *>(image) + offsetof(Header, checksum),
                sizeof(checksum));
  if (!place || place->program.checksum != checksum) {
    auto read = std::make_unique<Loaded>();
    Status checked =
        readProgram(image, size, read->program, /*faulty=*/nullptr, goesOn);
    if (!checked.ok()) {
      programs.erase(image);
      return checked;
    }
    if (programs.size() > maxPrograms) {
      programs.clear();
      loaded = (programs[image] = std::move(read)).get();
      return Status();
    }
    place = std::move(read);
  }
  loaded = place.get();
  return Status();
}

/// Whether `view` is what the entry says; `rows` becomes the number of rows of
/// the batch where it is still unknown (-1).
static Status checkTensor(const Entry &entry, const WeirView &view,
                          size_t number, int64_t &rows) {
  const rt::DTypeInfo *dtype = rt::dtypeInfo(view.dtype);
  int64_t bytes = 0, row = 0;
  bool fits = dtype && dtype->size == entry.elementBytes &&
              (!entry.isBatched || view.rank >= 1) &&
              rt::checkedBytes(view.dims, view.rank, dtype->size, bytes) &&
              rt::checkedBytes(view.dims + entry.isBatched,
                               view.rank - entry.isBatched, dtype->size, row) &&
              row == static_cast<int64_t>(entry.rowBytes);
  int64_t wanted = entry.rows != dynamicRows ? entry.rows : rows;
  if (fits && entry.isBatched) {
    if (wanted == dynamicRows)
      wanted = view.dims[0];
    fits = view.dims[0] == wanted && (rows == dynamicRows || rows == wanted);
  }
  if (!fits)
    return Status(WEIR_INVALID_ARGUMENT,
                  str("[WEIR0445] entry ", number, " of the program is ",
                      entry.isBatched ? wanted == dynamicRows
                                            ? std::string("rows")
                                            : str(wanted, " rows")
                                      : std::string("a tensor"),
                      " of ", entry.rowBytes, " bytes with elements of ",
                      int(entry.elementBytes), ", got ",
                      rt::typeText(view.dtype, view.dims, view.rank)));
  if (entry.isBatched)
    rows = wanted;
  return Status();
}

static Status checkTensors(const Program &program,
                           const std::vector<WeirView> &inputs,
                           const std::vector<WeirView> &outputs,
                           std::vector<uint8_t *> &data, int64_t &rows) {
  auto wantedInputs = static_cast<size_t>(
      std::count_if(program.entries.begin(), program.entries.end(),
                    [](const Entry &entry) { return !entry.isOutput; }));
  if (inputs.size() != wantedInputs ||
      inputs.size() + outputs.size() != program.entries.size())
    return Status(WEIR_INVALID_ARGUMENT,
                  str("[WEIR0445] the program has ", wantedInputs,
                      " inputs and ", program.entries.size() - wantedInputs,
                      " outputs, got ", inputs.size(), " and ",
                      outputs.size()));
  rows = dynamicRows;
  bool isBatched = false;
  for (size_t i = 0; i < program.entries.size(); ++i) {
    const WeirView &view =
        i < wantedInputs ? inputs[i] : outputs[i - wantedInputs];
    WEIR_RETURN_IF_ERROR(checkTensor(program.entries[i], view, i, rows));
    data.push_back(static_cast<uint8_t *>(view.data));
    isBatched |= program.entries[i].isBatched;
  }
  if (!isBatched)
    rows = 1;
  return Status();
}

/// The loops take all rows of the batch.
static Status checkRows(const Program &program, int64_t rows) {
  int64_t left = rows;
  for (const Decoded &op : program.ops)
    if (op.opcode == Opcode::loop)
      left %= op.images;
  bool isBatched =
      std::any_of(program.entries.begin(), program.entries.end(),
                  [](const Entry &entry) { return entry.isBatched != 0; });
  if (left == 0 || !isBatched)
    return Status();
  return Status(WEIR_INVALID_ARGUMENT,
                str("[WEIR0446] the loops of the program leave ", left, " of ",
                    rows, " rows of the batch"));
}

/// The device runs programs for its array alone.
static Status checkMachine(const Program &program, const std::string &device,
                           const Machine &machine, bool wasChosen) {
  if (program.machine == &machine)
    return Status();
  return Status(WEIR_FAILED_PRECONDITION,
                str("[WEIR0441] the program is for an array of ",
                    program.machine->array, ", and ", device, " has one of ",
                    machine.array,
                    wasChosen ? ""
                              : ", as the first program that ran on it was "
                                "compiled for"));
}

bool MxuDevice::waitForTurn(std::list<int>::iterator place,
                            const std::function<bool()> &goesOn) {
  constexpr std::chrono::milliseconds pollEvery(2);
  std::unique_lock<std::mutex> lock(order);
  auto isNext = [&] { return line.begin() == place; };
  while (!turnEnded.wait_for(lock, pollEvery, isNext)) {
    lock.unlock();
    if (!goesOn())
      return false;
    lock.lock();
  }
  return true;
}

Status MxuDevice::run(const void *image, int64_t size,
                      const std::vector<WeirView> &inputs,
                      const std::vector<WeirView> &outputs,
                      const std::function<bool()> &goesOn,
                      WeirMxuFigures &figures) {
  std::list<int>::iterator place;
  {
    std::lock_guard<std::mutex> lock(order);
    place = line.emplace(line.end());
  }
  Status status = waitForTurn(place, goesOn)
                      ? runNow(image, size, inputs, outputs, goesOn, figures)
                      : Status(WEIR_CANCELLED, "");
  {
    std::lock_guard<std::mutex> lock(order);
    line.erase(place);
  }
  turnEnded.notify_all();
  return status;
}

Status MxuDevice::runNow(const void *image, int64_t size,
                         const std::vector<WeirView> &inputs,
                         const std::vector<WeirView> &outputs,
                         const std::function<bool()> &goesOn,
                         WeirMxuFigures &figures) {
  Loaded *loaded;
  WEIR_RETURN_IF_ERROR(load(image, size, goesOn, loaded));
  const Program &program = loaded->program;
  if (machine)
    WEIR_RETURN_IF_ERROR(checkMachine(program, name(), *machine, wasChosen));
  std::vector<uint8_t *> data;
  int64_t rows;
  WEIR_RETURN_IF_ERROR(checkTensors(program, inputs, outputs, data, rows));
  WEIR_RETURN_IF_ERROR(checkRows(program, rows));
  void *scratch = nullptr;
  if (program.scratchBytes)
    WEIR_RETURN_IF_ERROR(
        allocate(static_cast<int64_t>(program.scratchBytes), scratch));
  machine = program.machine;
  if (!simulator)
    simulator = std::make_unique<Simulator>(*machine);
  bool hasEnded = simulator->run(program, data, static_cast<uint8_t *>(scratch),
                                 rows, goesOn);
  release(scratch);
  auto counted = loaded->figures.find(rows);
  if (hasEnded && counted == loaded->figures.end()) {
    WeirMxuFigures counts;
    hasEnded = countCycles(program, rows, counts, goesOn);
    if (hasEnded)
      counted = loaded->figures.emplace(rows, counts).first;
  }
  if (!hasEnded)
    return Status(WEIR_CANCELLED, "");
  figures = counted->second;
  return Status();
}

//===----------------------------------------------------------------------===//
// The kind of device
//===----------------------------------------------------------------------===//

Status parseMachine(std::string_view options, const Machine *&machine) {
  machine = nullptr;
  for (const Machine &candidate : machines)
    if (options == str(candidate.array, "x", candidate.array))
      machine = &candidate;
  if (machine)
    return Status();
  return Status(WEIR_INVALID_ARGUMENT,
                str("[WEIR0448] there is no accelerator '", options,
                    "'; there are 32x32, 128x128 and 256x256"));
}

static Status createMxu(const std::string &name, int32_t,
                        std::string_view options,
                        std::unique_ptr<rt::Device> &device) {
  const Machine *machine = nullptr;
  if (!options.empty())
    WEIR_RETURN_IF_ERROR(parseMachine(options, machine));
  device = std::make_unique<MxuDevice>(name, machine);
  return Status();
}

} // namespace weir::mxu

extern const WeirDeviceKind weir_device_kind_mxu = {"MXU",
                                                    weir::mxu::createMxu};

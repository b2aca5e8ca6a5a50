//===- MxuDevice.h - The accelerator as a device ----------------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A simulated machine: its DRAM is memory of this process that only copies and
// its programs reach, and it runs one program after the other, in the order in
// which they come.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_RUNTIME_DEVICE_MXU_MXUDEVICE_H
#define WEIR_RUNTIME_DEVICE_MXU_MXUDEVICE_H

#include "runtime/device/Device.h"
#include "runtime/device/mxu/CycleModel.h"
#include "runtime/device/mxu/Simulator.h"

#include <condition_variable>
#include <functional>
#include <list>
#include <mutex>
#include <unordered_map>

namespace weir::mxu {

/// Safe to use from several threads.
class MxuDevice final : public rt::Device {
public:
  /// Without a machine it becomes the one that the first program is for.
  explicit MxuDevice(std::string name, const Machine *machine = nullptr)
      : Device(std::move(name)), machine(machine), wasChosen(machine) {}
  ~MxuDevice() override;

  rt::Status allocate(int64_t bytes, void *&memory) override;
  void release(void *memory) override;
  rt::Status copyToHost(void *host, const void *memory, int64_t bytes) override;
  rt::Status copyToDevice(void *memory, const void *host,
                          int64_t bytes) override;
  rt::Status copyInside(void *to, const void *from, int64_t bytes) override;
  rt::Status synchronize() override { return rt::Status(); }

  /// Runs an image on tensors in the device's memory, behind the runs that were
  /// asked for before. `figures` becomes what the run took. `goesOn` is asked
  /// every few milliseconds, in the wait for those runs too; false ends the
  /// call with CANCELLED and no text (who asked knows why), outputs half
  /// written, the device ready for the next run. Errors: those of readProgram,
  /// WEIR0441, and WEIR0445 to WEIR0447.
  rt::Status run(const void *image, int64_t size,
                 const std::vector<WeirView> &inputs,
                 const std::vector<WeirView> &outputs,
                 const std::function<bool()> &goesOn, WeirMxuFigures &figures);

  /// Bytes that are allocated.
  int64_t bytesInUse();

private:
  struct Loaded {
    Program program;
    /// By the rows of the batch.
    std::unordered_map<int64_t, WeirMxuFigures> figures;
  };
  /// Ends where the turn of `place` comes; false where `goesOn` says so before.
  bool waitForTurn(std::list<int>::iterator place,
                   const std::function<bool()> &goesOn);
  rt::Status load(const void *image, int64_t size,
                  const std::function<bool()> &goesOn, Loaded *&loaded);
  rt::Status runNow(const void *image, int64_t size,
                    const std::vector<WeirView> &inputs,
                    const std::vector<WeirView> &outputs,
                    const std::function<bool()> &goesOn,
                    WeirMxuFigures &figures);

  /// Whose turn it is: the front's. Its values say nothing, its places do.
  std::mutex order;
  std::list<int> line;
  std::condition_variable turnEnded;

  // Of who has the turn.
  const Machine *machine;
  /// The machine was said, and not taken from a program.
  const bool wasChosen;
  std::unique_ptr<Simulator> simulator;
  /// By where the image is; the checksum tells another one in its place.
  std::unordered_map<const void *, std::unique_ptr<Loaded>> programs;

  std::mutex memory;
  std::unordered_map<void *, int64_t> blocks;
  int64_t used = 0;
};

/// The machine that options such as "128x128" mean. WEIR0448 lists what there
/// is.
rt::Status parseMachine(std::string_view options, const Machine *&machine);

} // namespace weir::mxu

#endif // WEIR_RUNTIME_DEVICE_MXU_MXUDEVICE_H

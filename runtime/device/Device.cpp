//===- Device.cpp - The devices of this process ---------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/device/Device.h"
#include "runtime/base/Format.h"
#include "runtime/core/Allocator.h"
#include "runtime/core/CStatus.h"

#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <vector>

using namespace weir::rt;

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

/// Takes "/`label``value`" from the front of `text`; `value` ends before `end`.
static bool takePart(std::string_view &text, std::string_view label, char end,
                     std::string_view &value) {
  if (text.substr(0, label.size()) != label)
    return false;
  text.remove_prefix(label.size());
  const size_t length = end ? text.find(end) : text.size();
  if (length == std::string_view::npos || length == 0)
    return false;
  value = text.substr(0, length);
  text.remove_prefix(length);
  return true;
}

static bool takeNumber(std::string_view text, int32_t &number) {
  if (text.empty() || text.size() > 9)
    return false;
  number = 0;
  for (char c : text) {
    if (c < '0' || c > '9')
      return false;
    number = number * 10 + (c - '0');
  }
  return true;
}

Status FullDeviceName::parse(std::string_view text, FullDeviceName &name) {
  std::string_view rest = text, job, replica, task, type, number;
  FullDeviceName parsed;
  if (!takePart(rest, "/job:", '/', job) ||
      !takePart(rest, "/replica:", '/', replica) ||
      !takePart(rest, "/task:", '/', task) ||
      !takePart(rest, "/device:", ':', type) ||
      !takePart(rest, ":", 0, number) || !takeNumber(replica, parsed.replica) ||
      !takeNumber(task, parsed.task) || !takeNumber(number, parsed.number))
    return Status(WEIR_INVALID_ARGUMENT,
                  str("[WEIR0373] '", text.substr(0, 200),
                      "' is no full name of a device, as "
                      "/job:localhost/replica:0/task:0/device:CPU:0"));
  parsed.job = job;
  parsed.type = type;
  name = std::move(parsed);
  return Status();
}

std::string FullDeviceName::taskText() const {
  return str("/job:", job, "/replica:", replica, "/task:", task);
}

//===----------------------------------------------------------------------===//
// CPUs
//===----------------------------------------------------------------------===//

namespace {

/// Its memory is the host's: what is given to it happens at once.
class CpuDevice final : public Device {
public:
  using Device::Device;
  bool hasOwnMemory() const override { return false; }

  Status allocate(int64_t bytes, void *&memory) override {
    Block *block = allocateBlock(bytes);
    if (!block)
      return Status(WEIR_RESOURCE_EXHAUSTED, str("[WEIR0311] no memory for ",
                                                 bytes, " bytes on ", name()));
    memory = block->payload();
    return Status();
  }
  void release(void *memory) override { releaseBlock(Block::of(memory)); }
  Status copyToHost(void *host, const void *memory, int64_t bytes) override {
    return copyInside(host, memory, bytes);
  }
  Status copyToDevice(void *memory, const void *host, int64_t bytes) override {
    return copyInside(memory, host, bytes);
  }
  Status copyInside(void *to, const void *from, int64_t bytes) override {
    if (bytes > 0)
      std::memmove(to, from, static_cast<size_t>(bytes));
    return Status();
  }
  Status synchronize() override { return Status(); }
};

//===----------------------------------------------------------------------===//
// The devices there are
//===----------------------------------------------------------------------===//

/// By type.
using DeviceOptions = std::map<std::string, std::string, std::less<>>;

struct Registry {
  /// Never destroyed: devices stay until the process ends.
  static Registry &get() {
    static Registry *registry = new Registry;
    return *registry;
  }

  std::mutex mutex;
  std::map<std::string, std::unique_ptr<Device>, std::less<>> devices;
  DeviceOptions options;
  bool hasEnvironment = false;
};

} // namespace

static const WeirDeviceKind *findKind(const WeirProgram &program,
                                      const std::string &type) {
  for (int32_t i = 0; i < program.device_kind_count; ++i)
    if (type == program.device_kinds[i]->type)
      return program.device_kinds[i];
  return nullptr;
}

static Status unknownKind(std::string_view name, const WeirProgram &program) {
  std::vector<std::string_view> known = {"CPU"};
  for (int32_t i = 0; i < program.device_kind_count; ++i)
    known.push_back(program.device_kinds[i]->type);
  return Status(WEIR_NOT_FOUND, str("[WEIR0373] program '", program.name,
                                    "' has nothing that "
                                    "makes the device ",
                                    name, "; it has ", listNames(known)));
}

/// "TYPE=options,TYPE=options".
static Status parseOptions(std::string_view text, DeviceOptions &parsed) {
  std::string_view rest = text;
  while (!rest.empty()) {
    const size_t comma = std::min(rest.find(','), rest.size());
    std::string_view item = rest.substr(0, comma);
    rest.remove_prefix(std::min(comma + 1, rest.size()));
    const size_t equals = item.find('=');
    if (equals == std::string_view::npos || equals == 0 ||
        equals + 1 == item.size())
      return Status(WEIR_INVALID_ARGUMENT,
                    str("[WEIR0374] '", item.substr(0, 100),
                        "' says nothing of devices; write TYPE=options, for "
                        "example GPU=emulate or MXU=128x128"));
    if (item.substr(0, equals) == "CPU")
      return Status(WEIR_INVALID_ARGUMENT,
                    "[WEIR0374] CPUs have no options; GPU and MXU do");
    parsed[std::string(item.substr(0, equals))] = item.substr(equals + 1);
  }
  return Status();
}

/// What WEIR_DEVICES says of types of which nothing else was said. Under the
/// registry's lock.
static Status readEnvironment(Registry &registry) {
  if (registry.hasEnvironment)
    return Status();
  DeviceOptions said;
  if (const char *text = std::getenv("WEIR_DEVICES"))
    WEIR_RETURN_IF_ERROR(parseOptions(text, said));
  registry.hasEnvironment = true;
  registry.options.merge(said);
  return Status();
}

Status weir::rt::findDevice(std::string_view name, const WeirProgram &program,
                            Device *&device) {
  FullDeviceName parsed;
  WEIR_RETURN_IF_ERROR(FullDeviceName::parse(name, parsed));
  Registry &registry = Registry::get();
  std::lock_guard<std::mutex> lock(registry.mutex);
  WEIR_RETURN_IF_ERROR(readEnvironment(registry));
  if (auto found = registry.devices.find(name);
      found != registry.devices.end()) {
    device = found->second.get();
    return Status();
  }
  std::unique_ptr<Device> made;
  if (parsed.type == "CPU") {
    made = std::make_unique<CpuDevice>(std::string(name));
  } else {
    const WeirDeviceKind *kind = findKind(program, parsed.type);
    if (!kind)
      return unknownKind(name, program);
    auto options = registry.options.find(parsed.type);
    WEIR_RETURN_IF_ERROR(kind->create(
        std::string(name), parsed.number,
        options == registry.options.end() ? "" : options->second, made));
  }
  device = made.get();
  registry.devices.emplace(name, std::move(made));
  return Status();
}

//===----------------------------------------------------------------------===//
// Configuration
//===----------------------------------------------------------------------===//

static Status configure(std::string_view text) {
  DeviceOptions parsed;
  WEIR_RETURN_IF_ERROR(parseOptions(text, parsed));
  Registry &registry = Registry::get();
  std::lock_guard<std::mutex> lock(registry.mutex);
  for (const auto &[type, options] : parsed) {
    auto known = registry.options.find(type);
    if (known != registry.options.end() && known->second == options)
      continue;
    for (const auto &[name, device] : registry.devices) {
      FullDeviceName there;
      if (FullDeviceName::parse(name, there).ok() && there.type == type)
        return Status(WEIR_FAILED_PRECONDITION,
                      str("[WEIR0374] ", type, "=", options,
                          " comes too late: ", name,
                          " is there already; say it before the first session "
                          "on such a device"));
    }
  }
  for (auto &[type, options] : parsed)
    registry.options[type] = std::move(options);
  return Status();
}

int32_t weir_devices_configure(const char *text, WeirStatus *status) {
  return setStatus(status, configure(text ? text : ""));
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

Status weir::rt::copyBetween(void *to, Device *toDevice, const void *from,
                             Device *fromDevice, int64_t bytes) {
  if (bytes == 0)
    return Status();
  if (toDevice == fromDevice && toDevice)
    return toDevice->copyInside(to, from, bytes);
  if (!toDevice && !fromDevice) {
    std::memmove(to, from, static_cast<size_t>(bytes));
    return Status();
  }
  if (!fromDevice)
    return toDevice->copyToDevice(to, from, bytes);
  if (!toDevice)
    return fromDevice->copyToHost(to, from, bytes);
  Block *block = allocateBlock(bytes);
  if (!block)
    return Status(WEIR_RESOURCE_EXHAUSTED,
                  str("[WEIR0311] no memory for ", bytes,
                      " bytes on their way from ", fromDevice->name(), " to ",
                      toDevice->name()));
  Status status = fromDevice->copyToHost(block->payload(), from, bytes);
  if (status.ok())
    status = toDevice->copyToDevice(to, block->payload(), bytes);
  releaseBlock(block);
  return status;
}

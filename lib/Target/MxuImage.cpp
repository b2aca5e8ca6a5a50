//===- MxuImage.cpp - Text and bytes of the accelerator -------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Target/MxuImage.h"

#include "mlir/IR/Builders.h"
#include "weir-c/mxu.h"
#include "weir/MxuImage.h"

using namespace mlir;
using namespace weir;
using namespace weir::mxu;

//===----------------------------------------------------------------------===//
// Assembler
//===----------------------------------------------------------------------===//

static Instruction encode(Operation *op, const Format &format) {
  Instruction instruction(format.opcode);
  for (int i = 0; i < format.fieldCount; ++i)
    instruction.set(format.fields[i], numberOf(op, format.fields[i].name));
  instruction.setTokens(static_cast<unsigned>(numberOf(op, "wait")),
                        static_cast<unsigned>(numberOf(op, "signal")));
  return instruction;
}

template <typename EntryOp> static Entry encodeEntry(EntryOp op) {
  Entry entry = {};
  entry.isOutput = std::is_same_v<EntryOp, OutputOp>;
  entry.elementBytes = static_cast<uint8_t>(op.getElements());
  entry.isBatched = op.getRows().has_value();
  entry.rowBytes = static_cast<uint64_t>(op.getRow());
  entry.rows = static_cast<int64_t>(op.getRows().value_or(1));
  return entry;
}

FailureOr<std::vector<uint8_t>> weir::assembleMxu(ProgramOp program) {
  ImageParts parts;
  parts.array = static_cast<int64_t>(program.getArray());
  parts.scratchBytes = static_cast<int64_t>(program.getScratch());
  SmallVector<Operation *> instructions;
  for (Operation &op : program.getBody().front()) {
    if (auto input = dyn_cast<InputOp>(op)) {
      parts.entries.push_back(encodeEntry(input));
    } else if (auto output = dyn_cast<OutputOp>(op)) {
      parts.entries.push_back(encodeEntry(output));
    } else if (auto window = dyn_cast<WindowOp>(op)) {
      Window encoded = {};
      for (const auto &field : windowFields)
        encoded.*field.field =
            static_cast<uint32_t>(numberOf(window, field.name));
      parts.windows.push_back(encoded);
    } else if (auto weights = dyn_cast<WeightsOp>(op)) {
      auto values = weights.getValue().tryGetValues<int8_t>();
      if (!values)
        return weights.emitError("[WEIR0240] weights have to be there as "
                                 "numbers (dense<...>)");
      parts.weights.assign(values->begin(), values->end());
    } else if (const Format *format = mxu::formatOf(&op)) {
      parts.instructions.push_back(encode(&op, *format));
      instructions.push_back(&op);
    }
  }
  if (static_cast<int64_t>(parts.entries.size()) > maxEntries ||
      static_cast<int64_t>(parts.windows.size()) > maxWindows)
    return program.emitError()
           << "[WEIR0240] there may be " << maxEntries << " entries and "
           << maxWindows << " windows, got " << parts.entries.size() << " and "
           << parts.windows.size();
  std::vector<uint8_t> image = buildImage(parts);
  WeirStatus status = WEIR_STATUS_INIT;
  int64_t faulty = -1;
  if (weir_mxu_check(image.data(), static_cast<int64_t>(image.size()), &faulty,
                     &status) == WEIR_OK)
    return image;
  Operation *at =
      faulty >= 0 && faulty < static_cast<int64_t>(instructions.size())
          ? instructions[static_cast<size_t>(faulty)]
          : program.getOperation();
  emitError(at->getLoc()) << StringRef(status.message ? status.message : "");
  weir_status_clear(&status);
  return failure();
}

FailureOr<ProgramOp> weir::findMxuProgram(ModuleOp module) {
  auto programs = module.getOps<ProgramOp>();
  auto count = std::distance(programs.begin(), programs.end());
  if (count == 1)
    return *programs.begin();
  return module.emitError() << "[WEIR0240] an image is made of one mxu.program,"
                               " and there are "
                            << count;
}

//===----------------------------------------------------------------------===//
// Disassembler
//===----------------------------------------------------------------------===//

namespace {
/// Builds ops out of a checked image.
class Disassembler {
public:
  Disassembler(ArrayRef<uint8_t> image, Location loc)
      : image(image), builder(loc.getContext()), loc(loc) {
    read(0, header);
  }

  OwningOpRef<ModuleOp> run();

private:
  template <typename T> void read(uint64_t at, T &item) {
    std::memcpy(static_cast<void *>(&item), image.data() + at, sizeof(T));
  }
  Operation *create(StringRef name, ArrayRef<NamedAttribute> attributes) {
    OperationState state(loc, ("mxu." + name).str());
    state.addAttributes(attributes);
    return builder.create(state);
  }
  NamedAttribute number(StringRef name, int64_t value) {
    return builder.getNamedAttr(name, builder.getI64IntegerAttr(value));
  }

  ArrayRef<uint8_t> image;
  OpBuilder builder;
  Location loc;
  Header header;
};
} // namespace

OwningOpRef<ModuleOp> Disassembler::run() {
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  builder.setInsertionPointToEnd(module->getBody());
  auto program = ProgramOp::create(builder, loc, "program", header.array,
                                   header.scratchBytes);
  builder.setInsertionPointToEnd(&program.getBody().emplaceBlock());
  Layout layout = layoutOf(header);
  for (uint32_t i = 0; i < header.entryCount; ++i) {
    Entry entry;
    read(layout.entries + i * sizeof(Entry), entry);
    SmallVector<NamedAttribute> attributes{
        number("elements", entry.elementBytes),
        number("row", static_cast<int64_t>(entry.rowBytes))};
    if (entry.isBatched)
      attributes.push_back(number("rows", entry.rows));
    create(entry.isOutput ? "output" : "input", attributes);
  }
  for (uint32_t i = 0; i < header.windowCount; ++i) {
    Window window;
    read(layout.windows + i * sizeof(Window), window);
    SmallVector<NamedAttribute> attributes;
    for (const auto &field : windowFields)
      attributes.push_back(number(field.name, window.*field.field));
    create("window", attributes);
  }
  if (header.weightBytes) {
    auto type = RankedTensorType::get(
        {static_cast<int64_t>(header.weightBytes)}, builder.getI8Type());
    WeightsOp::create(
        builder, loc,
        DenseElementsAttr::getFromRawBuffer(
            type, ArrayRef(reinterpret_cast<const char *>(image.data()) +
                               layout.weights,
                           header.weightBytes)));
  }
  for (uint32_t i = 0; i < header.instructionCount; ++i) {
    Instruction instruction;
    read(layout.instructions + i * sizeof(Instruction), instruction);
    const Format &format = mxu::formatOf(instruction.opcode());
    SmallVector<NamedAttribute> attributes;
    for (int k = 0; k < format.fieldCount; ++k)
      attributes.push_back(
          number(format.fields[k].name, instruction.get(format.fields[k])));
    attributes.push_back(number("wait", instruction.waits()));
    attributes.push_back(number("signal", instruction.signals()));
    create(format.name, attributes);
  }
  return module;
}

OwningOpRef<ModuleOp> weir::disassembleMxu(ArrayRef<uint8_t> image,
                                           Location loc) {
  WeirStatus status = WEIR_STATUS_INIT;
  if (weir_mxu_check(image.data(), static_cast<int64_t>(image.size()), nullptr,
                     &status) != WEIR_OK) {
    emitError(loc) << StringRef(status.message ? status.message : "");
    weir_status_clear(&status);
    return nullptr;
  }
  return Disassembler(image, loc).run();
}

//===- Mxu.cpp - Programs of the accelerator ------------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Mxu/Mxu.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

#include "dialects/Mxu/MxuDialect.cpp.inc"

#define GET_OP_CLASSES
#include "dialects/Mxu/MxuOps.cpp.inc"

void weir::mxu::MxuDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "dialects/Mxu/MxuOps.cpp.inc"
      >();
}

namespace weir::mxu {

const Format *formatOf(Operation *op) {
  if (!isa_and_nonnull<MxuDialect>(op->getDialect()))
    return nullptr;
  StringRef name = op->getName().stripDialect();
  return findFormat(std::string_view(name.data(), name.size()));
}

int64_t numberOf(Operation *op, StringRef name) {
  return op->getAttrOfType<IntegerAttr>(name).getInt();
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

/// "name=number".
static ParseResult parseNumber(OpAsmParser &parser, OperationState &result,
                               StringRef name) {
  int64_t value = 0;
  if (parser.parseKeyword(name) || parser.parseEqual() ||
      parser.parseInteger(value))
    return failure();
  result.addAttribute(name, parser.getBuilder().getI64IntegerAttr(value));
  return success();
}

/// "wait(ld mx)", or nothing.
static ParseResult parseQueues(OpAsmParser &parser, OperationState &result,
                               StringRef name) {
  int64_t queues = 0;
  if (succeeded(parser.parseOptionalKeyword(name))) {
    if (parser.parseLParen())
      return failure();
    do {
      SMLoc loc = parser.getCurrentLocation();
      StringRef queue;
      if (parser.parseKeyword(&queue))
        return failure();
      const auto *at = llvm::find(queueNames, queue);
      if (at == std::end(queueNames))
        return parser.emitError(loc)
               << "[WEIR0241] there is no queue '" << queue
               << "'; they are ld, mx, vx and st";
      queues |= int64_t(1) << (at - queueNames);
    } while (failed(parser.parseOptionalRParen()));
  }
  result.addAttribute(name, parser.getBuilder().getI64IntegerAttr(queues));
  return success();
}

ParseResult parseInstruction(OpAsmParser &parser, OperationState &result,
                             StringRef name) {
  const Format &format =
      *findFormat(std::string_view(name.data(), name.size()));
  for (int i = 0; i < format.fieldCount; ++i)
    if (parseNumber(parser, result, format.fields[i].name))
      return failure();
  if (parseQueues(parser, result, "wait") ||
      parseQueues(parser, result, "signal"))
    return failure();
  return parser.parseOptionalAttrDict(result.attributes);
}

void printInstruction(Operation *op, OpAsmPrinter &printer) {
  const Format &format = *formatOf(op);
  SmallVector<StringRef> printed{"wait", "signal"};
  for (int i = 0; i < format.fieldCount; ++i) {
    const char *name = format.fields[i].name;
    printer << ' ' << name << '=' << numberOf(op, name);
    printed.push_back(name);
  }
  for (StringRef name : {"wait", "signal"})
    if (int64_t queues = numberOf(op, name)) {
      printer << ' ' << name << '(';
      const char *separator = "";
      for (int q = 0; q < queueCount; ++q)
        if (queues >> q & 1) {
          printer << separator << queueNames[q];
          separator = " ";
        }
      printer << ')';
    }
  printer.printOptionalAttrDict(op->getAttrs(), printed);
}

ParseResult WindowOp::parse(OpAsmParser &parser, OperationState &result) {
  for (const auto &field : windowFields)
    if (parseNumber(parser, result, field.name))
      return failure();
  return parser.parseOptionalAttrDict(result.attributes);
}

void WindowOp::print(OpAsmPrinter &printer) {
  SmallVector<StringRef> printed;
  for (const auto &field : windowFields) {
    printer << ' ' << field.name << '=' << numberOf(*this, field.name);
    printed.push_back(field.name);
  }
  printer.printOptionalAttrDict((*this)->getAttrs(), printed);
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

LogicalResult ProgramOp::verify() {
  if (!findMachine(getArray()) || static_cast<int64_t>(getScratch()) < 0)
    return emitOpError() // program_c1
           << "[WEIR0242] there are arrays of 32, 128 and 256, and scratch is "
              "not negative; got an array of "
           << static_cast<int64_t>(getArray()) << " and "
           << static_cast<int64_t>(getScratch()) << " bytes";
  bool hasWeights = false, hasOutput = false;
  for (Operation &op : getBody().front()) {
    if (!isa<MxuDialect>(op.getDialect()) || isa<ProgramOp, RunOp>(op))
      return op.emitOpError() // program_c2
             << "[WEIR0242] is no part of a program of the accelerator";
    if ((isa<InputOp>(op) && hasOutput) || (isa<WeightsOp>(op) && hasWeights))
      return op.emitOpError() // program_c2
             << "[WEIR0242] comes too late: inputs are before outputs, and "
                "there is one mxu.weights at most";
    hasOutput |= isa<OutputOp>(op);
    hasWeights |= isa<WeightsOp>(op);
  }
  return success();
}

// input_c1, output_c1
template <typename EntryOp> static LogicalResult verifyEntry(EntryOp op) {
  int64_t elements = op.getElements(), row = op.getRow(),
          rows = op.getRows().value_or(1);
  if ((elements == 1 || elements == 4) && row >= 1 && row % elements == 0 &&
      row <= (int64_t(1) << 32) && rows >= dynamicRows &&
      rows <= (int64_t(1) << 32))
    return success();
  return op.emitOpError()
         << "[WEIR0242] elements have 1 or 4 bytes, a row one or more elements "
            "and at most 2^32 bytes, and rows are -1 or more; got "
         << elements << ", " << row << " and " << rows;
}
LogicalResult InputOp::verify() { return verifyEntry(*this); }
LogicalResult OutputOp::verify() { return verifyEntry(*this); }

LogicalResult WeightsOp::verify() {
  if (getValue().getElementType().isSignlessInteger(8)) // weights_c1
    return success();
  return emitOpError() << "[WEIR0242] weights are bytes (i8), got "
                       << getValue().getElementType();
}

LogicalResult WindowOp::verify() {
  for (const auto &field : windowFields) {
    int64_t value = numberOf(*this, field.name);
    bool isPadding =
        field.field == &Window::padTop || field.field == &Window::padLeft;
    if (value < (isPadding ? 0 : 1) || value > maxExtent) // window_c1
      return emitOpError() << "[WEIR0242] '" << field.name << "' is in "
                           << (isPadding ? 0 : 1) << " to " << maxExtent
                           << ", got " << value;
  }
  return success();
}

/// An error where rows `first` to `first + count` are not in a memory.
static LogicalResult checkRows(Operation *op, StringRef memory, StringRef field,
                               int64_t count, int64_t there) {
  int64_t first = numberOf(op, field);
  if (first + count <= there)
    return success();
  return op->emitOpError() << "[WEIR0242] uses rows " << first << " to "
                           << first + count - 1 << " of the " << memory
                           << ", which has " << there;
}

LogicalResult verifyInstruction(Operation *op) {
  const Format &format = *formatOf(op);
  int64_t waits = numberOf(op, "wait"), signals = numberOf(op, "signal");
  int64_t allowed = format.isDispatch() ? 0 : 15;
  if ((waits & ~allowed) || (signals & ~allowed)) // halt_c1, loop_c1
    return op->emitOpError() << "[WEIR0242] takes tokens from and gives tokens "
                                "to "
                             << (allowed ? "ld, mx, vx and st only"
                                         : "no queue, as no queue runs it");
  // The (C1) of each instruction, loop_c2.
  for (int i = 0; i < format.fieldCount; ++i) {
    const Field &field = format.fields[i];
    StringRef name = field.name;
    bool isCount = name == "rows" || name == "images" || name == "length";
    int64_t value = numberOf(op, name), low = isCount ? 1 : field.low();
    if (value < low || value > field.high())
      return op->emitOpError() << "[WEIR0242] '" << name << "' is in " << low
                               << " to " << field.high() << ", got " << value;
  }
  // The (C2) of each.
  const Machine &machine =
      *findMachine(cast<ProgramOp>(op->getParentOp()).getArray());
  bool isTile = format.opcode == Opcode::ldw;
  int64_t rows = format.find("rows") ? numberOf(op, "rows") : 1;
  if (format.find("lanes") && numberOf(op, "lanes") > machine.array)
    return op->emitOpError()
           << "[WEIR0242] has " << numberOf(op, "lanes")
           << " lanes, more than the array's " << machine.array;
  if (isTile && rows > machine.array)
    return op->emitOpError()
           << "[WEIR0242] a tile of " << rows
           << " rows does not fit an array of " << machine.array;
  bool readsWindows = format.opcode == Opcode::mmc,
       poolsRows = format.opcode == Opcode::actp;
  if ((format.find("ub") &&
       failed(checkRows(op, "unified buffer", "ub", readsWindows ? 1 : rows,
                        machine.ubRows))) ||
      (format.find("source") &&
       failed(checkRows(op, "unified buffer", "source", 1, machine.ubRows))) ||
      (format.find("acc") &&
       failed(checkRows(op, "accumulators", "acc", poolsRows ? 1 : rows,
                        machine.accRows))) ||
      (format.find("param") &&
       failed(checkRows(op, "parameters", "param",
                        format.opcode == Opcode::act || poolsRows ? 3 : 1,
                        machine.paramRows))))
    return failure();
  return success();
}

} // namespace weir::mxu

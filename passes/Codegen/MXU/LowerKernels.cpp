//===- LowerKernels.cpp - Kernels become programs of the accelerator ------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Mxu/Mxu.h"
#include "dialects/Rt/Rt.h"
#include "lib/Analysis/MxuFeasible.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/SymbolTable.h"
#include "passes/Codegen/MXU/Emit.h"
#include "passes/Codegen/MXU/Passes.h"

namespace weir {
#define GEN_PASS_DEF_MXULOWERKERNELS
#include "passes/Codegen/MXU/Passes.h.inc"
} // namespace weir

using namespace mlir;
using namespace weir;

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

namespace {

struct Machined {
  MxuCode code;
  std::vector<mxu::Window> windows;
  int64_t scratch = 0;
};

/// Writes the ops of a program.
class ProgramWriter {
public:
  ProgramWriter(OpBuilder &b, Location loc) : b(b), loc(loc) {}

  void write(const MxuNetwork &network, const Machined &machined) {
    for (const mxu::Entry &entry : network.entries) {
      SmallVector<NamedAttribute> attributes{
          number("elements", entry.elementBytes),
          number("row", static_cast<int64_t>(entry.rowBytes))};
      if (entry.isBatched)
        attributes.push_back(number("rows", entry.rows));
      create(entry.isOutput ? "output" : "input", attributes);
    }
    for (const mxu::Window &window : machined.windows) {
      SmallVector<NamedAttribute> attributes;
      for (const auto &field : mxu::windowFields)
        attributes.push_back(number(field.name, window.*field.field));
      create("window", attributes);
    }
    if (!network.weights.empty()) {
      ArrayRef bytes(reinterpret_cast<const char *>(network.weights.data()),
                     network.weights.size());
      auto type = RankedTensorType::get({static_cast<int64_t>(bytes.size())},
                                        b.getI8Type());
      mxu::WeightsOp::create(b, loc,
                             DenseElementsAttr::getFromRawBuffer(type, bytes));
    }
    for (const mxu::Decoded &op : machined.code)
      write(op);
  }

private:
  NamedAttribute number(StringRef name, int64_t value) {
    return b.getNamedAttr(name, b.getI64IntegerAttr(value));
  }
  void create(StringRef name, ArrayRef<NamedAttribute> attributes) {
    OperationState state(loc, ("mxu." + name).str());
    state.addAttributes(attributes);
    b.create(state);
  }
  void write(const mxu::Decoded &op) {
    const mxu::Format &format = mxu::formatOf(op.opcode);
    SmallVector<NamedAttribute> attributes;
    for (int i = 0; i < format.fieldCount; ++i) {
      StringRef name = format.fields[i].name;
      int64_t value = static_cast<int64_t>(op.queue); // of a nop
      for (const auto &field : mxu::decodedFields)
        if (name == field.name)
          value = op.*field.field;
      attributes.push_back(number(name, value));
    }
    attributes.push_back(number("wait", op.waits));
    attributes.push_back(number("signal", op.signals));
    create(format.name, attributes);
  }

  OpBuilder &b;
  Location loc;
};

} // namespace

/// The instructions of a network: a loop for each size of blocks.
static FailureOr<Machined> generate(Operation *at, const MxuNetwork &network,
                                    const mxu::Machine &machine) {
  MxuPlan plan = planMxu(network, /*spills=*/false);
  std::vector<int64_t> blocks = chooseMxuBlocks(network, plan, machine);
  if (blocks.empty()) {
    plan = planMxu(network, /*spills=*/true);
    blocks = chooseMxuBlocks(network, plan, machine);
  }
  if (blocks.empty())
    return at->emitError()
           << "[WEIR0161] kernel " << network.node
           << ": one row of the batch and what becomes of it do not fit the "
              "accelerator's buffer of "
           << int64_t(machine.ubRows) * machine.array
           << " bytes; put its largest node on a CPU";
  Machined result;
  for (int64_t images : blocks)
    result.scratch = std::max(result.scratch, mxuScratchOf(plan, images));
  int64_t left = network.rows;
  for (int64_t images : blocks) {
    MxuCode body = emitMxuBlock(network, plan, machine, images, result.windows);
    bool repeats = network.rows == mxu::dynamicRows || left / images > 1;
    MxuLoop loop = addMxuTokens(std::move(body), result.windows, machine,
                                result.scratch, repeats);
    left %= images;
    auto append = [&](const MxuCode &code) {
      result.code.insert(result.code.end(), code.begin(), code.end());
    };
    if (!result.code.empty())
      append(mxuBarrier());
    append(loop.before);
    mxu::Decoded head = {};
    head.opcode = mxu::Opcode::loop;
    head.images = images;
    head.length = static_cast<int64_t>(loop.body.size());
    if (!loop.body.empty())
      append({head});
    append(loop.body);
    append(loop.behind);
  }
  mxu::Decoded halt = {};
  halt.opcode = mxu::Opcode::halt;
  result.code.push_back(halt);
  if (static_cast<int64_t>(result.windows.size()) > mxu::maxWindows ||
      network.weights.size() >= uint64_t(1) << 32 ||
      static_cast<int64_t>(network.entries.size()) > mxu::maxEntries)
    return at->emitError()
           << "[WEIR0162] kernel " << network.node << " has "
           << result.windows.size() << " kinds of windows, "
           << network.weights.size() << " bytes of weights and "
           << network.entries.size()
           << " tensors; a program of the accelerator has at most "
           << mxu::maxWindows << ", 2^32 and " << mxu::maxEntries;
  return result;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

namespace {
class LowerKernels : public weir::impl::MxuLowerKernelsBase<LowerKernels> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    const mxu::Machine *machine = mxuMachineOf(module);
    if (!machine) {
      module.emitError() << "[WEIR0163] '" << rt::mxuAttrName << "' is "
                         << module->getAttr(rt::mxuAttrName)
                         << "; there are accelerators of \"32x32\", "
                            "\"128x128\" and \"256x256\"";
      return signalPassFailure();
    }
    SymbolTable symbols(module);
    for (auto kernel :
         llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
      if (kernel->hasAttr(rt::deviceAttrName) && !kernel.isExternal() &&
          failed(lower(kernel, *machine, symbols)))
        return signalPassFailure();
  }

  static LogicalResult lower(func::FuncOp kernel, const mxu::Machine &machine,
                             SymbolTable &symbols);
};
} // namespace

/// Memory of a type of tensors, row-major.
static MemRefType bufferType(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return MemRefType::get(tensor.getShape(), tensor.getElementType());
}

LogicalResult LowerKernels::lower(func::FuncOp kernel,
                                  const mxu::Machine &machine,
                                  SymbolTable &symbols) {
  auto networks = readMxuNetworks(kernel);
  if (failed(networks))
    return failure();
  Block &block = kernel.getBody().front();
  llvm::DenseMap<int64_t, Type> feeds, fetches;
  for (Operation &op : block) {
    if (auto feed = dyn_cast<rt::FeedOp>(op))
      feeds[static_cast<int64_t>(feed.getIndex())] = feed.getType();
    if (auto fetch = dyn_cast<rt::FetchOp>(op))
      fetches[static_cast<int64_t>(fetch.getIndex())] =
          fetch.getValue().getType();
  }
  // All but the way out goes; it hands back a constant.
  auto exit = cast<func::ReturnOp>(block.getTerminator());
  SmallVector<Operation *> dead;
  for (Operation &op : block.without_terminator())
    if (!isa<arith::ConstantOp>(op))
      dead.push_back(&op);
  for (Operation *op : llvm::reverse(dead))
    op->erase();

  OpBuilder b(exit);
  llvm::DenseMap<int64_t, Value> inputs;
  auto inputOf = [&](int64_t feed) {
    Value &buffer = inputs[feed];
    if (!buffer)
      buffer = rt::FeedBufferOp::create(b, kernel.getLoc(),
                                        bufferType(feeds.lookup(feed)), feed);
    return buffer;
  };
  for (MxuNetwork &network : *networks) {
    Location loc = kernel.getLoc();
    fuseMxuPools(network, machine);
    auto machined = generate(kernel, network, machine);
    if (failed(machined))
      return failure();
    OpBuilder top(kernel);
    auto program =
        mxu::ProgramOp::create(top, loc, (kernel.getSymName() + ".mxu").str(),
                               machine.array, machined->scratch);
    symbols.insert(program);
    top.setInsertionPointToEnd(&program.getBody().emplaceBlock());
    ProgramWriter(top, loc).write(network, *machined);

    SmallVector<Value> ins, outs;
    for (auto [entry, place] :
         llvm::zip_equal(network.entries, network.places)) {
      if (!entry.isOutput) {
        ins.push_back(inputOf(place));
        continue;
      }
      MemRefType type = bufferType(fetches.lookup(place));
      SmallVector<Value> extents;
      if (type.isDynamicDim(0))
        extents.push_back(memref::DimOp::create(b, loc, ins.front(), 0));
      outs.push_back(rt::OutputBufferOp::create(b, loc, type, place, extents));
    }
    mxu::RunOp::create(b, loc, program.getSymName(), network.node, ins, outs);
  }
  return success();
}

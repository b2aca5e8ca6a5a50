//===- FreezeVariables.cpp - Variables become constants -------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Quantize/FreezeVariables.h"

#include "dialects/Weir/Weir.h"
#include "lib/Interpreter/Tensor.h"
#include "runtime/checkpoint/Checkpoint.h"

using namespace mlir;

namespace weir {

static std::string typeText(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

static std::optional<ElementsAttr> readVariable(rt::CheckpointReader &reader,
                                                VariableOp variable,
                                                const std::string &prefix,
                                                Messages &messages) {
  std::string name = variable.getSymName().str();
  auto fail = [&](const std::string &why) -> std::optional<ElementsAttr> {
    messages.error("[WEIR0263] variable '" + name +
                   "' cannot become a constant of the checkpoint '" + prefix +
                   "': " + why);
    return std::nullopt;
  };
  auto type = dyn_cast<RankedTensorType>(variable.getType());
  if (!type || !type.hasStaticShape() || isa<StringType>(type.getElementType()))
    return fail("its type is " + typeText(variable.getType()) +
                ", not one of numbers of known extents");
  const rt::BundleEntry *entry = nullptr;
  if (rt::Status status = reader.find(name, entry); !status.ok())
    return fail(status.message());
  llvm::Expected<Tensor> tensor =
      Tensor::create(dtypeOf(type.getElementType()), type.getShape());
  if (!tensor)
    return fail(llvm::toString(tensor.takeError()));
  if (entry->dtype != tensor->getDType() ||
      ArrayRef<int64_t>(entry->shape) != type.getShape()) {
    std::string stored;
    llvm::raw_string_ostream os(stored);
    for (int64_t extent : entry->shape)
      os << extent << "x";
    return fail("it is a " + describe(*tensor) +
                ", but the one stored has the shape " +
                StringRef(stored).drop_back(stored.empty() ? 0 : 1).str() +
                " or other elements");
  }
  if (rt::Status status = reader.read(name, *entry, tensor->write<uint8_t>());
      !status.ok())
    return fail(status.message());
  return tensor->toAttribute(type);
}

/// The reads of a variable; nothing where something else uses it.
static std::optional<SmallVector<ReadOp>>
readsOf(VariableOp variable, ModuleOp module, Messages &messages) {
  SmallVector<ReadOp> reads;
  auto uses = SymbolTable::getSymbolUses(variable, module.getOperation());
  if (!uses)
    return reads;
  for (SymbolTable::SymbolUse use : *uses) {
    if (auto read = dyn_cast<ReadOp>(use.getUser())) {
      reads.push_back(read);
      continue;
    }
    auto graph = use.getUser()->getParentOfType<GraphOp>();
    messages.error("[WEIR0263] variable '" + variable.getSymName().str() +
                   "' is to become a constant, but '" +
                   WeirDialect::describe(use.getUser()) + "' of graph '@" +
                   (graph ? graph.getSymName().str() : "") +
                   "' does more than read it; leave that entry point out, as "
                   "with --entries=predict");
    return std::nullopt;
  }
  return reads;
}

bool freezeVariables(ModuleOp module, const std::string &prefix,
                     Messages &messages) {
  std::unique_ptr<rt::CheckpointReader> reader;
  if (rt::Status status =
          rt::CheckpointReader::open(rt::Env::posix(), prefix, reader);
      !status.ok())
    return messages.error("[WEIR0263] cannot open the checkpoint '" + prefix +
                          "': " + status.message());
  for (VariableOp variable :
       llvm::make_early_inc_range(module.getOps<VariableOp>())) {
    auto reads = readsOf(variable, module, messages);
    if (!reads)
      return false;
    if (!reads->empty()) {
      auto value = readVariable(*reader, variable, prefix, messages);
      if (!value)
        return false;
      for (ReadOp read : *reads) {
        OpBuilder builder(read);
        auto constant = ConstantOp::create(builder, read.getLoc(), *value);
        constant->setDiscardableAttrs(read->getDiscardableAttrDictionary());
        read.getValue().replaceAllUsesWith(constant);
        // What waited for the read waits for what that waited for.
        if (!read.getControl().use_empty())
          read.getControl().replaceAllUsesWith(
              NoOpOp::create(builder, read.getLoc(),
                             read.getControl().getType(), read.getControls()));
        read.erase();
      }
    }
    variable.erase();
  }
  return true;
}

} // namespace weir

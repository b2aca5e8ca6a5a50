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
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace weir {

static std::string typeText(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

/// An error unless what is stored under a variable's name fits its type.
static llvm::Error checkFits(RankedTensorType type, int32_t dtype,
                             ArrayRef<int64_t> shape) {
  if (dtype == dtypeOf(type.getElementType()) && shape == type.getShape())
    return llvm::Error::success();
  std::string extents = llvm::join(
      llvm::map_range(shape, [](int64_t n) { return std::to_string(n); }), "x");
  return llvm::createStringError(
      "it is a " + typeText(type) + ", but what is there has the shape " +
      (extents.empty() ? "of a scalar" : extents) + " or other elements");
}

namespace {
/// Where values of variables come from.
class Source {
public:
  virtual ~Source() = default;
  /// "the checkpoint 'model'" for messages.
  virtual std::string describe() const = 0;
  /// The value of the variable of that name and type, which is of numbers of
  /// known extents; an error says why there is none.
  virtual llvm::Expected<Tensor> read(const std::string &name,
                                      RankedTensorType type) = 0;
};

class CheckpointSource : public Source {
public:
  CheckpointSource(rt::CheckpointReader &reader, const std::string &prefix)
      : reader(reader), prefix(prefix) {}

  std::string describe() const override {
    return "the checkpoint '" + prefix + "'";
  }
  llvm::Expected<Tensor> read(const std::string &name,
                              RankedTensorType type) override {
    const rt::BundleEntry *entry = nullptr;
    if (rt::Status status = reader.find(name, entry); !status.ok())
      return llvm::createStringError(status.message());
    if (llvm::Error error = checkFits(type, entry->dtype, entry->shape))
      return error;
    llvm::Expected<Tensor> tensor =
        Tensor::create(dtypeOf(type.getElementType()), type.getShape());
    if (!tensor)
      return tensor;
    if (rt::Status status = reader.read(name, *entry, tensor->write<uint8_t>());
        !status.ok())
      return llvm::createStringError(status.message());
    return tensor;
  }

private:
  rt::CheckpointReader &reader;
  const std::string &prefix;
};

class ValueSource : public Source {
public:
  explicit ValueSource(const NamedTensors &values) : values(values) {}

  std::string describe() const override { return "its value"; }
  llvm::Expected<Tensor> read(const std::string &name,
                              RankedTensorType type) override {
    auto found = values.find(name);
    if (found == values.end())
      return llvm::createStringError("none is given");
    const Tensor &value = found->second;
    if (llvm::Error error = checkFits(type, value.getDType(), value.getShape()))
      return error;
    return value;
  }

private:
  const NamedTensors &values;
};
} // namespace

static std::optional<ElementsAttr>
readVariable(Source &source, VariableOp variable, Messages &messages) {
  std::string name = variable.getSymName().str();
  auto fail = [&](const std::string &why) -> std::optional<ElementsAttr> {
    messages.error("[WEIR0263] variable '" + name +
                   "' cannot become a constant of " + source.describe() + ": " +
                   why);
    return std::nullopt;
  };
  auto type = dyn_cast<RankedTensorType>(variable.getType());
  if (!type || !type.hasStaticShape() || isa<StringType>(type.getElementType()))
    return fail("its type is " + typeText(variable.getType()) +
                ", not one of numbers of known extents");
  llvm::Expected<Tensor> tensor = source.read(name, type);
  if (!tensor)
    return fail(llvm::toString(tensor.takeError()));
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

static bool freeze(ModuleOp module, Source &source, Messages &messages) {
  for (VariableOp variable :
       llvm::make_early_inc_range(module.getOps<VariableOp>())) {
    auto reads = readsOf(variable, module, messages);
    if (!reads)
      return false;
    if (!reads->empty()) {
      auto value = readVariable(source, variable, messages);
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

bool freezeVariables(ModuleOp module, const std::string &prefix,
                     Messages &messages) {
  std::unique_ptr<rt::CheckpointReader> reader;
  if (rt::Status status =
          rt::CheckpointReader::open(rt::Env::posix(), prefix, reader);
      !status.ok())
    return messages.error("[WEIR0263] cannot open the checkpoint '" + prefix +
                          "': " + status.message());
  CheckpointSource source(*reader, prefix);
  return freeze(module, source, messages);
}

bool freezeVariables(ModuleOp module, const NamedTensors &values,
                     Messages &messages) {
  ValueSource source(values);
  return freeze(module, source, messages);
}

} // namespace weir

//===- State.cpp - What interpreted steps leave behind --------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Interpreter/State.h"

#include "dialects/Weir/Shape.h"
#include "dialects/Weir/Weir.h"
#include "lib/Interpreter/Errors.h"
#include "runtime/state/MakeResource.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cstring>

using namespace mlir;

namespace weir {

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

VariableCell::VariableCell(std::string name, TensorType type)
    : name(std::move(name)), dtype(dtypeOf(type.getElementType())),
      hasShape(type.hasRank()) {
  if (hasShape)
    shape.append(type.getShape().begin(), type.getShape().end());
}

std::string VariableCell::mismatch(const Tensor &tensor) const {
  if (tensor.getDType() == dtype &&
      (!hasShape || tensor.getShape() == getShape()))
    return "";
  if (!hasShape)
    return "expected another element type than that of " +
           weir::describe(tensor);
  return "expected " + weir::describe(Tensor(dtype, shape)) + ", got " +
         weir::describe(tensor);
}

//===----------------------------------------------------------------------===//
// Declarations
//===----------------------------------------------------------------------===//

namespace {
/// A declaration as the tables of compiled programs have it.
class Declaration {
public:
  Declaration(StringRef name, WeirResourceKind kind) : name(name), kind(kind) {}

  void addComponent(Type type) {
    auto tensor = cast<TensorType>(type);
    std::vector<int64_t> &extents = dims.emplace_back();
    if (tensor.hasRank())
      for (int64_t extent : tensor.getShape())
        extents.push_back(ShapedType::isDynamic(extent) ? -1 : extent);
    components.push_back(
        {"", nullptr,
         tensor.hasRank() ? static_cast<int32_t>(tensor.getRank()) : -1,
         dtypeOf(tensor.getElementType())});
  }

  llvm::Expected<Handle> make(Operation *op) {
    for (auto [component, extents] : llvm::zip_equal(components, dims))
      component.dims = extents.data();
    WeirResourceDesc desc{name.c_str(),
                          components.data(),
                          numbers.data(),
                          kind,
                          static_cast<int32_t>(components.size()),
                          static_cast<int32_t>(numbers.size())};
    Handle resource;
    if (rt::Status status = rt::makeResource(desc, resource); !status.ok())
      return statusError(op, std::move(status));
    return resource;
  }

  std::vector<int64_t> numbers;

private:
  std::string name;
  WeirResourceKind kind;
  std::vector<WeirTensorDesc> components;
  std::vector<std::vector<int64_t>> dims;
};
} // namespace

static llvm::Expected<Handle> make(QueueOp op) {
  Declaration declaration(op.getSymName(), WEIR_RESOURCE_QUEUE);
  for (Attribute type : op.getComponents())
    declaration.addComponent(cast<TypeAttr>(type).getValue());
  declaration.numbers = {static_cast<int64_t>(op.getKind()),
                         static_cast<int64_t>(op.getCapacity()),
                         static_cast<int64_t>(op.getMinAfterDequeue()),
                         static_cast<int64_t>(op.getSeed()),
                         static_cast<int64_t>(op.getSeed2())};
  return declaration.make(op);
}

static llvm::Expected<Handle> make(BarrierOp op) {
  Declaration declaration(op.getSymName(), WEIR_RESOURCE_BARRIER);
  for (Attribute type : op.getComponents())
    declaration.addComponent(cast<TypeAttr>(type).getValue());
  return declaration.make(op);
}

static llvm::Expected<Handle> make(AccumulatorOp op) {
  Declaration declaration(op.getSymName(), WEIR_RESOURCE_ACCUMULATOR);
  declaration.addComponent(op.getType());
  declaration.numbers = {static_cast<int64_t>(op.getReduction())};
  return declaration.make(op);
}

static llvm::Expected<Handle> make(ReaderOp op) {
  Declaration declaration(op.getSymName(), WEIR_RESOURCE_READER);
  declaration.numbers = {static_cast<int64_t>(op.getKind())};
  llvm::append_range(declaration.numbers, op.getNumbers());
  return declaration.make(op);
}

static llvm::Expected<Handle> make(VariableOp op) {
  return std::make_shared<VariableCell>(op.getSymName().str(), op.getType());
}

/// What a declaration says, without what others have attached to it.
static std::string declarationText(Operation *symbol) {
  Operation *bare = symbol->cloneWithoutRegions();
  bare->setDiscardableAttrs(DictionaryAttr::get(symbol->getContext()));
  std::string text;
  llvm::raw_string_ostream os(text);
  bare->print(os);
  bare->destroy();
  return StringRef(text).rtrim().str();
}

llvm::Expected<Handle> InterpreterState::get(Operation *symbol) {
  std::string name =
      symbol->getAttrOfType<StringAttr>(SymbolTable::getSymbolAttrName()).str();
  std::string declaration = declarationText(symbol);
  if (auto found = entries.find(name); found != entries.end()) {
    if (found->second.declaration == declaration)
      return found->second.resource;
    return nodeError(
        symbol,
        {"WEIR0347", isa<QueueOp>(symbol) ? WEIR_INVALID_ARGUMENT
                                          : WEIR_FAILED_PRECONDITION},
        "'" + name + "' is declared as " + found->second.declaration +
            " in the state that is shared, but here as " + declaration +
            "; use the same declaration, or another name");
  }
  llvm::Expected<Handle> resource =
      llvm::TypeSwitch<Operation *, llvm::Expected<Handle>>(symbol)
          .Case<VariableOp, QueueOp, BarrierOp, AccumulatorOp, ReaderOp>(
              [](auto op) { return make(op); })
          .Default([](Operation *op) -> llvm::Expected<Handle> {
            return nodeError(op, "WEIR0135", "the op declares no state");
          });
  if (resource)
    entries[name] = {*resource, std::move(declaration)};
  return resource;
}

InterpreterState::~InterpreterState() {
  for (auto &[name, entry] : entries)
    entry.resource->abandon();
}

InterpreterState::Values InterpreterState::saveVariables() const {
  Values values;
  for (const auto &[name, entry] : entries)
    if (auto *cell = dynamic_cast<VariableCell *>(entry.resource.get()))
      values.emplace_back(cell, cell->value);
  return values;
}

void InterpreterState::restoreVariables(Values values) {
  for (auto &[cell, value] : values)
    cell->value = std::move(value);
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

rt::Status toRuntime(const Tensor &tensor, rt::TensorRef &result) {
  std::vector<WeirString> scratch;
  WeirView view = tensor.view(scratch);
  if (tensor.isString())
    return rt::createStringTensor(view.rank, view.dims, scratch.data(), result);
  WEIR_RETURN_IF_ERROR(
      rt::createTensor(view.dtype, view.rank, view.dims, result));
  if (int64_t bytes = rt::viewBytes(view))
    std::memcpy(result.view().data, view.data, static_cast<size_t>(bytes));
  return rt::Status();
}

} // namespace weir

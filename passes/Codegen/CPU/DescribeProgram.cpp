//===- DescribeProgram.cpp - The descriptor of a program ---===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Weir/DTypes.h"
#include "dialects/Weir/Weir.h"
#include "lib/Analysis/DeviceName.h"
#include "passes/Codegen/CPU/Describer.h"
#include "passes/Codegen/CPU/Passes.h"
#include "weir-c/program.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"

#include <optional>
#include <set>

namespace weir {
#define GEN_PASS_DEF_CPUDESCRIBEPROGRAM
#include "passes/Codegen/CPU/Passes.h.inc"
} // namespace weir

using namespace mlir;
using namespace weir;

namespace {

/// Emits the descriptor of a module.
class ProgramDescriber : public Describer {
public:
  ProgramDescriber(ModuleOp module, unsigned &counter)
      : Describer(module, counter), dataflow(module, counter, places),
        partDesc(structOf({i32, pointer, pointer})),
        entryDesc(structOf({pointer, pointer, pointer, pointer, i32, i32,
                            pointer, pointer, pointer, i32})),
        resourceDesc(structOf({pointer, pointer, pointer, i32, i32, i32})),
        program(structOf({i32, i32, pointer, pointer, pointer, pointer, pointer,
                          i32, i32, pointer, i32})) {}

  void run();

private:
  struct Entry {
    LLVM::GlobalOp name, feeds, fetches, dataflow, device, parts;
    LLVM::LLVMFuncOp function;
    size_t feedCount, fetchCount, partCount;
  };
  struct Resource {
    LLVM::GlobalOp name, components, numbers;
    int32_t kind;
    size_t componentCount, numberCount;
  };
  void addResource(Operation *op);
  void addEntry(StringRef name, LLVM::LLVMFuncOp function, ArrayAttr feeds,
                ArrayAttr fetches, LLVM::GlobalOp dataflow, StringAttr device);
  void addSpread(rt::SpreadOp spread);
  LLVM::GlobalOp places32(DenseI32ArrayAttr list);
  LLVM::GlobalOp deviceKinds(size_t &count);
  LLVM::LLVMFuncOp runtimeEntry(StringRef name);
  std::string features();

  SymbolPlaces places;
  DataflowDescriber dataflow;
  Type partDesc, entryDesc, resourceDesc, program;
  llvm::StringMap<size_t> entryNumbers;
  /// The types of the devices that entries name, but for CPU.
  std::set<std::string> deviceTypes;
  SmallVector<Entry> entries;
  SmallVector<Resource> resources;
};

/// How many feeds and fetches an entry point has; nothing for another op.
std::optional<std::pair<size_t, size_t>> signatureOf(Operation *op) {
  if (auto table = dyn_cast_or_null<rt::DataflowOp>(op))
    return std::pair(table.getFeeds().size(), table.getFetches().size());
  auto entry = op ? op->getAttrOfType<DictionaryAttr>(rt::entryAttrName)
                  : DictionaryAttr();
  auto feeds = entry ? entry.getAs<ArrayAttr>("feeds") : ArrayAttr(),
       fetches = entry ? entry.getAs<ArrayAttr>("fetches") : ArrayAttr();
  if (!feeds || !fetches || !isa<LLVM::LLVMFuncOp>(op))
    return std::nullopt;
  return std::pair(feeds.size(), fetches.size());
}

/// An error unless each part is an entry point that takes and gives as much as
/// is said: the runtime trusts the descriptor.
LogicalResult verifyParts(rt::SpreadOp spread) {
  for (auto part : spread.getParts().getAsRange<DictionaryAttr>()) {
    auto name = part.getAs<FlatSymbolRefAttr>("graph");
    auto found =
        signatureOf(SymbolTable::lookupNearestSymbolFrom(spread, name));
    if (!found)
      return spread.emitError()
             << "[WEIR0018] part " << name << " of '@" << spread.getSymName()
             << "' is no entry point of the module";
    size_t feeds = part.getAs<DenseI32ArrayAttr>("feeds").size(),
           fetches = part.getAs<DenseI32ArrayAttr>("fetches").size();
    if (*found != std::pair(feeds, fetches))
      return spread.emitError()
             << "[WEIR0018] part " << name << " of '@" << spread.getSymName()
             << "' is said to have " << feeds << " feeds and " << fetches
             << " fetches, but has " << found->first << " and "
             << found->second;
  }
  return success();
}

struct DescribeProgram : weir::impl::CpuDescribeProgramBase<DescribeProgram> {
  void runOnOperation() override {
    for (auto spread : getOperation().getOps<rt::SpreadOp>())
      if (failed(verifyParts(spread)))
        return signalPassFailure();
    unsigned counter = 0;
    ProgramDescriber(getOperation(), counter).run();
    GpuDescriber gpus(getOperation(), counter);
    for (auto gpu :
         llvm::make_early_inc_range(getOperation().getOps<rt::GpuModuleOp>()))
      gpus.describe(gpu);
  }
};

} // namespace

/// The features the code was made for, as "avx2,fma".
std::string ProgramDescriber::features() {
  auto target = module->getAttrOfType<DictionaryAttr>("rt.target");
  auto list = target ? target.getAs<StringAttr>("features") : StringAttr();
  std::string result;
  if (list)
    for (StringRef feature : llvm::split(list.getValue(), ','))
      if (feature.consume_front("+"))
        result += (result.empty() ? "" : ",") + feature.str();
  return result;
}

/// Declared state other than a variable; anything else is left alone.
void ProgramDescriber::addResource(Operation *op) {
  SmallVector<DescribedTensor> components;
  SmallVector<int64_t> numbers;
  auto addComponents = [&](ArrayAttr types) {
    for (Type type : types.getAsValueRange<TypeAttr>())
      components.push_back(
          {"component " + std::to_string(components.size()), type});
  };
  int32_t kind =
      llvm::TypeSwitch<Operation *, int32_t>(op)
          .Case([&](QueueOp queue) {
            addComponents(queue.getComponents());
            numbers = {static_cast<int64_t>(queue.getKind()),
                       static_cast<int64_t>(queue.getCapacity()),
                       static_cast<int64_t>(queue.getMinAfterDequeue()),
                       static_cast<int64_t>(queue.getSeed()),
                       static_cast<int64_t>(queue.getSeed2())};
            return WEIR_RESOURCE_QUEUE;
          })
          .Case([&](BarrierOp barrier) {
            addComponents(barrier.getComponents());
            return WEIR_RESOURCE_BARRIER;
          })
          .Case([&](AccumulatorOp accumulator) {
            components.push_back({"gradient", accumulator.getType()});
            numbers = {static_cast<int64_t>(accumulator.getReduction())};
            return WEIR_RESOURCE_ACCUMULATOR;
          })
          .Case([&](ReaderOp reader) {
            numbers = {static_cast<int64_t>(reader.getKind())};
            llvm::append_range(numbers, reader.getNumbers());
            return WEIR_RESOURCE_READER;
          })
          .Default([](Operation *) { return 0; });
  if (kind == 0)
    return;
  StringRef name = cast<SymbolOpInterface>(op).getName();
  places.resources[name] = static_cast<int32_t>(resources.size());
  LLVM::GlobalOp numberList;
  if (!numbers.empty())
    numberList =
        data("weir.numbers",
             DenseElementsAttr::get(
                 RankedTensorType::get({static_cast<int64_t>(numbers.size())},
                                       b.getI64Type()),
                 ArrayRef(numbers)));
  resources.push_back({text(name), tensors(components), numberList, kind,
                       components.size(), numbers.size()});
  op->erase();
}

void ProgramDescriber::addEntry(StringRef name, LLVM::LLVMFuncOp function,
                                ArrayAttr feeds, ArrayAttr fetches,
                                LLVM::GlobalOp dataflow, StringAttr device) {
  if (device)
    if (auto parsed = DeviceName::parse(device.getValue());
        parsed && parsed->type && *parsed->type != "CPU")
      deviceTypes.insert(*parsed->type);
  entries.push_back({text(name),
                     tensors(parse(feeds)),
                     tensors(parse(fetches)),
                     dataflow,
                     device ? text(device.getValue()) : LLVM::GlobalOp(),
                     {},
                     function,
                     feeds.size(),
                     fetches.size(),
                     0});
}

/// A table of places in the feeds or fetches of the whole.
LLVM::GlobalOp ProgramDescriber::places32(DenseI32ArrayAttr list) {
  if (list.empty())
    return {};
  return data("weir.places",
              DenseElementsAttr::get(RankedTensorType::get({list.size()}, i32),
                                     list.asArrayRef()));
}

/// An entry whose parts are entries, too.
void ProgramDescriber::addSpread(rt::SpreadOp spread) {
  auto parts = spread.getParts().getAsRange<DictionaryAttr>();
  struct Part {
    size_t entry;
    LLVM::GlobalOp feeds, fetches;
  };
  SmallVector<Part> rows;
  for (DictionaryAttr part : parts)
    rows.push_back(
        {entryNumbers.at(part.getAs<FlatSymbolRefAttr>("graph").getValue()),
         places32(part.getAs<DenseI32ArrayAttr>("feeds")),
         places32(part.getAs<DenseI32ArrayAttr>("fetches"))});
  auto table = array("weir.parts", partDesc, rows.size(), [&](size_t i) {
    return pack(partDesc, {number(rows[i].entry), address(rows[i].feeds),
                           address(rows[i].fetches)});
  });
  addEntry(spread.getSymName(), runtimeEntry("weir_rt_run_parts"),
           spread.getFeeds(), spread.getFetches(), {}, {});
  entries.back().parts = table;
  entries.back().partCount = rows.size();
}

/// Refers to what makes the devices, so that the program is linked with it.
LLVM::GlobalOp ProgramDescriber::deviceKinds(size_t &count) {
  OpBuilder top = OpBuilder::atBlockBegin(module.getBody());
  SmallVector<LLVM::GlobalOp> kinds;
  for (const std::string &type : deviceTypes) {
    std::string symbol = "weir_device_kind_" + StringRef(type).lower();
    kinds.push_back(
        LLVM::GlobalOp::create(top, loc, pointer, /*isConstant=*/true,
                               LLVM::Linkage::External, symbol, Attribute()));
  }
  count = kinds.size();
  if (kinds.empty())
    return {};
  return array("weir.device_kinds", pointer, kinds.size(),
               [&](size_t i) { return address(kinds[i]); });
}

/// The function of all entry points that are tables, or that have parts.
LLVM::LLVMFuncOp ProgramDescriber::runtimeEntry(StringRef name) {
  if (auto known = module.lookupSymbol<LLVM::LLVMFuncOp>(name))
    return known;
  OpBuilder top = OpBuilder::atBlockBegin(module.getBody());
  return LLVM::LLVMFuncOp::create(top, loc, name,
                                  LLVM::LLVMFunctionType::get(i32, pointer));
}

/// A function that nobody outside of the program sees.
static void prepareFunction(LLVM::LLVMFuncOp function) {
  function.setLinkage(LLVM::Linkage::Internal);
  function->removeAttr(rt::entryAttrName);
  function->removeAttr(rt::deviceAttrName);
}

void ProgramDescriber::run() {
  SmallVector<DescribedTensor> variables;
  for (auto variable :
       llvm::make_early_inc_range(module.getOps<VariableOp>())) {
    places.variables[variable.getSymName()] =
        static_cast<int32_t>(variables.size());
    variables.push_back({variable.getSymName().str(), variable.getType()});
    variable.erase();
  }
  for (Operation &op : llvm::make_early_inc_range(*module.getBody()))
    addResource(&op);

  // The user's name may be one that a library has: read, main, exp. Kernels
  // are known by the nodes that they belong to and are no entry points.
  llvm::StringSet<> kernels, partNames;
  for (auto table : module.getOps<rt::DataflowOp>())
    for (auto node : table.getBody().getOps<rt::NodeOp>())
      if (auto kernel = node.getKernel())
        kernels.insert(*kernel);
  for (auto spread : module.getOps<rt::SpreadOp>())
    for (auto part : spread.getParts().getAsRange<DictionaryAttr>())
      partNames.insert(part.getAs<FlatSymbolRefAttr>("graph").getValue());
  // What is run by name comes first, in the order of the text.
  SmallVector<Operation *> programs, parts;
  for (Operation &op : *module.getBody())
    if (op.hasAttr(rt::entryAttrName) ||
        isa<rt::DataflowOp, rt::SpreadOp>(op)) {
      StringRef name = cast<SymbolOpInterface>(op).getName();
      if (!kernels.contains(name))
        (partNames.contains(name) ? parts : programs).push_back(&op);
      else
        prepareFunction(cast<LLVM::LLVMFuncOp>(op));
    }
  llvm::append_range(programs, parts);
  for (auto [i, op] : llvm::enumerate(programs))
    entryNumbers[cast<SymbolOpInterface>(op).getName()] = i;
  for (Operation *op : programs) {
    if (auto table = dyn_cast<rt::DataflowOp>(op)) {
      LLVM::GlobalOp nodes = dataflow.describe(table);
      addEntry(table.getSymName(), runtimeEntry("weir_rt_run_dataflow"),
               table.getFeeds(), table.getFetches(), nodes,
               table->getAttrOfType<StringAttr>(rt::deviceAttrName));
      table.erase();
      continue;
    }
    if (auto spread = dyn_cast<rt::SpreadOp>(op)) {
      addSpread(spread);
      spread.erase();
      continue;
    }
    auto function = cast<LLVM::LLVMFuncOp>(op);
    auto signature = function->getAttrOfType<DictionaryAttr>(rt::entryAttrName);
    auto device = function->getAttrOfType<StringAttr>(rt::deviceAttrName);
    prepareFunction(function);
    addEntry(function.getSymName(), function,
             signature.getAs<ArrayAttr>("feeds"),
             signature.getAs<ArrayAttr>("fetches"), {}, device);
    function.setSymName(("weir.entry." + function.getSymName()).str());
  }

  size_t kindCount = 0;
  LLVM::GlobalOp kinds = deviceKinds(kindCount);
  auto variableTable = tensors(variables);
  auto entryTable =
      array("weir.entries", entryDesc, entries.size(), [&](size_t i) {
        Entry &entry = entries[i];
        return pack(entryDesc,
                    {address(entry.name),
                     LLVM::AddressOfOp::create(b, loc, entry.function),
                     address(entry.feeds), address(entry.fetches),
                     number(entry.feedCount), number(entry.fetchCount),
                     address(entry.dataflow), address(entry.device),
                     address(entry.parts), number(entry.partCount)});
      });
  auto resourceTable =
      array("weir.resources", resourceDesc, resources.size(), [&](size_t i) {
        Resource &resource = resources[i];
        return pack(resourceDesc,
                    {address(resource.name), address(resource.components),
                     address(resource.numbers), number(resource.kind),
                     number(resource.componentCount),
                     number(resource.numberCount)});
      });
  auto name = text(module.getSymName().value_or("program")),
       needed = text(features());
  constant("weir_program", program, LLVM::Linkage::External, [&] {
    return pack(program,
                {number(WEIR_PROGRAM_ABI), number(variables.size()),
                 address(name), address(needed), address(variableTable),
                 address(entryTable), address(resourceTable),
                 number(entries.size()), number(resources.size()),
                 address(kinds), number(kindCount)});
  });
}

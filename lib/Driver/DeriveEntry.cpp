//===- DeriveEntry.cpp - An entry point for given feeds and fetches -------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Driver/DeriveEntry.h"

#include "dialects/Weir/DTypes.h"
#include "dialects/Weir/Weir.h"
#include "lib/Analysis/Cycles.h"
#include "lib/Driver/ProgramImpl.h"
#include "runtime/base/DType.h"
#include "runtime/base/Format.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace weir;

namespace {

/// The graph while its arguments and results change.
class Derivation {
public:
  Derivation(GraphOp graph, Messages &messages)
      : graph(graph), block(graph.getBody().front()), messages(messages) {}

  bool run(const EntryRequest &request);
  /// The value of that name, or null.
  Value find(StringRef name) {
    findNames();
    return findValue(name, "feed");
  }

private:
  void findNames();
  Operation *findNode(StringRef name, const char *what);
  Value findValue(StringRef name, const char *what);
  bool addFeed(const FeedRequest &feed);
  Value controlOf(Operation *node);
  void prune();

  GraphOp graph;
  Block &block;
  Messages &messages;
  llvm::StringMap<Operation *> nodes;
  llvm::StringMap<Value> feeds, fetches;
};

} // namespace

/// Names of nodes are looked up many times, and have to mean one node.
void Derivation::findNames() {
  for (Operation &op : block)
    if (auto name =
            op.getAttrOfType<StringAttr>(WeirDialect::getNameAttrName()))
      nodes.try_emplace(name.getValue(), &op);
  for (auto [i, argument] : llvm::enumerate(block.getArguments()))
    feeds[graph.getFeedName(i)] = argument;
  for (auto [i, value] : llvm::enumerate(graph.getFetch().getValues()))
    fetches[graph.getFetchName(i)] = value;
}

Operation *Derivation::findNode(StringRef name, const char *what) {
  if (Operation *node = nodes.lookup(name))
    return node;
  std::vector<std::string> names;
  for (const auto &entry : nodes)
    names.push_back(entry.first().str());
  llvm::sort(names);
  std::vector<std::string_view> known(names.begin(), names.end());
  messages.error(rt::str("[WEIR0115] ", what, " '", name.str(), "': graph '@",
                         graph.getSymName().str(), "' has no node of that name",
                         rt::didYouMean(name.str(), known)));
  return nullptr;
}

/// "name", "name:port", the name of a feed or of a fetch.
Value Derivation::findValue(StringRef name, const char *what) {
  if (Value value = fetches.lookup(name))
    return value;
  if (Value value = feeds.lookup(name))
    return value;
  unsigned port = 0;
  StringRef node = name;
  if (size_t colon = name.rfind(':');
      colon != StringRef::npos &&
      llvm::to_integer(name.substr(colon + 1), port, 10))
    node = name.take_front(colon);
  Operation *op = findNode(node, what);
  if (!op)
    return {};
  if (port < op->getNumResults() &&
      isa<TensorType>(op->getResult(port).getType()))
    return op->getResult(port);
  messages.error(rt::str("[WEIR0115] ", what, " '", name.str(), "': node '",
                         node.str(), "' has no tensor as result ", port));
  return {};
}

bool Derivation::addFeed(const FeedRequest &feed) {
  Value value = findValue(feed.name, "feed");
  if (!value)
    return false;
  auto declared = cast<TensorType>(value.getType());
  Type element = declared.getElementType();
  if (feed.dtype != WEIR_DTYPE_INVALID && dtypeOf(element) != feed.dtype) {
    std::string text;
    llvm::raw_string_ostream(text) << declared;
    const rt::DTypeInfo *given = rt::dtypeInfo(feed.dtype);
    return messages.error(rt::str("[WEIR0302] feed '", feed.name, "' is ", text,
                                  ", and was given elements of type ",
                                  given ? given->name : "unknown"));
  }
  Type type = declared;
  if (feed.dims) {
    SmallVector<int64_t> dims;
    for (int64_t extent : *feed.dims)
      dims.push_back(extent < 0 ? ShapedType::kDynamic : extent);
    type = RankedTensorType::get(dims, element);
    if (failed(verifyCompatibleShape(type, declared))) {
      std::string text;
      llvm::raw_string_ostream(text) << declared;
      return messages.error(rt::str("[WEIR0302] feed '", feed.name, "' is ",
                                    text, ", and was given other extents"));
    }
    // A type that says more than the nodes around it were checked with might
    // contradict what they are declared to give.
    if (declared.hasRank())
      type = declared;
  }
  Value argument = block.addArgument(type, value.getLoc());
  value.replaceAllUsesWith(argument);
  for (auto &entry : fetches)
    if (entry.second == value)
      entry.second = argument;
  feeds[feed.name] = argument;
  return true;
}

/// The control result of a node, or one made for it.
Value Derivation::controlOf(Operation *node) {
  for (Value result : node->getResults())
    if (isa<ControlType>(result.getType()))
      return result;
  OpBuilder builder(block.getTerminator());
  if (node->getNumResults() == 0)
    return {};
  return CompletedOp::create(builder, node->getLoc(), node->getResult(0),
                             ValueRange());
}

/// Erases what the terminator does not need.
void Derivation::prune() {
  llvm::SetVector<Operation *> needed;
  SmallVector<Operation *> work{graph.getFetch()};
  while (!work.empty()) {
    Operation *op = work.pop_back_val();
    if (needed.insert(op))
      llvm::append_range(work, predecessors(op, &block));
  }
  SmallVector<Operation *> dead;
  for (Operation &op : block)
    if (!needed.contains(&op))
      dead.push_back(&op);
  for (Operation *op : dead)
    op->dropAllDefinedValueUses();
  for (Operation *op : dead)
    op->erase();
}

bool Derivation::run(const EntryRequest &request) {
  findNames();
  unsigned formerFeeds = block.getNumArguments();
  for (const FeedRequest &feed : request.feeds)
    if (!addFeed(feed))
      return false;
  SmallVector<Value> values, controls;
  for (const std::string &name : request.fetches) {
    Value value = feeds.lookup(name);
    if (!value)
      value = findValue(name, "fetch");
    if (!value)
      return false;
    values.push_back(value);
  }
  for (const std::string &name : request.targets) {
    Operation *node = findNode(StringRef(name).ltrim('^'), "target");
    if (!node)
      return false;
    if (Value control = controlOf(node))
      controls.push_back(control);
  }
  FetchOp fetch = graph.getFetch();
  OpBuilder builder(fetch);
  FetchOp::create(builder, fetch.getLoc(), values, controls);
  fetch.erase();
  prune();
  for (unsigned i = 0; i < formerFeeds; ++i)
    if (!block.getArgument(i).use_empty())
      return messages.error(rt::str("[WEIR0301] what is fetched needs feed '",
                                    graph.getFeedName(i),
                                    "', which is not given"));
  block.eraseArguments(0, formerFeeds);
  graph.setFunctionType(
      builder.getFunctionType(block.getArgumentTypes(), TypeRange(values)));
  auto named = [&](const std::string &name) {
    return builder.getDictionaryAttr(builder.getNamedAttr(
        WeirDialect::getNameAttrName(), builder.getStringAttr(name)));
  };
  SmallVector<Attribute> argumentAttrs, resultAttrs;
  for (const FeedRequest &feed : request.feeds)
    argumentAttrs.push_back(named(feed.name));
  for (const std::string &name : request.fetches)
    resultAttrs.push_back(named(name));
  graph.setArgAttrsAttr(builder.getArrayAttr(argumentAttrs));
  graph.setResAttrsAttr(builder.getArrayAttr(resultAttrs));
  return true;
}

bool weir::deriveEntry(GraphOp graph, const EntryRequest &request,
                       Messages &messages) {
  return Derivation(graph, messages).run(request);
}

/// True for what handles and nodes name: not for graphs.
static bool declaresState(Operation *op) {
  return isa<VariableOp, QueueOp, BarrierOp, AccumulatorOp, ReaderOp>(op);
}

std::vector<Operation *> weir::usedState(ModuleOp module) {
  std::vector<Operation *> result;
  for (Operation &op : *module.getBody())
    if (declaresState(&op) &&
        !SymbolTable::symbolKnownUseEmpty(&op, module.getOperation()))
      result.push_back(&op);
  return result;
}

void weir::eraseUnusedState(ModuleOp module,
                            const std::vector<Operation *> &before) {
  for (Operation *op : before)
    if (SymbolTable::symbolKnownUseEmpty(op, module.getOperation()))
      op->erase();
}

namespace {

class ModuleSource : public GraphSource {
public:
  ModuleSource(std::unique_ptr<Program> program, std::string entry)
      : program(std::move(program)), entry(std::move(entry)) {}

  bool dependsOnExtents(const std::string &feed) const override {
    Messages ignored;
    auto graph = program->module().lookupSymbol<GraphOp>(entry);
    Value value = Derivation(graph, ignored).find(feed);
    return value && isa<UnrankedTensorType>(value.getType());
  }

  std::unique_ptr<Program> derive(const EntryRequest &request,
                                  Messages &messages) const override {
    std::unique_ptr<Program> copy = program->clone();
    if (!copy->keepEntries({entry}, messages) ||
        !deriveEntry(copy->module().lookupSymbol<GraphOp>(entry), request,
                     messages) ||
        !copy->verify(messages))
      return nullptr;
    return copy;
  }

private:
  std::unique_ptr<Program> program;
  std::string entry;
};

} // namespace

std::unique_ptr<GraphSource>
GraphSource::create(std::unique_ptr<Program> program, const std::string &entry,
                    Messages &messages) {
  std::unique_ptr<Program> copy = program->clone();
  if (!copy->keepEntries({entry}, messages))
    return nullptr;
  return std::make_unique<ModuleSource>(std::move(program), entry);
}

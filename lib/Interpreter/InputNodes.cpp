//===- InputNodes.cpp - Readers, decoders, strings ------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The runtime's readers and decoders, which have judges of their own (the
// libraries that write the formats); here is what lies between them and the
// nodes.
//
//===----------------------------------------------------------------------===//

#include "lib/Interpreter/NodeRun.h"
#include "mlir/IR/BuiltinTypes.h"
#include "runtime/input/Decode.h"
#include "runtime/input/Reader.h"
#include <algorithm>

using namespace mlir;

namespace weir {

//===----------------------------------------------------------------------===//
// Readers
//===----------------------------------------------------------------------===//

static rt::ReadDone doneOf(std::shared_ptr<Wait> wait) {
  return [wait = std::move(wait)](rt::Status status, rt::TensorRef keys,
                                  rt::TensorRef values) {
    std::vector<rt::TensorRef> results;
    if (status.ok() && keys)
      results = {std::move(keys), std::move(values)};
    wait->end(std::move(status), std::move(results));
  };
}

using ReaderFunction = llvm::Error (*)(NodeRun &run,
                                       std::shared_ptr<rt::Reader> reader);

template <ReaderFunction function> static llvm::Error onReader(NodeRun &run) {
  auto reader = run.resource<rt::Reader>(0, "a reader");
  return reader ? function(run, std::move(*reader)) : reader.takeError();
}

static llvm::Error readRecord(NodeRun &run,
                              std::shared_ptr<rt::Reader> reader) {
  auto queue = run.resource<rt::Queue>(1, "a queue");
  if (!queue)
    return queue.takeError();
  auto wait = run.startWait(-1, "a file name in " + (*queue)->describe());
  reader->read(std::move(*queue), &wait->token, doneOf(wait));
  return llvm::Error::success();
}

static llvm::Error readRecords(NodeRun &run,
                               std::shared_ptr<rt::Reader> reader) {
  auto queue = run.resource<rt::Queue>(1, "a queue");
  if (!queue)
    return queue.takeError();
  llvm::Expected<int64_t> count = run.integer(2);
  if (!count)
    return count.takeError();
  auto wait = run.startWait(-1, "a file name in " + (*queue)->describe());
  reader->readUpTo(std::move(*queue), *count, &wait->token, doneOf(wait));
  return llvm::Error::success();
}

template <auto count>
static llvm::Error countOf(NodeRun &run, std::shared_ptr<rt::Reader> reader) {
  run.results[0] = Tensor::scalar(WEIR_I64, ((*reader).*count)());
  return llvm::Error::success();
}

static llvm::Error resetReader(NodeRun &run,
                               std::shared_ptr<rt::Reader> reader) {
  auto wait = run.startWait(-1, "the reads before it in " + reader->describe());
  reader->reset(&wait->token, doneOf(wait));
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Functions of bytes and text
//===----------------------------------------------------------------------===//

namespace {
/// The operands of a node as the runtime's functions take them.
class Views {
public:
  explicit Views(NodeRun &run) : scratch(run.operands.size()) {
    for (unsigned i = 0; i < run.operands.size(); ++i)
      views.push_back(run.tensor(i).view(scratch[i]));
  }

  const WeirView &operator[](size_t i) const { return views[i]; }
  std::vector<WeirView> from(size_t first) const {
    return {views.begin() + static_cast<int64_t>(first), views.end()};
  }

private:
  std::vector<std::vector<WeirString>> scratch;
  std::vector<WeirView> views;
};
} // namespace

/// The end of a node: what a function of the runtime made, or its error.
static llvm::Error finish(NodeRun &run, rt::Status status,
                          ArrayRef<rt::TensorRef> values) {
  if (!status.ok())
    return statusError(run.op, std::move(status));
  return run.setTensors(values);
}

static WeirDType resultDType(NodeRun &run, unsigned i = 0) {
  return dtypeOf(
      cast<TensorType>(run.op->getResult(i).getType()).getElementType());
}

/// The string that operand 0 is, of one element.
static llvm::Expected<std::string> text(NodeRun &run, ErrorKind kind) {
  if (run.tensor(0).size() == 1)
    return run.tensor(0).readStrings()[0];
  return run.error(kind, "one string is needed, but the operand is " +
                             describe(run.tensor(0)));
}

static llvm::Error readFile(NodeRun &run) {
  llvm::Expected<std::string> path = text(run, "WEIR0360");
  if (!path)
    return path.takeError();
  rt::TensorRef bytes;
  rt::Status status = rt::readWholeFile(*path, bytes);
  return finish(run, std::move(status), bytes);
}

static llvm::Error matchFiles(NodeRun &run) {
  std::vector<std::string> all, files;
  for (const std::string &pattern : run.tensor(0).readStrings()) {
    if (rt::Status status = rt::matchingFiles(pattern, files); !status.ok())
      return statusError(run.op, std::move(status));
    all.insert(all.end(), files.begin(), files.end());
  }
  std::sort(all.begin(), all.end());
  int64_t count = static_cast<int64_t>(all.size());
  run.results[0] = Tensor::fromStrings({count}, std::move(all));
  return llvm::Error::success();
}

static llvm::Error decodeRaw(NodeRun &run) {
  rt::TensorRef values;
  rt::Status status =
      rt::decodeRaw(Views(run)[0], resultDType(run),
                    !cast<DecodeRawOp>(run.op).getBigEndian(), values);
  return finish(run, std::move(status), values);
}

static llvm::Error decodeCsv(NodeRun &run) {
  auto op = cast<DecodeCsvOp>(run.op);
  if (op.getDelimiter().size() != 1)
    return run.error("WEIR0364", "the delimiter is one byte, not '" +
                                     op.getDelimiter() + "'");
  rt::CsvOptions options;
  options.delimiter = op.getDelimiter()[0];
  std::string notGiven = op.getNaValue().str();
  options.notGiven = notGiven;
  options.quotes = !op.getNoQuotes();
  Views views(run);
  std::vector<rt::TensorRef> columns;
  rt::Status status = rt::decodeCsv(views[0], views.from(1), options, columns);
  return finish(run, std::move(status), columns);
}

static llvm::Error decodeImage(NodeRun &run) {
  llvm::Expected<std::string> bytes = text(run, "WEIR0363");
  if (!bytes)
    return bytes.takeError();
  int64_t channels =
      static_cast<int64_t>(cast<DecodeImageOp>(run.op).getChannels());
  rt::TensorRef image;
  rt::Status status = rt::decodeImage(*bytes, channels, image);
  return finish(run, std::move(status), image);
}

static llvm::Error decodeNpy(NodeRun &run) {
  llvm::Expected<std::string> bytes = text(run, "WEIR0367");
  if (!bytes)
    return bytes.takeError();
  std::string member = cast<DecodeNpyOp>(run.op).getMember().str();
  rt::TensorRef value;
  rt::Status status = rt::decodeNpy(*bytes, member, value);
  return finish(run, std::move(status), value);
}

static llvm::Error parseExample(NodeRun &run) {
  auto op = cast<ParseExampleOp>(run.op);
  Views views(run);
  std::vector<rt::ExampleFeature> features;
  for (auto [i, name, type] :
       llvm::enumerate(op.getNames().getAsRange<StringAttr>(),
                       op.getFeatures().getAsRange<TypeAttr>())) {
    auto tensor = cast<RankedTensorType>(type.getValue());
    features.push_back({name.getValue(), dtypeOf(tensor.getElementType()),
                        std::vector<int64_t>(tensor.getShape().begin(),
                                             tensor.getShape().end()),
                        views[i + 1]});
  }
  std::vector<rt::TensorRef> values;
  rt::Status status = rt::parseExamples(views[0], features, values);
  return finish(run, std::move(status), values);
}

static llvm::Error joinStrings(NodeRun &run) {
  std::string separator = cast<StringJoinOp>(run.op).getSeparator().str();
  rt::TensorRef joined;
  rt::Status status = rt::joinStrings(Views(run).from(0), separator, joined);
  return finish(run, std::move(status), joined);
}

static llvm::Error asString(NodeRun &run) {
  rt::TensorRef strings;
  rt::Status status = rt::formatNumbers(Views(run)[0], strings);
  return finish(run, std::move(status), strings);
}

static llvm::Error stringToNumber(NodeRun &run) {
  rt::TensorRef values;
  rt::Status status = rt::parseNumbers(Views(run)[0], resultDType(run), values);
  return finish(run, std::move(status), values);
}

void addInputNodes(NodeTable &table) {
  using rt::Reader;
  table.add<ReaderReadOp>(onReader<readRecord>);
  table.add<ReaderReadUpToOp>(onReader<readRecords>);
  table.add<ReaderRecordsProducedOp>(
      onReader<countOf<&Reader::recordsProduced>>);
  table.add<ReaderWorkCompletedOp>(onReader<countOf<&Reader::workCompleted>>);
  table.add<ReaderResetOp>(onReader<resetReader>);
  table.add<ReadFileOp>(readFile);
  table.add<MatchingFilesOp>(matchFiles);
  table.add<DecodeRawOp>(decodeRaw);
  table.add<DecodeCsvOp>(decodeCsv);
  table.add<DecodeImageOp>(decodeImage);
  table.add<DecodeNpyOp>(decodeNpy);
  table.add<ParseExampleOp>(parseExample);
  table.add<StringJoinOp>(joinStrings);
  table.add<AsStringOp>(asString);
  table.add<StringToNumberOp>(stringToNumber);
}

} // namespace weir

//===- CallsTest.cpp - Input nodes as the executor calls them -------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/executor/NodeCall.h"
#include "runtime/input/Reader.h"
#include "test/unit/runtime/checkpoint/TempDirectory.h"
#include "test/unit/runtime/input/InputTestUtil.h"

using namespace weir::rt;
using namespace weir::rt::test;

namespace {

/// The part of the executor that a call sees.
struct FakeCall final : WeirNodeCall {
  FakeCall(const WeirNodeDesc &node, StepResources &resources,
           CancellationToken &token)
      : WeirNodeCall(node, *reinterpret_cast<WeirSession *>(1), resources,
                     token) {}
  int finished = 0;
  Status status;
};

} // namespace

// These tests are linked without the executor, which defines this.
void WeirNodeCall::finish(Status status) {
  FakeCall *call = static_cast<FakeCall *>(this);
  ++call->finished;
  call->status = std::move(status);
}

namespace {

/// A node and its inputs, run once.
struct Node {
  explicit Node(WeirNodeFn fn) : fn(fn) {}

  Node &input(TensorRef tensor) {
    inputs.push_back(std::move(tensor));
    return *this;
  }
  Node &output(int32_t dtype, const std::vector<int64_t> &dims) {
    outputDims.push_back(dims);
    outputs.push_back(
        {nullptr, nullptr, static_cast<int32_t>(dims.size()), dtype});
    return *this;
  }
  Node &anyOutput(int32_t dtype) {
    output(dtype, {});
    outputs.back().rank = -1;
    return *this;
  }
  Node &number(int64_t value) {
    numbers.push_back(value);
    return *this;
  }
  Node &text(std::string_view value) {
    texts.push_back({value.data(), static_cast<int64_t>(value.size())});
    return *this;
  }

  /// The error's message; empty for none.
  std::string run() {
    for (size_t i = 0; i < outputs.size(); ++i)
      outputs[i].dims = outputDims[i].data();
    WeirNodeDesc desc = {};
    desc.kind = WEIR_NODE_CALL;
    desc.index = -1;
    desc.name = "node";
    desc.input_count = static_cast<int32_t>(inputs.size());
    desc.output_count = static_cast<int32_t>(outputs.size());
    desc.outputs = outputs.data();
    desc.number_count = static_cast<int32_t>(numbers.size());
    desc.numbers = numbers.data();
    desc.text_count = static_cast<int32_t>(texts.size());
    desc.texts = texts.data();
    StepResources resources;
    CancellationToken token;
    FakeCall call(desc, resources, token);
    results.assign(outputs.size(), TensorRef());
    call.inputs = inputs.data();
    call.outputs = results.data();
    fn(&call);
    EXPECT_EQ(call.finished, 1);
    for (const TensorRef &result : results)
      EXPECT_TRUE(!call.status.ok() || result);
    return call.status.message();
  }

  WeirNodeFn fn;
  std::vector<TensorRef> inputs, results;
  std::vector<std::vector<int64_t>> outputDims;
  std::vector<WeirTensorDesc> outputs;
  std::vector<int64_t> numbers;
  std::vector<WeirString> texts;
};

TensorRef text(const std::string &value) { return strings({}, {value}); }

TEST(CallsTest, ReadFile) {
  TempDirectory directory;
  directory.write("f", std::string("a\0b", 3));
  Node node(weir_node_read_file);
  node.input(text(directory.file("f"))).output(WEIR_STRING, {});
  EXPECT_EQ(node.run(), "");
  EXPECT_EQ(textsOf(node.results[0])[0], std::string("a\0b", 3));
  node.inputs[0] = text(directory.file("none"));
  EXPECT_EQ(node.run(), "[WEIR0360] cannot open '" + directory.file("none") +
                            "': No such file or directory");
  node.inputs[0] = text(directory.path);
  EXPECT_NE(node.run(), "");
  node.inputs[0] = strings({2}, {"a", "b"});
  EXPECT_EQ(node.run(), "[WEIR0360] one string is needed, this is "
                        "tensor<2x!weir.string>");
}

TEST(CallsTest, MatchingFiles) {
  TempDirectory directory;
  for (const char *name : {"b.txt", "a.txt", ".h.txt", "[z].txt", "a1.txt"})
    directory.write(name, "");
  std::filesystem::create_directories(directory.file("sub/.x"));
  std::filesystem::create_directories(directory.file("sub2"));
  for (const char *name : {"sub/c.txt", "sub2/c.txt", "sub/.x/d.txt"})
    directory.write(name, "");
  Node node(weir_node_matching_files);
  node.output(WEIR_STRING, {-1});
  auto match = [&](const std::vector<std::string> &patterns) {
    std::vector<std::string> whole;
    for (const std::string &pattern : patterns)
      whole.push_back(directory.file(pattern));
    node.inputs.assign(1, strings({static_cast<int64_t>(whole.size())}, whole));
    EXPECT_EQ(node.run(), "");
    std::string found;
    for (const std::string &path : textsOf(node.results[0]))
      found += path.substr(directory.path.size() + 1) + " ";
    return found;
  };
  // TensorFlow's answers for the same files.
  EXPECT_EQ(match({"*.txt"}), ".h.txt [z].txt a.txt a1.txt b.txt ");
  EXPECT_EQ(match({"*"}), ".h.txt [z].txt a.txt a1.txt b.txt sub sub2 ");
  EXPECT_EQ(match({"sub*"}), "sub sub2 ");
  EXPECT_EQ(match({"*/c.txt"}), "sub/c.txt sub2/c.txt ");
  EXPECT_EQ(match({"sub/*/d.txt"}), "sub/.x/d.txt ");
  EXPECT_EQ(match({"a?.txt"}), "a1.txt ");
  EXPECT_EQ(match({"[ab].txt"}), "a.txt b.txt ");
  EXPECT_EQ(match({"[!a].txt"}), "b.txt ");
  EXPECT_EQ(match({"\\[z].txt"}), "[z].txt ");
  EXPECT_EQ(match({"./a*.txt"}), "./a.txt ./a1.txt ");
  EXPECT_EQ(match({"a.txt"}), "a.txt ");
  EXPECT_EQ(match({"none*", "none", "none/*"}), "");
  EXPECT_EQ(match({"b*", "a*"}), "a.txt a1.txt b.txt ");
  EXPECT_EQ(match({"*.txt", "a.txt"}),
            ".h.txt [z].txt a.txt a.txt a1.txt b.txt ");
}

TEST(CallsTest, ResultsFitTheirDeclarations) {
  Node node(weir_node_decode_raw);
  node.input(text("abcd")).output(WEIR_U8, {3}).number(1);
  EXPECT_EQ(node.run(), "[WEIR0365] the input holds tensor<4xui8>, the graph "
                        "declares tensor<3xui8>");
  node.outputDims[0] = {4};
  EXPECT_EQ(node.run(), "");
  Node other(weir_node_decode_raw);
  other.input(text("abcd")).anyOutput(WEIR_U16).number(0);
  EXPECT_EQ(other.run(), "");
  EXPECT_EQ(static_cast<uint16_t *>(other.results[0].get()->data)[0],
            'a' << 8 | 'b');
}

TEST(CallsTest, DecodeCsv) {
  Node node(weir_node_decode_csv);
  node.input(strings({2}, {"1;\"b\"", "-;c"}))
      .input(vector({7}))
      .input(strings({1}, {""}))
      .output(WEIR_I64, {-1})
      .output(WEIR_STRING, {2})
      .number(0)
      .text(";")
      .text("-");
  EXPECT_EQ(node.run(), "");
  EXPECT_EQ(valuesOf(node.results[0]), (std::vector<int64_t>{1, 7}));
  EXPECT_EQ(textsOf(node.results[1]), (std::vector<std::string>{"\"b\"", "c"}));
  node.texts[0].size = 0;
  EXPECT_EQ(node.run(), "[WEIR0364] the delimiter is one byte, not ''");
}

TEST(CallsTest, ParseExample) {
  // {"i": [5, 6]}
  std::string message(
      "\x0a\x0d\x0a\x0b\x0a\x01i\x12\x06\x1a\x04\x0a\x02\x05\x06", 15);
  Node node(weir_node_parse_example);
  node.input(strings({1}, {message}))
      .input(vector({}))
      .output(WEIR_I64, {-1, 2})
      .number(1)
      .number(2)
      .text("i");
  EXPECT_EQ(node.run(), "");
  EXPECT_EQ(valuesOf(node.results[0]), (std::vector<int64_t>{5, 6}));
}

TEST(CallsTest, Strings) {
  Node join(weir_node_string_join);
  join.input(text("a")).input(text("b")).output(WEIR_STRING, {}).text("-");
  EXPECT_EQ(join.run(), "");
  EXPECT_EQ(textsOf(join.results[0])[0], "a-b");
  Node format(weir_node_as_string);
  format.input(vector({-1, 20})).output(WEIR_STRING, {-1});
  EXPECT_EQ(format.run(), "");
  EXPECT_EQ(textsOf(format.results[0]), (std::vector<std::string>{"-1", "20"}));
  Node parse(weir_node_string_to_number);
  parse.input(text("12")).output(WEIR_I64, {});
  EXPECT_EQ(parse.run(), "");
  EXPECT_EQ(valuesOf(parse.results[0])[0], 12);
}

TEST(CallsTest, DecodersNameWhatIsWrong) {
  Node image(weir_node_decode_image);
  image.input(text("x")).output(WEIR_U8, {-1, -1, 3}).number(3).text("png");
  EXPECT_EQ(image.run(),
            "[WEIR0363] 1 bytes do not begin as a PNG or JPEG image");
  Node npy(weir_node_decode_npy);
  npy.input(text("x")).output(WEIR_F32, {-1}).text("");
  EXPECT_EQ(npy.run(), "[WEIR0316] 'input' cannot be read as an .npy file: it "
                       "does not start as one");
}

TensorRef handleOf(std::shared_ptr<Resource> resource) {
  TensorRef handle;
  EXPECT_TRUE(makeHandle(std::move(resource), handle).ok());
  return handle;
}

TEST(CallsTest, Readers) {
  std::vector<int64_t> numbers = {4};
  WeirResourceDesc desc = {"r", nullptr, numbers.data(), WEIR_RESOURCE_READER,
                           0,   1};
  Status status;
  TensorRef reader = handleOf(makeReader(desc, status));
  QueueSpec spec;
  spec.name = "names";
  spec.components = {{WEIR_STRING, true, {}}};
  std::shared_ptr<Queue> names = makeQueue(std::move(spec));
  for (const char *name : {"a", "b", "c"}) {
    Outcome outcome;
    names->enqueue({text(name)}, outcome.done());
  }
  TensorRef queue = handleOf(names);

  Node read(weir_node_reader_read);
  read.input(reader)
      .input(queue)
      .output(WEIR_STRING, {})
      .output(WEIR_STRING, {});
  EXPECT_EQ(read.run(), "");
  EXPECT_EQ(textsOf(read.results[0])[0], "a");
  EXPECT_EQ(dimsOf(read.results[1]), std::vector<int64_t>{});

  Node upTo(weir_node_reader_read_up_to);
  upTo.input(reader)
      .input(queue)
      .input(scalar(5))
      .output(WEIR_STRING, {-1})
      .output(WEIR_STRING, {-1});
  EXPECT_EQ(upTo.run(), "");
  EXPECT_EQ(textsOf(upTo.results[1]), (std::vector<std::string>{"b"}));

  Node produced(weir_node_reader_records_produced);
  produced.input(reader).output(WEIR_I64, {});
  EXPECT_EQ(produced.run(), "");
  EXPECT_EQ(valuesOf(produced.results[0])[0], 2);
  Node reset(weir_node_reader_reset);
  reset.input(reader);
  EXPECT_EQ(reset.run(), "");
  Node completed(weir_node_reader_work_completed);
  completed.input(reader).output(WEIR_I64, {});
  EXPECT_EQ(completed.run(), "");
  EXPECT_EQ(valuesOf(completed.results[0])[0], 0);

  read.inputs[0] = queue;
  EXPECT_EQ(read.run(), "[WEIR0362] input 0 should be a handle of a reader, it "
                        "is one of the FIFO queue 'names'");
  upTo.inputs[2] = vector({1});
  EXPECT_EQ(upTo.run(), "[WEIR0362] the number of records is a tensor<i64>, "
                        "not tensor<1xi64>");
}

} // namespace

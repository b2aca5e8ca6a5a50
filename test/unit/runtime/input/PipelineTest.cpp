//===- PipelineTest.cpp - An input pipeline, all of it --------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Files are found, read, decoded and put in a queue by entry points of their
// own, under the executor, beside one that takes batches: with a Coordinator,
// and from the command line.
//
//===----------------------------------------------------------------------===//

#include "runtime/cli/Npy.h"
#include "runtime/input/Coordinator.h"
#include "runtime/main/CommandLine.h"
#include "test/unit/runtime/checkpoint/TempDirectory.h"
#include "test/unit/runtime/input/InputTestUtil.h"
#include "weir-c/dataflow.h"

using namespace weir::rt;
using namespace weir::rt::test;

namespace {

// The program:
//   queue names of strings; queue examples, capacity 5, of (f32, string);
//   reader lines.
//   fill():  names <- matching_files(pattern)
//   put(name): names <- name
//   close_names(), close_examples()
//   read():  examples <- decode_csv(reader_read(lines, names))
//   take() -> (x, y): dequeue_up_to(examples, 4)

WeirHandleDesc namesHandle = {0, 0}, examplesHandle = {0, 1},
               linesHandle = {0, 2};
WeirString pattern = {"", 0};
int32_t batchSize = 4;
const int64_t kNone[] = {0}, kAny[] = {-1};

const WeirView kConstants[] = {{&namesHandle, nullptr, 0, WEIR_RESOURCE},
                               {&examplesHandle, nullptr, 0, WEIR_RESOURCE},
                               {&linesHandle, nullptr, 0, WEIR_RESOURCE},
                               {&pattern, nullptr, 0, WEIR_STRING},
                               {&batchSize, nullptr, 0, WEIR_I32},
                               {nullptr, kNone, 1, WEIR_F32},
                               {nullptr, kNone, 1, WEIR_STRING}};
constexpr WeirEdge kNames = {-1, 0}, kExamples = {-1, 1}, kLines = {-1, 2},
                   kPattern = {-1, 3}, kBatch = {-1, 4}, kNoFloat = {-1, 5},
                   kNoText = {-1, 6};

const WeirTensorDesc kText[] = {{nullptr, nullptr, 0, WEIR_STRING},
                                {nullptr, nullptr, 0, WEIR_STRING}};
const WeirTensorDesc kTexts[] = {{nullptr, kAny, 1, WEIR_STRING}};
const WeirTensorDesc kFields[] = {{nullptr, nullptr, 0, WEIR_F32},
                                  {nullptr, nullptr, 0, WEIR_STRING}};
const WeirTensorDesc kColumns[] = {{"x", kAny, 1, WEIR_F32},
                                   {"y", kAny, 1, WEIR_STRING}};
const WeirTensorDesc kName[] = {{nullptr, nullptr, 0, WEIR_STRING}};
const int64_t kNoTimeOut[] = {-1}, kKeepPending[] = {0}, kQuotes[] = {1};
const WeirString kCsvTexts[] = {{",", 1}, {"", 0}};
const WeirFrameDesc kFrames[] = {{"graph", -1, 1}};

/// A call; its inputs, outputs, numbers and texts are constant data.
struct Node : WeirNodeDesc {
  Node(const char *name, WeirNodeFn call) : WeirNodeDesc() {
    kind = WEIR_NODE_CALL;
    index = -1;
    this->name = name;
    this->call = call;
  }
  static Node fetch(const char *name, int32_t index, const WeirEdge *from) {
    Node node(name, nullptr);
    node.kind = WEIR_NODE_FETCH;
    node.index = index;
    node.inputs = from;
    node.input_count = 1;
    return node;
  }
  template <size_t n> Node &from(const WeirEdge (&edges)[n]) {
    inputs = edges;
    input_count = n;
    return *this;
  }
  Node &to(const WeirTensorDesc *descs, int32_t count) {
    outputs = descs;
    output_count = count;
    return *this;
  }
  Node &with(const int64_t *number) {
    numbers = number;
    number_count = 1;
    return *this;
  }
  Node &csv() {
    texts = kCsvTexts;
    text_count = 2;
    return with(kQuotes);
  }
};

const WeirEdge kFillFiles[] = {kPattern}, kFillNames[] = {kNames, {0, 0}},
               kCloseNames[] = {kNames}, kCloseExamples[] = {kExamples},
               kRead[] = {kLines, kNames},
               kDecode[] = {{0, 1}, kNoFloat, kNoText},
               kPut[] = {kExamples, {1, 0}, {1, 1}},
               kTake[] = {kExamples, kBatch}, kX[] = {{0, 0}}, kY[] = {{0, 1}};

const WeirNodeDesc kFillNodes[] = {
    Node("'files'", weir_node_matching_files).from(kFillFiles).to(kTexts, 1),
    Node("'fill'", weir_node_enqueue_many).from(kFillNames).with(kNoTimeOut)};
const WeirEdge kPutName[] = {kNames, {0, 0}};
Node feedNode() {
  Node node("'name'", nullptr);
  node.kind = WEIR_NODE_FEED;
  node.index = 0;
  return node.to(kText, 1);
}
const WeirNodeDesc kPutNodes[] = {
    feedNode(),
    Node("'put'", weir_node_enqueue).from(kPutName).with(kNoTimeOut)};
const WeirNodeDesc kCloseNamesNodes[] = {Node("'close'", weir_node_queue_close)
                                             .from(kCloseNames)
                                             .with(kKeepPending)};
const WeirNodeDesc kCloseExamplesNodes[] = {
    Node("'close'", weir_node_queue_close)
        .from(kCloseExamples)
        .with(kKeepPending)};
const WeirNodeDesc kReadNodes[] = {
    Node("'read'", weir_node_reader_read).from(kRead).to(kText, 2),
    Node("'decode'", weir_node_decode_csv).from(kDecode).to(kFields, 2).csv(),
    Node("'put'", weir_node_enqueue).from(kPut).with(kNoTimeOut)};
const WeirNodeDesc kTakeNodes[] = {Node("'take'", weir_node_dequeue_up_to)
                                       .from(kTake)
                                       .to(kColumns, 2)
                                       .with(kNoTimeOut),
                                   Node::fetch("'x'", 0, kX),
                                   Node::fetch("'y'", 1, kY)};

template <size_t n> WeirDataflow dataflow(const WeirNodeDesc (&nodes)[n]) {
  return {nodes, kFrames, kConstants,
          n,     1,       sizeof(kConstants) / sizeof(kConstants[0])};
}
const WeirDataflow kFill = dataflow(kFillNodes),
                   kCloseN = dataflow(kCloseNamesNodes),
                   kCloseE = dataflow(kCloseExamplesNodes),
                   kReadOne = dataflow(kReadNodes),
                   kTakeBatch = dataflow(kTakeNodes),
                   kPutOne = dataflow(kPutNodes);
const WeirTensorDesc kNameFeed[] = {{"name", nullptr, 0, WEIR_STRING}};

const WeirEntryDesc kEntries[] = {
    {"fill", weir_rt_run_dataflow, nullptr, nullptr, 0, 0, &kFill},
    {"close_names", weir_rt_run_dataflow, nullptr, nullptr, 0, 0, &kCloseN},
    {"read", weir_rt_run_dataflow, nullptr, nullptr, 0, 0, &kReadOne},
    {"close_examples", weir_rt_run_dataflow, nullptr, nullptr, 0, 0, &kCloseE},
    {"take", weir_rt_run_dataflow, nullptr, kColumns, 0, 2, &kTakeBatch},
    {"put", weir_rt_run_dataflow, kNameFeed, nullptr, 1, 0, &kPutOne},
};
const int64_t kFifo[] = {0, 100, 0, 0, 0}, kSmallFifo[] = {0, 5, 0, 0, 0},
              kTextLines[] = {1, 1};
const WeirResourceDesc kResources[] = {
    {"names", kName, kFifo, WEIR_RESOURCE_QUEUE, 1, 5},
    {"examples", kFields, kSmallFifo, WEIR_RESOURCE_QUEUE, 2, 5},
    {"lines", nullptr, kTextLines, WEIR_RESOURCE_READER, 0, 2}};
const WeirProgram kProgram = {
    WEIR_PROGRAM_ABI, 0, "pipeline", "", nullptr, kEntries, kResources, 6, 3};

class PipelineTest : public testing::Test {
protected:
  void SetUp() override {
    files = directory.file("*.csv");
    pattern = {files.data(), static_cast<int64_t>(files.size())};
    // Each with a heading that the reader skips.
    directory.write("a.csv", "x,y\n0,a\n1,\"b,\"\n2,c\n");
    directory.write("b.csv", "x,y\n3,d\n4,e\n5,f\n6,g\n");
  }

  int run(std::vector<const char *> arguments) {
    arguments.insert(arguments.begin(), "pipeline");
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    int code = runCommandLine(kProgram, static_cast<int>(arguments.size()),
                              arguments.data());
    out = testing::internal::GetCapturedStdout();
    err = testing::internal::GetCapturedStderr();
    return code;
  }

  static RunnerOptions runner(const char *entry, const char *closingEntry,
                              int64_t steps = -1) {
    RunnerOptions options;
    options.entry = entry;
    options.closingEntry = closingEntry;
    options.steps = steps;
    return options;
  }

  TempDirectory directory;
  std::string files, out, err;
};

TEST_F(PipelineTest, BatchesUntilTheDataEnd) {
  WeirStatus status = WEIR_STATUS_INIT;
  WeirSession *session = weir_session_create(&kProgram, &status);
  ASSERT_TRUE(session) << status.message;
  std::vector<float> xs;
  std::vector<std::string> ys;
  {
    Coordinator coordinator(*session);
    ASSERT_TRUE(coordinator.start(runner("read", "close_examples")).ok());
    ASSERT_TRUE(coordinator.start(runner("fill", "close_names", 1)).ok());
    for (int code = WEIR_OK; code == WEIR_OK;) {
      WeirTensor *fetches[2];
      code = weir_session_run(session, 4, nullptr, fetches, &status);
      if (code != WEIR_OK) {
        EXPECT_EQ(code, WEIR_OUT_OF_RANGE) << status.message;
        break;
      }
      TensorRef x(fetches[0]), y(fetches[1]);
      const float *values = static_cast<const float *>(x.get()->data);
      xs.insert(xs.end(), values, values + dimsOf(x)[0]);
      for (const std::string &text : textsOf(y))
        ys.push_back(text);
    }
    Status joined = coordinator.join();
    EXPECT_TRUE(joined.ok()) << joined.message();
  }
  EXPECT_EQ(xs, (std::vector<float>{0, 1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(ys, (std::vector<std::string>{"a", "b,", "c", "d", "e", "f", "g"}));
  weir_status_clear(&status);
  weir_session_destroy(session);
}

TEST_F(PipelineTest, StopsWhileRunnersWait) {
  WeirStatus status = WEIR_STATUS_INIT;
  WeirSession *session = weir_session_create(&kProgram, &status);
  ASSERT_TRUE(session) << status.message;
  {
    // Nobody takes: `read` waits for room, `fill` in the end too.
    Coordinator coordinator(*session);
    ASSERT_TRUE(coordinator.start(runner("read", "")).ok());
    ASSERT_TRUE(coordinator.start(runner("fill", "")).ok());
    while (coordinator.stepCount() < 10)
      std::this_thread::yield();
    coordinator.requestStop();
    Status joined = coordinator.join();
    EXPECT_TRUE(joined.ok()) << joined.message();
  }
  weir_session_destroy(session);
}

TEST_F(PipelineTest, FromTheCommandLine) {
  std::string x = "x=" + directory.file("x.npy");
  EXPECT_EQ(run({"run", "take", "--runner", "read=close_examples", "--runner",
                 "fill:1=close_names", "--output", x.c_str()}),
            0)
      << err;
  EXPECT_NE(out.find("the data ended after 2 steps"), std::string::npos) << out;
  // The last batch.
  EXPECT_NE(out.find("y = [\"e\", \"f\", \"g\"]"), std::string::npos) << out;
  TensorRef array;
  ASSERT_TRUE(readNpy(directory.file("x.npy"), array).ok());
  EXPECT_EQ(dimsOf(array), std::vector<int64_t>{3});
}

TEST_F(PipelineTest, FeedsOfRunners) {
  std::string name = "name=" + directory.file("a.csv");
  EXPECT_EQ(run({"run", "take", "--feed", name.c_str(), "--runner",
                 "put:1=close_names", "--runner", "read=close_examples"}),
            0)
      << err;
  EXPECT_NE(out.find("y = [\"a\", \"b,\", \"c\"]"), std::string::npos) << out;
  EXPECT_EQ(run({"run", "take", "--feed", "nam=x", "--runner", "put:1"}), 1);
  EXPECT_NE(err.find("[WEIR0301] entry 'put' needs feed 'name'"),
            std::string::npos)
      << err;
  EXPECT_EQ(run({"run", "take", "--feed", "nam=x", "--runner", "fill:1"}), 1);
  EXPECT_NE(err.find("[WEIR0304] entry 'take' has no feed 'nam'"),
            std::string::npos)
      << err;
}

TEST_F(PipelineTest, EpochsAndSteps) {
  EXPECT_EQ(run({"run", "take", "--runner", "read=close_examples", "--runner",
                 "read=close_examples", "--runner", "fill:20=close_names"}),
            0)
      << err;
  EXPECT_NE(out.find("the data ended after 35 steps"), std::string::npos)
      << out;
  // Without an end, as many steps as are asked for.
  EXPECT_EQ(run({"run", "take", "--steps", "50", "--runner",
                 "read=close_examples", "--runner", "fill=close_names"}),
            0)
      << err;
  EXPECT_EQ(out.find("the data ended"), std::string::npos) << out;
}

TEST_F(PipelineTest, ARunnersErrorIsTheProgramsError) {
  directory.write("b.csv", "x,y\n3,d\nfour,e\n");
  // Also where no closing entry ends the wait.
  for (const char *reader : {"read=close_examples", "read"}) {
    EXPECT_EQ(run({"run", "take", "--runner", reader, "--runner",
                   "fill:1=close_names"}),
              1);
    EXPECT_NE(err.find("error: [WEIR0364] runner 'read': "), std::string::npos)
        << err;
    EXPECT_NE(err.find("field 0 of record 0 is no f32: 'four'"),
              std::string::npos)
        << err;
  }
}

TEST_F(PipelineTest, NoDataAtAll) {
  files = directory.file("none*");
  pattern = {files.data(), static_cast<int64_t>(files.size())};
  EXPECT_EQ(run({"run", "take", "--runner", "read=close_examples", "--runner",
                 "fill:1=close_names"}),
            1);
  EXPECT_NE(err.find("[WEIR0341]"), std::string::npos) << err;
}

TEST_F(PipelineTest, RunnersThatCannotBe) {
  EXPECT_EQ(run({"run", "take", "--runner", "red"}), 1);
  EXPECT_NE(err.find("did you mean 'read'"), std::string::npos) << err;
  EXPECT_EQ(run({"run", "take", "--runner", "read:0"}), 1);
  EXPECT_NE(err.find("[WEIR0319] --runner read:0 does not say how often"),
            std::string::npos)
      << err;
}

} // namespace

//===- CallTest.cpp - Running the call of one node ------------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/runtime/calls/CallTest.h"
#include "runtime/state/MakeResource.h"

using namespace weir::rt;
using namespace weir::rt::test;

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

template <typename T>
static TensorRef make(int32_t dtype, const Dims &dims,
                      const std::vector<T> &values) {
  TensorRef tensor;
  EXPECT_TRUE(createTensor(dtype, static_cast<int32_t>(dims.size()),
                           dims.data(), tensor)
                  .ok());
  EXPECT_EQ(viewBytes(tensor.view()),
            static_cast<int64_t>(values.size() * sizeof(T)));
  if (!values.empty())
    std::memcpy(tensor.get()->data, values.data(), values.size() * sizeof(T));
  return tensor;
}

template <typename T> static std::vector<T> elements(const TensorRef &tensor) {
  WeirView view = tensor.view();
  const T *data = static_cast<const T *>(view.data);
  return std::vector<T>(data, data + viewBytes(view) /
                                         static_cast<int64_t>(sizeof(T)));
}

TensorRef weir::rt::test::i32s(const Dims &dims,
                               const std::vector<int32_t> &values) {
  return make(WEIR_I32, dims, values);
}
TensorRef weir::rt::test::i64s(const Dims &dims, const Ints &values) {
  return make(WEIR_I64, dims, values);
}
TensorRef weir::rt::test::f32s(const Dims &dims, const Floats &values) {
  return make(WEIR_F32, dims, values);
}
TensorRef weir::rt::test::bools(const Dims &dims,
                                const std::vector<uint8_t> &values) {
  return make(WEIR_BOOL, dims, values);
}

TensorRef weir::rt::test::texts(const Dims &dims, const Texts &values) {
  std::vector<WeirString> parts;
  for (const std::string &value : values)
    parts.push_back({value.data(), static_cast<int64_t>(value.size())});
  TensorRef tensor;
  EXPECT_TRUE(createStringTensor(static_cast<int32_t>(dims.size()), dims.data(),
                                 parts.data(), tensor)
                  .ok());
  return tensor;
}

Ints weir::rt::test::intsOf(const TensorRef &tensor) {
  if (!tensor)
    return {};
  if (tensor.view().dtype == WEIR_I32) {
    auto values = elements<int32_t>(tensor);
    return Ints(values.begin(), values.end());
  }
  if (tensor.view().dtype == WEIR_BOOL) {
    auto values = elements<uint8_t>(tensor);
    return Ints(values.begin(), values.end());
  }
  EXPECT_EQ(tensor.view().dtype, WEIR_I64);
  return elements<int64_t>(tensor);
}

Floats weir::rt::test::floatsOf(const TensorRef &tensor) {
  if (!tensor)
    return {};
  EXPECT_EQ(tensor.view().dtype, WEIR_F32);
  return elements<float>(tensor);
}

Texts weir::rt::test::textsOf(const TensorRef &tensor) {
  Texts values;
  if (!tensor)
    return values;
  EXPECT_EQ(tensor.view().dtype, WEIR_STRING);
  for (const WeirString &text : elements<WeirString>(tensor))
    values.emplace_back(text.data ? text.data : "",
                        static_cast<size_t>(text.size));
  return values;
}

Dims weir::rt::test::dimsOf(const TensorRef &tensor) {
  if (!tensor)
    return {};
  WeirView view = tensor.view();
  return Dims(view.dims, view.dims + view.rank);
}

//===----------------------------------------------------------------------===//
// The program
//===----------------------------------------------------------------------===//

static const int64_t kTwo[] = {2}, kOpen[] = {-1};
static const WeirTensorDesc kVariables[] = {{"w", kTwo, 1, WEIR_F32},
                                            {"n", nullptr, 0, WEIR_I64}};
static const WeirTensorDesc kI64[] = {{"", nullptr, 0, WEIR_I64}};
static const WeirTensorDesc kI64AndText[] = {{"", nullptr, 0, WEIR_I64},
                                             {"", nullptr, 0, WEIR_STRING}};
static const WeirTensorDesc kI64AndF32[] = {{"", nullptr, 0, WEIR_I64},
                                            {"", nullptr, 0, WEIR_F32}};
static const WeirTensorDesc kRow[] = {{"", kOpen, 1, WEIR_I64}};
static const WeirTensorDesc kAnyF32[] = {{"", nullptr, -1, WEIR_F32}};
static const WeirTensorDesc kTwoF32[] = {{"", kTwo, 1, WEIR_F32}};
static const int64_t kFifoNumbers[] = {0, 2, 0, 0, 0};
static const int64_t kUnbounded[] = {0, -1, 0, 0, 0};
static const int64_t kShuffleNumbers[] = {1, -1, 0, 3, 4};
static const int64_t kPaddingNumbers[] = {2, -1, 0, 0, 0};
static const int64_t kPriorityNumbers[] = {3, -1, 0, 0, 0};
static const int64_t kMeanNumbers[] = {0}, kSumNumbers[] = {1};
static const WeirResourceDesc kResources[] = {
    {"q", kI64, kFifoNumbers, WEIR_RESOURCE_QUEUE, 1, 5},
    {"pairs", kI64AndText, kUnbounded, WEIR_RESOURCE_QUEUE, 2, 5},
    {"shuffle", kI64, kShuffleNumbers, WEIR_RESOURCE_QUEUE, 1, 5},
    {"padding", kRow, kPaddingNumbers, WEIR_RESOURCE_QUEUE, 1, 5},
    {"priority", kI64AndF32, kPriorityNumbers, WEIR_RESOURCE_QUEUE, 2, 5},
    {"anything", kAnyF32, kUnbounded, WEIR_RESOURCE_QUEUE, 1, 5},
    {"b", kI64AndF32, nullptr, WEIR_RESOURCE_BARRIER, 2, 0},
    {"mean", kTwoF32, kMeanNumbers, WEIR_RESOURCE_ACCUMULATOR, 1, 1},
    {"sum", kAnyF32, kSumNumbers, WEIR_RESOURCE_ACCUMULATOR, 1, 1},
    {"r", nullptr, nullptr, WEIR_RESOURCE_READER, 0, 0},
};

const WeirProgram weir::rt::test::callProgram = {
    WEIR_PROGRAM_ABI,
    2,
    "calls",
    "",
    kVariables,
    nullptr,
    kResources,
    0,
    sizeof(kResources) / sizeof(kResources[0]),
    nullptr,
    0,
};

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

namespace {

struct TestCall : WeirNodeCall {
  TestCall(const WeirNodeDesc &node, WeirSession &session,
           StepResources &resources, CancellationToken &token,
           std::vector<TensorRef> in, std::shared_ptr<CallResult> result)
      : WeirNodeCall(node, session, resources, token), in(std::move(in)),
        out(static_cast<size_t>(node.output_count)), result(std::move(result)) {
    inputs = this->in.data();
    outputs = out.data();
  }

  std::vector<TensorRef> in, out;
  std::shared_ptr<CallResult> result;
};

} // namespace

void WeirNodeCall::finish(Status status) {
  TestCall *call = static_cast<TestCall *>(this);
  std::shared_ptr<CallResult> result = std::move(call->result);
  std::vector<TensorRef> outputs = std::move(call->out);
  delete call;
  result->end(std::move(status), std::move(outputs));
}

Status weir::rt::runKernel(WeirSession &session, const char *name,
                           WeirEntryFn kernel, const WeirView *inputs,
                           int32_t inputCount, const WeirTensorDesc *descs,
                           TensorRef *outputs, int32_t outputCount, Device *) {
  WeirEntryDesc entry = {name,        kernel,  nullptr, descs,   inputCount,
                         outputCount, nullptr, nullptr, nullptr, 0};
  std::vector<WeirTensor *> fetches(static_cast<size_t>(outputCount));
  Step step(session, entry, inputs, fetches.data());
  kernel(&step);
  for (int32_t i = 0; i < outputCount; ++i)
    outputs[i] = TensorRef(fetches[static_cast<size_t>(i)]);
  return std::move(step.status);
}

CallResult::~CallResult() { EXPECT_LE(endings, 1); }

void CallResult::end(Status newStatus, std::vector<TensorRef> newOutputs) {
  std::lock_guard<std::mutex> lock(mutex);
  ++endings;
  status = std::move(newStatus);
  outputs = std::move(newOutputs);
  changed.notify_all();
}

bool CallResult::waits() {
  std::lock_guard<std::mutex> lock(mutex);
  return endings == 0;
}

bool CallResult::wait(std::chrono::milliseconds time) {
  std::unique_lock<std::mutex> lock(mutex);
  return changed.wait_for(lock, time, [this] { return endings > 0; });
}

bool CallResult::ok() {
  std::lock_guard<std::mutex> lock(mutex);
  return endings == 1 && status.ok();
}

std::string CallResult::error(WeirCode code) {
  std::lock_guard<std::mutex> lock(mutex);
  EXPECT_EQ(endings, 1);
  EXPECT_EQ(status.code(), code) << status.message();
  return status.message();
}

TensorRef CallResult::output(size_t index) {
  std::lock_guard<std::mutex> lock(mutex);
  EXPECT_EQ(endings, 1);
  EXPECT_TRUE(status.ok()) << status.message();
  return status.ok() && index < outputs.size() ? outputs[index] : TensorRef();
}

Node &Node::out(int32_t dtype, const Dims &dims) {
  outputDims.push_back(dims);
  outputTypes.push_back({dtype, static_cast<int32_t>(dims.size())});
  return *this;
}

Node &Node::out(int32_t dtype) {
  outputDims.emplace_back();
  outputTypes.push_back({dtype, -1});
  return *this;
}

CallTest::CallTest() {
  WeirStatus status = WEIR_STATUS_INIT;
  session = weir_session_create(&callProgram, &status);
  EXPECT_TRUE(session) << status.message;
  weir_status_clear(&status);
}

CallTest::~CallTest() { weir_session_destroy(session); }

TensorRef CallTest::handle(int32_t resource, WeirSession *of) {
  TensorRef result;
  Status status =
      (of ? of : session)->resources.handle(resource, makeResource, result);
  EXPECT_TRUE(status.ok()) << status.message();
  return result;
}

TensorRef CallTest::variable(int32_t index, WeirSession *of) {
  TensorRef result;
  EXPECT_TRUE((of ? of : session)->variables.handle(index, result).ok());
  return result;
}

std::shared_ptr<CallResult> CallTest::start(Node given,
                                            CancellationToken *under) {
  auto owned = std::make_unique<Node>(std::move(given));
  Node &node = *owned;
  for (size_t i = 0; i < node.outputTypes.size(); ++i)
    node.outputs.push_back({nullptr, node.outputDims[i].data(),
                            node.outputTypes[i].second,
                            node.outputTypes[i].first});
  for (const std::string &value : node.textValues)
    node.textViews.push_back(
        {value.data(), static_cast<int64_t>(value.size())});
  node.desc.input_count = static_cast<int32_t>(node.inputs.size());
  node.desc.output_count = static_cast<int32_t>(node.outputs.size());
  node.desc.number_count = static_cast<int32_t>(node.numbers.size());
  node.desc.text_count = static_cast<int32_t>(node.textViews.size());
  node.desc.outputs = node.outputs.data();
  node.desc.numbers = node.numbers.data();
  node.desc.texts = node.textViews.data();
  {
    std::lock_guard<std::mutex> lock(nodesMutex);
    nodes.push_back(std::move(owned));
  }
  auto result = std::make_shared<CallResult>();
  node.desc.call(new TestCall(node.desc, *session, resources,
                              under ? *under : token, std::move(node.inputs),
                              result));
  return result;
}

TensorRef CallTest::run(Node node, size_t output) {
  std::shared_ptr<CallResult> result = start(std::move(node));
  EXPECT_FALSE(result->waits());
  return result->output(output);
}

std::string CallTest::fail(Node node, WeirCode code) {
  return start(std::move(node))->error(code);
}

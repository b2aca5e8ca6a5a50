//===- TableBuilder.cpp - Tables of nodes for tests -----------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/runtime/executor/TableBuilder.h"

#include <cstring>

using namespace weir::rt::test;
using Ref = TableBuilder::Ref;

int32_t TableBuilder::frame(const std::string &name, int32_t parent,
                            int32_t parallelIterations) {
  names.push_back(name);
  frames.push_back({names.back().c_str(), parent, parallelIterations});
  return static_cast<int32_t>(frames.size()) - 1;
}

Ref TableBuilder::add(int32_t dtype, const void *value, size_t size) {
  // Aligned for any element.
  memory.emplace_back(16);
  std::memcpy(memory.back().data(), value, size);
  constants.push_back({memory.back().data(), nullptr, 0, dtype});
  return {-1, static_cast<int32_t>(constants.size()) - 1};
}

Ref TableBuilder::add(Node node, const std::vector<Ref> &inputs,
                      const std::vector<Ref> &controls,
                      const std::vector<int32_t> &dtypes) {
  node.name = "'" + node.name + "'";
  for (Ref input : inputs)
    node.inputs.push_back({input.node, input.output});
  for (Ref control : controls)
    node.controls.push_back({control.node, control.output});
  for (int32_t dtype : dtypes)
    node.outputs.push_back({nullptr, nullptr, 0, dtype});
  nodes.push_back(std::move(node));
  return {static_cast<int32_t>(nodes.size()) - 1, 0};
}

int32_t TableBuilder::dtypeOf(Ref value) const {
  return value.node < 0 ? constants[static_cast<size_t>(value.output)].dtype
                        : nodes[static_cast<size_t>(value.node)]
                              .outputs[static_cast<size_t>(value.output)]
                              .dtype;
}

Ref TableBuilder::feed(const std::string &name, int32_t dtype) {
  names.push_back(name);
  feeds.push_back({names.back().c_str(), nullptr, 0, dtype});
  return add({name, WEIR_NODE_FEED, static_cast<int32_t>(feeds.size()) - 1, 0},
             {}, {}, {dtype});
}

Ref TableBuilder::fetch(Ref value, const std::string &name,
                        std::vector<Ref> controls) {
  names.push_back(name);
  fetches.push_back({names.back().c_str(), nullptr, 0, dtypeOf(value)});
  return add(
      {name, WEIR_NODE_FETCH, static_cast<int32_t>(fetches.size()) - 1, 0},
      {value}, controls, {});
}

Ref TableBuilder::noOp(const std::string &name, std::vector<Ref> controls,
                       int32_t frame) {
  return add({name, WEIR_NODE_NO_OP, -1, frame}, {}, controls, {});
}

Ref TableBuilder::trigger(const std::string &name, std::vector<Ref> controls) {
  return add({name, WEIR_NODE_CONTROL_TRIGGER, -1, 0}, {}, controls, {});
}

Ref TableBuilder::kernel(const std::string &name, WeirEntryFn fn,
                         std::vector<Ref> inputs, int32_t dtype, int32_t frame,
                         std::vector<Ref> controls, int32_t outputs) {
  Node node = {name, WEIR_NODE_KERNEL, -1, frame};
  node.kernel = fn;
  return add(std::move(node), inputs, controls,
             std::vector<int32_t>(static_cast<size_t>(outputs), dtype));
}

Ref TableBuilder::call(const std::string &name, WeirNodeFn fn,
                       std::vector<Ref> inputs, std::vector<int32_t> dtypes,
                       std::vector<Ref> controls, int32_t frame,
                       int32_t index) {
  Node node = {name, WEIR_NODE_CALL, index, frame};
  node.call = fn;
  return add(std::move(node), inputs, controls, dtypes);
}

Ref TableBuilder::identity(const std::string &name, Ref input, int32_t frame,
                           std::vector<Ref> controls) {
  return add({name, WEIR_NODE_IDENTITY, -1, frame}, {input}, controls,
             {dtypeOf(input)});
}

Ref TableBuilder::switchOn(const std::string &name, Ref value, Ref predicate,
                           int32_t frame, int32_t outputs) {
  return add(
      {name, WEIR_NODE_SWITCH, -1, frame}, {value, predicate}, {},
      std::vector<int32_t>(static_cast<size_t>(outputs), dtypeOf(value)));
}

Ref TableBuilder::merge(const std::string &name, std::vector<Ref> inputs,
                        int32_t frame, std::vector<Ref> controls) {
  return add({name, WEIR_NODE_MERGE, -1, frame}, inputs, controls,
             {dtypeOf(inputs[0]), WEIR_I32});
}

Ref TableBuilder::enter(const std::string &name, Ref input, int32_t frame,
                        bool isInvariant) {
  Node node = {name, WEIR_NODE_ENTER, frame,
               frames[static_cast<size_t>(frame)].parent};
  node.numbers = {isInvariant ? 1 : 0};
  return add(std::move(node), {input}, {}, {dtypeOf(input)});
}

Ref TableBuilder::exit(const std::string &name, Ref input, int32_t frame) {
  return add({name, WEIR_NODE_EXIT, -1, frame}, {input}, {}, {dtypeOf(input)});
}

Ref TableBuilder::next(const std::string &name, Ref input, int32_t frame) {
  return add({name, WEIR_NODE_NEXT_ITERATION, -1, frame}, {input}, {},
             {dtypeOf(input)});
}

WeirString TableBuilder::text(const std::string &value) {
  names.push_back(value);
  return {names.back().c_str(), static_cast<int64_t>(value.size())};
}

std::string TableBuilder::device(int32_t number, const std::string &type) {
  return "/job:localhost/replica:0/task:0/device:" + type + ":" +
         std::to_string(number);
}

Ref TableBuilder::send(const std::string &tensor, std::vector<Ref> value,
                       int32_t from, int32_t to, std::vector<Ref> controls) {
  Node node = {"send " + tensor, WEIR_NODE_SEND, -1, 0};
  node.texts = {text(tensor), text(device(from)), text(device(to))};
  return add(std::move(node), value, controls, {});
}

Ref TableBuilder::receive(const std::string &tensor, int32_t from, int32_t to,
                          int32_t dtype) {
  Node node = {"receive " + tensor, WEIR_NODE_RECEIVE, -1, 0};
  node.texts = {text(tensor), text(device(from)), text(device(to))};
  return add(std::move(node), {}, {},
             dtype ? std::vector<int32_t>{dtype} : std::vector<int32_t>{});
}

Ref TableBuilder::countingLoop(const std::string &name, Ref start, Ref limit,
                               int32_t parent, int32_t parallelIterations) {
  int32_t loop = frame(name, parent, parallelIterations);
  Ref i = enter(name + "/enter", start, loop);
  Ref bound = limit;
  if (limit.node >= 0)
    bound = enter(name + "/limit", limit, loop, /*isInvariant=*/true);
  Ref head = merge(name + "/merge", {i, i}, loop);
  Ref goOn = kernel(name + "/less", lessKernel, {head, bound}, WEIR_BOOL, loop);
  Ref gate = switchOn(name + "/switch", head, goOn, loop);
  Ref more = kernel(name + "/increment", incrementKernel, {gate.at(1)},
                    WEIR_I32, loop);
  setInput(head, 1, next(name + "/next", more, loop));
  return exit(name + "/exit", gate.at(0), loop);
}

const WeirProgram &TableBuilder::program() {
  descs.clear();
  for (const Node &node : nodes) {
    auto size = [](const auto &list) {
      return static_cast<int32_t>(list.size());
    };
    descs.push_back({node.kind, node.index, node.frame, size(node.inputs),
                     size(node.outputs), size(node.controls),
                     size(node.numbers), size(node.texts), node.name.c_str(),
                     node.inputs.data(), node.controls.data(),
                     node.outputs.data(), node.kernel, node.call,
                     node.numbers.data(), node.texts.data()});
  }
  flow = {descs.data(),
          frames.data(),
          constants.data(),
          static_cast<int32_t>(descs.size()),
          static_cast<int32_t>(frames.size()),
          static_cast<int32_t>(constants.size())};
  entry = {"step",
           weir_rt_run_dataflow,
           feeds.data(),
           fetches.data(),
           static_cast<int32_t>(feeds.size()),
           static_cast<int32_t>(fetches.size()),
           &flow,
           nullptr,
           nullptr,
           0};
  made = {WEIR_PROGRAM_ABI, 0, "test", "",      nullptr, &entry,
          nullptr,          1, 0,      nullptr, 0};
  return made;
}

template <typename T> static T input(WeirStep *step, int32_t index) {
  return *static_cast<const T *>(step->feeds[index].data);
}

template <typename T>
static int32_t output(WeirStep *step, int32_t index, T value) {
  T *out = static_cast<T *>(weir_rt_output(step, index, nullptr));
  if (!out)
    return WEIR_RESOURCE_EXHAUSTED;
  *out = value;
  return WEIR_OK;
}

int32_t weir::rt::test::addKernel(WeirStep *step) {
  return output(step, 0, input<float>(step, 0) + input<float>(step, 1));
}
int32_t weir::rt::test::mulKernel(WeirStep *step) {
  return output(step, 0, input<float>(step, 0) * input<float>(step, 1));
}
int32_t weir::rt::test::incrementKernel(WeirStep *step) {
  return output<int32_t>(step, 0, input<int32_t>(step, 0) + 1);
}
int32_t weir::rt::test::lessKernel(WeirStep *step) {
  return output<bool>(step, 0,
                      input<int32_t>(step, 0) < input<int32_t>(step, 1));
}
int32_t weir::rt::test::positiveKernel(WeirStep *step) {
  return output<bool>(step, 0, input<float>(step, 0) > 0);
}
int32_t weir::rt::test::failingKernel(WeirStep *step) {
  return weir_rt_fail(step, WEIR_INVALID_ARGUMENT, nullptr,
                      "[WEIR0330] no luck", 0, 0);
}

TableBuilder &SpreadBuilder::part(const std::string &device) {
  list.emplace_back();
  list.back().device = device;
  return list.back().table;
}

void SpreadBuilder::straightPart(WeirEntryFn fn, const std::string &fetch,
                                 const std::string &device) {
  list.emplace_back();
  Part &part = list.back();
  part.device = device;
  part.fetchName = fetch;
  part.fetch = {part.fetchName.c_str(), nullptr, 0, WEIR_F32};
  part.straight.fn = fn;
  part.straight.fetches = &part.fetch;
  part.straight.fetch_count = 1;
}

const WeirProgram &SpreadBuilder::program() {
  entries.assign(1, {});
  parts.clear();
  feeds.clear();
  fetches.clear();
  auto places = [](std::vector<WeirTensorDesc> &all,
                   const WeirTensorDesc *descs, int32_t count) {
    std::vector<int32_t> result;
    for (int32_t i = 0; i < count; ++i) {
      size_t at = 0;
      while (at < all.size() && std::strcmp(all[at].name, descs[i].name) != 0)
        ++at;
      if (at == all.size())
        all.push_back(descs[i]);
      result.push_back(static_cast<int32_t>(at));
    }
    return result;
  };
  for (Part &part : list) {
    WeirEntryDesc desc = part.straight;
    if (!desc.fn) {
      part.table.program();
      desc = part.table.desc();
    }
    part.name = "step." + std::to_string(parts.size());
    desc.name = part.name.c_str();
    desc.device = part.device.c_str();
    part.feeds = places(feeds, desc.feeds, desc.feed_count);
    part.fetches = places(fetches, desc.fetches, desc.fetch_count);
    parts.push_back({static_cast<int32_t>(entries.size()), part.feeds.data(),
                     part.fetches.data()});
    entries.push_back(desc);
  }
  entries[0] = {"step",
                weir_rt_run_parts,
                feeds.data(),
                fetches.data(),
                static_cast<int32_t>(feeds.size()),
                static_cast<int32_t>(fetches.size()),
                nullptr,
                nullptr,
                parts.data(),
                static_cast<int32_t>(parts.size())};
  made = {WEIR_PROGRAM_ABI,
          static_cast<int32_t>(variables.size()),
          "test",
          "",
          variables.data(),
          entries.data(),
          nullptr,
          static_cast<int32_t>(entries.size()),
          0,
          kinds.data(),
          static_cast<int32_t>(kinds.size())};
  return made;
}

TestSession::TestSession(const WeirProgram &program) : program(program) {
  session = weir_session_create(&program, &status);
}

TestSession::~TestSession() {
  release();
  if (session)
    weir_session_destroy(session);
  weir_status_clear(&status);
}

void TestSession::release() {
  for (WeirTensor *tensor : fetches)
    weir_tensor_release(tensor);
  fetches.clear();
}

int32_t TestSession::run(const std::vector<float> &feeds,
                         const WeirRunOptions *options) {
  release();
  std::vector<WeirView> views;
  for (const float &feed : feeds)
    views.push_back({const_cast<float *>(&feed), nullptr, 0, WEIR_F32});
  fetches.assign(static_cast<size_t>(program.entries[0].fetch_count), nullptr);
  return weir_session_run_with(session, 0, views.data(), fetches.data(),
                               options, &status);
}

float TestSession::number(size_t fetch) const {
  return *static_cast<const float *>(weir_tensor_view(fetches[fetch]).data);
}

int32_t TestSession::integer(size_t fetch) const {
  return *static_cast<const int32_t *>(weir_tensor_view(fetches[fetch]).data);
}

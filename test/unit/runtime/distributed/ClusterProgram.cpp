//===- ClusterProgram.cpp - What a task of the tests runs -----------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One shared object for all tasks of the tests' cluster: job "ps" with some
// tasks, job "worker" with one. Which task it is for stands in its bytes
// (ClusterPrograms.h writes it there).
//
// Entries:
//   init       ps: v = its number; big = a tensor of `big` elements
//   null       the worker reads v of every ps, which adds one; fetch total
//   bulk       the worker reads big of every ps; fetch first
//   echo       feed x goes to every ps, which gives back 2 x; fetches y0, y1...
//   stuck      ps and worker wait for each other for ever; fetch x
//   fail       the last ps fails; fetch x
//   dead       every ps sends what is dead, the worker merges; fetch x
//
//===----------------------------------------------------------------------===//

#include "weir-c/dataflow.h"

#include <cstdio>
#include <cstring>
#include <deque>
#include <string>
#include <vector>

extern "C" {
// Filled in when the object is loaded, as if it had been there before.
WeirProgram weir_program;
// "@config@" role index ps-count big
char weir_test_config[64] = "@config@ worker 0 1 1";
}

namespace {

struct Edge {
  int32_t node, output;
};

/// The table of one entry.
class Table {
public:
  Edge feed(const std::string &name, int32_t rank) {
    feeds.push_back({keep(name), kAny, rank, WEIR_F32});
    return add(WEIR_NODE_FEED, {}, {rank},
               static_cast<int32_t>(feeds.size()) - 1);
  }
  void fetch(Edge value, const std::string &name, int32_t rank) {
    fetches.push_back({keep(name), kAny, rank, WEIR_F32});
    add(WEIR_NODE_FETCH, {value}, {}, static_cast<int32_t>(fetches.size()) - 1);
  }
  Edge kernel(WeirEntryFn fn, std::vector<Edge> inputs, int32_t rank) {
    Edge made = add(WEIR_NODE_KERNEL, std::move(inputs), {rank}, -1);
    nodes.back().desc.kernel = fn;
    return made;
  }
  Edge call(WeirNodeFn fn, int32_t variable, std::vector<Edge> inputs,
            std::vector<int32_t> ranks, std::vector<Edge> controls = {},
            WeirEntryFn update = nullptr) {
    Edge made = add(WEIR_NODE_CALL, std::move(inputs), std::move(ranks),
                    variable, std::move(controls));
    nodes.back().desc.call = fn;
    nodes.back().desc.kernel = update;
    return made;
  }
  Edge send(std::vector<Edge> value, const std::string &tensor,
            const std::string &from, const std::string &to,
            std::vector<Edge> controls = {}) {
    Edge made =
        add(WEIR_NODE_SEND, std::move(value), {}, -1, std::move(controls));
    setTexts({tensor, from, to});
    return made;
  }
  /// Rank -2: a control edge.
  Edge receive(const std::string &tensor, const std::string &from,
               const std::string &to, int32_t rank) {
    Edge made = rank == -2 ? add(WEIR_NODE_RECEIVE, {}, {}, -1)
                           : add(WEIR_NODE_RECEIVE, {}, {rank}, -1);
    setTexts({tensor, from, to});
    return made;
  }
  Edge switchOff(Edge value, Edge predicate) {
    return add(WEIR_NODE_SWITCH, {value, predicate}, {0, 0}, -1);
  }
  Edge merge(std::vector<Edge> values) {
    Edge made = add(WEIR_NODE_MERGE, std::move(values), {0, 0}, -1);
    nodes.back().outputs[1].dtype = WEIR_I32;
    return made;
  }
  void boolOutput() { nodes.back().outputs[0].dtype = WEIR_BOOL; }
  static Edge ran(Edge node) { return {node.node, -1}; }

  WeirEntryDesc entry(const char *name, const std::string &device) {
    for (Node &node : nodes) {
      node.desc.inputs = node.inputs.data();
      node.desc.controls = node.controls.data();
      node.desc.outputs = node.outputs.data();
      node.desc.texts = node.texts.data();
      descs.push_back(node.desc);
    }
    flow = {descs.data(),
            &frame,
            nullptr,
            static_cast<int32_t>(descs.size()),
            1,
            0};
    WeirEntryDesc made = {};
    made.name = name;
    made.fn = weir_rt_run_dataflow;
    made.feeds = feeds.data();
    made.fetches = fetches.data();
    made.feed_count = static_cast<int32_t>(feeds.size());
    made.fetch_count = static_cast<int32_t>(fetches.size());
    made.dataflow = &flow;
    made.device = keep(device);
    return made;
  }

private:
  struct Node {
    WeirNodeDesc desc = {};
    std::vector<WeirEdge> inputs, controls;
    std::vector<WeirTensorDesc> outputs;
    std::vector<WeirString> texts;
  };
  static constexpr int64_t kAny[1] = {-1};

  const char *keep(const std::string &text) {
    texts.push_back(text);
    return texts.back().c_str();
  }
  void setTexts(const std::vector<std::string> &list) {
    for (const std::string &text : list)
      nodes.back().texts.push_back(
          {keep(text), static_cast<int64_t>(text.size())});
    nodes.back().desc.text_count = 3;
  }
  Edge add(WeirNodeKind kind, std::vector<Edge> inputs,
           std::vector<int32_t> ranks, int32_t index,
           std::vector<Edge> controls = {}) {
    Node &node = nodes.emplace_back();
    for (Edge edge : inputs)
      node.inputs.push_back({edge.node, edge.output});
    for (Edge edge : controls)
      node.controls.push_back({edge.node, edge.output});
    for (int32_t rank : ranks)
      node.outputs.push_back({"", kAny, rank, WEIR_F32});
    const int32_t number = static_cast<int32_t>(nodes.size()) - 1;
    node.desc.kind = kind;
    node.desc.index = index;
    node.desc.input_count = static_cast<int32_t>(inputs.size());
    node.desc.output_count = static_cast<int32_t>(ranks.size());
    node.desc.control_count = static_cast<int32_t>(controls.size());
    node.desc.name = keep("'node" + std::to_string(number) + "'");
    return {number, 0};
  }

  std::deque<std::string> texts;
  std::deque<Node> nodes;
  std::vector<WeirNodeDesc> descs;
  std::vector<WeirTensorDesc> feeds, fetches;
  WeirFrameDesc frame = {"graph", -1, 1};
  WeirDataflow flow = {};
};

std::string role;
int index = 0, psCount = 1;
int64_t bigElements = 1;

const float *input(WeirStep *step, int32_t i) {
  return static_cast<const float *>(step->feeds[i].data);
}

int32_t output(WeirStep *step, float value) {
  float *out = static_cast<float *>(weir_rt_output(step, 0, nullptr));
  if (!out)
    return WEIR_RESOURCE_EXHAUSTED;
  *out = value;
  return WEIR_OK;
}

int32_t numberKernel(WeirStep *step) {
  return output(step, static_cast<float>(index));
}
int32_t addOneKernel(WeirStep *step) {
  return output(step, *input(step, 0) + 1);
}
int32_t sumKernel(WeirStep *step) {
  float sum = 0;
  for (int i = 0; i < psCount; ++i)
    sum += *input(step, i);
  return output(step, sum);
}
int32_t bigKernel(WeirStep *step) {
  float *out = static_cast<float *>(weir_rt_output(step, 0, &bigElements));
  for (int64_t i = 0; out && i < bigElements; ++i)
    out[i] = static_cast<float>(index + 1);
  return out ? WEIR_OK : WEIR_RESOURCE_EXHAUSTED;
}
int32_t doubleKernel(WeirStep *step) {
  int64_t count = step->feeds[0].dims[0];
  float *out = static_cast<float *>(weir_rt_output(step, 0, &count));
  for (int64_t i = 0; out && i < count; ++i)
    out[i] = 2 * input(step, 0)[i];
  return out ? WEIR_OK : WEIR_RESOURCE_EXHAUSTED;
}
int32_t failKernel(WeirStep *step) {
  return weir_rt_fail(step, WEIR_INVALID_ARGUMENT, "'unlucky' at test.mlir:1",
                      "[WEIR0330] no luck", 0, 0);
}
int32_t falseKernel(WeirStep *step) {
  bool *out = static_cast<bool *>(weir_rt_output(step, 0, nullptr));
  if (!out)
    return WEIR_RESOURCE_EXHAUSTED;
  *out = false;
  return WEIR_OK;
}

std::string device(const std::string &job, int task) {
  return "/job:" + job + "/replica:0/task:" + std::to_string(task) +
         "/device:CPU:0";
}

std::deque<Table> tables;
std::vector<WeirEntryDesc> entries;
std::vector<WeirTensorDesc> variables;

Table &newTable() { return tables.emplace_back(); }
void endTable(Table &table, const char *name) {
  entries.push_back(table.entry(name, device(role, index)));
}

void makePs() {
  static int64_t bigDims[1] = {bigElements};
  variables.push_back({"v", nullptr, 0, WEIR_F32});
  variables.push_back({"big", bigDims, 1, WEIR_F32});
  const std::string own = device("ps", index), worker = device("worker", 0);
  const std::string n = std::to_string(index);

  Table &init = newTable();
  init.call(weir_node_assign, 0, {init.kernel(numberKernel, {}, 0)}, {});
  init.call(weir_node_assign, 1, {init.kernel(bigKernel, {}, 1)}, {});
  endTable(init, "init");

  Table &null = newTable();
  Edge value = null.call(weir_node_read, 0, {}, {0});
  null.send({value}, "v" + n, own, worker);
  null.call(weir_node_update, 0, {}, {}, {Table::ran(value)}, addOneKernel);
  endTable(null, "null");

  Table &bulk = newTable();
  bulk.send({bulk.call(weir_node_read, 1, {}, {1})}, "big" + n, own, worker);
  endTable(bulk, "bulk");

  Table &echo = newTable();
  Edge x = echo.receive("x" + n, worker, own, 1);
  echo.send({echo.kernel(doubleKernel, {x}, 1)}, "y" + n, own, worker);
  endTable(echo, "echo");

  Table &stuck = newTable();
  Edge back = stuck.receive("back" + n, worker, own, -2);
  Edge never = stuck.kernel(numberKernel, {}, 0);
  stuck.send({never}, "x" + n, own, worker, {Table::ran(back)});
  endTable(stuck, "stuck");

  Table &fail = newTable();
  Edge result =
      fail.kernel(index == psCount - 1 ? failKernel : numberKernel, {}, 0);
  fail.send({result}, "x" + n, own, worker);
  endTable(fail, "fail");

  Table &dead = newTable();
  Edge number = dead.kernel(numberKernel, {}, 0);
  Edge no = dead.kernel(falseKernel, {}, 0);
  dead.boolOutput();
  Edge both = dead.switchOff(number, no);
  dead.send({Edge{both.node, 1}}, "dead" + n, own, worker);
  dead.send({both}, "live" + n, own, worker);
  endTable(dead, "dead");
}

void makeWorker() {
  const std::string own = device("worker", 0);
  auto from = [&](Table &table, const std::string &tensor, int i,
                  int32_t rank) {
    return table.receive(tensor + std::to_string(i), device("ps", i), own,
                         rank);
  };
  auto all = [&](Table &table, const std::string &tensor, int32_t rank) {
    std::vector<Edge> list;
    for (int i = 0; i < psCount; ++i)
      list.push_back(from(table, tensor, i, rank));
    return list;
  };

  Table &null = newTable();
  null.fetch(null.kernel(sumKernel, all(null, "v", 0), 0), "total", 0);
  endTable(null, "null");

  Table &bulk = newTable();
  bulk.fetch(bulk.kernel(sumKernel, all(bulk, "big", 1), 0), "first", 0);
  endTable(bulk, "bulk");

  Table &echo = newTable();
  Edge x = echo.feed("x", 1);
  for (int i = 0; i < psCount; ++i) {
    const std::string n = std::to_string(i);
    echo.send({x}, "x" + n, own, device("ps", i));
    echo.fetch(from(echo, "y", i, 1), "y" + n, 1);
  }
  endTable(echo, "echo");

  Table &stuck = newTable();
  std::vector<Edge> given = all(stuck, "x", 0);
  for (int i = 0; i < psCount; ++i)
    stuck.send({}, "back" + std::to_string(i), own, device("ps", i),
               {Table::ran(given[static_cast<size_t>(i)])});
  stuck.fetch(stuck.kernel(sumKernel, given, 0), "x", 0);
  endTable(stuck, "stuck");

  Table &fail = newTable();
  fail.fetch(fail.kernel(sumKernel, all(fail, "x", 0), 0), "x", 0);
  endTable(fail, "fail");

  Table &dead = newTable();
  std::vector<Edge> merged;
  for (int i = 0; i < psCount; ++i)
    merged.push_back(
        dead.merge({from(dead, "dead", i, 0), from(dead, "live", i, 0)}));
  dead.fetch(dead.kernel(sumKernel, merged, 0), "x", 0);
  endTable(dead, "dead");
}

const bool made = [] {
  char job[16] = "";
  long long big = 1;
  sscanf(weir_test_config, "@config@ %15s %d %d %lld", job, &index, &psCount,
         &big);
  role = job;
  bigElements = big;
  role == "ps" ? makePs() : makeWorker();
  weir_program = {};
  weir_program.abi = WEIR_PROGRAM_ABI;
  weir_program.name = "cluster test";
  weir_program.cpu_features = "";
  weir_program.variables = variables.data();
  weir_program.variable_count = static_cast<int32_t>(variables.size());
  weir_program.entries = entries.data();
  weir_program.entry_count = static_cast<int32_t>(entries.size());
  return true;
}();

} // namespace

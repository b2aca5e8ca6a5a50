//===- Protocol.cpp - Requests and answers of weir-run-graphs -------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/conformance/runner/Protocol.h"

#include "llvm/Support/Base64.h"

using namespace weir;
using namespace weir::conformance;
namespace json = llvm::json;

WeirView FedTensor::view() {
  void *data = bytes.data();
  if (dtype == WEIR_STRING) {
    views.clear();
    for (const std::string &text : strings)
      views.push_back({text.data(), static_cast<int64_t>(text.size())});
    data = views.data();
  }
  return {data, dims.data(), static_cast<int32_t>(dims.size()), dtype};
}

static bool decode(llvm::StringRef text, std::string &bytes) {
  std::vector<char> found;
  if (llvm::Error error = llvm::decodeBase64(text, found)) {
    llvm::consumeError(std::move(error));
    return false;
  }
  bytes.assign(found.begin(), found.end());
  return true;
}

static bool parseTensor(const json::Object &object, FedTensor &tensor) {
  std::optional<int64_t> dtype = object.getInteger("dtype");
  const json::Array *shape = object.getArray("shape");
  if (!dtype || !shape)
    return false;
  tensor.dtype = static_cast<int32_t>(*dtype);
  for (const json::Value &extent : *shape)
    tensor.dims.push_back(extent.getAsInteger().value_or(-1));
  if (const json::Array *strings = object.getArray("strings")) {
    for (const json::Value &text : *strings)
      if (!decode(text.getAsString().value_or(""),
                  tensor.strings.emplace_back()))
        return false;
    return true;
  }
  return decode(object.getString("data").value_or(""), tensor.bytes);
}

static void parseNames(const json::Array *array,
                       std::vector<std::string> &names) {
  if (array)
    for (const json::Value &name : *array)
      names.push_back(name.getAsString().value_or("").str());
}

static bool parseRun(const json::Object &object, RunRequest &run) {
  parseNames(object.getArray("fetches"), run.fetches);
  parseNames(object.getArray("targets"), run.targets);
  run.timeoutMs = object.getInteger("timeout_ms").value_or(0);
  if (const json::Object *partial = object.getObject("partial")) {
    run.partial = partial->getString("what") == "setup"
                      ? RunRequest::Partial::Setup
                      : RunRequest::Partial::Run;
    run.partialKey = partial->getInteger("key").value_or(0);
  }
  const json::Object *feeds = object.getObject("feeds");
  if (!feeds)
    return true;
  for (const auto &[name, value] : *feeds) {
    FedTensor tensor;
    tensor.name = name.str();
    if (const json::Object *given = value.getAsObject())
      if (!parseTensor(*given, tensor))
        return false;
    run.feeds.push_back(std::move(tensor));
  }
  return true;
}

bool conformance::parseRequest(llvm::StringRef line, Request &request,
                               std::string &why) {
  llvm::Expected<json::Value> parsed = json::parse(line);
  if (!parsed) {
    why = llvm::toString(parsed.takeError());
    return false;
  }
  const json::Object *object = parsed->getAsObject();
  const json::Array *groups = object ? object->getArray("groups") : nullptr;
  if (!groups) {
    why = "a request is an object with 'groups'";
    return false;
  }
  request.file = object->getString("graph").value_or("").str();
  request.text = object->getString("mlir").value_or("").str();
  request.entry = object->getString("entry").value_or("main").str();
  request.mode = object->getString("mode").value_or("").str();
  for (const json::Value &group : *groups) {
    std::vector<RunRequest> &runs = request.groups.emplace_back();
    for (const json::Value &run : *group.getAsArray())
      if (!parseRun(*run.getAsObject(), runs.emplace_back())) {
        why = "a feed is no tensor";
        return false;
      }
  }
  return true;
}

static json::Value toJson(const WeirView &view) {
  json::Array shape;
  int64_t count = 1;
  for (int32_t i = 0; i < view.rank; ++i) {
    shape.push_back(view.dims[i]);
    count *= view.dims[i];
  }
  json::Object object{{"dtype", view.dtype}, {"shape", std::move(shape)}};
  if (view.dtype == WEIR_STRING) {
    json::Array strings;
    auto *elements = static_cast<const WeirString *>(view.data);
    for (int64_t i = 0; i < count; ++i)
      strings.push_back(llvm::encodeBase64(
          llvm::StringRef(elements[i].data, elements[i].size)));
    object["strings"] = std::move(strings);
  } else {
    object["data"] = llvm::encodeBase64(llvm::StringRef(
        static_cast<const char *>(view.data), rt::viewBytes(view)));
  }
  return object;
}

json::Value conformance::toJson(const rt::Status &status) {
  return json::Object{{"error", json::fixUTF8(status.message())},
                      {"code", static_cast<int64_t>(status.code())}};
}

json::Value conformance::toJson(const RunAnswer &answer) {
  if (!answer.status.ok())
    return toJson(answer.status);
  json::Array values;
  for (const rt::TensorRef &value : answer.values)
    values.push_back(::toJson(value.view()));
  return json::Object{{"values", std::move(values)}};
}

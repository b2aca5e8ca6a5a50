//===- Quantize.cpp - Post-training quantization -*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "python_bindings/src/Quantize.h"

#include "lib/Driver/Quantize.h"
#include "python_bindings/src/Arrays.h"

namespace weir::python {

// nanobind knows nothing of std::map here; dicts come as lists of pairs.
using Arrays = std::vector<std::pair<std::string, nb::object>>;

static NamedTensors tensorsFrom(const Arrays &arrays) {
  NamedTensors tensors;
  for (const auto &[name, array] : arrays) {
    ArrayView view(array.ptr());
    WeirView value{view.data, view.dims, view.rank, view.dtype};
    llvm::Expected<Tensor> tensor = Tensor::fromView(value);
    if (!tensor)
      raise("[WEIR0512] array '" + name +
            "': " + llvm::toString(tensor.takeError()));
    tensors.emplace(name, std::move(*tensor));
  }
  return tensors;
}

/// The report as lists of tuples, in the order of the fields.
static nb::tuple reportFrom(const QuantizationReport &report) {
  nb::list nodes, floats;
  for (const QuantizationReport::Node &node : report.nodes)
    nodes.append(nb::make_tuple(node.entry, node.name, node.inputScale,
                                node.inputZero, node.scale, node.zero,
                                node.decibels));
  for (const QuantizationReport::Float &kept : report.floats)
    floats.append(
        nb::make_tuple(kept.entry, kept.reason, kept.file, kept.line));
  return nb::make_tuple(nodes, floats, report.text());
}

static nb::tuple quantize(Program &program, const std::string &checkpoint,
                          const std::optional<Arrays> &variables,
                          const Arrays &samples, double percentile) {
  PostTrainingOptions options;
  options.checkpoint = checkpoint;
  if (variables)
    options.variables = tensorsFrom(*variables);
  options.arrays = tensorsFrom(samples);
  options.percentile = percentile;
  options.report = true;
  QuantizationReport report;
  Messages messages;
  bool good;
  {
    nb::gil_scoped_release released;
    good = postTrain(program, {}, options, report, messages);
  }
  if (!good)
    raise(messages);
  return reportFrom(report);
}

void bindQuantize(nb::module_ &module) {
  // In place: the program is of no more use after an error.
  module.def("quantize", &quantize, nb::arg("program"), nb::arg("checkpoint"),
             nb::arg("variables").none(), nb::arg("samples"),
             nb::arg("percentile"));
}

} // namespace weir::python

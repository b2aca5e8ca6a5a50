//===- Module.cpp - The extension module weir._weir -*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Frontend/GraphDef/Importer.h"
#include "mlir/Pass/PassManager.h"
#include "python_bindings/src/Devices.h"
#include "python_bindings/src/Function.h"
#include "python_bindings/src/Graph.h"
#include "python_bindings/src/Quantize.h"
#include "python_bindings/src/Session.h"
#include "python_bindings/src/State.h"
#include "runtime/core/Program.h"

namespace weir::python {

// Types and places cross as plain tuples: tracing makes many of them.
using PyType = std::pair<int32_t, std::vector<int64_t>>;
using PyPlace = std::tuple<std::string, unsigned, unsigned>;

static TypeSpec typeSpec(const PyType &type) {
  return {type.first, type.second};
}

static std::vector<TypeSpec> typeSpecs(const std::vector<PyType> &types) {
  std::vector<TypeSpec> specs;
  for (const PyType &type : types)
    specs.push_back(typeSpec(type));
  return specs;
}

static Place placeFrom(nb::handle place) {
  if (place.is_none())
    return {};
  auto [file, line, column] = nb::cast<PyPlace>(place);
  return {file, line, column};
}

/// (dtype number, extents), or None for a control edge.
static nb::object typeOfValue(const ValueHandle &handle) {
  auto type = mlir::dyn_cast<mlir::RankedTensorType>(handle.value.getType());
  if (!type)
    return nb::none();
  nb::list shape;
  for (int64_t extent : type.getShape())
    shape.append(mlir::ShapedType::isDynamic(extent) ? nb::none()
                                                     : nb::cast(extent));
  return nb::make_tuple(static_cast<int32_t>(dtypeOf(type.getElementType())),
                        nb::tuple(shape));
}

static CompileOptions compileOptions(const std::string &cpu, int threads,
                                     const std::string &dumpDir) {
  CompileOptions options = deviceOptions();
  options.cpu = cpu;
  options.threads = threads;
  options.phases.dumpDir = dumpDir;
  return options;
}

static std::string textAfter(const Program &program,
                             const std::string &phaseName, bool locations,
                             CompileOptions options) {
  Messages messages;
  auto phase = parsePhase("phase", phaseName, messages);
  if (!phase)
    raise(messages);
  auto copy = program.clone();
  options.phases.to = *phase;
  bool good;
  {
    nb::gil_scoped_release released;
    good = copy->runPhases(options, messages);
  }
  if (!good)
    raise(messages);
  return copy->text(locations);
}

static void emitFile(const Program &program, const std::string &kind,
                     const std::string &path, const CompileOptions &options) {
  Messages messages;
  auto known = parseEmitKind(kind, messages);
  bool good = false;
  if (known) {
    nb::gil_scoped_release released;
    good = emit(program, *known, path, options, messages);
  }
  if (!good)
    raise(messages);
}

static nb::list describeTensors(const WeirTensorDesc *descs, int32_t count) {
  nb::list result;
  for (int32_t i = 0; i < count; ++i) {
    nb::list shape;
    for (int32_t d = 0; d < descs[i].rank; ++d)
      shape.append(descs[i].dims[d] < 0 ? nb::none()
                                        : nb::cast(descs[i].dims[d]));
    result.append(
        nb::make_tuple(descs[i].name, descs[i].dtype, nb::tuple(shape)));
  }
  return result;
}

/// A program of what the fetches of a GraphDef need, with these feeds.
static std::shared_ptr<Program>
importGraphDef(nb::bytes bytes, const std::string &name,
               const std::vector<std::string> &feeds,
               const std::vector<std::string> &fetches) {
  Messages messages;
  std::shared_ptr<Program> program;
  if (std::unique_ptr<GraphFile> file =
          GraphFile::parse({bytes.c_str(), bytes.size()}, name, messages)) {
    GraphImportOptions options;
    for (const std::string &feed : feeds)
      options.feeds.emplace_back().tensor = feed;
    options.fetches = fetches;
    program = file->import(options, messages);
  }
  if (!program)
    raise(messages);
  return program;
}

static void bindProgram(nb::module_ &module) {
  nb::class_<Program>(module, "Program")
      .def_static("load",
                  [](const std::string &path) {
                    Messages messages;
                    std::shared_ptr<Program> program =
                        Program::load(path, messages);
                    if (!program)
                      raise(messages);
                    return program;
                  })
      .def_static("parse",
                  [](const std::string &text, const std::string &name) {
                    Messages messages;
                    std::shared_ptr<Program> program =
                        Program::parse(text, name, messages);
                    if (!program)
                      raise(messages);
                    return program;
                  })
      .def_static("graph_def", &importGraphDef)
      .def("text", &Program::text, nb::arg("locations") = false)
      .def("bytecode",
           [](const Program &program) {
             std::string bytes = program.bytecode();
             return nb::bytes(bytes.data(), bytes.size());
           })
      .def("text_after",
           [](const Program &program, const std::string &phase, bool locations,
              const std::string &cpu, int threads) {
             return textAfter(program, phase, locations,
                              compileOptions(cpu, threads, ""));
           })
      .def("keep_entries",
           [](Program &program, const std::vector<std::string> &names) {
             Messages messages;
             if (!program.keepEntries(names, messages))
               raise(messages);
           })
      .def("entry_names",
           [](const Program &program) {
             std::vector<std::string> names;
             for (const EntrySignature &entry : program.entries())
               names.push_back(entry.name);
             return names;
           })
      .def("variable_names", &Program::variables)
      .def("clone",
           [](const Program &program) {
             return std::shared_ptr<Program>(program.clone());
           })
      .def("emit",
           [](const Program &program, const std::string &kind,
              const std::string &path, const std::string &cpu, int threads,
              const std::string &dumpDir) {
             emitFile(program, kind, path,
                      compileOptions(cpu, threads, dumpDir));
           })
      .def("compile",
           [](const Program &program, const std::vector<Executable::Used> &used,
              const std::string &cpu, int threads, const std::string &dumpDir) {
             return std::make_shared<Executable>(
                 program, compileOptions(cpu, threads, dumpDir), used);
           });
  module.def("phases", [] {
    nb::list names;
    for (Phase phase : allPhases())
      names.append(nb::str(phaseName(phase)));
    return names;
  });
}

static void bindGraph(nb::module_ &module) {
  nb::class_<ValueHandle>(module, "Value").def_prop_ro("type", &typeOfValue);
  nb::class_<GraphBuilder>(module, "GraphBuilder")
      .def(nb::init<const std::string &>())
      .def(
          "variable",
          [](GraphBuilder &builder, const std::string &name, const PyType &type,
             nb::object place) {
            builder.variable(name, typeSpec(type), placeFrom(place));
          },
          nb::arg("name"), nb::arg("type"), nb::arg("place").none())
      .def(
          "begin_graph",
          [](GraphBuilder &builder, const std::string &name,
             const std::vector<std::string> &names,
             const std::vector<PyType> &types, nb::object place) {
            return builder.beginGraph(name, names, typeSpecs(types),
                                      placeFrom(place));
          },
          nb::arg("name"), nb::arg("names"), nb::arg("types"),
          nb::arg("place").none())
      .def(
          "end_graph",
          [](GraphBuilder &builder, const std::vector<ValueHandle> &fetches,
             const std::vector<std::string> &names,
             const std::vector<ValueHandle> &controls, nb::object place) {
            builder.endGraph(fetches, names, controls, placeFrom(place));
          },
          nb::arg("fetches"), nb::arg("names"), nb::arg("controls"),
          nb::arg("place").none())
      .def("abandon_graph", &GraphBuilder::abandonGraph)
      .def(
          "op",
          [](GraphBuilder &builder, const std::string &name,
             const std::vector<ValueHandle> &operands, nb::dict attributes,
             const std::vector<int32_t> &segments,
             std::optional<std::vector<PyType>> results, nb::object place) {
            std::optional<std::vector<TypeSpec>> types;
            if (results)
              types = typeSpecs(*results);
            return builder.op(name, operands, attributes, segments,
                              std::move(types), placeFrom(place));
          },
          nb::arg("name"), nb::arg("operands"), nb::arg("attributes"),
          nb::arg("segments"), nb::arg("results").none(),
          nb::arg("place").none())
      .def(
          "constant",
          [](GraphBuilder &builder, nb::object array, nb::object place) {
            return builder.constant(array, placeFrom(place));
          },
          nb::arg("array"), nb::arg("place").none())
      .def("set_device", &GraphBuilder::setDevice)
      .def("name", &GraphBuilder::name)
      .def("finish", &GraphBuilder::finish);
}

static void bindState(nb::module_ &module) {
  nb::class_<VariableState>(module, "VariableState")
      .def(nb::new_([](const std::string &name) {
        return std::make_shared<VariableState>(name);
      }))
      .def("get", &VariableState::get)
      .def("set", &VariableState::set);
  nb::class_<Executable>(module, "Executable")
      .def("entry", &Executable::entry)
      .def("get_variable", &Executable::getVariable)
      .def("set_variable", &Executable::setVariable)
      .def("variables",
           [](const Executable &executable) {
             const WeirProgram &program = executable.program();
             return describeTensors(program.variables, program.variable_count);
           })
      .def("entries", [](const Executable &executable) {
        const WeirProgram &program = executable.program();
        nb::list result;
        // Parts of entries that are spread over devices come behind.
        for (size_t i = 0; i < rt::entryNames(program).size(); ++i) {
          const WeirEntryDesc &entry = program.entries[i];
          result.append(nb::make_tuple(
              entry.name, describeTensors(entry.feeds, entry.feed_count),
              describeTensors(entry.fetches, entry.fetch_count)));
        }
        return result;
      });
}

NB_MODULE(_weir, module) {
  if (!importNumPy())
    throw nb::python_error();
  nb::set_leak_warnings(false);
  // Tools have them from their command line; phases take them as they are set.
  mlir::registerPassManagerCLOptions();
  module.def("set_error_class", &setErrorClass);
  module.def("dtype_number",
             [](nb::handle dtype) { return dtypeNumber(dtype.ptr()); });
  bindDevices(module);
  module.def("trace_start", &weir_trace_start);
  module.def("trace_stop", [](const std::string &path) {
    WeirStatus status = WEIR_STATUS_INIT;
    if (weir_trace_stop(path.c_str(), &status)) {
      setError(status);
      throw nb::python_error();
    }
  });
  bindGraph(module);
  bindProgram(module);
  bindState(module);
  bindFunction(module);
  bindSession(module);
  bindQuantize(module);
}

} // namespace weir::python

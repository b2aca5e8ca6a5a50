//===- Linker.cpp - From an object file to something to start -------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Driver/Linker.h"

#include "lib/Driver/LinkConfig.h"
#include "lib/Support/Files.h"
#include "runtime/base/Format.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

#include <cstdlib>
#include <dlfcn.h>
#include <link.h>

using namespace weir;

/// The folder of the executable or library that this code is part of.
static std::string ownFolder() {
  Dl_info info;
  link_map *map = nullptr;
  if (!dladdr1(reinterpret_cast<void *>(&ownFolder), &info,
               reinterpret_cast<void **>(&map), RTLD_DL_LINKMAP) ||
      !info.dli_fname)
    return ".";
  // What the loader says of an executable is how it was called: from PATH, by
  // its bare name.
  bool isExecutable = map && map->l_name[0] == '\0';
  const char *file = isExecutable ? "/proc/self/exe" : info.dli_fname;
  llvm::SmallString<256> path;
  if (llvm::sys::fs::real_path(file, path))
    path = info.dli_fname;
  return llvm::sys::path::parent_path(path).str();
}

static std::string findRuntime(Messages &messages) {
  std::vector<std::string> places;
  if (const char *place = std::getenv("WEIR_RUNTIME_DIR"))
    places.push_back(place);
  else
    places = {ownFolder() + "/../lib/weir", ownFolder() + "/lib"};
  for (const std::string &place : places)
    if (llvm::sys::fs::exists(place + "/libweir_rt_core.a"))
      return place;
  messages.error(
      rt::str("[WEIR0209] the runtime library libweir_rt_core.a is not in '",
              places.front(), "'; set WEIR_RUNTIME_DIR to its folder"));
  return "";
}

/// The program that links: WEIR_LINKER, the compiler that built Weir, or one
/// that is usual.
static std::string findLinker(Messages &messages) {
  std::vector<std::string> names = {WEIR_CXX_COMPILER, "clang++-22", "clang++",
                                    "c++", "g++"};
  if (const char *name = std::getenv("WEIR_LINKER"))
    names = {name};
  for (const std::string &name : names)
    if (llvm::ErrorOr<std::string> path = llvm::sys::findProgramByName(name))
      return *path;
  std::vector<std::string_view> tried(names.begin(), names.end());
  messages.error(rt::str("[WEIR0207] no linker was found, tried ",
                         rt::listNames(tried),
                         "; install clang or gcc, set WEIR_LINKER to a C++ "
                         "compiler, or use --emit=obj"));
  return "";
}

namespace {
/// A file in the temporary folder that goes away with this.
class TemporaryFile {
public:
  TemporaryFile(const char *ending, std::string_view content,
                Messages &messages) {
    if (std::error_code error =
            llvm::sys::fs::createTemporaryFile("weir", ending, path))
      messages.error("[WEIR0205] cannot create a temporary file: " +
                     error.message());
    else if (writeFile(std::string(path), content, messages))
      good = true;
    remover.setFile(path);
  }
  explicit operator bool() const { return good; }
  std::string name() const { return std::string(path); }

private:
  llvm::SmallString<128> path;
  llvm::FileRemover remover;
  bool good = false;
};
} // namespace

/// The libraries beside the runtime that the code needs.
static void addLibraries(const CompiledObject &object,
                         std::vector<std::string> &arguments) {
  if (object.needsOpenMP)
    arguments.push_back(llvm::sys::fs::exists(WEIR_OPENMP_LIBRARY)
                            ? WEIR_OPENMP_LIBRARY
                            : "-lomp");
  if (object.needsVectorMath)
    arguments.push_back("-lmvec");
  arguments.insert(arguments.end(), {"-lm", "-pthread"});
}

static std::vector<std::string>
linkArguments(const std::string &linker, const std::string &runtime,
              const CompiledObject &object, bool shared,
              const std::string &objectFile, const std::string &exports,
              const std::string &output) {
  std::vector<std::string> arguments = {linker, objectFile,          "-o",
                                        output, "-Wl,--gc-sections", "-Wl,-s"};
  auto add = [&](auto &&...items) { (arguments.push_back(items), ...); };
  auto library = [&](const char *name) {
    return runtime + "/lib" + name + ".a";
  };
  if (llvm::sys::findProgramByName("ld.lld"))
    add("-fuse-ld=lld");
  if (*WEIR_LINK_SANITIZER)
    add(std::string("-fsanitize=") + WEIR_LINK_SANITIZER);
  if (shared)
    add("-shared", "-Wl,--version-script=" + exports, "-Wl,--whole-archive",
        library("weir_rt_core"), "-Wl,--no-whole-archive");
  add("-Wl,--start-group");
  if (!shared)
    add(library("weir_rt_main"), library("weir_rt_commands"),
        library("weir_rt_core"));
  // Of these only what the program calls is linked in.
  for (const char *name :
       {"weir_rt_executor", "weir_rt_calls", "weir_rt_gpu", "weir_rt_mxu",
        "weir_rt_input", "weir_rt_cli", "weir_rt_checkpoint", "leveldb",
        "snappy", "png", "jpeg", "z"})
    add(library(name));
  add("-Wl,--end-group");
  addLibraries(object, arguments);
  return arguments;
}

static bool runLinker(const std::vector<std::string> &arguments,
                      Messages &messages) {
  TemporaryFile log("log", "", messages);
  if (!log)
    return false;
  std::string name = log.name(), error;
  std::vector<llvm::StringRef> views(arguments.begin(), arguments.end());
  std::optional<llvm::StringRef> redirects[] = {
      llvm::StringRef(""), llvm::StringRef(name), llvm::StringRef(name)};
  int code = llvm::sys::ExecuteAndWait(arguments.front(), views, std::nullopt,
                                       redirects, 0, 0, &error);
  if (code == 0)
    return true;
  auto output = llvm::MemoryBuffer::getFile(name);
  std::string said = output ? (*output)->getBuffer().rtrim().str() : "";
  return messages.error(rt::str("[WEIR0208] '", arguments.front(),
                                "' could not link the program (exit code ",
                                code, ")", error.empty() ? "" : ": ", error,
                                said.empty() ? "" : ":\n", said));
}

bool weir::linkProgram(const CompiledObject &object, bool shared,
                       const std::string &programAlias,
                       const std::string &output, Messages &messages) {
  std::string runtime = findRuntime(messages);
  std::string linker = runtime.empty() ? "" : findLinker(messages);
  if (linker.empty())
    return false;
  TemporaryFile objectFile("o", {object.bytes.data(), object.bytes.size()},
                           messages);
  TemporaryFile exports("map",
                        "{ global: " + (shared ? programAlias + "; " : "") +
                            "weir_program; weir_session_*; weir_tensor_*; "
                            "weir_status_*; weir_trace_*; local: *; };\n",
                        messages);
  if (!objectFile || !exports)
    return false;
  std::string temporary = temporaryBeside(output, messages);
  if (temporary.empty())
    return false;
  if (!runLinker(linkArguments(linker, runtime, object, shared,
                               objectFile.name(), exports.name(), temporary),
                 messages)) {
    llvm::sys::fs::remove(temporary);
    return false;
  }
  return commitTemporary(temporary, output, messages);
}

bool weir::linkLoadable(const CompiledObject &object, std::string &bytes,
                        Messages &messages) {
  std::string linker = findLinker(messages);
  if (linker.empty())
    return false;
  TemporaryFile objectFile("o", {object.bytes.data(), object.bytes.size()},
                           messages);
  TemporaryFile exports("map", "{ global: weir_program; local: *; };\n",
                        messages);
  TemporaryFile output("so", "", messages);
  if (!objectFile || !exports || !output)
    return false;
  std::vector<std::string> arguments = {linker,
                                        objectFile.name(),
                                        "-o",
                                        output.name(),
                                        "-shared",
                                        "-Wl,-s",
                                        "-Wl,--gc-sections",
                                        "-Wl,--version-script=" +
                                            exports.name()};
  if (llvm::sys::findProgramByName("ld.lld"))
    arguments.push_back("-fuse-ld=lld");
  addLibraries(object, arguments);
  if (!runLinker(arguments, messages))
    return false;
  auto linked = llvm::MemoryBuffer::getFile(output.name());
  if (!linked)
    return messages.error("[WEIR0205] cannot read '" + output.name() +
                          "': " + linked.getError().message());
  bytes = (*linked)->getBuffer().str();
  return true;
}

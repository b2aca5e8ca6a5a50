//===- Header.cpp - The C header of a shared library ----------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Driver/Linker.h"
#include "runtime/base/Format.h"
#include "runtime/core/Program.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"

#include <cctype>

using namespace weir;

std::string weir::cIdentifier(std::string_view text) {
  std::string result;
  for (unsigned char c : text)
    result += std::isalnum(c) ? static_cast<char>(std::tolower(c)) : '_';
  if (result.empty() || std::isdigit(static_cast<unsigned char>(result[0])))
    result.insert(0, "_");
  return result;
}

namespace {
class HeaderWriter {
public:
  HeaderWriter(const WeirProgram &program, const std::string &stem)
      : program(program), name(cIdentifier(stem)),
        prefix(llvm::StringRef(name).upper() + "_") {}

  std::string write() {
    std::string guard = prefix + "WEIR_H";
    text = rt::str(
        "/* The program '", comment(program.name),
        "' as a shared library; made by weir-compile. */\n\n#ifndef ", guard,
        "\n#define ", guard, "\n\n#include \"weir-c/session.h\"\n\n",
        "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n",
        "/* For weir_session_create. */\nextern const WeirProgram ", name,
        "_program;\n\n");
    // Parts of entries that are spread over devices come behind.
    auto count = static_cast<int32_t>(rt::entryNames(program).size());
    for (int32_t i = 0; i < count; ++i)
      writeEntry(i, program.entries[i]);
    text +=
        rt::str("#ifdef __cplusplus\n}\n#endif\n\n#endif /* ", guard, " */\n");
    return std::move(text);
  }

private:
  void writeEntry(int32_t index, const WeirEntryDesc &entry) {
    text += rt::str("/* ", comment(entry.name),
                    signature(entry.feeds, entry.feed_count), " -> ",
                    signature(entry.fetches, entry.fetch_count), " */\n");
    std::string base = constant(entry.name);
    text += rt::str("#define ", base, " ", index,
                    " /* the entry of weir_session_run */\n");
    writeTensors(base + "_FEED", entry.feeds, entry.feed_count);
    writeTensors(base + "_FETCH", entry.fetches, entry.fetch_count);
    text += "\n";
  }

  void writeTensors(const std::string &base, const WeirTensorDesc *descs,
                    int32_t count) {
    text += rt::str("#define ", base, "_COUNT ", count, "\n");
    for (int32_t i = 0; i < count; ++i)
      text += rt::str(
          "#define ", constant(base, descs[i].name), " ", i, " /* ",
          rt::typeText(descs[i].dtype, descs[i].dims, descs[i].rank), " */\n");
  }

  std::string signature(const WeirTensorDesc *descs, int32_t count) {
    std::string result = "(";
    for (int32_t i = 0; i < count; ++i)
      result +=
          rt::str(i ? ", " : "", comment(descs[i].name), ": ",
                  rt::typeText(descs[i].dtype, descs[i].dims, descs[i].rank));
    return result + ")";
  }

  std::string constant(std::string_view name) {
    return unique(prefix + llvm::StringRef(cIdentifier(name)).upper());
  }
  std::string constant(const std::string &base, std::string_view name) {
    return unique(base + "_" + llvm::StringRef(cIdentifier(name)).upper());
  }

  /// Names that differ may give one identifier ("a.b" and "a_b").
  std::string unique(std::string identifier) {
    std::string candidate = identifier;
    for (int n = 2; !taken.insert(candidate).second; ++n)
      candidate = rt::str(identifier, "_", n);
    return candidate;
  }

  /// A name may hold what ends a comment.
  static std::string comment(std::string_view name) {
    std::string result(name);
    for (char &c : result)
      if (c == '*' || static_cast<unsigned char>(c) < ' ')
        c = '_';
    return result;
  }

  const WeirProgram &program;
  std::string name, prefix, text;
  llvm::StringSet<> taken;
};
} // namespace

std::string weir::cHeader(const WeirProgram &program, const std::string &stem) {
  return HeaderWriter(program, stem).write();
}

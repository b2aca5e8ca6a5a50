//===- TempDirectory.h - A directory for one test ---------------*- C++ -*-===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_TEST_UNIT_RUNTIME_CHECKPOINT_TEMPDIRECTORY_H
#define WEIR_TEST_UNIT_RUNTIME_CHECKPOINT_TEMPDIRECTORY_H

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <string>
#include <vector>

namespace weir::rt::test {

/// Made empty, removed with all that is in it. In memory where there is such a
/// place: the saves of these tests sync thousands of times.
class TempDirectory {
public:
  TempDirectory() {
    for (std::string pattern : {std::string("/dev/shm/weir_XXXXXX"),
                                testing::TempDir() + "weir_XXXXXX"})
      if (mkdtemp(pattern.data())) {
        path = pattern;
        return;
      }
  }
  ~TempDirectory() { std::filesystem::remove_all(path); }

  std::string file(const std::string &name) const { return path + "/" + name; }

  std::vector<std::string> list() const {
    std::vector<std::string> names;
    for (const auto &entry : std::filesystem::directory_iterator(path))
      names.push_back(entry.path().filename());
    std::sort(names.begin(), names.end());
    return names;
  }

  std::string read(const std::string &name) const {
    std::ifstream in(file(name), std::ios::binary);
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
  }

  void write(const std::string &name, const std::string &bytes) const {
    std::ofstream(file(name), std::ios::binary) << bytes;
  }

  std::string path;
};

} // namespace weir::rt::test

#endif // WEIR_TEST_UNIT_RUNTIME_CHECKPOINT_TEMPDIRECTORY_H

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

/// Made empty, removed with all that is in it. In memory where there is a place
/// with room for it: the saves of these tests sync thousands of times.
class TempDirectory {
public:
  TempDirectory() {
    constexpr uintmax_t kRoom = 16 << 20;
    for (std::string place : {std::string("/dev/shm/"), testing::TempDir()}) {
      std::error_code none;
      const std::filesystem::space_info space =
          std::filesystem::space(place, none);
      std::string pattern = place + "weir_XXXXXX";
      if (!none && space.available >= kRoom && mkdtemp(pattern.data())) {
        path = pattern;
        return;
      }
    }
    ADD_FAILURE() << "no room for files, neither in /dev/shm nor in "
                  << testing::TempDir();
  }
  ~TempDirectory() {
    if (!path.empty())
      std::filesystem::remove_all(path);
  }

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

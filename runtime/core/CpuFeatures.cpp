//===- CpuFeatures.cpp - What this processor can do -----------------------===//
//
// Part of the Weir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/core/CpuFeatures.h"

#include <cstdint>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

using namespace weir::rt;

#if defined(__x86_64__)

namespace {

enum Register : uint8_t { EAX, EBX, ECX, EDX };

/// What the operating system must save and restore for a feature to be usable.
enum class NeedsOs : uint8_t { Nothing, Avx, Avx512, Amx };

struct Feature {
  const char *name;
  uint32_t leaf;
  uint32_t subleaf;
  Register reg;
  uint8_t bit;
  NeedsOs os;
};

} // namespace

static const Feature kFeatures[] = {
    {"sse3", 1, 0, ECX, 0, NeedsOs::Nothing},
    {"pclmul", 1, 0, ECX, 1, NeedsOs::Nothing},
    {"ssse3", 1, 0, ECX, 9, NeedsOs::Nothing},
    {"fma", 1, 0, ECX, 12, NeedsOs::Avx},
    {"cx16", 1, 0, ECX, 13, NeedsOs::Nothing},
    {"sse4.1", 1, 0, ECX, 19, NeedsOs::Nothing},
    {"sse4.2", 1, 0, ECX, 20, NeedsOs::Nothing},
    {"movbe", 1, 0, ECX, 22, NeedsOs::Nothing},
    {"popcnt", 1, 0, ECX, 23, NeedsOs::Nothing},
    {"aes", 1, 0, ECX, 25, NeedsOs::Nothing},
    {"avx", 1, 0, ECX, 28, NeedsOs::Avx},
    {"f16c", 1, 0, ECX, 29, NeedsOs::Avx},
    {"rdrnd", 1, 0, ECX, 30, NeedsOs::Nothing},
    {"sse2", 1, 0, EDX, 26, NeedsOs::Nothing},
    {"bmi", 7, 0, EBX, 3, NeedsOs::Nothing},
    {"avx2", 7, 0, EBX, 5, NeedsOs::Avx},
    {"bmi2", 7, 0, EBX, 8, NeedsOs::Nothing},
    {"avx512f", 7, 0, EBX, 16, NeedsOs::Avx512},
    {"avx512dq", 7, 0, EBX, 17, NeedsOs::Avx512},
    {"rdseed", 7, 0, EBX, 18, NeedsOs::Nothing},
    {"adx", 7, 0, EBX, 19, NeedsOs::Nothing},
    {"avx512ifma", 7, 0, EBX, 21, NeedsOs::Avx512},
    {"avx512cd", 7, 0, EBX, 28, NeedsOs::Avx512},
    {"sha", 7, 0, EBX, 29, NeedsOs::Nothing},
    {"avx512bw", 7, 0, EBX, 30, NeedsOs::Avx512},
    {"avx512vl", 7, 0, EBX, 31, NeedsOs::Avx512},
    {"avx512vbmi", 7, 0, ECX, 1, NeedsOs::Avx512},
    {"avx512vbmi2", 7, 0, ECX, 6, NeedsOs::Avx512},
    {"gfni", 7, 0, ECX, 8, NeedsOs::Nothing},
    {"vaes", 7, 0, ECX, 9, NeedsOs::Avx},
    {"vpclmulqdq", 7, 0, ECX, 10, NeedsOs::Avx},
    {"avx512vnni", 7, 0, ECX, 11, NeedsOs::Avx512},
    {"avx512bitalg", 7, 0, ECX, 12, NeedsOs::Avx512},
    {"avx512vpopcntdq", 7, 0, ECX, 14, NeedsOs::Avx512},
    {"amx-bf16", 7, 0, EDX, 22, NeedsOs::Amx},
    {"avx512fp16", 7, 0, EDX, 23, NeedsOs::Avx512},
    {"amx-tile", 7, 0, EDX, 24, NeedsOs::Amx},
    {"amx-int8", 7, 0, EDX, 25, NeedsOs::Amx},
    {"avxvnni", 7, 1, EAX, 4, NeedsOs::Avx},
    {"avx512bf16", 7, 1, EAX, 5, NeedsOs::Avx512},
    {"lzcnt", 0x80000001u, 0, ECX, 5, NeedsOs::Nothing},
    {"sse4a", 0x80000001u, 0, ECX, 6, NeedsOs::Nothing},
};

/// The register states that the operating system saves (XCR0), or 0.
static uint64_t savedStates() {
  uint32_t eax, ebx, ecx, edx;
  if (!__get_cpuid_count(1, 0, &eax, &ebx, &ecx, &edx) || !(ecx >> 27 & 1))
    return 0;
  // Inline assembly, because the intrinsic wants the whole file built for it.
  asm volatile("xgetbv" : "=a"(eax), "=d"(edx) : "c"(0));
  return static_cast<uint64_t>(edx) << 32 | eax;
}

static bool osSupports(NeedsOs need) {
  uint64_t mask = 0;
  switch (need) {
  case NeedsOs::Nothing:
    return true;
  case NeedsOs::Avx:
    mask = 0x6;
    break;
  case NeedsOs::Avx512:
    mask = 0xe6;
    break;
  case NeedsOs::Amx:
    mask = 0x60000;
    break;
  }
  return (savedStates() & mask) == mask;
}

static const Feature *findFeature(std::string_view name) {
  for (const Feature &feature : kFeatures)
    if (name == feature.name)
      return &feature;
  return nullptr;
}

static bool isPresent(const Feature &feature) {
  uint32_t regs[4];
  if (!__get_cpuid_count(feature.leaf, feature.subleaf, &regs[0], &regs[1],
                         &regs[2], &regs[3]))
    return false;
  return (regs[feature.reg] >> feature.bit & 1) && osSupports(feature.os);
}

bool weir::rt::hasCpuFeature(std::string_view name) {
  const Feature *feature = findFeature(name);
  return feature && isPresent(*feature);
}

static bool isMissing(std::string_view name) {
  const Feature *feature = findFeature(name);
  return feature && !isPresent(*feature);
}

#else

bool weir::rt::hasCpuFeature(std::string_view) { return false; }

static bool isMissing(std::string_view) { return false; }

#endif

std::string weir::rt::missingCpuFeatures(std::string_view required) {
  std::string missing;
  while (!required.empty()) {
    size_t comma = required.find(',');
    std::string_view name = required.substr(0, comma);
    required.remove_prefix(comma == std::string_view::npos ? required.size()
                                                           : comma + 1);
    if (!name.empty() && name[0] == '-')
      continue;
    if (!name.empty() && name[0] == '+')
      name.remove_prefix(1);
    if (!isMissing(name))
      continue;
    if (!missing.empty())
      missing += ", ";
    missing.append(name);
  }
  return missing;
}

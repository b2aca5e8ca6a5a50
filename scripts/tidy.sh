#!/usr/bin/env bash
# Runs clang-tidy.
#
#   scripts/tidy.sh [FILE...]
#
# Without files: those that differ from the main branch. It takes some seconds
# for a file of the runtime and more for one of the compiler, so that test.sh
# leaves it out. WEIR_BUILD names a build tree (default: build/dev).
set -euo pipefail
cd "$(dirname "$0")/.."
tree=${WEIR_BUILD:-build/dev}
if [ ! -f "$tree/compile_commands.json" ]; then
  echo "error: $tree/compile_commands.json is missing; run cmake --preset dev first" >&2
  exit 1
fi
if [ $# -gt 0 ]; then
  files=("$@")
else
  mapfile -t files < <(git diff --name-only --diff-filter=d main -- '*.cpp')
fi
[ ${#files[@]} -gt 0 ] || { echo "tidy: no file has changed"; exit 0; }
clang-tidy-22 -p "$tree" --quiet --warnings-as-errors='*' "${files[@]}"

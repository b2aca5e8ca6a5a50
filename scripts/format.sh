#!/usr/bin/env bash
# Formats the C and C++ sources.
#
#   scripts/format.sh [--check] [FILE...]
#
# Without files: all that git knows. --check changes nothing, names what is not
# formatted, ends with a line that counts files, and fails if there is one.
set -euo pipefail
cd "$(dirname "$0")/.."

check=
if [ "${1:-}" = --check ]; then
  check=1
  shift
fi
formatter=$(command -v clang-format-22 || true)
if [ -z "$formatter" ]; then
  echo "error: clang-format-22 is not installed; scripts/install_dependencies.sh installs it" >&2
  exit 1
fi
if [ $# -gt 0 ]; then
  files=("$@")
else
  mapfile -t files < <(git ls-files -- '*.c' '*.cpp' '*.h')
fi

if [ -z "$check" ]; then
  "$formatter" -i "${files[@]}"
  exit
fi
failed=0
for file in "${files[@]}"; do
  if ! "$formatter" --dry-run -Werror "$file" >/dev/null 2>&1; then
    echo "not formatted: $file (scripts/format.sh $file mends it)"
    failed=$((failed + 1))
  fi
done
echo "format: $((${#files[@]} - failed)) of ${#files[@]} files are formatted"
[ "$failed" -eq 0 ]

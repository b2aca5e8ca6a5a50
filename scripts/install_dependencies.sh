#!/usr/bin/env bash
# Installs what building and testing Weir takes, on Debian 12, where missing.
#
#   scripts/install_dependencies.sh
#
# Needs root (or sudo) only if something is missing.
set -euo pipefail

packages=(
  # the compiler's own compiler, and what it is built on
  clang-22 lld-22 libomp-22-dev libclang-rt-22-dev
  llvm-22-dev llvm-22-tools libmlir-22-dev mlir-22-tools
  cmake ninja-build ccache git ca-certificates zlib1g-dev
  # the runtime
  libleveldb-dev libsnappy-dev libpng-dev libjpeg62-turbo-dev libprotobuf-dev protobuf-compiler
  libgrpc++-dev protobuf-compiler-grpc
  # the tests
  libgtest-dev clang-format-22 clang-tidy-22
  # Python
  python3-dev python3-venv
)

missing=()
for package in "${packages[@]}"; do
  state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$state" = installed ] || missing+=("$package")
done
if [ ${#missing[@]} -eq 0 ]; then
  echo "dependencies: all ${#packages[@]} packages are there"
  exit 0
fi

root=()
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "error: these packages are missing, and only root can install them:" >&2
    echo "  apt-get install --no-install-recommends ${missing[*]}" >&2
    exit 1
  fi
  root=(sudo)
fi
echo "dependencies: ${#missing[@]} of ${#packages[@]} packages are missing: ${missing[*]}"

export DEBIAN_FRONTEND=noninteractive
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# A server may be away for a moment, and another installation on its way.
apt=("${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -o Acquire::Retries=5 -o DPkg::Lock::Timeout=600)
echo "dependencies: reading the package lists"
for pause in 5 20 60 0; do
  # In the end a list that cannot be read may be one that nothing here is from.
  mode=any
  [ "$pause" != 0 ] || mode=persistent-failure
  "${apt[@]}" -o APT::Update::Error-Mode=$mode update >"$log" 2>&1 && break
  if [ "$pause" = 0 ]; then
    tail -n 30 "$log" >&2
    echo "error: apt-get update failed four times; the lines above say why" >&2
    exit 1
  fi
  echo "dependencies: apt-get update failed; again in $pause s"
  sleep "$pause"
done
count=0
"${apt[@]}" install -y --no-install-recommends "${missing[@]}" >"$log" 2>&1 &
installer=$!
while kill -0 "$installer" 2>/dev/null; do
  now=$(grep -c '^\(Unpacking\|Setting up\) ' "$log" || true)
  total=$(sed -n 's/^\([0-9]*\) upgraded, \([0-9]*\) newly.*/\1 \2/p' "$log" | awk '{print 2 * ($1 + $2)}')
  if [ -n "$total" ] && [ "$now" -ne "$count" ]; then
    count=$now
    [ -t 1 ] && printf '\rdependencies: installing, step %d of %d' "$count" "$total"
  fi
  sleep 1
done
if ! wait "$installer"; then
  [ -t 1 ] && echo
  tail -n 30 "$log" >&2
  echo "error: apt-get could not install ${missing[*]}; the lines above say why" >&2
  exit 1
fi
[ -t 1 ] && echo
echo "dependencies: installed"

#!/usr/bin/env bash
# Builds Weir and runs all its tests.
#
#   ./test.sh [options] [SUITE...]
#
#   --preset NAME   the CMake preset to build and test (default: release)
#   --no-install    install no system packages
#   --no-build      test what is built already
#   --help          show this
#
# Suites: checks unit lit numerics conformance python e2e asan tsan (default: all).
#   checks    layout, documents, formatting of the sources
#   unit      GoogleTest programs
#   lit       the compiler's passes and tools, by FileCheck
#   numerics  values against the interpreter and other systems
#   conformance  graphs of TensorFlow in TensorFlow and in Weir; random graphs
#   python    the Python package
#   e2e       whole programs: the examples, checkpoints, bad input, README
#   asan      the runtime's unit tests under AddressSanitizer and UBSan
#   tsan      the same under ThreadSanitizer
#
# The last line counts the tests of all suites: `N passed, N failed, N skipped`.
# The exit code is 1 if one failed, or a suite gave no count.
set -uo pipefail
cd "$(dirname "$0")"
root=$PWD

all=(checks unit lit numerics conformance python e2e asan tsan)
preset=release install=1 build=1 suites=()
while [ $# -gt 0 ]; do
  case $1 in
    --preset) preset=${2:?--preset wants a name}; shift ;;
    --no-install) install= ;;
    --no-build) build= ;;
    -h | --help) sed -n '2,/^set /s/^# \{0,1\}//p' "$0"; exit 0 ;;
    -*) echo "error: there is no option $1 (./test.sh --help)" >&2; exit 1 ;;
    *)
      case " ${all[*]} " in
        *" $1 "*) suites+=("$1") ;;
        *) echo "error: there is no suite '$1'; there are ${all[*]}" >&2; exit 1 ;;
      esac ;;
  esac
  shift
done
[ ${#suites[@]} -gt 0 ] || suites=("${all[@]}")

results=$root/build/test-results
rm -rf "$results"
mkdir -p "$results"
tree=$root/build/$preset
times=()

# stage NAME COMMAND...: runs it, keeps its time. Suites report by their files
# in $results; the exit code matters for the steps before them only.
stage() {
  local name=$1 begin=$SECONDS code=0
  shift
  echo "== $name"
  "$@" || code=$?
  times+=("$(printf '%s %d:%02d' "$name" $(((SECONDS - begin) / 60)) $(((SECONDS - begin) % 60)))")
  return $code
}

# step NAME COMMAND...: a stage without which nothing after it makes sense.
step() {
  stage "$@" && return
  echo "error: $1 failed, so no test was run" >&2
  scripts/test_summary.py "$results" "${suites[@]}"
  exit 1
}

python_environments() {
  scripts/python_environment.sh build/python test/requirements-python.txt &&
    scripts/python_environment.sh build/oracles test/requirements-oracles.txt
}

configure() { # PRESET OPTIONS...
  local log=$results/$1.configure.log cache=$root/build/$1/CMakeCache.txt fresh=()
  # CMake refuses what was configured in another folder, as where a checkout has moved.
  if [ -e "$cache" ] && [ ! "$(sed -n 's/^CMAKE_HOME_DIRECTORY:INTERNAL=//p' "$cache")" -ef "$root" ]; then
    fresh=(--fresh)
  fi
  cmake "${fresh[@]}" --preset "$@" >"$log" 2>&1 || { tail -n 40 "$log"; return 1; }
}

configure_and_build() {
  configure "$preset" -DPython3_EXECUTABLE="$root/build/python/bin/python" \
    -DPython_EXECUTABLE="$root/build/python/bin/python" &&
    cmake --build --preset "$preset"
}

# The cases of each gtest program land in a file of its name, beside ctest's.
# The limit is for a program that hangs: on a loaded machine, under a sanitizer,
# one may take many minutes.
run_ctest() { # SUITE TREE FILTER...
  local folder=$results/$1 tree=$2
  shift 2
  mkdir -p "$folder"
  GTEST_OUTPUT="xml:$folder/" ctest --test-dir "$tree" --output-on-failure --timeout 900 \
    -j "$(nproc)" --output-junit "$folder/ctest.xml" "$@"
}

run_pytest() { # SUITE PYTHON FOLDER
  mkdir -p "$results/$1"
  "$2" -m pytest -q -ra --junitxml="$results/$1/pytest.xml" -o junit_family=xunit2 "$3"
}

# A script that writes its cases as JUnit XML where --junit says.
run_script() { # SUITE PYTHON SCRIPT OPTIONS...
  local name folder=$results/$1 python=$2 script=$3
  name=$(basename "$script" .py)
  shift 3
  mkdir -p "$folder"
  "$python" "$script" --junit "$folder/$name.xml" "$@" || [ -s "$folder/$name.xml" ] || echo 0 1 0 >"$folder/$name.count"
}

suite_checks() {
  run_ctest checks "$tree" -R '^check_'
  if scripts/format.sh --check; then
    echo 1 0 0 >"$results/checks/format.count"
  else
    echo 0 1 0 >"$results/checks/format.count"
  fi
}
suite_unit() { run_ctest unit "$tree" -E '^check_'; }
suite_lit() {
  mkdir -p "$results/lit"
  "$tree/bin/weir-lit" -sv --order=smart --xunit-xml-output="$results/lit/lit.xml" "$tree/test"
}
suite_numerics() { run_pytest numerics build/oracles/bin/python test/numerics; }
suite_conformance() {
  run_script conformance build/oracles/bin/python test/conformance/tf_dataflow.py
  run_script conformance build/oracles/bin/python test/conformance/random_dataflow.py
  run_pytest conformance build/oracles/bin/python test/conformance
}
suite_python() { run_pytest python build/python/bin/python test/python; }
suite_e2e() { run_pytest e2e build/python/bin/python test/e2e; }
sanitized() { # PRESET
  mkdir -p "$results/$1"
  configure "$1" -DWEIR_RUNTIME_ONLY=ON && cmake --build --preset "$1" && run_ctest "$1" "$root/build/$1" -E '^check_'
}
suite_asan() { sanitized asan; }
suite_tsan() { sanitized tsan; }

# What tests are told: where the tools are, and the interpreter with the oracles.
export WEIR_BUILD=$tree
export WEIR_ORACLES=$root/build/oracles/bin/python
export PYTHONPATH=$tree/python${PYTHONPATH:+:$PYTHONPATH}
export PYTHONDONTWRITEBYTECODE=1 TF_CPP_MIN_LOG_LEVEL=3

if [ -n "$install" ]; then
  step dependencies scripts/install_dependencies.sh
fi
if [ -n "$build" ]; then
  step environments python_environments
  step build configure_and_build
fi
for suite in "${suites[@]}"; do
  stage "$suite" "suite_$suite"
done

echo "== summary"
echo "minutes: $(IFS=,; echo "${times[*]}" | sed 's/,/, /g'); in all $((SECONDS / 60)):$(printf '%02d' $((SECONDS % 60)))"
scripts/test_summary.py "$results" "${suites[@]}"

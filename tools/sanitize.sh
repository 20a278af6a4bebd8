#!/usr/bin/env bash
# Native and unit tests under sanitizers (`make sanitize`):
#   1. native tests with AddressSanitizer and UndefinedBehaviorSanitizer;
#   2. native tests with ThreadSanitizer;
#   3. the Python module with AddressSanitizer and UndefinedBehaviorSanitizer, driven by the tests
#      that reach native code.
# A copy of the package, with the sanitised module in it, stands first on the path, and Python runs
# without `site`: an editable install puts an import hook in front of the path, and it would win.
set -euo pipefail

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
cd "$root"
tools="$root/${BRANCHLINE_VENV:-.venv}/bin"
python="$tools/python"
compiler="${CXX:-c++}"

configure_and_build() { # folder, sanitizers, target, further options
    local folder="$1" sanitizers="$2" target="$3"
    shift 3
    "$tools/cmake" -S . -B "$folder" -G Ninja -DCMAKE_MAKE_PROGRAM="$tools/ninja" \
        -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_BUILD_TYPE=Release \
        -DBRANCHLINE_SANITIZE="$sanitizers" "$@" >"$folder.log" 2>&1 ||
        { cat "$folder.log"; return 1; }
    "$tools/cmake" --build "$folder" --target "$target" >>"$folder.log" 2>&1 ||
        { cat "$folder.log"; return 1; }
}

native_tests() { # name, sanitizers
    echo "== native tests: $2"
    configure_and_build "build/$1" "$2" native_tests \
        -DBRANCHLINE_MODULE=OFF
    "build/$1/native_tests"
}

# The tests that reach the compiled core. New kernels add theirs here.
python_tests=(
    tests/unit/test_codes.py
    tests/unit/test_dtypes.py
    tests/unit/test_fixed_point.py
    tests/unit/test_random.py
    tests/unit/tree
    tests/unit/forest/test_extra_trees.py
    tests/unit/trees
    tests/unit/forest/test_random_forest.py
    tests/unit/boosting/test_attributions.py
    tests/unit/boosting/test_losses_by_name.py
    tests/unit/boosting/test_boosting.py
    tests/unit/kernels
    tests/unit/svm/test_leave_one_out.py
    tests/unit/svm/test_linear_svc.py
    tests/unit/svm/test_nu_svc.py
    tests/unit/svm/test_svc.py
    tests/unit/svm/test_svc_grid.py
    tests/unit/bayes
    tests/unit/cluster
    tests/unit/density
    tests/unit/features
    tests/unit/neighbors
    tests/unit/sequence
    tests/unit/stream
    tests/unit/test_part_rounds.py
    tests/unit/test_tree_work.py
    tests/properties/test_codes.py
    tests/properties/test_naive_bayes.py
    tests/properties/test_neighbors.py
    tests/properties/test_network.py
    tests/properties/test_row_keys.py
    tests/properties/test_sequences.py
    tests/properties/test_stream.py
    tests/promises/test_core_calls.py
    tests/properties/test_grow_tree.py
    tests/properties/test_prune_tree.py
    tests/properties/test_subset_search.py
    tests/properties/test_random.py
)

module_tests() {
    echo "== Python tests: address,undefined"
    local folder=build/asan-module
    configure_and_build "$folder" address,undefined _core \
        -DBRANCHLINE_MODULE=ON -DPython_EXECUTABLE="$python"

    local path="$root/$folder/python"
    rm -rf "$path"
    mkdir -p "$path"
    cp -R src/branchline "$path/branchline"
    rm -f "$path"/branchline/_core*.so
    cp "$folder"/_core*.so "$path/branchline/"
    cat >"$path/sanitized_core.py" <<'PLUGIN'
"""A pytest plugin: the tests run on the sanitised module, or not at all."""

from pathlib import Path


def pytest_configure(config):
    import branchline._core

    here = Path(__file__).parent
    assert Path(branchline.__file__).parent == here / "branchline", branchline.__file__
    assert Path(branchline._core.__file__).parent == here / "branchline", branchline._core.__file__
    assert b"__asan_" in Path(branchline._core.__file__).read_bytes(), "the module is not sanitised"
    loaded = Path("/proc/self/maps")
    assert not loaded.exists() or "libasan" in loaded.read_text(), "libasan is not loaded"
PLUGIN

    local packages runtime
    packages="$("$python" -c 'import sysconfig; print(sysconfig.get_path("platlib"))')"
    runtime="$("$compiler" -print-file-name=libasan.so) $("$compiler" -print-file-name=libstdc++.so)"
    # --capture=sys lets a sanitizer's report, written to the file descriptor, through.
    LD_PRELOAD="$runtime" ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 \
        PYTHONPATH="$path:$packages" PYTHONMALLOC=malloc HYPOTHESIS_PROFILE=sanitize \
        "$python" -S -m pytest -q --capture=sys -p sanitized_core -p no:cacheprovider \
        "${python_tests[@]}"
}

mkdir -p build
native_tests asan address,undefined
native_tests tsan thread
module_tests
echo "== sanitizers found nothing"

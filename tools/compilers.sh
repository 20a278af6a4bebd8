#!/usr/bin/env bash
# Compile the native core with each supported compiler, warnings as errors, and run its tests
# (`make compilers`). Others can be named: COMPILERS="g++-13" make compilers.
set -euo pipefail

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
cd "$root"
tools="$root/.venv/bin"

for compiler in ${COMPILERS:-g++ clang++-16}; do
    command -v "$compiler" >/dev/null 2>&1 || { echo "$compiler is not installed."; exit 1; }
    echo "== $("$compiler" --version | head -1)"
    folder="build/compiler-$(basename "$compiler")"
    "$tools/cmake" -S . -B "$folder" -G Ninja -DCMAKE_MAKE_PROGRAM="$tools/ninja" \
        -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_BUILD_TYPE=Release -DBRANCHLINE_MODULE=OFF \
        -DBRANCHLINE_WARNINGS_AS_ERRORS=ON >"$folder.log" 2>&1 || { cat "$folder.log"; exit 1; }
    "$tools/cmake" --build "$folder" --target native_tests >>"$folder.log" 2>&1 ||
        { tail -60 "$folder.log"; exit 1; }
    "$folder/native_tests"
done

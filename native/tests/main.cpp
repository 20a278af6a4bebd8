// Runs the native tests: all, or those whose names contain the first argument.
#include <cstdio>
#include <string_view>

#include "check.hpp"

namespace {

bool passes(const check::Test& test) {
    try {
        test.body();
        return true;
    } catch (const std::exception& error) {
        std::printf("FAILED %s\n    %s\n", test.name, error.what());
    } catch (...) {
        std::printf("FAILED %s\n    an exception of an unknown type\n", test.name);
    }
    return false;
}

}  // namespace

int main(int n_arguments, char** arguments) {
    const std::string_view wanted = n_arguments > 1 ? arguments[1] : "";
    int n_passed = 0, n_failed = 0;
    for (const check::Test& test : check::Test::all()) {
        if (std::string_view(test.name).find(wanted) == std::string_view::npos) continue;
        ++(passes(test) ? n_passed : n_failed);
        std::fflush(stdout);
    }
    std::printf("%d passed, %d failed\n", n_passed, n_failed);
    return n_failed == 0 && n_passed > 0 ? 0 : 1;
}

#include <random>

#include "branchline/branch_pool.hpp"
#include "check.hpp"

using namespace branchline;

namespace {

// Reading a pool gives what it was made of, from bytes and from 32 bits.
void holds_its_branches(std::int32_t largest) {
    std::mt19937 generator(static_cast<unsigned>(largest));
    std::uniform_int_distribution<std::int32_t> branch(-2, largest);
    for (std::size_t size = 0; size < 40; ++size) {
        std::vector<std::int32_t> wide(size);
        for (auto& each : wide) each = branch(generator);
        if (largest > 127) {
            const BranchPool pool = BranchesView(wide).packed();
            for (std::size_t i = 0; i < size; ++i) check::equal(pool[i], wide[i]);
            continue;
        }
        const std::vector<std::int8_t> narrow(wide.begin(), wide.end());
        const BranchPool of_wide = BranchesView(wide).packed();
        const BranchPool of_narrow = BranchesView(std::span(narrow)).packed();
        check::equal(of_wide.size(), size);
        check::equal(of_narrow.size(), size);
        for (std::size_t i = 0; i < size; ++i) {
            check::equal(of_wide[i], wide[i]);
            check::equal(of_narrow[i], wide[i]);
        }
    }
}

const check::Test two{"a pool of two branches holds them in two bits",
                      [] { holds_its_branches(1); }};

const check::Test more{"a pool of more branches holds them, too", [] {
    holds_its_branches(2);
    holds_its_branches(127);
    holds_its_branches(128);
}};

}  // namespace

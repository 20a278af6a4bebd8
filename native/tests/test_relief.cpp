#include <random>

#include "branchline/cpu_level.hpp"
#include "branchline/relief.hpp"
#include "check.hpp"
#include "relief/difference_kernels.hpp"

namespace {

using namespace branchline;
using Values = std::vector<std::uint16_t>;

constexpr std::array<std::size_t, 4> kinds{3, 2, 2, 1};
constexpr std::size_t width = 8;

Values some_values(std::size_t n_rows, std::uint64_t seed) {
    std::mt19937_64 draw(seed);
    Values values(n_rows * width);
    for (std::size_t at = 0; at < values.size(); ++at) {
        const std::size_t column = at % width;
        const bool is_number = column < 3 || column == 5 || column == 6;
        values[at] = static_cast<std::uint16_t>(is_number ? draw() % 60'001 : draw() % 4);
        if (column >= 5 && draw() % 5 == 0) values[at] = missing_value;
    }
    return values;
}

const Values expected_differences{0, 0, 0, 0, 0, 20'000, 19'000, 45'000};

ReliefTable table_over(const Values& values) {
    return {values, values.size() / width, kinds, expected_differences};
}

const check::Test same_at_all_levels{"differences of rows are the same at every level", [] {
    const Values values = some_values(60, 1);
    const ReliefTable table = table_over(values);
    const auto& plain = difference_kernels_for(CpuLevel::baseline);
    for (const CpuLevel level : available_cpu_levels()) {
        const auto& kernels = difference_kernels_for(level);
        for (std::size_t row = 1; row < 60; ++row) {
            const auto *one = &values[0], *other = &values[row * width];
            std::vector<std::uint64_t> sums(width, 7), same(width, 7);
            kernels.add(table, one, other, 3, sums.data());
            plain.add(table, one, other, 3, same.data());
            check::equal(sums == same, true);
            std::uint64_t total = 0;
            for (const std::uint64_t sum : sums) total += (sum - 7) / 3;
            std::vector<std::uint64_t> distances(60, 0);
            kernels.distances(table, one, row, row + 1, distances.data());
            check::equal(total, distances[row]);
        }
    }
}};

const check::Test known_score{"two rows of each class: nearest hit and nearest miss", [] {
    // One number: 0 and 0.1 of class 0, 0.5 and 1 of class 1. Hits: −(.1 + .1 + .5 + .5), misses:
    // .5 + .4 + .4 + .9, all over 4.
    const Values values{0, 6'000, 30'000, 60'000};
    const Values expected{0};
    const std::vector<std::uint32_t> classes{0, 0, 1, 1}, probes{0, 1, 2, 3};
    const ReliefTable table{values, 4, {1, 0, 0, 0}, expected};
    StopSignal stop;
    const ReliefScores found = relief_scores(table, {classes, 2, {}}, {{}, probes, 1}, 1, stop);
    check::near(found.score[0], (-1.2 + 2.2) / 4, 1e-12);
}};

const check::Test weights_are_copies{"a weight counts as copies, for any number of threads", [] {
    const Values values = some_values(40, 2);
    Values copied(values);
    copied.insert(copied.end(), values.begin(), values.begin() + 10 * width);
    std::vector<std::int64_t> units(40, 1);
    std::fill(units.begin(), units.begin() + 10, 2);
    std::vector<std::uint32_t> classes(50), probes(50);
    for (std::uint32_t row = 0; row < 50; ++row) {
        classes[row] = row % 10 < 4 ? 1 : 0;
        probes[row] = row;
    }
    const std::span<const std::uint32_t> first_classes(classes.data(), 40);
    const std::span<const std::uint32_t> first_probes(probes.data(), 40);
    for (const std::size_t n_neighbors : {std::size_t{0}, std::size_t{7}}) {
        StopSignal stop;
        const auto weighted = relief_scores(table_over(values), {first_classes, 2, {}},
                                            {units, first_probes, n_neighbors}, 1, stop);
        const auto threaded = relief_scores(table_over(values), {first_classes, 2, {}},
                                            {units, first_probes, n_neighbors}, 2, stop);
        const auto repeated =
            relief_scores(table_over(copied), {classes, 2, {}}, {{}, probes, n_neighbors}, 1, stop);
        check::equal(weighted.score == threaded.score, true);
        for (std::size_t f = 0; f < width; ++f) {
            check::near(weighted.score[f], repeated.score[f], 1e-12);
        }
    }
}};

}  // namespace

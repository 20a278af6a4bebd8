// The best cut of several classes: kernels of every processor level against each cut by itself.
#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "branchline/types.hpp"
#include "check.hpp"
#include "forest/level_kernels.hpp"

namespace {

using namespace branchline;
using namespace branchline::forest;

// Rows of a node: codes from 1 on, or 0 where they are missing.
struct Rows {
    Rows(std::size_t n, std::size_t n_codes, std::size_t n_classes, std::uint64_t seed,
         bool with_missing)
        : codes(std::max<std::size_t>(n, few_rows)), rows(n), units(n_classes) {
        std::mt19937_64 generator(seed);
        for (std::size_t i = 0; i < n; ++i) {
            const bool is_missing = with_missing && generator() % 5 == 0;
            codes[i] = static_cast<std::uint8_t>(is_missing ? 0 : 1 + generator() % n_codes);
            const auto c = (codes[i] / 9 + generator() % 3) % n_classes;
            rows[i] = {static_cast<std::uint32_t>(1 + generator() % 3),
                       static_cast<std::uint32_t>(c)};
            units[c] += rows[i].units;
            weight += rows[i].units;
        }
    }
    ClassesNode node(std::int64_t least) const {
        return {units.data(), units.size(), weight, least, 1e-12 * static_cast<double>(weight)};
    }

    std::vector<std::uint8_t> codes;
    std::vector<ClassUnits> rows;
    std::vector<std::int64_t> units;
    std::int64_t weight = 0;
};

struct Cut {
    double score = -1;
    Code code = 0;
    std::int64_t left_weight = 0;
};

// Each code's cut by itself; the first of those that are as good as the best.
Cut expected_cut(const Rows& rows, const ClassesNode& node, bool missing_left) {
    std::vector<Cut> cuts;
    double highest = -1;
    for (Code code = 1; code < 256; ++code) {
        if (std::find(rows.codes.begin(),
                      rows.codes.begin() + static_cast<std::ptrdiff_t>(rows.rows.size()),
                      code) == rows.codes.begin() + static_cast<std::ptrdiff_t>(rows.rows.size())) {
            continue;
        }
        std::vector<std::int64_t> left(node.n_classes);
        std::int64_t weight = 0;
        for (std::size_t i = 0; i < rows.rows.size(); ++i) {
            if (rows.codes[i] > code || (rows.codes[i] == 0 && !missing_left)) continue;
            left[rows.rows[i].class_index] += rows.rows[i].units;
            weight += rows.rows[i].units;
        }
        if (weight < node.least || node.weight - weight < node.least) continue;
        double squares = 0, right_squares = 0;
        for (std::size_t c = 0; c < left.size(); ++c) {
            squares += static_cast<double>(left[c] * left[c]);
            const std::int64_t right = node.units[c] - left[c];
            right_squares += static_cast<double>(right * right);
        }
        const double score = squares / static_cast<double>(weight) +
                             right_squares / static_cast<double>(node.weight - weight);
        cuts.push_back({score, code, weight});
        highest = std::max(highest, score);
    }
    const auto first = std::find_if(cuts.begin(), cuts.end(), [&](const Cut& cut) {
        return cut.score >= highest - node.slack;
    });
    return first == cuts.end() ? Cut{} : *first;
}

const check::Test counted{"from counts of light and heavy nodes, with missing values on each side",
                          [] {
    for (const CpuLevel level : available_cpu_levels()) {
        const LevelKernels kernels = level_kernels_for(level);
        for (const std::size_t n : {2, 50, 300, 1500, 4000}) {
            for (const std::size_t n_codes : {2, 15, 16, 17, 200, 255}) {
                for (const std::size_t n_classes : {3, 7, 64}) {
                    const Rows rows(n, n_codes, n_classes, n + n_codes, true);
                    std::vector<std::uint32_t> cells(n_classes * class_pitch);
                    for (std::size_t i = 0; i < n; ++i) {
                        cells[rows.rows[i].class_index * class_pitch + rows.codes[i]] +=
                            rows.rows[i].units;
                    }
                    for (const std::int64_t least : {1, 20}) {
                        for (const bool missing_left : {false, true}) {
                            const ClassesNode node = rows.node(least);
                            const CellCut seen =
                                kernels.cut_classes({cells.data(), n_codes, missing_left}, node);
                            const Cut expected = expected_cut(rows, node, missing_left);
                            check::equal(seen.score, expected.score);
                            check::equal(seen.n_left, std::size_t{expected.code});
                            check::equal(seen.left_weight, expected.left_weight);
                        }
                    }
                }
            }
        }
    }
}};

const check::Test few{"from few rows", [] {
    for (const CpuLevel level : available_cpu_levels()) {
        const LevelKernels kernels = level_kernels_for(level);
        for (std::size_t n = 2; n <= few_rows; ++n) {
            for (const std::size_t n_codes : {1, 3, 30, 255}) {
                const Rows rows(n, n_codes, 2 + n % 7, n * n_codes, false);
                const std::vector<std::uint16_t> shorts(rows.codes.begin(), rows.codes.end());
                const ClassesNode node = rows.node(1 + static_cast<std::int64_t>(n % 3));
                const Cut expected = expected_cut(rows, node, false);
                for (const FewCut& seen :
                     {kernels.cut_few_classes_bytes(rows.codes.data(), rows.rows.data(), n, node),
                      kernels.cut_few_classes_shorts(shorts.data(), rows.rows.data(), n, node)}) {
                    check::equal(seen.score, expected.score);
                    check::equal(seen.code, expected.code);
                    check::equal(seen.left_weight, expected.left_weight);
                    if (expected.score < 0) continue;
                    Code next = 256;
                    for (std::size_t i = 0; i < n; ++i) {
                        if (rows.codes[i] > seen.code) next = std::min<Code>(next, rows.codes[i]);
                    }
                    check::equal(seen.next_code, next);
                }
            }
        }
    }
}};

}  // namespace

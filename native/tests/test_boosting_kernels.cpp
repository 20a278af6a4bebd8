// The innermost loops of boosting: what they answer, at every processor level by the same bits.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "boosting/level_kernels.hpp"
#include "boosting/rows.hpp"
#include "check.hpp"
#include "test_data.hpp"

namespace {

using namespace test_data;
using Bytes = std::vector<std::uint8_t>;
using Shorts = std::vector<std::uint16_t>;
using Integers = std::vector<std::int64_t>;
using Leaves = std::vector<std::uint32_t>;
using Singles = std::vector<float>;
using Words = std::vector<std::uint64_t>;

using namespace branchline::boosting;

// What the kernels are given: n rows of random numbers, and two thirds of their places.
struct KernelRows {
    static constexpr std::size_t n_columns = 5, stride = 8, n_codes = 40;

    KernelRows(std::size_t n_rows, std::uint64_t seed)
        : n(n_rows), codes(n * stride), column(n), g(n), h(n), keys(n), units(n), words(n) {
        std::mt19937_64 generator(seed);
        std::normal_distribution<float> normal;
        for (std::uint8_t& code : codes) code = static_cast<std::uint8_t>(generator() % n_codes);
        for (std::size_t i = 0; i < n; ++i) {
            column[i] = static_cast<std::uint8_t>(generator() % 7 == 0 ? 0 : generator());
            g[i] = normal(generator);
            h[i] = std::abs(normal(generator));
            keys[i] = generator();
            units[i] = static_cast<std::int64_t>(generator() % 5);
            if (generator() % 3 != 0) some.push_back(static_cast<std::uint16_t>(i));
            const auto whole_g = static_cast<std::int32_t>(generator() % 8191) - 4095;
            const auto whole_h = static_cast<std::int32_t>(generator() % 256);
            words[i] = static_cast<std::uint32_t>(whole_g * (1 << short_g_shift) +
                                                  (whole_h << short_h_shift) + 1);
        }
    }

    std::size_t n;
    Bytes codes, column;
    Singles g, h;
    Words keys;
    Integers units;
    std::vector<std::uint32_t> words;
    Shorts some;
};

// What kernels answer, all of it whole numbers or doubles.
struct Answers {
    Words cells, hn;
    Integers g;
    std::vector<double> numbers;
    Shorts stay, leave;
    std::vector<std::int32_t> rounded;
    bool operator==(const Answers&) const = default;
};

void count(const BoostingKernels& kernels, const KernelRows& rows, Answers& out) {
    const TileCodes tile{rows.codes.data(), KernelRows::stride, KernelRows::n_columns};
    Words words(rows.n), more(KernelRows::n_columns * narrow_codes);
    out.cells = more;
    kernels.spread_words(rows.words.data(), nullptr, rows.n, words.data());
    kernels.count_all(tile, rows.n, words.data(), out.cells.data());
    kernels.spread_words(rows.words.data(), rows.some.data(), rows.some.size(), words.data());
    kernels.count_rows(tile, rows.some.data(), rows.some.size(), words.data(), more.data());
    out.g.resize(KernelRows::n_codes);
    out.hn.resize(KernelRows::n_codes);
    Integers g(KernelRows::n_codes);
    Words hn(KernelRows::n_codes);
    const Bins bins{out.g.data(), out.hn.data(), out.g.size()}, less{g.data(), hn.data(), g.size()};
    kernels.take_cells(out.cells.data(), bins, false);
    kernels.take_cells(out.cells.data() + narrow_codes, bins, true);
    kernels.take_cells(more.data(), less, false);
    kernels.add(bins, bins);
    kernels.subtract(bins, less);
}

void score(const BoostingKernels& kernels, Answers& out) {
    CutNode node{0, 0, 0, 0.01, 0.5, 1, 2, 0.1};
    for (std::size_t i = 0; i < out.g.size(); ++i) {
        node.g += static_cast<double>(out.g[i]) * node.g_unit;
        node.h += static_cast<double>(out.hn[i] >> sum_h_shift) * node.h_unit;
        node.n += static_cast<double>(out.hn[i] & 0xFFFF'FFFF);
    }
    out.numbers.assign(out.g.size() + 8, 0);
    const Bins bins{out.g.data(), out.hn.data(), out.g.size()};
    const BestScore best = kernels.score_cuts(bins, out.g[0], out.hn[0], node, out.numbers.data());
    out.numbers.resize(out.g.size());
    out.numbers.insert(out.numbers.end(), {best.score, static_cast<double>(best.place)});
}

void part(const BoostingKernels& kernels, const KernelRows& rows, Answers& out) {
    for (const std::size_t step : {1, 3}) {
        CodeSet goes;
        for (std::size_t code = 90; code < 256; code += step) goes.set(code);
        Shorts left = rows.some, right(left.size() + 16);
        const std::size_t n_left =
            kernels.part(left.data(), left.size(), rows.column.data(), goes, right.data());
        check::that(std::all_of(left.begin(), left.begin() + static_cast<std::ptrdiff_t>(n_left),
                                [&](auto row) { return !goes.has(rows.column[row]); }),
                    "those that stay have no bit");
        const auto middle = static_cast<std::ptrdiff_t>(n_left);
        const auto n_right = static_cast<std::ptrdiff_t>(left.size()) - middle;
        out.stay.insert(out.stay.end(), left.begin(), left.begin() + middle);
        out.leave.insert(out.leave.end(), right.begin(), right.begin() + n_right);
    }
}

void round_and_sum(const BoostingKernels& kernels, const KernelRows& rows, Answers& out) {
    const float largest = kernels.largest(rows.g.data(), rows.n);
    out.numbers.push_back(largest);
    out.rounded.resize(4 * rows.n);
    for (const bool constant : {false, true}) {
        const Rounding rounding{4094 / std::max(largest, 1.0F), constant ? 0.0F : 60.0F, rows.n};
        std::int32_t* to = out.rounded.data() + (constant ? 2 * rows.n : 0);
        kernels.round(rows.g.data(), constant ? nullptr : rows.h.data(), rows.keys.data(), rows.n,
                      rounding, to, to + rows.n);
        const LeafSums sums = kernels.sum_rows(rows.some.data(), rows.some.size(), rows.g.data(),
                                               constant ? nullptr : rows.h.data(),
                                               constant ? nullptr : rows.units.data(), {1e9, 1e9});
        for (const std::int64_t sum : {sums.g, sums.h, sums.units}) {
            out.numbers.push_back(static_cast<double>(sum));
        }
    }
}

// The best cut of words is that of the bins they stand for, by the same bits.
void best_cuts(const BoostingKernels& kernels, const KernelRows& rows, Answers& out) {
    const TileCodes tile{rows.codes.data(), KernelRows::stride, KernelRows::n_columns};
    Words spread(rows.n), words(KernelRows::n_columns * narrow_codes);
    kernels.spread_words(rows.words.data(), nullptr, rows.n, spread.data());
    kernels.count_all(tile, rows.n, spread.data(), words.data());
    constexpr std::size_t n = KernelRows::n_codes;
    Integers g(n);
    Words hn(n);
    const Bins bins{g.data(), hn.data(), n};
    kernels.unpack(words.data(), bins);
    std::uint64_t total = 0;
    CutNode node{0, 0, 0, 0.01, 0.5, 1, 2, 0.1};
    for (std::size_t i = 0; i < n; ++i) {
        total += words[i];
        node.g += static_cast<double>(g[i]) * node.g_unit;
        node.h += static_cast<double>(hn[i] >> sum_h_shift) * node.h_unit;
        node.n += static_cast<double>(hn[i] & 0xFFFF'FFFF);
    }
    for (const double l2 : {0.0, 1.0, 1e8, 1e30}) {
        for (const double least_h : {0.0, 0.3 * node.h, 0.6 * node.h}) {
            node.l2 = l2;
            node.least_h = least_h;
            for (const bool left : {false, true}) {
                const BestScore seen =
                    kernels.best_cut_of_words(words.data(), n, left ? words[0] : 0, total, node);
                const BestScore expected =
                    kernels.best_cut(bins, left ? g[0] : 0, left ? hn[0] : 0, node);
                check::equal(seen.score, expected.score);
                check::equal(seen.place, expected.place);
                out.numbers.push_back(seen.score);
            }
        }
    }
    Words less(words.begin() + narrow_codes, words.begin() + narrow_codes + n);
    kernels.take_words(words.data(), less.data(), n, true);
    check::equal(words[0], std::uint64_t{0});
    Words taken(n);
    kernels.take_words_from(words.data() + 2 * narrow_codes, taken.data(), less.data(), n);
    kernels.subtract_words(less.data(), taken.data(), n);
    kernels.subtract_words(less.data(), words.data() + narrow_codes, n);
    out.cells.insert(out.cells.end(), less.begin(), less.end());
}

void add_values(const BoostingKernels& kernels, const KernelRows& rows, Answers& out) {
    const std::vector<double> values{0.1, -2.5, 3.75, 1e-3, 7};
    Leaves leaves;
    for (const std::uint64_t key : rows.keys) leaves.push_back(static_cast<std::uint32_t>(key % 5));
    std::vector<double> scores(rows.g.begin(), rows.g.end()), before = scores;
    check::that(kernels.add_values(leaves.data(), rows.n, values.data(), 5, scores.data()), "all");
    for (std::size_t i = 0; i < rows.n; ++i) {
        check::equal(scores[i], before[i] + values[leaves[i]]);
    }
    out.numbers.insert(out.numbers.end(), scores.begin(), scores.end());
    leaves.back() = 5;
    check::that(!kernels.add_values(leaves.data(), rows.n, values.data(), 5, before.data()), "one");
    check::that(!kernels.add_values(leaves.data(), rows.n, values.data(), 0, before.data()), "no");
}

Answers answers_of(CpuLevel level, const KernelRows& rows) {
    const BoostingKernels& kernels = boosting_kernels_for(level);
    Answers out;
    count(kernels, rows, out);
    score(kernels, out);
    best_cuts(kernels, rows, out);
    part(kernels, rows, out);
    round_and_sum(kernels, rows, out);
    add_values(kernels, rows, out);
    return out;
}

const check::Test levels{"boosting: every processor level gives the same bits", [] {
    for (const std::size_t n : {1, 2, 15, 16, 17, 19, 64, 100, 1000, 16384}) {
        const KernelRows rows(n, n);
        const Answers expected = answers_of(CpuLevel::baseline, rows);
        for (const CpuLevel level : available_cpu_levels()) {
            check::that(answers_of(level, rows) == expected, "the same bits");
        }
        check::equal(expected.stay.size() + expected.leave.size(), 2 * rows.some.size());
    }
}};

}  // namespace

// What a leaf costs, from the statistics of its rows: a small object for each objective.
//
// `get(s)` returns statistic s: the weight of class s; or weight, sum and sum of squares. All are whole
// numbers, so that costs depend neither on the order of rows nor on how a node was reached.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

namespace branchline::optimal {

// The weight that the heaviest class leaves; `two`: exactly two classes.
template <class Number, bool two>
struct Errors {
    using Raw = Number;
    std::size_t n_statistics;

    template <class Get>
    [[gnu::always_inline]] inline Raw operator()(Get get) const {
        if constexpr (two) {
            return std::min(get(0), get(1));
        } else {
            Raw total = 0, most = 0;
            for (std::size_t s = 0; s < n_statistics; ++s) {
                const Raw weight = get(s);
                total += weight;
                most = std::max(most, weight);
            }
            return total - most;
        }
    }
    template <class Get>
    [[gnu::always_inline]] inline Raw weight(Get get) const {
        Raw total = 0;
        for (std::size_t s = 0; s < (two ? 2 : n_statistics); ++s) total += get(s);
        return total;
    }
};

// Whole numbers up to 2^51, without a call of the mathematical library.
[[gnu::always_inline]] inline double rounded(double number) {
    constexpr double shift = 0x1.8p52;
    return (number + shift) - shift;
}

// The least expected cost of a decision; costs[truth · n + decision], on a scale of whole numbers.
struct CostedErrors {
    using Raw = double;
    std::size_t n_statistics;
    std::span<const double> costs;

    template <class Get>
    [[gnu::always_inline]] inline Raw operator()(Get get) const {
        double least = 0;
        for (std::size_t decision = 0; decision < n_statistics; ++decision) {
            double total = 0;
            for (std::size_t truth = 0; truth < n_statistics; ++truth) {
                total += get(truth) * costs[truth * n_statistics + decision];
            }
            least = decision == 0 ? total : std::min(least, total);
        }
        return rounded(least);
    }
    template <class Get>
    [[gnu::always_inline]] inline Raw weight(Get get) const {
        double total = 0;
        for (std::size_t s = 0; s < n_statistics; ++s) total += get(s);
        return total;
    }
};

// Q − S²/w.
struct SquaredErrors {
    using Raw = double;
    double scale;
    std::size_t n_statistics = 3;

    template <class Get>
    [[gnu::always_inline]] inline Raw operator()(Get get) const {
        const double weight = get(0), sum = get(1);
        const double explained = rounded(sum * sum / std::max(weight, 1.0) * scale);
        return std::max(0.0, get(2) - explained);
    }
    template <class Get>
    [[gnu::always_inline]] inline Raw weight(Get get) const {
        return get(0);
    }
};

using CountedTwo = Errors<std::int32_t, true>;
using CountedMany = Errors<std::int32_t, false>;
using WeightedTwo = Errors<double, true>;
using WeightedMany = Errors<double, false>;

}  // namespace branchline::optimal

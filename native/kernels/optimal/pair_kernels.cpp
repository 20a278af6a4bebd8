// This file is compiled several times, each time with another BRANCHLINE_LEVEL (a namespace name)
// and instruction set: a macro, because the name of the namespace is the one thing that changes.
#include "optimal/pair_kernels.hpp"

#include <algorithm>
#include <bit>

namespace branchline::optimal::BRANCHLINE_LEVEL {

namespace {

// Where the costs of the four leaves of a pair go.
template <class Cost>
struct Kept {
    using Raw = typename Cost::Raw;
    using Place = typename PairTable<Cost>::Place;
    Raw *yes, *no, *yes_now, *no_now;
    Place *yes_by, *no_by, place;

    Kept(PairTable<Cost>& table, std::size_t i)
        : yes(table.yes.data()), no(table.no.data()), yes_now(table.yes_now.data()),
          no_now(table.no_now.data()), yes_by(table.yes_by.data()), no_by(table.no_by.data()),
          place(static_cast<Place>(i)) {}

    [[gnu::always_inline]] inline void keep(std::size_t j, Raw a, Raw b, Raw c, Raw d) const {
        yes_now[j] = a + b;
        no_now[j] = c + d;
        const Raw yes_of_j = a + c, no_of_j = b + d;
        yes_by[j] = yes_of_j < yes[j] ? place : yes_by[j];
        yes[j] = yes_of_j < yes[j] ? yes_of_j : yes[j];
        no_by[j] = no_of_j < no[j] ? place : no_by[j];
        no[j] = no_of_j < no[j] ? no_of_j : no[j];
    }
};

template <bool checked, class Cost>
void score(const Cost& cost, PairTable<Cost>& table, std::size_t i) {
    using Raw = typename Cost::Raw;
    const std::size_t stride = table.stride, n = table.n_tests;
    const Raw *all = table.all.data(), *holds = table.holds.data(), *both = table.both.data();
    const Raw least = table.min_weight, forbidden = PairTable<Cost>::forbidden;
    const Kept<Cost> kept(table, i);
#pragma GCC ivdep
    for (std::size_t j = i + 1; j < n; ++j) {
        const auto in_both = [&](std::size_t s) { return both[s * stride + j]; };
        const auto in_i = [&](std::size_t s) { return holds[s * stride + i] - in_both(s); };
        const auto in_j = [&](std::size_t s) { return holds[s * stride + j] - in_both(s); };
        const auto in_none = [&](std::size_t s) {
            return all[s] - holds[s * stride + i] - in_j(s);
        };
        Raw a = cost(in_both), b = cost(in_i), c = cost(in_j), d = cost(in_none);
        if constexpr (checked) {
            a = cost.weight(in_both) < least ? forbidden : a;
            b = cost.weight(in_i) < least ? forbidden : b;
            c = cost.weight(in_j) < least ? forbidden : c;
            d = cost.weight(in_none) < least ? forbidden : d;
        }
        kept.keep(j, a, b, c, d);
    }
}

// The same for many classes: class by class, so that vectors are over tests. A leaf costs its weight less
// that of its heaviest class.
template <bool checked, class Number>
void score(const Errors<Number, false>& cost, PairTable<Errors<Number, false>>& table,
           std::size_t i) {
    using Cost = Errors<Number, false>;
    const std::size_t stride = table.stride, n = table.n_tests;
    table.heaviest.assign(6 * stride, 0);
    Number *heaviest = table.heaviest.data(), *weight = heaviest + 4 * stride;
    Number weight_of_i = 0, weight_of_all = 0;
    for (std::size_t s = 0; s < cost.n_statistics; ++s) {
        const Number *holds = table.holds.data() + s * stride,
                     *both = table.both.data() + s * stride;
        const Number in_i = holds[i], in_none = table.all[s] - in_i;
        weight_of_i += in_i, weight_of_all += table.all[s];
#pragma GCC ivdep
        for (std::size_t j = i + 1; j < n; ++j) {
            const Number a = both[j], b = in_i - a, c = holds[j] - a, d = in_none - c;
            heaviest[j] = std::max(heaviest[j], a);
            heaviest[stride + j] = std::max(heaviest[stride + j], b);
            heaviest[2 * stride + j] = std::max(heaviest[2 * stride + j], c);
            heaviest[3 * stride + j] = std::max(heaviest[3 * stride + j], d);
            weight[j] += a;
            weight[stride + j] += c;
        }
    }
    const Number least = table.min_weight, forbidden = PairTable<Cost>::forbidden;
    const Kept<Cost> kept(table, i);
#pragma GCC ivdep
    for (std::size_t j = i + 1; j < n; ++j) {
        const Number in_both = weight[j], in_i = weight_of_i - in_both, in_j = weight[stride + j];
        const Number in_none = weight_of_all - weight_of_i - in_j;
        Number a = in_both - heaviest[j], b = in_i - heaviest[stride + j];
        Number c = in_j - heaviest[2 * stride + j], d = in_none - heaviest[3 * stride + j];
        if constexpr (checked) {
            a = in_both < least ? forbidden : a;
            b = in_i < least ? forbidden : b;
            c = in_j < least ? forbidden : c;
            d = in_none < least ? forbidden : d;
        }
        kept.keep(j, a, b, c, d);
    }
}

// The first of the least values; returns where it is below `best`, and lowers that.
template <class Raw, class Place>
void take_first_least(const Raw* values, std::size_t begin, std::size_t end, Raw& best,
                      Place& best_by) {
    Raw least = best;
    for (std::size_t j = begin; j < end; ++j) least = values[j] < least ? values[j] : least;
    if (!(least < best)) return;
    std::size_t j = begin;
    while (values[j] != least) ++j;
    best = least;
    best_by = static_cast<Place>(j);
}

}  // namespace

template <class Cost>
void score_pairs(const Cost& cost, PairTable<Cost>& table, std::size_t i) {
    table.min_weight > 0 ? score<true>(cost, table, i) : score<false>(cost, table, i);
    const std::size_t n = table.n_tests;
    take_first_least(table.yes_now.data(), i + 1, n, table.yes[i], table.yes_by[i]);
    take_first_least(table.no_now.data(), i + 1, n, table.no[i], table.no_by[i]);
}

template void score_pairs(const CountedTwo&, PairTable<CountedTwo>&, std::size_t);
template void score_pairs(const CountedMany&, PairTable<CountedMany>&, std::size_t);
template void score_pairs(const WeightedTwo&, PairTable<WeightedTwo>&, std::size_t);
template void score_pairs(const WeightedMany&, PairTable<WeightedMany>&, std::size_t);
template void score_pairs(const CostedErrors&, PairTable<CostedErrors>&, std::size_t);
template void score_pairs(const SquaredErrors&, PairTable<SquaredErrors>&, std::size_t);

void count_pairs(const BitView& bits, std::size_t test, std::int32_t* counts, std::size_t stride) {
    const std::uint64_t* mine = bits.words + test * bits.n_words;
    for (std::size_t j = test + 1; j < bits.n_tests; ++j) {
        const std::uint64_t* other = bits.words + j * bits.n_words;
        for (std::size_t k = 0; k < bits.n_classes; ++k) {
            int count = 0;
            for (std::size_t word = bits.first_word[k]; word < bits.first_word[k + 1]; ++word) {
                count += std::popcount(mine[word] & other[word]);
            }
            counts[k * stride + j] = count;
        }
    }
}

}  // namespace branchline::optimal::BRANCHLINE_LEVEL

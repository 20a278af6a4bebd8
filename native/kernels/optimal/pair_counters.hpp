// Statistics of all pairs of tests in a node: by counting bits, or by adding up weights.
//
// `load` finds the statistics of the node and of every test; `count(i)` those of i with every later test.
// The tests must be counted in ascending order.
#pragma once

#include <algorithm>
#include <vector>

#include "optimal/pair_kernels.hpp"
#include "optimal/row_bits.hpp"

namespace branchline::optimal {

// Rows of weight 1: the node's rows of each class are copied next to each other, as bits of each test.
template <class Cost>
class BitCounter {
  public:
    BitCounter(const RowBits& rows, const OptimalTests&, const OptimalTarget&)
        : rows_(rows), count_pairs_(count_pairs_for(best_cpu_level())) {}

    void load(const Mask& node, PairTable<Cost>& table) {
        first_word_.assign(1, 0);
        std::size_t total = 0;
        for (std::size_t k = 0; k < rows_.n_classes(); ++k) {
            std::size_t count = 0;
            for (std::size_t w = rows_.first_word(k); w < rows_.first_word(k + 1); ++w) {
                count += static_cast<std::size_t>(std::popcount(node[w]));
            }
            table.all[k] = static_cast<std::int32_t>(count);
            total += (count + 63) / 64;
            first_word_.push_back(total);
        }
        n_words_ = total;
        words_.assign(rows_.n_words_of_row() * 64 * n_words_, 0);
        for (std::size_t k = 0; k < rows_.n_classes(); ++k) copy_class(node, k);
        count_tests(table);
    }

    void count(std::size_t test, PairTable<Cost>& table) {
        const BitView view{words_.data(), rows_.n_tests(), n_words_, first_word_.data(),
                           rows_.n_classes()};
        count_pairs_(view, test, table.both.data(), table.stride);
    }

  private:
    void copy_class(const Mask& node, std::size_t k) {
        std::size_t filled = 0, word = first_word_[k];
        std::array<const Word*, 64> of_row;
        for (std::size_t w = rows_.first_word(k); w < rows_.first_word(k + 1); ++w) {
            for (Word left = node[w]; left != 0; left &= left - 1) {
                of_row[filled++] =
                    rows_.tests_of(w * 64 + static_cast<std::size_t>(std::countr_zero(left)));
                if (filled == 64) {
                    copy_block(of_row, filled, word++);
                    filled = 0;
                }
            }
        }
        if (filled > 0) copy_block(of_row, filled, word);
    }

    void copy_block(const std::array<const Word*, 64>& of_row, std::size_t n, std::size_t word) {
        std::array<Word, 64> block;
        for (std::size_t part = 0; part < rows_.n_words_of_row(); ++part) {
            for (std::size_t k = 0; k < 64; ++k) block[k] = k < n ? of_row[k][part] : 0;
            transpose(block);
            for (std::size_t t = 0; t < 64; ++t) {
                words_[(part * 64 + t) * n_words_ + word] = block[t];
            }
        }
    }

    void count_tests(PairTable<Cost>& table) const {
        for (std::size_t test = 0; test < rows_.n_tests(); ++test) {
            const Word* words = words_.data() + test * n_words_;
            for (std::size_t k = 0; k < rows_.n_classes(); ++k) {
                int count = 0;
                for (std::size_t w = first_word_[k]; w < first_word_[k + 1]; ++w) {
                    count += std::popcount(words[w]);
                }
                table.holds[k * table.stride + test] = count;
            }
        }
    }

    const RowBits& rows_;
    CountPairs count_pairs_;
    std::vector<std::size_t> first_word_;
    std::vector<Word> words_;
    std::size_t n_words_ = 0;
};

// Rows with weights or numbers. A row is known by one code for each family: the first of its tests that
// holds. Rows enter a table of sums as the tests of a nested family let them in; sums along a nested
// family are then those of its tests.
template <class Cost>
class SumCounter {
  public:
    SumCounter(const RowBits& rows, const OptimalTests& tests, const OptimalTarget& target)
        : rows_(rows), tests_(tests),
          n_statistics_(target.is_classification() ? target.n_classes : 3) {
        const std::size_t n_places = rows.n_words() * 64;
        codes_.assign(n_places * tests.n_families(), 0);
        statistics_.assign(n_places * n_statistics_, 0);
        each_bit(rows.everything(), [&](std::size_t place) {
            find_codes(place);
            const std::size_t row = rows.row(place);
            const double units = target.units.empty() ? 1 : target.units[row];
            double* mine = statistics_.data() + place * n_statistics_;
            if (target.is_classification()) {
                mine[target.class_of_row[row]] = units;
            } else {
                mine[0] = units, mine[1] = target.sums[row], mine[2] = target.squares[row];
            }
        });
        for (std::size_t t = 0, family = 0; t < rows.n_tests(); ++t) {
            while (t >= tests.first_test[family + 1]) ++family;
            family_of_test_.push_back(static_cast<std::uint32_t>(family));
        }
    }

    const double* statistics(std::size_t place) const {
        return statistics_.data() + place * n_statistics_;
    }

    void load(const Mask& node, PairTable<Cost>& table) {
        places_.clear();
        each_bit(node,
                 [&](std::size_t place) { places_.push_back(static_cast<std::uint32_t>(place)); });
        std::fill(table.all.begin(), table.all.end(), 0.0);
        clear(table, 0);
        for (const std::uint32_t place : places_) {
            const double* mine = statistics(place);
            for (std::size_t s = 0; s < n_statistics_; ++s) table.all[s] += mine[s];
            add(place, table, 0);
        }
        add_up(0, 0, table.holds, table.stride);
        sorted_family_ = tests_.n_families();
    }

    void count(std::size_t test, PairTable<Cost>& table) {
        const std::size_t family = family_of_test_[test], first = tests_.first_test[family];
        if (sorted_family_ != family) sort_by(family);
        if (test == first || tests_.is_exclusive[family]) clear(table, family);
        const std::size_t code = test - first;
        for (std::size_t k = begin_[code]; k < begin_[code + 1]; ++k)
            add(sorted_[k], table, family);
        add_up(family, test + 1, table.both, table.stride);
    }

  private:
    // The first test of each family that holds; the number of its tests where none holds.
    void find_codes(std::size_t place) {
        const Word* bits = rows_.tests_of(place);
        for (std::size_t family = 0; family < tests_.n_families(); ++family) {
            const std::size_t begin = tests_.first_test[family],
                              end = tests_.first_test[family + 1];
            std::size_t t = begin;
            while (t < end && (bits[t / 64] >> (t % 64) & 1) == 0) ++t;
            codes_[place * tests_.n_families() + family] = static_cast<std::uint32_t>(t);
        }
    }

    void clear(PairTable<Cost>& table, std::size_t family) {
        entered_.resize(n_statistics_ * (table.stride + 1));
        const std::size_t first = tests_.first_test[family];
        for (std::size_t s = 0; s < n_statistics_; ++s) {
            const auto row = entered_.begin() + static_cast<std::ptrdiff_t>(s * (table.stride + 1));
            std::fill(row + static_cast<std::ptrdiff_t>(first),
                      row + static_cast<std::ptrdiff_t>(table.stride + 1), 0.0);
        }
    }

    // Where none of a family's tests holds, the row enters no sum of it.
    void add(std::size_t place, PairTable<Cost>& table, std::size_t family) {
        const double* mine = statistics(place);
        const std::uint32_t* codes = codes_.data() + place * tests_.n_families();
        for (std::size_t f = family; f < tests_.n_families(); ++f) {
            if (codes[f] == tests_.first_test[f + 1]) continue;
            for (std::size_t s = 0; s < n_statistics_; ++s) {
                entered_[s * (table.stride + 1) + codes[f]] += mine[s];
            }
        }
    }

    void add_up(std::size_t family, std::size_t from, std::vector<double>& out,
                std::size_t stride) {
        for (std::size_t s = 0; s < n_statistics_; ++s) {
            const double* entered = entered_.data() + s * (stride + 1);
            double* sums = out.data() + s * stride;
            for (std::size_t f = family; f < tests_.n_families(); ++f) {
                const std::size_t begin = tests_.first_test[f], end = tests_.first_test[f + 1];
                double sum = 0;
                for (std::size_t t = begin; t < end; ++t) {
                    sum = tests_.is_exclusive[f] ? entered[t] : sum + entered[t];
                    if (t >= from) sums[t] = sum;
                }
            }
        }
    }

    // Puts the node's rows in the order of their code in a family.
    void sort_by(std::size_t family) {
        sorted_family_ = family;
        const std::size_t first = tests_.first_test[family];
        const std::size_t n_codes = tests_.first_test[family + 1] - first + 1;
        begin_.assign(n_codes + 1, 0);
        const auto code = [&](std::uint32_t place) {
            return codes_[place * tests_.n_families() + family] - first;
        };
        for (const std::uint32_t place : places_) ++begin_[code(place) + 1];
        for (std::size_t c = 0; c < n_codes; ++c) begin_[c + 1] += begin_[c];
        sorted_.resize(places_.size());
        std::vector<std::size_t> next(begin_.begin(), begin_.end() - 1);
        for (const std::uint32_t place : places_) sorted_[next[code(place)]++] = place;
    }

    const RowBits& rows_;
    const OptimalTests& tests_;
    std::size_t n_statistics_;
    std::vector<std::uint32_t> codes_;
    std::vector<double> statistics_;
    std::vector<std::uint32_t> family_of_test_;
    std::vector<std::uint32_t> places_, sorted_;
    std::vector<std::size_t> begin_;
    std::vector<double> entered_;
    std::size_t sorted_family_ = 0;
};

}  // namespace branchline::optimal

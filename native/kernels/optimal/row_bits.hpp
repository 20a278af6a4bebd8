// Rows and tests as bits, both ways round: the tests of a row, and the rows of a test.
//
// Rows are put in the order of their classes, and each class begins a new word, so that a word of rows
// has one class and classes are counted by counting bits. A node is a set of places in this order.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "branchline/optimal_tree.hpp"

namespace branchline::optimal {

using Word = std::uint64_t;
using Mask = std::vector<Word>;

inline constexpr std::uint32_t no_row = ~std::uint32_t{0};

// Swaps rows and columns of a 64 × 64 block: halves, quarters, … change places.
inline void transpose(std::array<Word, 64>& block) {
    Word low = 0x00000000FFFFFFFFULL;
    for (unsigned width = 32; width > 0; width >>= 1, low ^= low << width) {
        for (unsigned k = 0; k < 64; k = (k + width + 1) & ~width) {
            const Word swapped = ((block[k] >> width) ^ block[k + width]) & low;
            block[k] ^= swapped << width;
            block[k + width] ^= swapped;
        }
    }
}

template <class Use>
void each_bit(const Mask& mask, Use&& use) {
    for (std::size_t word = 0; word < mask.size(); ++word) {
        for (Word left = mask[word]; left != 0; left &= left - 1) {
            use(word * 64 + static_cast<std::size_t>(std::countr_zero(left)));
        }
    }
}

class RowBits {
  public:
    RowBits(const OptimalTests& tests, std::span<const std::uint32_t> class_of_row,
            std::size_t n_classes, std::size_t n_rows)
        : n_tests_(tests.n_tests()), n_words_(tests.n_words()), bits_(tests.bits) {
        place_rows(class_of_row, n_classes, n_rows);
        everything_.assign(row_of_place_.size() / 64, 0);
        for (std::size_t place = 0; place < row_of_place_.size(); ++place) {
            if (row_of_place_[place] != no_row) everything_[place / 64] |= Word{1} << (place % 64);
        }
        make_columns();
    }

    std::size_t n_tests() const { return n_tests_; }
    std::size_t n_words_of_row() const { return n_words_; }
    std::size_t n_words() const { return everything_.size(); }
    std::size_t n_classes() const { return first_word_.size() - 1; }
    std::size_t first_word(std::size_t k) const { return first_word_[k]; }
    std::size_t row(std::size_t place) const { return row_of_place_[place]; }
    const Mask& everything() const { return everything_; }
    const Word* tests_of(std::size_t place) const {
        return bits_.data() + row_of_place_[place] * n_words_;
    }
    const Word* rows_of(std::size_t test) const { return columns_.data() + test * n_words(); }

    Mask where(const Mask& node, std::size_t test, bool holds) const {
        Mask part(node.size());
        const Word* column = rows_of(test);
        const Word flip = holds ? 0 : ~Word{0};
        for (std::size_t w = 0; w < node.size(); ++w) part[w] = node[w] & (column[w] ^ flip);
        return part;
    }

  private:
    void place_rows(std::span<const std::uint32_t> class_of_row, std::size_t n_classes,
                    std::size_t n_rows) {
        first_word_.assign(1, 0);
        for (std::size_t k = 0; k < std::max<std::size_t>(n_classes, 1); ++k) {
            for (std::size_t row = 0; row < n_rows; ++row) {
                if (n_classes == 0 || class_of_row[row] == k) {
                    row_of_place_.push_back(static_cast<std::uint32_t>(row));
                }
            }
            row_of_place_.resize((row_of_place_.size() + 63) / 64 * 64, no_row);
            first_word_.push_back(row_of_place_.size() / 64);
        }
    }

    void make_columns() {
        columns_.assign(n_tests_ * n_words(), 0);
        std::array<Word, 64> block;
        for (std::size_t word = 0; word < n_words(); ++word) {
            for (std::size_t part = 0; part < n_words_; ++part) {
                for (std::size_t k = 0; k < 64; ++k) {
                    const std::uint32_t row = row_of_place_[word * 64 + k];
                    block[k] = row == no_row ? 0 : bits_[row * n_words_ + part];
                }
                transpose(block);
                for (std::size_t t = part * 64; t < std::min(n_tests_, part * 64 + 64); ++t) {
                    columns_[t * n_words() + word] = block[t % 64];
                }
            }
        }
    }

    std::size_t n_tests_, n_words_;
    std::span<const Word> bits_;
    std::vector<std::uint32_t> row_of_place_;
    std::vector<std::size_t> first_word_;
    Mask everything_;
    std::vector<Word> columns_;
};

}  // namespace branchline::optimal

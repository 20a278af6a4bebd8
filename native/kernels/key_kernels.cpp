// This file is compiled several times, each time with another BRANCHLINE_LEVEL (a namespace name)
// and instruction set: a macro, because the name of the namespace is the one thing that changes.
#include "key_kernels.hpp"

#include <array>
#include <bit>
#include <limits>
#include <type_traits>

#include "mix.hpp"

namespace branchline::BRANCHLINE_LEVEL {

namespace {

using Word = std::uint64_t;

constexpr std::size_t lane = 16;  // rows are padded with NaN to a multiple of this

constexpr std::size_t padded(std::size_t n_rows) { return (n_rows + lane - 1) / lane * lane; }

Word scramble(Word word) noexcept { return mix(word + golden); }

template <class Float>
using Padded = std::array<Float, padded(few_rows)>;

// Counts the values below each value. Several values are compared with one at a time.
template <class Float, class Count>
void count_smaller(const Padded<Float>& values, std::size_t n_rows, Padded<Count>& counts) {
    for (std::size_t begin = 0; begin < n_rows; begin += lane) {
        Count smaller[lane] = {};
        for (std::size_t other = 0; other < n_rows; ++other) {
            const Float value = values[other];
            for (std::size_t at = 0; at < lane; ++at) smaller[at] += value < values[begin + at];
        }
        for (std::size_t at = 0; at < lane; ++at) counts[begin + at] = smaller[at];
    }
}

// Returns whether all values that are not NaN differ.
template <class Float>
bool rank_by_counting(const Padded<Float>& values, std::size_t n_rows, std::uint8_t* codes) {
    // Counts are as wide as the values: so the compiler compares several at a time.
    using Count = std::conditional_t<sizeof(Float) == 4, std::int32_t, std::int64_t>;
    std::array<std::uint8_t, few_rows + 1> is_taken{};
    Padded<Count> counts;
    count_smaller(values, n_rows, counts);
    std::size_t n_present = 0;
    for (std::size_t row = 0; row < n_rows; ++row) {
        const bool is_present = values[row] == values[row];
        is_taken[static_cast<std::size_t>(counts[row])] |= static_cast<std::uint8_t>(is_present);
        n_present += is_present;
    }
    std::uint8_t n_codes = 0;
    for (std::size_t rank = 0; rank < n_rows; ++rank) {
        n_codes = static_cast<std::uint8_t>(n_codes + is_taken[rank]);
        is_taken[rank] = n_codes;
    }
    for (std::size_t row = 0; row < n_rows; ++row) {
        const auto rank = static_cast<std::size_t>(counts[row]);
        codes[row] = values[row] == values[row] ? is_taken[rank] : std::uint8_t{0};
    }
    return n_codes == n_present;
}

template <class Float>
bool pad(const double* values, std::size_t n_rows, Padded<Float>& room) {
    bool is_exact = true;
    for (std::size_t row = 0; row < n_rows; ++row) {
        room[row] = static_cast<Float>(values[row]);
        is_exact &= static_cast<double>(room[row]) == values[row] || values[row] != values[row];
    }
    for (std::size_t row = n_rows; row < padded(n_rows); ++row) {
        room[row] = std::numeric_limits<Float>::quiet_NaN();
    }
    return is_exact;
}

// Rounding to single precision keeps the order: where it changes no value, or no two rounded values
// are equal, their codes are those of the values, at half of the cost.
void rank(const double* values, std::size_t n_rows, std::uint8_t* codes) {
    Padded<float> rounded;
    const bool is_exact = pad(values, n_rows, rounded);
    if (rank_by_counting(rounded, n_rows, codes) || is_exact) return;
    Padded<double> doubles;
    pad(values, n_rows, doubles);
    rank_by_counting(doubles, n_rows, codes);
}

CodeSummary summarize(const std::uint8_t* codes, std::size_t n_rows, const Word* place_words) {
    Word differing = 0, hash = 0;
    const std::uint8_t first = codes[0];
    for (std::size_t row = 0; row < n_rows; ++row) {
        differing |= static_cast<Word>(codes[row] ^ first);
        hash += Word{codes[row]} * place_words[row];
    }
    return {differing, hash};
}

Word sum(const std::uint8_t* codes, std::size_t n_rows, const Word* words, const Word* keys) {
    Word total = 0;
    for (std::size_t row = 0; row < n_rows; ++row) total += scramble(words[codes[row]] ^ keys[row]);
    return total;
}

void add(const std::uint8_t* codes, std::size_t n_rows, const Word* words, Word salt, Word* keys) {
    for (std::size_t row = 0; row < n_rows; ++row) keys[row] += scramble(words[codes[row]] ^ salt);
}

template <class Code>
Word wide_sum(const Code* codes, std::size_t n_rows, const Word* keys) {
    Word total = 0;
    for (std::size_t row = 0; row < n_rows; ++row) {
        total += scramble(scramble(Word{codes[row]}) ^ keys[row]);
    }
    return total;
}

template <class Code>
void wide_add(const Code* codes, std::size_t n_rows, Word salt, Word* keys) {
    for (std::size_t row = 0; row < n_rows; ++row) {
        keys[row] += scramble(scramble(Word{codes[row]}) ^ salt);
    }
}

// −0.0 and 0.0 are one number, whose bits are 0.
Word bits_of(double value) noexcept {
    return std::bit_cast<std::uint32_t>(static_cast<float>(value) + 0.0f);
}

void add_bits(const double* row, std::size_t n_columns, Word word, Word* sums) {
    for (std::size_t c = 0; c < n_columns; ++c) sums[c] += word * bits_of(row[c]);
}

void add_words(const double* row, std::size_t n_columns, Word word, Word* sums) {
    for (std::size_t c = 0; c < n_columns; ++c) {
        const Word bits = bits_of(row[c]);
        sums[c] += bits == 0 ? 0 : word * scramble(bits);
    }
}

Word row_sum(const double* row, std::size_t n_columns, const Word* words) {
    Word total = 0;
    for (std::size_t c = 0; c < n_columns; ++c) {
        const Word bits = bits_of(row[c]);
        total += bits == 0 ? 0 : scramble(bits ^ words[c]);
    }
    return total;
}

}  // namespace

extern const KeyKernels key_kernels;
const KeyKernels key_kernels{rank,
                             summarize,
                             sum,
                             add,
                             wide_sum<std::uint16_t>,
                             wide_sum<std::uint32_t>,
                             wide_add<std::uint16_t>,
                             wide_add<std::uint32_t>,
                             add_bits,
                             add_words,
                             row_sum};

}  // namespace branchline::BRANCHLINE_LEVEL

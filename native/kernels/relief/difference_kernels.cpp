// This file is compiled several times, each time with another BRANCHLINE_LEVEL (a namespace name)
// and instruction set: a macro, because the name of the namespace is the one thing that changes.
#include "relief/difference_kernels.hpp"

#include <algorithm>

namespace branchline::BRANCHLINE_LEVEL {

namespace {

using Value = std::uint16_t;

// 32-bit sums of this many differences cannot overflow.
constexpr std::size_t most_in_32_bits = 65'536;

struct Number {
    static Value difference(Value one, Value other, Value) noexcept {
        return static_cast<Value>(std::max(one, other) - std::min(one, other));
    }
};

struct Category {
    static Value difference(Value one, Value other, Value) noexcept {
        return one == other ? Value{0} : full_difference;
    }
};

template <class Kind>
struct MayBeMissing {
    static Value difference(Value one, Value other, Value expected) noexcept {
        const Value plain = Kind::difference(one, other, expected);
        return (one == missing_value) | (other == missing_value) ? expected : plain;
    }
};

struct Range {
    std::size_t begin, end;
};

// The columns of one kind stand together.
Range kind_range(const ReliefTable& table, std::size_t kind) noexcept {
    std::size_t begin = 0;
    for (std::size_t before = 0; before < kind; ++before) begin += table.n_columns[before];
    return {begin, begin + table.n_columns[kind]};
}

template <class Kind>
std::uint64_t sum_kind(Range range, const Value* one, const Value* other,
                       const Value* expected) noexcept {
    std::uint64_t total = 0;
    for (std::size_t begin = range.begin; begin < range.end; begin += most_in_32_bits) {
        const std::size_t end = std::min(range.end, begin + most_in_32_bits);
        std::uint32_t part = 0;
        for (std::size_t at = begin; at < end; ++at) {
            part += Kind::difference(one[at], other[at], expected[at]);
        }
        total += part;
    }
    return total;
}

template <class Kind, class Factor>
void add_kind(Range range, const Value* one, const Value* other, const Value* expected,
              Factor factor, std::uint64_t* sums) noexcept {
    for (std::size_t at = range.begin; at < range.end; ++at) {
        const std::uint32_t difference = Kind::difference(one[at], other[at], expected[at]);
        sums[at] += factor * difference;
    }
}

// out[row] += the differences of one kind between a row and each row from `begin` to `end`.
template <class Kind>
void add_distances(const ReliefTable& table, std::size_t kind, const Value* one, std::size_t begin,
                   std::size_t end, std::uint64_t* out) noexcept {
    const Range range = kind_range(table, kind);
    if (range.begin == range.end) return;
    const std::size_t width = table.width();
    const Value *expected = table.expected.data(), *values = table.values.data();
    for (std::size_t row = begin; row < end; ++row) {
        out[row] += sum_kind<Kind>(range, one, values + row * width, expected);
    }
}

void distances(const ReliefTable& table, const Value* one, std::size_t begin, std::size_t end,
               std::uint64_t* out) {
    std::fill(out + begin, out + end, std::uint64_t{0});
    add_distances<Number>(table, 0, one, begin, end, out);
    add_distances<Category>(table, 1, one, begin, end, out);
    add_distances<MayBeMissing<Number>>(table, 2, one, begin, end, out);
    add_distances<MayBeMissing<Category>>(table, 3, one, begin, end, out);
}

template <class Factor>
void add_all(const ReliefTable& table, const Value* one, const Value* other, Factor factor,
             std::uint64_t* sums) {
    const Value* expected = table.expected.data();
    add_kind<Number>(kind_range(table, 0), one, other, expected, factor, sums);
    add_kind<Category>(kind_range(table, 1), one, other, expected, factor, sums);
    add_kind<MayBeMissing<Number>>(kind_range(table, 2), one, other, expected, factor, sums);
    add_kind<MayBeMissing<Category>>(kind_range(table, 3), one, other, expected, factor, sums);
}

struct One {
    friend std::uint64_t operator*(One, std::uint32_t value) noexcept { return value; }
};

void add(const ReliefTable& table, const Value* one, const Value* other, std::uint64_t factor,
         std::uint64_t* sums) {
    if (factor == 1) {
        add_all(table, one, other, One{}, sums);  // most rows weigh 1, and a product is slow
    } else {
        add_all(table, one, other, factor, sums);
    }
}

}  // namespace

extern const DifferenceKernels difference_kernels;
const DifferenceKernels difference_kernels{distances, add};

}  // namespace branchline::BRANCHLINE_LEVEL

// This file is compiled several times, each time with another BRANCHLINE_LEVEL (a namespace name)
// and instruction set: a macro, because the name of the namespace is the one thing that changes.
// All sums here are exact, so products may be fused with them: the bits are the same.
#include "bayes/slice_kernels.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace branchline::BRANCHLINE_LEVEL {

namespace {

typedef double Eight __attribute__((vector_size(64)));
typedef std::int64_t EightWords __attribute__((vector_size(64)));

double summed(const Eight& lanes) {
    double total = 0;
    for (std::size_t at = 0; at < slice_lane; ++at) total += lanes[at];
    return total;
}

// Adding and taking off 1.5 · 2^52 units rounds to whole units.
constexpr double rounder[max_slices] = {0x1.8p32, 0x1.8p11, 0x1.8p-10, 0x1.8p-31};
static_assert(first_slice_bits == 20 && more_slice_bits == 21);

template <int Slices>
bool add_slices(const double* values, std::size_t n, SliceSums& sums) {
    constexpr int products = 2 * Slices - 1;
    Eight firsts[Slices] = {}, seconds[products] = {};
    EightWords left = {};
    for (std::size_t at = 0; at < n; at += slice_lane) {
        Eight rest, slice[Slices];
        std::memcpy(&rest, values + at, sizeof rest);
        for (int i = 0; i < Slices; ++i) {
            slice[i] = (rest + rounder[i]) - rounder[i];
            rest -= slice[i];
            firsts[i] += slice[i];
        }
        for (int i = 0; i < Slices; ++i) {
            seconds[2 * i] += slice[i] * slice[i];
            const Eight twice = slice[i] + slice[i];
            for (int j = i + 1; j < Slices; ++j) seconds[i + j] += twice * slice[j];
        }
        left |= rest != 0.0;
    }
    std::int64_t any = 0;
    for (std::size_t at = 0; at < slice_lane; ++at) any |= left[at];
    if (any != 0) return false;
    sums = SliceSums{};
    double unit = 0x1p20;
    for (int i = 0; i < Slices; ++i, unit *= 0x1p21) sums.firsts[i] = summed(firsts[i]) * unit;
    unit = 0x1p40;
    for (int i = 0; i < products; ++i, unit *= 0x1p21) sums.seconds[i] = summed(seconds[i]) * unit;
    return true;
}

bool add(const double* values, std::size_t n, int n_slices, SliceSums& sums) {
    if (n_slices <= 2) return add_slices<2>(values, n, sums);
    return n_slices == 3 ? add_slices<3>(values, n, sums) : add_slices<4>(values, n, sums);
}

template <class Float, class Word>
Extent extent_of(const Float* values, std::size_t n, Word sign, Word infinite) {
    Word largest = 0, missing = 0;
    for (std::size_t at = 0; at < n; ++at) {
        Word bits;
        std::memcpy(&bits, values + at, sizeof bits);
        bits &= static_cast<Word>(~sign);
        const bool is_missing = bits > infinite;
        missing |= is_missing;
        bits = is_missing ? Word{0} : bits;
        largest = std::max(largest, bits);
    }
    const auto found = static_cast<double>(std::bit_cast<Float>(largest));
    return {std::bit_cast<std::uint64_t>(found), missing != 0};
}

Extent extent(const double* values, std::size_t n) {
    constexpr auto sign = static_cast<std::int64_t>(std::uint64_t{1} << 63);
    return extent_of<double, std::int64_t>(values, n, sign, std::int64_t{0x7FF} << 52);
}

Extent extent_32(const float* values, std::size_t n) {
    constexpr auto sign = static_cast<std::int32_t>(std::uint32_t{1} << 31);
    return extent_of<float, std::int32_t>(values, n, sign, std::int32_t{0xFF} << 23);
}

}  // namespace

extern const SliceKernels slice_kernels;
const SliceKernels slice_kernels{extent, extent_32, add};

}  // namespace branchline::BRANCHLINE_LEVEL

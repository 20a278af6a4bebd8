// Comparing 64 codes with one of them, and sorting up to 64 codes.
// Included by level_kernels.cpp alone, inside its unnamed namespace: compiled once a level.
#pragma once

// Which of 64 codes are below, and which equal, a given one: a bit each.
struct Masks {
    std::uint64_t below, equal;
};

template <class Value>
struct Vector;

#if defined(__AVX512BW__)

template <>
struct Vector<std::uint8_t> {
    explicit Vector(const std::uint8_t* codes) : all(_mm512_loadu_si512(codes)) {}
    Masks compare(std::uint8_t code) const {
        const __m512i other = _mm512_set1_epi8(static_cast<char>(code));
        return {_mm512_cmplt_epu8_mask(all, other), _mm512_cmpeq_epu8_mask(all, other)};
    }
    std::uint64_t not_above(std::uint8_t code) const {
        return _mm512_cmple_epu8_mask(all, _mm512_set1_epi8(static_cast<char>(code)));
    }
    __m512i all;
};

template <>
struct Vector<std::uint16_t> {
    explicit Vector(const std::uint16_t* codes)
        : low(_mm512_loadu_si512(codes)), high(_mm512_loadu_si512(codes + 32)) {}
    Masks compare(std::uint16_t code) const {
        const __m512i other = _mm512_set1_epi16(static_cast<short>(code));
        const auto join = [](std::uint64_t a, std::uint64_t b) { return a | b << 32; };
        return {join(_mm512_cmplt_epu16_mask(low, other), _mm512_cmplt_epu16_mask(high, other)),
                join(_mm512_cmpeq_epu16_mask(low, other), _mm512_cmpeq_epu16_mask(high, other))};
    }
    std::uint64_t not_above(std::uint16_t code) const {
        const __m512i other = _mm512_set1_epi16(static_cast<short>(code));
        return std::uint64_t{_mm512_cmple_epu16_mask(low, other)} |
               std::uint64_t{_mm512_cmple_epu16_mask(high, other)} << 32;
    }
    __m512i low, high;
};

template <>
struct Vector<std::uint32_t> {
    explicit Vector(const std::uint32_t* codes) {
        for (int i = 0; i < 4; ++i) part[i] = _mm512_loadu_si512(codes + 16 * i);
    }
    Masks compare(std::uint32_t code) const {
        const __m512i other = _mm512_set1_epi32(static_cast<int>(code));
        Masks masks{0, 0};
        for (int i = 0; i < 4; ++i) {
            masks.below |= std::uint64_t{_mm512_cmplt_epu32_mask(part[i], other)} << (16 * i);
            masks.equal |= std::uint64_t{_mm512_cmpeq_epu32_mask(part[i], other)} << (16 * i);
        }
        return masks;
    }
    __m512i part[4];
};

#elif defined(__AVX2__)

template <>
struct Vector<std::uint8_t> {
    explicit Vector(const std::uint8_t* codes)
        : low(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(codes))),
          high(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(codes + 32))) {}
    Masks compare(std::uint8_t code) const {
        const __m256i other = _mm256_set1_epi8(static_cast<char>(code));
        const auto bits = [](__m256i lanes) {
            return std::uint64_t{static_cast<std::uint32_t>(_mm256_movemask_epi8(lanes))};
        };
        const auto equal = [&](__m256i codes_) { return bits(_mm256_cmpeq_epi8(codes_, other)); };
        const auto above_or_equal = [&](__m256i codes_) {
            return bits(_mm256_cmpeq_epi8(_mm256_max_epu8(codes_, other), codes_));
        };
        return {~(above_or_equal(low) | above_or_equal(high) << 32), equal(low) | equal(high)
                                                                                      << 32};
    }
    std::uint64_t not_above(std::uint8_t code) const {
        const Masks masks = compare(code);
        return masks.below | masks.equal;
    }
    __m256i low, high;
};

#endif

template <class Value>
[[maybe_unused]] void order_by_rank(const Value* codes, std::size_t n, std::uint8_t* order) {
    const Vector<Value> vector(codes);
    const std::uint64_t valid = n == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << n) - 1;
    for (std::size_t i = 0; i < n; ++i) {
        const Masks masks = vector.compare(codes[i]);
        const std::uint64_t before = (std::uint64_t{1} << i) - 1;
        const std::uint64_t smaller = (masks.below & valid) | (masks.equal & before);
        order[__builtin_popcountll(smaller)] = static_cast<std::uint8_t>(i);
    }
}

template <class Value>
[[maybe_unused]] void order_by_insertion(const Value* codes, std::size_t n, std::uint8_t* order) {
    for (std::size_t i = 0; i < n; ++i) {
        std::size_t place = i;
        for (; place > 0 && codes[order[place - 1]] > codes[i]; --place) {
            order[place] = order[place - 1];
        }
        order[place] = static_cast<std::uint8_t>(i);
    }
}

// The places of codes in ascending order; equal codes keep their order.
template <class Value>
void order_codes(const Value* codes, std::size_t n, std::uint8_t* order) {
#if defined(__AVX512BW__)
    order_by_rank(codes, n, order);
#elif defined(__AVX2__)
    if constexpr (sizeof(Value) == 1) {
        order_by_rank(codes, n, order);
    } else {
        order_by_insertion(codes, n, order);
    }
#else
    order_by_insertion(codes, n, order);
#endif
}

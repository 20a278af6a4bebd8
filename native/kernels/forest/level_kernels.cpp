// This file is compiled several times, each time with another BRANCHLINE_LEVEL (a namespace name)
// and instruction set: a macro, because the name of the namespace is the one thing that changes.
#include "forest/level_kernels.hpp"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace branchline::forest::BRANCHLINE_LEVEL {

namespace {

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

// See two_class_scan.hpp. 0 where a side holds too little.
inline double two_class_score(std::int32_t weight, std::int32_t ones, const TwoClassNode& node) {
    const auto left = static_cast<double>(weight);
    const double right = node.weight - left;
    const double surplus = static_cast<double>(ones) * node.weight - left * node.ones;
    const double score = surplus * surplus / (left * right);
    const bool allowed = (weight >= node.least) & (right >= node.least);
    return allowed ? score : -1.0;
}

// Cells are looked at in pieces: adding up takes turns, scores are computed side by side.
constexpr std::size_t piece = 64;

#if defined(__AVX512F__) && defined(__AVX512DQ__)

// Eight cuts at a time; each lane remembers its best, and the first place among the best wins.
CellCut best_of_lanes(__m512d score, __m512i place, __m512d weight) {
    const double highest = _mm512_reduce_max_pd(score);
    if (highest < 0) return {};
    const __mmask8 equal = _mm512_cmp_pd_mask(score, _mm512_set1_pd(highest), _CMP_EQ_OQ);
    const auto first = static_cast<std::size_t>(_mm512_mask_reduce_min_epu64(equal, place));
    const __mmask8 lane = _mm512_mask_cmpeq_epi64_mask(
        equal, place, _mm512_set1_epi64(static_cast<long long>(first)));
    return {highest, first, static_cast<std::int64_t>(_mm512_mask_reduce_max_pd(lane, weight))};
}

CellCut cut_two_class_cells(const std::uint64_t* cells, std::size_t n, std::uint64_t left,
                            const TwoClassNode& node) {
    alignas(64) std::uint64_t sums[piece + 8];
    const __m512d all = _mm512_set1_pd(node.weight), all_ones = _mm512_set1_pd(node.ones);
    const __m512d least = _mm512_set1_pd(node.least), most = _mm512_sub_pd(all, least);
    const __m512i low_half = _mm512_set1_epi64(0xFFFF'FFFF);
    __m512d best = _mm512_set1_pd(-1), best_weight = _mm512_setzero_pd();
    __m512i best_place = _mm512_setzero_si512();
    __m512i place = _mm512_setr_epi64(1, 2, 3, 4, 5, 6, 7, 8);
    for (std::size_t first = 0; first < n; first += piece) {
        const std::size_t size = n - first < piece ? n - first : piece;
        for (std::size_t i = 0; i < size; ++i) sums[i] = left += cells[first + i];
        for (std::size_t i = size; i % 8 != 0; ++i) sums[i] = 0;  // weighs nothing: not allowed
        for (std::size_t i = 0; i < size; i += 8) {
            const __m512i sum = _mm512_load_si512(sums + i);
            const __m512d ones = _mm512_cvtepi64_pd(_mm512_srli_epi64(sum, 32));
            const __m512d zeros = _mm512_cvtepi64_pd(_mm512_and_si512(sum, low_half));
            const __m512d weight = _mm512_add_pd(ones, zeros);
            const __m512d surplus =
                _mm512_sub_pd(_mm512_mul_pd(ones, all), _mm512_mul_pd(weight, all_ones));
            const __m512d product = _mm512_mul_pd(weight, _mm512_sub_pd(all, weight));
            const __m512d score = _mm512_div_pd(_mm512_mul_pd(surplus, surplus), product);
            const __mmask8 allowed = _mm512_cmp_pd_mask(weight, least, _CMP_GE_OQ) &
                                     _mm512_cmp_pd_mask(weight, most, _CMP_LE_OQ);
            const __mmask8 better = _mm512_mask_cmp_pd_mask(allowed, score, best, _CMP_GT_OQ);
            best = _mm512_mask_mov_pd(best, better, score);
            best_weight = _mm512_mask_mov_pd(best_weight, better, weight);
            best_place = _mm512_mask_mov_epi64(best_place, better, place);
            place = _mm512_add_epi64(place, _mm512_set1_epi64(8));
        }
    }
    return best_of_lanes(best, best_place, best_weight);
}

#else

CellCut cut_two_class_cells(const std::uint64_t* cells, std::size_t n, std::uint64_t left,
                            const TwoClassNode& node) {
    CellCut best;
    alignas(64) std::int32_t weight[piece];
    alignas(64) std::int32_t ones[piece];
    alignas(64) double score[piece];
    for (std::size_t first = 0; first < n; first += piece) {
        const std::size_t size = n - first < piece ? n - first : piece;
        for (std::size_t i = 0; i < size; ++i) {
            left += cells[first + i];
            ones[i] = static_cast<std::int32_t>(left >> 32);
            weight[i] = static_cast<std::int32_t>(left & 0xFFFF'FFFFu) + ones[i];
        }
        for (std::size_t i = 0; i < size; ++i) score[i] = two_class_score(weight[i], ones[i], node);
        double highest = best.score;
        for (std::size_t i = 0; i < size; ++i) highest = score[i] > highest ? score[i] : highest;
        if (!(highest > best.score)) continue;
        std::size_t i = 0;
        while (score[i] != highest) ++i;
        best = {highest, first + i + 1, weight[i]};
    }
    return best;
}

#endif

#if defined(__AVX512F__) && defined(__AVX512DQ__)

CellCut cut_number_cells(const NumberCell* cells, std::size_t n, NumberCell left,
                         const NumberNode& node) {
    alignas(64) std::int64_t units[piece + 8], centred[piece + 8];
    const __m512d all = _mm512_set1_pd(static_cast<double>(node.units));
    const __m512i rest = _mm512_set1_epi64(node.sum - node.units * node.centre);
    const __m512d least = _mm512_set1_pd(static_cast<double>(node.least));
    __m512d best = _mm512_set1_pd(-1), best_weight = _mm512_setzero_pd();
    __m512i best_place = _mm512_setzero_si512();
    __m512i place = _mm512_setr_epi64(1, 2, 3, 4, 5, 6, 7, 8);
    for (std::size_t first = 0; first < n; first += piece) {
        const std::size_t size = n - first < piece ? n - first : piece;
        for (std::size_t i = 0; i < size; ++i) {
            units[i] = left.units += cells[first + i].units;
            left.sum += cells[first + i].sum;
            centred[i] = left.sum - left.units * node.centre;
        }
        for (std::size_t i = size; i % 8 != 0; ++i) units[i] = centred[i] = 0;  // not allowed
        for (std::size_t i = 0; i < size; i += 8) {
            const __m512d weight = _mm512_cvtepi64_pd(_mm512_load_si512(units + i));
            const __m512d other = _mm512_sub_pd(all, weight);
            const __m512i sums = _mm512_load_si512(centred + i);
            const __m512d left_sum = _mm512_cvtepi64_pd(sums);
            const __m512d right_sum = _mm512_cvtepi64_pd(_mm512_sub_epi64(rest, sums));
            const __m512d score =
                _mm512_add_pd(_mm512_div_pd(_mm512_mul_pd(left_sum, left_sum), weight),
                              _mm512_div_pd(_mm512_mul_pd(right_sum, right_sum), other));
            const __mmask8 allowed = _mm512_cmp_pd_mask(weight, least, _CMP_GE_OQ) &
                                     _mm512_cmp_pd_mask(other, least, _CMP_GE_OQ);
            const __mmask8 better = _mm512_mask_cmp_pd_mask(allowed, score, best, _CMP_GT_OQ);
            best = _mm512_mask_mov_pd(best, better, score);
            best_weight = _mm512_mask_mov_pd(best_weight, better, weight);
            best_place = _mm512_mask_mov_epi64(best_place, better, place);
            place = _mm512_add_epi64(place, _mm512_set1_epi64(8));
        }
    }
    return best_of_lanes(best, best_place, best_weight);
}

#else

CellCut cut_number_cells(const NumberCell* cells, std::size_t n, NumberCell left,
                         const NumberNode& node) {
    CellCut best;
    alignas(64) double units[piece], right_units[piece], sum[piece], right_sum[piece];
    alignas(64) double score[piece];
    const auto least = static_cast<double>(node.least);
    for (std::size_t first = 0; first < n; first += piece) {
        const std::size_t size = n - first < piece ? n - first : piece;
        for (std::size_t i = 0; i < size; ++i) {
            left.units += cells[first + i].units;
            left.sum += cells[first + i].sum;
            const std::int64_t right = node.units - left.units;
            units[i] = static_cast<double>(left.units);
            right_units[i] = static_cast<double>(right);
            sum[i] = static_cast<double>(left.sum - left.units * node.centre);
            right_sum[i] = static_cast<double>(node.sum - left.sum - right * node.centre);
        }
        for (std::size_t i = 0; i < size; ++i) {
            const double here =
                sum[i] * sum[i] / units[i] + right_sum[i] * right_sum[i] / right_units[i];
            score[i] = (units[i] >= least) & (right_units[i] >= least) ? here : -1.0;
        }
        double highest = best.score;
        for (std::size_t i = 0; i < size; ++i) highest = score[i] > highest ? score[i] : highest;
        if (!(highest > best.score)) continue;
        std::size_t i = 0;
        while (score[i] != highest) ++i;
        best = {highest, first + i + 1, static_cast<std::int64_t>(units[i])};
    }
    return best;
}

#endif

// Class by class: what is left of each cut, then its square and that of what is right, added up.
template <class Word>
CellCut cut_class_cells(const Word* cells, std::size_t n, const Word* left,
                        const ClassesNode& node) {
    CellCut best;
    alignas(64) double weight[piece], left_squares[piece], right_squares[piece], score[piece];
    alignas(64) double units[piece];
    const std::size_t n_classes = node.n_classes;
    const auto all = static_cast<double>(node.weight), least = static_cast<double>(node.least);
    Word before[max_classes];
    for (std::size_t c = 0; c < n_classes; ++c) before[c] = left != nullptr ? left[c] : 0;
    for (std::size_t first = 0; first < n; first += piece) {
        const std::size_t size = n - first < piece ? n - first : piece;
        for (std::size_t i = 0; i < size; ++i) weight[i] = left_squares[i] = right_squares[i] = 0;
        for (std::size_t c = 0; c < n_classes; ++c) {
            if (node.units[c] == 0) continue;
            const auto of_class = static_cast<double>(node.units[c]);
            Word sum = before[c];
            const Word* cell = cells + first * n_classes + c;
            for (std::size_t i = 0; i < size; ++i) {
                sum += cell[i * n_classes];
                units[i] = static_cast<double>(sum);
            }
            before[c] = sum;
            for (std::size_t i = 0; i < size; ++i) {
                const double right = of_class - units[i];
                weight[i] += units[i];
                left_squares[i] += units[i] * units[i];
                right_squares[i] += right * right;
            }
        }
        for (std::size_t i = 0; i < size; ++i) {
            const double right = all - weight[i];
            const double here = left_squares[i] / weight[i] + right_squares[i] / right;
            score[i] = (weight[i] >= least) & (right >= least) ? here : -1.0;
        }
        double highest = best.score;
        for (std::size_t i = 0; i < size; ++i) highest = score[i] > highest ? score[i] : highest;
        if (!(highest > best.score + node.slack)) continue;
        std::size_t i = 0;
        while (score[i] < highest - node.slack) ++i;
        best = {score[i], first + i + 1, static_cast<std::int64_t>(weight[i])};
    }
    return best;
}

// Rows as what a kernel adds up: two classes in one word, or units and a sum.
struct TwoClassCells {
    using Cell = std::uint64_t;
    using Payload = std::uint32_t;
    using Node = TwoClassNode;
    static constexpr auto cut = cut_two_class_cells;
    static void add(Cell& cell, Payload payload) {
        cell += std::uint64_t{payload & 0x7FFF'FFFFu} << ((payload >> 31) * 32);
    }
    static bool is_empty(Cell cell) { return cell == 0; }
};

struct NumberCells {
    using Cell = NumberCell;
    using Payload = NumberCell;
    using Node = NumberNode;
    static constexpr auto cut = cut_number_cells;
    static void add(Cell& cell, const Payload& payload) {
        cell.units += payload.units;
        cell.sum += payload.sum;
    }
    static bool is_empty(const Cell& cell) { return cell.units == 0; }
};

// The best cut of cells that stand at the places of rows in order, with gaps where codes are equal.
template <class Cells, class Value>
FewCut cut_places(const typename Cells::Cell* cells, const Value* code_at, std::size_t n,
                  const typename Cells::Node& node) {
    const CellCut cut = Cells::cut(cells, n, {}, node);
    FewCut best;
    if (cut.score < 0) return best;
    best.score = cut.score;
    best.code = code_at[cut.n_left - 1];  // a gap scores as the cell before it, and comes later
    best.left_weight = cut.left_weight;
    std::size_t next = cut.n_left;
    while (Cells::is_empty(cells[next])) ++next;  // something is on the right
    best.next_code = code_at[next];
    return best;
}

template <class Cells, class Value>
[[maybe_unused]] FewCut cut_few_by_masks(const Value* codes, const typename Cells::Payload* payload,
                                         std::size_t n, const typename Cells::Node& node) {
    const Vector<Value> vector(codes);
    const std::uint64_t valid = n == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << n) - 1;
    alignas(64) typename Cells::Cell cells[few_rows];
    Value code_at[few_rows];
    for (std::size_t i = 0; i < n; ++i) cells[i] = {};
    for (std::size_t i = 0; i < n; ++i) {
        const int place = __builtin_popcountll(vector.not_above(codes[i]) & valid) - 1;
        Cells::add(cells[place], payload[i]);
        code_at[place] = codes[i];
    }
    return cut_places<Cells>(cells, code_at, n, node);
}

template <class Cells, class Value>
[[maybe_unused]] FewCut cut_few_sorted(const Value* codes, const typename Cells::Payload* payload,
                                       std::size_t n, const typename Cells::Node& node) {
    std::uint8_t order[few_rows];
    order_by_insertion(codes, n, order);
    typename Cells::Cell cells[few_rows] = {};
    Value code_at[few_rows] = {};
    std::size_t place = 0;
    for (std::size_t i = 0; i < n; ++i) {
        if (i > 0 && codes[order[i]] != codes[order[i - 1]]) ++place;
        Cells::add(cells[place], payload[order[i]]);
        code_at[place] = codes[order[i]];
    }
    return cut_places<Cells>(cells, code_at, place + 1, node);
}

std::size_t take_cells(std::uint64_t* cells, std::size_t n, std::uint32_t* number,
                       std::uint64_t* taken) {
    std::size_t size = 0;
#if defined(__AVX512F__) && defined(__AVX512VL__)
    const __m512i zero = _mm512_setzero_si512();
    __m256i numbers = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    for (std::size_t first = 0; first < n; first += 8) {
        const __m512i some = _mm512_loadu_si512(cells + first);
        const __mmask8 used = _mm512_test_epi64_mask(some, some);
        _mm512_storeu_si512(taken + size, _mm512_maskz_compress_epi64(used, some));
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(number + size),
                            _mm256_maskz_compress_epi32(used, numbers));
        _mm512_storeu_si512(cells + first, zero);
        numbers = _mm256_add_epi32(numbers, _mm256_set1_epi32(8));
        size += static_cast<std::size_t>(__builtin_popcount(used));
    }
#else
    for (std::size_t i = 0; i < n; ++i) {
        taken[size] = cells[i];
        number[size] = static_cast<std::uint32_t>(i);
        size += cells[i] != 0;
        cells[i] = 0;
    }
#endif
    return size;
}

template <class Value>
GivenCut sum_left(const Value* codes, const std::uint32_t* payload, std::size_t n,
                  std::uint32_t last_code) {
    const auto last = static_cast<Value>(last_code);
    std::uint32_t weight = 0, ones = 0;  // a bag weighs less than 2^31
    for (std::size_t i = 0; i < n; ++i) {
        const bool is_left = static_cast<Value>(codes[i] - 1) < last;
        const std::uint32_t units = is_left ? payload[i] & 0x7FFF'FFFFu : 0;
        weight += units;
        ones += units & (0 - (payload[i] >> 31));
    }
    return {weight, ones};
}

}  // namespace

LevelKernels kernels() {
    return {
#if defined(__AVX2__)
        order_by_rank<std::uint8_t>,
#else
        order_by_insertion<std::uint8_t>,
#endif
#if defined(__AVX512BW__)
        order_by_rank<std::uint16_t>,
        order_by_rank<std::uint32_t>,
#else
        order_by_insertion<std::uint16_t>,
        order_by_insertion<std::uint32_t>,
#endif
#if defined(__AVX2__)
        cut_few_by_masks<TwoClassCells, std::uint8_t>,
#else
        cut_few_sorted<TwoClassCells, std::uint8_t>,
#endif
#if defined(__AVX512BW__)
        cut_few_by_masks<TwoClassCells, std::uint16_t>,
        cut_few_by_masks<NumberCells, std::uint8_t>,
        cut_few_by_masks<NumberCells, std::uint16_t>,
#else
        cut_few_sorted<TwoClassCells, std::uint16_t>,
        cut_few_sorted<NumberCells, std::uint8_t>,
        cut_few_sorted<NumberCells, std::uint16_t>,
#endif
        take_cells,
        sum_left<std::uint8_t>,
        sum_left<std::uint16_t>,
        cut_two_class_cells,
        cut_class_cells<std::int64_t>,
        cut_class_cells<std::uint32_t>,
        cut_number_cells,
    };
}

}  // namespace branchline::forest::BRANCHLINE_LEVEL

// This file is compiled several times, each time with another BRANCHLINE_LEVEL (a namespace name)
// and instruction set: a macro, because the name of the namespace is the one thing that changes.
#include "forest/level_kernels.hpp"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace branchline::forest::BRANCHLINE_LEVEL {

namespace {

#include "forest/level_class_cuts.hpp"
#include "forest/level_cuts.hpp"
#include "forest/level_record/counts.hpp"
#include "forest/level_record/level_record.hpp"
#include "forest/level_record/parts.hpp"
#include "forest/level_record/thresholds.hpp"
#include "forest/level_vectors.hpp"

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
        order_codes<std::uint8_t>,
        order_codes<std::uint16_t>,
        order_codes<std::uint32_t>,
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
        cut_classes,
        cut_few_classes<std::uint8_t>,
        cut_few_classes<std::uint16_t>,
        cut_number_cells,
        {find_range, find_cuts, count_left, sum_left, part_rows<false>, part_rows<true>,
         copy_records},
    };
}

}  // namespace branchline::forest::BRANCHLINE_LEVEL

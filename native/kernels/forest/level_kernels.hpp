// The innermost loops of growing forests, compiled once for each processor level.
//
// Sorting few codes: the rank of a code is the number of smaller ones plus that of equal ones before
// it; with vector comparisons each rank costs two instructions whatever the codes are.
// Cutting few rows of two classes: each row is added at the place "number of codes not above its own",
// so equal codes meet in one cell and nothing needs to be sorted.
#pragma once

#include <cstddef>
#include <cstdint>

#include "branchline/cpu_level.hpp"
#include "forest/record_kernels.hpp"

namespace branchline::forest {

inline constexpr std::size_t few_rows = 64;
inline constexpr std::size_t max_classes = 64;  // that cut_classes32 and cut_classes64 take
// What both sides of a cut hold together, and the least that either may hold.
struct TwoClassNode {
    double weight, ones;
    std::int32_t least;
};

// The best cut; `code` is the last one on the left. A score below 0: there is none.
struct FewCut {
    double score = -1;
    std::uint32_t code = 0, next_code = 0;
    std::int64_t left_weight = 0;
};

// The best cut of cells in order: how many are on the left.
struct CellCut {
    double score = -1;
    std::size_t n_left = 0;
    std::int64_t left_weight = 0;
};

struct NumberCell {
    std::int64_t units, sum;
};

// What a node of numbers holds: see NumberCounter.
struct NumberNode {
    std::int64_t units, sum, center, least;
};

// What lies on the left of a given cut: units of both classes and of class 1.
struct GivenCut {
    std::uint64_t weight = 0, ones = 0;
};

// What a node holds of each class; together less than 2^26 units, so that squares are exact.
struct ClassesNode {
    const std::int64_t* units;
    std::size_t n_classes;
    std::int64_t weight, least;
    double slack;  // scores that differ by no more are equal: the first is taken
};

// Counts of several classes: class_pitch of each, one for each code from 0 (missing values).
inline constexpr std::size_t max_class_codes = 256;
inline constexpr std::size_t class_pitch = max_class_codes + 16;
struct ClassCounts {
    const std::uint32_t* units;  // zero beyond the codes
    std::size_t n_codes;         // at most 255
    bool missing_left;
};

// A row of several classes.
struct ClassUnits {
    std::uint32_t units, class_index;
};

struct LevelKernels {
    // Write the places of the n ≤ 64 codes in ascending order; equal codes keep their order.
    // `codes` must have room for 64, here and below.
    void (*order_bytes)(const std::uint8_t* codes, std::size_t n, std::uint8_t* order);
    void (*order_shorts)(const std::uint16_t* codes, std::size_t n, std::uint8_t* order);
    void (*order_words)(const std::uint32_t* codes, std::size_t n, std::uint8_t* order);
    // Best cut of few rows of two classes; payloads are those of TwoClassCounter, here and below.
    // Requires: no code is 0 (missing). The lowest code on ties.
    FewCut (*cut_few_bytes)(const std::uint8_t* codes, const std::uint32_t* payload, std::size_t n,
                            const TwoClassNode& node);
    FewCut (*cut_few_shorts)(const std::uint16_t* codes, const std::uint32_t* payload,
                             std::size_t n, const TwoClassNode& node);
    FewCut (*cut_few_numbers_bytes)(const std::uint8_t* codes, const NumberCell* payload,
                                    std::size_t n, const NumberNode& node);
    FewCut (*cut_few_numbers_shorts)(const std::uint16_t* codes, const NumberCell* payload,
                                     std::size_t n, const NumberNode& node);
    // Writes the cells that are not zero, and their numbers; makes all cells zero. `cells` and the
    // outputs must have room for 8 more than n. Returns how many there are.
    std::size_t (*take_cells)(std::uint64_t* cells, std::size_t n, std::uint32_t* number,
                              std::uint64_t* taken);
    // Codes 1 … last are left, missing ones nowhere.
    GivenCut (*sum_left_bytes)(const std::uint8_t* codes, const std::uint32_t* payload,
                               std::size_t n, std::uint32_t last);
    GivenCut (*sum_left_shorts)(const std::uint16_t* codes, const std::uint32_t* payload,
                                std::size_t n, std::uint32_t last);
    // Cuts after each of n cells, `left` being on the left already; the first on ties.
    CellCut (*cut_two_classes)(const std::uint64_t* cells, std::size_t n, std::uint64_t left,
                               const TwoClassNode& node);
    // Several classes, Gini: the largest Σ l² / L + Σ r² / R. A cell has a word for each class;
    // `left` is null or a cell.
    CellCut (*cut_classes64)(const std::int64_t* cells, std::size_t n, const std::int64_t* left,
                             const ClassesNode& node);
    CellCut (*cut_classes32)(const std::uint32_t* cells, std::size_t n, const std::uint32_t* left,
                             const ClassesNode& node);
    // The same from counts class by class: how many codes are on the left, the last of them among
    // the rows.
    CellCut (*cut_classes)(const ClassCounts& counts, const ClassesNode& node);
    FewCut (*cut_few_classes_bytes)(const std::uint8_t* codes, const ClassUnits* rows,
                                    std::size_t n, const ClassesNode& node);
    FewCut (*cut_few_classes_shorts)(const std::uint16_t* codes, const ClassUnits* rows,
                                     std::size_t n, const ClassesNode& node);
    CellCut (*cut_numbers)(const NumberCell* cells, std::size_t n, NumberCell left,
                           const NumberNode& node);
    RecordKernels records;
};

LevelKernels level_kernels_for(CpuLevel level);

}  // namespace branchline::forest

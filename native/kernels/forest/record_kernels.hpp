// Kernels that look at many columns of a node's rows at once, compiled once for each processor level.
//
// A record is a row: one byte a column, side by side (record_table.hpp). A byte is the code less one,
// 255 a missing value: so one comparison says that a row is on the left of a cut. One pass over the
// records of a node answers a question about all columns: which codes occur, how many rows lie on
// the left of a cut of each. The same arithmetic on every level: so are the bits.
#pragma once

#include <cstddef>
#include <cstdint>

namespace branchline::forest {

struct NumberCell;

inline constexpr std::size_t max_record_bytes = 64;
inline constexpr std::size_t node_lanes = max_record_bytes;  // columns of a node that are cut

inline constexpr std::uint8_t missing_byte = 255;
inline constexpr std::uint8_t byte_of_code(std::uint32_t code) {
    return static_cast<std::uint8_t>(code - 1);
}
inline constexpr std::uint32_t code_of_byte(std::uint8_t byte) {
    return static_cast<std::uint8_t>(byte + 1);
}

// The rows of a node: where the record of each begins. `stride` is 16, 32 or 64.
struct RecordRows {
    const std::uint8_t* records;
    const std::uint32_t* place;
    std::size_t n, stride;
    bool any_missing;  // whether there may be missing values
};

// The least and the greatest byte of each column, and the greatest code.
struct RecordRange {
    alignas(64) std::uint8_t lowest[max_record_bytes];
    alignas(64) std::uint8_t highest[max_record_bytes];
    alignas(64) std::uint8_t highest_code[max_record_bytes];
};

// The values that codes stand for, as random thresholds need them: `pitch` numbers a column, one for
// each code from 0. Halves, because a range of values may overflow.
// Which code a threshold falls behind is looked up: the range of a column's middles is divided into
// equal steps, and first_of_step says how many middles lie before each. Rounding keeps order, so
// that only the middles within a threshold's own step must be compared with it.
struct ThresholdTables {
    static constexpr std::size_t pitch = 256;
    static constexpr std::size_t n_steps = 4095;
    static constexpr std::size_t step_pitch = n_steps + 5;  // four bytes are read at once
    const double *half_lowest, *half_highest, *middle;
    const double *first_half, *steps_a_half;  // of each column
    const std::uint8_t* first_of_step;        // step_pitch a column
};

// Thresholds to be drawn, in any number of nodes: a column each, the codes it has in the node, and a
// uniform number below 1. Found: the threshold, and the last code before it; both sides keep one.
// Arrays have room for 7 more than n.
struct CutLanes {
    std::size_t n;
    std::uint32_t *column, *lowest, *highest;
    double* uniform;
    std::uint32_t* last_left;
    double* half_threshold;
};

// The cuts of a node: bytes below last_left are on the left. 0 for columns that are not cut.
struct NodeCuts {
    std::size_t n;  // at most node_lanes
    const std::uint32_t* column;
    alignas(64) std::uint8_t last_left[max_record_bytes];
};

// How many rows there are of each class.
struct ClassLengths {
    const std::int64_t* n_rows;
    std::size_t n_classes;
};

// Rows that are divided, with or without a word each.
struct PartedRows {
    std::uint32_t* place;
    std::int64_t* words;
};

struct RecordKernels {
    void (*find_range)(const RecordRows& rows, RecordRange& range);
    void (*find_cuts)(const ThresholdTables& tables, const CutLanes& lanes);
    // Of which cuts each row is on the left, a bit a column, and how many rows of each class are on
    // that of each: node_lanes counts a class. Rows stand in the order of classes.
    void (*count_left)(const RecordRows& rows, const ClassLengths& classes, const NodeCuts& cuts,
                       std::uint64_t* left, std::uint32_t* counts);
    // The same for numbers: how many rows, and the sums of their words.
    void (*sum_left)(const RecordRows& rows, const std::int64_t* words, const NodeCuts& cuts,
                     std::uint64_t* left, NumberCell* sums);
    // Parts rows by the bit of a column; on each side they stay in order. Returns how many went
    // left. `spare` has room for as many; without words, or with one a row.
    std::size_t (*part)(std::size_t n, const std::uint64_t* left, std::uint32_t column,
                        PartedRows rows, PartedRows spare);
    std::size_t (*part_words)(std::size_t n, const std::uint64_t* left, std::uint32_t column,
                              PartedRows rows, PartedRows spare);
    // Writes the records one after another.
    void (*copy)(const RecordRows& rows, std::uint8_t* to);
};

}  // namespace branchline::forest

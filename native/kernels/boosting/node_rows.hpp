// Which rows are in which node: in each block a list of rows, those of a node side by side.
#pragma once

#include <array>
#include <numeric>
#include <vector>

#include "boosting/level_kernels.hpp"
#include "boosting/rows.hpp"

namespace branchline::boosting {

// A test in the form that divides rows.
struct Side {
    std::uint32_t column = 0;
    bool is_threshold = true;
    Code cut = 0;  // threshold: codes 1 … cut go left
    bool missing_left = false;
    std::vector<std::uint8_t> goes_right;  // categories: a byte for each code

    bool sends_right(Code code) const {
        if (!is_threshold) return goes_right[code] != 0;
        return code == missing_code ? !missing_left : code > cut;
    }
    // For columns of one byte.
    CodeSet bits(std::size_t n_codes) const {
        CodeSet bits;
        for (Code code = 0; code <= std::min<std::size_t>(n_codes, 255); ++code) {
            if (sends_right(code)) bits.set(code);
        }
        return bits;
    }
};

class NodeRows {
  public:
    struct Segment {
        std::uint16_t begin = 0, end = 0;  // at most 16 384
        std::size_t size() const { return std::size_t{end} - begin; }
    };

    explicit NodeRows(const BlockedRows& rows)
        : rows_(rows), list_(rows.n_rows), n_blocks_(rows.n_blocks()) {}

    // All rows are in node 0.
    void begin() {
        segments_.assign(n_blocks_, {});
        for (std::size_t block = 0; block < n_blocks_; ++block) {
            const std::size_t n = rows_.rows_in(block);
            std::uint16_t* list = list_.data() + rows_.first_row(block);
            std::iota(list, list + n, std::uint16_t{0});
            segments_[block].end = static_cast<std::uint16_t>(n);
        }
    }
    // Makes room for the next nodes.
    void add_nodes(std::size_t n) { segments_.resize(segments_.size() + n * n_blocks_); }

    Segment segment(std::size_t node, std::size_t block) const {
        return segments_[node * n_blocks_ + block];
    }
    std::span<const std::uint16_t> rows(std::size_t node, std::size_t block) const {
        const Segment at = segment(node, block);
        return {list_.data() + rows_.first_row(block) + at.begin, at.size()};
    }
    std::size_t n_rows(std::size_t node) const {
        std::size_t n = 0;
        for (std::size_t block = 0; block < n_blocks_; ++block) n += segment(node, block).size();
        return n;
    }
    // Whether all rows of a block are in a node; they are in order then.
    bool is_all(std::size_t node, std::size_t block) const {
        return segment(node, block).size() == rows_.rows_in(block);
    }

    // Sends the rows of one block of a node to its children, `left` and the one after it. `bits` are
    // those of the side where the column has one byte a row.
    void apply_split(std::size_t node, std::size_t left, const Side& side, const CodeSet& bits,
                     std::size_t block, const BoostingKernels& kernels) {
        const Segment at = segment(node, block);
        std::uint16_t* list = list_.data() + rows_.first_row(block) + at.begin;
        std::array<std::uint16_t, TreeBooster::most_block_rows + 16> right;
        const std::size_t n_left = part(list, at.size(), side, bits, block, kernels, right.data());
        std::copy_n(right.data(), at.size() - n_left, list + n_left);
        const auto middle = static_cast<std::uint16_t>(at.begin + n_left);
        segments_[left * n_blocks_ + block] = {at.begin, middle};
        segments_[(left + 1) * n_blocks_ + block] = {middle, at.end};
    }

  private:
    std::size_t part(std::uint16_t* list, std::size_t n, const Side& side, const CodeSet& bits,
                     std::size_t block, const BoostingKernels& kernels,
                     std::uint16_t* right) const {
        const std::size_t first = rows_.first_row(block);
        const CodeColumn& column = rows_.columns[side.column].codes;
        if (column.width == 1) {
            const auto* codes = reinterpret_cast<const std::uint8_t*>(column.data) + first;
            return kernels.part(list, n, codes, bits, right);
        }
        return visit_codes(column, [&](const auto* codes) {
            std::size_t n_left = 0, n_right = 0;
            for (std::size_t i = 0; i < n; ++i) {
                const std::uint16_t row = list[i];
                const bool goes = side.sends_right(codes[first + row]);
                list[n_left] = row;
                right[n_right] = row;
                n_left += !goes;
                n_right += goes;
            }
            return n_left;
        });
    }

    const BlockedRows& rows_;
    std::vector<std::uint16_t> list_;
    std::size_t n_blocks_;
    std::vector<Segment> segments_;  // node after node, a segment a block
};

}  // namespace branchline::boosting

// How much a node holds of each class and code of a column: class by class, in the order of codes.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "forest/groups.hpp"

namespace branchline::forest {

// Rows of one class: they stand together in a node.
struct ClassSegment {
    std::size_t class_index, begin, end;
};

class ClassCells {
  public:
    // Finds the classes of a node's rows, which stand in their order.
    void begin_node(std::span<const ClassUnits> rows, std::size_t n_classes) {
        if (cells_.empty()) cells_.resize(n_classes * class_pitch);
        segments_.clear();
        for (std::size_t begin = 0; begin < rows.size();) {
            const std::uint32_t c = rows[begin].class_index;
            const auto end =
                std::partition_point(rows.begin() + static_cast<std::ptrdiff_t>(begin), rows.end(),
                                     [&](const ClassUnits& row) { return row.class_index == c; });
            segments_.push_back({c, begin, static_cast<std::size_t>(end - rows.begin())});
            begin = segments_.back().end;
        }
    }

    // Counts the rows of the node. Requires: at most 255 codes. Cells are zero before.
    template <class Value, class Index>
    void count(const Value* codes, std::size_t n_codes, const NodeItems<Index, ClassUnits>& node) {
        const Index* id = node.id.data();
        const ClassUnits* rows = node.payload.data();
        for (const auto& [c, begin, end] : segments_) {
            std::uint32_t* cells = cells_.data() + c * class_pitch;
            if (n_codes < few_codes) {
                count_few(codes, id + begin, rows + begin, end - begin, cells);
                continue;
            }
            for (std::size_t i = begin; i < end; ++i) cells[codes[id[i]]] += rows[i].units;
        }
    }
    const std::uint32_t* cells() const { return cells_.data(); }

    // Whether the node has rows of a code.
    bool any_of(Code code) const {
        return std::any_of(segments_.begin(), segments_.end(), [&](const ClassSegment& segment) {
            return cells_[segment.class_index * class_pitch + code] > 0;
        });
    }
    // Makes the cells zero again.
    void clear(std::size_t n_codes) {
        for (const ClassSegment& segment : segments_) {
            std::fill_n(cells_.data() + segment.class_index * class_pitch, n_codes + 1, 0u);
        }
    }

  private:
    static constexpr std::size_t few_codes = 16;

    // Few codes: rows take turns, so that one need not wait for the sum of the one before.
    template <class Value, class Index>
    static void count_few(const Value* codes, const Index* id, const ClassUnits* rows,
                          std::size_t n, std::uint32_t* cells) {
        constexpr std::size_t n_turns = 4;
        std::uint32_t sums[n_turns][few_codes] = {};
        std::size_t i = 0;
        for (; i + n_turns <= n; i += n_turns) {
            for (std::size_t t = 0; t < n_turns; ++t)
                sums[t][codes[id[i + t]]] += rows[i + t].units;
        }
        for (; i < n; ++i) sums[0][codes[id[i]]] += rows[i].units;
        for (std::size_t code = 0; code < few_codes; ++code) {
            cells[code] = sums[0][code] + sums[1][code] + sums[2][code] + sums[3][code];
        }
    }

    std::vector<ClassSegment> segments_;
    std::vector<std::uint32_t> cells_;
};

}  // namespace branchline::forest

#include "tree/entries.hpp"

#include <algorithm>
#include <cmath>

#include "tree/sort_codes.hpp"

namespace branchline::tree {

namespace {

// Keys are the code above, the place in the node below.
void sort_rows(const GrowColumn& column, const NodeRows& node, EntryScratch& scratch) {
    scratch.keys.resize(node.size());
    visit_codes(column.codes, [&](const auto* codes) {
        for (std::size_t i = 0; i < node.size(); ++i) {
            scratch.keys[i] = std::uint64_t{codes[node.rows[i]]} << 32 | i;
        }
    });
    sort_by_code(scratch.keys, scratch.spare, column.n_codes);
}

void count_classes(const GrowColumn& column, const NodeRows& node, const GrowTarget& target,
                   std::vector<std::int64_t>& cells) {
    const std::size_t width = target.n_classes;
    cells.assign((column.n_codes + 1) * width, 0);
    const bool once = target.units.empty() && node.parts.empty();
    visit_codes(column.codes, [&](const auto* codes) {
        for (std::size_t i = 0; i < node.size(); ++i) {
            const RowIndex row = node.rows[i];
            cells[codes[row] * width + target.class_of_row[row]] +=
                once ? 1 : node.units(i, target);
        }
    });
}

// Where the sums of each row of the node stand: those of the row, or its part of them.
class NodeSums {
  public:
    NodeSums(const NodeRows& node, const GrowTarget& target, std::vector<std::int64_t>& scaled)
        : node_(node), target_(target), scaled_(scaled) {
        if (node.parts.empty()) return;
        scaled_.resize(node.size() * target.n_outputs);
        for (std::size_t i = 0; i < node.size(); ++i) {
            sums_of(node, i, target, scaled_.data() + i * target.n_outputs);
        }
    }
    const std::int64_t* of(std::size_t place) const {
        return node_.parts.empty()
                   ? target_.sums_of_row.data() + node_.rows[place] * target_.n_outputs
                   : scaled_.data() + place * target_.n_outputs;
    }

  private:
    const NodeRows& node_;
    const GrowTarget& target_;
    std::vector<std::int64_t>& scaled_;
};

}  // namespace

bool counting_pays(std::size_t n_rows, std::size_t n_codes, std::size_t width) {
    return n_rows >= n_codes * std::min<std::size_t>(width, 4) / 2 && n_rows >= few_keys;
}

void sums_of(const NodeRows& node, std::size_t place, const GrowTarget& target, std::int64_t* out) {
    const RowIndex row = node.rows[place];
    const auto own = target.sums_of_row.subspan(row * target.n_outputs, target.n_outputs);
    const std::int64_t whole = target.units.empty() ? 1 : target.units[row];
    if (node.parts.empty() || node.parts[place] == whole) {
        std::copy(own.begin(), own.end(), out);
        return;
    }
    const double part = static_cast<double>(node.parts[place]) / static_cast<double>(whole);
    const std::int64_t copies = target.copies(row);
    for (std::size_t o = 0; o < own.size(); ++o) {
        const auto of_one = static_cast<double>(own[o] / copies);
        out[o] = copies * static_cast<std::int64_t>(std::rint(of_one * part));
    }
}

void collect(const GrowColumn& column, const NodeRows& node, const GrowTarget& target,
             EntryScratch& scratch, std::vector<ClassEntry>& entries) {
    entries.clear();
    const std::size_t width = target.n_classes;
    if (counting_pays(node.size(), column.n_codes, width)) {
        count_classes(column, node, target, scratch.cells);
        for (std::size_t cell = 0; cell < scratch.cells.size(); ++cell) {
            if (scratch.cells[cell] == 0) continue;
            entries.push_back({static_cast<Code>(cell / width),
                               static_cast<std::uint32_t>(cell % width), scratch.cells[cell]});
        }
        return;
    }
    sort_rows(column, node, scratch);
    entries.reserve(node.size());
    for (const std::uint64_t key : scratch.keys) {
        const std::size_t place = key & 0xFFFF'FFFF;
        entries.push_back({static_cast<Code>(key >> 32), target.class_of_row[node.rows[place]],
                           node.units(place, target)});
    }
}

void collect(const GrowColumn& column, const NodeRows& node, const GrowTarget& target,
             EntryScratch& scratch, std::vector<SumEntry>& entries) {
    entries.clear();
    const std::size_t n_outputs = target.n_outputs, width = 1 + n_outputs;
    const NodeSums node_sums(node, target, scratch.scaled_sums);
    if (counting_pays(node.size(), column.n_codes, width)) {
        scratch.cells.assign((column.n_codes + 1) * width, 0);
        visit_codes(column.codes, [&](const auto* codes) {
            for (std::size_t i = 0; i < node.size(); ++i) {
                std::int64_t* cell = scratch.cells.data() + codes[node.rows[i]] * width;
                const std::int64_t* sums = node_sums.of(i);
                cell[0] += node.units(i, target);
                for (std::size_t o = 0; o < n_outputs; ++o) cell[1 + o] += sums[o];
            }
        });
        for (std::size_t code = 0; code <= column.n_codes; ++code) {
            const std::int64_t* cell = scratch.cells.data() + code * width;
            if (cell[0] != 0) entries.push_back({static_cast<Code>(code), cell[0], cell + 1});
        }
        return;
    }
    sort_rows(column, node, scratch);
    for (const std::uint64_t key : scratch.keys) {
        const std::size_t place = key & 0xFFFF'FFFF;
        entries.push_back(
            {static_cast<Code>(key >> 32), node.units(place, target), node_sums.of(place)});
    }
}

void collect(const GrowColumn& column, const NodeRows& node, const GrowTarget& target,
             EntryScratch& scratch, std::vector<RankEntry>& entries) {
    entries.clear();
    entries.reserve(node.size());
    sort_rows(column, node, scratch);
    for (const std::uint64_t key : scratch.keys) {
        const std::size_t place = key & 0xFFFF'FFFF;
        entries.push_back({static_cast<Code>(key >> 32), node.units(place, target),
                           target.rank_of_row.data() + node.rows[place] * target.n_outputs});
    }
}

}  // namespace branchline::tree

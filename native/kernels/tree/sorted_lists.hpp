// The rows of a tree, and for some columns the rows in the order of their codes.
//
// A node owns the same range [begin, end) of every list. When it is split, each list is divided
// stably, so every child's rows are in order again: sorting is done once, at the root.
// Rows are numbered anew from 0 (ids), so that small subtrees can use 16 bits a number.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "branchline/grow_tree.hpp"
#include "tree/two_class_scan.hpp"

namespace branchline::tree {

template <class Index>
class SortedLists {
  public:
    using ListItem = Item<Index>;

    // The rows of a whole tree, without lists.
    static SortedLists of_tree(std::span<const RowIndex> rows, std::size_t n_columns);

    // Sorts the rows by a column. Different columns may be added by different threads.
    void add_list(int column, const GrowColumn& codes_of,
                  std::span<const std::uint32_t> class_bit_of_row);

    // A copy of a node of wider lists, for its subtree alone. `local_id` has a place for each id.
    template <class Wide>
    static SortedLists of_node(const SortedLists<Wide>& wide, std::size_t begin, std::size_t end,
                               std::span<const int> columns, std::span<Index> local_id);

    std::span<const RowIndex> rows(std::size_t begin, std::size_t end) const {
        return std::span(rows_).subspan(begin, end - begin);
    }
    bool has_list(int column) const { return !lists_[static_cast<std::size_t>(column)].empty(); }
    std::span<const ListItem> list(int column, std::size_t begin, std::size_t end) const {
        return std::span(lists_[static_cast<std::size_t>(column)]).subspan(begin, end - begin);
    }
    RowIndex row_of(Index id) const { return row_of_id_[id]; }
    Index id_at(std::size_t place) const { return ids_[place]; }
    std::size_t size() const { return rows_.size(); }

    // Where each id of a node goes; the caller writes it before the lists are divided.
    std::vector<std::uint16_t>& branch_of_id() { return branch_of_id_; }

    // Parts the rows of a node; returns where each branch begins, and the end.
    std::vector<std::size_t> part_rows(std::size_t begin, std::size_t end, std::size_t n_branches);
    void part_list(int column, std::span<const std::size_t> bounds, std::vector<ListItem>& spare);

  private:
    template <class Other>
    friend class SortedLists;

    std::vector<RowIndex> row_of_id_;
    std::vector<Index> ids_;      // in the order of nodes
    std::vector<RowIndex> rows_;  // row_of_id_[ids_[i]]
    std::vector<std::uint16_t> branch_of_id_;
    std::vector<std::vector<ListItem>> lists_;  // by column; empty for those without
};

template <class Index>
SortedLists<Index> SortedLists<Index>::of_tree(std::span<const RowIndex> rows,
                                               std::size_t n_columns) {
    SortedLists made;
    made.row_of_id_.assign(rows.begin(), rows.end());
    made.rows_ = made.row_of_id_;
    made.ids_.resize(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) made.ids_[i] = static_cast<Index>(i);
    made.branch_of_id_.resize(rows.size());
    made.lists_.resize(n_columns);
    return made;
}

template <class Index>
void SortedLists<Index>::add_list(int column, const GrowColumn& codes_of,
                                  std::span<const std::uint32_t> class_bit_of_row) {
    auto& list = lists_[static_cast<std::size_t>(column)];
    list.resize(size());
    std::vector<std::uint32_t> place(codes_of.n_codes + 2, 0);
    visit_codes(codes_of.codes, [&](const auto* codes) {
        for (const RowIndex row : row_of_id_) ++place[static_cast<std::size_t>(codes[row]) + 1];
        for (std::size_t code = 1; code < place.size(); ++code) place[code] += place[code - 1];
        for (std::size_t i = 0; i < size(); ++i) {
            const RowIndex row = row_of_id_[i];
            const auto bit = class_bit_of_row.empty() ? 0u : class_bit_of_row[row];
            list[place[codes[row]]++] = {static_cast<Index>(codes[row]),
                                         static_cast<Index>(i << 1 | bit)};
        }
    });
}

template <class Index>
template <class Wide>
SortedLists<Index> SortedLists<Index>::of_node(const SortedLists<Wide>& wide, std::size_t begin,
                                               std::size_t end, std::span<const int> columns,
                                               std::span<Index> local_id) {
    SortedLists made;
    made.rows_.assign(wide.rows_.begin() + static_cast<std::ptrdiff_t>(begin),
                      wide.rows_.begin() + static_cast<std::ptrdiff_t>(end));
    made.row_of_id_ = made.rows_;
    made.ids_.resize(end - begin);
    made.branch_of_id_.resize(end - begin);
    for (std::size_t i = 0; i < end - begin; ++i) {
        made.ids_[i] = static_cast<Index>(i);
        local_id[wide.ids_[begin + i]] = static_cast<Index>(i);
    }
    made.lists_.resize(wide.lists_.size());
    for (const int column : columns) {
        if (!wide.has_list(column)) continue;
        auto& list = made.lists_[static_cast<std::size_t>(column)];
        list.reserve(end - begin);
        Wide last = 0;  // code 0, missing values, keeps its number
        Index code = 0;
        for (const auto& item : wide.list(column, begin, end)) {
            if (item.code != last) ++code, last = item.code;
            list.push_back({code, static_cast<Index>(local_id[item.id()] << 1 | item.class_bit())});
        }
    }
    return made;
}

template <class Index>
std::vector<std::size_t> SortedLists<Index>::part_rows(std::size_t begin, std::size_t end,
                                                       std::size_t n_branches) {
    std::vector<std::size_t> bounds(n_branches + 1, 0);
    for (std::size_t i = begin; i < end; ++i) ++bounds[branch_of_id_[ids_[i]] + 1u];
    bounds[0] = begin;
    for (std::size_t b = 0; b < n_branches; ++b) bounds[b + 1] += bounds[b];
    std::vector<Index> divided(end - begin);
    std::vector<std::size_t> place(bounds.begin(), bounds.end() - 1);
    for (std::size_t i = begin; i < end; ++i) {
        divided[place[branch_of_id_[ids_[i]]]++ - begin] = ids_[i];
    }
    for (std::size_t i = begin; i < end; ++i) {
        ids_[i] = divided[i - begin];
        rows_[i] = row_of_id_[ids_[i]];
    }
    return bounds;
}

template <class Index>
void SortedLists<Index>::part_list(int column, std::span<const std::size_t> bounds,
                                   std::vector<ListItem>& spare) {
    ListItem* items = lists_[static_cast<std::size_t>(column)].data();
    const std::size_t begin = bounds.front(), end = bounds.back(), n = end - begin;
    if (spare.size() < n) spare.resize(n);
    const std::uint16_t* branch_of_id = branch_of_id_.data();
    if (bounds.size() == 3) {  // two branches: no branch in the code either
        ListItem* left = items + begin;
        ListItem* right = spare.data();
        for (std::size_t i = begin; i < end; ++i) {
            const ListItem item = items[i];
            const std::size_t goes_right = branch_of_id[item.id()];
            *left = item;
            *right = item;
            left += 1 - goes_right;
            right += goes_right;
        }
        std::copy(spare.data(), right, left);
        return;
    }
    std::vector<std::size_t> place(bounds.begin(), bounds.end() - 1);
    for (std::size_t i = begin; i < end; ++i) {
        spare[place[branch_of_id[items[i].id()]]++ - begin] = items[i];
    }
    std::copy(spare.data(), spare.data() + n, items + begin);
}

}  // namespace branchline::tree

// A fitted tree as it is borrowed from Python.
#pragma once

#include "branchline/find_leaves.hpp"
#include "columns.hpp"
#include "interrupt.hpp"

namespace branchline::bindings {

// A fitted tree's arrays, borrowed from Python for as long as this object lives.
class BorrowedTree {
  public:
    BorrowedTree(In<std::uint8_t> kind, In<std::int32_t> feature, In<double> threshold,
                 In<std::int32_t> first_child, In<std::int32_t> missing_branch,
                 In<std::int64_t> pool_offset, In<std::int32_t> pool)
        : kind_(std::move(kind)), feature_(std::move(feature)), threshold_(std::move(threshold)),
          first_child_(std::move(first_child)), missing_branch_(std::move(missing_branch)),
          pool_offset_(std::move(pool_offset)), pool_(std::move(pool)) {
        const TreeView tree = view();
        const std::size_t n_nodes = tree.kind.size();
        require(n_nodes > 0 && tree.feature.size() == n_nodes && tree.threshold.size() == n_nodes &&
                    tree.first_child.size() == n_nodes && tree.missing_branch.size() == n_nodes &&
                    tree.pool_offset.size() == n_nodes,
                "arrays of one length, one entry a node");
    }

    TreeView view() const {
        return {span_of(kind_),        span_of(feature_),        span_of(threshold_),
                span_of(first_child_), span_of(missing_branch_), span_of(pool_offset_),
                span_of(pool_)};
    }

    Out<std::int32_t> find_leaves(const nb::list& columns, const In<std::int32_t>& n_categories,
                                  int n_threads) const {
        const Columns borrowed(columns, n_categories);
        std::vector<std::int32_t> node_of_row(borrowed.n_rows());
        without_lock([&](StopSignal& stop) {
            branchline::find_leaves(view(), borrowed.views(), node_of_row, n_threads, stop);
        });
        return give(std::move(node_of_row));
    }

  private:
    In<std::uint8_t> kind_;
    In<std::int32_t> feature_;
    In<double> threshold_;
    In<std::int32_t> first_child_, missing_branch_;
    In<std::int64_t> pool_offset_;
    In<std::int32_t> pool_;
};

}  // namespace branchline::bindings

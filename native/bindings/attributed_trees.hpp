// Trees whose outputs are shared out among columns, borrowed from Python.
#pragma once

#include "branchline/attributions.hpp"
#include "trees_view.hpp"

namespace branchline::bindings {

class BorrowedAttributedTrees {
  public:
    BorrowedAttributedTrees(BorrowedTrees trees, In<double> leaf_cover, std::size_t n_outputs)
        : trees_(std::move(trees)), leaf_cover_(std::move(leaf_cover)), n_outputs_(n_outputs) {}

    AttributedTrees view() const { return {trees_.view(), span_of(leaf_cover_), n_outputs_}; }

  private:
    BorrowedTrees trees_;
    In<double> leaf_cover_;
    std::size_t n_outputs_;
};

}  // namespace branchline::bindings

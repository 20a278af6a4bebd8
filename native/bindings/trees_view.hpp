// Fitted trees as arrays, borrowed from Python.
#pragma once

#include "arrays.hpp"
#include "branchline/forest_walker.hpp"

namespace branchline::bindings {

class BorrowedTrees {
  public:
    BorrowedTrees(In<std::int64_t> n_nodes, In<std::uint8_t> kind, In<std::int32_t> feature,
                  In<double> threshold, In<std::uint8_t> missing_left, In<std::uint8_t> pool,
                  In<std::int64_t> n_codes, In<double> leaf_value, std::size_t width)
        : n_nodes_(std::move(n_nodes)), kind_(std::move(kind)), feature_(std::move(feature)),
          threshold_(std::move(threshold)), missing_left_(std::move(missing_left)),
          pool_(std::move(pool)), n_codes_(std::move(n_codes)), leaf_value_(std::move(leaf_value)),
          width_(width) {}

    // Whether the arrays describe trees is for the kernels to say.
    ForestView view() const {
        return {span_of(n_nodes_),   span_of(kind_),         span_of(feature_),
                span_of(threshold_), span_of(missing_left_), span_of(pool_),
                span_of(n_codes_),   span_of(leaf_value_),   width_};
    }

  private:
    In<std::int64_t> n_nodes_;
    In<std::uint8_t> kind_;
    In<std::int32_t> feature_;
    In<double> threshold_;
    In<std::uint8_t> missing_left_, pool_;
    In<std::int64_t> n_codes_;
    In<double> leaf_value_;
    std::size_t width_;
};

}  // namespace branchline::bindings

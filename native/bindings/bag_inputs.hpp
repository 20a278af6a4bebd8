// Which copies of rows each tree draws, borrowed from Python.
#pragma once

#include <nanobind/stl/optional.h>

#include "arrays.hpp"
#include "branchline/bag.hpp"

namespace branchline::bindings {

class BorrowedBag {
  public:
    BorrowedBag(In<std::uint64_t> keys, std::optional<In<std::int64_t>> copies,
                In<std::int64_t> first_copy, BagRule rule)
        : keys_(std::move(keys)), copies_(std::move(copies)), first_copy_(std::move(first_copy)),
          rule_(rule) {
        require(keys_.shape(0) > 0 && first_copy_.shape(0) == keys_.shape(0) &&
                    (!copies_ || copies_->shape(0) == keys_.shape(0)),
                "keys and copies for each row");
        require(rule_.rate > 0 && (rule_.kind != BagKind::subsample || rule_.rate <= 1),
                "a rate above 0, and of at most 1 for a subsample");
    }

    std::size_t n_rows() const { return keys_.shape(0); }
    BagRows rows() const { return {span_of(keys_), span_of(copies_), span_of(first_copy_)}; }
    const BagRule& rule() const { return rule_; }

  private:
    In<std::uint64_t> keys_;
    std::optional<In<std::int64_t>> copies_;
    In<std::int64_t> first_copy_;
    BagRule rule_;
};

}  // namespace branchline::bindings

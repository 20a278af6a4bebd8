// What boosting is told, borrowed from Python: constraints, and arrays that it writes to.
#pragma once

#include <nanobind/stl/optional.h>

#include "arrays.hpp"
#include "branchline/boosting.hpp"

namespace branchline::bindings {

// Written to from round to round, so that memory is taken once.
template <class Value>
using Written = nb::ndarray<Value, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class Value>
std::span<Value> written_span(const Written<Value>& array, std::size_t size, const char* what) {
    require(array.shape(0) == size, what);
    require_aligned(array);
    return {array.data(), size};
}

// Directions of columns and groups that may meet on a path; both may be missing.
class BorrowedConstraints {
  public:
    BorrowedConstraints(std::optional<In<std::int8_t>> monotone,
                        std::optional<In<std::uint8_t>> groups)
        : monotone_(std::move(monotone)), groups_(std::move(groups)) {}

    BoostingConstraints view(std::size_t n_columns) const {
        require(!monotone_ || monotone_->shape(0) == n_columns, "a direction for each column");
        require(!groups_ || (groups_->shape(0) > 0 && groups_->shape(0) % n_columns == 0),
                "a byte for each column of each group");
        return {span_of(monotone_), span_of(groups_)};
    }

  private:
    std::optional<In<std::int8_t>> monotone_;
    std::optional<In<std::uint8_t>> groups_;
};

// Throws std::invalid_argument for options that no tree can be grown with.
void require_options(const BoostingOptions& options);

// Trees as a dictionary of arrays.
nb::dict give_trees(BoostedTrees&& trees);

}  // namespace branchline::bindings

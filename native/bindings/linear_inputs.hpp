// What linear leaves are made of, borrowed from Python.
#pragma once

#include "arrays.hpp"
#include "branchline/linear_leaves.hpp"

namespace branchline::bindings {

class BorrowedLinearColumns {
  public:
    BorrowedLinearColumns(In<float> z, In<std::int32_t> place)
        : z_(std::move(z)), place_(std::move(place)) {}

    LinearColumns view(std::size_t n_rows, std::size_t n_columns) const {
        require(place_.shape(0) == n_columns, "a place for each column");
        require(z_.shape(0) % n_rows == 0, "a number for each row of each column");
        const auto n_places = static_cast<std::int64_t>(z_.shape(0) / n_rows);
        for (const std::int32_t place : span_of(place_)) {
            require(place >= -1 && place < n_places, "places of columns");
        }
        return {span_of(z_), span_of(place_)};
    }

  private:
    In<float> z_;
    In<std::int32_t> place_;
};

class BorrowedTerms {
  public:
    BorrowedTerms(In<std::int64_t> first, In<std::uint32_t> column, In<float> slope,
                  In<float> center, In<float> low, In<float> high)
        : first_(std::move(first)), column_(std::move(column)), slope_(std::move(slope)),
          center_(std::move(center)), low_(std::move(low)), high_(std::move(high)) {
        require(first_.shape(0) > 0, "where terms begin");
    }

    TermsView view() const {
        return {span_of(first_),  span_of(column_), span_of(slope_),
                span_of(center_), span_of(low_),    span_of(high_)};
    }

  private:
    In<std::int64_t> first_;
    In<std::uint32_t> column_;
    In<float> slope_, center_, low_, high_;
};

nb::dict give_terms(LinearTerms&& terms);

}  // namespace branchline::bindings

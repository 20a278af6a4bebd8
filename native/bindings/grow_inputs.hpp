// What trees and forests are grown on, borrowed from Python.
#pragma once

#include <nanobind/stl/optional.h>

#include <limits>

#include "branchline/grow_tree.hpp"
#include "columns.hpp"

namespace branchline::bindings {

// The columns a tree is grown on, borrowed from Python for as long as this object lives.
class BorrowedGrowColumns {
  public:
    BorrowedGrowColumns(const nb::list& codes, const In<std::int64_t>& n_codes,
                        const In<bool>& is_category, const In<double>& cost,
                        const In<std::uint32_t>& fill_code)
        : codes_(codes) {
        const std::size_t n = codes_.views().size();
        require(n_codes.shape(0) == n && is_category.shape(0) == n && cost.shape(0) == n &&
                    fill_code.shape(0) == n,
                "n_codes, is_category, cost and fill_code for each column");
        for (std::size_t c = 0; c < n; ++c) {
            const std::int64_t last = span_of(n_codes)[c];
            require(last >= 0 && last < std::numeric_limits<Code>::max(), "n_codes out of range");
            require(span_of(cost)[c] > 0, "costs must be above 0");
            require(fill_code.data()[c] <= last, "fill_code out of range");
            columns_.push_back({codes_.views()[c],
                                static_cast<std::size_t>(last),
                                is_category.data()[c],
                                span_of(cost)[c],
                                fill_code.data()[c],
                                {},
                                false,
                                {}});
            check_codes(columns_.back());
        }
    }

    // One byte for each code of a category column, subset after subset.
    void give_subsets(std::size_t column, In<std::uint8_t> subsets) {
        require(column < columns_.size() && columns_[column].is_category &&
                    columns_[column].n_codes > 0 &&
                    subsets.shape(0) % columns_[column].n_codes == 0,
                "a byte for each category of each subset");
        columns_[column].given_subsets = span_of(subsets);
        subsets_.push_back(std::move(subsets));
    }

    // Tests of this category column have a branch for each category.
    void make_multiway(std::size_t column) {
        require(column < columns_.size() && columns_[column].is_category, "a category column");
        columns_[column].is_multiway = true;
    }

    // For many trees on the same rows.
    void order_rows() {
        orders_.resize(columns_.size());
        for (std::size_t c = 0; c < columns_.size(); ++c) {
            orders_[c] = branchline::order_rows(columns_[c], n_rows());
            columns_[c].order = orders_[c];
        }
    }

    std::span<const GrowColumn> view() const { return columns_; }
    std::size_t n_rows() const { return codes_.n_rows(); }

  private:
    void check_codes(const GrowColumn& column) const {
        visit_codes(column.codes, [&](const auto* codes) {
            for (std::size_t row = 0; row < codes_.n_rows(); ++row) {
                require(codes[row] <= column.n_codes, "a code above n_codes");
            }
        });
    }

    CodeColumns codes_;
    std::vector<GrowColumn> columns_;
    std::vector<In<std::uint8_t>> subsets_;
    std::vector<std::vector<std::uint16_t>> orders_;
};

// The target a tree is grown for, borrowed from Python for as long as this object lives.
class BorrowedGrowTarget {
  public:
    using Units = std::optional<In<std::int64_t>>;

    BorrowedGrowTarget(std::optional<In<std::uint32_t>> class_of_row, Units sums_of_row,
                       Units units, std::optional<In<double>> class_factor, std::size_t n_classes,
                       std::size_t n_outputs, std::int64_t part_units, Units values_of_row)
        : class_of_row_(std::move(class_of_row)), sums_of_row_(std::move(sums_of_row)),
          units_(std::move(units)), values_of_row_(std::move(values_of_row)),
          class_factor_(std::move(class_factor)) {
        target_ = {span_of(class_of_row_),
                   span_of(sums_of_row_),
                   span_of(units_),
                   span_of(class_factor_),
                   n_classes,
                   n_outputs,
                   part_units,
                   span_of(values_of_row_),
                   {},
                   false};
        require(part_units >= 0, "part_units of at least 0");
        require((n_classes > 0) != (n_outputs > 0), "either classes or outputs");
        require(target_.class_factor.empty() || target_.class_factor.size() == n_classes,
                "a factor for each class");
        for (const std::uint32_t c : target_.class_of_row) {
            require(c < n_classes, "a class out of range");
        }
    }

    const GrowTarget& view() const { return target_; }
    void require_rows(std::size_t n_rows) const {
        require(target_.units.empty() || target_.units.size() == n_rows, "units for each row");
        const std::size_t length = target_.is_classification()
                                       ? target_.class_of_row.size()
                                       : target_.sums_of_row.size() / target_.n_outputs;
        require(length == n_rows, "a target for each row");
        require(target_.values_of_row.empty() ||
                    target_.values_of_row.size() == n_rows * target_.n_outputs,
                "a value for each row");
    }

  private:
    std::optional<In<std::uint32_t>> class_of_row_;
    Units sums_of_row_, units_, values_of_row_;
    std::optional<In<double>> class_factor_;
    GrowTarget target_;
};

}  // namespace branchline::bindings

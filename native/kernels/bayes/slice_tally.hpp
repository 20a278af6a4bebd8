// Exact sums of a column's numbers by class, slice by slice (slice_kernels.hpp), for rows that all weigh 1.
//
// Rows are put in the order of their classes once, for all columns.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "bayes/slice_kernels.hpp"
#include "bayes/whole_numbers.hpp"

namespace branchline {

// Rows by class: those of class k stand from begin[k] to begin[k + 1].
struct RowsByClass {
    std::vector<std::uint32_t> rows;
    std::vector<std::size_t> begin;

    // Requires: classes below n_classes.
    RowsByClass(std::span<const std::uint32_t> class_of_row, std::size_t n_classes)
        : begin(n_classes + 1) {
        if (n_classes == 1) {
            begin[1] = class_of_row.size();
            return;
        }
        for (const std::uint32_t kind : class_of_row) ++begin[kind + 1];
        for (std::size_t k = 0; k < n_classes; ++k) begin[k + 1] += begin[k];
        rows.resize(class_of_row.size());
        std::vector<std::size_t> next(begin.begin(), begin.end() - 1);
        for (std::size_t row = 0; row < class_of_row.size(); ++row)
            rows[next[class_of_row[row]]++] = static_cast<std::uint32_t>(row);
    }
};

class SliceTally {
  public:
    explicit SliceTally(const RowsByClass& rows) : rows_(rows) {}

    // Sets the sums of each class, in units of 2^low; returns whether four slices hold all numbers.
    template <class Float, class Sums>
    bool take(const Float* values, int& low, std::span<Sums> sums) {
        const std::size_t n_rows = rows_.begin.back();
        const Extent extent = extent_of(values, n_rows);
        const auto field = static_cast<int>(extent.largest >> 52);
        if (field < 100 || field > 1900) return false;  // 0, or powers of two that floats lack
        const int high = field - 1022;                  // all numbers are below 2^high
        low = high - most_slice_bits;
        down_ = std::bit_cast<double>(static_cast<std::uint64_t>(1023 - high) << 52);
        n_slices_ = 2;
        for (std::size_t k = 0; k + 1 < rows_.begin.size(); ++k) {
            if (!take_class(values, k, extent.has_missing, sums[k])) return false;
        }
        return true;
    }

  private:
    Extent extent_of(const double* values, std::size_t n) const { return kernels_.extent(values, n); }
    Extent extent_of(const float* values, std::size_t n) const {
        return kernels_.extent_32(values, n);
    }

    template <class Float, class Sums>
    bool take_class(const Float* values, std::size_t k, bool has_missing, Sums& sums) {
        std::array<Int128, max_slices> firsts{};
        std::array<Int128, 2 * max_slices - 1> seconds{};
        const std::size_t end = rows_.begin[k + 1];
        std::int64_t n_missing = 0;
        for (std::size_t at = rows_.begin[k]; at < end; at += slice_rows) {
            const std::size_t n = std::min(slice_rows, end - at);
            gather(values, at, n);
            if (has_missing) n_missing += zero_missing(n);
            SliceSums found;
            while (!kernels_.add(scaled_.get(), (n + slice_lane - 1) / slice_lane * slice_lane,
                                 n_slices_, found)) {
                if (++n_slices_ > max_slices) return false;
            }
            for (std::size_t i = 0; i < firsts.size(); ++i)
                firsts[i] += static_cast<std::int64_t>(found.firsts[i]);
            for (std::size_t i = 0; i < seconds.size(); ++i)
                seconds[i] += static_cast<std::int64_t>(found.seconds[i]);
        }
        sums = Sums{};
        sums.units = static_cast<std::int64_t>(end - rows_.begin[k]) - n_missing;
        for (std::size_t i = 0; i < firsts.size(); ++i)
            sums.first += firsts[i] << (more_slice_bits * static_cast<int>(firsts.size() - 1 - i));
        for (std::size_t i = 0; i < seconds.size(); ++i)
            sums.second.add_shifted(seconds[i],
                                    more_slice_bits * static_cast<int>(seconds.size() - 1 - i));
        return true;
    }

    template <class Float>
    void gather(const Float* values, std::size_t begin, std::size_t n) {
        double* const scaled = scaled_.get();
        if (rows_.rows.empty()) {
            for (std::size_t i = 0; i < n; ++i)
                scaled[i] = static_cast<double>(values[begin + i]) * down_;
        } else {
            const std::uint32_t* const rows = rows_.rows.data() + begin;
            for (std::size_t i = 0; i < n; ++i)
                scaled[i] = static_cast<double>(values[rows[i]]) * down_;
        }
        for (std::size_t i = n; i % slice_lane != 0; ++i) scaled[i] = 0.0;
    }

    // Missing values add nothing; returns how many there are.
    std::int64_t zero_missing(std::size_t n) {
        std::int64_t count = 0;
        double* const scaled = scaled_.get();
        for (std::size_t i = 0; i < n; ++i) {
            const bool is_missing = scaled[i] != scaled[i];
            count += is_missing;
            scaled[i] = is_missing ? 0.0 : scaled[i];
        }
        return count;
    }

    const SliceKernels& kernels_ = slice_kernels_for(best_cpu_level());
    const RowsByClass& rows_;
    std::unique_ptr<double[]> scaled_ = std::make_unique<double[]>(slice_rows);
    double down_ = 1.0;
    int n_slices_ = 2;
};

}  // namespace branchline

// Gradients and hessians of one tree as integers.
//
// Steps, each of them block by block: the largest gradient and hessian (`find_extent`), from them what
// an integer stands for (`choose_scale`), then the integers themselves (`make_words`).
#pragma once

#include <vector>

#include "boosting/level_kernels.hpp"
#include "boosting/rows.hpp"
#include "branchline/thread_pool.hpp"

namespace branchline::boosting {

// What the rows of a tree hold at most and in all. Extents of parts are joined by `join`.
struct Extent {
    float g = 0, h = 0;  // the largest absolute gradient, the largest hessian
    std::int64_t units = 0, most_units = 0;

    void join(const Extent& other) {
        g = std::max(g, other.g);
        h = std::max(h, other.h);
        units += other.units;
        most_units = std::max(most_units, other.most_units);
    }
};

Extent find_extent(const BoostingTarget& target, std::size_t first, std::size_t n,
                   const BoostingKernels& kernels);

// What integers stand for. Units are shifted right where there are too many for 32 bits.
struct WordScale {
    Rounding rounding{};
    double g_unit = 1, h_unit = 1;
    int units_shift = 0;
    bool is_light = true;  // every row counts at most once: words serve
};

WordScale choose_scale(const Extent& extent, bool constant_hessian, std::uint64_t seed);

// Sums of integers over rows, for `RowWords::dispersion`. Integers, so any order gives the same.
struct SpreadSums {
    std::uint64_t squares = 0, hessians = 0;  // Σ units · g², Σ units · h
};

// Light trees: short words, see level_kernels.hpp. Others: g, and h and n together, one number per row.
class RowWords {
  public:
    void make(const BlockedRows& rows, const BoostingTarget& target, std::uint64_t seed,
              const BoostingKernels& kernels, ThreadPool& pool);

    const WordScale& scale() const { return scale_; }
    const Extent& extent() const { return extent_; }
    const std::uint32_t* words(std::size_t first_row) const { return words_.data() + first_row; }
    const std::int64_t* g(std::size_t first_row) const { return g_.data() + first_row; }
    const std::uint64_t* hn(std::size_t first_row) const { return hn_.data() + first_row; }
    // φ = Σ g² / Σ h over the rows looked at, in the units of integers: the variance that gradients
    // have by chance, per unit of hessian. 1 for a log loss whose probabilities are right; the
    // variance of the residuals for a squared error.
    double dispersion() const { return dispersion_; }
    // Units as histograms count them.
    std::uint64_t units(std::int64_t given) const {
        return static_cast<std::uint64_t>(given) >> scale_.units_shift;
    }

  private:
    void make_block(const BlockedRows& rows, const BoostingTarget& target, std::size_t block,
                    const BoostingKernels& kernels, SpreadSums& spread);

    WordScale scale_;
    Extent extent_;
    double dispersion_ = 0;
    std::vector<std::uint32_t> words_;
    std::vector<std::int64_t> g_;
    std::vector<std::uint64_t> hn_;
};

}  // namespace branchline::boosting

// Where rows of a kernel matrix come from: computed from points, or taken from a given matrix.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "branchline/svm.hpp"

namespace branchline::svm {

template <class Real>
class RowSource {
  public:
    virtual ~RowSource() = default;
    virtual std::size_t n_rows() const = 0;
    // A row that lies in memory, or null when it has to be filled in.
    virtual const Real* stored(std::size_t row) const = 0;
    // out[i · stride + (j − first)] = K(rows[i], j) for j from first to last − 1.
    virtual void fill(std::span<const std::uint32_t> rows, std::size_t first, std::size_t last,
                      Real* out, std::size_t stride) const = 0;
    // K(i, i) of all rows.
    virtual void diagonal(std::span<double> out) const = 0;
    // What a value costs, in columns that are multiplied; 0: nothing, it is there.
    virtual std::size_t n_steps() const = 0;
};

// How many rows are best filled together: long ones come from far away, and are best met by as many
// others as a tile has.
template <class Real>
std::size_t rows_at_once(const RowSource<Real>& source) {
    return source.n_steps() == 0 ? 1 : source.n_steps() < 64 ? 4 : 8;
}

// How many bytes of rows are best kept, of those that may be. Where a value costs little, computing it
// again takes less time than the system takes to hand over more memory.
template <class Real>
std::size_t bytes_to_keep(const RowSource<Real>& source, std::size_t most) {
    constexpr std::size_t cheap_steps = 32, enough = std::size_t{1} << 28;
    return source.n_steps() <= cheap_steps ? std::min(most, enough) : most;
}

template <class Real>
class ComputedRows final : public RowSource<Real> {
  public:
    explicit ComputedRows(const KernelPoints<Real>& points) : points_(points) {}
    std::size_t n_rows() const override { return points_.n_rows(); }
    const Real* stored(std::size_t) const override { return nullptr; }
    void fill(std::span<const std::uint32_t> rows, std::size_t first, std::size_t last, Real* out,
              std::size_t stride) const override {
        points_.fill(rows, first, last, out, stride);
    }
    void diagonal(std::span<double> out) const override { points_.diagonal(out); }
    std::size_t n_steps() const override { return points_.n_steps(); }

  private:
    const KernelPoints<Real>& points_;
};

// Some of the points, in a few runs of rows that follow each other: packed once for many problems.
template <class Real>
class RunsOfRows final : public RowSource<Real> {
  public:
    struct Run {
        std::size_t first, n;
    };

    RunsOfRows(const KernelPoints<Real>& points, std::vector<Run> runs)
        : points_(points), runs_(std::move(runs)) {
        for (const Run& run : runs_) n_rows_ += run.n;
    }
    std::size_t n_rows() const override { return n_rows_; }
    const Real* stored(std::size_t) const override { return nullptr; }
    void fill(std::span<const std::uint32_t> rows, std::size_t first, std::size_t last, Real* out,
              std::size_t stride) const override {
        std::vector<std::uint32_t> places;
        for (const std::uint32_t row : rows) places.push_back(place_of(row));
        std::size_t before = 0;  // rows of earlier runs
        for (const Run& run : runs_) {
            const std::size_t begin = std::max(first, before), end = std::min(last, before + run.n);
            if (begin < end) {
                const std::size_t shift = run.first - before;
                points_.fill(places, begin + shift, end + shift, out + (begin - first), stride);
            }
            before += run.n;
        }
    }
    void diagonal(std::span<double> out) const override {
        std::size_t before = 0;
        for (const Run& run : runs_) {
            points_.diagonal(run.first, out.subspan(before, run.n));
            before += run.n;
        }
    }
    std::size_t n_steps() const override { return points_.n_steps(); }

  private:
    std::uint32_t place_of(std::uint32_t row) const {
        std::size_t before = 0, at = 0;
        while (row >= before + runs_[at].n) before += runs_[at++].n;
        return static_cast<std::uint32_t>(runs_[at].first + (row - before));
    }

    const KernelPoints<Real>& points_;
    std::vector<Run> runs_;
    std::size_t n_rows_ = 0;
};

template <class Real>
class StoredRows final : public RowSource<Real> {
  public:
    explicit StoredRows(const GivenGram<Real>& gram) : gram_(gram) {}
    std::size_t n_rows() const override { return gram_.n_rows; }
    const Real* stored(std::size_t row) const override { return gram_.values + row * gram_.n_rows; }
    void fill(std::span<const std::uint32_t> rows, std::size_t first, std::size_t last, Real* out,
              std::size_t stride) const override {
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const Real* from = stored(rows[i]);
            std::copy(from + first, from + last, out + i * stride);
        }
    }
    void diagonal(std::span<double> out) const override {
        for (std::size_t i = 0; i < out.size(); ++i) out[i] = double{stored(i)[i]};
    }
    std::size_t n_steps() const override { return 0; }

  private:
    GivenGram<Real> gram_;
};

}  // namespace branchline::svm

// Where rows of a kernel matrix come from: computed from points, or taken from a given matrix.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

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
};

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

  private:
    const KernelPoints<Real>& points_;
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

  private:
    GivenGram<Real> gram_;
};

}  // namespace branchline::svm

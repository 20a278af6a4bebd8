#include "branchline/exact_products.hpp"

#include <algorithm>
#include <cstring>
#include <memory>

#include "products/product_kernels.hpp"

namespace branchline {

namespace {

std::size_t padded(std::size_t size) { return (size + slice_block - 1) / slice_block * slice_block; }

// The slices of some rows, one after the other; what is not written is 0.
class Tile {
  public:
    explicit Tile(const CutTerms& terms)
        : terms_(terms), size_(terms.size()),
          slices_(std::make_unique<double[]>(padded(size_) * tile_rows)) {}

    void cut(const TermRows& rows, std::size_t begin, std::size_t n) {
        const double* const factor = rows.factor.empty() ? nullptr : rows.factor.data() + begin;
        const auto n_whole = static_cast<std::size_t>(
            std::count_if(terms_.is_whole.begin(), terms_.is_whole.end(),
                          [](std::uint8_t is_whole) { return is_whole != 0; }));
        const std::size_t n_cut = terms_.n_terms() - n_whole;
        double* first = slices_.get();
        double* whole = first + n_cut * terms_.n_slices * tile_rows;
        for (std::size_t term = 0; term < terms_.n_terms(); ++term) {
            const double* const values = rows.data + term * rows.stride + begin;
            if (terms_.is_whole[term] != 0) {
                std::memcpy(whole, values, n * sizeof(double));
                whole += tile_rows;
            } else {
                kernels_.cut(values, factor, terms_.power[term], n, terms_.n_slices, first,
                             n_cut * tile_rows);
                first += tile_rows;
            }
        }
        if (n == tile_rows) return;
        for (std::size_t slice = 0; slice < size_; ++slice)
            std::fill_n(slices_.get() + slice * tile_rows + n, tile_rows - n, 0.0);
    }

    const double* slices() const { return slices_.get(); }
    std::size_t size() const { return size_; }

  private:
    const ProductKernels& kernels_ = product_kernels_for(best_cpu_level());
    const CutTerms& terms_;
    std::size_t size_;
    std::unique_ptr<double[]> slices_;
};

std::vector<double> without_padding(const std::vector<double>& sums, std::size_t width,
                                    std::size_t n_left, std::size_t n_right) {
    std::vector<double> found(n_left * n_right);
    for (std::size_t i = 0; i < n_left; ++i)
        std::copy_n(sums.data() + i * width, n_right, found.data() + i * n_right);
    return found;
}

}  // namespace

std::size_t CutTerms::size() const {
    std::size_t size = 0;
    for (const std::uint8_t one : is_whole) size += one != 0 ? 1 : n_slices;
    return size;
}

std::vector<double> exact_products(const CutTerms& left, const TermRows& left_rows,
                                   const CutTerms& right, const TermRows& right_rows,
                                   std::size_t n_rows) {
    const ProductKernels& kernels = product_kernels_for(best_cpu_level());
    Tile one(left), other(right);
    const std::size_t width = padded(other.size());
    std::vector<double> sums(padded(one.size()) * width);
    for (std::size_t begin = 0; begin < n_rows; begin += tile_rows) {
        const std::size_t n = std::min(tile_rows, n_rows - begin);
        one.cut(left_rows, begin, n);
        other.cut(right_rows, begin, n);
        kernels.multiply(one.slices(), one.size(), other.slices(), other.size(), false,
                         sums.data(), width);
    }
    return without_padding(sums, width, one.size(), other.size());
}

std::vector<double> exact_squares(const CutTerms& terms, const TermRows& rows, std::size_t n_rows) {
    const ProductKernels& kernels = product_kernels_for(best_cpu_level());
    Tile tile(terms);
    const std::size_t size = tile.size(), width = padded(size);
    std::vector<double> sums(width * width);
    for (std::size_t begin = 0; begin < n_rows; begin += tile_rows) {
        tile.cut(rows, begin, std::min(tile_rows, n_rows - begin));
        kernels.multiply(tile.slices(), size, tile.slices(), size, true, sums.data(), width);
    }
    for (std::size_t i = 0; i < size; ++i)
        for (std::size_t j = 0; j < i; ++j) sums[j * width + i] = sums[i * width + j];
    return without_padding(sums, width, size, size);
}

}  // namespace branchline

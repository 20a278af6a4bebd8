// Rows of numbers moved, scaled and packed for tiles. See kernel_matrix.hpp for why.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "branchline/kernel_matrix.hpp"
#include "svm/kernel_tiles.hpp"

namespace branchline::svm {

// Whether every number is 0 or 1.
template <class Real>
bool are_bits(const PointRows<Real>& rows);

// What rows become before they are packed: x · scale − center, between −limit and limit.
struct Placing {
    double scale = 1;            // a power of two
    std::vector<double> center;  // one number per column
    double limit = 1;
    bool of_bits = false;  // the points are; other rows that are placed so need not be
};

enum class Moved : bool { no, yes };

// Learned from the points; `moved` for squared distances. Bits stay as they are.
template <class Real>
Placing place(const PointRows<Real>& points, Moved moved);

// What is to be made of sums over columns of rows so placed.
template <class Real>
TileRule<Real> rule_of(const KernelForm& form, const Placing& placing, bool as_bits);

// One column (or 64 of them, as bits) of the points of a panel.
template <class Item, std::size_t Width>
struct alignas(64) PanelColumn {
    Item values[Width];
};

template <class Real>
class PackedPoints {
  public:
    PackedPoints(const PointRows<Real>& rows, const Placing& placing, bool as_bits,
                 const KernelTiles<Real>& tiles);

    static constexpr std::size_t width = panel_width<Real>;
    using Numbers = PanelColumn<Real, width>;
    using Words = PanelColumn<std::uint64_t, width>;

    std::size_t n_rows() const noexcept { return n_rows_; }
    bool as_bits() const noexcept { return as_bits_; }
    // Columns, or words of 64 of them.
    std::size_t n_steps() const noexcept { return n_steps_; }
    std::size_t panel_bytes() const noexcept {
        return n_steps_ * (as_bits_ ? sizeof(Words) : sizeof(Numbers));
    }
    const std::vector<Numbers>& numbers() const noexcept { return numbers_; }
    const std::vector<Words>& words() const noexcept { return words_; }
    const Real* squares() const noexcept { return squares_.data(); }

  private:
    void pack_numbers(const PointRows<Real>& rows, const Placing& placing,
                      const KernelTiles<Real>& tiles);
    void pack_bits(const PointRows<Real>& rows);

    std::size_t n_rows_, n_steps_;
    bool as_bits_;
    std::vector<Numbers> numbers_;  // panel after panel, n_steps of each
    std::vector<Words> words_;      // as well; one of the two is empty
    std::vector<Real> squares_;     // ‖x‖² of each row, padded
};

}  // namespace branchline::svm

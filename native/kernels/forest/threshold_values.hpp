// The values of codes, as random thresholds need them: see ThresholdTables.
#pragma once

#include <algorithm>
#include <limits>
#include <span>
#include <vector>

#include "branchline/codes.hpp"
#include "forest/random_tests.hpp"
#include "forest/record_kernels.hpp"

namespace branchline::forest {

// Owns what ThresholdTables points to. Requires: at most 255 codes a column.
class ThresholdValues {
  public:
    explicit ThresholdValues(std::span<const KnownCodes> values)
        : half_lowest_(values.size() * pitch), half_highest_(values.size() * pitch),
          middle_(values.size() * pitch), first_half_(values.size()), steps_a_half_(values.size()),
          first_of_step_(values.size() * ThresholdTables::step_pitch) {
        for (std::size_t column = 0; column < values.size(); ++column) fill(column, values[column]);
    }
    ThresholdTables tables() const {
        return {half_lowest_.data(), half_highest_.data(), middle_.data(),
                first_half_.data(),  steps_a_half_.data(), first_of_step_.data()};
    }
    // Where between two codes a threshold stands, in 256ths.
    std::uint8_t fraction(std::size_t column, double half_threshold, Code left, Code right) const {
        return fraction_between(half_highest_[column * pitch + left],
                                half_lowest_[column * pitch + right], half_threshold);
    }

  private:
    static constexpr std::size_t pitch = ThresholdTables::pitch;
    static constexpr std::size_t n_steps = ThresholdTables::n_steps;

    void fill(std::size_t column, const KnownCodes& values) {
        const std::size_t n = values.lowest.size(), row = column * pitch;
        for (std::size_t c = 0; c < n; ++c) {
            half_lowest_[row + c + 1] = values.lowest[c] / 2;
            half_highest_[row + c + 1] = values.highest[c] / 2;
            middle_[row + c + 1] = values.lowest[c] / 2 + values.highest[c] / 2;
        }
        if (n == 0) return;
        const double first = middle_[row + 1] / 2, range = middle_[row + n] / 2 - first;
        first_half_[column] = first;
        steps_a_half_[column] =
            range > 0 ? std::min(n_steps / range, std::numeric_limits<double>::max()) : 0;
        std::uint8_t* first_of_step = first_of_step_.data() + column * ThresholdTables::step_pitch;
        std::size_t code = 0;
        for (std::size_t step = 0; step <= n_steps; ++step) {
            while (code < n && step_of(column, middle_[row + code + 1] / 2) < step) ++code;
            first_of_step[step] = static_cast<std::uint8_t>(code);
        }
        first_of_step[n_steps + 1] = static_cast<std::uint8_t>(n);
    }
    std::size_t step_of(std::size_t column, double half) const {
        const double step = (half - first_half_[column]) * steps_a_half_[column];
        if (!(step > 0)) return 0;
        return static_cast<std::size_t>(std::min(step, static_cast<double>(n_steps)));
    }

    std::vector<double> half_lowest_, half_highest_, middle_, first_half_, steps_a_half_;
    std::vector<std::uint8_t> first_of_step_;
};

}  // namespace branchline::forest

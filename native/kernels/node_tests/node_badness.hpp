// Weight times impurity of any rows, from sums that are exact whole numbers.
//
// A cell holds the units of each class; or units, and for each output the sums of values and of their
// squares, values rounded to 15 bits of the largest one. Classes fit 64 bits, squares need 128.
#pragma once

#include <algorithm>
#include <cmath>

#include "node_tests/maker.hpp"

namespace branchline::node_tests {

class NodeBadness {
  public:
    NodeBadness(const GrowTarget& target, TreeCriterion criterion)
        : target_(target), criterion_(criterion) {
        if (!target.is_classification()) round_values();
    }

    std::size_t width() const {
        return target_.is_classification() ? target_.n_classes : 1 + 2 * target_.n_outputs;
    }

    template <typename Cell>
    void add(Cell* cell, RowIndex row) const {
        const Cell units = units_of(target_, row);
        if (target_.is_classification()) {
            cell[target_.class_of_row[row]] += units;
            return;
        }
        cell[0] += units;
        for (std::size_t o = 0; o < target_.n_outputs; ++o) {
            const std::int32_t value = values_[row * target_.n_outputs + o];
            cell[2 * o + 1] += units * value;
            cell[2 * o + 2] += units * (value * value);
        }
    }

    template <typename Cell>
    std::int64_t units(const Cell* cell) const {
        if (!target_.is_classification()) return static_cast<std::int64_t>(cell[0]);
        Cell sum = 0;
        for (std::size_t k = 0; k < target_.n_classes; ++k) sum += cell[k];
        return static_cast<std::int64_t>(sum);
    }

    template <typename Cell>
    double of(const Cell* cell) const {
        return target_.is_classification() ? of_classes(cell) : of_numbers(cell);
    }

  private:
    // Exact for all that fits 64 bits, which nearly all sums do; 128 bits take far longer.
    static double as_double(std::int64_t whole) { return static_cast<double>(whole); }
    static double as_double(Wide whole) {
        const auto narrow = static_cast<std::int64_t>(whole);
        return narrow == whole ? static_cast<double>(narrow) : static_cast<double>(whole);
    }

    template <typename Cell>
    double of_classes(const Cell* cell) const {
        double weight = 0, squares = 0, logs = 0, largest = 0;
        const bool needs_logs = criterion_ == TreeCriterion::entropy;
        for (std::size_t k = 0; k < target_.n_classes; ++k) {
            const double factor = target_.class_factor.empty() ? 1 : target_.class_factor[k];
            const double here = as_double(cell[k]) * factor;
            weight += here;
            squares += here * here;
            largest = std::max(largest, here);
            if (needs_logs && here > 0) logs += here * std::log2(here);
        }
        if (!(weight > 0)) return 0;
        switch (criterion_) {
            case TreeCriterion::entropy: return std::max(0.0, weight * std::log2(weight) - logs);
            case TreeCriterion::misclassification: return weight - largest;
            default: return weight - squares / weight;
        }
    }

    template <typename Cell>
    double of_numbers(const Cell* cell) const {
        if (cell[0] == 0) return 0;
        double badness = 0;
        for (std::size_t o = 0; o < target_.n_outputs; ++o) {
            const double sum = as_double(cell[2 * o + 1]);
            badness += std::max(0.0, as_double(cell[2 * o + 2]) - sum * sum / as_double(cell[0]));
        }
        return badness;
    }

    void round_values() {
        const std::size_t n_outputs = target_.n_outputs;
        const auto& sums = target_.sums_of_row;
        std::vector<double> value(sums.size());
        double largest = 0;
        for (std::size_t i = 0; i < sums.size(); ++i) {
            const std::int64_t units = units_of(target_, static_cast<RowIndex>(i / n_outputs));
            value[i] = units > 0 ? static_cast<double>(sums[i]) / static_cast<double>(units) : 0;
            largest = std::max(largest, std::abs(value[i]));
        }
        const double scale = largest > 0 ? 32767 / largest : 0;
        for (const double each : value) {
            values_.push_back(static_cast<std::int16_t>(std::nearbyint(each * scale)));
        }
    }

    const GrowTarget& target_;
    TreeCriterion criterion_;
    std::vector<std::int16_t> values_;
};

}  // namespace branchline::node_tests

#include <algorithm>
#include <cmath>

#include "branchline/drift.hpp"

namespace branchline {

bool PageHinkley::update(double value) {
    n_ += 1;
    const double apart = value - mean_;
    mean_ += apart / n_;
    squares_ += apart * (value - mean_);
    const double spread = n_ > 1 ? std::sqrt(squares_ / (n_ - 1)) : 0;
    if (spread > 0) {
        const double step = (value - mean_) / spread;
        above_ += step - rule_.tolerance;
        below_ -= step + rule_.tolerance;
    }
    lowest_above_ = std::min(lowest_above_, above_);
    lowest_below_ = std::min(lowest_below_, below_);
    if (n_ < static_cast<double>(rule_.min_rows)) return false;
    const double largest = std::max(above_ - lowest_above_, below_ - lowest_below_);
    if (largest <= rule_.threshold) return false;
    *this = PageHinkley(rule_);
    return true;
}

int Ddm::update(bool wrong) {
    n_ += 1;
    mean_ += ((wrong ? 1.0 : 0.0) - mean_) / n_;
    if (n_ <= static_cast<double>(rule_.min_rows)) return 0;
    const double spread = std::sqrt(mean_ * (1 - mean_) / n_);
    // Without any error so far nothing is known of the spread.
    if (spread > 0 && (!has_minimum_ || mean_ + spread <= mean_min_ + spread_min_)) {
        has_minimum_ = true;
        mean_min_ = mean_;
        spread_min_ = spread;
    }
    if (!has_minimum_) return 0;
    const double above = mean_ + spread - mean_min_;
    if (above > rule_.threshold * spread_min_) {
        *this = Ddm(rule_);
        return 2;
    }
    return above > rule_.warning * spread_min_ ? 1 : 0;
}

}  // namespace branchline

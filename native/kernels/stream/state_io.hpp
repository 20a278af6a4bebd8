// A learned state as two rows of numbers, and back: every value is checked when it comes back.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

namespace branchline {

class StateWriter {
  public:
    void real(double value) { reals.push_back(value); }
    void whole(std::int64_t value) { wholes.push_back(value); }
    void all(std::span<const double> values) {
        reals.insert(reals.end(), values.begin(), values.end());
    }

    std::vector<double> reals;
    std::vector<std::int64_t> wholes;
};

// Throws std::invalid_argument for a value that no learner could have written.
class StateReader {
  public:
    StateReader(std::span<const double> reals, std::span<const std::int64_t> wholes)
        : reals_(reals), wholes_(wholes) {}

    static void require(bool holds, const char* what) {
        if (!holds) throw std::invalid_argument(what);
    }
    double any() {
        require(real_ < reals_.size(), "numbers are missing");
        return reals_[real_++];
    }
    double real(double low = -1e308, double high = 1e308) {
        const double value = any();
        require(value >= low && value <= high, "a number is out of range");
        return value;
    }
    std::int64_t whole(std::int64_t low, std::int64_t high) {
        require(whole_ < wholes_.size(), "whole numbers are missing");
        const std::int64_t value = wholes_[whole_++];
        require(value >= low && value <= high, "a whole number is out of range");
        return value;
    }
    bool flag() { return whole(0, 1) == 1; }
    // A count of things that are each written with at least one number.
    std::size_t count() {
        return static_cast<std::size_t>(
            whole(0, static_cast<std::int64_t>(reals_.size() + wholes_.size())));
    }
    void weights(std::span<double> values) {
        for (double& value : values) value = real(0, 1e300);
    }
    void require_end() const {
        require(real_ == reals_.size() && whole_ == wholes_.size(), "numbers are left over");
    }

  private:
    std::span<const double> reals_;
    std::span<const std::int64_t> wholes_;
    std::size_t real_ = 0, whole_ = 0;
};

}  // namespace branchline

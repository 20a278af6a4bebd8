// A sum that carries its rounding error along: about twice the digits of a double.
#pragma once

namespace branchline {

class CompensatedSum {
  public:
    CompensatedSum() = default;
    explicit CompensatedSum(double value) : high_(value) {}

    // Knuth's two-sum: `sum` and the error are together exactly high_ + value.
    void add(double value) {
        const double sum = high_ + value, rounded = sum - high_;
        low_ += (high_ - (sum - rounded)) + (value - rounded);
        high_ = sum;
    }

    void add(const CompensatedSum& other) {
        add(other.high_);
        low_ += other.low_;
    }

    void subtract(const CompensatedSum& other) {
        add(-other.high_);
        low_ -= other.low_;
    }

    double value() const { return high_ + low_; }

  private:
    double high_ = 0, low_ = 0;
};

}  // namespace branchline

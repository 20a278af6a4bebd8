// Sums of products of whole numbers that do not fit 64 bits: exact, so in any order the same.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace branchline::boosting {

class WideSum {
  public:
    void add(std::uint64_t value) noexcept { add_parts(0, value); }

    // a · b by parts of 32 bits, so that no compiler extension is needed.
    void add_product(std::uint64_t a, std::uint64_t b) noexcept {
        const std::uint64_t a_low = a & 0xFFFFFFFF, a_high = a >> 32;
        const std::uint64_t b_low = b & 0xFFFFFFFF, b_high = b >> 32;
        const std::uint64_t low = a_low * b_low;
        const std::uint64_t middle = a_high * b_low + (low >> 32);
        const std::uint64_t other = a_low * b_high + (middle & 0xFFFFFFFF);
        add_parts(a_high * b_high + (middle >> 32) + (other >> 32), a * b);
    }

    void add(const WideSum& other) noexcept { add_parts(other.high_, other.low_); }

    // Digits of 32 bits, the lowest first; and a sum of such digits, each of up to 64 bits.
    std::array<std::uint64_t, 4> digits() const noexcept {
        return {low_ & 0xFFFFFFFF, low_ >> 32, high_ & 0xFFFFFFFF, high_ >> 32};
    }
    static WideSum of_digits(const std::array<std::uint64_t, 4>& digits) noexcept {
        WideSum sum;
        for (std::size_t i = 4; i-- > 0;) {
            sum.high_ = sum.high_ << 32 | sum.low_ >> 32;
            sum.low_ <<= 32;
            sum.add(digits[i]);
        }
        return sum;
    }

    // The sum as the nearest number but for two roundings.
    double to_double() const noexcept {
        return std::ldexp(static_cast<double>(high_), 64) + static_cast<double>(low_);
    }

  private:
    void add_parts(std::uint64_t high, std::uint64_t low) noexcept {
        low_ += low;
        high_ += high + (low_ < low);
    }

    std::uint64_t high_ = 0, low_ = 0;
};

// How numbers from 0 to `largest` become whole numbers of at most 2^52, and sums of them numbers.
class FixedScale {
  public:
    explicit FixedScale(double largest) noexcept {
        std::frexp(largest, &exponent_);
        if (exponent_ < least_exponent) exponent_ = least_exponent;  // 2^(52 − e) must be finite
        factor_ = std::ldexp(1.0, 52 - exponent_);
    }

    std::uint64_t whole(double value) const noexcept {
        return static_cast<std::uint64_t>(value * factor_ + 0.5);
    }

    double number(const WideSum& sum) const noexcept {
        return std::ldexp(sum.to_double(), exponent_ - 52);
    }

  private:
    static constexpr int least_exponent = -900;

    int exponent_ = 0;
    double factor_ = 1;
};

}  // namespace branchline::boosting

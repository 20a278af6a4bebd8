#include "boosting/linear_step.hpp"

#include <bit>
#include <limits>

namespace branchline {

namespace {

constexpr std::size_t most = LinearRule::most_terms;
constexpr double least_spread = 1e-12;  // of a column in a leaf, by the square of its whole range
constexpr double least_pivot = 1e-9;    // of a column beside those before it

// Whole numbers whose sum over all units stays below 2^62.
class FixedPoint {
  public:
    FixedPoint(double largest, std::int64_t units) {
        if (!(largest > 0)) return;
        int value_bits = 0;
        std::frexp(largest, &value_bits);
        const auto unit_bits = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(units)));
        factor_ = std::ldexp(1.0, std::min(62 - value_bits - unit_bits, 1000));
    }
    std::int64_t whole(double value) const noexcept {
        return static_cast<std::int64_t>(value * factor_);
    }
    double number(std::int64_t sum) const noexcept { return static_cast<double>(sum) / factor_; }

  private:
    double factor_ = 1;
};

struct RowOfLeaf {
    double g, h;
    std::int64_t units;
};

class Step {
  public:
    Step(const LeafProblem& leaf, const LinearRule& rule) : leaf_(leaf), rule_(rule) {}

    LeafStep make() {
        const double n_rows = static_cast<double>(units()) * rule_.unit;
        find_columns(n_rows);
        while (out_.n > 0 && n_rows <= static_cast<double>(out_.n) + 1) --out_.n;
        if (out_.n == 0) return out_;
        add_products();
        if (!solve()) out_.n = 0;
        shrink(n_rows);
        return out_;
    }

  private:
    RowOfLeaf row(RowIndex number) const noexcept {
        const BoostingTarget& target = leaf_.target;
        return {target.gradients[number], target.hessians.empty() ? 1.0 : target.hessians[number],
                target.units.empty() ? 1 : target.units[number]};
    }
    std::int64_t units() const noexcept {
        std::int64_t sum = 0;
        for (const RowIndex number : leaf_.rows) sum += row(number).units;
        return sum;
    }

    // Centers and ranges of the columns on the path; those without spread are left out.
    void find_columns(double n_rows) {
        if (!(leaf_.sum_hessian > 0) || n_rows <= 2) return;
        const FixedPoint scale(leaf_.extent.h, leaf_.extent.units);
        for (const std::uint32_t place : leaf_.path) {
            std::int64_t sum = 0, hessian = 0;
            float low = std::numeric_limits<float>::infinity(), high = -low;
            for (const RowIndex number : leaf_.rows) {
                const float z = leaf_.columns.at(place, number);
                if (std::isnan(z)) continue;
                const RowOfLeaf r = row(number);
                sum += scale.whole(r.h * z) * r.units;
                hessian += scale.whole(r.h) * r.units;
                low = std::min(low, z);
                high = std::max(high, z);
            }
            if (!(low < high) || hessian <= 0) continue;
            const double mean = static_cast<double>(sum) / static_cast<double>(hessian);
            const std::size_t j = out_.n++;
            out_.place[j] = place;
            out_.center[j] = std::clamp(static_cast<float>(mean), low, high);
            out_.low[j] = low;
            out_.high[j] = high;
        }
    }

    // C, b and the noise, as sums of whole numbers.
    void add_products() {
        const std::size_t k = out_.n;
        const RowExtent& extent = leaf_.extent;
        mean_ = leaf_.sum_gradient / leaf_.sum_hessian;
        const double residual = extent.g + std::abs(mean_) * extent.h;
        const FixedPoint of_products(4 * extent.h, extent.units), of_g(2 * extent.g, extent.units),
            of_noise(residual * residual, extent.units);
        std::array<std::int64_t, most*(most + 1) / 2> products{};
        std::array<std::int64_t, most> sums{};
        std::array<double, most> d{};
        std::int64_t noise = 0;
        for (const RowIndex number : leaf_.rows) {
            const RowOfLeaf r = row(number);
            for (std::size_t j = 0; j < k; ++j) {
                const double away = static_cast<double>(leaf_.columns.at(out_.place[j], number)) -
                                    static_cast<double>(out_.center[j]);
                d[j] = std::isnan(away) ? 0 : away;
            }
            for (std::size_t j = 0, at = 0; j < k; ++j) {
                const double scaled = r.h * d[j];
                for (std::size_t i = 0; i <= j; ++i, ++at) {
                    products[at] += of_products.whole(scaled * d[i]) * r.units;
                }
                sums[j] += of_g.whole(r.g * d[j]) * r.units;
            }
            const double rest = r.g - mean_ * r.h;
            noise += of_noise.whole(rest * rest) * r.units;
        }
        for (std::size_t j = 0, at = 0; j < k; ++j) {
            b_[j] = of_g.number(sums[j]) * rule_.unit;
            for (std::size_t i = 0; i <= j; ++i, ++at) {
                a_[j * most + i] = of_products.number(products[at]) * rule_.unit;
            }
        }
        noise_ = of_noise.number(noise) * rule_.unit;
    }

    // Writes s by Cholesky's decomposition; a column that those before it determine has slope 0.
    // False: no column has any spread.
    bool solve() {
        const std::size_t k = out_.n;
        const double hessian = leaf_.sum_hessian * rule_.unit, ridge = rule_.l2 / hessian;
        bool any = false;
        for (std::size_t j = 0; j < k; ++j) {
            const double spread = a_[j * most + j];
            for (std::size_t i = 0; i < j; ++i) {
                double sum = a_[j * most + i];
                for (std::size_t m = 0; m < i; ++m) sum -= a_[j * most + m] * a_[i * most + m];
                a_[j * most + i] = is_used_[i] ? sum / a_[i * most + i] : 0;
            }
            double pivot = spread * (1 + ridge);
            for (std::size_t m = 0; m < j; ++m) pivot -= a_[j * most + m] * a_[j * most + m];
            is_used_[j] = spread > least_spread * hessian && pivot > least_pivot * spread;
            a_[j * most + j] = is_used_[j] ? std::sqrt(pivot) : 0;
            any = any || is_used_[j];
        }
        if (any) substitute();
        return any;
    }

    void substitute() {
        const std::size_t k = out_.n;
        std::array<double, most> y{};
        for (std::size_t j = 0; j < k; ++j) {
            double sum = -b_[j];
            for (std::size_t m = 0; m < j; ++m) sum -= a_[j * most + m] * y[m];
            y[j] = is_used_[j] ? sum / a_[j * most + j] : 0;
        }
        for (std::size_t j = k; j-- > 0;) {
            double sum = y[j];
            for (std::size_t m = j + 1; m < k; ++m) sum -= a_[m * most + j] * out_.slope[m];
            out_.slope[j] = is_used_[j] ? sum / a_[j * most + j] : 0;
        }
    }

    void shrink(double n_rows) {
        double gained = 0, k = 0;
        for (std::size_t j = 0; j < out_.n; ++j) {
            gained -= b_[j] * out_.slope[j];
            k += is_used_[j] ? 1 : 0;
        }
        const double hessian = leaf_.sum_hessian * rule_.unit;
        const double rest = std::max(0.0, noise_ * n_rows / hessian - gained) / (n_rows - 1 - k);
        const double share = gained > 0 ? std::max(0.0, 1 - k * rest / gained) : 0;
        for (std::size_t j = 0; j < out_.n; ++j) out_.slope[j] *= share;
    }

    const LeafProblem& leaf_;
    const LinearRule& rule_;
    LeafStep out_{};
    double mean_ = 0, noise_ = 0;
    std::array<double, most * most> a_{};
    std::array<double, most> b_{};
    std::array<bool, most> is_used_{};
};

}  // namespace

LeafStep linear_step(const LeafProblem& leaf, const LinearRule& rule) {
    return Step(leaf, rule).make();
}

}  // namespace branchline

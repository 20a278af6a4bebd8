#include <algorithm>
#include <limits>

#include "branchline/svm_resampling.hpp"

namespace branchline {

double svm_bias(std::span<const double> gradient, std::span<const double> beta,
                std::span<const double> lower, std::span<const double> upper) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    double sum = 0, least = infinity, largest = -infinity;
    std::size_t n_free = 0;
    for (std::size_t i = 0; i < beta.size(); ++i) {
        const bool may_rise = beta[i]<upper[i], may_fall = beta[i]> lower[i];
        if (may_rise && may_fall) {
            sum += gradient[i];
            ++n_free;
        } else if (may_rise) {
            least = std::min(least, gradient[i]);
        } else if (may_fall) {
            largest = std::max(largest, gradient[i]);
        }
    }
    if (n_free > 0) return -sum / static_cast<double>(n_free);
    if (least == infinity) return largest == -infinity ? 0.0 : -largest;
    return largest == -infinity ? -least : -(least + largest) / 2;
}

}  // namespace branchline

#include <algorithm>
#include <cmath>

#include "branchline/network_scores.hpp"

namespace branchline {

namespace {

// n log-likelihood of the child given configurations, from counts by configuration and level.
double log_likelihood(std::span<const std::int64_t> counts, std::size_t r) {
    const auto xlogx = [](std::int64_t u) {
        return u > 1 ? static_cast<double>(u) * std::log(static_cast<double>(u)) : 0.0;
    };
    double sum = 0.0;
    for (std::size_t begin = 0; begin < counts.size(); begin += r) {
        std::int64_t all = 0;
        for (std::size_t k = begin; k < begin + r; ++k) {
            sum += xlogx(counts[k]);
            all += counts[k];
        }
        sum -= xlogx(all);
    }
    return sum;
}

}  // namespace

PairGains pair_gains(const NetworkRows& rows, std::int64_t given) {
    const std::size_t n = rows.n_columns();
    PairGains found{std::vector<double>(n * n, 0.0), std::vector<double>(n * n, 0.0)};
    const std::size_t more = given < 0 ? 1 : rows.n_levels[static_cast<std::size_t>(given)];
    std::vector<std::int64_t> joint, alone;
    for (std::size_t child = 0; child < n; ++child) {
        for (std::size_t parent = 0; parent < child; ++parent) {
            const std::size_t r = rows.n_levels[child], q = rows.n_levels[parent];
            joint.assign(more * q * r, 0);
            alone.assign(more * r, 0);
            const auto xs = rows.column(child), ys = rows.column(parent);
            const auto zs = given < 0 ? xs : rows.column(static_cast<std::size_t>(given));
            std::int64_t known = 0;
            for (std::size_t row = 0; row < xs.size(); ++row) {
                if (xs[row] == missing_level || ys[row] == missing_level ||
                    zs[row] == missing_level)
                    continue;
                const std::size_t z = given < 0 ? 0 : zs[row];
                joint[(z * q + ys[row]) * r + xs[row]] += rows.units[row];
                alone[z * r + xs[row]] += rows.units[row];
                known += rows.units[row];
            }
            const double gain = rows.unit * (log_likelihood(joint, r) - log_likelihood(alone, r));
            found.gain[child * n + parent] = found.gain[parent * n + child] = std::max(0.0, gain);
            found.weight[child * n + parent] = found.weight[parent * n + child] =
                rows.unit * static_cast<double>(known);
        }
    }
    return found;
}

}  // namespace branchline

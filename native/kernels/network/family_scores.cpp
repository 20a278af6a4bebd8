#include <algorithm>
#include <cmath>
#include <numeric>

#include "branchline/network_scores.hpp"
#include "tree/chi_square.hpp"

namespace branchline {

namespace {

constexpr std::int64_t table_size = 1 << 16;  // 512 KiB of u log u

}  // namespace

FamilyScorer::FamilyScorer(const NetworkRows& rows, const NetworkScore& rule)
    : rows_(rows), rule_(rule) {
    const std::int64_t total =
        std::accumulate(rows.units.begin(), rows.units.end(), std::int64_t{0});
    half_log_rows_ = 0.5 * std::log(std::max(1.0, static_cast<double>(total) * rows.unit));
    if (total < table_size) {
        table_.resize(static_cast<std::size_t>(total) + 1, 0.0);
        for (std::size_t u = 2; u < table_.size(); ++u) {
            table_[u] = static_cast<double>(u) * std::log(static_cast<double>(u));
        }
    }
}

double FamilyScorer::xlogx(std::int64_t units) const {
    if (!table_.empty()) return table_[static_cast<std::size_t>(units)];
    return units > 1 ? static_cast<double>(units) * std::log(static_cast<double>(units)) : 0.0;
}

Configurations FamilyScorer::no_parents() const {
    return {std::vector<std::uint32_t>(rows_.n_rows(), 0), 1, 1.0};
}

Configurations FamilyScorer::with(const Configurations& before, std::size_t parent) {
    const std::span<const std::uint16_t> levels = rows_.column(parent);
    const std::size_t r = rows_.n_levels[parent];
    Configurations made{std::vector<std::uint32_t>(rows_.n_rows()), 0,
                        before.n_possible * static_cast<double>(r)};
    std::vector<std::uint32_t> number(before.n_seen * r, 0);
    for (std::size_t row = 0; row < levels.size(); ++row) {
        number[before.of_row[row] * r + levels[row]] = 1;
    }
    std::uint32_t next = 0;  // in the order of levels, so that sums do not depend on that of rows
    for (std::uint32_t& each : number) {
        if (each) each = next++;
    }
    for (std::size_t row = 0; row < levels.size(); ++row) {
        made.of_row[row] = number[before.of_row[row] * r + levels[row]];
    }
    made.n_seen = std::max<std::size_t>(1, next);
    return made;
}

Configurations FamilyScorer::of(std::span<const std::uint32_t> parents) {
    Configurations made = no_parents();
    for (const std::uint32_t parent : parents) made = with(made, parent);
    return made;
}

double FamilyScorer::bound(std::size_t child, double n_possible) const {
    if (rule_.is_bdeu) return 0.0;
    return -half_log_rows_ * n_possible * (rows_.n_levels[child] - 1.0);
}

double FamilyScorer::score(std::size_t child, const Configurations& parents) {
    const std::size_t r = rows_.n_levels[child];
    const std::span<const std::uint16_t> levels = rows_.column(child);
    if (parents.n_seen * r > 4 * rows_.n_rows() + 4096) {
        return sparse(child, parents, {}, parents.n_possible);
    }
    counts_.assign(parents.n_seen * r, 0);
    for (std::size_t row = 0; row < levels.size(); ++row) {
        counts_[parents.of_row[row] * r + levels[row]] += rows_.units[row];
    }
    return total(counts_, r, parents.n_possible);
}

double FamilyScorer::score_with(std::size_t child, const Configurations& parents,
                                std::size_t parent) {
    const std::size_t r = rows_.n_levels[child], more = rows_.n_levels[parent];
    const std::span<const std::uint16_t> levels = rows_.column(child),
                                         others = rows_.column(parent);
    const double n_possible = parents.n_possible * static_cast<double>(more);
    if (parents.n_seen * r * more > 4 * rows_.n_rows() + 4096) {
        return sparse(child, parents, others, n_possible);
    }
    counts_.assign(parents.n_seen * more * r, 0);
    for (std::size_t row = 0; row < levels.size(); ++row) {
        counts_[(parents.of_row[row] * more + others[row]) * r + levels[row]] += rows_.units[row];
    }
    return total(counts_, r, n_possible);
}

// Cells that are too many to count in place: keys of rows are sorted.
double FamilyScorer::sparse(std::size_t child, const Configurations& parents,
                            std::span<const std::uint16_t> more, double n_possible) {
    const std::size_t r = rows_.n_levels[child];
    const std::span<const std::uint16_t> levels = rows_.column(child);
    std::vector<std::pair<std::uint64_t, std::int64_t>> cells(levels.size());
    for (std::size_t row = 0; row < levels.size(); ++row) {
        const std::uint64_t other = more.empty() ? 0 : more[row];
        const std::uint64_t key =
            (std::uint64_t{parents.of_row[row]} << 16 | other) << 16 | levels[row];
        cells[row] = {key, rows_.units[row]};
    }
    std::sort(cells.begin(), cells.end());
    counts_.clear();
    for (std::size_t at = 0; at < cells.size();) {
        const std::uint64_t configuration = cells[at].first >> 16;
        counts_.resize(counts_.size() + r, 0);
        std::int64_t* const cell = counts_.data() + counts_.size() - r;
        for (; at < cells.size() && cells[at].first >> 16 == configuration; ++at) {
            cell[cells[at].first & 0xFFFF] += cells[at].second;
        }
    }
    return total(counts_, r, n_possible);
}

double FamilyScorer::total(std::span<const std::int64_t> counts, std::size_t r,
                           double n_possible) const {
    double sum = 0.0;
    if (!rule_.is_bdeu) {
        for (std::size_t begin = 0; begin < counts.size(); begin += r) {
            std::int64_t all = 0;
            for (std::size_t k = begin; k < begin + r; ++k) {
                sum += xlogx(counts[k]);
                all += counts[k];
            }
            sum -= xlogx(all);
        }
        return rows_.unit * sum - half_log_rows_ * n_possible * static_cast<double>(r - 1);
    }
    const double a = rule_.sample_size / n_possible, b = a / static_cast<double>(r);
    const double start_a = tree::log_gamma(a), start_b = tree::log_gamma(b);
    for (std::size_t begin = 0; begin < counts.size(); begin += r) {
        std::int64_t all = 0;
        for (std::size_t k = begin; k < begin + r; ++k) {
            if (counts[k])
                sum += tree::log_gamma(b + rows_.unit * static_cast<double>(counts[k])) - start_b;
            all += counts[k];
        }
        if (all) sum += start_a - tree::log_gamma(a + rows_.unit * static_cast<double>(all));
    }
    return sum;
}

}  // namespace branchline

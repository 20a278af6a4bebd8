#include "cluster/kmeans_run.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace branchline::cluster {

namespace {

constexpr std::int32_t nowhere = -1;
// Bounds must differ by more than rounding can: then the nearest center in double is the same.
constexpr double clearly = 1 + 1e-6;
// A weight that is left after rows were taken off again is rounding.
constexpr double nothing_left = 1e-9;

double square_apart(const double* one, const double* other, std::size_t n) noexcept {
    double sum = 0;
    for (std::size_t at = 0; at < n; ++at) {
        const double apart = one[at] - other[at];
        sum += apart * apart;
    }
    return sum;
}

}  // namespace

KMeansRun::KMeansRun(const RowPanels& rows, const RowBlocks& blocks, std::size_t n_clusters)
    : rows_(rows), blocks_(blocks), k_(n_clusters), d_(rows.n_columns()),
      n_weights_(rows.some_missing() ? d_ : 1), centers_(k_ * d_), last_centers_(k_ * d_),
      sums_(k_ * d_), weights_(k_ * n_weights_), n_members_(k_), labels_(rows.n_rows(), nowhere),
      upper_(rows.n_rows()), lower_(rows.n_rows()), drift_(k_), half_(k_),
      changes_(blocks.n_blocks), screened_(k_, d_) {}

void KMeansRun::start_at(const std::vector<std::uint32_t>& chosen) {
    for (std::size_t cluster = 0; cluster < k_; ++cluster) {
        const double* const row = rows_.values(chosen[cluster]);
        for (std::size_t at = 0; at < d_; ++at) {
            // Columns are centered: 0 is the mean of the cells that are known.
            centers_[cluster * d_ + at] = std::isnan(row[at]) ? 0.0 : row[at];
        }
    }
    measure_centers();
}

void KMeansRun::start_at(std::span<const double> centers) {
    std::copy(centers.begin(), centers.end(), centers_.begin());
    measure_centers();
}

void KMeansRun::start_from(const std::vector<std::int32_t>& labels) {
    labels_ = labels;
    for (std::size_t block = 0; block < blocks_.n_blocks; ++block) sum_block(block);
    add_changes();
    means_of_sums();
    fill_empty_clusters();
    // Nothing is known of distances yet: each row is looked at.
    std::fill(upper_.begin(), upper_.end(), std::numeric_limits<double>::infinity());
    measure_centers();
}

// -- rows -----------------------------------------------------------------------------------------

void KMeansRun::add(Change& change, std::size_t row, std::size_t cluster, double sign) const {
    const double weight = sign * rows_.weight(row);
    const double* const from = rows_.values(row);
    double* const sums = change.sums.data() + cluster * d_;
    change.n_rows[cluster] += sign > 0 ? 1 : -1;
    if (!rows_.some_missing()) {
        for (std::size_t at = 0; at < d_; ++at) sums[at] += weight * from[at];
        change.weights[cluster] += weight;
        return;
    }
    double* const weights = change.weights.data() + cluster * d_;
    for (std::size_t at = 0; at < d_; ++at) {
        if (std::isnan(from[at])) continue;
        sums[at] += weight * from[at];
        weights[at] += weight;
    }
}

void KMeansRun::clear(Change& change) const {
    change.sums.assign(k_ * d_, 0.0);
    change.weights.assign(k_ * n_weights_, 0.0);
    change.n_rows.assign(k_, 0);
}

void KMeansRun::move(Change& change, std::size_t row, const Nearest& nearest) {
    upper_[row] = nearest.upper;
    lower_[row] = nearest.lower;
    if (labels_[row] == nearest.center) return;
    if (change.n_moved++ == 0) clear(change);
    if (labels_[row] != nowhere) add(change, row, static_cast<std::size_t>(labels_[row]), -1);
    add(change, row, static_cast<std::size_t>(nearest.center), 1);
    labels_[row] = nearest.center;
}

// Whether the bounds prove that a row stays where it is.
bool KMeansRun::is_settled(std::size_t row) {
    if (labels_[row] == nowhere) return false;
    const auto cluster = static_cast<std::size_t>(labels_[row]);
    upper_[row] += drift_[cluster];
    lower_[row] -= cluster == farthest_mover_ ? second_drift_ : largest_drift_;
    // Distances between centers are longer than over the known cells of a row with missing ones.
    const double far = rows_.is_whole(row) ? std::max(lower_[row], half_[cluster]) : lower_[row];
    if (upper_[row] * clearly < far) return true;
    upper_[row] = std::sqrt(rows_.distance(row, screened_.center(cluster))) * (1 + 1e-12);
    return upper_[row] * clearly < far;
}

void KMeansRun::look_at(std::size_t block) {
    Change& change = changes_[block];
    change.n_moved = 0;
    Panel panel(d_);
    std::uint32_t which[panel_rows];
    Nearest nearest[panel_rows];
    std::size_t n = 0;
    const auto compare = [&] {
        rows_.gather(which, n, panel);
        screened_.compare(rows_, which, n, panel, nearest);
        for (std::size_t at = 0; at < n; ++at) move(change, which[at], nearest[at]);
        n = 0;
    };
    for (std::size_t row = blocks_.begin(block); row < blocks_.end(block); ++row) {
        if (is_settled(row)) continue;
        which[n++] = static_cast<std::uint32_t>(row);
        if (n == panel_rows) compare();
    }
    if (n > 0) compare();
}

// -- centers --------------------------------------------------------------------------------------

bool KMeansRun::update(double tolerance) {
    ++n_iterations_;
    std::size_t n_moved = 0;
    for (const Change& change : changes_) n_moved += change.n_moved;
    if (n_moved == 0) {
        has_converged_ = true;
        return true;
    }
    add_changes();
    std::swap(centers_, last_centers_);
    centers_ = last_centers_;
    means_of_sums();
    fill_empty_clusters();
    measure_centers();
    double shift = 0;
    for (const double drift : drift_) shift += drift * drift;
    has_converged_ = shift <= tolerance;
    return has_converged_;
}

void KMeansRun::add_changes() {
    for (const Change& change : changes_) {
        if (change.n_moved == 0) continue;
        for (std::size_t at = 0; at < sums_.size(); ++at) sums_[at] += change.sums[at];
        for (std::size_t at = 0; at < weights_.size(); ++at) weights_[at] += change.weights[at];
        for (std::size_t at = 0; at < k_; ++at) n_members_[at] += change.n_rows[at];
    }
}

void KMeansRun::means_of_sums() {
    for (std::size_t cluster = 0; cluster < k_; ++cluster) {
        if (n_members_[cluster] == 0) continue;
        const double* const weights = &weights_[cluster * n_weights_];
        const double most = *std::max_element(weights, weights + n_weights_);
        for (std::size_t at = 0; at < d_; ++at) {
            const double weight = weights[n_weights_ == 1 ? 0 : at];
            // A column that none of the rows knows keeps its place.
            if (weight <= nothing_left * most) continue;
            centers_[cluster * d_ + at] = sums_[cluster * d_ + at] / weight;
        }
    }
}

// An empty cluster gets the row that is farthest from its center; rows alone in a cluster stay.
void KMeansRun::fill_empty_clusters() {
    for (std::size_t empty = 0; empty < k_; ++empty) {
        if (n_members_[empty] != 0) continue;
        double most = 0;
        std::size_t farthest = rows_.n_rows();
        for (std::size_t row = 0; row < rows_.n_rows(); ++row) {
            const auto cluster = static_cast<std::size_t>(labels_[row]);
            if (n_members_[cluster] < 2) continue;
            const double distance = rows_.distance(row, &centers_[cluster * d_]);
            if (distance > most) {
                most = distance;
                farthest = row;
            }
        }
        if (farthest == rows_.n_rows()) return;  // all rows are at their centers
        Change change;
        clear(change);
        add(change, farthest, static_cast<std::size_t>(labels_[farthest]), -1);
        add(change, farthest, empty, 1);
        change.n_moved = 1;
        changes_.assign(changes_.size(), Change{});
        changes_.front() = std::move(change);
        add_changes();
        labels_[farthest] = static_cast<std::int32_t>(empty);
        upper_[farthest] = std::numeric_limits<double>::infinity();
        means_of_sums();
    }
}

// How far centers moved, and half the distance of each to the nearest other one.
void KMeansRun::measure_centers() {
    screened_.set(centers_.data());
    largest_drift_ = second_drift_ = 0;
    farthest_mover_ = k_;
    for (std::size_t cluster = 0; cluster < k_; ++cluster) {
        const double* const center = &centers_[cluster * d_];
        drift_[cluster] =
            std::sqrt(square_apart(center, &last_centers_[cluster * d_], d_)) * (1 + 1e-12);
        if (drift_[cluster] > largest_drift_) {
            second_drift_ = largest_drift_;
            largest_drift_ = drift_[cluster];
            farthest_mover_ = cluster;
        } else {
            second_drift_ = std::max(second_drift_, drift_[cluster]);
        }
        half_[cluster] = std::numeric_limits<double>::infinity();
    }
    for (std::size_t one = 0; one < k_; ++one) {
        for (std::size_t other = 0; other < one; ++other) {
            const double square = square_apart(&centers_[one * d_], &centers_[other * d_], d_);
            half_[one] = std::min(half_[one], square);
            half_[other] = std::min(half_[other], square);
        }
    }
    for (double& half : half_) half = std::sqrt(half) / 2;
}

// -- the end --------------------------------------------------------------------------------------

void KMeansRun::sum_block(std::size_t block) {
    Change& change = changes_[block];
    clear(change);
    change.n_moved = 1;
    for (std::size_t row = blocks_.begin(block); row < blocks_.end(block); ++row) {
        add(change, row, static_cast<std::size_t>(labels_[row]), 1);
    }
}

void KMeansRun::take_means() {
    std::fill(sums_.begin(), sums_.end(), 0.0);
    std::fill(weights_.begin(), weights_.end(), 0.0);
    std::fill(n_members_.begin(), n_members_.end(), 0);
    add_changes();
    means_of_sums();
    screened_.set(centers_.data());
}

void KMeansRun::place_block(std::size_t block) {
    Panel panel(d_);
    std::uint32_t which[panel_rows];
    Nearest nearest[panel_rows];
    double sum = 0;
    for (std::size_t first = blocks_.begin(block); first < blocks_.end(block);
         first += panel_rows) {
        const std::size_t n = std::min(panel_rows, blocks_.end(block) - first);
        for (std::size_t at = 0; at < n; ++at) which[at] = static_cast<std::uint32_t>(first + at);
        rows_.gather(which, n, panel);
        screened_.compare(rows_, which, n, panel, nearest);
        for (std::size_t at = 0; at < n; ++at) {
            const auto center = static_cast<std::size_t>(nearest[at].center);
            labels_[first + at] = nearest[at].center;
            sum += rows_.weight(first + at) * rows_.distance(first + at, screened_.center(center));
        }
    }
    changes_[block].inertia = sum;
}

double KMeansRun::inertia() const noexcept {
    double sum = 0;
    for (const Change& change : changes_) sum += change.inertia;
    return sum;
}

}  // namespace branchline::cluster

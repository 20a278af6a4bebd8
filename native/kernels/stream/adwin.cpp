#include <algorithm>
#include <cmath>

#include "branchline/drift.hpp"
#include "stream/state_io.hpp"

namespace branchline {

namespace {

double size_of(std::size_t row) { return std::ldexp(1.0, static_cast<int>(row)); }

// Σ (x − mean)² of two groups of numbers together.
double joined_squares(double squares0, double sum0, double n0, double squares1, double sum1,
                      double n1) {
    const double apart = sum0 / n0 - sum1 / n1;
    return squares0 + squares1 + apart * apart * n0 * n1 / (n0 + n1);
}

}  // namespace

bool Adwin::update(double value) {
    if (rows_.empty()) rows_.emplace_back();
    Row& newest = rows_.front();
    newest.buckets[newest.n++] = {value, 0};
    if (width_ > 0) {
        squares_ = joined_squares(squares_, total_, width_, 0, value, 1);
    }
    total_ += value;
    width_ += 1;
    if (newest.n > max_buckets) compress();
    ++n_seen_;
    return n_seen_ % clock == 0 && width_ > shortest_window && shrink();
}

void Adwin::compress() {
    for (std::size_t at = 0; at < rows_.size() && rows_[at].n > max_buckets; ++at) {
        if (at + 1 == rows_.size()) rows_.emplace_back();
        Row& row = rows_[at];
        Row& next = rows_[at + 1];
        const Bucket first = row.buckets[0], second = row.buckets[1];
        const double n = size_of(at);
        next.buckets[next.n++] = {
            first.sum + second.sum,
            joined_squares(first.squares, first.sum, n, second.squares, second.sum, n)};
        std::copy(row.buckets.begin() + 2, row.buckets.end(), row.buckets.begin());
        row.n -= 2;
    }
}

void Adwin::drop_oldest() {
    Row& oldest = rows_.back();
    const double n = size_of(rows_.size() - 1);
    const Bucket gone = oldest.buckets[0];
    std::copy(oldest.buckets.begin() + 1, oldest.buckets.end(), oldest.buckets.begin());
    --oldest.n;
    width_ -= n;
    total_ -= gone.sum;
    const double apart = gone.sum / n - total_ / width_;
    squares_ = std::max(0.0, squares_ - gone.squares - apart * apart * n * width_ / (n + width_));
    while (rows_.size() > 1 && rows_.back().n == 0) rows_.pop_back();
}

// Drops the oldest bucket when some cut of the window is significant.
bool Adwin::cut_once(double log_term) {
    const double variance = squares_ / width_;
    double n0 = 0, sum0 = 0;
    for (std::size_t row = rows_.size(); row-- > 0;) {
        for (std::size_t b = 0; b < rows_[row].n; ++b) {
            n0 += size_of(row);
            sum0 += rows_[row].buckets[b].sum;
            const double n1 = width_ - n0;
            if (n1 < shortest) return false;
            if (n0 < shortest) continue;
            const double inverse = 1 / n0 + 1 / n1;
            const double limit =
                std::sqrt(2 * inverse * variance * log_term) + 2.0 / 3.0 * inverse * log_term;
            if (std::abs(sum0 / n0 - (total_ - sum0) / n1) <= limit) continue;
            mean_before_ = sum0 / n0;
            drop_oldest();
            return true;
        }
    }
    return false;
}

bool Adwin::shrink() {
    bool was_cut = false;
    double before = 0;
    while (width_ > shortest_window && cut_once(std::log(2 * std::log(width_) / delta_))) {
        if (!was_cut) before = mean_before_;
        was_cut = true;
    }
    if (was_cut) {
        mean_before_ = before;
        ++n_changes_;
    }
    return was_cut;
}

std::size_t Adwin::n_bytes() const { return sizeof(*this) + rows_.size() * sizeof(Row); }

void Adwin::write(StateWriter& out) const {
    out.whole(n_seen_);
    out.whole(n_changes_);
    out.real(mean_before_);
    out.whole(static_cast<std::int64_t>(rows_.size()));
    for (const Row& row : rows_) {
        out.whole(static_cast<std::int64_t>(row.n));
        for (std::size_t b = 0; b < row.n; ++b) {
            out.real(row.buckets[b].sum);
            out.real(row.buckets[b].squares);
        }
    }
    out.real(total_);
    out.real(squares_);
}

void Adwin::read(StateReader& in) {
    n_seen_ = in.whole(0, std::int64_t{1} << 62);
    n_changes_ = in.whole(0, n_seen_);
    mean_before_ = in.real();
    rows_.assign(static_cast<std::size_t>(in.whole(0, 64)), {});
    width_ = 0;
    for (std::size_t at = 0; at < rows_.size(); ++at) {
        rows_[at].n = static_cast<std::size_t>(in.whole(0, max_buckets));
        for (std::size_t b = 0; b < rows_[at].n; ++b) {
            rows_[at].buckets[b] = {in.real(), in.real(0)};
        }
        width_ += size_of(at) * static_cast<double>(rows_[at].n);
    }
    StateReader::require(rows_.size() < 2 || rows_.back().n > 0, "a row of buckets is empty");
    total_ = in.real();
    squares_ = in.real(0);
}

}  // namespace branchline

#include "branchline/medoids.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace branchline {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
// A gain below this share of the loss is rounding.
constexpr double rounding = 1e-13;

class Search {
  public:
    Search(std::span<const double> distances, std::span<const double> weights)
        : d_(distances), w_(weights), n_(weights.size()), is_medoid_(n_, 0), near_(n_, 0),
          d1_(n_, infinity), d2_(n_, infinity) {}

    void build(std::size_t k, StopSignal& stop) {
        while (rows_.size() < k) {
            std::size_t best = n_;
            double most = infinity;
            for (std::size_t c = 0; c < n_; ++c) {
                if (is_medoid_[c]) continue;
                stop.check();
                const double loss = loss_with(c);
                if (best == n_ || loss < most) {
                    best = c;
                    most = loss;
                }
            }
            add(best);
        }
    }

    void begin(std::span<const std::uint32_t> start) {
        for (const std::uint32_t row : start) add(row);
    }

    Medoids run(StopSignal& stop) {
        prepare();
        std::size_t since = 0;
        for (std::size_t c = 0; since < n_; c = c + 1 < n_ ? c + 1 : 0, ++since) {
            if (is_medoid_[c]) continue;
            stop.check();
            if (try_swap(c)) since = 0;
        }
        std::vector<std::uint32_t> rows(rows_);
        return {std::move(rows), loss_, n_swaps_};
    }

  private:
    const double* row(std::size_t c) const { return d_.data() + c * n_; }

    double loss_with(std::size_t c) const {
        const double* d = row(c);
        double loss = 0;
        for (std::size_t o = 0; o < n_; ++o) loss += w_[o] * std::min(d[o], d1_[o]);
        return loss;
    }

    void add(std::size_t c) {
        const double* d = row(c);
        for (std::size_t o = 0; o < n_; ++o) d1_[o] = std::min(d1_[o], d[o]);
        is_medoid_[c] = 1;
        rows_.push_back(static_cast<std::uint32_t>(c));
    }

    void place(std::size_t o) {
        d1_[o] = d2_[o] = infinity;
        for (std::size_t m = 0; m < rows_.size(); ++m) {
            const double d = d_[rows_[m] * n_ + o];
            if (d < d1_[o]) {
                d2_[o] = d1_[o];
                d1_[o] = d;
                near_[o] = static_cast<std::uint32_t>(m);
            } else if (d < d2_[o]) {
                d2_[o] = d;
            }
        }
    }

    void prepare() {
        for (std::size_t o = 0; o < n_; ++o) place(o);
        change_.resize(rows_.size());
        count();
    }

    // What removing each medoid costs, and the loss.
    void count() {
        removal_.assign(rows_.size(), 0.0);
        loss_ = 0;
        for (std::size_t o = 0; o < n_; ++o) {
            loss_ += w_[o] * d1_[o];
            if (rows_.size() > 1) removal_[near_[o]] += w_[o] * (d2_[o] - d1_[o]);
        }
    }

    bool try_swap(std::size_t c) {
        const double* d = row(c);
        std::copy(removal_.begin(), removal_.end(), change_.begin());
        double shared = 0;
        const bool one = rows_.size() == 1;
        for (std::size_t o = 0; o < n_; ++o) {
            const double here = d[o];
            if (one) {
                shared += w_[o] * (here - d1_[o]);
            } else if (here < d2_[o]) {
                const double w = w_[o];
                if (here < d1_[o]) {
                    shared += w * (here - d1_[o]);
                    change_[near_[o]] += w * (d1_[o] - d2_[o]);
                } else {
                    change_[near_[o]] += w * (here - d2_[o]);
                }
            }
        }
        const auto best = std::min_element(change_.begin(), change_.end());
        if (*best + shared >= -rounding * loss_) return false;
        return swap_if_better(static_cast<std::size_t>(best - change_.begin()), c);
    }

    // A swap must lower the loss itself: changes are differences of sums, and where distances
    // differ by many powers of ten their rounding can say "better" in a circle, for ever.
    bool swap_if_better(std::size_t m, std::size_t c) {
        const double before = loss_;
        const std::size_t old = rows_[m];
        swap(m, c);
        if (loss_ < before) {
            ++n_swaps_;
            return true;
        }
        swap(m, old);
        return false;
    }

    void swap(std::size_t m, std::size_t c) {
        is_medoid_[rows_[m]] = 0;
        is_medoid_[c] = 1;
        const double *old = row(rows_[m]), *made = row(c);
        rows_[m] = static_cast<std::uint32_t>(c);
        for (std::size_t o = 0; o < n_; ++o) {
            if (near_[o] == m || old[o] <= d2_[o]) {
                place(o);  // one of its two medoids may be gone
            } else if (made[o] < d1_[o]) {
                d2_[o] = d1_[o];
                d1_[o] = made[o];
                near_[o] = static_cast<std::uint32_t>(m);
            } else if (made[o] < d2_[o]) {
                d2_[o] = made[o];
            }
        }
        count();
    }

    std::span<const double> d_, w_;
    std::size_t n_;
    std::vector<char> is_medoid_;
    std::vector<std::uint32_t> rows_, near_;
    std::vector<double> d1_, d2_, removal_, change_;
    double loss_ = 0;
    std::int64_t n_swaps_ = 0;
};

}  // namespace

Medoids find_medoids(std::span<const double> distances, std::span<const double> weights,
                     std::size_t k, std::span<const std::uint32_t> start, StopSignal& stop) {
    const std::size_t n = weights.size();
    if (distances.size() != n * n || k == 0 || k > n) throw std::invalid_argument("k of n rows");
    if (!start.empty() && start.size() != k) throw std::invalid_argument("k rows to start from");
    for (const std::uint32_t one : start) {
        if (one >= n) throw std::invalid_argument("rows of the matrix to start from");
    }
    Search search(distances, weights);
    if (start.empty()) {
        search.build(k, stop);
    } else {
        search.begin(start);
    }
    return search.run(stop);
}

}  // namespace branchline

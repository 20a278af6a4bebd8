#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include "branchline/svm_pairs.hpp"
#include "branchline/thread_pool.hpp"
#include "svm/smo_kernels.hpp"

namespace branchline {

namespace svm {

namespace {

constexpr std::size_t tile = 32, rows_at_once = 16;

std::size_t n_pairs_of(std::size_t n_classes) {
    if (n_classes < 2) throw std::invalid_argument("two classes or more");
    return n_classes * (n_classes - 1) / 2;
}

std::size_t n_rows_of(const PairModel& model, std::span<const double> kernel) {
    const std::size_t n = model.n_support();
    if (model.bias.size() != n_pairs_of(model.n_classes()) || n == 0 || kernel.size() % n != 0 ||
        model.coefficients.size() != n * (model.n_classes() - 1) ||
        !std::is_sorted(model.ends.begin(), model.ends.end())) {
        throw std::invalid_argument("coefficients, a bias for each pair, and kernel values");
    }
    return kernel.size() / n;
}

// Wins and sureness of the classes of one row.
struct Votes {
    double *wins, *sure;
    // The scores of class a against n classes from b on.
    void add(std::size_t a, std::size_t b, const double* score, std::size_t n) const {
        double* const __restrict won = wins + b;
        double* const __restrict left = sure + b;
        for (std::size_t k = 0; k < n; ++k) {
            won[k] += score[k] > 0 ? 0.0 : 1.0;
            left[k] -= score[k];
        }
        double ahead = sure[a], n_won = wins[a];
        for (std::size_t k = 0; k < n; ++k) {
            ahead += score[k];
            n_won += score[k] > 0 ? 1.0 : 0.0;
        }
        sure[a] = ahead;
        wins[a] = n_won;
    }
    void end(std::size_t n_classes) const {
        for (std::size_t a = 0; a < n_classes; ++a) {
            wins[a] += sure[a] / (3 * (std::abs(sure[a]) + 1));
        }
    }
};

// The machine of the classes a < b.
std::size_t machine_of(std::size_t n_classes, std::size_t a, std::size_t b) {
    return a * (2 * n_classes - a - 1) / 2 + (b - a - 1);
}

// Walks through the scores of some rows in tiles of classes, so that sums stay in the nearest memory.
// A class meets its pairs in the order of the other class, whatever the tiles.
class PairWalk {
  public:
    PairWalk(const PairModel& model, const double* kernel)
        : model_(model), kernel_(kernel), kernels_(smo_kernels_for<double>(best_cpu_level())),
          n_(model.n_classes()) {}

    // Calls use(row, a, b, scores, n), with the scores of class a against n classes from b on, for the
    // rows from `first` to `last` − 1.
    template <class Use>
    void run(std::size_t first, std::size_t last, Use&& use) {
        for (std::size_t a = 0; a < n_; a += tile) {
            for (std::size_t b = a; b < n_; b += tile) run_tile(first, last, {a, b}, use);
        }
    }

  private:
    struct Corner {
        std::size_t a, b;
    };

    template <class Use>
    void run_tile(std::size_t first, std::size_t last, const Corner& from, Use&& use) {
        const std::size_t end_a = std::min(n_, from.a + tile), end_b = std::min(n_, from.b + tile);
        for (std::size_t row = first; row < last; ++row) {
            for (std::size_t a = from.a; a < end_a; ++a) {  // columns of the classes after a
                const std::size_t begin = std::max(from.b, a + 1);
                if (begin < end_b) add(row, a, begin - 1, end_b - begin, ahead_[a - from.a]);
            }
            for (std::size_t b = from.b; b < end_b; ++b) {  // columns of the classes before b
                const std::size_t end = std::min(end_a, b);
                if (from.a < end) add(row, b, from.a, end - from.a, behind_[b - from.b]);
            }
            for (std::size_t a = from.a; a < end_a; ++a) {
                const std::size_t begin = std::max(from.b, a + 1);
                if (begin >= end_b) continue;
                const std::size_t n = end_b - begin;
                const double* const bias = model_.bias.data() + machine_of(n_, a, begin);
                const auto& ahead = ahead_[a - from.a];
                for (std::size_t k = 0; k < n; ++k) {
                    scores_[k] = bias[k] + ahead[k] + behind_[begin + k - from.b][a - from.a];
                }
                use(row, a, begin, scores_.data(), n);
            }
        }
    }

    // out = Σ over the support vectors of a class of kernel value · coefficients in some columns.
    void add(std::size_t row, std::size_t of_class, std::size_t column, std::size_t n,
             std::array<double, tile>& out) {
        const std::size_t begin = of_class == 0 ? 0 : model_.ends[of_class - 1];
        const std::size_t end = model_.ends[of_class];
        pointers_.clear();
        for (std::size_t j = begin; j < end; ++j) {
            pointers_.push_back(model_.coefficients.data() + j * (n_ - 1) + column);
        }
        std::fill_n(out.begin(), n, 0.0);
        kernels_.add_rows(pointers_.data(), kernel_ + row * model_.n_support() + begin, end - begin,
                          out.data(), n);
    }

    const PairModel& model_;
    const double* kernel_;
    const SmoKernels<double>& kernels_;
    std::size_t n_;
    std::array<std::array<double, tile>, tile> ahead_, behind_;
    std::array<double, tile> scores_;
    std::vector<const double*> pointers_;
};

// Calls work(walk, first row, last row) for parts of the rows.
template <class Work>
void walk_rows(const PairModel& model, std::span<const double> kernel, std::size_t n_rows,
               int n_threads, StopSignal& stop, Work&& work) {
    ThreadPool pool(threads_for(n_rows, rows_at_once, n_threads), stop);
    const std::size_t n_parts = (n_rows + rows_at_once - 1) / rows_at_once;
    pool.run(n_parts, [&](std::size_t part, std::size_t) {
        PairWalk walk(model, kernel.data());
        const std::size_t first = part * rows_at_once;
        work(walk, first, std::min(n_rows, first + rows_at_once));
    });
}

}  // namespace

}  // namespace svm

std::vector<double> pair_scores(const PairModel& model, std::span<const double> kernel,
                                int n_threads, StopSignal& stop) {
    const std::size_t n_rows = svm::n_rows_of(model, kernel), n_pairs = model.bias.size();
    std::vector<double> scores(n_rows * n_pairs);
    svm::walk_rows(model, kernel, n_rows, n_threads, stop,
                   [&](svm::PairWalk& walk, std::size_t first, std::size_t last) {
                       walk.run(first, last,
                                [&](std::size_t row, std::size_t a, std::size_t b,
                                    const double* score, std::size_t n) {
                                    const std::size_t at = svm::machine_of(model.n_classes(), a, b);
                                    std::copy_n(score, n, scores.data() + row * n_pairs + at);
                                });
                   });
    return scores;
}

std::vector<double> class_scores_of_pairs(const PairModel& model, std::span<const double> kernel,
                                          int n_threads, StopSignal& stop) {
    const std::size_t n_rows = svm::n_rows_of(model, kernel), n = model.n_classes();
    std::vector<double> found(n_rows * n), sure(n_rows * n);
    const auto votes = [&](std::size_t row) {
        return svm::Votes{found.data() + row * n, sure.data() + row * n};
    };
    svm::walk_rows(model, kernel, n_rows, n_threads, stop,
                   [&](svm::PairWalk& walk, std::size_t first, std::size_t last) {
                       walk.run(
                           first, last,
                           [&](std::size_t row, std::size_t a, std::size_t b, const double* score,
                               std::size_t n_after) { votes(row).add(a, b, score, n_after); });
                       for (std::size_t row = first; row < last; ++row) votes(row).end(n);
                   });
    return found;
}

std::vector<double> class_scores_of_pairs(std::span<const double> pair_scores,
                                          std::size_t n_classes) {
    const std::size_t n_pairs = svm::n_pairs_of(n_classes);
    if (pair_scores.size() % n_pairs != 0) {
        throw std::invalid_argument("a score for each pair of classes");
    }
    const std::size_t n_rows = pair_scores.size() / n_pairs;
    std::vector<double> found(n_rows * n_classes), sure(n_classes);
    const double* score = pair_scores.data();
    for (std::size_t row = 0; row < n_rows; ++row) {
        std::fill(sure.begin(), sure.end(), 0.0);
        const svm::Votes votes{found.data() + row * n_classes, sure.data()};
        for (std::size_t a = 0; a < n_classes; ++a) {
            votes.add(a, a + 1, score, n_classes - a - 1);
            score += n_classes - a - 1;
        }
        votes.end(n_classes);
    }
    return found;
}

}  // namespace branchline

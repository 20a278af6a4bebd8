#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "branchline/svm_pairs.hpp"

namespace branchline {

namespace svm {

namespace {

std::size_t n_pairs_of(std::size_t n_classes) {
    if (n_classes < 2) throw std::invalid_argument("two classes or more");
    return n_classes * (n_classes - 1) / 2;
}

void check(const PairSums& sums) {
    const std::size_t n_values = sums.n_rows * (sums.n_classes() - 1);
    const auto fits = [&](std::span<const double> one) { return one.size() == n_values; };
    if (sums.bias.size() != n_pairs_of(sums.n_classes()) ||
        !std::all_of(sums.of_class.begin(), sums.of_class.end(), fits)) {
        throw std::invalid_argument("sums for each class and row, and a bias for each pair");
    }
}

// The scores of one row by all machines.
void score_row(const PairSums& sums, std::size_t row, double* out) {
    const std::size_t n = sums.n_classes(), begin = row * (n - 1);
    const double* bias = sums.bias.data();
    for (std::size_t a = 0; a < n; ++a) {
        const double* const ahead = sums.of_class[a].data() + begin;
        for (std::size_t b = a + 1; b < n; ++b) {
            *out++ = *bias++ + ahead[b - 1] + sums.of_class[b][begin + a];
        }
    }
}

// The scores of one row's classes; `sure` is room for one number a class.
void vote(const double* pair, std::size_t n_classes, double* wins, std::vector<double>& sure) {
    std::fill_n(wins, n_classes, 0.0);
    sure.assign(n_classes, 0.0);
    for (std::size_t a = 0; a < n_classes; ++a) {
        double won = wins[a], ahead = sure[a];
        for (std::size_t b = a + 1; b < n_classes; ++b, ++pair) {
            const double is_ahead = *pair > 0 ? 1.0 : 0.0;
            won += is_ahead;
            wins[b] += 1.0 - is_ahead;
            ahead += *pair;
            sure[b] -= *pair;
        }
        wins[a] = won;
        sure[a] = ahead;
    }
    for (std::size_t a = 0; a < n_classes; ++a) {
        wins[a] += sure[a] / (3 * (std::abs(sure[a]) + 1));
    }
}

}  // namespace

}  // namespace svm

std::vector<double> pair_scores(const PairSums& sums) {
    svm::check(sums);
    const std::size_t n_pairs = sums.bias.size();
    std::vector<double> scores(sums.n_rows * n_pairs);
    for (std::size_t row = 0; row < sums.n_rows; ++row) {
        svm::score_row(sums, row, scores.data() + row * n_pairs);
    }
    return scores;
}

std::vector<double> class_scores_of_pairs(const PairSums& sums) {
    svm::check(sums);
    std::vector<double> scores(sums.bias.size()), found(sums.n_rows * sums.n_classes()), sure;
    for (std::size_t row = 0; row < sums.n_rows; ++row) {
        svm::score_row(sums, row, scores.data());
        svm::vote(scores.data(), sums.n_classes(), found.data() + row * sums.n_classes(), sure);
    }
    return found;
}

std::vector<double> class_scores_of_pairs(std::span<const double> pair_scores,
                                          std::size_t n_classes) {
    const std::size_t n_pairs = svm::n_pairs_of(n_classes);
    if (pair_scores.size() % n_pairs != 0) {
        throw std::invalid_argument("a score for each pair of classes");
    }
    const std::size_t n_rows = pair_scores.size() / n_pairs;
    std::vector<double> found(n_rows * n_classes), sure;
    for (std::size_t row = 0; row < n_rows; ++row) {
        svm::vote(pair_scores.data() + row * n_pairs, n_classes, found.data() + row * n_classes,
                  sure);
    }
    return found;
}

}  // namespace branchline

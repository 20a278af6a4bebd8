#include "branchline/find_test.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "binary_test.hpp"
#include "branchline/split_statistic.hpp"
#include "branchline/thread_pool.hpp"
#include "histogram.hpp"

namespace branchline {

namespace {

// A column's best test, what its branches are worth, and below what difference two gains are equal.
struct Candidate {
    FoundTest test;
    double badness = 0;
    double slack = 0;
};

template <class Statistic>
double badness_of_node(const Histogram& histogram) {
    Statistic all(histogram.width);
    for (std::size_t code = 0; code <= histogram.n_codes; ++code) all.add(histogram.cell(code));
    return all.badness();
}

template <class Statistic>
std::int64_t weight_of_node(const Histogram& histogram) {
    std::int64_t sum = 0;
    for (std::size_t code = 0; code <= histogram.n_codes; ++code) {
        sum += Statistic::weight_of(histogram.cell(code), histogram.width);
    }
    return sum;
}

// Missing values of a node that has none go where most rows go.
template <class Statistic>
int heavier_branch(const Histogram& histogram, const FoundTest& test) {
    std::vector<std::int64_t> weight(static_cast<std::size_t>(test.n_branches), 0);
    for (std::size_t code = 1; code <= histogram.n_codes; ++code) {
        const int branch = test.branch_of_code[code];
        if (branch >= 0) {
            weight[static_cast<std::size_t>(branch)] +=
                Statistic::weight_of(histogram.cell(code), histogram.width);
        }
    }
    return static_cast<int>(std::max_element(weight.begin(), weight.end()) - weight.begin());
}

template <class Statistic>
Candidate binary_test(const Histogram& histogram, bool is_category, const SearchOptions& options,
                      StopSignal& stop) {
    const auto cut =
        best_binary_cut<Statistic>(histogram, is_category, options.min_branch_units, stop);
    if (!cut) return {};
    FoundTest test;
    test.n_branches = 2;
    test.is_threshold = !is_category;
    test.branch_of_code.assign(histogram.n_codes + 1, -1);
    for (std::size_t i = 0; i < cut->order.size(); ++i) {
        test.branch_of_code[cut->order[i]] = i < cut->n_left ? 0 : 1;
    }
    test.left_code = cut->order[cut->n_left - 1];
    test.right_code = cut->n_left < cut->order.size() ? cut->order[cut->n_left] : missing_code;
    const bool any_missing =
        Statistic::weight_of(histogram.cell(missing_code), histogram.width) > 0;
    test.missing_branch =
        any_missing ? (cut->missing_left ? 0 : 1) : heavier_branch<Statistic>(histogram, test);
    return {std::move(test), cut->badness};
}

// Puts code after code into branches of their own; light ones share a last branch.
template <class Statistic>
class MultiwaySplit {
  public:
    MultiwaySplit(const Histogram& histogram, std::int64_t min_units)
        : histogram_(histogram), min_units_(min_units), shared_(histogram.width) {
        test_.branch_of_code.assign(histogram.n_codes + 1, -1);
        for (Code code = 1; code <= histogram.n_codes; ++code) place(code);
        place(missing_code);
        for (const Code code : light_) test_.branch_of_code[code] = test_.n_branches;
        if (!light_.empty()) ++test_.n_branches;
        test_.missing_branch = test_.branch_of_code[missing_code];
    }

    Candidate found() { return {std::move(test_), badness_ + shared_.badness()}; }

  private:
    void place(Code code) {
        const std::int64_t* cell = histogram_.cell(code);
        const std::int64_t weight = Statistic::weight_of(cell, histogram_.width);
        if (weight == 0) return;
        if (weight < min_units_) {
            light_.push_back(code);
            shared_.add(cell);
            return;
        }
        test_.branch_of_code[code] = test_.n_branches++;
        Statistic alone(histogram_.width);
        alone.add(cell);
        badness_ += alone.badness();
    }

    FoundTest test_;
    const Histogram& histogram_;
    std::int64_t min_units_;
    Statistic shared_;
    std::vector<Code> light_;
    double badness_ = 0;
};

template <class Statistic>
Candidate best_of_column(const SearchColumn& column, std::size_t n_rows, const SearchTarget& target,
                         const SearchOptions& options, StopSignal& stop) {
    const Histogram histogram = count(column, n_rows, target);
    Candidate found = options.multiway && column.is_category
                          ? MultiwaySplit<Statistic>(histogram, options.min_branch_units).found()
                          : binary_test<Statistic>(histogram, column.is_category, options, stop);
    if (found.test.n_branches < 2) return {};
    const std::int64_t weight = weight_of_node<Statistic>(histogram);
    const auto per_unit = [&](double badness) { return badness / static_cast<double>(weight); };
    const double gain = per_unit(badness_of_node<Statistic>(histogram) - found.badness);
    found.slack = equal_share * per_unit(Statistic::scale(found.badness, weight));
    found.test.gain = gain > found.slack ? gain : 0;
    return found;
}

bool is_better(const Candidate& found, const Candidate& best) {
    if (found.test.n_branches < 2) return false;
    if (best.test.n_branches < 2) return true;
    const double slack = std::max(found.slack, best.slack);
    if (found.test.gain > best.test.gain + slack) return true;
    return found.test.gain >= best.test.gain - slack &&
           found.test.n_branches < best.test.n_branches;
}

template <class Statistic>
FoundTest search(std::span<const SearchColumn> columns, std::size_t n_rows,
                 const SearchTarget& target, const SearchOptions& options, StopSignal& stop) {
    std::vector<Candidate> found(columns.size());
    ThreadPool pool(options.n_threads, stop);
    pool.run(columns.size(), [&](std::size_t c, std::size_t) {
        found[c] = best_of_column<Statistic>(columns[c], n_rows, target, options, stop);
    });
    Candidate best;
    for (std::size_t c = 0; c < found.size(); ++c) {
        if (!is_better(found[c], best)) continue;
        best = std::move(found[c]);
        best.test.column = static_cast<int>(c);
    }
    return best.test;
}

void check_target(const SearchTarget& target, Criterion criterion) {
    const bool classify = target.n_classes > 0;
    if (classify == (criterion == Criterion::variance)) {
        throw std::invalid_argument("variance is for numbers, other criteria are for classes");
    }
    const auto& classes = target.class_of_row;
    const auto highest = std::max_element(classes.begin(), classes.end());
    if (classify && highest != classes.end() && *highest >= target.n_classes) {
        throw std::invalid_argument("a class is not below n_classes");
    }
}

}  // namespace

FoundTest find_test(std::span<const SearchColumn> columns, std::size_t n_rows,
                    const SearchTarget& target, const SearchOptions& options, StopSignal& stop) {
    check_target(target, options.criterion);
    switch (options.criterion) {
        case Criterion::gini:
            return search<ClassCounts<Gini>>(columns, n_rows, target, options, stop);
        case Criterion::entropy:
            return search<ClassCounts<Entropy>>(columns, n_rows, target, options, stop);
        case Criterion::misclassification:
            return search<ClassCounts<Misclassification>>(columns, n_rows, target, options, stop);
        case Criterion::variance: return search<Moments>(columns, n_rows, target, options, stop);
    }
    throw std::invalid_argument("unknown criterion");
}

}  // namespace branchline

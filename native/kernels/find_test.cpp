#include "branchline/find_test.hpp"

#include <stdexcept>

#include "binary_test.hpp"
#include "branchline/split_statistic.hpp"
#include "branchline/thread_pool.hpp"
#include "histogram.hpp"

namespace branchline {

namespace {

constexpr double equal_gain = 1e-12;

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
FoundTest binary_test(const Histogram& histogram, const SearchColumn& column,
                      const SearchOptions& options) {
    FoundTest test;
    const auto cut =
        best_binary_cut<Statistic>(histogram, column.is_category, options.min_branch_units);
    if (!cut) return test;
    test.n_branches = 2;
    test.is_threshold = !column.is_category;
    test.branch_of_code.assign(histogram.n_codes + 1, -1);
    for (std::size_t i = 0; i < cut->order.size(); ++i) {
        test.branch_of_code[cut->order[i]] = i < cut->n_left ? 0 : 1;
    }
    test.left_code = cut->order[cut->n_left - 1];
    test.right_code = cut->n_left < cut->order.size() ? cut->order[cut->n_left] : missing_code;
    const bool any_missing =
        Statistic::weight_of(histogram.cell(missing_code), histogram.width) > 0;
    test.missing_branch = any_missing ? (cut->missing_left ? 0 : 1)
                                      : heavier_branch<Statistic>(histogram, test);
    test.gain = badness_of_node<Statistic>(histogram) - cut->badness;
    return test;
}

// Puts code after code into branches of their own; light ones share a last branch.
template <class Statistic>
class MultiwaySplit {
  public:
    MultiwaySplit(const Histogram& histogram, std::int64_t min_units)
        : histogram_(histogram), min_units_(min_units), shared_(histogram.width) {
        test.branch_of_code.assign(histogram.n_codes + 1, -1);
        for (Code code = 1; code <= histogram.n_codes; ++code) place(code);
        place(missing_code);
        for (const Code code : light_) test.branch_of_code[code] = test.n_branches;
        if (!light_.empty()) ++test.n_branches;
        test.missing_branch = test.branch_of_code[missing_code];
        test.gain = badness_of_node<Statistic>(histogram) - badness_ - shared_.badness();
    }

    FoundTest test;

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
        test.branch_of_code[code] = test.n_branches++;
        Statistic alone(histogram_.width);
        alone.add(cell);
        badness_ += alone.badness();
    }

    const Histogram& histogram_;
    std::int64_t min_units_;
    Statistic shared_;
    std::vector<Code> light_;
    double badness_ = 0;
};

template <class Statistic>
FoundTest best_of_column(const SearchColumn& column, std::size_t n_rows,
                         const SearchTarget& target, const SearchOptions& options) {
    const Histogram histogram = count(column, n_rows, target);
    FoundTest test =
        options.multiway && column.is_category
            ? MultiwaySplit<Statistic>(histogram, options.min_branch_units).test
            : binary_test<Statistic>(histogram, column, options);
    if (test.n_branches < 2) return {};
    test.gain /= static_cast<double>(weight_of_node<Statistic>(histogram));
    return test;
}

bool is_better(const FoundTest& test, const FoundTest& best) {
    if (test.n_branches < 2) return false;
    if (best.n_branches < 2) return true;
    if (test.gain > best.gain + equal_gain) return true;
    return test.gain >= best.gain - equal_gain && test.n_branches < best.n_branches;
}

template <class Statistic>
FoundTest search(std::span<const SearchColumn> columns, std::size_t n_rows,
                 const SearchTarget& target, const SearchOptions& options, StopSignal& stop) {
    std::vector<FoundTest> found(columns.size());
    ThreadPool pool(options.n_threads, stop);
    pool.run(columns.size(), [&](std::size_t c, std::size_t) {
        found[c] = best_of_column<Statistic>(columns[c], n_rows, target, options);
    });
    FoundTest best;
    for (std::size_t c = 0; c < found.size(); ++c) {
        if (!is_better(found[c], best)) continue;
        best = std::move(found[c]);
        best.column = static_cast<int>(c);
    }
    return best;
}

}  // namespace

FoundTest find_test(std::span<const SearchColumn> columns, std::size_t n_rows,
                    const SearchTarget& target, const SearchOptions& options, StopSignal& stop) {
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

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "boosting/attribution_paths.hpp"
#include "branchline/linear_leaves.hpp"
#include "branchline/thread_pool.hpp"
#include "forest/walker/build.hpp"

namespace branchline {

namespace {

struct PathTest {
    std::size_t inner;  // of the tree
    bool to_right;
};

// A column on the path of a leaf.
struct PathColumn {
    std::uint32_t column = 0;
    double z = 1;                    // the product of its shares of cover
    std::size_t first = 0, end = 0;  // its tests
    std::ptrdiff_t term = -1;
};

// A leaf that has terms.
struct TermLeaf {
    std::vector<PathColumn> columns;
    std::vector<PathTest> tests;  // those of a column stand together
};

struct TermTree {
    std::vector<Branch> of_inner;  // a branch of each test
    std::vector<TermLeaf> leaves;
};

// Lists the leaves with terms of one tree from its branches.
class TreeReader {
  public:
    TreeReader(const AttributedTrees& model, const TermsView& terms, const TreePart& begin,
               const TreePart& end)
        : terms_(terms), begin_(begin), paths_(make_paths(model, begin, end)) {}

    TermTree read() {
        std::vector<std::size_t> test_of_depth;
        std::vector<const Branch*> open;
        for (const Branch& branch : paths_.branches) {
            open.resize(branch.depth);
            open.push_back(&branch);
            // A left branch comes first, and its test is a new one.
            test_of_depth.resize(std::max<std::size_t>(branch.depth + 1, test_of_depth.size()));
            if (!branch.is_right) {
                test_of_depth[branch.depth] = tree_.of_inner.size();
                tree_.of_inner.push_back(branch);
            }
            if (branch.leaf != no_leaf) add_leaf(branch, open, test_of_depth);
        }
        return std::move(tree_);
    }

  private:
    void add_leaf(const Branch& last, const std::vector<const Branch*>& open,
                  const std::vector<std::size_t>& test_of_depth) {
        const std::size_t leaf = begin_.leaf + last.leaf;
        const auto first = static_cast<std::size_t>(terms_.first[leaf]),
                   end = static_cast<std::size_t>(terms_.first[leaf + 1]);
        if (first == end) return;
        TermLeaf made;
        for (std::size_t depth = 1; depth < open.size(); ++depth) add_test(made, *open[depth]);
        for (PathColumn& column : made.columns) {
            column.first = made.tests.size();
            for (std::size_t depth = 1; depth < open.size(); ++depth) {
                if (open[depth]->column != column.column) continue;
                made.tests.push_back({test_of_depth[depth], open[depth]->is_right});
            }
            column.end = made.tests.size();
            for (std::size_t term = first; term < end; ++term) {
                if (terms_.column[term] == column.column) {
                    column.term = static_cast<std::ptrdiff_t>(term);
                }
            }
        }
        tree_.leaves.push_back(std::move(made));
    }

    static void add_test(TermLeaf& leaf, const Branch& branch) {
        const auto known = std::ranges::find(leaf.columns, branch.column, &PathColumn::column);
        if (known != leaf.columns.end()) {
            known->z = branch.z;
            return;
        }
        PathColumn column;
        column.column = branch.column;
        column.z = branch.z;
        leaf.columns.push_back(column);
    }

    const TermsView& terms_;
    TreePart begin_;
    TreePaths paths_;
    TermTree tree_;
};

double number_at(const ColumnView& column, std::size_t row) {
    return column.type == ValueType::float64 ? value_at<double>(column, row)
                                             : static_cast<double>(value_at<float>(column, row));
}

class TermAttributor {
  public:
    TermAttributor(const AttributedTrees& model, const TermsView& terms, const TermScales& scales,
                   std::span<const ColumnView> columns)
        : model_(model), terms_(terms), scales_(scales), columns_(columns),
          parts_(find_parts(model.trees)) {
        std::size_t most = 1;
        for (std::size_t tree = 0; tree + 1 < parts_.size(); ++tree) {
            trees_.push_back(TreeReader(model, terms, parts_[tree], parts_[tree + 1]).read());
            for (const TermLeaf& leaf : trees_.back().leaves) {
                most = std::max(most, leaf.columns.size());
            }
        }
        for (std::size_t n = 0; n <= (most + 1) / 2; ++n) {
            quadratures_.push_back(gauss_legendre(std::max<std::size_t>(n, 1)));
        }
    }

    void add_row(std::size_t row, double* shares) const {
        const std::size_t a_share = columns_.size() + 1;
        std::vector<char> goes_right;
        for (std::size_t tree = 0; tree < trees_.size(); ++tree) {
            if (trees_[tree].leaves.empty()) continue;
            goes_right.clear();
            for (const Branch& test : trees_[tree].of_inner) {
                goes_right.push_back(takes_right(test, row));
            }
            double* const of_output = shares + tree % model_.n_outputs * a_share;
            for (const TermLeaf& leaf : trees_[tree].leaves)
                add_leaf(leaf, row, goes_right, of_output);
        }
    }

  private:
    bool takes_right(const Branch& test, std::size_t row) const {
        const ColumnView& column = columns_[test.column];
        if (test.is_category) {
            const auto category = value_at<std::int32_t>(column, row);
            if (category >= column.n_categories) throw std::out_of_range("category out of range");
            if (category < 0) return !test.missing_left;
            const auto place = static_cast<std::size_t>(category);
            return (model_.trees.pool[test.bits + place / 8] >> (place % 8) & 1) != 0;
        }
        const double x = number_at(column, row);
        return std::isnan(x) ? !test.missing_left : x > test.threshold;
    }

    double term_value(std::ptrdiff_t number, std::size_t row) const {
        const auto term = static_cast<std::size_t>(number);
        const std::uint32_t column = terms_.column[term];
        const double x = number_at(columns_[column], row);
        const auto z = static_cast<float>((x - scales_.middle[column]) / scales_.half[column]);
        if (std::isnan(z)) return 0;
        const double kept = std::clamp(z, terms_.low[term], terms_.high[term]);
        return static_cast<double>(terms_.slope[term]) *
               (kept - static_cast<double>(terms_.center[term]));
    }

    void add_leaf(const TermLeaf& leaf, std::size_t row, const std::vector<char>& goes_right,
                  double* shares) const {
        const std::size_t k = leaf.columns.size();
        std::vector<double> agrees(k), value(k, 0.0);
        bool any = false;
        for (std::size_t i = 0; i < k; ++i) {
            const PathColumn& column = leaf.columns[i];
            const auto tests =
                std::span(leaf.tests).subspan(column.first, column.end - column.first);
            agrees[i] = std::ranges::all_of(tests, [&](const PathTest& test) {
                return (goes_right[test.inner] != 0) == test.to_right;
            });
            if (agrees[i] == 0 && column.z == 0) return;  // no set of columns leads here
            if (agrees[i] != 0 && column.term >= 0) value[i] = term_value(column.term, row);
            any = any || value[i] != 0;
        }
        if (!any) return;
        for (const auto& [t, rest, weight] : quadratures_[(k + 1) / 2]) {
            double product = weight, sum = 0;
            for (std::size_t i = 0; i < k; ++i) {
                const double f = t * agrees[i] + rest * leaf.columns[i].z;
                product *= f;
                sum += t * value[i] / f;
            }
            for (std::size_t i = 0; i < k; ++i) {
                const double z = leaf.columns[i].z, f = t * agrees[i] + rest * z;
                const double others = sum - t * value[i] / f;
                shares[leaf.columns[i].column] +=
                    product / f * (value[i] + (agrees[i] - z) * others);
            }
        }
    }

    const AttributedTrees& model_;
    const TermsView& terms_;
    const TermScales& scales_;
    std::span<const ColumnView> columns_;
    std::vector<TreePart> parts_;
    std::vector<TermTree> trees_;
    std::vector<std::vector<QuadraturePoint>> quadratures_;
};

void require(bool holds, const char* what) {
    if (!holds) throw std::invalid_argument(what);
}

void check_terms(const AttributedTrees& model, const TermsView& terms, const TermScales& scales,
                 std::span<const ColumnView> columns) {
    check_forest(model.trees);
    const std::size_t n_leaves = model.trees.leaf_value.size(), n_terms = terms.column.size();
    require(model.trees.width == 1 && model.leaf_cover.size() == n_leaves, "a cover for each leaf");
    require(terms.first.size() == n_leaves + 1 && terms.first[0] == 0 &&
                terms.first.back() == static_cast<std::int64_t>(n_terms) &&
                std::ranges::is_sorted(terms.first),
            "terms for each leaf");
    require(terms.slope.size() == n_terms && terms.center.size() == n_terms &&
                terms.low.size() == n_terms && terms.high.size() == n_terms,
            "numbers for each term");
    const std::size_t n_columns = model.trees.n_codes.size();
    require(columns.size() == n_columns && scales.middle.size() == n_columns &&
                scales.half.size() == n_columns,
            "as many columns as the trees know");
    for (std::size_t column = 0; column < n_columns; ++column) {
        const bool is_category = columns[column].type == ValueType::category;
        require(is_category == (model.trees.n_codes[column] > 0), "a test does not fit its column");
        require(!is_category || columns[column].n_categories <= model.trees.n_codes[column],
                "a category test lacks branches");
    }
    for (const std::uint32_t column : terms.column) {
        require(column < n_columns && model.trees.n_codes[column] == 0, "terms of numbers");
    }
}

}  // namespace

void attribute_terms(const AttributedTrees& model, const TermsView& terms, const TermScales& scales,
                     std::span<const ColumnView> columns, std::span<double> of_row, int n_threads,
                     StopSignal& stop) {
    check_terms(model, terms, scales, columns);
    const std::size_t a_row = model.n_outputs * (columns.size() + 1);
    require(of_row.size() % a_row == 0, "room for each row");
    const TermAttributor attributor(model, terms, scales, columns);
    ThreadPool pool(n_threads, stop);
    pool.run(of_row.size() / a_row, [&](std::size_t row, std::size_t) {
        attributor.add_row(row, of_row.data() + row * a_row);
    });
}

}  // namespace branchline

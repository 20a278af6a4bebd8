// Projections as columns: directions in the units of the table, rounded so that a person can read them.
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>

#include "node_tests/directions.hpp"
#include "node_tests/maker.hpp"

namespace branchline::node_tests {

namespace {

constexpr std::size_t n_offered = 2;
constexpr double negligible = 0.005;  // of the largest weight, in deviations

// Three digits, as they are written. strtod reads them, because the standard library of macOS
// cannot (from_chars): whole digits, so that no locale matters.
double three_digits(double value) {
    char text[32];
    const char* end =
        std::to_chars(text, text + sizeof text, value, std::chars_format::scientific, 2).ptr;
    const char* point = std::find(static_cast<const char*>(text), end, '.');
    if (point == end) return value;  // not finite
    const char* power = point + 4;   // after the two digits and "e"
    int exponent = 0;
    std::from_chars(*power == '+' ? power + 1 : power, end, exponent);
    char whole[32];
    std::snprintf(whole, sizeof whole, "%.*s%.2se%d", static_cast<int>(point - text), text,
                  point + 1, exponent - 2);
    return std::strtod(whole, nullptr);
}

// A projection of one node: its values in order, and the code of each row.
struct Projected {
    MadeColumn made;
    std::vector<double> values;  // distinct, ascending
    std::vector<Code> code_of_row;
};

class Projections final : public Maker {
  public:
    Projections(const NodeTestInput& input, const GrowOptions& options,
                const NodeTestOptions& tests)
        : input_(input), search_(input, options, tests), offered_(n_offered),
          fewest_rows_(8 * static_cast<double>(tests.n_columns)) {}

    double fewest_rows() const override { return fewest_rows_; }

    Offer offer(const Node& node) override {
        Offer offer;
        n_made_ = 0;
        for (const Direction& direction : search_.find(node, n_offered)) {
            MadeColumn made = in_units_of_table(direction);
            if (made.columns.size() < 2) continue;
            Projected& projected = offered_[n_made_];
            projected.made = std::move(made);
            if (!project(node, projected)) continue;
            GrowColumn column;
            column.codes = {reinterpret_cast<const std::byte*>(projected.code_of_row.data()), 4};
            column.n_codes = projected.values.size();
            offer.columns.push_back(column);
            ++n_made_;
        }
        return offer;
    }

    void keep(std::size_t k, TreeOfNodes& grown, std::size_t node) override {
        const Projected& taken = offered_[k];
        const Code left = grown.tree.left_code[node], right = grown.tree.right_code[node];
        grown.tree.feature[node] =
            static_cast<std::int32_t>(input_.columns.size() + grown.made.size());
        grown.threshold[node] = right == 0
                                    ? std::numeric_limits<double>::infinity()
                                    : midpoint(taken.values[left - 1], taken.values[right - 1]);
        grown.made.push_back(taken.made);
    }

  private:
    // The column of the largest weight first, with the coefficient 1; the others in their order.
    MadeColumn in_units_of_table(const Direction& direction) const {
        std::size_t lead = 0;
        double largest = 0;
        for (std::size_t k = 0; k < direction.columns.size(); ++k) {
            if (size_of(direction, k) > largest) largest = size_of(direction, k), lead = k;
        }
        if (!(largest > 0)) return {};
        std::vector<std::size_t> order;
        for (std::size_t k = 0; k < direction.columns.size(); ++k) {
            if (k != lead && size_of(direction, k) > negligible * largest) order.push_back(k);
        }
        std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
            return direction.columns[a] < direction.columns[b];
        });
        order.insert(order.begin(), lead);
        MadeColumn made;
        for (const std::size_t k : order) {
            const double of_lead = direction.weights[lead] / number(direction, lead).range;
            const double weight = direction.weights[k] / number(direction, k).range;
            const double coefficient = k == lead ? 1 : three_digits(weight / of_lead);
            if (coefficient == 0 || !std::isfinite(coefficient)) return {};
            made.columns.push_back(direction.columns[k]);  // among the numbers, for project()
            made.first.push_back(coefficient);
        }
        return made;
    }

    double size_of(const Direction& direction, std::size_t k) const {
        return std::abs(direction.weights[k]) * search_.deviation(direction.columns[k]);
    }
    const NumberColumn& number(const Direction& direction, std::size_t k) const {
        return input_.numbers[direction.columns[k]];
    }

    // Codes the rows of a node by the rank of their value; false when there is nothing to cut.
    bool project(const Node& node, Projected& out) const {
        out.code_of_row.resize(input_.numbers.front().values.size());
        std::vector<std::pair<double, RowIndex>> values;
        values.reserve(node.rows.size());
        for (const RowIndex row : node.rows) {
            const double value = value_of(out.made, row);
            out.code_of_row[row] = missing_code;
            if (std::isfinite(value)) values.emplace_back(value, row);
        }
        std::sort(values.begin(), values.end());
        out.values.clear();
        for (const auto& [value, row] : values) {
            if (out.values.empty() || out.values.back() != value) out.values.push_back(value);
            out.code_of_row[row] = static_cast<Code>(out.values.size());
        }
        for (std::uint32_t& column : out.made.columns) column = input_.numbers[column].column;
        return out.values.size() > 1;
    }

    // As the fitted tree computes it: from the first column to the last.
    double value_of(const MadeColumn& made, RowIndex row) const {
        double sum = input_.numbers[made.columns[0]].values[row];
        for (std::size_t k = 1; k < made.columns.size(); ++k) {
            sum += made.first[k] * input_.numbers[made.columns[k]].values[row];
        }
        return sum;
    }

    const NodeTestInput& input_;
    DirectionSearch search_;
    std::vector<Projected> offered_;
    std::size_t n_made_ = 0;
    double fewest_rows_;
};

}  // namespace

std::unique_ptr<Maker> make_projections(const NodeTestInput& input, const GrowOptions& options,
                                        const NodeTestOptions& tests) {
    return std::make_unique<Projections>(input, options, tests);
}

}  // namespace branchline::node_tests

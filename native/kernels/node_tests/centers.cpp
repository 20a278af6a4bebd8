// The nearer of two centers as a column of two categories.
#include <algorithm>

#include "branchline/tree_walker.hpp"
#include "node_tests/rounded_numbers.hpp"

namespace branchline::node_tests {

namespace {

enum Group : std::uint8_t { neither = 0, group_a = 1, group_b = 2 };

class Centers final : public Maker {
  public:
    explicit Centers(const NodeTestInput& input)
        : input_(input), steps_(round_numbers(input.numbers)) {}

    double fewest_rows() const override { return 8; }

    Offer offer(const Node& node) override {
        made_ = {};
        divide(node);
        take_centers(node);
        if (made_.columns.empty()) return {};
        assign(node);
        GrowColumn column;
        column.codes = {reinterpret_cast<const std::byte*>(code_of_row_.data()), 1};
        // As many codes as a number may have, so that chance is corrected for alike, and a test of a
        // single number wins ties.
        column.n_codes = std::max<std::size_t>(2, count_contents(node));
        return {{column}, false};
    }

    void keep(std::size_t, TreeOfNodes& grown, std::size_t node) override {
        grown.tree.feature[node] =
            static_cast<std::int32_t>(input_.columns.size() + grown.made.size());
        for (std::uint32_t& column : made_.columns) column = input_.numbers[column].column;
        grown.made.push_back(made_);
        GrownTree& tree = grown.tree;
        tree.kind[node] = static_cast<std::uint8_t>(NodeKind::categories);
        tree.pool.push_back(0);
        tree.pool.push_back(tree.right_code[node] == 0 ? 0 : 1);
        tree.left_code[node] = tree.right_code[node] = 0;
    }

  private:
    // Copies of a row are one: they are as one row of their weight.
    std::size_t count_contents(const Node& node) {
        keys_.clear();
        for (const RowIndex row : node.rows) keys_.push_back(input_.keys[row]);
        std::sort(keys_.begin(), keys_.end());
        return static_cast<std::size_t>(std::unique(keys_.begin(), keys_.end()) - keys_.begin());
    }

    // The two heaviest classes; or the rows at most and above the mean.
    void divide(const Node& node) {
        group_.assign(node.rows.size(), neither);
        if (input_.target.is_classification()) {
            divide_classes(node);
        } else {
            divide_numbers(node);
        }
    }

    void divide_classes(const Node& node) {
        const auto& classes = input_.target.class_of_row;
        std::vector<std::int64_t> weight(input_.target.n_classes, 0);
        for (const RowIndex row : node.rows) weight[classes[row]] += units_of(input_.target, row);
        std::size_t heaviest = 0, second = 1;
        for (std::size_t k = 1; k < weight.size(); ++k) {
            if (weight[k] > weight[heaviest]) {
                second = heaviest, heaviest = k;
            } else if (k > 1 && weight[k] > weight[second]) {
                second = k;
            }
        }
        made_.group_a = static_cast<std::uint32_t>(std::min(heaviest, second));
        made_.group_b = static_cast<std::uint32_t>(std::max(heaviest, second));
        for (std::size_t i = 0; i < node.rows.size(); ++i) {
            const std::uint32_t k = classes[node.rows[i]];
            group_[i] = k == made_.group_a ? group_a : k == made_.group_b ? group_b : neither;
        }
    }

    void divide_numbers(const Node& node) {
        const std::size_t n_outputs = input_.target.n_outputs;
        Wide sum = 0, weight = 0;
        for (const RowIndex row : node.rows) {
            sum += input_.target.sums_of_row[row * n_outputs];
            weight += units_of(input_.target, row);
        }
        made_.group_b = 1;
        for (std::size_t i = 0; i < node.rows.size(); ++i) {
            const RowIndex row = node.rows[i];
            const Wide here = Wide{input_.target.sums_of_row[row * n_outputs]} * weight;
            group_[i] = here <= sum * units_of(input_.target, row) ? group_a : group_b;
        }
    }

    struct Moments {
        Wide weight = 0, sum = 0, squares = 0;
        double mean() const { return static_cast<double>(sum) / static_cast<double>(weight); }
    };

    // Means of both groups and the variance of the node, in the units of the table, of each number that
    // varies and that both groups have.
    void take_centers(const Node& node) {
        for (std::size_t c = 0; c < input_.numbers.size(); ++c) {
            const NumberColumn& number = input_.numbers[c];
            Moments all, of_group[3];
            for (std::size_t i = 0; i < node.rows.size(); ++i) {
                const RowIndex row = node.rows[i];
                if (std::isnan(number.values[row])) continue;
                const std::int16_t step = steps_[c * number.values.size() + row];
                const Wide units = units_of(input_.target, row);
                for (Moments* moments : {&all, &of_group[group_[i]]}) {
                    moments->weight += units;
                    moments->sum += units * step;
                    moments->squares += units * (std::int32_t{step} * step);
                }
            }
            if (of_group[group_a].weight == 0 || of_group[group_b].weight == 0) continue;
            const double mean = all.mean();
            const double variance =
                static_cast<double>(all.squares) / static_cast<double>(all.weight) - mean * mean;
            const double step = number.range / steps_a_range, scale = variance * step * step;
            if (!(scale > 0) || !std::isfinite(scale)) continue;
            made_.columns.push_back(static_cast<std::uint32_t>(c));
            made_.first.push_back(number.middle + of_group[group_a].mean() * step);
            made_.second.push_back(number.middle + of_group[group_b].mean() * step);
            made_.scale.push_back(scale);
        }
    }

    void assign(const Node& node) {
        code_of_row_.resize(input_.keys.size());
        for (const RowIndex row : node.rows) code_of_row_[row] = nearer(row);
    }

    // As the fitted tree computes it.
    std::uint8_t nearer(RowIndex row) const {
        double difference = 0;
        bool any = false;
        for (std::size_t k = 0; k < made_.columns.size(); ++k) {
            const double value = input_.numbers[made_.columns[k]].values[row];
            if (std::isnan(value)) continue;
            any = true;
            const double to_a = value - made_.first[k], to_b = value - made_.second[k];
            difference += (to_a * to_a - to_b * to_b) / made_.scale[k];
        }
        if (!any || std::isnan(difference)) return 0;
        return difference <= 0 ? group_a : group_b;
    }

    const NodeTestInput& input_;
    std::vector<std::int16_t> steps_;
    MadeColumn made_;
    std::vector<std::uint8_t> group_, code_of_row_;
    std::vector<std::uint64_t> keys_;
};

}  // namespace

std::unique_ptr<Maker> make_centers(const NodeTestInput& input) {
    return std::make_unique<Centers>(input);
}

}  // namespace branchline::node_tests

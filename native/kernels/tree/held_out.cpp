#include "branchline/held_out.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "branchline/tree_walker.hpp"
#include "tree/compensated_sum.hpp"

namespace branchline {

namespace {

void require(bool holds, const char* what) {
    if (!holds) throw std::invalid_argument(what);
}

Code code_at(const CodeColumn& column, RowIndex row) {
    return visit_codes(column, [row](const auto* codes) { return Code{codes[row]}; });
}

// A loss that has been checked against the tree and the rows, and can be asked without care.
struct ClassLossOfRow {
    ClassLoss loss;

    ClassLossOfRow(const ClassLoss& given, std::size_t n_nodes, std::span<const RowIndex> rows)
        : loss(given) {
        const std::size_t n_classes = loss.n_classes;
        require(loss.decision.size() == n_nodes, "one decision for each node");
        require(n_classes > 0 && n_classes <= std::numeric_limits<std::uint32_t>::max() &&
                    loss.cost.size() == n_classes * n_classes,
                "one cost for each pair of classes");
        require(
            std::all_of(loss.decision.begin(), loss.decision.end(),
                        [&](auto d) { return d >= 0 && static_cast<std::size_t>(d) < n_classes; }),
            "a decision is not a class");
        require(std::all_of(rows.begin(), rows.end(),
                            [&](auto row) {
                                return row < loss.class_of_row.size() &&
                                       loss.class_of_row[row] < n_classes;
                            }),
                "a row has no class");
    }

    double operator()(RowIndex row, std::size_t node) const {
        return loss.cost[loss.class_of_row[row] * loss.n_classes +
                         static_cast<std::size_t>(loss.decision[node])];
    }
};

double poisson_loss(double truth, double value) {
    return (truth > 0 ? truth * std::log(truth / value) : 0.0) - truth + value;
}

struct NumberLossOfRow {
    NumberLoss loss;

    NumberLossOfRow(const NumberLoss& given, std::size_t n_nodes, std::span<const RowIndex> rows)
        : loss(given) {
        const std::size_t n_outputs = loss.n_outputs;
        require(n_outputs > 0 && loss.value.size() % n_outputs == 0 &&
                    loss.value.size() / n_outputs == n_nodes,
                "one value for each node and output");
        require(loss.measure != NumberMeasure::poisson ||
                    std::all_of(loss.value.begin(), loss.value.end(),
                                [](double value) { return value > 0; }),
                "values above 0");
        const std::size_t n_rows = loss.target.size() / n_outputs;
        require(std::all_of(rows.begin(), rows.end(), [&](auto row) { return row < n_rows; }),
                "a row has no target");
    }

    double operator()(RowIndex row, std::size_t node) const {
        double sum = 0;
        for (std::size_t output = 0; output < loss.n_outputs; ++output) {
            sum += of_output(loss.target[row * loss.n_outputs + output],
                             loss.value[node * loss.n_outputs + output]);
        }
        return sum;
    }

    double of_output(double truth, double value) const {
        switch (loss.measure) {
            case NumberMeasure::squared: return (truth - value) * (truth - value);
            case NumberMeasure::absolute: return std::abs(truth - value);
            case NumberMeasure::poisson: return poisson_loss(truth, value);
        }
        return 0;
    }
};

ClassLossOfRow checked(const ClassLoss& loss, std::size_t n_nodes, std::span<const RowIndex> rows) {
    return {loss, n_nodes, rows};
}

NumberLossOfRow checked(const NumberLoss& loss, std::size_t n_nodes,
                        std::span<const RowIndex> rows) {
    return {loss, n_nodes, rows};
}

// Calls visit(i, node, is_end) for every node on the path of rows[i], for every i.
template <class Visit>
void visit_paths(const CodedTree& tree, const HeldOutRows& held_out, StopSignal& stop,
                 Visit&& visit) {
    const auto nodes = tree.nodes();
    for (std::size_t i = 0; i < held_out.rows.size(); ++i) {
        if (i % 1024 == 0) stop.check();
        for (std::size_t at = 0;;) {
            const CodedTree::Node& node = nodes[at];
            const bool is_leaf = node.n_children == 0;
            const std::int32_t branch =
                is_leaf ? stay
                        : tree.branch_of(node,
                                         code_at(held_out.columns[node.feature], held_out.rows[i]));
            visit(i, at, branch == stay);
            if (branch == stay) break;
            at = node.first_child + static_cast<std::size_t>(branch);
        }
    }
}

// Sums over the rows that pass a node, and over those that stay in it although it is not a leaf.
struct NodeSums {
    explicit NodeSums(std::size_t n_nodes) : passing(n_nodes), stayed(n_nodes) {}

    void add(std::size_t node, bool stays, double value) {
        passing[node].add(value);
        if (stays) stayed[node].add(value);
    }

    std::vector<CompensatedSum> passing, stayed;
};

// What is squared and summed beside the losses: the loss, and its change from the root's.
struct SquareSums {
    explicit SquareSums(std::size_t n_nodes) : losses(n_nodes), changes(n_nodes) {}

    NodeSums losses, changes;
};

// All sums in one walk: weight · loss, and the squares when they are asked for.
void sum_losses(const CodedTree& tree, const HeldOutRows& held_out, const HeldOutLoss& loss,
                StopSignal& stop, NodeSums& sums, SquareSums* squares) {
    require(held_out.weight.size() == held_out.rows.size(), "one weight for each row");
    require(tree.n_columns() <= held_out.columns.size(), "a tested column is missing");
    require(held_out.columns.empty() ||
                std::all_of(held_out.rows.begin(), held_out.rows.end(),
                            [&](RowIndex row) { return row < held_out.n_rows; }),
            "a row is out of range");
    std::visit(
        [&](const auto& given) {
            const auto loss_of = checked(given, tree.nodes().size(), held_out.rows);
            double at_root = 0;
            visit_paths(tree, held_out, stop, [&](std::size_t i, std::size_t node, bool is_end) {
                const bool stays = is_end && tree.nodes()[node].n_children > 0;
                const double lost = loss_of(held_out.rows[i], node);
                const double weighted = held_out.weight[i] * lost;
                sums.add(node, stays, weighted);
                if (squares == nullptr) return;
                if (node == 0) at_root = lost;
                squares->losses.add(node, stays, weighted * lost);
                const double change = lost - at_root;
                squares->changes.add(node, stays, held_out.weight[i] * change * change);
            });
        },
        loss);
}

std::vector<double> values_of(const std::vector<CompensatedSum>& sums) {
    std::vector<double> values;
    values.reserve(sums.size());
    for (const CompensatedSum& sum : sums) values.push_back(sum.value());
    return values;
}

// Numbers added to ranges of positions. Position p is the leaf n + p of a binary tree; a range is
// covered by a few of its subtrees, and what a position got stands on its way to the root.
class RangeSums {
  public:
    explicit RangeSums(std::size_t n) : sums_(2 * n) {}

    void add(std::size_t begin, std::size_t end, const CompensatedSum& value) {
        const std::size_t n = sums_.size() / 2;
        for (begin += n, end += n; begin < end; begin /= 2, end /= 2) {
            if (begin % 2 == 1) sums_[begin++].add(value);
            if (end % 2 == 1) sums_[--end].add(value);
        }
    }

    std::vector<double> values() const {
        const std::size_t n = sums_.size() / 2;
        std::vector<double> values(n);
        for (std::size_t position = 0; position < n; ++position) {
            CompensatedSum sum;
            for (std::size_t i = n + position; i > 0; i /= 2) sum.add(sums_[i]);
            values[position] = sum.value();
        }
        return values;
    }

  private:
    std::vector<CompensatedSum> sums_;
};

// The positions of the grid at which a node decides: those that pass it in [begin, end), those that
// end there in [0, end).
struct Reach {
    std::size_t begin = 0, end = 0;
};

std::vector<Reach> reaches(const CodedTree& tree, std::span<const double> critical_beta,
                           std::span<const double> betas) {
    std::vector<Reach> reach(tree.nodes().size());
    for (std::size_t i = 0; i < reach.size(); ++i) {
        const CodedTree::Node& node = tree.nodes()[i];
        reach[i].end = betas.size();
        if (node.parent >= 0) {
            const Reach& above = reach[static_cast<std::size_t>(node.parent)];
            reach[i].end = std::min(above.begin, above.end);
        }
        if (node.n_children == 0) continue;
        const auto found = std::lower_bound(betas.begin(), betas.end(), critical_beta[i]);
        reach[i].begin = std::min(static_cast<std::size_t>(found - betas.begin()), reach[i].end);
    }
    return reach;
}

std::vector<double> along_path(const NodeSums& sums, std::span<const Reach> reach,
                               std::size_t n_betas) {
    RangeSums ranges(n_betas);
    for (std::size_t node = 0; node < reach.size(); ++node) {
        ranges.add(reach[node].begin, reach[node].end, sums.passing[node]);
        ranges.add(0, reach[node].begin, sums.stayed[node]);
    }
    return ranges.values();
}

}  // namespace

NodeLosses node_losses(const CodedTree& tree, const HeldOutRows& held_out, const HeldOutLoss& loss,
                       StopSignal& stop) {
    NodeSums sums(tree.nodes().size());
    sum_losses(tree, held_out, loss, stop, sums, nullptr);
    return {values_of(sums.passing), values_of(sums.stayed)};
}

PathLosses losses_along_path(const CodedTree& tree, const HeldOutRows& held_out,
                             const HeldOutLoss& loss, std::span<const double> critical_beta,
                             std::span<const double> betas, StopSignal& stop) {
    require(critical_beta.size() == tree.nodes().size(), "a critical beta for each node");
    require(std::is_sorted(betas.begin(), betas.end()), "betas must be ascending");
    NodeSums sums(tree.nodes().size());
    SquareSums squares(tree.nodes().size());
    sum_losses(tree, held_out, loss, stop, sums, &squares);
    const std::vector<Reach> reach = reaches(tree, critical_beta, betas);
    return {along_path(sums, reach, betas.size()), along_path(squares.losses, reach, betas.size()),
            along_path(squares.changes, reach, betas.size())};
}

}  // namespace branchline

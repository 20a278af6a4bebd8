#include <limits>

#include "branchline/held_out.hpp"
#include "branchline/prune_tree.hpp"
#include "branchline/tree_walker.hpp"
#include "check.hpp"
#include "test_data.hpp"

namespace {

using namespace branchline;
using namespace test_data;

using Nodes = std::vector<std::int32_t>;
using Numbers = std::vector<double>;
using Bytes = std::vector<std::uint8_t>;

// 0: size (codes 1–9), up to 4 → 1, else 2, missing by weight (2 is the heaviest);
// 2: color (codes 1–4), red → 3, blue → 4, green → 5, the fourth and missing ones stay.
struct SmallTree {
    Bytes kind{1, 0, 2, 0, 0, 0};
    Nodes feature{0, -1, 1, -1, -1, -1};
    Nodes first_child{1, -1, 3, -1, -1, -1};
    Nodes n_children{2, 0, 3, 0, 0, 0};
    Nodes missing_branch{every_branch, -1, stay, -1, -1, -1};
    std::vector<Code> left_code{4, 0, 0, 0, 0, 0};
    std::vector<std::int64_t> pool_offset{0, 0, 1, 0, 0, 0};
    Nodes pool{-1, 0, 1, 2, -1};
    Numbers weight{10, 4, 6, 2, 2, 2};

    CodedTree tree() const {
        return CodedTree({kind, feature, first_child, n_children, missing_branch, left_code,
                          pool_offset, pool, weight});
    }
};

// Rows end in 1, 1, 3, 4, 5, 2 (fourth color), 2 (missing color), 4 (missing size).
struct SmallRows {
    Bytes size{1, 4, 5, 9, 6, 7, 8, 0};
    std::vector<std::uint16_t> color{1, 2, 1, 2, 3, 4, 0, 2};
    std::vector<CodeColumn> columns{codes_of(size), codes_of(color)};
    std::vector<RowIndex> rows{0, 1, 2, 3, 4, 5, 6, 7};
    Numbers weight{1, 2, 4, 8, 16, 32, 64, 128};

    HeldOutRows view() const { return {columns, size.size(), rows, weight}; }
};

NodeLosses losses(const CodedTree& tree, const HeldOutRows& rows, const HeldOutLoss& loss) {
    StopSignal stop;
    return node_losses(tree, rows, loss, stop);
}

PathLosses along(const CodedTree& tree, const HeldOutRows& rows, const HeldOutLoss& loss,
                 const Numbers& critical, const Numbers& betas) {
    StopSignal stop;
    return losses_along_path(tree, rows, loss, critical, betas, stop);
}

// All rows are of class 1. A node that decides for class d costs d: 0, 5, 2, 1, 3, 4 by node.
struct PricedNodes {
    std::vector<std::uint32_t> class_of_row = std::vector<std::uint32_t>(8, 1);
    std::vector<std::int64_t> decision{0, 5, 2, 1, 3, 4};
    Numbers cost = Numbers(36, 1000);

    PricedNodes() {
        for (std::size_t d = 0; d < 6; ++d) cost[6 + d] = static_cast<double>(d);
    }
    HeldOutLoss loss() const { return ClassLoss{class_of_row, decision, cost, 6}; }
};

const check::Test by_node{"rows lose at every node they pass, and where they stay", [] {
    const PricedNodes prices;
    const SmallRows rows;
    const NodeLosses lost = losses(SmallTree().tree(), rows.view(), prices.loss());
    check::equal(lost.passing, Numbers{0, 3 * 5, 252 * 2, 4 * 1, 136 * 3, 16 * 4});
    check::equal(lost.stayed, Numbers{0, 0, 96 * 2, 0, 0, 0});
}};

const check::Test by_beta{"T(β) decides at the first node that is a leaf in it", [] {
    const PricedNodes prices;
    const SmallRows rows;
    const Numbers critical{3, 0, 1, 0, 0, 0};  // those of leaves are not read
    const Numbers betas{-1, 0.5, 1, 1, 2.5, 3, 4};
    const PathLosses lost = along(SmallTree().tree(), rows.view(), prices.loss(), critical, betas);
    const double full = 15 + 192 + 4 + 408 + 64, cut = 15 + 504;
    check::equal(lost.sum, Numbers{full, full, cut, cut, cut, 0, 0});
    const double full_squares = 3 * 25 + 96 * 4 + 4 + 136 * 9 + 16 * 16, cut_squares = 75 + 252 * 4;
    check::equal(lost.sum_of_squares,
                 Numbers{full_squares, full_squares, cut_squares, cut_squares, cut_squares, 0, 0});
    // The root costs nothing, so what changes is the whole loss.
    check::equal(lost.sum_of_squared_changes, lost.sum_of_squares);
    check::equal(along(SmallTree().tree(), rows.view(), prices.loss(), critical, {}).sum,
                 Numbers{});
}};

const check::Test squares{"numbers lose the squared distance to the mean, over all outputs", [] {
    const SmallRows rows;
    const Numbers target{1, 0, 2, 0, 3, 0, 4, 1, 5, 1, 6, 1, 7, 2, 8, 2};
    const Numbers mean{4, 1, 1, 0, 6, 1, 3, 0, 4, 1, 5, 2};
    const NumberLoss loss{target, mean, 2};
    const NodeLosses lost = losses(SmallTree().tree(), rows.view(), loss);
    check::equal(lost.passing, Numbers{10 + 2 * 5 + 4 * 2 + 16 + 32 * 4 + 64 * 10 + 128 * 17, 2,
                                       4 * 10 + 8 * 4 + 16 + 64 * 2 + 128 * 5, 0, 128 * 17, 16});
    check::equal(lost.stayed, Numbers{0, 0, 128, 0, 0, 0});
}};

const check::Test no_cancelling{"small losses survive beside large ones", [] {
    // The root loses 1e20 a row, the leaves a third; a difference of sums would keep nothing.
    const SmallRows rows;
    const PricedNodes given;
    Numbers cost = given.cost;
    for (const std::size_t d : {1, 2, 3, 4, 5}) cost[6 + d] = 1.0 / 3;
    cost[6] = 1e20;
    const ClassLoss loss{given.class_of_row, given.decision, cost, 6};
    const PathLosses lost =
        along(SmallTree().tree(), rows.view(), loss, {2, 0, 1, 0, 0, 0}, {0, 2});
    check::near(lost.sum[0], 255.0 / 3, 1e-13);
    check::near(lost.sum[1], 255e20, 1e6);
}};

const check::Test orders{"an order and a choice of rows; the same row twice", [] {
    const PricedNodes prices;
    SmallRows rows;
    rows.rows = {7, 2, 2};
    rows.weight = {1, 1, 0.5};
    const NodeLosses lost = losses(SmallTree().tree(), rows.view(), prices.loss());
    check::equal(lost.passing, Numbers{0, 0, 5, 1.5, 3, 0});
    rows.rows = {};
    rows.weight = {};
    check::equal(losses(SmallTree().tree(), rows.view(), prices.loss()).passing, Numbers(6, 0.0));
}};

const check::Test no_tree{"arrays that are not a tree are refused", [] {
    const auto refused = [](auto&& spoil) {
        SmallTree tree;
        spoil(tree);
        check::throws<std::invalid_argument>([&] { tree.tree(); });
    };
    refused([](SmallTree& t) { t.kind[1] = 1; });
    refused([](SmallTree& t) { t.kind[0] = 3; });
    refused([](SmallTree& t) { t.kind.clear(); });
    refused([](SmallTree& t) { t.weight.pop_back(); });
    refused([](SmallTree& t) { t.feature[0] = -1; });
    refused([](SmallTree& t) { t.first_child[2] = 4; });
    refused([](SmallTree& t) { t.first_child[2] = 2; });
    refused([](SmallTree& t) { t.missing_branch[0] = 2; });
    refused([](SmallTree& t) { t.missing_branch[0] = -3; });
    refused([](SmallTree& t) { t.pool_offset[2] = -1; });
    refused([](SmallTree& t) { t.pool[0] = -3; });
}};

const check::Test no_rows{"rows, classes, columns and codes out of range are refused", [] {
    const SmallTree small;
    const CodedTree tree = small.tree();
    const PricedNodes prices;
    const auto refused = [&](auto&& spoil) {
        SmallRows rows;
        PricedNodes spoilt;
        spoil(rows, spoilt);
        check::throws<std::logic_error>([&] { losses(tree, rows.view(), spoilt.loss()); });
    };
    refused([](SmallRows& r, PricedNodes&) { r.rows[0] = 8; });
    refused([](SmallRows& r, PricedNodes&) { r.weight.pop_back(); });
    refused([](SmallRows& r, PricedNodes&) { r.columns.pop_back(); });
    refused([](SmallRows& r, PricedNodes&) { r.color[2] = 5; });
    refused([](SmallRows&, PricedNodes& p) { p.class_of_row[3] = 6; });
    refused([](SmallRows&, PricedNodes& p) { p.class_of_row.pop_back(); });
    refused([](SmallRows&, PricedNodes& p) { p.decision[3] = 6; });
    refused([](SmallRows&, PricedNodes& p) { p.decision[3] = -1; });
    refused([](SmallRows&, PricedNodes& p) { p.decision.pop_back(); });
    refused([](SmallRows&, PricedNodes& p) { p.cost.pop_back(); });
    const SmallRows rows;
    const Numbers one(1, 0.0), six(6, 0.0);
    const auto squared = [&](const NumberLoss& loss) {
        check::throws<std::invalid_argument>([&] { losses(tree, rows.view(), loss); });
    };
    squared({one, six, 1});
    squared({Numbers(8, 0.0), one, 1});
    squared({Numbers(8, 0.0), six, 0});
    const auto path = [&](const Numbers& critical, const Numbers& betas) {
        check::throws<std::invalid_argument>(
            [&] { along(tree, rows.view(), prices.loss(), critical, betas); });
    };
    path(one, {0, 1});
    path(six, {1, 0});
}};

}  // namespace

#include "branchline/grow_tree.hpp"

#include <stdexcept>

#include "tree/grower/columns.hpp"
#include "tree/grower/nodes.hpp"

namespace branchline {

namespace tree {

namespace {

// Nodes with fewer cells and rows are grown to the end by one worker, subtree by subtree.
constexpr std::size_t cells_of_large_node = std::size_t{1} << 17;
constexpr std::size_t rows_of_large_node = std::size_t{1} << 14;

}  // namespace

template <class Sides>
Grower<Sides>::Grower(std::span<const GrowColumn> columns, const GrowTarget& target,
                      const GrowOptions& options, std::size_t n_rows, StopSignal& stop)
    : columns_(columns), target_(target), options_(options), stop_(stop),
      logs_(Sides::Impurity::table_size(n_rows)), pool_(options.n_threads, stop) {
    for (std::size_t w = 0; w < pool_.n_workers(); ++w) desks_.emplace_back(target, logs_);
}

template <class Sides>
typename Grower<Sides>::Wide Grower<Sides>::make_lists(std::span<const RowIndex> rows) {
    Wide lists = Wide::of_tree(rows, columns_.size());
    const auto class_bits =
        can_scan<Sides> ? target_.class_of_row : std::span<const std::uint32_t>{};
    const auto sort = [&](std::size_t begin, std::size_t end, Desk<Sides>&) {
        for (std::size_t c = begin; c < end; ++c) {
            if (!gets_list(c, rows.size())) continue;
            lists.add_list(static_cast<int>(c), columns_[c], class_bits);
        }
    };
    for_columns(columns_.size(), rows.size(), nullptr, sort);
    local_id_.resize(rows.size());
    return lists;
}

template <class Sides>
GrownTree Grower<Sides>::grow(std::span<const RowIndex> rows) {
    TreeBuilder builder;
    Wide lists = make_lists(rows);
    OpenNode root = make_root(rows);
    summarize(root, rows_of(root, lists));
    root.node = builder.add_leaf(root.held());
    if (options_.max_leaves < std::numeric_limits<std::int64_t>::max()) {
        grow_best_first(std::move(root), lists, builder);
    } else {
        grow_all(std::move(root), lists, builder);
    }
    lists = {};
    GrownTree tree = builder.finish(options_.packs_contents);
    if (options_.keeps_leaves) tree.leaf_of_row = leaves_of(tree, columns_, rows);
    return tree;
}

template <class Sides>
bool Grower<Sides>::is_large(const OpenNode& open) const {
    const std::size_t n_rows = n_rows_of(open);
    return n_rows >= rows_of_large_node || n_rows * open.columns.size() >= cells_of_large_node;
}

template <class Sides>
void Grower<Sides>::grow_all(OpenNode root, Wide& lists, TreeBuilder& tree) {
    std::vector<OpenNode> large, small;
    large.push_back(std::move(root));
    while (!large.empty()) {
        OpenNode open = std::move(large.back());
        large.pop_back();
        if (!is_large(open)) {
            small.push_back(std::move(open));
            continue;
        }
        stop_.check();
        Candidate test = best_test(open, lists, nullptr);
        if (test.column < 0) continue;
        for (OpenNode& child : split(open, std::move(test), lists, tree, nullptr)) {
            large.push_back(std::move(child));
        }
    }
    std::vector<std::int32_t> places;
    for (const OpenNode& open : small) places.push_back(open.node);
    std::vector<TreeBuilder> subtrees(small.size());
    pool_.run(small.size(), [&](std::size_t i, std::size_t worker) {
        grow_small(std::move(small[i]), lists, subtrees[i], desks_[worker]);
    });
    for (std::size_t i = 0; i < places.size(); ++i) {
        TreeBuilder subtree = std::move(subtrees[i]);  // which is gone when it has been grafted
        tree.graft(places[i], std::move(subtree));
    }
}

template <class Sides>
void Grower<Sides>::grow_small(OpenNode root, const Wide& lists, TreeBuilder& tree,
                               Desk<Sides>& desk) {
    root.node = tree.add_leaf(root.held());
    auto own = Narrow::of_node(lists, root.begin, root.end, root.columns,
                               std::span<std::uint16_t>(local_id_));
    root.begin = 0;
    root.end = own.size();
    grow_subtree(std::move(root), own, tree, desk);
}

template <class Sides>
template <class Index>
void Grower<Sides>::grow_subtree(OpenNode root, SortedLists<Index>& lists, TreeBuilder& tree,
                                 Desk<Sides>& desk) {
    std::vector<OpenNode> open_nodes;
    open_nodes.push_back(std::move(root));
    while (!open_nodes.empty()) {
        stop_.poll();
        if (stop_.requested()) return;  // the pool says so
        OpenNode open = std::move(open_nodes.back());
        open_nodes.pop_back();
        Candidate test = best_test(open, lists, &desk);
        if (test.column < 0) continue;
        for (OpenNode& child : split(open, std::move(test), lists, tree, &desk)) {
            open_nodes.push_back(std::move(child));
        }
    }
}

template <class Sides>
void Grower<Sides>::grow_best_first(OpenNode root, Wide& lists, TreeBuilder& tree) {
    struct Offer {
        double worth;
        std::size_t place;
        bool operator<(const Offer& other) const {
            return worth != other.worth ? worth < other.worth : place > other.place;
        }
    };
    std::vector<OpenNode> open;
    std::vector<Candidate> tests;
    std::priority_queue<Offer> offers;
    std::int64_t n_leaves = 1;
    const auto consider = [&](OpenNode node) {
        Candidate test = best_test(node, lists, is_large(node) ? nullptr : &desks_[0]);
        if (test.column < 0) return;
        const double weight = facts_of(node, desks_[0].sides).impurity_weight;
        offers.push({test.gain * weight, open.size()});
        open.push_back(std::move(node));
        tests.push_back(std::move(test));
    };
    consider(std::move(root));
    while (!offers.empty() && n_leaves < options_.max_leaves) {
        stop_.check();
        const std::size_t place = offers.top().place;
        offers.pop();
        if (n_leaves + tests[place].n_branches - 1 > options_.max_leaves) continue;
        n_leaves += tests[place].n_branches - 1;
        OpenNode parent = std::move(open[place]);
        for (OpenNode& child : split(parent, std::move(tests[place]), lists, tree, &desks_[0])) {
            consider(std::move(child));
        }
    }
}

template <class Sides>
std::vector<ListedTest> Grower<Sides>::list(std::span<const RowIndex> rows) {
    Wide lists = Wide::of_tree(rows, columns_.size());
    OpenNode root = make_root(rows);
    summarize(root, rows_of(root, lists));
    NodeFacts facts = facts_of(root, desks_[0].sides);
    auto verdicts = look_at_all(root, lists, facts, nullptr);
    const int best = choose(verdicts, root.columns, columns_, facts, options_);
    std::vector<ListedTest> listed;
    for (std::size_t i = 0; i < verdicts.size(); ++i) {
        Candidate& test = verdicts[i].test;
        if (!test.is_test()) continue;
        listed.push_back({test.column, test.is_threshold, test.n_branches, test.missing_branch,
                          test.left_code, test.right_code, std::move(test.branch_of_code),
                          test.gain, test.split_information, test.score, test.p_value,
                          static_cast<int>(i) == best});
    }
    return listed;
}

namespace {

// Whether weights are about alike, not shared, and sums fit 64 bits (median_scan.hpp).
bool may_scan_medians(const GrowTarget& target, const GrowOptions& options,
                      std::span<const RowIndex> rows) {
    if (options.missing == MissingPolicy::fractional) return false;
    std::int64_t least = std::numeric_limits<std::int64_t>::max(), most = 0;
    double total = 0, largest = 0;
    for (const RowIndex row : rows) {
        const std::int64_t units = target.units.empty() ? 1 : target.units[row];
        least = std::min(least, units), most = std::max(most, units);
        total += static_cast<double>(units);
        for (std::size_t o = 0; o < target.n_outputs; ++o) {
            const auto value =
                static_cast<double>(target.values_of_row[row * target.n_outputs + o]);
            largest = std::max(largest, std::abs(value));
        }
    }
    return most / least <= 16 && total * largest * static_cast<double>(target.n_outputs) <= 0x1p62;
}

// Calls work(grower) with the grower that fits the criterion and the number of classes.
template <class Work>
auto with_grower(std::span<const GrowColumn> columns, const GrowTarget& target,
                 const GrowOptions& options, std::span<const RowIndex> rows, StopSignal& stop,
                 Work&& work) {
    const std::size_t n_rows = rows.size();
    const auto of_classes = [&]<class Impurity>(Impurity) {
        if (target.n_classes == 2) {
            return work(
                Grower<ClassSides<Impurity, TwoCounts>>(columns, target, options, n_rows, stop));
        }
        return work(
            Grower<ClassSides<Impurity, ManyCounts>>(columns, target, options, n_rows, stop));
    };
    switch (options.criterion) {
        case TreeCriterion::gini: return of_classes(GiniImpurity{});
        case TreeCriterion::entropy: return of_classes(EntropyImpurity{});
        case TreeCriterion::misclassification: return of_classes(ErrorImpurity{});
        case TreeCriterion::variance:
            return work(Grower<SquaredSides>(columns, target, options, n_rows, stop));
        case TreeCriterion::poisson:
            return work(Grower<PoissonSides>(columns, target, options, n_rows, stop));
        case TreeCriterion::absolute_error: {
            const std::vector<std::uint32_t> ranks = rank_targets(target, rows);
            GrowTarget ranked = target;
            ranked.rank_of_row = ranks;
            ranked.may_scan_medians = may_scan_medians(target, options, rows);
            return work(Grower<MedianSides>(columns, ranked, options, n_rows, stop));
        }
    }
    throw std::invalid_argument("unknown criterion");
}

}  // namespace

}  // namespace tree

GrownTree grow_tree(std::span<const GrowColumn> columns, std::span<const RowIndex> rows,
                    const GrowTarget& target, const GrowOptions& options, StopSignal& stop) {
    return tree::with_grower(columns, target, options, rows, stop,
                             [&](auto&& grower) { return grower.grow(rows); });
}

std::vector<ListedTest> list_tests(std::span<const GrowColumn> columns,
                                   std::span<const RowIndex> rows, const GrowTarget& target,
                                   const GrowOptions& options, StopSignal& stop) {
    return tree::with_grower(columns, target, options, rows, stop,
                             [&](auto&& grower) { return grower.list(rows); });
}

}  // namespace branchline

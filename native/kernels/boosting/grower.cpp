#include "boosting/grower.hpp"

#include <queue>

namespace branchline::boosting {

namespace {

// A few shares for each worker, so that none waits long for another.
std::vector<Tile> share_columns(std::size_t n_columns, std::size_t n_workers) {
    const std::size_t n = n_workers == 1 ? 1 : std::min(n_columns, 2 * n_workers);
    std::vector<Tile> shares;
    for (std::size_t s = 0; s < n; ++s) {
        const std::size_t first = n_columns * s / n;
        shares.push_back({first, n_columns * (s + 1) / n - first});
    }
    return shares;
}

}  // namespace

BoostingGrower::BoostingGrower(const BlockedRows& rows)
    : rows_(rows), kernels_(boosting_kernels_for(best_cpu_level())), node_rows_(rows),
      counter_(rows, kernels_), histograms_(rows.n_bins()) {}

void BoostingGrower::begin(const BoostingConstraints& constraints, const BoostingOptions& options,
                           ThreadPool& pool, StopSignal& stop) {
    constraints_ = constraints;
    options_ = options;
    pool_ = &pool;
    stop_ = &stop;
    counter_.begin(pool.n_workers());
    histograms_.limit(options.histogram_bytes);
    shares_ = share_columns(rows_.columns.size(), pool.n_workers());
    rooms_.resize(pool.n_workers());
    found_.resize(2 * shares_.size());
}

void BoostingGrower::grow(const BoostingTarget& target, std::uint64_t tree) {
    for (GrowingNode& node : nodes_) histograms_.give_back(node.histogram);
    nodes_.clear();
    const std::uint64_t seed = mix(options_.seed + golden * (tree + 1));
    words_.make(rows_, target, seed, kernels_, *pool_);
    for (Room& room : rooms_) {
        room.finder =
            std::make_unique<CutFinder>(rows_, constraints_, options_, words_.scale(), kernels_);
    }
    begin_root(seed);
    switch (options_.growth) {
        case TreeGrowth::leaf_wise: grow_leaf_wise(); break;
        case TreeGrowth::depth_wise: grow_depth_wise(); break;
        case TreeGrowth::symmetric: grow_symmetric(); break;
    }
}

void BoostingGrower::begin_root(std::uint64_t seed) {
    node_rows_.begin();
    n_leaves_ = 1;
    GrowingNode& root = nodes_.emplace_back();
    root.key = mix(seed ^ 0x2545F4914F6CDD1Du);
    tree_columns_.clear();
    draw_columns(tree_columns_, options_.columns_per_tree, root.key);
    root.open_groups.assign(constraints_.groups.size() / rows_.columns.size(), 1);
    allow_columns(root);
    root.histogram = histograms_.take();
    count_alone(0);
    for_shares([&](std::size_t s, std::size_t) {
        for (std::size_t c = shares_[s].first; c < shares_[s].first + shares_[s].n_columns; ++c) {
            counter_.collect(c, root.histogram->bins_of(rows_, c));
        }
    });
    counter_.finish();
    const Bins bins = root.histogram->bins_of(rows_, 0);
    for (std::size_t code = 0; code < bins.n; ++code) {
        root.view.sums += {bins.g[code], bins.hn[code]};
    }
    if (options_.growth == TreeGrowth::symmetric || !may_split(root)) return;
    std::fill(found_.begin(), found_.end(), Cut{});
    for_shares([&](std::size_t s, std::size_t worker) {
        find_in_share(0, shares_[s], rooms_[worker], found_[s]);
    });
    keep_best(0, std::span(found_).first(shares_.size()));
}

// -- orders of growth -------------------------------------------------------------------------------

void BoostingGrower::grow_leaf_wise() {
    const auto is_worse = [&](std::size_t a, std::size_t b) {
        const double gain_a = nodes_[a].cut.gain, gain_b = nodes_[b].cut.gain;
        return gain_a != gain_b ? gain_a < gain_b : a > b;
    };
    std::priority_queue<std::size_t, NodeIds, decltype(is_worse)> queue(is_worse);
    const auto add = [&](std::size_t node) {
        if (nodes_[node].cut.gain > 0) queue.push(node);
    };
    add(0);
    while (n_leaves_ < options_.max_leaves && !queue.empty()) {
        stop_->check();
        const std::size_t node = queue.top();
        queue.pop();
        split(node, true);
        const auto left = static_cast<std::size_t>(nodes_[node].first_child);
        add(left);
        add(left + 1);
    }
}

void BoostingGrower::grow_depth_wise() {
    NodeIds level{0};
    while (!level.empty() && n_leaves_ < options_.max_leaves) {
        stop_->check();
        NodeIds parents;
        for (const std::size_t node : level) {
            if (nodes_[node].cut.gain > 0) parents.push_back(node);
        }
        limit_leaves(parents);
        level.clear();
        for (const std::size_t node : parents) {
            split(node, true);
            const auto left = static_cast<std::size_t>(nodes_[node].first_child);
            level.insert(level.end(), {left, left + 1});
        }
    }
}

// Keeps those that gain most when all would be too many leaves.
void BoostingGrower::limit_leaves(NodeIds& parents) const {
    const auto room = static_cast<std::size_t>(options_.max_leaves - n_leaves_);
    if (parents.size() <= room) return;
    std::stable_sort(parents.begin(), parents.end(), [&](std::size_t a, std::size_t b) {
        return nodes_[a].cut.gain > nodes_[b].cut.gain;
    });
    parents.resize(room);
    std::sort(parents.begin(), parents.end());
}

// -- splitting --------------------------------------------------------------------------------------

void BoostingGrower::split(std::size_t parent, bool find) {
    stop_->check();
    add_children(parent);
    const Pair pair = pair_children(parent);
    part_and_count(pair);
    collect_and_find(pair, find);
}

void BoostingGrower::add_children(std::size_t parent) {
    const std::size_t left = nodes_.size();
    nodes_.resize(left + 2);
    node_rows_.add_nodes(2);
    ++n_leaves_;
    GrowingNode& from = nodes_[parent];
    from.first_child = static_cast<std::int64_t>(left);
    const std::uint32_t column = from.cut.side.column;
    const CutFinder& finder = *rooms_[0].finder;
    for (std::size_t branch = 0; branch < 2; ++branch) {
        GrowingNode& child = nodes_[left + branch];
        child.view.sums = branch == 0 ? from.cut.left : from.view.sums - from.cut.left;
        child.view.bounds = from.view.bounds;
        child.depth = from.depth + 1;
        child.key = forest::key_of_child(from.key, static_cast<int>(branch));
        child.open_groups = from.open_groups;
        for (std::size_t group = 0; group < child.open_groups.size(); ++group) {
            child.open_groups[group] &= constraints_.groups[group * rows_.columns.size() + column];
        }
        allow_columns(child);
    }
    const int direction = finder.direction(column);
    if (direction == 0) return;
    NodeView &low = nodes_[left].view, &high = nodes_[left + 1].view;
    const double middle =
        0.5 * (finder.value_of(low.sums, low.bounds) + finder.value_of(high.sums, high.bounds));
    (direction > 0 ? low : high).bounds.highest = middle;
    (direction > 0 ? high : low).bounds.lowest = middle;
}

// Which child is counted; gives both room for their histograms.
BoostingGrower::Pair BoostingGrower::pair_children(std::size_t parent) {
    const auto left = static_cast<std::size_t>(nodes_[parent].first_child);
    const bool left_is_small = nodes_[left].view.sums.n() <= nodes_[left + 1].view.sums.n();
    Pair pair{parent, left + !left_is_small, left + left_is_small, false, false, false};
    const bool is_full = n_leaves_ >= options_.max_leaves;
    pair.wants_small = !is_full && may_split(nodes_[pair.small]);
    pair.wants_large = !is_full && may_split(nodes_[pair.large]);
    std::unique_ptr<Histogram>& whole = nodes_[parent].histogram;
    pair.subtracts = pair.wants_large && whole != nullptr;
    if (pair.subtracts) {
        nodes_[pair.large].histogram = std::move(whole);
    } else {
        histograms_.give_back(whole);
        if (pair.wants_large) nodes_[pair.large].histogram = histograms_.take();
    }
    if (pair.wants_small || pair.subtracts) nodes_[pair.small].histogram = histograms_.take();
    return pair;
}

// Block by block, so that rows are still near when they are counted.
void BoostingGrower::part_and_count(const Pair& pair) {
    const GrowingNode& parent = nodes_[pair.parent];
    const auto left = static_cast<std::size_t>(parent.first_child);
    const bool counts = nodes_[pair.small].histogram != nullptr;
    for_blocks(parent.view.sums.n(), [&](std::size_t block, std::size_t worker) {
        node_rows_.apply_split(pair.parent, left, parent.cut.side, block, kernels_);
        if (counts) counter_.count(pair.small, block, node_rows_, words_, worker);
    });
}

void BoostingGrower::count_alone(std::size_t node) {
    for_blocks(static_cast<double>(rows_.n_rows), [&](std::size_t block, std::size_t worker) {
        counter_.count(node, block, node_rows_, words_, worker);
    });
}

void BoostingGrower::collect_and_find(const Pair& pair, bool find) {
    GrowingNode &small = nodes_[pair.small], &large = nodes_[pair.large];
    if (!small.histogram && !large.histogram) return;
    std::fill(found_.begin(), found_.end(), Cut{});
    const auto collect = [&](GrowingNode& node, const Tile& share) {
        for (std::size_t c = share.first; c < share.first + share.n_columns; ++c) {
            const Bins bins = node.histogram->bins_of(rows_, c);
            counter_.collect(c, bins);
            if (pair.subtracts) kernels_.subtract(large.histogram->bins_of(rows_, c), bins);
        }
    };
    const std::size_t n = shares_.size();
    for_shares([&](std::size_t s, std::size_t worker) {
        if (small.histogram) collect(small, shares_[s]);
        if (!find) return;
        Room& room = rooms_[worker];
        if (pair.wants_small) find_in_share(pair.small, shares_[s], room, found_[s]);
        if (pair.subtracts) find_in_share(pair.large, shares_[s], room, found_[n + s]);
    });
    counter_.finish();
    if (pair.wants_large && !pair.subtracts) {  // the parent's histogram was not kept
        count_alone(pair.large);
        for_shares([&](std::size_t s, std::size_t worker) {
            collect(large, shares_[s]);
            if (find) find_in_share(pair.large, shares_[s], rooms_[worker], found_[n + s]);
        });
        counter_.finish();
    }
    if (!pair.wants_small) histograms_.give_back(small.histogram);
    if (!find) return;
    if (pair.wants_small) keep_best(pair.small, std::span(found_).first(n));
    if (pair.wants_large) keep_best(pair.large, std::span(found_).last(n));
}

// Of what was found in shares of the columns: the most gain, then the first column.
void BoostingGrower::keep_best(std::size_t node, std::span<Cut> found) {
    GrowingNode& here = nodes_[node];
    for (Cut& cut : found) {
        if (cut.gain > here.cut.gain) here.cut = std::move(cut);
    }
    if (here.cut.gain <= 0 || histograms_.is_full()) histograms_.give_back(here.histogram);
}

void BoostingGrower::find_in_share(std::size_t node, const Tile& share, Room& room,
                                   Cut& best) const {
    const GrowingNode& here = nodes_[node];
    for (std::size_t c = share.first; c < share.first + share.n_columns; ++c) {
        if (!may_test(here, c)) continue;
        room.finder->find(c, here.histogram->bins_of(rows_, c), here.view, best);
    }
}

// -- what is allowed --------------------------------------------------------------------------------

bool BoostingGrower::may_split(const GrowingNode& node) const {
    return node.depth < options_.max_depth && node.view.sums.n() >= 2 &&
           node.view.sums.n() * std::ldexp(1.0, words_.scale().units_shift) >=
               2 * static_cast<double>(options_.min_leaf_units);
}

bool BoostingGrower::may_test(const GrowingNode& node, std::size_t column) const {
    return node.allowed.empty() || node.allowed[column] != 0;
}

// Keeps n of the allowed columns, drawn at random.
void BoostingGrower::draw_columns(std::vector<std::uint8_t>& allowed, std::size_t n,
                                  std::uint64_t key) const {
    const std::size_t n_columns = rows_.columns.size();
    if (n >= n_columns) return;
    std::vector<std::uint32_t> open;
    for (std::uint32_t c = 0; c < n_columns; ++c) {
        if (allowed.empty() || allowed[c] != 0) open.push_back(c);
    }
    forest::NodeDraws draws(key);
    allowed.assign(n_columns, 0);
    for (std::size_t k = 0; k < std::min(n, open.size()); ++k) {
        std::swap(open[k], open[k + draws.below(static_cast<std::uint32_t>(open.size() - k))]);
        allowed[open[k]] = 1;
    }
}

void BoostingGrower::allow_columns(GrowingNode& node) const {
    const std::size_t n_columns = rows_.columns.size();
    node.allowed = tree_columns_;
    if (!constraints_.groups.empty()) {
        if (node.allowed.empty()) node.allowed.assign(n_columns, 1);
        for (std::size_t c = 0; c < n_columns; ++c) {
            bool is_open = false;
            for (std::size_t group = 0; group < node.open_groups.size(); ++group) {
                is_open |=
                    node.open_groups[group] != 0 && constraints_.groups[group * n_columns + c] != 0;
            }
            node.allowed[c] &= static_cast<std::uint8_t>(is_open);
        }
    }
    draw_columns(node.allowed, options_.columns_per_node, mix(node.key));
}

}  // namespace branchline::boosting

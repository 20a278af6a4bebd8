#include "boosting/grower.hpp"

#include <queue>

namespace branchline::boosting {

BoostingGrower::BoostingGrower(const BlockedRows& rows)
    : rows_(rows), looks_(rows.parts == nullptr || rows.parts->looks()),
      kernels_(boosting_kernels_for(best_cpu_level())), node_rows_(rows), counter_(rows, kernels_),
      histograms_(rows.n_bins()) {}

void BoostingGrower::begin(const BoostingConstraints& constraints, const BoostingOptions& options,
                           ThreadPool& pool, StopSignal& stop) {
    constraints_ = constraints;
    options_ = options;
    pool_ = &pool;
    stop_ = &stop;
    counter_.begin(pool.n_workers());
    histograms_.limit(options.histogram_bytes);
    // A few for each worker, so that none waits long for another.
    shares_ = rows_.shares(pool.n_workers() == 1 ? 1 : 2 * pool.n_workers());
    rooms_.resize(pool.n_workers());
    found_.resize(2 * shares_.size());
}

void BoostingGrower::grow(const BoostingTarget& target, std::uint64_t tree) {
    for (GrowingNode& node : nodes_) histograms_.give_back(node.histogram);
    nodes_.clear();
    const std::uint64_t seed = mix(options_.seed + golden * (tree + 1));
    words_.make(rows_, target, seed, kernels_, *pool_);
    for (Room& room : rooms_) {
        room.finder = std::make_unique<CutFinder>(rows_, constraints_, options_, words_, kernels_);
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
    root.histogram = histograms_.take(packs(n_units()));
    count_whole(0, n_units());
    if (looks_) root.view.sums = sums_of(*root.histogram);
    const bool finds = options_.growth != TreeGrowth::symmetric;
    if (finds && looks_ && may_split(root)) find_whole(0);
    if (rows_.parts != nullptr) tell_root(finds);
}

double BoostingGrower::n_units() const {
    return static_cast<double>(words_.units(words_.extent().units));
}

// Every row is in some bin of every bundle.
NodeSums BoostingGrower::sums_of(const Histogram& histogram) const {
    NodeSums sums;
    for (std::size_t bin = 0; bin < rows_.bundles[0].n_bins; ++bin) {
        sums += histogram.is_packed() ? sums_of_word(histogram.words[bin])
                                      : NodeSums{histogram.g[bin], histogram.hn[bin]};
    }
    return sums;
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

// Which child is counted, and how; gives both room for their histograms.
BoostingGrower::Pair BoostingGrower::pair_children(std::size_t parent) {
    const auto left = static_cast<std::size_t>(nodes_[parent].first_child);
    const bool left_is_small = nodes_[left].view.sums.n() <= nodes_[left + 1].view.sums.n();
    Pair pair{parent, left + !left_is_small, left + left_is_small};
    GrowingNode &small = nodes_[pair.small], &large = nodes_[pair.large];
    const bool is_full = n_leaves_ >= options_.max_leaves;
    pair.wants_small = !is_full && may_split(small);
    pair.wants_large = !is_full && may_split(large);
    pair.by_share = counts_by_share(small.view.sums.n());
    std::unique_ptr<Histogram>& whole = nodes_[parent].histogram;
    pair.subtracts = pair.wants_large && whole != nullptr;
    if (pair.subtracts && whole->is_packed() == packs(large.view.sums.n())) {
        large.histogram = std::move(whole);
    } else {
        if (!pair.subtracts) histograms_.give_back(whole);
        if (pair.wants_large) large.histogram = histograms_.take(packs(large.view.sums.n()));
    }
    if (pair.wants_small || pair.subtracts) {
        small.histogram = histograms_.take(packs(small.view.sums.n()));
    }
    return pair;
}

// Block by block, so that rows are still near when they are counted.
void BoostingGrower::part_and_count(const Pair& pair) {
    const GrowingNode& parent = nodes_[pair.parent];
    const auto left = static_cast<std::size_t>(parent.first_child);
    const bool counts = nodes_[pair.small].histogram != nullptr && !pair.by_share;
    const GrowColumn& column = rows_.columns[parent.cut.side.column];
    const CodeSet bits =
        column.codes.width == 1 ? parent.cut.side.bits(column.n_codes) : CodeSet{};
    for_blocks(parent.view.sums.n(), [&](std::size_t block, std::size_t worker) {
        node_rows_.apply_split(pair.parent, left, parent.cut.side, bits, block, kernels_);
        if (counts) counter_.count(pair.small, block, node_rows_, words_, worker);
    });
}

void BoostingGrower::collect_and_find(const Pair& pair, bool find) {
    GrowingNode &small = nodes_[pair.small], &large = nodes_[pair.large];
    const bool counted = small.histogram != nullptr;
    const std::size_t n = shares_.size();
    if (counted) {
        if (rows_.parts != nullptr) collect_parts(pair);
        if (looks_) look_at_pair(pair, find);
        counter_.finish();
        histograms_.give_back(nodes_[pair.parent].histogram);
    }
    if (!pair.wants_small) histograms_.give_back(small.histogram);
    const bool finds_small = find && pair.wants_small, finds_large = find && pair.subtracts;
    if (looks_) {
        if (finds_small) keep_best(pair.small, std::span(found_).first(n));
        if (finds_large) keep_best(pair.large, std::span(found_).last(n));
    }
    if (counted && rows_.parts != nullptr) tell_pair(pair, finds_small, finds_large);
    if (!pair.wants_large || pair.subtracts) return;
    count_whole(pair.large, large.view.sums.n());  // the parent's histogram was not kept
    if (find && looks_) find_whole(pair.large);
    if (rows_.parts != nullptr) tell_cuts(find ? NodeIds{pair.large} : NodeIds{});
}

void BoostingGrower::look_at_pair(const Pair& pair, bool find) {
    const std::size_t n = shares_.size();
    const bool has_parts = rows_.parts != nullptr;
    const double n_rows = nodes_[pair.small].view.sums.n();
    for_shares(work_of(n_rows, pair.by_share, 2), [&](std::size_t s, std::size_t worker) {
        if (pair.by_share && !has_parts) {
            counter_.count_share(pair.small, shares_[s], node_rows_, words_, worker);
        }
        Room& room = rooms_[worker];
        Found in_small, in_large;
        for (std::size_t b = shares_[s].first; b < shares_[s].end; ++b) {
            if (has_parts) {
                if (pair.subtracts) subtract(pair, b);
            } else {
                collect_both(pair, b, worker);
            }
            if (find && pair.wants_small) find_in_bundle(pair.small, b, room, in_small);
            if (find && pair.subtracts) find_in_bundle(pair.large, b, room, in_large);
        }
        found_[s] = cut_of(pair.small, in_small, room);
        found_[n + s] = cut_of(pair.large, in_large, room);
    });
}

void BoostingGrower::collect(Histogram& histogram, std::size_t bundle, bool by_share,
                             std::size_t worker) {
    if (by_share) {
        counter_.take(bundle, histogram, worker);
    } else {
        counter_.collect(bundle, histogram, worker);
    }
}

// The small child, and what it leaves to the large one.
void BoostingGrower::collect_both(const Pair& pair, std::size_t bundle, std::size_t worker) {
    Histogram& small = *nodes_[pair.small].histogram;
    Histogram* large = nodes_[pair.large].histogram.get();
    const bool was_packed = nodes_[pair.parent].histogram == nullptr;
    if (pair.by_share && pair.subtracts && was_packed && large->is_packed()) {
        counter_.take_from(bundle, small, *large, worker);
        return;
    }
    collect(small, bundle, pair.by_share, worker);
    if (pair.subtracts) subtract(pair, bundle);
}

// What is left of the parent when the small child is taken away. Where the large child is packed and
// the parent was not, the parent's histogram is still its own.
void BoostingGrower::subtract(const Pair& pair, std::size_t bundle) {
    Histogram &small = *nodes_[pair.small].histogram, &large = *nodes_[pair.large].histogram;
    Histogram* whole = nodes_[pair.parent].histogram.get();
    if (whole == nullptr && large.is_packed()) {
        kernels_.subtract_words(large.words_of(rows_, bundle), small.words_of(rows_, bundle),
                                rows_.bundles[bundle].n_bins);
        return;
    }
    const Bins rest = (whole == nullptr ? large : *whole).bins_of(rows_, bundle);
    if (small.is_packed()) {
        const std::uint64_t* words = small.words_of(rows_, bundle);
        for (std::size_t i = 0; i < rest.n; ++i) {
            const NodeSums less = sums_of_word(words[i]);
            rest.g[i] -= less.g;
            rest.hn[i] -= less.hn;
        }
    } else {
        kernels_.subtract(rest, small.bins_of(rows_, bundle));
    }
    if (whole == nullptr) return;
    std::uint64_t* words = large.words_of(rows_, bundle);
    for (std::size_t i = 0; i < rest.n; ++i) words[i] = word_of_sums({rest.g[i], rest.hn[i]});
}

void BoostingGrower::count_whole(std::size_t node, double n_rows) {
    const bool by_share = counts_by_share(n_rows);
    if (!by_share) {
        for_blocks(n_rows, [&](std::size_t block, std::size_t worker) {
            counter_.count(node, block, node_rows_, words_, worker);
        });
    }
    for_shares(work_of(n_rows, by_share, 0.5), [&](std::size_t s, std::size_t worker) {
        if (by_share) counter_.count_share(node, shares_[s], node_rows_, words_, worker);
        for (std::size_t b = shares_[s].first; b < shares_[s].end; ++b) {
            collect(*nodes_[node].histogram, b, by_share, worker);
        }
    });
    counter_.finish();
    if (rows_.parts != nullptr) gather(*nodes_[node].histogram);
}

void BoostingGrower::find_whole(std::size_t node) {
    for_shares(work_of(0, false, 1), [&](std::size_t s, std::size_t worker) {
        Room& room = rooms_[worker];
        Found found;
        for (std::size_t b = shares_[s].first; b < shares_[s].end; ++b) {
            find_in_bundle(node, b, room, found);
        }
        found_[s] = cut_of(node, found, room);
    });
    keep_best(node, std::span(found_).first(shares_.size()));
}

// Of what was found in shares of the bundles.
void BoostingGrower::keep_best(std::size_t node, std::span<Cut> found) {
    GrowingNode& here = nodes_[node];
    for (Cut& cut : found) {
        if (is_better(cut.gain, cut.side.column, here.cut.gain, here.cut.side.column)) {
            here.cut = std::move(cut);
        }
    }
    drop_unused(here);
}

void BoostingGrower::drop_unused(GrowingNode& node) {
    if (node.cut.gain <= 0 || histograms_.is_full()) histograms_.give_back(node.histogram);
}

void BoostingGrower::find_in_bundle(std::size_t node, std::size_t bundle, Room& room, Found& best) {
    GrowingNode& here = nodes_[node];
    for (const std::uint32_t column : rows_.bundles[bundle].columns) {
        if (may_test(here, column)) room.finder->find(column, *here.histogram, here.view, best);
    }
}

Cut BoostingGrower::cut_of(std::size_t node, const Found& found, Room& room) {
    GrowingNode& here = nodes_[node];
    return here.histogram ? room.finder->make(found, *here.histogram, here.view) : Cut{};
}

// -- how a node is counted ----------------------------------------------------------------------------

bool BoostingGrower::packs(double n_rows) const {
    const WordScale& scale = words_.scale();
    return scale.is_light && scale.units_shift == 0 && n_rows <= most_word_rows;
}

// Shares where blocks give threads too little to do; but each share reads all lines of the rows' codes.
bool BoostingGrower::counts_by_share(double n_rows) const {
    constexpr double few = 4096;
    const std::size_t n_workers = pool_->n_workers();
    return n_workers > 1 && packs(n_rows) && (n_rows <= few || rows_.n_blocks() < 2 * n_workers);
}

// Nanoseconds, about: rows are counted where this is by shares, bins of n_nodes nodes looked at.
double BoostingGrower::work_of(double n_rows, bool by_share, double n_nodes) const {
    const auto n_bins = static_cast<double>(rows_.n_bins());
    const auto n_bundles = static_cast<double>(rows_.bundles.size());
    return work_a_bin * n_nodes * n_bins + (by_share ? n_rows * n_bundles : 0);
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

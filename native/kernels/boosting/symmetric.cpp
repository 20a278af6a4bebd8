// Symmetric growth: one test for all nodes of a level.
#include "boosting/grower.hpp"

namespace branchline::boosting {

namespace {

// Adds what each cut gains in one node, where it gains anything.
void add_gains(const CutFinder& finder, const std::vector<double>& scores, double whole,
               std::vector<double>& total) {
    for (std::size_t i = 1; i < total.size(); ++i) {
        total[i] += std::max(0.0, finder.gain_of(scores[i], whole));
    }
}

NodeSums sums_on_left(const Side& side, Bins bins) {
    NodeSums left;
    for (std::size_t code = 0; code < bins.n; ++code) {
        if (!side.sends_right(static_cast<Code>(code))) left += {bins.g[code], bins.hn[code]};
    }
    return left;
}

}  // namespace

void BoostingGrower::grow_symmetric() {
    NodeIds level{0};
    while (!level.empty() && n_leaves_ < options_.max_leaves &&
           nodes_[level[0]].depth < options_.max_depth) {
        stop_->check();
        NodeIds parents;
        if (!find_parents(level, parents)) return;
        limit_leaves(parents);
        for (const std::size_t node : parents) split(node, false);
        NodeIds next;
        for (const std::size_t node : level) {
            GrowingNode& here = nodes_[node];
            ++here.depth;  // a node that stays whole has been asked too
            if (here.first_child < 0) {
                if (here.histogram) next.push_back(node);
                continue;
            }
            for (const std::int64_t child : {here.first_child, here.first_child + 1}) {
                const auto id = static_cast<std::size_t>(child);
                if (nodes_[id].histogram) next.push_back(id);
            }
        }
        level = std::move(next);
    }
}

// Gives the nodes in which the test of a level gains; returns whether there is such a test.
bool BoostingGrower::find_parents(const NodeIds& level, NodeIds& parents) {
    bool is_found = false;
    if (looks_) {
        const Common common = find_common(level);
        is_found = common.gain > 0;
        if (is_found) parents = nodes_that_gain(level, common);
    }
    return rows_.parts == nullptr ? is_found : tell_level(is_found, parents);
}

BoostingGrower::Common BoostingGrower::find_common(const NodeIds& level) {
    std::vector<Common> of_share(shares_.size());
    const double n_scored = static_cast<double>(level.size() * rows_.n_bins());
    for_shares(work_a_bin * n_scored, [&](std::size_t s, std::size_t worker) {
        for_columns(shares_[s], [&](std::size_t column) {
            if (rows_.columns[column].is_category) {
                find_common_categories(column, level, rooms_[worker], of_share[s]);
            } else {
                find_common_threshold(column, level, rooms_[worker], of_share[s]);
            }
        });
    });
    Common best;
    for (Common& common : of_share) {
        if (is_better(common.gain, common.side.column, best.gain, best.side.column)) {
            best = std::move(common);
        }
    }
    return best;
}

Bins BoostingGrower::pooled_bins(std::size_t column, const NodeIds& level, Room& room) {
    room.g.assign(rows_.bins_of(column), 0);
    room.hn.assign(rows_.bins_of(column), 0);
    for (const std::size_t node : level) {
        GrowingNode& here = nodes_[node];
        const Bins bins = room.finder->bins_of(column, *here.histogram, here.view);
        for (std::size_t code = 0; code < bins.n; ++code) {
            room.g[code] += bins.g[code];
            room.hn[code] += bins.hn[code];
        }
    }
    return {room.g.data(), room.hn.data(), room.g.size()};
}

void BoostingGrower::find_common_threshold(std::size_t column, const NodeIds& level, Room& room,
                                           Common& best) {
    room.right_total.assign(rows_.bins_of(column), 0);
    room.left_total.assign(rows_.bins_of(column), 0);
    for (const std::size_t node : level) {
        if (!may_test(nodes_[node], column)) continue;
        const NodeView& view = nodes_[node].view;
        const Bins bins = room.finder->bins_of(column, *nodes_[node].histogram, view);
        room.finder->score_thresholds(column, bins, view, room.right, room.left);
        const double whole = room.finder->score_to_beat(view);
        add_gains(*room.finder, room.right, whole, room.right_total);
        add_gains(*room.finder, room.left.empty() ? room.right : room.left, whole, room.left_total);
    }
    double gain = 0;
    Code code = 0;
    bool missing_left = false;
    for (const bool left : {false, true}) {
        const std::vector<double>& total = left ? room.left_total : room.right_total;
        for (std::size_t c = 1; c < total.size(); ++c) {
            if (total[c] > gain) {
                gain = total[c];
                code = static_cast<Code>(c);
                missing_left = left;
            }
        }
    }
    if (!is_better(gain, column, best.gain, best.side.column)) return;
    NodeView all;
    const Bins pooled = pooled_bins(column, level, room);
    for (std::size_t c = 0; c < pooled.n; ++c) all.sums += {pooled.g[c], pooled.hn[c]};
    Cut cut = room.finder->threshold_at(column, pooled, all, code, missing_left, gain);
    best = {gain, std::move(cut.side), cut.right_code};
}

void BoostingGrower::find_common_categories(std::size_t column, const NodeIds& level, Room& room,
                                            Common& best) {
    NodeView all;
    const Bins pooled = pooled_bins(column, level, room);
    for (std::size_t c = 0; c < pooled.n; ++c) all.sums += {pooled.g[c], pooled.hn[c]};
    room.finder->order_categories(pooled, all.sums);
    room.right_total.assign(room.finder->n_ordered() + 1, 0);
    for (const std::size_t node : level) {
        if (!may_test(nodes_[node], column)) continue;
        const NodeView& view = nodes_[node].view;
        const Bins bins = room.finder->bins_of(column, *nodes_[node].histogram, view);
        room.finder->score_categories(bins, view, room.right);
        add_gains(*room.finder, room.right, room.finder->score_to_beat(view), room.right_total);
    }
    const auto most = std::max_element(room.right_total.begin(), room.right_total.end());
    const double gain = *most - room.finder->chance_gain();
    if (!is_better(gain, column, best.gain, best.side.column)) return;
    const auto n_left = static_cast<std::size_t>(most - room.right_total.begin());
    Cut cut = room.finder->categories_at(column, pooled, all, n_left, gain);
    best = {gain, std::move(cut.side), 0};
}

// Gives the test to the nodes in which it gains.
BoostingGrower::NodeIds BoostingGrower::nodes_that_gain(const NodeIds& level,
                                                        const Common& common) {
    NodeIds parents;
    const std::uint32_t column = common.side.column;
    for (const std::size_t node : level) {
        GrowingNode& here = nodes_[node];
        if (!may_test(here, column)) continue;
        const Bins bins = rooms_[0].finder->bins_of(column, *here.histogram, here.view);
        const NodeSums left = sums_on_left(common.side, bins);
        const double gain = rooms_[0].finder->gain_of_left(column, here.view, left);
        if (!(gain > 0)) continue;
        here.cut = {gain, common.side, common.right_code, left};
        parents.push_back(node);
    }
    return parents;
}

}  // namespace branchline::boosting

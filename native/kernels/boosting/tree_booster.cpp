#include <bit>
#include <cmath>
#include <stdexcept>

#include "boosting/grower.hpp"
#include "boosting/replay.hpp"
#include "branchline/tree_walker.hpp"

namespace branchline {

namespace boosting {

namespace {

// What a number is multiplied by so that the sum over all units stays below 2^62.
double fixed_point_factor(double largest, std::int64_t units) {
    if (largest <= 0) return 1;
    int value_bits = 0;
    std::frexp(largest, &value_bits);
    const auto unit_bits = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(units)));
    return std::ldexp(1.0, 62 - value_bits - unit_bits);
}

class LeafSummer {
  public:
    LeafSummer(const BoostingGrower& grower, const BlockedRows& rows, const BoostingTarget& target,
               std::span<const std::size_t> leaves)
        : grower_(grower), rows_(rows), target_(target), leaves_(leaves),
          kernels_(boosting_kernels_for(best_cpu_level())),
          factors_{fixed_point_factor(grower.words().extent().g, grower.words().extent().units),
                   fixed_point_factor(grower.words().extent().h, grower.words().extent().units)} {}

    // Sums the rows of a block, and writes the leaf of each.
    void sum_block(std::size_t block, std::span<LeafSums> sums, std::uint32_t* leaf_of_row) const {
        const std::size_t first = rows_.first_row(block);
        const float* hessians = target_.hessians.empty() ? nullptr : &target_.hessians[first];
        const std::int64_t* units = target_.units.empty() ? nullptr : &target_.units[first];
        for (std::size_t leaf = 0; leaf < leaves_.size(); ++leaf) {
            const auto rows = grower_.node_rows().rows(leaves_[leaf], block);
            for (const std::uint16_t row : rows) {
                leaf_of_row[first + row] = static_cast<std::uint32_t>(leaf);
            }
            sums[leaf] = kernels_.sum_rows(rows.data(), rows.size(), &target_.gradients[first],
                                           hessians, units, factors_);
        }
    }
    double gradient(const LeafSums& sums) const { return static_cast<double>(sums.g) / factors_.g; }
    double hessian(const LeafSums& sums) const {
        return target_.hessians.empty() ? static_cast<double>(sums.units)
                                        : static_cast<double>(sums.h) / factors_.h;
    }

  private:
    const BoostingGrower& grower_;
    const BlockedRows& rows_;
    const BoostingTarget& target_;
    std::span<const std::size_t> leaves_;
    const BoostingKernels& kernels_;
    LeafFactors factors_;
};

void write_test(const GrowingNode& node, const BlockedRows& rows, BoostedTrees& out) {
    const Side& side = node.cut.side;
    out.kind.push_back(
        static_cast<std::uint8_t>(side.is_threshold ? NodeKind::threshold : NodeKind::categories));
    out.feature.push_back(side.column);
    out.left_code.push_back(side.is_threshold ? side.cut : 0);
    out.right_code.push_back(node.cut.right_code);
    out.missing_left.push_back(side.missing_left);
    out.gain.push_back(node.cut.gain);
    if (side.is_threshold) return;
    const std::size_t n_codes = rows.columns[side.column].n_codes, first_byte = out.pool.size();
    out.pool.resize(first_byte + (n_codes + 7) / 8, 0);
    for (std::size_t c = 0; c < n_codes; ++c) {
        if (side.goes_right[c + 1] == 0) continue;
        out.pool[first_byte + c / 8] |= static_cast<std::uint8_t>(1u << (c % 8));
    }
}

// Writes the nodes in level order; returns the leaves in that order.
std::vector<std::size_t> write_nodes(std::span<const GrowingNode> nodes, const BlockedRows& rows,
                                     BoostedTrees& out) {
    std::vector<std::size_t> order{0}, leaves;
    for (std::size_t at = 0; at < order.size(); ++at) {
        const GrowingNode& node = nodes[order[at]];
        if (node.first_child < 0) {
            out.kind.push_back(static_cast<std::uint8_t>(NodeKind::leaf));
            out.lowest.push_back(node.view.bounds.lowest);
            out.highest.push_back(node.view.bounds.highest);
            leaves.push_back(order[at]);
            continue;
        }
        write_test(node, rows, out);
        const auto left = static_cast<std::size_t>(node.first_child);
        order.insert(order.end(), {left, left + 1});
    }
    out.n_nodes.push_back(static_cast<std::int64_t>(nodes.size()));
    return leaves;
}

void add_parts(PartSums& parts, std::span<LeafSums> leaves) {
    std::vector<std::uint64_t> sums;
    for (const LeafSums& leaf : leaves) {
        for (const std::int64_t sum : {leaf.g, leaf.h, leaf.units}) {
            sums.push_back(static_cast<std::uint64_t>(sum));
        }
    }
    parts.add(sums);
    for (std::size_t leaf = 0; leaf < leaves.size(); ++leaf) {
        leaves[leaf] = {static_cast<std::int64_t>(sums[3 * leaf]),
                        static_cast<std::int64_t>(sums[3 * leaf + 1]),
                        static_cast<std::int64_t>(sums[3 * leaf + 2])};
    }
}

void write_leaves(const BoostingGrower& grower, const BlockedRows& rows,
                  const BoostingTarget& target, std::span<const std::size_t> leaves,
                  ThreadPool& pool, BoostedTrees& out, std::uint32_t* leaf_of_row) {
    const LeafSummer summer(grower, rows, target, leaves);
    std::vector<LeafSums> of_block(rows.n_blocks() * leaves.size());
    pool.run(rows.n_blocks(), [&](std::size_t block, std::size_t) {
        const auto sums = std::span(of_block).subspan(block * leaves.size(), leaves.size());
        summer.sum_block(block, sums, leaf_of_row);
    });
    std::vector<LeafSums> totals(leaves.size());
    for (std::size_t block = 0; block < rows.n_blocks(); ++block) {
        for (std::size_t leaf = 0; leaf < leaves.size(); ++leaf) {
            const LeafSums& sums = of_block[block * leaves.size() + leaf];
            totals[leaf].g += sums.g;
            totals[leaf].h += sums.h;
            totals[leaf].units += sums.units;
        }
    }
    if (rows.parts != nullptr) add_parts(*rows.parts, totals);
    for (const LeafSums& total : totals) {
        out.sum_gradient.push_back(summer.gradient(total));
        out.sum_hessian.push_back(summer.hessian(total));
        out.units.push_back(total.units);
    }
}

}  // namespace

}  // namespace boosting

struct TreeBooster::Parts {
    boosting::BlockedRows rows;
    // Kept from call to call: memory and starting threads are costly.
    std::unique_ptr<boosting::BoostingGrower> grower;
    std::unique_ptr<ThreadPool> pool;
    RoundRoom room;
    int n_threads = 0;

    ThreadPool& pool_for(int n, StopSignal& stop) {
        if (!pool || n != n_threads || !pool->is_of_this_process()) {
            // Splits of small nodes take microseconds and follow one another closely.
            pool = std::make_unique<ThreadPool>(n, stop, std::chrono::microseconds{200});
            n_threads = n;
        }
        pool->listen_to(stop);
        return *pool;
    }
};

TreeBooster::TreeBooster(std::span<const GrowColumn> columns, std::size_t n_rows,
                         std::span<const std::uint64_t> keys, std::size_t block_rows, int n_threads,
                         StopSignal& stop, PartSums* parts)
    : parts_(std::make_unique<Parts>()) {
    parts_->rows =
        boosting::make_blocked_rows(columns, n_rows, keys, block_rows, n_threads, stop, parts);
}
TreeBooster::~TreeBooster() = default;
TreeBooster::TreeBooster(TreeBooster&&) noexcept = default;
std::size_t TreeBooster::n_rows() const noexcept { return parts_->rows.n_rows; }
std::size_t TreeBooster::n_columns() const noexcept { return parts_->rows.columns.size(); }

PartSums* TreeBooster::parts() const noexcept { return parts_->rows.parts; }
RoundRoom& TreeBooster::room() noexcept { return parts_->room; }

BoostedTrees TreeBooster::grow(std::span<const BoostingTarget> targets,
                               const BoostingConstraints& constraints,
                               const BoostingOptions& options, std::span<std::uint32_t> leaf_of_row,
                               StopSignal& stop) {
    BoostedTrees out;
    grow_into(out, targets, constraints, options, leaf_of_row, stop);
    return out;
}

void TreeBooster::grow_into(BoostedTrees& out, std::span<const BoostingTarget> targets,
                            const BoostingConstraints& constraints, const BoostingOptions& options,
                            std::span<std::uint32_t> leaf_of_row, StopSignal& stop) {
    const boosting::BlockedRows& rows = parts_->rows;
    // Taken out meanwhile: one that was interrupted is not used again.
    auto grower = std::move(parts_->grower);
    if (!grower) grower = std::make_unique<boosting::BoostingGrower>(rows);
    ThreadPool& pool = parts_->pool_for(options.n_threads, stop);
    grower->begin(constraints, options, pool, stop);
    for (std::size_t t = 0; t < targets.size(); ++t) {
        grower->grow(targets[t], t);
        const auto leaves = boosting::write_nodes(grower->nodes(), rows, out);
        boosting::write_leaves(*grower, rows, targets[t], leaves, pool, out,
                               leaf_of_row.data() + t * rows.n_rows);
    }
    parts_->grower = std::move(grower);
}

void TreeBooster::replay(const GrownTrees& trees, std::span<const double> values,
                         std::span<double> scores, int n_threads, StopSignal& stop) {
    boosting::replay_trees(parts_->rows, trees, values, scores, parts_->pool_for(n_threads, stop));
}

void add_leaf_values(std::span<const std::uint32_t> leaf_of_row,
                     std::span<const std::int64_t> n_leaves, std::span<const double> values,
                     std::span<double> scores, int n_threads, StopSignal& stop) {
    constexpr std::size_t size = TreeBooster::most_block_rows, least_a_thread = 131072;
    std::vector<std::span<const double>> values_of(n_leaves.size());
    for (std::size_t tree = 0, first = 0; tree < n_leaves.size(); ++tree) {
        const auto n = static_cast<std::size_t>(n_leaves[tree]);
        values_of[tree] = values.subspan(first, n);
        first += n;
    }
    const auto& kernels = boosting::boosting_kernels_for(best_cpu_level());
    const std::size_t n_rows = scores.size() / n_leaves.size();
    const std::size_t n_blocks = (n_rows + size - 1) / size;
    ThreadPool pool(threads_for(scores.size(), least_a_thread, n_threads), stop);
    pool.run(n_blocks * n_leaves.size(), [&](std::size_t task, std::size_t) {
        const std::size_t tree = task / n_blocks, first = tree * n_rows;
        const std::span<const double> known = values_of[tree];
        const std::size_t begin = task % n_blocks * size, end = std::min(n_rows, begin + size);
        const bool are_there =
            kernels.add_values(leaf_of_row.data() + first + begin, end - begin, known.data(),
                               known.size(), scores.data() + first + begin);
        if (!are_there) throw std::out_of_range("no such leaf");
    });
}

}  // namespace branchline

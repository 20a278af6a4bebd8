// What the trees that did not see a row say of it.
#include <atomic>
#include <stdexcept>

#include "branchline/forest_walker.hpp"
#include "forest/walker/blocks.hpp"

namespace branchline {

namespace {

// Rows of other threads may be in the same leaf. Integers: the order of additions does not matter.
void add_shared(std::int64_t& sum, std::int64_t value) {
    std::atomic_ref<std::int64_t>(sum).fetch_add(value, std::memory_order_relaxed);
}

class OutOfBagBlock {
  public:
    OutOfBagBlock(const CompactForest& forest, const BagTargets& targets, const OutOfBag& out,
                  std::size_t first_row, BlockRoom& room)
        : forest_(forest), targets_(targets), out_(out), first_row_(first_row), room_(room) {}

    void add_tree(std::size_t tree, const Bag& bag, std::size_t n_rows) {
        rows_.clear();
        copies_.clear();
        for (std::uint32_t i = 0; i < n_rows; ++i) {
            const std::uint32_t n = bag.left_out(first_row_ + i);
            if (n == 0) continue;
            rows_.push_back(i);
            copies_.push_back(n);
        }
        std::copy(rows_.begin(), rows_.end(), room_.row.begin());
        walk_tree(forest_, tree, rows_.size(), room_);
        places_.clear();
        for (const std::uint32_t i : rows_) places_.push_back(room_.place_of_row[i]);
        const ForestKernels& kernels = forest_kernels_for(best_cpu_level());
        kernels.number_leaves(forest_.leaves_of(tree), places_, room_.number.data());
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            add_row(first_row_ + rows_[i], forest_.first_leaf[tree] + room_.number[i], copies_[i]);
        }
    }

  private:
    void add_row(std::size_t row, std::size_t leaf, std::int64_t n_copies) {
        const std::size_t width = forest_.width;
        const double* const value = forest_.value_at(leaf);
        const auto times = static_cast<double>(n_copies);
        for (std::size_t i = 0; i < width; ++i) out_.sums[row * width + i] += times * value[i];
        out_.n_votes[row] += n_copies;
        const std::int64_t units = n_copies * (targets_.units.empty() ? 1 : targets_.units[row]);
        if (!targets_.class_of_row.empty()) {
            add_shared(out_.of_leaves[leaf * width + targets_.class_of_row[row]], units);
            return;
        }
        const auto held = out_.of_leaves.subspan(leaf * (1 + width), 1 + width);
        add_shared(held[0], units);
        for (std::size_t i = 0; i < width; ++i) {
            add_shared(held[1 + i], n_copies * targets_.sums[row * width + i]);
        }
    }

    const CompactForest& forest_;
    const BagTargets& targets_;
    const OutOfBag& out_;
    std::size_t first_row_;
    BlockRoom& room_;
    std::vector<std::uint32_t> rows_, copies_, places_;
};

void require(bool holds, const char* what) {
    if (!holds) throw std::invalid_argument(what);
}

void check_targets(const CompactForest& forest, const BagTargets& targets, const OutOfBag& out) {
    const std::size_t n_rows = out.n_votes.size(), width = forest.width;
    const bool has_classes = targets.sums.empty();
    require(has_classes ? targets.class_of_row.size() == n_rows
                        : targets.class_of_row.empty() && targets.sums.size() == n_rows * width,
            "a class, or a sum for each output, of every row");
    for (const std::uint32_t k : targets.class_of_row) require(k < width, "a class in range");
    require(targets.units.empty() || targets.units.size() == n_rows, "units for each row");
    require(out.sums.size() == n_rows * width &&
                out.of_leaves.size() == forest.n_leaves * (has_classes ? width : 1 + width),
            "room for the sums of rows and leaves");
}

}  // namespace

void ForestWalker::out_of_bag(std::span<const ColumnView> columns, std::span<const Bag> bag_of_tree,
                              const BagTargets& targets, const OutOfBag& out, int n_threads,
                              StopSignal& stop) const {
    require(bag_of_tree.size() == n_trees(), "a bag for each tree");
    check_targets(*forest_, targets, out);
    const auto visit = [&](std::size_t begin, std::size_t end, BlockRoom& room) {
        OutOfBagBlock block(*forest_, targets, out, begin, room);
        for (std::size_t t = 0; t < bag_of_tree.size(); ++t) {
            stop.check();
            block.add_tree(t, bag_of_tree[t], end - begin);
        }
    };
    for_each_block(*forest_, columns, out.n_votes.size(), n_threads, stop, visit);
}

}  // namespace branchline

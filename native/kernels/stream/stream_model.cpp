#include <algorithm>
#include <cmath>

#include "branchline/thread_pool.hpp"
#include "stream/state_io.hpp"
#include "stream/stream_member.hpp"

namespace branchline {

namespace {

constexpr std::size_t block_rows = 512;
constexpr std::size_t most_events = 10'000;

double cell_of(const ColumnView& column, std::size_t row) {
    switch (column.type) {
        case ValueType::float32: return static_cast<double>(value_at<float>(column, row));
        case ValueType::float64: return value_at<double>(column, row);
        default: return static_cast<double>(value_at<std::int32_t>(column, row));
    }
}

// Rows as one matrix, row after row.
void gather(std::span<const ColumnView> columns, std::size_t first, std::size_t n_rows,
            std::vector<double>& cells) {
    cells.resize(n_rows * columns.size());
    for (std::size_t c = 0; c < columns.size(); ++c) {
        for (std::size_t r = 0; r < n_rows; ++r) {
            cells[r * columns.size() + c] = cell_of(columns[c], first + r);
        }
    }
}

void normalize(std::span<double> votes) {
    double sum = 0;
    for (const double vote : votes) sum += vote;
    for (double& vote : votes) {
        vote = sum > 0 ? vote / sum : 1 / static_cast<double>(votes.size());
    }
}

}  // namespace

struct StreamModel::Block {
    std::span<const double> cells;
    std::span<const std::uint32_t> class_of_row;
    std::int64_t first_row = 0;
    bool wants_votes = false;
    ThreadPool* pool = nullptr;

    MemberTask task(std::size_t r) const {
        return {first_row + static_cast<std::int64_t>(r), class_of_row[r], 1};
    }
};

StreamModel::StreamModel(const HoeffdingRules& rules, const EnsembleRules& ensemble,
                         std::span<const std::uint8_t> is_category,
                         std::span<const std::uint64_t> column_keys)
    : rules_(rules), ensemble_(ensemble), is_category_(is_category.begin(), is_category.end()),
      column_keys_(column_keys.begin(), column_keys.end()) {
    for (std::size_t m = 0; m < ensemble.n_members; ++m) {
        members_.push_back(std::make_unique<StreamMember>(
            LeafPlan{&rules_, &is_category_, &column_keys_}, ensemble_, m));
    }
}

StreamModel::~StreamModel() = default;

void StreamModel::learn(std::span<const ColumnView> columns,
                        std::span<const std::uint32_t> class_of_row, std::span<double> predicted,
                        StopSignal& stop) {
    const std::size_t width = rules_.n_classes;
    const bool is_boosted = ensemble_.kind == EnsembleKind::boosting;
    StopSignal never;  // a block is learned by all members or by none
    ThreadPool pool(is_boosted || members_.size() == 1 ? 1 : ensemble_.n_threads, never);
    std::vector<double> cells, votes;
    for (std::size_t first = 0; first < class_of_row.size(); first += block_rows) {
        stop.check();
        const std::size_t n = std::min(block_rows, class_of_row.size() - first);
        gather(columns, first, n, cells);
        const Block block{cells, class_of_row.subspan(first, n), n_rows_, !predicted.empty(),
                          &pool};
        votes.assign(block.wants_votes ? n * width * (is_boosted ? 1 : members_.size()) : 0, 0.0);
        if (is_boosted) {
            boost_block(block, votes);
        } else {
            learn_block(block, votes);
        }
        n_rows_ += static_cast<std::int64_t>(n);
        gather_events();
        for (std::size_t r = 0; block.wants_votes && r < n; ++r) {
            const auto out = predicted.subspan((first + r) * width, width);
            std::fill(out.begin(), out.end(), 0.0);
            for (std::size_t m = 0; m < votes.size() / (n * width); ++m) {
                for (std::size_t c = 0; c < width; ++c) out[c] += votes[(m * n + r) * width + c];
            }
            normalize(out);
        }
    }
}

void StreamModel::learn_block(const Block& block, std::span<double> votes) {
    const std::size_t n = block.class_of_row.size(), width = rules_.n_classes;
    block.pool->run(members_.size(), [&](std::size_t m, std::size_t) {
        for (std::size_t r = 0; r < n; ++r) {
            members_[m]->learn_drawn(block.cells.data() + r * n_columns(), block.task(r),
                                     block.wants_votes ? votes.subspan((m * n + r) * width, width)
                                                       : std::span<double>());
        }
    });
}

void StreamModel::boost_block(const Block& block, std::span<double> votes) {
    const std::size_t width = rules_.n_classes;
    for (std::size_t r = 0; r < block.class_of_row.size(); ++r) {
        MemberTask task = block.task(r);
        for (auto& member : members_) {
            task.weight = member->learn_boosted(
                block.cells.data() + r * n_columns(), task,
                block.wants_votes ? votes.subspan(r * width, width) : std::span<double>());
        }
    }
}

void StreamModel::predict(std::span<const ColumnView> columns, std::size_t n_rows,
                          std::span<double> predicted, int n_threads, StopSignal& stop) const {
    const std::size_t width = rules_.n_classes;
    const std::size_t n_blocks = (n_rows + block_rows - 1) / block_rows;
    ThreadPool pool(threads_for(n_blocks, 2, n_threads), stop);
    pool.run(n_blocks, [&](std::size_t b, std::size_t) {
        const std::size_t first = b * block_rows, n = std::min(block_rows, n_rows - first);
        std::vector<double> cells, scratch(2 * width);
        gather(columns, first, n, cells);
        for (std::size_t r = 0; r < n; ++r) {
            const auto out = predicted.subspan((first + r) * width, width);
            std::fill(out.begin(), out.end(), 0.0);
            for (const auto& member : members_) {
                member->add_votes(cells.data() + r * columns.size(), scratch, out);
            }
            normalize(out);
        }
    });
}

// In the order of rows, then of members, whatever the blocks.
void StreamModel::gather_events() {
    const auto n_before = static_cast<std::ptrdiff_t>(events_.size());
    for (std::size_t m = 0; m < members_.size(); ++m) {
        for (StreamEvent& event : members_[m]->tree().events()) {
            event.member = static_cast<std::int32_t>(m);
            ++n_events_;
            events_.push_back(std::move(event));
        }
        members_[m]->tree().events().clear();
    }
    std::stable_sort(events_.begin() + n_before, events_.end(),
                     [](const StreamEvent& a, const StreamEvent& b) { return a.row < b.row; });
    if (events_.size() > most_events) {
        events_.erase(events_.begin(),
                      events_.begin() + static_cast<std::ptrdiff_t>(events_.size() - most_events));
    }
}

void StreamModel::make_category(std::size_t column) { is_category_[column] = 1; }

StreamSizes StreamModel::sizes() const {
    StreamSizes all;
    for (const auto& member : members_) {
        const StreamSizes one = member->sizes();
        all.n_nodes += one.n_nodes;
        all.n_leaves += one.n_leaves;
        all.n_active += one.n_active;
        all.n_trials += one.n_trials;
        all.depth = std::max(all.depth, one.depth);
        all.n_bytes += one.n_bytes;
    }
    all.n_rows = n_rows_;
    return all;
}

}  // namespace branchline

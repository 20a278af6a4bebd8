#include "strings/lane_gram.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "strings/mirror.hpp"

namespace branchline::strings {

namespace baseline {
LaneKernels lane_kernels();
}
#if defined(__x86_64__)
namespace v3 {
LaneKernels lane_kernels();
}
namespace v4 {
LaneKernels lane_kernels();
}
#endif

LaneKernels lane_kernels_for(CpuLevel level) {
#if defined(__x86_64__)
    if (level == CpuLevel::v4) return v4::lane_kernels();
    if (level == CpuLevel::v3) return v3::lane_kernels();
#endif
    (void)level;
    return baseline::lane_kernels();
}

std::size_t scratch_size(const StringForm& form, std::size_t n_first, std::size_t n_second) {
    const bool is_subsequence = form.kind == StringKernelKind::subsequence;
    const std::size_t n_sums = is_subsequence ? form.order - 1 : 1;
    return n_sums * (n_second + 1) * n_lanes + 2 * std::max(n_first, n_second);
}

// A string of n symbols makes numbers up to n^order decay^−n: those of two stay below e^690.
std::size_t short_subsequences(const StringForm& form) {
    const auto is_short = [&](std::size_t length) {
        const double n = static_cast<double>(length);
        return static_cast<double>(form.order) * std::log(n) - n * std::log(form.decay) <= 345;
    };
    std::size_t longest = 1;
    for (std::size_t step = std::size_t{1} << 40; step > 0; step /= 2) {
        if (is_short(longest + step)) longest += step;
    }
    return longest;
}

namespace {

constexpr std::size_t rows_of_task = 64;

LaneKernel kernel_of(const StringForm& form) {
    const LaneKernels kernels = lane_kernels_for(best_cpu_level());
    if (form.kind == StringKernelKind::subsequence) return kernels.subsequence;
    if (form.kind == StringKernelKind::weighted_degree) return kernels.weighted_degree;
    return kernels.common_substrings;
}

// Strings by length, so that those in lanes side by side are about equally long.
std::vector<std::size_t> by_length(const StringBatch& batch) {
    std::vector<std::size_t> order(batch.n_strings());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) {
        return batch.length(i) < batch.length(j);
    });
    return order;
}

// Some strings side by side. Strings of one group are all short, or none is.
struct Group {
    std::size_t first, last;  // places in the order by length
    bool are_short;
};

std::vector<Group> groups_of(const StringBatch& batch, std::span<const std::size_t> order,
                             std::size_t longest_short) {
    std::vector<Group> groups;
    for (std::size_t place = 0; place < order.size(); ++place) {
        const bool is_short = batch.length(order[place]) <= longest_short;
        if (groups.empty() || groups.back().are_short != is_short ||
            groups.back().last - groups.back().first == n_lanes) {
            groups.push_back({place, place, is_short});
        }
        ++groups.back().last;
    }
    return groups;
}

// The symbols of up to n_lanes strings, side by side; the longest is the last of `strings`.
std::size_t pack_lanes(const StringBatch& batch, std::span<const std::size_t> strings,
                       double padding, std::vector<double>& packed) {
    const std::size_t longest = strings.empty() ? 0 : batch.length(strings.back());
    packed.assign(longest * n_lanes, padding);
    for (std::size_t lane = 0; lane < strings.size(); ++lane) {
        std::size_t at = lane;
        for (const std::uint32_t symbol : batch[strings[lane]]) {
            packed[at] = symbol;
            at += n_lanes;
        }
    }
    return longest;
}

// One string in all lanes.
void spread_string(std::span<const std::uint32_t> string, std::vector<double>& packed) {
    packed.resize(string.size() * n_lanes);
    for (std::size_t i = 0; i < string.size(); ++i) {
        std::fill_n(packed.data() + i * n_lanes, n_lanes, static_cast<double>(string[i]));
    }
}

// What a worker keeps from call to call.
struct Workspace {
    std::vector<double> first, second, scratch;
    double values[n_lanes];

    double* scratch_of(const StringForm& form, std::size_t n_first, std::size_t n_second) {
        const std::size_t size = scratch_size(form, n_first, n_second);
        if (scratch.size() < size) scratch.resize(size);
        return scratch.data();
    }
};

// The rows of a × the columns of b, or the half of a × a in which the row is not the shorter.
class LaneGram {
  public:
    LaneGram(const StringForm& form, const StringBatch& a, const StringBatch* b,
             std::span<double> out, StopSignal& stop)
        : form_(form), rows_(a), columns_(b == nullptr ? a : *b), is_symmetric_(b == nullptr),
          longest_short_(short_subsequences(form)), row_order_(by_length(rows_)),
          column_order_(by_length(columns_)),
          groups_(groups_of(columns_, column_order_, longest_short_)), kernel_(kernel_of(form)),
          out_(out), stop_(stop) {}

    void run(ThreadPool& pool) {
        std::vector<Workspace> spaces(pool.n_workers());
        const std::size_t n_rows = rows_.n_strings();
        const std::size_t n_bands = (n_rows + rows_of_task - 1) / rows_of_task;
        // Longest strings first: what is done last is small, and no thread waits for long.
        pool.run(n_bands * groups_.size(), [&](std::size_t task, std::size_t worker) {
            const std::size_t band = n_bands - 1 - task / groups_.size();
            const Group& group = groups_[groups_.size() - 1 - task % groups_.size()];
            const std::size_t first = band * rows_of_task;
            work(group, first, std::min(first + rows_of_task, n_rows), spaces[worker]);
        });
        if (is_symmetric_) mirror_lower_half(out_.data(), n_rows, pool);
    }

  private:
    void work(const Group& group, std::size_t first, std::size_t last, Workspace& space) {
        if (is_symmetric_) first = std::max(first, group.first);
        if (first >= last) return;
        const std::span<const std::size_t> columns =
            std::span(column_order_).subspan(group.first, group.last - group.first);
        const std::size_t n_second = pack_lanes(columns_, columns, second_padding, space.second);
        for (std::size_t place = first; place < last; ++place) {
            stop_.check();
            const std::size_t row = row_order_[place], n_first = rows_.length(row);
            spread_string(rows_[row], space.first);
            const bool are_short = group.are_short && n_first <= longest_short_;
            double* scratch = space.scratch_of(form_, n_first, n_second);
            kernel_({space.first.data(), n_first, space.second.data(), n_second, are_short}, form_,
                    scratch, space.values, stop_);
            write(row, place, columns, group.first, space.values);
        }
    }

    void write(std::size_t row, std::size_t place, std::span<const std::size_t> columns,
               std::size_t first_place, const double* values) {
        const std::size_t n_columns = columns_.n_strings();
        for (std::size_t lane = 0; lane < columns.size(); ++lane) {
            if (is_symmetric_ && first_place + lane > place) break;
            const std::size_t column = columns[lane];
            const bool is_above = is_symmetric_ && row < column;
            out_[is_above ? column * n_columns + row : row * n_columns + column] = values[lane];
        }
    }

    const StringForm& form_;
    const StringBatch& rows_;
    const StringBatch& columns_;
    const bool is_symmetric_;
    const std::size_t longest_short_;
    const std::vector<std::size_t> row_order_, column_order_;
    const std::vector<Group> groups_;
    const LaneKernel kernel_;
    const std::span<double> out_;
    StopSignal& stop_;
};

}  // namespace

void lane_gram(const StringForm& form, const StringBatch& a, const StringBatch* b,
               std::span<double> out, ThreadPool& pool, StopSignal& stop) {
    LaneGram(form, a, b, out, stop).run(pool);
}

void lane_diagonal(const StringForm& form, const StringBatch& a, std::span<double> out,
                   ThreadPool& pool, StopSignal& stop) {
    const std::vector<std::size_t> order = by_length(a);
    const std::vector<Group> groups = groups_of(a, order, short_subsequences(form));
    const LaneKernel kernel = kernel_of(form);
    std::vector<Workspace> spaces(pool.n_workers());
    pool.run(groups.size(), [&](std::size_t task, std::size_t worker) {
        const Group& group = groups[task];
        Workspace& space = spaces[worker];
        const auto strings = std::span(order).subspan(group.first, group.last - group.first);
        const std::size_t n = pack_lanes(a, strings, first_padding, space.first);
        pack_lanes(a, strings, second_padding, space.second);
        kernel({space.first.data(), n, space.second.data(), n, group.are_short}, form,
               space.scratch_of(form, n, n), space.values, stop);
        for (std::size_t lane = 0; lane < strings.size(); ++lane) {
            out[strings[lane]] = space.values[lane];
        }
    });
}

}  // namespace branchline::strings

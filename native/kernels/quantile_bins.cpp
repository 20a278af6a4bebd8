#include "quantile_bins.hpp"

#include "radix_sort.hpp"

namespace branchline {

namespace {

struct Run {
    std::size_t begin, end;
};

// The weight and the bins that are left for the light values.
struct Rest {
    std::int64_t weight;
    std::int64_t bins;
};

// Adds to `starts` the first row of each run, and the number of rows: one bin for each value.
// Returns false when there are more than max_bins.
template <class Row>
bool each_its_own_bin(const WeighedRows<Row>& rows, std::size_t max_bins,
                      std::vector<std::uint32_t>& starts) {
    for (std::size_t row = 0; row < rows.rows.size(); row = rows.run_end(row)) {
        if (starts.size() == max_bins) return false;
        starts.push_back(static_cast<std::uint32_t>(row));
    }
    starts.push_back(static_cast<std::uint32_t>(rows.rows.size()));
    return true;
}

// Adds the light runs that weigh at least `least` to `heavy` (in order). A run so heavy holds a
// multiple of `least`, so only the rows at such multiples are looked at.
template <class Row>
void find_heavy(const WeighedRows<Row>& rows, std::int64_t least, std::vector<Run>& heavy,
                Rest& rest) {
    std::vector<Run> found;
    std::size_t known = 0;
    for (std::size_t row = 0; row < rows.rows.size();) {
        const Run run{rows.run_begin(row), rows.run_end(row)};
        while (known < heavy.size() && heavy[known].begin < run.begin) ++known;
        const bool is_known = known < heavy.size() && heavy[known].begin == run.begin;
        const std::int64_t weight = rows.weight_of(run.begin, run.end);
        if (!is_known && weight >= least) {
            found.push_back(run);
            rest.weight -= weight;
            rest.bins -= 1;
        }
        const std::int64_t end = rows.weight_before(run.end);
        row = std::max(run.end, rows.row_at((end + least - 1) / least * least));
    }
    const auto middle = heavy.insert(heavy.end(), found.begin(), found.end());
    std::inplace_merge(heavy.begin(), middle, heavy.end(),
                       [](const Run& a, const Run& b) { return a.begin < b.begin; });
}

template <class Row>
std::vector<Run> set_heavy_aside(const WeighedRows<Row>& rows, Rest& rest) {
    std::vector<Run> heavy;
    for (std::size_t before = 1; before != 0 && rest.weight > 0 && rest.bins > 0;) {
        before = heavy.size();
        find_heavy(rows, (rest.weight + rest.bins - 1) / rest.bins, heavy, rest);
        before = heavy.size() - before;
    }
    return heavy;
}

// Where the bin that opens at `begin` ends: before the first value but one whose middle lies beyond
// the bin's share of the rest, and not after `stop`.
template <class Row>
std::size_t end_of_bin(const WeighedRows<Row>& rows, std::size_t begin, std::size_t stop,
                       const Rest& rest) {
    const std::int64_t twice = 2 * rows.weight_before(begin) + 2 * rest.weight / rest.bins;
    const std::size_t row = rows.row_at(twice / 2);
    if (row >= stop) return stop;
    const Run run{rows.run_begin(row), rows.run_end(row)};
    const std::int64_t middle = rows.weight_before(run.begin) + rows.weight_before(run.end);
    return run.begin > begin && middle > twice ? run.begin : run.end;
}

}  // namespace

template <class Row>
void quantile_bins(const WeighedRows<Row>& rows, std::size_t max_bins,
                   std::vector<std::uint32_t>& starts) {
    starts.clear();
    if (each_its_own_bin(rows, max_bins, starts)) return;
    starts.clear();
    const std::size_t n_rows = rows.rows.size();
    Rest rest{rows.weight_before(n_rows), static_cast<std::int64_t>(max_bins)};
    std::vector<Run> heavy = set_heavy_aside(rows, rest);
    heavy.push_back({n_rows, n_rows});
    std::size_t begin = 0;
    for (const Run& next : heavy) {
        while (begin < next.begin && rest.bins > 0) {
            starts.push_back(static_cast<std::uint32_t>(begin));
            const std::size_t end =
                rest.bins == 1 ? next.begin : end_of_bin(rows, begin, next.begin, rest);
            rest.weight -= rows.weight_of(begin, end);
            rest.bins -= 1;
            begin = end;
        }
        starts.push_back(static_cast<std::uint32_t>(next.begin));
        begin = next.end;
    }
}

template void quantile_bins(const WeighedRows<BareKey<std::uint32_t>>&, std::size_t,
                            std::vector<std::uint32_t>&);
template void quantile_bins(const WeighedRows<BareKey<std::uint64_t>>&, std::size_t,
                            std::vector<std::uint32_t>&);
template void quantile_bins(const WeighedRows<KeyedRow<std::uint32_t>>&, std::size_t,
                            std::vector<std::uint32_t>&);
template void quantile_bins(const WeighedRows<KeyedRow<std::uint64_t>>&, std::size_t,
                            std::vector<std::uint32_t>&);

}  // namespace branchline

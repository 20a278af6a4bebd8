#include "branchline/column_facts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "branchline/class_moments.hpp"
#include "branchline/thread_pool.hpp"
#include "gather_columns.hpp"

namespace branchline {

namespace {

constexpr std::size_t sample_size = 1024;
constexpr double bracket_deviations = 4.0;

// The values of a column that are not missing, in any order, and their middle ones.
class Values {
  public:
    explicit Values(std::size_t n_rows) : present_(n_rows), some_(n_rows) {}

    template <class Float>
    void take(const Float* values, std::size_t n_rows) {
        Float low[lanes], high[lanes];
        std::fill_n(low, lanes, std::numeric_limits<Float>::infinity());
        std::fill_n(high, lanes, -std::numeric_limits<Float>::infinity());
        std::size_t n_missing = 0, row = 0;
        for (; row + lanes <= n_rows; row += lanes) {
            for (std::size_t at = 0; at < lanes; ++at) extend(values[row + at], low[at], high[at]);
            for (std::size_t at = 0; at < lanes; ++at)
                n_missing += values[row + at] != values[row + at];
        }
        for (; row < n_rows; ++row) {
            extend(values[row], low[0], high[0]);
            n_missing += values[row] != values[row];
        }
        n_ = n_rows - n_missing;
        least = n_ == 0 ? 0.0 : static_cast<double>(*std::min_element(low, low + lanes)) + 0.0;
        most = n_ == 0 ? 0.0 : static_cast<double>(*std::max_element(high, high + lanes)) + 0.0;
        if (n_missing == 0) {
            for (row = 0; row < n_rows; ++row) present_[row] = static_cast<double>(values[row]);
            return;
        }
        for (std::size_t at = row = 0; row < n_rows; ++row) {
            present_[at] = static_cast<double>(values[row]);
            at += static_cast<std::size_t>(values[row] == values[row]);
        }
    }

    std::size_t size() const { return n_; }

    std::pair<double, double> middle() {
        if (n_ == 0) return {0.0, 0.0};
        const std::size_t first = (n_ - 1) / 2, second = n_ / 2;
        std::size_t n_below = 0, n_some = 0;
        if (n_ > 4 * sample_size) {
            const auto [low, high] = bracket();
            for (std::size_t i = 0; i < n_; ++i) {
                const double value = present_[i];
                some_[n_some] = value;
                const auto is_below = static_cast<std::size_t>(value < low);
                n_below += is_below;
                n_some += static_cast<std::size_t>(value <= high) - is_below;
            }
            if (first >= n_below && second < n_below + n_some)
                return among(some_, n_some, first - n_below, second - n_below);
        }
        return among(present_, n_, first, second);
    }

    double least = 0.0, most = 0.0;

  private:
    static constexpr std::size_t lanes = 8;

    template <class Float>
    static void extend(Float value, Float& low, Float& high) {
        low = value < low ? value : low;
        high = value > high ? value : high;
    }

    // Two values between which the middle ones lie but for rare cases.
    std::pair<double, double> bracket() {
        for (std::size_t i = 0; i < sample_size; ++i) some_[i] = present_[i * n_ / sample_size];
        const auto begin = some_.begin(), end = begin + sample_size;
        const double half = bracket_deviations / 2 * std::sqrt(static_cast<double>(sample_size));
        const auto low = begin + (sample_size / 2 - static_cast<std::ptrdiff_t>(half));
        const auto high = begin + (sample_size / 2 + static_cast<std::ptrdiff_t>(half));
        std::nth_element(begin, low, end);
        std::nth_element(low + 1, high, end);
        return {*low, *high};
    }

    static std::pair<double, double> among(std::vector<double>& values, std::size_t n,
                                           std::size_t first, std::size_t second) {
        const auto begin = values.begin(), end = begin + static_cast<std::ptrdiff_t>(n);
        const auto at = begin + static_cast<std::ptrdiff_t>(first);
        std::nth_element(begin, at, end);
        const double found = *at;
        return {found + 0.0, (second == first ? found : *std::min_element(at + 1, end)) + 0.0};
    }

    std::vector<double> present_, some_;
    std::size_t n_ = 0;
};

}  // namespace

ColumnFacts column_facts(std::span<const ColumnView> columns, std::size_t n_rows,
                         StopSignal& stop) {
    ThreadPool pool(1, stop);
    ColumnFacts found;
    Values values(n_rows);
    const std::vector<std::uint32_t> one_class(n_rows);
    const ClassRows rows{one_class, {}, 1};
    GatheredColumns gathered(n_rows);
    const std::size_t at_once = GatheredColumns::at_once(n_rows, 1);
    for (std::size_t begin = 0; begin < columns.size(); begin += at_once) {
        const std::size_t count = std::min(at_once, columns.size() - begin);
        gathered.load(columns.subspan(begin, count), pool);
        for (std::size_t c = 0; c < count; ++c) {
            stop.check();
            const ColumnView& column = gathered[c];
            if (column.type == ValueType::float32)
                values.take(reinterpret_cast<const float*>(column.data), n_rows);
            else
                values.take(reinterpret_cast<const double*>(column.data), n_rows);
            found.n_present.push_back(static_cast<std::int64_t>(values.size()));
            found.least.push_back(values.least);
            found.most.push_back(values.most);
            const auto [before, middle] = values.middle();
            found.before.push_back(before);
            found.middle.push_back(middle);
            const ClassMoments moments = class_moments({&column, 1}, n_rows, rows, stop);
            found.mean.push_back(moments.mean[0]);
            found.deviation.push_back(moments.deviation[0]);
            found.fits.push_back(moments.fits[0]);
        }
    }
    return found;
}

}  // namespace branchline

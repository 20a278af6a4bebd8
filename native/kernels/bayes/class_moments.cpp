#include "branchline/class_moments.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <tuple>
#include <utility>

#include "bayes/slice_tally.hpp"
#include "bayes/whole_numbers.hpp"
#include "branchline/thread_pool.hpp"
#include "gather_columns.hpp"

namespace branchline {

namespace {

constexpr int most_bits = 126;
constexpr int root_bits = 64;
// Fewer rows than this for each class are added up one by one.
constexpr std::size_t least_sliced = 16;

// A float as ±digits · 2^exponent.
struct Digits {
    std::uint64_t digits;
    int exponent;
    bool is_negative;
};

Digits digits_of(double value) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    const auto field = static_cast<int>((bits >> 52) & 0x7FF);
    const std::uint64_t fraction = bits & 0xF'FFFF'FFFF'FFFF;
    if (field == 0) return {fraction, -1074, (bits >> 63) != 0};
    return {fraction | (std::uint64_t{1} << 52), field - 1075, (bits >> 63) != 0};
}

struct Sums {
    std::int64_t units = 0;
    Int128 first = 0;
    UInt256 second;

    void add(const Sums& other) {
        units += other.units;
        first += other.first;
        second.add(other.second);
    }
};

// The lowest and highest bits of a column's numbers: all are multiples of 2^low, below 2^high.
struct Range {
    int low = 1024;
    int high = -1075;
};

template <class Float>
Range range_of(const Float* values, std::size_t n_rows) {
    Range range;
    for (std::size_t row = 0; row < n_rows; ++row) {
        const auto value = static_cast<double>(values[row]);
        if (value != value || value == 0.0) continue;
        const Digits number = digits_of(value);
        range.low = std::min(range.low, number.exponent + std::countr_zero(number.digits));
        range.high = std::max(range.high, number.exponent + 64 - std::countl_zero(number.digits));
    }
    return range;
}

template <class Float>
void add_up(const Float* values, const ClassRows& rows, int low, std::span<Sums> sums) {
    for (std::size_t row = 0; row < rows.class_of_row.size(); ++row) {
        const auto value = static_cast<double>(values[row]);
        if (value != value) continue;
        Sums& sum = sums[rows.class_of_row[row]];
        const std::int64_t units = rows.units.empty() ? 1 : rows.units[row];
        sum.units += units;
        if (value == 0.0) continue;
        const Digits number = digits_of(value);
        const int up = number.exponent - low;
        const UInt128 size = up >= 0 ? UInt128{number.digits} << up : UInt128{number.digits >> -up};
        UInt256 square = UInt256::square(size);
        const auto first = static_cast<Int128>(size * static_cast<UInt128>(units));
        sum.first += number.is_negative ? -first : first;
        if (units != 1) square.multiply(static_cast<std::uint64_t>(units));
        sum.second.add(square);
    }
}

// The same for numbers below 2^64 (in units of 2^low) that all weigh 1: four times as fast.
template <class Float>
void add_up_small(const Float* values, const ClassRows& rows, int low, std::span<Sums> sums) {
    for (std::size_t row = 0; row < rows.class_of_row.size(); ++row) {
        const auto value = static_cast<double>(values[row]);
        if (value != value) continue;
        Sums& sum = sums[rows.class_of_row[row]];
        ++sum.units;
        if (value == 0.0) continue;
        const Digits number = digits_of(value);
        const int up = number.exponent - low;
        const std::uint64_t size = up >= 0 ? number.digits << up : number.digits >> -up;
        sum.first += number.is_negative ? -static_cast<Int128>(size) : static_cast<Int128>(size);
        sum.second.add_small(static_cast<UInt128>(size) * size);
    }
}

// N Q − S²: the square of N times the deviation.
UInt256 spread_of(const Sums& sums) {
    UInt256 spread = sums.second;
    spread.multiply(static_cast<std::uint64_t>(sums.units));
    const auto size = static_cast<UInt128>(sums.first < 0 ? -sums.first : sums.first);
    spread.subtract(UInt256::square(size));
    return spread;
}

// √spread with 64 bits or one more, and by which power of two it is too large.
struct Root {
    UInt128 digits;
    int half;
};

Root root_of(const UInt256& spread) {
    const int twice = 2 * root_bits - spread.length() + 1;
    const int half = twice >= 0 ? twice / 2 : -((1 - twice) / 2);  // rounded down
    // The number to take the root of may have 129 bits: all but the last two are taken first.
    const UInt128 above = spread.bits_from(2 - 2 * half);
    const auto last = static_cast<std::uint64_t>(spread.bits_from(-2 * half)) & 3U;
    const UInt128 root = whole_root(above);
    const UInt128 rest = ((above - root * root) << 2) + last;
    return {2 * root + (rest > 4 * root ? 1U : 0U), half};
}

std::optional<std::pair<double, double>> moments_of(const Sums& sums, int low) {
    if (sums.units == 0) return std::pair{0.0, 0.0};
    const auto units = static_cast<std::uint64_t>(sums.units);
    const bool is_negative = sums.first < 0;
    const auto size = static_cast<UInt128>(is_negative ? -sums.first : sums.first);
    const Rounded mean = quotient(size, units, low);
    const UInt256 spread = spread_of(sums);
    Rounded deviation;
    if (spread.length() != 0) {
        const Root root = root_of(spread);
        deviation = quotient(root.digits, units, low - root.half);
    }
    if (!mean.is_exact || !deviation.is_exact) return std::nullopt;
    return std::pair{is_negative ? -mean.value : mean.value, deviation.value};
}

class Writer {
  public:
    Writer(std::size_t n_columns, std::size_t n_classes) : n_classes_(n_classes) {
        found.units.resize(n_columns * n_classes);
        found.low.resize(n_columns);
        found.firsts.resize(2 * n_columns * n_classes);
        found.seconds.resize(4 * n_columns * n_classes);
        found.mean.resize(n_columns * (n_classes + 1));
        found.deviation.resize(n_columns * (n_classes + 1));
        found.fits.resize(n_columns);
    }

    void write(std::size_t column, std::span<const Sums> sums, int low) {
        Sums all;
        for (std::size_t k = 0; k < n_classes_; ++k) {
            all.add(sums[k]);
            const std::size_t place = column * n_classes_ + k;
            found.units[place] = sums[k].units;
            found.firsts[2 * place] = static_cast<std::uint64_t>(sums[k].first);
            found.firsts[2 * place + 1] = static_cast<std::uint64_t>(sums[k].first >> 64);
            std::copy(sums[k].second.words.begin(), sums[k].second.words.end(),
                      found.seconds.begin() + static_cast<std::ptrdiff_t>(4 * place));
        }
        found.low[column] = low;
        bool fits = true;
        for (std::size_t k = 0; k <= n_classes_; ++k) {
            const auto moments = moments_of(k < n_classes_ ? sums[k] : all, low);
            const std::size_t place = column * (n_classes_ + 1) + k;
            fits = fits && moments.has_value();
            if (moments) std::tie(found.mean[place], found.deviation[place]) = *moments;
        }
        found.fits[column] = fits ? 1 : 0;
    }

    ClassMoments found;

  private:
    std::size_t n_classes_;
};

int bits_of_weight(const ClassRows& rows) {
    UInt128 total = 0;
    for (const std::int64_t units : rows.units) total += static_cast<std::uint64_t>(units);
    return bit_length(rows.units.empty() ? UInt128{rows.class_of_row.size()} : total);
}

template <class Float>
void take_column(const ColumnView& column, const ClassRows& rows, int weight_bits,
                 std::optional<SliceTally>& slices, std::size_t place, std::vector<Sums>& sums,
                 Writer& writer) {
    const auto* values = reinterpret_cast<const Float*>(column.data);
    int sliced_low = 0;
    if (slices && slices->take(values, sliced_low, std::span(sums))) {
        writer.write(place, sums, sliced_low);
        return;
    }
    const Range range = range_of(values, rows.class_of_row.size());
    const bool has_numbers = range.high > range.low;
    if (has_numbers && range.high - range.low + weight_bits > most_bits) return;
    const int low = has_numbers ? range.low : 0;
    std::fill(sums.begin(), sums.end(), Sums{});
    if (rows.units.empty() && range.high - low <= 64)
        add_up_small(values, rows, low, sums);
    else
        add_up(values, rows, low, sums);
    writer.write(place, sums, low);
}

}  // namespace

ClassMoments class_moments(std::span<const ColumnView> columns, std::size_t n_rows,
                           const ClassRows& rows, StopSignal& stop) {
    ThreadPool pool(1, stop);
    Writer writer(columns.size(), rows.n_classes);
    std::vector<Sums> sums(rows.n_classes);
    GatheredColumns gathered(n_rows);
    const int weight_bits = bits_of_weight(rows);
    std::optional<RowsByClass> by_class;
    std::optional<SliceTally> slices;
    if (rows.units.empty() && n_rows >= least_sliced * rows.n_classes) {
        by_class.emplace(rows.class_of_row, rows.n_classes);
        slices.emplace(*by_class);
    }
    const std::size_t at_once = GatheredColumns::at_once(n_rows, 1);
    for (std::size_t begin = 0; begin < columns.size(); begin += at_once) {
        const std::size_t count = std::min(at_once, columns.size() - begin);
        stop.check();
        gathered.load(columns.subspan(begin, count), pool);
        for (std::size_t c = 0; c < count; ++c) {
            stop.check();
            const ColumnView& column = gathered[c];
            if (column.type == ValueType::float32)
                take_column<float>(column, rows, weight_bits, slices, begin + c, sums,
                                   writer);
            else
                take_column<double>(column, rows, weight_bits, slices, begin + c, sums,
                                   writer);
        }
    }
    return std::move(writer.found);
}

}  // namespace branchline

#include "branchline/leaf_quantiles.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "boosting/checks.hpp"
#include "boosting/wide_sum.hpp"
#include "branchline/thread_pool.hpp"

namespace branchline {

namespace {

using boosting::FixedScale;
using boosting::require;
using boosting::WideSum;

constexpr std::size_t least_block = 65536;
constexpr std::size_t most_leaves = std::size_t{1} << 24;
constexpr double most_deviation = 0x1p1000;

// A value as a key that orders as the values do.
struct Item {
    std::uint64_t key;
    std::int64_t units;
};

constexpr std::uint64_t sign_bit = std::uint64_t{1} << 63;

std::uint64_t key_of(double value) {
    const auto bits = std::bit_cast<std::uint64_t>(value + 0.0);  // −0.0 and 0.0 are one number
    return (bits & sign_bit) != 0 ? ~bits : bits | sign_bit;
}

double value_of(std::uint64_t key) {
    return std::bit_cast<double>((key & sign_bit) != 0 ? key ^ sign_bit : ~key);
}

bool is_less(const Item& a, const Item& b) { return a.key < b.key; }

std::int64_t units_of(std::span<const Item> items) {
    std::int64_t sum = 0;
    for (const Item& item : items) sum += item.units;
    return sum;
}

// The rows that count, leaf after leaf.
class GroupedRows {
  public:
    GroupedRows(const LeafRows& rows, ThreadPool& pool)
        : rows_(rows),
          // Not more counts than rows, however many leaves there are.
          block_rows_(std::max(least_block, rows.n_leaves)),
          n_blocks_((rows.values.size() + block_rows_ - 1) / block_rows_) {
        require(rows.n_leaves <= most_leaves, "leaves of each tree: 2^24 at most");
        require(rows.leaf_of_row.size() == rows.values.size(), "a leaf for each row");
        require(rows.units.empty() || rows.units.size() == rows.values.size(),
                "units for each row");
        boosting::total_units(rows.units);
        place_.assign(n_blocks_ * rows.n_leaves, 0);
        pool.run(n_blocks_, [&](std::size_t block, std::size_t) { count(block); });
        set_places();
        pool.run(n_blocks_, [&](std::size_t block, std::size_t) { fill(block); });
    }

    std::span<const Item> leaf(std::size_t number) const {
        return std::span(items_).subspan(begin_[number], begin_[number + 1] - begin_[number]);
    }

  private:
    std::int64_t units(std::size_t row) const { return rows_.units.empty() ? 1 : rows_.units[row]; }

    template <class Visit>
    void for_rows_of(std::size_t block, Visit&& visit) const {
        const std::size_t end = std::min(rows_.values.size(), (block + 1) * block_rows_);
        for (std::size_t row = block * block_rows_; row < end; ++row) visit(row);
    }

    void count(std::size_t block) {
        std::size_t* places = place_.data() + block * rows_.n_leaves;
        for_rows_of(block, [&](std::size_t row) {
            require(rows_.leaf_of_row[row] < rows_.n_leaves, "a leaf of each row that exists");
            require(std::isfinite(rows_.values[row]), "a finite number for each row");
            places[rows_.leaf_of_row[row]] += units(row) > 0;
        });
    }

    // Counts become the places of each block's first row in each leaf.
    void set_places() {
        std::size_t next = 0;
        for (std::size_t leaf = 0; leaf < rows_.n_leaves; ++leaf) {
            begin_.push_back(next);
            for (std::size_t block = 0; block < n_blocks_; ++block) {
                std::size_t& place = place_[block * rows_.n_leaves + leaf];
                const std::size_t n = place;
                place = next;
                next += n;
            }
        }
        begin_.push_back(next);
        items_.resize(next);
    }

    void fill(std::size_t block) {
        std::size_t* places = place_.data() + block * rows_.n_leaves;
        for_rows_of(block, [&](std::size_t row) {
            if (units(row) == 0) return;
            items_[places[rows_.leaf_of_row[row]]++] = {key_of(rows_.values[row]), units(row)};
        });
    }

    const LeafRows& rows_;
    std::size_t block_rows_, n_blocks_;
    std::vector<std::size_t> place_, begin_;
    std::vector<Item> items_;
};

double units_wanted(double q, std::int64_t total) {
    const auto all = static_cast<double>(total);
    const double wanted = q * all, whole = std::rint(wanted);
    return std::abs(wanted - whole) <= all * 0x1p-50 ? whole : wanted;
}

// Finds quantiles; one for each worker, since it has scratch space.
class QuantileFinder {
  public:
    double find(std::span<const Item> items, double q) {
        if (items.empty()) return 0;
        wanted_ = units_wanted(q, units_of(items));
        below_ = 0;
        narrow(items);
        std::ranges::sort(left_, is_less);
        auto at = left_.begin();
        std::int64_t reached = below_ + at->units;
        for (; !is_enough(reached) || is_followed_by_its_like(at); reached += at->units) ++at;
        const double value = value_of(at->key);
        const std::uint64_t next = next_key(items, at->key);
        const bool is_between = static_cast<double>(reached) == wanted_ && next != none;
        return is_between ? value / 2 + value_of(next) / 2 : value;
    }

  private:
    static constexpr int digit_bits = 11;
    static constexpr std::size_t n_digits = std::size_t{1} << digit_bits, few = 64;
    static constexpr std::uint64_t none = ~std::uint64_t{0};  // the key of a NaN

    bool is_enough(std::int64_t reached) const { return static_cast<double>(reached) >= wanted_; }

    bool is_followed_by_its_like(std::vector<Item>::iterator at) const {
        return at + 1 != left_.end() && (at + 1)->key == at->key;
    }

    // Leaves few items, or equal ones, among which the quantile is: by one digit of the keys after
    // the other, the first first.
    void narrow(std::span<const Item> items) {
        left_.assign(items.begin(), items.end());
        for (int shift = 64 - digit_bits; left_.size() > few; shift -= digit_bits) {
            const int by = std::max(shift, 0);
            keep_digit(by);
            if (by == 0) return;
        }
    }

    void keep_digit(int shift) {
        std::array<std::int64_t, n_digits> units{};
        const auto digit_of = [&](const Item& item) {
            return static_cast<std::size_t>(item.key >> shift) % n_digits;
        };
        for (const Item& item : left_) units[digit_of(item)] += item.units;
        std::size_t digit = 0;
        while (!is_enough(below_ + units[digit]) || units[digit] == 0) below_ += units[digit++];
        std::size_t n = 0;
        for (const Item& item : left_) {  // without a branch: every item is written somewhere
            const bool is_kept = digit_of(item) == digit;
            left_[n] = item;
            n += is_kept;
        }
        left_.resize(n);
    }

    static std::uint64_t next_key(std::span<const Item> items, std::uint64_t key) {
        std::uint64_t next = none;
        for (const Item& item : items) {
            next = std::min(next, item.key > key ? item.key : none);
        }
        return next;
    }

    double wanted_ = 0;
    std::int64_t below_ = 0;  // the units of items that are smaller than all that are left
    std::vector<Item> left_;
};

double clipped(double deviation, double delta) {
    const double limit = std::min(delta, most_deviation);  // differences may be infinite
    return std::min(std::max(deviation, -limit), limit);
}

// Positive and negative deviations are summed apart: whole numbers here have no sign.
double mean_of_clipped(std::span<const Item> items, double median, double delta) {
    double largest = 0;
    for (const Item& item : items) {
        largest = std::max(largest, std::abs(clipped(value_of(item.key) - median, delta)));
    }
    const FixedScale scale(largest);
    WideSum above, below;
    for (const Item& item : items) {
        const double deviation = clipped(value_of(item.key) - median, delta);
        (deviation > 0 ? above : below)
            .add_product(scale.whole(std::abs(deviation)), static_cast<std::uint64_t>(item.units));
    }
    return (scale.number(above) - scale.number(below)) / static_cast<double>(units_of(items));
}

template <class Value>
std::vector<double> values_of_leaves(const LeafRows& rows, int n_threads, StopSignal& stop,
                                     Value&& value) {
    ThreadPool pool(n_threads, stop);
    GroupedRows grouped(rows, pool);
    std::vector<double> values(rows.n_leaves);
    std::vector<QuantileFinder> finders(pool.n_workers());
    pool.run(rows.n_leaves, [&](std::size_t leaf, std::size_t worker) {
        values[leaf] = value(finders[worker], grouped.leaf(leaf));
    });
    return values;
}

}  // namespace

std::vector<double> leaf_quantiles(const LeafRows& rows, double q, int n_threads,
                                   StopSignal& stop) {
    require(q >= 0 && q <= 1, "a quantile from 0 to 1");
    return values_of_leaves(
        rows, n_threads, stop,
        [&](QuantileFinder& finder, std::span<const Item> items) { return finder.find(items, q); });
}

std::vector<double> leaf_huber_values(const LeafRows& rows, double delta, int n_threads,
                                      StopSignal& stop) {
    require(delta >= 0, "a delta of at least 0");
    return values_of_leaves(rows, n_threads, stop,
                            [&](QuantileFinder& finder, std::span<const Item> items) {
                                if (items.empty()) return 0.0;
                                const double median = finder.find(items, 0.5);
                                return median + mean_of_clipped(items, median, delta);
                            });
}

}  // namespace branchline

#include "branchline/fold_columns.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numeric>
#include <stdexcept>

#include "branchline/thread_pool.hpp"
#include "key_kernels.hpp"

namespace branchline {

namespace {

constexpr std::size_t n_bins = 8;
constexpr std::size_t columns_at_once = 32;
// A part of the sum of squares that is smaller is summed anew: subtraction has lost digits.
constexpr double clear_part = 1e-4;

using Places = std::array<std::int32_t, n_bins>;

// What folds know of the rows, whatever the column.
struct Problems {
    explicit Problems(const FoldedRows& given) : rows(given), n_rows(given.fold_of_row.size()) {
        const std::size_t n_problems = rows.n_folds + 1;
        n_held_out.assign(n_problems, 0);
        for (const auto fold : rows.fold_of_row) {
            if (rows.n_folds != 0) ++n_held_out[static_cast<std::size_t>(fold)];
        }
        mean.assign(n_problems * rows.n_outputs, 0.0);
        total.assign(n_problems, 0.0);
        for (std::size_t f = 0; f < n_problems; ++f) look_at(f);
    }

    bool learns_from(std::size_t problem, std::size_t row) const {
        return problem == rows.n_folds ||
               static_cast<std::size_t>(rows.fold_of_row[row]) != problem;
    }

    const double* response(std::size_t row) const {
        return rows.responses.data() + row * rows.n_outputs;
    }

    std::size_t n_learned(std::size_t problem) const { return n_rows - n_held_out[problem]; }

    const FoldedRows& rows;
    std::size_t n_rows;
    std::vector<std::size_t> n_held_out;
    std::vector<double> mean;   // of the responses, n_outputs for each problem
    std::vector<double> total;  // their squared deviations

  private:
    void look_at(std::size_t f) {
        double* means = mean.data() + f * rows.n_outputs;
        const double count = std::max(1.0, static_cast<double>(n_learned(f)));
        for (std::size_t row = 0; row < n_rows; ++row) {
            if (!learns_from(f, row)) continue;
            for (std::size_t o = 0; o < rows.n_outputs; ++o) means[o] += response(row)[o];
        }
        for (std::size_t o = 0; o < rows.n_outputs; ++o) means[o] /= count;
        for (std::size_t row = 0; row < n_rows; ++row) {
            if (!learns_from(f, row)) continue;
            for (std::size_t o = 0; o < rows.n_outputs; ++o) {
                const double apart = response(row)[o] - means[o];
                total[f] += apart * apart;
            }
        }
    }
};

// How many outputs there are: known to the compiler where there is one, as for two classes or numbers.
struct OneOutput {
    explicit OneOutput(std::size_t) {}
    constexpr operator std::size_t() const { return 1; }
};

// One column in order, and its numbers; made anew for each column, its memory is kept.
template <class Outputs>
class SortedColumn {
  public:
    explicit SortedColumn(const Problems& problems)
        : problems_(problems), n_outputs_(problems.rows.n_outputs), codes_(problems.n_rows),
          order_(problems.n_rows), first_of_tie_(problems.n_rows),
          running_((problems.n_rows + 1) * n_outputs_), held_out_(problems.rows.n_folds),
          sums_(n_bins * n_outputs_), unknown_(n_outputs_) {}

    bool is_complete() const { return n_known_ == problems_.n_rows; }

    void sort(const double* values) {
        values_ = values;
        if (problems_.n_rows <= few_rows) {
            sort_by_codes();
        } else {
            sort_by_values();
        }
        for (std::size_t o = 0; o < n_outputs_; ++o) {
            double sum = 0;
            for (std::size_t at = 0; at < n_known_; ++at) {
                sum += response(order_[at])[o];
                running_[(at + 1) * n_outputs_ + o] = sum;
            }
        }
        for (auto& places : held_out_) places.clear();
        for (std::size_t at = 0; at < n_known_ && !held_out_.empty(); ++at) {
            const auto fold = static_cast<std::size_t>(problems_.rows.fold_of_row[order_[at]]);
            held_out_[fold].push_back(static_cast<std::int32_t>(at));
        }
    }

    double share(std::size_t problem) {
        const double n_learned = static_cast<double>(problems_.n_learned(problem));
        const double total = problems_.total[problem];
        count_groups(problem);
        const double* mean = problems_.mean.data() + problem * n_outputs_;
        double between = 0;
        std::size_t n_filled = 0;
        for (std::size_t g = 0; g < n_bins; ++g) {
            between += deviation(counts_[g], sums_.data() + g * n_outputs_, mean);
            n_filled += counts_[g] > 0;
        }
        const double n_unknown = n_learned - std::accumulate(counts_.begin(), counts_.end(), 0.0);
        if (n_unknown > 0) {
            between += deviation(n_unknown, unknown_sums(problem, n_learned), mean);
            ++n_filled;
        }
        const double chance = (static_cast<double>(n_filled) - 1) / std::max(n_learned - 1, 1.0);
        if (!(total > 0) || chance >= 1) return 0;
        return std::clamp((between / total - chance) / (1 - chance), 0.0, 1.0);
    }

    // The least and the largest value that a problem learns from, as they are now.
    std::pair<double, double> ends(std::size_t problem) const {
        const auto& held = held_out_of(problem);
        std::size_t low = 0, high = n_known_, at = 0;
        while (at < held.size() && static_cast<std::size_t>(held[at]) == low) ++low, ++at;
        at = held.size();
        while (at > 0 && high > 0 && static_cast<std::size_t>(held[at - 1]) + 1 == high)
            --high, --at;
        if (low >= high) return {0.0, 0.0};
        return {values_[order_[low]], values_[order_[high - 1]]};
    }

  private:
    const double* response(std::size_t row) const {
        return problems_.rows.responses.data() + row * n_outputs_;
    }

    const std::vector<std::int32_t>& held_out_of(std::size_t problem) const {
        return problem < held_out_.size() ? held_out_[problem] : none_;
    }

    void sort_by_codes() {
        const std::size_t n_rows = problems_.n_rows;
        key_kernels_for(best_cpu_level()).rank(values_, n_rows, codes_.data());
        std::array<std::int32_t, few_rows + 2> first{};
        for (std::size_t row = 0; row < n_rows; ++row) ++first[codes_[row] + std::size_t{1}];
        n_known_ = n_rows - static_cast<std::size_t>(first[1]);
        first[1] = 0;  // rows without a value are not in order
        for (std::size_t code = 1; code <= n_rows; ++code) first[code + 1] += first[code];
        std::array<std::int32_t, few_rows + 2> next;
        std::copy_n(first.begin(), n_rows + 2, next.begin());
        for (std::size_t row = 0; row < n_rows; ++row) {
            const std::size_t code = codes_[row];
            if (code == 0) continue;
            const auto at = static_cast<std::size_t>(next[code]++);
            order_[at] = static_cast<std::uint32_t>(row);
            first_of_tie_[at] = first[code];
        }
    }

    void sort_by_values() {
        n_known_ = 0;
        for (std::size_t row = 0; row < problems_.n_rows; ++row) {
            if (!std::isnan(values_[row])) order_[n_known_++] = static_cast<std::uint32_t>(row);
        }
        const auto end = order_.begin() + static_cast<std::ptrdiff_t>(n_known_);
        std::sort(order_.begin(), end, [&](std::uint32_t a, std::uint32_t b) {
            return values_[a] < values_[b] || (values_[a] == values_[b] && a < b);
        });
        for (std::size_t at = 0; at < n_known_; ++at) {
            const bool ties = at > 0 && values_[order_[at]] == values_[order_[at - 1]];
            first_of_tie_[at] = ties ? first_of_tie_[at - 1] : static_cast<std::int32_t>(at);
        }
    }

    // Fills counts_ and sums_ with the rows of each group and the sums of their responses.
    void count_groups(std::size_t problem) {
        const auto& held = held_out_of(problem);
        const auto n_learned = static_cast<std::int32_t>(n_known_ - held.size());
        counts_.fill(0);
        std::fill(sums_.begin(), sums_.end(), 0.0);
        if (n_learned == 0) return;
        const Places begins = begins_of_groups(held, n_learned);
        for (std::size_t g = 0; g < n_bins; ++g) {
            const auto begin = static_cast<std::size_t>(begins[g]);
            const std::size_t end =
                g + 1 < n_bins ? static_cast<std::size_t>(begins[g + 1]) : n_known_;
            counts_[g] = static_cast<double>(end - begin);
            for (std::size_t o = 0; o < n_outputs_; ++o) {
                sums_[g * n_outputs_ + o] =
                    running_[end * n_outputs_ + o] - running_[begin * n_outputs_ + o];
            }
        }
        for (const std::int32_t at : held) {
            std::size_t g = 0;
            for (std::size_t other = 1; other < n_bins; ++other) g += begins[other] <= at;
            counts_[g] -= 1;
            const double* held_response = response(order_[static_cast<std::size_t>(at)]);
            for (std::size_t o = 0; o < n_outputs_; ++o) {
                sums_[g * n_outputs_ + o] -= held_response[o];
            }
        }
        for (std::size_t g = 0; g < n_bins; ++g) {
            if (counts_[g] > 0) continue;
            std::fill_n(sums_.begin() + static_cast<std::ptrdiff_t>(g * n_outputs_), n_outputs_,
                        0.0);
        }
    }

    // Where groups begin among all known values: at the first of those that equal the cut.
    Places begins_of_groups(const std::vector<std::int32_t>& held, std::int32_t n_learned) const {
        Places wanted{}, place{};
        for (std::size_t g = 0; g < n_bins; ++g) {
            wanted[g] =
                n_learned * static_cast<std::int32_t>(g) / static_cast<std::int32_t>(n_bins);
        }
        place = wanted;
        // A row that is held out moves all that come after as many learned rows.
        for (std::size_t j = 0; j < held.size(); ++j) {
            const std::int32_t before = held[j] - static_cast<std::int32_t>(j);
            for (std::size_t g = 0; g < n_bins; ++g) place[g] += before <= wanted[g];
        }
        for (std::size_t g = 0; g < n_bins; ++g) {
            place[g] = first_of_tie_[static_cast<std::size_t>(place[g])];
        }
        place[0] = 0;
        return place;
    }

    double deviation(double count, const double* sums, const double* mean) const {
        if (!(count > 0)) return 0;
        double squares = 0;
        for (std::size_t o = 0; o < n_outputs_; ++o) {
            const double apart = sums[o] - count * mean[o];
            squares += apart * apart;
        }
        return squares / count;
    }

    // The sums of responses that no group has: those of rows without a value.
    const double* unknown_sums(std::size_t problem, double n_learned) {
        for (std::size_t o = 0; o < n_outputs_; ++o) {
            unknown_[o] = problems_.mean[problem * n_outputs_ + o] * n_learned;
            for (std::size_t g = 0; g < n_bins; ++g) unknown_[o] -= sums_[g * n_outputs_ + o];
        }
        return unknown_.data();
    }

    const Problems& problems_;
    Outputs n_outputs_;
    const double* values_ = nullptr;
    std::size_t n_known_ = 0;
    std::vector<std::uint8_t> codes_;
    std::vector<std::uint32_t> order_;
    std::vector<std::int32_t> first_of_tie_;
    std::vector<double> running_;  // sums of responses before each place
    std::vector<std::vector<std::int32_t>> held_out_;
    std::vector<std::int32_t> none_;
    std::array<double, n_bins> counts_{};
    std::vector<double> sums_, unknown_;
};

// A block of columns, of which each is made whole before the next: mean, spreads, shares.
template <class Outputs>
class ColumnMaker {
  public:
    ColumnMaker(const Problems& problems, double farthest, FoldColumns& made, std::size_t n_columns)
        : problems_(problems), farthest_(farthest), made_(made), n_columns_(n_columns),
          sorted_(problems), sums_(problems.rows.n_folds + 1), squares_(problems.rows.n_folds + 1) {
    }

    // `values` become x / 2^exponent − mean where the column is complete, else 0.
    void make(std::size_t column, double* values) {
        const std::size_t n_problems = problems_.rows.n_folds + 1;
        sorted_.sort(values);
        for (std::size_t f = 0; f < n_problems; ++f) {
            made_.shares[f * n_columns_ + column] = sorted_.share(f);
        }
        made_.is_complete[column] = sorted_.is_complete();
        if (!sorted_.is_complete()) {
            std::fill_n(values, problems_.n_rows, 0.0);
            return;
        }
        int exponent = 0;
        double top = 0;
        for (std::size_t row = 0; row < problems_.n_rows; ++row) {
            top = std::max(top, std::abs(values[row]));
        }
        std::frexp(top, &exponent);
        made_.exponents[column] = exponent;
        move(values, exponent);
        for (std::size_t f = 0; f < n_problems; ++f) {
            const auto [least, most] = sorted_.ends(f);
            made_.ranges[f * n_columns_ + column] = most - least;
        }
        for (std::size_t f = 0; f < n_problems; ++f) spread(column, f, values);
    }

  private:
    void move(double* values, int exponent) {
        const std::size_t n_rows = problems_.n_rows;
        const bool is_moderate = std::abs(exponent) < 900;  // a power of two that floats hold
        const double factor = std::ldexp(1.0, is_moderate ? -exponent : 0);
        double mean = 0;
        for (std::size_t row = 0; row < n_rows; ++row) {
            values[row] = is_moderate ? values[row] * factor : std::ldexp(values[row], -exponent);
            mean += values[row];
        }
        mean /= static_cast<double>(n_rows);
        std::fill(sums_.begin(), sums_.end(), 0.0);
        std::fill(squares_.begin(), squares_.end(), 0.0);
        const std::size_t n_folds = problems_.rows.n_folds;
        for (std::size_t row = 0; row < n_rows; ++row) {
            values[row] -= mean;
            const double square = values[row] * values[row];
            sums_[n_folds] += values[row];
            squares_[n_folds] += square;
            if (n_folds == 0) continue;
            const auto fold = static_cast<std::size_t>(problems_.rows.fold_of_row[row]);
            sums_[fold] += values[row];
            squares_[fold] += square;
        }
    }

    void spread(std::size_t column, std::size_t f, const double* moved) {
        const std::size_t n_folds = problems_.rows.n_folds;
        double& range = made_.ranges[f * n_columns_ + column];
        const double count = static_cast<double>(problems_.n_learned(f));
        if (!(range > 0) || !(count > 0)) {
            range = 0;
            return;
        }
        const double all = squares_[n_folds];
        const double left = f == n_folds ? all : all - squares_[f];
        double mean = (f == n_folds ? sums_[n_folds] : sums_[n_folds] - sums_[f]) / count;
        double squares = left - count * mean * mean;
        if (squares < clear_part * all) squares = squares_anew(f, moved, count, mean);
        const double spread = std::sqrt(squares / count);
        made_.spreads[f * n_columns_ + column] = spread;
        if (!(spread > 0)) range = 0;
        if (f < n_folds && is_far(f, moved, mean, farthest_ * spread))
            made_.has_far_rows[column] = 1;
    }

    double squares_anew(std::size_t f, const double* moved, double count, double& mean) const {
        mean = 0;
        for (std::size_t row = 0; row < problems_.n_rows; ++row) {
            if (problems_.learns_from(f, row)) mean += moved[row];
        }
        mean /= count;
        double squares = 0;
        for (std::size_t row = 0; row < problems_.n_rows; ++row) {
            if (!problems_.learns_from(f, row)) continue;
            squares += (moved[row] - mean) * (moved[row] - mean);
        }
        return squares;
    }

    // Values are within 2 of each other, so that most limits are never reached.
    bool is_far(std::size_t f, const double* moved, double mean, double limit) const {
        if (limit > 2) return false;
        for (std::size_t row = 0; row < problems_.n_rows; ++row) {
            if (!problems_.learns_from(f, row) && std::abs(moved[row] - mean) > limit) return true;
        }
        return false;
    }

    const Problems& problems_;
    double farthest_;
    FoldColumns& made_;
    std::size_t n_columns_;
    SortedColumn<Outputs> sorted_;
    std::vector<double> sums_, squares_;
};

void check(std::span<const ColumnView> columns, const FoldedRows& rows) {
    const std::size_t n_rows = rows.fold_of_row.size();
    if (n_rows == 0 || n_rows > most_folded_rows) {
        throw std::invalid_argument("too few or too many rows");
    }
    if (rows.responses.size() != n_rows * rows.n_outputs) {
        throw std::invalid_argument("responses for each row");
    }
    for (const auto fold : rows.fold_of_row) {
        if (rows.n_folds != 0 && (fold < 0 || static_cast<std::size_t>(fold) >= rows.n_folds)) {
            throw std::invalid_argument("a row is in no fold");
        }
    }
    for (const ColumnView& column : columns) {
        if (column.type == ValueType::category) throw std::invalid_argument("columns of numbers");
    }
}

template <class Outputs>
void make_block(std::span<const ColumnView> some, std::size_t first, std::vector<double>& values,
                ColumnMaker<Outputs>& maker, FoldColumns& made) {
    const std::size_t n_rows = values.size() / columns_at_once;
    const std::size_t n_columns = made.exponents.size();
    const bool is_single = some.front().type == ValueType::float32;  // as all of a matrix
    // A few cache lines of each row at a time, of a matrix whose rows are contiguous.
    for (std::size_t row = 0; row < n_rows; ++row) {
        for (std::size_t c = 0; c < some.size(); ++c) {
            values[c * n_rows + row] = is_single
                                           ? static_cast<double>(value_at<float>(some[c], row))
                                           : value_at<double>(some[c], row);
        }
    }
    for (std::size_t c = 0; c < some.size(); ++c) maker.make(first + c, &values[c * n_rows]);
    for (std::size_t row = 0; row < n_rows; ++row) {
        double* out = made.moved.data() + row * n_columns + first;
        for (std::size_t c = 0; c < some.size(); ++c) out[c] = values[c * n_rows + row];
    }
}

template <class Outputs>
void make_all(std::span<const ColumnView> columns, const Problems& problems, double farthest,
              ThreadPool& pool, FoldColumns& made) {
    struct Worker {
        std::vector<double> values;
        ColumnMaker<Outputs> maker;
    };
    std::vector<std::unique_ptr<Worker>> workers(pool.n_workers());
    const std::size_t n_blocks = (columns.size() + columns_at_once - 1) / columns_at_once;
    pool.run(n_blocks, [&](std::size_t block, std::size_t number) {
        auto& worker = workers[number];
        if (worker == nullptr) {
            worker.reset(new Worker{std::vector<double>(columns_at_once * problems.n_rows),
                                    {problems, farthest, made, columns.size()}});
        }
        const std::size_t first = block * columns_at_once;
        const auto some = columns.subspan(first, std::min(columns_at_once, columns.size() - first));
        make_block(some, first, worker->values, worker->maker, made);
    });
}

}  // namespace

FoldColumns fold_columns(std::span<const ColumnView> columns, const FoldedRows& rows,
                         double farthest, int n_threads, StopSignal& stop) {
    check(columns, rows);
    const std::size_t n_rows = rows.fold_of_row.size(), n_columns = columns.size();
    const std::size_t size = (rows.n_folds + 1) * n_columns;
    const auto zeros = [](std::size_t count) { return std::vector<double>(count); };
    FoldColumns made{zeros(size),
                     zeros(size),
                     zeros(size),
                     zeros(n_rows * n_columns),
                     std::vector<std::int64_t>(n_columns),
                     std::vector<std::uint8_t>(n_columns),
                     std::vector<std::uint8_t>(n_columns)};
    const Problems problems(rows);
    ThreadPool pool(n_threads, stop);
    if (rows.n_outputs == 1) {
        make_all<OneOutput>(columns, problems, farthest, pool, made);
    } else {
        make_all<std::size_t>(columns, problems, farthest, pool, made);
    }
    return made;
}

}  // namespace branchline

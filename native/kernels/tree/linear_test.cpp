#include "branchline/linear_test.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "branchline/thread_pool.hpp"

namespace branchline {

namespace {

constexpr double never = std::numeric_limits<double>::infinity();
// What rounding leaves of a pivot that is 0, as a share of the number that was there.
constexpr double least_pivot = 1e-12;

// Rows of a node as (1, z, y), centered: one row of `width` numbers each, and its weight.
struct Design {
    std::size_t width = 0;
    std::vector<double> rows;
    std::vector<double> weight;
};

// Adds the products of a row: `width` × `width` numbers, of which the lower triangle is used.
void add_products(const double* row, double weight, std::size_t width, double* sum) {
    for (std::size_t i = 0; i < width; ++i) {
        const double factor = weight * row[i];
        double* line = sum + i * width;
        for (std::size_t j = 0; j <= i; ++j) line[j] += factor * row[j];
    }
}

// The lower triangle becomes L; the square of its last entry is the error of the ridge model.
double decompose(const double* products, std::size_t width, double ridge, double* lower) {
    const double price = ridge * products[0];
    for (std::size_t i = 0; i < width; ++i) {
        double* row = lower + i * width;
        for (std::size_t j = 0; j <= i; ++j) {
            double sum = products[i * width + j];
            const double* other = lower + j * width;
            if (i == j && i > 0 && i + 1 < width) sum += price;
            const double before = sum;
            for (std::size_t k = 0; k < j; ++k) sum -= row[k] * other[k];
            if (j < i) {
                row[j] = sum * other[j];  // the diagonal holds 1 / L
            } else if (i + 1 < width) {
                const double floor = before * least_pivot;
                row[i] = before > 0 ? 1.0 / std::sqrt(std::max(sum, floor)) : 0.0;
            } else {
                return std::max(sum, 0.0);
            }
        }
    }
    return 0.0;
}

// Weights of (1, z) of the ridge model, from the decomposition.
std::vector<double> solve(const std::vector<double>& lower, std::size_t width) {
    const std::size_t n = width - 1;
    std::vector<double> found(lower.begin() + static_cast<std::ptrdiff_t>(n * width),
                              lower.begin() + static_cast<std::ptrdiff_t>(n * width + n));
    for (std::size_t i = n; i-- > 0;) {
        for (std::size_t k = i + 1; k < n; ++k) found[i] -= lower[k * width + i] * found[k];
        found[i] *= lower[i * width + i];
    }
    return found;
}

Design gather(const LinearTestRows& data, std::span<const std::uint32_t> rows,
              std::span<const std::int32_t> terms) {
    Design design;
    design.width = terms.size() + 2;
    design.rows.resize(rows.size() * design.width);
    design.weight.resize(rows.size());
    std::vector<double> sums(design.width, 0.0);
    for (std::size_t at = 0; at < rows.size(); ++at) {
        const std::size_t row = rows[at];
        double* out = design.rows.data() + at * design.width;
        design.weight[at] = data.weight[row];
        out[0] = 1.0;
        for (std::size_t t = 0; t < terms.size(); ++t)
            out[t + 1] = data.matrix[row * data.n_terms + static_cast<std::size_t>(terms[t])];
        out[design.width - 1] = data.target[row];
        for (std::size_t t = 0; t < design.width; ++t) sums[t] += design.weight[at] * out[t];
    }
    for (std::size_t at = 0; at < rows.size(); ++at) {
        double* out = design.rows.data() + at * design.width;
        for (std::size_t t = 1; t < design.width; ++t) out[t] -= sums[t] / sums[0];
    }
    return design;
}

// Residuals of the node's own model, by which categories are put in order.
std::vector<double> residuals_of(const Design& design, const std::vector<double>& weights) {
    const std::size_t n_rows = design.weight.size(), width = design.width;
    std::vector<double> residual(n_rows);
    for (std::size_t at = 0; at < n_rows; ++at) {
        const double* row = design.rows.data() + at * width;
        double predicted = 0.0;
        for (std::size_t t = 0; t + 1 < width; ++t) predicted += weights[t] * row[t];
        residual[at] = row[width - 1] - predicted;
    }
    return residual;
}

class ColumnSearch {
  public:
    ColumnSearch(const LinearTestColumns& columns, const LinearTestRows& data,
                 std::span<const std::uint32_t> rows, std::span<const std::int32_t> terms,
                 const LinearTestOptions& options)
        : columns_(columns), data_(data), rows_(rows), terms_(terms), options_(options),
          design_(gather(data, rows, terms)) {
        const std::size_t width = design_.width;
        total_.assign(width * width, 0.0);
        for (std::size_t at = 0; at < rows_.size(); ++at)
            add_products(design_.rows.data() + at * width, design_.weight[at], width,
                         total_.data());
        std::vector<double> lower(width * width, 0.0);
        node_error_ = decompose(total_.data(), width, options_.ridge, lower.data());
        residual_ = residuals_of(design_, solve(lower, width));
    }

    double node_error() const noexcept { return node_error_; }

    LinearTest best_of(std::size_t column) const {
        LinearTest best;
        best.error = never;
        const std::uint16_t* codes = columns_.codes.data() + column * data_.target.size();
        const std::vector<std::uint32_t> order = codes_in_order(column, codes);
        if (order.empty()) return best;
        std::vector<std::uint32_t> cell_of(columns_.n_codes[column] + 1, 0);
        for (std::size_t at = 0; at < order.size(); ++at)
            cell_of[order[at]] = static_cast<std::uint32_t>(at + 1);
        const Design* design = &design_;
        Design with_own;
        if (const std::int32_t own = columns_.own_term[column];
            own >= 0 && std::find(terms_.begin(), terms_.end(), own) == terms_.end()) {
            std::vector<std::int32_t> terms(terms_.begin(), terms_.end());
            terms.push_back(own);
            with_own = gather(data_, rows_, terms);
            design = &with_own;
        }
        scan(column, codes, order, cell_of, *design, best);
        return best;
    }

  private:
    // Codes that may be told apart, in the order in which sides are tried.
    std::vector<std::uint32_t> codes_in_order(std::size_t column,
                                              const std::uint16_t* codes) const {
        const std::size_t n_codes = columns_.n_codes[column] + 1;
        std::vector<double> weight(n_codes, 0.0), sum(n_codes, 0.0);
        for (std::size_t at = 0; at < rows_.size(); ++at) {
            const std::uint16_t code = codes[rows_[at]];
            weight[code] += design_.weight[at];
            sum[code] += design_.weight[at] * residual_[at];
        }
        const bool is_category = columns_.is_category[column] != 0;
        std::vector<std::uint32_t> order;
        for (std::uint32_t code = 1; code < n_codes; ++code)
            if (weight[code] > 0 && (!is_category || weight[code] >= options_.min_category))
                order.push_back(code);
        if (is_category)
            std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
                return sum[a] / weight[a] < sum[b] / weight[b];
            });
        return order;
    }

    void scan(std::size_t column, const std::uint16_t* codes,
              const std::vector<std::uint32_t>& order, const std::vector<std::uint32_t>& cell_of,
              const Design& design, LinearTest& best) const {
        const std::size_t width = design.width, size = width * width;
        std::vector<double> cells((order.size() + 1) * size, 0.0);
        for (std::size_t at = 0; at < rows_.size(); ++at)
            add_products(design.rows.data() + at * width, design.weight[at], width,
                         cells.data() + cell_of[codes[rows_[at]]] * size);
        std::vector<double> total(size, 0.0), left(size, 0.0), side(size), other(size), lower(size);
        for (std::size_t cell = 0; cell <= order.size(); ++cell)
            for (std::size_t i = 0; i < size; ++i) total[i] += cells[cell * size + i];
        const bool has_missing = cells[0] > 0;
        const auto try_sides = [&](std::size_t n_left, bool missing_left) {
            for (std::size_t i = 0; i < size; ++i) {
                side[i] = missing_left ? left[i] + cells[i] : left[i];
                other[i] = total[i] - side[i];
            }
            if (side[0] < options_.min_weight || other[0] < options_.min_weight) return;
            const double error = decompose(side.data(), width, options_.ridge, lower.data()) +
                                 decompose(other.data(), width, options_.ridge, lower.data());
            if (!(error < best.error)) return;
            best.error = error;
            best.column = static_cast<std::int32_t>(column);
            best.missing_left = has_missing ? missing_left : 2 * side[0] >= total[0];
            keep_sides(column, order, n_left, best);
        };
        for (std::size_t n_left = 1; n_left <= order.size(); ++n_left) {
            for (std::size_t i = 0; i < size; ++i) left[i] += cells[n_left * size + i];
            if (n_left < order.size() || has_missing) try_sides(n_left, false);
            if (n_left < order.size() && has_missing) try_sides(n_left, true);
        }
    }

    void keep_sides(std::size_t column, const std::vector<std::uint32_t>& order, std::size_t n_left,
                    LinearTest& best) const {
        best.left_categories.clear();
        best.right_categories.clear();
        if (columns_.is_category[column] != 0) {
            for (std::size_t at = 0; at < order.size(); ++at)
                (at < n_left ? best.left_categories : best.right_categories)
                    .push_back(static_cast<std::uint16_t>(order[at]));
            return;
        }
        best.left_code = order[n_left - 1];
        best.right_code = n_left < order.size() ? order[n_left] : 0;
    }

    const LinearTestColumns& columns_;
    const LinearTestRows& data_;
    std::span<const std::uint32_t> rows_;
    std::span<const std::int32_t> terms_;
    const LinearTestOptions& options_;
    Design design_;
    std::vector<double> total_;
    std::vector<double> residual_;
    double node_error_ = 0.0;
};

void check(const LinearTestColumns& columns, const LinearTestRows& data,
           std::span<const std::uint32_t> rows, std::span<const std::int32_t> terms) {
    const std::size_t n_rows = data.target.size(), n_columns = columns.n_codes.size();
    if (data.weight.size() != n_rows || data.matrix.size() != n_rows * data.n_terms ||
        columns.codes.size() != n_rows * n_columns || columns.is_category.size() != n_columns ||
        columns.own_term.size() != n_columns)
        throw std::invalid_argument("sizes of columns, rows and terms do not agree");
    const auto n_terms = static_cast<std::int64_t>(data.n_terms);
    for (const std::int32_t term : terms)
        if (term < 0 || term >= n_terms) throw std::invalid_argument("a term does not exist");
    for (const std::int32_t term : columns.own_term)
        if (term < -1 || term >= n_terms) throw std::invalid_argument("a term does not exist");
    if (rows.empty()) throw std::invalid_argument("a node has no rows");
    for (const std::uint32_t row : rows) {
        if (row >= n_rows) throw std::invalid_argument("a row does not exist");
        if (!(data.weight[row] > 0)) throw std::invalid_argument("a weight is not above 0");
    }
    for (std::size_t column = 0; column < n_columns; ++column)
        for (const std::uint32_t row : rows)
            if (columns.codes[column * n_rows + row] > columns.n_codes[column])
                throw std::invalid_argument("a code is out of range");
}

}  // namespace

LinearTest find_linear_test(const LinearTestColumns& columns, const LinearTestRows& data,
                            std::span<const std::uint32_t> rows,
                            std::span<const std::int32_t> terms, const LinearTestOptions& options,
                            StopSignal& stop) {
    check(columns, data, rows, terms);
    const ColumnSearch search(columns, data, rows, terms, options);
    std::vector<LinearTest> found(columns.n_codes.size());
    ThreadPool pool(options.n_threads, stop);
    pool.run(found.size(),
             [&](std::size_t column, std::size_t) { found[column] = search.best_of(column); });
    LinearTest best;
    best.error = never;
    for (LinearTest& test : found)
        if (test.column >= 0 && test.error < best.error) best = std::move(test);
    best.node_error = search.node_error();
    return best;
}

}  // namespace branchline

#include "branchline/distances.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "branchline/thread_pool.hpp"
#include "distances/distance_kernels.hpp"

namespace branchline {

namespace {

constexpr std::size_t rows_of_task = 32;
constexpr std::size_t tile = 64;        // rows and columns that are mirrored at a time
constexpr double rounding = 1e-14;      // a correlation this near to 1 is 1
constexpr double least_spread = 1e-24;  // of what its squares sum to: a row that does not vary

std::size_t n_panels(std::size_t n_points) { return (n_points + panel_points - 1) / panel_points; }

bool has_missing(const DistanceRows& rows) {
    const std::size_t n = rows.n_rows * rows.n_columns;
    return std::any_of(rows.values, rows.values + n, [](double cell) { return cell != cell; });
}

// The known cells of a row, moved to mean 0: correlations do not change, and squares do not cancel.
void center(double* values, const double* known, std::size_t n) {
    double sum = 0, count = 0;
    for (std::size_t at = 0; at < n; ++at) {
        sum += values[at];
        count += known[at];
    }
    const double mean = count > 0 ? sum / count : 0;
    for (std::size_t at = 0; at < n; ++at) values[at] = known[at] * (values[at] - mean);
}

double sum_of_squares(const double* values, std::size_t n) {
    double sum = 0;
    for (std::size_t at = 0; at < n; ++at) sum += values[at] * values[at];
    return sum;
}

}  // namespace

struct DistancePoints::Packed {
    DistanceForm form;
    const DistanceKernels& kernels;
    std::size_t n_points, n_columns;
    bool with_missing;
    std::vector<double> panels, known;
    std::vector<unsigned char> whole;  // of each panel and column: whether all points are known

    PanelPair pair(const Probe& probe, std::size_t panel) const {
        const std::size_t at = panel * panel_points * n_columns;
        const double* row_known = with_missing ? probe.known.data() : nullptr;
        const double* panel_known = with_missing ? known.data() + at : nullptr;
        return {probe.values.data(),
                row_known,
                panels.data() + at,
                panel_known,
                whole.data() + panel * n_columns * with_missing,
                form.n_numbers,
                n_columns};
    }

    // What sums over the columns that are known in both stand for.
    void end(const double* counts, double* sums) const {
        const auto all = static_cast<double>(n_columns);
        for (std::size_t l = 0; l < panel_points; ++l) {
            const double count = counts[l] > 0 ? counts[l] : 1;
            const double ended =
                form.kind == DistanceKind::gower ? sums[l] / count : sums[l] * (all / count);
            sums[l] = counts[l] > 0 ? ended : form.unknown;
        }
        if (form.kind != DistanceKind::euclidean) return;
        for (std::size_t l = 0; l < panel_points; ++l)
            sums[l] = counts[l] > 0 ? __builtin_sqrt(sums[l]) : form.unknown;
    }

    void sums(const PanelPair& two, double* out) const {
        double counts[panel_points];
        const auto sum =
            form.kind == DistanceKind::euclidean ? kernels.squares : kernels.differences;
        sum(two, out, counts);
        if (!with_missing) std::fill_n(counts, panel_points, static_cast<double>(n_columns));
        end(counts, out);
    }

    double one_minus(double r) const {
        const double distance = std::max(0.0, 1.0 - std::clamp(r, -1.0, 1.0));
        return distance < rounding ? 0.0 : distance;
    }

    void correlations(const PanelPair& two, double* out) const {
        if (!with_missing) {  // rows have mean 0 and length 1; length 0 when they do not vary
            kernels.products(two, out);
            const bool varies = sum_of_squares(two.row, n_columns) > 0;
            for (std::size_t l = 0; l < panel_points; ++l) {
                double length = 0;
                for (std::size_t at = 0; at < n_columns && length == 0; ++at)
                    length = std::fabs(two.panel[at * panel_points + l]);
                out[l] = varies && length > 0 ? one_minus(out[l]) : form.unknown;
            }
            return;
        }
        double all[5 * panel_points];
        kernels.moments(two, out, all);
        for (std::size_t l = 0; l < panel_points; ++l) {
            const double *x = all, *z = all + panel_points;
            const double n = all[4 * panel_points + l];
            const double xx = all[2 * panel_points + l] - x[l] * x[l] / std::max(n, 1.0);
            const double zz = all[3 * panel_points + l] - z[l] * z[l] / std::max(n, 1.0);
            const double xz = out[l] - x[l] * z[l] / std::max(n, 1.0);
            const bool varies = xx > rounding * all[2 * panel_points + l] &&
                                zz > rounding * all[3 * panel_points + l];
            out[l] = n > 1 && varies ? one_minus(xz / std::sqrt(xx * zz)) : form.unknown;
        }
    }
};

DistancePoints::DistancePoints(const DistanceForm& form, const DistanceRows& points,
                               CpuLevel level) {
    const std::size_t n_panel = n_panels(points.n_rows), width = points.n_columns;
    auto packed = std::make_unique<Packed>(Packed{
        form, distance_kernels_for(level), points.n_rows, width, has_missing(points), {}, {}, {}});
    packed->panels.assign(n_panel * panel_points * width, 0.0);
    if (packed->with_missing) packed->known.assign(n_panel * panel_points * width, 0.0);
    if (packed->with_missing) packed->whole.assign(n_panel * width, 1);
    packed_ = std::move(packed);
    auto& filled = const_cast<Packed&>(*packed_);
    Probe one;
    for (std::size_t row = 0; row < points.n_rows; ++row) {
        probe(points.values + row * width, one);
        const std::size_t at = row / panel_points * panel_points * width + row % panel_points;
        for (std::size_t column = 0; column < width; ++column) {
            filled.panels[at + column * panel_points] = one.values[column];
            if (!filled.with_missing) continue;
            filled.known[at + column * panel_points] = one.known[column];
            filled.whole[row / panel_points * width + column] &= one.known[column] != 0;
        }
    }
}

DistancePoints::~DistancePoints() = default;

std::size_t DistancePoints::n_points() const noexcept { return packed_->n_points; }

void DistancePoints::probe(const double* row, Probe& out) const {
    const std::size_t width = packed_->n_columns;
    out.values.assign(row, row + width);
    out.known.assign(width, 1.0);
    for (std::size_t at = 0; at < width; ++at) {
        if (row[at] == row[at]) continue;
        out.values[at] = out.known[at] = 0;
    }
    if (packed_->form.kind != DistanceKind::correlation) return;
    const double before = sum_of_squares(out.values.data(), width);
    center(out.values.data(), out.known.data(), width);
    const double length = sum_of_squares(out.values.data(), width);
    const double scale = length > least_spread * before ? 1 / std::sqrt(length) : 0;
    for (double& value : out.values) value *= scale;
}

void DistancePoints::distances(const Probe& probe, std::size_t first, std::size_t last,
                               double* out) const {
    for (std::size_t at = first; at < last; at += panel_points) {
        const PanelPair two = packed_->pair(probe, at / panel_points);
        if (packed_->form.kind == DistanceKind::correlation) {
            packed_->correlations(two, out + (at - first));
        } else {
            packed_->sums(two, out + (at - first));
        }
    }
}

namespace {

// Calls use(row, first, distances) for every row: its distances from the points from `first` on.
template <class Use>
void each_row(const DistanceRows& rows, const DistancePoints& points, bool upper_only,
              ThreadPool& pool, Use&& use) {
    const std::size_t n_tasks = (rows.n_rows + rows_of_task - 1) / rows_of_task;
    const std::size_t n_points = points.n_points();
    std::vector<std::vector<double>> rooms(pool.n_workers());
    std::vector<DistancePoints::Probe> probes(pool.n_workers());
    pool.run(n_tasks, [&](std::size_t task, std::size_t worker) {
        std::vector<double>& room = rooms[worker];
        room.resize(n_panels(n_points) * panel_points);
        const std::size_t end = std::min(rows.n_rows, (task + 1) * rows_of_task);
        for (std::size_t row = task * rows_of_task; row < end; ++row) {
            const std::size_t first = upper_only ? row / panel_points * panel_points : 0;
            points.probe(rows.values + row * rows.n_columns, probes[worker]);
            points.distances(probes[worker], first, n_points, room.data());
            use(row, first, room.data());
        }
    });
}

void mirror(double* out, std::size_t n, ThreadPool& pool) {
    pool.run((n + tile - 1) / tile, [&](std::size_t task, std::size_t) {
        const std::size_t end = std::min(n, (task + 1) * tile);
        for (std::size_t left = 0; left < end; left += tile) {
            for (std::size_t row = task * tile; row < end; ++row) {
                const std::size_t right = std::min(row, left + tile);
                for (std::size_t column = left; column < right; ++column)
                    out[row * n + column] = out[column * n + row];
            }
        }
    });
}

void require_columns(const DistanceForm& form, const DistanceRows& a, const DistanceRows& b) {
    if (a.n_columns != b.n_columns || form.n_numbers > a.n_columns)
        throw std::invalid_argument("rows of the same columns");
}

// Points whose masks are used when any row or point has a missing cell.
bool needs_masks(const DistanceRows& rows, const DistanceRows& points) {
    return has_missing(rows) && !has_missing(points);
}

}  // namespace

void pairwise_distances(const DistanceForm& form, const DistanceRows& rows, double* out,
                        int n_threads, StopSignal& stop) {
    require_columns(form, rows, rows);
    const std::size_t n = rows.n_rows;
    const DistancePoints points(form, rows);
    ThreadPool pool(threads_for(n * n * rows.n_columns, 200'000, n_threads), stop);
    each_row(rows, points, true, pool, [&](std::size_t row, std::size_t first, const double* d) {
        std::copy(d + (row - first), d + (n - first), out + row * n + row);
        out[row * n + row] = 0;
    });
    mirror(out, n, pool);
}

void condensed_distances(const DistanceForm& form, const DistanceRows& rows, double* out,
                         int n_threads, StopSignal& stop) {
    require_columns(form, rows, rows);
    const std::size_t n = rows.n_rows;
    const DistancePoints points(form, rows);
    ThreadPool pool(threads_for(n * n * rows.n_columns, 200'000, n_threads), stop);
    each_row(rows, points, true, pool, [&](std::size_t row, std::size_t first, const double* d) {
        const std::size_t begin = row * n - row * (row + 1) / 2;
        std::copy(d + (row + 1 - first), d + (n - first), out + begin);
    });
}

void cross_distances(const DistanceForm& form, const DistanceRows& a, const DistanceRows& b,
                     double* out, int n_threads, StopSignal& stop) {
    require_columns(form, a, b);
    const std::size_t n = b.n_rows;
    ThreadPool pool(threads_for(a.n_rows * n * a.n_columns, 200'000, n_threads), stop);
    if (needs_masks(a, b)) {  // one point more that has a missing cell brings masks for all
        std::vector<double> more(b.values, b.values + n * b.n_columns);
        more.resize((n + 1) * b.n_columns, std::numeric_limits<double>::quiet_NaN());
        const DistancePoints points(form, {more.data(), n + 1, b.n_columns});
        each_row(a, points, false, pool, [&](std::size_t row, std::size_t, const double* d) {
            std::copy_n(d, n, out + row * n);
        });
        return;
    }
    const DistancePoints points(form, b);
    each_row(a, points, false, pool, [&](std::size_t row, std::size_t, const double* d) {
        std::copy_n(d, n, out + row * n);
    });
}

NearestPoints nearest_points(const DistanceForm& form, const DistanceRows& rows,
                             const DistanceRows& points, int n_threads, StopSignal& stop) {
    require_columns(form, rows, points);
    if (points.n_rows == 0) throw std::invalid_argument("at least one point");
    const std::size_t n = points.n_rows;
    NearestPoints found{std::vector<std::uint32_t>(rows.n_rows),
                        std::vector<std::uint32_t>(rows.n_rows), std::vector<double>(rows.n_rows)};
    std::vector<double> more;
    DistanceRows given = points;
    if (needs_masks(rows, points)) {
        more.assign(points.values, points.values + n * points.n_columns);
        more.resize((n + 1) * points.n_columns, std::numeric_limits<double>::quiet_NaN());
        given = {more.data(), n + 1, points.n_columns};
    }
    const DistancePoints packed(form, given);
    ThreadPool pool(threads_for(rows.n_rows * n * rows.n_columns, 200'000, n_threads), stop);
    each_row(rows, packed, false, pool, [&](std::size_t row, std::size_t, const double* d) {
        double best = d[0], next = std::numeric_limits<double>::infinity();
        std::uint32_t first = 0, second = 0;
        for (std::uint32_t at = 1; at < n; ++at) {
            if (d[at] < best) {
                next = best;
                second = first;
                best = d[at];
                first = at;
            } else if (d[at] < next) {
                next = d[at];
                second = at;
            }
        }
        found.first[row] = first;
        found.second[row] = second;
        found.distance[row] = best;
    });
    return found;
}

}  // namespace branchline

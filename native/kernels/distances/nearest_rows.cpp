#include "branchline/nearest_rows.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "branchline/thread_pool.hpp"

namespace branchline {

namespace {

constexpr std::size_t rows_of_task = 32;
constexpr std::size_t points_of_tile = 512;  // whole panels; they stay in the cache for all rows

bool has_missing(const DistanceRows& rows) {
    const double* end = rows.values + rows.n_rows * rows.n_columns;
    return std::any_of(rows.values, end, [](double cell) { return cell != cell; });
}

// The nearest points so far of one row, in order.
struct Nearest {
    std::uint32_t* place;
    double* distance;
    std::size_t k;

    void take(std::uint32_t point, double d) const {
        if (!(d < distance[k - 1])) return;
        std::size_t at = k - 1;
        for (; at > 0 && d < distance[at - 1]; --at) {
            distance[at] = distance[at - 1];
            place[at] = place[at - 1];
        }
        distance[at] = d;
        place[at] = point;
    }
};

}  // namespace

NearestRows nearest_rows(const DistanceForm& form, const DistanceRows& rows,
                         const DistanceRows& points, std::size_t k, bool skip_own, int n_threads,
                         StopSignal& stop) {
    const std::size_t n = points.n_rows;
    if (rows.n_columns != points.n_columns || form.n_numbers > rows.n_columns)
        throw std::invalid_argument("rows of the same columns");
    if (k < 1 || k + skip_own > n) throw std::invalid_argument("as many points as neighbors");
    std::vector<double> more;
    DistanceRows given = points;
    if (has_missing(rows) &&
        !has_missing(points)) {  // a point with missing cells brings masks for all
        more.assign(points.values, points.values + n * points.n_columns);
        more.resize((n + 1) * points.n_columns, std::numeric_limits<double>::quiet_NaN());
        given = {more.data(), n + 1, points.n_columns};
    }
    const DistancePoints packed(form, given);
    NearestRows found{
        std::vector<std::uint32_t>(rows.n_rows * k, 0),
        std::vector<double>(rows.n_rows * k, std::numeric_limits<double>::infinity())};
    ThreadPool pool(threads_for(rows.n_rows * n * rows.n_columns, 200'000, n_threads), stop);
    std::vector<std::vector<DistancePoints::Probe>> probes(pool.n_workers());
    pool.run(
        (rows.n_rows + rows_of_task - 1) / rows_of_task, [&](std::size_t task, std::size_t worker) {
            const std::size_t begin = task * rows_of_task;
            const std::size_t end = std::min(rows.n_rows, begin + rows_of_task);
            std::vector<DistancePoints::Probe>& probe = probes[worker];
            probe.resize(rows_of_task);
            for (std::size_t row = begin; row < end; ++row)
                packed.probe(rows.values + row * rows.n_columns, probe[row - begin]);
            double room[points_of_tile];
            for (std::size_t first = 0; first < n; first += points_of_tile) {
                const std::size_t last = std::min(n, first + points_of_tile);
                for (std::size_t row = begin; row < end; ++row) {
                    const Nearest nearest{&found.place[row * k], &found.distance[row * k], k};
                    packed.distances(probe[row - begin], first, last, room);
                    for (std::size_t at = first; at < last; ++at) {
                        if (room[at - first] < nearest.distance[k - 1] && !(skip_own && at == row))
                            nearest.take(static_cast<std::uint32_t>(at), room[at - first]);
                    }
                }
            }
        });
    return found;
}

}  // namespace branchline

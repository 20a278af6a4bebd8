#include "branchline/relief.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "branchline/thread_pool.hpp"
#include "relief/difference_kernels.hpp"

namespace branchline {

namespace {

constexpr std::size_t probes_of_task = 8;  // each row that is loaded meets this many probes
constexpr std::size_t rows_at_once = 32;   // and stays in the nearest cache meanwhile
constexpr double full = full_difference;

// A neighbor of a probe, and how many units of it count.
struct Near {
    std::uint64_t distance;
    std::uint32_t row;
    std::int64_t units;
};

bool is_nearer(const Near& one, const Near& other) noexcept {
    return one.distance != other.distance ? one.distance < other.distance : one.row < other.row;
}

// What one task adds up; tasks are added in order, so that threads do not change the result.
struct Sums {
    std::vector<double> first, second;
    double target = 0;
};

class Relief {
  public:
    Relief(const ReliefTable& table, const ReliefTarget& target, const ReliefRows& rows)
        : table_(table), target_(target), rows_(rows),
          kernels_(difference_kernels_for(best_cpu_level())),
          n_groups_(target.numbers.empty() ? target.n_classes : 1), units_of_class_(n_groups_, 0) {
        for (std::size_t row = 0; row < table.n_rows; ++row)
            units_of_class_[group(row)] += units(row);
        n_units_ = std::accumulate(units_of_class_.begin(), units_of_class_.end(), std::int64_t{0});
    }

    ReliefScores run(int n_threads, StopSignal& stop) const {
        const std::size_t n_tasks = (rows_.probes.size() + probes_of_task - 1) / probes_of_task;
        std::vector<Sums> sums(n_tasks);
        ThreadPool pool(n_threads, stop);
        pool.run(n_tasks, [&](std::size_t task, std::size_t) { sums[task] = look(task, stop); });
        return target_.numbers.empty() ? of_classes(sums) : of_numbers(sums);
    }

  private:
    using Lists = std::vector<std::vector<Near>>;  // the neighbors of a probe, by class

    const std::uint16_t* values(std::size_t row) const noexcept {
        return table_.values.data() + row * table_.width();
    }
    std::int64_t units(std::size_t row) const noexcept {
        return rows_.units.empty() ? 1 : rows_.units[row];
    }
    std::size_t group(std::size_t row) const noexcept {
        return n_groups_ > 1 ? target_.class_of_row[row] : 0;
    }

    Sums look(std::size_t task, StopSignal& stop) const {
        const std::size_t begin = task * probes_of_task;
        const auto probes =
            rows_.probes.subspan(begin, std::min(probes_of_task, rows_.probes.size() - begin));
        const std::vector<std::uint64_t> distances = distances_from(probes, stop);
        Sums sums{std::vector<double>(table_.width(), 0), std::vector<double>(table_.width(), 0)};
        for (std::size_t at = 0; at < probes.size(); ++at) {
            const std::span<const std::uint64_t> from_probe(&distances[at * table_.n_rows],
                                                            table_.n_rows);
            const Lists near = rows_.n_neighbors > 0 ? nearest(probes[at], from_probe)
                                                     : within_reach(probes[at], from_probe);
            if (target_.numbers.empty()) {
                add_classes(probes[at], near, sums);
            } else {
                add_numbers(probes[at], near.front(), sums);
            }
        }
        return sums;
    }

    std::vector<std::uint64_t> distances_from(std::span<const std::uint32_t> probes,
                                              StopSignal& stop) const {
        std::vector<std::uint64_t> distances(probes.size() * table_.n_rows);
        for (std::size_t begin = 0; begin < table_.n_rows; begin += rows_at_once) {
            stop.check();
            const std::size_t end = std::min(table_.n_rows, begin + rows_at_once);
            for (std::size_t at = 0; at < probes.size(); ++at) {
                kernels_.distances(table_, values(probes[at]), begin, end,
                                   &distances[at * table_.n_rows]);
            }
        }
        return distances;
    }

    // The k nearest rows of each class; the last one may count with some of its units only. Each list is a
    // heap whose farthest row stands first, so that most rows are passed over after one comparison.
    Lists nearest(std::size_t probe, std::span<const std::uint64_t> distances) const {
        Lists near(n_groups_);
        std::vector<std::uint64_t> reach(n_groups_, std::numeric_limits<std::uint64_t>::max());
        for (std::vector<Near>& list : near)
            list.reserve(std::min(rows_.n_neighbors, table_.n_rows));
        for (std::size_t row = 0; row < table_.n_rows; ++row) {
            const std::size_t own = group(row);
            if (distances[row] >= reach[own]) continue;  // of equal distances, the first row counts
            const std::int64_t count = units(row) - (row == probe ? 1 : 0);
            if (count <= 0) continue;
            std::vector<Near>& list = near[own];
            if (list.size() == rows_.n_neighbors) {
                std::pop_heap(list.begin(), list.end(), is_nearer);
                list.pop_back();
            }
            list.push_back({distances[row], static_cast<std::uint32_t>(row), count});
            std::push_heap(list.begin(), list.end(), is_nearer);
            if (list.size() == rows_.n_neighbors) reach[own] = list.front().distance;
        }
        for (std::vector<Near>& list : near) count_units(list);
        return near;
    }

    void count_units(std::vector<Near>& list) const {
        std::sort_heap(list.begin(), list.end(), is_nearer);
        auto left = static_cast<std::int64_t>(rows_.n_neighbors);
        for (Near& near : list) {
            near.units = std::min(near.units, left);
            left -= near.units;
        }
        std::erase_if(list, [](const Near& near) { return near.units == 0; });
    }

    // All rows that are nearer than mean − ½ standard deviation of the distances.
    Lists within_reach(std::size_t probe, std::span<const std::uint64_t> distances) const {
        const double n_others = static_cast<double>(n_units_ - 1);
        Lists near(n_groups_);
        if (n_others < 1) return near;
        double sum = 0, squares = 0;
        for (std::size_t row = 0; row < table_.n_rows; ++row) {
            const double distance = static_cast<double>(distances[row]) / full;
            const auto count = static_cast<double>(units(row) - (row == probe ? 1 : 0));
            sum += count * distance;
            squares += count * distance * distance;
        }
        const double mean = sum / n_others;
        const double variance = std::max(0.0, squares / n_others - mean * mean);
        const double reach = (mean - std::sqrt(variance) / 2) * full;
        for (std::size_t row = 0; row < table_.n_rows; ++row) {
            const std::int64_t count = units(row) - (row == probe ? 1 : 0);
            if (count > 0 && static_cast<double>(distances[row]) < reach) {
                near[group(row)].push_back(
                    {distances[row], static_cast<std::uint32_t>(row), count});
            }
        }
        return near;
    }

    // Adds the differences to a list of neighbors; returns how many units they have.
    std::int64_t add_list(std::size_t probe, const std::vector<Near>& list,
                          std::vector<std::uint64_t>& sums) const {
        std::int64_t n_near = 0;
        for (const Near& near : list) {
            kernels_.add(table_, values(probe), values(near.row),
                         static_cast<std::uint64_t>(near.units), sums.data());
            n_near += near.units;
        }
        return n_near;
    }

    void add_classes(std::size_t probe, const Lists& near, Sums& sums) const {
        const std::size_t own = group(probe), width = table_.width();
        const double others = static_cast<double>(n_units_ - units_of_class_[own]);
        std::vector<double> w(width, 0);
        std::vector<std::uint64_t> differences(width);
        for (std::size_t c = 0; c < n_groups_; ++c) {
            std::fill(differences.begin(), differences.end(), 0);
            const auto n_near = static_cast<double>(add_list(probe, near[c], differences));
            if (n_near == 0) continue;
            const double share = c == own ? -1 : static_cast<double>(units_of_class_[c]) / others;
            for (std::size_t f = 0; f < width; ++f) {
                w[f] += share * (static_cast<double>(differences[f]) / (n_near * full));
            }
        }
        const auto weight = static_cast<double>(units(probe));
        for (std::size_t f = 0; f < width; ++f) {
            sums.first[f] += weight * w[f];
            sums.second[f] += weight * w[f] * w[f];
        }
        sums.target += weight;
    }

    // first: N_df; second: N_dy,df; target: N_dy.
    void add_numbers(std::size_t probe, const std::vector<Near>& near, Sums& sums) const {
        const std::size_t width = table_.width();
        std::vector<std::uint64_t> plain(width, 0), with_target(width, 0);
        std::uint64_t target = 0;
        const auto n_near = static_cast<double>(add_list(probe, near, plain));
        if (n_near == 0) return;
        for (const Near& one : near) {
            const int apart = target_.numbers[probe] - target_.numbers[one.row];
            const auto factor =
                static_cast<std::uint64_t>(std::abs(apart)) * static_cast<std::uint64_t>(one.units);
            kernels_.add(table_, values(probe), values(one.row), factor, with_target.data());
            target += factor;
        }
        const double share = static_cast<double>(units(probe)) / (n_near * full);
        for (std::size_t f = 0; f < width; ++f) {
            sums.first[f] += share * static_cast<double>(plain[f]);
            sums.second[f] += share * static_cast<double>(with_target[f]) / full;
        }
        sums.target += share * static_cast<double>(target);
    }

    Sums add_up(const std::vector<Sums>& tasks) const {
        Sums all{std::vector<double>(table_.width(), 0), std::vector<double>(table_.width(), 0)};
        for (const Sums& task : tasks) {
            for (std::size_t f = 0; f < table_.width(); ++f) {
                all.first[f] += task.first[f];
                all.second[f] += task.second[f];
            }
            all.target += task.target;
        }
        return all;
    }

    ReliefScores of_classes(const std::vector<Sums>& tasks) const {
        Sums all = add_up(tasks);
        for (double& value : all.first) value /= all.target;
        for (double& value : all.second) value /= all.target;
        return {std::move(all.first), std::move(all.second)};
    }

    ReliefScores of_numbers(const std::vector<Sums>& tasks) const {
        const Sums all = add_up(tasks);
        double n_probed = 0;
        for (const std::uint32_t probe : rows_.probes)
            n_probed += static_cast<double>(units(probe));
        std::vector<double> score(table_.width(), 0);
        if (all.target > 0 && all.target < n_probed) {
            for (std::size_t f = 0; f < score.size(); ++f) {
                score[f] = all.second[f] / all.target -
                           (all.first[f] - all.second[f]) / (n_probed - all.target);
            }
        }
        return {std::move(score), {}};
    }

    const ReliefTable& table_;
    const ReliefTarget& target_;
    const ReliefRows& rows_;
    const DifferenceKernels& kernels_;
    std::size_t n_groups_;
    std::vector<std::int64_t> units_of_class_;
    std::int64_t n_units_ = 0;
};

}  // namespace

ReliefScores relief_scores(const ReliefTable& table, const ReliefTarget& target,
                           const ReliefRows& rows, int n_threads, StopSignal& stop) {
    return Relief(table, target, rows).run(n_threads, stop);
}

}  // namespace branchline

#include <array>
#include <limits>
#include <random>
#include <vector>

#include "branchline/distances.hpp"
#include "branchline/linkage.hpp"
#include "branchline/medoids.hpp"
#include "branchline/self_organizing_map.hpp"
#include "check.hpp"

namespace {

using namespace branchline;

std::vector<double> square_of(const std::vector<double>& rows, std::size_t width) {
    const std::size_t n = rows.size() / width;
    std::vector<double> out(n * n);
    StopSignal stop;
    pairwise_distances({DistanceKind::euclidean, width, 0.0}, {rows.data(), n, width}, out.data(),
                       1, stop);
    return out;
}

std::vector<double> some_rows(std::size_t n) {
    std::mt19937_64 draw(7);
    std::vector<double> rows(n * 3);
    for (double& value : rows) value = static_cast<double>(draw() % 1000) / 100;
    return rows;
}

const check::Test threads_do_not_matter{"distances are the same for any threads", [] {
    std::vector<double> rows = some_rows(70);
    rows[4] = std::numeric_limits<double>::quiet_NaN();
    std::vector<double> one(70 * 70), three(70 * 70);
    StopSignal stop;
    for (const auto kind : {DistanceKind::euclidean, DistanceKind::manhattan,
                            DistanceKind::correlation, DistanceKind::gower}) {
        pairwise_distances({kind, 3, 1.0}, {rows.data(), 70, 3}, one.data(), 1, stop);
        pairwise_distances({kind, 3, 1.0}, {rows.data(), 70, 3}, three.data(), 3, stop);
        check::that(one == three, "the same bits");
    }
}};

const check::Test heights_rise{"heights of merges never fall", [] {
    const std::vector<double> rows = some_rows(60), sizes(60, 1.0);
    StopSignal stop;
    for (const auto kind : {Linkage::single, Linkage::complete, Linkage::average, Linkage::ward}) {
        std::vector<double> square = square_of(rows, 3);
        const ClusterTree tree = join_clusters(kind, square, sizes, stop);
        for (std::size_t at = 1; at < tree.height.size(); ++at)
            check::that(tree.height[at] >= tree.height[at - 1],
                        "a height is at least the one before");
    }
    check::that(divide_clusters(square_of(rows, 3), sizes, stop).height.size() == 59,
                "a merge less than rows");
}};

const check::Test no_swap_is_better{"no swap of one medoid lowers the loss", [] {
    const std::vector<double> square = square_of(some_rows(40), 3), weights(40, 1.0);
    StopSignal stop;
    const Medoids found = find_medoids(square, weights, 4, {}, stop);
    for (std::size_t m = 0; m < 4; ++m) {
        for (std::uint32_t other = 0; other < 40; ++other) {
            auto rows = found.rows;
            rows[m] = other;
            double loss = 0;
            for (std::size_t o = 0; o < 40; ++o) {
                double least = std::numeric_limits<double>::infinity();
                for (const std::uint32_t row : rows) least = std::min(least, square[row * 40 + o]);
                loss += least;
            }
            check::that(loss >= found.loss - 1e-9, "no swap is better");
        }
    }
}};

const check::Test faults_are_seen{"what is wrong with a matrix of distances", [] {
    StopSignal stop;
    std::vector<double> square = square_of(some_rows(50), 3);
    check::that(look_at_distances(square, 50, stop).usable, "distances are usable");
    check::that(look_at_distances(square, 50, stop).asymmetry == 0, "they are symmetric");
    square[49] += 0.5;
    check::that(look_at_distances(square, 50, stop).asymmetry > 0.49, "an asymmetry is seen");
    square[49 * 50] = -1;
    check::that(!look_at_distances(square, 50, stop).usable, "a negative distance is seen");
    square[49 * 50] = std::numeric_limits<double>::quiet_NaN();
    check::that(!look_at_distances(square, 50, stop).usable, "a missing distance is seen");
}};

const check::Test units_reach_rows{"two units of a map reach two groups of rows", [] {
    const std::vector<double> values{0, 0, 0.2, 0, 9, 9, 9.2, 9}, weights(4, 1.0);
    const std::vector<double> apart{0, 1, 1, 0};
    std::vector<double> codes{4, 4, 5, 5};
    StopSignal stop;
    train_map({values, weights, 2}, apart, codes, {2000, 0.5, 0.01, 1.0, 0.1, 3}, stop);
    check::that(codes[0] < 0.3 && codes[2] > 8.7, "each unit is among its rows");
}};

}  // namespace

// Directions in the space of a node's numbers: found by least squares, drawn, turned.
#pragma once

#include "forest/node_draws.hpp"
#include "node_tests/responses.hpp"

namespace branchline::node_tests {

// Σ weight[i] · column[i] of rounded numbers; columns are places among the numbers.
struct Direction {
    std::vector<std::uint32_t> columns;
    std::vector<std::int32_t> weights;
    double score = 0;
};

class DirectionSearch {
  public:
    DirectionSearch(const NodeTestInput& input, const GrowOptions& options,
                    const NodeTestOptions& tests);

    // The best directions of at least two columns, best first; none when there are no two columns that
    // vary. `deviation` is the spread of each number in the node.
    std::vector<Direction> find(const Node& node, std::size_t n_wanted);
    double deviation(std::uint32_t column) const { return deviation_[column]; }

  private:
    void take_sample(const Node& node);
    void take_columns(forest::NodeDraws& draws);
    void take_moments();
    void add_least_squares(const std::vector<std::int64_t>& response);
    void add_fit(std::span<const std::size_t> chosen, std::span<const double> with_response);
    std::size_t best_addition(std::span<const std::size_t> chosen,
                              std::span<const double> with_response) const;
    void add_random(forest::NodeDraws& draws);
    void add_direction(std::span<const std::size_t> chosen, std::span<const double> weights);
    double score_of(const Direction& direction);
    void turn(Direction& direction);
    bool try_turn(Direction& direction, std::size_t at, double step);
    double correlation(std::size_t column, const std::vector<std::int64_t>& response) const;
    const std::int16_t* steps(std::size_t column) const { return near_.data() + column * n_near_; }

    const NodeTestInput& input_;
    NodeTestOptions tests_;
    double unit_;
    std::size_t n_rows_;
    std::vector<std::int16_t> all_steps_;  // column after column, all rows of the table
    std::vector<std::int16_t> near_;       // those of the sample
    std::size_t n_near_ = 0;
    Responses responses_;
    NodeSample sample_;
    std::vector<double> mean_, deviation_;  // of each number in the sample, in steps
    std::vector<std::size_t> looked_at_;    // numbers that are looked at in pairs
    std::vector<double> covariance_;        // of these
    std::vector<std::int32_t> projected_;
    std::vector<Direction> found_;
};

}  // namespace branchline::node_tests

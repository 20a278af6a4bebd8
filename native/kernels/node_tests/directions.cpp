#include "node_tests/directions.hpp"

#include <array>
#include <numbers>
#include <numeric>

#include "mix.hpp"
#include "node_tests/least_squares.hpp"

namespace branchline::node_tests {

namespace {

constexpr double most_rows = 4096;        // of a sample
constexpr std::size_t most_columns = 20;  // looked at in pairs
constexpr std::size_t most_responses = 3;
constexpr std::size_t n_pairs = 4;   // the best pairs of a response
constexpr std::size_t n_turned = 3;  // directions that are turned
constexpr double largest_weight = 1023;

}  // namespace

DirectionSearch::DirectionSearch(const NodeTestInput& input, const GrowOptions& options,
                                 const NodeTestOptions& tests)
    : input_(input), tests_(tests), unit_(options.unit),
      n_rows_(input.numbers.empty() ? 0 : input.numbers.front().values.size()),
      all_steps_(round_numbers(input.numbers)), responses_(input.target, options.min_leaf_units),
      mean_(input.numbers.size()), deviation_(input.numbers.size()) {}

std::vector<Direction> DirectionSearch::find(const Node& node, std::size_t n_wanted) {
    forest::NodeDraws draws(node.key);
    found_.clear();
    take_sample(node);
    take_columns(draws);
    if (looked_at_.size() < 2) return {};
    take_moments();
    responses_.begin(sample_);
    for (const auto& response : responses_.vectors(most_responses)) add_least_squares(response);
    add_random(draws);
    for (Direction& direction : found_) direction.score = score_of(direction);
    const auto is_better = [](const Direction& a, const Direction& b) {
        return a.score != b.score ? a.score > b.score : a.columns.size() < b.columns.size();
    };
    std::stable_sort(found_.begin(), found_.end(), is_better);
    found_.resize(std::min(found_.size(), std::max(n_turned, n_wanted)));
    for (Direction& direction : found_) turn(direction);
    std::stable_sort(found_.begin(), found_.end(), is_better);
    found_.resize(std::min(found_.size(), n_wanted));
    return found_;
}

// All rows, or those whose keys are low: copies of a row are taken together.
void DirectionSearch::take_sample(const Node& node) {
    sample_ = {};
    double weight = 0;
    for (const RowIndex row : node.rows) {
        weight += static_cast<double>(units_of(input_.target, row)) * unit_;
    }
    const bool takes_all = weight <= 1.5 * most_rows;
    const auto limit = static_cast<std::uint64_t>(takes_all ? 0 : 0x1p63 * (most_rows / weight));
    for (const RowIndex row : node.rows) {
        if (!takes_all && mix(input_.keys[row] ^ node.key) >> 1 >= limit) continue;
        sample_.rows.push_back(row);
        const std::int64_t units = units_of(input_.target, row);
        if (!input_.target.units.empty()) sample_.units.push_back(units);
        sample_.weight += units;
    }
    n_near_ = sample_.rows.size();
    near_.resize(input_.numbers.size() * n_near_);
    for (std::size_t c = 0; c < input_.numbers.size(); ++c) {
        const std::int16_t* all = all_steps_.data() + c * n_rows_;
        std::int16_t* near = near_.data() + c * n_near_;
        for (std::size_t i = 0; i < n_near_; ++i) near[i] = all[sample_.rows[i]];
    }
    projected_.resize(n_near_);
}

// The numbers that vary; of many, those that go best with a response, and some at random.
void DirectionSearch::take_columns(forest::NodeDraws& draws) {
    looked_at_.clear();
    const auto weight = static_cast<double>(sample_.weight);
    for (std::size_t c = 0; c < input_.numbers.size(); ++c) {
        const double sum = static_cast<double>(total(steps(c), sample_));
        const double squares = static_cast<double>(dot(steps(c), steps(c), sample_));
        mean_[c] = sum / weight;
        deviation_[c] = std::sqrt(std::max(0.0, squares / weight - mean_[c] * mean_[c]));
        if (deviation_[c] > 0) looked_at_.push_back(c);
    }
    if (looked_at_.size() <= most_columns) return;
    responses_.begin(sample_);
    std::vector<double> best(input_.numbers.size(), 0);
    for (const auto& response : responses_.vectors(most_responses)) {
        for (const std::size_t c : looked_at_) {
            best[c] = std::max(best[c], std::abs(correlation(c, response)));
        }
    }
    std::stable_sort(looked_at_.begin(), looked_at_.end(),
                     [&](std::size_t a, std::size_t b) { return best[a] > best[b]; });
    constexpr std::size_t n_best = most_columns - 4;
    for (std::size_t k = n_best; k < most_columns; ++k) {
        const auto left = static_cast<std::uint32_t>(looked_at_.size() - k);
        std::swap(looked_at_[k], looked_at_[k + draws.below(left)]);
    }
    looked_at_.resize(most_columns);
    std::sort(looked_at_.begin(), looked_at_.end());
}

double DirectionSearch::correlation(std::size_t column,
                                    const std::vector<std::int64_t>& response) const {
    Wide sum = 0, products = 0;
    for (std::size_t i = 0; i < n_near_; ++i) {
        sum += response[i];
        products += Wide{response[i]} * steps(column)[i];
    }
    const double covariance =
        static_cast<double>(products) - mean_[column] * static_cast<double>(sum);
    return covariance / deviation_[column];
}

void DirectionSearch::take_moments() {
    const std::size_t m = looked_at_.size();
    const auto weight = static_cast<double>(sample_.weight);
    covariance_.assign(m * m, 0);
    for (std::size_t i = 0; i < m; ++i) {
        for (std::size_t j = 0; j <= i; ++j) {
            const std::size_t a = looked_at_[i], b = looked_at_[j];
            const double product = static_cast<double>(dot(steps(a), steps(b), sample_));
            covariance_[i * m + j] = covariance_[j * m + i] =
                product / weight - mean_[a] * mean_[b];
        }
    }
}

// The best pairs, each widened by the number that explains most of what is left.
void DirectionSearch::add_least_squares(const std::vector<std::int64_t>& response) {
    const std::size_t m = looked_at_.size();
    std::vector<double> with(m);
    for (std::size_t i = 0; i < m; ++i) {
        with[i] = correlation(looked_at_[i], response) * deviation_[looked_at_[i]] /
                  static_cast<double>(sample_.weight);
    }
    struct Pair {
        double explained;
        std::array<std::size_t, 2> columns;
    };
    std::vector<Pair> pairs;
    for (std::size_t i = 0; i < m; ++i) {
        for (std::size_t j = i + 1; j < m; ++j) {
            const std::array<std::size_t, 2> both{i, j};
            pairs.push_back({fit_few(covariance_, m, both, with).explained, both});
        }
    }
    const std::size_t n_kept = std::min(n_pairs, pairs.size());
    std::partial_sort(pairs.begin(), pairs.begin() + static_cast<std::ptrdiff_t>(n_kept),
                      pairs.end(), [](const Pair& a, const Pair& b) {
                          return a.explained != b.explained ? a.explained > b.explained
                                                            : a.columns < b.columns;
                      });
    for (std::size_t p = 0; p < n_kept; ++p) {
        std::vector<std::size_t> chosen(pairs[p].columns.begin(), pairs[p].columns.end());
        add_fit(chosen, with);
        while (chosen.size() < std::min(tests_.n_columns, m)) {
            chosen.push_back(best_addition(chosen, with));
            add_fit(chosen, with);
        }
    }
}

std::size_t DirectionSearch::best_addition(std::span<const std::size_t> chosen,
                                           std::span<const double> with_response) const {
    const std::size_t m = looked_at_.size();
    std::vector<std::size_t> longer(chosen.begin(), chosen.end());
    longer.push_back(0);
    double most = -1;
    std::size_t best = 0;
    for (std::size_t c = 0; c < m; ++c) {
        if (std::find(chosen.begin(), chosen.end(), c) != chosen.end()) continue;
        longer.back() = c;
        const double explained = fit_few(covariance_, m, longer, with_response).explained;
        if (explained > most) most = explained, best = c;
    }
    return best;
}

void DirectionSearch::add_fit(std::span<const std::size_t> chosen,
                              std::span<const double> with_response) {
    const Fit fit = fit_few(covariance_, looked_at_.size(), chosen, with_response);
    add_direction(chosen, std::span<const double>(fit.weights).first(chosen.size()));
}

// Pairs at a random angle, in units of the node's deviations.
void DirectionSearch::add_random(forest::NodeDraws& draws) {
    const auto m = static_cast<std::uint32_t>(looked_at_.size());
    for (std::size_t k = 0; k < tests_.n_random; ++k) {
        const std::size_t a = draws.below(m), b = (a + 1 + draws.below(m - 1)) % m;
        const double angle = draws.uniform() * std::numbers::pi;
        const std::array<std::size_t, 2> chosen{a, b};
        const std::array<double, 2> weights{std::cos(angle) / deviation_[looked_at_[a]],
                                            std::sin(angle) / deviation_[looked_at_[b]]};
        add_direction(chosen, weights);
    }
}

// Weights become whole numbers, so that projections are exact.
void DirectionSearch::add_direction(std::span<const std::size_t> chosen,
                                    std::span<const double> weights) {
    double largest = 0;
    for (const double weight : weights) largest = std::max(largest, std::abs(weight));
    if (!(largest > 0) || !std::isfinite(largest)) return;
    Direction direction;
    for (std::size_t i = 0; i < chosen.size(); ++i) {
        direction.columns.push_back(static_cast<std::uint32_t>(looked_at_[chosen[i]]));
        direction.weights.push_back(
            static_cast<std::int32_t>(std::nearbyint(weights[i] / largest * largest_weight)));
    }
    found_.push_back(std::move(direction));
}

double DirectionSearch::score_of(const Direction& direction) {
    std::fill(projected_.begin(), projected_.end(), 0);
    for (std::size_t k = 0; k < direction.columns.size(); ++k) {
        const std::int16_t* column = steps(direction.columns[k]);
        const std::int32_t weight = direction.weights[k];
        for (std::size_t i = 0; i < n_near_; ++i) projected_[i] += weight * column[i];
    }
    return responses_.score(projected_);
}

// Changes one weight at a time, by smaller and smaller steps, as long as that scores higher.
void DirectionSearch::turn(Direction& direction) {
    for (const double step : {0.5, 0.25, 0.125, 0.0625}) {
        for (std::size_t k = 0; k < direction.columns.size(); ++k) {
            if (!try_turn(direction, k, step)) try_turn(direction, k, -step);
        }
    }
}

bool DirectionSearch::try_turn(Direction& direction, std::size_t at, double step) {
    double largest = 0;
    for (std::size_t k = 0; k < direction.columns.size(); ++k) {
        largest =
            std::max(largest, std::abs(direction.weights[k]) * deviation_[direction.columns[k]]);
    }
    const double change = step * largest / deviation_[direction.columns[at]];
    const double changed = std::nearbyint(direction.weights[at] + change);
    if (std::abs(changed) > 8 * largest_weight || changed == direction.weights[at]) return false;
    Direction turned = direction;
    turned.weights[at] = static_cast<std::int32_t>(changed);
    turned.score = score_of(turned);
    if (!(turned.score > direction.score)) return false;
    direction = std::move(turned);
    return true;
}

}  // namespace branchline::node_tests

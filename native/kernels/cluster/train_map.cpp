#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "branchline/random.hpp"
#include "branchline/self_organizing_map.hpp"

namespace branchline {

namespace {

// Units beyond this many squared radii move by less than 1e-7 of the way.
constexpr double reach = 2 * 16.2;
constexpr double word = 0x1p-53;

// Units in blocks of eight, column after column, so that a row meets eight codes at a time.
constexpr std::size_t lanes = 8;

class Map {
  public:
    Map(std::span<const double> codes, std::size_t n_columns)
        : width_(n_columns), n_units_(codes.size() / n_columns),
          n_blocks_((n_units_ + lanes - 1) / lanes),
          codes_(n_blocks_ * lanes * n_columns, std::numeric_limits<double>::infinity()) {
        for (std::size_t unit = 0; unit < n_units_; ++unit)
            for (std::size_t column = 0; column < width_; ++column)
                at(unit, column) = codes[unit * width_ + column];
    }

    void give(std::span<double> codes) {
        for (std::size_t unit = 0; unit < n_units_; ++unit)
            for (std::size_t column = 0; column < width_; ++column)
                codes[unit * width_ + column] = at(unit, column);
    }

    // The columns of a row that are known.
    void look(const double* row) {
        known_.clear();
        for (std::size_t column = 0; column < width_; ++column)
            if (row[column] == row[column]) known_.push_back(column);
    }

    std::size_t best(const double* row) const {
        std::size_t found = 0;
        double least = std::numeric_limits<double>::infinity();
        for (std::size_t block = 0; block < n_blocks_; ++block) {
            const double* codes = codes_.data() + block * lanes * width_;
            double sums[lanes] = {};
            for (const std::size_t column : known_)
                for (std::size_t l = 0; l < lanes; ++l) {
                    const double difference = row[column] - codes[column * lanes + l];
                    sums[l] += difference * difference;
                }
            for (std::size_t l = 0; l < lanes && block * lanes + l < n_units_; ++l) {
                if (sums[l] < least) {
                    least = sums[l];
                    found = block * lanes + l;
                }
            }
        }
        return found;
    }

    void move(const double* row, const double* apart, double rate, double radius) {
        const double scale = 1 / (2 * radius * radius), far = reach * radius * radius;
        for (std::size_t block = 0; block < n_blocks_; ++block) {
            double part[lanes] = {};
            bool any = false;
            for (std::size_t l = 0; l < lanes && block * lanes + l < n_units_; ++l) {
                const double square = apart[block * lanes + l];
                if (square > far) continue;
                part[l] = rate * std::exp(-square * scale);
                any = true;
            }
            if (any) pull(codes_.data() + block * lanes * width_, row, part);
        }
    }

  private:
    double& at(std::size_t unit, std::size_t column) {
        return codes_[(unit / lanes * width_ + column) * lanes + unit % lanes];
    }

    void pull(double* codes, const double* row, const double* part) const {
        for (const std::size_t column : known_) {
            double* const here = codes + column * lanes;
            for (std::size_t l = 0; l < lanes; ++l) {
                const double moved = here[l] + part[l] * (row[column] - here[l]);
                here[l] = part[l] > 0 ? moved : here[l];
            }
        }
    }

    std::size_t width_, n_units_, n_blocks_;
    std::vector<double> codes_;
    std::vector<std::size_t> known_;
};

void require_map(const MapRows& rows, std::span<const double> apart, std::span<double> codes,
                 const MapTraining& training) {
    const std::size_t n = rows.weights.size(), width = rows.n_columns;
    if (n == 0 || width == 0 || rows.values.size() != n * width)
        throw std::invalid_argument("rows with a weight each");
    const std::size_t units = codes.size() / width;
    if (units == 0 || codes.size() % width != 0 || apart.size() != units * units)
        throw std::invalid_argument("a code for each unit of the grid");
    if (!(training.first_radius > 0) || !(training.last_radius > 0) || !(training.first_rate > 0) ||
        !(training.last_rate > 0) || training.n_steps < 0)
        throw std::invalid_argument("rates and radii above 0");
}

}  // namespace

void train_map(const MapRows& rows, std::span<const double> apart, std::span<double> codes,
               const MapTraining& training, StopSignal& stop) {
    require_map(rows, apart, codes, training);
    const std::size_t width = rows.n_columns, n_units = codes.size() / width;
    std::vector<double> until(rows.weights.size());
    double total = 0;
    for (std::size_t row = 0; row < until.size(); ++row) until[row] = total += rows.weights[row];
    Map map(codes, width);
    const double steps = std::max<double>(1, static_cast<double>(training.n_steps - 1));
    for (std::int64_t step = 0; step < training.n_steps; ++step) {
        stop.check();
        const double part = static_cast<double>(step) / steps;
        const double rate =
            training.first_rate * std::pow(training.last_rate / training.first_rate, part);
        const double radius =
            training.first_radius * std::pow(training.last_radius / training.first_radius, part);
        const auto drawn = philox({static_cast<std::uint64_t>(step), 0, 0, 0}, {training.seed, 0});
        const double place = static_cast<double>(drawn[0] >> 11) * word * total;
        const auto found = std::upper_bound(until.begin(), until.end() - 1, place);
        const auto row = static_cast<std::size_t>(found - until.begin());
        const double* const cells = rows.values.data() + row * width;
        map.look(cells);
        map.move(cells, apart.data() + map.best(cells) * n_units, rate, radius);
    }
    map.give(codes);
}

}  // namespace branchline

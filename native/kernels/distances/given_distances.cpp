#include <algorithm>
#include <cmath>

#include "branchline/distances.hpp"
#include "branchline/thread_pool.hpp"

namespace branchline {

namespace {

constexpr std::size_t tile = 32;

// What was seen, in lanes of their own: comparisons of eight numbers are one step of the processor.
class Lanes {
  public:
    void look(const double* here, const double* there, std::size_t n) noexcept {
        for (std::size_t first = 0; first < n; first += n_lanes) {
            if (first + n_lanes <= n) {
                for (std::size_t at = 0; at < n_lanes; ++at)
                    see(at, here[first + at], there[first + at]);
            } else {
                for (std::size_t at = 0; first + at < n; ++at)
                    see(at, here[first + at], there[first + at]);
            }
        }
    }

    void tell(GivenDistances& seen) const {
        bool usable = true;
        for (std::size_t at = 0; at < n_lanes; ++at) {
            seen.largest = std::max(seen.largest, largest_[at]);
            seen.asymmetry = std::max(seen.asymmetry, asymmetry_[at]);
            usable = usable && bad_[at] == 0;
        }
        seen.usable = usable && std::isfinite(seen.largest);
    }

  private:
    static constexpr std::size_t n_lanes = 8;

    void see(std::size_t at, double here, double there) noexcept {
        const double apart = std::fabs(here - there);
        largest_[at] = largest_[at] < here ? here : largest_[at];
        largest_[at] = largest_[at] < there ? there : largest_[at];
        asymmetry_[at] = asymmetry_[at] < apart ? apart : asymmetry_[at];
        bad_[at] += here >= 0 ? 0.0 : 1.0;  // also where it is missing
        bad_[at] += there >= 0 ? 0.0 : 1.0;
    }

    double largest_[n_lanes] = {}, asymmetry_[n_lanes] = {}, bad_[n_lanes] = {};
};

}  // namespace

GivenDistances look_at_distances(std::span<const double> square, std::size_t n, StopSignal& stop) {
    if (square.size() != n * n) throw std::invalid_argument("a square matrix of distances");
    GivenDistances seen;
    const double* d = square.data();
    Lanes lanes;
    std::vector<double> turned(tile * tile);
    for (std::size_t top = 0; top < n; top += tile) {
        stop.check();
        const std::size_t bottom = std::min(n, top + tile);
        for (std::size_t left = top; left < n; left += tile) {
            const std::size_t right = std::min(n, left + tile);
            for (std::size_t column = left; column < right; ++column) {
                for (std::size_t row = top; row < bottom; ++row) {
                    turned[(row - top) * tile + column - left] = d[column * n + row];
                }
            }
            for (std::size_t row = top; row < bottom; ++row) {
                lanes.look(&d[row * n + left], &turned[(row - top) * tile], right - left);
            }
        }
        for (std::size_t row = top; row < bottom; ++row)
            seen.diagonal = std::max(seen.diagonal, std::fabs(d[row * n + row]));
    }
    lanes.tell(seen);
    return seen;
}

}  // namespace branchline

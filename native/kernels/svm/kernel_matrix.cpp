#include "branchline/kernel_matrix.hpp"

#include <numeric>
#include <stdexcept>

#include "branchline/thread_pool.hpp"
#include "svm/kernel_crossing.hpp"

namespace branchline {

namespace {

using namespace branchline::svm;

// Points packed once, and how blocks of other rows are packed to meet them.
template <class Real>
class Meeting {
  public:
    Meeting(const PointRows<Real>& a, const PointRows<Real>& b, const Placing& placing,
            CpuLevel level)
        : rows_(a), placing_(placing), as_bits_(placing.of_bits && are_bits(a)),
          tiles_(kernel_tiles_for<Real>(level)), points_(b, placing, as_bits_, tiles_) {}

    bool as_bits() const noexcept { return as_bits_; }
    std::size_t n_points() const noexcept { return points_.n_rows(); }

    // Calls work(crossing, rows, first) for blocks of rows, those of a block being first + row.
    template <class Work>
    void for_blocks(const TileRule<Real>& rule, const KernelRun& run, Work&& work) const {
        ThreadPool pool(run.n_threads, run.stop);
        const std::size_t size = block_rows(pool.n_workers());
        std::vector<std::uint32_t> all(std::min(size, rows_.n_rows));
        std::iota(all.begin(), all.end(), std::uint32_t{0});
        pool.run((rows_.n_rows + size - 1) / size, [&](std::size_t task, std::size_t) {
            const std::size_t first = task * size, n = std::min(size, rows_.n_rows - first);
            const PointRows<Real> some{rows_.values + first * rows_.n_columns, n, rows_.n_columns};
            const PackedPoints<Real> packed(some, placing_, as_bits_, tiles_);
            work(Crossing<Real>{packed, points_, rule, tiles_},
                 std::span<const std::uint32_t>(all).first(n), first);
        });
    }

  private:
    // Many blocks for all threads, of many rows: every block reads all points.
    std::size_t block_rows(std::size_t n_workers) const {
        constexpr std::size_t most_groups = 16, blocks_a_worker = 4;
        const std::size_t n_groups = (rows_.n_rows + tile_rows - 1) / tile_rows;
        return tile_rows *
               std::clamp<std::size_t>(n_groups / (n_workers * blocks_a_worker), 1, most_groups);
    }

    PointRows<Real> rows_;
    const Placing& placing_;
    bool as_bits_;
    const KernelTiles<Real>& tiles_;
    PackedPoints<Real> points_;
};

template <class Real>
void check_columns(const PointRows<Real>& a, const PointRows<Real>& b) {
    if (a.n_columns != b.n_columns) throw std::invalid_argument("as many columns in both matrices");
}

template <class Real>
void write_matrix(const Meeting<Real>& meeting, const TileRule<Real>& rule, Real* out,
                  const KernelRun& run) {
    const std::size_t n_points = meeting.n_points();
    meeting.for_blocks(
        rule, run, [&](const Crossing<Real>& crossing, auto rows, std::size_t first) {
            // A few thousand points at a time, so that an interruption is seen in good time.
            constexpr std::size_t at_once = std::size_t{1} << 14;
            for (std::size_t begin = 0; begin < n_points; begin += at_once) {
                run.stop.check();
                write_values(crossing, rows, {begin, std::min(n_points, begin + at_once)},
                             out + first * n_points + begin, n_points);
            }
        });
}

// Coefficients as tiles are going to meet them, and what is summed of a block of rows.
template <class Real>
class Outputs {
  public:
    Outputs(const KernelCoefficients& given, std::size_t n_points)
        : n_outputs_(given.n_outputs), is_few_(given.n_outputs <= most_few_outputs),
          n_padded_((given.n_outputs + output_lanes - 1) / output_lanes * output_lanes),
          values_((n_points + width - 1) / width * width * (is_few_ ? n_outputs_ : n_padded_)) {
        for (std::size_t j = 0; j < n_points; ++j) {
            for (std::size_t c = 0; c < n_outputs_; ++c) {
                values_[place_of(j, c)] = given.values[j * n_outputs_ + c];
            }
        }
    }

    // Doubles for the sums of a row.
    std::size_t n_sums() const { return is_few_ ? n_outputs_ * sum_lanes : n_padded_; }

    void add(const KernelTiles<Real>& tiles, const Tile<Real>& tile, const Real* kernel,
             double* sums) const {
        const std::size_t n = is_few_ ? n_outputs_ : n_padded_;
        (is_few_ ? tiles.add_few : tiles.add_many)(
            kernel, tile.ends.n_rows, values_.data() + tile.panel * width * n, n, sums);
    }

    double total(const double* sums, std::size_t output) const {
        if (!is_few_) return sums[output];
        const double* const s = sums + output * sum_lanes;
        static_assert(sum_lanes == 8);
        return ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7]));
    }

    std::size_t n_outputs() const noexcept { return n_outputs_; }

    // Panels whose coefficients stay in the second cache while rows go by.
    std::size_t panels_at_once() const {
        constexpr std::size_t bytes = std::size_t{1} << 19, fewest = 8, most = 512;
        const std::size_t panel_bytes = width * (is_few_ ? n_outputs_ : n_padded_) * sizeof(double);
        return std::clamp(bytes / std::max<std::size_t>(1, panel_bytes), fewest, most);
    }

  private:
    static constexpr std::size_t width = panel_width<Real>;

    std::size_t place_of(std::size_t j, std::size_t output) const {
        const std::size_t panel = j / width, in_panel = j % width;
        if (is_few_) return (panel * n_outputs_ + output) * width + in_panel;
        const std::size_t block = panel * (n_padded_ / output_lanes) + output / output_lanes;
        return (block * width + in_panel) * output_lanes + output % output_lanes;
    }

    std::size_t n_outputs_;
    bool is_few_;
    std::size_t n_padded_;
    std::vector<double> values_;
};

template <class Real>
void sum_block(const Crossing<Real>& crossing, std::span<const std::uint32_t> rows,
               const Outputs<Real>& outputs, double* out, StopSignal& stop) {
    constexpr std::size_t width = panel_width<Real>;
    const std::size_t n_padded = (rows.size() + tile_rows - 1) / tile_rows * tile_rows;
    std::vector<double> sums(n_padded * outputs.n_sums());
    alignas(64) std::array<Real, tile_rows * width> kernel;
    const std::size_t n_panels = (crossing.points.n_rows() + width - 1) / width;
    const std::size_t at_once = outputs.panels_at_once();
    for (std::size_t begin = 0; begin < n_panels; begin += at_once) {
        stop.check();
        const Range panels{begin, std::min(n_panels, begin + at_once)};
        for_tiles(crossing, rows, panels, [&](const Tile<Real>& tile) {
            crossing.tiles.finish(crossing.rule, tile.ends, tile.sums, kernel.data(), width);
            outputs.add(crossing.tiles, tile, kernel.data(),
                        sums.data() + tile.first_row * outputs.n_sums());
        });
    }
    for (std::size_t row = 0; row < rows.size(); ++row) {
        for (std::size_t c = 0; c < outputs.n_outputs(); ++c) {
            *out++ = outputs.total(sums.data() + row * outputs.n_sums(), c);
        }
    }
}

}  // namespace

template <class Real>
void kernel_matrix(const KernelForm& form, const PointRows<Real>& a, const PointRows<Real>& b,
                   Real* out, const KernelRun& run) {
    form.check();
    check_columns(a, b);
    const Placing placing = place(b, Moved{form.kind == KernelKind::rbf});
    const Meeting<Real> meeting(a, b, placing, run.level);
    write_matrix(meeting, rule_of<Real>(form, placing, meeting.as_bits()), out, run);
}

template <class Real>
void squared_distances(const PointRows<Real>& a, const PointRows<Real>& b, Real* out,
                       const KernelRun& run) {
    check_columns(a, b);
    const Placing placing = place(b, Moved::yes);
    const Meeting<Real> meeting(a, b, placing, run.level);
    TileRule<Real> rule = rule_of<Real>({KernelKind::linear}, placing, false);
    rule.ending = Ending::squares;
    write_matrix(meeting, rule, out, run);
}

template <class Real>
void rbf_of_distances(std::span<const Real> squares, double gamma, Real* out,
                      const KernelRun& run) {
    KernelForm{KernelKind::rbf, gamma, 0, 1}.check();
    constexpr std::size_t a_task = 1 << 16;
    const svm::KernelTiles<Real>& tiles = svm::kernel_tiles_for<Real>(run.level);
    ThreadPool pool(run.n_threads, run.stop);
    pool.run((squares.size() + a_task - 1) / a_task, [&](std::size_t task, std::size_t) {
        const std::size_t first = task * a_task, n = std::min(a_task, squares.size() - first);
        tiles.exponentials(squares.data() + first, static_cast<Real>(-gamma), out + first, n);
    });
}

template <class Real>
void kernel_sums(const KernelForm& form, const PointRows<Real>& a, const PointRows<Real>& b,
                 const KernelCoefficients& coefficients, double* out, const KernelRun& run) {
    form.check();
    check_columns(a, b);
    const std::size_t n_outputs = coefficients.n_outputs;
    if (coefficients.values.size() != b.n_rows * n_outputs) {
        throw std::invalid_argument("a row of coefficients for each row of b");
    }
    const Placing placing = place(b, Moved{form.kind == KernelKind::rbf});
    const Meeting<Real> meeting(a, b, placing, run.level);
    const Outputs<Real> outputs(coefficients, b.n_rows);
    meeting.for_blocks(rule_of<Real>(form, placing, meeting.as_bits()), run,
                       [&](const Crossing<Real>& crossing, auto rows, std::size_t first) {
                           sum_block(crossing, rows, outputs, out + first * n_outputs, run.stop);
                       });
}

template void kernel_matrix(const KernelForm&, const PointRows<float>&, const PointRows<float>&,
                            float*, const KernelRun&);
template void kernel_matrix(const KernelForm&, const PointRows<double>&, const PointRows<double>&,
                            double*, const KernelRun&);
template void kernel_sums(const KernelForm&, const PointRows<float>&, const PointRows<float>&,
                          const KernelCoefficients&, double*, const KernelRun&);
template void kernel_sums(const KernelForm&, const PointRows<double>&, const PointRows<double>&,
                          const KernelCoefficients&, double*, const KernelRun&);
template void squared_distances(const PointRows<float>&, const PointRows<float>&, float*,
                                const KernelRun&);
template void squared_distances(const PointRows<double>&, const PointRows<double>&, double*,
                                const KernelRun&);
template void rbf_of_distances(std::span<const float>, double, float*, const KernelRun&);
template void rbf_of_distances(std::span<const double>, double, double*, const KernelRun&);

}  // namespace branchline

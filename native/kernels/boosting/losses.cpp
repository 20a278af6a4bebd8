#include <algorithm>
#include <array>

#include "boosting/checks.hpp"
#include "boosting/loss_kernels.hpp"
#include "boosting/wide_sum.hpp"
#include "branchline/boosting_losses.hpp"
#include "branchline/thread_pool.hpp"

namespace branchline {

namespace boosting {

namespace baseline {
LossKernels loss_kernels();
}
#if defined(__x86_64__)
namespace v3 {
LossKernels loss_kernels();
}
namespace v4 {
LossKernels loss_kernels();
}
#endif

LossKernels loss_kernels_for(CpuLevel level) {
#if defined(__x86_64__)
    if (level == CpuLevel::v4) return v4::loss_kernels();
    if (level == CpuLevel::v3) return v3::loss_kernels();
#endif
    (void)level;
    return baseline::loss_kernels();
}

}  // namespace boosting

namespace {

using namespace boosting;

constexpr std::size_t block_rows = 16384;
constexpr std::size_t least_a_thread = 32768;  // scores
constexpr std::size_t chunk_rows = 1024;       // the sum of that many numbers of 52 bits has 62

std::size_t n_parameters(LossKind kind, std::size_t n_outputs) {
    if (kind == LossKind::huber || kind == LossKind::tweedie) return 1;
    return kind == LossKind::quantile ? n_outputs : 0;
}

bool is_allowed(LossKind kind, double parameter) {
    if (kind == LossKind::huber) return parameter >= 0;
    if (kind == LossKind::quantile) return parameter >= 0 && parameter <= 1;
    return parameter > 1 && parameter < 2;
}

std::size_t n_blocks(std::size_t n_rows) { return (n_rows + block_rows - 1) / block_rows; }

// A block of rows as kernels take it.
LossBlock block_of(const LossRule& loss, const LossTarget& target, std::span<const double> scores,
                   std::size_t block) {
    const std::size_t begin = block * block_rows, n_rows = target.n_rows();
    LossBlock out;
    if (loss.has_classes()) {
        out.class_of_row = target.class_of_row.data() + begin;
    } else {
        out.numbers = target.numbers.data() + begin;
    }
    if (!loss.parameters().empty()) out.parameters = loss.parameters().data();
    out.scores = scores.data() + begin;
    out.n = std::min(block_rows, n_rows - begin);
    out.n_rows = n_rows;
    out.n_outputs = loss.n_outputs();
    return out;
}

void require_classes(const LossRule& loss, const LossBlock& block) {
    if (!loss.has_classes()) return;
    const auto n_classes = static_cast<std::uint32_t>(std::max<std::size_t>(2, loss.n_outputs()));
    std::uint32_t largest = 0;
    for (std::size_t i = 0; i < block.n; ++i) largest = std::max(largest, block.class_of_row[i]);
    require(largest < n_classes, "a class index is too large");
}

void require_lengths(const LossRule& loss, const LossTarget& target,
                     std::span<const double> scores) {
    const bool fits = loss.has_classes() ? target.numbers.empty() : target.class_of_row.empty();
    require(fits, "class indices for losses of classes, numbers for the others");
    require(scores.size() == target.n_rows() * loss.n_outputs(),
            "one score for each row and output");
}

// A block's losses as whole numbers, summed.
WideSum sum_of(std::span<const double> values, const FixedScale& scale) {
    WideSum total;
    for (std::size_t begin = 0; begin < values.size(); begin += chunk_rows) {
        std::uint64_t sum = 0;
        const auto chunk = values.subspan(begin, std::min(chunk_rows, values.size() - begin));
        for (const double value : chunk) sum += scale.whole(value);
        total.add(sum);
    }
    return total;
}

WideSum weighted_sum_of(std::span<const double> values, std::span<const std::int64_t> units,
                        const FixedScale& scale) {
    WideSum total;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (units[i] == 0) continue;  // its loss may be too large for the scale
        total.add_product(scale.whole(values[i]), static_cast<std::uint64_t>(units[i]));
    }
    return total;
}

// A sum of all parts: in halves of 32 bits, whose sums do not overflow.
WideSum sum_of_parts(PartSums& parts, const WideSum& own) {
    std::array<std::uint64_t, 4> digits = own.digits();
    parts.add(digits);
    return WideSum::of_digits(digits);
}

// The largest loss of the rows that count.
double largest_of(std::span<const double> values, std::span<const std::int64_t> units) {
    double largest = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (units.empty() || units[i] > 0) largest = std::max(largest, values[i]);
    }
    return largest;
}

std::span<const std::int64_t> part(std::span<const std::int64_t> units, std::size_t begin,
                                   std::size_t n) {
    return units.empty() ? units : units.subspan(begin, n);
}

}  // namespace

LossRule::LossRule(int kind, std::span<const double> parameters, std::size_t n_outputs)
    : kind_(static_cast<LossKind>(kind)), parameters_(parameters.begin(), parameters.end()),
      n_outputs_(n_outputs) {
    require(kind >= 0 && kind < static_cast<int>(n_loss_kinds), "a loss that is known");
    const bool is_softmax = kind_ == LossKind::softmax, is_quantile = kind_ == LossKind::quantile;
    require(is_softmax ? n_outputs >= 2 : n_outputs == 1 || (is_quantile && n_outputs > 1),
            "one output for each class or quantile, else one");
    require(parameters.size() == n_parameters(kind_, n_outputs),
            "parameters for each loss that has some, and no others");
    for (const double parameter : parameters) {
        require(is_allowed(kind_, parameter), "a parameter of a loss in its range");
    }
}

void loss_gradients(const LossRule& loss, const LossTarget& target, std::span<const double> scores,
                    const LossGradients& out, int n_threads, StopSignal& stop) {
    require_lengths(loss, target, scores);
    require(out.gradient.size() == scores.size(), "one gradient for each score");
    const bool needs_hessian = !out.hessian.empty() || !loss.has_constant_hessian();
    require(!needs_hessian || out.hessian.size() == scores.size(), "one hessian for each score");
    const auto kernel =
        loss_kernels_for(best_cpu_level()).gradients[static_cast<std::size_t>(loss.kind())];
    ThreadPool pool(threads_for(scores.size(), least_a_thread, n_threads), stop);
    pool.run(n_blocks(target.n_rows()), [&](std::size_t number, std::size_t) {
        LossBlock block = block_of(loss, target, scores, number);
        require_classes(loss, block);
        block.gradient = out.gradient.data() + number * block_rows;
        if (needs_hessian) block.hessian = out.hessian.data() + number * block_rows;
        kernel(block);
    });
}

double mean_loss(const LossRule& loss, const LossTarget& target,
                 std::span<const std::int64_t> units, std::span<const double> scores, int n_threads,
                 StopSignal& stop, PartSums* parts) {
    require_lengths(loss, target, scores);
    require(units.empty() || units.size() == target.n_rows(), "units for each row");
    std::uint64_t total = units.empty() ? target.n_rows() : total_units(units);
    if (parts != nullptr) parts->add(std::span(&total, 1));
    require(total > 0, "at least one row that counts");
    const auto kernel =
        loss_kernels_for(best_cpu_level()).values[static_cast<std::size_t>(loss.kind())];
    std::vector<double> values(target.n_rows()), largest(n_blocks(values.size()));
    const std::span<const double> known(values);
    ThreadPool pool(threads_for(scores.size(), least_a_thread, n_threads), stop);
    pool.run(largest.size(), [&](std::size_t number, std::size_t) {
        const LossBlock block = block_of(loss, target, scores, number);
        require_classes(loss, block);
        const std::size_t begin = number * block_rows;
        kernel(block, values.data() + begin);
        largest[number] = largest_of(known.subspan(begin, block.n), part(units, begin, block.n));
    });
    std::uint64_t most = ordered_bits(std::ranges::max(largest));
    if (parts != nullptr) parts->take_largest(std::span(&most, 1));
    const FixedScale scale(number_of_bits(most));
    std::vector<WideSum> sums(largest.size());
    pool.run(sums.size(), [&](std::size_t number, std::size_t) {
        const std::size_t begin = number * block_rows;
        const std::size_t n = std::min(block_rows, values.size() - begin);
        const auto rows = known.subspan(begin, n);
        sums[number] = units.empty() ? sum_of(rows, scale)
                                     : weighted_sum_of(rows, part(units, begin, n), scale);
    });
    WideSum sum;
    for (const WideSum& of_block : sums) sum.add(of_block);
    if (parts != nullptr) sum = sum_of_parts(*parts, sum);
    return scale.number(sum) / static_cast<double>(total);
}

std::vector<double> predictions_of_scores(int link, std::span<const double> scores,
                                          std::size_t n_outputs, int n_threads, StopSignal& stop) {
    require(link >= 0 && link <= 2, "a link that is known");
    const bool is_softmax = link == static_cast<int>(ScoreLink::softmax);
    require(is_softmax ? n_outputs >= 2 : n_outputs == 1, "one output for each class, else one");
    require(scores.size() % n_outputs == 0, "one score for each row and output");
    const std::size_t n_rows = scores.size() / n_outputs;
    const std::size_t width = link == static_cast<int>(ScoreLink::sigmoid) ? 2 : n_outputs;
    std::vector<double> predictions(n_rows * width);
    const auto kernel = loss_kernels_for(best_cpu_level()).predictions[static_cast<unsigned>(link)];
    ThreadPool pool(threads_for(scores.size(), least_a_thread, n_threads), stop);
    pool.run(n_blocks(n_rows), [&](std::size_t number, std::size_t) {
        LossBlock block;
        block.scores = scores.data() + number * block_rows;
        block.n = std::min(block_rows, n_rows - number * block_rows);
        block.n_rows = n_rows;
        block.n_outputs = n_outputs;
        kernel(block, predictions.data() + number * block_rows * width);
    });
    return predictions;
}

}  // namespace branchline

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "boosting/loss_kernels.hpp"
#include "boosting/wide_sum.hpp"
#include "branchline/boosting_losses.hpp"
#include "branchline/leaf_quantiles.hpp"
#include "check.hpp"

namespace {

using namespace branchline;
using namespace branchline::boosting;

using Numbers = std::vector<double>;
using Floats = std::vector<float>;
using Classes = std::vector<std::uint32_t>;
using Units = std::vector<std::int64_t>;

constexpr double infinity = std::numeric_limits<double>::infinity();

// A few thousand numbers between −limit and limit, always the same.
Numbers spread(std::size_t n, double limit) {
    Numbers values(n);
    std::uint64_t state = 1;
    for (double& value : values) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        value = limit * (static_cast<double>(state >> 11) * 0x1p-52 - 1);
    }
    return values;
}

struct Problem {
    LossRule loss;
    Numbers numbers;
    Classes classes;
    Numbers scores;

    LossTarget target() const { return {numbers, classes}; }
    std::size_t n_rows() const { return target().n_rows(); }
};

Problem problem(LossKind kind, std::size_t n_rows) {
    const bool is_softmax = kind == LossKind::softmax, is_quantile = kind == LossKind::quantile;
    Numbers parameters;
    if (is_quantile) parameters = {0.1, 0.5, 0.9};
    if (kind == LossKind::huber || kind == LossKind::tweedie) parameters = {1.5};
    const std::size_t n_outputs = is_softmax || is_quantile ? 3 : 1;
    Problem made{LossRule(static_cast<int>(kind), parameters, n_outputs),
                 {},
                 {},
                 spread(n_rows * n_outputs, 6)};
    for (std::size_t row = 0; row < n_rows; ++row) {
        if (made.loss.has_classes()) {
            made.classes.push_back(static_cast<std::uint32_t>(row % (is_softmax ? 3 : 2)));
        } else {
            made.numbers.push_back(static_cast<double>(row % 17 + 1) / 4);
        }
    }
    return made;
}

std::vector<Problem> all_problems(std::size_t n_rows) {
    std::vector<Problem> all;
    for (std::size_t kind = 0; kind < n_loss_kinds; ++kind) {
        all.push_back(problem(static_cast<LossKind>(kind), n_rows));
    }
    return all;
}

std::vector<std::uint32_t> bits_of(const Floats& values) {
    std::vector<std::uint32_t> bits;
    for (const float value : values) bits.push_back(std::bit_cast<std::uint32_t>(value));
    return bits;
}

Floats gradients(const Problem& p, int n_threads) {
    StopSignal stop;
    Floats both(2 * p.scores.size());
    const std::span<float> all(both);
    loss_gradients(p.loss, p.target(), p.scores,
                   {all.first(p.scores.size()), all.last(p.scores.size())}, n_threads, stop);
    return both;
}

double mean(const Problem& p, const Units& units, int n_threads) {
    StopSignal stop;
    return mean_loss(p.loss, p.target(), units, p.scores, n_threads, stop);
}

const check::Test exact_enough{"exponentials and logarithms are right to the last bits", [] {
    const Numbers x = spread(20001, 86.9), wide = spread(20001, 700);
    Floats narrow(x.begin(), x.end()), floats(x.size());
    Numbers doubles(wide.size()), positive(wide.size()), logs(wide.size());
    std::ranges::transform(wide, positive.begin(), [](double v) { return std::exp(v); });
    for (const CpuLevel level : available_cpu_levels()) {
        const LossKernels kernels = loss_kernels_for(level);
        kernels.exp32(narrow.data(), narrow.size(), floats.data());
        kernels.exp64(wide.data(), wide.size(), doubles.data());
        kernels.log64(positive.data(), positive.size(), logs.data());
        for (std::size_t i = 0; i < x.size(); ++i) {
            const double right = std::exp(static_cast<double>(narrow[i]));
            check::near(static_cast<double>(floats[i]) / right, 1, 0x1p-22);
            check::near(doubles[i] / std::exp(wide[i]), 1, 0x1p-51);
            check::near(logs[i], std::log(positive[i]), 0x1p-52 * std::abs(logs[i]) + 0x1p-54);
        }
    }
}};

const check::Test saturate{"huge scores saturate without NaN or infinity", [] {
    const float most = std::numeric_limits<float>::max();
    for (const double size : {1e3, 1e300, infinity}) {
        for (Problem& p : all_problems(64)) {
            for (std::size_t i = 0; i < p.scores.size(); ++i) {
                p.scores[i] = i % 3 == 0 ? size : i % 3 == 1 ? -size : 0;
            }
            for (const float value : gradients(p, 1))
                check::that(std::abs(value) <= most, "finite");
            check::that(mean(p, {}, 1) <= 0x1p1001, "a finite loss");
            StopSignal stop;
            for (const int link : {0, 1}) {
                for (const double said : predictions_of_scores(link, p.scores, 1, 1, stop)) {
                    check::that(said >= 0 && said < infinity, "a finite prediction");
                }
            }
        }
    }
}};

const check::Test same_bits{"the same bits for every level, number of threads and split", [] {
    for (const Problem& p : all_problems(40001)) {
        const Floats known = gradients(p, 1);
        check::equal(bits_of(gradients(p, 3)), bits_of(known));
        check::equal(mean(p, {}, 3), mean(p, {}, 1));
        const auto kind = static_cast<std::size_t>(p.loss.kind());
        for (const CpuLevel level : available_cpu_levels()) {
            Floats both(known.size());
            for (std::size_t begin = 0; begin < p.n_rows(); begin += 777) {
                LossBlock block;
                block.numbers = p.numbers.data() + (p.numbers.empty() ? 0 : begin);
                block.class_of_row = p.classes.data() + (p.classes.empty() ? 0 : begin);
                block.scores = p.scores.data() + begin;
                block.gradient = both.data() + begin;
                block.hessian = both.data() + p.scores.size() + begin;
                if (!p.loss.parameters().empty()) block.parameters = p.loss.parameters().data();
                block.n = std::min<std::size_t>(777, p.n_rows() - begin);
                block.n_rows = p.n_rows();
                block.n_outputs = p.loss.n_outputs();
                loss_kernels_for(level).gradients[kind](block);
            }
            check::equal(bits_of(both), bits_of(known));
        }
    }
}};

const check::Test slopes{"gradients are the slopes of losses, hessians the slopes of gradients",
                         [] {
    StopSignal stop;
    for (const Problem& p : all_problems(12)) {
        const Floats known = gradients(p, 1);
        const double factor = p.loss.kind() == LossKind::softmax ? 1.5 : 1;
        for (std::size_t i = 0; i < p.scores.size(); ++i) {
            Problem up = p, down = p;
            up.scores[i] += 1e-5;
            down.scores[i] -= 1e-5;
            const double slope = (mean(up, {}, 1) - mean(down, {}, 1)) / 2e-5 * 12;
            check::near(static_cast<double>(known[i]), slope, 1e-4 * (1 + std::abs(slope)));
            if (p.loss.has_constant_hessian()) continue;
            up.scores[i] += 1e-3;
            down.scores[i] -= 1e-3;
            const float rise = gradients(up, 1)[i] - gradients(down, 1)[i];
            const double curve = static_cast<double>(rise) / 2.02e-3 * factor;
            const auto hessian = static_cast<double>(known[p.scores.size() + i]);
            check::near(hessian, curve, 2e-3 * (1 + std::abs(curve)));
        }
    }
}};

const check::Test copies{"units are copies, rows of none do not count", [] {
    Problem p = problem(LossKind::poisson, 5);
    Problem copied = p;
    copied.numbers = {1, 1, 1, 0.5, 0.5};
    p.numbers = {0.5, 7, 1, 1, 7};
    p.scores = {0.3, 500, -0.25, -0.25, 600};
    copied.scores = {-0.25, -0.25, -0.25, 0.3, 0.3};
    check::equal(mean(p, {2, 0, 1, 2, 0}, 1), mean(copied, {}, 1));
    const double large = mean(copied, Units(5, (std::int64_t{1} << 53) / 5), 1);
    check::near(large, mean(copied, {}, 1), 1e-15);
    check::throws<std::invalid_argument>([&] { mean(p, Units(5, 0), 1); });
    check::throws<std::invalid_argument>([&] { mean(p, {1, 1, 1, 1, -1}, 1); });
    check::throws<std::invalid_argument>([&] { mean(p, Units(5, std::int64_t{1} << 52), 1); });
    check::throws<std::invalid_argument>([&] { mean(p, {1, 1}, 1); });
}};

const check::Test wide{"products wider than 64 bits are summed exactly", [] {
    WideSum sum, other;
    const std::uint64_t large = (std::uint64_t{1} << 60) - 1;
    for (int i = 0; i < 3; ++i) sum.add_product(large, large);
    other.add(5);
    sum.add(other);
    check::near(sum.to_double(), 3 * (0x1p120 - 0x1p61 + 1), 0x1p70);
    check::equal(other.to_double(), 5.0);
}};

double quantile(const Numbers& values, const Units& units, double q) {
    StopSignal stop;
    const Classes leaf(values.size(), 1);
    const Numbers found = leaf_quantiles({values, leaf, units, 3}, q, 2, stop);
    check::equal(found[0], 0.0);
    check::equal(found[2], 0.0);
    return found[1];
}

const check::Test quantiles{"the smallest value that has enough units, or half-way to the next",
                            [] {
    check::equal(quantile({3, 1, 2}, {}, 0.5), 2.0);
    check::equal(quantile({4, 1, 3, 2}, {}, 0.5), 2.5);
    check::equal(quantile({4, 1, 3, 2}, {}, 0), 1.0);
    check::equal(quantile({4, 1, 3, 2}, {}, 1), 4.0);
    check::equal(quantile({5, 1, 9}, {1, 2, 1}, 0.5), 3.0);
    check::equal(quantile({5, 1, 9}, {1, 0, 1}, 0.25), 5.0);
    check::equal(quantile({-1, -1, -1, 8}, {}, 0.75), 3.5);
    check::equal(quantile({7}, {}, 0.3), 7.0);
    check::that(!std::signbit(quantile({-0.0, -0.0}, {}, 0.5)), "one zero");
    Numbers many = spread(9999, 1e9);
    const double median = quantile(many, {}, 0.5);
    std::ranges::sort(many);
    check::equal(median, many[4999]);
    check::equal(quantile(Numbers(5000, 2.5), {}, 0.7), 2.5);
}};

const check::Test huber{"Huber's leaf: the median and the mean of clipped deviations", [] {
    StopSignal stop;
    const Numbers values{0, 1, 2, 3, 100};
    const Classes leaf(5, 0);
    check::near(leaf_huber_values({values, leaf, {}, 1}, 5, 1, stop)[0], 2 + (-2 - 1 + 1 + 5) / 5.0,
                1e-15);
    check::near(leaf_huber_values({values, leaf, {}, 1}, infinity, 1, stop)[0], 106 / 5.0, 1e-13);
    check::equal(leaf_huber_values({values, leaf, {}, 1}, 0, 1, stop)[0], 2.0);
}};

const check::Test refused{"what does not fit is refused", [] {
    const auto rule = [](LossKind kind, const Numbers& parameters, std::size_t n_outputs) {
        check::throws<std::invalid_argument>(
            [&] { LossRule(static_cast<int>(kind), parameters, n_outputs); });
    };
    rule(static_cast<LossKind>(-1), {}, 1);
    rule(static_cast<LossKind>(n_loss_kinds), {}, 1);
    rule(LossKind::squared, {}, 2);
    rule(LossKind::squared, {1}, 1);
    rule(LossKind::softmax, {}, 1);
    rule(LossKind::huber, {}, 1);
    rule(LossKind::huber, {-1}, 1);
    rule(LossKind::quantile, {0.5, 1.5}, 2);
    rule(LossKind::quantile, {0.5}, 2);
    rule(LossKind::tweedie, {2}, 1);
    Problem p = problem(LossKind::softmax, 9);
    p.classes[4] = 3;
    check::throws<std::invalid_argument>([&] { gradients(p, 1); });
    check::throws<std::invalid_argument>([&] { mean(p, {}, 1); });
    p = problem(LossKind::squared, 9);
    p.scores.pop_back();
    check::throws<std::invalid_argument>([&] { gradients(p, 1); });
    StopSignal stop;
    const Numbers values{1, 2};
    const auto leaves = [&](const LeafRows& rows) {
        check::throws<std::invalid_argument>([&] { leaf_quantiles(rows, 0.5, 1, stop); });
    };
    leaves({values, Classes{0}, {}, 1});
    leaves({values, Classes{0, 1}, {}, 1});
    leaves({values, Classes{0, 0}, Units{1}, 1});
    leaves({values, Classes{0, 0}, Units{1, -1}, 1});
    leaves({Numbers{1, infinity}, Classes{0, 0}, {}, 1});
    check::throws<std::invalid_argument>([&] { predictions_of_scores(3, values, 1, 1, stop); });
    check::throws<std::invalid_argument>([&] { predictions_of_scores(2, values, 3, 1, stop); });
}};

}  // namespace

#include "branchline/string_kernels.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>
#include <vector>

#include "branchline/thread_pool.hpp"
#include "strings/lane_gram.hpp"
#include "strings/name_windows.hpp"
#include "strings/spectrum.hpp"

namespace branchline {

using namespace strings;

namespace {

constexpr double smallest_weight = 1e-290;

void check_finite(std::span<const double> values) {
    const bool are_finite = std::all_of(values.begin(), values.end(),
                                        [](double value) { return std::isfinite(value); });
    if (!are_finite) throw std::overflow_error("a value of a string kernel is too large");
}

// decay^exponent, by products: the same bits on every machine.
double weight_of(const StringForm& form, std::size_t exponent) {
    double weight = 1;
    for (std::size_t i = 0; i < exponent; ++i) weight *= form.decay;
    return weight;
}

// Common substrings of `order` symbols and more are those of 1 and more among windows of that
// length, all with a weight that lacks decay^(order − 1).
template <class Work>
void with_windows(const StringForm& form, std::vector<StringBatch> batches, std::span<double> out,
                  StopSignal& stop, Work&& work) {
    const NamedWindows named = name_windows(batches, form.order, stop);
    std::vector<StringBatch> views;
    for (const NamedBatch& batch : named.batches) views.push_back(batch.view());
    work(StringForm(static_cast<int>(form.kind), 1, form.decay, 0), views);
    const double weight = weight_of(form, form.order - 1);
    for (double& value : out) value *= weight;
}

void any_gram(const StringForm& form, const StringBatch& a, const StringBatch* b,
              std::span<double> out, int n_threads, StopSignal& stop) {
    ThreadPool pool(n_threads, stop);
    if (form.kind == StringKernelKind::spectrum) {
        spectrum_gram(form, a, b, out, pool, stop);
    } else if (form.kind == StringKernelKind::common_substrings && form.order > 1) {
        std::vector<StringBatch> batches{a};
        if (b != nullptr) batches.push_back(*b);
        with_windows(form, std::move(batches), out, stop, [&](const StringForm& one, auto& views) {
            lane_gram(one, views[0], b == nullptr ? nullptr : &views[1], out, pool, stop);
        });
    } else {
        lane_gram(form, a, b, out, pool, stop);
    }
    check_finite(out);
}

}  // namespace

StringForm::StringForm(int kind_number, std::size_t order_, double decay_, std::size_t shift_)
    : kind(static_cast<StringKernelKind>(kind_number)), order(order_), decay(decay_),
      shift(shift_) {
    if (kind_number < 0 || kind_number > static_cast<int>(StringKernelKind::weighted_degree)) {
        throw std::invalid_argument("no such string kernel");
    }
    if (order < 1) throw std::invalid_argument("order must be at least 1");
    if (!(decay > 0) || !std::isfinite(decay)) throw std::invalid_argument("decay must be above 0");
    if (kind == StringKernelKind::subsequence && decay > 1) {
        throw std::invalid_argument("decay of subsequences must be at most 1");
    }
    if (2 * static_cast<double>(order) * std::log(decay) < std::log(smallest_weight)) {
        throw std::invalid_argument("decay^(2 order) is too small");
    }
}

StringBatch::StringBatch(std::span<const std::uint32_t> all_symbols,
                         std::span<const std::int64_t> starts)
    : symbols(all_symbols), offsets(starts) {
    const bool is_valid = !offsets.empty() && offsets.front() == 0 &&
                          std::is_sorted(offsets.begin(), offsets.end()) &&
                          static_cast<std::uint64_t>(offsets.back()) == symbols.size();
    if (!is_valid) throw std::invalid_argument("offsets must rise from 0 to the number of symbols");
}

void string_gram(const StringForm& form, const StringBatch& a, const StringBatch& b,
                 std::span<double> out, int n_threads, StopSignal& stop) {
    any_gram(form, a, &b, out, n_threads, stop);
}

void string_gram(const StringForm& form, const StringBatch& a, std::span<double> out, int n_threads,
                 StopSignal& stop) {
    any_gram(form, a, nullptr, out, n_threads, stop);
}

void string_diagonal(const StringForm& form, const StringBatch& a, std::span<double> out,
                     int n_threads, StopSignal& stop) {
    ThreadPool pool(n_threads, stop);
    if (form.kind == StringKernelKind::spectrum) {
        spectrum_diagonal(form, a, out, stop);
    } else if (form.kind == StringKernelKind::common_substrings && form.order > 1) {
        with_windows(form, {a}, out, stop, [&](const StringForm& one, auto& views) {
            lane_diagonal(one, views[0], out, pool, stop);
        });
    } else {
        lane_diagonal(form, a, out, pool, stop);
    }
    check_finite(out);
}

}  // namespace branchline

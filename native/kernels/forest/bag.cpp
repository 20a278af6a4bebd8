#include "branchline/bag.hpp"

#include <cmath>

#include "mix.hpp"

namespace branchline {

namespace {

std::uint64_t as_limit(double probability) {
    return probability >= 1 ? ~std::uint64_t{0}
                            : static_cast<std::uint64_t>(std::ldexp(probability, 64));
}

}  // namespace

Bag::Bag(const BagRows& rows, const BagRule& rule, std::uint64_t tree)
    : rows_(rows), kind_(rule.kind) {
    limits_.fill(~std::uint64_t{0});  // never reached, but by one draw in 2^64
    const RandomBlock block = philox({tree, 0, 0, 1}, {rule.seed, 0});
    tree_key_ = {block[0], block[1]};
    if (kind_ == BagKind::subsample) {
        limits_[n_limits_++] = as_limit(1 - rule.rate);
    } else {
        double term = std::exp(-rule.rate), sum = term;
        for (int k = 1; n_limits_ < limits_.size() && sum < 1; ++k) {
            limits_[n_limits_++] = as_limit(sum);
            term *= rule.rate / k;
            sum += term;
        }
    }
    if (kind_ == BagKind::all) return;
    holds_all_ = true;
    for (std::size_t row = 0; row < rows_.keys.size() && holds_all_; ++row) {
        holds_all_ = draw(row) == 0;
    }
}

std::uint32_t Bag::draw_copy(std::uint64_t key, std::uint64_t copy) const noexcept {
    const std::uint64_t uniform = mix(mix((key ^ tree_key_[0]) + copy * golden) + tree_key_[1]);
    // Four comparisons without a branch: which way they fall cannot be foreseen. Few draws are more.
    std::uint32_t k = 0;
    for (std::size_t i = 0; i < 4; ++i) k += uniform >= limits_[i];
    if (k == 4) {
        while (k < n_limits_ && uniform >= limits_[k]) ++k;
    }
    return k;
}

std::uint32_t Bag::draw(std::size_t row) const noexcept {
    const auto first = static_cast<std::uint64_t>(rows_.first_copy[row]);
    if (rows_.copies.empty()) return draw_copy(rows_.keys[row], first);
    std::uint32_t sum = 0;
    const auto copies = static_cast<std::uint64_t>(rows_.copies[row]);
    for (std::uint64_t copy = 0; copy < copies; ++copy) {
        sum += draw_copy(rows_.keys[row], first + copy);
    }
    return sum;
}

std::uint32_t Bag::count(std::size_t row) const noexcept {
    if (kind_ == BagKind::all || holds_all_) {
        return rows_.copies.empty() ? 1 : static_cast<std::uint32_t>(rows_.copies[row]);
    }
    return draw(row);
}

std::uint32_t Bag::left_out(std::size_t row) const noexcept {
    if (kind_ == BagKind::all || holds_all_) return 0;
    const auto first = static_cast<std::uint64_t>(rows_.first_copy[row]);
    if (rows_.copies.empty()) return draw_copy(rows_.keys[row], first) == 0;
    std::uint32_t n = 0;
    const auto copies = static_cast<std::uint64_t>(rows_.copies[row]);
    for (std::uint64_t copy = 0; copy < copies; ++copy) {
        n += draw_copy(rows_.keys[row], first + copy) == 0;
    }
    return n;
}

}  // namespace branchline

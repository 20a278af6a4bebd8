// This file is compiled several times, each time with another BRANCHLINE_LEVEL (a namespace name)
// and instruction set: a macro, because the name of the namespace is the one thing that changes.
#include "tree/two_class_scan.hpp"

#include <algorithm>
#include <limits>

namespace branchline::tree::BRANCHLINE_LEVEL {

namespace {

constexpr std::size_t n_lanes = 128;

// Scores of up to n_lanes cuts; those between equal codes and those beyond min_leaf get −inf.
struct Chunk {
    alignas(64) std::int32_t ones[n_lanes];
    alignas(64) std::int32_t is_cut[n_lanes];
    alignas(64) double score[n_lanes];
};

template <class Index>
std::uint32_t count_ones(const Item<Index>* items, std::size_t n, bool is_end, std::uint32_t ones,
                         Chunk& chunk) {
    for (std::size_t j = 0; j < n; ++j) {
        ones += items[j].class_bit();
        chunk.ones[j] = static_cast<std::int32_t>(ones);
    }
    const std::size_t n_inside = is_end ? n - 1 : n;
    for (std::size_t j = 0; j < n_inside; ++j) {
        chunk.is_cut[j] = static_cast<std::int32_t>(items[j].code != items[j + 1].code);
    }
    if (is_end) chunk.is_cut[n - 1] = 1;
    return ones;
}

void compute_scores(std::size_t n, const ScanStart& start, std::uint32_t n_before, Chunk& chunk) {
    const auto total = static_cast<double>(start.n), ones = static_cast<double>(start.ones);
    const auto before = static_cast<std::int32_t>(n_before);
    const auto least = static_cast<std::int32_t>(start.min_leaf);
    const auto most = static_cast<std::int32_t>(start.n) - least;
    for (std::size_t j = 0; j < n; ++j) {
        const std::int32_t here = before + static_cast<std::int32_t>(j) + 1;
        const auto left = static_cast<double>(here);
        const double surplus = static_cast<double>(chunk.ones[j]) * total - left * ones;
        const double score = surplus * surplus / (left * (total - left));
        const bool allowed = (chunk.is_cut[j] != 0) & (here >= least) & (here <= most);
        chunk.score[j] = allowed ? score : -std::numeric_limits<double>::infinity();
    }
}

template <class Index>
ScanResult scan(const Item<Index>* items, std::size_t n_items, const ScanStart& start) {
    ScanResult best;
    Chunk chunk;
    std::uint32_t ones = start.ones_left;
    for (std::size_t begin = 0; begin < n_items; begin += n_lanes) {
        const std::size_t n = std::min(n_lanes, n_items - begin);
        ones = count_ones(items + begin, n, begin + n == n_items, ones, chunk);
        compute_scores(n, start, start.n_left + static_cast<std::uint32_t>(begin), chunk);
        double highest = best.score;
        for (std::size_t j = 0; j < n; ++j) highest = std::max(highest, chunk.score[j]);
        if (highest <= best.score + start.slack) continue;
        for (std::size_t j = 0; j < n; ++j) {
            if (chunk.score[j] <= best.score + start.slack) continue;
            best = {chunk.score[j], begin + j + 1, static_cast<std::uint32_t>(chunk.ones[j])};
        }
    }
    return best;
}

}  // namespace

ScanResult scan16(const Item<std::uint16_t>* items, std::size_t n, const ScanStart& start) {
    return scan(items, n, start);
}

ScanResult scan32(const Item<std::uint32_t>* items, std::size_t n, const ScanStart& start) {
    return scan(items, n, start);
}

}  // namespace branchline::tree::BRANCHLINE_LEVEL

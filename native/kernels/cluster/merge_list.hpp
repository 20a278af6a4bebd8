// Merges in any order, as pairs of rows: put in the order of heights, with clusters numbered.
#pragma once

#include <algorithm>
#include <numeric>

#include "branchline/linkage.hpp"

namespace branchline {

// A row of each of the two clusters, and the height at which they are joined. Children stand before
// their parents and are not higher.
struct RowMerge {
    std::uint32_t one, other;
    double height;
};

inline ClusterTree numbered(std::vector<RowMerge> merges) {
    std::stable_sort(merges.begin(), merges.end(),
                     [](const RowMerge& a, const RowMerge& b) { return a.height < b.height; });
    const std::size_t n = merges.size() + 1;
    std::vector<std::uint32_t> parent(n);
    std::iota(parent.begin(), parent.end(), 0U);
    std::vector<std::int64_t> number(n);
    std::iota(number.begin(), number.end(), std::int64_t{0});
    const auto root = [&](std::uint32_t row) {
        while (parent[row] != row) row = parent[row] = parent[parent[row]];
        return row;
    };
    ClusterTree tree;
    for (std::size_t at = 0; at < merges.size(); ++at) {
        const std::uint32_t one = root(merges[at].one), other = root(merges[at].other);
        tree.first.push_back(std::min(number[one], number[other]));
        tree.second.push_back(std::max(number[one], number[other]));
        tree.height.push_back(merges[at].height);
        parent[other] = one;
        number[one] = static_cast<std::int64_t>(n + at);
    }
    return tree;
}

}  // namespace branchline

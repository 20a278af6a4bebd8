// Blocks of rows: what a thread walks at a time, and the room that it needs.
//
// All trees are walked for one block before the next: a tree, read once, serves all rows of the
// block, and the codes of the block stay in the processor's second cache.
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "branchline/thread_pool.hpp"
#include "forest/walker/codes.hpp"

namespace branchline {

// How many rows a block has; nothing that is computed depends on it.
inline std::size_t rows_a_block(std::size_t n_rows, std::size_t n_views, std::size_t n_workers) {
    constexpr std::size_t fewest = 256, most = 8192, most_codes = 256 * 1024;
    const std::size_t shared_out = n_rows / (4 * n_workers) + 1;
    return std::clamp(std::min(shared_out, most_codes / n_views), fewest, most);
}

// The room of one worker.
struct BlockRoom {
    std::vector<std::uint32_t> codes, row, at, place_of_row, number;

    BlockRoom() = default;
    BlockRoom(std::size_t n_rows, std::size_t n_views)
        : codes(n_rows * n_views), row(n_rows + lanes_spare), at(n_rows + lanes_spare),
          place_of_row(n_rows), number(n_rows) {}
};

// Calls visit(begin, end, room) for every block, on codes that are ready in room.codes.
template <class Visit>
void for_each_block(const CompactForest& forest, std::span<const ColumnView> columns,
                    std::size_t n_rows, int n_threads, StopSignal& stop, Visit&& visit) {
    check_columns(forest, columns);
    const ForestKernels& kernels = forest_kernels_for(best_cpu_level());
    ThreadPool pool(n_threads, stop);
    const std::size_t size = rows_a_block(n_rows, forest.n_views, pool.n_workers());
    std::vector<BlockRoom> rooms(pool.n_workers());
    pool.run((n_rows + size - 1) / size, [&](std::size_t block, std::size_t worker) {
        BlockRoom& room = rooms[worker];
        const std::size_t begin = block * size, end = std::min(n_rows, begin + size);
        if (room.codes.empty()) room = BlockRoom(std::min(size, n_rows), forest.n_views);
        code_rows(forest, kernels, columns, begin, end - begin, room.codes.data());
        visit(begin, end, room);
    });
}

// Walks the first n rows named in room.row down a tree; fills room.place_of_row.
inline void walk_tree(const CompactForest& forest, std::size_t tree, std::size_t n,
                      BlockRoom& room) {
    const ForestKernels& kernels = forest_kernels_for(best_cpu_level());
    std::fill_n(room.at.begin(), n, root_place);
    const Frontier frontier{room.row.data(), room.at.data(), n};
    const CodedRows rows{room.codes.data(), forest.n_views};
    if (forest.is_narrow()) {
        kernels.descend(forest.narrow_tree(tree), rows, frontier, room.place_of_row.data());
    } else {
        kernels.descend(forest.wide_tree(tree), rows, frontier, room.place_of_row.data());
    }
}

inline void walk_all_rows(const CompactForest& forest, std::size_t tree, std::size_t n_rows,
                          BlockRoom& room) {
    std::iota(room.row.begin(), room.row.begin() + static_cast<std::ptrdiff_t>(n_rows), 0u);
    walk_tree(forest, tree, n_rows, room);
}

}  // namespace branchline

// Fixed ranges of rows: sums are taken in a block and added block by block, so threads change no bit.
#pragma once

#include <algorithm>
#include <cstddef>

namespace branchline::cluster {

struct RowBlocks {
    std::size_t n_rows, n_of_block, n_blocks;

    // At most 64 blocks, and no more than 64 MB of sums.
    RowBlocks(std::size_t rows, std::size_t n_sums) : n_rows(rows) {
        const std::size_t most = std::clamp<std::size_t>(
            (std::size_t{1} << 23) / std::max<std::size_t>(n_sums, 1), 1, 64);
        n_of_block = std::max<std::size_t>(512, (rows + most - 1) / most);
        n_blocks = std::max<std::size_t>(1, (rows + n_of_block - 1) / n_of_block);
    }
    std::size_t begin(std::size_t block) const noexcept { return block * n_of_block; }
    std::size_t end(std::size_t block) const noexcept {
        return std::min(n_rows, (block + 1) * n_of_block);
    }
};

}  // namespace branchline::cluster

// Columns of a C-ordered matrix are interleaved: reading them one by one would fetch every cache
// line once per column. They are gathered together, a few columns and a block of rows at a time.
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "branchline/thread_pool.hpp"
#include "branchline/types.hpp"

namespace branchline {

// The columns that are worked on at present, contiguous. The store is used again for the next ones:
// fresh pages are expensive.
class GatheredColumns {
  public:
    explicit GatheredColumns(std::size_t n_rows) : n_rows_(n_rows) {}

    // How many columns to gather at once: a cache line of floats, enough to keep all workers busy,
    // and no more than 256 MiB unless there are that many workers.
    static std::size_t at_once(std::size_t n_rows, std::size_t n_workers) {
        constexpr std::size_t line = 16, max_bytes = std::size_t{256} << 20;
        const std::size_t fitting = max_bytes / std::max<std::size_t>(1, n_rows * sizeof(double));
        return std::max(n_workers, std::min(std::max(line, 4 * n_workers), fitting));
    }

    // Makes `columns` the present ones. Those that are contiguous already are borrowed as they are.
    void load(std::span<const ColumnView> columns, ThreadPool& pool) {
        views_.assign(columns.begin(), columns.end());
        store_.resize(std::max(store_.size(), columns.size()));
        std::vector<std::size_t> interleaved;
        for (std::size_t c = 0; c < columns.size(); ++c) {
            const auto size = static_cast<std::size_t>(size_of(columns[c].type));
            if (columns[c].stride == size_of(columns[c].type)) continue;
            interleaved.push_back(c);
            store_[c].reserve(n_rows_ * size);
            views_[c].data = store_[c].bytes.get();
            views_[c].stride = size_of(columns[c].type);
        }
        if (interleaved.empty()) return;
        pool.run((n_rows_ + block_rows - 1) / block_rows, [&](std::size_t block, std::size_t) {
            for (const std::size_t c : interleaved) copy(columns[c], c, block * block_rows);
        });
    }

    const ColumnView& operator[](std::size_t c) const { return views_[c]; }

  private:
    static constexpr std::size_t block_rows = 256;

    struct Store {
        std::unique_ptr<std::byte[]> bytes;
        std::size_t size = 0;

        void reserve(std::size_t wanted) {
            if (size >= wanted && bytes) return;
            bytes = std::make_unique_for_overwrite<std::byte[]>(wanted);
            size = wanted;
        }
    };

    static std::ptrdiff_t size_of(ValueType type) { return type == ValueType::float64 ? 8 : 4; }

    void copy(const ColumnView& from, std::size_t c, std::size_t begin) {
        const std::size_t end = std::min(n_rows_, begin + block_rows);
        if (from.type == ValueType::float64)
            copy_values<std::uint64_t>(from, c, begin, end);
        else
            copy_values<std::uint32_t>(from, c, begin, end);
    }

    template <class Bits>
    void copy_values(const ColumnView& from, std::size_t c, std::size_t begin, std::size_t end) {
        std::byte* to = store_[c].bytes.get() + begin * sizeof(Bits);
        for (std::size_t row = begin; row < end; ++row, to += sizeof(Bits)) {
            const Bits bits = value_at<Bits>(from, row);
            std::memcpy(to, &bits, sizeof bits);
        }
    }

    std::size_t n_rows_;
    std::vector<ColumnView> views_;
    std::vector<Store> store_;
};

}  // namespace branchline

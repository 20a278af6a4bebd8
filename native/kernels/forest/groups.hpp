// What each code of a column holds in a node: groups in the order of codes, missing values first.
//
// Few rows are sorted by rank (small_sort.hpp); many are counted, a cell a code; many rows of a column
// with far more codes are sorted by digits. The choice looks at sizes only.
#pragma once

#include <array>
#include <bit>
#include <span>
#include <vector>

#include "forest/counters.hpp"
#include "tree/sort_codes.hpp"

namespace branchline::forest {

// The rows of a node: numbers in the columns at hand, and what each adds.
template <class Index, class Payload>
struct NodeItems {
    std::span<const Index> id;
    std::span<const Payload> payload;

    std::size_t size() const { return id.size(); }
};

inline void order_few(const LevelKernels& kernels, const std::uint8_t* codes, std::size_t n,
                      std::uint8_t* order) {
    kernels.order_bytes(codes, n, order);
}
inline void order_few(const LevelKernels& kernels, const std::uint16_t* codes, std::size_t n,
                      std::uint8_t* order) {
    kernels.order_shorts(codes, n, order);
}
inline void order_few(const LevelKernels& kernels, const std::uint32_t* codes, std::size_t n,
                      std::uint8_t* order) {
    kernels.order_words(codes, n, order);
}

// Codes of few rows, side by side. Kept from node to node: what lies beyond the rows is read by
// vector instructions, and does not matter.
class FewCodes {
  public:
    template <class Value>
    Value* of() {
        if constexpr (sizeof(Value) == 1)
            return bytes_.data();
        else if constexpr (sizeof(Value) == 2)
            return shorts_.data();
        else
            return words_.data();
    }

  private:
    alignas(64) std::array<std::uint8_t, few_rows> bytes_{};
    alignas(64) std::array<std::uint16_t, few_rows> shorts_{};
    alignas(64) std::array<std::uint32_t, few_rows> words_{};
};

template <class Counter>
class Groups {
  public:
    using Cell = typename Counter::Cell;
    using Payload = typename Counter::Payload;

    Groups(const Counter& counter, const LevelKernels& kernels)
        : counter_(counter), words_(counter.cell_words()), kernels_(kernels) {
        reserve(few_rows);
    }

    std::size_t size() const { return size_; }
    Code code(std::size_t group) const { return codes_[group]; }
    const Cell* cell(std::size_t group) const { return sums_.data() + group * words_; }
    bool any_missing() const { return codes_.front() == missing_code; }

    template <class Index>
    void collect(const CodeColumn& column, std::size_t n_codes,
                 const NodeItems<Index, Payload>& node) {
        reserve(std::min(node.size(), n_codes + 1));
        size_ = 0;
        visit_codes(column, [&](const auto* codes) {
            if (node.size() <= few_rows) {
                sort_few(codes, node);
            } else if (node.size() * 8 >= n_codes) {
                count(codes, n_codes, node);
            } else {
                sort_many(codes, n_codes, node);
            }
        });
    }

  private:
    static constexpr std::size_t spare = 8;  // vector instructions write a little too much

    void reserve(std::size_t n) {
        if (codes_.size() >= n + spare) return;
        codes_.resize(n + spare);
        sums_.resize((n + spare) * words_);
    }
    // Begins a group when the code is a new one; returns the last group's cell.
    Cell* cell_of(Code code) {
        if (size_ == 0 || code != codes_[size_ - 1]) {
            codes_[size_] = code;
            Cell* cell = sums_.data() + size_++ * words_;
            for (std::size_t w = 0; w < words_; ++w) cell[w] = {};
        }
        return sums_.data() + (size_ - 1) * words_;
    }

    template <class Value, class Index>
    void sort_few(const Value* codes, const NodeItems<Index, Payload>& node) {
        Value* here = few_.template of<Value>();
        std::uint8_t order[few_rows];
        const std::size_t n = node.size();
        for (std::size_t i = 0; i < n; ++i) here[i] = codes[node.id[i]];
        order_few(kernels_, here, n, order);
        for (std::size_t i = 0; i < n; ++i) {
            counter_.add(cell_of(here[order[i]]), node.payload[order[i]]);
        }
    }

    // Cells are zero before and after. With few rows a bit for each code says which are in use.
    template <class Value, class Index>
    void count(const Value* codes, std::size_t n_codes, const NodeItems<Index, Payload>& node) {
        if (cells_.size() < (n_codes + 1 + spare) * words_) {
            cells_.resize((n_codes + 1 + spare) * words_);
        }
        Cell* cells = cells_.data();
        const Index* id = node.id.data();
        const Payload* payload = node.payload.data();
        const std::size_t n = node.size();
        if constexpr (std::is_same_v<Cell, std::uint64_t>) {
            for (std::size_t i = 0; i < n; ++i) counter_.add(cells + codes[id[i]], payload[i]);
            size_ = kernels_.take_cells(cells, n_codes + 1, codes_.data(), sums_.data());
            return;
        }
        if (n >= 2 * n_codes) {
            for (std::size_t i = 0; i < n; ++i) {
                counter_.add(cells + codes[id[i]] * words_, payload[i]);
            }
            for (std::size_t code = 0; code <= n_codes; ++code) {
                if (!counter_.is_empty(cells + code * words_)) take_cell(code);
            }
            return;
        }
        in_use_.assign(n_codes / 64 + 1, 0);
        std::uint64_t* in_use = in_use_.data();
        for (std::size_t i = 0; i < n; ++i) {
            const std::size_t code = codes[id[i]];
            counter_.add(cells + code * words_, payload[i]);
            in_use[code / 64] |= std::uint64_t{1} << (code % 64);
        }
        for (std::size_t w = 0; w <= n_codes / 64; ++w) {
            for (std::uint64_t bits = in_use[w]; bits != 0; bits &= bits - 1) {
                take_cell(w * 64 + static_cast<std::size_t>(std::countr_zero(bits)));
            }
        }
    }

    // A cell becomes the next group, and is zero again.
    void take_cell(std::size_t code) {
        Cell* from = cells_.data() + code * words_;
        Cell* to = sums_.data() + size_ * words_;
        if constexpr (Counter::has_kernel) {  // one word: a call would cost more than the copy
            *to = *from;
            *from = {};
        } else {
            for (std::size_t w = 0; w < words_; ++w) {  // few words: a call would cost more
                to[w] = from[w];
                from[w] = {};
            }
        }
        codes_[size_++] = static_cast<Code>(code);
    }

    template <class Value, class Index>
    void sort_many(const Value* codes, std::size_t n_codes, const NodeItems<Index, Payload>& node) {
        keys_.resize(node.size());
        for (std::size_t i = 0; i < node.size(); ++i) {
            keys_[i] = std::uint64_t{codes[node.id[i]]} << 32 | i;
        }
        tree::sort_by_code(keys_, spare_, n_codes);
        for (const std::uint64_t key : keys_) {
            counter_.add(cell_of(static_cast<Code>(key >> 32)), node.payload[key & 0xFFFF'FFFF]);
        }
    }

    const Counter& counter_;
    std::size_t words_;
    const LevelKernels& kernels_;
    std::size_t size_ = 0;
    std::vector<Code> codes_;
    std::vector<Cell> sums_, cells_;
    std::vector<std::uint64_t> in_use_, keys_, spare_;
    FewCodes few_;
};

}  // namespace branchline::forest

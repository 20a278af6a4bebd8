// What each code of a column holds in a node: groups in the order of codes, missing values first.
//
// Few rows are sorted by rank; many are counted, a cell a code; many rows of a column with far more
// codes are sorted by digits. The choice looks at sizes only.
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
    static constexpr std::size_t few_codes = 32;
    static constexpr std::size_t mark_bytes = sizeof(std::uint64_t);

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

    // Cells are zero before and after.
    template <class Value, class Index>
    void count(const Value* codes, std::size_t n_codes, const NodeItems<Index, Payload>& node) {
        if (cells_.size() < (n_codes + 1 + spare) * words_) {
            cells_.resize((n_codes + 1 + spare) * words_);
        }
        if constexpr (Counter::has_kernel) {
            if (n_codes < few_codes) {
                add_few(codes, n_codes, node);
                return take_all(n_codes);
            }
        }
        if (std::is_same_v<Cell, std::uint64_t> || node.size() >= 2 * n_codes) {
            add_all(codes, node);
            return take_all(n_codes);
        }
        add_and_mark(codes, n_codes, node);
        take_marked();
    }

    template <class Value, class Index>
    void add_all(const Value* codes, const NodeItems<Index, Payload>& node) {
        Cell* cells = cells_.data();
        const Index* id = node.id.data();
        const Payload* payload = node.payload.data();
        for (std::size_t i = 0; i < node.size(); ++i) {
            counter_.add(cells + codes[id[i]] * words_, payload[i]);
        }
    }
    // Few codes: rows take turns, so that one need not wait for the sum of the one before.
    template <class Value, class Index>
    void add_few(const Value* codes, std::size_t n_codes, const NodeItems<Index, Payload>& node) {
        constexpr std::size_t n_turns = 4;
        Cell sums[n_turns][few_codes] = {};
        const Index* id = node.id.data();
        const Payload* payload = node.payload.data();
        std::size_t i = 0;
        for (; i + n_turns <= node.size(); i += n_turns) {
            for (std::size_t t = 0; t < n_turns; ++t) {
                counter_.add(&sums[t][codes[id[i + t]]], payload[i + t]);
            }
        }
        for (; i < node.size(); ++i) counter_.add(&sums[0][codes[id[i]]], payload[i]);
        for (std::size_t code = 0; code <= n_codes; ++code) {
            for (std::size_t t = 0; t < n_turns; ++t) {
                if constexpr (std::is_same_v<Cell, std::uint64_t>) {
                    cells_[code] += sums[t][code];
                } else {
                    counter_.add(&cells_[code], sums[t][code]);
                }
            }
        }
    }
    // Few rows: each marks its code. To write is enough; to read as well would take turns.
    template <class Value, class Index>
    void add_and_mark(const Value* codes, std::size_t n_codes,
                      const NodeItems<Index, Payload>& node) {
        marks_.assign(n_codes / mark_bytes + 1, 0);
        auto* marks = reinterpret_cast<std::uint8_t*>(marks_.data());
        Cell* cells = cells_.data();
        const Index* id = node.id.data();
        const Payload* payload = node.payload.data();
        for (std::size_t i = 0; i < node.size(); ++i) {
            const std::size_t code = codes[id[i]];
            counter_.add(cells + code * words_, payload[i]);
            marks[code] = 1;
        }
    }

    void take_all(std::size_t n_codes) {
        if constexpr (std::is_same_v<Cell, std::uint64_t>) {
            size_ = kernels_.take_cells(cells_.data(), n_codes + 1, codes_.data(), sums_.data());
        } else {
            for (std::size_t code = 0; code <= n_codes; ++code) {
                if (!counter_.is_empty(cells_.data() + code * words_)) take_cell(code);
            }
        }
    }
    void take_marked() {
        static_assert(std::endian::native == std::endian::little);
        for (std::size_t w = 0; w < marks_.size(); ++w) {
            for (std::uint64_t bits = marks_[w]; bits != 0; bits &= bits - 1) {
                const auto byte = static_cast<std::size_t>(std::countr_zero(bits)) / 8;
                take_cell(w * mark_bytes + byte);
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
    std::vector<std::uint64_t> marks_, keys_, spare_;
    FewCodes few_;
};

}  // namespace branchline::forest

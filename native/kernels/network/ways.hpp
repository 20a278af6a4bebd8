// Which columns of a network can be reached from which, along its edges.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace branchline {

// A bit for each pair of columns. Cost of find(): the edges times n / 64 words.
class Ways {
  public:
    explicit Ways(std::size_t n_columns)
        : n_(n_columns), n_words_((n_columns + 63) / 64), reach_(n_columns * n_words_) {}

    bool lead(std::size_t from, std::size_t to) const {
        return reach_[from * n_words_ + to / 64] >> (to % 64) & 1U;
    }

    // Takes flags of parents, [child * n + parent], without a cycle.
    void find(std::span<const std::uint8_t> flags) {
        reach_.assign(reach_.size(), 0);
        std::vector<std::uint32_t> n_left(n_, 0), waiting;
        std::vector<std::vector<std::uint32_t>> parents(n_);
        for (std::size_t child = 0; child < n_; ++child) {
            for (std::size_t p = 0; p < n_; ++p) {
                if (!flags[child * n_ + p]) continue;
                parents[child].push_back(static_cast<std::uint32_t>(p));
                ++n_left[p];
            }
        }
        for (std::size_t at = 0; at < n_; ++at) {
            if (!n_left[at]) waiting.push_back(static_cast<std::uint32_t>(at));
        }
        while (!waiting.empty()) {  // children first
            const std::size_t child = waiting.back();
            waiting.pop_back();
            for (const std::uint32_t p : parents[child]) {
                join(p, child);
                if (!--n_left[p]) waiting.push_back(p);
            }
        }
    }

  private:
    void join(std::size_t parent, std::size_t child) {
        for (std::size_t w = 0; w < n_words_; ++w) {
            reach_[parent * n_words_ + w] |= reach_[child * n_words_ + w];
        }
        reach_[parent * n_words_ + child / 64] |= std::uint64_t{1} << (child % 64);
    }

    std::size_t n_, n_words_;
    std::vector<std::uint64_t> reach_;
};

}  // namespace branchline

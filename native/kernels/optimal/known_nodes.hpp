// What is known of nodes that were solved: by their rows, and by similar rows.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "optimal/pair_solver.hpp"

namespace branchline::optimal {

// A node and the depth of trees below it. Two hashes of 64 bits: that two of 2^22 sets of rows share both
// has a probability below 2^−84.
struct NodeKey {
    std::uint64_t first = 0, second = 0;
    bool operator==(const NodeKey&) const = default;
};

struct HashOfKey {
    std::size_t operator()(const NodeKey& key) const { return static_cast<std::size_t>(key.first); }
};

inline NodeKey key_of(const Mask& node, int depth) {
    NodeKey key{0x9E3779B97F4A7C15ULL + static_cast<std::uint64_t>(depth), 0xC2B2AE3D27D4EB4FULL};
    for (const Word word : node) {
        key.first = (key.first ^ word) * 0xFF51AFD7ED558CCDULL;
        key.first ^= key.first >> 32;
        key.second = (key.second + word) * 0xC4CEB9FE1A85EC53ULL;
        key.second ^= key.second >> 29;
    }
    return key;
}

// The optimum when `is_exact`, else a lower bound; tests as a heap.
struct Known {
    Value value = 0;
    bool is_exact = false;
    std::vector<std::int32_t> tests;
};

class KnownNodes {
  public:
    const Known* find(const NodeKey& key) const {
        const auto found = known_.find(key);
        return found == known_.end() ? nullptr : &found->second;
    }

    // Beyond the largest number of nodes nothing more is kept: the search goes on without.
    void keep(const NodeKey& key, Known known) {
        const auto found = known_.find(key);
        if (found != known_.end()) {
            const bool better = known.is_exact || known.value > found->second.value;
            if (!found->second.is_exact && better) found->second = std::move(known);
        } else if (known_.size() < most_nodes) {
            known_.emplace(key, std::move(known));
        }
    }

  private:
    static constexpr std::size_t most_nodes = std::size_t{1} << 21;
    std::unordered_map<NodeKey, Known, HashOfKey> known_;
};

// Nodes solved last at each depth. Rows of a solved node that another one lacks can have cost at most
// `most_loss` each, and rows that it has in addition cost at least nothing.
class SimilarNodes {
  public:
    SimilarNodes(int max_depth, std::vector<double> most_loss, bool counts_rows, Value factor)
        : recent_(static_cast<std::size_t>(max_depth) + 1), most_loss_(std::move(most_loss)),
          counts_rows_(counts_rows), factor_(factor) {}

    void keep(const Mask& node, int depth, Value optimum) {
        Ring& ring = recent_[static_cast<std::size_t>(depth)];
        if (ring.solved.size() < size_of_ring) {
            ring.solved.push_back({node, optimum});
        } else {
            ring.solved[ring.next] = {node, optimum};
        }
        ring.next = (ring.next + 1) % size_of_ring;
    }

    // No tree of this depth costs less; stops looking once it is above `enough`.
    Value bound(const Mask& node, int depth, Value enough) const {
        Value best = 0;
        for (const Solved& solved : recent_[static_cast<std::size_t>(depth)].solved) {
            if (solved.optimum <= best) continue;
            best = std::max(best,
                            solved.optimum - difference(solved.node, node, solved.optimum - best));
            if (best > enough) break;
        }
        return best;
    }

  private:
    static constexpr std::size_t size_of_ring = 16;
    struct Solved {
        Mask node;
        Value optimum;
    };
    struct Ring {
        std::vector<Solved> solved;
        std::size_t next = 0;
    };

    Value difference(const Mask& solved, const Mask& node, Value most) const {
        Value loss = 0;
        for (std::size_t w = 0; w < node.size() && loss < most; ++w) {
            Word left = solved[w] & ~node[w];
            if (counts_rows_) {
                loss += std::popcount(left) * factor_;
                continue;
            }
            for (; left != 0; left &= left - 1) {
                const std::size_t place = w * 64 + static_cast<std::size_t>(std::countr_zero(left));
                loss += static_cast<Value>(most_loss_[place]) * factor_;
            }
        }
        return loss;
    }

    std::vector<Ring> recent_;
    std::vector<double> most_loss_;  // by place, rounded up
    bool counts_rows_;
    Value factor_;
};

}  // namespace branchline::optimal

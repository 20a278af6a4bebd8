// The best labeling of one sequence, and what training shares with it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "branchline/random.hpp"
#include "branchline/sequences.hpp"

namespace branchline {

inline constexpr double no_labeling = -std::numeric_limits<double>::infinity();

class Viterbi {
  public:
    explicit Viterbi(std::size_t n_labels)
        : n_labels_(n_labels), move_((n_labels + 1) * (n_labels + 1), no_labeling) {}

    // Scores of transitions by the label that follows, so that those into one label stand together.
    void set_moves(std::span<const double> transitions, std::span<const std::uint8_t> allowed) {
        const std::size_t width = n_labels_ + 1;
        for (std::size_t from = 0; from < width; ++from) {
            for (std::size_t to = 0; to < width; ++to) {
                const std::size_t at = from * width + to;
                move_[to * width + from] = allowed[at] ? transitions[at] : no_labeling;
            }
        }
    }

    void add_to_move(std::size_t from, std::size_t to, double amount) {
        move_[to * (n_labels_ + 1) + from] += amount;
    }

    // The scores of labels at each token of a sequence, without transitions.
    void set_tokens(const Sequences& given, std::size_t sequence,
                    std::span<const double> features) {
        length_ = given.length(sequence);
        token_.assign(length_ * n_labels_, 0.0);
        const std::uint32_t* feature =
            given.features.data() + given.begin(sequence) * given.n_slots;
        for (std::size_t t = 0; t < length_; ++t) {
            double* score = token_.data() + t * n_labels_;
            for (std::size_t slot = 0; slot < given.n_slots; ++slot, ++feature) {
                const double* weight = features.data() + *feature * n_labels_;
                for (std::size_t s = 0; s < n_labels_; ++s) score[s] += weight[s];
            }
        }
    }

    // Every label that is not the right one scores one more.
    void add_loss(const std::uint32_t* right) {
        for (std::size_t t = 0; t < length_; ++t) {
            for (std::size_t s = 0; s < n_labels_; ++s) {
                token_[t * n_labels_ + s] += s != right[t] ? 1.0 : 0.0;
            }
        }
    }

    // The score of a labeling.
    double score(const std::uint32_t* labels) const {
        std::size_t before = n_labels_;
        double sum = 0;
        for (std::size_t t = 0; t < length_; ++t) {
            sum += into(labels[t])[before] + token_[t * n_labels_ + labels[t]];
            before = labels[t];
        }
        return sum + into(n_labels_)[before];
    }

    // Writes the best labeling; returns its score, −infinity when none is allowed.
    double best(std::uint32_t* labels);

    // Writes the margin of each token of the labeling that best() has just written.
    void margins(const std::uint32_t* labels, double score, double* margin);

    std::size_t length() const noexcept { return length_; }

  private:
    const double* into(std::size_t to) const { return move_.data() + to * (n_labels_ + 1); }

    std::size_t n_labels_, length_ = 0;
    std::vector<double> move_, token_, ahead_, behind_;
    std::vector<std::uint32_t> from_;
};

// Whole numbers from 0 to n − 1 in an order drawn for an epoch.
inline std::vector<std::uint32_t> drawn_order(std::size_t n, std::uint64_t seed,
                                              std::size_t epoch) {
    std::vector<std::uint32_t> order(n);
    for (std::size_t i = 0; i < n; ++i) order[i] = static_cast<std::uint32_t>(i);
    for (std::size_t i = n; i > 1; --i) {
        const std::uint64_t word = philox({i, epoch, 0, 0}, {seed, 0x5e9})[0];
        std::swap(order[i - 1], order[word % i]);
    }
    return order;
}

// The weight of one token, or of the whole of a sequence's tokens: Σ k_i n_i.
inline double total_tokens(const Sequences& sequences, const LabelRules& rules) {
    double total = 0;
    for (std::size_t i = 0; i < sequences.size(); ++i) {
        total += rules.weights[i] * static_cast<double>(sequences.length(i));
    }
    return total;
}

}  // namespace branchline

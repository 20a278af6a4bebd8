// Labels of sequences: the best labeling, and weights learned from labeled sequences.
//
// A token has `n_slots` features, all of them yes or no. The score of a labeling y of a sequence is
//
//     Σ_t Σ_slots features[f(t, slot)][y_t] + Σ_t transitions[y_(t−1)][y_t]
//       + transitions[start][y_1] + transitions[y_n][end]
//
// 1. decode: the labeling with the highest score, by dynamic programming (Viterbi, 1967). Of equal scores
//    the one whose last label comes first, then the one before it, and so on. The margin of a token is how
//    far the best labeling is ahead of the best one with another label there.
// 2. train_perceptron: the averaged structured perceptron (Collins, 2002). Where the best labeling is
//    wrong, the features of the right one gain the weight of the sequence, those of the wrong one lose it.
//    The result is the mean of the weights over all visits.
// 3. train_frank_wolfe: the structured support vector machine with the number of wrong labels as its loss,
//
//        min_w  λ/2 |w|² + 1/N Σ_i k_i max_y [wrong(y, y_i) + score(y) − score(y_i)],   N = Σ_i k_i n_i,
//
//    by block-coordinate Frank–Wolfe (Lacoste-Julien, Jaggi, Schmidt and Pletscher, 2013) with pairwise
//    steps (Osokin et al., 2016). Each sequence keeps a mixture of labelings. A visit moves weight from
//    its least violated labeling to the most violated one of all, by the best step. Primal minus dual is
//    the certificate.
//
// Nouns: k_i is the weight of sequence i, n_i its number of tokens. "start" and "end" are the label n_labels,
// as a row and as a column of the transitions. A transition that is not allowed occurs in no labeling.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "branchline/stop_signal.hpp"

namespace branchline {

// Sequence i has the tokens starts[i] to starts[i + 1] − 1; token t has the features
// features[t · n_slots] to features[(t + 1) · n_slots − 1], each below n_features.
struct Sequences {
    std::span<const std::int64_t> starts;
    std::span<const std::uint32_t> features;
    std::size_t n_slots = 0;
    std::size_t n_features = 0;

    std::size_t size() const noexcept { return starts.size() - 1; }
    std::size_t begin(std::size_t i) const { return static_cast<std::size_t>(starts[i]); }
    std::size_t length(std::size_t i) const {
        return static_cast<std::size_t>(starts[i + 1] - starts[i]);
    }
};

// What is known of the labels: which transitions are allowed, (n_labels + 1)² of them, and for training
// the right labels (allowed ones) and the weight of each sequence.
struct LabelRules {
    std::size_t n_labels = 0;
    std::span<const std::uint8_t> allowed;
    std::span<const std::uint32_t> labels;
    std::span<const double> weights;
};

struct LabelWeights {
    std::vector<double> features;     // n_features × n_labels
    std::vector<double> transitions;  // (n_labels + 1)²; 0 where not allowed
};

struct Decoded {
    std::vector<std::uint32_t> labels;  // of a sequence without any allowed labeling: n_labels
    std::vector<double>
        margins;                 // infinite where no other label is allowed; empty if not asked for
    std::vector<double> scores;  // of each sequence; −infinity without any allowed labeling
};

struct SequenceTraining {
    double lambda = 0;  // of the machine
    double tolerance = 0;
    std::size_t max_epochs = 1;
    std::uint64_t seed = 0;
};

struct TrainedSequences {
    LabelWeights weights;
    // Perceptron: the weight of wrong tokens of each epoch. Machine: epoch, primal and dual, whenever the
    // gap was looked at.
    std::vector<double> history;
    std::size_t n_epochs = 0;
    bool is_done = false;  // no wrong token in an epoch; a gap within the tolerance
};

// Cost: tokens · (n_slots · n_labels + n_labels²). Threads over sequences; they do not change the result.
Decoded decode(const Sequences& sequences, const LabelRules& rules,
               std::span<const double> features, std::span<const double> transitions,
               bool with_margins, int n_threads, StopSignal& stop);

// Require sequences of at least one token. Cost: max_epochs times that of decode. One thread. Sequences are
// visited in an order that is drawn anew for each epoch from the seed.
TrainedSequences train_perceptron(const Sequences& sequences, const LabelRules& rules,
                                  const SequenceTraining& options, StopSignal& stop);
TrainedSequences train_frank_wolfe(const Sequences& sequences, const LabelRules& rules,
                                   const SequenceTraining& options, StopSignal& stop);

}  // namespace branchline

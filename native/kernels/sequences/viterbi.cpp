#include "sequences/viterbi.hpp"

#include "branchline/thread_pool.hpp"

namespace branchline {

double Viterbi::best(std::uint32_t* labels) {
    const std::size_t n = n_labels_;
    ahead_.resize(length_ * n);
    from_.resize(length_ * n);
    for (std::size_t s = 0; s < n; ++s) ahead_[s] = into(s)[n] + token_[s];
    for (std::size_t t = 1; t < length_; ++t) {
        const double* before = ahead_.data() + (t - 1) * n;
        for (std::size_t s = 0; s < n; ++s) {
            const double* move = into(s);
            double most = before[0] + move[0];
            std::uint32_t first = 0;
            for (std::size_t from = 1; from < n; ++from) {
                const double score = before[from] + move[from];
                first = score > most ? static_cast<std::uint32_t>(from) : first;
                most = score > most ? score : most;
            }
            ahead_[t * n + s] = most + token_[t * n + s];
            from_[t * n + s] = first;
        }
    }
    const double* last = ahead_.data() + (length_ - 1) * n;
    std::size_t label = 0;
    for (std::size_t s = 1; s < n; ++s) {
        if (last[s] + into(n)[s] > last[label] + into(n)[label]) label = s;
    }
    const double score = last[label] + into(n)[label];
    if (score == no_labeling) {
        std::fill_n(labels, length_, static_cast<std::uint32_t>(n));
        return score;
    }
    for (std::size_t t = length_; t-- > 0;) {
        labels[t] = static_cast<std::uint32_t>(label);
        label = from_[t * n + label];
    }
    return score;
}

void Viterbi::margins(const std::uint32_t* labels, double score, double* margin) {
    const std::size_t n = n_labels_;
    behind_.assign(n, 0.0);
    for (std::size_t s = 0; s < n; ++s) behind_[s] = into(n)[s];
    std::vector<double> next(n);
    for (std::size_t t = length_; t-- > 0;) {
        double second = no_labeling;
        for (std::size_t s = 0; s < n; ++s) {
            if (s != labels[t]) second = std::max(second, ahead_[t * n + s] + behind_[s]);
        }
        margin[t] = second == no_labeling ? -no_labeling : std::max(0.0, score - second);
        if (t == 0) break;
        std::fill(next.begin(), next.end(), no_labeling);
        for (std::size_t to = 0; to < n; ++to) {
            const double later = token_[t * n + to] + behind_[to];
            for (std::size_t s = 0; s < n; ++s) {
                next[s] = std::max(next[s], into(to)[s] + later);
            }
        }
        behind_.swap(next);
    }
}

Decoded decode(const Sequences& sequences, const LabelRules& rules,
               std::span<const double> features, std::span<const double> transitions,
               bool with_margins, int n_threads, StopSignal& stop) {
    const auto n_tokens = static_cast<std::size_t>(sequences.starts.back());
    Decoded found{std::vector<std::uint32_t>(n_tokens),
                  std::vector<double>(with_margins ? n_tokens : 0),
                  std::vector<double>(sequences.size())};
    constexpr std::size_t block = 64;  // sequences of a task
    const std::size_t n_tasks = (sequences.size() + block - 1) / block;
    ThreadPool pool(n_threads, stop);
    pool.run(n_tasks, [&](std::size_t task, std::size_t) {
        Viterbi viterbi(rules.n_labels);
        viterbi.set_moves(transitions, rules.allowed);
        const std::size_t end = std::min(sequences.size(), (task + 1) * block);
        for (std::size_t i = task * block; i < end; ++i) {
            viterbi.set_tokens(sequences, i, features);
            std::uint32_t* labels = found.labels.data() + sequences.begin(i);
            found.scores[i] = viterbi.best(labels);
            if (with_margins) {
                viterbi.margins(labels, found.scores[i], found.margins.data() + sequences.begin(i));
            }
        }
    });
    return found;
}

}  // namespace branchline

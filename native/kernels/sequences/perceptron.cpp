#include "sequences/viterbi.hpp"

namespace branchline {

namespace {

// Weights, and their sum over all visits: `later` counts each step as often as it was not there yet, so
// that the mean is weights − later / visits.
class Averaged {
  public:
    Averaged(const Sequences& given, const LabelRules& rules)
        : given_(given), rules_(rules), width_(rules.n_labels + 1),
          features_(given.n_features * rules.n_labels), later_(features_.size()),
          moves_(width_ * width_), later_moves_(width_ * width_), viterbi_(rules.n_labels) {
        viterbi_.set_moves(moves_, rules.allowed);
    }

    // Visits a sequence; returns how many of its tokens were wrong.
    std::size_t visit(std::size_t sequence) {
        const std::size_t first = given_.begin(sequence), n = given_.length(sequence);
        const std::uint32_t* right = rules_.labels.data() + first;
        const double weight = rules_.weights[sequence];
        labels_.resize(n);
        viterbi_.set_tokens(given_, sequence, features_);
        viterbi_.best(labels_.data());
        std::size_t n_wrong = 0;
        for (std::size_t t = 0; t < n; ++t) {
            if (labels_[t] == right[t]) continue;
            ++n_wrong;
            step_token(first + t, right[t], weight);
            step_token(first + t, labels_[t], -weight);
        }
        if (n_wrong > 0) step_moves(right, weight);
        visits_ += weight;
        return n_wrong;
    }

    LabelWeights mean() const {
        LabelWeights found{features_, moves_};
        for (std::size_t at = 0; at < later_.size(); ++at)
            found.features[at] -= later_[at] / visits_;
        for (std::size_t at = 0; at < moves_.size(); ++at) {
            found.transitions[at] -= later_moves_[at] / visits_;
        }
        return found;
    }

  private:
    void step_token(std::size_t token, std::uint32_t label, double amount) {
        const std::uint32_t* feature = given_.features.data() + token * given_.n_slots;
        for (std::size_t slot = 0; slot < given_.n_slots; ++slot) {
            const std::size_t at = feature[slot] * rules_.n_labels + label;
            features_[at] += amount;
            later_[at] += visits_ * amount;
        }
    }

    void step_moves(const std::uint32_t* right, double weight) {
        std::size_t r = rules_.n_labels, w = rules_.n_labels;  // both from the start
        for (std::size_t t = 0; t <= labels_.size(); ++t) {
            const bool ends = t == labels_.size();
            const std::size_t next_r = ends ? rules_.n_labels : right[t];
            const std::size_t next_w = ends ? rules_.n_labels : labels_[t];
            if (r != w || next_r != next_w) {
                step_move(r, next_r, weight);
                step_move(w, next_w, -weight);
            }
            r = next_r;
            w = next_w;
        }
    }

    void step_move(std::size_t from, std::size_t to, double amount) {
        moves_[from * width_ + to] += amount;
        later_moves_[from * width_ + to] += visits_ * amount;
        viterbi_.add_to_move(from, to, amount);
    }

    const Sequences& given_;
    const LabelRules& rules_;
    std::size_t width_;
    std::vector<double> features_, later_, moves_, later_moves_;
    Viterbi viterbi_;
    std::vector<std::uint32_t> labels_;
    double visits_ = 0;
};

}  // namespace

TrainedSequences train_perceptron(const Sequences& sequences, const LabelRules& rules,
                                  const SequenceTraining& options, StopSignal& stop) {
    Averaged averaged(sequences, rules);
    TrainedSequences found;
    while (found.n_epochs < options.max_epochs && !found.is_done) {
        double wrong = 0;
        for (const std::uint32_t i : drawn_order(sequences.size(), options.seed, found.n_epochs)) {
            stop.check();
            wrong += rules.weights[i] * static_cast<double>(averaged.visit(i));
        }
        ++found.n_epochs;
        found.history.push_back(wrong);
        found.is_done = wrong == 0;
    }
    found.weights = averaged.mean();
    return found;
}

}  // namespace branchline

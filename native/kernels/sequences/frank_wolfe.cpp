#include <cmath>

#include "sequences/viterbi.hpp"

namespace branchline {

namespace {

// Looking at the gap costs half an epoch.
constexpr std::size_t look_every = 10;

// Places of features within a sequence: equal features of a sequence share one.
struct LocalFeatures {
    std::vector<std::uint32_t> place;  // of each feature of each token, below its sequence's count
    std::vector<std::uint32_t> distinct;  // the features of a sequence, one after the other
    std::vector<std::size_t> first{0};    // where those of each sequence begin

    explicit LocalFeatures(const Sequences& given) : place(given.features.size()) {
        constexpr std::uint32_t unseen = 0xffffffff;
        std::vector<std::uint32_t> place_of(given.n_features, unseen);
        for (std::size_t i = 0; i < given.size(); ++i) {
            const std::size_t begin = given.begin(i) * given.n_slots;
            const std::size_t end = begin + given.length(i) * given.n_slots;
            for (std::size_t at = begin; at < end; ++at) {
                std::uint32_t& known = place_of[given.features[at]];
                if (known == unseen) {
                    known = static_cast<std::uint32_t>(distinct.size() - first.back());
                    distinct.push_back(given.features[at]);
                }
                place[at] = known;
            }
            for (std::size_t at = first.back(); at < distinct.size(); ++at) {
                place_of[distinct[at]] = unseen;
            }
            first.push_back(distinct.size());
        }
    }
};

// A labeling in the mixture of a sequence.
struct Part {
    std::vector<std::uint32_t> labels;
    double share = 0, wrong = 0;
};

class Machine {
  public:
    Machine(const Sequences& given, const LabelRules& rules, double lambda)
        : given_(given), rules_(rules), local_(given), n_labels_(rules.n_labels),
          width_(n_labels_ + 1), lambda_(lambda), n_tokens_(total_tokens(given, rules)),
          features_(given.n_features * n_labels_), moves_(width_ * width_), viterbi_(n_labels_),
          mixture_(given.size()), move_step_(width_ * width_) {
        for (std::size_t i = 0; i < given.size(); ++i) {
            const std::uint32_t* right = rules.labels.data() + given.begin(i);
            mixture_[i].push_back({{right, right + given.length(i)}, 1.0, 0.0});
        }
        viterbi_.set_moves(moves_, rules.allowed);
    }

    // Moves weight in the mixture of a sequence from its least violated labeling to the most violated one
    // of all; returns the sequence's part of the gap.
    double visit(std::size_t i) {
        const double gap = violation(i), weight = rules_.weights[i] / n_tokens_;
        if (!(gap > 0)) return 0;
        std::vector<Part>& parts = mixture_[i];
        const std::size_t into = place_of_worst(parts);
        set_step(i, parts[least_].labels, parts[into].labels);
        const double length = squared_step();
        double share = parts[least_].share;
        if (length > 0)
            share = std::min(share, (most_ - least_score_) * lambda_ / (weight * length));
        apply_step(i, share * weight / lambda_);
        parts[into].share += share;
        parts[least_].share -= share;
        std::erase_if(parts, [](const Part& part) { return !(part.share > 0); });
        return gap * weight;
    }

    // The gap between primal and dual, of the weights as they are.
    double gap(StopSignal& stop) {
        double sum = 0;
        for (std::size_t i = 0; i < given_.size(); ++i) {
            stop.check();
            sum += rules_.weights[i] * violation(i);
        }
        return std::max(0.0, sum / n_tokens_);
    }

    double dual() const {
        double square = 0, loss = 0;
        for (const double weight : features_) square += weight * weight;
        for (const double weight : moves_) square += weight * weight;
        for (std::size_t i = 0; i < given_.size(); ++i) {
            double wrong = 0;
            for (const Part& part : mixture_[i]) wrong += part.share * part.wrong;
            loss += rules_.weights[i] * wrong;
        }
        return loss / n_tokens_ - lambda_ / 2 * square;
    }

    LabelWeights weights() const { return {features_, moves_}; }

  private:
    // Finds the most violated labeling of a sequence and the least violated one of its mixture; returns
    // how much the loss plus score of the first is above that of the mixture.
    double violation(std::size_t i) {
        const std::uint32_t* right = rules_.labels.data() + given_.begin(i);
        worst_.resize(given_.length(i));
        viterbi_.set_tokens(given_, i, features_);
        viterbi_.add_loss(right);
        most_ = viterbi_.best(worst_.data());
        wrong_ = 0;
        for (std::size_t t = 0; t < worst_.size(); ++t) wrong_ += worst_[t] != right[t] ? 1 : 0;
        double mean = 0;
        for (std::size_t part = 0; part < mixture_[i].size(); ++part) {
            const double score = viterbi_.score(mixture_[i][part].labels.data());
            mean += mixture_[i][part].share * score;
            if (part > 0 && !(score < least_score_)) continue;
            least_ = part;
            least_score_ = score;
        }
        return most_ - mean;
    }

    std::size_t place_of_worst(std::vector<Part>& parts) const {
        for (std::size_t part = 0; part < parts.size(); ++part) {
            if (parts[part].labels == worst_) return part;
        }
        parts.push_back({worst_, 0.0, wrong_});
        return parts.size() - 1;
    }

    // step = features of the labeling that loses weight − those of the one that gains it.
    void set_step(std::size_t i, const std::vector<std::uint32_t>& from,
                  const std::vector<std::uint32_t>& to) {
        const std::size_t n_slots = given_.n_slots;
        step_.assign((local_.first[i + 1] - local_.first[i]) * n_labels_, 0.0);
        const std::uint32_t* place = local_.place.data() + given_.begin(i) * n_slots;
        for (std::size_t t = 0; t < from.size(); ++t, place += n_slots) {
            if (from[t] == to[t]) continue;
            for (std::size_t slot = 0; slot < n_slots; ++slot) {
                step_[place[slot] * n_labels_ + from[t]] += 1;
                step_[place[slot] * n_labels_ + to[t]] -= 1;
            }
        }
        std::fill(move_step_.begin(), move_step_.end(), 0.0);
        add_moves(from, 1);
        add_moves(to, -1);
    }

    void add_moves(const std::vector<std::uint32_t>& labels, double amount) {
        std::size_t before = n_labels_;
        for (const std::uint32_t label : labels) {
            move_step_[before * width_ + label] += amount;
            before = label;
        }
        move_step_[before * width_ + n_labels_] += amount;
    }

    double squared_step() const {
        double sum = 0;
        for (const double step : step_) sum += step * step;
        for (const double step : move_step_) sum += step * step;
        return sum;
    }

    void apply_step(std::size_t i, double distance) {
        const double* step = step_.data();
        for (std::size_t at = local_.first[i]; at < local_.first[i + 1]; ++at) {
            double* weight = features_.data() + local_.distinct[at] * n_labels_;
            for (std::size_t s = 0; s < n_labels_; ++s, ++step) weight[s] += distance * *step;
        }
        for (std::size_t at = 0; at < moves_.size(); ++at) moves_[at] += distance * move_step_[at];
        viterbi_.set_moves(moves_, rules_.allowed);
    }

    const Sequences& given_;
    const LabelRules& rules_;
    LocalFeatures local_;
    std::size_t n_labels_, width_;
    double lambda_, n_tokens_;
    std::vector<double> features_, moves_;
    Viterbi viterbi_;
    std::vector<std::vector<Part>> mixture_;
    std::vector<double> step_, move_step_;
    std::vector<std::uint32_t> worst_;  // the most violated labeling, its loss plus score, its loss
    double most_ = 0, wrong_ = 0;
    std::size_t least_ = 0;  // the least violated part of the mixture, and its loss plus score
    double least_score_ = 0;
};

}  // namespace

TrainedSequences train_frank_wolfe(const Sequences& sequences, const LabelRules& rules,
                                   const SequenceTraining& options, StopSignal& stop) {
    Machine machine(sequences, rules, options.lambda);
    TrainedSequences found;
    while (found.n_epochs < options.max_epochs && !found.is_done) {
        double seen = 0;  // the gap as it was at each visit
        for (const std::uint32_t i : drawn_order(sequences.size(), options.seed, found.n_epochs)) {
            stop.check();
            seen += machine.visit(i);
        }
        ++found.n_epochs;
        const bool looks = found.n_epochs % look_every == 0 || found.n_epochs == options.max_epochs;
        if (!looks && seen > 1.5 * options.tolerance) continue;
        const double dual = machine.dual(), gap = machine.gap(stop);
        const double epoch = static_cast<double>(found.n_epochs);
        found.history.insert(found.history.end(), {epoch, dual + gap, dual});
        found.is_done = gap <= options.tolerance;
    }
    found.weights = machine.weights();
    return found;
}

}  // namespace branchline

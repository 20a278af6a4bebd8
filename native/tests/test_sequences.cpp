#include <cmath>
#include <random>

#include "branchline/sequences.hpp"
#include "check.hpp"

namespace {

using namespace branchline;

struct Made {
    std::vector<std::int64_t> starts{0};
    std::vector<std::uint32_t> features, labels;
    std::vector<double> weights;

    Sequences view() const { return {starts, features, 1, 6}; }
};

// Tokens of two labels, each with three features of its own.
Made some_sequences(std::size_t n, std::uint64_t seed) {
    std::mt19937_64 draw(seed);
    Made made;
    for (std::size_t i = 0; i < n; ++i) {
        const std::size_t length = 1 + draw() % 5;
        for (std::size_t t = 0; t < length; ++t) {
            made.labels.push_back(static_cast<std::uint32_t>(draw() % 2));
            made.features.push_back(
                static_cast<std::uint32_t>(made.labels.back() * 3 + draw() % 3));
        }
        made.starts.push_back(static_cast<std::int64_t>(made.labels.size()));
        made.weights.push_back(1 + static_cast<double>(draw() % 3));
    }
    return made;
}

const check::Test learns{"sequences that features tell apart are learned", [] {
    const Made made = some_sequences(40, 3);
    const std::vector<std::uint8_t> allowed(9, 1);
    const LabelRules rules{2, allowed, made.labels, made.weights};
    StopSignal stop;
    for (const double lambda : {0.0, 0.001}) {
        const SequenceTraining options{lambda, 1e-3, 2000, 1};
        const TrainedSequences found = lambda > 0
                                           ? train_frank_wolfe(made.view(), rules, options, stop)
                                           : train_perceptron(made.view(), rules, options, stop);
        check::equal(found.is_done, true);
        const Decoded decoded = decode(made.view(), rules, found.weights.features,
                                       found.weights.transitions, true, 2, stop);
        std::size_t n_right = 0;
        for (std::size_t t = 0; t < made.labels.size(); ++t) {
            n_right += decoded.labels[t] == made.labels[t] ? 1 : 0;
        }
        // The mean of the perceptron's weights may be wrong where its last ones are right.
        check::that(n_right + (lambda > 0 ? 0 : 4) >= made.labels.size(), "right labels");
    }
}};

const check::Test certificate{"the gap of the machine becomes small", [] {
    Made made = some_sequences(60, 8);
    for (std::size_t t = 0; t < made.labels.size(); t += 7) made.labels[t] = 1 - made.labels[t];
    const std::vector<std::uint8_t> allowed(9, 1);
    StopSignal stop;
    const TrainedSequences found = train_frank_wolfe(
        made.view(), {2, allowed, made.labels, made.weights}, {0.01, 1e-6, 100000, 1}, stop);
    const double primal = found.history[found.history.size() - 2], dual = found.history.back();
    check::equal(found.is_done, true);
    check::that(primal >= dual && primal - dual <= 1e-6, "a gap");
}};

const check::Test keeps{"labelings keep to allowed transitions", [] {
    const Made made = some_sequences(20, 5);
    std::vector<std::uint8_t> allowed(9, 1);
    allowed[0 * 3 + 1] = allowed[1 * 3 + 0] = 0;  // no change of label
    const std::vector<double> features(12, 0.0), transitions(9, 0.0);
    StopSignal stop;
    const LabelRules rules{2, allowed, {}, {}};
    const Decoded decoded = decode(made.view(), rules, features, transitions, true, 1, stop);
    for (std::size_t i = 0; i < made.view().size(); ++i) {
        for (std::size_t t = 1; t < made.view().length(i); ++t) {
            const std::size_t at = made.view().begin(i) + t;
            check::equal(decoded.labels[at], decoded.labels[at - 1]);
        }
        check::equal(decoded.scores[i], 0.0);
    }
}};

const check::Test without{"a sequence without an allowed labeling says so", [] {
    const std::vector<std::int64_t> starts{0, 2};
    const std::vector<std::uint32_t> features{0, 1};
    const Sequences one{starts, features, 1, 2};
    std::vector<std::uint8_t> allowed(4, 1);
    allowed[0] = 0;  // the only label may not follow itself
    StopSignal stop;
    const Decoded decoded = decode(one, {1, allowed, {}, {}}, std::vector<double>(2, 0.0),
                                   std::vector<double>(4, 0.0), true, 1, stop);
    check::equal(decoded.scores[0] < 0 && std::isinf(decoded.scores[0]), true);
    check::equal(decoded.labels[0], std::uint32_t{1});
}};

}  // namespace

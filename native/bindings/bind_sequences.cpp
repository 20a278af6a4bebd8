#include <nanobind/stl/optional.h>

#include "arrays.hpp"
#include "branchline/sequences.hpp"
#include "interrupt.hpp"

namespace branchline::bindings {

namespace {

using Starts = In<std::int64_t>;
using Codes = In<std::uint32_t>;
using Flags = In<std::uint8_t>;
using Numbers = In<double>;

// Sequences of tokens, borrowed for as long as the object lives.
struct BorrowedSequences {
    Starts starts;
    Codes features;
    std::size_t n_slots, n_features;

    Sequences view() const { return {span_of(starts), span_of(features), n_slots, n_features}; }
};

void make_sequences(BorrowedSequences* self, const Starts& starts, const Codes& features,
                    std::size_t n_features) {
    const auto begins = span_of(starts);
    require(begins.size() > 1 && begins.front() == 0, "starts from 0");
    for (std::size_t i = 1; i < begins.size(); ++i) {
        require(begins[i - 1] < begins[i], "sequences of at least one token");
    }
    const auto n_tokens = static_cast<std::size_t>(begins.back());
    require(features.shape(0) % n_tokens == 0, "as many features for each token");
    for (const std::uint32_t feature : span_of(features)) {
        require(feature < n_features, "features below n_features");
    }
    new (self) BorrowedSequences{starts, features, features.shape(0) / n_tokens, n_features};
}

struct BorrowedRules {
    std::size_t n_labels;
    Flags allowed;
    std::optional<Codes> labels;
    std::optional<Numbers> weights;

    LabelRules view() const {
        return {n_labels, span_of(allowed), span_of(labels), span_of(weights)};
    }
};

void make_rules(BorrowedRules* self, std::size_t n_labels, const Flags& allowed,
                const std::optional<Codes>& labels, const std::optional<Numbers>& weights) {
    require(n_labels > 0 && n_labels < std::size_t{1} << 16, "labels");
    require(allowed.shape(0) == (n_labels + 1) * (n_labels + 1), "a flag for each transition");
    for (const std::uint32_t label : span_of(labels)) require(label < n_labels, "labels in range");
    new (self) BorrowedRules{n_labels, allowed, labels, weights};
}

auto train(const BorrowedSequences& given, const BorrowedRules& known, const nb::tuple& options) {
    const Sequences sequences = given.view();
    const LabelRules rules = known.view();
    require(rules.labels.size() == static_cast<std::size_t>(sequences.starts.back()),
            "a label for each token");
    require(rules.weights.size() == sequences.size(), "a weight for each sequence");
    require(options.size() == 4, "options are lambda, tolerance, max_epochs, seed");
    const SequenceTraining asked{nb::cast<double>(options[0]), nb::cast<double>(options[1]),
                                 nb::cast<std::size_t>(options[2]),
                                 nb::cast<std::uint64_t>(options[3])};
    TrainedSequences found = without_lock([&](StopSignal& stop) {
        return asked.lambda > 0 ? train_frank_wolfe(sequences, rules, asked, stop)
                                : train_perceptron(sequences, rules, asked, stop);
    });
    return nb::make_tuple(give(std::move(found.weights.features)),
                          give(std::move(found.weights.transitions)),
                          give(std::move(found.history)), found.n_epochs, found.is_done);
}

}  // namespace

void add_sequences(nb::module_& module) {
    nb::class_<BorrowedSequences>(module, "TokenSequences", "Tokens with their features.")
        .def("__init__", make_sequences, nb::arg("starts").noconvert(),
             nb::arg("features").noconvert(), nb::arg("n_features"));
    nb::class_<BorrowedRules>(module, "LabelRules", "Labels, which may follow which, weights.")
        .def("__init__", make_rules, nb::arg("n_labels"), nb::arg("allowed").noconvert(),
             nb::arg("labels").noconvert().none(), nb::arg("weights").noconvert().none());
    module.def("train_sequences", train, nb::arg("sequences"), nb::arg("rules"), nb::arg("options"),
               "Weights of features and of transitions, history, epochs, whether it is done; "
               "lambda 0: the averaged perceptron.");
    module.def(
        "decode_sequences",
        [](const BorrowedSequences& given, const BorrowedRules& known, const Numbers& features,
           const Numbers& transitions, int n_threads) {
            const Sequences sequences = given.view();
            const LabelRules rules = known.view();
            require(features.shape(0) == sequences.n_features * rules.n_labels,
                    "a weight for each feature and label");
            require(transitions.shape(0) == rules.allowed.size(), "a weight for each transition");
            const std::span<const double> weights = span_of(features), moves = span_of(transitions);
            Decoded found = without_lock([&](StopSignal& stop) {
                return decode(sequences, rules, weights, moves, true, n_threads, stop);
            });
            return nb::make_tuple(give(std::move(found.labels)), give(std::move(found.margins)),
                                  give(std::move(found.scores)));
        },
        nb::arg("sequences"), nb::arg("rules"), nb::arg("features").noconvert(),
        nb::arg("transitions").noconvert(), nb::arg("n_threads"),
        "The best label of each token, its margin, and the score of each sequence.");
}

}  // namespace branchline::bindings

#include <nanobind/stl/optional.h>

#include "branchline/hoeffding.hpp"
#include "columns.hpp"
#include "interrupt.hpp"

namespace branchline::bindings {

namespace {

HoeffdingRules rules_of(const nb::tuple& given) {
    require(given.size() == 13, "rules of a Hoeffding tree");
    HoeffdingRules rules;
    rules.n_classes = nb::cast<std::size_t>(given[0]);
    rules.grace_period = nb::cast<double>(given[1]);
    rules.delta = nb::cast<double>(given[2]);
    rules.tie_threshold = nb::cast<double>(given[3]);
    rules.use_gini = nb::cast<bool>(given[4]);
    rules.use_gaussians = nb::cast<bool>(given[5]);
    const int prediction = nb::cast<int>(given[6]);
    require(prediction >= 0 && prediction <= 2, "a prediction of leaves");
    rules.leaf_prediction = static_cast<LeafPrediction>(prediction);
    rules.max_bins = nb::cast<std::size_t>(given[7]);
    rules.max_depth = nb::cast<std::size_t>(given[8]);
    rules.max_bytes = nb::cast<double>(given[9]);
    rules.max_features = nb::cast<double>(given[10]);
    rules.drift_delta = nb::cast<double>(given[11]);
    rules.is_adaptive = rules.drift_delta > 0;
    rules.seed = nb::cast<std::uint64_t>(given[12]);
    require(rules.n_classes > 0 && rules.max_bins > 1, "a class and two bins");
    return rules;
}

EnsembleRules ensemble_of(const nb::tuple& given) {
    require(given.size() == 6, "rules of an ensemble");
    EnsembleRules rules;
    const int kind = nb::cast<int>(given[0]);
    require(kind >= 0 && kind <= 3, "a kind of ensemble");
    rules.kind = static_cast<EnsembleKind>(kind);
    rules.n_members = nb::cast<std::size_t>(given[1]);
    rules.poisson = nb::cast<double>(given[2]);
    rules.warning_delta = nb::cast<double>(given[3]);
    rules.drift_delta = nb::cast<double>(given[4]);
    rules.n_threads = nb::cast<int>(given[5]);
    require(rules.n_members > 0, "a member");
    return rules;
}

void check(const StreamModel& model, const Columns& columns) {
    require(columns.views().size() == model.n_columns(), "the columns of the model");
}

std::optional<Out<double>> learn(StreamModel& model, const nb::list& columns,
                                 const In<std::int32_t>& n_categories,
                                 const In<std::uint32_t>& class_of_row, bool wants_predictions) {
    const Columns borrowed(columns, n_categories);
    check(model, borrowed);
    const auto classes = span_of(class_of_row);
    require(classes.size() == borrowed.n_rows(), "a class for each row");
    for (const std::uint32_t one : classes)
        require(one < model.n_classes(), "classes below n_classes");
    std::vector<double> predicted(wants_predictions ? classes.size() * model.n_classes() : 0);
    without_lock(
        [&](StopSignal& stop) { model.learn(borrowed.views(), classes, predicted, stop); });
    if (!wants_predictions) return std::nullopt;
    return give(std::move(predicted));
}

Out<double> predict(const StreamModel& model, const nb::list& columns,
                    const In<std::int32_t>& n_categories, int n_threads) {
    const Columns borrowed(columns, n_categories);
    check(model, borrowed);
    std::vector<double> predicted(borrowed.n_rows() * model.n_classes());
    without_lock([&](StopSignal& stop) {
        model.predict(borrowed.views(), borrowed.n_rows(), predicted, n_threads, stop);
    });
    return give(std::move(predicted));
}

nb::list path_of(const StreamEvent& event) {
    nb::list path;
    for (const PathStep& step : event.path) {
        nb::list codes;
        for (const std::int32_t code : step.codes) codes.append(code);
        path.append(
            nb::make_tuple(step.column, step.is_left, step.is_category, step.threshold, codes));
    }
    return path;
}

nb::list events_of(const StreamModel& model) {
    nb::list events;
    for (const StreamEvent& event : model.events()) {
        events.append(nb::make_tuple(event.row, static_cast<int>(event.kind), event.member,
                                     event.column, event.n_rows, event.error_before,
                                     event.error_after, path_of(event)));
    }
    return events;
}

nb::list nodes_of(const StreamModel& model, std::size_t member) {
    require(member < model.n_members(), "a member that there is");
    nb::list nodes;
    for (StreamNode& node : model.nodes(member)) {
        nb::list codes;
        for (const std::int32_t code : node.left_codes) codes.append(code);
        nodes.append(nb::make_tuple(node.column, node.is_category, node.missing_left,
                                    node.others_left, node.threshold, codes,
                                    give(std::move(node.of_class)), node.is_active));
    }
    return nodes;
}

nb::tuple state_of(const StreamModel& model) {
    std::vector<double> reals;
    std::vector<std::int64_t> wholes;
    model.write(reals, wholes);
    return nb::make_tuple(give(std::move(reals)), give(std::move(wholes)));
}

}  // namespace

void add_stream(nb::module_& module) {
    nb::class_<StreamModel>(module, "StreamModel", "Hoeffding trees that learn row by row.")
        .def(
            "__init__",
            [](StreamModel* self, const nb::tuple& rules, const nb::tuple& ensemble,
               const In<std::uint8_t>& is_category, const In<std::uint64_t>& column_keys) {
                require(is_category.shape(0) == column_keys.shape(0), "a key for each column");
                new (self) StreamModel(rules_of(rules), ensemble_of(ensemble), span_of(is_category),
                                       span_of(column_keys));
            },
            nb::arg("rules"), nb::arg("ensemble"), nb::arg("is_category").noconvert(),
            nb::arg("column_keys").noconvert())
        .def("learn", &learn, nb::arg("columns"), nb::arg("n_categories").noconvert(),
             nb::arg("class_of_row").noconvert(), nb::arg("wants_predictions"),
             "Learns from rows in their order; probabilities of each row before it was learned "
             "from, row after row.")
        .def("predict", &predict, nb::arg("columns"), nb::arg("n_categories").noconvert(),
             nb::arg("n_threads"), "Probabilities of classes, row after row.")
        .def(
            "make_category",
            [](StreamModel& model, std::size_t column) {
                require(column < model.n_columns(), "a column that there is");
                model.make_category(column);
            },
            nb::arg("column"), "A column without any value so far is one of categories.")
        .def("events", &events_of,
             "What happened to branches: row, kind, member, column, rows, errors, path.")
        .def("nodes", &nodes_of, nb::arg("member"), "The nodes of a tree: parent, left, right.")
        .def_prop_ro("n_events", &StreamModel::n_events)
        .def(
            "sizes",
            [](const StreamModel& model) {
                const StreamSizes sizes = model.sizes();
                return nb::make_tuple(sizes.n_rows, sizes.n_nodes, sizes.n_leaves, sizes.n_active,
                                      sizes.n_trials, sizes.depth, sizes.n_bytes);
            },
            "Rows, nodes, leaves, leaves that learn, trials, depth, bytes.")
        .def("state", &state_of, "Everything learned, as numbers and whole numbers.")
        .def(
            "restore",
            [](StreamModel& model, const In<double>& reals, const In<std::int64_t>& wholes) {
                model.read(span_of(reals), span_of(wholes));
            },
            nb::arg("reals").noconvert(), nb::arg("wholes").noconvert(),
            "Takes what state() gave; values that no learner could have written are refused.");
}

}  // namespace branchline::bindings

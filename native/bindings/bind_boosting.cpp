#include "boosting_inputs.hpp"
#include "give_narrow.hpp"
#include "grow_inputs.hpp"
#include "interrupt.hpp"
#include "python_part_sums.hpp"

namespace branchline::bindings {

nb::dict give_trees(BoostedTrees&& trees) {
    nb::dict out;
    out["n_nodes"] = give(std::move(trees.n_nodes));
    out["kind"] = give(std::move(trees.kind));
    out["feature"] = give_narrow(std::move(trees.feature));
    out["left_code"] = give_narrow(std::move(trees.left_code));
    out["right_code"] = give_narrow(std::move(trees.right_code));
    out["missing_left"] = give(std::move(trees.missing_left));
    out["pool"] = give(std::move(trees.pool));
    out["gain"] = give(std::move(trees.gain));
    out["sum_gradient"] = give(std::move(trees.sum_gradient));
    out["sum_hessian"] = give(std::move(trees.sum_hessian));
    out["lowest"] = give(std::move(trees.lowest));
    out["highest"] = give(std::move(trees.highest));
    out["units"] = give(std::move(trees.units));
    return out;
}

void require_options(const BoostingOptions& options) {
    require(options.max_leaves > 0 && options.max_depth > 0 && options.n_threads > 0,
            "at least one leaf, one level and one thread");
    require(options.min_leaf_units >= 0 && options.min_leaf_hessian >= 0 && options.l2 >= 0 &&
                options.leaf_penalty >= 0 && options.category_l2 >= 0 &&
                options.category_smoothing >= 0 && options.category_chance >= 0 &&
                options.min_category_units >= 0 && options.unit > 0,
            "limits and penalties of at least 0");
    require(options.columns_per_tree > 0 && options.columns_per_node > 0, "at least one column");
}

namespace {

using Units = std::optional<In<std::int64_t>>;
using Floats = In<float>;
void add_options(nb::module_& module) {
    nb::enum_<TreeGrowth>(module, "TreeGrowth", "Which node of a boosted tree is split next.")
        .value("leaf_wise", TreeGrowth::leaf_wise)
        .value("depth_wise", TreeGrowth::depth_wise)
        .value("symmetric", TreeGrowth::symmetric);
    nb::class_<BoostingOptions>(module, "BoostingOptions")
        .def(nb::init<>())
        .def_rw("growth", &BoostingOptions::growth)
        .def_rw("max_leaves", &BoostingOptions::max_leaves)
        .def_rw("max_depth", &BoostingOptions::max_depth)
        .def_rw("min_leaf_units", &BoostingOptions::min_leaf_units)
        .def_rw("min_leaf_hessian", &BoostingOptions::min_leaf_hessian)
        .def_rw("l2", &BoostingOptions::l2)
        .def_rw("leaf_penalty", &BoostingOptions::leaf_penalty)
        .def_rw("category_l2", &BoostingOptions::category_l2)
        .def_rw("category_smoothing", &BoostingOptions::category_smoothing)
        .def_rw("category_chance", &BoostingOptions::category_chance)
        .def_rw("min_category_units", &BoostingOptions::min_category_units)
        .def_rw("columns_per_tree", &BoostingOptions::columns_per_tree)
        .def_rw("columns_per_node", &BoostingOptions::columns_per_node)
        .def_rw("seed", &BoostingOptions::seed)
        .def_rw("unit", &BoostingOptions::unit)
        .def_rw("histogram_bytes", &BoostingOptions::histogram_bytes)
        .def_rw("n_threads", &BoostingOptions::n_threads);
}

nb::dict grow(TreeBooster& booster, const Floats& gradients, const std::optional<Floats>& hessians,
              const Units& units, const BorrowedConstraints& constraints,
              const BoostingOptions& options, const Written<std::uint32_t>& leaf_of_row) {
    const std::size_t n = booster.n_rows();
    require(gradients.shape(0) > 0 && gradients.shape(0) % n == 0, "a gradient for each row");
    require(!hessians || hessians->shape(0) == gradients.shape(0), "a hessian for each gradient");
    require(!units || units->shape(0) == n || units->shape(0) == gradients.shape(0),
            "units for each row, or for each gradient");
    const auto limits = constraints.view(booster.n_columns());
    require_options(options);
    std::vector<BoostingTarget> targets;
    for (std::size_t t = 0; t < gradients.shape(0) / n; ++t) {
        const auto part = [&](const auto& values) {
            return values.empty() ? values : values.subspan(t * n, n);
        };
        const auto counts = span_of(units);
        targets.push_back({part(span_of(gradients)), part(span_of(hessians)),
                           counts.size() > n ? part(counts) : counts});
    }
    const auto leaves = written_span(leaf_of_row, gradients.shape(0), "a leaf for each gradient");
    return give_trees(without_lock(
        [&](StopSignal& stop) { return booster.grow(targets, limits, options, leaves, stop); }));
}

// Trees that were grown before, borrowed from Python.
class BorrowedTrees {
  public:
    BorrowedTrees(In<std::int64_t> n_nodes, In<std::uint8_t> kind, In<std::uint32_t> feature,
                  In<std::uint32_t> left_code, In<std::uint8_t> missing_left, In<std::uint8_t> pool)
        : n_nodes_(std::move(n_nodes)), kind_(std::move(kind)), feature_(std::move(feature)),
          left_code_(std::move(left_code)), missing_left_(std::move(missing_left)),
          pool_(std::move(pool)) {
        require(
            left_code_.shape(0) == feature_.shape(0) && missing_left_.shape(0) == feature_.shape(0),
            "a code and a side of missing values for each test");
        for (const std::int64_t n : span_of(n_nodes_)) require(n > 0, "nodes of each tree");
    }
    GrownTrees view() const {
        return {span_of(n_nodes_),   span_of(kind_),         span_of(feature_),
                span_of(left_code_), span_of(missing_left_), span_of(pool_)};
    }

  private:
    In<std::int64_t> n_nodes_;
    In<std::uint8_t> kind_;
    In<std::uint32_t> feature_, left_code_;
    In<std::uint8_t> missing_left_, pool_;
};

void replay(TreeBooster& booster, const BorrowedTrees& trees, const In<double>& values,
            const Written<double>& scores, int n_threads) {
    require(n_threads > 0, "at least one thread");
    const auto to = written_span(scores, scores.shape(0), "scores");
    without_lock([&](StopSignal& stop) {
        booster.replay(trees.view(), span_of(values), to, n_threads, stop);
    });
}

void require_leaves(std::span<const std::int64_t> n_leaves, std::size_t n_values,
                    std::size_t n_scores) {
    require(!n_leaves.empty() && n_scores % n_leaves.size() == 0, "a score for each row and tree");
    std::size_t n = 0;
    for (const std::int64_t leaves : n_leaves) {
        require(leaves >= 0 && static_cast<std::size_t>(leaves) <= n_values - n,
                "a value for each leaf");
        n += static_cast<std::size_t>(leaves);
    }
    require(n == n_values, "a value for each leaf");
}

}  // namespace

void add_boosting(nb::module_& module) {
    add_options(module);
    nb::class_<BorrowedConstraints>(module, "BoostingConstraints",
                                    "Directions of columns, and groups that may meet on a path.")
        .def(nb::init<std::optional<In<std::int8_t>>, std::optional<In<std::uint8_t>>>(),
             nb::arg("monotone").noconvert().none(), nb::arg("groups").noconvert().none());
    nb::class_<BorrowedTrees>(module, "KeptTrees", "Boosted trees, as they were kept.")
        .def(nb::init<In<std::int64_t>, In<std::uint8_t>, In<std::uint32_t>, In<std::uint32_t>,
                      In<std::uint8_t>, In<std::uint8_t>>(),
             nb::arg("n_nodes").noconvert(), nb::arg("kind").noconvert(),
             nb::arg("feature").noconvert(), nb::arg("left_code").noconvert(),
             nb::arg("missing_left").noconvert(), nb::arg("pool").noconvert());
    nb::class_<PythonPartSums>(module, "PartSums",
                               "Sums over rows that several processes hold, by an object.")
        .def(nb::init<nb::object, bool>(), nb::arg("exchange"), nb::arg("looks"));
    module.def(
        "add_words",
        [](const In<std::uint64_t>& words, const Written<std::uint64_t>& sums) {
            const auto to = written_span(sums, 2 * words.shape(0), "two sums for each word");
            add_words(span_of(words), to);
        },
        nb::arg("words").noconvert(), nb::arg("sums").noconvert(),
        "Add a histogram that a part has sent as words to the sums of all parts.");
    nb::class_<TreeBooster>(module, "TreeBooster", "A coded table to grow boosted trees on.")
        .def(
            "__init__",
            [](TreeBooster* self, const BorrowedGrowColumns& columns, const In<std::uint64_t>& keys,
               std::size_t block_rows, int n_threads, PythonPartSums* parts) {
                require(columns.n_rows() > 0 && !columns.view().empty(),
                        "at least one row and one column");
                require(keys.shape(0) == columns.n_rows(), "a key for each row");
                require(block_rows > 0 && block_rows <= TreeBooster::most_block_rows,
                        "blocks of 1 to 16384 rows");
                without_lock([&](StopSignal& stop) {
                    new (self) TreeBooster(columns.view(), columns.n_rows(), span_of(keys),
                                           block_rows, n_threads, stop, parts);
                });
            },
            nb::arg("columns"), nb::arg("keys").noconvert(), nb::arg("block_rows"),
            nb::arg("n_threads"), nb::arg("parts").none() = nb::none(), nb::keep_alive<1, 2>(),
            nb::keep_alive<1, 6>())
        .def("replay", &replay, nb::arg("trees"), nb::arg("values").noconvert(),
             nb::arg("scores").noconvert(), nb::arg("n_threads"),
             "Add to the scores what trees that were grown before give the rows.")
        .def("grow", &grow, nb::arg("gradients").noconvert(),
             nb::arg("hessians").noconvert().none(), nb::arg("units").noconvert().none(),
             nb::arg("constraints"), nb::arg("options"), nb::arg("leaf_of_row").noconvert(),
             "Grow a tree for each row of gradients; write the leaf of each row.");
    module.def(
        "add_leaf_values",
        [](const In<std::uint32_t>& leaf_of_row, const In<std::int64_t>& n_leaves,
           const In<double>& values, const Written<double>& scores, int n_threads) {
            const auto to = written_span(scores, leaf_of_row.shape(0), "a score for each row");
            require_leaves(span_of(n_leaves), values.shape(0), to.size());
            without_lock([&](StopSignal& stop) {
                add_leaf_values(span_of(leaf_of_row), span_of(n_leaves), span_of(values), to,
                                n_threads, stop);
            });
        },
        nb::arg("leaf_of_row").noconvert(), nb::arg("n_leaves").noconvert(),
        nb::arg("values").noconvert(), nb::arg("scores").noconvert(), nb::arg("n_threads"),
        "Add to each row's scores the values of its leaves, tree after tree.");
}

}  // namespace branchline::bindings

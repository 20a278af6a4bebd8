#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>

#include "arrays.hpp"
#include "branchline/prune_tree.hpp"
#include "branchline/sum_children.hpp"
#include "interrupt.hpp"

namespace branchline::bindings {

namespace {

using Nodes = In<std::int32_t>;
using Numbers = In<double>;

template <class Prune>
auto prune(Prune&& kernel, const Nodes& first_child, const Nodes& n_children, const Numbers& cost,
           const std::optional<Numbers>& extra_cost) {
    const TreeShape shape{span_of(first_child), span_of(n_children)};
    const auto own = span_of(cost), extra = span_of(extra_cost);
    return without_lock([&](StopSignal& stop) { return kernel(shape, own, extra, stop); });
}

}  // namespace

void add_prune(nb::module_& module) {
    module.def(
        "weakest_link",
        [](const Nodes& first_child, const Nodes& n_children, const Numbers& cost_as_leaf,
           const std::optional<Numbers>& extra_cost) {
            return give(prune(weakest_link, first_child, n_children, cost_as_leaf, extra_cost));
        },
        nb::arg("first_child").noconvert(), nb::arg("n_children").noconvert(),
        nb::arg("cost_as_leaf").noconvert(), nb::arg("extra_cost").noconvert() = nb::none(),
        "The β from which on each node is a leaf of T(β) or gone; −inf for leaves.");

    module.def(
        "greedy_pruning",
        [](const Nodes& first_child, const Nodes& n_children, const Numbers& cost_as_leaf,
           const std::optional<Numbers>& extra_cost) {
            auto steps = prune(greedy_pruning, first_child, n_children, cost_as_leaf, extra_cost);
            return std::pair(give(std::move(steps.node)), give(std::move(steps.cost)));
        },
        nb::arg("first_child").noconvert(), nb::arg("n_children").noconvert(),
        nb::arg("cost_as_leaf").noconvert(), nb::arg("extra_cost").noconvert() = nb::none(),
        "The nodes that collapse one after another; the tree's cost before and after each.");

    module.def(
        "sum_children",
        [](const Nodes& first_child, const Nodes& n_children, const In<std::int64_t>& content,
           const Numbers& spread, double unit, int bits) {
            const auto held = span_of(content);
            const auto spreads = span_of(spread);
            std::vector<std::int64_t> sums(held.begin(), held.end());
            std::vector<double> within(spreads.begin(), spreads.end());
            sum_children({span_of(first_child), span_of(n_children)}, sums, within, unit, bits);
            return std::pair(give(std::move(sums)), give(std::move(within)));
        },
        nb::arg("first_child").noconvert(), nb::arg("n_children").noconvert(),
        nb::arg("content").noconvert(), nb::arg("spread").noconvert(), nb::arg("unit"),
        nb::arg("bits"), "What nodes hold, inner ones as sums of their children.");
}

}  // namespace branchline::bindings

#include <nanobind/stl/optional.h>

#include "arrays.hpp"
#include "branchline/item_sets.hpp"
#include "interrupt.hpp"

namespace branchline::bindings {

namespace {

// Baskets of Python's arrays, borrowed for one call.
Baskets baskets_of(const In<std::int64_t>& starts, const In<std::uint32_t>& items,
                   const std::optional<In<std::int64_t>>& units, std::size_t n_items) {
    const Baskets baskets{span_of(starts), span_of(items), span_of(units), n_items};
    require(!baskets.starts.empty() && baskets.starts.front() == 0 &&
                baskets.starts.back() == static_cast<std::int64_t>(baskets.items.size()),
            "starts from 0 to the number of items");
    require(!units || units->shape(0) == baskets.size(), "a weight for each basket");
    require(baskets.size() < std::size_t{1} << 32, "fewer than 2^32 baskets");
    for (std::size_t basket = 0; basket < baskets.size(); ++basket) {
        const std::int64_t begin = baskets.starts[basket], end = baskets.starts[basket + 1];
        require(begin <= end && end <= baskets.starts.back(), "starts in order");
        for (std::int64_t at = begin; at < end; ++at) {
            const std::uint32_t item = baskets.items[static_cast<std::size_t>(at)];
            require(item < n_items, "items below n_items");
            require(at == begin || baskets.items[static_cast<std::size_t>(at - 1)] < item,
                    "items of a basket ascend");
        }
    }
    return baskets;
}

}  // namespace

void add_item_sets(nb::module_& module) {
    module.def(
        "frequent_item_sets",
        [](const In<std::int64_t>& starts, const In<std::uint32_t>& items,
           const std::optional<In<std::int64_t>>& units, std::size_t n_items,
           const nb::tuple& limits, int n_threads) -> nb::object {
            const Baskets baskets = baskets_of(starts, items, units, n_items);
            require(limits.size() == 3, "limits are min_units, max_items, max_sets");
            const ItemSetLimits given{nb::cast<std::int64_t>(limits[0]),
                                      nb::cast<std::size_t>(limits[1]),
                                      nb::cast<std::size_t>(limits[2])};
            require(given.min_units >= 1 && given.max_items >= 1, "limits from 1");
            ItemSets sets = without_lock([&](StopSignal& stop) {
                return frequent_item_sets(baskets, given, n_threads, stop);
            });
            if (!sets.is_complete) return nb::none();
            return nb::make_tuple(give(std::move(sets.starts)), give(std::move(sets.items)),
                                  give(std::move(sets.units)), give(std::move(sets.without)));
        },
        nb::arg("starts").noconvert(), nb::arg("items").noconvert(),
        nb::arg("units").noconvert().none(), nb::arg("n_items"), nb::arg("limits"),
        nb::arg("n_threads"),
        "Frequent item sets: starts, items, units, places without each item; None when too many.");
}

}  // namespace branchline::bindings

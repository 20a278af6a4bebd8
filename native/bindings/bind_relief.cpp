#include <nanobind/stl/optional.h>

#include "arrays.hpp"
#include "branchline/relief.hpp"
#include "interrupt.hpp"

namespace branchline::bindings {

namespace {

using InValues = nb::ndarray<const std::uint16_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// The values of a table, with what is known of its columns; borrowed for one call.
ReliefTable table_of(const InValues& values, const In<std::int64_t>& n_columns,
                     const In<std::uint16_t>& expected) {
    require(n_columns.shape(0) == 4, "four kinds of columns");
    require(expected.shape(0) == values.shape(1), "an expected difference for each column");
    ReliefTable table{{values.data(), values.size()}, values.shape(0), {}, span_of(expected)};
    for (std::size_t kind = 0; kind < 4; ++kind) {
        require(n_columns.data()[kind] >= 0, "numbers of columns from 0");
        table.n_columns[kind] = static_cast<std::size_t>(n_columns.data()[kind]);
    }
    require(table.width() == values.shape(1), "as many columns as the kinds have");
    return table;
}

ReliefTarget target_of(const nb::handle& target, std::size_t n_rows) {
    In<std::uint16_t> numbers;
    if (nb::try_cast(target, numbers, false)) {
        require(numbers.shape(0) == n_rows, "a target for each row");
        return {{}, 0, span_of(numbers)};
    }
    const auto classes = array_in<In<std::uint32_t>>(
        target, "a target must be uint32 classes or uint16 numbers, contiguous");
    require(classes.shape(0) == n_rows, "a target for each row");
    const auto places = span_of(classes);
    std::uint32_t most = 0;
    for (const std::uint32_t place : places) most = std::max(most, place);
    return {places, std::size_t{most} + 1, {}};
}

}  // namespace

void add_relief(nb::module_& module) {
    module.def(
        "relief_scores",
        [](const InValues& values, const nb::object& kinds, const nb::object& target,
           const std::optional<In<std::int64_t>>& units, const nb::tuple& looking, int n_threads) {
            const nb::tuple pair = nb::cast<nb::tuple>(kinds);
            require(pair.size() == 2 && looking.size() == 2, "kinds and looking are pairs");
            const auto n_columns = array_in<In<std::int64_t>>(pair[0], "int64 numbers of columns");
            const auto expected = array_in<In<std::uint16_t>>(pair[1], "uint16 differences");
            const auto probes = array_in<In<std::uint32_t>>(looking[0], "uint32 rows");
            const ReliefTable table = table_of(values, n_columns, expected);
            const ReliefTarget wanted = target_of(target, table.n_rows);
            require(!units || units->shape(0) == table.n_rows, "a weight for each row");
            for (const std::uint32_t probe : span_of(probes)) {
                require(probe < table.n_rows, "probes are rows of the table");
            }
            const ReliefRows rows{span_of(units), span_of(probes),
                                  nb::cast<std::size_t>(looking[1])};
            ReliefScores scores = without_lock([&](StopSignal& stop) {
                return relief_scores(table, wanted, rows, n_threads, stop);
            });
            return nb::make_tuple(give(std::move(scores.score)), give(std::move(scores.squares)));
        },
        nb::arg("values").noconvert(), nb::arg("kinds"), nb::arg("target"),
        nb::arg("units").noconvert().none(), nb::arg("looking"), nb::arg("n_threads"),
        "Relief scores of columns, and their mean squares over rows.");
}

}  // namespace branchline::bindings
